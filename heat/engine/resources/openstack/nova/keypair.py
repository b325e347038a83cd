"""Key pairs of Nova."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

#: The microversions that brought types, and key pairs of other users.
_TYPES, _USERS = '2.2', '2.10'


class KeyPair(sdk_resource.SDKResource):
    """A key pair of Nova for SSH access to servers.

    The public key is imported, or Nova generates a key pair. The
    generated private key can be stored encrypted in Heat.
    """

    type_name = 'OS::Nova::KeyPair'
    support_status = support.SupportStatus(version='2014.1')
    default_client_name = 'nova'
    entity = 'keypairs'
    noun = 'keypair'

    SAVE_PRIVATE_KEY, PUBLIC_KEY, PRIVATE_KEY, TYPE, USER = (
        'save_private_key', 'public_key', 'private_key', 'type', 'user')
    #: Data of a key pair whose name a replacement has, of such a one, and
    #: of one that has got its name back: whose key pair that is.
    _LENT, _FINGERPRINT, _RESTORED = (
        'lent_public_key', 'fingerprint', 'restored_for')

    properties_schema = {
        'name': properties.string(
            _('Name of the key pair.'),
            required=True,
            constraints=[constraints.Length(max=255, min=1)]),
        'save_private_key': properties.boolean(
            _('Whether the private key is stored, encrypted, and available as '
              'the attribute private_key. Otherwise the key is discarded.'),
            default=False),
        'public_key': properties.string(
            _('Public key to import. If omitted, Nova generates a key pair.')),
        'type': properties.string(
            _('Type of the key pair.'),
            constraints=[constraints.AllowedValues(['ssh', 'x509'])],
            support_status=support.SupportStatus(version='8.0.0')),
        'user': properties.string(
            _('User who owns the key pair, by name or ID. Only administrators '
              'may specify another user.'),
            constraints=[constraints.ref('keystone.user')],
            support_status=support.SupportStatus(version='9.0.0')),
    }

    attributes_schema = {
        'private_key': attributes.Schema(
            _('Private key, if it is stored.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
        'public_key': attributes.Schema(
            _('Public key.'),
            type=attributes.Schema.STRING),
    }

    rename = {USER: 'user_id'}
    omit = (SAVE_PRIVATE_KEY,)

    def validate(self):
        """Check that there is a private key to keep, and what Nova can do.
        """
        problem = super().validate()
        props = self.properties
        if props[self.PUBLIC_KEY] and props[self.SAVE_PRIVATE_KEY]:
            raise exception.ResourcePropertyConflict(self.PUBLIC_KEY,
                                                     self.SAVE_PRIVATE_KEY)
        for name, version in ((self.TYPE, _TYPES), (self.USER, _USERS)):
            if props[name] and not self.client_plugin(
                    ).is_version_supported(version):
                raise exception.StackValidationFailed(message=_(
                    'The property "%(name)s" requires version %(version)s of '
                    'the Compute API, which is not available in this '
                    'cloud') % {
                        'name': name, 'version': version})
        return problem

    def _whose(self):
        user = self.properties[self.USER]
        return {'user_id': user} if user else {}

    def _create(self):
        made = self.sdk().create_keypair(**self._body(self._given()))
        self.resource_id_set(made.name)
        if self.properties[self.SAVE_PRIVATE_KEY]:
            self.data_set(self.PRIVATE_KEY, made.private_key, redact=True)
        if self.replaces is not None:
            self.data_set(self._FINGERPRINT, made.fingerprint)
        return made

    def _show_resource(self):
        return sdk_resource.shown(self._live())

    def _delete(self):
        if not self._is_anothers():
            self.sdk().delete_keypair(
                self.resource_id, ignore_missing=False, **self._whose())

    def _is_anothers(self):
        """Return whether what we replaced has got the name back."""
        fingerprint = self.data().get(self._FINGERPRINT)
        return fingerprint is not None and (
            fingerprint != self._live().fingerprint or
            # Both may have been given the same key.
            any(row.data.get(self._RESTORED) == self._user()
                for row in self.replaced_rows()))

    def _user(self):
        return self.properties[self.USER] or ''

    def _live(self):
        return self.sdk().get_keypair(self.resource_id, **self._whose())

    def prepare_for_replace(self):
        """Give up the name: the replacement may want it."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.data_set(self._LENT, self._live().public_key)
            self._delete()
            self.data_delete(self._RESTORED)
        # What has the name from now on is another one's.
        self.resource_id_set(None)

    def restore_prev_rsrc(self, convergence=False):
        """Import the key again that the replacement stood in for."""
        # The backup stack has to stay: a resource does not keep its stack.
        backup = None if convergence else self.stack.backup_stack()
        previous: Any = self if convergence else (
            (backup or {}).get(self.name))
        lent = previous.data().get(self._LENT) if previous else None
        if lent is None:
            return
        with self.client_plugin().ignore_not_found:
            previous.delete_namesake(self.sdk())
        if not convergence:
            self.resource_id_set(None)
        previous.import_again(self.sdk(), lent)

    def delete_namesake(self, client):
        """Delete the key that has our name now."""
        client.delete_keypair(self._body(self._given())['name'],
                              ignore_missing=False, **self._whose())

    def import_again(self, client, public_key):
        """Import our key, which was given up for a replacement."""
        self.resource_id_set(client.create_keypair(
            **{**self._body(self._given()),
               self.PUBLIC_KEY: public_key}).name)
        self.data_delete(self._LENT)
        self.data_set(self._RESTORED, self._user())

    def _resolve_attribute(self, name):
        if name == self.PRIVATE_KEY:
            return self.data().get(self.PRIVATE_KEY, '')
        if self.properties[self.PUBLIC_KEY]:
            return self.properties[self.PUBLIC_KEY]
        return super()._resolve_attribute(name)
