"""Stacks of servers, ports, volumes and floating IPs, and their cloud.

The services are in memory and those of all projects at once.
"""
import json

from openstack import exceptions

from heat.engine.clients.os import cinder
from heat.engine.clients.os import glance
from heat.engine.clients.os import neutron
from heat.engine.clients.os import nova
from tests.fakes import cloud
from tests.fakes import compute

#: The resources in the order they are made.
NAMES = ('port', 'volume', 'server', 'attachment', 'ip', 'association')
_NEEDS = {'server': ('port',), 'attachment': ('server', 'volume'),
          'association': ('ip', 'port')}


class Storage(cloud.FakeService):
    """Volumes."""

    def volumes(self, limit):
        """List the volumes, the newest first."""
        self.log.append(('list', 'volume', None))
        for thing in reversed(self.of('volume')):
            yield self._shown('volume', thing['id'])

    def change(self, volume_id, *states, **values):
        """Let a volume go through states."""
        self._kept('volume', volume_id).update(
            values, status=states[-1], _next=list(states[:-1]) and [
                *states[1:]])


class Compute(compute.FakeCompute):
    """Servers that volumes are attached to."""

    def __init__(self, network, images, storage):
        super().__init__(network, images)
        self.storage = storage

    def create_volume_attachment(self, server_id, volume_id, device=None):
        """Attach a volume that is attached to nothing else."""
        if self.storage._kept('volume', volume_id)['status'] == 'in-use':
            raise cloud.refusal(400, {'badRequest': {
                'message': f'Invalid volume: {volume_id} is in-use'}})
        self._kept('server', server_id).setdefault('volumes', []).append(
            volume_id)
        self.storage.change(volume_id, 'in-use', attachments=[
            {'server_id': server_id, 'device': device}])
        return cloud.Thing({'id': volume_id})

    def get_volume_attachment(self, server_id, volume_id):
        """Show that a volume is attached."""
        if volume_id not in self._kept('server', server_id).get(
                'volumes', ()):
            raise exceptions.NotFoundException('not attached')
        return cloud.Thing({'id': volume_id})

    def delete_volume_attachment(self, server, volume_id,
                                 ignore_missing=True):
        """Detach a volume, unless the server is on its way to a state."""
        server_id = server.id
        self.get_volume_attachment(server_id, volume_id)
        kept = self._kept('server', server_id)
        if kept['_states']:
            kept['status'], kept['task_state'] = kept['_states'].pop(0)
            self.log.append(('refuse', 'volume_attachment', volume_id))
            raise cloud.refusal(409, {'conflictingRequest': {'message':
                f"Cannot 'detach_volume' instance {server_id} while it is in "
                f"task_state {kept['task_state']}"}})
        kept['volumes'].remove(volume_id)
        self.storage.change(volume_id, 'available', attachments=[])


class Cloud:
    """The services, and what stacks have in them."""

    def __init__(self):
        self.network, self.images = compute.Ports(), cloud.FakeService()
        self.storage = Storage(volume=['creating', 'available'])
        self.compute = Compute(self.network, self.images, self.storage)
        for name in ('net', 'other', 'public'):
            self.network.create_network(id=name, name='name of ' + name)
            self.network.create_subnet(id=name + '-subnet', network_id=name)
        self.images.create_image(id='cirros-id', name='cirros',
                                 status='active', min_ram=64, min_disk=0)
        self.forget()

    def forget(self):
        """Forget the requests so far."""
        for service in (self.network, self.storage, self.compute):
            service.log.clear()

    def use(self, patch):
        """Have the plugins speak to the services."""
        for service, plugin in (
                (self.network, neutron.NeutronClientPlugin),
                (self.images, glance.GlanceClientPlugin),
                (self.storage, cinder.CinderClientPlugin),
                (self.compute, nova.NovaClientPlugin)):
            patch.setattr(plugin, 'needs_cloud', False)
            patch.setattr(plugin, '_connect',
                          lambda self, service=service, **_kw: service)
            patch.setattr(plugin, 'does_endpoint_exist',
                          lambda *_a, **_kw: True)
        patch.setattr(cinder.CinderClientPlugin, 'is_version_supported',
                      lambda self, version: False)

    def changes(self):
        """Return the requests that changed something."""
        return [entry[:2] for service in (
            self.network, self.storage, self.compute)
            for entry in service.log
            if entry[0] not in ('get', 'find', 'list')]

    def left(self):
        """Return what there is but networks, images and flavors."""
        return sorted(
            key for service in (self.network, self.storage, self.compute)
            for key in service.things.copy()
            if key[0] not in ('network', 'subnet', 'flavor'))

    def number(self, kind, service='compute'):
        """Return how many things of a kind there are."""
        return len(getattr(self, service).of(kind))


def template(size=1, name='first'):
    """Return the resources of a stack."""
    ref = {one: {'get_resource': one} for one in NAMES}
    return {
        'port': {'type': 'OS::Neutron::Port', 'properties': {
            'network': 'net', 'name': name}},
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {
            'size': size, 'name': name}},
        'server': {'type': 'OS::Nova::Server', 'properties': {
            'flavor': 'small', 'image': 'cirros', 'name': name,
            'networks': [{'port': ref['port']}, {'network': 'other'}]}},
        'attachment': {
            'type': 'OS::Cinder::VolumeAttachment', 'properties': {
                'instance_uuid': ref['server'],
                'volume_id': ref['volume']}},
        'ip': {'type': 'OS::Neutron::FloatingIP', 'properties': {
            'floating_network': 'public'}},
        'association': {
            'type': 'OS::Neutron::FloatingIPAssociation', 'properties': {
                'floatingip_id': ref['ip'], 'port_id': ref['port']}}}


class Stack:
    """The rows of a stack, and its things in the cloud.

    :param states: {name: 'CREATE COMPLETE'}; with '!' in front an engine
        has the resource in hand, without a state the resource is gone
    :param made: the resources whose things are there
    """

    def __init__(self, database, services, name, states, *, made=NAMES,
                 action='CREATE', status='COMPLETE', convergence=True):
        self.cloud, self.made = services, made
        going = status == 'IN_PROGRESS'
        before = None
        whole = database.template(template())
        if action == 'DELETE' and convergence:
            before, whole = whole, database.template({
                'heat_template_version': '2018-08-31'})
        elif action == 'UPDATE' and going:
            before, whole = whole, database.template(template(name='second'))
        self.rows = database.stack(
            name, whole, before=before, action=action, status=status,
            convergence=convergence)
        self.ids = {}
        for one in NAMES:
            self._add(one, states.get(one), before, convergence)
        if not convergence:
            if going:
                self.rows.lock()
            return
        self._graph(action, going)

    def _add(self, name, state, before, convergence):
        if name in self.made:
            self.ids[name] = getattr(self, '_make_' + name)()
        if state is None:
            return
        action, status = state.lstrip('!').split()
        is_made = name in self.made
        updated = (action, status) == ('UPDATE', 'COMPLETE')
        data = {'internal_ports': json.dumps(
            [{'id': self.inner}])} if name == 'server' and is_made else {}
        self.rows.resource(
            name, action=action, status=status,
            claimed=convergence and state.startswith('!'),
            physical=self.ids.get(name), data=data,
            properties=None if action == 'INIT' else self._properties(
                name, 'second' if updated else 'first'),
            template_id=None if updated else before,
            requires=[self.rows.rows[need] for need in _NEEDS.get(name, ())
                      if need in self.rows.rows])

    def _properties(self, name, called):
        """Return the properties as they were resolved."""
        def resolved(value):
            if isinstance(value, dict):
                if set(value) == {'get_resource'}:
                    return self.ids[value['get_resource']]
                return {key: resolved(each) for key, each in value.items()}
            if isinstance(value, list):
                return [resolved(each) for each in value]
            return value
        return resolved(template(name=called)[name]['properties'])

    def _graph(self, action, going):
        rows = self.rows.rows
        edges = [(rows[one].update, rows[need].update)
                 for one in rows for need in _NEEDS.get(one, ())
                 if need in rows]
        ends = [rows[one].update for one in rows]
        if action == 'DELETE':
            edges = [(rows[need].clean, rows[one].clean)
                     for one in rows for need in _NEEDS.get(one, ())
                     if need in rows]
            ends = [rows[one].clean for one in rows]
        elif action == 'UPDATE':
            edges += [(rows[one].clean, rows[one].update) for one in rows]
        self.rows.graph(*edges, *((end, None) for end in ends), going=going,
                        done=[rows[one].update for one in rows
                              if action != 'DELETE' and (
                                  rows[one].action, rows[one].status) == (
                                      action, 'COMPLETE')])

    def _make_port(self):
        return self.cloud.network.create_port(
            network_id='net', name='first').id

    def _make_volume(self):
        its_id = self.cloud.storage.create_volume(
            name='first', size=1, metadata={}, attachments=[]).id
        self.cloud.storage.change(its_id, 'available')
        return its_id

    def _make_server(self):
        self.inner = self.cloud.network.create_port(network_id='other').id
        made = self.cloud.compute.create_server(
            name='first', imageRef='cirros-id', flavorRef='small-id',
            networks=[{'port': self.ids['port']}, {'port': self.inner}]).id
        kept = self.cloud.compute.things['server', made]
        kept.update(_states=[], status='ACTIVE', task_state=None)
        return made

    def _make_attachment(self):
        return self.cloud.compute.create_volume_attachment(
            self.ids['server'], self.ids['volume']).id

    def _make_ip(self):
        return self.cloud.network.create_ip(
            floating_network_id='public',
            floating_ip_address='192.0.2.9').id

    def _make_association(self):
        self.cloud.network.update_ip(self.ids['ip'],
                                     port_id=self.ids['port'])
        return '17'
