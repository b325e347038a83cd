"""Containers of certificates."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import container_base


class CertificateContainer(container_base.ContainerResource):
    """A certificate container of Barbican.

    It references a certificate and the secrets needed to use it.
    Octavia listeners accept it for the protocol TERMINATED_HTTPS.
    """

    type_name = 'OS::Barbican::CertificateContainer'
    support_status = support.SupportStatus(version='6.0.0')

    properties_schema = {
        'certificate_ref': properties.string(
            _('Reference of the certificate secret.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'intermediates_ref': properties.string(
            _('Reference of the secret with the intermediate certificates.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'name': properties.string(
            _('Name of the container. It need not be unique.')),
        'private_key_passphrase_ref': properties.string(
            _('Reference of the secret with the passphrase of the private '
              'key.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
        'private_key_ref': properties.string(
            _('Reference of the private key secret.'),
            constraints=[constraints.CustomConstraint('barbican.secret')]),
    }

    def _make(self, given):
        return self.client_plugin().create_certificate(**given)
