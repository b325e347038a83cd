"""Members of pools of Octavia."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class PoolMember(octavia_base.OctaviaBase):
    """A member of a pool of Octavia.

    A member is a server that accepts connections of the pool at an
    address and a port.
    """

    type_name = 'OS::Octavia::PoolMember'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'member'
    parent = 'pool'
    rename = {'subnet': 'subnet_id'}

    properties_schema = {
        'address': properties.string(
            _('IP address on which the member accepts connections.'),
            required=True,
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'admin_state_up': properties.boolean(
            _('Whether the member is administratively up.'),
            default=True,
            update_allowed=True),
        'monitor_address': properties.string(
            _('IP address of the health checks, if it differs from the '
              'address of the member.'),
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'monitor_port': properties.integer(
            _('Port number of the health checks, if it differs from the port '
              'of the member.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        'pool': properties.string(
            _('Pool to which the member belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.pool')]),
        'protocol_port': properties.integer(
            _('Port number on which the member accepts connections.'),
            required=True,
            constraints=[constraints.Range(min=1, max=65535)]),
        'subnet': properties.string(
            _('Subnet of the address, by name or ID.'),
            constraints=[constraints.ref('neutron.subnet')]),
        'tags': properties.list(
            _('Tags of the member.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='13.0.0')),
        'weight': properties.integer(
            _('Weight of the member: its share of the connections relative to '
              'the other members.'),
            default=1,
            update_allowed=True,
            constraints=[constraints.Range(min=0, max=256)]),
    }
