"""AWS::ElasticLoadBalancing::LoadBalancer: a server with HAProxy."""
import pathlib

from oslo_config import cfg

from heat.common import exception
from heat.common import template_format
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import stack_resource
from heat.engine.resources.aws.lb import haproxy


class LoadBalancer(stack_resource.StackResource):
    """A load balancer, implemented as a nested stack with an HAProxy server.

    The service option ``loadbalancer_template`` specifies the template
    of the nested stack. The nested stack receives ``SecurityGroups``
    and every parameter of the enclosing stack that its template also
    defines; in the default template these are ``KeyName``,
    ``LbImageId``, ``LbFlavor`` and ``LbSubnetId``.
    """

    type_name = 'AWS::ElasticLoadBalancing::LoadBalancer'
    support_status = support.SupportStatus()

    PROPERTIES = (
        AVAILABILITY_ZONES, HEALTH_CHECK, INSTANCES, LISTENERS,
        APP_COOKIE_STICKINESS_POLICY, LBCOOKIE_STICKINESS_POLICY,
        SECURITY_GROUPS, SUBNETS,
    ) = (
        'AvailabilityZones', 'HealthCheck', 'Instances', 'Listeners',
        'AppCookieStickinessPolicy', 'LBCookieStickinessPolicy',
        'SecurityGroups', 'Subnets',
    )

    _HEALTH_CHECK_KEYS = (
        HEALTHY_THRESHOLD, INTERVAL, TARGET, TIMEOUT, UNHEALTHY_THRESHOLD,
    ) = (
        'HealthyThreshold', 'Interval', 'Target', 'Timeout',
        'UnhealthyThreshold',
    )

    _LISTENER_KEYS = (
        INSTANCE_PORT, LOAD_BALANCER_PORT, PROTOCOL, SSLCERTIFICATE_ID,
        POLICY_NAMES,
    ) = (
        'InstancePort', 'LoadBalancerPort', 'Protocol', 'SSLCertificateId',
        'PolicyNames',
    )

    ATTRIBUTES = (
        CANONICAL_HOSTED_ZONE_NAME, CANONICAL_HOSTED_ZONE_NAME_ID, DNS_NAME,
        SOURCE_SECURITY_GROUP_GROUP_NAME,
        SOURCE_SECURITY_GROUP_OWNER_ALIAS,
    ) = (
        'CanonicalHostedZoneName', 'CanonicalHostedZoneNameID', 'DNSName',
        'SourceSecurityGroup.GroupName', 'SourceSecurityGroup.OwnerAlias',
    )

    properties_schema = {
        AVAILABILITY_ZONES: properties.list(
            _('Availability zones of the members. They have no effect on the '
              'placement of the load balancer.'),
            required=True),
        HEALTH_CHECK: properties.map(
            _('Health check of the members.'),
            schema={
                HEALTHY_THRESHOLD: properties.integer(
                    _('Number of consecutive successful checks after which a '
                      'member is considered healthy.'),
                    required=True),
                INTERVAL: properties.integer(
                    _('Interval between two health checks of a member in '
                      'seconds.'),
                    required=True),
                TARGET: properties.string(
                    _('Target of the health check: HTTP:<port>/<path> or '
                      'TCP:<port>.'),
                    required=True),
                TIMEOUT: properties.integer(
                    _('Timeout of a health check in seconds.'),
                    required=True),
                UNHEALTHY_THRESHOLD: properties.integer(
                    _('Number of consecutive failed checks after which a '
                      'member is considered unhealthy.'),
                    required=True),
            }),
        INSTANCES: properties.list(
            _('IDs of the member servers.'),
            update_allowed=True),
        LISTENERS: properties.list(
            _('Listeners of the load balancer.'),
            schema=properties.map(
                _('One listener.'),
                schema={
                    INSTANCE_PORT: properties.integer(
                        _('Port on which the members accept '
                          'traffic.'), required=True),
                    LOAD_BALANCER_PORT: properties.integer(
                        _('Port on which the load balancer accepts '
                          'traffic.'), required=True),
                    PROTOCOL: properties.string(
                        _('Protocol of the listener.'), required=True,
                        constraints=[constraints.AllowedValues(
                            ['TCP', 'HTTP'])]),
                    SSLCERTIFICATE_ID: properties.string(
                        _('Not implemented.'), implemented=False),
                    POLICY_NAMES: properties.list(
                        _('Not implemented.'), implemented=False),
                }),
            required=True),
        APP_COOKIE_STICKINESS_POLICY: properties.string(
            _('Not implemented.'), implemented=False),
        LBCOOKIE_STICKINESS_POLICY: properties.string(
            _('Not implemented.'), implemented=False),
        SECURITY_GROUPS: properties.list(
            _('Security groups of the load balancer.'),
            update_allowed=True),
        SUBNETS: properties.list(
            _('Not implemented.'), implemented=False),
    }

    attributes_schema = {
        CANONICAL_HOSTED_ZONE_NAME: attributes.Schema(
            _('IP address of the load balancer.'),
            type=attributes.Schema.STRING),
        CANONICAL_HOSTED_ZONE_NAME_ID: attributes.Schema(
            _('Always empty.'), type=attributes.Schema.STRING),
        DNS_NAME: attributes.Schema(
            _('IP address of the load balancer.'),
            type=attributes.Schema.STRING),
        SOURCE_SECURITY_GROUP_GROUP_NAME: attributes.Schema(
            _('Always empty.'), type=attributes.Schema.STRING),
        SOURCE_SECURITY_GROUP_OWNER_ALIAS: attributes.Schema(
            _('Always empty.'), type=attributes.Schema.STRING),
    }

    def validate(self):
        """Check what the schema cannot say, and the stack inside."""
        check = self.properties[self.HEALTH_CHECK]
        if check and None not in check.values():
            haproxy.require_target(check[self.TARGET])
            if check[self.INTERVAL] < check[self.TIMEOUT]:
                raise exception.StackValidationFailed(message=_(
                    'Interval must be larger than Timeout'))
        super().validate()

    # -- the nested stack ---------------------------------------------------

    def child_template(self):
        """Return the template that is configured, or the built-in one."""
        path = cfg.CONF.loadbalancer_template
        if not path:
            return template_format.parse(haproxy.TEMPLATE)
        try:
            text = pathlib.Path(path).read_text()
        except OSError as error:
            raise exception.StackValidationFailed(message=_(
                'The configured template for load balancers '
                '(loadbalancer_template) cannot be read')) from error
        return template_format.parse(text)

    def child_params(self):
        """Return those parameters that both stacks have."""
        declared = self.child_template()
        names = (declared.get('Parameters') or declared.get('parameters')
                 or {})
        around = self.stack.parameters
        params = {name: around[name] for name in names if name in around}
        groups = self.properties[self.SECURITY_GROUPS]
        if groups and self.SECURITY_GROUPS in names:
            params[self.SECURITY_GROUPS] = ','.join(groups)
        return params

    def _configured_template(self):
        """Return the template with the members in it."""
        plugin = self.client_plugin('nova')
        addresses = []
        for server_id in self.properties[self.INSTANCES] or ():
            address = plugin.server_to_ipaddress(
                plugin.get_server(server_id))
            if address is None:
                raise exception.Error(_(
                    'The server %s has no address to which the load balancer '
                    'can connect')
                    % server_id)
            addresses.append(address)
        return haproxy.configured(
            self.child_template(), haproxy.configuration(
                self.properties[self.LISTENERS],
                self.properties[self.HEALTH_CHECK], addresses))

    def handle_create(self):
        """Create the server."""
        return self.create_with_template(self._configured_template(),
                                         self.child_params())

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Have the server balance load among other members."""
        self.properties = json_snippet.properties(self.properties_schema,
                                                  self.context)
        return self.update_with_template(self._configured_template(),
                                         self.child_params())

    def handle_delete(self):
        """Delete the server."""
        return self.delete_nested()

    def get_reference_id(self):
        """Return the name, which users of AWS know it by."""
        return str(self.name)

    def _resolve_attribute(self, name):
        if name in (self.DNS_NAME, self.CANONICAL_HOSTED_ZONE_NAME):
            return self.get_output(haproxy.ADDRESS)
        return ''
