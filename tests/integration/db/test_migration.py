import pathlib
import subprocess
import sys

import pytest
import sqlalchemy as sa

from heat.db import migration
from heat.db import models
from heat.db import session
from tests.fakes import schema

ROOT = pathlib.Path(__file__).parents[3]
CHAIN = ['c6214ca60943', 'd2db381e3324', '88be64598c0f', '97b2a986f922']

pytestmark = pytest.mark.usefixtures('empty_database')


def test_recorded_revision_has_the_recorded_schema():
    migration.db_sync('97b2a986f922')
    with session.get_engine().connect() as connection:
        assert schema.differences(connection) == []


@pytest.mark.parametrize('revision', CHAIN)
def test_takes_over_a_database_at_any_revision(revision):
    migration.db_sync(revision)
    assert migration.db_version() == revision
    migration.db_sync()
    migration.db_sync()
    with session.get_engine().connect() as connection:
        inspector = sa.inspect(connection)
        for table in models.METADATA.sorted_tables:
            found = {one['name']
                     for one in inspector.get_columns(table.name)}
            assert found == {column.name for column in table.columns}


def test_takes_over_a_database_of_the_former_tool():
    migration.db_sync('c6214ca60943')
    with session.get_engine().begin() as connection:
        connection.execute(sa.text('DROP TABLE alembic_version'))
        connection.execute(sa.text(
            'CREATE TABLE migrate_version (version INTEGER)'))
    migration.db_sync()
    assert migration.db_version() is not None


@pytest.mark.parametrize('revision', [None, '97b2a986f922'])
def test_several_processes_may_sync_at_once(empty_database, tmp_path,
                                            revision):
    if revision:
        migration.db_sync(revision)
    conf = tmp_path / 'heat.conf'
    conf.write_text(f'[database]\nconnection = {empty_database}\n')
    commands = [subprocess.Popen(
        [sys.executable, ROOT / 'bin' / 'heat-manage', '--config-file', conf,
         'db_sync'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True) for _number in range(3)]
    texts = [one.communicate(timeout=240)[0] for one in commands]
    assert [one.returncode for one in commands] == [0, 0, 0], texts
    assert migration.db_version() == migration.head_version()
    # One process upgrades the database, and releases the lock.
    assert sum('Running upgrade' in text for text in texts) == 1
    migration.db_downgrade()


def test_every_reference_is_indexed():
    migration.db_sync()
    with session.get_engine().connect() as connection:
        inspector = sa.inspect(connection)
        for table in models.METADATA.sorted_tables:
            leading = {index['column_names'][0]
                       for index in inspector.get_indexes(table.name)}
            leading.add(inspector.get_pk_constraint(
                table.name)['constrained_columns'][0])
            for key in inspector.get_foreign_keys(table.name):
                assert key['constrained_columns'][0] in leading, table.name


def test_stacks_that_share_a_name_already_are_no_obstacle():
    migration.db_sync('97b2a986f922')
    with session.get_engine().begin() as connection:
        connection.execute(models.RAW_TEMPLATE.insert(), {'id': 1})
        heat = sa.table('stack', *(sa.column(name) for name in (
            'id', 'name', 'tenant', 'raw_template_id', 'disable_rollback')))
        connection.execute(heat.insert(), [{
            'id': f's{number}', 'name': 'web', 'tenant': 'p',
            'raw_template_id': 1, 'disable_rollback': False}
            for number in range(2)])
    migration.db_sync()
    migration.db_downgrade()
    with session.get_engine().connect() as connection:
        assert schema.differences(connection) == []
        assert connection.execute(sa.select(sa.func.count()).select_from(
            heat)).scalar() == 2
