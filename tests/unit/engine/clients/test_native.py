"""Third-party plugins get clients of the services' own libraries."""
import importlib.util
import json
import sys
import time
import types

from barbicanclient.v1 import client as barbican_client
from blazarclient.v1 import client as blazar_client
from cinderclient import exceptions as cinder_errors
from cinderclient.v3 import client as cinder_client
from designateclient.v2 import client as designate_client
from glanceclient import exc as glance_errors
from glanceclient.v2 import client as glance_client
from heatclient import exc as heat_errors
from heatclient.v1 import client as heat_client
from ironicclient.v1 import client as ironic_client
from keystoneauth1 import access
from keystoneauth1 import adapter
from keystoneauth1 import exceptions as ks_errors
from keystoneauth1.identity import access as access_plugin
from keystoneclient.v3 import client as keystone_client
from magnumclient.v1 import client as magnum_client
from manilaclient.v2 import client as manila_client
from neutronclient.common import exceptions as neutron_errors
from neutronclient.v2_0 import client as neutron_client
import novaclient
from novaclient import exceptions as nova_errors
from novaclient.v2 import client as nova_client
from octaviaclient.api.v2 import octavia as octavia_client
from openstack import exceptions as openstack_errors
import pytest
import requests
from requests import adapters
from swiftclient import client as swift_client
from troveclient.v1 import client as trove_client
from zunclient.v1 import client as zun_client

from heat.common import cloud_session
from heat.engine import clients
from heat.engine import resource
from heat.engine.clients import native

ID = '11111111-1111-4111-8111-111111111111'
CATALOGUE = {
    'block-storage': '/v3/project', 'compute': '/v2.1', 'identity': '',
    'image': '', 'network': '', 'object-store': '/v1/AUTH_project',
    'orchestration': '/v1/project', 'shared-file-system': '/v2',
    'database': '/v1.0/project', 'baremetal': '', 'container': '/v1',
    'container-infra': '/v1', 'dns': '', 'key-manager': '',
    'load-balancer': '', 'reservation': '/v1'}

VERSIONS = {
    'identity': {'versions': {'values': [{
        'id': 'v3.14', 'status': 'stable', 'links': [
            {'rel': 'self', 'href': 'https://internal.identity.test/v3/'}]}]}},
    'image': {'versions': [{
        'id': 'v2.9', 'status': 'CURRENT', 'links': [
            {'rel': 'self', 'href': 'https://internal.image.test/v2/'}]}]},
    **{kind: {'versions': [{
        'id': f'v{version}', 'status': 'CURRENT', 'min_version': '1.1',
        'max_version': '1.110', 'version': '1.110', 'links': [
            {'rel': 'self', 'href': f'https://internal.{kind}.test/'
                                    f'v{version.partition(".")[0]}/'}]}]}
       for kind, version in (('baremetal', '1'), ('dns', '2'),
                             ('key-manager', '1'),
                             ('reservation', '1'), ('container', '1'))},
    'compute': {'version': {
        'id': 'v2.1', 'status': 'CURRENT', 'version': '2.100',
        'min_version': '2.1', 'links': [
            {'rel': 'self', 'href': 'https://internal.compute.test/v2.1/'}]}},
    'block-storage': {'versions': [{
        'id': 'v3.0', 'status': 'CURRENT', 'version': '3.70',
        'min_version': '3.0', 'links': [
            {'rel': 'self',
             'href': 'https://internal.block-storage.test/v3/'}]}]},
}

#: name: (class, a request of a plugin, the path it is sent to, the answer).
CLIENTS = {
    'barbican': (barbican_client.Client,
                 lambda client: client.secrets.get(
                     'https://public.key-manager.test/v1/secrets/' + ID).name,
                 f'/v1/secrets/{ID}', {'name': 'found'}),
    'blazar': (blazar_client.Client,
               lambda client: client.lease.get('x')['name'],
               '/v1/leases/x', {'lease': {'name': 'found'}}),
    'designate': (designate_client.Client,
                  lambda client: client.zones.get(ID)['name'],
                  f'/v2/zones/{ID}', {'name': 'found'}),
    'ironic': (ironic_client.Client,
               lambda client: client.node.get('x').name,
               '/v1/nodes/x', {'name': 'found'}),
    'magnum': (magnum_client.Client,
               lambda client: client.clusters.get('x').name,
               '/v1/clusters/x', {'name': 'found'}),
    'octavia': (octavia_client.OctaviaAPI,
                lambda client: client.load_balancer_show('x')['name'],
                '/v2.0/lbaas/loadbalancers/x',
                {'loadbalancer': {'name': 'found'}}),
    'trove': (trove_client.Client,
              lambda client: client.instances.get('x').name,
              '/v1.0/project/instances/x', {'instance': {'name': 'found'}}),
    'zun': (zun_client.Client,
            lambda client: client.containers.get('x').name,
            '/v1/containers/x', {'name': 'found'}),
    'cinder': (cinder_client.Client,
               lambda client: client.volumes.get('x').size,
               '/v3/project/volumes/x', {'volume': {'size': 'found'}}),
    'glance': (glance_client.Client,
               lambda client: client.images.get('x')['name'],
               '/v2/images/x', {'name': 'found'}),
    'heat': (heat_client.Client,
             lambda client: client.stacks.get('s/x').stack_name,
             '/v1/project/stacks/s/x', {'stack': {'stack_name': 'found'}}),
    'keystone': (keystone_client.Client,
                 lambda client: client.projects.get('x').name,
                 '/v3/projects/x', {'project': {'name': 'found'}}),
    'manila': (manila_client.Client,
               lambda client: client.shares.get('x').name,
               '/v2/shares/x', {'share': {'name': 'found'}}),
    'neutron': (neutron_client.Client,
                lambda client: client.show_network('x')['network']['name'],
                '/v2.0/networks/x', {'network': {'name': 'found'}}),
    'nova': (nova_client.Client,
             lambda client: client.servers.get('x').name,
             '/v2.1/servers/x', {'server': {'name': 'found'}}),
    'swift': (swift_client.Connection,
              lambda client: client.get_object('c', 'x')[1].decode(),
              '/v1/AUTH_project/c/x', 'found'),
}


def _described(status):
    return {'errors': [{'title': 'no', 'detail': 'no', 'status': status}]}


#: How services tell of an error, where that differs.
ERROR_BODIES = {
    'barbican': lambda _status: {'title': 'no', 'description': 'no'},
    'designate': lambda status: {'code': status, 'type': 'no',
                                 'message': 'no'},
    'magnum': _described, 'zun': _described}
#: What has a section of its own in the configuration.
CONFIGURED = sorted(set(CLIENTS) - {'blazar', 'ironic', 'zun'})


class Sent:
    """The requests of all clients, and the answers to them."""

    def __init__(self):
        self.urls = []
        self.tokens = set()
        self.status, self.body = 200, {}

    def answer(self, request, **_more):
        """Answer a request; what is asked for versions is not kept."""
        path = request.path_url.partition('?')[0]
        service = request.url.split('/')[2].split('.')[1]
        status, body = self.status, self.body
        if '/schemas/' in path:
            return self._made(request, 200, {'name': 'x', 'properties': {}})
        if path.rstrip('/') in ('', '/v3', '/v2.1', '/v2', '/v1'):
            status, body = 200, VERSIONS.get(service, {})
            if not body:
                status = 404
        else:
            self.urls.append(request.url)
            token = request.headers.get('X-Auth-Token')
            self.tokens.add(token.decode() if isinstance(token, bytes)
                            else token)
        return self._made(request, status, body)

    @staticmethod
    def _made(request, status, body):
        made = requests.Response()
        made.status_code, made.request = status, request
        made.url = request.url
        made.headers['Content-Type'] = 'application/json'
        made._content = (body if isinstance(body, str)
                         else json.dumps(body)).encode()
        made._content_consumed = True
        made.raw = types.SimpleNamespace(
            headers={}, stream=lambda *_a, **_k: [made._content],
            read=lambda *_a, **_k: made._content, close=lambda: None,
            release_conn=lambda: None, version=11, reason='', status=status)
        return made


@pytest.fixture
def sent(monkeypatch):
    made = Sent()
    monkeypatch.setattr(
        adapters.HTTPAdapter, 'send',
        lambda _self, request, **more: made.answer(request, **more))
    return made


class _Context(types.SimpleNamespace):
    """Can be referred to weakly."""


@pytest.fixture
def context(monkeypatch, sent):
    """Return the context of a user who has a token and a catalogue."""
    token = {'token': {
        'project': {'id': 'project', 'name': 'p', 'domain': {'id': 'd'}},
        'user': {'id': 'u', 'name': 'u', 'domain': {'id': 'd'}},
        'expires_at': '2999-01-01T00:00:00Z', 'methods': ['password'],
        'catalog': [{'type': kind, 'name': kind, 'endpoints': [
            {'interface': interface, 'region': 'here', 'id': kind,
             'url': f'https://{interface}.{kind}.test{path}'}
            for interface in ('public', 'internal')]}
            for kind, path in CATALOGUE.items()]}}
    clients.plugins.cache_clear()
    native._is_installed.cache_clear()
    made = _Context(
        auth_plugin=access_plugin.AccessInfoPlugin(
            access.create(body=token, auth_token='t')),
        keystone_session=cloud_session.CloudSession(), request_id='req-1',
        region_name=None, knows_keystone=True, can_authenticate=True,
        project_id='project', trust_id=None)
    made.clients = clients.OpenStackClients(made)
    yield made
    native._is_installed.cache_clear()


def native_client(context, name):
    made = context.clients.client(name)
    return made.client if name == 'keystone' else made


@pytest.mark.parametrize('name', CLIENTS)
def test_plugins_get_the_services_own_client(name, context, sent):
    kind, ask, path, sent.body = CLIENTS[name]
    made = native_client(context, name)
    assert type(made) is kind
    assert ask(made) == 'found'
    assert [url.partition('.test')[2] for url in sent.urls] == [path]
    assert sent.tokens == {'t'}
    assert native_client(context, name) is made


@pytest.mark.parametrize('name', CONFIGURED)
def test_clients_use_the_configured_interface(name, context, sent,
                                              set_option):
    _kind, ask, _path, sent.body = CLIENTS[name]
    set_option('endpoint_type', 'internalURL', 'clients_' + name)
    ask(native_client(context, name))
    assert {url.partition('.')[0] for url in sent.urls} == {
        'https://internal'}


@pytest.fixture
def set_option():
    changed = []

    def change(name, value, group=None):
        clients.cfg.CONF.set_override(name, value, group)
        changed.append((name, group))

    yield change
    for name, group in changed:
        clients.cfg.CONF.clear_override(name, group)


@pytest.mark.parametrize('name', sorted(set(CLIENTS) - {'keystone'}))
def test_own_types_get_openstacksdk(name, context):
    assert isinstance(context.clients.sdk(name), adapter.Adapter)
    assert type(context.clients.sdk(name)).__module__.startswith('openstack.')


def test_own_types_get_openstacksdk_from_keystone_too(context):
    assert type(context.clients.sdk('keystone').client
                ).__module__.startswith('openstack.')


def test_keystone_client_has_the_calls_of_the_engine(context):
    made = context.clients.client('keystone')
    assert made.create_stack_domain_user == (
        context.clients.sdk('keystone').create_stack_domain_user)


@pytest.mark.parametrize('name', CLIENTS)
def test_without_the_library_plugins_get_openstacksdk(name, context, caplog,
                                                      monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, 'find_spec', lambda module, *more: None
        if module == native.LIBRARIES[name].package else find(module, *more))
    for _twice in range(2):
        made = native_client(context, name)
    own = context.clients.sdk(name)
    assert type(made) is type(own.client if name == 'keystone' else own)
    assert caplog.text.count(native.LIBRARIES[name].distribution) == 1


@pytest.mark.parametrize('name', CLIENTS)
@pytest.mark.parametrize(('status', 'judge'), [
    (404, 'is_not_found'), (409, 'is_conflict'), (413, 'is_over_limit'),
    (400, 'is_client_exception')])
def test_errors_of_both_libraries_are_known(name, status, judge, context,
                                            sent, monkeypatch):
    _kind, ask, _path, _body = CLIENTS[name]
    client, plugin = (native_client(context, name),
                      context.clients.client_plugin(name))
    sent.status = status
    sent.body = ERROR_BODIES.get(name, lambda _status: {
        'error': {'message': 'no'}})(status)
    if name == 'swift':
        client.retries = 0
    # Those of Ironic ask again for as long as half a minute.
    monkeypatch.setattr(time, 'sleep', lambda _seconds: None)
    with pytest.raises(Exception) as caught:  # noqa: PT011 (eight libraries)
        ask(client)
    assert getattr(plugin, judge)(caught.value)
    proxy = context.clients.sdk(name)
    proxy = proxy.client if name == 'keystone' else proxy
    with pytest.raises(Exception) as own:  # noqa: PT011
        openstack_errors.raise_from_response(proxy.get('/things'))
    assert getattr(plugin, judge)(own.value)


@pytest.mark.parametrize(('name', 'error'), [
    ('neutron', neutron_errors.NotFound()),
    ('neutron', neutron_errors.PortNotFoundClient()),
    ('nova', nova_errors.NotFound(404)),
    ('cinder', cinder_errors.NotFound(404)),
    ('glance', glance_errors.HTTPNotFound()),
    ('heat', heat_errors.HTTPNotFound()),
    ('keystone', ks_errors.NotFound()),
    ('swift', swift_client.ClientException('', http_status=404))])
def test_what_is_gone_is_ignored(name, error, context):
    plugin = context.clients.client_plugin(name)
    with plugin.ignore_not_found:
        raise error
    plugin.ignore_not_found(error)
    with plugin.ignore_conflict_and_not_found:
        raise error


def test_quota_of_neutron_is_no_conflict(context):
    plugin = context.clients.client_plugin('neutron')
    error = neutron_errors.OverQuotaClient(
        message='Quota exceeded for resources: [network]')
    assert not plugin.is_conflict(error)
    assert plugin.is_over_limit(error)


def test_name_of_several_things_in_neutron(context):
    plugin = context.clients.client_plugin('neutron')
    assert plugin.is_no_unique(neutron_errors.NeutronClientNoUniqueMatch())
    assert plugin.is_invalid(neutron_errors.StateInvalidClient())


def test_errors_of_others_are_not_judged(context):
    assert native.status_of('nova', neutron_errors.NotFound()) is None
    assert not context.clients.client_plugin('nova').is_not_found(
        ValueError(404))


def test_errors_are_judged_without_the_library(context, monkeypatch):
    for module in list(sys.modules):
        if module.partition('.')[0] == 'troveclient':
            monkeypatch.delitem(sys.modules, module)
    assert not context.clients.client_plugin('trove').is_not_found(
        ValueError())
    assert 'troveclient' not in sys.modules


def test_nova_client_speaks_the_highest_microversion(context, sent,
                                                     set_option):
    made = context.clients.client('nova')
    # The service knows newer ones than the library.
    assert made.api_version.get_string() == (
        novaclient.API_MAX_VERSION.get_string())
    assert context.clients.client('nova', version='2.90'
                                  ).api_version.get_string() == '2.90'
    context.clients.reconnect()
    set_option('max_nova_api_microversion', 2.53)
    assert context.clients.client(
        'nova').api_version.get_string() == '2.53'


@pytest.mark.parametrize('name', ['keystone', 'nova', 'swift', 'neutron',
                                  'cinder', 'trove', 'glance', 'heat'])
def test_resources_have_a_method_for_each_service(name):
    class Stack:
        class clients:
            client = staticmethod(lambda name, version=None: f'of {name}')

    thing = resource.Resource.__new__(
        type('Thing', (resource.Resource,), {}), 'r', None, None)
    stack = thing.stack = Stack()
    assert getattr(thing, name)() == f'of {name}'
    assert stack is thing.stack


def test_default_deletion_of_a_plugin(context, sent):
    class Stack:
        clients = context.clients

    thing = resource.Resource.__new__(type('Thing', (resource.Resource,), {
        'default_client_name': 'nova', 'entity': 'servers'}), 'r', None, None)
    stack = thing.stack = Stack()
    thing.resource_id = 'x'
    assert thing.handle_delete() == 'x'
    assert [url.partition('.test')[2] for url in sent.urls] == [
        '/v2.1/servers/x']
    sent.status = 404
    assert thing.handle_delete() is None
    assert stack is thing.stack
