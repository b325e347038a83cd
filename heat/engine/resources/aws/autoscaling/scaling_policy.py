"""AWS::AutoScaling::ScalingPolicy: how a group scales when told to."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine.resources.openstack.heat import scaling_policy
from heat.scaling import scalingutil


class AWSScalingPolicy(scaling_policy.AutoScalingPolicy):
    """A policy that changes the size of a group when it receives a signal.

    Configure an alarm to request the ``AlarmUrl``. The policy changes
    the size of the group by ``ScalingAdjustment``, interpreted
    according to ``AdjustmentType``, unless a cooldown is in progress.
    """

    PROPERTIES = (
        AUTO_SCALING_GROUP_NAME, SCALING_ADJUSTMENT, ADJUSTMENT_TYPE,
        COOLDOWN, MIN_ADJUSTMENT_STEP,
    ) = (
        'AutoScalingGroupName', 'ScalingAdjustment', 'AdjustmentType',
        'Cooldown', 'MinAdjustmentStep',
    )

    ATTRIBUTES = (
        ALARM_URL,
    ) = (
        'AlarmUrl',
    )

    properties_schema = {
        AUTO_SCALING_GROUP_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Reference to the group to scale.'),
            required=True),
        SCALING_ADJUSTMENT: properties.Schema(
            properties.Schema.INTEGER,
            _('Size of the adjustment, or the new size of the group, '
              'depending on the adjustment type.'),
            required=True,
            update_allowed=True),
        ADJUSTMENT_TYPE: properties.Schema(
            properties.Schema.STRING,
            _('Whether the adjustment is a change in capacity, an exact '
              'capacity or a percentage of the capacity.'),
            required=True,
            constraints=[constraints.AllowedValues([
                scalingutil.CFN_CHANGE_IN_CAPACITY,
                scalingutil.CFN_EXACT_CAPACITY,
                scalingutil.CFN_PERCENT_CHANGE_IN_CAPACITY])],
            update_allowed=True),
        COOLDOWN: properties.Schema(
            properties.Schema.INTEGER,
            _('Cooldown in seconds: the policy does not scale the group again '
              'within this time. Defaults to the cooldown of the group.'),
            update_allowed=True),
        MIN_ADJUSTMENT_STEP: properties.Schema(
            properties.Schema.INTEGER,
            _('Minimum number of members to add or remove when the adjustment '
              'is a percentage.'),
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
    }

    attributes_schema = {
        ALARM_URL: attributes.Schema(
            _('Signed URL that scales the group on a POST request.'),
            type=attributes.Schema.STRING,
            cache_mode=attributes.Schema.CACHE_NONE),
    }

    _PERCENT = scalingutil.CFN_PERCENT_CHANGE_IN_CAPACITY

    def get_reference_id(self):
        """Return the signed URL, or the name before there is one."""
        if self.resource_id is None:
            return self.name
        return self._get_ec2_signed_url(never_expire=True)


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'AWS::AutoScaling::ScalingPolicy': AWSScalingPolicy,
    }
