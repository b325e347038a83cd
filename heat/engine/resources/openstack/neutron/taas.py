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
    """A port that receives mirrored traffic.

    Tap flows select the traffic.
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
            _('Name of the resource. It need not be unique.'), default='',
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), default='',
            update_allowed=True),
        PORT: properties.string(
            _('Port to which mirrored packets are sent, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
    }

    rename = {PORT: 'port_id'}
    ready = _READY
    gone = _GONE


class TapFlow(neutron.NeutronResource):
    """A port whose traffic is mirrored to a tap service.

    All packets, or only those of specified VLANs, are mirrored.
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
            _('Name of the resource. It need not be unique.'), default='',
            update_allowed=True),
        DESCRIPTION: properties.string(
            _('Description of the resource.'), default='',
            update_allowed=True),
        DIRECTION: properties.string(
            _('Direction of the packets to mirror: ingress, egress or both.'),
            default='BOTH',
            constraints=[constraints.AllowedValues(['IN', 'OUT', 'BOTH'])]),
        PORT: properties.string(
            _('Port whose traffic is mirrored, by name or ID.'),
            required=True, constraints=[constraints.ref('neutron.port')]),
        TAP_SERVICE: properties.string(
            _('Tap service that receives the mirrored packets, by name or '
              'ID.'),
            required=True,
            constraints=[constraints.ref('neutron.taas.tap_service')]),
        VLAN_FILTER: properties.string(
            _('VLAN IDs and ranges of VLAN IDs whose packets are mirrored.'),
            constraints=[constraints.AllowedPattern('^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$')]),
    }

    rename = {PORT: 'source_port', TAP_SERVICE: 'tap_service_id'}
    ready = _READY
    gone = _GONE
