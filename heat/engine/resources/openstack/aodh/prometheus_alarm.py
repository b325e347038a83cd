"""Alarms on metrics of Prometheus."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import alarm_base
from heat.engine.resources.openstack.aodh import rules


class PrometheusAlarm(alarm_base.BaseAlarm):
    """An alarm on the result of a Prometheus query.

    The alarm is triggered when the result crosses the threshold.
    """

    type_name = 'OS::Aodh::PrometheusAlarm'
    support_status = support.SupportStatus(version='22.0.0')
    alarm_type = 'prometheus'

    PROPERTIES = (
        COMPARISON_OPERATOR, QUERY, THRESHOLD,
    ) = (
        rules.COMPARISON_OPERATOR, rules.QUERY, rules.THRESHOLD,
    )

    properties_schema = {
        **alarm_base.common_properties_schema,
        **rules.limit(),
        QUERY: properties.string(
            _('Query in PromQL, the query language of Prometheus.'),
            required=True, update_allowed=True),
    }
