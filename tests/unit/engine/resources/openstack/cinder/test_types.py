"""Types of volumes, what belongs to them, and quotas."""
import pytest

TYPE = """
resources:
  type:
    type: OS::Cinder::VolumeType
    properties: {name: fast, %s}
"""


def test_projects_may_use_a_type(engine, storage):
    stack = engine.create(TYPE % (
        'is_public: false, projects: [demo], metadata: {a: b, c: d}'))
    its_id = stack['type'].resource_id
    assert storage.access == {(its_id, 'demo-id')}
    stack = engine.update(stack, TYPE % (
        'is_public: false, projects: [other], metadata: {a: e}'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert storage.access == {(its_id, 'other-id')}
    assert storage.things['type', its_id]['extra_specs'] == {'a': 'e'}


def test_type_becomes_public(engine, storage):
    stack = engine.create(TYPE % 'is_public: false')
    engine.update(stack, TYPE % 'is_public: true, description: new')
    assert storage.done == [{'volume_type': {'is_public': True,
                                             'description': 'new'}}]


def test_public_type_names_no_projects(engine, storage):
    with pytest.raises(Exception, match='public'):
        engine.create(TYPE % 'projects: [demo]')


SPECS = """
resources:
  specs: {type: OS::Cinder::QoSSpecs, properties: {specs: %s}}
  association:
    type: OS::Cinder::QoSAssociation
    properties: {qos_specs: {get_resource: specs}, volume_types: %s}
"""


def test_specs_are_associated(engine, storage):
    for name in ('fast', 'slow'):
        storage.create_type(id=name + '-id', name=name)
    stack = engine.create(SPECS % ('{read: 1, write: 2}', '[fast]'))
    specs_id = stack['specs'].resource_id
    assert storage.body('create')['read'] == 1
    assert storage.access == {(specs_id, 'fast-id')}
    stack = engine.update(stack, SPECS % ('{read: 3}', '[slow]'))
    assert storage.body('update') == {'read': 3}
    assert storage.done == [('unset', ['write'])]
    assert storage.access == {(specs_id, 'slow-id')}
    engine.delete(stack)
    assert not storage.access
    assert ('qos_spec', specs_id) not in storage.things


def test_volumes_of_a_type_are_encrypted(engine, storage):
    storage.create_type(id='safe-id', name='safe')
    stack = engine.create("""
resources:
  encryption:
    type: OS::Cinder::EncryptedVolumeType
    properties: {volume_type: safe, provider: luks}
""")
    assert stack['encryption'].resource_id == 'safe-id'
    engine.delete(stack)
    assert storage.done == [
        ('encrypt', 'safe-id', {'provider': 'luks',
                                'control_location': 'front-end'}),
        ('decrypt', 'safe-id')]


QUOTA = """
resources:
  quota: {type: OS::Cinder::Quota, properties: {project: demo, %s}}
"""


def test_quota_is_set_changed_and_reset(engine, storage):
    stack = engine.create(QUOTA % 'volumes: 5')
    stack = engine.update(stack, QUOTA % 'volumes: 6, gigabytes: -1')
    engine.delete(stack)
    assert storage.done == [
        ('demo-id', {'volumes': 5}),
        ('demo-id', {'volumes': 6, 'gigabytes': -1}),
        ('revert', 'demo-id')]


def test_quota_below_what_is_used_is_refused(engine, storage):
    storage.usage = {'volumes': 7}
    stack = engine.create(QUOTA % 'volumes: 5')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'volumes (5 < 7)' in stack.status_reason


def test_quota_of_nothing_is_refused(engine, storage):
    with pytest.raises(Exception, match='At least one'):
        engine.create(QUOTA.replace(', %s', ''))
