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

    A listener takes connections on a port of the load balancer, and passes
    them on to its default pool unless a policy of layer 7 says otherwise.
    """

    type_name = 'OS::Octavia::Listener'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'listener'
    rename = {'loadbalancer': 'loadbalancer_id',
              'default_pool': 'default_pool_id', 'tenant_id': 'project_id'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the listener is in service.'),
            default=True,
            update_allowed=True),
        'allowed_cidrs': properties.list(
            _('The addresses that may connect; all unless there are some.'),
            schema=properties.string(
                _('A range of addresses.'),
                constraints=[constraints.CustomConstraint('net_cidr')]),
            update_allowed=True,
            support_status=support.SupportStatus(version='14.0.0')),
        'connection_limit': properties.integer(
            _('How many connections are open at the same time at most; -1 '
              'for any number.'),
            default=-1,
            update_allowed=True,
            constraints=[constraints.Range(min=-1)]),
        'default_pool': properties.string(
            _('The pool that connections are passed on to, by name or id.'),
            update_allowed=True,
            constraints=[constraints.ref('octavia.pool')]),
        'default_tls_container_ref': properties.string(
            _('The reference of the container with the certificate, for '
              'the protocol TERMINATED_HTTPS.'),
            update_allowed=True),
        'description': properties.string(
            _('What the listener is for.'),
            default='',
            update_allowed=True),
        'loadbalancer': properties.string(
            _('The load balancer of the listener, by name or id.'),
            required=True,
            constraints=[constraints.ref('octavia.loadbalancer')]),
        'name': properties.string(
            _('The name of the listener. It need not be unique.'),
            update_allowed=True),
        'protocol': properties.string(
            _('The protocol that the listener speaks.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'])]),
        'protocol_port': properties.integer(
            _('The port on which the listener takes connections.'),
            required=True,
            constraints=[constraints.Range(min=1, max=65535)]),
        'sni_container_refs': properties.list(
            _('References of containers with certificates for further '
              'names of the server.'),
            update_allowed=True),
        'tenant_id': properties.string(
            _('The project that owns the listener. Only administrators may '
              'name another one than their own.')),
    }

    attributes_schema = {
        'default_pool_id': attributes.Schema(
            _('The id of the default pool.'),
            type=attributes.Schema.STRING),
        'loadbalancers': attributes.Schema(
            _('The load balancers of the listener.'),
            type=attributes.Schema.LIST),
    }

    def validate(self):
        """Check that there is a certificate if connections need one."""
        problem = super().validate()
        if (self.properties['protocol'] == 'TERMINATED_HTTPS' and
                self.properties['default_tls_container_ref'] is None):
            raise exception.StackValidationFailed(
                path=self._path('protocol'),
                message=_('default_tls_container_ref is needed for the '
                          'protocol TERMINATED_HTTPS'))
        return problem
