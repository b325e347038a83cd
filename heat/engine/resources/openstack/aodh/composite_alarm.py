"""Alarms of several rules."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import alarm_base


class CompositeAlarm(alarm_base.BaseAlarm):
    """An alarm that combines several rules.

    The alarm is triggered when any or all of its rules are met,
    depending on the operator.
    """

    type_name = 'OS::Aodh::CompositeAlarm'
    support_status = support.SupportStatus(version='8.0.0')
    alarm_type = 'composite'

    PROPERTIES = (COMPOSITE_RULE,) = ('composite_rule',)
    _OPERATORS = ('or', 'and')
    _OPERATOR, _RULES = 'operator', 'rules'

    properties_schema = {
        **alarm_base.common_properties_schema,
        COMPOSITE_RULE: properties.map(
            _('Rules of the alarm and how they are combined.'),
            required=True, update_allowed=True,
            schema={
                _OPERATOR: properties.string(
                    _('Operator that combines the rules: one of them (or) or '
                      'all of them (and) must be met.'),
                    required=True, update_allowed=True,
                    constraints=[constraints.AllowedValues(
                        list(_OPERATORS))]),
                _RULES: properties.list(
                    _('List of rules. Each is a map with the type and the '
                      'values of a rule, or a map with the key "or" or "and" '
                      'and a list of rules.'),
                    required=True, update_allowed=True,
                    constraints=[constraints.Length(min=2)]),
            }),
    }

    def _with_rule(self, props):
        body = super()._with_rule(props)
        given = body.get(self._rule_key, {}).get(self.COMPOSITE_RULE)
        if given is not None:
            # The other operator goes when this one comes.
            body[self._rule_key] = {
                **dict.fromkeys(self._OPERATORS),
                given[self._OPERATOR]: given[self._RULES]}
        return body

    def parse_live(self, live):
        """Return the alarm without its rules, to which Aodh adds values."""
        found = super().parse_live(live)
        found.pop(self.COMPOSITE_RULE, None)
        return found
