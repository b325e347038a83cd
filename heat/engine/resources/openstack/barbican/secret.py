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

    A secret is kept encrypted, and given only to those who may have it.
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
            _('The algorithm that the secret is for.')),
        'bit_length': properties.integer(
            _('The length of the secret in bits.'),
            constraints=[constraints.Range(min=0)]),
        'expiration': properties.string(
            _('When the secret expires, in the form of ISO 8601.'),
            constraints=[constraints.CustomConstraint('expiration')]),
        'mode': properties.string(
            _('The mode of the algorithm that the secret is for.')),
        'name': properties.string(
            _('The name of the secret. It need not be unique.')),
        'payload': properties.string(
            _('What is secret.')),
        'payload_content_encoding': properties.string(
            _('The encoding of a payload that is no text.'),
            constraints=[constraints.AllowedValues(['base64'])]),
        'payload_content_type': properties.string(
            _('The media type of the payload.'),
            constraints=[constraints.AllowedValues([
                'text/plain', 'application/octet-stream'])]),
        'secret_type': properties.string(
            _('What kind of secret it is.'),
            default='opaque',
            constraints=[constraints.AllowedValues([
                'symmetric', 'public', 'private', 'certificate',
                'passphrase', 'opaque'])],
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        'decrypted_payload': attributes.Schema(
            _('What is secret. It is shown to whoever may show the stack.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('The status of the secret.'),
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
