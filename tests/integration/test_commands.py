"""The operator's commands, as processes on a database of their own."""
import os
import pathlib
import subprocess
import sys

import pytest

from heat.db import migration

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER_HEAD = '97b2a986f922'


def run(command, *args, text=None):
    """Return the finished process of a command of ours."""
    return subprocess.run(
        [sys.executable, ROOT / 'bin' / command, *map(str, args)],
        input=text, capture_output=True, text=True, timeout=60,
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
    ('update_params', 'encrypt'),
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


def test_unknown_flavor_stops_the_api_with_a_message(tmp_path):
    conf = tmp_path / 'heat.conf'
    conf.write_text('[paste_deploy]\nflavor = vanilla\n')
    done = run('heat-all', '--config-file', conf, '--state-path', tmp_path,
               '--bind-port', '0')
    assert done.returncode == 1
    assert 'heat-api-vanilla' in done.stderr
