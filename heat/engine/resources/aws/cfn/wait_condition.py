"""AWS::CloudFormation::WaitCondition: wait for signals from outside."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import wait_condition


class WaitCondition(wait_condition.WaitForSignals, resource.Resource):
    """Resource for handling signals received by WaitConditionHandle.

    It is complete when its handle has received so many signals of success.
    It fails with the first signal of a failure, or when the time is over.
    """

    support_status = support.SupportStatus(version='2014.1')

    PROPERTIES = (
        HANDLE, TIMEOUT, COUNT,
    ) = (
        'Handle', 'Timeout', 'Count',
    )

    ATTRIBUTES = (
        DATA,
    ) = (
        'Data',
    )

    properties_schema = {
        HANDLE: properties.Schema(
            properties.Schema.STRING,
            _('A reference to the handle that receives the signals.'),
            required=True),
        TIMEOUT: properties.Schema(
            properties.Schema.INTEGER,
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
            _('The data of all signals by their ids, as JSON text.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.STRING),
    }


def resource_mapping():
    """Return the type of this module."""
    return {'AWS::CloudFormation::WaitCondition': WaitCondition}
