"""A process whose threads wait for each other ends by itself."""
import os
import pathlib
import subprocess
import sys

import pytest

from heat.engine.process import watchdog

ROOT = pathlib.Path(__file__).parents[2]


def run(part, concurrency, **options):
    return subprocess.run(
        [sys.executable, '-m', 'tests.fakes.frozen', part], cwd=ROOT,
        env={**os.environ, 'HEAT_CONCURRENCY': concurrency},
        capture_output=True, text=True, timeout=120, check=False, **options)


@pytest.mark.parametrize('concurrency', ['threading', 'eventlet'])
@pytest.mark.parametrize(('part', 'name', 'where'), [
    ('pool', 'the task pool', 'never_set'),
    ('group_commit', 'group commit', 'never_set'),
    ('log', 'logging', 'lock_with_log'),
    ('rpc', 'the RPC server', 'never_set'),
])
def test_frozen_process_ends_and_says_where_it_stood(concurrency, part, name,
                                                     where):
    ended = run(part, concurrency)
    assert ended.returncode == watchdog.EXIT_CODE, ended.stderr
    assert f'ends: {name} has stood still' in ended.stderr
    assert where in ended.stderr


@pytest.mark.parametrize('concurrency', ['threading', 'eventlet'])
def test_process_at_work_lives(concurrency):
    ended = run('nothing', concurrency)
    assert ended.returncode == 0, ended.stderr


def test_log_that_nobody_reads_keeps_no_process_alive():
    reading, writing = os.pipe()
    try:
        os.set_blocking(writing, False)
        while True:
            try:
                os.write(writing, b'x' * 4096)
            except BlockingIOError:
                break
        os.set_blocking(writing, True)
        ended = subprocess.run(
            [sys.executable, '-m', 'tests.fakes.frozen', 'group_commit'],
            cwd=ROOT, stderr=writing, stdout=subprocess.DEVNULL, timeout=120,
            env={**os.environ, 'HEAT_CONCURRENCY': 'threading'},
            check=False)
    finally:
        os.close(reading)
        os.close(writing)
    assert ended.returncode == watchdog.EXIT_CODE
