"""What the types of alarms share: their properties and their requests."""
import collections.abc
from urllib import parse

from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource

COMMON_PROPERTIES = (
    ALARM_ACTIONS, OK_ACTIONS, INSUFFICIENT_DATA_ACTIONS,
    ALARM_QUEUES, OK_QUEUES, INSUFFICIENT_DATA_QUEUES,
    REPEAT_ACTIONS, DESCRIPTION, ENABLED, TIME_CONSTRAINTS, SEVERITY,
) = (
    'alarm_actions', 'ok_actions', 'insufficient_data_actions',
    'alarm_queues', 'ok_queues', 'insufficient_data_queues',
    'repeat_actions', 'description', 'enabled', 'time_constraints',
    'severity',
)

#: Properties that no request has: queues are sent as actions.
INTERNAL_PROPERTIES = (ALARM_QUEUES, OK_QUEUES, INSUFFICIENT_DATA_QUEUES)

#: Which queues are sent with which actions.
_QUEUES = {ALARM_ACTIONS: ALARM_QUEUES, OK_ACTIONS: OK_QUEUES,
           INSUFFICIENT_DATA_ACTIONS: INSUFFICIENT_DATA_QUEUES}
#: The prefix of actions for which Aodh acts in the name of the user.
_TRUST = 'trust+'

_TIME_CONSTRAINT_KEYS = (
    NAME, START, TIME_CONSTRAINT_DESCRIPTION, DURATION, TIMEZONE,
) = (
    'name', 'start', 'description', 'duration', 'timezone',
)

#: Meters of servers, whose metadata users have given.
NOVA_METERS = (
    'instance', 'memory', 'memory.usage', 'memory.resident', 'cpu',
    'cpu_util', 'vcpus',
    'disk.read.requests', 'disk.read.requests.rate',
    'disk.write.requests', 'disk.write.requests.rate',
    'disk.read.bytes', 'disk.read.bytes.rate',
    'disk.write.bytes', 'disk.write.bytes.rate',
    'disk.device.read.requests', 'disk.device.read.requests.rate',
    'disk.device.write.requests', 'disk.device.write.requests.rate',
    'disk.device.read.bytes', 'disk.device.read.bytes.rate',
    'disk.device.write.bytes', 'disk.device.write.bytes.rate',
    'disk.root.size', 'disk.ephemeral.size',
    'network.incoming.bytes', 'network.incoming.bytes.rate',
    'network.outgoing.bytes', 'network.outgoing.bytes.rate',
    'network.incoming.packets', 'network.incoming.packets.rate',
    'network.outgoing.packets', 'network.outgoing.packets.rate',
)


def _actions(description):
    return properties.list(description, update_allowed=True)


def _queues(description):
    return properties.list(
        description,
        default=[], update_allowed=True,
        schema=properties.string(
            _('Name of the queue.'),
            constraints=[constraints.CustomConstraint('zaqar.queue')]),
        support_status=support.SupportStatus(version='8.0.0'))


common_properties_schema = {
    DESCRIPTION: properties.string(
        _('Description of the alarm.'), update_allowed=True),
    ENABLED: properties.boolean(
        _('Whether the alarm is evaluated and its actions are invoked.'),
        default='true', update_allowed=True),
    ALARM_ACTIONS: _actions(
        _('URLs to invoke when the alarm enters the state alarm.')),
    OK_ACTIONS: _actions(
        _('URLs to invoke when the alarm enters the state ok.')),
    INSUFFICIENT_DATA_ACTIONS: _actions(
        _('URLs to invoke when the alarm enters the state insufficient '
          'data.')),
    ALARM_QUEUES: _queues(
        _('Zaqar queues to which a message is sent when the alarm enters the '
          'state alarm.')),
    OK_QUEUES: _queues(
        _('Zaqar queues to which a message is sent when the alarm enters the '
          'state ok.')),
    INSUFFICIENT_DATA_QUEUES: _queues(
        _('Zaqar queues to which a message is sent when the alarm enters the '
          'state insufficient data.')),
    REPEAT_ACTIONS: properties.boolean(
        _('Whether the actions are invoked at each evaluation while the state '
          'lasts. Otherwise they are invoked once, when the state changes.'),
        default='true', update_allowed=True),
    SEVERITY: properties.string(
        _('Severity of the alarm.'),
        default='low', update_allowed=True,
        constraints=[constraints.AllowedValues(
            ['low', 'moderate', 'critical'])],
        support_status=support.SupportStatus(version='5.0.0')),
    TIME_CONSTRAINTS: properties.list(
        _('Time constraints: periods in which the alarm is evaluated. By '
          'default it is always evaluated.'),
        default=[],
        schema=properties.map(
            _('One recurring period.'),
            schema={
                NAME: properties.string(
                    _('Name of the period.'), required=True),
                START: properties.string(
                    _('Start of the period, as a cron expression.'),
                    required=True,
                    constraints=[constraints.CustomConstraint(
                        'cron_expression')]),
                TIME_CONSTRAINT_DESCRIPTION: properties.string(
                    _('Description of the period.')),
                DURATION: properties.integer(
                    _('Duration of the period in seconds.'),
                    required=True,
                    constraints=[constraints.Range(min=0)]),
                TIMEZONE: properties.string(
                    _('Time zone of the start, for example Europe/Rome.'),
                    constraints=[constraints.CustomConstraint('timezone')]),
            }),
        support_status=support.SupportStatus(version='5.0.0')),
}


class BaseAlarm(sdk_resource.SDKResource):
    """Base of the types of alarms.

    The properties of a type that no other type of alarm has, PROPERTIES,
    are the rule of the alarm.
    """

    default_client_name = 'aodh'
    entity = 'alarm'

    #: What Aodh calls this type of alarm.
    alarm_type = 'threshold'

    PROPERTIES: tuple[str, ...] = ()

    QUERY_FACTOR_FIELDS = (
        QF_FIELD, QF_OP, QF_VALUE, QF_TYPE,
    ) = (
        'field', 'op', 'value', 'type',
    )
    QF_OP_VALS = constraints.AllowedValues(
        ['le', 'ge', 'eq', 'lt', 'gt', 'ne'])
    QF_TYPE_VALS = constraints.AllowedValues(
        ['integer', 'float', 'string', 'boolean', 'datetime'])

    @property
    def _rule_key(self):
        return f'{self.alarm_type}_rule'

    # -- requests -----------------------------------------------------------

    def actions_to_urls(self, props):
        """Return properties as requests have them: queues are actions."""
        body = {name: value for name, value in props.items()
                if name not in INTERNAL_PROPERTIES}
        for actions, queues in _QUEUES.items():
            if props.get(actions) is None and props.get(queues) is None:
                continue
            body[actions] = [
                url for url in props.get(actions) or () if url
            ] + [_queue_url(name) for name in props.get(queues) or ()]
        return body

    def _reformat_properties(self, props):
        """Return what a request carries, with the rule in its place.

        Properties without a value are left to the service.
        """
        return _without_none(self._with_rule(props))

    def _with_rule(self, props):
        rule = {name: _without_none(value) for name, value in props.items()
                if name in self.PROPERTIES}
        body = {name: _without_none(value) for name, value in props.items()
                if name not in rule}
        if rule:
            body[self._rule_key] = rule
        return body

    def prepare_create(self, body):
        """Name the alarm, and say what type it is."""
        return {'name': self.physical_resource_name(),
                'type': self.alarm_type,
                **self._reformat_properties(self.actions_to_urls(body))}

    def prepare_update(self, body, prop_diff):
        """Describe the changes; None stands for what was removed."""
        for pair in _QUEUES.items():
            if not prop_diff.keys().isdisjoint(pair):
                body.update({name: self._wanted(name, prop_diff) or []
                             for name in pair})
        return self._with_rule(self.actions_to_urls(body))

    def _wanted(self, name, prop_diff):
        """Return the value of a property after an update."""
        return (prop_diff[name] if name in prop_diff
                else self.properties[name])

    # -- actions ------------------------------------------------------------

    def _service(self):
        return self.client_plugin()

    def _created_id(self, created):
        return created['alarm_id']

    def _find_by_name(self):
        return self.client_plugin().find_alarm(self.physical_resource_name())

    def handle_suspend(self):
        """Have the alarm not be evaluated."""
        self._enable(enabled=False)

    def handle_resume(self):
        """Have the alarm be evaluated again."""
        self._enable(enabled=True)

    def _enable(self, *, enabled):
        if self.resource_id is not None:
            self.client_plugin().update_alarm(self.resource_id,
                                              enabled=enabled)

    # -- what others see ----------------------------------------------------

    def _show_resource(self):
        return self.client_plugin().get_alarm(self.resource_id)

    def parse_live(self, live):
        """Return the alarm by the names of properties.

        Actions are left out where Aodh acts in the name of the user: it
        shows them in another form.
        """
        found = {**live, **(live.get(self._rule_key) or {})}
        return {name: value for name, value in found.items()
                if name not in _QUEUES or not any(
                    url.startswith(_TRUST) for url in value)}


def _queue_url(name):
    """Return the action that puts a message into a queue."""
    return _TRUST + 'zaqar://?' + parse.urlencode({'queue_name': name})


def _without_none(value):
    """Return a value without the entries of maps that are None."""
    if isinstance(value, collections.abc.Mapping):
        return {key: _without_none(each) for key, each in value.items()
                if each is not None}
    if isinstance(value, list):
        return [_without_none(each) for each in value]
    return value
