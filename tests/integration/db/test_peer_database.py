"""Taking over the database of another implementation."""
import pytest
import sqlalchemy as sa

from heat.db import migration
from heat.db import models
from heat.db import session
from heat.objects import event
from heat.objects import resource
from heat.objects import resource_data
from heat.objects import stack
from tests import additions
from tests.fakes import peer
from tests.fakes import schema
from tests.fakes.peer_checks import *  # noqa: F403 (the tests)
from tests.fakes.peer_checks import CONTEXT


@pytest.fixture(scope='module')
def database(server):
    url = server.create()
    session.configure(url)
    if 'mysql' in url:
        peer.load_dump()
        assert migration.db_version() == peer.REVISION
        migration.db_sync()
    else:
        migration.db_sync()
        peer.load_rows()
    yield url
    session.configure()
    server.drop(url)


@pytest.fixture(autouse=True)
def loaded(database):
    session.configure(database)


def test_every_character_can_be_written():
    text = 'ü € 😀'
    one = stack.Stack.get_by_name(CONTEXT, 'failed')
    row = resource.Resource.create(CONTEXT, {
        'name': text, 'stack_id': one.id, 'status_reason': text,
        'physical_resource_id': text, 'rsrc_metadata': {text: text}})
    resource_data.ResourceData.set(CONTEXT, row.id, text, text)
    event_id = event.Event.create(CONTEXT, {
        'stack_id': one.id, 'resource_name': text,
        'resource_status_reason': text})
    try:
        read = resource.Resource.get_obj(CONTEXT, row.id, with_data=True)
        assert (read.name, read.status_reason, read.physical_resource_id,
                read.rsrc_metadata, read.data) == (
                    text, text, text, {text: text}, {text: text})
        assert event.Event.get_all_by_stack(CONTEXT, one.id, filters={
            'resource_name': text})[0].resource_status_reason == text
    finally:
        resource.Resource.delete(CONTEXT, row.id)
        with session.writer(CONTEXT) as connection:
            connection.execute(models.EVENT.delete().where(
                models.EVENT.c.id == event_id))


@pytest.mark.parametrize(('table', 'columns'), [
    ('change_set', ('name', 'description', 'status_reason', 'creator')),
    ('drift_detection', ('status_reason', 'creator')),
    ('event', ('resource_type',)),
    ('stack_export', ('output_name',)),
])
def test_later_text_holds_every_character(table, columns):
    one = stack.Stack.get_by_name(CONTEXT, 'failed')
    needed = {'stack_id': one.id, 'tenant': 'p', 'status': 's',
              'action': 'CREATE', 'name': 'n', 'name_key': 'k', 'id': 77777,
              'output_name': 'o'}
    target = models.METADATA.tables[table]
    with session.writer(CONTEXT) as connection:
        savepoint = connection.begin_nested()
        connection.execute(target.insert(), {
            **{name: str(value) if isinstance(target.c[name].type, sa.String)
               else value for name, value in needed.items()
               if name in target.c},
            **dict.fromkeys(columns, '😀')})
        read = connection.execute(sa.select(
            *(target.c[name] for name in columns)).where(
                target.c.stack_id == one.id).order_by(
                    target.c.id.desc()).limit(1)).one()
        savepoint.rollback()
    assert set(read) == {'😀'}


def test_narrow_columns_are_compared_with_every_character():
    assert stack.Stack.get_by_name(CONTEXT, '😀') is None
    assert stack.Stack.get_all(CONTEXT, filters={
        'name': ['😀', 'failed']}) != []
    assert stack.Stack.get_all(CONTEXT, filters={'status': '😀'}) == []
    one = stack.Stack.get_by_name(CONTEXT, 'failed')
    assert event.Event.get_all_by_stack(CONTEXT, one.id, filters={
        'resource_status': '😀'}) == []


def test_types_stay_as_recorded(server):
    with session.get_engine().connect() as connection:
        differences = schema.differences(connection)
    # What migrations of ours add is not there yet.
    added = ('sync_point', 'ix_', 'live_name_key', *additions.EVENT_COLUMNS,
             *additions.TABLES)
    assert [one for one in differences
            if not any(name in one for name in added)] == []
