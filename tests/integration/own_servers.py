"""Database server and broker of our own, to be stopped at will.

The servers that all tests share are left alone: these have ports and
directories of their own.
"""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import uuid

import sqlalchemy as sa

from tests import ports

STARTING = 600
_RABBIT = pathlib.Path('/usr/lib/rabbitmq/bin/rabbitmq-server')


class _Own:
    """A server process that can be killed and started again."""

    def __init__(self, directory, name):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port = ports.free_port()
        self._log = self.directory / f'{name}.log'
        self._process = None

    def _command(self):
        """Return command and environment."""
        raise NotImplementedError

    def start(self):
        """Start the server and return when it answers."""
        command, environment = self._command()
        with self._log.open('ab') as stream:
            self._process = subprocess.Popen(
                list(map(str, command)), stdout=stream, stderr=stream,
                start_new_session=True, env={**os.environ, **environment})
        end = time.monotonic() + STARTING
        while not self._answers():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < end, self._log.read_text()
            time.sleep(0.2)

    def _answers(self):
        with contextlib.suppress(OSError), socket.create_connection(
                ('127.0.0.1', self.port), timeout=2) as connection:
            return self._is_ready(connection)
        return False

    @staticmethod
    def _is_ready(_connection):
        return True

    @property
    def process(self):
        """Return the process that was started; None while there is none."""
        return self._process

    def kill(self):
        """End the server as kill -9 does."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(120)
            self._process = None


class MariaDB(_Own):
    """A MariaDB server; also what makes databases for a Cluster."""

    def __init__(self, directory):
        super().__init__(directory, 'mariadb')
        self._user = ['--user=root'] if os.getuid() == 0 else []
        subprocess.run(
            ['mariadb-install-db', '--no-defaults', *self._user,
             f'--datadir={self.directory / "data"}',
             '--auth-root-authentication-method=normal',
             '--skip-test-db'], check=True, capture_output=True,
            timeout=STARTING)
        self._url = sa.make_url(
            f'mysql+pymysql://root@127.0.0.1:{self.port}/?charset=utf8mb4')

    def _command(self):
        program = shutil.which('mariadbd') or '/usr/sbin/mariadbd'
        return [program, '--no-defaults', *self._user,
                f'--datadir={self.directory / "data"}',
                f'--socket={self.directory / "s"}',
                f'--pid-file={self.directory / "pid"}',
                f'--port={self.port}', '--bind-address=127.0.0.1',
                '--innodb-buffer-pool-size=64M',
                '--innodb-log-file-size=32M'], {}

    @staticmethod
    def _is_ready(connection):
        return bool(connection.recv(1))

    def create(self):
        """Make an empty database and return its URL."""
        name = f'heat_test_{uuid.uuid4().hex[:12]}'
        engine = sa.create_engine(self._url, poolclass=sa.NullPool)
        with engine.connect() as connection:
            connection.execute(sa.text(f'CREATE DATABASE {name}'))
        return self._url.set(database=name).render_as_string(
            hide_password=False)

    def drop(self, url):
        """Do nothing: the database goes with the server."""


class RabbitMQ(_Own):
    """A RabbitMQ server; also the broker of a Cluster."""

    def __init__(self, directory):
        super().__init__(directory, 'rabbit')
        self._distribution = ports.free_port()
        # Without one of our own the server would leave one behind.
        self._mapper_port = ports.free_port()
        self._mapper = subprocess.Popen(
            ['epmd', '-port', str(self._mapper_port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def url(self):
        """Return the transport URL for a configuration file."""
        return f'rabbit://guest:guest@127.0.0.1:{self.port}/'

    def _command(self):
        return [_RABBIT], {
            'HOME': str(self.directory),
            'RABBITMQ_NODENAME': f'heat{self.port}@localhost',
            'RABBITMQ_NODE_PORT': str(self.port),
            'RABBITMQ_DIST_PORT': str(self._distribution),
            'ERL_EPMD_PORT': str(self._mapper_port),
            'RABBITMQ_MNESIA_BASE': str(self.directory / 'data'),
            'RABBITMQ_LOG_BASE': str(self.directory / 'log'),
            'RABBITMQ_ENABLED_PLUGINS_FILE': str(
                self.directory / 'plugins'),
            'RABBITMQ_CONFIG_FILE': str(self.directory / 'none'),
            'ERL_CRASH_DUMP': str(self.directory / 'erl_crash.dump'),
            'RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS': '+S 1:1',
        }

    def control(self, *arguments):
        """Run rabbitmqctl for this server."""
        environment = self._command()[1]
        subprocess.run(
            [_RABBIT.with_name('rabbitmqctl'), '-q', *arguments],
            check=True, capture_output=True, timeout=STARTING,
            env={**os.environ, **environment})

    @staticmethod
    def _is_ready(connection):
        connection.sendall(b'AMQP\x00\x00\x09\x01')
        return bool(connection.recv(1))

    def remove(self):
        """End the server and the port mapper that it has started."""
        self.kill()
        self._mapper.kill()
        self._mapper.wait(120)
