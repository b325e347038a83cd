import datetime
import gc
import tracemalloc

import pytest
import sqlalchemy as sa

from heat.db import api
from heat.db import models
from heat.db import query
from heat.db import session
from heat.db import stack

SERVICE = models.SERVICE
NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
TIMES = [None, 2, 1, 2, None, 3]


@pytest.fixture
def rows():
    def row(name, day):
        return {'id': name, 'engine_id': name, 'host': 'h', 'hostname': 'h',
                'binary': 'b', 'topic': 't', 'report_interval': 1,
                'deleted_at': day and datetime.datetime(2026, 1, day)}

    with session.writer(None) as connection:
        query.insert_rows(connection, SERVICE,
                          [row(*one) for one in zip(
                              NAMES, TIMES, strict=True)])


def page(descending, limit, marker=None):
    with session.reader(None) as connection:
        marker_row = marker and connection.execute(
            sa.select(SERVICE).where(SERVICE.c.id == marker)).one()
        statement = query.sorted_page(
            sa.select(SERVICE.c.id), SERVICE, ['deleted_at', 'id'],
            descending, marker_row, limit)
        return query.scalars(connection, statement)


@pytest.mark.parametrize(('descending', 'expected'), [
    (False, ['a', 'e', 'c', 'b', 'd', 'f']),
    (True, ['f', 'd', 'b', 'c', 'e', 'a']),
])
@pytest.mark.parametrize('limit', [1, 2, 4, 6])
def test_pages_join_to_the_whole(rows, descending, expected, limit):
    assert page(descending, None) == expected
    seen = []
    while some := page(descending, limit, seen[-1] if seen else None):
        assert len(some) <= limit
        seen += some
    assert seen == expected


def test_limit_of_zero_is_an_empty_page(rows):
    assert page(False, 0) == []


def test_filters_ignore_what_is_no_column(rows):
    conditions = query.exact_filters(
        SERVICE, {'id': ['a', 'b', 'c'], 'deleted_at': None, 'colour': 'red'})
    with session.reader(None) as connection:
        assert query.scalars(connection, sa.select(SERVICE.c.id).where(
            *conditions)) == ['a']


def test_sort_keys_translate_and_default():
    names = {'time': 'created_at', 'name': 'name'}
    assert query.known_sort_keys('time', names, ['x']) == ['created_at']
    assert query.known_sort_keys(['name', 'bad', 'time'], names, ['x']) == [
        'name', 'created_at']
    assert query.known_sort_keys(['bad'], names, ['x']) == ['x']
    assert query.known_sort_keys(None, names, ['x']) == ['x']


def test_keys_of_many_rows_come_in_order():
    table = models.PROPERTIES_DATA
    with session.writer(None) as connection:
        ids = query.insert_many(
            connection, table,
            [{'data': number} for number in range(2500)])
        stored = dict(connection.execute(
            sa.select(table.c.id, table.c.data)).all())
    assert [stored[one] for one in ids] == list(range(2500))


def test_rows_get_values_of_their_own():
    table = models.PROPERTIES_DATA
    before = datetime.datetime(2020, 1, 1)
    with session.writer(None) as connection:
        ids = query.insert_many(connection, table, [
            {'data': number, 'encrypted': True, 'updated_at': before}
            for number in range(5)])

        def write(names, values, expected):
            return query.update_rows(connection, table, [
                query.Change(one, dict(zip(names, each, strict=True)),
                             {'data': known})
                for one, each, known in zip(ids, values, expected,
                                            strict=True)])

        values = [(False, [number, None, 'ä%s']) for number in range(5)]
        assert write(('encrypted', 'data'), values, range(5)) == 5
        # Of another value than expected nothing is written over.
        assert write(('data',), [('new',)] * 5,
                     [values[0][1], *['other'] * 4]) == 1
        rows = query.all_rows(connection, sa.select(table).order_by(
            table.c.id))
    assert [row.data for row in rows] == [
        'new', *(value for _encrypted, value in values[1:])]
    assert [row.encrypted for row in rows] == [False] * 5
    assert all(row.updated_at > before for row in rows)


def test_statements_of_many_rows_are_small_and_forgotten():
    table, rows = models.PROPERTIES_DATA, 128
    with session.writer(None) as connection:
        ids = query.insert_many(connection, table,
                                [{'data': 0} for _number in range(rows)])
        query.forget_statements()
        gc.collect()
        tracemalloc.start()
        try:
            query.update_rows(connection, table, [
                query.Change(one, {'data': one, 'created_at': _day(one)})
                for one in ids])
            gc.collect()
            kept, _peak = tracemalloc.get_traced_memory()
            query.forget_statements()
            gc.collect()
            after, _peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert 10_000 < kept - after < 80_000


def _day(number):
    return datetime.datetime(2026, 1, 1) + datetime.timedelta(number)


def test_inserting_nothing_is_nothing():
    with session.writer(None) as connection:
        assert query.insert_many(connection, models.PROPERTIES_DATA, []) == []
        query.insert_rows(connection, models.EVENT, [])


@pytest.mark.parametrize(('name', 'arguments'), [
    ('stack_get', ('s',)), ('stack_get_with_template', ('s',)),
    ('stack_get_all_by_name', ('n', 'p')),
    ('stack_get_all_by_name', ('n', None)),
    ('stack_get_all', (stack.Selection('p', {'tenant': 'p'}),)),
    ('stack_get_all', (stack.Selection(None, {'tenant': 'p'}),)),
    ('stack_tags_get', (['s', 't'],)), ('raw_template_get', (1,)),
    ('resource_get', (1,)), ('resource_get_all_by_stack', ('s',)),
    ('resource_get_all_by_name_and_stack', ('n', 's')),
    ('resource_get_all_by_name_and_stack', (None, 's')),
    ('resource_get_listed', (['s', 't'],)),
    ('resource_get_requirers', ('s', 1)), ('resource_data_get_all', ([1],))])
def test_statements_of_reads_are_built_once(name, arguments, monkeypatch):
    function = getattr(api, name)
    first = function(None, *arguments)
    monkeypatch.setattr(sa.Select, 'where', None)
    assert function(None, *arguments) == first


def test_first_pages_are_those_of_the_project_that_asks():
    with session.writer(None) as connection:
        query.insert_rows(connection, models.STACK, [
            {'id': f'{tenant}{day}', 'name': f'{tenant}{day}',
             'tenant': tenant, 'raw_template_id': 1, 'nested_depth': 0,
             'disable_rollback': False,
             'created_at': datetime.datetime(2026, 1, day)}
            for tenant in 'pq' for day in (1, 2, 3)])

    def page(tenant, named, **options):
        return [row.id for row in api.stack_get_all(None, stack.Selection(
            tenant, {'tenant': named}), **options)]

    assert page('p', 'p') == page(None, 'p') == ['p1', 'p2', 'p3']
    assert page('q', 'q', limit=2) == ['q1', 'q2']
    assert page('q', 'q', limit=2, descending=True) == ['q3', 'q2']
    assert page('q', 'q', limit=0) == []
    assert page('p', 'q') == page('p', 'q', limit=2) == []
    assert page('p', ['p', 'q'], limit=2) == ['p1', 'p2']
