"""Timelines, from events that are written down here."""
import datetime
import math

from heat.engine.history import timeline

BEGIN = datetime.datetime(2026, 11, 25, 12)
NOW = BEGIN + datetime.timedelta(seconds=100)
FACTS = timeline.StackFacts


def at(seconds):
    return BEGIN + datetime.timedelta(seconds=seconds)


def event(seconds, name, action, status, stack='root', of_stack=False,
          spent=(None, None)):
    return timeline.Event(
        stack, name, action, status, f'{name}-id', 'T', at(seconds),
        of_stack, *(each if each is None else
                    datetime.timedelta(seconds=each) for each in spent))


def root(seconds, action, status):
    return event(seconds, 's', action, status, of_stack=True)


def stack(**requires):
    return FACTS('root', 's', requires={
        name: ('T', needed) for name, needed in requires.items()})


def of(events, *stacks):
    return timeline.of_operation('root', stacks, events, NOW)


def entries(found):
    return {(each['path'], each['action']): each
            for each in found['resources']}


def phases(entry):
    """Return (phase, begin, end) in seconds after the beginning."""
    def seconds(text):
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=None)
        return (moment - BEGIN).total_seconds()

    return [(each['phase'], seconds(each['started_at']),
             seconds(each['finished_at'])) for each in entry['phases']]


def test_waiting_and_acting():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(1, 'a', 'CREATE', 'IN_PROGRESS'),
        event(2, 'c', 'CREATE', 'IN_PROGRESS'),
        event(3, 'c', 'CREATE', 'COMPLETE'),
        event(5, 'a', 'CREATE', 'COMPLETE'),
        event(9, 'b', 'CREATE', 'IN_PROGRESS'),
        event(12.5, 'b', 'CREATE', 'COMPLETE'),
        root(13, 'CREATE', 'COMPLETE')], stack(a=(), b=('a', 'c'), c=()))
    assert (found['action'], found['status']) == ('CREATE', 'COMPLETE')
    assert (found['started_at'], found['finished_at']) == (
        '2026-11-25T12:00:00Z', '2026-11-25T12:00:13Z')
    assert found['critical_path'] == ['a', 'b']
    assert found['precision'] == 'microseconds'
    last = entries(found)['b', 'CREATE']
    # Nobody measured how long it polled.
    assert phases(last) == [
        ('dependencies', 0, 5), ('turn', 5, 9), ('acting', 9, 12.5)]
    del last['phases']
    assert last == {
        'path': 'b', 'name': 'b', 'type': 'T', 'action': 'CREATE',
        'status': 'COMPLETE', 'ready_at': '2026-11-25T12:00:05Z',
        'started_at': '2026-11-25T12:00:09Z',
        'finished_at': '2026-11-25T12:00:12.500000Z',
        'dependency_seconds': 5.0, 'waiting_seconds': 4.0,
        'acting_seconds': 3.5, 'polling_seconds': None, 'attempts': 1,
        'is_critical': True, 'physical_resource_id': 'b-id'}
    assert not entries(found)['c', 'CREATE']['is_critical']
    assert entries(found)['a', 'CREATE']['waiting_seconds'] == 1


def test_acting_and_polling_are_counted_back_from_the_end():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(1.5, 'a', 'CREATE', 'IN_PROGRESS'),
        event(9, 'a', 'CREATE', 'COMPLETE', spent=(2.25, 4.5)),
        root(9, 'CREATE', 'COMPLETE')], stack(a=()))
    [entry] = found['resources']
    # A quarter and a half of a second passed before a thread was free.
    assert phases(entry) == [
        ('turn', 0, 1.5), ('turn', 1.5, 2.25), ('acting', 2.25, 4.5),
        ('polling', 4.5, 9)]
    assert (entry['dependency_seconds'], entry['waiting_seconds'],
            entry['acting_seconds'], entry['polling_seconds']) == (
                0, 2.25, 2.25, 4.5)


def test_each_attempt_has_phases_of_its_own():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(0, 'a', 'CREATE', 'IN_PROGRESS'),
        event(2, 'a', 'CREATE', 'FAILED', spent=(0.5, 1.5)),
        event(6.5, 'a', 'CREATE', 'IN_PROGRESS'),
        event(9, 'a', 'CREATE', 'COMPLETE', spent=(2.5, 0)),
        root(9, 'CREATE', 'COMPLETE')], stack(a=()))
    [entry] = found['resources']
    assert phases(entry) == [
        ('acting', 0, 0.5), ('polling', 0.5, 2), ('acting', 6.5, 9)]
    assert (entry['acting_seconds'], entry['polling_seconds'],
            entry['waiting_seconds']) == (3, 1.5, 0)


def test_attempt_of_an_earlier_release_beside_a_measured_one():
    """Engines of two releases work during an upgrade."""
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(0, 'a', 'CREATE', 'IN_PROGRESS'),
        event(2, 'a', 'CREATE', 'FAILED'),
        event(6, 'a', 'CREATE', 'IN_PROGRESS'),
        event(9.5, 'a', 'CREATE', 'COMPLETE', spent=(0.5, 3)),
        root(10, 'CREATE', 'COMPLETE')], stack(a=()))
    [entry] = found['resources']
    assert phases(entry) == [
        ('acting', 0, 2), ('acting', 6, 6.5), ('polling', 6.5, 9.5)]
    assert (entry['acting_seconds'], entry['polling_seconds']) == (2.5, 3)


def test_handler_that_returned_before_the_beginning_was_stored():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(5.5, 'a', 'CREATE', 'IN_PROGRESS'),
        event(5.5, 'a', 'CREATE', 'COMPLETE', spent=(4, 0)),
        root(6, 'CREATE', 'COMPLETE')], stack(a=()))
    [entry] = found['resources']
    assert entry['started_at'] == '2026-11-25T12:00:01.500000Z'
    assert phases(entry) == [('turn', 0, 1.5), ('acting', 1.5, 5.5)]


def test_chain_in_one_transaction():
    """Nothing acts before what it depends on has ended."""
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(2.5, 'a', 'CREATE', 'IN_PROGRESS'),
        event(2.5, 'a', 'CREATE', 'COMPLETE', spent=(0.5, 0)),
        event(2.5, 'b', 'CREATE', 'IN_PROGRESS'),
        event(2.5, 'b', 'CREATE', 'COMPLETE', spent=(0.25, 0)),
        root(3, 'CREATE', 'COMPLETE')], stack(a=(), b=('a',)))
    first, second = found['resources']
    assert phases(first) == [('turn', 0, 2), ('acting', 2, 2.5)]
    assert phases(second) == [('dependencies', 0, 2.5)]
    assert second['ready_at'] == second['started_at'] == first['finished_at']
    assert (second['acting_seconds'], second['waiting_seconds']) == (0.25, 0)
    assert found['critical_path'] == ['a', 'b']


def test_rounded_times_make_nobody_wait():
    """MySQL keeps whole seconds; durations are finer."""
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(0, 'a', 'CREATE', 'IN_PROGRESS'),
        event(3, 'a', 'CREATE', 'COMPLETE', spent=(0.2, 2.1)),
        event(3, 'b', 'CREATE', 'IN_PROGRESS'),
        event(3, 'b', 'CREATE', 'COMPLETE', spent=(0.7, 0)),
        event(3, 'c', 'CREATE', 'IN_PROGRESS'),
        event(9, 'c', 'CREATE', 'COMPLETE', spent=(1, 1)),
        root(9, 'CREATE', 'COMPLETE')], stack(a=(), b=('a',), c=('a',)))
    first, second, third = found['resources']
    assert phases(first) == [('acting', 0, 0.9), ('polling', 0.9, 3)]
    assert (first['acting_seconds'], first['polling_seconds']) == (0.2, 2.1)
    assert phases(second) == [('dependencies', 0, 3)]
    # What is more than rounding is waiting.
    assert phases(third)[1] == ('turn', 3, 7)


def test_attempts_are_one_entry():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(0, 'a', 'CREATE', 'IN_PROGRESS'),
        event(2, 'a', 'CREATE', 'FAILED'),
        event(6, 'a', 'CREATE', 'IN_PROGRESS'),
        event(7, 'a', 'CREATE', 'COMPLETE'),
        root(8, 'CREATE', 'COMPLETE')], stack(a=()))
    [entry] = found['resources']
    assert (entry['attempts'], entry['status']) == (2, 'COMPLETE')
    assert entry['acting_seconds'] == 3
    assert found['precision'] == 'seconds'


def test_what_has_not_ended_and_not_begun():
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(10, 'a', 'CREATE', 'IN_PROGRESS')],
        stack(a=(), b=('a',), c=()))
    assert (found['status'], found['finished_at']) == ('IN_PROGRESS', None)
    running, held_up, ready = (entries(found)[name, 'CREATE']
                               for name in 'abc')
    assert (running['acting_seconds'], running['finished_at']) == (90, None)
    assert (held_up['status'], held_up['ready_at'],
            held_up['waiting_seconds']) == ('INIT', None, None)
    assert phases(running) == [('turn', 0, 10), ('acting', 10, 100)]
    assert running['polling_seconds'] is None
    assert phases(held_up) == [('dependencies', 0, 100)]
    assert phases(ready) == [('turn', 0, 100)]
    # It could begin, and nothing does it.
    assert (ready['ready_at'], ready['waiting_seconds']) == (
        '2026-11-25T12:00:00Z', 100)
    assert ready['attempts'] == 0
    assert found['critical_path'] == ['a']


def test_deletions_go_the_other_way():
    found = of([
        root(0, 'DELETE', 'IN_PROGRESS'),
        event(1, 'b', 'DELETE', 'IN_PROGRESS'),
        event(4, 'b', 'DELETE', 'COMPLETE'),
        event(5, 'a', 'DELETE', 'IN_PROGRESS'),
        event(6, 'a', 'DELETE', 'COMPLETE'),
        root(6, 'DELETE', 'COMPLETE')], stack(a=(), b=('a',)))
    assert found['critical_path'] == ['b', 'a']
    assert entries(found)['a', 'DELETE']['ready_at'] == (
        '2026-11-25T12:00:04Z')


def test_replacement_comes_before_the_deletion():
    found = of([
        root(0, 'UPDATE', 'IN_PROGRESS'),
        event(1, 'a', 'CREATE', 'IN_PROGRESS'),
        event(3, 'a', 'CREATE', 'COMPLETE'),
        event(4, 'a', 'DELETE', 'IN_PROGRESS'),
        event(5, 'a', 'DELETE', 'COMPLETE'),
        root(6, 'UPDATE', 'COMPLETE')], stack(a=()))
    assert entries(found)['a', 'DELETE']['ready_at'] == (
        '2026-11-25T12:00:03Z')
    assert found['critical_path'] == ['a', 'a']


def test_tree():
    inner = FACTS('inner', 's-n', 'root', 'n', {'t': ('T', ())})
    found = of([
        root(0, 'CREATE', 'IN_PROGRESS'),
        event(1, 'n', 'CREATE', 'IN_PROGRESS'),
        event(2, 's-n', 'CREATE', 'IN_PROGRESS', 'inner', of_stack=True),
        event(3, 't', 'CREATE', 'IN_PROGRESS', 'inner'),
        event(7, 't', 'CREATE', 'COMPLETE', 'inner'),
        event(7, 's-n', 'CREATE', 'COMPLETE', 'inner', of_stack=True),
        event(8, 'n', 'CREATE', 'COMPLETE'),
        root(9, 'CREATE', 'COMPLETE')], stack(n=()), inner)
    assert [each['path'] for each in found['resources']] == ['n', 'n/t']
    assert found['critical_path'] == ['n', 'n/t']
    assert entries(found)['n/t', 'CREATE']['ready_at'] == (
        '2026-11-25T12:00:01Z')
    # What is inside waits from the time on at which its stack began.
    assert phases(entries(found)['n/t', 'CREATE']) == [
        ('turn', 1, 3), ('acting', 3, 7)]


def test_without_the_beginning_there_is_none():
    assert of([]) is None
    assert of([event(1, 'a', 'CREATE', 'IN_PROGRESS')]) is None
    assert of([root(1, 'CREATE', 'COMPLETE')]) is None


def test_events_that_begin_nothing():
    found = of([
        root(0, 'UPDATE', 'IN_PROGRESS'),
        event(1, 'a', 'SIGNAL', 'COMPLETE'),
        event(1, 'b', 'UPDATE', 'COMPLETE'),
        root(2, 'UPDATE', 'COMPLETE')], stack(a=(), b=()))
    assert found['resources'] == []
    assert found['critical_path'] == []
    assert timeline.Work('s', 'n', 'T', 'CREATE').last == math.inf
