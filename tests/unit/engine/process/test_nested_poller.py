"""Parents of nested stacks hear of ends in other engines."""
import pytest

from heat.engine import nested_stack
from heat.engine.process import nested_poller
from heat.engine.tasks import pool as task_pool
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import stacks

INNER = """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing}}
"""


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


@pytest.fixture
def pool():
    return task_pool.InlinePool()


def waiting(stack_id):
    yield task_pool.WaitFor(nested_stack.wake_key(stack_id))


def set_status(engine, stack, status):
    stack_objects.Stack.update_by_id(engine.context, stack.id,
                                     {'status': status})


def test_the_end_of_a_stack_wakes_who_waits_for_it(engine, pool):
    one, two = (engine.create(INNER, name=name) for name in ('one', 'two'))
    set_status(engine, one, 'IN_PROGRESS')
    tasks = [pool.spawn(waiting(stack.id)) for stack in (one, two)]
    pool.run()
    watch = nested_poller.NestedWatch(pool)
    watch.run_once()
    pool.run()
    assert [task.done for task in tasks] == [False, True]
    set_status(engine, one, 'FAILED')
    watch.run_once()
    pool.run()
    assert tasks[0].done


def test_a_stack_that_is_gone_has_ended(engine, pool):
    task = pool.spawn(waiting('unknown'))
    pool.run()
    nested_poller.NestedWatch(pool).run_once()
    pool.run()
    assert task.done


def test_many_that_wait_cost_one_statement(engine, pool):
    for number in range(50):
        pool.spawn(waiting('stack-%d' % number))
    pool.run()
    before = transaction.counters()['statements']
    nested_poller.NestedWatch(pool).run_once()
    assert transaction.counters()['statements'] - before == 1
