"""The API commands with several processes on one port."""
import concurrent.futures
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
import requests

from tests import ports
from tests.integration import cluster

_CONFIG = """\
[DEFAULT]
transport_url = fake://
use_stderr = true
[paste_deploy]
flavor = noauth
[{group}]
bind_host = 127.0.0.1
bind_port = {port}
{options}
"""
#: Seconds for a busy machine.
PATIENCE = 120


class Command:
    """A command of an API, its configuration and its processes."""

    def __init__(self, directory, name, port, options=''):
        self.conf = directory / f'{name}.conf'
        self.conf.write_text(_CONFIG.format(
            group=name.replace('-', '_'), port=port, options=options))
        self.url = f'http://127.0.0.1:{port}/'
        self.process = cluster.Process(directory, name, name,
                                       '--config-file', self.conf)

    def workers(self):
        """Return the numbers of the processes that serve."""
        tasks = pathlib.Path(f'/proc/{self.process.pid}/task')
        return {int(each) for found in tasks.glob('*/children')
                for each in found.read_text().split()}

    def text(self):
        return self.process.log.read_text()

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.is_running, self.text()
            assert time.monotonic() < end, self.text()
            time.sleep(0.1)

    def answers(self):
        with contextlib.suppress(requests.ConnectionError):
            return requests.get(self.url, timeout=PATIENCE).status_code == 300
        return False


@pytest.fixture(params=['eventlet', 'threading'])
def kind(request, monkeypatch):
    monkeypatch.setenv('HEAT_CONCURRENCY', request.param)


@pytest.fixture
def run(kind, tmp_path):
    commands = []

    def start(name, options=''):
        command = Command(tmp_path, name, ports.free_port(), options)
        commands.append(command)
        return command

    yield start
    for command in commands:
        if command.process.is_running:
            command.process.kill()


@pytest.mark.parametrize(('name', 'options', 'number'), [
    ('heat-api', '', os.cpu_count()),
    ('heat-api-cfn', 'workers = 0', os.cpu_count()),
    ('heat-api-cfn', 'workers = 3', 3)], ids=['default', 'zero', 'three'])
def test_all_workers_serve_one_port(run, name, options, number):
    command = run(name, options)
    command.wait_for(
        lambda: command.text().count('listens on 127.0.0.1') == number)
    workers = command.workers()
    assert len(workers) == number
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        assert all(threads.map(lambda _index: command.answers(), range(40)))
    assert command.workers() == workers
    command.process.terminate()
    command.process.wait()
    assert 'in use' not in command.text()
    assert 'Traceback' not in command.text()


def test_worker_that_dies_is_replaced(run):
    command = run('heat-api', 'workers = 2')
    command.wait_for(lambda: command.text().count('listens on') == 2)
    first = min(command.workers())
    os.kill(first, signal.SIGKILL)
    command.wait_for(lambda: command.text().count('listens on') == 3)
    assert len(command.workers() - {first}) == 2
    assert command.answers()


def test_port_in_use_ends_the_command(run, tmp_path):
    command = run('heat-api')
    command.wait_for(command.answers)
    again = subprocess.run(
        [sys.executable, cluster.ROOT / 'bin' / 'heat-api', '--config-file',
         command.conf], capture_output=True, text=True, check=False,
        timeout=PATIENCE)
    assert again.returncode == 1
    message = again.stderr.splitlines()[-1]
    assert message.startswith('ERROR: [heat_api] bind_host = 127.0.0.1')
    assert message.endswith('Address already in use')
    assert command.answers()
