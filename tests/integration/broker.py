"""A corner of the RabbitMQ server for each cluster.

The names of the queues are fixed, so two clusters may not meet in one
virtual host.
"""
import os
import shutil
import subprocess
import urllib.parse
import uuid

import kombu

DEFAULT_URL = 'amqp://guest:guest@127.0.0.1:5672/'


class VirtualHost:
    """A virtual host of its own, made by rabbitmqctl as tools/services does.

    Where that may not be done the virtual host of the URL is used, and
    emptied before and after.
    """

    def __init__(self, prefix='heat_test'):
        parts = urllib.parse.urlsplit(
            os.environ.get('HEAT_TEST_RABBIT_URL') or DEFAULT_URL)
        self._login = urllib.parse.unquote(parts.username or 'guest')
        self._parts = parts._replace(scheme='amqp')
        self._given = self._parts.path.strip('/')
        self.name = f'{prefix}_{uuid.uuid4().hex[:12]}'
        self._is_own = self._control('add_vhost', self.name) and (
            self._control('set_permissions', '-p', self.name, self._login,
                          '.*', '.*', '.*'))
        if not self._is_own:
            self.name = self._given or '/'
            self._empty()
        self._require_answer()

    @staticmethod
    def _control(*arguments):
        command = ['rabbitmqctl', '-q', *arguments]
        if os.getuid() != 0:
            command[:0] = ['sudo', '-n']
        if shutil.which(command[0]) is None:
            return False
        return subprocess.run(command, capture_output=True, check=False,
                              timeout=240).returncode == 0

    @property
    def url(self):
        """Return the transport URL for a configuration file."""
        name = urllib.parse.quote(self.name, safe='')
        return self._parts._replace(scheme='rabbit',
                                    path=f'/{name}').geturl()

    def _connection(self):
        name = urllib.parse.quote(self.name, safe='')
        return kombu.Connection(
            self._parts._replace(path=f'/{name}').geturl(),
            connect_timeout=60)

    def _require_answer(self):
        with self._connection() as connection:
            connection.connect()

    def _empty(self):
        with self._connection() as connection:
            for queue in ('engine', 'engine_worker', 'heat-engine-listener',
                          'heat-api-events'):
                connection.channel().queue_delete(queue)

    def remove(self):
        """Leave nothing behind."""
        if self._is_own:
            self._control('delete_vhost', self.name)
        else:
            self._empty()
