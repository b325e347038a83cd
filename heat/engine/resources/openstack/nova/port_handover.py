"""Hand over the ports of a server to the server that replaces it."""
from collections.abc import Mapping
import functools
import json
from typing import Any, Protocol

from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources import replacing
from heat.engine.resources import volume_base

#: The resource data with what was lent to a replacement.
_LENT = 'lent_ports'
#: Maximum number of checks, about one per second, whether a port is free.
_PATIENCE = 60


class Ports(Protocol):
    """The ports of a server."""

    def given(self) -> set[str]:
        """Return the ids of the ports that the template names."""

    def made(self, data: Mapping[str, Any]) -> list[str]:
        """Return the ids of the ports that were created for a server.

        :param data: the resource data of that server.
        """

    def floating_ips(self) -> list[str]:
        """Return the ids of the floating IPs of the ports."""


class PortHandover:
    """Lends the ports of a server to the server that replaces it.

    A port belongs to one server and an address to one port. A server that
    is to be replaced gives up both, and takes them back on rollback.

    :param server: the resource
    :param ports: its ports
    """

    def __init__(self, server, ports: Ports):
        self._server = server
        self._ports = ports
        #: The remaining steps of a handover.
        self._handing_over: Any = None

    @property
    def _plugin(self):
        return self._server.client_plugin('neutron')

    @property
    def _client(self):
        return self._server.sdk('neutron')

    def lend(self):
        """Begin to give up ports and addresses for a replacement.

        is_done() returns whether they are free.
        """
        self._hand_over(self._lending())

    def take_back(self, convergence):
        """Begin to take back what lend() gave up.

        is_done() returns whether the server has its ports again.
        """
        self._hand_over(self._taking_back(convergence))

    def is_done(self):
        """Continue the handover; return whether it is complete."""
        return volume_base.is_done(self._handing_over)

    def holder(self, port_id):
        """Return the id of the server that has a port."""
        return self._client.get_port(port_id).device_id

    def _hand_over(self, work):
        self._handing_over = work
        if volume_base.is_done(work):
            self._handing_over = None

    def _lending(self):
        """A task to give up ports and addresses.

        If an engine died during the handover, its record of the original
        ports and addresses is kept for the rollback.
        """
        if self._server.resource_id is None:
            return
        self._server.data_forget()
        known = json.loads(self._server.data().get(_LENT) or '{}')
        given = sorted(self._ports.given())
        addresses = {
            port_id: found or known.get('addresses', {}).get(port_id, [])
            for port_id, found in self._addresses().items()}
        lent = {'addresses': addresses, 'ports': given,
                'floating_ips': {**known.get('floating_ips', {}),
                                 **self._led({*addresses, *given})}}
        if lent != known:
            # Recorded before anything is given up.
            self._server.data_set(_LENT, json.dumps(lent))
        for port_id in lent['addresses']:
            self._client.update_port(port_id, fixed_ips=[])
        for port_id in given:
            yield from self._take_from(self._server.resource_id, port_id)

    def _addresses(self):
        """Return {port: addresses} of the ports created for the server."""
        found = {}
        for port_id in self._ports.made(self._server.data()):
            with self._plugin.ignore_not_found:
                found[port_id] = self._client.get_port(
                    port_id).fixed_ips
        return found

    def _led(self, ports):
        """Return {floating IP: port} of the floating IPs of ports."""
        found = {}
        for floating_ip in self._ports.floating_ips():
            with self._plugin.ignore_not_found:
                port_id = self._client.get_ip(floating_ip).port_id
                if port_id in ports:
                    found[floating_ip] = port_id
        return found

    def _taking_back(self, convergence):
        """A task to take back what the replacement was given."""
        previous, (_id, data) = replacing.replaced_and_replacement(
            self._server, convergence)
        lent = previous.data().get(_LENT) if previous is not None else None
        if lent is None:
            return
        lent = json.loads(lent)
        client, plugin = self._client, self._plugin
        for port_id in self._ports.made(data):
            with plugin.ignore_not_found:
                client.update_port(port_id, fixed_ips=[])
        for port_id, addresses in lent['addresses'].items():
            with plugin.ignore_not_found:
                client.update_port(port_id, fixed_ips=addresses)
        for port_id in lent['ports']:
            with plugin.ignore_not_found:
                yield from self._give_back(previous.resource_id, port_id)
        for floating_ip, port_id in lent['floating_ips'].items():
            with plugin.ignore_not_found:
                client.update_ip(floating_ip, port_id=port_id)
        previous.data_delete(_LENT)

    def _give_back(self, server_id, port_id):
        holder = self.holder(port_id)
        if holder == server_id:
            return
        if holder:
            yield from self._take_from(holder, port_id)
        self._server.client_plugin('nova').interface_attach(server_id,
                                                    port_id=port_id)

    def _take_from(self, server_id, port_id):
        """A task to detach a port from a server and wait until it is free.

        A server in the status ERROR cannot detach ports, so it is deleted.
        """
        plugin, neutron_plugin = (self._server.client_plugin('nova'),
                                  self._plugin)
        with neutron_plugin.ignore_not_found:
            if self.holder(port_id) != server_id:
                return
            for _attempt in range(_PATIENCE):
                is_free = self._detach(plugin, server_id, port_id)
                if is_free is not None:
                    break
                yield
            yield from self._wait_until(
                is_free or functools.partial(self._has_left, port_id,
                                             server_id), server_id, port_id)

    def _detach(self, plugin, server_id, port_id):
        """Begin to detach a port; return a function that is true once done.

        Return None while the server is in a state in which Nova refuses it:
        ask again then.
        """
        try:
            plugin.interface_detach(server_id, port_id)
        except Exception as error:
            if not plugin.is_conflict(error):
                raise
            status = plugin.get_server(server_id).status
            if status == 'VERIFY_RESIZE':
                plugin.verify_resize(server_id)
            if status != 'ERROR':
                return None
            plugin.sdk().delete_server(server_id)
            return functools.partial(plugin.check_delete_server_complete,
                                     server_id)
        return functools.partial(self._has_left, port_id, server_id)

    def _has_left(self, port_id, server_id):
        return self.holder(port_id) != server_id

    @staticmethod
    def _wait_until(is_free, server_id, port_id):
        # The next attachment requires a free port.
        for _look in range(_PATIENCE):
            if is_free():
                return
            yield
        raise exception.Error(_(
            'The port %(port)s is still attached to the server %(server)s')
            % {'port': port_id, 'server': server_id})
