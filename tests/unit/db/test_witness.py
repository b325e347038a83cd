"""A transaction whose commit was not answered is carried out once."""
import pytest
import sqlalchemy as sa

from heat.common import timeutils
from heat.db import models
from heat.db import query
from heat.db import resource as resource_queries
from heat.db import session
from heat.db import stack_lock as lock_queries
from heat.db import witness
from tests.fakes import database_faults

CONFIGS, FILES = models.SOFTWARE_CONFIG, models.RAW_TEMPLATE_FILES
RESOURCES = models.RESOURCE


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(timeutils, 'sleep', lambda _seconds: None)


def add_config(name='one', **values):
    with session.writer(None) as connection:
        query.insert_named(connection, CONFIGS, {
            'name': name, 'config': {}, 'tenant': 'project', **values})
    return name


def configs():
    with session.reader(None) as connection:
        return connection.execute(sa.select(CONFIGS.c.name)).scalars().all()


@pytest.fixture
def resource_id():
    """Return the id of a row that nobody holds."""
    with session.writer(None) as connection:
        template_id = query.insert_one(connection, models.RAW_TEMPLATE, {
            'template': {}})
        connection.execute(models.STACK.insert(), {
            'id': 's', 'name': 's', 'raw_template_id': template_id,
            'disable_rollback': True})
        return query.insert_one(connection, RESOURCES, {
            'name': 'r', 'stack_id': 's', 'atomic_key': 3})


def test_committed_insert_is_not_repeated():
    with database_faults.lost_answer():
        assert session.run(None, add_config) == 'one'
    assert configs() == ['one']


def test_insert_that_was_not_committed_is_repeated():
    with database_faults.lost_connection():
        assert session.run(None, add_config) == 'one'
    assert configs() == ['one']


def test_value_of_the_attempt_that_was_committed_is_returned():
    values = iter('abc')
    with database_faults.lost_answer():
        assert session.run(None, lambda: add_config(next(values))) == 'a'
    assert configs() == ['a']


def test_what_has_no_name_is_repeated():
    def add():
        with session.writer(None) as connection:
            query.insert_one(connection, FILES, {'files': {}})

    with database_faults.lost_answer():
        session.run(None, add)
    with session.reader(None) as connection:
        assert len(connection.execute(sa.select(FILES)).all()) == 2


def claim(resource_id, key, engine_id):
    return resource_queries.resource_swap(
        None, resource_id, {'engine_id': engine_id}, {'atomic_key': key})


def test_committed_swap_is_not_lost_to_oneself(resource_id):
    with database_faults.lost_answer():
        assert claim(resource_id, 3, 'engine-1')
    assert not claim(resource_id, 3, 'engine-1')


def test_swap_that_another_was_faster_with_is_lost(resource_id, monkeypatch):
    others = []
    # Before it is tried again.
    monkeypatch.setattr(timeutils, 'sleep', lambda _seconds: others.append(
        claim(resource_id, 3, 'engine-2')))
    with database_faults.lost_connection():
        assert not claim(resource_id, 3, 'engine-1')
    assert others == [True]


def test_inserted_row_is_the_better_witness(resource_id):
    def swap_and_add():
        claim(resource_id, 3, 'engine-1')
        add_config()

    with session.writer(None) as connection:
        swap_and_add()
        left = witness.left()
        assert left.table is CONFIGS
        assert left.is_there(connection)
        connection.execute(CONFIGS.delete())
        assert not left.is_there(connection)


def test_witness_is_of_one_transaction():
    add_config()
    with session.writer(None):
        assert witness.left() is None


def test_witness_may_have_no_value(resource_id):
    with session.reader(None) as connection:
        for value, there in ((None, True), ('engine-1', False)):
            assert witness.Witness(RESOURCES, {
                'id': resource_id, 'engine_id': value}).is_there(
                    connection) is there


@pytest.mark.parametrize(('table', 'name'), [
    (models.STACK, 'id'), (models.EVENT, 'uuid'), (CONFIGS, 'id')])
def test_rows_are_named_before_they_are_inserted(table, name):
    witness.begin()
    values = witness.named(table, {'action': 'CREATE'})
    assert values == {'action': 'CREATE', name: values[name]}
    assert witness.left() == witness.Witness(table, {name: values[name]})
    # The first is enough: all of them are committed, or none.
    assert witness.named(table, {name: 'given'}) == {name: 'given'}
    assert witness.left().values[name] == values[name]


def test_lock_whose_storing_was_not_answered_is_taken():
    with database_faults.lost_answer():
        assert lock_queries.stack_lock_create(None, 's', 'engine-1') is None
    assert lock_queries.stack_lock_create(None, 's', 'engine-2') == 'engine-1'


def test_lock_is_stored_again_if_it_was_not():
    with database_faults.lost_connection():
        assert lock_queries.stack_lock_create(None, 's', 'engine-1') is None
    assert lock_queries.stack_lock_get_engine_id(None, 's') == 'engine-1'


def test_lock_that_another_engine_takes_meanwhile_is_not_taken(monkeypatch):
    taken = []
    # Before it is tried again.
    monkeypatch.setattr(timeutils, 'sleep', lambda _seconds: taken.append(
        lock_queries.stack_lock_create(None, 's', 'engine-2')))
    with database_faults.lost_connection():
        assert lock_queries.stack_lock_create(
            None, 's', 'engine-1') == 'engine-2'
    assert taken == [None]


def test_theft_of_a_lock_that_was_not_answered_counts():
    lock_queries.stack_lock_create(None, 's', 'engine-1')
    with database_faults.lost_answer():
        assert lock_queries.stack_lock_steal(
            None, 's', 'engine-1', 'engine-2') is None
    assert lock_queries.stack_lock_get_engine_id(None, 's') == 'engine-2'
