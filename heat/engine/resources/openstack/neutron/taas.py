"""Taps of Neutron: copies of traffic."""
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine import support
from heat.engine.resources import sdk_resource
from heat.engine.resources.openstack.neutron import neutron

_READY = sdk_resource.WaitFor(ready=frozenset(['ACTIVE']),
                              failed=frozenset(['ERROR']))
_GONE = sdk_resource.WaitFor(failed=frozenset(['ERROR']))


class TapService(neutron.NeutronResource):
    """A port to which copies of traffic are sent.

    Tap flows say which traffic that is.
    """

    type_name = 'OS::Neutron::TaaS::TapService'
    support_status = support.SupportStatus(version='12.0.0')
    required_service_extension = 'taas'
    entity = 'tap_service'

    PROPERTIES = (
        NAME, DESCRIPTION, PORT,
    ) = (
        'name', 'description', 'port',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), default='',
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), default='',
            update_allowed=True),
        PORT: properties.string(
            _('The port to which copies are sent, by name or id.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
    }

    rename = {PORT: 'port_id'}
    ready = _READY
    gone = _GONE


class TapFlow(neutron.NeutronResource):
    """A port whose traffic is copied to a tap service.

    All packets are copied, or those of certain VLANs only.
    """

    type_name = 'OS::Neutron::TaaS::TapFlow'
    support_status = support.SupportStatus(version='12.0.0')
    required_service_extension = 'taas'
    entity = 'tap_flow'

    PROPERTIES = (
        NAME, DESCRIPTION, DIRECTION, PORT, TAP_SERVICE, VLAN_FILTER,
    ) = (
        'name', 'description', 'direction', 'port', 'tap_service',
        'vlan_filter',
    )

    properties_schema = {
        NAME: properties.string(
            _('The name. It need not be unique.'), default='',
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), default='',
            update_allowed=True),
        DIRECTION: properties.string(
            _('Whether ingress packets, egress packets or both are mirrored.'),
            default='BOTH',
            constraints=[constraints.AllowedValues(['IN', 'OUT', 'BOTH'])]),
        PORT: properties.string(
            _('The port whose traffic is copied, by name or id.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        TAP_SERVICE: properties.string(
            _('The tap service that gets the copies, by name or id.'),
            required=True,
            constraints=[constraints.ref('neutron.taas.tap_service')]),
        VLAN_FILTER: properties.string(
            _('The VLAN ids, single ones and ranges, whose packets are '
              'copied.'),
            constraints=[constraints.AllowedPattern('^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$')]),
    }

    rename = {PORT: 'source_port', TAP_SERVICE: 'tap_service_id'}
    ready = _READY
    gone = _GONE
