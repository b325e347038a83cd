"""Alarms on events."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import alarm_base
from heat.engine.resources.openstack.aodh import rules


class EventAlarm(alarm_base.BaseAlarm):
    """An alarm on events of the services of the cloud.

    The alarm is triggered by each event that has the type and meets the
    conditions.
    """

    type_name = 'OS::Aodh::EventAlarm'
    support_status = support.SupportStatus(version='8.0.0')
    alarm_type = 'event'

    PROPERTIES = (EVENT_TYPE, QUERY) = ('event_type', rules.QUERY)

    properties_schema = {
        **alarm_base.common_properties_schema,
        EVENT_TYPE: properties.string(
            _('Event type to evaluate. An asterisk matches any text.'),
            default='*', update_allowed=True),
        QUERY: rules.query_factors(_('Conditions that the events must meet.')),
    }
