"""Security groups of Neutron."""
import ipaddress

from heat.common import exception
from heat.common.i18n import _
from heat.engine import comparable
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron

#: Protocols by what rules may call them instead.
_PROTOCOLS = {'1': 'icmp', '6': 'tcp', '17': 'udp', '58': 'ipv6-icmp',
              'icmpv6': 'ipv6-icmp', '132': 'sctp'}
#: The rules that Neutron gives to a new group: everything may leave.
_EVERYTHING_OUT = tuple({'direction': 'egress', 'ethertype': family}
                        for family in ('IPv4', 'IPv6'))
_RULE_KEYS = ('direction', 'ethertype', 'protocol', 'port_range_min',
              'port_range_max', 'remote_ip_prefix', 'remote_group_id',
              'description')


class SecurityGroup(neutron.NeutronResource):
    """A security group of Neutron.

    A security group defines which packets may enter or leave the ports
    that belong to it. All other packets are dropped. Without egress
    rules all egress traffic is allowed.
    """

    type_name = 'OS::Neutron::SecurityGroup'
    support_status = support.SupportStatus(version='2014.1')
    required_service_extension = 'security-group'
    entity = 'security_group'

    PROPERTIES = (
        NAME, DESCRIPTION, RULES, STATEFUL,
    ) = (
        'name', 'description', 'rules', 'stateful',
    )

    properties_schema = {
        NAME: fragments.name(),
        DESCRIPTION: fragments.description(),
        RULES: properties.list(
            _('Rules of the security group. Traffic that no rule allows is '
              'dropped.'),
            default=[],
            schema=properties.map(
                _('Rules of the security group. Traffic that no rule allows '
                  'is dropped.'),
                schema={
                    'description': properties.string(
                        _('Description of the resource.'),
                        support_status=support.SupportStatus(version='27.0.0')),
                    'direction': properties.string(
                        _('Direction of the packets to which the rule '
                          'applies: ingress or egress.'),
                        default='ingress',
                        constraints=[constraints.AllowedValues(['ingress',
                            'egress'])]),
                    'ethertype': properties.string(
                        _('Ethertype of the packets, IPv4 or IPv6.'),
                        default='IPv4',
                        constraints=[constraints.AllowedValues(['IPv4',
                            'IPv6'])]),
                    'port_range_max': properties.integer(
                        _('Last port number of the range, or the ICMP code.'),
                        constraints=[constraints.Range(min=0, max=65535)]),
                    'port_range_min': properties.integer(
                        _('First port number of the range, or the ICMP type.'),
                        constraints=[constraints.Range(min=0, max=65535)]),
                    'protocol': properties.string(
                        _('IP protocol of the packets, by name or number.'),
                        constraints=[constraints.AllowedValues(neutron.RULE_PROTOCOLS)]),
                    'remote_group_id': properties.string(
                        _('Remote security group, by name or ID. Defaults to '
                          'this security group.'),
                        constraints=[
                            constraints.CustomConstraint('neutron.security_group')]),
                    'remote_ip_prefix': properties.string(
                        _('Remote IP address range in CIDR notation.'),
                        constraints=[constraints.CustomConstraint('net_cidr')]),
                    'remote_mode': properties.string(
                        _('Property that identifies the remote side: '
                          'remote_ip_prefix or remote_group_id.'),
                        default='remote_ip_prefix',
                        constraints=[constraints.AllowedValues(['remote_ip_prefix',
                            'remote_group_id'])]),
                }),
            update_allowed=True),
        STATEFUL: properties.boolean(
            _('Whether the security group is stateful: replies to allowed '
              'packets are allowed.'),
            update_allowed=True,
            support_status=support.SupportStatus(version='27.0.0')),
    }

    omit = (*neutron.NeutronResource.omit, RULES)
    made_in_steps = True

    def validate(self):
        """Refuse the name that Neutron keeps for the group of a project."""
        problem = super().validate()
        if self.properties[self.NAME] == 'default':
            raise exception.StackValidationFailed(message=_(
                'A security group cannot have the name "default".'))
        return problem

    def _create(self):
        created = super()._create()
        self._have(self.properties[self.RULES])
        return created

    def _update(self, prop_diff):
        super()._update(prop_diff)
        if self.RULES in prop_diff:
            self._have(prop_diff[self.RULES] or [])

    def _have(self, rules):
        """Let the group have these rules and no others.

        A rule that stays is not touched, so that its traffic flows on.
        """
        have_rules(self.client_plugin(), self.resource_id,
                   [self._wanted(rule) for rule in rules])

    def drift_state(self, resource_properties, resource_data):
        """Return the rules of the template that the group still has.

        Further rules may be those of other resources.
        """
        found = super().drift_state(resource_properties, resource_data)
        given = resource_properties[self.RULES] or []
        live = [_written(rule) for rule in
                (resource_data or {}).get('security_group_rules') or ()]
        kept = [rule for rule in given
                if _written(self._wanted(rule)) in live]
        if len(kept) < len(given):
            found[self.RULES] = comparable.Differs(kept)
        return found

    def _wanted(self, rule):
        """Return a rule of the template as requests describe it."""
        wanted = neutron.renamed(rule)
        by_group = wanted.pop('remote_mode', None) == 'remote_group_id'
        group = wanted.pop('remote_group_id', None)
        if by_group:
            wanted.pop('remote_ip_prefix', None)
            wanted['remote_group_id'] = (
                self.client_plugin().get_secgroup_uuids([group])[0]
                if group else self.resource_id)
        return wanted


class SecurityGroupRule(neutron.NeutronResource):
    """A rule of a security group of Neutron.

    The security group can be defined outside the template.
    """

    type_name = 'OS::Neutron::SecurityGroupRule'
    support_status = support.SupportStatus(version='7.0.0')
    required_service_extension = 'security-group'
    entity = 'security_group_rule'

    PROPERTIES = (
        DESCRIPTION, DIRECTION, ETHERTYPE, PORT_RANGE_MAX,
        PORT_RANGE_MIN, PROTOCOL, REMOTE_GROUP, REMOTE_IP_PREFIX,
        SECURITY_GROUP,
    ) = (
        'description', 'direction', 'ethertype', 'port_range_max',
        'port_range_min', 'protocol', 'remote_group',
        'remote_ip_prefix', 'security_group',
    )

    properties_schema = {
        DESCRIPTION: properties.string(
            _('Description of the resource.')),
        DIRECTION: properties.string(
            _('Direction of the packets to which the rule applies: ingress or '
              'egress.'),
            default='ingress',
            constraints=[constraints.AllowedValues(['ingress', 'egress'])]),
        ETHERTYPE: properties.string(
            _('Ethertype of the packets, IPv4 or IPv6.'),
            default='IPv4',
            constraints=[constraints.AllowedValues(['IPv4', 'IPv6'])]),
        PORT_RANGE_MAX: properties.integer(
            _('Last port number of the range, or the ICMP code.'),
            constraints=[constraints.Range(min=0, max=65535)]),
        PORT_RANGE_MIN: properties.integer(
            _('First port number of the range, or the ICMP type.'),
            constraints=[constraints.Range(min=0, max=65535)]),
        PROTOCOL: properties.string(
            _('IP protocol of the packets, by name or number.'),
            default='tcp',
            constraints=[constraints.AllowedValues(neutron.RULE_PROTOCOLS)]),
        REMOTE_GROUP: properties.string(
            _('Remote security group, by name or ID.'),
            constraints=[constraints.ref('neutron.security_group')]),
        REMOTE_IP_PREFIX: properties.string(
            _('Remote IP address range in CIDR notation.'),
            constraints=[constraints.CustomConstraint('net_cidr')]),
        SECURITY_GROUP: properties.string(
            _('Security group to which the rule belongs, by name or ID.'),
            required=True,
            constraints=[constraints.ref('neutron.security_group')]),
    }

    rename = {SECURITY_GROUP: 'security_group_id',
              REMOTE_GROUP: 'remote_group_id'}

    def validate(self):
        """Check that the other side and the port numbers make sense."""
        problem = super().validate()
        if (self.properties[self.REMOTE_GROUP] is not None and
                self.properties[self.REMOTE_IP_PREFIX] is not None):
            raise exception.ResourcePropertyConflict(
                self.REMOTE_GROUP, self.REMOTE_IP_PREFIX)
        first = self.properties[self.PORT_RANGE_MIN]
        last = self.properties[self.PORT_RANGE_MAX]
        if (first is not None and last is not None and first > last and
                self.properties[self.PROTOCOL] in ('tcp', 'udp')):
            raise exception.StackValidationFailed(message=_(
                'port_range_min cannot be greater than port_range_max.'))
        return problem


def have_rules(plugin, group_id, wanted):
    """Let a group have these rules and no others.

    A rule that stays is not touched, so that its traffic flows on. Without
    rules about packets that leave, all of them may.

    :param plugin: the client plugin of the network service.
    """
    if not any(rule['direction'] == 'egress' for rule in wanted):
        wanted = [*wanted, *_EVERYTHING_OUT]
    client = plugin.sdk()
    live = sdk_resource.shown(client.get_security_group(group_id)).get(
        'security_group_rules') or []
    for rule in live:
        if _plain(rule) not in map(_plain, wanted):
            client.delete_security_group_rule(rule['id'])
    there = [_plain(rule) for rule in live]
    for rule in wanted:
        if _plain(rule) in there:
            continue
        there.append(_plain(rule))
        try:
            client.create_security_group_rule(security_group_id=group_id,
                                              **rule)
        except Exception as error:
            # The same rule, written in another way.
            if not plugin.is_conflict(error):
                raise


def _written(rule):
    """Return what makes a rule different, in whichever way it is written.
    """
    plain = {key: value.lower() for key, value in _plain(rule).items()}
    protocol = plain.get('protocol')
    if protocol is not None:
        plain['protocol'] = _PROTOCOLS.get(protocol, protocol)
    prefix = plain.get('remote_ip_prefix')
    if prefix is not None:
        plain['remote_ip_prefix'] = str(ipaddress.ip_network(prefix,
                                                             strict=False))
    return plain


def _plain(rule):
    """Return what makes a rule different from others."""
    return {key: str(rule[key]) for key in _RULE_KEYS
            if rule.get(key) not in (None, '')}
