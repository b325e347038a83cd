"""Taking over the database of another implementation."""
import pytest

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


def test_types_stay_as_recorded(server):
    with session.get_engine().connect() as connection:
        differences = schema.differences(connection)
    # What migrations of ours add is not there yet.
    added = ('sync_point', 'ix_', 'live_name_key', *additions.EVENT_COLUMNS,
             *additions.TABLES)
    assert [one for one in differences
            if not any(name in one for name in added)] == []
