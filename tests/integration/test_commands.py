"""The operator's commands, as processes on a database of their own."""
import contextlib
import datetime
import json
import os
import pathlib
import subprocess
import sys
import uuid

import pytest
import sqlalchemy as sa

from heat.db import migration
from tests.fakes import servers

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER_HEAD = '97b2a986f922'


def run(command, *args, text=None):
    """Return the finished process of a command of ours."""
    return subprocess.run(
        [sys.executable, ROOT / 'bin' / command, *map(str, args)],
        input=text, capture_output=True, text=True, timeout=240,
        env={**os.environ, 'PYTHONWARNINGS': 'ignore'})


@pytest.fixture
def manage(tmp_path):
    """Return a function that runs heat-manage on an empty state path."""
    def call(*args, text=None):
        return run('heat-manage', '--state-path', tmp_path, *args, text=text)
    return call


@pytest.fixture
def synced(manage):
    done = manage('db_sync')
    assert done.returncode == 0, done.stderr
    return manage


def test_database_is_brought_to_the_newest_revision(synced, tmp_path):
    version = synced('db_version').stdout.strip()
    assert version == migration.head_version()
    check = run('heat-status', '--state-path', tmp_path, 'upgrade', 'check')
    assert check.returncode == 0, check.stdout
    assert 'Success' in check.stdout


def test_database_can_be_brought_to_a_revision(manage, tmp_path):
    assert manage('db_sync', PEER_HEAD).returncode == 0
    assert manage('db_version').stdout.strip() == PEER_HEAD
    check = run('heat-status', '--state-path', tmp_path, 'upgrade', 'check')
    assert check.returncode == 1
    assert 'db_sync' in check.stdout


def test_database_goes_back_to_openstack_heat(synced):
    done = synced('db_downgrade')
    assert done.returncode == 0, done.stderr
    assert synced('db_version').stdout.strip() == PEER_HEAD
    assert PEER_HEAD in done.stdout
    done = synced('db_downgrade')
    assert 'nothing to do' in done.stdout


def test_revision_by_number_is_refused(manage):
    done = manage('db_sync', '73')
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith('ERROR: Invalid revision')
    assert 'Traceback' not in done.stderr


def test_empty_database_fails_the_upgrade_check(tmp_path):
    check = run('heat-status', '--state-path', tmp_path, 'upgrade', 'check')
    assert check.returncode == 2
    assert 'db_sync' in check.stdout


def test_service_list_lines_up(synced):
    lines = synced('service', 'list').stdout.splitlines()
    assert len({len(line) for line in lines}) == 1
    for title in ('Hostname', 'Binary', 'Engine_Id', 'Host', 'Topic',
                  'Status', 'Updated At'):
        assert title in lines[1]


@pytest.mark.parametrize('args', [
    ('purge_deleted', '-g', 'days', '30'),
    ('update_params', 'encrypt', 32 * 'k'),
    ('migrate_properties_data',),
    ('service', 'clean'),
])
def test_empty_database_is_no_problem(synced, args):
    done = synced(*args)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(('args', 'text', 'message'), [
    (('resource_data_list', 'nothing'), None, 'nothing'),
    (('reset_stack_status', 'nothing'), 'y\n', 'nothing'),
])
def test_unknown_names_are_told(synced, args, text, message):
    done = synced(*args, text=text)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith('ERROR: ')
    assert message in last


@pytest.mark.parametrize('args', [
    ('service', 'list'), ('purge_deleted',), ('resource_data_list', '1'),
    ('update_params', 'encrypt'), ('migrate_convergence_1', 's')])
def test_a_database_without_tables_is_told_in_words(manage, args):
    done = manage(*args)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith('ERROR: ')
    assert 'db_sync' in line


@pytest.mark.parametrize(('args', 'message'), [
    (('purge_deleted', '-b', 'x'), 'batch size'),
    (('purge_deleted', '-b', '0'), 'batch size'),
    (('purge_deleted', '-b', '-1'), 'batch size'),
    (('purge_deleted', 'x'), 'age'), (('purge_deleted', '-1'), 'age'),
    (('db_sync', 'nonsense'), 'nonsense')])
def test_wrong_values_are_told_in_words(synced, args, message):
    done = synced(*args)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith('ERROR: ')
    assert message in last


def test_nobody_is_there_to_confirm(synced):
    done = synced('reset_stack_status', 'nothing', text='')
    assert (done.returncode, done.stderr) == (0, '')


def test_unknown_flavor_stops_the_api_with_a_message(tmp_path):
    conf = tmp_path / 'heat.conf'
    conf.write_text('[paste_deploy]\nflavor = vanilla\n')
    done = run('heat-all', '--config-file', conf, '--state-path', tmp_path,
               '--bind-port', '0')
    assert done.returncode == 1
    assert 'heat-api-vanilla' in done.stderr


# -- on every kind of database ----------------------------------------------

class Installation:
    """A database, and a configuration file that names it."""

    def __init__(self, directory, url):
        self.url = url
        self._conf = directory / 'heat.conf'
        self._conf.write_text(
            f'[DEFAULT]\nauth_encryption_key = {"k" * 32}\n'
            'encrypt_parameters_and_properties = false\n'
            f'[database]\nconnection = {url.replace("%", "%%")}\n')

    def run(self, command, *args, text=None, environment=None):
        """Return what a command prints; it must succeed."""
        done = subprocess.run(
            [sys.executable, ROOT / 'bin' / command, '--config-file',
             self._conf, *map(str, args)], input=text, capture_output=True,
            text=True, timeout=240,
            env={**os.environ, 'PYTHONWARNINGS': 'ignore',
                 **(environment or {})})
        assert done.returncode == 0, done.stderr
        return done.stdout

    def manage(self, *args, text=None):
        return self.run('heat-manage', *args, text=text)

    @contextlib.contextmanager
    def rows(self):
        """Let a test look at the tables, and write them."""
        engine = sa.create_engine(self.url, poolclass=sa.NullPool)
        with engine.begin() as connection:
            yield lambda statement, **values: connection.execute(
                sa.text(statement), values)
        engine.dispose()


@pytest.fixture(params=['sqlite', 'mysql', 'postgresql'])
def installation(request, tmp_path):
    if request.param == 'sqlite':
        one = Installation(tmp_path, f'sqlite:///{tmp_path}/heat.sqlite')
        one.manage('db_sync')
        yield one
        return
    server = servers.Server(request.param)
    url = server.create()
    try:
        one = Installation(tmp_path, url)
        one.manage('db_sync')
        yield one
    finally:
        server.drop(url)


def fill(installation, **stack):
    """Write a stack with a resource, and what belongs to them."""
    now = datetime.datetime(2020, 1, 1)
    with installation.rows() as execute:
        execute(
            'INSERT INTO raw_template (id, template, environment) VALUES '
            '(1, :template, :environment)',
            template=json.dumps({
                'heat_template_version': '2018-08-31',
                'parameters': {'pw': {'type': 'string', 'hidden': True}}}),
            environment=json.dumps({'parameters': {'pw': 'geheim'}}))
        values = {'id': 's', 'name': 'stack', 'raw_template_id': 1,
                  'tenant': 'p', 'disable_rollback': True,
                  'action': 'CREATE', 'status': 'IN_PROGRESS',
                  'created_at': now, 'backup': False, 'convergence': True,
                  **stack}
        execute(f'INSERT INTO stack ({", ".join(values)}) VALUES '
                f'({", ".join(":" + name for name in values)})', **values)
        execute('INSERT INTO resource (id, uuid, name, stack_id, '
                'root_stack_id, action, status, current_template_id) '
                "VALUES (7, 'u', 'r', 's', 's', 'CREATE', 'IN_PROGRESS', 1)")
        execute('INSERT INTO resource_data (resource_id, '
                + ('"key"' if 'mysql' not in installation.url else '`key`')
                + ", value, redact) VALUES (7, 'name', 'value', :redact)",
                redact=False)


def test_hidden_values_are_encrypted_and_decrypted(installation):
    fill(installation)

    def stored():
        with installation.rows() as execute:
            return str(execute('SELECT environment FROM raw_template').all())

    installation.manage('update_params', 'encrypt')
    assert 'geheim' not in stored()
    told = installation.manage('update_params', 'decrypt',
                               '--verbose-update-params')
    assert 'raw_template: 1' in told
    assert 'geheim' in stored()


def test_data_of_a_resource_are_listed(installation):
    fill(installation)
    for name in ('7', 'u'):
        assert installation.manage(
            'resource_data_list', name) == 'name = value\n'


def test_a_stack_that_hangs_is_reset_when_confirmed(installation):
    fill(installation)

    def states():
        with installation.rows() as execute:
            return {execute(f'SELECT status FROM {table}').scalar()
                    for table in ('stack', 'resource')}

    installation.manage('reset_stack_status', 's', text='n\n')
    assert states() == {'IN_PROGRESS'}
    installation.manage('reset_stack_status', 's', text='y\n')
    assert states() == {'FAILED'}


def test_deleted_stacks_are_purged(installation):
    fill(installation, action='DELETE', status='COMPLETE',
         deleted_at=datetime.datetime(2020, 1, 2))

    def stacks():
        with installation.rows() as execute:
            return execute('SELECT count(*) FROM stack').scalar()

    installation.manage('purge_deleted', '-p', 'another', '1')
    assert stacks() == 1
    installation.manage('purge_deleted', '-g', 'hours', '-b', '1', '1')
    assert stacks() == 0


def test_dead_engines_are_shown_and_cleaned(installation):
    with installation.rows() as execute:
        execute('INSERT INTO service (id, engine_id, host, hostname, '
                'binary_, topic, report_interval, created_at, updated_at) '
                "VALUES ('i', 'dead-engine', 'h', 'n', 'heat-engine', "
                "'engine', 60, :then, :then)".replace(
                    'binary_', '`binary`' if 'mysql' in installation.url
                    else '"binary"'),
                then=datetime.datetime(2020, 1, 1))
    assert 'down' in installation.manage('service', 'list')
    assert 'dead-engine' in installation.manage('service', 'clean')
    assert 'dead-engine' not in installation.manage('service', 'list')


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_a_database_is_set_up_where_there_is_none(kind, tmp_path):
    server = servers.Server(kind)
    admin = sa.make_url(server.create())
    name = f'heat_set_up_{uuid.uuid4().hex[:8]}'
    wanted = admin.set(database=name, username=name, password='pass%word')
    one = Installation(tmp_path,
                       wanted.render_as_string(hide_password=False))
    given = {'HEAT_DB_ADMIN_URL': admin.render_as_string(
        hide_password=False)}
    try:
        told = one.run('heat-db-setup', '--dry-run', environment=given)
        assert f'database {name}: would be made' in told
        told = one.run('heat-db-setup', environment=given)
        assert f'account {name}: made' in told
        assert migration.head_version() in told
        told = one.run('heat-db-setup', environment=given)
        assert 'would' not in told
        assert ': made' not in told
    finally:
        engine = sa.create_engine(admin, poolclass=sa.NullPool,
                                  isolation_level='AUTOCOMMIT')
        with engine.connect() as connection:
            connection.execute(sa.text(f'DROP DATABASE IF EXISTS {name}'))
            connection.execute(sa.text(
                f"DROP USER IF EXISTS '{name}'@'%'" if kind == 'mysql'
                else f'DROP ROLE IF EXISTS {name}'))
        engine.dispose()
        server.drop(admin.render_as_string(hide_password=False))


def test_setting_a_database_up_needs_an_administrator(tmp_path):
    conf = tmp_path / 'heat.conf'
    conf.write_text('[database]\nconnection = mysql://u:geheim@localhost/h\n')
    done = run('heat-db-setup', '--config-file', conf)
    assert done.returncode == 1
    assert 'HEAT_DB_ADMIN_URL' in done.stderr
    assert 'geheim' not in done.stderr


@pytest.mark.parametrize('kind', ['mysql', 'postgresql'])
def test_db_drop(kind, tmp_path):
    server = servers.Server(kind)
    url = server.create()
    name = sa.make_url(url).database
    config = tmp_path / 'heat.conf'
    config.write_text(f'[database]\nconnection = {url}\n')
    assert run('heat-manage', '--config-file', config,
               'db_sync').returncode == 0
    kept = run('heat-db-drop', '--config-file', config, text='no\n')
    assert (kept.returncode, kept.stderr) == (
        1, 'The database stays as it is.\n')
    dropped = run('heat-db-drop', '--config-file', config, text=f'{name}\n')
    assert dropped.returncode == 0
    assert dropped.stdout.endswith(f'database {name}: dropped\n')
    again = run('heat-db-drop', '--config-file', config, '--yes')
    assert (again.returncode, again.stdout) == (
        0, f'database {name}: is not there\n')
