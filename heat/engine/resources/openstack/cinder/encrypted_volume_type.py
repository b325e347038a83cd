"""Encryption of the volumes of a type."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class CinderEncryptedVolumeType(sdk_resource.SDKResource):
    """The encryption of a volume type of Cinder.

    All volumes of the type are encrypted. By default only
    administrators may create it.
    """

    type_name = 'OS::Cinder::EncryptedVolumeType'
    support_status = support.SupportStatus(version='5.0.0')
    default_client_name = 'cinder'
    entity = 'volume_encryption_types'
    noun = 'type_encryption'

    VOLUME_TYPE = 'volume_type'

    properties_schema = {
        'provider': properties.string(
            _('Encryption provider, for example luks.'),
            required=True,
            update_allowed=True),
        'control_location': properties.string(
            _('Whether data is encrypted by the compute host (front-end) or '
              'by the storage (back-end).'),
            default='front-end',
            constraints=[constraints.AllowedValues(['front-end', 'back-end'])],
            update_allowed=True),
        'cipher': properties.string(
            _('Cipher and mode of the encryption.'),
            constraints=[constraints.AllowedValues([
                             'aes-xts-plain64', 'aes-cbc-essiv'])],
            update_allowed=True),
        'key_size': properties.integer(
            _('Size of the encryption key in bits.'),
            update_allowed=True),
        'volume_type': properties.string(
            _('Volume type to encrypt, by name or ID. It must not be in use '
              'by volumes.'),
            required=True,
            constraints=[constraints.CustomConstraint('cinder.vtype')]),
    }

    name_property = None
    omit = (VOLUME_TYPE,)

    def _create(self):
        volume_type = self.client_plugin().get_volume_type(
            self.properties[self.VOLUME_TYPE])
        self.sdk().create_type_encryption(
            volume_type, **self._body(self._given()))
        self.resource_id_set(volume_type)

    def _update(self, prop_diff):
        self.sdk().update_type_encryption(
            volume_type=self.resource_id, **self._body(prop_diff))

    def _delete(self):
        self.sdk().delete_type_encryption(
            volume_type=self.resource_id, ignore_missing=False)
