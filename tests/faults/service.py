"""Engines and an API of one driver, which are started again when they end."""
import pathlib
import signal
import threading
import time

import requests
import sqlalchemy as sa

from tests.integration import cluster as cluster_module
from tests.integration import ledger as ledger_module

#: An engine that says nothing for twice the interval has lost its lease.
OPTIONS = {
    'periodic_interval': 6,
    'convergence_scan_interval': 2,
    'engine_life_check_timeout': 2,
    'convergence_max_inflight_per_stack': 8,
    'client_request_timeout': 10,
    'plugin_dirs': ledger_module.PLUGINS,
}
#: Seconds that a client waits for an answer, then for the next attempt.
ANSWER, AGAIN = 25, 0.5


class Corner:
    """The part of a broker that one service has; it goes with the broker."""

    def __init__(self, broker):
        self.name = broker.take_virtual_host()
        self.url = (f'rabbit://guest:guest@127.0.0.1:{broker.proxy.port}'
                    f'/{self.name}')

    def remove(self):
        """Do nothing."""


class Service(cluster_module.Cluster):
    """Two engines and an API; what ends by itself is started again.

    :ivar exits: names of processes that have ended by themselves
    """

    def __init__(self, directory, database, broker, driver, cloud=None,
                 **options):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True)
        self.driver = driver
        self.is_convergent = driver == 'convergence'
        urls = database.create()
        super().__init__(
            directory, None, database=urls[0],
            broker=Corner(broker),
            convergence_engine=str(self.is_convergent).lower(),
            project=cloud.project if cloud else 'demo',
            **{**OPTIONS, **options})
        self._headers = {}
        if cloud:
            self.extra_sections = cloud.sections
            self._headers = {'X-Auth-Token': cloud.keystone.token()}
        self._engine = sa.create_engine(urls[1], poolclass=sa.NullPool)
        self.exits = []
        #: Hosts and 'api' of processes that are to stay down.
        self.down = set()
        self._looking = threading.Lock()

    def start(self, apis=1):
        """Make the tables and start all processes."""
        super().start(apis=apis)
        self.api.headers.update(self._headers)
        for host in self.engines:
            self.start_engine(host)

    def restart_api(self):
        """Start an API at the port of the one that has ended."""
        self._api_processes[0] = cluster_module.Process(
            self.directory, 'api-0', 'heat-api', '--config-file',
            self.directory / 'heat.conf', '--config-file',
            self.directory / 'api-0.conf')

    @property
    def api_process(self):
        """Return the process of the API."""
        return self._api_processes[0]

    def look_after(self):
        """Start again what has ended, as an operator's supervisor does."""
        with self._looking:
            self._look_after()

    def _look_after(self):
        if 'api' not in self.down and not self.api_process.is_running:
            self.exits.append('api')
            self.restart_api()
        for host, process in list(self.engines.items()):
            if host not in self.down and not process.is_running:
                self.exits.append(host)
                self.start_engine(host)

    def pause(self, seconds):
        """Let time pass, and look after the processes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.look_after()
            time.sleep(min(left, 0.5))

    def end_engine(self, host):
        """End an engine as kill -9 does; it stays down until revived."""
        self.down.add(host)
        self.engines[host].kill()

    def revive(self, host, **how):
        """Start an engine that was ended."""
        self.start_engine(host, **how)
        self.down.discard(host)

    def renew(self, host, **how):
        """Let an engine end in good order, and start it in another way."""
        self.down.add(host)
        self.engines[host].terminate()
        self.engines[host].wait()
        self.revive(host, **how)

    def end(self):
        """End all processes by force."""
        for process in self.processes():
            process.signal(signal.SIGCONT)
            process.kill()
        self._engine.dispose()

    def administrator(self):
        """Return the engine of SQLAlchemy that has all privileges."""
        return self._engine

    # -- asking -------------------------------------------------------------

    def attempt(self, method, path, body=None, timeout=ANSWER, **params):
        """Send one request; return (status or None, decoded answer)."""
        try:
            answer = requests.request(
                method, self.api.url + path, json=body, params=params,
                headers=self._headers, timeout=timeout,
                allow_redirects=method == 'GET')
        except requests.RequestException:
            return None, None
        is_json = 'json' in answer.headers.get('Content-Type', '')
        return answer.status_code, answer.json() if is_json else None

    def insist(self, method, path, body=None, until=None, **params):
        """Send a request until the service is able to answer it.

        :param until: monotonic time when to give up
        :returns: (status, decoded answer)
        """
        until = until or time.monotonic() + cluster_module.PATIENCE
        while True:
            status, answer = self.attempt(method, path, body, **params)
            if status is not None and status < 500:
                return status, answer
            assert time.monotonic() < until, (
                f'{method} {path}: {status} {answer}')
            self.pause(AGAIN)

    def status(self, path, until=None):
        """Return (status, reason) of a stack, or None when it is gone."""
        code, answer = self.insist('GET', path, until=until)
        if code == 404:
            return None
        stack = answer['stack']
        if stack['stack_status'] == 'DELETE_COMPLETE':
            return None
        return stack['stack_status'], stack['stack_status_reason']

    # -- what must not be left ----------------------------------------------

    def residue(self):
        """Return what nobody who works would have left, as texts."""
        found = []
        for what, statement in (
                ('claim', 'SELECT stack_id, name FROM resource '
                          'WHERE engine_id IS NOT NULL'),
                ('lock', 'SELECT stack_id FROM stack_lock'),
                ('sync point', 'SELECT stack_id FROM sync_point'),
                ('stack', "SELECT id, name, action FROM stack WHERE "
                          "status = 'IN_PROGRESS' AND deleted_at IS NULL"),
                ('template',
                 'SELECT t.id FROM raw_template t WHERE NOT EXISTS '
                 '(SELECT 1 FROM stack s WHERE t.id IN '
                 '(s.raw_template_id, s.prev_raw_template_id)) AND NOT '
                 'EXISTS (SELECT 1 FROM resource r WHERE '
                 'r.current_template_id = t.id)'),
        ):
            found += [f'{what} ' + ' '.join(map(str, row))
                      for row in self.sql(statement)]
        return found

    def tidy(self, seconds=30):
        """Return what is still left after a time to clear up."""
        end = time.monotonic() + seconds
        while (left := self.residue()) and time.monotonic() < end:
            self.pause(1)
        return left
