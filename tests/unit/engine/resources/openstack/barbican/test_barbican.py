"""Secrets, containers of them, and orders."""
import logging

from openstack import exceptions
from openstack.key_manager.v1 import container as sdk_container
from openstack.key_manager.v1 import order as sdk_order
from openstack.key_manager.v1 import secret as sdk_secret
import pytest

from heat.engine.clients.os import barbican
from heat.engine.resources.openstack.barbican import certificate_container
from heat.engine.resources.openstack.barbican import generic_container
from heat.engine.resources.openstack.barbican import order
from heat.engine.resources.openstack.barbican import rsa_container
from heat.engine.resources.openstack.barbican import secret
from heat.engine.rpc import events as service_events
from heat.engine.stacks import events as stack_events
from heat.objects import event as event_objects
from tests.fakes import cloud

URL = 'http://keys/v1/'
PAYLOAD = 'correct horse battery'

SECRET = """
resources:
  secret:
    type: OS::Barbican::Secret
    properties:
      {name: s, payload: %s, payload_content_type: text/plain}
outputs:
  ref: {value: {get_resource: secret}}
  status: {value: {get_attr: [secret, status]}}
  shown: {value: {get_attr: [secret, show]}}
  payload: {value: {get_attr: [secret, decrypted_payload]}}
""" % PAYLOAD


class Answer:
    status_code = 200

    def __init__(self, values):
        self._values = values

    def json(self):
        return self._values


class Keys(cloud.FakeService):
    """Barbican in memory: things have references."""

    #: Types of openstacksdk, which know what can be sent.
    SDK = {'secret': sdk_secret.Secret, 'order': sdk_order.Order,
           'container': sdk_container.Container}

    #: What is said to be the payload, instead of what was given.
    payload = None

    def _get(self, entity, thing_id, *parents):
        found = super()._get(entity, thing_id, *parents).to_dict()
        return cloud.Thing({**found,
                            'payload': self.payload or found['payload']})

    def _create(self, entity, *parents, **values):
        unknown = values.keys() - set(self.SDK[entity]._body_mapping())
        assert not unknown
        created = super()._create(entity, *parents, **values)
        kept = self.things[entity, created.id]
        kept[entity + '_ref'] = '%s%ss/%s' % (URL, entity, created.id)
        return cloud.Thing(dict(kept))

    def get(self, url):
        kind, _slash, thing_id = url.strip('/').partition('/')
        self.log.append(('show', kind, thing_id))
        found = self._shown(kind.removesuffix('s'), thing_id).to_dict()
        found.pop('payload', None)
        return Answer(found)

    def put(self, payload, **values):
        return self.create_secret(payload=payload, **values).secret_ref


@pytest.fixture
def keys():
    return Keys()


@pytest.fixture
def engine(cloud_engine, keys):
    cloud_engine.use(keys, barbican.BarbicanClientPlugin,
                     certificate_container, generic_container, order,
                     rsa_container, secret)
    return cloud_engine


def one(kind, properties, *attributes):
    text = 'resources:\n  it: {type: "OS::Barbican::%s", properties: {%s}}' % (
        kind, properties)
    if attributes:
        text += '\noutputs:' + ''.join(
            '\n  %s: {value: {get_attr: [it, %s]}}' % (name, name)
            for name in attributes)
    return text


def test_secret_is_known_by_its_reference(engine, keys, caplog):
    caplog.set_level(logging.DEBUG)
    stack = engine.create(SECRET)
    assert stack.state == ('CREATE', 'COMPLETE')
    assert keys.body('create') == {
        'name': 's', 'payload': PAYLOAD, 'secret_type': 'opaque',
        'payload_content_type': 'text/plain'}
    values = engine.values(stack)
    (_entity, secret_id), = keys.things
    assert values['ref'] == stack['secret'].resource_id == (
        URL + 'secrets/' + secret_id)
    assert values['status'] == 'ACTIVE'
    assert values['payload'] == PAYLOAD
    assert values['shown']['name'] == 's'
    assert PAYLOAD not in str(values['shown'])
    assert PAYLOAD not in caplog.text
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'COMPLETE')
    engine.delete(engine.reload(stack))
    assert not keys.things


def test_other_payload_is_another_secret(engine, keys):
    stack = engine.create(SECRET)
    before = stack['secret'].resource_id
    stack = engine.update(stack, SECRET.replace(PAYLOAD, 'other'))
    assert stack['secret'].resource_id != before
    assert len(keys.things) == 1


def test_refused_secret_does_not_tell_the_payload(engine, keys, caplog):
    caplog.set_level(logging.DEBUG)
    keys.trouble['create_secret'] = [exceptions.BadRequestException('no')]
    stack = engine.create(SECRET)
    assert stack.state == ('CREATE', 'FAILED')
    assert PAYLOAD not in stack.status_reason
    assert PAYLOAD not in caplog.text


def test_events_do_not_tell_the_payload(engine, keys, monkeypatch):
    told = []
    monkeypatch.setattr(
        stack_events, 'dispatch',
        lambda stack, values, properties=None: told.append(properties))
    stack = engine.create(SECRET)
    assert PAYLOAD not in str(told)
    assert '******' in str(told)
    rows = event_objects.Event.get_all_by_stack(engine.context, stack.id)
    shown = [service_events.EventQueries().list_events(
        engine.context, dict(stack.identifier()), {'uuid': row.uuid})
        for row in rows]
    assert PAYLOAD not in str(shown)
    assert "'payload': '******'" in str(shown)
    assert "'name': 's'" in str(shown)
    changed = engine.update(stack, SECRET)
    assert changed['secret'].resource_id == stack['secret'].resource_id


@pytest.mark.parametrize(('payload', 'text'), [
    (b'abc', 'abc'), (b'\xff\x00', '/wA='), ('abc', 'abc')])
def test_payload_is_text(engine, keys, payload, text):
    keys.payload = payload
    stack = engine.create(SECRET)
    assert engine.values(stack)['payload'] == text


def test_containers_name_their_secrets(engine, keys):
    refs = [keys.put(name) for name in ('key', 'public', 'certificate')]
    stack = engine.create(one(
        'CertificateContainer', 'name: c, certificate_ref: "%s", '
        'private_key_ref: "%s"' % (refs[2], refs[0]), 'secret_refs',
        'container_ref', 'status'))
    body = keys.body('create')
    assert (body['type'], body['name']) == ('certificate', 'c')
    values = engine.values(stack)
    assert values == {
        'secret_refs': {'certificate': refs[2], 'private_key': refs[0]},
        'container_ref': stack['it'].resource_id, 'status': 'ACTIVE'}
    engine.delete(stack)
    assert {entity for entity, _id in keys.things} == {'secret'}


def test_pair_of_keys(engine, keys):
    ref = keys.put('public')
    engine.create(one('RSAContainer', 'public_key_ref: "%s"' % ref))
    body = keys.body('create')
    assert body['type'] == 'rsa'
    assert body['secret_refs'] == [{'name': 'public_key', 'secret_ref': ref}]


def test_container_of_any_secrets(engine, keys):
    ref = keys.put('x')
    keys.script['container'] = ['PENDING', 'PENDING', 'ACTIVE']
    secrets = 'secrets: [{name: a, ref: "%s"}, {name: %s, ref: "%s"}]'
    stack = engine.create(one('GenericContainer', secrets % (ref, 'b', ref),
                              'secret_refs'))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert keys.body('create')['type'] == 'generic'
    assert engine.values(stack)['secret_refs'] == {'a': ref, 'b': ref}
    with pytest.raises(Exception, match='several secrets'):
        engine.create(one('GenericContainer', secrets % (ref, 'a', ref)))


def test_container_of_an_unknown_secret_is_refused(engine, keys):
    with pytest.raises(Exception, match='Secret'):
        engine.create(one('RSAContainer',
                          'public_key_ref: "%ssecrets/none"' % URL))


def test_order_makes_keys(engine, keys):
    keys.script['order'] = ['PENDING', 'PENDING', 'ACTIVE']
    stack = engine.create(one(
        'Order', 'name: o, type: asymmetric, algorithm: rsa, '
        'bit_length: 2048', 'public_key', 'private_key', 'container_ref'))
    assert stack.state == ('CREATE', 'COMPLETE')
    assert keys.body('create') == {'type': 'asymmetric', 'meta': {
        'name': 'o', 'algorithm': 'rsa', 'bit_length': 2048}}
    made = keys.create_container(type='rsa', secret_refs=[
        {'name': 'public_key', 'secret_ref': keys.put('ssh-rsa AAAA')}])
    order_id = stack['it'].resource_id.rpartition('/')[2]
    keys.things['order', order_id]['container_ref'] = made.container_ref
    assert engine.values(stack) == {
        'public_key': 'ssh-rsa AAAA', 'private_key': None,
        'container_ref': made.container_ref}
    engine.delete(stack)
    assert ('order', order_id) not in keys.things


def test_failed_order_fails(engine, keys):
    keys.script['order'] = ['PENDING', 'ERROR']
    stack = engine.create(one(
        'Order', 'type: key, algorithm: aes, bit_length: 256'))
    assert stack.state == ('CREATE', 'FAILED')


@pytest.mark.parametrize(('kind', 'properties', 'wrong'), [
    ('Secret', 'payload: a', 'payload_content_type'),
    ('Secret', 'payload_content_type: text/plain', 'payload'),
    ('Secret', 'payload: a, payload_content_type: application/octet-stream',
     'payload_content_encoding'),
    ('Order', 'type: key, algorithm: aes', 'bit_length'),
    ('Order', 'type: key, algorithm: aes, bit_length: 8, pass_phrase: x',
     'pass_phrase'),
])
def test_what_does_not_fit_is_refused(engine, keys, kind, properties, wrong):
    with pytest.raises(Exception, match=wrong):
        engine.create(one(kind, properties))
    assert not keys.log
