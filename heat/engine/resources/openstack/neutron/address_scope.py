"""Address scopes of Neutron."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.neutron import neutron


class AddressScope(neutron.NeutronResource):
    """An address scope of Neutron.

    Addresses of a scope do not overlap. Subnet pools belong to a scope, and
    between networks of the same scope traffic is routed without translation
    of addresses.
    """

    type_name = 'OS::Neutron::AddressScope'
    support_status = support.SupportStatus(version='6.0.0')
    required_service_extension = 'address-scope'
    entity = 'address_scope'

    PROPERTIES = (NAME, SHARED, TENANT_ID, IP_VERSION) = (
        'name', 'shared', 'tenant_id', 'ip_version')

    properties_schema = {
        NAME: properties.string(
            _('The name of the address scope.'), update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the address scope is shared with all projects. Only '
              'administrators may set it.'),
            default=False, update_allowed=True),
        TENANT_ID: properties.string(
            _('The project that owns the scope. Only administrators may '
              'name another one than their own.'),
            constraints=[constraints.CustomConstraint('keystone.project')]),
        IP_VERSION: properties.integer(
            _('The address family, 4 or 6.'), default=4,
            constraints=[constraints.AllowedValues([4, 6])]),
    }
