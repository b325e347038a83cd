"""Start entry points in processes that need not import everything anew.

One helper process per backend imports the service once and forks for each
start. Run as a script this module is that process.
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

#: Modules that are missing in the processes, though other tests need them.
MISSING = ('memcache',)

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: Seconds in which an entry point gives up or ends: 10 where nothing else
#: runs, more on a machine that is busy.
LIMIT = 30
#: Seconds after which a machine is broken, not slow.
PATIENCE = 90


@dataclasses.dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended and what it has written."""

    code: int
    output: str
    seconds: float

    @property
    def errors(self):
        """The lines for the operator.

        The library for options writes some of them itself.
        """
        return [line for line in self.output.splitlines()
                if line.startswith(('ERROR: ', 'argument --'))]


class Started:
    """A process that the helper has forked."""

    def __init__(self, starter, pid, output):
        self._starter = starter
        self._output = output
        self._began = time.monotonic()
        self.pid = pid

    @property
    def output(self):
        """What it has written up to now."""
        return self._output.read_text(errors='replace')

    def wait_for(self, pattern, timeout=PATIENCE):
        """Return when the output matches; fail if the process ends first."""
        end = time.monotonic() + timeout
        while not re.search(pattern, self.output):
            ended = self._starter.poll(0.05)
            assert ended is None, f'{ended}: {self.output}'
            assert time.monotonic() < end, self.output
        return time.monotonic() - self._began

    def terminate(self):
        """Send SIGTERM; return how the process ended."""
        self._began = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)
        return self.wait()

    def wait(self, timeout=PATIENCE):
        """Return how it ended; the processes that it made end with it."""
        code = self._starter.poll(timeout)
        seconds = time.monotonic() - self._began
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        if code is None:
            self._starter.poll(PATIENCE)
            raise AssertionError(f'no end after {timeout} s: {self.output}')
        return Ended(code, self.output, seconds)


class Starter:
    """The helper process, as tests see it; it has one child at a time."""

    def __init__(self, directory, backend):
        self._output = pathlib.Path(directory) / 'output'
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'tests.starting'], cwd=ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**os.environ, 'HEAT_CONCURRENCY': backend})
        assert self._answer(PATIENCE) == {'ready': True}

    def start(self, entry, *argv, **environ):
        """Start an entry point; return the process."""
        self._output.write_text('')
        self._process.stdin.write(json.dumps({
            'entry': entry, 'argv': [str(each) for each in argv],
            'environ': {name: str(value) for name, value in environ.items()},
            'output': str(self._output)}).encode() + b'\n')
        self._process.stdin.flush()
        return Started(self, self._answer(PATIENCE)['pid'], self._output)

    def run(self, entry, *argv, **environ):
        """Start an entry point; return how it ended."""
        return self.start(entry, *argv, **environ).wait()

    def poll(self, timeout):
        """Return the exit code of the child, None if it still runs."""
        answer = self._answer(timeout)
        return None if answer is None else answer['code']

    def _answer(self, timeout):
        if not select.select([self._process.stdout], [], [], timeout)[0]:
            return None
        line = self._process.stdout.readline()
        assert line, 'the helper has died'
        return json.loads(line)

    def close(self):
        """End the helper."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(PATIENCE)


def _entries():
    """Import the service; return {entry point: function of argv}."""
    from heat.cmd import embedded
    from heat.cmd import launch_api
    from heat.cmd import launch_engine
    from heat.cmd import manage_commands
    from heat.cmd import upgrade_check
    from heat.wsgi import loading

    return {
        'heat-api': launch_api.run_api,
        'heat-api-cfn': launch_api.run_api_cfn,
        'heat-api-cloudwatch': launch_api.run_api_cloudwatch,
        'heat-engine': launch_engine.run_engine,
        'heat-all': embedded.main,
        'heat-manage': manage_commands.main,
        'heat-status': upgrade_check.main,
        'wsgi-api': lambda argv: loading.load('heat-api') and None,
        'wsgi-api-cfn': lambda argv: loading.load('heat-api-cfn') and None,
    }


def _become(request):
    """Turn this process into the one that was asked for."""
    os.setsid()
    output = os.open(request['output'], os.O_WRONLY | os.O_APPEND)
    empty = os.open(os.devnull, os.O_RDONLY)
    for number, target in ((0, empty), (1, output), (2, output)):
        os.dup2(target, number)
    sys.argv = [request['entry'], *request['argv']]
    os.environ.update(request['environ'])
    sys.modules.update(dict.fromkeys(MISSING))


def _reply(stream, **answer):
    os.write(stream, json.dumps(answer).encode() + b'\n')


def _serve():
    from heat.cmd import backend
    if backend.select() == backend.EVENTLET:
        from eventlet import hubs
    else:
        hubs = None
    entries = _entries()
    replies = os.dup(1)
    os.set_inheritable(replies, False)
    _reply(replies, ready=True)
    requests = os.fdopen(os.dup(0), 'rb', closefd=True)
    while line := requests.readline():
        request = json.loads(line)
        pid = os.fork()
        if not pid:
            _become(request)
            if hubs:
                hubs.use_hub()
            sys.exit(entries[request['entry']](request['argv']))
        _reply(replies, pid=pid)
        _reply(replies, code=os.waitstatus_to_exitcode(
            os.waitpid(pid, 0)[1]))


if __name__ == '__main__':
    _serve()
