"""Configuration at the edge, and what the embedded mode fills in.

Without a configuration file the service keeps everything in a state
directory: SQLite, in-process RPC, no authentication.
"""
import contextlib
import logging as std_logging
import os
import pathlib
import secrets

from oslo_config import cfg
from oslo_log import log as logging
from oslo_utils import netutils

from heat.cmd import optional_modules
from heat.cmd import report
from heat.common import config
from heat.common import logs
from heat.common import opts_auth
from heat.common import startup
from heat.db import session

KEY_LENGTH = 32
#: The file of the state directory that holds the encryption key.
KEY_FILE = 'auth_encryption_key'

LOCAL_KEYSTONE = ('heat.engine.clients.os.keystone.local_keystoneclient.'
                  'LocalKeystoneClient')

CLI_OPTIONS = [
    cfg.StrOpt('state-path',
               help='Directory for the database and the encryption key '
                    'where no other are configured. The default is '
                    'heat in $XDG_STATE_HOME, or ~/.local/state/heat.'),
]


def register_cli(conf):
    """Make the options of the command line known; twice does no harm."""
    conf.register_cli_opts(CLI_OPTIONS)
    session.register_options(conf)
    report.register_options(conf)


def parse(prog, argv=None, conf=cfg.CONF, **kwargs):
    """Read the command line and the configuration files, set up logs."""
    register_cli(conf)
    try:
        config.parse_args(argv, prog, conf, **kwargs)
    except (cfg.Error, UnicodeDecodeError, OSError) as error:
        raise startup.Refused(_file_trouble(error)) from error
    config.set_policy_defaults()
    set_up_logs(conf)


def _file_trouble(error):
    if isinstance(error, cfg.ConfigFileParseError):
        return startup.line(f'{error.config_file}: {error.msg}')
    if isinstance(error, UnicodeDecodeError):
        return startup.line(f'A configuration file is not UTF-8: {error}')
    return startup.cause(error) if isinstance(error, OSError) else (
        startup.line(error))


def set_up_logs(conf, name='heat'):
    """Set up logging as it is configured.

    :raises startup.Refused: it cannot be.
    """
    missing = optional_modules.of_log(conf)
    if missing:
        raise startup.Refused(missing[0])
    try:
        logging.setup(conf, name)
        _try_formats()
    except logging.LogConfigError as error:
        raise startup.Refused(startup.line(
            f'[DEFAULT] log_config_append = {error.log_config}: '
            f'{error.err_msg}')) from error
    except OSError as error:
        raise startup.Refused(startup.line(
            f'[DEFAULT] log_file, log_dir or use_syslog: '
            f'{startup.cause(error)}')) from error
    except Exception as error:
        raise startup.Refused(startup.line(
            f'The options of logging: {startup.cause(error)}')) from error
    logs.contain_errors()


def _try_formats():
    """Format a line as each handler does, which would only complain."""
    for handler in std_logging.getLogger().handlers:
        handler.format(std_logging.makeLogRecord({
            'name': 'heat', 'msg': 'started', 'levelname': 'INFO',
            'levelno': std_logging.INFO}))


def _state_path(conf):
    if conf.state_path:
        return pathlib.Path(conf.state_path)
    base = os.environ.get('XDG_STATE_HOME')
    return (pathlib.Path(base) if base
            else pathlib.Path.home() / '.local' / 'state') / 'heat'


def state_directory(conf):
    """Return the state directory, made if need be, ours alone."""
    path = _state_path(conf)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise startup.Refused(
            f'[DEFAULT] state_path = {path}: {error.strerror}') from error
    return path.resolve()


def _stored_key(directory):
    """Return the encryption key of a state directory, made once."""
    path = directory / KEY_FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    key = secrets.token_hex(KEY_LENGTH // 2)
    with os.fdopen(handle, 'w') as stream:
        stream.write(key + '\n')
    return key


def embedded_database(conf):
    """Default to SQLite in the state directory; return its URL."""
    if not conf.database.connection:
        path = state_directory(conf) / 'heat.sqlite'
        conf.set_default('connection', f'sqlite:///{path}', 'database')
    return conf.database.connection


def embedded_key(conf):
    """Use the key that heat-all stores in the state directory, if any.

    It applies if no key is configured. No engine starts with the published
    key, so only heat-all can have encrypted the data.
    """
    if conf.auth_encryption_key != opts_auth.PUBLISHED_KEY:
        return
    with contextlib.suppress(OSError):
        conf.set_default('auth_encryption_key',
                         (_state_path(conf) / KEY_FILE).read_text().strip())


def embedded_defaults(conf):
    """Fill in what the embedded mode needs; configured values win."""
    embedded_database(conf)
    conf.set_default('auth_encryption_key',
                     _stored_key(state_directory(conf)))
    conf.set_default('flavor', 'noauth', 'paste_deploy')
    # Everyone who reaches the service is its administrator anyway.
    conf.set_default('enable_stack_abandon', True)
    conf.set_default('enable_stack_adopt', True)
    # Without a cloud hardly a type would be left to look at.
    conf.set_default('list_unavailable_types', True)
    _embedded_users(conf)


def _embedded_users(conf):
    """Keep users of stacks in the stacks, and tell servers where we are.

    What a server sends goes to the REST API unless it is told otherwise:
    the cfn API may have found its port taken.
    """
    conf.set_default('keystone_backend', LOCAL_KEYSTONE)
    conf.set_default('default_software_config_transport',
                     'POLL_SERVER_HEAT')
    conf.set_default('default_deployment_signal_transport', 'HEAT_SIGNAL')
    host = netutils.escape_ipv6(conf.heat_api.bind_host)
    conf.set_default('url', f'http://{host}:{conf.heat_api.bind_port}/v1/'
                     '%(tenant_id)s', 'clients_heat')
    cfn = f'http://{host}:{conf.heat_api_cfn.bind_port}/v1'
    conf.set_default('heat_metadata_server_url', cfn)
    conf.set_default('heat_waitcondition_server_url', cfn + '/waitcondition')


def is_configured(conf, name, group=None):
    """Return whether an option was given, rather than left to its default."""
    try:
        location = conf.get_location(name, group)
    except cfg.NoSuchOptError:
        return bool(_raw_value(conf, name))
    return location is not None and location.location.is_user_controlled


def _raw_value(conf, name):
    """Return the text of an option no library has registered yet."""
    for path in conf.config_file or []:
        parser = cfg.ConfigParser(path, {})
        parser.parse()
        if name in parser.sections.get('DEFAULT', {}):
            return parser.sections['DEFAULT'][name]
    return None
