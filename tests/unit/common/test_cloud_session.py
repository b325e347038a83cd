"""How requests to services are repeated, bounded and told of."""
import contextlib
import http.server
import json
import threading
import time

from keystoneauth1 import discover
from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import noauth
from openstack import connection
from openstack import exceptions
import pytest

from heat.common import cloud_session
from heat.common import exception
from heat.common import metrics
from heat.common import timeutils

DROP = 'drop'


class Service(http.server.ThreadingHTTPServer):
    """Answers what a script says, then 200; remembers what it was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.script, self.asked, self.ports = [], [], set()
        self.open = 0
        self.url = 'http://127.0.0.1:%d' % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    BODY = b'{"error": {"message": "so it is"}}'
    _counting = threading.Lock()

    def setup(self):
        super().setup()
        with self._counting:
            self.server.open += 1

    def finish(self):
        with self._counting:
            self.server.open -= 1
        super().finish()

    def answer(self):
        self.server.asked.append(self.command)
        self.server.ports.add(self.client_address[1])
        self.rfile.read(int(self.headers.get('Content-Length') or 0))
        status = self.server.script.pop(0) if self.server.script else 200
        if status == DROP:
            self.close_connection = True
            return
        body = self.BODY
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('x-openstack-request-id', 'req-of-the-service')
        self.send_header('Set-Cookie', 'user=alice')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *args):
        """Keep the output of the tests clean."""


@pytest.fixture
def service(serve):
    return serve(Service())


@pytest.fixture
def session(monkeypatch, conf, service):
    monkeypatch.setattr(timeutils, 'retry_backoff_delay',
                        lambda *args, **kwargs: 0.01)
    return cloud_session.CloudSession(
        auth=noauth.NoAuth(endpoint=service.url), verify=True, cert=None)


def ask(session, service, method, of='network', **kwargs):
    return session.request(
        service.url + '/things', method,
        endpoint_filter={'service_type': of},
        connect_retry_delay=0.01, status_code_retry_delay=0.01, **kwargs)


@pytest.mark.parametrize('trouble', [500, 502, 503, 504, 429, DROP])
@pytest.mark.parametrize('method', ['GET', 'PUT', 'DELETE'])
def test_what_may_be_repeated_is(session, service, method, trouble):
    service.script = [trouble, trouble]
    assert ask(session, service, method).status_code == 200
    assert service.asked == [method] * 3


def counted():
    """Return the number of requests by outcome."""
    return {sample.labels['outcome']: sample.value
            for family in metrics.CLOUD_REQUESTS.collect()
            for sample in family.samples}


@pytest.mark.parametrize(('script', 'method', 'outcome', 'fails'), [
    ([], 'GET', 'ok', False), ([503, 503], 'GET', 'ok', False),
    ([404], 'GET', 'refused', True), ([500], 'POST', 'error', True),
    ([DROP], 'POST', 'error', True)])
@pytest.mark.parametrize('raises', [True, False])
def test_requests_are_counted_by_outcome(
        session, service, script, method, outcome, fails, raises):
    service.script = list(script)
    before = counted()
    with contextlib.ExitStack() as stack:
        if fails and (raises or DROP in script):
            stack.enter_context(
                pytest.raises(ks_exceptions.ClientException))
        ask(session, service, method, raise_exc=raises)
    after = counted()
    assert {name: after[name] - before.get(name, 0) for name in after
            if after[name] != before.get(name, 0)} == {outcome: 1}


@pytest.mark.parametrize('trouble', [429, 503])
def test_what_was_not_taken_is_sent_again(session, service, trouble):
    service.script = [trouble]
    assert ask(session, service, 'POST').status_code == 200
    assert service.asked == ['POST'] * 2


def test_what_may_have_been_taken_is_not_sent_again(session, service):
    service.script = [500]
    with pytest.raises(ks_exceptions.InternalServerError):
        ask(session, service, 'POST')
    service.script = [DROP]
    with pytest.raises(ks_exceptions.ConnectFailure) as caught:
        ask(session, service, 'POST', global_request_id='req-of-ours')
    assert service.asked == ['POST'] * 2
    assert str(caught.value) == (
        'No answer from the service network to POST: it closed the '
        'connection (request req-of-ours)')


@pytest.mark.parametrize('raise_exc', [True, False])
def test_keystone_is_asked_twice_for_what_it_forbids(session, service,
                                                     raise_exc):
    """It may have taken the token for that of another request."""
    service.script = [403]
    assert ask(session, service, 'POST', of='identity',
               raise_exc=raise_exc).status_code == 200
    service.script = [403, 403]
    if raise_exc:
        with pytest.raises(ks_exceptions.Forbidden):
            ask(session, service, 'DELETE', of='identity')
    else:
        assert ask(session, service, 'DELETE', of='identity',
                   raise_exc=False).status_code == 403
    assert service.asked == ['POST'] * 2 + ['DELETE'] * 2


def test_what_others_forbid_is_forbidden(session, service):
    service.script = [403]
    with pytest.raises(ks_exceptions.Forbidden):
        ask(session, service, 'GET')
    assert service.asked == ['GET']


def test_nothing_that_listens(session, service):
    service.url = 'http://127.0.0.1:9'
    for method in 'GET', 'POST':
        with pytest.raises(ks_exceptions.ConnectFailure) as caught:
            ask(session, service, method)
        assert str(caught.value) == (
            'No answer from the service network to %s: it does not accept '
            'connections' % method)


def test_a_service_that_hangs(session, service, monkeypatch):
    session.timeout = 0.05
    monkeypatch.setattr(Handler, 'do_POST', lambda self: threading.Event()
                        .wait(0.5), raising=False)
    with pytest.raises(ks_exceptions.ConnectTimeout,
                       match='did not answer in time'):
        ask(session, service, 'POST')


def test_limits_of_the_configuration(session, service, conf):
    conf.set(client_retry_limit=0)
    service.script = [500]
    with pytest.raises(ks_exceptions.InternalServerError):
        ask(session, service, 'GET')
    assert service.asked == ['GET']


def test_sessions_share_connections_but_no_cookies(session, service):
    for _user in range(3):
        other = cloud_session.CloudSession(
            auth=noauth.NoAuth(), verify=True, cert=None)
        answer = ask(other, service, 'GET')
        assert 'Cookie' not in answer.request.headers
    assert len(service.ports) == 1


def test_unused_connections_are_closed(session, service, monkeypatch):
    monkeypatch.setattr(cloud_session, '_KEPT_FOR', 0.2)
    together = threading.Barrier(4)
    monkeypatch.setattr(Handler, 'do_GET', lambda self: (
        together.wait(60), self.answer()))
    for round_ in range(2):
        askers = [threading.Thread(
            target=ask, args=(session, service, 'GET')) for _ in range(4)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert len(service.ports) == 4 * (round_ + 1)
        deadline = time.monotonic() + 60
        while service.open and time.monotonic() < deadline:
            time.sleep(0.02)
        assert service.open == 0


def versions_of(service):
    return json.dumps({'versions': [
        {'id': 'v2.0', 'status': 'CURRENT', 'links': [
            {'rel': 'self', 'href': service.url + '/v2.0'}]}]}).encode()


def ask_together(service, count):
    """Have threads of many users look for a service that is slow."""
    found, together = [], threading.Barrier(count)

    def look():
        session = cloud_session.CloudSession(
            auth=noauth.NoAuth(endpoint=service.url), verify=True, cert=None)
        together.wait(60)
        try:
            found.append(session.get_endpoint_data().api_version)
        except ks_exceptions.DiscoveryFailure:
            found.append('nothing')

    askers = [threading.Thread(target=look) for _ in range(count)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    return found


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr(Handler, 'do_GET', lambda self: (
        time.sleep(0.1), self.answer()))


def test_many_that_look_for_a_service_ask_it_once(service, monkeypatch,
                                                  slow):
    monkeypatch.setattr(Handler, 'BODY', versions_of(service))
    assert ask_together(service, 12) == [(2, 0)] * 12
    assert len(service.asked) == 1


def test_who_waited_for_nothing_asks_itself(service, monkeypatch, slow, conf):
    conf.set(client_retry_limit=0)
    monkeypatch.setattr(Handler, 'BODY', versions_of(service))
    service.script = [404]
    assert sorted(ask_together(service, 3), key=str) == [
        (2, 0), (2, 0), 'nothing']
    assert ask_together(service, 3) == [(2, 0)] * 3
    # Those two may have asked at the same time, or one after the other.
    assert len(service.asked) in (2, 3)


def test_versions_are_asked_for_once_in_a_while(service, monkeypatch):
    monkeypatch.setattr(Handler, 'BODY', versions_of(service))
    now = [timeutils.wallclock()]
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now[0])

    def known_to(user):
        return discover.get_discovery(cloud_session.CloudSession(
            auth=noauth.NoAuth(), verify=True, cert=None), service.url)

    assert known_to('one').url_for('2') == service.url + '/v2.0'
    now[0] += 200
    known_to('another')
    assert len(service.asked) == 1
    now[0] += 200
    known_to('one')
    assert len(service.asked) == 2


def test_the_failure_names_service_request_and_reason(service, session):
    cloud = connection.Connection(session=session)
    service.script = [409]
    with pytest.raises(exceptions.ConflictException) as caught:
        cloud.network.create_network(name='a')
    failure = exception.ResourceFailure(caught.value)
    assert str(failure) == (
        'ConflictException: the service network answered 409 to POST '
        '/v2.0/networks: so it is (request req-of-the-service)')
