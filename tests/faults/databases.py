"""Database servers of our own whose faults can be brought about.

Each of them has a proxy, so that engines see one address whatever serves it.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import time
import uuid

import pymysql
import sqlalchemy as sa

from tests import ports
from tests.faults import proxy as proxy_module
from tests.integration import own_servers

USER, PASSWORD = 'heat', 'heat'
#: Bytes of the file system that can be filled.
_SMALL = 160 * 2**20
_GALERA = pathlib.Path('/usr/lib/galera/libgalera_smm.so')


def can_mount():
    """Return whether this process may mount file systems."""
    return os.getuid() == 0


class SmallDisk:
    """A file system in memory that can be filled up."""

    def __init__(self, path, size=_SMALL, owner=None):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self._filler = self.path / 'filler'
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={size}',
                        'faults', self.path], check=True)
        if owner:
            shutil.chown(self.path, owner, owner)
            self.path.chmod(0o700)

    @contextlib.contextmanager
    def full(self):
        """Leave no free byte during the context."""
        with self._filler.open('wb', buffering=0) as stream:
            for piece in (bytes(2**16), b'x'):
                with contextlib.suppress(OSError):
                    while True:
                        stream.write(piece)
        try:
            yield
        finally:
            self._filler.unlink()

    def remove(self):
        """Unmount it, even if something has files open there."""
        subprocess.run(['umount', '-l', self.path], check=False)


def disk_under(path, owner=None):
    """Put what a directory holds on a file system that can be filled up."""
    aside = path.with_name(path.name + '.aside')
    path.rename(aside)
    disk = SmallDisk(path, owner=owner)
    subprocess.run(['cp', '-a', '--sparse=never', f'{aside}/.', path],
                   check=True)
    shutil.rmtree(aside)
    return disk


class MariaDB(own_servers.MariaDB):
    """A MariaDB server, and a user without privileges.

    The log of changes is on a file system that can be filled up.
    """

    kind = 'mysql'

    def __init__(self, directory):
        super().__init__(directory)
        self.log_disk = None
        if can_mount():
            self.log_disk = SmallDisk(self.directory / 'binlog')
        self.proxy = proxy_module.Proxy(self.port)

    def _command(self):
        command, environment = super()._command()
        command += ['--innodb-flush-log-at-trx-commit=2',
                    '--max-connections=300']
        if self.log_disk:
            command += [f'--log-bin={self.log_disk.path / "log"}',
                        '--binlog-format=ROW', '--max-binlog-size=4M',
                        '--log-bin-trust-function-creators=1']
        return command, environment

    def start(self):
        """Start the server; its user has no special privileges."""
        super().start()
        self.sql(f"CREATE USER IF NOT EXISTS '{USER}'@'%' "
                 f"IDENTIFIED BY '{PASSWORD}'")

    restart = own_servers.MariaDB.start

    def sql(self, *statements):
        """Run statements as the administrator; return the last rows."""
        return run_sql(self._url.set(database='mysql'), statements)

    def create(self):
        """Make an empty database; return (URL for services, for tests)."""
        name = f'faults_{uuid.uuid4().hex[:12]}'
        self.sql(f'CREATE DATABASE {name}',
                 f"GRANT ALL ON {name}.* TO '{USER}'@'%'")
        return (f'mysql+pymysql://{USER}:{PASSWORD}@127.0.0.1:'
                f'{self.proxy.port}/{name}?charset=utf8mb4',
                self._url.set(database=name).render_as_string(
                    hide_password=False))

    def terminate_connections(self):
        """End the connections of the services."""
        with connected(self._url.set(database='mysql')) as connection:
            self._terminate(connection)

    @staticmethod
    def _terminate(connection):
        for number, in connection.execute(sa.text(
                'SELECT id FROM information_schema.processlist '
                f"WHERE user = '{USER}'")).all():
            with contextlib.suppress(sa.exc.DBAPIError):
                connection.execute(sa.text(f'KILL {number}'))

    @contextlib.contextmanager
    def read_only(self):
        """Refuse writes during the context, as a demoted primary does."""
        self.sql('SET GLOBAL read_only = 1')
        try:
            yield
        finally:
            self.sql('SET GLOBAL read_only = 0')

    @contextlib.contextmanager
    def full(self):
        """Have no room for rows in any table during the context.

        The server refuses them by triggers: one whose disk is really full
        may end, and that is another fault.
        """
        names = [(f'{schema}.`{name}`', f'{schema}.`full_{name}`')
                 for schema, name in self.sql(
                     'SELECT table_schema, table_name '
                     'FROM information_schema.tables '
                     "WHERE table_schema LIKE 'faults_%'")]
        try:
            self.sql(*(
                f'CREATE TRIGGER {trigger} BEFORE INSERT ON {table} '
                "FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = "
                "1114, MESSAGE_TEXT = 'The table is full'"
                for table, trigger in names))
            yield
        finally:
            self.sql(*(f'DROP TRIGGER IF EXISTS {trigger}'
                       for _table, trigger in names))

    def lock_waits(self, seconds):
        """Set after which time a statement gives up waiting for a lock."""
        self.sql(f'SET GLOBAL innodb_lock_wait_timeout = {seconds}')
        self.proxy.cut()

    @contextlib.contextmanager
    def few_connections(self):
        """Have more clients than connections during the context."""
        # With more connections than that, the administrator gets no other.
        with connected(self._url.set(database='mysql')) as connection:
            connection.execute(sa.text('SET GLOBAL max_connections = 10'))
            self._terminate(connection)
        try:
            with contextlib.ExitStack() as held:
                hold_connections(held, self.sa_url(), 12)
                yield
        finally:
            self.sql('SET GLOBAL max_connections = 300')

    def sa_url(self):
        """Return the URL by which a service connects, no database named."""
        return sa.make_url(f'mysql+pymysql://{USER}:{PASSWORD}@127.0.0.1:'
                           f'{self.port}/')

    def remove(self):
        """End the server and all that belongs to it."""
        self.proxy.close()
        self.kill()
        if self.log_disk:
            self.log_disk.remove()


def connected(url):
    """Return a connection of its own, in which each statement is committed."""
    return sa.create_engine(url, poolclass=sa.NullPool,
                            isolation_level='AUTOCOMMIT').connect()


def run_sql(url, statements):
    """Run each statement in one connection; return the rows of the last."""
    rows = []
    with connected(url) as connection:
        for statement in statements:
            result = connection.execute(sa.text(statement))
            rows = [tuple(row) for row in result] if (
                result.returns_rows) else []
    return rows


def hold_connections(held, url, most):
    """Open connections until no more are given, and keep them in a stack."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    for _number in range(most):
        with contextlib.suppress(sa.exc.DBAPIError):
            held.enter_context(engine.connect())


class PostgreSQL:
    """A PostgreSQL server, and a standby that can take over from it.

    The tables of the primary are on a file system that can be filled. A
    commit is answered once the standby has it, so that a switch loses none.
    """

    kind = 'postgresql'
    _owner = 'postgres' if os.getuid() == 0 else None

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        if self._owner:
            shutil.chown(self.directory, self._owner)
        self._programs = _postgresql_programs()
        self._ports = {name: ports.free_port() for name in 'ab'}
        self._primary = 'a'
        self._running = {}
        self.disk = None
        self._make_primary()
        self.proxy = proxy_module.Proxy(self.port)

    @property
    def port(self):
        """Return the port of the primary."""
        return self._ports[self._primary]

    @property
    def has_switched(self):
        """Return whether the standby serves."""
        return self._primary != 'a'

    def _run(self, program, *arguments, check=True):
        return subprocess.run(
            [self._programs / program, *map(str, arguments)], check=check,
            capture_output=True, user=self._owner, cwd=self.directory,
            timeout=own_servers.STARTING)

    def _data(self, name):
        return self.directory / name

    def _make_primary(self):
        data = self._data('a')
        self._run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres',
                  '--no-sync')
        if can_mount():
            self.disk = disk_under(data / 'base', owner=self._owner)
        with (data / 'postgresql.conf').open('a') as stream:
            stream.write('\n'.join([
                '', "listen_addresses = '127.0.0.1'",
                f"unix_socket_directories = '{self.directory}'",
                'max_connections = 300', 'shared_buffers = 32MB',
                'wal_level = replica', 'max_wal_senders = 4',
                'fsync = off', 'max_wal_size = 128MB',
                'wal_keep_size = 64MB', '']))

    def start(self):
        """Start the primary; make the standby and start it."""
        self._start('a')
        self.sql(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
        self._make_standby('b')

    def _start(self, name):
        log = (self.directory / f'{name}.log').open('ab')
        with log:
            self._running[name] = subprocess.Popen(
                [self._programs / 'postgres', '-D', self._data(name), '-p',
                 str(self._ports[name])], stdout=log, stderr=log,
                user=self._owner, cwd=self.directory,
                start_new_session=True)
        end = time.monotonic() + own_servers.STARTING
        while self._run('pg_isready', '-h', '127.0.0.1', '-p',
                        self._ports[name], check=False).returncode:
            assert time.monotonic() < end, self._log(name)
            assert self._running[name].poll() is None, self._log(name)
            time.sleep(0.1)

    def _log(self, name):
        return (self.directory / f'{name}.log').read_text(errors='replace')

    def _make_standby(self, name):
        """Copy the primary, and have the copy follow it."""
        # Nobody waits for a standby that is being made.
        self._alter('synchronous_standby_names', '')
        data = self._data(name)
        if data.exists():
            for path in data.iterdir():
                if not path.is_mount():
                    subprocess.run(['rm', '-rf', path], check=True)
                else:
                    subprocess.run(f'rm -rf {path}/*', shell=True,
                                   check=True)
        self._run('pg_basebackup', '-h', '127.0.0.1', '-p', self.port, '-U',
                  'postgres', '-D', data if not data.exists() or
                  not any(data.iterdir()) else self._aside(name), '-R',
                  '-X', 'stream', '-c', 'fast', '--no-sync')
        if self._aside(name).exists():
            subprocess.run(['cp', '-a', f'{self._aside(name)}/.', data],
                           check=True)
            shutil.rmtree(self._aside(name))
        self._start(name)
        self._alter('synchronous_standby_names', '*')

    def _aside(self, name):
        return self.directory / f'{name}.copy'

    def _alter(self, option, value):
        self.sql(f"ALTER SYSTEM SET {option} = '{value}'",
                 'SELECT pg_reload_conf()')

    def _url(self, database, user=USER):
        return sa.make_url(f'postgresql+psycopg2://{user}:{PASSWORD}'
                           f'@127.0.0.1:{self.port}/{database}')

    def sql(self, *statements, database='postgres'):
        """Run statements as the administrator; return the last rows."""
        return run_sql(self._url(database, 'postgres'), statements)

    def create(self):
        """Make an empty database; return (URL for services, for tests)."""
        name = f'faults_{uuid.uuid4().hex[:12]}'
        self.sql(f'CREATE DATABASE {name} OWNER {USER}')
        return tuple(
            self._url(name, user).set(port=self.proxy.port).render_as_string(
                hide_password=False) for user in (USER, 'postgres'))

    def terminate_connections(self):
        """End the connections of the services."""
        self.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity '
                 f"WHERE usename = '{USER}'")

    @contextlib.contextmanager
    def _option(self, name, value):
        self._alter(name, value)
        try:
            yield
        finally:
            self.sql(f'ALTER SYSTEM RESET {name}',
                     'SELECT pg_reload_conf()')

    def full(self):
        """Have no room for rows in any table during the context."""
        return self.disk.full()

    def read_only(self):
        """Refuse writes during the context."""
        return self._option('default_transaction_read_only', 'on')

    def lock_waits(self, seconds):
        """Set after which time a statement gives up waiting for a lock."""
        self.sql(f"ALTER ROLE {USER} SET lock_timeout = '{seconds}s'")
        self.proxy.cut()

    @contextlib.contextmanager
    def few_connections(self):
        """Have more clients than connections during the context."""
        self.sql(f'ALTER ROLE {USER} CONNECTION LIMIT 4')
        self.terminate_connections()
        try:
            with contextlib.ExitStack() as held:
                hold_connections(held, self._url('postgres'), 4)
                yield
        finally:
            self.sql(f'ALTER ROLE {USER} CONNECTION LIMIT -1')

    def kill(self):
        """End the primary as kill -9 of all its processes does."""
        self._kill(self._primary)

    def _kill(self, name):
        process = self._running.pop(name, None)
        if process is not None:
            for number in [process.pid, *_children(process.pid)]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            process.wait(60)

    def restart(self):
        """Start a primary that was killed."""
        self._start(self._primary)

    def switch(self):
        """Kill the primary and have the standby take its place."""
        old, new = self._primary, 'ba'['ba'.index(self._primary) - 1]
        self.kill()
        self._run('pg_ctl', 'promote', '-D', self._data(new), '-w')
        self._primary = new
        self._alter('synchronous_standby_names', '')
        self.proxy.point_to(self.port)
        return old

    def mend(self, name):
        """Have a server that was a primary follow the one there is."""
        self._make_standby(name)

    def remove(self):
        """End both servers and all that belongs to them."""
        self.proxy.close()
        for name in list(self._running):
            self._kill(name)
        if self.disk:
            self.disk.remove()


def _children(number):
    """Return the numbers of the processes that a process has started."""
    path = pathlib.Path(f'/proc/{number}/task/{number}/children')
    return [int(each) for each in path.read_text().split()]


def _postgresql_programs():
    """Return the directory with the programs of the newest version."""
    found = sorted(pathlib.Path('/usr/lib/postgresql').glob('*/bin/initdb'),
                   key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else pathlib.Path(
        shutil.which('postgres')).parent


class _GaleraNode(own_servers.MariaDB):
    """One node of a cluster."""

    def __init__(self, directory, members):
        super().__init__(directory)
        self.replication = ports.free_port()
        self._transfer = ports.free_port()
        self._incremental = ports.free_port()
        self._members = members
        if os.getuid() == 0:
            # What copies a node to another one gives up root.
            self._user = ['--user=mysql']
            subprocess.run(['chown', '-R', 'mysql', self.directory],
                           check=True)

    def _command(self):
        command, environment = super()._command()
        others = [f'127.0.0.1:{one.replication}' for one in self._members
                  if one is not self and one.is_running]
        return [*command, '--binlog-format=ROW', '--wsrep-on=ON',
                f'--wsrep-provider={_GALERA}',
                '--wsrep-cluster-name=faults', '--wsrep-sst-method=rsync',
                '--wsrep-slave-threads=2',
                '--wsrep-cluster-address=gcomm://' + ','.join(others),
                '--wsrep-node-address=127.0.0.1',
                f'--wsrep-sst-receive-address=127.0.0.1:{self._transfer}',
                '--innodb-autoinc-lock-mode=2',
                '--innodb-flush-log-at-trx-commit=0',
                '--wsrep-provider-options=gcs.fc_limit=64;gcache.size=32M;'
                f'gmcast.listen_addr=tcp://127.0.0.1:{self.replication};'
                'evs.suspect_timeout=PT3S;evs.inactive_timeout=PT8S;'
                f'ist.recv_addr=127.0.0.1:{self._incremental}'
                ], environment

    @property
    def is_running(self):
        """Return whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self):
        """Return the number of the process."""
        return self._process.pid

    def sql(self, *statements):
        """Run statements as the administrator; return the last rows."""
        return run_sql(self._url, statements)

    def isolate(self, is_isolated):
        """Cut the node off from the others, or let it join them again.

        A node that is alone refuses most statements, among them those by
        which SQLAlchemy gets to know a server.
        """
        with contextlib.closing(pymysql.connect(
                host=self._url.host, port=self._url.port,
                user=self._url.username, password=self._url.password or '',
                autocommit=None)) as connection:
            connection.cursor().execute(
                'SET GLOBAL wsrep_provider_options = '
                f"'gmcast.isolate={int(is_isolated)}'")

    def wait_until_synced(self):
        """Return when the node takes part."""
        end = time.monotonic() + own_servers.STARTING
        while time.monotonic() < end:
            with contextlib.suppress(sa.exc.DBAPIError):
                if self.sql("SHOW STATUS LIKE 'wsrep_local_state_comment'"
                            )[0][1] == 'Synced':
                    return
            time.sleep(0.3)
        raise AssertionError(self._log.read_text(errors='replace')[-3000:])

    def url_of(self, database, user):
        """Return the URL of a database at this node's own port."""
        return self._url.set(database=database, username=user,
                             password=PASSWORD if user == USER else None)


class Galera:
    """Three nodes; services connect by way of the proxy to one of them."""

    kind = 'galera'
    disk = None

    def __init__(self, directory):
        self.nodes = []
        for number in range(3):
            self.nodes.append(_GaleraNode(
                pathlib.Path(directory) / f'node-{number}', self.nodes))
        self.proxy = proxy_module.Proxy(self.nodes[0].port)

    @staticmethod
    def is_available():
        """Return whether what a cluster needs is installed."""
        return _GALERA.exists() and bool(shutil.which('rsync'))

    def start(self):
        """Start the nodes one after another."""
        for node in self.nodes:
            node.start()
            node.wait_until_synced()
        self.sql(f"CREATE USER IF NOT EXISTS '{USER}'@'%' "
                 f"IDENTIFIED BY '{PASSWORD}'")

    def sql(self, *statements):
        """Run statements at a node that lives; return the last rows."""
        return next(node for node in self.nodes
                    if node.is_running).sql(*statements)

    def create(self):
        """Make an empty database; return (URL for services, for tests)."""
        name = f'faults_{uuid.uuid4().hex[:12]}'
        self.sql(f'CREATE DATABASE {name}',
                 f"GRANT ALL ON {name}.* TO '{USER}'@'%'")
        return tuple(
            self.nodes[0].url_of(name, user).set(
                port=self.proxy.port).render_as_string(hide_password=False)
            for user in (USER, 'root'))

    def remove(self):
        """End all nodes."""
        self.proxy.close()
        for node in self.nodes:
            node.kill()
