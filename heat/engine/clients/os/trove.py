"""The client of the database service, as plugins of resources see it."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine.clients import sdk_plugin

CLIENT_NAME = 'trove'


class TroveClientPlugin(sdk_plugin.ListingPlugin):
    """Finds flavors of Trove, and knows its kinds of databases."""

    client_name = CLIENT_NAME
    proxy = 'database'
    service_types = [DATABASE] = ['database']

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


class FlavorConstraint(sdk_plugin.SDKConstraint):
    """A flavor of databases, by name or id."""

    resource_client_name = CLIENT_NAME
    resource_getter_name = 'find_flavor_by_name_or_id'


#: By the names that templates and schemas use.
CONSTRAINTS = {'trove.flavor': FlavorConstraint}
