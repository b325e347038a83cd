"""OS::Heat::WaitCondition: wait until something outside has signalled."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import wait_condition


class HeatWaitCondition(wait_condition.WaitForSignals, resource.Resource):
    """Waits until its handle has received the required number of signals.

    It completes when the handle has received ``count`` success signals.
    It fails with the first failure signal or when the timeout has
    elapsed. Resources that refer to the wait condition or depend on it
    wait for its completion.
    """

    support_status = support.SupportStatus(version='2014.2')

    PROPERTIES = (
        HANDLE, TIMEOUT, COUNT,
    ) = (
        'handle', 'timeout', 'count',
    )

    ATTRIBUTES = (
        DATA,
    ) = (
        'data',
    )

    properties_schema = {
        HANDLE: properties.Schema(
            properties.Schema.STRING,
            _('Reference to the handle that receives the signals, a resource '
              'of the same stack.'),
            required=True),
        TIMEOUT: properties.Schema(
            properties.Schema.NUMBER,
            _('Maximum time to wait for the signals in seconds.'),
            required=True,
            constraints=[constraints.Range(1, 43200)]),
        COUNT: properties.Schema(
            properties.Schema.INTEGER,
            _('Number of success signals to wait for.'),
            constraints=[constraints.Range(min=1)],
            default=1,
            update_allowed=True),
    }

    attributes_schema = {
        DATA: attributes.Schema(
            _('JSON document with the data of all signals by signal ID.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }


def resource_mapping():
    """Return the type of this module."""
    return {'OS::Heat::WaitCondition': HeatWaitCondition}
