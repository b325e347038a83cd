"""OS::Heat::ScalingPolicy: how a group scales when it is told to."""
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support
from heat.engine.resources import signal_responder
from heat.scaling import scalingutil

#: The state of an alarm that means: scale.
_ALARM = 'alarm'


class AutoScalingPolicy(signal_responder.SignalResponder):
    """A policy that changes the size of a group when it receives a signal.

    Configure an alarm to request the ``alarm_url``, or send a signal to
    the resource. The policy changes the size of the group by
    ``scaling_adjustment``, interpreted according to
    ``adjustment_type``, unless a cooldown is in progress.
    """

    PROPERTIES = (
        AUTO_SCALING_GROUP_NAME, SCALING_ADJUSTMENT, ADJUSTMENT_TYPE,
        COOLDOWN, MIN_ADJUSTMENT_STEP,
    ) = (
        'auto_scaling_group_id', 'scaling_adjustment', 'adjustment_type',
        'cooldown', 'min_adjustment_step',
    )

    ATTRIBUTES: tuple[str, ...]
    ATTRIBUTES = (
        ALARM_URL, SIGNAL_URL,
    ) = (
        'alarm_url', 'signal_url',
    )

    properties_schema = {
        AUTO_SCALING_GROUP_NAME: properties.Schema(
            properties.Schema.STRING,
            _('Reference to the group to scale.'),
            required=True),
        SCALING_ADJUSTMENT: properties.Schema(
            properties.Schema.NUMBER,
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
                scalingutil.CHANGE_IN_CAPACITY,
                scalingutil.EXACT_CAPACITY,
                scalingutil.PERCENT_CHANGE_IN_CAPACITY])],
            update_allowed=True),
        COOLDOWN: properties.Schema(
            properties.Schema.NUMBER,
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
        SIGNAL_URL: attributes.Schema(
            _('URL that accepts signals from authenticated users.'),
            support_status=support.SupportStatus(version='5.0.0'),
            type=attributes.Schema.STRING),
    }

    #: The type of adjustment for which the least step counts.
    _PERCENT = scalingutil.PERCENT_CHANGE_IN_CAPACITY

    def validate(self):
        """Check what the schema cannot say."""
        result = super().validate()
        self._validate_min_adjustment_step()
        return result

    def _validate_min_adjustment_step(self):
        """Raise an error for a least step where none is thinkable."""
        if self.properties[self.MIN_ADJUSTMENT_STEP] is not None and (
                self.properties[self.ADJUSTMENT_TYPE] != self._PERCENT):
            error = exception.ResourcePropertyValueDependency(
                prop1=self.MIN_ADJUSTMENT_STEP, prop2=self.ADJUSTMENT_TYPE,
                value=self._PERCENT)
            raise exception.StackValidationFailed(
                error=exception.type_name(error), message=error.message)

    def handle_create(self):
        """Make the user who may signal us."""
        super().handle_create()
        self.resource_id_set(self._get_user_id())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Take the new values; they count from the next signal on."""
        if prop_diff:
            self.properties = json_snippet.properties(
                self.properties_schema, self.context)

    def handle_signal(self, details=None):
        """Scale the group, if the signal is an alarm.

        A signal without details is one. The details of an alarm say its
        state under "current" or "state".
        """
        state: Any = _ALARM
        if isinstance(details, dict):
            state = details.get('current', details.get('state', _ALARM))
        if str(state).lower() != _ALARM:
            raise resource.NoActionRequired(
                res_name=self.name,
                reason=_('the state of the alarm is %s') % state)
        self._group().adjust(
            self.properties[self.SCALING_ADJUSTMENT],
            self.properties[self.ADJUSTMENT_TYPE],
            self.properties[self.MIN_ADJUSTMENT_STEP],
            cooldown=self.properties[self.COOLDOWN])

    def _group(self):
        """Return the group; raise NotFound when there is none."""
        reference = self.properties[self.AUTO_SCALING_GROUP_NAME]
        group = self.stack.resource_by_refid(reference)
        if group is None:
            raise exception.NotFound(_(
                'Alarm %(alarm)s could not find scaling group named '
                '"%(group)s"') % {'alarm': self.name, 'group': reference})
        if not callable(getattr(group, 'adjust', None)):
            raise exception.Error(_(
                'Resource "%(group)s" of type %(type)s cannot be scaled') % {
                    'group': group.name, 'type': group.type()})
        return group

    def _resolve_attribute(self, name):
        if self.resource_id is None:
            return None
        if name == self.ALARM_URL:
            return self._get_ec2_signed_url(never_expire=True)
        if name == self.SIGNAL_URL:
            return self._get_heat_signal_url()
        return None


def resource_mapping():
    """Return the types this module has, by name."""
    return {
        'OS::Heat::ScalingPolicy': AutoScalingPolicy,
    }
