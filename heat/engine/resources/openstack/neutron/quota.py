"""Quotas of Neutron."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import neutron


class NeutronQuota(neutron.NeutronResource):
    """The quota of a project in Neutron.

    By default only administrators may set it. Deleting the resource
    restores the default quota.
    """

    type_name = 'OS::Neutron::Quota'
    support_status = support.SupportStatus(version='8.0.0')
    required_service_extension = 'quotas'

    PROPERTIES = (
        FLOATINGIP, NETWORK, PORT, PROJECT, RBAC_POLICY, ROUTER,
        SECURITY_GROUP, SECURITY_GROUP_RULE, SUBNET, SUBNETPOOL,
    ) = (
        'floatingip', 'network', 'port', 'project', 'rbac_policy',
        'router', 'security_group', 'security_group_rule', 'subnet',
        'subnetpool',
    )

    properties_schema = {
        FLOATINGIP: properties.integer(
            _('Maximum number of floating IPs; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        NETWORK: properties.integer(
            _('Maximum number of networks; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        PORT: properties.integer(
            _('Maximum number of ports; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        PROJECT: properties.string(
            _('Project that the quota applies to, by name or ID.'),
            required=True, constraints=[constraints.ref('keystone.project')]),
        RBAC_POLICY: properties.integer(
            _('Maximum number of RBAC policies; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True,
            support_status=support.SupportStatus(version='12.0.0')),
        ROUTER: properties.integer(
            _('Maximum number of routers; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        SECURITY_GROUP: properties.integer(
            _('Maximum number of security groups; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        SECURITY_GROUP_RULE: properties.integer(
            _('Maximum number of security group rules; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        SUBNET: properties.integer(
            _('Maximum number of subnets; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True),
        SUBNETPOOL: properties.integer(
            _('Maximum number of subnet pools; -1 for no limit.'),
            constraints=[constraints.Range(min=-1)], update_allowed=True,
            support_status=support.SupportStatus(version='12.0.0')),
    }

    def validate(self):
        """Check that anything is limited at all."""
        problem = super().validate()
        limits = sorted({*self.PROPERTIES} - {self.PROJECT})
        if all(self.properties[name] is None for name in limits):
            raise exception.PropertyUnspecifiedError(*limits)
        return problem

    def _create(self):
        limits = self._given()
        project = limits.pop(self.PROJECT)
        self.sdk().update_quota(project, **limits)
        self.resource_id_set(self.physical_resource_name())

    def _update(self, prop_diff):
        project = self.properties[self.PROJECT]
        usual = {}
        if None in prop_diff.values():
            usual = sdk_resource.shown(
                self.sdk().get_quota_default(project))
        self.sdk().update_quota(project, **{
            name: usual[name] if value is None else value
            for name, value in prop_diff.items()})

    def _delete(self):
        self.sdk().delete_quota(self.properties[self.PROJECT],
                                   ignore_missing=False)

    def _show_resource(self):
        """Return the quota of the project."""
        return sdk_resource.shown(self.sdk().get_quota(
            self.properties[self.PROJECT]))
