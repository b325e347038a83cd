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
    cfg.BoolOpt('sync', default=True,
                help='Make the tables, too, as heat-manage db_sync does.'),
]


def _make():
    settings.embedded_database(CONF)
    connection = CONF.database.connection
    admin = os.environ.get(ADMIN_VARIABLE)
    try:
        if admin is None and not connection.startswith('sqlite'):
            raise exception.Error(
                f'{ADMIN_VARIABLE} is not set. It says how to connect as '
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
    settings.parse('heat-db-setup', argv)
    logging.setup(CONF, 'heat-db-setup')
    try:
        _make()
    except Exception as error:  # noqa: BLE001 (printed for the operator)
        # The text of a driver's error may show the URL, and its password.
        text = (str(error) if isinstance(error, exception.Error)
                else f'{type(error).__name__}: the server refused')
        print(f'ERROR: {text}', file=sys.stderr)
        return 1
    return 0
