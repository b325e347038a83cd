"""Find out whether the broker can be used, before anything depends on it."""
import socket
import ssl

from amqp import exceptions as amqp_exceptions
import kombu
from oslo_config import cfg
import oslo_messaging

from heat.common import broker_tls
from heat.common import messaging
from heat.common import startup

#: Seconds that a broker has to accept a connection.
PATIENCE = 3

_RABBIT = ('rabbit', 'kombu')


def check(conf=cfg.CONF):
    """Connect once to one of the brokers that transport_url names.

    :raises startup.Refused: waiting would not help
    :raises startup.Away: none of them answers
    """
    # Makes the options of the driver known; it connects to nothing.
    messaging.setup()
    url = oslo_messaging.TransportURL.parse(conf)
    if url.transport not in _RABBIT:
        return
    tls = broker_tls.parameters(conf.oslo_messaging_rabbit)
    worst: startup.Refused | startup.Away | None = None
    for host in url.hosts or [oslo_messaging.TransportHost('localhost')]:
        try:
            _connect(conf, url, host, tls)
        except startup.Refused as error:
            worst = error
        except startup.Away as error:
            worst = worst or error
        else:
            return
    if worst is not None:
        raise worst


def _connect(conf, url, host, tls):
    name, port = host.hostname or 'localhost', host.port or 5672
    if isinstance(tls, dict) and 'server_hostname' in tls:
        tls = {**tls, 'server_hostname': name}
    where = f'[DEFAULT] transport_url ({name}:{port})'
    connection = kombu.Connection(
        hostname=name, port=port, userid=host.username or 'guest',
        password=host.password or 'guest',
        virtual_host=url.virtual_host or '/',
        ssl=tls,
        login_method=conf.oslo_messaging_rabbit.rabbit_login_method,
        connect_timeout=PATIENCE)
    try:
        # One attempt, without the pause of connect(): there may be others.
        connection.ensure_connection(max_retries=0,
                                     reraise_as_library_errors=False)
    except amqp_exceptions.AccessRefused as error:
        raise startup.Refused(
            f'{where}: the broker refuses the login of '
            f'"{host.username or "guest"}"') from error
    except amqp_exceptions.NotAllowed as error:
        raise startup.Refused(
            f'{where}: the virtual host "{url.virtual_host or "/"}" does '
            'not exist, or the user may not use it') from error
    except (ssl.SSLEOFError, ssl.SSLZeroReturnError) as error:
        # As of a proxy that has no broker to pass the connection to.
        raise startup.Away(f'{where}: {startup.cause(error)}') from error
    except ssl.SSLCertVerificationError as error:
        authorities = conf.oslo_messaging_rabbit.ssl_ca_file
        raise startup.Refused(
            '[oslo_messaging_rabbit] ssl_ca_file '
            f'{"= " + authorities if authorities else "is not set"} '
            f'({name}:{port}): {startup.cause(error)}') from error
    except (ssl.SSLError, FileNotFoundError, PermissionError) as error:
        raise startup.Refused(
            f'[oslo_messaging_rabbit] ssl ({name}:{port}): '
            f'{startup.cause(error)}') from error
    except (OSError, amqp_exceptions.AMQPError,
            *connection.connection_errors) as error:
        if not tls and _speaks_tls(name, port):
            raise startup.Refused(
                f'[oslo_messaging_rabbit] ssl ({name}:{port}): the broker '
                'expects TLS; set ssl = true') from error
        raise startup.Away(f'{where}: {startup.cause(error)}') from error
    finally:
        connection.release()


def _speaks_tls(name, port):
    """Return whether what listens at a port completes a TLS handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with socket.create_connection((name, port), PATIENCE) as connection:
            context.wrap_socket(connection, server_hostname=name).close()
    except OSError:
        return False
    return True
