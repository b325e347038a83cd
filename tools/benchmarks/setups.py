"""Processes of the service to measure, and what they count."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from tests import ports
from tests.integration import broker

HERE = pathlib.Path(__file__).resolve().parent.parent.parent
#: The processes write down their counts every 0.25 s.
COUNTS_ARE_FRESH = 0.6


class Setup:
    """Processes of the service, and what they count."""

    def __init__(self, directory, options=()):
        self.directory = pathlib.Path(directory)
        self._options = dict(options)
        self.counters = self.directory / 'counters'
        self.counters.mkdir()
        self.port = ports.free_port()
        self.processes = []
        self.engines = []

    def config(self, extra):
        path = self.directory / 'heat.conf'
        path.write_text(
            '[DEFAULT]\nmax_resources_per_stack = -1\n'
            'max_stacks_per_tenant = -1\nmax_template_size = 100000000\n'
            'max_json_body_size = 100000000\nuse_stderr = true\n'
            'rpc_response_timeout = 600\n' + ''.join(
                f'{name} = {value}\n'
                for name, value in self._options.items()) +
            '[request_budget]\nnested_definitions = 1000000\n'
            'cpu_seconds = 60\n'
            f'[heat_api]\nbind_host = 127.0.0.1\nbind_port = {self.port}\n'
            'workers = 1\n' + extra)
        return path

    def spawn(self, command, *args):
        log = open(self.directory / f'{command}-{len(self.processes)}.log',
                   'wb')
        process = subprocess.Popen(
            [sys.executable, HERE / 'bin' / command, *map(str, args)],
            stdout=log, stderr=log, start_new_session=True,
            env={**os.environ, 'HEAT_COUNTERS': str(self.counters)})
        self.processes.append(process)
        if command != 'heat-api':
            self.engines.append(process)

    def ready(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                # What is asked before an engine listens gets lost.
                self.request('GET', '/services', timeout=3)
                return
            if any(p.poll() is not None for p in self.processes):
                break
            time.sleep(0.2)
        raise SystemExit(f'the service did not start; logs: {self.directory}')

    def stop(self):
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)

    def request(self, method, path, body=None, timeout=600):
        request = urllib.request.Request(
            f'http://127.0.0.1:{self.port}/v1/bench{path}', method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            text = answer.read()
            is_json = answer.headers.get_content_type().endswith('json')
        return json.loads(text) if text and is_json else None

    def family(self, processes):
        """Return the ids of processes, children included."""
        pids = [p.pid for p in processes]
        for pid in pids:
            children = pathlib.Path(f'/proc/{pid}/task/{pid}/children')
            pids += [int(c) for c in children.read_text().split()]
        return pids

    def engine_family(self):
        """Return the ids of all processes that may be engines."""
        return self.family(self.engines)

    def forget_peak(self):
        """Measure the peak memory from now on."""
        for pid in self.engine_family():
            pathlib.Path(f'/proc/{pid}/clear_refs').write_text('5')

    def peak(self):
        """Return the peak memory of the largest engine in MiB."""
        return self._largest('VmHWM')

    def memory(self):
        """Return the memory that the largest engine has now, in MiB."""
        return self._largest('VmRSS')

    def _largest(self, field):
        largest = 0
        for pid in self.engine_family():
            for line in pathlib.Path(f'/proc/{pid}/status').open():
                if line.startswith(field):
                    largest = max(largest, int(line.split()[1]) / 1024)
        return largest

    def counts(self):
        """Return the sums of what the processes count."""
        time.sleep(COUNTS_ARE_FRESH)
        total = {}
        for path in self.counters.glob('*.json'):
            for key, value in json.loads(path.read_text()).items():
                total[key] = total.get(key, 0) + value
        return total


class Embedded(Setup):
    name = 'embedded'

    @property
    def database_url(self):
        """Return where the rows are."""
        [path] = (self.directory / 'state').glob('*.sqlite')
        return f'sqlite:///{path}'

    def start(self):
        conf = self.config('')
        self.spawn('heat-all', '--config-file', conf, '--state-path',
                   self.directory / 'state')


class Distributed(Setup):
    """Engines and an API over RabbitMQ and MariaDB or PostgreSQL."""

    def __init__(self, directory, server, engines=2, message_broker=None,
                 options=()):
        super().__init__(directory, options)
        self._hosts = [f'engine-{number}' for number in range(engines)]
        self.name = server
        self.database = f'heat_bench_{os.getpid()}'
        self.broker = message_broker or broker.VirtualHost()

    def sql(self, statement):
        if self.name == 'mariadb':
            command = ['mariadb', '-h', '127.0.0.1', '-u', 'root', '-e']
        else:
            command = ['psql', '-q', '-h', '127.0.0.1', '-U', 'postgres',
                       '-c']
        subprocess.run([*command, statement], check=True)

    def ask(self, statement):
        """Return the number that a statement yields."""
        if self.name == 'mariadb':
            command = ['mariadb', '-N', '-h', '127.0.0.1', '-u', 'root',
                       self.database, '-e']
        else:
            command = ['psql', '-q', '-A', '-t', '-h', '127.0.0.1', '-U',
                       'postgres', '-d', self.database, '-c']
        return int(subprocess.run([*command, statement], check=True,
                                  capture_output=True).stdout)

    def create_database(self):
        """Make an empty database and return its URL."""
        self.sql(f'CREATE DATABASE {self.database}')
        url = {'mariadb': 'mysql+pymysql://root@127.0.0.1/',
               'postgresql': 'postgresql+psycopg2://postgres@127.0.0.1/'}
        return url[self.name] + self.database

    def drop_database(self):
        self.sql(f'DROP DATABASE IF EXISTS {self.database}')

    def start(self):
        self.database_url = self.create_database()
        conf = self.config(
            f'[paste_deploy]\nflavor = noauth\n'
            f'[database]\nconnection = {self.database_url}\n')
        text = conf.read_text().replace(
            '[DEFAULT]\n', '[DEFAULT]\n'
            f'transport_url = {self.broker.url}\n'
            'auth_encryption_key = 0123456789abcdef0123456789abcdef\n'
            'num_engine_workers = 1\n')
        conf.write_text(text)
        subprocess.run([sys.executable, HERE / 'bin' / 'heat-manage',
                        '--config-file', conf, 'db_sync'], check=True)
        for host in self._hosts:
            self.spawn('heat-engine', '--config-file', conf,
                       '--config-file', self.host_config(host))
        self.spawn('heat-api', '--config-file', conf)

    def host_config(self, host):
        path = self.directory / f'{host}.conf'
        path.write_text(f'[DEFAULT]\nhost = {host}\n')
        return path

    def stop(self):
        super().stop()
        self.drop_database()
        self.broker.remove()


@contextlib.contextmanager
def running(name, engines=2, *, keep=False, options=()):
    """Start a set-up for a with block, and return it.

    :param name: embedded, mariadb or postgresql
    :param engines: the number of engines, unless it is embedded
    :param keep: whether logs and configuration stay
    :param options: {name: value} of more options of [DEFAULT]
    """
    directory = tempfile.mkdtemp(prefix='heat-bench-')
    setup = (Embedded(directory, options) if name == 'embedded'
             else Distributed(directory, name, engines, options=options))
    try:
        setup.start()
        setup.ready()
        yield setup
    finally:
        setup.stop()
        if keep:
            print(f'logs: {directory}', file=sys.stderr)
        else:
            shutil.rmtree(directory, ignore_errors=True)
