"""Memory is given back once, a while after work has come to its end."""
import weakref

import pytest

from heat.db import session
from heat.engine.process import memory_trim
from heat.engine.stacks import template_store
from heat.engine.tasks import pool as task_pool
from tests.fakes import stacks

TEMPLATE = """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing}}
"""


REST, LONG = memory_trim.REST, 3 * memory_trim.REST


def rest(memory):
    """Look as often as it takes; return whether memory was given back."""
    *before, last = [memory.run_once() for _look in range(REST)]
    assert not any(before)
    return last


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch, convergence=True)


@pytest.fixture
def pool():
    return task_pool.InlinePool()


def work():
    yield task_pool.WaitFor('end')


def work_to_the_end(pool):
    """Have a pool work, with nothing left to do in the end."""
    pool.spawn(work())
    pool.run()
    pool.wake('end')
    pool.run()


def test_parsed_templates_are_forgotten_when_nothing_is_left_to_do(
        engine, pool):
    stack = engine.create(TEMPLATE)
    kept = weakref.ref(template_store.parsed(engine.context, stack.t.id))
    text = TEMPLATE + 'description: read'
    read = template_store.read(text)
    del stack
    memory = memory_trim.IdleMemory(pool)
    pool.spawn(work())
    pool.run()
    assert not any(memory.run_once() for _look in range(LONG))
    assert kept() is not None
    pool.wake('end')
    pool.run()
    assert template_store.read(text) is read
    assert rest(memory)
    assert kept() is None
    assert template_store.read(text) is not read


def test_who_has_not_worked_has_nothing_to_give(engine, pool):
    memory = memory_trim.IdleMemory(pool)
    assert not any(memory.run_once() for _look in range(LONG))
    work_to_the_end(pool)
    assert rest(memory)
    assert not any(memory.run_once() for _look in range(LONG))


def test_what_begins_soon_after_keeps_what_has_been_read(engine, pool):
    memory = memory_trim.IdleMemory(pool)
    engine.create(TEMPLATE)
    read, statements = template_store.read(TEMPLATE), (
        session.get_engine()._compiled_cache)
    # Less often than each look there is work.
    for _time in range(LONG):
        work_to_the_end(pool)
        assert not any(memory.run_once() for _look in range(REST - 1))
    assert template_store.read(TEMPLATE) is read
    assert len(statements)
    assert memory.run_once()
    assert template_store.read(TEMPLATE) is not read


def test_work_that_ends_between_two_looks_is_noticed(engine, pool):
    memory = memory_trim.IdleMemory(pool)
    work_to_the_end(pool)
    memory.run_once()
    work_to_the_end(pool)
    assert rest(memory)


def test_statements_are_forgotten_when_nothing_is_left_to_do(engine, pool):
    engine.create(TEMPLATE)
    kept = session.get_engine()._compiled_cache
    assert len(kept)
    memory = memory_trim.IdleMemory(pool)
    work_to_the_end(pool)
    assert rest(memory)
    assert not len(kept)
    # They are made anew.
    engine.create(TEMPLATE, name='another')
