"""The service as operators run it for a cloud: APIs and engines.

The pipeline is the default one: tokens are checked by Keystone.
"""
import contextlib
import itertools
import os
import pathlib
import subprocess
import sys
import time

import requests

from tests import ports
from tests.acceptance import cloud
from tests.acceptance import stacks
from tests.fakes import servers
from tests.integration import broker
from tests.integration import cluster

STARTING = 180
KEY = '0123456789abcdef0123456789abcdef'

_CONFIG = """\
[DEFAULT]
transport_url = {transport}
auth_encryption_key = {key}
use_stderr = true
log_options = false
num_engine_workers = 1
rpc_response_timeout = 60
max_stacks_per_tenant = 1000
# The cloud, and servers of the tests that templates are fetched from.
allowed_fetch_networks = 127.0.0.0/8
# By default nobody may.
enable_stack_abandon = true
enable_stack_adopt = true
# In a cloud for development one process of a service answers all.
client_request_timeout = 240
region_name_for_services = {region}
heat_metadata_server_url = http://127.0.0.1:{cfn_port}
heat_waitcondition_server_url = http://127.0.0.1:{cfn_port}/v1/waitcondition
stack_user_domain_name = {stack_domain}
stack_domain_admin = {stack_domain_admin}
stack_domain_admin_password = {password}
{options}
[oslo_messaging_rabbit]
rabbit_transient_queues_ttl = 60
# A quarter of it is what a server takes to see that it is to stop.
heartbeat_timeout_threshold = 8
[database]
connection = {database}
[heat_api]
bind_host = 127.0.0.1
bind_port = {port}
workers = 1
[heat_api_cfn]
bind_host = 127.0.0.1
bind_port = {cfn_port}
workers = 1
[keystone_authtoken]
www_authenticate_uri = {auth_url}
{account}
project_name = service
project_domain_name = Default
[trustee]
{account}
[ec2authtoken]
auth_uri = {auth_url}
{account}
project_name = service
project_domain_name = Default
[clients_keystone]
auth_uri = {auth_url}
[clients_heat]
url = http://127.0.0.1:{port}/v1/%(tenant_id)s
{sections}
"""

_ACCOUNT = """\
auth_type = password
auth_url = {auth_url}
username = {user}
password = {password}
user_domain_name = Default"""


@contextlib.contextmanager
def running(directory, tenant, **arguments):
    """Yield a deployment that serves, and remove it.

    :param tenant: whose administrator asks whether it does.
    """
    service = Deployment(directory, **arguments)
    try:
        service.start()
        service.wait_until_up(tenant.session('admin'), tenant.project_id)
        yield service
    finally:
        service.stop()


class Deployment:
    """A REST API, a CloudFormation API and engines for a cloud.

    The account of the service, and the domain of stack users, are those
    that tools/acceptance names in its help.

    :param sections: {group: {option: value}} of more configuration; the
                     group DEFAULT may be among them.
    """

    def __init__(self, directory, engines=2, sections=None):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port = ports.free_port()
        self.cfn_port = ports.free_port()
        self._engines = [f'engine-{number}' for number in range(engines)]
        self._server = servers.Server('mysql')
        self._broker = broker.VirtualHost(prefix='heat_acceptance')
        self.database = self._server.create(prefix='heat_acceptance')
        self._configuration = self._write(dict(sections or {}))
        self._trouble = ''
        self.processes = {}

    def _write(self, sections):
        lines = {group: '\n'.join(f'{name} = {value}' for name, value
                                  in options.items())
                 for group, options in sections.items()}
        env = os.environ.get
        password = env('HEAT_SERVICE_PASSWORD') or 'secret'
        path = self.directory / 'heat.conf'
        path.write_text(_CONFIG.format(
            transport=self._broker.url, key=KEY, database=self.database,
            region=cloud.region(), port=self.port, cfn_port=self.cfn_port,
            auth_url=cloud.auth_url(), password=password,
            stack_domain=env('HEAT_STACK_DOMAIN') or 'heat',
            stack_domain_admin=(env('HEAT_STACK_DOMAIN_ADMIN') or
                                'heat_domain_admin'),
            account=_ACCOUNT.format(auth_url=cloud.auth_url(),
                                    user=env('HEAT_SERVICE_USER') or 'heat',
                                    password=password),
            options=lines.pop('DEFAULT', ''),
            sections='\n'.join(f'[{group}]\n{text}'
                               for group, text in lines.items())))
        return path

    # -- processes ----------------------------------------------------------

    def start(self):
        """Make the tables and start all processes; wait until they serve.
        """
        made = subprocess.run(
            [sys.executable, cluster.ROOT / 'bin' / 'heat-manage',
             '--config-file', self._configuration, 'db_sync'],
            capture_output=True, text=True, check=False, timeout=STARTING)
        assert made.returncode == 0, made.stderr
        for name in self._engines:
            self.start_process(name, 'heat-engine',
                               {'DEFAULT': {'host': name}})
        self.start_process('api', 'heat-api')
        self.start_process('api-cfn', 'heat-api-cfn')

    def start_process(self, name, command, sections=None):
        """Start one process, with its own configuration on top."""
        own = self.directory / f'{name}.conf'
        own.write_text('\n'.join(
            f'[{group}]\n' + '\n'.join(f'{option} = {value}' for
                                       option, value in options.items())
            for group, options in (sections or {}).items()))
        self.processes[name] = cluster.Process(
            self.directory, name, command, '--config-file',
            self._configuration, '--config-file', own)

    def wait_until_up(self, session, project_id):
        """Return when both APIs answer and all engines have reported.

        :param session: of an administrator.
        """
        api = self.stacks(session, project_id)
        # What is asked before an engine listens may never be answered, and
        # a machine that is busy may take long to answer anything.
        patience = itertools.chain((2, 2, 2, 4, 8), itertools.repeat(20))
        self._wait_for(lambda: self._engines_up(api, next(patience)),
                       'the engines')
        self._wait_for(self._cfn_answers, 'the CloudFormation API')

    def _engines_up(self, api, patience):
        try:
            answer = api.ask('GET', '/services', timeout=patience,
                             connect_retries=0)
        except Exception as error:  # noqa: BLE001 - the reason is shown
            self._trouble = str(error)
            return False
        self._trouble = answer.text
        return answer.status_code == 200 and (
            {one['host'] for one in answer.json()['services']
             if one['status'] == 'up'} >= set(self._engines))

    def _cfn_answers(self):
        try:
            return requests.get(self.cfn_url, timeout=20).status_code < 500
        except requests.RequestException as error:
            self._trouble = str(error)
            return False

    def _wait_for(self, condition, what):
        end = time.monotonic() + STARTING
        while not condition():
            dead = [one for one in self.processes.values()
                    if not one.is_running]
            assert not dead, dead[0].tail()
            assert time.monotonic() < end, (
                f'no end of waiting for {what}: {self._trouble}\n'
                f'{self.logs()}')
            time.sleep(0.2)

    def stop(self):
        """End all processes; remove the database and the queues."""
        try:
            for process in self.processes.values():
                process.terminate()
            for process in self.processes.values():
                process.wait()
        finally:
            for process in self.processes.values():
                if process.is_running:
                    process.kill()
            self._broker.remove()
            self._server.drop(self.database)

    # -- looking ------------------------------------------------------------

    def logs(self):
        """Return the ends of all logs."""
        return '\n'.join(one.tail() for one in self.processes.values())

    def log_text(self):
        """Return all that was logged."""
        return '\n'.join(one.log.read_text(errors='replace')
                         for one in self.processes.values())

    @property
    def url(self):
        """Return the URL of the REST API, without a project."""
        return f'http://127.0.0.1:{self.port}/v1'

    @property
    def cfn_url(self):
        """Return the URL of the CloudFormation API."""
        return f'http://127.0.0.1:{self.cfn_port}/v1'

    def stacks(self, session, project_id):
        """Return the stacks of a project, as a user sees them."""
        return stacks.Stacks(session, f'{self.url}/{project_id}',
                             self.logs)
