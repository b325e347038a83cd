"""Policies of layer 7 of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class L7Policy(octavia_base.OctaviaBase):
    """A policy of layer 7 of a listener of Octavia.

    A policy says what happens to the requests that all of its rules match:
    they are rejected, or go to another pool or URL.
    """

    type_name = 'OS::Octavia::L7Policy'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'l7_policy'
    rename = {'listener': 'listener_id', 'redirect_pool': 'redirect_pool_id'}

    #: The property that an action needs, and no other action may have.
    _TARGETS = {'REDIRECT_TO_POOL': 'redirect_pool',
                'REDIRECT_TO_URL': 'redirect_url'}

    properties_schema = {
        'action': properties.string(
            _('What happens to requests that match.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'REJECT', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL'])]),
        'admin_state_up': properties.boolean(
            _('Whether the policy is in service.'),
            default=True,
            update_allowed=True),
        'description': properties.string(
            _('What the policy is for.'),
            update_allowed=True),
        'listener': properties.string(
            _('The listener of the policy, by name or id.'),
            required=True,
            constraints=[constraints.ref('octavia.listener')]),
        'name': properties.string(
            _('The name of the policy. It need not be unique.'),
            update_allowed=True),
        'position': properties.number(
            _('The place of the policy among those of the listener, the '
              'first of which is 1.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1)]),
        'redirect_pool': properties.string(
            _('The pool that requests go to, by name or id, for the action '
              'REDIRECT_TO_POOL.'),
            update_allowed=True,
            constraints=[constraints.ref('octavia.pool')]),
        'redirect_url': properties.string(
            _('The URL that clients are sent to, for the action '
              'REDIRECT_TO_URL.'),
            update_allowed=True),
    }

    attributes_schema = {
        'rules': attributes.Schema(
            _('The rules of the policy.'),
            type=attributes.Schema.LIST),
    }

    def validate(self):
        """Check that there is a target if, and only if, the action has one.
        """
        problem = super().validate()
        action = self.properties['action']
        for needed_by, target in self._TARGETS.items():
            given = self.properties[target] is not None
            if action == needed_by and not given:
                raise exception.StackValidationFailed(
                    path=self._path('action'),
                    message=_('%(target)s is needed for the action '
                              '%(action)s') % {'target': target,
                                               'action': action})
            if action != needed_by and given:
                raise exception.ResourcePropertyValueDependency(
                    prop1=target, prop2='action', value=needed_by)
        return problem
