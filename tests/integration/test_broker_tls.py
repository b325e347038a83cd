"""A broker that is reached by TLS, and mistakes in how it is."""
import asyncio
import contextlib
import ssl
import subprocess
import threading
import urllib.request

import pytest
import sqlalchemy as sa

from tests import starting
from tests.functional import test_starting
from tests.integration import broker as broker_module

RABBIT = 'oslo_messaging_rabbit/'


def made(directory, name, *options):
    """Make a certificate and its key; return the path of the former."""
    path = directory / f'{name}.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days',
         '9', '-subj', f'/CN={name}', '-keyout', directory / f'{name}.key',
         '-out', path, *options], check=True, capture_output=True)
    return path


class TLSFront:
    """Passes what arrives by TLS on to a port of this machine.

    :param certificate: the path of a certificate, with the key beside it
    :param target: the port
    """

    def __init__(self, certificate, target):
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate, certificate.with_suffix('.key'))
        self._target = target
        self._ready, self._tasks = threading.Event(), set()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve()))
        self._thread.start()
        assert self._ready.wait(starting.PATIENCE)

    async def _serve(self):
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._pass_on, '127.0.0.1', 0,
                                            ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass_on(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        with contextlib.suppress(OSError):
            source, sink = await asyncio.open_connection('127.0.0.1',
                                                         self._target)
            try:
                await asyncio.gather(self._copy(reader, sink),
                                     self._copy(source, writer))
            finally:
                sink.close()
                writer.close()

    @staticmethod
    async def _copy(source, sink):
        with contextlib.suppress(OSError):
            while some := await source.read(65536):
                sink.write(some)
                await sink.drain()
        sink.close()

    def close(self):
        """End all connections and stop listening."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(starting.PATIENCE)
        assert not self._thread.is_alive()


class Broker:
    """A virtual host of the broker behind TLS for the name localhost."""

    def __init__(self, directory):
        self.ca, self.other = (made(directory, 'ca'),
                               made(directory, 'other'))
        certificate = made(
            directory, 'localhost', '-CA', self.ca, '-CAkey',
            directory / 'ca.key', '-addext', 'subjectAltName=DNS:localhost',
            '-addext', 'basicConstraints=critical,CA:FALSE')
        self._host = broker_module.VirtualHost()
        self._url = sa.make_url(self._host.url)
        self._front = TLSFront(certificate, self._url.port or 5672)

    def options(self, *, is_plain=False, host='localhost', **tls):
        """Return the options of a service that uses the broker."""
        port = self._url.port if is_plain else self._front.port
        return {'DEFAULT/transport_url': self._url.set(
            host=host, port=port).render_as_string(hide_password=False),
            **{RABBIT + name: str(value) for name, value in tls.items()}}

    def remove(self):
        """Remove the virtual host."""
        self._front.close()
        self._host.remove()


@pytest.fixture(scope='module')
def broker(tmp_path_factory):
    one = Broker(tmp_path_factory.mktemp('authorities'))
    yield one
    one.remove()


@pytest.fixture(scope='module')
def starter(tmp_path_factory):
    one = starting.Starter(tmp_path_factory.mktemp('starter'), 'threading')
    yield one
    one.close()


@pytest.fixture
def start(tmp_path, starter):
    return test_starting.Start(tmp_path, starter)


@pytest.mark.parametrize('tls', [
    {'ssl_ca_file': '{ca}'},
    # oslo.messaging trusts any certificate then, as long as a version is
    # given; the start must not refuse what works.
    {'ssl_version': 'TLSv1_2'}])
def test_requests_reach_an_engine_by_tls(start, broker, tls):
    start.configure(broker.options(ssl='true', **{
        name: value.format(ca=broker.ca) for name, value in tls.items()}))
    service = start.start('heat-all')
    service.wait_for('heat-api listens')
    with urllib.request.urlopen(
            f'http://127.0.0.1:{start.port}/v1/p/stacks',
            timeout=starting.PATIENCE) as answer:
        assert answer.read() == b'{"stacks": []}'
    ended = service.terminate()
    assert not ended.errors, ended.output
    assert 'Traceback' not in ended.output


@pytest.fixture(scope='module')
def tables(starter, tmp_path_factory):
    """Return a directory with a database that has its tables."""
    first = test_starting.Start(tmp_path_factory.mktemp('tables'), starter)
    first.configure()
    first.make_tables()
    return first.directory


@pytest.mark.parametrize('entry', ['heat-engine', 'heat-api'])
@pytest.mark.parametrize(('case', 'says'), [
    ('other authority', r'ssl_ca_file = .*other\.pem .*verify failed'),
    ('no authority', 'ssl_ca_file is not set .*verify failed'),
    ('other name', r"ssl_ca_file = .*not valid for '127\.0\.0\.1'"),
    ('no TLS', r'ssl \(localhost:\d+\): the broker expects TLS; set ssl'),
    ('plain port', r'ssl \(localhost:\d+\): .*(?i:wrong.version)')])
def test_a_broker_that_cannot_be_trusted(start, tables, broker, entry, case,
                                         says):
    trusting = {'ssl': 'true', 'ssl_ca_file': broker.ca}
    start.configure({
        **broker.options(**{
            'other authority': {'ssl': 'true', 'ssl_ca_file': broker.other},
            'no authority': {'ssl': 'true'},
            'other name': {'host': '127.0.0.1', **trusting},
            'no TLS': {},
            'plain port': {'is_plain': True, **trusting}}[case]),
        'database/connection': f'sqlite:///{tables}/heat.sqlite'})
    test_starting.require_one_line(
        start.start(entry).wait(), r'\[oslo_messaging_rabbit\] ' + says)
