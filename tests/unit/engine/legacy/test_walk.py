"""How a walk over the resources of a stack ends."""
import types

import pytest

from heat.common import exception
from heat.engine import dependencies
from heat.engine.legacy import walk as legacy_walk
from heat.engine.tasks import scheduler
from heat.engine.tasks import stack_tasks


class Resource:
    """Something that is visited, with an error or without."""

    def __init__(self, name, error=None):
        self.name = name
        self.error = error

    def cancel_grace_period(self):
        return 0

    def __str__(self):
        return self.name


def failure(text, action='CREATE'):
    return exception.ResourceFailure(text, types.SimpleNamespace(
        name='r'), action)


def stack_of(*resources, timeout=100):
    """Return a stack in which each resource needs the one before it."""
    deps = dependencies.Dependencies()
    for each in resources:
        deps += (each, None)
    for earlier, later in zip(resources, resources[1:], strict=False):
        deps += (later, earlier)
    return types.SimpleNamespace(dependencies=deps,
                                 timeout_secs=lambda: timeout)


def walked(stack, visits, action='CREATE'):
    """Run a walk and return its End."""
    ends = []

    def outer():
        ends.append((yield from legacy_walk.walk(stack, action, visits)))

    scheduler.TaskRunner(outer)(wait_time=0)
    return ends[0]


def raising(error):
    def task():
        yield
        raise error

    return task


def test_visits_follow_the_dependencies():
    seen = []

    def visit(res):
        seen.append(res.name)
        yield
        seen.append(res.name.upper())

    stack = stack_of(*map(Resource, 'abc'))
    end = walked(stack, legacy_walk.group(stack, visit))
    assert seen == ['a', 'A', 'b', 'B', 'c', 'C']
    assert end == legacy_walk.End('Stack CREATE completed successfully')
    assert end.status == 'COMPLETE'


def test_visits_may_go_backwards():
    seen = []

    def visit(res):
        seen.append(res.name)
        yield

    stack = stack_of(*map(Resource, 'abc'))
    walked(stack, legacy_walk.group(stack, visit, reverse=True), 'DELETE')
    assert seen == ['c', 'b', 'a']


@pytest.mark.parametrize(('error', 'reason'), [
    (failure('ValueError: resources.r: no'),
     'Resource CREATE failed: ValueError: resources.r: no'),
    (failure('x', 'CHECK'), 'Resource CHECK failed: resources.r: x'),
    (exception.NotFound('gone'), 'gone'),
])
def test_error_of_a_visit_is_the_reason(error, reason):
    end = walked(stack_of(), raising(error))
    assert (end.reason, end.status) == (reason, 'FAILED')
    assert end.rollback_wanted is None


def test_each_reason_is_told_once():
    errors = [exception.NotFound('one'), exception.NotFound('two'),
              exception.NotFound('one')]
    end = walked(stack_of(), raising(scheduler.ExceptionGroup(errors)))
    assert end.reason == 'one; two'


@pytest.mark.parametrize('with_rollback', [True, False])
def test_message_stops_the_walk(with_rollback):
    end = walked(stack_of(), raising(stack_tasks.ForcedCancel(
        with_rollback=with_rollback)), 'UPDATE')
    assert end == legacy_walk.End('Stack UPDATE cancelled', failed=True,
                                  rollback_wanted=with_rollback)


def test_time_runs_out(monkeypatch):
    now = iter(range(0, 10 ** 6, 10))
    monkeypatch.setattr('heat.common.timeutils.wallclock', lambda: next(now))

    def endless():
        while True:
            yield

    end = walked(stack_of(timeout=100), endless)
    assert end == legacy_walk.End('Timed out', failed=True)


def test_defects_are_not_taken_for_failures():
    with pytest.raises(ZeroDivisionError):
        walked(stack_of(), raising(ZeroDivisionError()))


def test_what_failed_shares_nothing():
    end = legacy_walk.End('no', failed=True)
    task = legacy_walk.share(None, 'CREATE', end)
    with pytest.raises(StopIteration) as stop:
        next(task)
    assert stop.value.value is end


def test_remark_follows_the_reason():
    assert legacy_walk.completed('CHECK', ' (well)').reason == (
        'Stack CHECK completed successfully (well)')
