"""Pools of Octavia."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.openstack.octavia import octavia_base


class Pool(octavia_base.OctaviaBase):
    """A pool of a load balancer of Octavia.

    A pool is a group of members among which connections are
    distributed.
    """

    type_name = 'OS::Octavia::Pool'
    support_status = support.SupportStatus(version='10.0.0')
    noun = 'pool'
    rename = {'loadbalancer': 'loadbalancer_id', 'listener': 'listener_id'}

    properties_schema = {
        'admin_state_up': properties.boolean(
            _('Whether the pool is administratively up.'),
            default=True,
            update_allowed=True),
        'description': properties.string(
            _('Description of the pool.'),
            default='',
            update_allowed=True),
        'lb_algorithm': properties.string(
            _('Algorithm that distributes connections among the members.'),
            required=True,
            update_allowed=True,
            constraints=[constraints.AllowedValues([
                'ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP',
                'SOURCE_IP_PORT'])]),
        'listener': properties.string(
            _('Listener of which the pool is the default pool, by name or '
              'ID.'),
            constraints=[constraints.ref('octavia.listener')]),
        'loadbalancer': properties.string(
            _('Load balancer of the pool, by name or ID.'),
            constraints=[constraints.ref('octavia.loadbalancer')]),
        'name': properties.string(
            _('Name of the pool. It need not be unique.'),
            update_allowed=True),
        'protocol': properties.string(
            _('Protocol of the members.'),
            required=True,
            constraints=[constraints.AllowedValues([
                'TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROXY', 'UDP'])]),
        'session_persistence': properties.map(
            _('Session persistence: assigns the connections of a client to '
              'the same member.'),
            schema={
                'cookie_name': properties.string(
                    _('Name of the cookie that identifies a client. Applies '
                      'to the type APP_COOKIE.')),
                'type': properties.string(
                    _('Type of the session persistence.'),
                    required=True,
                    constraints=[constraints.AllowedValues([
                        'SOURCE_IP', 'HTTP_COOKIE', 'APP_COOKIE'])]),
            },
            update_allowed=True),
        'tls_enabled': properties.boolean(
            _('Whether connections to the members are encrypted with TLS.'),
            default=False,
            update_allowed=True,
            support_status=support.SupportStatus(version='14.0.0')),
    }

    attributes_schema = {
        'healthmonitor_id': attributes.Schema(
            _('ID of the health monitor of the pool.'),
            type=attributes.Schema.STRING),
        'listeners': attributes.Schema(
            _('Listeners that use the pool.'),
            type=attributes.Schema.STRING),
        'members': attributes.Schema(
            _('Members of the pool.'),
            cache_mode=attributes.Schema.CACHE_NONE,
            type=attributes.Schema.LIST),
    }

    def validate(self):
        """Check that the pool belongs somewhere, and the cookie is right."""
        problem = super().validate()
        if (self.properties['listener'] is None and
                self.properties['loadbalancer'] is None):
            raise exception.PropertyUnspecifiedError('listener',
                                                     'loadbalancer')
        persistence = self.properties['session_persistence']
        if persistence is not None:
            self._check_cookie(persistence['type'],
                               persistence['cookie_name'])
        return problem

    def _check_cookie(self, kind, cookie):
        if kind == 'APP_COOKIE' and not cookie:
            raise exception.StackValidationFailed(
                path=self._path('session_persistence'),
                message=_('cookie_name is required for the type APP_COOKIE'))
        if kind != 'APP_COOKIE' and cookie:
            raise exception.StackValidationFailed(
                path=self._path('session_persistence', 'cookie_name'),
                message=_('cookie_name can be specified only for the type '
                          'APP_COOKIE'))

    def _body(self, values):
        body = super()._body(values)
        if body.get('session_persistence'):
            body['session_persistence'] = {
                name: value for name, value
                in body['session_persistence'].items() if value is not None}
        return body
