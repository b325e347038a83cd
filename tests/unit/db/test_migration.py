from alembic import autogenerate
from alembic import migration as alembic_migration
from alembic import script
import pytest
import sqlalchemy as sa

from heat.common import exception
from heat.db import migration
from heat.db import models
from heat.db import session
from tests import python_process
from tests.fakes import schema

CHAIN = ['c6214ca60943', 'd2db381e3324', '88be64598c0f', '97b2a986f922']


@pytest.fixture
def empty_database(tmp_path):
    session.configure(f'sqlite:///{tmp_path}/empty.sqlite')


def columns(table):
    with session.get_engine().connect() as connection:
        return {column['name']
                for column in sa.inspect(connection).get_columns(table)}


def tables():
    with session.get_engine().connect() as connection:
        return set(sa.inspect(connection).get_table_names())


def test_version_of_an_empty_database_is_none(empty_database):
    assert migration.db_version() is None


def test_recorded_revision_has_the_recorded_schema(empty_database):
    migration.db_sync('97b2a986f922')

    with session.get_engine().connect() as connection:
        assert schema.differences(connection) == []


def test_latest_schema_is_that_of_the_models():
    with session.get_engine().connect() as connection:
        context = alembic_migration.MigrationContext.configure(connection)
        assert autogenerate.compare_metadata(
            context, models.METADATA) == []


def test_each_step_adds_what_it_says(empty_database):
    migration.db_sync('c6214ca60943')
    assert 'extra_data' not in columns('sync_point')
    assert 'resource_snapshot' not in tables()
    assert 'action' not in columns('snapshot')
    migration.db_sync('d2db381e3324')
    assert 'extra_data' in columns('sync_point')
    migration.db_sync('88be64598c0f')
    assert 'resource_snapshot' in tables()
    migration.db_sync('97b2a986f922')
    assert 'action' in columns('snapshot')


@pytest.mark.parametrize('revision', CHAIN)
def test_takes_over_a_database_at_any_revision(empty_database, revision):
    migration.db_sync(revision)
    assert migration.db_version() == revision

    migration.db_sync()

    assert {'pending', 'done'} <= columns('sync_point')
    assert {'acting_ms', 'polling_ms'} <= columns('event')
    migration.db_sync()


def test_takes_over_a_database_of_the_former_tool(empty_database):
    migration.db_sync('c6214ca60943')
    with session.get_engine().begin() as connection:
        connection.execute(sa.text('DROP TABLE alembic_version'))
        connection.execute(sa.text(
            'CREATE TABLE migrate_version (repository_id VARCHAR(250), '
            'repository_path TEXT, version INTEGER)'))

    migration.db_sync()

    assert 'pending' in columns('sync_point')


def test_goes_on_where_an_interrupted_migration_stopped(empty_database):
    migration.db_sync('97b2a986f922')
    with session.get_engine().begin() as connection:
        connection.execute(sa.text(
            'ALTER TABLE sync_point ADD COLUMN pending INTEGER'))

    migration.db_sync()

    assert 'done' in columns('sync_point')


def test_existing_snapshots_were_created(empty_database):
    migration.db_sync('88be64598c0f')
    with session.get_engine().begin() as connection:
        connection.execute(sa.text(
            'INSERT INTO raw_template (id) VALUES (1)'))
        connection.execute(sa.text(
            "INSERT INTO stack (id, raw_template_id, disable_rollback) "
            "VALUES ('s', 1, 0)"))
        connection.execute(sa.text(
            "INSERT INTO snapshot (id, stack_id, tenant) "
            "VALUES ('x', 's', 't')"))

    migration.db_sync('97b2a986f922')

    with session.get_engine().connect() as connection:
        assert connection.execute(sa.text(
            'SELECT action FROM snapshot')).scalar() == 'CREATE'


def test_stacks_that_share_a_name_already_are_no_obstacle(empty_database):
    migration.db_sync('97b2a986f922')
    with session.get_engine().begin() as connection:
        connection.execute(sa.text(
            'INSERT INTO raw_template (id) VALUES (1)'))
        for number in range(2):
            connection.execute(sa.text(
                'INSERT INTO stack (id, name, tenant, raw_template_id, '
                f"disable_rollback) VALUES ('s{number}', 'web', 'p', 1, 0)"))

    migration.db_sync()
    migration.db_downgrade()

    assert migration.db_version() == '97b2a986f922'
    assert 'live_name_key' not in columns('stack')
    assert not {'acting_ms', 'polling_ms'} & columns('event')
    with session.get_engine().connect() as connection:
        assert connection.execute(sa.text(
            "SELECT COUNT(*) FROM stack WHERE name = 'web'")).scalar() == 2


def test_refuses_numbers_of_the_former_tool(empty_database):
    with pytest.raises(exception.Error, match='73'):
        migration.db_sync('73')
    assert migration.db_version() is None


def test_head_is_read_from_the_files_as_alembic_does():
    scripts = script.ScriptDirectory.from_config(
        migration.alembic_configuration())
    assert migration.head_version() == scripts.get_current_head()


def test_database_that_is_up_to_date_needs_no_alembic(empty_database,
                                                      monkeypatch):
    migration.db_sync()
    assert migration.db_version() == migration.head_version()
    # Whatever is asked of it fails.
    monkeypatch.setattr(migration, 'command', None)
    monkeypatch.setattr(migration, 'alembic_config', None)
    migration.db_sync()
    with pytest.raises(AttributeError):
        migration.db_sync(migration.HEAT_REVISION)


def test_alembic_is_not_imported_before_it_is_used():
    code = ('import sys; from heat.db import migration; '
            'migration.head_version(); print("alembic" in sys.modules)')
    assert python_process.output(code) == 'False\n'
