"""Load balancers of Octavia."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class LoadBalancer(octavia_base.OctaviaBase):
    """A load balancer of Octavia.

    A load balancer distributes the traffic that arrives at its address
    on the ports of its listeners among the members of pools.
    """

    type_name = 'OS::Octavia::LoadBalancer'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'load_balancer'
    rename = {'vip_subnet': 'vip_subnet_id', 'flavor': 'flavor_id',
              'tenant_id': 'project_id'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the load balancer is administratively up.'),
            default=True,
            update_allowed=True),
        'availability_zone': properties.string(
            _('Availability zone in which the load balancer is created.'),
            constraints=[constraints.CustomConstraint('octavia.availabilityzone')],
            support_status=support.SupportStatus(version='17.0.0')),
        'description': properties.string(
            _('Description of the load balancer.'),
            default='',
            update_allowed=True),
        'flavor': properties.string(
            _('Flavor of the load balancer, by name or ID.'),
            constraints=[constraints.ref('octavia.flavor')],
            support_status=support.SupportStatus(version='14.0.0')),
        'name': properties.string(
            _('Name of the load balancer. It need not be unique.'),
            update_allowed=True),
        'provider': properties.string(
            _('Provider of the load balancer.')),
        'tenant_id': properties.string(
            _('Project that owns the load balancer. Only administrators may '
              'specify a project other than their own.'),
            constraints=[constraints.CustomConstraint('keystone.project')]),
        'vip_address': properties.string(
            _('Virtual IP (VIP) address of the load balancer. If omitted, an '
              'address of the subnet is allocated.'),
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'vip_subnet': properties.string(
            _('Subnet of the VIP address, by name or ID.'),
            required=True,
            constraints=[constraints.ref('neutron.subnet')]),
    }

    attributes_schema = {
        'flavor_id': attributes.Schema(
            _('ID of the flavor.'),
            type=attributes.Schema.STRING),
        'pools': attributes.Schema(
            _('Pools of the load balancer.'),
            type=attributes.Schema.LIST),
        'vip_address': attributes.Schema(
            _('VIP address of the load balancer.'),
            type=attributes.Schema.STRING),
        'vip_port_id': attributes.Schema(
            _('ID of the port of the VIP address.'),
            type=attributes.Schema.STRING),
        'vip_subnet_id': attributes.Schema(
            _('ID of the subnet of the VIP address.'),
            type=attributes.Schema.STRING),
    }
