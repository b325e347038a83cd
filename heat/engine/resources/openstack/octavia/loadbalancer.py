"""Load balancers of Octavia."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class LoadBalancer(octavia_base.OctaviaBase):
    """A load balancer of Octavia.

    A load balancer has an address, and distributes what arrives there on
    the ports of its listeners over the members of pools.
    """

    type_name = 'OS::Octavia::LoadBalancer'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'load_balancer'
    rename = {'vip_subnet': 'vip_subnet_id', 'flavor': 'flavor_id',
              'tenant_id': 'project_id'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the load balancer is in service.'),
            default=True,
            update_allowed=True),
        'availability_zone': properties.string(
            _('The availability zone in which the load balancer is made.'),
            constraints=[constraints.CustomConstraint('octavia.availabilityzone')],
            support_status=support.SupportStatus(version='17.0.0')),
        'description': properties.string(
            _('What the load balancer is for.'),
            default='',
            update_allowed=True),
        'flavor': properties.string(
            _('The flavor of the load balancer, by name or id.'),
            constraints=[constraints.ref('octavia.flavor')],
            support_status=support.SupportStatus(version='14.0.0')),
        'name': properties.string(
            _('The name of the load balancer. It need not be unique.'),
            update_allowed=True),
        'provider': properties.string(
            _('The provider of the load balancer, which the operator has '
              'set up.')),
        'tenant_id': properties.string(
            _('The project that owns the load balancer. Only '
              'administrators may name another one than their own.'),
            constraints=[constraints.CustomConstraint('keystone.project')]),
        'vip_address': properties.string(
            _('The address of the load balancer; any of the subnet unless '
              'one is given.'),
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'vip_subnet': properties.string(
            _('The subnet of the address, by name or id.'),
            required=True,
            constraints=[constraints.ref('neutron.subnet')]),
    }

    attributes_schema = {
        'flavor_id': attributes.Schema(
            _('The id of the flavor.'),
            type=attributes.Schema.STRING),
        'pools': attributes.Schema(
            _('The pools of the load balancer.'),
            type=attributes.Schema.LIST),
        'vip_address': attributes.Schema(
            _('The address of the load balancer.'),
            type=attributes.Schema.STRING),
        'vip_port_id': attributes.Schema(
            _('The id of the port that has the address.'),
            type=attributes.Schema.STRING),
        'vip_subnet_id': attributes.Schema(
            _('The id of the subnet of the address.'),
            type=attributes.Schema.STRING),
    }
