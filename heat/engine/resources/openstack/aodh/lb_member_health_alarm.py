"""Alarms on the health of members of load balancers."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources import alarm_base


class LBMemberHealthAlarm(alarm_base.BaseAlarm):
    """An alarm on failed members of a load balancer pool.

    Aodh marks a failed member of the scaling group as unhealthy and
    updates the stack, which replaces the member. The action of the
    alarm is ``trust+heat://``.
    """

    type_name = 'OS::Aodh::LBMemberHealthAlarm'
    support_status = support.SupportStatus(version='13.0.0')
    alarm_type = 'loadbalancer_member_health'

    PROPERTIES = (
        POOL, STACK, AUTOSCALING_GROUP_ID,
    ) = (
        'pool', 'stack', 'autoscaling_group_id',
    )

    properties_schema = {
        **alarm_base.common_properties_schema,
        POOL: properties.string(
            _('Load balancer pool, by name or ID.'),
            required=True, update_allowed=True),
        STACK: properties.string(
            _('Name or ID of the stack to update when the alarm is '
              'triggered.'),
            required=True),
        AUTOSCALING_GROUP_ID: properties.string(
            _('ID of the scaling group whose unhealthy members are replaced.'),
            required=True, update_allowed=True),
    }

    _IN_RULE = {POOL: 'pool_id', STACK: 'stack_id'}

    def translation_rules(self, properties):
        """Return the rule that makes an id of the name of a pool."""
        return [translation.TranslationRule(
            properties, translation.TranslationRule.RESOLVE, [self.POOL],
            client_plugin=self.client_plugin('octavia'), finder='get_pool')]

    def _with_rule(self, props):
        body = super()._with_rule(props)
        if self._rule_key in body:
            body[self._rule_key] = {
                self._IN_RULE.get(name, name): value
                for name, value in body[self._rule_key].items()}
        return body

    def parse_live(self, live):
        """Return the alarm by the names of properties."""
        names = {there: here for here, there in self._IN_RULE.items()}
        return {names.get(name, name): value
                for name, value in super().parse_live(live).items()}
