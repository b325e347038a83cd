import pytest

from heat.engine import dependencies
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler
from tests.fakes import stack as fake_stack


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    return fake_stack.Clock(monkeypatch)


@pytest.fixture(autouse=True)
def commits(monkeypatch):
    """Carry out writes without a database; log how many share a commit."""
    sizes = []

    def commit(writes):
        sizes.append(len(writes))
        results = []
        for write in writes:
            try:
                results.append(group_commit.WriteResult(write.fn()))
            except Exception as error:  # noqa: BLE001
                results.append(group_commit.WriteResult(error=error))
        return results

    monkeypatch.setattr(group_commit, 'commit', commit)
    return sizes


def raising(error):
    raise error


# -- TaskRunner -------------------------------------------------------------

def test_callable_without_generator_is_done_when_called():
    done = []
    runner = scheduler.TaskRunner(done.append, 1)
    runner.start()
    assert runner.done()
    assert done == [1]


def test_run_waits_as_long_as_the_task_says(clock):
    def task():
        yield 3
        yield None
        yield 0

    scheduler.TaskRunner(task)(wait_time=2)
    assert clock.slept == [3, 2, 0]


def test_step_does_nothing_before_the_time(clock):
    steps = []

    def task():
        steps.append(1)
        yield 10
        steps.append(2)

    runner = scheduler.TaskRunner(task)
    runner.start()
    assert not runner.step()
    assert steps == [1]
    clock.sleep(10)
    assert runner.step()
    assert steps == [1, 2]


def test_result_of_a_write_is_sent_back():
    got = []

    def task():
        got.append((yield group_commit.Write(lambda: 'value')))
        try:
            yield group_commit.Write(lambda: raising(KeyError('k')))
        except KeyError as error:
            got.append(error.args)
        results = yield group_commit.Writes([group_commit.Write(lambda: 1),
                                             group_commit.Write(lambda: 2)])
        got.append([result.get() for result in results])

    scheduler.TaskRunner(task)()
    assert got == ['value', ('k',), [1, 2]]


def test_wait_for_an_event_is_a_plain_delay(clock):
    def task():
        yield task_pool.WaitFor('key', 7)

    scheduler.TaskRunner(task)()
    assert clock.slept == [7]


def test_timeout_is_raised_in_the_task(clock):
    seen = []

    def task():
        try:
            while True:
                yield 1
        except scheduler.Timeout as timeout:
            seen.append(str(timeout))
            raise

    with pytest.raises(scheduler.Timeout):
        scheduler.TaskRunner(task)(timeout=5)
    assert 'Timed out' in seen[0]
    assert sum(clock.slept) == 5


def test_timeout_does_not_hide_what_became_of_a_write(clock):
    got = []

    def task():
        got.append((yield group_commit.Write(
            lambda: clock.sleep(9) or 'done')))
        yield 1

    with pytest.raises(scheduler.Timeout):
        scheduler.TaskRunner(task)(timeout=5)
    assert got == ['done']


def test_cancel_closes_the_task_now_or_later(clock):
    ended = []

    def task():
        try:
            while True:
                yield 1
        finally:
            ended.append(clock.now)

    runner = scheduler.TaskRunner(task)
    runner.start()
    runner.cancel()
    assert runner.done()
    runner = scheduler.TaskRunner(task)
    runner.start()
    runner.cancel(grace_period=5)
    assert not runner.done()
    runner.run_to_completion()
    assert ended == [1000, 1005]


def test_task_within_a_task_has_its_own_time(clock):
    def inner():
        while True:
            yield 1

    def outer():
        yield from scheduler.TaskRunner(inner).as_task(timeout=3)

    with pytest.raises(scheduler.Timeout):
        scheduler.TaskRunner(outer)()
    assert sum(clock.slept) == 3


def test_description_names_the_object():
    runner = scheduler.TaskRunner(raising, None)
    assert str(runner) == 'Task raising'


# -- DependencyTaskGroup ----------------------------------------------------

CHAIN = [('c', 'b'), ('b', 'a')]


def group(edges, task, **kwargs):
    return scheduler.DependencyTaskGroup(dependencies.Dependencies(edges),
                                         task, **kwargs)


def run(*args, **kwargs):
    scheduler.TaskRunner(group(*args, **kwargs))()


def test_group_follows_the_graph_both_ways():
    order = []
    run(CHAIN, order.append)
    run(CHAIN, order.append, reverse=True)
    assert order == ['a', 'b', 'c', 'c', 'b', 'a']


def test_group_loses_no_time_between_nodes(clock):
    def task(node):
        yield 0.25

    run(CHAIN, task)
    assert clock.slept == [0.25] * 3


def test_group_waits_in_parallel(clock):
    def task(node):
        yield node

    run([(1, None), (2, None), (3, None)], task)
    assert sum(clock.slept) == 3


def test_writes_of_ready_nodes_share_a_commit(commits):
    got = []

    def task(node):
        got.append((yield group_commit.Write(lambda: node)))
        yield group_commit.Write(lambda: node)

    run([('a', None), ('b', None), ('c', None)], task)
    assert commits == [3, 3]
    assert got == ['a', 'b', 'c']


def test_failure_stops_the_rest():
    started = []

    def task(node):
        started.append(node)
        if node == 'a':
            raise ValueError('a')
        yield 100

    with pytest.raises(ValueError, match='a'):
        run([('a', None), ('b', None), ('c', 'a')], task)
    assert 'c' not in started


def test_running_tasks_get_their_grace(clock):
    ended = {}

    def task(node):
        if node == 'bad':
            yield 1
            raise ValueError('bad')
        try:
            yield 100 if node == 'long' else 3
            ended[node] = 'done'
        except GeneratorExit:
            ended[node] = clock.now - 1000
            raise

    with pytest.raises(ValueError, match='bad'):
        run([('bad', None), ('long', None), ('short', None), ('now', None)],
            task, error_wait_time=lambda n: None if n == 'now' else 10)
    assert ended == {'now': 1, 'short': 'done', 'long': 11}


def test_aggregated_failures_let_independent_nodes_go_on():
    visited = []

    def task(node):
        visited.append(node)
        if node in 'ax':
            raise ValueError(node)

    with pytest.raises(scheduler.ExceptionGroup) as caught:
        run([('b', 'a'), ('c', 'b'), ('y', None), ('x', None)], task,
            aggregate_exceptions=True)
    assert sorted(visited) == ['a', 'x', 'y']
    assert sorted(map(str, caught.value.exceptions)) == ['a', 'x']


def test_closing_the_group_closes_its_tasks():
    closed = []

    def task(node):
        try:
            yield 10
        finally:
            closed.append(node)

    runner = scheduler.TaskRunner(group([('a', None), ('b', None)], task))
    runner.start()
    runner.cancel()
    assert sorted(closed) == ['a', 'b']


def test_error_thrown_into_a_group_gives_grace(clock):
    def task(node):
        yield 100

    tasks = group([('a', None)], task, error_wait_time=10)()
    assert next(tasks) == 100
    assert tasks.throw(KeyError('stop')) == 10
    clock.sleep(10)
    with pytest.raises(KeyError):
        next(tasks)


def test_cancel_during_a_write_waits_for_its_result():
    done = []

    def task(node):
        if node == 'bad':
            yield group_commit.Write(lambda: raising(ValueError('bad')))
        done.append((yield group_commit.Write(lambda: node)))
        yield 100

    with pytest.raises(ValueError, match='bad'):
        run([('bad', None), ('good', None)], task)
    assert done == ['good']


def test_event_wakes_the_one_task_of_a_group_that_waits_for_it(clock):
    looks = []

    def task(node):
        yield scheduler.WaitFor(node, 5)
        looks.append(node)

    walk = group([('a', None), ('b', None)], task)()
    signal = next(walk)
    assert set(signal.keys) == {'a', 'b'}
    assert signal.timeout == 5
    signal = walk.send('b')
    assert looks == ['b']
    assert signal.keys == ('a',)
    with pytest.raises(StopIteration):
        walk.send('a')
    assert looks == ['b', 'a']


def test_writes_do_not_lose_what_a_task_waits_for(clock):
    def task(node):
        yield scheduler.WaitFor('k', 5)
        yield group_commit.Write(lambda: node)

    walk = group([('a', None)], task)()
    next(walk)
    assert isinstance(walk.send('k'), group_commit.Writes)
