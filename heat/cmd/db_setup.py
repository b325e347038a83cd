"""heat-db-setup: a database for Heat, on a server that is there.

What [database] connection of the configuration names is made: the database,
the account and its privileges; then the tables. What is there already stays.
"""
import os
import sys

from oslo_config import cfg
from oslo_log import log as logging

from heat.cmd import settings
from heat.common import exception
from heat.db import api as db_api
from heat.db import migration
from heat.db import provision

CONF = cfg.CONF

ADMIN_VARIABLE = 'HEAT_DB_ADMIN_URL'

CLI_OPTIONS = [
    cfg.BoolOpt('dry-run', default=False,
                help='Make nothing, only tell what is missing.'),
    cfg.StrOpt('platform', positional=True, required=False,
               choices=['rpm', 'deb'],
               help='The kind of packages of this machine. It changes '
                    'nothing here.'),
    cfg.StrOpt('rootpw', short='r', secret=True,
               help='Password of the administrator of the server, root for '
                    'MySQL and postgres for PostgreSQL. Other users of this '
                    'machine may see it; ' + ADMIN_VARIABLE + ' is not '
                    'visible.'),
    cfg.StrOpt('password', short='p', secret=True,
               help='Password of the account of Heat, by default the one in '
                    '[database] connection. Without a connection to a '
                    'server there, an account and database "heat" are made '
                    'on the MySQL server of this machine.'),
    cfg.BoolOpt('yes', short='y', default=False,
                help='Ask nothing. This command never asks.'),
    cfg.BoolOpt('sync', default=True,
                help='Make the tables, too, as heat-manage db_sync does.'),
]


def _connection(configured):
    """Return the URL of the database, with the password that is given."""
    if CONF.password is None:
        return configured
    complete, shown = provision.with_password(configured, CONF.password)
    if complete != configured:
        CONF.set_override('connection', complete, 'database')
        print('Set in heat.conf, with the password:\n[database]\n'
              f'connection = {shown}\n')
    return complete


def _admin(connection):
    """Return the URL of the administrator whose password is given."""
    return None if CONF.rootpw is None else provision.admin_of(
        connection, CONF.rootpw)


def _make():
    settings.embedded_database(CONF)
    connection = _connection(CONF.database.connection)
    admin = os.environ.get(ADMIN_VARIABLE) or _admin(connection)
    try:
        if admin is None and not connection.startswith('sqlite'):
            raise exception.Error(
                f'Neither {ADMIN_VARIABLE} is set nor --rootpw given. '
                'The variable says how to connect as '
                'somebody who may make databases, for instance '
                'mysql+pymysql://root@localhost/')
        for what, was_missing in provision.make(connection, admin or '',
                                                CONF.dry_run):
            state = 'is there' if not was_missing else (
                'would be made' if CONF.dry_run else 'made')
            print(f'{what}: {state}')
    except provision.NotAServer:
        print('SQLite needs no server')
    if CONF.sync and not CONF.dry_run:
        db_api.configure()
        migration.db_sync()
        print(f'tables: at {migration.db_version()}')


def main(argv=None):
    """Run the command; return its exit code."""
    CONF.register_cli_opts(CLI_OPTIONS)
    try:
        settings.parse('heat-db-setup', argv)
        logging.setup(CONF, 'heat-db-setup')
        _make()
    except Exception as error:  # noqa: BLE001 (printed for the operator)
        # The text of a driver's error may show the URL, and its password.
        text = (str(error) if isinstance(error, exception.Error)
                else f'{type(error).__name__}: the server refused')
        print(f'ERROR: {text}', file=sys.stderr)
        return 1
    return 0
