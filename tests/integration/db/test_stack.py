"""The tests of these records, on real servers."""
from concurrent import futures
import datetime
import functools
import itertools
import threading

import pytest
import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session
from tests.unit.objects.test_stack import *  # noqa: F403

pytestmark = pytest.mark.usefixtures('clean_database')

#: So many that MariaDB does not count those of an index any more.
MANY = 10000


def _plan_of(action):
    """Return how the database finds the rows of the page of an action."""
    engine, seen = session.get_engine(), []

    def note(_connection, _cursor, statement, parameters, *_more):
        seen.append((statement, parameters))

    sa.event.listen(engine, 'before_cursor_execute', note)
    try:
        action()
    finally:
        sa.event.remove(engine, 'before_cursor_execute', note)
    statement, parameters = seen[-1]
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(f'EXPLAIN {statement}',
                                          parameters).all()
    return '\n'.join(str(tuple(row)) for row in rows)


def _fill():
    began = datetime.datetime(2026, 1, 1)
    with session.writer(None) as connection:
        connection.execute(models.RAW_TEMPLATE.insert(), {'id': 1})
        query.insert_rows(connection, models.STACK, [{
            'id': f'{number:06}', 'name': 's', 'tenant': 'p',
            'raw_template_id': 1, 'disable_rollback': True,
            'created_at': began + datetime.timedelta(seconds=number)}
            for number in range(MANY)])
    with session.get_engine().begin() as connection:
        connection.execute(sa.text(
            'ANALYZE stack' if connection.dialect.name == 'postgresql'
            else 'ANALYZE TABLE stack'))


def test_page_is_read_from_the_index(make_context):  # noqa: F405
    _fill()
    in_the_middle = f'{MANY // 2:06}'
    for order, marker, filters in itertools.product(
            ('asc', 'desc'), (None, in_the_middle), (None, {'tenant': 'p'})):
        plan = _plan_of(functools.partial(
            Stack.get_all, make_context('p'),  # noqa: F405
            limit=10, marker=marker, sort_dir=order, filters=filters))
        assert models.STACK_LIST_INDEX in plan
        # Neither database sorts what it finds.
        assert 'sort' not in plan.lower()
        if marker:
            # Nor does it read what stands before the page.
            assert "'range'" in plan or 'AND (created_at ' in plan, plan


def test_of_many_at_once_one_gets_the_name(context, make_stack):  # noqa: F405
    number = 12
    begins = threading.Barrier(number)

    def create(_number):
        begins.wait(60)
        try:
            return make_stack('web').id
        except stack.StackConflict:  # noqa: F405
            return None

    for _time in range(5):
        with futures.ThreadPoolExecutor(number) as threads:
            made = list(filter(None, threads.map(create, range(number))))
        assert [one.id for one in Stack.get_all(  # noqa: F405
            context)] == made
        Stack.delete(context, made[0])  # noqa: F405
