"""tools/quickstart checks a machine before it installs anything."""
import os
import pathlib
import socket
import subprocess
import sys

import pytest

from tests import ports

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAMPS = ('requirements.txt', 'tools/client-requirements.txt',
          'constraints.txt')

#: A service that is healthy, and does nothing else.
SERVER = """
import http.server
import sys


class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()


port = int(sys.argv[sys.argv.index('--bind-port') + 1])
http.server.HTTPServer(('127.0.0.1', port), Healthy).serve_forever()
"""


def run(state, *args, path=None, **env):
    return subprocess.run(
        [str(ROOT / 'tools/quickstart'), '--state', str(state), *args],
        env={**os.environ, 'PIP_INDEX_URL': 'http://127.0.0.1:9/simple',
             **({'PATH': f'{path}:{os.environ["PATH"]}'} if path else {}),
             **env},
        capture_output=True, text=True, timeout=120, check=False)


def command(folder, name, script):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text('#!/bin/sh\n' + script)
    path.chmod(0o755)
    return folder


@pytest.fixture
def port():
    return str(ports.free_port())


def test_a_port_in_use_is_named_before_anything_is_installed(tmp_path):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        number = taken.getsockname()[1]
        found = run(tmp_path / 'state', '--port', str(number))
    assert found.returncode == 1
    assert f'port {number} of 127.0.0.1 is not available' in found.stderr
    assert 'tools/quickstart --port' in found.stderr
    assert not (tmp_path / 'state/venv').exists()


@pytest.mark.parametrize('text', ['http', '0', '65536', '-1'])
def test_a_port_that_is_none_is_refused(tmp_path, text):
    found = run(tmp_path / 'state', '--port', text)
    assert found.returncode == 1
    assert f'--port {text} is not a' in found.stderr


def test_a_full_disk_is_named_with_what_is_needed(tmp_path, port):
    path = command(tmp_path / 'bin', 'df',
                   'echo Filesystem; echo "x 9 8 77 90% /"')
    found = run(tmp_path / 'state', '--port', port, path=path)
    assert found.returncode == 1
    assert '77 MB of free disk space, 600 MB are needed' in found.stderr
    assert not (tmp_path / 'state/venv').exists()


def test_an_old_python_is_refused(tmp_path, port):
    path = tmp_path / 'bin'
    for name in ('python3', 'python3.11', 'python3.12', 'python3.13'):
        command(path, name, 'exit 1')
    found = run(tmp_path / 'state', '--port', port, path=path)
    assert found.returncode == 1
    assert 'Python 3.11 or later is needed' in found.stderr


def test_a_network_without_index_is_named(tmp_path, port):
    found = run(tmp_path / 'state', '--port', port, '--check',
                PIP_CONFIG_FILE=os.devnull)
    assert found.returncode == 1
    assert 'pip cannot download packages' in found.stderr
    assert f'port       {port} is free' in found.stdout
    assert 'MB needed' in found.stdout


@pytest.fixture
def installed(tmp_path):
    """A state directory in which nothing is left to install."""
    state = tmp_path / 'state'
    binaries = state / 'venv/bin'
    binaries.mkdir(parents=True)
    command(binaries, 'heat-all', 'exit 1')
    script = (ROOT / 'tools/quickstart').read_text()
    source = script[script.index('source_stamp() {'):
                    script.index('is_installed() {')]
    for target, shell in (
            ('.stamp', f'. {ROOT}/tools/lib.sh; venv_stamp ' + ' '.join(
                str(ROOT / name) for name in STAMPS)),
            ('.source', f'here={ROOT}\n{source}\nsource_stamp')):
        stamp = subprocess.run(['bash', '-c', shell], capture_output=True,
                               text=True, check=True).stdout
        (state / 'venv' / target).write_text(stamp)
    return state


def test_nothing_is_downloaded_when_nothing_changed(installed, port):
    found = run(installed, '--port', port, '--check')
    assert found.returncode == 0, found.stderr
    assert 'up to date; nothing to install' in found.stdout
    (installed / 'venv/.source').write_text('another\n')
    assert 'up to date' not in run(
        installed, '--port', port, '--check').stdout


@pytest.fixture
def commands(installed):
    """The real heat-manage, beside a service and a client that do little."""
    binaries = installed / 'venv/bin'
    server = installed / 'heat-all.py'
    server.write_text(SERVER)
    command(binaries, 'heat-all', f'exec {sys.executable} {server} "$@"')
    command(binaries, 'python', f'exec {sys.executable} "$@"')
    command(binaries, 'heat-manage',
            f'exec {sys.executable} -m heat.cmd.manage "$@"')
    command(binaries, 'openstack', 'echo CREATE_COMPLETE')
    yield installed
    run(installed, '--stop')


def test_migrations_are_in_the_log_alone(commands, port):
    made = run(commands, '--port', port, PYTHONPATH=str(ROOT))
    assert made.returncode == 0, made.stderr
    database = commands / 'heat.sqlite'
    assert f'==> creating the database: {database}\n' in made.stdout
    assert (made.stdout + made.stderr).count('alembic') == 0
    assert 'Running upgrade' in (commands / 'heat-all.log').read_text()
    run(commands, '--stop')
    again = run(commands, '--port', port, PYTHONPATH=str(ROOT))
    assert f'==> bringing the database up to date: {database}\n' in (
        again.stdout)


def test_a_database_that_cannot_be_used_is_named(commands, port):
    (commands / 'heat.sqlite').write_text('anything but a database')
    found = run(commands, '--port', port, PYTHONPATH=str(ROOT))
    assert found.returncode == 1
    assert 'file is not a database' in found.stderr
    assert '==> starting' not in found.stdout
