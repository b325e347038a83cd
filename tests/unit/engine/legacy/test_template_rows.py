"""A legacy update leaves no template behind, wherever it is cut short."""
import pytest
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.engine import stack as stack_module
from tests.fakes import database_faults
from tests.fakes import stacks

ONE = 'resources: {a: {type: Test::Thing, properties: {value: one}}}'
TWO = ONE.replace('one', 'two')


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def unused(table, *columns):
    """Return the ids of a table that none of some columns refers to."""
    with session.reader() as connection:
        used = {value for column in columns for value in
                connection.execute(sa.select(column)).scalars()}
        return set(connection.execute(sa.select(
            table.c.id)).scalars()) - used


def unused_templates():
    return unused(models.RAW_TEMPLATE, models.STACK.c.raw_template_id,
                  models.STACK.c.prev_raw_template_id)


def test_lost_answer_to_a_commit_stores_no_template_twice(engine):
    stack = engine.create(ONE)
    # The first commit takes the lock.
    with database_faults.lost_answer(2):
        engine.begin_update(stack, TWO)
    assert not unused_templates()
    engine.pool.run()
    assert engine.reload(stack).state == ('UPDATE', 'COMPLETE')
    assert not unused_templates()


def test_update_that_cannot_begin_stores_no_template(engine, monkeypatch):
    stack = engine.create(ONE)
    with monkeypatch.context() as patch:
        # Its engine is gone, or stops, before it can tidy up.
        patch.setattr(engine.pool, 'spawn', lambda *_args, **_kwargs: None)
        with (database_faults.refusal('INSERT INTO event'),
              pytest.raises(database_faults.Refused)):
            engine.begin_update(stack, TWO)
    assert not unused_templates()


@pytest.mark.parametrize('updates', [0, 2])
def test_update_whose_engine_dies_leaves_no_template(engine, updates):
    stack = engine.create(ONE)
    for number in range(updates):
        stack = engine.update(stack, ONE.replace('one', str(number)))
    engine.begin_update(stack, TWO)
    assert not unused_templates()


def test_update_has_the_new_template_in_the_end(engine):
    stack = engine.create(ONE)
    stack = engine.update(stack, TWO, files={'f': 'one'})
    [resource] = stack_module.Stack.load(engine.context, stack.id).t.t[
        'resources'].values()
    assert resource['properties'] == {'value': 'two'}
    assert dict(engine.reload(stack).t.files) == {'f': 'one'}
    assert not unused_templates()


@pytest.mark.parametrize('fails', ['true', 'false'])
def test_files_of_working_templates_go_with_them(engine, fails):
    stack = engine.create(ONE, files={'f': 'one'})
    for number in range(3):
        stack = engine.update(stack, ONE.replace(
            'value: one', f'value: {number}, fail: {fails}'),
            files={'f': str(number)})
    assert not unused(models.RAW_TEMPLATE_FILES,
                      models.RAW_TEMPLATE.c.files_id)
