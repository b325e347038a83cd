"""A compute service in memory, whose servers are attached to ports."""
import contextlib
import itertools
import json
import types

from openstack import exceptions
import requests

from tests.fakes import cloud
from tests.fakes import network

_numbers = itertools.count(1)

#: What a server goes through: the state, and what is being done to it.
_AFTER = {
    'resize': [('RESIZE', 'resize_prep'), ('VERIFY_RESIZE', None)],
    'confirmResize': [('ACTIVE', None)],
    'rebuild': [('REBUILD', 'rebuilding'), ('ACTIVE', None)],
    'suspend': [('ACTIVE', 'suspending'), ('SUSPENDED', None)],
    'resume': [('SUSPENDED', 'resuming'), ('ACTIVE', None)],
}


class Ports(network.FakeNetwork):
    """A network service that gives ports addresses.

    Each network has a subnet of its name with "-subnet" behind it.
    """

    def create_port(self, **values):
        """Make a port."""
        number, asked = next(_numbers), dict(values)
        given = values.pop('fixed_ips', [{}])
        made = self._create('port', **{
            'device_id': '', 'fixed_ips': [],
            'mac_address': values.get('mac_address') or (
                'fa:16:3e:00:00:%02x' % number), **values})
        self.log[-1] = ('create', 'port', asked)
        self._address(made.id, given)
        return self.get_port(made.id)

    def update_port(self, port_id, **values):
        """Change a port."""
        given = values.pop('fixed_ips', None)
        changed = self._update('port', port_id, **values)
        if given is not None:
            self.log[-1][2]['fixed_ips'] = given
            self._address(port_id, given)
        return changed

    def _address(self, port_id, given):
        port = self._kept('port', port_id)
        port['fixed_ips'] = [{
            'subnet_id': each.get('subnet_id') or (
                port['network_id'] + '-subnet'),
            'ip_address': each.get('ip_address') or (
                '10.0.0.%d' % next(_numbers))} for each in given]
        taken = [each['ip_address'] for other in self.of('port')
                 for each in other['fixed_ips']]
        if len(taken) != len(set(taken)):
            del self.things['port', port_id]
            raise exceptions.ConflictException('Address is in use')

    def get_auto_allocated_topology(self, project_id):
        """Return the network that a project has without asking for it."""
        return cloud.Thing({'id': 'auto-net'})


class FakeCompute(cloud.FakeService):
    """Makes servers that take a while for all that is done to them.

    :ivar network: the service that has the ports.
    :ivar versions: the microversions of the requests that made servers.
    :ivar asked: {action: arguments} of the last actions on servers.
    :ivar birth: the states of a new server; the last one stays.
    :ivar memory: how many looks at a server show the addresses of a card
        that was detached.
    """

    memory = 0

    def __init__(self, network, images=None):
        super().__init__()
        self.network = network
        self.images = images
        self.asked = {}
        self.buried = []
        self.birth = [('BUILD', 'spawning'), ('ACTIVE', None)]
        self.versions = []
        self.default_microversion = None
        for name, ram in (('small', 512), ('large', 2048)):
            self.create_flavor(id=name + '-id', name=name, ram=ram, disk=1)
        self.log.clear()

    def of_version(self, version):
        """Return this service as one speaks to it in a microversion."""
        self.default_microversion = version
        return self

    def get_endpoint_data(self):
        """Return the microversions there are."""
        return types.SimpleNamespace(min_microversion=(2, 1),
                                     max_microversion=(2, 96))

    # -- servers ------------------------------------------------------------

    def create_server(self, **request):
        """Make a server, with its ports."""
        self.versions.append(self.default_microversion)
        self.default_microversion = None
        self._require_free(request.get('networks'))
        made = self._create('server', flavorRef=request.pop('flavorRef'),
                            **request)
        kept = self._kept('server', made.id)
        kept.update(_states=list(self.birth), attached=[],
                    flavor={'original_name': self._flavor(
                        kept['flavorRef'])['name']},
                    image=cloud.Thing({'id': request.get('imageRef')}),
                    tags=[], metadata=request.get('metadata') or {},
                    fault=None, access_ipv4='192.0.2.1', instance_name='i-1')
        wanted = request.get('networks')
        if wanted in (None, 'auto'):
            wanted = [{'port': self._own_port()}]
        for card in () if wanted == 'none' else wanted:
            self._attach(made.id, card['port'], card.get('tag'))
        return made

    def _require_free(self, cards):
        for card in cards if isinstance(cards, list) else ():
            if self.network._kept('port', card['port']).get('device_id'):
                raise exceptions.ConflictException('Port is in use')

    def _own_port(self):
        return self.network.create_port(
            network_id='auto-net', fixed_ips=[], made_by='nova').id

    def _flavor(self, name_or_id):
        return next(thing for (kind, _id), thing in self.things.items()
                    if kind == 'flavor' and name_or_id in (
                        thing['id'], thing['name']))

    def get_server(self, server_id):
        """Show a server, a step further on its way."""
        self.log.append(('get', 'server', server_id))
        return self._server(server_id)

    def _server(self, server_id):
        kept = self._kept('server', server_id)
        if kept['_states']:
            kept['status'], kept['task_state'] = kept['_states'].pop(0)
            if kept['status'] == 'GONE':
                self._bury(server_id)
        self._kept('server', server_id)
        return cloud.Thing({
            **{name: value for name, value in kept.items()
               if not name.startswith('_')},
            'addresses': self._remembered(kept)})

    def _remembered(self, kept):
        looks, addresses = kept.get('_before') or (0, None)
        if not looks:
            return self._addresses(kept)
        kept['_before'] = (looks - 1, addresses)
        return addresses

    def _addresses(self, kept):
        found = {}
        for port_id, _tag in kept['attached']:
            port = self.network._kept('port', port_id)
            found.setdefault('name of ' + port['network_id'], []).extend({
                'addr': each['ip_address'], 'version': 4,
                'OS-EXT-IPS:type': 'fixed',
                'OS-EXT-IPS-MAC:mac_addr': port['mac_address']}
                for each in port['fixed_ips'])
        return found

    def servers(self, details=True, name=None, limit=None, changes_since=None,
                **_order):
        """List servers, by name or the newest ones first.

        Those that have changed include those that were deleted.
        """
        self.log.append(('list', 'server', None))
        if name is None:
            return iter([*self._newest(limit),
                         *(self.buried if changes_since else ())])
        return [cloud.Thing(thing) for (kind, _id), thing
                in self.things.items()
                if kind == 'server' and thing['name'] == name.strip('^$')]

    def _newest(self, limit):
        for thing in self.of('server')[:-limit - 1:-1]:
            with contextlib.suppress(exceptions.NotFoundException):
                yield self._server(thing['id'])

    def delete_server(self, server_id, ignore_missing=True):
        """Let a server go away."""
        self.log.append(('delete', 'server', server_id))
        self._kept('server', server_id)['_states'] = [
            ('ACTIVE', 'deleting'), ('GONE', None)]

    def _bury(self, server_id):
        for port_id, _tag in list(self._kept('server',
                                             server_id)['attached']):
            self._detach(server_id, port_id)
        gone = self.things.pop(('server', server_id))
        self.buried.append(cloud.Thing({**gone, 'status': 'DELETED'}))

    def update_server(self, server_id, name):
        """Rename a server."""
        self._kept('server', server_id)['name'] = name

    def change_server_password(self, server_id, password):
        """Give the administrator another password."""
        self.asked['password'] = password

    # -- actions ------------------------------------------------------------

    def _act(self, server_id, action, argument=None):
        self.log.append(('act', action, server_id))
        self.asked[action] = argument
        kept = self._kept('server', server_id)
        kept['_states'] = list(_AFTER[action])

    def resize_server(self, server_id, flavor_id):
        """Resize a server."""
        self._act(server_id, 'resize', flavor_id)
        self._kept('server', server_id)['flavor'] = {
            'original_name': self._flavor(flavor_id)['name']}

    def confirm_server_resize(self, server_id):
        """Confirm a resize."""
        self._act(server_id, 'confirmResize')

    def suspend_server(self, server_id):
        """Suspend a server."""
        self._act(server_id, 'suspend')

    def resume_server(self, server_id):
        """Let a server go on."""
        self._act(server_id, 'resume')

    def create_server_image(self, server_id, name):
        """Make an image."""
        return self.images.create_image(name=name)

    def get_limits(self):
        """Show what the project may use."""
        return types.SimpleNamespace(absolute=cloud.Thing(
            {'server_meta': 2, 'personality': 1, 'personality_size': 10}))

    # -- requests as they are ------------------------------------------------

    def get(self, path, microversion=None):
        """Answer about a server."""
        try:
            found = self.get_server(path.rpartition('/')[2])
        except exceptions.NotFoundException:
            return _answer(404, {})
        shown = found.to_dict()
        return _answer(200, {'server': {
            key: shown[key] for key in ('id', 'name', 'status')}})

    def put(self, path, json, microversion=None):
        """Replace the tags or the metadata of a server."""
        _empty, _servers, server_id, what = path.split('/')
        self.log.append(('replace', what, server_id))
        self._kept('server', server_id)[what] = json[what]
        return _answer(200, json)

    def post(self, path, json, microversion=None):
        """Act on a server."""
        _empty, _servers, server_id, _action = path.split('/')
        [(action, argument)] = json.items()
        self._act(server_id, action, argument)
        self._kept('server', server_id)['image'] = cloud.Thing(
            {'id': argument['imageRef']})
        self.asked['microversion'] = microversion
        return _answer(202, {})

    # -- interfaces ---------------------------------------------------------

    def _attach(self, server_id, port_id, tag=None):
        self.network._kept('port', port_id)['device_id'] = server_id
        self._kept('server', server_id)['attached'].append((port_id, tag))

    def _detach(self, server_id, port_id):
        kept = self._kept('server', server_id)
        if port_id not in dict(kept['attached']):
            raise exceptions.NotFoundException(port_id)
        kept['attached'] = [each for each in kept['attached']
                            if each[0] != port_id]
        port = self.network.things['port', port_id]
        port['device_id'] = ''
        if port.get('made_by') == 'nova':
            del self.network.things['port', port_id]

    def server_interfaces(self, server_id):
        """List the interfaces of a server."""
        found = []
        for port_id, tag in self._kept('server', server_id)['attached']:
            port = self.network._kept('port', port_id)
            found.append(cloud.Thing({
                'port_id': port_id, 'net_id': port['network_id'],
                'fixed_ips': port['fixed_ips'], 'tag': tag,
                'mac_addr': port['mac_address']}))
        return found

    def create_server_interface(self, server_id, port_id=None, net_id=None,
                                fixed_ips=None, tag=None):
        """Attach a port, or one that is made."""
        self.log.append(('attach', port_id or net_id, server_id))
        port_id = port_id or self._own_port()
        self._require_free([{'port': port_id}])
        self._attach(server_id, port_id, tag)
        return cloud.Thing({'port_id': port_id})

    def delete_server_interface(self, port_id, server, ignore_missing):
        """Detach a port."""
        self.log.append(('detach', port_id, server))
        if self._kept('server', server)['status'] == 'ERROR':
            raise exceptions.ConflictException('Not in this state')
        kept = self._kept('server', server)
        kept['_before'] = (self.memory, self._addresses(kept))
        self._detach(server, port_id)


def _answer(status, body):
    answer = requests.Response()
    answer.status_code = status
    answer._content = json.dumps(body).encode()
    answer.headers['Content-Type'] = 'application/json'
    return answer
