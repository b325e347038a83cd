"""The service as operators run it: processes, a database, a broker."""
import contextlib
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import time

import requests
import sqlalchemy as sa

from tests import ports
from tests.integration import broker as broker_module

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEY = '0123456789abcdef0123456789abcdef'
#: Seconds after which a process that is slow is a process that hangs.
STARTING = 600
STOPPING = 120
#: Seconds that anything else may take before a test fails.
PATIENCE = 240

_CONFIG = """\
[DEFAULT]
transport_url = {transport}
auth_encryption_key = {key}
use_stderr = true
log_options = false
num_engine_workers = 1
rpc_response_timeout = 20
max_resources_per_stack = -1
{options}
[oslo_messaging_rabbit]
rabbit_transient_queues_ttl = {queues_ttl}
# A quarter of it is what a server takes to see that it is to stop.
heartbeat_timeout_threshold = 8
[paste_deploy]
flavor = noauth
[database]
connection = {database}
{sections}"""


def _now():
    """Return the time as the API writes it."""
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime())


class Process:
    """One command of bin/ in a process group of its own.

    :param environment: more variables of the environment
    :param output: file descriptor to write to instead of the log
    """

    def __init__(self, directory, name, command, *arguments,
                 environment=None, output=None):
        self.name = name
        self.log = directory / f'{name}.log'
        with self.log.open('ab') as stream:
            to = stream if output is None else output
            self._process = subprocess.Popen(
                [sys.executable, ROOT / 'bin' / command,
                 *map(str, arguments)], stdout=to, stderr=to,
                start_new_session=True,
                env={**os.environ, 'PYTHONFAULTHANDLER': '1',
                     **(environment or {})})

    @property
    def pid(self):
        """Return the number of the process that was started."""
        return self._process.pid

    @property
    def is_running(self):
        return self._process.poll() is None

    def signal(self, number):
        """Send a signal to the process and its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def terminate(self):
        """Ask the process to end, as an operator would."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGTERM)

    def wait(self):
        """Wait for the end, and bring it about if it does not come."""
        try:
            self._process.wait(STOPPING)
        except subprocess.TimeoutExpired as error:
            # The fault handler writes to the log where it is.
            self.signal(signal.SIGABRT)
            time.sleep(1)
            raise AssertionError(f'{self.name} does not stop:\n'
                                 f'{self.tail()}') from error
        finally:
            self.signal(signal.SIGKILL)
            self._process.wait(STOPPING)

    def kill(self):
        """End the process group as kill -9 does."""
        self.signal(signal.SIGKILL)
        self._process.wait(STOPPING)

    def tail(self, lines=25):
        """Return the end of what the process has logged."""
        text = [line for line in
                self.log.read_text(errors='replace').splitlines()
                if '"GET ' not in line]
        return '\n'.join([f'--- {self.log}', *text[-lines:]])


class Api:
    """The REST API at one port, as one project sees it."""

    def __init__(self, port, project):
        self.url = f'http://127.0.0.1:{port}/v1/{project}'
        self._session = requests.Session()
        #: What is sent with each request.
        self.headers = self._session.headers

    def call(self, method, path, body=None, expect=None, timeout=120,
             **params):
        """Return the decoded answer; the status must be as expected."""
        answer = self._session.request(
            method, self.url + path, json=body, params=params,
            timeout=timeout, allow_redirects=method == 'GET')
        good = (answer.status_code == expect if expect
                else answer.status_code < 400)
        assert good, f'{method} {path}: {answer.status_code} {answer.text}'
        if 'json' in answer.headers.get('Content-Type', ''):
            return answer.json()
        return None

    def get(self, path, **params):
        return self.call('GET', path, **params)

    def create(self, name, template, **more):
        """Begin to create a stack; return its path."""
        body = {'stack_name': name, 'template': template, **more}
        made = self.call('POST', '/stacks', body, expect=201)
        return f'/stacks/{name}/{made["stack"]["id"]}'

    def show(self, path):
        return self.get(path)['stack']

    def resources(self, path, **params):
        return self.get(path + '/resources', **params)['resources']

    def events(self, path):
        """Return all events of a stack, page by page."""
        events = []
        while True:
            marker = {'marker': events[-1]['id']} if events else {}
            page = self.get(path + '/events', limit=400, sort_dir='asc',
                            sort_keys='event_time', **marker)['events']
            events += page
            if len(page) < 400:
                return events


class Cluster:
    """Two engines and two APIs over RabbitMQ and a database server.

    :param server: tests.fakes.servers.Server
    :param database: URL of a database that is there already
    :param broker: one that is there already; it has url and remove()
    :param queues_ttl: seconds after which an unused queue goes
    """

    def __init__(self, directory, server, database=None, project='demo',
                 hosts=('one', 'two'), broker=None,
                 queues_ttl=60, **options):
        self.directory = pathlib.Path(directory)
        self._server = server
        self._project = project
        self._own_database = database is None
        self._options = options
        self._queues_ttl = queues_ttl
        self.broker = broker or broker_module.VirtualHost()
        self.database = database or server.create()
        self._engine = sa.create_engine(self.database,
                                        poolclass=sa.NullPool)
        #: More variables of the environment of APIs that are started.
        self.environment_of_apis = {}
        #: More of the configuration file.
        self.extra_sections = ''
        self.engines = dict.fromkeys(hosts)
        # When each engine was started; what it has reported is younger.
        self._started = {}
        self.apis = []
        self._api_processes = []

    # -- processes ----------------------------------------------------------

    def configure(self, **options):
        """Write the configuration file, and return its path."""
        self._options.update(options)
        lines = '\n'.join(f'{name} = {value}'
                          for name, value in self._options.items())
        path = self.directory / 'heat.conf'
        path.write_text(_CONFIG.format(
            transport=self.broker.url, key=KEY, options=lines,
            database=self.database, queues_ttl=self._queues_ttl,
            sections=self.extra_sections))
        return path

    def start(self, apis=2):
        """Make the tables and start the APIs; engines start by use()."""
        conf = self.configure()
        made = subprocess.run(
            [sys.executable, ROOT / 'bin' / 'heat-manage', '--config-file',
             conf, 'db_sync'], capture_output=True, text=True, check=False,
            timeout=STARTING)
        assert made.returncode == 0, made.stderr
        for number in range(apis):
            port = ports.free_port()
            extra = self.directory / f'api-{number}.conf'
            extra.write_text('[heat_api]\nbind_host = 127.0.0.1\n'
                             f'bind_port = {port}\nworkers = 1\n')
            self._api_processes.append(self._api_process(number))
            self.apis.append(Api(port, self._project))

    def _api_process(self, number):
        return Process(
            self.directory, f'api-{number}', 'heat-api', '--config-file',
            self.directory / 'heat.conf', '--config-file',
            self.directory / f'api-{number}.conf',
            environment=self.environment_of_apis)

    def kill_api(self, number):
        """End an API as kill -9 does, and start it again."""
        self._api_processes[number].kill()
        self._api_processes[number] = self._api_process(number)

    def start_engine(self, host, environment=None, output=None, more=''):
        """Start the engine of a host.

        :param more: lines of the configuration file of this engine alone
        """
        extra = self.directory / f'{host}.conf'
        extra.write_text(f'[DEFAULT]\nhost = {host}\n{more}')
        self._started[host] = _now()
        self.engines[host] = Process(
            self.directory, f'engine-{host}', 'heat-engine',
            '--config-file', self.directory / 'heat.conf',
            '--config-file', extra, environment=environment, output=output)

    def wait_until_up(self):
        """Return when both APIs answer and all engines have reported."""
        for api in self.apis:
            # What is asked before an engine listens may never be answered,
            # and a machine that is busy may take long to answer anything.
            patience = itertools.chain((2, 2, 2, 4, 8), itertools.repeat(20))
            self.wait_for(
                lambda api=api, patience=patience: self._hosts_up(
                    api, next(patience)) >= set(self.engines),
                'the cluster to answer', timeout=STARTING)

    def _hosts_up(self, api, patience):
        """Return the hosts whose engines have reported.

        An engine that was killed counts for nobody: it is up on paper until
        its lease is over.
        """
        try:
            services = api.get('/services', timeout=patience)['services']
        except (requests.RequestException, AssertionError):
            return set()
        return {one['host'] for one in services if one['status'] == 'up' and
                one['created_at'].rstrip('Z') >= self._started.get(
                    one['host'], '')}

    def use(self, **options):
        """See to it that all engines run, and with these options."""
        changed = any(self._options.get(name) != value
                      for name, value in options.items())
        self.configure(**options)
        if changed:
            self._end(self.engines.values())
        for host, process in list(self.engines.items()):
            if process is None or not process.is_running:
                self.start_engine(host)
        self.wait_until_up()

    def processes(self):
        """Return all processes there are."""
        return [*self._api_processes, *filter(None, self.engines.values())]

    def engine_ids(self):
        """Return {host: engine id} of the engines that have reported."""
        return dict(self.sql('SELECT host, engine_id FROM service '
                             'WHERE deleted_at IS NULL '
                             'ORDER BY created_at'))

    @staticmethod
    def _end(processes):
        """Stop those of the processes that run, all at the same time."""
        running = [one for one in processes if one and one.is_running]
        for process in running:
            process.terminate()
        for process in running:
            process.wait()

    def stop(self):
        """End all processes; remove the database and the queues."""
        try:
            self._end([*self._api_processes, *self.engines.values()])
        finally:
            for process in [*self._api_processes, *self.engines.values()]:
                if process and process.is_running:
                    process.kill()
            self.broker.remove()
            self._engine.dispose()
            if self._own_database:
                self._server.drop(self.database)

    def logs(self):
        """Return the ends of all logs."""
        return '\n'.join(
            process.tail() for process in
            [*self._api_processes, *self.engines.values()] if process)

    def tracebacks(self):
        """Return the logs in which something unforeseen shows."""
        return [path for path in sorted(self.directory.glob('*.log'))
                if 'Traceback' in path.read_text(errors='replace')]

    # -- looking ------------------------------------------------------------

    @property
    def api(self):
        return self.apis[0]

    def sql(self, statement, **values):
        """Return the rows of a query."""
        with self._engine.begin() as connection:
            result = connection.execute(sa.text(statement), values)
            return [tuple(row) for row in result] if (
                result.returns_rows) else []

    def wait_for(self, condition, what, timeout=PATIENCE, poll=0.1):
        """Return what the condition gives once it is true."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            dead = [one for one in self._api_processes if not one.is_running]
            assert not dead, dead[0].tail()
            time.sleep(poll)
        raise AssertionError(f'no end of waiting for {what}\n{self.logs()}')

    def wait_status(self, path, status, timeout=PATIENCE,
                    meanwhile=None):
        """Wait for the end of an operation; return the stack."""
        turn = 0
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            turn += 1
            # Both APIs take part.
            stack = self.apis[turn % len(self.apis)].show(path)
            if meanwhile is not None:
                meanwhile()
            if not stack['stack_status'].endswith('IN_PROGRESS'):
                assert stack['stack_status'] == status, (
                    stack['stack_status_reason'] + '\n' + self.logs())
                return stack
            time.sleep(0.1)
        raise AssertionError(f'{path} is not {status} after {timeout} s; '
                             f'it is {stack["stack_status"]}\n'
                             f'{self.logs()}')

    def wait_gone(self, path, timeout=PATIENCE):
        """Wait until a stack is deleted."""
        name = path.split('/')[2]

        def is_gone():
            found = self.api.get('/stacks', name=name)['stacks']
            failed = [one for one in found
                      if one['stack_status'].endswith('FAILED')]
            assert not failed, (failed[0]['stack_status_reason'] + '\n' +
                                self.logs())
            return not found

        self.wait_for(is_gone, f'{name} to go', timeout)


@contextlib.contextmanager
def running(*args, apis=2, **options):
    """A Cluster whose APIs run, until the end of the context."""
    one = Cluster(*args, **options)
    try:
        one.start(apis=apis)
        yield one
    finally:
        one.stop()
