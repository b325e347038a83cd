"""Watching a stack: its board, its stream, and the list instead of one."""
import datetime
import io
import itertools
import types

import pytest
import requests

from heat_plan_client import stream
from heat_plan_client import timeline
from heat_plan_client import watch
from heat_plan_client.osc import watch as command

NOW = datetime.datetime(2026, 11, 25, 17, 0, 30, tzinfo=datetime.UTC)
STACK = types.SimpleNamespace(stack_name='s', id='root',
                              stack_status='CREATE_IN_PROGRESS')


def links(stack='root', name='s', nested=None):
    found = [{'rel': 'stack', 'href': f'http://h/stacks/{name}/{stack}'}]
    if nested:
        found.append({'rel': 'nested', 'href': f'http://h/stacks/n/{nested}'})
    return found


def resource(name, status, **where):
    return {'resource_name': name, 'resource_status': status,
            'updated_time': '2026-11-25T17:00:10Z', 'links': links(**where)}


def event(path, status, second=20, stack='root', physical='x', reason=''):
    return {'id': f'{path}-{status}', 'path': path, 'stack_id': stack,
            'resource_name': path.rpartition('/')[2],
            'resource_status': status, 'physical_resource_id': physical,
            'event_time': f'2026-11-25T17:00:{second:02}Z',
            'resource_status_reason': reason, 'links': links(stack)}


@pytest.fixture
def board():
    made = watch.Board(STACK, NOW - datetime.timedelta(seconds=28))
    made.load([
        resource('a', 'CREATE_COMPLETE'), resource('b', 'INIT_COMPLETE'),
        resource('n', 'CREATE_IN_PROGRESS', nested='inner'),
        resource('x', 'INIT_COMPLETE', stack='inner')])
    return made


def drawn(board, columns=60, lines=20):
    return list(board.lines(NOW, (columns, lines)))


def test_board(board):
    assert drawn(board) == [
        'Stack s: CREATE_IN_PROGRESS, 28 s',
        '4 resources: 1 complete, 1 in progress, 2 waiting', '',
        'n  CREATE_IN_PROGRESS  20 s']
    board.apply(event('n/x', 'CREATE_IN_PROGRESS', 25, 'inner'))
    board.apply(event('b', 'CREATE_FAILED', reason='no\nroom'))
    board.apply(event('', 'CREATE_FAILED', physical='root'))
    assert drawn(board) == [
        'Stack s: CREATE_FAILED, 28 s',
        '4 resources: 1 complete, 1 failed, 2 in progress', '',
        'b    CREATE_FAILED  no\\nroom', 'n    CREATE_IN_PROGRESS  20 s',
        'n/x  CREATE_IN_PROGRESS  5 s']
    board.apply(event('b', 'DELETE_COMPLETE'))
    # What a nested stack is, is not what the stack is.
    board.apply(event('n', 'CREATE_COMPLETE', stack='inner',
                      physical='inner'))
    assert drawn(board)[:2] == [
        'Stack s: CREATE_FAILED, 28 s',
        '3 resources: 1 complete, 2 in progress']


def test_board_fits_the_terminal(board):
    for number in range(30):
        board.apply(event(f'r{number}', 'CREATE_IN_PROGRESS'))
    lines = drawn(board, columns=20, lines=12)
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 20
    assert lines[-1] == '... and 24 more'


def test_line_of_an_event():
    assert watch.event_line(event('n/x', 'CREATE_FAILED', reason='a\x1b[2J')
                            ) == ('2026-11-25 17:00:20Z [n/x]: CREATE_FAILED'
                                  '  a\\x1b[2J')
    assert '[(stack)]' in watch.event_line(event('', 'CREATE_COMPLETE'))


def test_messages_of_a_stream():
    lines = (b'retry: 2000', b': hello', b'', b'id: 7', b'event: resource',
             b'data: {"a": 1}', b'', b': ', b'', b'id: 9.8', b'event: end',
             b'data: {}', b'', b'id: 10')
    assert list(stream.messages(lines)) == [
        ('7', 'resource', {'a': 1}), ('9.8', 'end', {})]


class Response:
    """A response whose lines end, perhaps with an error."""

    def __init__(self, *events, error=None):
        self._events, self._error = events, error

    def iter_lines(self):
        for number, (kind, path) in self._events:
            yield from (b'id: %d' % number, b'event: ' + kind,
                        b'data: {"path": "%s"}' % path, b'')
        if self._error:
            raise self._error

    def close(self):
        pass


def test_stream_over_several_connections(monkeypatch):
    responses = [Response((1, (b'resource', b'a')), (2, (b'resource', b'b')),
                          error=requests.ConnectionError()),
                 OSError('refused'), Response((3, (b'resource', b'c')),
                                              (4, (b'end', b'')))]
    asked = []

    def open_stream(_client, _stack, _depth, last_id):
        asked.append(last_id)
        found = responses.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(stream, 'open_stream', open_stream)
    monkeypatch.setattr(stream, 'INTERVAL', 0.01)
    batches = list(stream.events(None, STACK, 0, 5))
    assert [each['path'] for batch in batches for each in batch] == [
        'a', 'b', 'c']
    assert asked == [None, '2', '2']


def test_error_of_a_stream_is_raised(monkeypatch):
    responses = [Response(), ValueError('wrong')]

    def open_stream(*_arguments):
        found = responses.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(stream, 'open_stream', open_stream)
    monkeypatch.setattr(stream, 'INTERVAL', 0.01)
    with pytest.raises(ValueError, match='wrong'):
        list(stream.events(None, STACK, 0, 5))


def listed(data):
    return types.SimpleNamespace(id=data['id'], to_dict=lambda: data)


def test_list_instead_of_a_stream(monkeypatch):
    def refuse(*_arguments):
        raise stream.NotSupported()

    old, new, deep = (event('a', 'CREATE_IN_PROGRESS'),
                      event('a', 'CREATE_COMPLETE'),
                      event('x', 'CREATE_COMPLETE', stack='inner'))
    for each in (old, new, deep):
        del each['path'], each['stack_id']
    answers = [[old], [old, new], [deep, old, new]]
    monkeypatch.setattr(stream, 'open_stream', refuse)
    monkeypatch.setattr(stream.event_utils, 'get_events',
                        lambda *_args, **_more: map(listed, answers.pop(0)))
    client = types.SimpleNamespace(resources=types.SimpleNamespace(
        list=lambda *_args, **_more: [
            listed({'id': 1, **resource('n', 'X_Y', nested='inner')})]))
    batches = itertools.islice(stream.events(client, STACK, 1, 0.01), 4)
    assert [[(each['path'], each['resource_status']) for each in batch]
            for batch in batches] == [
        [], [('a', 'CREATE_COMPLETE')], [], [('n/x', 'CREATE_COMPLETE')]]


class Terminal(io.StringIO):
    """A terminal that records its output."""

    encoding = 'utf-8'

    def isatty(self):
        return True


def watched(monkeypatch, out, batches, states, no_rollback=True):
    """Run the command; return its exit code."""
    def get(*_arguments, **_more):
        return types.SimpleNamespace(
            stack_name='s', id='root', stack_status=states.pop(0),
            stack_status_reason='because', disable_rollback=no_rollback)

    client = types.SimpleNamespace(
        stacks=types.SimpleNamespace(get=get),
        resources=types.SimpleNamespace(list=lambda *_args, **_more: []))
    monkeypatch.setattr(stream, 'events', lambda *_args: iter(batches))
    app = types.SimpleNamespace(stdout=out, client_manager=(
        types.SimpleNamespace(orchestration=client)))
    made = command.WatchStack(app, None)
    return made.run(made.get_parser('watch').parse_args(['s']))


def test_command_redraws_on_a_terminal(monkeypatch):
    out = Terminal()
    code = watched(monkeypatch, out, [
        [], [event('a', 'CREATE_IN_PROGRESS')],
        [event('a', 'CREATE_FAILED'),
         event('', 'CREATE_FAILED', physical='root')]],
        ['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_FAILED'])
    assert code == 1
    assert out.getvalue().count('\033[J') == 4
    assert out.getvalue().endswith('because\n')


def test_command_follows_a_rollback(monkeypatch):
    out = io.StringIO()
    code = watched(monkeypatch, out, [
        [], [event('', 'CREATE_FAILED', physical='root')], [], [],
        [event('', 'ROLLBACK_COMPLETE', physical='root')]],
        ['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS', 'CREATE_FAILED',
         'CREATE_FAILED', 'ROLLBACK_IN_PROGRESS', 'ROLLBACK_COMPLETE'],
        no_rollback=False)
    assert code == 0
    assert out.getvalue().count('[(stack)]') == 2
    assert out.getvalue().endswith('Stack s: ROLLBACK_COMPLETE\n')


def test_timeline_of_the_service():
    found = timeline.of_service({
        'stack_id': 'root', 'stack_name': 's', 'action': 'CREATE',
        'status': 'COMPLETE', 'started_at': '2026-11-25T17:00:00Z',
        'finished_at': '2026-11-25T17:00:09.5Z', 'resources': [
            {'path': 'n/x', 'action': 'CREATE', 'status': 'COMPLETE',
             'ready_at': None, 'started_at': '2026-11-25T17:00:01Z',
             'finished_at': '2026-11-25T17:00:02Z', 'is_critical': True,
             'attempts': 2},
            {'path': 'y', 'action': 'CREATE', 'status': 'INIT',
             'started_at': None}]})
    [bar] = found['bars']
    assert (bar['path'], bar['critical'], bar['attempts']) == (
        ['n', 'x'], True, 2)
    assert found['ended'] == '2026-11-25T17:00:09.5Z'
