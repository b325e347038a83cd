"""bin/heat-all as a process of its own."""
import json
import os
import signal
import subprocess
import sys

from tests import ports
from tests.functional import rest
from tests.functional import service

#: Seconds after which a process that is slow is a process that hangs.
STARTING = 180
STOPPING = 120

_CONFIG = """\
[DEFAULT]
convergence_engine = {convergence}
convergence_scan_interval = 1
"""


class HeatAll:
    """The embedded service with a state directory, started and stopped.

    :param rules: what an operator's policy file says, or None.
    :param options: of the group DEFAULT.
    """

    def __init__(self, directory, convergence=True, rules=None, **options):
        self.directory = directory
        self.port = ports.free_port()
        self.url = f'http://127.0.0.1:{self.port}'
        self.log = directory / 'log'
        self._config = directory / 'heat.conf'
        self._config.write_text(
            _CONFIG.format(convergence=convergence) + ''.join(
                f'{name} = {value}\n' for name, value in options.items()) +
            self._policy(rules))
        self._process = None

    def _policy(self, rules):
        """Write the policy file; return what leads to it."""
        if rules is None:
            return ''
        path = self.directory / 'policy.json'
        path.write_text(json.dumps(rules))
        return f'[oslo_policy]\npolicy_file = {path}\n'

    def start(self):
        """Start the process and wait until it answers."""
        with self.log.open('ab') as stream:
            self._process = subprocess.Popen(
                [sys.executable, service.ROOT / 'bin' / 'heat-all',
                 '--config-file', self._config,
                 '--state-path', self.directory / 'state',
                 '--bind-port', str(self.port)],
                stdout=stream, stderr=stream, env=dict(os.environ))
        rest.wait_for(self._answers, lambda: self.log.read_text()[-4000:],
                      STARTING)
        return self

    def _answers(self):
        assert self._process.poll() is None, self.log.read_text()[-4000:]
        try:
            return self.client().request('GET', '/').status == 300
        except OSError:
            return False

    def client(self, project='demo'):
        """Return a client of a project."""
        return rest.Client(None, project, self.url)

    def terminate(self):
        """Stop as an operator does; return the exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(STOPPING)

    def kill(self):
        """Stop as a power cut does."""
        self._process.kill()
        self._process.wait(STOPPING)

    def is_running(self):
        """Tell whether the process is there."""
        return self._process is not None and self._process.poll() is None
