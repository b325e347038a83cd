"""The service runs with the files that an operator of Heat has.

They are written as its installation guide says: Keystone, memcached, a
cache, the default number of workers, and the paste configuration of a
release.
"""
import shutil
import subprocess
import sys
import uuid

import pytest
import requests

from tests import ports
from tests.fakes import servers
from tests.functional import rest
from tests.integration import broker as broker_module
from tests.integration import cluster
from tests.integration import memory_cache
from tests.security import identity_service

_CONFIG = """\
[DEFAULT]
transport_url = {broker}
auth_encryption_key = {key}
heat_metadata_server_url = http://127.0.0.1:{cfn_port}
heat_waitcondition_server_url = http://127.0.0.1:{cfn_port}/v1/waitcondition
heat_stack_user_role = heat_stack_user
stack_user_domain_name = heat
stack_domain_admin = heat_domain_admin
stack_domain_admin_password = {admin}
use_stderr = true

[database]
connection = {database}

[heat_api]
bind_port = {port}

[heat_api_cfn]
bind_port = {cfn_port}

[keystone_authtoken]
www_authenticate_uri = {keystone}
auth_url = {keystone}
memcached_servers = {memcached}
auth_type = password
project_domain_name = Default
user_domain_name = Default
project_name = service
username = heat
password = {password}

[trustee]
auth_type = password
auth_url = {keystone}
username = heat
password = {password}
user_domain_name = Default

[clients_keystone]
auth_uri = {keystone}

[ec2authtoken]
auth_uri = {keystone}

[cache]
enabled = true
backend = oslo_cache.memcache_pool
memcache_servers = {memcached}

[oslo_messaging_notifications]
driver = noop

[oslo_middleware]
enable_proxy_headers_parsing = true
"""

TEMPLATE = {'heat_template_version': '2021-04-16', 'resources': {
    'word': {'type': 'OS::Heat::RandomString', 'properties': {'length': 8}}}}


class Service:
    """heat-engine, heat-api and heat-api-cfn with one directory of files."""

    def __init__(self, directory, form):
        self.directory = directory
        self.port, self.cfn_port = ports.free_port(), ports.free_port()
        shutil.copy(cluster.ROOT / 'tests' / 'fakes' / 'data' / form,
                    directory / 'api-paste.ini')
        self._running = []

    def start(self, **values):
        """Write heat.conf, make the tables, start everything."""
        path = self.directory / 'heat.conf'
        path.write_text(_CONFIG.format(
            port=self.port, cfn_port=self.cfn_port, key=cluster.KEY,
            admin=identity_service.ADMIN_PASSWORD,
            password=identity_service.TRUSTEE_PASSWORD, **values))
        subprocess.run(
            [sys.executable, cluster.ROOT / 'bin' / 'heat-manage',
             '--config-file', path, 'db_sync'], check=True,
            timeout=cluster.STARTING, capture_output=True)
        for name in ('heat-engine', 'heat-api', 'heat-api-cfn'):
            self._running.append(cluster.Process(
                self.directory, name, name, '--config-file', path))

    def ask(self, method, path, body=None, token=identity_service.TOKEN):
        """Return the answer of the REST API."""
        return requests.request(
            method, f'http://127.0.0.1:{self.port}/v1/'
            f'{identity_service.PROJECT}{path}', json=body, timeout=60,
            headers={'X-Auth-Token': token} if token else {})

    def is_up(self):
        """Return whether both APIs answer, and an engine them."""
        dead = [one for one in self._running if not one.is_running]
        assert not dead, dead[0].tail()
        try:
            for port in (self.port, self.cfn_port):
                requests.get(f'http://127.0.0.1:{port}/', timeout=10)
            return self.ask('GET', '/stacks').status_code == 200
        except requests.RequestException:
            return False

    def shown(self, path):
        """Return a stack as the API shows it, None when it is gone."""
        answer = self.ask('GET', path)
        return answer.json()['stack'] if answer.ok else None

    def logs(self):
        return '\n'.join(one.log.read_text(errors='replace')
                         for one in self._running)

    def stop(self):
        for one in self._running:
            one.terminate()
        for one in self._running:
            one.wait()


@pytest.fixture
def memcached():
    with memory_cache.Memcached().served() as served:
        yield served


@pytest.fixture
def keystone():
    served = identity_service.Keystone()
    with served.served() as served.url:
        yield served


@pytest.fixture(params=['composite-paste.ini', 'earlier-paste.ini'])
def service(request, tmp_path, keystone, memcached):
    """Return the running service."""
    server = servers.Server('mysql')
    database, broker = server.create(), broker_module.VirtualHost()
    running = Service(tmp_path, request.param)
    try:
        running.start(broker=broker.url, database=database,
                      keystone=keystone.url, memcached=memcached.address)
        rest.wait_for(running.is_up, running.logs)
        yield running
    finally:
        try:
            running.stop()
        finally:
            broker.remove()
            server.drop(database)


def test_service_runs_with_the_files_of_an_operator(service, keystone,
                                                    memcached):
    assert service.ask('GET', '/stacks', token=None).status_code == 401
    assert service.ask('GET', '/stacks', token='junk').status_code == 401
    name = f's-{uuid.uuid4().hex[:8]}'
    made = service.ask('POST', '/stacks', {
        'stack_name': name, 'template': TEMPLATE})
    assert made.status_code == 201, made.text
    path = f'/stacks/{name}/{made.json()["stack"]["id"]}'
    rest.wait_for(
        lambda: service.shown(path)['stack_status'] == 'CREATE_COMPLETE',
        service.logs)
    listed = requests.get(
        f'http://127.0.0.1:{service.cfn_port}/v1/', timeout=60,
        params={'Action': 'ListStacks', 'ContentType': 'JSON'},
        headers={'X-Auth-Token': identity_service.TOKEN})
    assert name in listed.text
    # Each worker answers, and they share what is known of the token.
    for _ in range(12):
        assert service.ask('GET', '/stacks').status_code == 200
    assert any(key.startswith('tokens/') for key in memcached.kept)
    checks = [path for method, path, _body in keystone.asked
              if (method, path) == ('GET', '/v3/auth/tokens')]
    assert len(checks) <= 4
    assert service.ask('DELETE', path).status_code == 204
    rest.wait_for(lambda: service.shown(path) is None or
                       service.shown(path)['stack_status'] ==
                       'DELETE_COMPLETE', service.logs)
    logs = service.logs()
    assert 'Traceback' not in logs
    assert 'in use' not in logs
    assert identity_service.TOKEN not in logs
    assert identity_service.TRUSTEE_PASSWORD not in logs
