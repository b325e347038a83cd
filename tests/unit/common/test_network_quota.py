"""Requests that Neutron refuses although the quota has room for them."""
import http.server
import json
import types

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import noauth
import pytest

from heat.common import cloud_session
from heat.common import network_quota

PROJECT = '3f2a'


class Neutron(http.server.ThreadingHTTPServer):
    """A quota of floating IPs, part of which is reserved at first.

    :ivar requests: the method and path of each request
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.requests = []
        self.limit, self.used, self.reserved = 3, 2, 1
        self.details_status = 200
        self.url = 'http://127.0.0.1:%d' % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        neutron = self.server
        neutron.requests.append(('POST', self.path))
        self.rfile.read(int(self.headers['Content-Length']))
        if neutron.used + neutron.reserved < neutron.limit:
            neutron.used += 1
            self.answer(201, {'floatingip': {}})
        else:
            self.answer(409, {'NeutronError': {
                'type': 'OverQuota', 'detail': '',
                'message': "Quota exceeded for resources: ['floatingip']."}})

    def do_GET(self):
        neutron = self.server
        neutron.requests.append(('GET', self.path))
        if neutron.details_status is None:
            self.close_connection = True
            return
        self.answer(neutron.details_status, {'quota': {'floatingip': {
            'limit': neutron.limit, 'used': neutron.used,
            'reserved': neutron.reserved}}})
        # The other request is answered now.
        neutron.reserved = 0

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Keep the output of the tests clean."""


@pytest.fixture
def neutron(serve):
    return serve(Neutron())


@pytest.fixture
def create(conf, neutron, monkeypatch):
    """Return a function that requests a floating IP."""
    monkeypatch.setattr(network_quota, 'PAUSES', (0.01, 0.01))
    session = cloud_session.CloudSession(
        auth=noauth.NoAuth(endpoint=neutron.url), verify=True, cert=None)
    monkeypatch.setattr(session, 'get_project_id', lambda auth=None: PROJECT)

    def create(raise_exc=False, of='network', **body):
        return session.request(
            neutron.url + '/v2.0/floatingips', 'POST', raise_exc=raise_exc,
            json={'floatingip': body}, endpoint_filter={'service_type': of})
    return create


CREATE = ('POST', '/v2.0/floatingips')


def details(project=PROJECT):
    return ('GET', f'/v2.0/quotas/{project}/details.json')


@pytest.mark.parametrize('raise_exc', [True, False])
def test_what_fits_is_requested_again(create, neutron, raise_exc):
    assert create(raise_exc).status_code == 201
    assert neutron.requests == [CREATE, details(), CREATE]


@pytest.mark.parametrize('raise_exc', [True, False])
def test_what_does_not_fit_is_refused_at_once(create, neutron, raise_exc):
    neutron.used, neutron.reserved = 3, 0
    if raise_exc:
        with pytest.raises(ks_exceptions.Conflict):
            create(raise_exc)
    else:
        assert create(raise_exc).status_code == 409
    assert neutron.requests == [CREATE, details()]


def test_a_request_is_not_repeated_for_ever(create, neutron, monkeypatch):
    monkeypatch.setattr(Neutron, 'reserved', property(
        lambda self: 1, lambda self, value: None), raising=False)
    assert create().status_code == 409
    assert neutron.requests == [CREATE, details()] * 2 + [CREATE]


@pytest.mark.parametrize('status', [403, 404, 500, None])
def test_without_details_a_refusal_holds(create, neutron, conf, status):
    conf.set(client_retry_limit=1)
    neutron.details_status = status
    assert create().status_code == 409
    assert neutron.requests[:2] == [CREATE, details()]
    assert neutron.requests.count(CREATE) == 1


def test_only_neutron_is_asked(create, neutron):
    assert create(of='compute').status_code == 409
    assert neutron.requests == [CREATE]


@pytest.mark.parametrize('key', ['project_id', 'tenant_id'])
def test_another_project_has_its_own_quota(create, neutron, key):
    assert create(**{key: 'a1b2'}).status_code == 201
    assert neutron.requests[1] == details('a1b2')


def test_a_project_cannot_lead_to_another_path(create, neutron):
    assert create(project_id='../ports').status_code == 409
    assert neutron.requests == [CREATE]


def refusal(body, message="Quota exceeded for resources: ['port'].",
            of='OverQuota', url='https://cloud:9696/v2.0/ports'):
    return types.SimpleNamespace(
        status_code=409, request=types.SimpleNamespace(url=url, body=body),
        json=lambda: {'NeutronError': {'type': of, 'message': message}})


def answered(**quotas):
    def ask(url):
        return types.SimpleNamespace(status_code=200, json=lambda: {
            'quota': {name: {'limit': limit, 'used': used}
                      for name, (limit, used) in quotas.items()}})
    return ask


@pytest.mark.parametrize(('number', 'momentary'), [(2, True), (3, False)])
def test_all_of_a_bulk_request_must_fit(number, momentary):
    answer = refusal(json.dumps({'ports': [{}] * number}))
    assert network_quota.is_momentary(
        answer, lambda: PROJECT, answered(port=(10, 8))) is momentary


def test_each_resource_must_fit():
    answer = refusal('{"port": {}}',
                     "Quota exceeded for resources: ['port', 'network'].")
    for networks, momentary in ((3, False), (2, True)):
        assert network_quota.is_momentary(
            answer, lambda: PROJECT,
            answered(port=(10, 8), network=(3, networks))) is momentary


@pytest.mark.parametrize('answer', [
    None,
    refusal('{"port": {}}', of='IpAddressInUse'),
    refusal('{"port": {}}', message='Quota exceeded'),
    refusal('{"port": {}}', url='https://cloud/somewhere'),
    types.SimpleNamespace(status_code=409, json=lambda: ['so it is'],
                          request=types.SimpleNamespace(url='', body=None))])
def test_other_answers_hold(answer):
    assert not network_quota.is_momentary(
        answer, lambda: PROJECT, lambda url: pytest.fail(url))
