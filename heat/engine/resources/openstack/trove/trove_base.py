"""What instances and clusters of Trove share."""
from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints
from heat.engine import properties
from heat.engine.resources import sdk_resource

#: The states of an instance in which Trove works on it.
BUSY = frozenset(['BUILD', 'BACKUP', 'EJECT', 'DETACH', 'PROMOTE', 'REBOOT',
                  'RESIZE', 'UPGRADE', 'RESTART_REQUIRED', 'NEW', 'BLOCKED'])
FAILED = frozenset(['ERROR', 'FAILED'])


def networks_schema():
    """Return the schema of the network cards of an instance."""
    return properties.map(
        _('One network interface.'),
        schema={
            'network': properties.string(
                _('Network, by name or ID.'),
                constraints=[constraints.ref('neutron.network')]),
            'port': properties.string(
                _('Port, by name or ID.'),
                constraints=[constraints.ref('neutron.port')]),
            'fixed_ip': properties.string(
                _('Fixed IP address in the network.'),
                constraints=[constraints.CustomConstraint('ip_addr')]),
        })


class TroveResource(sdk_resource.SDKResource):
    """Base of instances and clusters of databases."""

    default_client_name = 'trove'

    def _validate_networks(self, networks, *path):
        """Check that each network card names either a network or a port."""
        for card in networks or ():
            if bool(card['network']) == bool(card['port']):
                raise self._refuse(_(
                    'Specify either "network" or "port"'), *path)

    def _refuse(self, message, *path):
        return exception.StackValidationFailed(
            path=[self.stack.t.get_section_name('resources'), self.name,
                  self.stack.t.RES_PROPERTIES, *path], message=message)

    def _is_ready(self):
        # Trove answers that a rate is exceeded: that passes.
        try:
            return super()._is_ready()
        except Exception as error:
            if not self.client_plugin().is_over_limit(error):
                raise
            return False


def nics(networks):
    """Return network cards as requests have them."""
    names = {'network': 'net-id', 'port': 'port-id',
             'fixed_ip': 'v4-fixed-ip'}
    return [{names[name]: value for name, value in card.items()
             if value is not None} for card in networks]
