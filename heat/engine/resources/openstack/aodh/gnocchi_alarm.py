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
            _('How the measures of a period are aggregated, for example '
              'mean or max.'),
            update_allowed=True),
        GRANULARITY: properties.integer(
            _('The length of a period in seconds.'),
            update_allowed=True),
    }


def _metric():
    return properties.string(
        _('The name of the metric.'), required=True, update_allowed=True)


def _resource_type():
    return properties.string(
        _('The type of the measured resource in Gnocchi.'),
        required=True, update_allowed=True)


class AodhGnocchiResourcesAlarm(alarm_base.BaseAlarm):
    """An alarm on a metric of one resource.

    Gnocchi keeps the measures of the metric.
    """

    type_name = 'OS::Aodh::GnocchiResourcesAlarm'
    support_status = support.SupportStatus(version='2015.1')
    alarm_type = 'gnocchi_resources_threshold'

    PROPERTIES = (*_COMMON, METRIC, RESOURCE_ID, RESOURCE_TYPE)

    properties_schema = {
        **_schema(),
        METRIC: _metric(),
        RESOURCE_ID: properties.string(
            _('The id of the measured resource.'),
            required=True, update_allowed=True),
        RESOURCE_TYPE: _resource_type(),
    }


class AodhGnocchiAggregationByMetricsAlarm(alarm_base.BaseAlarm):
    """An alarm on the aggregate of several metrics.

    Gnocchi keeps the measures of the metrics.
    """

    type_name = 'OS::Aodh::GnocchiAggregationByMetricsAlarm'
    support_status = support.SupportStatus(version='2015.1')
    alarm_type = 'gnocchi_aggregation_by_metrics_threshold'

    PROPERTIES = (*_COMMON, METRICS)

    properties_schema = {
        **_schema(),
        METRICS: properties.list(
            _('The ids of the metrics.'),
            required=True, update_allowed=True),
    }


class AodhGnocchiAggregationByResourcesAlarm(alarm_base.BaseAlarm):
    """An alarm on the aggregate of a metric of several resources.

    Gnocchi keeps the measures of the metric.
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
            _('The query by which Gnocchi finds the resources, as JSON.'),
            required=True, update_allowed=True),
    }
