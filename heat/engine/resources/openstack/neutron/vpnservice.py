"""Virtual private networks of Neutron."""
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine import translation
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import fragments
from heat.engine.resources.openstack.neutron import neutron

_AUTH_ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512', 'aes-xcbc',
                    'aes-cmac']
_SIZES = (128, 192, 256)
_ENCRYPTION_ALGORITHMS = [
    '3des', *('aes-%d' % size for size in _SIZES),
    *('aes-%d-%s-%d' % (size, mode, check) for mode in ('ccm', 'gcm')
      for check in (8, 12, 16) for size in _SIZES),
    *('aes-%d-ctr' % size for size in _SIZES)]
_GROUPS = ['group%d' % number for number in (2, 5, *range(14, 32))]


class VPNService(neutron.NeutronResource):
    """A VPN service of Neutron.

    It makes a subnet behind a router reachable from other sites.
    """

    type_name = 'OS::Neutron::VPNService'
    required_service_extension = 'vpnaas'
    entity = 'vpnservice'
    noun = 'vpn_service'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, DESCRIPTION, ROUTER, ROUTER_ID, SUBNET,
        SUBNET_ID,
    ) = (
        'name', 'admin_state_up', 'description', 'router', 'router_id',
        'subnet', 'subnet_id',
    )
    ATTRIBUTES = (
        ADMIN_STATE_UP_ATTR, DESCRIPTION_ATTR, NAME_ATTR,
        ROUTER_ID_ATTR, STATUS_ATTR, SUBNET_ID_ATTR, TENANT_ID_ATTR,
    ) = (
        'admin_state_up', 'description', 'name', 'router_id', 'status',
        'subnet_id', 'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        DESCRIPTION: fragments.description(),
        ROUTER: properties.string(
            _('Router of the VPN service, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.router')],
            support_status=support.SupportStatus(version='2015.1')),
        ROUTER_ID: properties.string(
            _('Deprecated name of "router".'),
            constraints=[constraints.CustomConstraint('neutron.router')],
            support_status=neutron.hidden('6.0.0', '2015.1', '2013.2')),
        SUBNET: properties.string(
            _('Subnet that is reachable through the VPN service, by name or '
              'ID.'),
            required=True, constraints=[constraints.ref('neutron.subnet')],
            support_status=support.SupportStatus(version='2014.2')),
        SUBNET_ID: properties.string(
            _('Deprecated name of "subnet".'),
            constraints=[constraints.CustomConstraint('neutron.subnet')],
            support_status=neutron.hidden('5.0.0', '2014.2')),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: fragments.admin_state_up_attribute(),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        NAME_ATTR: fragments.name_attribute(),
        ROUTER_ID_ATTR: fragments.text(_('ID of the router.')),
        STATUS_ATTR: fragments.status_attribute(),
        SUBNET_ID_ATTR: fragments.text(_('ID of the subnet.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }

    rename = {ROUTER: 'router_id', SUBNET: 'subnet_id'}
    omit = (*neutron.NeutronResource.omit, ROUTER_ID, SUBNET_ID)
    # It is not built before a connection needs it.
    ready = sdk_resource.WaitFor(
        ready=frozenset(['ACTIVE', 'DOWN', 'PENDING_CREATE']),
        pending=frozenset(['PENDING_UPDATE']),
        failed=frozenset(['ERROR']))

    def translation_rules(self, properties):
        """Return rules for the old names of properties and for ids."""
        return [*super().translation_rules(properties), *(
            translation.TranslationRule(
                properties, translation.TranslationRule.REPLACE, [new],
                value_path=[old])
            for new, old in ((self.ROUTER, self.ROUTER_ID),
                             (self.SUBNET, self.SUBNET_ID)))]


class IPsecSiteConnection(neutron.NeutronResource):
    """A connection of a VPN service to another site.

    Both sites must use the same pre-shared key and matching policies.
    """

    type_name = 'OS::Neutron::IPsecSiteConnection'
    required_service_extension = 'vpnaas'
    entity = 'ipsec_site_connection'
    noun = 'vpn_ipsec_site_connection'

    PROPERTIES = (
        NAME, ADMIN_STATE_UP, DESCRIPTION, DPD, IKEPOLICY_ID,
        INITIATOR, IPSECPOLICY_ID, MTU, PEER_ADDRESS, PEER_CIDRS,
        PEER_ID, PSK, VPNSERVICE_ID,
    ) = (
        'name', 'admin_state_up', 'description', 'dpd', 'ikepolicy_id',
        'initiator', 'ipsecpolicy_id', 'mtu', 'peer_address',
        'peer_cidrs', 'peer_id', 'psk', 'vpnservice_id',
    )
    ATTRIBUTES = (
        ADMIN_STATE_UP_ATTR, AUTH_MODE_ATTR, DESCRIPTION_ATTR,
        DPD_ATTR, IKEPOLICY_ID_ATTR, INITIATOR_ATTR,
        IPSECPOLICY_ID_ATTR, MTU_ATTR, NAME_ATTR, PEER_ADDRESS_ATTR,
        PEER_CIDRS_ATTR, PEER_ID_ATTR, PSK_ATTR, ROUTE_MODE_ATTR,
        STATUS_ATTR, TENANT_ID_ATTR, VPNSERVICE_ID_ATTR,
    ) = (
        'admin_state_up', 'auth_mode', 'description', 'dpd',
        'ikepolicy_id', 'initiator', 'ipsecpolicy_id', 'mtu', 'name',
        'peer_address', 'peer_cidrs', 'peer_id', 'psk', 'route_mode',
        'status', 'tenant_id', 'vpnservice_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        ADMIN_STATE_UP: fragments.admin_state_up(),
        DESCRIPTION: fragments.description(),
        DPD: properties.map(
            _('Dead peer detection settings.'),
            schema={
                'actions': properties.string(
                    _('Action to take when the peer is considered '
                      'dead.'), default='hold',
                    constraints=[constraints.AllowedValues(['clear',
                        'disabled', 'hold', 'restart', 'restart-by-peer'])]),
                'interval': properties.integer(
                    _('Interval between two probes of the peer in seconds.'),
                    default=30),
                'timeout': properties.integer(
                    _('Number of seconds without a reply after which the peer '
                      'is considered dead.'),
                    default=120),
            }),
        IKEPOLICY_ID: properties.string(
            _('ID of the IKE policy of the connection.'), required=True),
        INITIATOR: properties.string(
            _('Which side may '
              'initiate the connection.'), default='bi-directional',
            constraints=[constraints.AllowedValues(['bi-directional',
                'response-only'])]),
        IPSECPOLICY_ID: properties.string(
            _('ID of the IPsec policy of the connection.'), required=True),
        MTU: properties.integer(
            _('Maximum transmission unit (MTU) of the connection in bytes.'),
            default=1500),
        PEER_ADDRESS: properties.string(
            _('IP address or host name of the peer gateway.'),
            required=True),
        PEER_CIDRS: properties.list(
            _('Networks behind the peer gateway, in CIDR notation.'),
            required=True,
            schema=properties.string(
                _('Networks behind the peer gateway, in CIDR notation.'),
                constraints=[constraints.CustomConstraint('net_cidr')])),
        PEER_ID: properties.string(
            _('Identity of the peer: an IP address, a host name or an e-mail '
              'address.'),
            required=True),
        PSK: properties.string(
            _('Pre-shared key of both sides.'), required=True),
        VPNSERVICE_ID: properties.string(
            _('ID of the VPN service to which the connection belongs.'),
            required=True),
    }

    attributes_schema = {
        ADMIN_STATE_UP_ATTR: fragments.admin_state_up_attribute(),
        AUTH_MODE_ATTR: fragments.text(
            _('Authentication mode of the connection.')),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        DPD_ATTR: attributes.Schema(
            _('Dead peer detection settings.'),
            type=attributes.Schema.MAP),
        IKEPOLICY_ID_ATTR: fragments.text(
            _('ID of the IKE policy of the connection.')),
        INITIATOR_ATTR: fragments.text(
            _('Which side may initiate the connection.')),
        IPSECPOLICY_ID_ATTR: fragments.text(
            _('ID of the IPsec policy of the connection.')),
        MTU_ATTR: fragments.text(
            _('Maximum transmission unit (MTU) of the connection in bytes.')),
        NAME_ATTR: fragments.name_attribute(),
        PEER_ADDRESS_ATTR: fragments.text(
            _('IP address or host name of the peer gateway.')),
        PEER_CIDRS_ATTR: attributes.Schema(
            _('Networks behind the peer gateway, in CIDR notation.'),
            type=attributes.Schema.LIST),
        PEER_ID_ATTR: fragments.text(
            _('Identity of the peer: an IP address, a host name or an '
              'e-mail address.')),
        PSK_ATTR: fragments.text(_('Pre-shared key of both sides.')),
        ROUTE_MODE_ATTR: fragments.text(_('Route mode of the connection.')),
        STATUS_ATTR: fragments.status_attribute(),
        TENANT_ID_ATTR: fragments.owner_attribute(),
        VPNSERVICE_ID_ATTR: fragments.text(
            _('ID of the VPN service to which the connection belongs.')),
    }

    ready = sdk_resource.WaitFor(
        ready=frozenset(['ACTIVE', 'DOWN']),
        pending=frozenset(['PENDING_CREATE', 'PENDING_UPDATE']),
        failed=frozenset(['ERROR']))

    def prepare_create(self, body):
        """Name what notices a dead peer as requests do."""
        if self.DPD in body:
            dpd = neutron.renamed(body[self.DPD], actions='action')
            body[self.DPD] = dpd
        return super().prepare_create(body)


class IKEPolicy(neutron.NeutronResource):
    """The policy of the key exchange of VPN connections.

    Several connections can use the same policy.
    """

    type_name = 'OS::Neutron::IKEPolicy'
    required_service_extension = 'vpnaas'
    entity = 'ikepolicy'
    noun = 'vpn_ike_policy'

    PROPERTIES = (
        NAME, AUTH_ALGORITHM, DESCRIPTION, ENCRYPTION_ALGORITHM,
        IKE_VERSION, LIFETIME, PFS, PHASE1_NEGOTIATION_MODE,
    ) = (
        'name', 'auth_algorithm', 'description',
        'encryption_algorithm', 'ike_version', 'lifetime', 'pfs',
        'phase1_negotiation_mode',
    )
    ATTRIBUTES = (
        AUTH_ALGORITHM_ATTR, DESCRIPTION_ATTR,
        ENCRYPTION_ALGORITHM_ATTR, IKE_VERSION_ATTR, LIFETIME_ATTR,
        NAME_ATTR, PFS_ATTR, PHASE1_NEGOTIATION_MODE_ATTR,
        TENANT_ID_ATTR,
    ) = (
        'auth_algorithm', 'description', 'encryption_algorithm',
        'ike_version', 'lifetime', 'name', 'pfs',
        'phase1_negotiation_mode', 'tenant_id',
    )

    properties_schema = {
        NAME: fragments.name(),
        AUTH_ALGORITHM: properties.string(
            _('Authentication algorithm.'), default='sha1',
            constraints=[constraints.AllowedValues(_AUTH_ALGORITHMS)],
            update_allowed=True),
        DESCRIPTION: fragments.description(),
        ENCRYPTION_ALGORITHM: properties.string(
            _('Encryption algorithm.'), default='aes-128',
            constraints=[constraints.AllowedValues(_ENCRYPTION_ALGORITHMS)],
            update_allowed=True),
        IKE_VERSION: properties.string(
            _('Version of the IKE protocol.'), default='v1',
            constraints=[constraints.AllowedValues(['v1', 'v2'])],
            update_allowed=True),
        LIFETIME: properties.map(
            _('Lifetime of the security association.'),
            schema={
                'units': properties.string(
                    _('Unit of the lifetime.'), default='seconds',
                    constraints=[constraints.AllowedValues(['seconds',
                        'kilobytes'])]),
                'value': properties.integer(
                    _('Lifetime in the given unit.'), default=3600),
            },
            update_allowed=True),
        PFS: properties.string(
            _('Diffie-Hellman group for perfect forward secrecy.'),
            default='group5',
            constraints=[constraints.AllowedValues(_GROUPS)],
            update_allowed=True),
        PHASE1_NEGOTIATION_MODE: properties.string(
            _('Negotiation mode of phase 1.'), default='main',
            constraints=[constraints.AllowedValues(['main'])]),
    }

    attributes_schema = {
        AUTH_ALGORITHM_ATTR: fragments.text(_('Authentication algorithm.')),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        ENCRYPTION_ALGORITHM_ATTR: fragments.text(_('Encryption algorithm.')),
        IKE_VERSION_ATTR: fragments.text(
            _('Version of the IKE protocol.')),
        LIFETIME_ATTR: attributes.Schema(
            _('Lifetime of the '
              'security association.'), type=attributes.Schema.MAP),
        NAME_ATTR: fragments.name_attribute(),
        PFS_ATTR: fragments.text(
            _('Diffie-Hellman group for perfect forward secrecy.')),
        PHASE1_NEGOTIATION_MODE_ATTR: fragments.text(
            _('Negotiation mode of phase 1.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
    }


class IPsecPolicy(neutron.NeutronResource):
    """The policy of the packet protection of VPN connections.

    Several connections can use the same policy.
    """

    type_name = 'OS::Neutron::IPsecPolicy'
    required_service_extension = 'vpnaas'
    entity = 'ipsecpolicy'
    noun = 'vpn_ipsec_policy'

    PROPERTIES = (
        NAME, AUTH_ALGORITHM, DESCRIPTION, ENCAPSULATION_MODE,
        ENCRYPTION_ALGORITHM, LIFETIME, PFS, TRANSFORM_PROTOCOL,
    ) = (
        'name', 'auth_algorithm', 'description', 'encapsulation_mode',
        'encryption_algorithm', 'lifetime', 'pfs',
        'transform_protocol',
    )
    ATTRIBUTES = (
        AUTH_ALGORITHM_ATTR, DESCRIPTION_ATTR, ENCAPSULATION_MODE_ATTR,
        ENCRYPTION_ALGORITHM_ATTR, LIFETIME_ATTR, NAME_ATTR, PFS_ATTR,
        TENANT_ID_ATTR, TRANSFORM_PROTOCOL_ATTR,
    ) = (
        'auth_algorithm', 'description', 'encapsulation_mode',
        'encryption_algorithm', 'lifetime', 'name', 'pfs', 'tenant_id',
        'transform_protocol',
    )

    properties_schema = {
        NAME: fragments.name(),
        AUTH_ALGORITHM: properties.string(
            _('Authentication algorithm.'), default='sha1',
            constraints=[constraints.AllowedValues(_AUTH_ALGORITHMS)]),
        DESCRIPTION: fragments.description(),
        ENCAPSULATION_MODE: properties.string(
            _('Encapsulation mode: tunnel encapsulates whole packets, '
              'transport only their payload.'),
            default='tunnel',
            constraints=[constraints.AllowedValues(['tunnel', 'transport'])]),
        ENCRYPTION_ALGORITHM: properties.string(
            _('Encryption algorithm.'), default='aes-128',
            constraints=[constraints.AllowedValues(_ENCRYPTION_ALGORITHMS)]),
        LIFETIME: properties.map(
            _('Lifetime of the security association.'),
            schema={
                'units': properties.string(
                    _('Unit of the lifetime.'), default='seconds',
                    constraints=[constraints.AllowedValues(['seconds',
                        'kilobytes'])]),
                'value': properties.integer(
                    _('Lifetime in the given unit.'), default=3600),
            }),
        PFS: properties.string(
            _('Diffie-Hellman group for perfect forward secrecy.'),
            default='group5',
            constraints=[constraints.AllowedValues(_GROUPS)]),
        TRANSFORM_PROTOCOL: properties.string(
            _('Transform protocol of the policy.'), default='esp',
            constraints=[constraints.AllowedValues(['esp', 'ah', 'ah-esp'])]),
    }

    attributes_schema = {
        AUTH_ALGORITHM_ATTR: fragments.text(_('Authentication algorithm.')),
        DESCRIPTION_ATTR: fragments.description_attribute(),
        ENCAPSULATION_MODE_ATTR: fragments.text(
            _('Encapsulation mode: tunnel encapsulates whole packets, '
              'transport only their payload.')),
        ENCRYPTION_ALGORITHM_ATTR: fragments.text(_('Encryption algorithm.')),
        LIFETIME_ATTR: attributes.Schema(
            _('Lifetime of the '
              'security association.'), type=attributes.Schema.MAP),
        NAME_ATTR: fragments.name_attribute(),
        PFS_ATTR: fragments.text(
            _('Diffie-Hellman group for perfect forward secrecy.')),
        TENANT_ID_ATTR: fragments.owner_attribute(),
        TRANSFORM_PROTOCOL_ATTR: fragments.text(
            _('Transform protocol of the policy.')),
    }
