"""Containers of certificates."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import container_base


class CertificateContainer(container_base.ContainerResource):
    """A container of a certificate in Barbican.

    It names the certificate, and what is needed to use it. Load balancers
    take it for the protocol TERMINATED_HTTPS.
    """

    type_name = 'OS::Barbican::CertificateContainer'
    support_status = support.SupportStatus(version='6.0.0')

    properties_schema = {
        'certificate_ref': properties.string(
            _('The reference of the certificate.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'intermediates_ref': properties.string(
            _('The reference of the certificates between it and the '
              'authority.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'name': properties.string(
            _('The name of the container. It need not be unique.')),
        'private_key_passphrase_ref': properties.string(
            _('The reference of the phrase that protects the private key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'private_key_ref': properties.string(
            _('The reference of the private key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
    }

    attributes_schema = {
        'consumers': attributes.Schema(
            _('Who has said to use the container.'),
            type=attributes.Schema.LIST),
        'container_ref': attributes.Schema(
            _('The reference of the container.'),
            type=attributes.Schema.STRING),
        'secret_refs': attributes.Schema(
            _('The references of the secrets, by name.'),
            type=attributes.Schema.MAP),
        'status': attributes.Schema(
            _('The status of the container.'),
            type=attributes.Schema.STRING),
    }

    def _make(self, given):
        return self.client_plugin().create_certificate(**given)
