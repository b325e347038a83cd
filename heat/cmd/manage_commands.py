"""The subcommands of heat-manage."""
import logging as std_logging
import sys

from oslo_config import cfg
from oslo_log import log as logging
import prettytable

from heat.cmd import reporting
from heat.cmd import settings
from heat.common import context as heat_context
from heat.common import exception
from heat.common import messaging
from heat.common import startup
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
        raise exception.Error(
            f'Invalid revision "{version}": revisions by number belong to '
            'the migrations before alembic. Give an alembic revision, or '
            'none for the newest.')
    migration.db_sync(version)


def db_downgrade():
    """Return the database to the schema and data of OpenStack Heat."""
    version = migration.db_version()
    if not migration.is_later(version):
        print(f'There is nothing to do: the schema is at {version}.')
        return
    obstacles = [
        f'Engine {row.engine_id} on {row.hostname} is running, or ended '
        'less than two of its reports ago'
        for row in service_objects.Service.get_all(_admin())
        if liveness.is_up(row)]
    obstacles += downgrade.obstacles(_admin())
    if obstacles:
        for line in _first(obstacles):
            print(f'{line}.', file=sys.stderr)
        raise exception.Error(
            'The database stays as it is. Stop all engines; let stacks in '
            'progress end, or end them with heat-manage reset_stack_status.')
    changed = downgrade.convert(_admin())
    migration.db_downgrade()
    print(f'{changed} rows were converted. The schema is that of OpenStack '
          f'Heat, {migration.db_version()}.')


def _first(lines):
    """Return lines, but no more than somebody reads."""
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[:_MOST_LINES], f'There are {len(lines) - _MOST_LINES} more']


def purge_deleted():
    """Remove stacks that were deleted long enough ago, for good."""
    command = CONF.command
    if not command.batch_size.isdecimal() or not int(command.batch_size):
        raise exception.Error(
            'The batch size must be a whole number of 1 or more.')
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
            print(f'Dead engine {row.engine_id} on {row.hostname}: removed')
            service_objects.Service.delete(_admin(), row.id,
                                           soft_delete=False)


def reset_stack_status():
    """Make a stack that hangs FAILED, so that it can be dealt with."""
    print('Warning: this command is potentially destructive and only '
          'intended to recover from specific crashes.')
    print('It is advised to shutdown all Heat engines beforehand.')
    print('Continue ? [y/N]', flush=True)
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
    print('There is nothing to migrate: resource properties are read from '
          'either place.', file=sys.stderr)


def update_params():
    """Encrypt or decrypt what is stored of hidden values."""
    command = CONF.command
    key = command.previous_encryption_key or CONF.auth_encryption_key
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
            'The database has no tables of Heat yet; run heat-manage '
            'db_sync.')


def _add_commands(subparsers):
    def add(name, run, parent=subparsers):
        parser = parent.add_parser(name, help=run.__doc__)
        parser.set_defaults(func=run)
        return parser

    add('db_version', db_version)
    add('db_sync', db_sync).add_argument(
        'version', nargs='?', help='the revision to bring it to')
    add('db_downgrade', db_downgrade)
    purge = add('purge_deleted', purge_deleted)
    purge.add_argument('age', nargs='?', default='90',
                       help='how long ago they were deleted')
    purge.add_argument('-g', '--granularity', default='days',
                       choices=['days', 'hours', 'minutes', 'seconds'],
                       help='the unit of age')
    purge.add_argument('-p', '--project-id', help='only of this project')
    purge.add_argument('-b', '--batch_size', default='20',
                       help='stacks in one transaction')
    add('resource_data_list', resource_data_list).add_argument(
        'resource_id', help='the number of the resource row, or its uuid')
    service = subparsers.add_parser(
        'service', help='List the engines, or remove those that are down.'
    ).add_subparsers(required=True, metavar='{list,clean}')
    add('list', service_list, service)
    add('clean', service_clean, service)
    for run in (reset_stack_status, migrate_convergence_1):
        add(run.__name__, run).add_argument(
            'stack_id', help='the uuid of the stack')
    add('migrate_properties_data', migrate_properties_data)
    params = add('update_params', update_params)
    params.add_argument('crypt_operation', choices=['encrypt', 'decrypt'])
    params.add_argument(
        'previous_encryption_key', nargs='?',
        help='the key that was used so far, if not auth_encryption_key')
    params.add_argument('--verbose-update-params', action='store_true',
                        help='tell of each row that changes')


def main(argv=None):
    """Parse the command line, run its command, return the exit code."""
    CONF.register_cli_opt(cfg.SubCommandOpt(
        'command', title='Commands', help='Show available commands.',
        handler=_add_commands))
    try:
        files = cfg.find_config_files('heat', 'heat')
        files += cfg.find_config_files('heat', 'heat-engine')
        settings.parse('heat-manage', argv, default_config_files=files)
        logging.setup(CONF, 'heat-manage')
        settings.embedded_database(CONF)
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
