"""The client of the database service, as plugins of resources see it."""
from urllib import parse

from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import sdk_noun
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'trove'
# The class of openstacksdk for instances cannot be told a flavor.
_NOUNS = {
    'cluster': sdk_noun.Noun('/clusters', 'cluster', 'clusters'),
    'instance': sdk_noun.Noun('/instances', 'instance', 'instances'),
}


class TroveClientPlugin(sdk_plugin.ListingPlugin):
    """Finds flavors of Trove, and knows its kinds of databases."""

    client_name = CLIENT_NAME
    proxy = 'database'
    service_types = [DATABASE] = ['database']

    def _connect(self, version=None):
        return sdk_noun.extended(self._adapter(), _NOUNS)

    def rename_instance(self, instance_id, name):
        """Give an instance another name."""
        self.answer(self.sdk().patch(f'instances/{instance_id}', json={
            'instance': {'name': name}}))

    def resize_instance(self, instance_id, flavor_id):
        """Begin to give an instance another flavor."""
        self._act(instance_id, {'flavorRef': flavor_id})

    def resize_volume(self, instance_id, size):
        """Begin to give an instance a volume of another size."""
        self._act(instance_id, {'volume': {'size': size}})

    def _act(self, instance_id, resize):
        self.answer(self.sdk().post(f'instances/{instance_id}/action',
                                    json={'resize': resize}))

    def databases_of(self, instance_id):
        """Return the names of the databases of an instance."""
        return {each['name'] for each in self.listed(
            f'instances/{instance_id}/databases', key='databases')}

    def create_database(self, instance_id, values):
        """Create a database in an instance."""
        self.answer(self.sdk().post(f'instances/{instance_id}/databases',
                                    json={'databases': [values]}))

    def delete_database(self, instance_id, name):
        """Delete a database of an instance; it may be gone."""
        with self.ignore_not_found:
            self.answer(self.sdk().delete(
                f'instances/{instance_id}/databases/{_segment(name)}'))

    def users_of(self, instance_id):
        """Return {name: {'host', 'databases'}} of the users of an instance.
        """
        return {each['name']: {
            'host': each.get('host', '%'),
            'databases': {one['name'] for one in each.get('databases', ())}}
            for each in self.listed(f'instances/{instance_id}/users',
                                    key='users')}

    def create_user(self, instance_id, values):
        """Create a user in an instance."""
        self.answer(self.sdk().post(f'instances/{instance_id}/users',
                                    json={'users': [values]}))

    def update_user(self, instance_id, name, values, host='%'):
        """Change the name, password or host of a user of an instance."""
        self.answer(self.sdk().put(
            _user_path(instance_id, name, host), json={'user': values}))

    def delete_user(self, instance_id, name, host='%'):
        """Delete a user of an instance; it may be gone."""
        with self.ignore_not_found:
            self.answer(self.sdk().delete(_user_path(instance_id, name,
                                                     host)))

    def grant(self, instance_id, name, databases, host='%'):
        """Let a user of an instance use further databases."""
        self.answer(self.sdk().put(
            _user_path(instance_id, name, host) + '/databases', json={
                'databases': [{'name': each} for each in databases]}))

    def revoke(self, instance_id, name, database, host='%'):
        """Keep a user of an instance from using a database."""
        with self.ignore_not_found:
            self.answer(self.sdk().delete(
                _user_path(instance_id, name, host) +
                '/databases/' + _segment(database)))

    def find_flavor_by_name_or_id(self, flavor):
        """Return the id of a flavor, given that or its name."""
        # Those that are no numbers are in another key.
        return self.find_listed('flavors', flavor, its_id='str_id')

    def validate_datastore(self, datastore_type, datastore_version,
                           ds_type_key, ds_version_key):
        """Check that there is such a kind of databases, in that version.

        :param ds_type_key: the property that names the kind.
        :param ds_version_key: the one that names the version.
        :raises StackValidationFailed: there is not, or only the version is
            given.
        """
        if not datastore_type:
            if datastore_version:
                raise exception.StackValidationFailed(message=_(
                    'Not allowed - %(version)s without %(kind)s.') % {
                        'version': ds_version_key, 'kind': ds_type_key})
            return
        try:
            versions = [each['name'] for each in self.listed(
                f'datastores/{datastore_type}/versions', key='versions')]
        except exception.EntityNotFound as error:
            raise exception.StackValidationFailed(message=_(
                'There is no %(kind)s "%(name)s".') % {
                    'kind': ds_type_key, 'name': datastore_type}) from error
        if datastore_version and datastore_version not in versions:
            raise exception.StackValidationFailed(message=_(
                'The %(key)s "%(version)s" of "%(kind)s" is none of: '
                '%(known)s') % {
                    'key': ds_version_key, 'version': datastore_version,
                    'kind': datastore_type,
                    'known': ', '.join(sorted(versions))})


def _user_path(instance_id, name, host):
    user = name if host in (None, '%') else f'{name}@{host}'
    return f'instances/{instance_id}/users/{_segment(user)}'


def _segment(name):
    """Return a name as a segment of a path.

    Trove takes a dot for the beginning of a suffix.
    """
    return parse.quote(name, safe='').replace('.', '%2E')


class FlavorConstraint(sdk_plugin.SDKConstraint):
    """A flavor of databases, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_flavor_by_name_or_id'


#: By the names that templates and schemas use.
CONSTRAINTS = {'trove.flavor': FlavorConstraint}
