"""Streams of events, over real connections."""
import contextlib
import http.client
import itertools
import json
import threading
import time
import types
import uuid

from oslo_config import cfg
import pytest

from heat.api.openstack.v1.streams import hub
from heat.common import wsgi_server
from heat.db import models
from heat.db import session
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

PATIENCE = 60
INNER = json.dumps(hot({'t': templates.thing()}))


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(hub, 'INTERVAL', 0.1)


@pytest.fixture
def server(service):
    """Return a server that has two threads for requests."""
    options = {name: getattr(cfg.CONF.heat_api, name) for name in (
        'backlog', 'cert_file', 'key_file', 'workers', 'max_header_line',
        'tcp_keepidle', 'client_socket_timeout')}
    running = wsgi_server.Server(
        types.SimpleNamespace(**options, bind_host='127.0.0.1', bind_port=0,
                              threads=2), service.application)
    running.start()
    yield running
    running.stop(timeout=10)


class Client:
    """A client of a stream; it has the ids of what it has received."""

    def __init__(self, server, path, **headers):
        self._connection = http.client.HTTPConnection(
            *server.address, timeout=PATIENCE)
        self._connection.request('GET', path, headers=headers)
        self.response = self._connection.getresponse()
        self.last_id = None
        self.comments = []

    def __iter__(self):
        """Yield (type, data) until the stream ends."""
        fields = {}
        for line in self.response:
            text = line.decode().rstrip('\n')
            if text.startswith(':'):
                self.comments.append(text[1:].strip())
            elif text:
                name, _colon, value = text.partition(': ')
                fields[name] = value
            elif 'data' in fields:
                self.last_id = fields['id']
                yield fields['event'], json.loads(fields['data'])
                fields = {}

    def read(self, number):
        return list(itertools.islice(self, number))

    def close(self):
        self._connection.close()
        self.response.close()


@pytest.fixture
def listen(server, api):
    """Return a function that returns a client of a stream."""
    clients = []

    def begin(path='', expect=200, **headers):
        if not path.startswith('/'):
            path = f'/v1/{api.project}/{path}'
        clients.append(Client(server, path, **headers))
        assert clients[-1].response.status == expect
        return clients[-1]

    yield begin
    for each in clients:
        each.close()


def stream_of(stack, **query):
    return f'{stack.path}/events/stream' + ''.join(
        f'{"&" if index else "?"}{name}={value}'
        for index, (name, value) in enumerate(query.items()))


def shown(events):
    return [(each['path'], each['resource_status'])
            for _kind, each in events]


def listed(stack, **query):
    events = stack.get('events', sort_dir='asc', sort_keys='event_time',
                       **query)['events']
    return {each['id'] for each in events}


def test_events_of_a_project_as_they_happen(driver, api, listen):
    client = listen('events/stream?nested_depth=5')
    headers = client.response.headers
    assert headers['Content-Type'].startswith('text/event-stream')
    assert 'no-store' in headers['Cache-Control']
    stack = api.created('s', hot({'n': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': INNER})
    found = client.read(8)
    assert sorted(shown(found)) == sorted(
        (path, status) for path in ('', 'n', 'n', 'n/t')
        for status in ('CREATE_IN_PROGRESS', 'CREATE_COMPLETE'))
    kinds = {(kind, each['path']) for kind, each in found}
    assert kinds == {('stack', ''), ('resource', 'n'), ('stack', 'n'),
                     ('resource', 'n/t')}
    assert {each['root_stack_id'] for _kind, each in found} == {stack.id}
    assert client.comments == ['hello']
    # The same fields as in the list, which has other links to the root.
    by_id = {each['id']: each for _kind, each in found}
    events = stack.get('events', nested_depth=5)['events']
    assert {each['id'] for each in events} == set(by_id)
    for each in events:
        streamed = by_id[each['id']]
        assert {key: value for key, value in streamed.items()
                if key in each and key != 'links'} == {
                    key: value for key, value in each.items()
                    if key != 'links'}
        assert [link['rel'] for link in streamed['links']] == [
            link['rel'] for link in each['links']]
        assert set(streamed) - set(each) == {
            'stack_id', 'stack_name', 'root_stack_id', 'path'}


def test_engine_wakes_who_listens(driver, api, listen, monkeypatch):
    """Events come although nobody would look for them for an hour."""
    client = listen('events/stream?nested_depth=5')
    before = api.created('before', hot())
    assert len(client.read(2)) == 2
    monkeypatch.setattr(hub, 'INTERVAL', 3600)
    stack = api.created('s', hot({'n': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': INNER})
    created = {each['id'] for _kind, each in client.read(8)}
    assert created == listed(stack, nested_depth=5)
    stack.deleted()
    deleted = {each['id'] for _kind, each in client.read(8)}
    assert len(created | deleted) == 16
    before.deleted()
    assert shown(client.read(2))[-1] == ('', 'DELETE_COMPLETE')


def test_stored_events_come_first_and_the_end_last(driver, api, listen):
    stack = api.created('s', hot({'a': templates.thing(),
                                  'b': templates.thing()}))
    client = listen(stream_of(stack, **{'from': 'start'}))
    assert {each['id'] for _kind, each in client.read(6)} == listed(stack)
    stack.deleted()
    rest_of_it = list(client)
    assert rest_of_it[-1] == ('end', {'stack_id': stack.id})
    assert shown(rest_of_it[:-1])[-1] == ('', 'DELETE_COMPLETE')
    # A client that comes later is told at once.
    assert list(listen(stream_of(stack))) == [('end', {'stack_id':
                                                       stack.id})]


def test_filters_and_depth(driver, api, listen):
    stack = api.created('s', hot({'n': {'type': 'inner.yaml'},
                                  'a': templates.thing()}),
                        files={'inner.yaml': INNER})

    def read(number, **query):
        client = listen(stream_of(stack, **{'from': 'start'}, **query))
        return sorted(shown(client.read(number)))

    assert read(2, resource_name='a') == [
        ('a', 'CREATE_COMPLETE'), ('a', 'CREATE_IN_PROGRESS')]
    assert read(1, resource_type='Test::Thing',
                resource_status='COMPLETE') == [('a', 'CREATE_COMPLETE')]
    assert read(1, nested_depth=1, resource_name='t',
                resource_status='COMPLETE') == [('n/t', 'CREATE_COMPLETE')]
    inner = stack.nested('n')
    client = listen(stream_of(inner, **{'from': 'start'}))
    found = client.read(4)
    assert {path for path, _status in shown(found)} == {'', 't'}
    assert {each['root_stack_id'] for _kind, each in found} == {stack.id}


def test_a_client_goes_on_where_it_was(driver, api, listen):
    stack = api.created('s', hot({name: templates.thing()
                                  for name in 'abcdef'}))
    wanted = [each['id'] for _kind, each in listen(stream_of(
        stack, **{'from': 'start'})).read(14)]
    assert set(wanted) == listed(stack)
    first = listen(stream_of(stack, **{'from': 'start'}))
    got = [each['id'] for _kind, each in first.read(5)]
    first.close()
    second = listen(stream_of(stack), **{'Last-Event-ID': first.last_id})
    got += [each['id'] for _kind, each in second.read(4)]
    second.close()
    third = listen(stream_of(stack, last_event_id=second.last_id))
    got += [each['id'] for _kind, each in third.read(5)]
    assert got == wanted


def test_a_row_that_comes_late_is_neither_lost_nor_doubled(
        driver, api, listen, service):
    """Transactions end in any order; ids are given when they begin."""
    stack = api.created('s', hot())
    client = listen(stream_of(stack))

    def write(row, name):
        with session.writer(None) as connection:
            connection.execute(models.EVENT.insert(), {
                'id': row, 'uuid': str(uuid.uuid4()), 'stack_id': stack.id,
                'resource_name': name, 'resource_action': 'CREATE',
                'resource_status': 'COMPLETE', 'resource_type': 'T'})

    with session.reader(None) as connection:
        newest = connection.execute(
            models.EVENT.select().order_by(models.EVENT.c.id.desc())
        ).first().id
    write(newest + 3, 'early')
    assert [each['path'] for _kind, each in client.read(1)] == ['early']
    assert client.last_id == f'{newest + 3}.{newest + 1}-{newest + 2}'
    write(newest + 2, 'late')
    assert [each['path'] for _kind, each in client.read(1)] == ['late']
    assert client.last_id == f'{newest + 3}.{newest + 1}'
    client.close()
    write(newest + 1, 'last')
    again = listen(stream_of(stack), **{'Last-Event-ID': client.last_id})
    assert [each['path'] for _kind, each in again.read(1)] == ['last']
    assert again.last_id == str(newest + 3)


def test_other_projects_hear_nothing(driver, api, listen, server):
    other = rest.Client(api.application, uuid.uuid4().hex)
    client = listen(f'/v1/{other.project}/events/stream')
    stack = api.created('s', hot({'a': templates.thing()}))
    answer = other.request('GET', f'stacks/s/{stack.id}/events/stream')
    assert answer.status in (403, 404)
    theirs = other.created('theirs', hot())
    assert {each['stack_name'] for _kind, each in client.read(2)} == {
        'theirs'}
    theirs.deleted()


@pytest.mark.parametrize('query', [
    'last_event_id=x', 'last_event_id=1.2', 'last_event_id=99999999999999',
    'last_event_id=9.3-2', 'from=end', 'nested_depth=-1'])
def test_what_makes_no_sense_is_refused(driver, api, query):
    answer = api.request('GET', f'events/stream?{query}')
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


def test_listeners_have_a_limit_and_cost_no_thread(driver, api, listen,
                                                   conf):
    conf('max_event_listeners', 40, 'heat_api')
    clients = [listen('events/stream') for _index in range(20)]
    refused = listen('events/stream', expect=503).response
    assert int(refused.headers['Retry-After']) > 0
    assert json.loads(refused.read())['error']['type'] == (
        'HTTPServiceUnavailable')
    # The server has two threads, and they are free.
    stack = api.created('s', hot())
    for each in clients:
        assert shown(each.read(2)) == [('', 'CREATE_IN_PROGRESS'),
                                       ('', 'CREATE_COMPLETE')]
    clients.pop().close()

    def has_room():
        with contextlib.suppress(AssertionError):
            listen('events/stream').close()
            return True
        return False

    rest.wait_for(has_room, lambda: 'no room')
    stack.deleted()


def test_nobody_asks_while_nobody_listens(driver, api, listen):
    client = listen('events/stream')
    rest.wait_for(lambda: 'event-hub' in names_of_threads(),
                  names_of_threads)
    client.close()
    rest.wait_for(lambda: 'event-hub' not in names_of_threads(),
                  names_of_threads)


def names_of_threads():
    return [each.name for each in threading.enumerate()]


def test_a_server_that_stops_says_so(driver, api, listen, server):
    client = listen('events/stream')
    began = time.monotonic()
    server.stop(timeout=10)
    assert list(client) == []
    assert client.comments == ['hello', 'the service stops']
    assert time.monotonic() - began < 8
