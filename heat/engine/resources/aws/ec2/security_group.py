"""Security groups of EC2."""
import ipaddress

from heat.common import exception
from heat.common.i18n import _
from heat.engine import properties
from heat.engine import support
from heat.engine.resources.aws.ec2 import network_thing
from heat.engine.resources.openstack.neutron import security_group

#: Protocols without port numbers, and what stands for all of them.
_ANY = ('-1', 'all', 'any')


class SecurityGroup(network_thing.NetworkThing):
    """A security group.

    It is implemented as a security group of Neutron. Without egress
    rules all egress traffic is allowed.
    """

    type_name = 'AWS::EC2::SecurityGroup'
    support_status = support.SupportStatus()
    default_client_name = None
    noun = 'security_group'

    PROPERTIES = (
        GROUP_DESCRIPTION, VPC_ID, SECURITY_GROUP_INGRESS,
        SECURITY_GROUP_EGRESS,
    ) = (
        'GroupDescription', 'VpcId', 'SecurityGroupIngress',
        'SecurityGroupEgress',
    )

    _RULE_KEYS = (
        RULE_CIDR_IP, RULE_FROM_PORT, RULE_TO_PORT, RULE_IP_PROTOCOL,
        RULE_SOURCE_SECURITY_GROUP_ID, RULE_SOURCE_SECURITY_GROUP_NAME,
        RULE_SOURCE_SECURITY_GROUP_OWNER_ID,
    ) = (
        'CidrIp', 'FromPort', 'ToPort', 'IpProtocol',
        'SourceSecurityGroupId', 'SourceSecurityGroupName',
        'SourceSecurityGroupOwnerId',
    )

    _rule_schema = {
        RULE_CIDR_IP: properties.string(
            _('Range of remote addresses in CIDR notation.')),
        RULE_FROM_PORT: properties.string(
            _('First port number of the range, or the ICMP type.')),
        RULE_TO_PORT: properties.string(
            _('Last port number of the range, or the ICMP code.')),
        RULE_IP_PROTOCOL: properties.string(
            _('IP protocol, by name or number; -1 for all protocols.')),
        RULE_SOURCE_SECURITY_GROUP_ID: properties.string(
            _('ID of the remote security group.')),
        RULE_SOURCE_SECURITY_GROUP_NAME: properties.string(
            _('Name of the remote security group.')),
        RULE_SOURCE_SECURITY_GROUP_OWNER_ID: properties.string(
            _('Owner of the remote security group.'),
            implemented=False),
    }

    properties_schema = {
        GROUP_DESCRIPTION: properties.string(
            _('Description of the security group.'),
            required=True),
        VPC_ID: properties.string(
            _('Network of the security group. This property has no effect.')),
        SECURITY_GROUP_INGRESS: properties.list(
            _('Rules for ingress traffic.'),
            schema=properties.map(_('One rule.'), schema=_rule_schema),
            update_allowed=True),
        SECURITY_GROUP_EGRESS: properties.list(
            _('Rules for egress traffic.'),
            schema=properties.map(_('One rule.'), schema=_rule_schema),
            update_allowed=True),
    }

    def sdk(self, name='neutron', version=None):
        """Return a client, by default that of the network service."""
        return super().sdk(name, version)

    def client_plugin(self, name='neutron'):
        """Return a client plugin, by default that of the network service.
        """
        return super().client_plugin(name)

    def handle_create(self):
        """Make the group with its rules."""
        self.resource_id_set(self._made(
            self.sdk().create_security_group,
            name=self.physical_resource_name(),
            description=self.properties[self.GROUP_DESCRIPTION]).id)
        self._have(self.properties)

    def handle_update(self, json_snippet, tmpl_diff, prop_diff):
        """Change the rules."""
        if prop_diff:
            self._have(json_snippet.properties(self.properties_schema,
                                               self.context))

    def _have(self, props):
        security_group.have_rules(self.client_plugin(), self.resource_id, [
            self._request(direction, rule)
            for direction, name in (('ingress', self.SECURITY_GROUP_INGRESS),
                                    ('egress', self.SECURITY_GROUP_EGRESS))
            for rule in props[name] or ()])

    def _request(self, direction, rule):
        """Return a rule as the network service has it."""
        cidr = rule[self.RULE_CIDR_IP]
        wanted = {
            'direction': direction,
            'ethertype': _family(cidr),
            'remote_ip_prefix': cidr,
            'remote_group_id': self._other_group(rule),
            'protocol': rule[self.RULE_IP_PROTOCOL],
            'port_range_min': _number(rule[self.RULE_FROM_PORT]),
            'port_range_max': _number(rule[self.RULE_TO_PORT]),
        }
        if str(wanted['protocol'] or '-1').lower() in _ANY:
            # Port numbers make sense for some of the protocols only.
            for key in ('protocol', 'port_range_min', 'port_range_max'):
                wanted[key] = None
        return {key: value for key, value in wanted.items()
                if value is not None}

    def _other_group(self, rule):
        group = (rule[self.RULE_SOURCE_SECURITY_GROUP_ID] or
                 rule[self.RULE_SOURCE_SECURITY_GROUP_NAME])
        return group and self.client_plugin().get_secgroup_uuids([group])[0]


def _number(text):
    """Return a port number, None for any."""
    try:
        number = None if text in (None, '') else int(text)
    except ValueError:
        raise exception.StackValidationFailed(message=_(
            '"%s" is not a valid port number') % text) from None
    return None if number == -1 else number


def _family(cidr):
    """Return the family of addresses, IPv4 unless they tell otherwise."""
    try:
        return 'IPv%d' % ipaddress.ip_network(cidr, strict=False).version
    except (TypeError, ValueError):
        return 'IPv4'
