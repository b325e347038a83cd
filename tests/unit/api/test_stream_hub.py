"""The hub of streams over an engine that keeps rows in memory."""
import json
import threading
import types

import pytest

from heat.api.openstack.v1.streams import hub
from heat.api.openstack.v1.streams import listener
from heat.api.openstack.v1.streams import position
from heat.api.openstack.v1.streams import request
from heat.common import id_ranges
from heat.common import timeutils

Position = position.Position
FOREVER = 1e9


class Engine:
    """Events of stacks by row, in the form of RPC answers."""

    def __init__(self):
        self.rows = {}
        self.stacks = {}
        self.calls = []
        self.is_away = False

    def stack(self, stack_id, tenant='p', owner=None, resource=None,
              backup=False):
        self.stacks[stack_id] = {
            'name': f'name-{stack_id}', 'tenant': tenant, 'owner_id': owner,
            'parent_resource_name': resource, 'backup': backup}

    def event(self, row, stack_id='s', name='r', action='CREATE',
              status='COMPLETE', physical='x', kind='T', text=''):
        stack = {'tenant': self.stacks[stack_id]['tenant'], 'stack_name':
                 self.stacks[stack_id]['name'], 'stack_id': stack_id,
                 'path': ''}
        self.rows[row] = {
            'row_id': row, 'event_identity': {
                **stack, 'path': f'/resources/{name}/events/{row}'},
            'stack_identity': stack, 'stack_name': stack['stack_name'],
            'event_time': '2026-11-25T12:00:00Z', 'resource_name': name,
            'physical_resource_id': physical, 'resource_action': action,
            'resource_status': status, 'resource_status_reason': text,
            'resource_type': kind}

    def end_of(self, row, stack_id='s'):
        self.event(row, stack_id, action='DELETE', physical=stack_id,
                   kind='OS::Heat::Stack')

    def _answer(self, ranges, tenants, limit=1000, **more):
        if self.is_away:
            raise ConnectionError('away')
        found = [row for row in sorted(self.rows)
                 if any(low <= row <= high for low, high in ranges)]
        return {'stacks': self.stacks, **more, 'events': [
            self.rows[row] for row in found if self.stacks[self.rows[row][
                'stack_identity']['stack_id']]['tenant'] in tenants][:limit]}

    def list_events_since(self, context, last=None, holes=(), tenants=(),
                          limit=0):
        assert context.is_admin
        self.calls.append(('since', tuple(tenants)))
        newest = max(self.rows, default=0)
        if last is None:
            return self._answer([], [], more=False,
                                unseen=id_ranges.difference(
                id_ranges.beyond(min(self.rows, default=0)),
                tuple((row, row) for row in sorted(self.rows))))
        asked = (*map(tuple, holes), *id_ranges.beyond(last))
        new = [row for row in sorted(self.rows) if row > last][:limit]
        newest = new[-1] if new else last
        unseen = id_ranges.union(
            id_ranges.without(id_ranges.intersection(asked, ((1, newest),)),
                              self.rows), id_ranges.beyond(newest))
        return self._answer(id_ranges.difference(asked, unseen), tenants,
                            unseen=unseen, more=len(new) == limit)

    def list_events_between(self, context, ranges, limit, tenant=None,
                            stack_identity=None):
        self.calls.append(('between', tenant))
        if not ranges:
            return self._answer([], [tenant], reached=None)
        answer = self._answer(ranges, [tenant], limit)
        full = len(answer['events']) == limit
        return {**answer, 'reached': answer['events'][-1]['row_id']
                if full else None}

    @staticmethod
    def local_error_name(error):
        return type(error).__name__


@pytest.fixture
def engine():
    made = Engine()
    made.stack('s')
    return made


@pytest.fixture
def events(engine, monkeypatch):
    monkeypatch.setattr(hub, 'INTERVAL', 0.01)
    monkeypatch.setattr(hub, '_MOMENT', 0.002)
    receivers = []
    running = hub.EventHub(engine, lambda wake: Receiver(wake, receivers))
    made = []

    def listen(start=None, limit=100, is_over=False, ends_at=FOREVER, **how):
        selection = listener.Selection(**{
            'project': 'p', 'application_url': 'http://h/v1', **how})
        found = running.listen(selection, start or running.now(), ends_at,
                               limit, is_over=is_over)
        made.append(found)
        reader = Reader(found.stream)
        reader.listener = found
        return reader

    listen.hub, listen.receivers = running, receivers
    yield listen
    for each in made:
        each.stream.close()


class Receiver:
    """Takes wake-ups that tests send."""

    def __init__(self, wake, running):
        self.wake = wake
        self.running = running

    def start(self):
        self.running.append(self)

    def stop(self):
        self.running.remove(self)


class Reader:
    """Reads a stream in a thread."""

    def __init__(self, stream):
        self.stream = stream
        self.events, self.comments, self.ids = [], [], []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for piece in self.stream:
            for block in piece.decode().split('\n\n'):
                fields = dict(line.split(': ', 1) for line in
                              block.split('\n') if ': ' in line)
                with self._changed:
                    if 'data' in fields:
                        self.ids.append(fields['id'])
                        self.events.append((fields['event'],
                                            json.loads(fields['data'])))
                    elif '' in fields:
                        self.comments.append(fields[''])
                    self._changed.notify()

    def wait(self, number):
        with self._changed:
            assert self._changed.wait_for(
                lambda: len(self.events) >= number, 30), self.events
        return [each['path'] for _kind, each in self.events[:number]]

    def end(self):
        self._thread.join(30)
        assert not self._thread.is_alive()
        return self.events


def identity(stack_id='s'):
    return {'tenant': 'p', 'stack_name': 'n', 'stack_id': stack_id,
            'path': ''}


def test_new_events_only_or_all(engine, events):
    engine.event(1, name='old')
    fresh, whole = events(), events(Position())
    engine.event(2, name='new')
    assert fresh.wait(1) == ['new']
    assert whole.wait(2) == ['old', 'new']
    assert (fresh.ids, whole.ids) == (['2'], ['1', '2'])


def test_what_a_client_has_got_is_not_new(engine, events, monkeypatch):
    """A client may connect again before the hub has served the others."""
    deliver, seen = listener.Listener.deliver, []

    def watched(self, batch, target, reached=None):
        deliver(self, batch, target, reached)
        seen.append(events.hub.now().last - self.position.last)

    monkeypatch.setattr(listener.Listener, 'deliver', watched)
    reader = events()
    for row in range(1, 4):
        engine.event(row)
        reader.wait(row)
    assert seen
    assert set(seen) == {0}


def test_late_rows(engine, events):
    engine.event(1)
    reader = events()
    engine.event(4, name='four')
    assert reader.wait(1) == ['four']
    engine.event(3, name='three')
    assert reader.wait(2)[1] == 'three'
    assert reader.ids == ['4.2-3', '4.2']
    again = events(Position.parse('4.2-3'))
    assert again.wait(1) == ['three']


def test_tree_and_paths(engine, events):
    engine.stack('n', owner='s', resource='group')
    engine.stack('m', owner='n', resource='0')
    engine.stack('b', owner='m', backup=True)
    engine.stack('other')
    deep = events(Position(), identity=identity(), depth=2)
    inner = events(Position(), identity=identity('n'), depth=1)
    flat = events(Position(), identity=identity())
    whole = events(Position(), depth=9)
    for row, stack in enumerate(('s', 'other', 'n', 'm', 'b'), 1):
        engine.event(row, stack)
    engine.event(6, 'n', physical='n', kind='OS::Heat::Stack')
    assert deep.wait(5) == ['r', 'group/r', 'group/0/r', 'group/0/r',
                            'group']
    assert inner.wait(4) == ['r', '0/r', '0/r', '']
    assert flat.wait(1) == ['r']
    assert len(whole.wait(6)) == 6
    assert {each['root_stack_id'] for _kind, each in deep.events} == {'s'}
    assert [kind for kind, _each in inner.events] == [
        'resource'] * 3 + ['stack']
    [link] = [link for link in deep.events[0][1]['links']
              if link['rel'] == 'root_stack']
    assert link['href'] == 'http://h/v1/p/stacks/name-s/s'


def test_projects_and_filters(engine, events):
    engine.stack('t', tenant='q')
    mine = events(Position(), filters={'resource_status': {'FAILED'}})
    theirs = events(Position(), project='q')
    engine.event(1, 't', name='x')
    engine.event(2, name='a')
    engine.event(3, name='b', status='FAILED')
    assert mine.wait(1) == ['b']
    assert theirs.wait(1) == ['x']
    # One question for both.
    deadline = timeutils.wallclock() + 30
    while ('since', ('p', 'q')) not in engine.calls:
        assert timeutils.wallclock() < deadline
        timeutils.sleep(0.01)


def test_end_of_the_stack(engine, events):
    live = events(identity=identity())
    engine.event(1)
    engine.end_of(2)
    assert [kind for kind, _each in live.end()] == [
        'resource', 'stack', 'end']
    late = events(Position(), identity=identity(), is_over=True)
    assert [kind for kind, _each in late.end()] == [
        'resource', 'stack', 'end']


def test_much_is_sent_in_pages(engine, events):
    for row in range(1, 1001):
        engine.event(row, name=str(row), text='y' * 1000)
    reader = events(Position())
    assert reader.wait(1000) == [str(row) for row in range(1, 1001)]
    for row in range(1001, 1501):
        engine.event(row, name=str(row), text='y' * 1000)
    assert reader.wait(1500)[1000:] == [str(row)
                                        for row in range(1001, 1501)]


def test_a_burst_costs_no_call_of_each_listener(engine, events, monkeypatch):
    # Readers that are slow on a busy machine are no subject here.
    monkeypatch.setattr(listener, '_ROOM', 10 ** 9)
    engine.event(1)
    readers = [events() for _number in range(20)]
    engine.event(2)
    deadline = timeutils.wallclock() + 60
    for each in readers:
        each.wait(1)
        # Until then it reads with calls of its own.
        while not each.listener.is_live:
            assert timeutils.wallclock() < deadline
            timeutils.sleep(0.01)
    engine.calls.clear()
    # All at once, as a transaction makes them visible.
    engine.rows = {**engine.rows, **{
        row: {**engine.rows[2], 'row_id': row} for row in range(3, 503)}}
    for each in readers:
        assert len(each.wait(501)) == 501
    assert {kind for kind, _tenant in engine.calls} == {'since'}


def test_client_that_takes_nothing_is_dropped(engine, events, monkeypatch):
    monkeypatch.setattr(hub, '_STALLED', 0.1)
    selection = listener.Selection('p', 'http://h/v1')
    stuck = events.hub.listen(selection, Position(), FOREVER, 100)
    other = events(Position())
    for row in range(1, 601):
        engine.event(row, text='y' * 1000)
    other.wait(600)
    deadline = timeutils.wallclock() + 30
    while stuck.stream.is_open:
        assert timeutils.wallclock() < deadline
        timeutils.sleep(0.01)
    stuck.stream.close()


def test_engine_that_is_away(engine, events):
    reader = events()
    engine.event(1)
    reader.wait(1)
    engine.is_away = True
    engine.event(2, name='missed')
    timeutils.sleep(0.1)
    engine.is_away = False
    assert reader.wait(2) == ['r', 'missed']


def test_wake_up_makes_it_ask_at_once(engine, events, monkeypatch):
    engine.event(1)
    reader = events()
    engine.event(2, name='a')
    assert reader.wait(1) == ['a']
    # Nothing but wake-ups makes it ask from here on.
    monkeypatch.setattr(hub, 'INTERVAL', 3600)
    monkeypatch.setattr(hub, '_WOKEN', 0)
    [receiver] = events.receivers
    for row in range(3, 10):
        engine.event(row, name=str(row))
        receiver.wake()
        assert reader.wait(row - 1)[-1] == str(row)


def test_many_wake_ups_are_one_question(engine, events, monkeypatch):
    engine.event(1)
    reader = events()
    engine.event(2)
    reader.wait(1)
    monkeypatch.setattr(hub, 'INTERVAL', 3600)
    monkeypatch.setattr(hub, '_WOKEN', 3600)
    timeutils.sleep(0.05)
    engine.calls.clear()
    engine.event(3, name='a')
    for _number in range(200):
        events.hub.wake()
    monkeypatch.setattr(hub, '_WOKEN', 0)
    events.hub.wake()
    assert reader.wait(2)[1] == 'a'
    assert engine.calls == [('since', ('p',))]


def test_wake_ups_do_not_hurry_what_clients_have_to_take(
        engine, events, monkeypatch):
    """The next page waits until listeners have room for it."""
    monkeypatch.setattr(hub, '_NEXT_PAGE', 3600)
    monkeypatch.setattr(hub, '_WOKEN', 0)
    engine.event(1)
    reader = events()
    engine.event(2)
    reader.wait(1)
    engine.rows = {**engine.rows, **{
        row: {**engine.rows[2], 'row_id': row} for row in range(3, 503)}}
    reader.wait(251)
    engine.calls.clear()
    for _number in range(20):
        events.hub.wake()
    timeutils.sleep(0.05)
    assert engine.calls == []


def test_wake_ups_are_taken_while_somebody_listens(engine, events):
    assert events.receivers == []
    reader = events()
    deadline = timeutils.wallclock() + 30
    while len(events.receivers) != 1:
        assert timeutils.wallclock() < deadline
        timeutils.sleep(0.01)
    reader.stream.close()
    while events.receivers:
        assert timeutils.wallclock() < deadline
        timeutils.sleep(0.01)


def test_authorization_ends(engine, events):
    reader = events(ends_at=timeutils.wallclock())
    assert reader.end() == []
    assert reader.comments == ['hello', 'the authorization has expired']


def test_limits(engine, events):
    events(limit=4)
    events(limit=4)
    with pytest.raises(hub.Full):
        events(limit=4)
    events(limit=4, project='q')
    events(limit=4, project='q')
    with pytest.raises(hub.Full):
        events(limit=4, project='other')


def test_nobody_asks_for_nobody(engine, events):
    reader = events()
    reader.stream.close()
    deadline = timeutils.wallclock() + 30
    while any(each.name == 'event-hub' for each in threading.enumerate()):
        assert timeutils.wallclock() < deadline
        timeutils.sleep(0.01)
    assert len(events.hub) == 0


@pytest.mark.parametrize(('info', 'seconds'), [
    (None, 3600), ({'token': {'expires_at': 'x'}}, 3600),
    ({'token': {'expires_at': '2026-01-01T00:10:00.000000Z'}}, 600),
    ({'token': {'expires_at': '2026-01-01T00:10:00'}}, 600),
    ({'token': {'expires_at': '2027-01-01T00:10:00Z'}}, 3600)])
def test_when_a_token_expires(monkeypatch, info, seconds):
    monkeypatch.setattr(timeutils, 'epoch', lambda: 1767225600.0)
    monkeypatch.setattr(timeutils, 'wallclock', lambda: 5.0)
    context = types.SimpleNamespace(auth_token_info=info)
    assert request.ends_at(context) == 5 + seconds
