"""Queues of Zaqar, and permissions to use them."""
import datetime
from urllib import parse

from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import found_by_name


class ZaqarQueue(found_by_name.IdentifiedByName, resource.Resource):
    """A queue of Zaqar.

    A queue stores messages until they are consumed or expire.
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
            _('Name of the queue.'),
            constraints=[constraints.Length(max=64)]),
        METADATA: properties.map(
            _('Arbitrary metadata of the queue. Keys with a leading '
              'underscore are options of Zaqar.'),
            update_allowed=True),
    }

    attributes_schema = {
        QUEUE_ID: attributes.Schema(
            _('Name of the queue.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            support_status=support.SupportStatus(
                status=support.HIDDEN, version='6.0.0',
                previous_status=support.SupportStatus(
                    status=support.DEPRECATED, version='2015.1',
                    message=_('Use get_resource instead.'),
                    previous_status=support.SupportStatus(
                        version='2014.1')))),
        HREF: attributes.Schema(_('URL of the queue.')),
    }

    def physical_resource_name(self):
        """Return the name that the template gives, or one of ours."""
        return self.properties[self.NAME] or super().physical_resource_name()

    def handle_create(self):
        """Make the queue."""
        name = self.physical_resource_name()
        self.sdk().create_queue(name, self.properties[self.METADATA])
        self.resource_id_set(name)

    def _ask_for(self, name):
        self.sdk().get_queue(name)

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
    """A signed URL of a Zaqar queue.

    It grants access to the queue without further authentication until
    it expires.
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
            _('Name of the queue.'), required=True),
        PATHS: properties.list(
            _('Parts of the queue to which access is granted, for example '
              'messages or subscriptions.')),
        TTL: properties.integer(
            _('Time to live of the signed URL in seconds.')),
        METHODS: properties.list(
            _('HTTP methods to which access is granted.'),
            schema=properties.string(
                _('One HTTP method.'),
                constraints=[constraints.AllowedValues([
                    'GET', 'DELETE', 'PATCH', 'POST', 'PUT'])])),
    }

    attributes_schema = {
        SIGNATURE: attributes.Schema(_('Signature of the URL.')),
        EXPIRES: attributes.Schema(_('Expiration time of the signed URL.')),
        PATHS_ATTR: attributes.Schema(
            _('Comma-separated paths to which access is granted.')),
        METHODS_ATTR: attributes.Schema(
            _('Comma-separated HTTP methods to which access is granted.')),
        PROJECT: attributes.Schema(_('ID of the project that owns the '
                                     'queue.')),
        QUERY_STR: attributes.Schema(
            _('All signature attributes, as the query string of a URL.')),
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
