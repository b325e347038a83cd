"""Address scopes of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron


class AddressScope(neutron.NeutronResource):
    """An address scope of Neutron.

    The addresses in a scope do not overlap. Subnet pools belong to a
    scope, and traffic between networks of the same scope is routed
    without address translation.
    """

    type_name = 'OS::Neutron::AddressScope'
    support_status = support.SupportStatus(version='6.0.0')
    required_service_extension = 'address-scope'
    entity = 'address_scope'

    PROPERTIES = (NAME, SHARED, TENANT_ID, IP_VERSION) = (
        'name', 'shared', 'tenant_id', 'ip_version')

    properties_schema = {
        NAME: properties.string(
            _('Name of the address scope.'), update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the address scope is shared with all projects. Only '
              'administrators may set it.'),
            default=False, update_allowed=True),
        TENANT_ID: properties.string(
            _('ID of the project that owns the address scope. Only '
              'administrators may specify a project other than their own.'),
            constraints=[constraints.CustomConstraint('keystone.project')]),
        IP_VERSION: properties.integer(
            _('IP version, 4 or 6.'), default=4,
            constraints=[constraints.AllowedValues([4, 6])]),
    }
