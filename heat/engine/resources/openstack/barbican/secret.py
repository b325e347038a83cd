"""Secrets of Barbican."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import barbican_base


class Secret(barbican_base.BarbicanResource):
    """A secret of Barbican.

    Barbican stores the secret encrypted and controls the access to it.
    """

    type_name = 'OS::Barbican::Secret'
    support_status = support.SupportStatus(version='2014.2')
    entity = 'secrets'
    noun = 'secret'
    secret_properties = ('payload',)

    #: Properties that need another one.
    _NEEDS = (('payload', 'payload_content_type'),
              ('payload_content_type', 'payload'),
              ('payload_content_encoding', 'payload'))

    properties_schema = {
        'algorithm': properties.string(
            _('Algorithm that the secret is used with.')),
        'bit_length': properties.integer(
            _('Length of the secret in bits.'),
            constraints=[constraints.Range(min=0)]),
        'expiration': properties.string(
            _('Expiration time of the secret in ISO 8601 format.'),
            constraints=[constraints.CustomConstraint('expiration')]),
        'mode': properties.string(
            _('Mode of the algorithm that the secret is used with.')),
        'name': properties.string(
            _('Name of the secret. It need not be unique.')),
        'payload': properties.string(
            _('Unencrypted payload of the secret.')),
        'payload_content_encoding': properties.string(
            _('Encoding of a binary payload.'),
            constraints=[constraints.AllowedValues(['base64'])]),
        'payload_content_type': properties.string(
            _('Media type of the payload.'),
            constraints=[constraints.AllowedValues([
                'text/plain', 'application/octet-stream'])]),
        'secret_type': properties.string(
            _('Type of the secret.'),
            default='opaque',
            constraints=[constraints.AllowedValues([
                'symmetric', 'public', 'private', 'certificate',
                'passphrase', 'opaque'])],
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        'decrypted_payload': attributes.Schema(
            _('Decrypted payload of the secret. Every user who may show the '
              'stack can read it.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the secret.'),
            type=attributes.Schema.STRING),
    }

    def validate(self):
        """Check that the payload can be understood."""
        problem = super().validate()
        for given, needed in self._NEEDS:
            if (self.properties[given] is not None and
                    self.properties[needed] is None):
                raise exception.ResourcePropertyDependency(prop1=given,
                                                           prop2=needed)
        if (self.properties['payload_content_type'] ==
                'application/octet-stream' and
                self.properties['payload_content_encoding'] is None):
            raise exception.ResourcePropertyDependency(
                prop1='application/octet-stream',
                prop2='payload_content_encoding')
        return problem

    def _resolve_attribute(self, name):
        if name == 'decrypted_payload' and self.resource_id is not None:
            return self.client_plugin().get_secret_payload_by_ref(
                self.resource_id)
        return super()._resolve_attribute(name)
