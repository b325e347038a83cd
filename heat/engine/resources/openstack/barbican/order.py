"""Orders of Barbican."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.barbican import barbican_base


class Order(barbican_base.BarbicanResource):
    """An order of Barbican.

    An order has Barbican generate a secret: a key, a key pair or a
    certificate. The generated secret remains when the order is deleted.
    """

    type_name = 'OS::Barbican::Order'
    support_status = support.SupportStatus(version='2014.2')
    entity = 'orders'
    noun = 'order'
    secret_properties = ('pass_phrase',)
    ready = barbican_base.STORED

    #: Properties that each type of order needs, and those it may have besides.
    _NEEDED = {'key': ('algorithm', 'bit_length'),
               'asymmetric': ('algorithm', 'bit_length'),
               'certificate': ()}
    _ALLOWED = {
        'key': ('mode', 'payload_content_type', 'expiration'),
        'asymmetric': ('mode', 'pass_phrase', 'payload_content_type',
                       'expiration'),
        'certificate': ('ca_id', 'profile', 'request_data', 'request_type',
                        'subject_dn', 'source_container_ref')}

    #: Attributes that are secrets of the container that was made.
    _PARTS = ('certificate', 'private_key', 'public_key', 'intermediates')

    properties_schema = {
        'algorithm': properties.string(
            _('Algorithm of the key.')),
        'bit_length': properties.integer(
            _('Length of the key in bits.')),
        'ca_id': properties.string(
            _('ID of the certificate authority that signs the certificate.'),
            support_status=support.SupportStatus(version='5.0.0')),
        'expiration': properties.string(
            _('Expiration time of the generated secret in ISO 8601 format.'),
            constraints=[constraints.CustomConstraint('expiration')]),
        'mode': properties.string(
            _('Mode of the algorithm of the key.')),
        'name': properties.string(
            _('Name of the generated secret.')),
        'pass_phrase': properties.string(
            _('Passphrase of the private key.'),
            support_status=support.SupportStatus(version='5.0.0')),
        'payload_content_type': properties.string(
            _('Media type of the generated secret.')),
        'profile': properties.string(
            _('Profile that the certificate authority applies.'),
            support_status=support.SupportStatus(version='5.0.0')),
        'request_data': properties.string(
            _('Certificate signing request, Base64-encoded.'),
            support_status=support.SupportStatus(version='5.0.0')),
        'request_type': properties.string(
            _('Type of the certificate request.'),
            constraints=[constraints.AllowedValues([
                'stored-key', 'simple-cmc', 'custom'])],
            support_status=support.SupportStatus(version='5.0.0')),
        'source_container_ref': properties.string(
            _('Reference of the container with the keys of the certificate.'),
            constraints=[constraints.CustomConstraint('barbican.container')],
            support_status=support.SupportStatus(version='5.0.0')),
        'subject_dn': properties.string(
            _('Subject distinguished name of the certificate.'),
            support_status=support.SupportStatus(version='5.0.0')),
        'type': properties.string(
            _('Type of the order.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'key', 'asymmetric', 'certificate'])],
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        'certificate': attributes.Schema(
            _('Issued certificate.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
        'container_ref': attributes.Schema(
            _('Reference of the created container.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
        'intermediates': attributes.Schema(
            _('Intermediate certificates.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
        'order_ref': attributes.Schema(
            _('Reference of the order.'),
            type=attributes.Schema.STRING),
        'private_key': attributes.Schema(
            _('Generated private key. Every user who may show the stack can '
              'read it.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
        'public_key': attributes.Schema(
            _('Generated public key.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
        'secret_ref': attributes.Schema(
            _('Reference of the generated key.'),
            type=attributes.Schema.STRING),
        'status': attributes.Schema(
            _('Status of the order.'),
            type=attributes.Schema.STRING),
    }

    def validate(self):
        """Check that the properties are those of the type of order."""
        problem = super().validate()
        kind = self.properties['type']
        for name in self._NEEDED[kind]:
            if self.properties[name] is None:
                raise self._refuse(name, _('is needed'))
        known = {'type', 'name', *self._NEEDED[kind], *self._ALLOWED[kind]}
        for name in sorted(set(self.properties_schema) - known):
            if self.properties[name] is not None:
                raise self._refuse(name, _('cannot be given'))
        return problem

    def _refuse(self, name, why):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, name],
            message=_('%(why)s for the type %(kind)s') % {
                'why': why, 'kind': self.properties['type']})

    def prepare_create(self, body):
        """Put what is wanted where Barbican looks for it."""
        kind = body.pop('type')
        return {'type': kind, 'meta': body}

    def _resolve_attribute(self, name):
        if name not in self._PARTS or self.resource_id is None:
            return super()._resolve_attribute(name)
        plugin = self.client_plugin()
        container = self._show_resource().get('container_ref')
        if container is None:
            return None
        refs = barbican_base.secret_refs(
            plugin.get_container_by_ref(container))
        return (plugin.get_secret_payload_by_ref(refs[name])
                if name in refs else None)
