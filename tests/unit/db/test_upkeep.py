"""What operators have done to a database: purge, reset, update_params."""
import datetime

from oslo_config import cfg
from oslo_utils import timeutils
import pytest
import sqlalchemy as sa

from heat.common import exception
from heat.common import secrecy
from heat.common import stored_secrets
from heat.db import encryption
from heat.db import models
from heat.db import purge
from heat.db import session
from heat.db import stack_reset
from heat.objects import event
from heat.objects import raw_template
from heat.objects import resource
from heat.objects import resource_data
from heat.objects import resource_properties_data
from heat.objects import resource_snapshot
from heat.objects import snapshot
from heat.objects import software_config
from heat.objects import software_deployment
from heat.objects import stack
from heat.objects import stack_lock
from heat.objects import sync_point
from heat.objects import user_creds
from heat.objects import watch_rule

KEY = 'another key of thirty-two letters'
TEMPLATE = {'heat_template_version': '2018-08-31', 'parameters': {
    'pw': {'type': 'string', 'hidden': True},
    'open': {'type': 'string', 'hidden': 'false'}}}


def counts():
    with session.reader(None) as connection:
        return {table.name: connection.execute(
            sa.select(sa.func.count()).select_from(table)).scalar()
            for table in models.METADATA.sorted_tables}


def make_template(context, **more):
    return raw_template.RawTemplate.create(context, {
        'template': TEMPLATE, 'environment': {
            'parameters': {'pw': 'geheim', 'open': 'x'}}, **more})


def make_stack(context, **values):
    """Make a stack that has something in every table."""
    template = make_template(context, files={'f': 'x'})
    creds = user_creds.UserCreds.create(context)
    one = stack.Stack.create(context, {
        'name': f's{template.id}', 'raw_template_id': template.id,
        'tenant': 'project', 'disable_rollback': True,
        'user_creds_id': creds.id, 'tags': ['t'],
        'prev_raw_template_id': make_template(context).id, **values})
    properties, attributes = (
        resource_properties_data.ResourcePropertiesData.create_many(
            context, [{'p': 1}, {'a': 1}]))
    row = resource.Resource.create(context, {
        'name': 'r', 'stack_id': one.id, 'rsrc_prop_data_id': properties,
        'attr_data_id': attributes, 'status': 'IN_PROGRESS',
        'engine_id': 'dead', 'atomic_key': 3,
        'current_template_id': make_template(context).id})
    for key in ('pre-create', 'value'):
        resource_data.ResourceData.set(context, row.id, key, 'x')
    event.Event.create(context, {'stack_id': one.id,
                                 'rsrc_prop_data_id': properties})
    sync_point.SyncPoint.create_many(context, [
        {'entity_id': row.id, 'traversal_id': 't', 'is_update': True,
         'stack_id': one.id}])
    taken = snapshot.Snapshot.create(context, {'stack_id': one.id,
                                               'tenant': 'project'})
    resource_snapshot.ResourceSnapshot.create(context, {
        'snapshot_id': taken.id, 'resource_name': 'r'})
    stack_lock.StackLock.create(context, one.id, 'dead')
    rule_id = watch_rule.WatchRule.create(context, {
        'tenant': 'project', 'stack_id': one.id, 'name': 'alarm',
        'metric_key': 'k', 'period': 60, 'evaluation_periods': 1,
        'state': 'NODATA', 'state_at': 0, 'pending': ''})
    watch_rule.WatchHistory.add(context, {
        'rule_id': rule_id, 'happened_at': 0, 'kind': 'Action'})
    return one


def delete(context, one, days_ago):
    stack.Stack.delete(context, one.id)
    stack.Stack.update_by_id(context, one.id, {
        'deleted_at': timeutils.utcnow()
        - datetime.timedelta(days=days_ago)})


def test_purge_leaves_nothing_of_a_stack(context):
    delete(context, make_stack(context), 2)
    assert purge.purge_deleted(context, 1) == 1
    assert not any(counts().values())


def test_purge_spares_living_and_young_stacks(context):
    living, young, old = (make_stack(context) for _ in range(3))
    before = counts()
    delete(context, old, 8)
    delete(context, young, 6)
    assert purge.purge_deleted(context, '7', 'days') == 1
    after = counts()
    # The credentials of both deleted ones have gone at once.
    assert after.pop('user_creds') == 1
    assert after == {name: number * 2 // 3 for name, number in before.items()
                     if name != 'user_creds'}
    assert stack.Stack.get_by_id(context, living.id) is not None


def test_purge_spares_what_living_stacks_share(context):
    old, living = make_stack(context), make_stack(context)
    stack.Stack.update_by_id(context, living.id, {
        'prev_raw_template_id': old.raw_template_id})
    delete(context, old, 2)
    purge.purge_deleted(context, 1)
    template = raw_template.RawTemplate.get_by_id(
        context, old.raw_template_id)
    assert template.files == {'f': 'x'}


def orphan(context, days):
    """Store a template as an update does that never began."""
    made = raw_template.RawTemplate.create(
        context, {'template': {'resources': {}}, 'files': {'f': 'orphan'}})
    with session.writer(context) as connection:
        connection.execute(models.RAW_TEMPLATE.update().where(
            models.RAW_TEMPLATE.c.id == made.id).values(
                created_at=timeutils.utcnow() -
                datetime.timedelta(days=days)))
    return made.id


def test_purge_removes_templates_that_nothing_refers_to(context):
    living = make_stack(context)
    before = counts()
    old = [orphan(context, 3) for _ in range(5)]
    young = orphan(context, 0.5)
    purge.purge_deleted(context, 1, project_id='project')
    assert raw_template.RawTemplate.get_by_id(context, old[0]) is not None
    purge.purge_deleted(context, 0, batch_size=2)
    assert not [one for one in old
                if raw_template.RawTemplate.get_by_id(context, one)]
    # What is just being stored is not referred to yet.
    assert raw_template.RawTemplate.get_by_id(context, young) is not None
    assert counts()['raw_template'] == before['raw_template'] + 1
    assert stack.Stack.get_by_id(context, living.id) is not None


def test_purge_works_in_batches_and_by_project(context):
    for _ in range(5):
        delete(context, make_stack(context), 2)
    delete(context, make_stack(context, tenant='other'), 2)
    before = session.counters()['commits']
    assert purge.purge_deleted(context, 0, 'seconds', 'project', 2) == 5
    assert session.counters()['commits'] - before >= 3
    assert counts()['stack'] == 1


def test_purge_deletes_many_rows_in_several_transactions(context,
                                                         monkeypatch):
    monkeypatch.setattr(purge, '_ROWS', 2)
    before = counts()
    one = make_stack(context)
    event.Event.create_many(context, [
        {'stack_id': one.id, 'resource_name': f'r{number}'}
        for number in range(5)])
    delete(context, one, 2)
    deleted = []

    @sa.event.listens_for(session.get_engine(), 'after_cursor_execute')
    def _note(_conn, cursor, statement, *_arguments):
        if statement.startswith('DELETE FROM event '):
            deleted.append(cursor.rowcount)

    assert purge.purge_deleted(context, 1) == 1
    assert deleted == [2, 2, 2]
    assert counts() == before


def test_purge_continues_where_it_was_interrupted(context, monkeypatch):
    before = counts()
    delete(context, make_stack(context), 2)
    interrupted = purge._purge_stacks
    monkeypatch.setattr(purge, '_purge_stacks', lambda *_arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        purge.purge_deleted(context, 1)
    assert counts()['event'] == before['event']
    assert counts()['stack'] == before['stack'] + 1
    monkeypatch.setattr(purge, '_purge_stacks', interrupted)
    assert purge.purge_deleted(context, 1) == 1
    assert counts() == before


def test_unused_templates_are_found_in_every_part_of_the_table(
        context, monkeypatch):
    monkeypatch.setattr(purge, '_LOOK', 2)
    make_stack(context)
    before = counts()
    first = [orphan(context, 3) for _ in range(3)]
    make_stack(context)
    last = orphan(context, 3)
    purge.purge_deleted(context, 0)
    assert not [one for one in [*first, last]
                if raw_template.RawTemplate.get_by_id(context, one)]
    # What the second stack and its resource use is left.
    assert counts()['raw_template'] == before['raw_template'] + 3


@pytest.mark.parametrize(('age', 'granularity'), [
    ('x', 'days'), (-1, 'days'), (1, 'weeks'), (10 ** 9, 'days')])
def test_purge_refuses_nonsense(context, age, granularity):
    with pytest.raises(exception.Error):
        purge.purge_deleted(context, age, granularity)


def test_reset_frees_the_whole_tree(context):
    root = make_stack(context, status='IN_PROGRESS')
    child = make_stack(context, status='IN_PROGRESS', owner_id=root.id)
    other = make_stack(context, status='IN_PROGRESS')
    stack_reset.reset_stack_status(context, root.id)
    for one in (root, child):
        row, = resource.Resource.get_all_by_stack(
            context, one.id, with_data=True).values()
        assert (row.status, row.engine_id, row.atomic_key, row.data) == (
            'FAILED', None, 4, {'value': 'x'})
        assert stack.Stack.get_by_id(context, one.id).status == 'FAILED'
        assert stack_lock.StackLock.get_engine_id(context, one.id) is None
    assert stack.Stack.get_by_id(context, other.id).status == 'IN_PROGRESS'
    assert stack_lock.StackLock.get_engine_id(context, other.id) == 'dead'


def test_reset_of_an_unknown_stack(context):
    with pytest.raises(exception.NotFound):
        stack_reset.reset_stack_status(context, 'x')


@pytest.mark.parametrize(('template', 'expected'), [
    (TEMPLATE, ['pw']), (None, []), ({}, []), ({'parameters': None}, []),
    ({'Parameters': {'a': {'NoEcho': 'true'}, 'b': {'NoEcho': 'False'},
                     'c': {}, 'd': None}}, ['a'])])
def test_hidden_parameters_are_found(template, expected):
    assert encryption.hidden_names(template) == expected


def stored_texts():
    with session.reader(None) as connection:
        return str([connection.execute(sa.text(
            f'SELECT * FROM {table.name}')).all()  # noqa: S608
            for table in models.METADATA.sorted_tables])


def test_secrets_are_encrypted_and_decrypted(context, capsys):
    one = make_stack(context)
    resource_properties_data.ResourcePropertiesData.create_many(
        context, [{'p': 'properties'}] * 3)
    with session.writer(None) as connection:
        connection.execute(models.RESOURCE.update().values(
            properties_data={'o': 'old'}))
    changed = encryption.encrypt_parameters_and_properties(
        context, KEY, batch_size=2, verbose=True)

    # Templates, properties, a resource, its data, files.
    assert changed == 3 + 5 + 1 + 2 + 1
    assert 'raw_template: 3' in capsys.readouterr().out
    assert 'geheim' not in stored_texts()
    assert "'properties'" not in stored_texts()
    assert "'old'" not in stored_texts()
    assert encryption.encrypt_parameters_and_properties(context, KEY) == 0
    with pytest.raises(exception.InvalidEncryptionKey):
        encryption.decrypt_parameters_and_properties(context, 'x' * 32)
    assert encryption.decrypt_parameters_and_properties(
        context, KEY) == changed
    template = raw_template.RawTemplate.get_by_id(
        context, one.raw_template_id)
    assert template.environment == {
        'parameters': {'pw': 'geheim', 'open': 'x'},
        'encrypted_param_names': []}
    assert encryption.decrypt_parameters_and_properties(context, KEY) == 0


#: Columns that may hold what is hidden.
DOCUMENTS = {
    ('raw_template', 'template'), ('raw_template', 'files'),
    ('raw_template_files', 'files'), ('resource', 'rsrc_metadata'),
    ('software_config', 'config'), ('software_deployment', 'input_values'),
    ('software_deployment', 'output_values'), ('sync_point', 'input_data'),
    ('sync_point', 'extra_data')}


@pytest.fixture
def documents(context):
    """Return (table, column): what is stored there, in the clear."""
    one = make_stack(context)
    config = software_config.SoftwareConfig.create(
        context, {'tenant': 'project', 'config': {}})
    software_deployment.SoftwareDeployment.create(context, {
        'tenant': 'project', 'server_id': 's', 'config_id': config.id,
        'stack_user_project_id': 'p', 'action': 'CREATE',
        'status': 'COMPLETE'})
    assert one.id
    with session.writer(None) as connection:
        for table, column in DOCUMENTS:
            connection.execute(models.METADATA.tables[table].update().values(
                {column: {'key': 'verborgen', 'list': [1, {'ü': None}]}}))
    return read_documents


def read_documents():
    with session.reader(None) as connection:
        return {(name, column): connection.execute(
            models.METADATA.tables[name].select()).first()._mapping[column]
            for name, column in DOCUMENTS}


def test_all_documents_are_encrypted_and_decrypted(context, documents):
    before = documents()
    assert 'verborgen' in stored_texts()
    assert encryption.encrypt_parameters_and_properties(context) > 0
    assert 'verborgen' not in stored_texts()
    assert documents() == before
    # Queries find metadata by their names.
    assert '"names": ["key", "list"]' in stored_texts()
    assert encryption.encrypt_parameters_and_properties(context) == 0
    assert encryption.decrypt_parameters_and_properties(context) > 0
    assert 'heat_sealed' not in stored_texts()
    assert documents() == before
    assert encryption.decrypt_parameters_and_properties(context) == 0


def test_documents_are_encrypted_when_they_are_written(
        context, documents, encrypting):
    assert 'verborgen' in stored_texts()
    before = documents()
    with session.writer(None) as connection:
        for (table, column), value in before.items():
            connection.execute(models.METADATA.tables[table].update().values(
                {column: value}))
    assert read_documents() == before
    assert 'verborgen' not in stored_texts()


def test_what_looks_like_ciphertext_is_a_document(context):
    one = make_stack(context)
    strange = {'heat_sealed': ['cryptography_decrypt_v1', 'x'], 'a': 1}

    def metadata():
        [row] = resource.Resource.get_all_by_stack(context, one.id).values()
        return row.rsrc_metadata

    [row] = resource.Resource.get_all_by_stack(context, one.id).values()
    resource.Resource.update_by_id(context, row.id,
                                   {'rsrc_metadata': strange})
    assert metadata() == strange
    encryption.encrypt_parameters_and_properties(context)
    encryption.decrypt_parameters_and_properties(context)
    assert metadata() == strange


def test_parameters_of_nested_stacks_are_encrypted(context):
    """Any of them may be made of something that is hidden above."""
    outer = make_stack(context)
    make_stack(context, owner_id=outer.id, name='inner')
    encryption.encrypt_parameters_and_properties(context)
    with session.reader(None) as connection:
        found = [row.environment['encrypted_param_names'] for row in
                 connection.execute(models.RAW_TEMPLATE.select()
                                    .order_by(models.RAW_TEMPLATE.c.id))]
    assert found == [['pw']] * 3 + [['pw', 'open']] * 3


def test_defaults_are_encrypted(context):
    """Which of them are hidden, only nested templates say."""
    made = raw_template.RawTemplate.create(context, {
        'template': TEMPLATE, 'environment': {
            'parameters': {}, 'parameter_defaults': {'x': 'geheim', 'n': 1}}})
    before = raw_template.RawTemplate.get_by_id(context, made.id).environment
    assert before['parameter_defaults'] == {'x': 'geheim', 'n': 1}
    assert encryption.encrypt_parameters_and_properties(context) == 1
    assert 'geheim' not in stored_texts()
    assert raw_template.RawTemplate.get_by_id(
        context, made.id).environment == before
    assert encryption.decrypt_parameters_and_properties(context) == 1
    assert raw_template.RawTemplate.get_by_id(
        context, made.id).environment == before


@pytest.fixture
def encrypting():
    """Have what is written from now on encrypted."""
    cfg.CONF.set_override('encrypt_parameters_and_properties', True)
    yield
    cfg.CONF.clear_override('encrypt_parameters_and_properties')


@pytest.fixture
def other_key():
    """Forget the key that a test has configured."""
    yield
    cfg.CONF.clear_override('auth_encryption_key')


def test_a_new_key_takes_the_place_of_the_old_one(context, other_key):
    """What is never in the clear can be read under the new key alone."""
    cfg.CONF.set_override('auth_encryption_key', KEY)
    stacked = make_stack(context)
    row = resource.Resource.create(context, {
        'stack_id': stacked.id, 'name': 'r', 'action': 'CREATE',
        'status': 'COMPLETE', 'root_stack_id': stacked.id})
    resource_data.ResourceData.set(context, row.id, 'k', 'geheim', True)
    resource_data.ResourceData.set(context, row.id, 'open', 'open')
    context.password, context.username = 'geheim', 'user'
    creds = user_creds.UserCreds.create(context)
    taken = snapshot.Snapshot.create(context, {
        'stack_id': stacked.id, 'tenant': 'project',
        'data': {'a': 'geheim'}})
    resource_snapshot.ResourceSnapshot.create(context, {
        'snapshot_id': taken.id, 'resource_name': 'r',
        'data': {'b': 'geheim'}})
    inherited = secrecy.Inherited(frozenset(['n']), frozenset(['geheim']))
    nested = make_template(context, environment={
        'parameters': {}, **stored_secrets.stored(inherited)})
    new_key = 'n' * 32
    assert encryption.change_key(context, KEY, new_key, batch_size=1) == 6
    # Interrupted and begun again, it goes on.
    assert encryption.change_key(context, KEY, new_key) == 0
    with pytest.raises(exception.InvalidEncryptionKey):
        encryption.change_key(context, 'x' * 32, 'y' * 32)
    with pytest.raises(exception.InvalidEncryptionKey):
        resource_data.ResourceData.get_all(context, row.id)
    cfg.CONF.set_override('auth_encryption_key', new_key)
    assert stored_secrets.inherited_of(raw_template.RawTemplate.get_by_id(
        context, nested.id).environment) == inherited
    assert resource_data.ResourceData.get_all(context, row.id) == {
        'k': 'geheim', 'open': 'open'}
    assert user_creds.UserCreds.get_by_id(
        context, creds.id).password == 'geheim'
    assert snapshot.Snapshot.get_by_id(context, taken.id).data == {
        'a': 'geheim'}
    assert resource_snapshot.ResourceSnapshot.get_all(
        context, taken.id)[0].data == {'b': 'geheim'}
    with session.reader(None) as connection:
        for table in (models.USER_CREDS, models.SNAPSHOT,
                      models.RESOURCE_SNAPSHOT, models.RESOURCE_DATA):
            assert 'geheim' not in str(
                connection.execute(table.select()).all())
