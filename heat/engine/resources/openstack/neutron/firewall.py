"""Firewalls of Neutron."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import neutron

_READY = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE', 'INACTIVE', 'DOWN', 'CREATED']),
    pending=frozenset(['PENDING_CREATE', 'PENDING_UPDATE']),
    failed=frozenset(['ERROR']))


class Firewall(neutron.ExtensionResource):
    """A firewall of the first version of that service.

    It guards the routers of the project by the rules of its policy.
    """

    type_name = 'OS::Neutron::Firewall'
    required_service_extension = 'fwaas'
    entity = 'firewall'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, DESCRIPTION, FIREWALL_POLICY_ID, SHARED,
        VALUE_SPECS,
    ) = (
        'name', 'admin_state_up', 'description', 'firewall_policy_id',
        'shared', 'value_specs',
    )
    ATTRIBUTES = (
        ADMIN_STATE_UP_ATTR, DESCRIPTION_ATTR, FIREWALL_POLICY_ID_ATTR,
        NAME_ATTR, SHARED_ATTR, STATUS_ATTR, TENANT_ID_ATTR,
    ) = (
        'admin_state_up', 'description', 'firewall_policy_id', 'name',
        'shared', 'status', 'tenant_id',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        ADMIN_STATE_UP: properties.boolean(
            _('Whether the resource is administratively up.'), default=True,
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        FIREWALL_POLICY_ID: properties.string(
            _('The policy that the firewall carries out.'), required=True,
            update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.UNSUPPORTED, version='6.0.0',
                previous_status=support.SupportStatus(version='2015.1'))),
        VALUE_SPECS: properties.map(
            _('Parameters of extensions to be sent along as they are.'),
            default={}, update_allowed=True,
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: attributes.Schema(
            _('Whether the resource '
              'is administratively up.'), type=attributes.Schema.STRING),
        DESCRIPTION_ATTR: attributes.Schema(
            _('Description of the resource.'),
            type=attributes.Schema.STRING),
        FIREWALL_POLICY_ID_ATTR: attributes.Schema(
            _('The policy that the firewall carries out.'),
            type=attributes.Schema.STRING),
        NAME_ATTR: attributes.Schema(
            _('The name.'), type=attributes.Schema.STRING),
        SHARED_ATTR: attributes.Schema(
            _('Whether the resource is shared with all projects.'),
            support_status=support.SupportStatus(
                status=support.UNSUPPORTED, version='6.0.0'),
            type=attributes.Schema.STRING),
        STATUS_ATTR: attributes.Schema(
            _('The status.'), type=attributes.Schema.STRING),
        TENANT_ID_ATTR: attributes.Schema(
            _('The project that owns it.'), type=attributes.Schema.STRING),
    }

    ready = _READY
    gone = sdk_resource.WaitFor(failed=frozenset(['ERROR']))


class FirewallPolicy(neutron.ExtensionResource):
    """The rules of a firewall, in the order in which they apply.

    What no rule allows is dropped.
    """

    type_name = 'OS::Neutron::FirewallPolicy'
    required_service_extension = 'fwaas'
    entity = 'firewall_policy'

    PROPERTIES = (
        NAME, AUDITED, DESCRIPTION, FIREWALL_RULES, SHARED,
    ) = (
        'name', 'audited', 'description', 'firewall_rules', 'shared',
    )
    ATTRIBUTES = (
        AUDITED_ATTR, DESCRIPTION_ATTR, FIREWALL_RULES_ATTR, NAME_ATTR,
        SHARED_ATTR, TENANT_ID_ATTR,
    ) = (
        'audited', 'description', 'firewall_rules', 'name', 'shared',
        'tenant_id',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        AUDITED: properties.boolean(
            _('Whether the policy has been audited. Any change resets it to '
              'false.'),
            default=False, update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        FIREWALL_RULES: properties.list(
            _('The rules of the policy in the order in which they apply.'),
            update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False, update_allowed=True),
    }

    attributes_schema = {
        AUDITED_ATTR: attributes.Schema(
            _('Whether the policy has been audited. Any change resets it to '
              'false.'),
            type=attributes.Schema.STRING),
        DESCRIPTION_ATTR: attributes.Schema(
            _('Description of the resource.'),
            type=attributes.Schema.STRING),
        FIREWALL_RULES_ATTR: attributes.Schema(
            _('The rules of the policy in the order in which they apply.'),
            type=attributes.Schema.LIST),
        NAME_ATTR: attributes.Schema(
            _('The name.'), type=attributes.Schema.STRING),
        SHARED_ATTR: attributes.Schema(
            _('Whether the resource is shared with all projects.'),
            type=attributes.Schema.STRING),
        TENANT_ID_ATTR: attributes.Schema(
            _('The project that owns it.'), type=attributes.Schema.STRING),
    }


class FirewallRule(neutron.ExtensionResource):
    """A rule of a firewall.

    It has no effect before a policy has it.
    """

    type_name = 'OS::Neutron::FirewallRule'
    required_service_extension = 'fwaas'
    entity = 'firewall_rule'

    PROPERTIES = (
        NAME, ACTION, DESCRIPTION, DESTINATION_IP_ADDRESS,
        DESTINATION_PORT, ENABLED, IP_VERSION, PROTOCOL, SHARED,
        SOURCE_IP_ADDRESS, SOURCE_PORT,
    ) = (
        'name', 'action', 'description', 'destination_ip_address',
        'destination_port', 'enabled', 'ip_version', 'protocol',
        'shared', 'source_ip_address', 'source_port',
    )
    ATTRIBUTES = (
        ACTION_ATTR, DESCRIPTION_ATTR, DESTINATION_IP_ADDRESS_ATTR,
        DESTINATION_PORT_ATTR, ENABLED_ATTR, FIREWALL_POLICY_ID_ATTR,
        IP_VERSION_ATTR, NAME_ATTR, POSITION_ATTR, PROTOCOL_ATTR,
        SHARED_ATTR, SOURCE_IP_ADDRESS_ATTR, SOURCE_PORT_ATTR,
        TENANT_ID_ATTR,
    ) = (
        'action', 'description', 'destination_ip_address',
        'destination_port', 'enabled', 'firewall_policy_id',
        'ip_version', 'name', 'position', 'protocol', 'shared',
        'source_ip_address', 'source_port', 'tenant_id',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), update_allowed=True),
        ACTION: properties.string(
            _('Action applied to packets that match the rule.'),
            default='deny',
            constraints=[constraints.AllowedValues(['allow', 'deny'])],
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), update_allowed=True),
        DESTINATION_IP_ADDRESS: properties.string(
            _('Destination address or network of the packets.'),
            constraints=[constraints.CustomConstraint('net_cidr')],
            update_allowed=True),
        DESTINATION_PORT: properties.string(
            _('The port number, or range of port numbers, that packets go '
              'to.'),
            update_allowed=True),
        ENABLED: properties.boolean(
            _('Whether the '
              'rule is enabled.'), default=True, update_allowed=True),
        IP_VERSION: properties.string(
            _('The address family, 4 or 6.'), default='4',
            constraints=[constraints.AllowedValues(['4', '6'])],
            update_allowed=True),
        PROTOCOL: properties.string(
            _('The protocol of the packets.'), default='any',
            constraints=[constraints.AllowedValues(['tcp', 'udp', 'icmp',
                'any'])],
            update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            default=False, update_allowed=True),
        SOURCE_IP_ADDRESS: properties.string(
            _('Source address or network of the packets.'),
            constraints=[constraints.CustomConstraint('net_cidr')],
            update_allowed=True),
        SOURCE_PORT: properties.string(
            _('The port number, or range of port numbers, that packets '
              'come from.'),
            update_allowed=True),
    }

    attributes_schema = {
        ACTION_ATTR: attributes.Schema(
            _('Action applied to packets that match the rule.'),
            type=attributes.Schema.STRING),
        DESCRIPTION_ATTR: attributes.Schema(
            _('Description of the resource.'),
            type=attributes.Schema.STRING),
        DESTINATION_IP_ADDRESS_ATTR: attributes.Schema(
            _('Destination address or network of the packets.'),
            type=attributes.Schema.STRING),
        DESTINATION_PORT_ATTR: attributes.Schema(
            _('The port number, or range of port numbers, that packets go '
              'to.'),
            type=attributes.Schema.STRING),
        ENABLED_ATTR: attributes.Schema(
            _('Whether the rule is enabled.'), type=attributes.Schema.STRING),
        FIREWALL_POLICY_ID_ATTR: attributes.Schema(
            _('The policy that the firewall carries out.'),
            type=attributes.Schema.STRING),
        IP_VERSION_ATTR: attributes.Schema(
            _('The address family.'), type=attributes.Schema.STRING),
        NAME_ATTR: attributes.Schema(
            _('The name.'), type=attributes.Schema.STRING),
        POSITION_ATTR: attributes.Schema(
            _('The position of the rule in its policy.'),
            type=attributes.Schema.STRING),
        PROTOCOL_ATTR: attributes.Schema(
            _('The protocol of the packets.'), type=attributes.Schema.STRING),
        SHARED_ATTR: attributes.Schema(
            _('Whether the resource is shared with all projects.'),
            type=attributes.Schema.STRING),
        SOURCE_IP_ADDRESS_ATTR: attributes.Schema(
            _('Source address or network of the packets.'),
            type=attributes.Schema.STRING),
        SOURCE_PORT_ATTR: attributes.Schema(
            _('The port number, or range of port numbers, that packets '
              'come from.'),
            type=attributes.Schema.STRING),
        TENANT_ID_ATTR: attributes.Schema(
            _('The project that owns it.'), type=attributes.Schema.STRING),
    }

    def prepare_create(self, body):
        """Name no protocol where the rule is for all."""
        return _any_is_none(super().prepare_create(body))

    def prepare_update(self, body, prop_diff):
        """Name no protocol where the rule is for all."""
        return _any_is_none(super().prepare_update(body, prop_diff))


def _any_is_none(body):
    if body.get('protocol') == 'any':
        body['protocol'] = None
    return body
