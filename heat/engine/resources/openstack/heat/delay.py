"""OS::Heat::Delay: a resource that takes its time."""
import random

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import resource
from heat.engine import support


class Delay(resource.Resource):
    """Delays the resources that depend on it.

    Place it between two resources with depends_on: the second is
    created some time after the first. The delay has a fixed part and a
    random part. The random part prevents the members of a large group
    from performing the same operation at the same time.
    """

    type_name = 'OS::Heat::Delay'
    support_status = support.SupportStatus(version='11.0.0')
    handlers_are_local = True

    # ACTIONS are those that any resource knows.
    PROPERTIES = (
        MIN_WAIT, MAX_JITTER, JITTER_MULTIPLIER, WAITING_ACTIONS,
    ) = (
        'min_wait', 'max_jitter', 'jitter_multiplier', 'actions',
    )

    properties_schema = {
        MIN_WAIT: properties.Schema(
            properties.Schema.NUMBER,
            _('Fixed part of the delay in seconds.'),
            default=0,
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
        MAX_JITTER: properties.Schema(
            properties.Schema.NUMBER,
            _('Maximum random part of the delay, in units of '
              'jitter_multiplier.'),
            default=0,
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
        JITTER_MULTIPLIER: properties.Schema(
            properties.Schema.NUMBER,
            _('Length of one unit of max_jitter in seconds.'),
            default=1.0,
            constraints=[constraints.Range(min=0)],
            update_allowed=True),
        WAITING_ACTIONS: properties.Schema(
            properties.Schema.LIST,
            _('Actions that are delayed.'),
            default=[resource.Resource.CREATE],
            constraints=[constraints.AllowedValues([
                resource.Resource.CREATE, resource.Resource.DELETE,
                resource.Resource.SUSPEND, resource.Resource.RESUME])],
            update_allowed=True),
    }

    attributes_schema: dict = {}

    def validate(self):
        """Check that the longest wait ends before the stack's time does."""
        super().validate()
        longest = sum(self._parts())
        if longest > self.stack.timeout_secs():
            raise exception.StackValidationFailed(
                resource=self, path=['properties'],
                message=_('The maximum delay of %(wait)s s exceeds the '
                          'timeout of the stack, %(timeout)s s') % {
                    'wait': longest, 'timeout': self.stack.timeout_secs()})

    def _parts(self):
        """Return (fixed, longest random) seconds."""
        return (self.properties[self.MIN_WAIT],
                self.properties[self.MAX_JITTER] *
                self.properties[self.JITTER_MULTIPLIER])

    def _begin(self, action):
        """Return the time at which an action is complete, None for now."""
        if action not in self.properties[self.WAITING_ACTIONS]:
            return None
        fixed, jitter = self._parts()
        return timeutils.epoch() + fixed + random.uniform(0, jitter)

    def handle_create(self):
        """Begin to wait."""
        self.resource_id_set(self.physical_resource_name())
        return self._begin(self.CREATE)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Take other times for later actions."""

    def handle_delete(self):
        """Begin to wait."""
        return self._begin(self.DELETE)

    def handle_suspend(self):
        """Begin to wait."""
        return self._begin(self.SUSPEND)

    def handle_resume(self):
        """Begin to wait."""
        return self._begin(self.RESUME)

    def check_create_complete(self, cookie):
        """Return whether the wait is over."""
        return cookie is None or timeutils.epoch() >= cookie

    check_delete_complete = check_create_complete
    check_suspend_complete = check_create_complete
    check_resume_complete = check_create_complete
