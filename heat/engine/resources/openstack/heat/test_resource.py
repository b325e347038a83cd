"""OS::Heat::TestResource: a resource that behaves as it is told."""
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class TestResource(resource.Resource):
    """Stores a value, and can be configured to delay or to fail.

    It is intended for testing templates and the service. It creates
    nothing in the cloud.
    """

    # Test runners take the name for a test.
    __test__ = False

    type_name = 'OS::Heat::TestResource'
    support_status = support.SupportStatus(version='5.0.0')
    handlers_are_local = True

    PROPERTIES = (
        VALUE, UPDATE_REPLACE, FAIL, WAIT_SECS, ACTION_WAIT_SECS,
        CLIENT_NAME, ENTITY_NAME, ATTR_WAIT_SECS, CONSTRAINT_PROP_SECS,
        UPDATE_REPLACE_VALUE,
    ) = (
        'value', 'update_replace', 'fail', 'wait_secs', 'action_wait_secs',
        'client_name', 'entity_name', 'attr_wait_secs',
        'constraint_prop_secs', 'update_replace_value',
    )

    _ACTION_KEYS = ('create', 'update', 'delete')

    ATTRIBUTES = (
        OUTPUT,
    ) = (
        'output',
    )

    properties_schema = {
        VALUE: properties.Schema(
            properties.Schema.STRING,
            _('Value to store.'),
            default='test_string',
            update_allowed=True),
        FAIL: properties.Schema(
            properties.Schema.BOOLEAN,
            _('Whether create and update of the resource fail.'),
            default=False,
            update_allowed=True),
        UPDATE_REPLACE: properties.Schema(
            properties.Schema.BOOLEAN,
            _('Whether an update that sets this property replaces the '
              'resource.'),
            default=False,
            update_allowed=True),
        WAIT_SECS: properties.Schema(
            properties.Schema.NUMBER,
            _('Duration of each action in seconds. With a negative number the '
              'action never ends.'),
            default=0,
            update_allowed=True),
        ACTION_WAIT_SECS: properties.Schema(
            properties.Schema.MAP,
            _('Duration of individual actions in seconds.'),
            schema={
                action: properties.Schema(
                    properties.Schema.NUMBER,
                    _('Duration of this action in seconds. Overrides '
                      'wait_secs.'),
                    update_allowed=True)
                for action in _ACTION_KEYS},
            update_allowed=True),
        CLIENT_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Name of the client plugin whose entity is deleted with the '
              'resource.'),
            default='',
            update_allowed=True),
        ENTITY_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Entity of the client plugin.'),
            default='',
            update_allowed=True),
        ATTR_WAIT_SECS: properties.Schema(
            properties.Schema.NUMBER,
            _('Time in seconds that resolving an attribute takes.'),
            default=0,
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        CONSTRAINT_PROP_SECS: properties.Schema(
            properties.Schema.NUMBER,
            _('Time in seconds that validating this property takes.'),
            default=0,
            constraints=[constraints.CustomConstraint('test_constr')],
            update_allowed=True,
            support_status=support.SupportStatus(version='6.0.0')),
        UPDATE_REPLACE_VALUE: properties.Schema(
            properties.Schema.STRING,
            _('Arbitrary value whose change replaces the resource.'),
            support_status=support.SupportStatus(version='7.0.0')),
    }

    attributes_schema = {
        OUTPUT: attributes.Schema(
            _('Stored value.'),
            cache_mode=attributes.Schema.CACHE_NONE),
    }

    def handle_create(self):
        """Store the value, or fail."""
        self._store(self.properties)
        self.resource_id_set(self.physical_resource_name())
        return self._begin(self.properties, 'create')

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Store the new value, or fail."""
        changed = json_snippet.properties(self.properties_schema,
                                          self.context)
        self._store(changed)
        return self._begin(changed, 'update')

    def handle_delete(self):
        """Delete the thing of the client that the properties name."""
        if self.properties[self.CLIENT_NAME]:
            self.default_client_name = self.properties[self.CLIENT_NAME]
            self.entity = self.properties[self.ENTITY_NAME] or None
            super().handle_delete()
        return self._begin(self.properties, 'delete')

    def handle_check(self):
        """Find that all is well."""

    def check_create_complete(self, cookie):
        """Return whether the time of the action is over."""
        return cookie is None or timeutils.epoch() >= cookie

    check_update_complete = check_delete_complete = check_create_complete

    def needs_replace_with_prop_diff(self, changed_properties_set,
                                     after_props, before_props):
        """Return whether the template asks for a replacement."""
        return (self.UPDATE_REPLACE in changed_properties_set and
                bool(after_props[self.UPDATE_REPLACE]))

    def _store(self, values):
        if values[self.FAIL]:
            raise ValueError(_('Test Resource failed %s') % self.name)
        self.data_set('value', values[self.VALUE], redact=False)

    def _begin(self, values, action):
        """Return the time at which an action is complete, None for now."""
        wait = (values[self.ACTION_WAIT_SECS] or {}).get(action)
        if wait is None:
            wait = values[self.WAIT_SECS]
        if wait < 0:
            return float('inf')
        return timeutils.epoch() + wait if wait else None

    def _resolve_attribute(self, name):
        if name != self.OUTPUT:
            return None
        wait = self.properties[self.ATTR_WAIT_SECS]
        if wait:
            timeutils.sleep(wait)
        return self.data().get('value')
