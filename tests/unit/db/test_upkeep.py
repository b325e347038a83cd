"""What operators have done to a database: purge, reset, update_params."""
import datetime

from oslo_config import cfg
from oslo_utils import timeutils
import pytest
import sqlalchemy as sa

from heat.common import exception
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
from heat.objects import stack
from heat.objects import stack_lock
from heat.objects import sync_point
from heat.objects import user_creds

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
        'name': 's', 'raw_template_id': template.id, 'tenant': 'project',
        'disable_rollback': True, 'user_creds_id': creds.id, 'tags': ['t'],
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


def test_purge_works_in_batches_and_by_project(context):
    for _ in range(5):
        delete(context, make_stack(context), 2)
    delete(context, make_stack(context, tenant='other'), 2)
    before = session.counters()['commits']
    assert purge.purge_deleted(context, 0, 'seconds', 'project', 2) == 5
    assert session.counters()['commits'] - before >= 3
    assert counts()['stack'] == 1


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
        return str([connection.execute(table.select()).all() for table in (
            models.RAW_TEMPLATE, models.PROPERTIES_DATA, models.RESOURCE)])


def test_secrets_are_encrypted_and_decrypted(context, capsys):
    one = make_stack(context)
    resource_properties_data.ResourcePropertiesData.create_many(
        context, [{'p': 'properties'}] * 3)
    with session.writer(None) as connection:
        connection.execute(models.RESOURCE.update().values(
            properties_data={'o': 'old'}))
    changed = encryption.encrypt_parameters_and_properties(
        context, KEY, batch_size=2, verbose=True)

    assert changed == 3 + 5 + 1
    assert 'raw_template: 3' in capsys.readouterr().out
    assert 'geheim' not in stored_texts()
    assert "'properties'" not in stored_texts()
    assert "'old'" not in stored_texts()
    assert encryption.encrypt_parameters_and_properties(context, KEY) == 0
    with pytest.raises(exception.InvalidEncryptionKey):
        encryption.decrypt_parameters_and_properties(context, 'x' * 32)
    assert encryption.decrypt_parameters_and_properties(context, KEY) == 9
    template = raw_template.RawTemplate.get_by_id(
        context, one.raw_template_id)
    assert template.environment == {
        'parameters': {'pw': 'geheim', 'open': 'x'},
        'encrypted_param_names': []}
    assert encryption.decrypt_parameters_and_properties(context, KEY) == 0


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
    new_key = 'n' * 32
    assert encryption.change_key(context, KEY, new_key, batch_size=1) == 5
    # Interrupted and begun again, it goes on.
    assert encryption.change_key(context, KEY, new_key) == 0
    with pytest.raises(exception.InvalidEncryptionKey):
        encryption.change_key(context, 'x' * 32, 'y' * 32)
    with pytest.raises(exception.InvalidEncryptionKey):
        resource_data.ResourceData.get_all(context, row.id)
    cfg.CONF.set_override('auth_encryption_key', new_key)
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
