"""Listeners of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class Listener(octavia_base.OctaviaBase):
    """A listener of a load balancer of Octavia.

    A listener accepts connections on a port of the load balancer and
    forwards them to its default pool, unless a layer 7 policy specifies
    another action.
    """

    type_name = 'OS::Octavia::Listener'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'listener'
    rename = {'loadbalancer': 'loadbalancer_id',
              'default_pool': 'default_pool_id', 'tenant_id': 'project_id'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the listener is administratively up.'),
            default=True,
            update_allowed=True),
        'allowed_cidrs': properties.list(
            _('Address ranges from which connections are accepted, in CIDR '
              'notation. If omitted, all addresses are accepted.'),
            schema=properties.string(
                _('One address range in CIDR notation.'),
                constraints=[constraints.CustomConstraint('net_cidr')]),
            update_allowed=True,
            support_status=support.SupportStatus(version='14.0.0')),
        'connection_limit': properties.integer(
            _('Maximum number of concurrent connections; -1 for no limit.'),
            default=-1,
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'default_pool': properties.string(
            _('Default pool of the listener, by name or ID.'),
            update_allowed=True,
            constraints=[constraints.ref('octavia.pool')]),
        'default_tls_container_ref': properties.string(
            _('Reference of the Barbican container with the certificate. '
              'Applies to the protocol TERMINATED_HTTPS.'),
            update_allowed=True),
        'description': properties.string(
            _('Description of the listener.'),
            default='',
            update_allowed=True),
        'loadbalancer': properties.string(
            _('Load balancer of the listener, by name or ID.'),
            required=True,
            constraints=[constraints.ref('octavia.loadbalancer')]),
        'name': properties.string(
            _('Name of the listener. It need not be unique.'),
            update_allowed=True),
        'protocol': properties.string(
            _('Protocol of the listener.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'])]),
        'protocol_port': properties.integer(
            _('Port number on which the listener accepts connections.'),
            required=True,
            constraints=[constraints.Range(min=1, max=65535)]),
        'sni_container_refs': properties.list(
            _('References of the Barbican containers with the certificates '
              'for Server Name Indication (SNI).'),
            update_allowed=True),
        'tenant_id': properties.string(
            _('Project that owns the listener. Only administrators may '
              'specify a project other than their own.')),
    }

    attributes_schema = {
        'default_pool_id': attributes.Schema(
            _('ID of the default pool.'),
            type=attributes.Schema.STRING),
        'loadbalancers': attributes.Schema(
            _('Load balancers of the listener.'),
            type=attributes.Schema.LIST),
    }

    def validate(self):
        """Check that there is a certificate if connections need one."""
        problem = super().validate()
        if (self.properties['protocol'] == 'TERMINATED_HTTPS' and
                self.properties['default_tls_container_ref'] is None):
            raise exception.StackValidationFailed(
                path=self._path('protocol'),
                message=_('default_tls_container_ref is required for the '
                          'protocol TERMINATED_HTTPS'))
        return problem
