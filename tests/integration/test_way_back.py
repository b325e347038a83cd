"""OpenStack Heat gets its database back after this service has used it."""
import json

from oslo_config import cfg
import pytest
import sqlalchemy as sa

from heat.cmd import manage_commands
from heat.common import crypt
from heat.common import exception
from heat.common import stored_secrets
from heat.db import encryption
from heat.db import migration
from heat.db import models
from heat.db import session
from heat.db import stack_reset
from heat.db import types
from heat.objects import snapshot as snapshot_objects
from tests import accounts
from tests import additions
from tests.fakes import peer
from tests.fakes import peer_checks
from tests.fakes import schema
from tests.fakes import servers
from tests.functional import rest
from tests.functional import service as service_module

INTERRUPTED = ('running', 'legacy-running')
#: Stacks that the tests change.
USED = ('simple', 'nested', 'snapshotted')
ADMIN = peer_checks.ADMIN

peer_key = peer_checks.peer_key

NEW = {
    'heat_template_version': '2018-08-31',
    'parameters': {'pw': {'type': 'string', 'hidden': True}},
    'resources': {
        'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 2, 'resource_def': {
                'type': 'OS::Heat::TestResource',
                'properties': {'value': {'get_param': 'pw'}}}}},
        'user': {'type': 'OS::Heat::RandomString'}},
    'outputs': {'user': {'value': {'get_attr': ['user', 'value']}}}}


@pytest.fixture(scope='module', autouse=True)
def _no_account(tmp_path_factory):
    with accounts.forgotten(tmp_path_factory.mktemp('account')):
        yield


@pytest.fixture(params=['sqlite', 'mysql', 'postgresql'])
def url(request, tmp_path):
    """The URL of a database with the recorded rows, brought up."""
    server = (None if request.param == 'sqlite'
              else servers.Server(request.param))
    made = server.create() if server else f'sqlite:///{tmp_path}/heat.sqlite'
    session.configure(made)
    if request.param == 'mysql':
        peer.load_dump()
    else:
        migration.db_sync(peer.REVISION)
        peer.load_rows()
    yield made
    session.configure()
    if server:
        server.drop(made)


def stored():
    """Return {table: {key: columns}} as the database has them."""
    with session.get_engine().connect() as connection:
        tables = sa.MetaData()
        tables.reflect(connection)
        return {name: {
            tuple(row[key.name] for key in table.primary_key): dict(row)
            for row in connection.execute(sa.select(table)).mappings()}
            for name, table in tables.tables.items()}


def changed(before, after):
    """Return the tables whose rows differ."""
    return {name for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)}


def ids_of(names):
    found = stored()['stack']
    return {key[0] for key, row in found.items() if row['name'] in names}


def use(application):
    """Create, update and snapshot stacks."""
    client = rest.Client(application, 'proj0')
    made = client.created('new', NEW, parameters={'pw': 'geheim'})
    for name in USED[:2]:
        one = stack_of(client, name)
        template = one.get('template')
        template['resources']['more'] = {'type': 'OS::Heat::RandomString'}
        one.patched(template)
    for one in (made, stack_of(client, 'snapshotted')):
        one.request('POST', 'snapshots', {'name': 'ours'}, expect=200)
        rest.wait_for(lambda one=one: all(
            each['status'] == 'COMPLETE'
            for each in one.get('snapshots')['snapshots']), 'the snapshot')


def stack_of(client, name):
    return rest.Stack(client, name, ids_of([name]).pop())


def served(url, work):
    with pytest.MonkeyPatch.context() as patch:
        running = service_module.Service(patch)
        running.start(url)
        try:
            return work(running.application)
        finally:
            running.stop()
            # That was all of the configuration.
            session.configure(url)
            cfg.CONF.set_override('auth_encryption_key', peer.KEY)


def test_stacks_in_progress_are_refused(url, capsys):
    migration.db_sync()
    before = stored()
    with pytest.raises(exception.Error):
        manage_commands.db_downgrade()
    told = capsys.readouterr().err
    for name in INTERRUPTED:
        assert f'Stack {name} ({ids_of([name]).pop()}, project proj0) is ' \
            'in progress' in told
    assert 'Stack simple' not in told
    assert changed(before, stored()) == set()


def rows_of_unused(rows):
    """Return {table: rows} of recorded stacks that were not used."""
    stacks = {row['id'] for row in peer.rows()['stack']
              if row['name'].partition('-')[0] not in USED
              and row['name'] not in INTERRUPTED}
    return {name: {key: row for key, row in rows[name].items()
                   if row[column] in stacks}
            for name, column in (('stack', 'id'), ('resource', 'stack_id'),
                                 ('event', 'stack_id'),
                                 ('snapshot', 'stack_id'),
                                 ('stack_tag', 'stack_id'))}


def documents(rows):
    """Yield (table, column, document) of all JSON columns."""
    for table in models.METADATA.sorted_tables:
        for column in table.c:
            if isinstance(column.type, types.Json):
                for row in rows.get(table.name, {}).values():
                    if row[column.name]:
                        yield (table.name, column.name,
                               json.loads(row[column.name]))


def test_the_database_goes_back_and_comes_again(url, capsys):
    recorded = stored()
    migration.db_sync()
    for name in INTERRUPTED:
        stack_reset.reset_stack_status(ADMIN, ids_of([name]).pop())
    served(url, use)
    before = stored()

    manage_commands.db_downgrade()

    assert migration.db_version() == peer.REVISION
    assert ' rows were converted' in capsys.readouterr().out
    with session.get_engine().connect() as connection:
        assert schema.differences(connection) == []
    after = stored()
    assert changed(before, after) == {
        'alembic_version', 'event', 'snapshot', 'resource_snapshot', 'stack',
        'sync_point', 'raw_template', *additions.TABLES}
    for key, row in before['stack'].items():
        del row['live_name_key']
        assert row == after['stack'][key]
    for key, row in before['event'].items():
        durations = [row.pop(name) for name in additions.EVENT_COLUMNS]
        assert row == after['event'][key]
        assert (None in durations) == (
            row['resource_status'] == 'IN_PROGRESS' or row['resource_type']
            == 'OS::Heat::Stack' or key in recorded['event'])
    for key, row in before['raw_template'].items():
        environment = json.loads(row.pop('environment'))
        environment.pop(stored_secrets.KEY, None)
        assert json.loads(after['raw_template'][key]['environment']) == (
            environment)
        assert row.items() <= after['raw_template'][key].items()
    assert rows_of_unused(after) == rows_of_unused(recorded)
    for table, _column, document in documents(after):
        if table in ('snapshot', 'resource_snapshot'):
            assert {'name', 'status'} <= set(document)
    for table in ('sync_point', 'stack_lock'):
        assert after[table] == {}
    # Nothing is left to do, and OpenStack Heat may be at work.
    manage_commands.db_downgrade()
    assert changed(after, stored()) == set()

    migration.db_sync()

    def look(application):
        client = rest.Client(application, 'proj0')
        for name in ('new', 'simple', 'snapshotted', 'updated'):
            assert stack_of(client, name).show()['outputs'] is not None
        new = stack_of(client, 'new')
        taken, = new.get('snapshots')['snapshots']
        new.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
        new.wait('RESTORE_COMPLETE')

    served(url, look)


def test_secrets_of_another_key_are_refused(url, capsys):
    migration.db_sync()
    for name in INTERRUPTED:
        stack_reset.reset_stack_status(ADMIN, ids_of([name]).pop())
    one, = ids_of(['snapshotted'])
    snapshot_objects.Snapshot.create(ADMIN, {
        'stack_id': one, 'tenant': 'proj0', 'data': {'a': 'b'},
        'status': 'COMPLETE'})
    cfg.CONF.set_override('auth_encryption_key', 'k' * 32)
    before = stored()
    with pytest.raises(exception.Error):
        manage_commands.db_downgrade()
    assert (f'Stack snapshotted ({one}, project proj0) has data in snapshot '
            'that auth_encryption_key does not decrypt') in (
                capsys.readouterr().err)
    assert changed(before, stored()) == set()


#: What OpenStack Heat accepts in an environment.
SECTIONS = {'parameters', 'resource_registry', 'parameter_defaults',
            'encrypted_param_names', 'event_sinks',
            'parameter_merge_strategies'}


def test_documents_that_are_encrypted_become_plain(url):
    """OpenStack Heat decrypts parameters and properties, nothing else."""
    migration.db_sync()
    for name in INTERRUPTED:
        stack_reset.reset_stack_status(ADMIN, ids_of([name]).pop())

    def use_encrypted(application):
        cfg.CONF.set_override('encrypt_parameters_and_properties', True)
        use(application)
        client = rest.Client(application, 'proj0')
        stack_of(client, 'new').patched(
            NEW, environment={'parameter_defaults': {'size': 4}})
        client.post('software_configs', {'name': 'c', 'config': 'true'})

    served(url, use_encrypted)
    before = str(stored())
    for form in (types.SEALED, stored_secrets.KEY,
                 encryption.ENCRYPTED_DEFAULTS):
        assert form in before

    manage_commands.db_downgrade()

    after = stored()
    for _table, _column, document in documents(after):
        assert not types.is_sealed(document)
        assert not crypt.is_sealed(document)
    for row in after['raw_template'].values():
        assert set(json.loads(row['environment'])) <= SECTIONS
    for row in after['resource_data'].values():
        assert bool(row['redact']) == bool(row['decrypt_method'])
