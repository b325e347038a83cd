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
    """Resource to manage AWS security groups.

    It is a security group of Neutron. As long as it has no rules about
    packets that leave, all of them may.
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
            _('The addresses of the other side.')),
        RULE_FROM_PORT: properties.string(
            _('The first port number, or the type of an ICMP message.')),
        RULE_TO_PORT: properties.string(
            _('The last port number, or the code of an ICMP message.')),
        RULE_IP_PROTOCOL: properties.string(
            _('The protocol, by name or number; -1 for all of them.')),
        RULE_SOURCE_SECURITY_GROUP_ID: properties.string(
            _('The id of the group that the other side has to be in.')),
        RULE_SOURCE_SECURITY_GROUP_NAME: properties.string(
            _('The name of the group that the other side has to be in.')),
        RULE_SOURCE_SECURITY_GROUP_OWNER_ID: properties.string(
            _('The owner of the group of the other side.'),
            implemented=False),
    }

    properties_schema = {
        GROUP_DESCRIPTION: properties.string(
            _('What the group is for, in words for people.'),
            required=True),
        VPC_ID: properties.string(
            _('The network of the group, which is of no importance.')),
        SECURITY_GROUP_INGRESS: properties.list(
            _('The packets that may arrive.'),
            schema=properties.map(_('A rule.'), schema=_rule_schema),
            update_allowed=True),
        SECURITY_GROUP_EGRESS: properties.list(
            _('The packets that may leave.'),
            schema=properties.map(_('A rule.'), schema=_rule_schema),
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
            '"%s" is no port number') % text) from None
    return None if number == -1 else number


def _family(cidr):
    """Return the family of addresses, IPv4 unless they tell otherwise."""
    try:
        return 'IPv%d' % ipaddress.ip_network(cidr, strict=False).version
    except (TypeError, ValueError):
        return 'IPv4'
