"""Containers of pairs of keys."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import container_base


class RSAContainer(container_base.ContainerResource):
    """A container of a pair of keys in Barbican.

    It names the two keys, and the phrase that protects the private one.
    """

    type_name = 'OS::Barbican::RSAContainer'
    support_status = support.SupportStatus(version='6.0.0')

    properties_schema = {
        'name': properties.string(
            _('The name of the container. It need not be unique.')),
        'private_key_passphrase_ref': properties.string(
            _('The reference of the phrase that protects the private key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'private_key_ref': properties.string(
            _('The reference of the private key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'public_key_ref': properties.string(
            _('The reference of the public key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
    }

    def _make(self, given):
        return self.client_plugin().create_rsa(**given)
