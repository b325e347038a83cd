"""Checks of the configuration of each entry point.

Each check returns (errors, warnings): texts that name option and cause. All
of them run in a child process of the one that is about to serve.
"""
import functools
from importlib import metadata
import os
import socket
import ssl

from keystoneauth1 import exceptions as ks_exceptions
from oslo_cache import core as oslo_cache
from oslo_config import cfg
import oslo_messaging
from oslo_utils import importutils
from osprofiler.drivers import base as trace_drivers

from heat.cmd import option_check
from heat.cmd import optional_modules
from heat.cmd import pipeline
from heat.common import broker_tls
from heat.common import config
from heat.common import exception
from heat.common import messaging
from heat.common import policy_check
from heat.common import startup
from heat.db import migration
from heat.db import session
from heat.engine import environment

CONF = cfg.CONF

_NOTIFIERS = 'oslo.messaging.notify.drivers'
_TRANSPORTS = 'oslo.messaging.drivers'


def for_api(name, group, *, is_listening=True):
    """Return the checks of a process that serves an API.

    :param group: its options
    :param is_listening: whether the process opens the port itself
    """
    checks = [options, transport, policies, tracing,
              lambda: application(name)]
    if CONF.api_reads_database:
        checks += [database, cache, classes, environments]
    if is_listening:
        checks += [lambda: certificates(group), lambda: address(group)]
    return checks


def for_engine():
    """Return the checks of a process that has an engine."""
    return [options, transport, policies, cache, database, tracing,
            accounts, classes, files_of_clients, environments, monitor]


def for_embedded(groups, more=()):
    """Return the checks of the process that has everything.

    :param groups: the options of the APIs that have to be served
    :param more: the APIs that are served beside the usual ones
    """
    return [*for_engine(), lambda: application('heat-api'),
            lambda: application('heat-api-cfn'),
            *(functools.partial(application, name) for name in more),
            *(functools.partial(certificates, group) for group in groups),
            *(functools.partial(address, group) for group in groups)]


@functools.cache
def libraries():
    """Return the options of all libraries as they are configured."""
    return option_check.with_libraries(CONF)


def options():
    """The values of all options, and the names in the files."""
    session.register_options(CONF)
    errors = option_check.wrong_values(CONF)
    errors += option_check.wrong_values(libraries())
    if errors:
        return list(dict.fromkeys(errors)), []
    return [], option_check.unknown_names(CONF)


def transport():
    """The URLs of the brokers and the drivers of notifications."""
    errors, warnings = [], []
    known = metadata.entry_points(group=_TRANSPORTS).names
    for group in ('DEFAULT', 'oslo_messaging_notifications'):
        option = f'[{group}] transport_url'
        values = (libraries() if group == 'DEFAULT'
                  else libraries()[group])
        if group != 'DEFAULT' and not values.transport_url:
            continue
        try:
            url = oslo_messaging.TransportURL.parse(
                CONF, values.transport_url)
        except (oslo_messaging.InvalidTransportURL, ValueError):
            errors.append(f'{option} is not a URL such as '
                          'rabbit://user:password@host:5672/')
            continue
        if url.transport not in known:
            errors.append(f'{option}: there is no transport '
                          f'"{url.transport}"; there are: '
                          f'{", ".join(sorted(known - {"kombu"}))}')
            continue
        missing = optional_modules.of_transport(url.transport)
        if missing:
            errors += missing
        elif url.transport == 'rabbit':
            errors += _tls_of_broker()
    drivers = metadata.entry_points(group=_NOTIFIERS).names
    for driver in libraries().oslo_messaging_notifications.driver:
        if driver and driver not in drivers:
            warnings.append(
                '[oslo_messaging_notifications] driver = '
                f'{driver}: there is no such driver, nothing is sent; there '
                f'are: {", ".join(sorted(drivers))}')
    return list(dict.fromkeys(errors)), warnings


def _tls_of_broker():
    group = libraries().oslo_messaging_rabbit
    if not group.ssl:
        return []
    section = 'oslo_messaging_rabbit'
    errors = _unreadable(section, group, (
        'ssl_ca_file', 'ssl_cert_file', 'ssl_key_file'))
    if errors:
        return errors
    if group.ssl_version and broker_tls.protocol(group.ssl_version) is None:
        errors.append(f'[{section}] ssl_version = {group.ssl_version}: there '
                      'is no such version; there are: '
                      f'{", ".join(broker_tls.versions())}')
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if group.ssl_ca_file:
        try:
            context.load_verify_locations(group.ssl_ca_file)
        except ssl.SSLError as error:
            errors.append(f'[{section}] ssl_ca_file = {group.ssl_ca_file}: '
                          f'{_tls_text(error)}')
    if group.ssl_cert_file:
        errors += _wrong_pair(context, section, {
            'ssl_cert_file': group.ssl_cert_file,
            'ssl_key_file': group.ssl_key_file})
    return errors


def _unreadable(section, group, names):
    """Return a text for each of the options whose file cannot be read."""
    errors = []
    for name in names:
        path = group.get(name)
        if not path:
            continue
        try:
            with open(path, 'rb'):
                pass
        except OSError as error:
            errors.append(f'[{section}] {name} = {path}: {error.strerror}')
    return errors


def policies():
    """The policy files."""
    return policy_check.check(CONF)


def application(name):
    """The pipeline of an API, and what its filters need."""
    try:
        messaging.setup()
    except Exception:  # noqa: BLE001 (reported by the check of transports)
        return [], []
    try:
        pipeline.check(name)
        tokens = libraries().keystone_authtoken
        if tokens.auth_type:
            errors = (optional_modules.of_tokens(libraries())
                      + option_check.wrong_account('keystone_authtoken')
                      + _unreadable('keystone_authtoken', tokens,
                                    ('cafile', 'certfile', 'keyfile')))
            if errors:
                return errors, []
        pipeline.application(name)
    except exception.HeatException as error:
        return [startup.line(error)], []
    except ks_exceptions.ClientException as error:
        return [f'[keystone_authtoken]: {startup.cause(error)}'], []
    except Exception as error:  # noqa: BLE001 (filters raise anything)
        path = config.find_paste_config(CONF)
        return [f'The pipeline of {name} in {path} cannot be loaded: '
                f'{startup.cause(error)}'], []
    return [], []


def certificates(section):
    """The certificate that a server shows, and its key."""
    group = CONF[section]
    certificate, key = group.cert_file, group.key_file
    if not certificate:
        if key:
            return [f'[{section}] key_file is set, but cert_file is not'], []
        return [], []
    errors = _unreadable(section, group, ('cert_file', 'key_file'))
    if errors:
        return errors, []
    return _wrong_pair(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH),
                       section, {'cert_file': certificate,
                                 'key_file': key}), []


def _wrong_pair(context, section, files):
    """Return a text if a certificate and a key cannot be used together.

    :param files: the paths of the certificate and, if set, of the key, by
        the options that name them
    """
    certificate, key = files.values()
    try:
        context.load_cert_chain(certificate, key or None,
                                password=_no_password)
    except (ssl.SSLError, ValueError) as error:
        given = ', '.join(f'{name} = {path}' if path else f'{name} is not set'
                          for name, path in files.items())
        return [f'[{section}] {given}: {_tls_text(error)}']
    return []


def _no_password():
    raise ValueError('the key is protected by a password')


def _tls_text(error):
    reason = getattr(error, 'reason', None)
    return (reason or str(error)).replace('_', ' ').lower()


def address(section, *, is_shared=False):
    """Return whether the port can be listened on."""
    group = CONF[section]
    try:
        info = socket.getaddrinfo(
            group.bind_host, group.bind_port, socket.AF_UNSPEC,
            socket.SOCK_STREAM, 0, socket.AI_PASSIVE)[0]
        with socket.socket(info[0], socket.SOCK_STREAM) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if is_shared:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            one.bind(info[4])
    except OSError as error:
        return [f'[{section}] bind_host = {group.bind_host}, bind_port = '
                f'{group.bind_port}: {error.strerror}'], []
    return [], []


def monitor():
    """The port at which an engine shows its figures."""
    if CONF.engine_monitor.bind_port is None:
        return [], []
    return address('engine_monitor', is_shared=True)


def cache():
    """The cache that requests share."""
    conf = libraries()
    errors = optional_modules.of_cache(conf)
    if not errors and conf.cache.enabled:
        try:
            oslo_cache.configure_cache_region(conf,
                                              oslo_cache.create_region())
        except Exception as error:  # noqa: BLE001 (back ends raise anything)
            errors.append(f'[cache] backend = {conf.cache.backend}: '
                          f'{startup.cause(error)}')
    return errors, []


def database():
    """The modules that reach the database."""
    return optional_modules.of_database(CONF), []


def tracing():
    """The storage of the traces of requests."""
    group = libraries().profiler
    errors = optional_modules.of_profiler(libraries())
    if errors or not group.enabled:
        return errors, []
    scheme = group.connection_string.partition(':')[0]
    # That of Jaeger is there to say that it has gone.
    known = {*_trace_drivers(trace_drivers.Driver)} - {'jaeger'}
    if scheme in known or scheme.partition('+')[0] in (
            'mysql', 'postgresql'):
        return [], []
    return ['[profiler] connection_string: there is no driver '
            f'"{scheme}"; there are: {", ".join(sorted(known))}'], []


def _trace_drivers(kind):
    for each in kind.__subclasses__():
        yield each.get_name()
        yield from _trace_drivers(each)


def accounts():
    """The accounts that an engine logs in with."""
    return option_check.wrong_account('trustee'), []


def classes():
    """The classes that options name."""
    errors = []
    for name in ('cloud_backend', 'keystone_backend'):
        path = getattr(CONF, name)
        try:
            importutils.import_class(path)
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            errors.append(f'[DEFAULT] {name} = {path}: '
                          f'{startup.cause(error)}')
    return errors, []


def files_of_clients():
    """The certificates that clients of the cloud use."""
    errors = []
    for section in sorted(CONF):
        if section == 'clients' or section.startswith('clients_'):
            errors += _unreadable(section, CONF[section], (
                'ca_file', 'cert_file', 'key_file'))
    return errors, []


def _is_users(location):
    """Return whether an option has a value that somebody has given it."""
    return location is not None and location.location.is_user_controlled


def environments():
    """The operator's environment files and plugin directories."""
    warnings = environment.problems_of_directory(CONF.environment_dir)
    if _is_users(CONF.get_location('environment_dir')) and not os.path.isdir(
            CONF.environment_dir):
        warnings.append(f'[DEFAULT] environment_dir = '
                        f'{CONF.environment_dir}: there is no such '
                        'directory')
    if _is_users(CONF.get_location('plugin_dirs')):
        warnings += [
            f'[DEFAULT] plugin_dirs: there is no directory {directory}'
            for directory in CONF.plugin_dirs
            if not os.path.isdir(directory)]
    return [], warnings


def tables():
    """Refuse a database whose tables this version cannot work with.

    :raises startup.Refused: they are missing or of an earlier version
    """
    try:
        version = migration.db_version()
    except Exception as error:
        raise startup.Refused('[database] connection: '
                              f'{startup.cause(error)}') from error
    if version is None:
        raise startup.Refused(
            '[database] connection: the database has no tables of Heat yet; '
            'run heat-manage db_sync')
    if version != migration.head_version() and migration.is_known(version):
        raise startup.Refused(
            f'[database] connection: the tables are at {version}, this '
            f'version needs {migration.head_version()}; run heat-manage '
            'db_sync')
