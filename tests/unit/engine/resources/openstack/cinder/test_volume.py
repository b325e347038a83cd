"""Volumes: made, changed, attached, backed up and restored."""
import pytest

from heat.common import change_set_errors
from heat.engine.drivers import select as stack_driver
from heat.engine.lifecycle import decision
from heat.engine.stacks import snapshots
from heat.objects import snapshot as snapshot_objects
from tests.fakes import cloud
from tests.unit.engine.resources import imported

VOLUME = """
resources:
  volume:
    type: OS::Cinder::Volume
    properties: {%s}
outputs:
  status: {value: {get_attr: [volume, status]}}
  metadata: {value: {get_attr: [volume, metadata]}}
"""

ATTACHED = VOLUME.partition('outputs')[0] + """
  attached:
    type: OS::Cinder::VolumeAttachment
    properties:
      instance_uuid: %s
      volume_id: {get_resource: volume}
      mountpoint: /dev/vdb
"""


def text(properties):
    return VOLUME % properties


def kept(storage, stack):
    return storage.things['volume', stack['volume'].resource_id]


def test_volume_is_made_and_deleted(engine, storage):
    storage.script['volume going'] = ['deleting']
    storage.create_type(id='fast-id', name='fast')
    stack = engine.create(text(
        'size: 2, name: data, image: cirros, metadata: {a: b}, '
        'read_only: true, volume_type: fast'))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert storage.body('create') == {
        'size': 2, 'name': 'data', 'metadata': {'a': 'b'},
        'imageRef': 'image-id', 'volume_type': 'fast'}
    assert kept(storage, stack)['readonly'] is True
    assert engine.values(stack) == {'status': 'available',
                                    'metadata': '{"a": "b"}'}
    engine.delete(stack)
    assert not [key for key in storage.things if key[0] == 'volume']


@pytest.mark.parametrize('end', ['available', 'error_restoring'])
def test_busy_volume_is_deleted_when_it_is_at_rest(engine, storage, end):
    stack = engine.create(text('size: 1'))
    its_id = stack['volume'].resource_id
    storage._set(its_id, _next=['restoring-backup', 'restoring-backup', end])
    storage.trouble['delete_volume'] = [
        cloud.refusal(400, {'badRequest': {'message': 'Invalid volume'}})
        for _number in range(2)]
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not storage.of('volume')


def test_volume_that_is_not_deleted_for_another_reason(engine, storage):
    stack = engine.create(text('size: 1'))
    storage._set(stack['volume'].resource_id, _next=['in-use'])
    storage.trouble['delete_volume'] = [
        cloud.refusal(400, {'badRequest': {'message': 'It is attached'}})]
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'It is attached' in stack.status_reason


def test_volume_in_error_fails(engine, storage):
    storage.script['volume'] = ['creating', 'error']
    stack = engine.create(text('size: 1'))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'error' in stack.status_reason


@pytest.mark.parametrize('properties', [
    '', 'image: cirros', 'snapshot_id: s, backup_id: b, size: 1',
    'snapshot_id: s, source_volid: v'])
def test_origin_and_size_fit(engine, storage, properties):
    for kind, name in (('snapshot', 's'), ('backup', 'b'), ('volume', 'v')):
        getattr(storage, 'create_' + kind)(id=name)
    storage.log.clear()
    with pytest.raises(Exception, match='size'):
        engine.create(text(properties))
    assert not storage.requests('create')


EXTERNAL = """
heat_template_version: wallaby
resources:
  volume:
    type: OS::Cinder::Volume
    external_id: %s
    properties: {%s}
outputs:
  status: {value: {get_attr: [volume, status]}}
"""


def test_volume_of_somebody_else_is_left_alone(engine, storage):
    """Its properties are not checked, whichever method would check them."""
    storage.script['volume'] = ['available']
    its_id = storage.create_volume(name='there', size=4).id
    before = dict(storage.things['volume', its_id])
    storage.log.clear()
    stack = engine.create(EXTERNAL % (its_id, ''))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert stack['volume'].resource_id == its_id
    assert engine.values(stack) == {'status': 'available'}
    stack = engine.update(stack, EXTERNAL % (its_id, 'image: none, size: 9'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    engine.delete(stack)
    assert not storage.requests('create', 'update', 'delete')
    assert storage.things == {('volume', its_id): before}


def test_changes_are_made_in_place(engine, storage):
    storage.create_type(id='fast-id', name='fast')
    stack = engine.create(text('size: 1, metadata: {a: b, c: d}'))
    its_id = stack['volume'].resource_id
    stack = engine.update(stack, text(
        'size: 3, metadata: {a: e}, volume_type: fast, name: other, '
        'read_only: true'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    volume = kept(storage, stack)
    assert volume['id'] == its_id
    assert storage.done == ['retype', 'extend']
    assert (volume['size'], volume['metadata'], volume['volume_type'],
            volume['name'], volume['readonly'], volume['status']) == (
        3, {'a': 'e'}, 'fast-id', 'other', True, 'available')


@pytest.mark.parametrize(('properties', 'flag', 'changed'), [
    ('size: 1', 'False', set()), ('size: 1', None, set()),
    ('size: 1', 'True', set()),
    ('size: 1, read_only: false', 'False', set()),
    ('size: 1, read_only: true', 'False', {'read_only'})])
def test_flag_that_nobody_asks_for_is_no_change(
        engine, storage, properties, flag, changed):
    """Cinder cannot set the flag of a volume in use."""
    stack = engine.create(text(properties))
    metadata = {'readonly': flag} if flag else {}
    next(thing for (kind, _id), thing in storage.things.items()
         if kind == 'volume').update(metadata=metadata)
    found = decision.gather(stack['volume'], stack['volume'].t,
                            converge=True)
    assert found.prop_diff.keys() == changed


def test_volume_does_not_shrink(engine, storage):
    stack = engine.create(text('size: 2'))
    stack = engine.update(stack, text('size: 1'))
    assert stack.state == ('UPDATE', 'FAILED')
    assert 'Shrinking' in stack.status_reason


def test_attached_volume_grows_without_its_server(engine, storage, servers):
    stack = engine.create(ATTACHED % ('size: 1', 'server-1'))
    its_id = stack['volume'].resource_id
    assert servers.attached == [('server-1', its_id, '/dev/vdb')]
    stack = engine.update(stack, ATTACHED % ('size: 2', 'server-1'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert storage.done == ['extend']
    assert servers.attached == [('server-1', its_id, '/dev/vdb')]


def test_volume_moves_to_another_server(engine, storage, servers):
    stack = engine.create(ATTACHED % ('size: 1', 'server-1'))
    its_id = stack['volume'].resource_id
    stack = engine.update(stack, ATTACHED % ('size: 1', 'server-2'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert servers.attached == [('server-2', its_id, '/dev/vdb')]
    engine.delete(stack)
    assert not servers.attached
    assert not storage.things


def test_volume_is_detached_when_its_server_allows_it(engine, storage,
                                                      servers):
    """A server that is being suspended refuses for as long as it takes."""
    stack = engine.create(ATTACHED % ('size: 1', 'server-1'))
    servers.refusals = 20
    stack = engine.update(stack, ATTACHED % ('size: 2', 'server-1'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    servers.refusals = 20
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not servers.refusals
    assert not storage.things


def test_nova_confirms_the_end_of_an_attachment_if_the_stack_stays(
        engine, storage, servers):
    """It refuses to attach a volume that it knows to be attached."""
    attached = ATTACHED % ('size: 1', 'server-1')
    stack = engine.create(attached)
    without = attached.partition('  attached:')[0]
    servers.shown.clear()
    stack = engine.update(stack, without)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert servers.shown == [('server-1', stack['volume'].resource_id)]
    stack = engine.update(stack, attached)
    servers.shown.clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not servers.shown
    assert not servers.attached


def test_backup_becomes_a_volume(engine, storage):
    backup_id = storage.create_backup(name='old').id
    stack = engine.create(text('backup_id: %s, name: new' % backup_id))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert kept(storage, stack)['restored'] == backup_id
    assert kept(storage, stack)['name'] == 'new'


def test_deletion_policy_leaves_a_backup(engine, storage):
    stack = engine.create("""
resources:
  volume:
    type: OS::Cinder::Volume
    deletion_policy: Snapshot
    properties: {size: 1}
""")
    its_id = stack['volume'].resource_id
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert [(kind, each['volume_id']) for (kind, _id), each
            in storage.things.items()] == [('backup', its_id)]


def test_snapshot_is_restored_from_its_backup(engine, storage):
    stack = engine.create(text('size: 1'))
    row = snapshots.create_row(engine.context, stack, 'snap')
    stack.snapshot(row)
    engine.pool.run()
    backups = [each['id'] for (kind, _id), each in storage.things.items()
               if kind == 'backup']
    stack = engine.reload(stack)
    assert stack.state == ('SNAPSHOT', 'COMPLETE')
    row = snapshot_objects.Snapshot.get_by_id(engine.context, row.id)
    stack.restore(row, snapshots.restored_stack(stack, row))
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('RESTORE', 'COMPLETE')
    assert [kept(storage, stack)['restored']] == backups
    stack_driver.of(stack).delete_snapshot(stack, row)
    engine.pool.run()
    assert not [key for key in storage.things if key[0] == 'backup']


def test_volume_is_imported_with_its_attachment(engine, storage, servers):
    """Both have the same id."""
    text = ATTACHED % ('size: 1', 'server-1')
    ids = imported.forgotten(engine, text)
    assert ids['volume'] == ids['attached']
    assert imported.planned(engine, text, ids) == {
        'volume': ('keep', []), 'attached': ('keep', [])}
    storage.log.clear()
    stack = imported.imported(engine, text, ids)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert storage.requests('create', 'update', 'delete') == []
    by_id = text.replace('{get_resource: volume}', ids['volume'])
    for name in ids:
        with pytest.raises(change_set_errors.ImportNotPossible,
                           match=f'it is the resource "{name}"'):
            imported.planned(engine, by_id, {name: ids[name]})


def test_volume_that_is_not_attached_is_no_attachment(engine, storage,
                                                      servers):
    ids = imported.forgotten(engine, VOLUME.partition('outputs')[0] %
                             'size: 1')
    with pytest.raises(change_set_errors.ImportNotPossible,
                       match='no such OS::Cinder::VolumeAttachment'):
        imported.planned(engine, ATTACHED % ('size: 1', 'server-1'), {
            **ids, 'attached': ids['volume']})
