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
            _('How the measured value is compared with the threshold.'),
            update_allowed=True,
            constraints=[alarm_base.BaseAlarm.QF_OP_VALS]),
        THRESHOLD: properties.number(
            _('The threshold that the measured value is compared with.'),
            required=True, update_allowed=True),
    }


def evaluation_periods():
    """Return the schema of the number of periods to evaluate."""
    return properties.integer(
        _('The number of successive periods whose values are compared with '
          'the threshold.'),
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
            _('One condition.'),
            schema={
                base.QF_FIELD: properties.string(
                    _('The name of the field that is compared.')),
                base.QF_TYPE: properties.string(
                    _('The type of the value.'),
                    default='string',
                    constraints=[base.QF_TYPE_VALS],
                    **status),
                base.QF_OP: properties.string(
                    _('How the field is compared with the value.'),
                    constraints=[base.QF_OP_VALS]),
                base.QF_VALUE: properties.string(
                    _('The value that the field is compared with.')),
            }),
        **options)
