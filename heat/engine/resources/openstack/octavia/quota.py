"""Quotas of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource


class Quota(sdk_resource.SDKResource):
    """The quota of a project in Octavia.

    Limits that are not specified are not changed. Deleting the resource
    restores the default quota. By default only administrators may set
    it.
    """

    type_name = 'OS::Octavia::Quota'
    support_status = support.SupportStatus(version='14.0.0')
    default_client_name = 'octavia'
    entity = 'quotas'
    noun = 'quota'
    parent = 'project'
    name_property = None
    rename = {'healthmonitor': 'health_monitor',
              'loadbalancer': 'load_balancer'}

    properties_schema = {
        'healthmonitor': properties.integer(
            _('Maximum number of health monitors; -1 for no limit.'),
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'listener': properties.integer(
            _('Maximum number of listeners; -1 for no limit.'),
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'loadbalancer': properties.integer(
            _('Maximum number of load balancers; -1 for no limit.'),
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'member': properties.integer(
            _('Maximum number of pool members; -1 for no limit.'),
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'pool': properties.integer(
            _('Maximum number of pools; -1 for no limit.'),
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'project': properties.string(
            _('Project that the quota applies to, by name or ID.'),
            required=True,
            constraints=[constraints.ref('keystone.project')]),
    }

    def validate(self):
        """Check that there is a limit."""
        problem = super().validate()
        limits = sorted(set(self.properties_schema) - {self.parent})
        if all(self.properties[name] is None for name in limits):
            raise exception.PropertyUnspecifiedError(*limits)
        return problem

    def _create(self):
        self.sdk().update_quota(*self._place(),
                                   **self._body(self._given()))
        self.resource_id_set(self.physical_resource_name())

    def _update(self, prop_diff):
        self.sdk().update_quota(*self._place(), **self._body(prop_diff))

    def _delete(self):
        self.sdk().delete_quota(*self._place(), ignore_missing=False)

    def _res_get_args(self):
        """Return the project: it is what has a quota."""
        return list(self._place())
