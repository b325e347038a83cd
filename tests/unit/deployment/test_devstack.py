"""The DevStack plugin does in each phase what DevStack expects."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from heat.cmd import keystone_setup
from heat.common import config
from tests.unit.deployment import scripts

ROOT = pathlib.Path(__file__).resolve().parents[3]
DEVSTACK = ROOT / 'devstack'
SCRIPTS = [DEVSTACK / 'settings', DEVSTACK / 'plugin.sh',
           DEVSTACK / 'lib/heat']
SERVICES = {'h-eng', 'h-api', 'h-api-cfn'}
WITH_CLOUDWATCH = 'h-eng h-api h-api-cfn h-api-cw'

#: What DevStack and the system provide, writing down how they are called.
PROVIDED = r"""
set -eu
note() { printf '%s\n' "$*" >> "$NOTES"; }
for name in define_plugin enable_service setup_develop pip_install iniset \
    iniset_rpc_backend recreate_database run_process stop_process \
    echo_summary wait_for_service sudo install cp die; do
    eval "$name() { note $name \"\$@\"; }"
done
is_service_enabled() { [[ " $ENABLED " == *" $1 "* ]]; }
get_python_exec_prefix() { echo "$PREFIX"; }
database_connection_url() { echo "mysql+pymysql://root@localhost/$1"; }
ipv6_unquote() { echo "$1" | tr -d '[]'; }
openssl() { echo 0123456789abcdef0123456789abcdef; }
DEST=/opt/stack HEAT_DIR=$ROOT STACK_USER=stack SERVICE_PASSWORD=secret
SERVICE_HOST=${HOST_OF_SERVICE:-192.0.2.1} SERVICE_PROTOCOL=http
SERVICE_PROJECT_NAME=service REGION_NAME=RegionOne SERVICE_TIMEOUT=60
ENABLE_DEBUG_LOG_LEVEL=True KEYSTONE_SERVICE_URI=http://192.0.2.1/identity
source "$ROOT/devstack/settings"
source "$ROOT/devstack/plugin.sh" "$@"
"""


@pytest.fixture
def phase(tmp_path):
    """Return a function that runs a phase, and returns what was called."""
    for name in scripts.commands():
        program = tmp_path / name
        program.write_text('#!/bin/sh\necho "$(basename "$0") $*" >> $NOTES\n')
        program.chmod(0o755)

    def run(*arguments, enabled='h-eng h-api h-api-cfn', **given):
        notes = tmp_path / 'notes'
        notes.write_text('')
        done = subprocess.run(
            ['bash', '-c', PROVIDED, 'plugin', *arguments],
            capture_output=True, text=True, check=False, env={
                'PATH': os.environ['PATH'], 'ROOT': str(ROOT),
                'PREFIX': str(tmp_path), 'NOTES': str(notes),
                'ENABLED': enabled, **given})
        assert done.returncode == 0, done.stderr
        called = notes.read_text().splitlines()
        assert called[:2] == ['define_plugin heat', 'enable_service h-eng '
                              'h-api h-api-cfn']
        return called[2:]

    return run


def of(called, name):
    return [line.removeprefix(name + ' ') for line in called
            if line.startswith(name + ' ')]


@pytest.mark.parametrize('path', SCRIPTS, ids=lambda path: path.name)
def test_the_shell_reads_it(path):
    done = subprocess.run(['bash', '-n', path], capture_output=True,
                          text=True, check=False)
    assert (done.returncode, done.stderr) == (0, '')


@pytest.mark.skipif(not shutil.which('shellcheck'), reason='no shellcheck')
def test_shellcheck_finds_nothing():
    # Variables and files of DevStack, which are not there.
    done = subprocess.run(
        ['shellcheck', '-s', 'bash', '-e', 'SC1090,SC1091,SC2034,SC2154',
         *SCRIPTS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_install(phase):
    called = phase('stack', 'install')
    assert of(called, 'setup_develop') == [str(ROOT)]
    assert of(called, 'run_process') == []


def settings(called):
    """Return {(section, option): value} of what was set in heat.conf."""
    found = {}
    for line in of(called, 'iniset'):
        path, section, option, value = line.split(' ', 3)
        assert path == '/etc/heat/heat.conf'
        found[section, option] = value
    return found


def test_options_exist(phase):
    facts = json.loads((ROOT / 'tests/facts/config_options.json').read_text())
    known = {(group, name) for group, options in facts['groups'].items()
             for name in options}
    known |= {(group or 'DEFAULT', option.name.replace('-', '_'))
              for group, options in config.all_opts() for option in options}
    known |= {(section, name) for section in (
        'keystone_authtoken', 'trustee', 'ec2authtoken') for name in (
        'auth_type', 'auth_url', 'username', 'password', 'user_domain_name')}
    known |= {(section, name) for section in (
        'keystone_authtoken', 'ec2authtoken') for name in (
        'project_name', 'project_domain_name')}
    given = settings(phase('stack', 'post-config', enabled=WITH_CLOUDWATCH,
                           HEAT_PLUGIN_DIRS='/a,/b'))
    assert set(given) - known == set()
    assert given['DEFAULT', 'plugin_dirs'] == '/a,/b'


def test_configuration(phase):
    called = phase('stack', 'post-config')
    given = settings(called)
    assert len(given['DEFAULT', 'auth_encryption_key']) == 32
    assert given['database', 'connection'].endswith('/heat')
    assert given['DEFAULT', 'heat_waitcondition_server_url'] == (
        'http://192.0.2.1:8000/v1/waitcondition')
    assert ('trustee', 'project_name') not in given
    assert ('DEFAULT', 'plugin_dirs') not in given
    for source in of(called, 'cp')[0].split()[1:-1]:
        assert pathlib.Path(source).exists()
    names = [line.split()[0] for line in called]
    # The tables come after the database, and the accounts before the start.
    assert (names.index('recreate_database') < names.index('heat-manage'))
    assert of(called, 'heat-manage') == [
        '--config-file /etc/heat/heat.conf db_sync']
    accounts = of(called, 'heat-keystone-setup')[0]
    assert '--api-url http://192.0.2.1:8004/v1/%(tenant_id)s' in accounts
    assert 'heat-keystone-setup-domain' in names
    assert 'cloudwatch' not in accounts
    assert not [section for section, _name in given if 'cloudwatch' in section]
    assert 'secret' not in ' '.join(of(called, 'heat-keystone-setup'))


def test_addresses_of_ipv6_are_in_brackets(phase):
    given = settings(phase('stack', 'post-config',
                           HOST_OF_SERVICE='[2001:db8::1]'))
    assert given['DEFAULT', 'heat_metadata_server_url'] == (
        'http://[2001:db8::1]:8000')


def test_start(phase):
    called = phase('stack', 'extra')
    started = dict(line.split(' ', 1) for line in of(called, 'run_process'))
    assert set(started) == SERVICES
    for command in started.values():
        program, *arguments = command.split()
        assert pathlib.Path(program).name in scripts.commands()
        assert arguments == ['--config-file', '/etc/heat/heat.conf']
    assert of(called, 'wait_for_service') == [
        '60 http://192.0.2.1:8004/healthcheck']


def test_cloudwatch_is_configured_if_enabled(phase):
    called = phase('stack', 'post-config', enabled=WITH_CLOUDWATCH,
                   HEAT_API_CLOUDWATCH_PORT='9003')
    given = settings(called)
    assert given['cloudwatch', 'enabled'] == 'True'
    assert given['heat_api_cloudwatch', 'bind_port'] == '9003'
    accounts = of(called, 'heat-keystone-setup')[0]
    assert accounts.endswith('--cloudwatch-url http://192.0.2.1:9003/v1')
    keystone_setup.setup_parser().parse_args(accounts.split())


def test_cloudwatch_is_started_if_enabled(phase):
    started = dict(line.split(' ', 1) for line in of(
        phase('stack', 'extra', enabled=WITH_CLOUDWATCH), 'run_process'))
    assert set(started) == {*SERVICES, 'h-api-cw'}
    program, *arguments = started['h-api-cw'].split()
    assert pathlib.Path(program).name == 'heat-api-cloudwatch'
    assert 'heat-api-cloudwatch' in scripts.commands()
    assert arguments == ['--config-file', '/etc/heat/heat.conf']


@pytest.mark.parametrize('name', ['unstack', 'clean'])
def test_stop(name, phase):
    called = phase(name)
    # DevStack ignores what is not running.
    assert set(of(called, 'stop_process')) == {*SERVICES, 'h-api-cw'}
    assert of(called, 'sudo') == (
        ['rm -rf /etc/heat'] if name == 'clean' else [])


@pytest.mark.parametrize('name', ['pre-install', 'test-config'])
def test_other_phases_are_left_alone(name, phase):
    assert phase('stack', name) == []


def test_nothing_happens_where_heat_is_off(phase):
    for arguments in (('stack', 'install'), ('stack', 'extra'), ('clean',)):
        assert phase(*arguments, enabled='key n-api') == []


def test_the_settings_are_those_that_are_read():
    set_up = set(re.findall(r'(?m)^(HEAT_\w+)=',
                            (DEVSTACK / 'settings').read_text()))
    read = set(re.findall(r'\$\{?(HEAT_\w+)', ''.join(
        path.read_text() for path in SCRIPTS[1:])))
    assert read - {'HEAT_DEVSTACK_DIR'} == set_up
