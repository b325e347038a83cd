"""Members of pools of Octavia."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class PoolMember(octavia_base.OctaviaBase):
    """A member of a pool of Octavia.

    A member is a server that takes connections of the pool at an address
    and a port.
    """

    type_name = 'OS::Octavia::PoolMember'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'member'
    parent = 'pool'
    rename = {'subnet': 'subnet_id'}

    properties_schema = {
        'address': properties.string(
            _('The address at which the member takes connections.'),
            required=True,
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'admin_state_up': properties.boolean(
            _('Whether the member is in service.'),
            default=True,
            update_allowed=True),
        'monitor_address': properties.string(
            _('The address at which its health is checked, if that is '
              'another one.'),
            constraints=[constraints.CustomConstraint('ip_addr')]),
        'monitor_port': properties.integer(
            _('The port at which its health is checked, if that is another '
              'one.'),
            constraints=[constraints.Range(min=1, max=65535)]),
        'pool': properties.string(
            _('The pool of the member, by name or id.'),
            required=True,
            constraints=[constraints.ref('octavia.pool')]),
        'protocol_port': properties.integer(
            _('The port at which the member takes connections.'),
            required=True,
            constraints=[constraints.Range(min=1, max=65535)]),
        'subnet': properties.string(
            _('The subnet of the address, by name or id.'),
            constraints=[constraints.ref('neutron.subnet')]),
        'tags': properties.list(
            _('The tags of the member.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='13.0.0')),
        'weight': properties.integer(
            _('Which share of the connections the member gets, compared '
              'with the others.'),
            default=1,
            update_allowed=True,
            constraints=[constraints.Range(min=0, max=256)]),
    }
