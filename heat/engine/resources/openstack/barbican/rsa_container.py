"""Containers of pairs of keys."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import container_base


class RSAContainer(container_base.ContainerResource):
    """An RSA container of Barbican.

    It references the two keys of a key pair and the passphrase of the
    private key.
    """

    type_name = 'OS::Barbican::RSAContainer'
    support_status = support.SupportStatus(version='6.0.0')

    properties_schema = {
        'name': properties.string(
            _('Name of the container. It need not be unique.')),
        'private_key_passphrase_ref': properties.string(
            _('Reference of the secret with the passphrase of the private '
              'key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'private_key_ref': properties.string(
            _('Reference of the private key secret.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'public_key_ref': properties.string(
            _('Reference of the public key secret.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
    }

    def _make(self, given):
        return self.client_plugin().create_rsa(**given)
