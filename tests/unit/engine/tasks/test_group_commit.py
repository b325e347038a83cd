import collections
import threading
import time
import weakref

from oslo_config import cfg
import pytest

from heat.engine.stacks import events as stack_events
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from heat.objects import event as event_objects
from heat.objects import resource_properties_data as properties_objects
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def stack(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.FakeStack({})


def added(stack, reason):
    def write():
        stack_events.add(stack.context, stack_events.stack_values(
            stack, 'CREATE', 'COMPLETE', reason))
        return reason

    return group_commit.Write(write, stack.context)


def reasons(stack):
    return [row.resource_status_reason for row in stack.event_rows()]


def test_batch_is_one_commit_and_one_insert(stack):
    before = transaction.counters()
    results = group_commit.commit([added(stack, 'r%d' % n) for n in range(50)])
    after = transaction.counters()
    assert [result.get() for result in results][-1] == 'r49'
    assert after['commits'] - before['commits'] == 1
    assert after['statements'] - before['statements'] <= 2
    assert len(reasons(stack)) == 50


def test_failing_write_does_not_harm_its_batch(stack):
    def fail():
        stack_events.add(stack.context, stack_events.stack_values(
            stack, 'CREATE', 'FAILED', 'lost'))
        raise KeyError('k')

    results = group_commit.commit(
        [added(stack, 'one'), group_commit.Write(fail), added(stack, 'two')])
    assert [result.value for result in results] == ['one', None, 'two']
    with pytest.raises(KeyError):
        results[1].get()
    assert sorted(reasons(stack)) == ['one', 'two']


class Names:
    """Names that each can be taken once."""

    def __init__(self, *taken):
        self.taken = set(taken)
        self.asked = []

    def claim(self, _context, names):
        self.asked.append(names)
        return [name for name in names if name in self.taken]

    def write(self, stack, name):
        def write():
            if not group_commit.share(self.claim, name) and self.claim(
                    None, [name]):
                return 'lost'
            stack_events.add(stack.context, stack_events.stack_values(
                stack, 'CREATE', 'COMPLETE', name))
            return name

        return group_commit.Write(write, stack.context)


def test_condition_of_a_batch_is_asked_for_once(stack):
    names, before = Names(), transaction.counters()['commits']
    results = group_commit.commit([names.write(stack, name) for name in 'abc'])
    assert [result.get() for result in results] == ['a', 'b', 'c']
    assert names.asked == [['a', 'b', 'c']]
    assert transaction.counters()['commits'] - before == 1


def test_refused_write_is_made_alone_and_others_together(stack):
    names, before = Names('b', 'd'), transaction.counters()['commits']
    results = group_commit.commit(
        [names.write(stack, name) for name in 'abcde'])
    assert [result.get() for result in results] == [
        'a', 'lost', 'c', 'lost', 'e']
    assert sorted(reasons(stack)) == ['a', 'c', 'e']
    assert names.asked[:2] == [['a', 'b', 'c', 'd', 'e'], ['a', 'c', 'e']]
    # One for those that could be made, and for each that could not.
    assert transaction.counters()['commits'] - before == 3


def test_joined_writes_share_statements(stack):
    names, before = Names(), transaction.counters()
    write = group_commit.joined([names.write(stack, name) for name in 'abc'])
    assert group_commit.run(write) == ['a', 'b', 'c']
    assert names.asked == [['a', 'b', 'c']]
    assert reasons(stack) == ['a', 'b', 'c']
    after = transaction.counters()
    assert after['commits'] - before['commits'] == 1
    assert after['statements'] - before['statements'] <= 2


@pytest.mark.parametrize('company', ['', 'x'])
def test_of_joined_writes_none_is_made_if_one_is_refused(stack, company):
    names = Names('b')
    write = group_commit.joined([names.write(stack, name) for name in 'abc'])
    result, *others = group_commit.commit(
        [write, *(names.write(stack, name) for name in company)])
    with pytest.raises(Exception, match='refused'):
        result.get()
    assert [other.get() for other in others] == list(company)
    assert reasons(stack) == list(company)


def test_of_joined_writes_none_is_made_if_one_fails(stack):
    def fail():
        raise KeyError('k')

    write = group_commit.joined([added(stack, 'a'), group_commit.Write(fail)])
    result, other = group_commit.commit([write, added(stack, 'b')])
    with pytest.raises(KeyError):
        result.get()
    assert other.get() == 'b'
    assert reasons(stack) == ['b']


def test_condition_of_a_lone_write_is_its_own_to_see_to(stack):
    names = Names('a')
    assert group_commit.run(names.write(stack, 'a')) == 'lost'
    assert reasons(stack) == []


def test_run_raises_what_the_write_raised(stack):
    with pytest.raises(ZeroDivisionError):
        group_commit.run(group_commit.Write(lambda: 1 / 0))
    assert group_commit.run(added(stack, 'x')) == 'x'


def test_event_outside_of_a_batch_is_written_at_once(stack):
    stack_events.add(stack.context, stack_events.stack_values(
        stack, 'CREATE', 'COMPLETE', 'alone'))
    assert reasons(stack) == ['alone']


def test_flush_may_defer_more(stack):
    flushed = []

    def first(context, items):
        flushed.append(items)
        group_commit.defer(second, 'from first')

    def second(context, items):
        flushed.append(items)

    group_commit.commit([
        group_commit.Write(lambda: group_commit.defer(first, 1)),
        group_commit.Write(lambda: group_commit.defer(first, 2))])
    assert flushed == [[1, 2], ['from first']]
    assert group_commit.defer(first, 3) is False


def storing(context, items):
    """Store sets of values by one statement; return their ids."""
    return properties_objects.ResourcePropertiesData.create_many(context,
                                                                 items)


def named(stack, values, *, ahead=True):
    """Return a write that needs the id of the values that it stores."""
    return group_commit.Write(
        lambda: group_commit.stored(stack.context, storing, values),
        stack.context, [(storing, values)] if ahead else ())


def stored_values(stack, data_id):
    return properties_objects.ResourcePropertiesData.get_by_id(
        stack.context, data_id).data


def test_what_writes_name_is_stored_together_before_them(stack):
    wanted = [{'number': number} for number in range(30)]
    before = transaction.counters()['statements']
    results = group_commit.commit([named(stack, each) for each in wanted])
    assert transaction.counters()['statements'] == before + 1
    ids = [result.get() for result in results]
    assert len(set(ids)) == 30
    assert [stored_values(stack, one) for one in ids] == wanted


def test_what_is_not_named_is_stored_where_it_is_asked_for(stack):
    results = group_commit.commit([
        named(stack, {'a': 1}), named(stack, {'b': 1}, ahead=False)])
    assert [stored_values(stack, result.get()) for result in results] == [
        {'a': 1}, {'b': 1}]
    assert stored_values(stack, group_commit.run(
        named(stack, {'c': 1}))) == {'c': 1}
    # Outside of any batch.
    assert stored_values(stack, group_commit.stored(
        stack.context, storing, {'d': 1})) == {'d': 1}


def test_what_cannot_be_stored_does_not_harm_its_batch(stack):
    good, bad = {'a': 1}, {'b': 'no text'}

    def picky(context, items):
        if bad in items:
            raise ValueError('no text')
        return storing(context, items)

    results = group_commit.commit([
        group_commit.Write(lambda each=each: group_commit.stored(
            stack.context, picky, each), stack.context, [(picky, each)])
        for each in (good, bad)])
    assert stored_values(stack, results[0].get()) == good
    with pytest.raises(ValueError, match='no text'):
        results[1].get()


def test_recorder_answers_every_request(stack):
    group = group_commit.GroupCommit(batch_size=10)
    got, all_there = [], threading.Event()

    def on_results(results):
        got.extend(result.get() for result in results)
        if len(got) == 40:
            all_there.set()

    for number in range(20):
        group.submit([added(stack, '%da' % number),
                      added(stack, '%db' % number)], on_results)
    assert all_there.wait(60)
    group.stop()
    assert len(reasons(stack)) == 40


def test_stop_commits_what_was_submitted(stack):
    group = group_commit.GroupCommit()
    group.submit([added(stack, 'last')], lambda results: None)
    group.stop()
    assert reasons(stack) == ['last']


def noting(sizes):
    """Return what notes how many writes were committed together."""
    def commit(writes):
        sizes.append(len(writes))
        return [group_commit.WriteResult(write.fn()) for write in writes]

    return commit


def submit_numbers(group, numbers, answered):
    for number in numbers:
        group.submit([group_commit.Write(lambda number=number: number)],
                     lambda results: answered.extend(
                         result.get() for result in results))


def test_write_waits_for_those_of_tasks_that_are_ready(monkeypatch):
    monkeypatch.setattr(group_commit, 'GATHER', 60)
    sizes, answered = [], []
    monkeypatch.setattr(group_commit, 'commit', noting(sizes))
    busy = [True]
    group = group_commit.GroupCommit()
    group.more_to_come = lambda: bool(busy)
    submit_numbers(group, range(30), answered)
    busy.clear()
    group.hurry()
    group.stop()
    assert (sizes, answered) == ([30], list(range(30)))


def test_writes_of_ready_tasks_are_made_together(monkeypatch):
    sizes = []
    monkeypatch.setattr(group_commit, 'GATHER', 60)
    monkeypatch.setattr(group_commit, 'commit', noting(sizes))

    def task():
        return (yield group_commit.Write(lambda: 'written'))

    group = group_commit.GroupCommit()
    pool = task_pool.TaskPool(1, group)
    with pool._lock:
        tasks = [pool.spawn(task()) for _n in range(50)]
    assert pool.join(50)
    pool.stop(5)
    group.stop()
    assert [one.result for one in tasks] == ['written'] * 50
    assert sizes == [50]


@pytest.mark.parametrize(('gather', 'together'), [(60, [2]), (0.01, [1, 1])])
def test_write_waits_for_those_of_tasks_at_work(
        monkeypatch, gather, together):
    """One that is at work for long, for a service perhaps, is not awaited."""
    sizes = []
    monkeypatch.setattr(group_commit, 'GATHER', gather)
    monkeypatch.setattr(group_commit, 'commit', noting(sizes))
    at_work, goes_on = threading.Event(), threading.Event()

    def first():
        assert at_work.wait(30)
        return (yield group_commit.Write(
            goes_on.set if together == [1, 1] else lambda: None))

    def second():
        at_work.set()
        assert goes_on.wait(30)
        return (yield group_commit.Write(lambda: None))

    group = group_commit.GroupCommit()
    submit = group.submit

    def submitted(writes, on_results):
        submit(writes, on_results)
        if together == [2]:
            goes_on.set()

    monkeypatch.setattr(group, 'submit', submitted)
    pool = task_pool.TaskPool(2, group)
    for task in (first, second):
        pool.spawn(task())
    assert pool.join(50)
    pool.stop(5)
    group.stop()
    assert sizes == together


def test_full_batch_waits_for_nothing(monkeypatch):
    monkeypatch.setattr(group_commit, 'GATHER', 60)
    sizes, answered = [], []
    monkeypatch.setattr(group_commit, 'commit', noting(sizes))
    group = group_commit.GroupCommit(batch_size=10)
    group.more_to_come = lambda: True
    submit_numbers(group, range(20), answered)
    group.stop()
    assert (sizes, answered) == ([10, 10], list(range(20)))


def test_write_does_not_wait_for_ever_for_others(monkeypatch):
    monkeypatch.setattr(group_commit, 'GATHER', 0.01)
    made = threading.Event()
    group = group_commit.GroupCommit()
    group.more_to_come = lambda: True
    monkeypatch.setattr(group_commit, 'commit', noting([]))
    group.submit([group_commit.Write(lambda: None)],
                 lambda _results: made.set())
    assert made.wait(60)
    group.stop()


def test_old_events_are_purged_by_batches(stack, monkeypatch):
    cfg.CONF.set_override('max_events_per_stack', 10)
    cfg.CONF.set_override('event_purge_batch_size', 5)
    try:
        for number in range(30):
            group_commit.commit([added(stack, str(number))])
    finally:
        cfg.CONF.clear_override('max_events_per_stack')
        cfg.CONF.clear_override('event_purge_batch_size')
    left = event_objects.Event.count_all_by_stack(stack.context, stack.id)
    assert 10 <= left < 20
    assert reasons(stack)[-1] == '29'


@pytest.fixture
def purging():
    cfg.CONF.set_override('max_events_per_stack', 10)
    cfg.CONF.set_override('event_purge_batch_size', 5)
    yield
    cfg.CONF.clear_override('max_events_per_stack')
    cfg.CONF.clear_override('event_purge_batch_size')


def write_as(monkeypatch, counts, stack, number):
    """Write events as an engine that has counted so many so far."""
    monkeypatch.setattr(stack_events, '_counts', counts)
    for part in range(number):
        group_commit.commit([added(stack, str(part))])


def count_events(stack):
    return event_objects.Event.count_all_by_stack(stack.context, stack.id)


def test_engines_leave_a_batch_each_at_most(stack, purging, monkeypatch):
    engines = [collections.OrderedDict() for _number in range(3)]
    most = 0
    for number in range(60):
        write_as(monkeypatch, engines[number % 3], stack, 1 + number % 4)
        most = max(most, count_events(stack))
    assert most <= 10 + 3 * 5
    # Two engines go, and leave what they have counted and not purged.
    for _number in range(10):
        write_as(monkeypatch, engines[0], stack, 5)
    assert count_events(stack) < 10 + 5


def test_a_lower_limit_is_reached_soon(stack, purging, monkeypatch):
    cfg.CONF.set_override('max_events_per_stack', 100)
    counts = collections.OrderedDict()
    write_as(monkeypatch, counts, stack, 60)
    cfg.CONF.set_override('max_events_per_stack', 10)
    write_as(monkeypatch, counts, stack, 60)
    assert count_events(stack) < 10 + 5


def test_large_batches_of_events_are_purged_as_well(stack):
    cfg.CONF.set_override('max_events_per_stack', 10)
    cfg.CONF.set_override('event_purge_batch_size', 5)
    try:
        for number in range(20):
            group_commit.commit([added(stack, f'{number} {part}')
                                 for part in range(9)])
    finally:
        cfg.CONF.clear_override('max_events_per_stack')
        cfg.CONF.clear_override('event_purge_batch_size')
    left = event_objects.Event.count_all_by_stack(stack.context, stack.id)
    assert 10 <= left < 20


def test_what_was_written_is_not_kept_until_there_is_more_to_write(stack):
    writer, told = group_commit.GroupCommit(), threading.Event()

    class Work:
        def __call__(self):
            return self

    work = Work()
    kept = weakref.ref(work)
    writer.submit([group_commit.Write(work, stack.context)],
                  lambda results: told.set())
    assert told.wait(30)
    del work
    for _attempt in range(3000):
        if kept() is None:
            break
        time.sleep(0.01)
    try:
        assert kept() is None
    finally:
        writer.stop()


@pytest.mark.usefixtures('stack')
def test_recorder_survives_whatever_a_write_raises():
    class Odd(BaseException):
        """What no handler of errors expects."""

    def fail():
        raise Odd

    committer, told = group_commit.GroupCommit(), []
    arrived = threading.Event()

    def on_results(results):
        told.extend(results)
        if len(told) == 2:
            arrived.set()

    try:
        committer.submit([group_commit.Write(fail)], on_results)
        committer.submit([group_commit.Write(lambda: 'done')], on_results)
        assert arrived.wait(60)
    finally:
        committer.stop()
    assert {type(result.error) for result in told} <= {Odd, type(None)}
    assert isinstance(told[0].error, Odd)
    assert committer.pulse().done >= 1
    assert not committer.pulse().waits
