"""OS::Heat::CWLiteAlarm: an alarm that the engines evaluate themselves."""
from urllib import parse

from heat.common import exception
from heat.common import identifier
from heat.common import watch_words as words
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine.watch import rules

_NAME, _VALUE = 'Name', 'Value'


def _text(description, most, **kwargs):
    return properties.string(
        description, constraints=[constraints.Length(1, most)], **kwargs)


def _actions(description):
    return properties.list(
        description, default=[], update_allowed=True,
        constraints=[constraints.Length(max=words.ACTIONS_MAX)])


def _choice(description, values, **kwargs):
    return properties.string(
        description, update_allowed=True,
        constraints=[constraints.AllowedValues(values)], **kwargs)


def _number(description, most, default):
    return properties.integer(
        description, default=default, update_allowed=True,
        constraints=[constraints.Range(1, most)])


class CloudWatchAlarm(resource.Resource):
    """An alarm on a metric that is pushed to the CloudWatch API of Heat.

    Engines compare a statistic of the metric with a threshold, period by
    period, and send signals to resources when the state of the alarm
    changes. No service for telemetry takes part. The signals for the state
    ALARM are repeated in each period while it lasts, so that a group which
    could not scale does so later.

    An action is a resource that takes signals, for example a scaling policy:
    a reference to it, its name in the template, or a URL for signals to a
    resource of another stack in the project. While the stack is suspended
    the alarm is not evaluated.
    """

    PROPERTIES = (
        COMPARISON_OPERATOR, ALARM_DESCRIPTION, EVALUATION_PERIODS,
        METRIC_NAME, NAMESPACE, PERIOD, STATISTIC, ALARM_ACTIONS, OK_ACTIONS,
        INSUFFICIENT_DATA_ACTIONS, DIMENSIONS, THRESHOLD, UNIT,
        ACTIONS_ENABLED,
    ) = (
        'ComparisonOperator', 'AlarmDescription', 'EvaluationPeriods',
        'MetricName', 'Namespace', 'Period', 'Statistic', 'AlarmActions',
        'OKActions', 'InsufficientDataActions', 'Dimensions', 'Threshold',
        'Unit', 'ActionsEnabled',
    )

    # Signals are sent later, in the name of the owner of the stack.
    requires_deferred_auth = True

    drift_unsupported = _('Nothing but Heat knows of it.')

    properties_schema = {
        METRIC_NAME: _text(
            _('Name of the metric, as it is pushed.'), words.NAME_MAX,
            required=True, update_allowed=True),
        NAMESPACE: _text(
            _('Namespace of the metric, as it is pushed.'), words.NAME_MAX,
            required=True, update_allowed=True),
        DIMENSIONS: properties.list(
            _('Dimensions of the metric. A metric has exactly those with '
              'which it is pushed.'),
            default=[], update_allowed=True,
            constraints=[constraints.Length(max=words.DIMENSIONS_MAX)],
            schema=properties.map(schema={
                _NAME: _text(_('Name of the dimension.'), words.NAME_MAX,
                             required=True),
                _VALUE: _text(_('Value of the dimension.'), words.VALUE_MAX,
                              required=True)})),
        UNIT: _choice(
            _('Unit of the data that count. By default all do.'),
            list(words.UNITS)),
        STATISTIC: _choice(
            _('How the data of a period are aggregated.'),
            list(words.STATISTICS), default=words.AVERAGE),
        COMPARISON_OPERATOR: _choice(
            _('How the statistic is compared with the threshold.'),
            list(words.COMPARISONS), required=True),
        THRESHOLD: properties.number(
            _('Value that the statistic is compared with.'),
            required=True, update_allowed=True),
        PERIOD: _number(
            _('Length of a period in seconds.'), words.WINDOW_MAX, 60),
        EVALUATION_PERIODS: _number(
            _('Number of the latest periods in all of which the threshold '
              'has to be crossed.'), words.PERIODS_MAX, 1),
        ALARM_DESCRIPTION: properties.string(
            _('Description of the alarm.'), default='', update_allowed=True,
            constraints=[constraints.Length(max=words.DESCRIPTION_MAX)]),
        ACTIONS_ENABLED: properties.boolean(
            _('Whether the actions are carried out.'), default=True,
            update_allowed=True),
        ALARM_ACTIONS: _actions(
            _('Resources that get a signal when the state becomes ALARM, and '
              'in each period in which it still is.')),
        OK_ACTIONS: _actions(
            _('Resources that get a signal when the state becomes OK.')),
        INSUFFICIENT_DATA_ACTIONS: _actions(
            _('Resources that get a signal when data are missing.')),
    }

    #: The properties with actions, by the state that they are for.
    _ACTIONS = {words.State.ALARM: ALARM_ACTIONS,
                words.State.NORMAL: OK_ACTIONS,
                words.State.NODATA: INSUFFICIENT_DATA_ACTIONS}

    @classmethod
    def is_service_available(cls, context):
        """Return whether engines evaluate alarms."""
        if rules.is_enabled():
            return True, None
        return False, _('[cloudwatch] enabled is off in heat.conf')

    # -- validation ---------------------------------------------------------

    def validate(self):
        """Check the window, the dimensions, and that actions exist."""
        result = super().validate()
        periods = self.properties[self.EVALUATION_PERIODS]
        if self.properties[self.PERIOD] * periods > words.WINDOW_MAX:
            raise self._invalid(self.EVALUATION_PERIODS, _(
                'The periods cover more than %d seconds together')
                % words.WINDOW_MAX)
        self._dimensions()
        for name in (self.METRIC_NAME, self.NAMESPACE):
            self._check_text(name, self.properties[name])
        for name in self._ACTIONS.values():
            for action in self.properties[name]:
                # What is not known yet comes from functions.
                if action:
                    self._target(name, action)
        return result

    def _invalid(self, name, message):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  'properties', name], message=message)

    def _check_text(self, name, value):
        if value is not None and not words.is_text(value, words.VALUE_MAX):
            raise self._invalid(name, _(
                '"%s" has characters that names of metrics cannot have')
                % value)

    def _dimensions(self):
        """Return the dimensions as a map."""
        found = {}
        for each in self.properties[self.DIMENSIONS]:
            name, value = each[_NAME], each[_VALUE]
            for text in (name, value):
                self._check_text(self.DIMENSIONS, text)
            if name in found and name is not None:
                raise self._invalid(self.DIMENSIONS, _(
                    'The dimension "%s" is given more than once') % name)
            found[name] = value
        return found

    # -- actions ------------------------------------------------------------

    def _target(self, name, action):
        """Return the stack and the name of the resource that an action is.

        :param name: the property
        :raises StackValidationFailed: it is none, or takes no signals.
        """
        if not isinstance(action, str):
            raise self._invalid(name, _('"%s" is not a text') % (action,))
        if parse.urlsplit(action).scheme in ('http', 'https'):
            return self._target_of_url(name, action)
        found = (self.stack.get(action) or
                 self.stack.resource_by_refid(action))
        return self._own(name, action, found)

    def _own(self, name, action, found):
        if found is None:
            raise self._invalid(name, _(
                'The stack has no resource "%s"') % action)
        if not callable(getattr(found, 'handle_signal', None)):
            raise self._invalid(name, _(
                'The resource "%(name)s" of type %(type)s takes no signals')
                % {'name': found.name, 'type': found.type()})
        return {'stack': dict(self.stack.identifier()),
                'resource': found.name}

    def _target_of_url(self, name, url):
        """Return the resource that a URL for signals leads to."""
        try:
            arn = identifier.ResourceIdentifier(
                **identifier.HeatIdentifier.from_arn_url(url))
        except ValueError as error:
            raise self._invalid(name, _(
                'The URL is not the signal URL of a resource')) from error
        if arn.tenant != self.stack.tenant_id:
            raise self._invalid(name, _(
                'The URL leads to a resource of another project'))
        if arn.stack_id == self.stack.id:
            return self._own(name, arn.resource_name,
                             self.stack.get(arn.resource_name))
        return {'stack': dict(arn.stack()), 'resource': arn.resource_name}

    # -- the rule -----------------------------------------------------------

    def _definition(self, values):
        """Return what the engines are to evaluate.

        :param values: the properties
        """
        self.properties = values
        return rules.Definition(
            namespace=values[self.NAMESPACE],
            metric=values[self.METRIC_NAME],
            dimensions=self._dimensions(), unit=values[self.UNIT],
            statistic=values[self.STATISTIC],
            comparison=values[self.COMPARISON_OPERATOR],
            threshold=float(values[self.THRESHOLD]),
            period=values[self.PERIOD],
            evaluation_periods=values[self.EVALUATION_PERIODS],
            description=values[self.ALARM_DESCRIPTION],
            acts=values[self.ACTIONS_ENABLED],
            actions={state: [self._target(name, action)
                             for action in values[name]]
                     for state, name in self._ACTIONS.items()})

    def handle_create(self):
        """Store the rule, which is evaluated from now on."""
        self.resource_id_set(rules.create(
            self.context, self.stack.tenant_id, self.stack.id,
            self.physical_resource_name(),
            self._definition(self.properties)))

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Give the rule its new definition."""
        if prop_diff:
            rules.update(self.context, self.resource_id, self._definition(
                json_snippet.properties(self.properties_schema,
                                        self.context)))

    def handle_adopt(self, resource_data=None):
        """Take the rule over, and make it act upon this stack."""
        super().handle_adopt(resource_data)
        if self.external_id is None:
            rules.take_over(
                self.context, self.resource_id, self.stack.tenant_id,
                self.stack.id, self.physical_resource_name(),
                self._definition(self.properties))

    def handle_delete(self):
        """Delete the rule, which may be gone."""
        rules.delete(self.context, self.resource_id)

    def handle_check(self):
        """Fail if the rule is gone."""
        rules.get(self.context, self.resource_id)

    def handle_suspend(self):
        """Have the rule evaluated no more."""
        rules.suspend(self.context, self.resource_id)

    def handle_resume(self):
        """Have the rule evaluated again."""
        rules.resume(self.context, self.resource_id)

    def get_reference_id(self):
        """Return the name of the alarm, by which the API knows it."""
        return (self.name if self.resource_id is None
                else self.physical_resource_name())

    def _show_resource(self):
        rule = rules.get(self.context, self.resource_id)
        return {'id': rule.id, 'name': rule.name, 'state': rule.state,
                'state_reason': rule.state_reason, **rule.definition}


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::CWLiteAlarm': CloudWatchAlarm}
