"""Containers of Swift."""
import pytest

from heat.engine.clients.os import swift as swift_plugin
from heat.engine.resources.openstack.swift import container
from tests.fakes import swift as fake_swift

CONTAINER = """
resources:
  it:
    type: OS::Swift::Container
    properties: {%s}
outputs:
  ref: {value: {get_resource: it}}
  host: {value: {get_attr: [it, DomainName]}}
  url: {value: {get_attr: [it, WebsiteURL]}}
  root: {value: {get_attr: [it, RootURL]}}
  objects: {value: {get_attr: [it, ObjectCount]}}
  bytes: {value: {get_attr: [it, BytesUsed]}}
  head: {value: {get_attr: [it, HeadContainer]}}
"""


@pytest.fixture
def storage():
    return fake_swift.Swift()


@pytest.fixture
def engine(cloud_engine, storage):
    cloud_engine.use(storage, swift_plugin.SwiftClientPlugin, container)
    return cloud_engine


def test_container_with_all_it_can_have(engine, storage):
    stack = engine.create(CONTAINER % (
        'name: my c, X-Container-Read: ".r:*", X-Container-Write: "p:u", '
        'X-Container-Meta: {web-index: a.html, n: 1}, '
        'X-Account-Meta: {Quota: 7}'))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert storage.headers == {
        '': {'X-Account-Meta-Quota': '7'},
        'my c': {'X-Container-Read': '.r:*', 'X-Container-Write': 'p:u',
                 'X-Container-Meta-web-index': 'a.html',
                 'X-Container-Meta-n': '1'}}
    values = engine.values(stack)
    head = values.pop('head')
    assert head['x-container-read'] == '.r:*'
    assert values == {
        'ref': 'my c', 'host': 'swift', 'objects': 0, 'bytes': 0,
        'url': 'http://swift:8080/v1/AUTH_p/my%20c',
        'root': 'http://swift:8080/v1/AUTH_p'}
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'COMPLETE')
    engine.delete(engine.reload(stack))
    assert storage.containers == {}


def test_container_named_by_us_is_replaced(engine, storage):
    stack = engine.create(CONTAINER % '')
    [name] = storage.containers
    assert name.startswith('st-it-')
    stack = engine.update(stack, CONTAINER % 'X-Container-Read: ".r:*"')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert name not in storage.containers
    assert len(storage.containers) == 1


def test_container_that_is_gone(engine, storage):
    stack = engine.create(CONTAINER % 'name: c')
    storage.delete_container('c')
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'FAILED')
    assert engine.delete(engine.reload(stack)).state == (
        'DELETE', 'COMPLETE')


def test_container_with_objects_stays(engine, storage):
    stack = engine.create(CONTAINER % 'name: c')
    storage.upload_object('c', 'o', 'x')
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'not empty, without PurgeOnDelete' in stack.status_reason
    assert list(storage.containers['c']) == ['o']


@pytest.mark.parametrize('bulk', [True, False])
def test_container_is_purged(engine, storage, bulk):
    if not bulk:
        del storage.info['bulk_delete']
    stack = engine.create(CONTAINER % 'name: c, PurgeOnDelete: true')
    for number in range(25):
        storage.upload_object('c', 'o/%d' % number, 'x')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert storage.containers == {}


def test_drift_is_seen(engine, storage):
    stack = engine.create(CONTAINER % (
        'name: c, X-Container-Meta: {a: b}, X-Account-Meta: {k: v}'))
    found = stack['it']
    assert found.get_live_state(found.properties) == {
        'X-Container-Read': None, 'X-Container-Write': None,
        'X-Container-Meta': {'a': 'b'}, 'X-Account-Meta': {'k': 'v'}}
    storage.headers['c'] = {'X-Container-Read': 'x'}
    storage.headers[''] = {}
    assert found.get_live_state(found.properties) == {
        'X-Container-Read': 'x', 'X-Container-Write': None,
        'X-Container-Meta': {}, 'X-Account-Meta': {}}
