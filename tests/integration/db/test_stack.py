"""The tests of these records, on real servers."""
import datetime

import pytest
import sqlalchemy as sa

from heat.db import models
from heat.db import query
from heat.db import session
from tests.unit.objects.test_stack import *  # noqa: F403

pytestmark = pytest.mark.usefixtures('clean_database')


def _plan(statement):
    """Return what the database says of how it finds the rows."""
    engine = session.get_engine()
    text = str(statement.compile(engine, compile_kwargs={
        'literal_binds': True})).replace(':', '\\:')
    with engine.connect() as connection:
        rows = connection.execute(sa.text(f'EXPLAIN {text}')).all()
    return '\n'.join(str(tuple(row)) for row in rows)


@pytest.mark.parametrize('descending', [False, True])
@pytest.mark.parametrize('with_marker', [False, True])
def test_page_is_read_from_the_index(descending, with_marker):
    began = datetime.datetime(2026, 1, 1)
    with session.writer(None) as connection:
        connection.execute(models.RAW_TEMPLATE.insert(), {'id': 1})
        query.insert_rows(connection, models.STACK, [{
            'id': f'{number:06}', 'name': 's', 'tenant': 'p',
            'raw_template_id': 1, 'disable_rollback': True,
            'created_at': began + datetime.timedelta(seconds=number)}
            for number in range(3000)])
        marker = with_marker and connection.execute(
            sa.select(models.STACK).where(
                models.STACK.c.id == '001500')).one()
    with session.get_engine().begin() as connection:
        connection.execute(sa.text(
            'ANALYZE stack' if connection.dialect.name == 'postgresql'
            else 'ANALYZE TABLE stack'))
    table = models.STACK
    plan = _plan(query.sorted_page(
        sa.select(table.c.id, table.c.name).where(
            table.c.tenant == 'p', table.c.owner_id.is_(None),
            table.c.deleted_at.is_(None)),
        table, ['created_at', 'id'], descending, marker or None, 10))
    assert 'ix_stack_tenant_created_at' in plan
    # Neither database sorts what it finds.
    assert 'sort' not in plan.lower()
