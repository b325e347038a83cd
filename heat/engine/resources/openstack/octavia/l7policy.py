"""Policies of layer 7 of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class L7Policy(octavia_base.OctaviaBase):
    """A layer 7 policy of a listener of Octavia.

    Requests that match all rules of the policy are rejected, or
    redirected to another pool or URL.
    """

    type_name = 'OS::Octavia::L7Policy'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'l7_policy'
    #: It moves as others come and go.
    drift_ignored = ('position',)
    rename = {'listener': 'listener_id', 'redirect_pool': 'redirect_pool_id'}

    #: The property that an action needs, and no other action may have.
    _TARGETS = {'REDIRECT_TO_POOL': 'redirect_pool',
                'REDIRECT_TO_URL': 'redirect_url'}

    properties_schema = {
        'action': properties.string(
            _('Action applied to the requests that match the policy.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'REJECT', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL'])]),
        'admin_state_up': properties.boolean(
            _('Whether the policy is administratively up.'),
            default=True,
            update_allowed=True),
        'description': properties.string(
            _('Description of the policy.'),
            update_allowed=True),
        'listener': properties.string(
            _('Listener of the policy, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.listener')]),
        'name': properties.string(
            _('Name of the policy. It need not be unique.'),
            update_allowed=True),
        'position': properties.number(
            _('Position of the policy among the policies of the listener, '
              'starting at 1.'),
            update_allowed=True,
            constraints=[constraints.Range(min=1)]),
        'redirect_pool': properties.string(
            _('Pool to which requests are redirected, by name or ID. Applies '
              'to the action REDIRECT_TO_POOL.'),
            update_allowed=True,
            constraints=[constraints.ref('octavia.pool')]),
        'redirect_url': properties.string(
            _('URL to which clients are redirected. Applies to the action '
              'REDIRECT_TO_URL.'),
            update_allowed=True),
    }

    attributes_schema = {
        'rules': attributes.Schema(
            _('Rules of the policy.'),
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
                    message=_('%(target)s is required for the action '
                              '%(action)s') % {'target': target,
                                               'action': action})
            if action != needed_by and given:
                raise exception.ResourcePropertyValueDependency(
                    prop1=target, prop2='action', value=needed_by)
        return problem
