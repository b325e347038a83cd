"""The program that tools/bench cloud holds a stack against."""
import collections
import itertools
import threading
import types

from openstack import exceptions
import pytest

from tools.benchmarks import cloud
from tools.benchmarks import limit

NAMES = {'network': 'net', 'public': 'pub', 'image': 'img', 'flavor': 'small'}


class Cloud:
    """Counts calls; a thing becomes ready at the second look."""

    def __init__(self):
        self.calls = collections.Counter()
        self.things = {}
        self.most = 0
        self._under_way = 0
        self._ids = map(str, itertools.count())
        self._guard = threading.Lock()
        self.network = self.compute = self.image = self.block_storage = self

    def __getattr__(self, name):
        verb, _, kind = name.partition('_')

        def call(*args, **kwargs):
            with self._guard:
                self._under_way += 1
                self.most = max(self.most, self._under_way)
                self.calls[name] += 1
            try:
                return getattr(self, f'_{verb}')(kind, *args, **kwargs)
            finally:
                with self._guard:
                    self._under_way -= 1
        return call

    def _create(self, kind, *args, **values):
        if kind == 'volume_attachment':
            assert self.things[args[0]].status == 'ACTIVE'
            volume = self.things[values['volume_id']]
            assert volume.status == 'available'
            volume.status, volume.next = 'attaching', 'in-use'
            self.things[args[0]].volume = volume
            return None
        thing = types.SimpleNamespace(id=next(self._ids), status='new',
                                      next=None, **values)
        thing.next = {'server': 'ACTIVE', 'volume': 'available'}.get(kind)
        self.things[thing.id] = thing
        return thing

    def _find(self, _kind, name):
        return types.SimpleNamespace(id=f'id of {name}')

    def _get(self, _kind, thing_id):
        thing = self.things.get(thing_id)
        if thing is None:
            raise exceptions.NotFoundException
        if thing.next == 'gone':
            del self.things[thing_id]
        elif thing.next:
            answer = types.SimpleNamespace(status=thing.status)
            thing.status, thing.next = thing.next, None
            return answer
        return thing

    def _set(self, _kind, server, **values):
        self.things[server].metadata = values

    def _delete(self, kind, thing):
        thing = self.things[getattr(thing, 'id', thing)]
        if kind == 'server':
            thing.volume.status = 'available'
            thing.next = 'gone'
        elif kind == 'volume':
            assert thing.status == 'available'
            thing.next = 'gone'
        else:
            del self.things[thing.id]


@pytest.fixture
def hurried(monkeypatch):
    """Let no look be waited for."""
    monkeypatch.setattr(limit, 'LOOK', 0.001)


@pytest.mark.usefixtures('hurried')
def test_everything_is_made_changed_and_removed():
    there = Cloud()
    hand = limit.ByHand(there, NAMES, servers=5, at_once=3)
    hand.create()
    made = there.things.values()
    assert len(made) == 5 * 4 + 1
    assert sorted(one.status for one in made if one.status != 'new') == (
        ['ACTIVE'] * 5 + ['in-use'] * 5)
    hand.update()
    assert [one.metadata for one in made if one.status == 'ACTIVE'] == [
        {'generation': '2'}] * 5
    hand.delete()
    assert not there.things
    assert there.most <= 3


@pytest.mark.usefixtures('hurried')
def test_what_fails_is_said():
    there = Cloud()
    there.create_server = lambda **_values: there._create(
        'server', **_values, broken=True)
    there._get = lambda _kind, _id: types.SimpleNamespace(status='ERROR')
    with pytest.raises(RuntimeError, match='is in error'):
        limit.ByHand(there, NAMES, servers=1, at_once=1).create()


def test_the_best_number_of_calls_is_the_limit():
    def run(who, seconds, requests):
        return [cloud.Run(who, operation, seconds,
                          {'compute': {('GET', '/'): requests}})
                for operation in cloud.COMPARED]
    rows = list(cloud.verdicts([
        *run('stack', 10, 40), *run('stack', 12, 60),
        *run('limit 4', 10, 100), *run('limit 8', 14, 80)]))
    assert rows[:2] == [
        ['create', 'wall s', '11.0', '10.0', 'limit 4', '1.10', '1.10',
         'met'],
        ['create', 'requests', '50.0', '100.0', 'limit 4', '0.50', '0.50',
         'met']]
    assert [row[0] for row in rows[2:]] == ['update'] * 2 + ['delete'] * 2


def test_more_than_the_goal_is_missed():
    rows = list(cloud.verdicts([
        cloud.Run(who, operation, seconds, {'compute': {('GET', '/'): 3}})
        for operation in cloud.COMPARED
        for who, seconds in (('stack', 12), ('limit 4', 10))]))
    assert {row[-1] for row in rows} == {'missed'}


def work(path, kind, *seconds):
    return {'path': path, 'type': kind, **dict(zip((
        'dependency_seconds', 'waiting_seconds', 'acting_seconds',
        'polling_seconds'), seconds, strict=True))}


def test_share_that_is_not_the_clouds():
    timeline = {'critical_path': ['a', 'b'], 'resources': [
        work('a', 'Port', 0, 0.5, 1.5, None),
        work('b', 'Server', 2, None, 1, 6),
        work('c', 'Server', 4, 1, 2, 3)]}
    run = cloud.Run('stack', 'create', 10.0, {}, timeline)
    assert list(cloud.phases(run)) == [
        ['create', 'Port', 1, '0.00', '0.50', '1.50', '0.00'],
        ['create', 'Server', 2, '3.00', '0.50', '1.50', '4.50']]
    path = cloud.critical_path(run, {})
    assert cloud.shares(run, path) == [
        'create', '10.0', 'a b', '2.5', '6.0', '1.5', '15', '5', 'missed']
    # Polling may begin before a client waits for the end.
    run = cloud.Run('stack', 'create', 8.0, {}, timeline)
    assert cloud.shares(run, path)[-4:] == ['0.0', '0', '5', 'met']


def test_what_a_deletion_waited_for_follows_from_the_template():
    names = {'network': 'n', 'public': 'p', 'image': 'i', 'flavor': 'f'}
    ends = {'disk0': 1, 'ip0': 7, 'volume0': 3, 'server0': 4, 'port0': 8,
            'disk1': 5, 'ip1': 2, 'volume1': 6, 'server1': 7.5, 'port1': 9,
            'group': 10}
    run = cloud.Run('stack', 'delete', 10.0, {}, {
        'critical_path': ['group'], 'resources': [
            {'path': name, 'finished_at': f'2026-01-01T00:00:{end:04.1f}'}
            for name, end in ends.items()]})
    assert cloud.critical_path(
        run, cloud.template(2, names)['resources']) == [
            'disk1', 'server1', 'port1', 'group']
