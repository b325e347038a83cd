"""Containers of Swift."""
from urllib import parse

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import found_by_name

#: The headers that carry metadata begin with these.
_CONTAINER_META, _ACCOUNT_META = 'X-Container-Meta-', 'X-Account-Meta-'


class SwiftContainer(found_by_name.IdentifiedByName, resource.Resource):
    """A container of Swift.

    A container stores objects: named data of any kind.
    """

    type_name = 'OS::Swift::Container'
    support_status = support.SupportStatus()
    default_client_name = 'swift'

    PROPERTIES = (
        NAME, X_CONTAINER_READ, X_CONTAINER_WRITE, X_CONTAINER_META,
        X_ACCOUNT_META, PURGE_ON_DELETE,
    ) = (
        'name', 'X-Container-Read', 'X-Container-Write', 'X-Container-Meta',
        'X-Account-Meta', 'PurgeOnDelete',
    )

    ATTRIBUTES = (
        DOMAIN_NAME, WEBSITE_URL, ROOT_URL, OBJECT_COUNT, BYTES_USED,
        HEAD_CONTAINER,
    ) = (
        'DomainName', 'WebsiteURL', 'RootURL', 'ObjectCount', 'BytesUsed',
        'HeadContainer',
    )

    properties_schema = {
        NAME: properties.string(
            _('Name of the container. If omitted, a name is generated from '
              'the name of the resource.')),
        X_CONTAINER_READ: properties.string(
            _('Access control list for reading objects of the container.')),
        X_CONTAINER_WRITE: properties.string(
            _('Access control list for writing objects to the container.')),
        X_CONTAINER_META: properties.map(
            _('Metadata of the container. The names have no X-Container-Meta- '
              'prefix.'),
            default={}),
        X_ACCOUNT_META: properties.map(
            _('Metadata of the account. The names have no X-Account-Meta- '
              'prefix.'),
            default={}),
        PURGE_ON_DELETE: properties.boolean(
            _('Whether the objects in the container are deleted with it. '
              'Otherwise only an empty container can be deleted.'),
            default=False,
            support_status=support.SupportStatus(version='2015.1')),
    }

    attributes_schema = {
        DOMAIN_NAME: attributes.Schema(
            _('Host name in the URL of the container.'),
            type=attributes.Schema.STRING),
        WEBSITE_URL: attributes.Schema(
            _('URL of the container as a web site.'),
            type=attributes.Schema.STRING),
        ROOT_URL: attributes.Schema(
            _('URL of the account of the container.'),
            type=attributes.Schema.STRING),
        OBJECT_COUNT: attributes.Schema(
            _('Number of objects in the container.'),
            type=attributes.Schema.INTEGER),
        BYTES_USED: attributes.Schema(
            _('Total size of the objects in the container in bytes.'),
            type=attributes.Schema.INTEGER),
        HEAD_CONTAINER: attributes.Schema(
            _('Headers of the container as returned by Swift.'),
            type=attributes.Schema.MAP),
    }

    def physical_resource_name(self):
        """Return the name that the template gives, or one of ours."""
        return self.properties[self.NAME] or super().physical_resource_name()

    # -- actions ------------------------------------------------------------

    def handle_create(self):
        """Make the container; tell the account what it is to remember."""
        name = self.physical_resource_name()
        headers = _meta(_CONTAINER_META,
                        self.properties[self.X_CONTAINER_META])
        for key in (self.X_CONTAINER_READ, self.X_CONTAINER_WRITE):
            if self.properties[key] is not None:
                headers[key] = self.properties[key]
        self.client_plugin().request('PUT', name, headers=headers)
        self.resource_id_set(name)
        account = _meta(_ACCOUNT_META, self.properties[self.X_ACCOUNT_META])
        if account:
            self.client_plugin().request('POST', headers=account)

    def _ask_for(self, name):
        self.client_plugin().request('HEAD', name)

    def handle_check(self):
        """Look whether the container is there."""
        self._headers()

    def handle_delete(self):
        """Delete the container, if nothing is in it or that may go.

        Return whether it is gone.
        """
        if self.resource_id is None:
            return True
        with self.client_plugin().ignore_not_found:
            if not self.properties[self.PURGE_ON_DELETE]:
                self._require_empty()
            return self.check_delete_complete(False)
        return True

    def _require_empty(self):
        if list(self.client_plugin().request(
                'GET', self.resource_id,
                params={'format': 'json', 'limit': 1}).json()):
            raise exception.ResourceActionNotSupported(action=_(
                'Deleting the container %(name)s, which is not empty, '
                'without %(prop)s,') % {'name': self.resource_id,
                                        'prop': self.PURGE_ON_DELETE})

    def check_delete_complete(self, gone):
        """Delete what is in the container, then it; return whether it is gone.
        """
        if gone:
            return True
        plugin = self.client_plugin()
        with plugin.ignore_not_found:
            if (self.properties[self.PURGE_ON_DELETE] and
                    plugin.delete_some_objects(self.resource_id)):
                return False
            return self._delete_container()
        return True

    def _delete_container(self):
        try:
            self.client_plugin().request('DELETE', self.resource_id)
        except Exception as error:
            if not (self.properties[self.PURGE_ON_DELETE] and
                    self.client_plugin().is_conflict(error)):
                raise
            # Somebody has written an object meanwhile.
            return False
        return True

    # -- what others see ----------------------------------------------------

    def get_reference_id(self):
        """Return the name of the container."""
        return str(self.resource_id)

    def _headers(self):
        return dict(self.client_plugin().request(
            'HEAD', self.resource_id).headers)

    def _show_resource(self):
        return self._headers()

    def _resolve_attribute(self, name):
        plugin = self.client_plugin()
        if name == self.DOMAIN_NAME:
            return parse.urlsplit(plugin.url_of()).hostname
        if name == self.ROOT_URL:
            return plugin.url_of()
        if self.resource_id is None:
            return None
        if name == self.WEBSITE_URL:
            return plugin.url_of(self.resource_id)
        headers = {key.lower(): value
                   for key, value in self._headers().items()}
        if name == self.OBJECT_COUNT:
            return int(headers['x-container-object-count'])
        if name == self.BYTES_USED:
            return int(headers['x-container-bytes-used'])
        return headers

    def get_live_resource_data(self):
        """Return the headers of the container and of its account."""
        headers = super().get_live_resource_data()
        return {**headers,
                **self.client_plugin().request('HEAD').headers}

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return those headers that properties are about."""
        headers = {key.lower(): value
                   for key, value in resource_data.items()}
        live = {key: headers.get(key.lower()) for key in (
            self.X_CONTAINER_READ, self.X_CONTAINER_WRITE)}
        for name, prefix in ((self.X_CONTAINER_META, _CONTAINER_META),
                             (self.X_ACCOUNT_META, _ACCOUNT_META)):
            given = resource_properties[name] or {}
            live[name] = {key: headers[(prefix + key).lower()]
                          for key in given
                          if (prefix + key).lower() in headers}
        return live


def _meta(prefix, values):
    """Return the headers that carry metadata."""
    return {prefix + key: str(value)
            for key, value in (values or {}).items()}
