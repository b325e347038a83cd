"""Ports that servers hand over to the servers that replace them."""
import functools
import json
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine.resources import replacing
from heat.engine.resources import volume_base

#: The resource data with what was lent to a replacement.
_LENT = 'lent_ports'
#: So many looks, about a second apart, until a port has changed hands.
_PATIENCE = 60


class PortHandover:
    """For servers whose ports a replacement may want.

    No two servers can have a port, nor two ports an address: what is to be
    replaced gives up both, and takes them back if nothing comes of it.
    """

    # What the resource has.
    client: Any
    client_plugin: Any
    data: Any
    data_set: Any
    data_delete: Any
    data_forget: Any
    sdk: Any
    resource_id: Any
    stack: Any
    name: Any

    #: Steps of handing ports over that are still to be done.
    _handing_over: Any = None

    # -- what is peculiar to a type -----------------------------------------

    def _ports_given(self):
        """Return the ids of the ports that the template names."""
        return set()

    @staticmethod
    def _ports_made(data):
        """Return the ids of the ports that were made for a server.

        :param data: the resource data of that server.
        """
        return []

    def _floating_ips(self):
        """Return the ids of the floating IPs that lead to the ports."""
        return []

    # -- handing over -------------------------------------------------------

    def prepare_for_replace(self):
        """Give up ports and addresses: the replacement may want them."""
        self.prepare_ports_for_replace()

    def restore_prev_rsrc(self, convergence=False):
        """Take back what the replacement was to have."""
        self.restore_ports_after_rollback(convergence=convergence)

    def check_prepare_for_replace_complete(self, _token):
        """Return whether our ports are free."""
        return self.ports_are_handed_over()

    def check_restore_prev_rsrc_complete(self, _token):
        """Return whether we have our ports again."""
        return self.ports_are_handed_over()

    def prepare_ports_for_replace(self):
        """Begin to give up ports and addresses: a replacement may want them.

        ports_are_handed_over() tells when that is done.
        """
        self._hand_over(self._lending())

    def restore_ports_after_rollback(self, convergence):
        """Begin to take back what the replacement was to have."""
        self._hand_over(self._taking_back(convergence))

    def ports_are_handed_over(self):
        """Look whether what was begun is done, and go on with it."""
        return volume_base.is_done(self._handing_over)

    def _hand_over(self, work):
        self._handing_over = work
        if volume_base.is_done(work):
            self._handing_over = None

    def _lending(self):
        """Give up ports and addresses, a step at a time.

        An engine may have done so before it died; what it found is what we
        would give back.
        """
        if self.resource_id is None:
            return
        self.data_forget()
        known = json.loads(self.data().get(_LENT) or '{}')
        given = sorted(self._ports_given())
        addresses = {
            port_id: found or known.get('addresses', {}).get(port_id, [])
            for port_id, found in self._addresses().items()}
        lent = {'addresses': addresses, 'ports': given,
                'floating_ips': {**known.get('floating_ips', {}),
                                 **self._led({*addresses, *given})}}
        if lent != known:
            # Known before anything is given up.
            self.data_set(_LENT, json.dumps(lent))
        for port_id in lent['addresses']:
            self.sdk('neutron').update_port(port_id, fixed_ips=[])
        for port_id in given:
            yield from self._take_from(self.resource_id, port_id)

    def _addresses(self):
        """Return {port: addresses} of the ports that we have made."""
        found = {}
        for port_id in self._ports_made(self.data()):
            with self.client_plugin('neutron').ignore_not_found:
                found[port_id] = self.sdk('neutron').get_port(
                    port_id).fixed_ips
        return found

    def _led(self, ports):
        """Return {floating IP: port} of what we let lead to ports."""
        found = {}
        for floating_ip in self._floating_ips():
            with self.client_plugin('neutron').ignore_not_found:
                port_id = self.sdk('neutron').get_ip(floating_ip).port_id
                if port_id in ports:
                    found[floating_ip] = port_id
        return found

    def _taking_back(self, convergence):
        """Take back what the replacement was to have, a step at a time."""
        previous, (_id, data) = replacing.replaced_and_replacement(
            self, convergence)
        lent = previous.data().get(_LENT) if previous is not None else None
        if lent is None:
            return
        lent = json.loads(lent)
        client, plugin = self.sdk('neutron'), self.client_plugin('neutron')
        for port_id in self._ports_made(data):
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
        holder = self._holder(port_id)
        if holder == server_id:
            return
        if holder:
            yield from self._take_from(holder, port_id)
        self.client_plugin('nova').interface_attach(server_id,
                                                    port_id=port_id)

    def _holder(self, port_id):
        return self.sdk('neutron').get_port(port_id).device_id

    def _take_from(self, server_id, port_id):
        """Detach a port from a server, and see that it is free.

        A server that failed cannot give up anything but itself.
        """
        plugin, neutron_plugin = (self.client_plugin('nova'),
                                  self.client_plugin('neutron'))
        with neutron_plugin.ignore_not_found:
            if self._holder(port_id) != server_id:
                return
            try:
                plugin.interface_detach(server_id, port_id)
            except Exception as error:
                if not plugin.is_conflict(error) or (
                        plugin.get_server(server_id).status != 'ERROR'):
                    raise
                plugin.sdk().delete_server(server_id)
                is_free = functools.partial(
                    plugin.check_delete_server_complete, server_id)
            else:
                is_free = functools.partial(
                    self._has_left, port_id, server_id)
            yield from self._wait_until(is_free, server_id, port_id)

    def _has_left(self, port_id, server_id):
        return self._holder(port_id) != server_id

    @staticmethod
    def _wait_until(is_free, server_id, port_id):
        # Whoever attaches it next must find it free.
        for _look in range(_PATIENCE):
            if is_free():
                return
            yield
        raise exception.Error(_(
            'The port %(port)s is still attached to the server %(server)s')
            % {'port': port_id, 'server': server_id})
