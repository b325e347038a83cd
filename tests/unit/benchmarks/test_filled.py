"""Reads, scans and purges in a database that tools/bench fills."""
import pytest
import sqlalchemy as sa

from heat.common import config  # noqa: F401 (registers options)
from heat.db import models
from heat.db import session
from tests.fakes import database
from tools.benchmarks import filled
from tools.benchmarks import filling

SIZES = filling.Sizes(stacks=60, resources=2, events=3, largest=25)


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setattr(filling, 'CHUNK', 40)
    monkeypatch.setattr(filled, 'SMALL_TABLE', 10)
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    yield session.get_engine()
    session.configure()


def count(engine, table, *conditions):
    with engine.connect() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(
            table).where(*conditions)).scalar()


def test_filler_adds_stacks_with_all_that_belongs_to_them(engine):
    assert list(filling.Filler(engine, SIZES).chunks()) == [40, 60]
    assert count(engine, models.STACK) == 60
    assert count(engine, models.RAW_TEMPLATE) == 60
    assert count(engine, models.RESOURCE) == 120
    assert count(engine, models.PROPERTIES_DATA) == 120
    assert count(engine, models.EVENT) == 3 * 60 + 25
    gone, busy = models.STACK.c.deleted_at, models.STACK.c.status
    # Numbers 17 and 37 of the first 40, 17 of the others.
    assert count(engine, models.STACK, gone.is_not(None)) == 3
    assert count(engine, models.STACK, busy == 'IN_PROGRESS') == 2
    assert count(engine, models.RESOURCE,
                 models.RESOURCE.c.engine_id.is_not(None)) == 4
    assert not sa.inspect(engine).has_table('bench_number')


def test_nothing_reads_whole_tables(engine):
    list(filling.Filler(engine, SIZES).chunks())
    lines = [*filled.measure(engine, 'sqlite', 60),
             *filled.measure_purge(engine, 'sqlite', 60)]
    assert {line[2]: line[6] for line in lines} == dict.fromkeys(
        [*(f'{what}, {size} project' for size in ('large', 'small')
           for what in ('first page', 'page in the middle', 'show by name',
                        'events of a stack', 'number of stacks')),
         'recovery scan', 'purge: statement', 'purge: locks',
         'purge: 3 stacks'], '-')
    assert count(engine, models.STACK) == 57
    assert count(engine, models.EVENT) == 3 * 57


def test_scan_does_not_enter_by_what_is_not_deleted(engine):
    list(filling.Filler(engine, SIZES).chunks())
    with filled.Statements(engine) as statements:
        filled.scan()
    with engine.connect() as connection:
        plans = [row.detail for text, parameters in statements.seen.items()
                 for row in connection.exec_driver_sql(
                     f'EXPLAIN QUERY PLAN {text}', parameters)]
    assert any('ix_stack_status' in plan for plan in plans)
    assert not [plan for plan in plans if 'ix_stack_deleted_at' in plan]


def test_statements_that_read_whole_tables_are_found(engine):
    list(filling.Filler(engine, SIZES).chunks())
    with filled.Statements(engine) as statements:
        assert count(engine, models.STACK,
                     models.STACK.c.status_reason == 'x') == 0
        assert count(engine, models.STACK, models.STACK.c.id == 'x') == 0
    assert statements.number == 2
    assert filled.whole_tables(engine, statements.seen) == ['stack']


def test_small_tables_may_be_read_as_a_whole(engine, monkeypatch):
    list(filling.Filler(engine, SIZES).chunks())
    monkeypatch.setattr(filled, 'SMALL_TABLE', 100)
    with filled.Statements(engine) as statements:
        count(engine, models.STACK, models.STACK.c.status_reason == 'x')
    assert filled.whole_tables(engine, statements.seen) == []
