"""Queues of Zaqar, subscriptions, and permissions."""
import pytest

from heat.engine.clients.os import zaqar as zaqar_plugin
from heat.engine.resources.openstack.zaqar import queue
from heat.engine.resources.openstack.zaqar import subscription
from tests.fakes import swift as fake_storage

STACK = """
resources:
  queue:
    type: OS::Zaqar::Queue
    properties: {%s}
  subscription:
    type: OS::Zaqar::Subscription
    properties: {queue_name: {get_resource: queue}, %s}
outputs:
  ref: {value: {get_resource: queue}}
  href: {value: {get_attr: [queue, href]}}
"""
TO = 'subscriber: "http://a/"'


@pytest.fixture
def storage():
    return fake_storage.Zaqar()


@pytest.fixture
def engine(cloud_engine, storage):
    cloud_engine.use(zaqar_plugin.Queues(storage),
                     zaqar_plugin.ZaqarClientPlugin, queue, subscription)
    return cloud_engine


def test_queue_and_subscription(engine, storage):
    stack = engine.create(STACK % ('name: q, metadata: {a: 1}', TO))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert storage.metadata == {'q': {'a': 1}}
    [kept] = storage.subscriptions.values()
    assert kept == {'source': 'q', 'subscriber': 'http://a/',
                    'ttl': 220367260800, 'options': {}}
    assert engine.values(stack) == {
        'ref': 'q', 'href': 'http://zaqar:8888/v2/queues/q'}
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'COMPLETE')
    engine.delete(stack)
    assert storage.queues == storage.subscriptions == {}


def test_changes_are_made_in_place(engine, storage):
    stack = engine.create(STACK % ('metadata: {a: 1}', TO))
    [name], [key] = storage.queues, storage.subscriptions
    assert len(name) <= 64
    stack = engine.update(stack, STACK % (
        'metadata: {b: 2}',
        'subscriber: "mailto:x@y", ttl: 60, options: {from: z}'))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert storage.metadata == {name: {'b': 2}}
    assert storage.subscriptions == {key: {
        'source': name, 'subscriber': 'mailto:x@y', 'ttl': 60,
        'options': {'from': 'z'}}}
    stack = engine.update(stack, STACK % ('', TO))
    assert storage.metadata == {name: {}}
    assert storage.subscriptions[key]['options'] == {}
    assert storage.subscriptions[key]['ttl'] == 220367260800


def test_other_name_is_another_queue(engine, storage):
    stack = engine.create(STACK % ('name: q', TO))
    engine.update(stack, STACK % ('name: r', TO))
    assert list(storage.queues) == ['r']
    [kept] = storage.subscriptions.values()
    assert kept['source'] == 'r'


@pytest.mark.parametrize('subscriber', [
    'nowhere', 'ftp://a/', 'http:a', 'trust+mailto:x'])
def test_subscriber_that_nobody_can_send_to(engine, subscriber):
    with pytest.raises(Exception, match='trust[+]https'):
        engine.create(STACK % ('', 'subscriber: "%s"' % subscriber))


def test_subscription_that_is_gone(engine, storage):
    stack = engine.create(STACK % ('', TO))
    storage.subscriptions.clear()
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_drift_is_seen(engine, storage):
    stack = engine.create(STACK % ('metadata: {a: 1}', TO))
    found = stack['queue']
    assert found.get_live_state(found.properties) == {'metadata': {'a': 1}}
    found = stack['subscription']
    [key] = storage.subscriptions
    storage.subscriptions[key]['ttl'] = 60
    assert found.get_live_state(found.properties)['ttl'] == 60


SIGNED = """
resources:
  it: {type: OS::Zaqar::SignedQueueURL, properties: {queue: q, %s}}
outputs:
  paths: {value: {get_attr: [it, paths]}}
  methods: {value: {get_attr: [it, methods]}}
  project: {value: {get_attr: [it, project]}}
  signature: {value: {get_attr: [it, signature]}}
  query: {value: {get_attr: [it, query_str]}}
"""


def test_signed_url(engine, storage):
    stack = engine.create(SIGNED % (
        'paths: [messages, claims], methods: [GET, POST], ttl: 60'))
    [asked] = storage.shared
    assert asked['paths'] == ['messages', 'claims']
    assert asked['expires'].startswith('20')
    values = engine.values(stack)
    assert 'signature=signed&expires=20' in values.pop('query')
    assert values == {
        'paths': '/v2/queues/q/messages,/v2/queues/q/claims',
        'methods': 'GET,POST', 'project': 'p', 'signature': 'signed'}
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_signed_url_as_the_service_likes(engine, storage):
    engine.create(SIGNED % '')
    assert storage.shared == [{}]
