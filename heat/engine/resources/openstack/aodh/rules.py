"""Properties that the rules of several types of alarms have."""
from heat.common.i18n import _
from heat.engine import properties
from heat.engine.resources import alarm_base

COMPARISON_OPERATOR, EVALUATION_PERIODS, THRESHOLD, QUERY = (
    'comparison_operator', 'evaluation_periods', 'threshold', 'query')


def limit():
    """Return the schemata of a threshold and how values are compared."""
    return {
        COMPARISON_OPERATOR: properties.string(
            _('Operator that compares the measured value with the threshold.'),
            update_allowed=True,
            constraints=[alarm_base.BaseAlarm.QF_OP_VALS]),
        THRESHOLD: properties.number(
            _('Threshold of the alarm.'),
            required=True, update_allowed=True),
    }


def evaluation_periods():
    """Return the schema of the number of periods to evaluate."""
    return properties.integer(
        _('Number of consecutive periods to evaluate.'),
        update_allowed=True)


def query_factors(description, type_status=None, **options):
    """Return the schema of conditions that are all met.

    :param type_status: the support status of the type of a value.
    """
    base = alarm_base.BaseAlarm
    status = {'support_status': type_status} if type_status else {}
    return properties.list(
        description,
        update_allowed=True,
        schema=properties.map(
            _('One condition of the query.'),
            schema={
                base.QF_FIELD: properties.string(
                    _('Name of the field to compare.')),
                base.QF_TYPE: properties.string(
                    _('Type of the value.'),
                    default='string',
                    constraints=[base.QF_TYPE_VALS],
                    **status),
                base.QF_OP: properties.string(
                    _('Operator that compares the field with the value.'),
                    constraints=[base.QF_OP_VALS]),
                base.QF_VALUE: properties.string(
                    _('Value to compare the field with.')),
            }),
        **options)
