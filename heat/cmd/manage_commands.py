"""The subcommands of heat-manage."""
import logging as std_logging
import sys

from oslo_config import cfg
from oslo_log import log as logging
import prettytable

from heat.cmd import reporting
from heat.cmd import settings
from heat.common import command_help
from heat.common import config
from heat.common import context as heat_context
from heat.common import exception
from heat.common import messaging
from heat.common import startup
from heat.common.i18n import _
from heat.db import api as db_api
from heat.db import downgrade
from heat.db import encryption
from heat.db import migration
from heat.db import probe
from heat.db import stack_reset
from heat.engine.cluster import liveness
from heat.objects import resource as resource_objects
from heat.objects import resource_data as resource_data_objects
from heat.objects import service as service_objects
from heat.rpc import client as rpc_client

CONF = cfg.CONF
LOG = logging.getLogger(__name__)

#: How many obstacles are named.
_MOST_LINES = 50


def _admin():
    return heat_context.get_admin_context()


def db_version():
    """Print the revision of the database."""
    print(migration.db_version())


def db_sync():
    """Bring the database to a revision, or to the newest."""
    version = CONF.command.version
    if version and version.isdigit():
        raise exception.Error(_(
            'Invalid revision "%s": revisions by number belong to the '
            'migrations before alembic. Give an alembic revision, or none '
            'for the newest.') % version)
    migration.db_sync(version)


def db_downgrade():
    """Return the database to the schema and data of OpenStack Heat."""
    version = migration.db_version()
    if not migration.is_later(version):
        print(_('There is nothing to do: the schema is at %s.') % version)
        return
    obstacles = [
        _('Engine %(id)s on %(host)s is running, or ended less than two of '
          'its reports ago') % {'id': row.engine_id, 'host': row.hostname}
        for row in service_objects.Service.get_all(_admin())
        if liveness.is_up(row)]
    obstacles += downgrade.obstacles(_admin())
    if obstacles:
        for line in _first(obstacles):
            print(f'{line}.', file=sys.stderr)
        raise exception.Error(_(
            'The database stays as it is. Stop all engines; let stacks in '
            'progress end, or end them with heat-manage reset_stack_status.'))
    changed = downgrade.convert(_admin())
    migration.db_downgrade()
    print(_('%(number)d rows were converted. The schema is that of OpenStack '
            'Heat, %(version)s.') % {'number': changed,
                                     'version': migration.db_version()})


def _first(lines):
    """Return lines, but no more than somebody reads."""
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[:_MOST_LINES],
            _('There are %d more') % (len(lines) - _MOST_LINES)]


def purge_deleted():
    """Remove stacks that were deleted long enough ago, for good."""
    command = CONF.command
    if not command.batch_size.isdecimal() or not int(command.batch_size):
        raise exception.Error(
            _('The batch size must be a whole number of 1 or more.'))
    db_api.purge_deleted(_admin(), command.age, command.granularity,
                         command.project_id, int(command.batch_size))


def resource_data_list():
    """Print the data that a resource keeps, one `key = value` a line."""
    row = resource_objects.Resource.get_obj(
        _admin(), CONF.command.resource_id)
    if row is None:
        raise exception.EntityNotFound(entity='Resource',
                                       name=CONF.command.resource_id)
    data = resource_data_objects.ResourceData.get_all(_admin(), row.id)
    for key in sorted(data):
        print(f'{key} = {data[key]}')


def service_list():
    """Print the engines and whether they are up."""
    table = prettytable.PrettyTable(
        ['Hostname', 'Binary', 'Engine_Id', 'Host', 'Topic', 'Status',
         'Updated At'])
    table.align = 'l'
    for row in service_objects.Service.get_all(_admin()):
        shown = liveness.format_service(row)
        table.add_row([shown[key] for key in (
            'hostname', 'binary', 'engine_id', 'host', 'topic', 'status',
            'updated_at')])
    print(table)


def service_clean():
    """Delete the rows of engines that are down."""
    for row in service_objects.Service.get_all(_admin()):
        if not liveness.is_up(row):
            print(_('Dead engine %(id)s on %(host)s: removed')
                  % {'id': row.engine_id, 'host': row.hostname})
            service_objects.Service.delete(_admin(), row.id,
                                           soft_delete=False)


def reset_stack_status():
    """Make a stack that hangs FAILED, so that it can be dealt with."""
    print(_('Warning: this command is potentially destructive and only '
            'intended to recover from specific crashes.'))
    print(_('It is advised to shutdown all Heat engines beforehand.'))
    # The answer is y in all languages.
    print(_('Continue ? [y/N]'), flush=True)
    # Where nobody is there to answer, that is no yes.
    if sys.stdin.readline().strip().lower() != 'y':
        return
    stack_reset.reset_stack_status(_admin(), CONF.command.stack_id)


def migrate_convergence_1():
    """Have an engine turn a legacy stack into a convergence stack."""
    messaging.setup()
    client = rpc_client.EngineClient()
    client.migrate_convergence_1(_admin(), CONF.command.stack_id)


def migrate_properties_data():
    """Do nothing; kept because deployment tools call it."""
    print(_('There is nothing to migrate: resource properties are read from '
            'either place.'), file=sys.stderr)


def update_params():
    """Encrypt or decrypt what is stored of hidden values."""
    command = CONF.command
    key = command.previous_encryption_key or CONF.auth_encryption_key
    if command.crypt_operation == 'encrypt' and (
            not command.previous_encryption_key):
        config.check_encryption_key(CONF)
    work = (encryption.encrypt_parameters_and_properties
            if command.crypt_operation == 'encrypt'
            else encryption.decrypt_parameters_and_properties)
    work(_admin(), key, verbose=command.verbose_update_params)
    if command.crypt_operation == 'decrypt' and (
            key != CONF.auth_encryption_key):
        # What is never in the clear goes from one key to the other.
        encryption.change_key(_admin(), key, CONF.auth_encryption_key,
                              verbose=command.verbose_update_params)


#: What an operator may do before there are tables.
_WITHOUT_TABLES = (db_version, db_sync, migrate_properties_data)


def _check_tables():
    if migration.db_version() is None:
        raise exception.Error(
            _('The database has no tables of Heat yet; run heat-manage '
              'db_sync.'))


def _add_commands(subparsers):
    def add(name, run, summary, parent=subparsers):
        parser = parent.add_parser(name, help=summary, description=summary,
                                   formatter_class=command_help.Formatter)
        parser.set_defaults(func=run)
        return parser

    subparsers.metavar = 'COMMAND'
    # NOTE: oslo.config offers no other way to how its help is laid out.
    parser = CONF._oparser  # noqa: SLF001 (see above)
    if parser is not None:
        parser.formatter_class = command_help.Formatter
    add('db_version', db_version,
        _('Print the revision of the database schema.'))
    add('db_sync', db_sync, _(
        'Upgrade the database schema to a revision, by default the newest.'
    )).add_argument('version', nargs='?', help=_('alembic revision'))
    add('db_downgrade', db_downgrade, _(
        'Return the database to the schema and data of OpenStack Heat.'))
    _add_purge(add)
    add('resource_data_list', resource_data_list, _(
        'Print the data of a resource, decrypted, one "key = value" a line.'
    )).add_argument('resource_id', help=_('row id or UUID of the resource'))
    service = subparsers.add_parser(
        'service', help=_('List engines, or remove those that are down.'),
        formatter_class=command_help.Formatter,
    ).add_subparsers(required=True, metavar='{list,clean}')
    add('list', service_list, _('List engines and their status.'), service)
    add('clean', service_clean,
        _('Remove the records of engines that are down.'), service)
    stack = _('UUID of the stack')
    add('reset_stack_status', reset_stack_status, _(
        'Mark a stack that hangs in progress as failed and release its '
        'locks.')).add_argument('stack_id', help=stack)
    add('migrate_convergence_1', migrate_convergence_1, _(
        'Hand a stack of the legacy driver over to convergence.'
    )).add_argument('stack_id', help=stack)
    add('migrate_properties_data', migrate_properties_data,
        _('Do nothing. Deployment tools call this command.'))
    _add_update_params(add)


def _add_purge(add):
    parser = add('purge_deleted', purge_deleted, _(
        'Remove the records of stacks that were deleted before a given age.'))
    parser.add_argument('age', nargs='?', default='90', help=_(
        'minimum time since the deletion (default: 90)'))
    parser.add_argument('-g', '--granularity', default='days',
                        choices=['days', 'hours', 'minutes', 'seconds'],
                        help=_('unit of the age (default: days)'))
    parser.add_argument('-p', '--project-id', metavar='PROJECT',
                        help=_('remove stacks of this project only'))
    parser.add_argument('-b', '--batch_size', default='20', metavar='NUMBER',
                        help=_('stacks per transaction (default: 20)'))


def _add_update_params(add):
    parser = add('update_params', update_params, _(
        'Encrypt or decrypt stored values of hidden parameters and '
        'properties.'))
    parser.add_argument('crypt_operation', choices=['encrypt', 'decrypt'],
                        help=_('operation'))
    parser.add_argument(
        'previous_encryption_key', nargs='?', help=_(
            'key used so far, if it is not auth_encryption_key'))
    parser.add_argument('--verbose-update-params', action='store_true',
                        help=_('print each row that changes'))


def _choose_database():
    """Use the database of heat-all if none is configured.

    Log a warning if there is a configuration file: it may set the database by
    an option that no longer exists, such as sql_connection.
    """
    is_configured = bool(CONF.database.connection)
    connection = settings.embedded_database(CONF)
    if CONF.config_file and not is_configured:
        LOG.warning('[database] connection is not in %s: %s is used instead',
                    ', '.join(CONF.config_file), connection)


def main(argv=None):
    """Parse the command line, run its command, return the exit code."""
    CONF.register_cli_opt(cfg.SubCommandOpt(
        'command', title=_('Commands'), handler=_add_commands))
    try:
        files = cfg.find_config_files('heat', 'heat')
        files += cfg.find_config_files('heat', 'heat-engine')
        settings.parse('heat-manage', argv, default_config_files=files)
        logging.setup(CONF, 'heat-manage')
        _choose_database()
        settings.embedded_key(CONF)
        if CONF.command.func is not migrate_properties_data:
            probe.check()
        if CONF.command.func not in (db_sync, db_downgrade):
            # What alembic finds is news only when it changes something.
            std_logging.getLogger('alembic').setLevel(std_logging.WARNING)
        if CONF.command.func not in _WITHOUT_TABLES:
            _check_tables()
        CONF.command.func()
    except Exception as error:  # noqa: BLE001 (printed for the operator)
        # What an engine raised has its traceback in its text.
        reporting.complain(startup.line(exception.text_of(error)))
        return 1
    return 0
