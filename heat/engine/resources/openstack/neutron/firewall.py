"""Firewalls of Neutron."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron

_READY = sdk_resource.WaitFor(
    ready=frozenset(['ACTIVE', 'INACTIVE', 'DOWN', 'CREATED']),
    pending=frozenset(['PENDING_CREATE', 'PENDING_UPDATE']),
    failed=frozenset(['ERROR']))


class Firewall(neutron.ExtensionResource):
    """A firewall of Firewall as a Service, version 1.

    It applies the rules of its policy to the routers of the project.
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
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        DESCRIPTION: fragments.description(),
        FIREWALL_POLICY_ID: properties.string(
            _('ID of the firewall policy.'), required=True,
            update_allowed=True),
        SHARED: properties.boolean(
            _('Whether the resource is shared with all projects. By default '
              'only administrators may set it.'),
            update_allowed=True,
            support_status=support.SupportStatus(
                status=support.UNSUPPORTED, version='6.0.0',
                previous_status=support.SupportStatus(version='2015.1'))),
        VALUE_SPECS: fragments.value_specs(
            support_status=support.SupportStatus(version='5.0.0')),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: fragments.admin_state_up_attribute(),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        FIREWALL_POLICY_ID_ATTR: fragments.text(
            _('ID of the firewall policy.')),
        NAME_ATTR: fragments.name_attribute(),
        SHARED_ATTR: attributes.Schema(
            _('Whether the resource is shared with all projects.'),
            support_status=support.SupportStatus(
                status=support.UNSUPPORTED, version='6.0.0'),
            type=attributes.Schema.STRING),
        STATUS_ATTR: fragments.status_attribute(),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    ready = _READY
    gone = sdk_resource.WaitFor(failed=frozenset(['ERROR']))


class FirewallPolicy(neutron.ExtensionResource):
    """The policy of a firewall: an ordered list of rules.

    Traffic that no rule allows is dropped.
    """

    type_name = 'OS::Neutron::FirewallPolicy'
    required_service_extension = 'fwaas'
    entity = 'firewall_policy'
    #: Neutron resets it whenever a rule changes.
    drift_ignored = ('audited',)

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
        NAME: fragments.name(),
        AUDITED: properties.boolean(
            _('Whether the policy has been audited. Any change resets it to '
              'false.'),
            default=False, update_allowed=True),
        DESCRIPTION: fragments.description(),
        FIREWALL_RULES: properties.list(
            _('IDs of the rules of the policy, in the order in which they '
              'apply.'),
            update_allowed=True),
        SHARED: fragments.shared(),
    }

    attributes_schema = {
        AUDITED_ATTR: fragments.text(
            _('Whether the policy has been audited. Any change resets it to'
              ' false.')),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        FIREWALL_RULES_ATTR: attributes.Schema(
            _('IDs of the rules of the policy, in the order in which they '
              'apply.'),
            type=attributes.Schema.LIST),
        NAME_ATTR: fragments.name_attribute(),
        SHARED_ATTR: fragments.shared_attribute(),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }


class FirewallRule(neutron.ExtensionResource):
    """A rule of a firewall.

    It has no effect until a policy contains it.
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
        NAME: fragments.name(),
        ACTION: properties.string(
            _('Action applied to packets that match the rule.'),
            default='deny',
            constraints=[constraints.AllowedValues(['allow', 'deny'])],
            update_allowed=True),
        DESCRIPTION: fragments.description(),
        DESTINATION_IP_ADDRESS: properties.string(
            _('Destination IP address or network of the packets.'),
            constraints=[constraints.CustomConstraint('net_cidr')],
            update_allowed=True),
        DESTINATION_PORT: properties.string(
            _('Destination port number or range of port numbers.'),
            update_allowed=True),
        ENABLED: properties.boolean(
            _('Whether the '
              'rule is enabled.'), default=True, update_allowed=True),
        IP_VERSION: properties.string(
            _('IP version, 4 or 6.'), default='4',
            constraints=[constraints.AllowedValues(['4', '6'])],
            update_allowed=True),
        PROTOCOL: properties.string(
            _('IP protocol of the packets.'), default='any',
            constraints=[constraints.AllowedValues(['tcp', 'udp', 'icmp',
                'any'])],
            update_allowed=True),
        SHARED: fragments.shared(),
        SOURCE_IP_ADDRESS: properties.string(
            _('Source IP address or network of the packets.'),
            constraints=[constraints.CustomConstraint('net_cidr')],
            update_allowed=True),
        SOURCE_PORT: properties.string(
            _('Source port number or range of port numbers.'),
            update_allowed=True),
    }

    attributes_schema = {
        ACTION_ATTR: fragments.text(
            _('Action applied to packets that match the rule.')),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        DESTINATION_IP_ADDRESS_ATTR: fragments.text(
            _('Destination IP address or network of the packets.')),
        DESTINATION_PORT_ATTR: fragments.text(
            _('Destination port number or range of port numbers.')),
        ENABLED_ATTR: fragments.text(_('Whether the rule is enabled.')),
        FIREWALL_POLICY_ID_ATTR: fragments.text(
            _('ID of the firewall policy.')),
        IP_VERSION_ATTR: fragments.text(_('IP version.')),
        NAME_ATTR: fragments.name_attribute(),
        POSITION_ATTR: fragments.text(
            _('Position of the rule in its policy.')),
        PROTOCOL_ATTR: fragments.text(_('IP protocol of the packets.')),
        SHARED_ATTR: fragments.shared_attribute(),
        SOURCE_IP_ADDRESS_ATTR: fragments.text(
            _('Source IP address or network of the packets.')),
        SOURCE_PORT_ATTR: fragments.text(
            _('Source port number or range of port numbers.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
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
