"""Alarms on meters of Ceilometer."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import alarm_base
from heat.engine.resources.openstack.aodh import rules

#: Prefixes that names of metadata may have in templates.
_METADATA, _METERING, _USER_METADATA = (
    'metadata.', 'metering.', 'user_metadata.')


class AodhAlarm(alarm_base.BaseAlarm):
    """An alarm on the statistics of a Ceilometer meter.

    Recent releases of Aodh do not support alarms of this type and
    reject them. Use the alarms on Gnocchi metrics instead.
    """

    type_name = 'OS::Aodh::Alarm'
    support_status = support.SupportStatus(
        status=support.DEPRECATED, version='10.0.0',
        message=_('Use OS::Aodh::GnocchiAggregationByResourcesAlarm '
                  'instead.'),
        previous_status=support.SupportStatus(version='2014.1'))
    alarm_type = 'threshold'

    PROPERTIES = (
        COMPARISON_OPERATOR, EVALUATION_PERIODS, METER_NAME, PERIOD,
        STATISTIC, THRESHOLD, MATCHING_METADATA, QUERY,
    ) = (
        rules.COMPARISON_OPERATOR, rules.EVALUATION_PERIODS, 'meter_name',
        'period', 'statistic', rules.THRESHOLD, 'matching_metadata',
        rules.QUERY,
    )

    properties_schema = {
        **alarm_base.common_properties_schema,
        **rules.limit(),
        EVALUATION_PERIODS: rules.evaluation_periods(),
        METER_NAME: properties.string(
            _('Name of the meter.'),
            required=True),
        PERIOD: properties.integer(
            _('Length of a period in seconds.'),
            update_allowed=True),
        STATISTIC: properties.string(
            _('Aggregation of the samples of a period.'),
            update_allowed=True,
            constraints=[constraints.AllowedValues(
                ['count', 'avg', 'sum', 'min', 'max'])]),
        MATCHING_METADATA: properties.map(
            _('Metadata by which the measured resources are selected.'),
            default={}, update_allowed=True),
        QUERY: rules.query_factors(
            _('Conditions that the samples must meet.'),
            type_status=support.SupportStatus(version='8.0.0'),
            support_status=support.SupportStatus(version='2015.1')),
    }

    def prepare_create(self, body):
        """Describe metadata as conditions."""
        self._prepare_query(body, body)
        return super().prepare_create(body)

    def prepare_update(self, body, prop_diff):
        """Describe metadata as conditions."""
        if not prop_diff.keys().isdisjoint((self.MATCHING_METADATA,
                                            self.QUERY)):
            self._prepare_query(body, {
                name: self._wanted(name, prop_diff)
                for name in (self.MATCHING_METADATA, self.QUERY)})
        return super().prepare_update(body, prop_diff)

    def _prepare_query(self, body, wanted):
        metadata = wanted.get(self.MATCHING_METADATA) or {}
        query = [*(wanted.get(self.QUERY) or ()),
                 *(self._condition(name, value)
                   for name, value in metadata.items())]
        body.pop(self.MATCHING_METADATA, None)
        body[self.QUERY] = query

    def _condition(self, name, value):
        """Return the condition that metadata have a value."""
        prefix = (_USER_METADATA if self.properties[self.METER_NAME] in
                  alarm_base.NOVA_METERS else _METERING)
        for known in (_METADATA, _METERING, _USER_METADATA):
            name = name.removeprefix(known)
        return {self.QF_FIELD: _METADATA + prefix + name, self.QF_OP: 'eq',
                self.QF_VALUE: str(value)}

    def parse_live(self, live):
        """Return the alarm without conditions that may stand for metadata.
        """
        found = super().parse_live(live)
        found.pop(self.QUERY, None)
        return found
