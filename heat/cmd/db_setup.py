"""heat-db-setup: a database for Heat, on a server that is there.

What [database] connection of the configuration names is made: the database,
the account and its privileges; then the tables. What is there already stays.
"""
import os

from oslo_config import cfg

from heat.cmd import database_command
from heat.cmd import settings
from heat.common import exception
from heat.common.i18n import _
from heat.db import api as db_api
from heat.db import migration
from heat.db import provision

CONF = cfg.CONF

ADMIN_VARIABLE = database_command.ADMIN_VARIABLE


def cli_options():
    """Return the options of the command line."""
    return [
        cfg.BoolOpt('dry-run', default=False, help=_(
            'Print what is missing and change nothing.')),
        cfg.StrOpt('platform', positional=True, required=False,
                   choices=['rpm', 'deb'], help=_(
                       'Package format of this machine. Accepted for '
                       'compatibility, without effect.')),
        cfg.StrOpt('rootpw', short='r', secret=True, help=_(
            'Password of the administrator of the server: root for MySQL, '
            'postgres for PostgreSQL. Other users of this machine may see '
            'it; the environment variable %s is not visible to them.')
            % ADMIN_VARIABLE),
        cfg.StrOpt('password', short='p', secret=True, help=_(
            'Password of the database account of Heat. The default is the '
            'one in [database] connection. If no server is configured '
            'there, an account and a database named heat are created on '
            'the MySQL server of this machine.')),
        cfg.BoolOpt('yes', short='y', default=False, help=_(
            'Accepted for compatibility. This command never asks.')),
        cfg.BoolOpt('sync', default=True, help=_(
            'Create the tables, too, as heat-manage db_sync does.')),
    ]


def _connection(configured):
    """Return the URL of the database, with the password that is given."""
    if CONF.password is None:
        return configured
    complete, shown = provision.with_password(configured, CONF.password)
    if complete != configured:
        CONF.set_override('connection', complete, 'database')
        print(_('Set in heat.conf, with the password:')
              + f'\n[database]\nconnection = {shown}\n')
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
            raise exception.Error(_(
                'Neither %s is set nor --rootpw given. The variable says how '
                'to connect as somebody who may create databases, for '
                'instance mysql+pymysql://root@localhost/')
                % ADMIN_VARIABLE)
        for what, was_missing in provision.make(connection, admin or '',
                                                CONF.dry_run):
            state = _('%s: is there') if not was_missing else (
                _('%s: would be made') if CONF.dry_run else _('%s: made'))
            print(state % what)
    except provision.NotAServer:
        print(_('SQLite needs no server'))
    if CONF.sync and not CONF.dry_run:
        db_api.configure()
        migration.db_sync()
        print(_('tables: at %s') % migration.db_version())
    return 0


def main(argv=None):
    """Run the command; return its exit code."""
    return database_command.run(CONF, 'heat-db-setup', cli_options, _make,
                                argv)
