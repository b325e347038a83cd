"""Queues of Zaqar, and permissions to use them."""
import datetime
from urllib import parse

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class ZaqarQueue(resource.Resource):
    """A resource for managing Zaqar queues.

    A queue keeps messages until somebody takes them, or they are too old.
    """

    type_name = 'OS::Zaqar::Queue'
    support_status = support.SupportStatus(version='2014.2')
    default_client_name = 'zaqar'
    physical_resource_name_limit = 64

    PROPERTIES = (
        NAME, METADATA,
    ) = (
        'name', 'metadata',
    )

    ATTRIBUTES = (
        QUEUE_ID, HREF,
    ) = (
        'queue_id', 'href',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name of the queue.'),
            constraints=[constraints.Length(max=64)]),
        METADATA: properties.map(
            _('Whatever is to be kept with the queue. Keys that begin with '
              'an underscore are options of the service.'),
            update_allowed=True),
    }

    attributes_schema = {
        QUEUE_ID: attributes.Schema(
            _('The name of the queue.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            support_status=support.SupportStatus(
                status=support.HIDDEN, version='6.0.0',
                previous_status=support.SupportStatus(
                    status=support.DEPRECATED, version='2015.1',
                    message=_('Use get_resource instead.'),
                    previous_status=support.SupportStatus(
                        version='2014.1')))),
        HREF: attributes.Schema(_('The URL of the queue.')),
    }

    def physical_resource_name(self):
        """Return the name that the template gives, or one of ours."""
        return self.properties[self.NAME] or super().physical_resource_name()

    def handle_create(self):
        """Make the queue."""
        name = self.physical_resource_name()
        self.sdk().create_queue(name, self.properties[self.METADATA])
        self.resource_id_set(name)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change the metadata."""
        if self.METADATA in prop_diff:
            self.sdk().update_queue(self.resource_id,
                                       prop_diff[self.METADATA] or {})

    def handle_check(self):
        """Look whether the service knows the queue."""
        self._show_resource()

    def handle_delete(self):
        """Delete the queue; it may be gone."""
        if self.resource_id is None:
            return
        with self.client_plugin().ignore_not_found:
            self.sdk().delete_queue(self.resource_id)

    def _show_resource(self):
        return {self.METADATA: self.sdk().get_queue(self.resource_id)}

    def parse_live_resource_data(self, resource_properties, resource_data):
        """Return the metadata, without what the service adds itself."""
        given = resource_properties[self.METADATA] or {}
        return {self.METADATA: {
            key: value for key, value in resource_data[self.METADATA].items()
            if key in given or not key.startswith('_')}}

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.QUEUE_ID:
            return self.resource_id
        return self.sdk().url_of(self.resource_id)


class ZaqarSignedQueueURL(resource.Resource):
    """Resource for managing signed URLs of Zaqar queues.

    Whoever knows its attributes may use the queue without being a user of
    the cloud, until it expires.
    """

    type_name = 'OS::Zaqar::SignedQueueURL'
    support_status = support.SupportStatus(version='8.0.0')
    default_client_name = 'zaqar'

    PROPERTIES = (
        QUEUE, PATHS, TTL, METHODS,
    ) = (
        'queue', 'paths', 'ttl', 'methods',
    )

    ATTRIBUTES = (
        SIGNATURE, EXPIRES, PATHS_ATTR, METHODS_ATTR, PROJECT, QUERY_STR,
    ) = (
        'signature', 'expires', 'paths', 'methods', 'project', 'query_str',
    )

    properties_schema = {
        QUEUE: properties.string(
            _('The name of the queue.'), required=True),
        PATHS: properties.list(
            _('Which parts of the queue may be used, such as messages or '
              'subscriptions.')),
        TTL: properties.integer(
            _('For how many seconds the queue may be used.')),
        METHODS: properties.list(
            _('The methods of HTTP that may be used.'),
            schema=properties.string(
                _('A method of HTTP.'),
                constraints=[constraints.AllowedValues([
                    'GET', 'DELETE', 'PATCH', 'POST', 'PUT'])])),
    }

    attributes_schema = {
        SIGNATURE: attributes.Schema(_('What proves the permission.')),
        EXPIRES: attributes.Schema(_('When the permission ends.')),
        PATHS_ATTR: attributes.Schema(
            _('The paths that may be used, joined by commas.')),
        METHODS_ATTR: attributes.Schema(
            _('The methods that may be used, joined by commas.')),
        PROJECT: attributes.Schema(_('The id of the project.')),
        QUERY_STR: attributes.Schema(
            _('All of the attributes, as the query of a URL.')),
    }

    def handle_create(self):
        """Have the service sign."""
        wanted = {key: self.properties[key]
                  for key in (self.PATHS, self.METHODS)
                  if self.properties[key] is not None}
        ttl = self.properties[self.TTL]
        if ttl is not None:
            wanted[self.EXPIRES] = (
                datetime.datetime.now(datetime.UTC) +
                datetime.timedelta(seconds=ttl)).strftime(
                    '%Y-%m-%dT%H:%M:%S')
        signed = self.sdk().share_queue(self.properties[self.QUEUE],
                                           **wanted)
        for key in (self.SIGNATURE, self.EXPIRES, self.PROJECT):
            self.data_set(key, signed[key], redact=key == self.SIGNATURE)
        for key in (self.PATHS, self.METHODS):
            self.data_set(key, ','.join(signed[key]))
        self.resource_id_set(self.physical_resource_name())

    def handle_delete(self):
        """Leave the permission as it is: nobody can take it back."""

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        data = self.data()
        if name == self.QUERY_STR:
            return parse.urlencode({
                key: data[key] for key in (
                    self.SIGNATURE, self.EXPIRES, self.PATHS, self.METHODS)}
                | {'project_id': data[self.PROJECT],
                   'queue_name': self.properties[self.QUEUE]})
        return data.get(name)
