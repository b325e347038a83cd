"""Servers, ports, volumes and floating IPs, listed in pages over HTTP."""
import collections
from urllib import parse

from openstack.block_storage.v3 import _proxy as block_storage
from openstack.compute.v2 import _proxy as compute
from openstack.network.v2 import _proxy as network

from heat.engine.clients.os import cinder
from heat.engine.clients.os import glance
from heat.engine.clients.os import neutron
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.cinder import volume
from heat.engine.resources.openstack.neutron import floatingip
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.nova import server
from tests.fakes import cloud
from tests.fakes import rest_service

PROJECT = 'project'
#: The key of a server under which its volumes are.
VOLUMES = 'os-extended-volumes:volumes_attached'


class Paged(rest_service.RestService):
    """Collections that are listed page by page, with links.

    :ivar longest: things of a page, however many are asked for.
    :ivar hidden: ids of things that no list has.
    """

    #: {path of a list: path of its collection}.
    LISTS: dict = {}

    def __init__(self):
        super().__init__()
        self.longest = 1000
        self.hidden = set()

    def counted(self):
        """Return {kind of request: how many} of what was asked."""
        ids = {its_id for things in self.things.values() for its_id in things}
        return collections.Counter(
            '%s %s' % (method, '/'.join(
                '*' if part in ids else part
                for part in path.split('/')))
            for method, path, _body in self.log)

    def act(self, method, path, body, query):
        """Answer a request for a page of a list."""
        collection = self.LISTS.get(path)
        if method != 'GET' or collection is None:
            return None
        query = {name: value[0] if isinstance(value, list) else value
                 for name, value in query.items()}
        found = [thing for thing in self.things[collection].values()
                 if thing['id'] not in self.hidden and all(
                     str(thing.get(name)) == str(value)
                     for name, value in query.items()
                     if name not in ('limit', 'marker'))]
        ids = [thing['id'] for thing in found]
        first = ids.index(query['marker']) + 1 if 'marker' in query else 0
        limit = min(int(query.get('limit') or self.longest), self.longest)
        page, several = found[first:first + limit], self.COLLECTIONS[
            collection][1]
        answer = {several: [rest_service._visible(thing) for thing in page]}
        if len(found) > first + limit:
            answer[several + '_links'] = [{
                'rel': 'next', 'href': '/v2%s?%s' % (
                    path, parse.urlencode({**query, 'limit': limit,
                                           'marker': page[-1]['id']}))}]
        return self.ok(answer)


class Network(Paged):
    """Ports and floating IPs with their networks."""

    COLLECTIONS = {'/ports': ('port', 'ports', 'id'),
                   '/floatingips': ('floatingip', 'floatingips', 'id'),
                   '/networks': ('network', 'networks', 'id'),
                   '/subnets': ('subnet', 'subnets', 'id'),
                   '/security-groups': ('security_group', 'security_groups',
                                        'id'),
                   '/extensions': ('extension', 'extensions', 'alias')}
    LISTS = {path: path for path in COLLECTIONS}
    READY = 'ACTIVE'

    def new(self, collection, values):
        """Return what a new thing is like."""
        return {'project_id': PROJECT, 'tags': [], **(
            {'device_id': '', 'fixed_ips': [], 'mac_address': '52:54:00:00',
             'security_groups': []} if collection == '/ports' else {}),
            **values}

    def act(self, method, path, body, query):
        """Answer about tags, too."""
        found = self.match('(/.*)/(.*)/tags', path)
        if found is None:
            return super().act(method, path, body, query)
        self.things[found[1]][found[2]]['tags'] = body['tags']
        return self.ok(body)


class Storage(Paged):
    """Volumes."""

    COLLECTIONS = {'/volumes': ('volume', 'volumes', 'id')}
    LISTS = {'/volumes/detail': '/volumes'}

    def new(self, collection, values):
        """Return what a new volume is like."""
        return {'attachments': [], 'metadata': {}, **values}


class Compute(Paged):
    """Servers, with ports of a network and volumes."""

    COLLECTIONS = {'/servers': ('server', 'servers', 'id'),
                   '/flavors': ('flavor', 'flavors', 'id')}
    LISTS = {'/servers/detail': '/servers', '/flavors': '/flavors',
             '/flavors/detail': '/flavors'}
    READY = 'ACTIVE'

    def __init__(self, ports, storage):
        super().__init__()
        self.network, self.storage = ports, storage

    def new(self, collection, values):
        """Return what a new server is like."""
        given = {key: value for key, value in values.items()
                 if key not in ('networks', 'flavorRef', 'imageRef')}
        return {'tags': [], 'metadata': {}, 'addresses': {},
                'tenant_id': PROJECT,
                VOLUMES: [],
                'flavor': {'original_name': 'small'},
                'image': {'id': values['imageRef']},
                '_wanted': values['networks'], **given}

    def act(self, method, path, body, query):
        """Answer about tags, interfaces and volumes of a server, too."""
        if path == '/limits':
            return self.ok({'limits': {'absolute': {}, 'rate': []}})
        found = self.match('/servers/([^/]+)/([^/]+)(?:/(.+))?', path)
        if found is None or not found[2].startswith(('tags', 'os-')):
            return super().act(method, path, body, query)
        kept = self.things['/servers'].get(found[1])
        if kept is None:
            return rest_service._response(404)
        return getattr(self, '_' + found[2].removeprefix('os-').replace(
            '-', '_'))(
            kept, method, found[3], body)

    def _shown(self, path, thing_id, status=200):
        for each in self.things[path][thing_id].pop('_wanted', ()):
            self.network.things['/ports'][each['port']][
                'device_id'] = thing_id
        return super()._shown(path, thing_id, status)

    def _tags(self, kept, _method, _which, body):
        kept['tags'] = body['tags']
        return self.ok(body)

    def _interface(self, kept, _method, _which, _body):
        return self.ok({'interfaceAttachments': [
            {'port_id': each['id'], 'net_id': each['network_id']}
            for each in self.network.things['/ports'].values()
            if each['device_id'] == kept['id']]})

    def _volume_attachments(self, kept, method, which, body):
        volumes = kept[VOLUMES]
        if method == 'POST':
            given = body['volumeAttachment']['volumeId']
            volumes.append({'id': given})
            self.storage.things['/volumes'][given].update(
                status='in-use', attachments=[{'server_id': kept['id']}])
            return self.ok({'volumeAttachment': {
                'id': given, 'volumeId': given, 'serverId': kept['id']}})
        if not any(each['id'] == which for each in volumes):
            return rest_service._response(404)
        return self.ok({'volumeAttachment': {
            'id': which, 'volumeId': which, 'serverId': kept['id']}})

    def lose(self, server_id, volume_id):
        """Detach a volume from a server."""
        kept = self.things['/servers'][server_id]
        kept[VOLUMES] = [
            each for each in kept[VOLUMES]
            if each['id'] != volume_id]
        self.storage.things['/volumes'][volume_id].update(
            status='available', attachments=[])


class Cloud:
    """The services, which an engine uses from now on.

    :param engine: the fixture cloud_engine.
    """

    def __init__(self, engine):
        self.network, self.storage = Network(), Storage()
        self.compute = Compute(self.network, self.storage)
        images = cloud.FakeService()
        images.create_image(id='cirros-id', name='cirros', status='active',
                            min_ram=64, min_disk=0)
        engine.use(images, glance.GlanceClientPlugin)
        engine.use_rest(self.network, neutron.NeutronClientPlugin,
                        network.Proxy, port, floatingip)
        engine.use_rest(self.storage, cinder.CinderClientPlugin,
                        block_storage.Proxy, volume)
        engine.use_rest(self.compute, nova.NovaClientPlugin, compute.Proxy,
                        server)
        self.network.has('/networks', id='net', name='net')
        self.network.has('/networks', id='outside', name='outside')
        self.network.has('/security-groups', id='web-id', name='web')
        for alias in ('router', 'security-group', 'tag-ext'):
            self.network.has('/extensions', alias=alias, id=alias)
        self.compute.has('/flavors', id='small-id', name='small', ram=512,
                         disk=1)

    def forget(self):
        """Count requests from now on."""
        for service in (self.network, self.storage, self.compute):
            service.log.clear()

    def counted(self):
        """Return {'service METHOD path': how many requests}."""
        return {'%s %s' % (type(service).__name__.lower(), kind): number
                for service in (self.network, self.storage, self.compute)
                for kind, number in service.counted().items()}
