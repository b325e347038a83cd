"""What the options of a client do to the requests that it sends."""
import json
import types

from keystoneauth1 import access
from keystoneauth1.identity import access as access_plugin
from oslo_config import cfg
import pytest
import requests
from requests import adapters

from heat.common import cloud_session
from heat.engine import clients
from heat.engine.clients.os import heat_plugin

# The clients, with the types of their services in the catalogue.
CLIENTS = {
    'aodh': 'alarming',
    'barbican': 'key-manager', 'blazar': 'reservation',
    'cinder': 'block-storage', 'designate': 'dns', 'glance': 'image',
    'heat': 'orchestration', 'ironic': 'baremetal', 'keystone': 'identity',
    'magnum': 'container-infrastructure-management',
    'manila': 'shared-file-system', 'mistral': 'workflowv2',
    'neutron': 'network', 'nova': 'compute',
    'octavia': 'load-balancer', 'openstack': 'network',
    'swift': 'object-store', 'trove': 'database', 'zaqar': 'messaging',
    'zun': 'container',
}
# Where the options of a client are if not in [clients_<name>]: that of all
# services is one of the network service, some have the options of all.
GROUPS = {'openstack': 'clients_neutron', 'blazar': 'clients',
          'ironic': 'clients', 'zun': 'clients'}
INTERFACES = ('public', 'internal', 'admin')


# The services here do not tell which versions they have.
pytestmark = pytest.mark.filterwarnings(
    'ignore:Service .* has no discoverable version')


def proxy(name, context):
    """Return what sends the requests of a client."""
    made = context.clients.client_plugin(name).sdk()
    return {'keystone': lambda: made.client,
            'openstack': lambda: made.network,
            'zaqar': lambda: made._proxy}.get(name, lambda: made)()


@pytest.fixture
def sent(monkeypatch):
    """Return (URL, verify, cert) of all requests, which nobody answers."""
    seen = []
    for name in ('REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'):
        monkeypatch.delenv(name, raising=False)

    def send(_adapter, request, verify=True, cert=None, **_more):
        seen.append((request.url, verify, cert))
        answer = requests.Response()
        answer.status_code, answer.request = 404, request
        answer.raw = answer._content = json.dumps({}).encode()
        answer.url = request.url
        return answer

    monkeypatch.setattr(adapters.HTTPAdapter, 'send', send)
    return seen


@pytest.fixture
def context(monkeypatch):
    """Return the context of a user whose catalogue has all services."""
    token = {'token': {
        'project': {'id': 'project', 'name': 'p', 'domain': {'id': 'd'}},
        'user': {'id': 'u', 'name': 'u', 'domain': {'id': 'd'}},
        'expires_at': '2999-01-01T00:00:00Z', 'methods': ['password'],
        'catalog': [{'type': kind, 'name': kind, 'endpoints': [
            {'interface': interface, 'region': 'here', 'id': kind,
             'url': f'https://{interface}.{kind}.test/v1'}
            for interface in INTERFACES]}
            for kind in sorted(set(CLIENTS.values()))]}}
    clients.plugins.cache_clear()
    made = types.SimpleNamespace(
        auth_plugin=access_plugin.AccessInfoPlugin(
            access.create(body=token, auth_token='t')),
        keystone_session=cloud_session.CloudSession(), request_id='req-1',
        region_name=None, knows_keystone=True, can_authenticate=True,
        project_id='project')
    made = _Context(**vars(made))
    made.clients = clients.OpenStackClients(made)
    return made


class _Context(types.SimpleNamespace):
    """Can be referred to weakly."""


@pytest.fixture
def conf():
    """Set options of the client of a name."""
    changed = []

    def change(client, **options):
        group = GROUPS.get(client, 'clients_' + client)
        for name, value in options.items():
            cfg.CONF.set_override(name, value, group)
            changed.append((name, group))

    yield change
    for name, group in changed:
        cfg.CONF.clear_override(name, group)


def host(client, interface):
    return f'https://{interface}.{CLIENTS[client]}.test/'


def ask(name, context):
    proxy(name, context).request('/things', 'GET', raise_exc=False)


def test_each_client_is_tried():
    assert set(CLIENTS) == set(clients._OWN_PLUGINS)


@pytest.mark.parametrize('name', CLIENTS)
def test_which_endpoint(name, context, conf, sent):
    other = 'nova' if name != 'nova' else 'cinder'
    conf(other, endpoint_type='internal')
    conf(name, endpoint_type='adminURL')
    ask(name, context)
    assert {url.startswith(host(name, 'admin')) for url, *_ in sent} == {
        True}, sent


@pytest.mark.parametrize('name', CLIENTS)
@pytest.mark.parametrize(('options', 'tls'), [
    ({}, (True, None)),
    ({'insecure': True, 'ca_file': '/ca'}, (False, None)),
    ({'ca_file': '/ca', 'cert_file': '/c', 'key_file': '/k'},
     ('/ca', ('/c', '/k')))])
def test_whom_to_trust(name, options, tls, context, conf, sent):
    conf(name, **options)
    ask(name, context)
    assert {each[1:] for each in sent} == {tls}
    assert all(url.startswith(host(name, 'public')) for url, *_ in sent)


def test_url_that_is_in_no_catalogue(context, conf, sent):
    conf('heat', url='https://heat.test/v1/%(tenant_id)s')
    plugin = context.clients.client_plugin('heat')
    assert isinstance(plugin, heat_plugin.HeatClientPlugin)
    ask('heat', context)
    assert [url for url, *_ in sent] == [
        'https://heat.test/v1/project/things']
