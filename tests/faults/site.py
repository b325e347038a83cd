"""A database, a broker and a service of each driver that use them."""
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import random
import shutil
import tempfile

from tests.faults import cloud
from tests.faults import databases
from tests.faults import proxy as proxy_module
from tests.faults import service as service_module
from tests.integration import own_servers

DATABASES = {'mysql': databases.MariaDB,
             'postgresql': databases.PostgreSQL,
             'galera': databases.Galera,
             # Stacks of a cloud with an identity service.
             'cloud': databases.MariaDB}
DRIVERS = ('convergence', 'legacy')
#: Services that a broker has room for: each that is replaced needs more.
_SERVICES = 16


class Broker(own_servers.RabbitMQ):
    """A RabbitMQ server behind a proxy.

    :ivar side: another proxy, for those that are to be cut off alone
    """

    def __init__(self, directory):
        super().__init__(directory)
        self.proxy = proxy_module.Proxy(self.port)
        self.side = proxy_module.Proxy(self.port)
        self._hosts = [f'service-{number}' for number in range(_SERVICES)]
        definitions = self.directory / 'definitions.json'
        definitions.write_text(json.dumps(_definitions(self._hosts)))
        # The name of the configuration file without its ending is given.
        (self.directory / 'none.conf').write_text(
            f'load_definitions = {definitions}\n')

    def take_virtual_host(self):
        """Return the name of a virtual host that nobody has."""
        return self._hosts.pop()

    @property
    def pid(self):
        """Return the number of the process group."""
        return self._process.pid

    def remove(self):
        """End the server, and what belongs to it."""
        for proxy in (self.proxy, self.side):
            proxy.close()
        super().remove()


def _definitions(hosts):
    """Return what a new server has, to be read when it starts."""
    salt = os.urandom(4)
    return {
        'users': [{
            'name': 'guest', 'tags': 'administrator',
            'hashing_algorithm': 'rabbit_password_hashing_sha256',
            'password_hash': base64.b64encode(salt + hashlib.sha256(
                salt + b'guest').digest()).decode()}],
        'vhosts': [{'name': name} for name in ('/', *hosts)],
        'permissions': [{
            'user': 'guest', 'vhost': name, 'configure': '.*',
            'write': '.*', 'read': '.*'} for name in ('/', *hosts)]}


class Site:
    """What one database carries, and what disturbs it.

    :ivar dice: what all chance comes from; a seed repeats it
    """

    def __init__(self, kind, drivers=DRIVERS, seed=0, options=None):
        self.kind = kind
        self.dice = random.Random(seed)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix='faults-'))
        # Database servers have users of their own.
        self.directory.chmod(0o755)
        self.broker = self.database = self.cloud = None
        self.services = []
        self._drivers = drivers
        self._options = options or {}
        self._made = 0

    def start(self):
        """Start everything."""
        self.database = DATABASES[self.kind](self.directory / 'database')
        self.database.start()
        if self.kind == 'cloud':
            self.cloud = cloud.Cloud()
        self.broker = Broker(self.directory / 'broker')
        self.broker.start()
        for driver in self._drivers:
            self.services.append(self._new_service(driver))
        for service in self.services:
            service.wait_until_up()

    def _new_service(self, driver):
        self._made += 1
        service = service_module.Service(
            self.directory / f'{driver}-{self._made}', self.database,
            self.broker, driver, cloud=self.cloud, **self._options)
        service.start()
        return service

    def replace(self, service):
        """Begin anew with a service that is beyond help."""
        place = self.services.index(service)
        service.end()
        self.services[place] = self._new_service(service.driver)
        self.services[place].wait_until_up()
        return self.services[place]

    def pause(self, seconds):
        """Let time pass, and look after all processes."""
        share = 0.5
        while seconds > 0:
            self.services[0].pause(min(share, seconds))
            for service in self.services[1:]:
                service.look_after()
            seconds -= share

    def hosts(self, one=True):
        """Return (service, host) of one engine, or all, of each service."""
        return [(service, host) for service in self.services
                for host in sorted(service.engines)
                if not one or host == self._chosen(service)]

    def _chosen(self, service):
        hosts = sorted(service.engines)
        return hosts[self._made % len(hosts)]

    def _logs(self):
        # Also those of services that have been replaced.
        return sorted(self.directory.glob('*-*/*.log'))

    def internal_errors(self):
        """Return the lines of the logs that tell of internal errors."""
        return [line for path in self._logs()
                for line in path.read_text(errors='replace').splitlines()
                if ' ERROR heat.engine.lifecycle.store ' in line]

    def keep_logs(self, target):
        """Copy what the processes have logged."""
        for path in self._logs():
            to = pathlib.Path(target) / path.parent.name
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)

    def remove(self):
        """End everything, and leave nothing behind."""
        ends = [service.end for service in self.services] + [
            one.remove for one in (self.broker, self.database, self.cloud)
            if one is not None]
        for end in ends:
            # What has been started in part is ended as far as possible.
            with contextlib.suppress(Exception):
                end()
        if not os.environ.get('HEAT_TEST_KEEP'):
            shutil.rmtree(self.directory, ignore_errors=True)
