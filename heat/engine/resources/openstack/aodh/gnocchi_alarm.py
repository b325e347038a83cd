"""Alarms on metrics of Gnocchi."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import alarm_base
from heat.engine.resources.openstack.aodh import rules

_COMMON = (
    COMPARISON_OPERATOR, EVALUATION_PERIODS, GRANULARITY,
    AGGREGATION_METHOD, THRESHOLD,
) = (
    rules.COMPARISON_OPERATOR, rules.EVALUATION_PERIODS, 'granularity',
    'aggregation_method', rules.THRESHOLD,
)
METRIC, METRICS, RESOURCE_ID, RESOURCE_TYPE = (
    'metric', 'metrics', 'resource_id', 'resource_type')


def _schema():
    """Return the properties of all alarms on metrics."""
    return {
        **alarm_base.common_properties_schema,
        **rules.limit(),
        EVALUATION_PERIODS: rules.evaluation_periods(),
        AGGREGATION_METHOD: properties.string(
            _('Aggregation of the measures of a period, for example mean or '
              'max.'),
            update_allowed=True),
        GRANULARITY: properties.integer(
            _('Length of a period in seconds.'),
            update_allowed=True),
    }


def _metric():
    return properties.string(
        _('Name of the metric.'), required=True, update_allowed=True)


def _resource_type():
    return properties.string(
        _('Gnocchi type of the measured resource.'),
        required=True, update_allowed=True)


class AodhGnocchiResourcesAlarm(alarm_base.BaseAlarm):
    """An alarm on a metric of one resource.

    The measures of the metric are stored in Gnocchi.
    """

    type_name = 'OS::Aodh::GnocchiResourcesAlarm'
    support_status = support.SupportStatus(version='2015.1')
    alarm_type = 'gnocchi_resources_threshold'

    PROPERTIES = (*_COMMON, METRIC, RESOURCE_ID, RESOURCE_TYPE)

    properties_schema = {
        **_schema(),
        METRIC: _metric(),
        RESOURCE_ID: properties.string(
            _('ID of the measured resource.'),
            required=True, update_allowed=True),
        RESOURCE_TYPE: _resource_type(),
    }


class AodhGnocchiAggregationByMetricsAlarm(alarm_base.BaseAlarm):
    """An alarm on the aggregate of several metrics.

    The measures of the metrics are stored in Gnocchi.
    """

    type_name = 'OS::Aodh::GnocchiAggregationByMetricsAlarm'
    support_status = support.SupportStatus(version='2015.1')
    alarm_type = 'gnocchi_aggregation_by_metrics_threshold'

    PROPERTIES = (*_COMMON, METRICS)

    properties_schema = {
        **_schema(),
        METRICS: properties.list(
            _('IDs of the metrics.'),
            required=True, update_allowed=True),
    }


class AodhGnocchiAggregationByResourcesAlarm(alarm_base.BaseAlarm):
    """An alarm on the aggregate of a metric of several resources.

    The measures of the metric are stored in Gnocchi.
    """

    type_name = 'OS::Aodh::GnocchiAggregationByResourcesAlarm'
    support_status = support.SupportStatus(version='2015.1')
    alarm_type = 'gnocchi_aggregation_by_resources_threshold'

    PROPERTIES = (*_COMMON, METRIC, RESOURCE_TYPE, rules.QUERY)

    properties_schema = {
        **_schema(),
        METRIC: _metric(),
        RESOURCE_TYPE: _resource_type(),
        rules.QUERY: properties.string(
            _('Gnocchi query that selects the resources, in JSON format.'),
            required=True, update_allowed=True),
    }
