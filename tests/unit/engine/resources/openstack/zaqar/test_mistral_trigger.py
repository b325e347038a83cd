"""Messages of Zaqar that run workflows of Mistral."""
import json

from openstack.workflow.v2 import _proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import mistral
from heat.engine.clients.os import zaqar
from heat.engine.resources.openstack.zaqar import mistral_trigger
from tests.fakes import rest_service
from tests.fakes import swift as fake_storage

TRIGGER = """
resources:
  it:
    type: OS::Zaqar::MistralTrigger
    properties: {queue_name: q, workflow_id: w, %s}
"""


class Workflows(rest_service.RestService):
    """Mistral with workflows that are there already."""

    COLLECTIONS = {'/workflows': (None, 'workflows', 'id')}
    FOUND_BY_NAME = True


@pytest.fixture
def storage():
    queues = fake_storage.Zaqar()
    zaqar.Queues(queues).create_queue('q')
    return queues


@pytest.fixture
def engine(cloud_engine, storage):
    flows = Workflows()
    flows.has('/workflows', id='w-id', name='w')
    cloud_engine.use(zaqar.Queues(storage), zaqar.ZaqarClientPlugin,
                     mistral_trigger)
    cloud_engine.use_rest(flows, mistral.MistralClientPlugin, _proxy.Proxy)
    return cloud_engine


def kept(storage):
    """Return the only subscription, and what it posts."""
    [found] = storage.subscriptions.values()
    options = dict(found['options'])
    posted = json.loads(options.pop('post_data'))
    assert options == {}
    return found, posted


def test_life_of_a_trigger(engine, storage):
    stack = engine.create(TRIGGER % '')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    found, posted = kept(storage)
    assert (found['source'], found['subscriber'], found['ttl']) == (
        'q', 'trust+http://service/executions', 220367260800)
    assert posted == {'workflow_id': 'w-id', 'input': {}, 'params': {
        'env': {'notification': '$zaqar_message$'}}}
    [before] = storage.subscriptions
    stack = engine.update(stack, TRIGGER % (
        'ttl: 60, input: {a: 1}, params: {env: {b: 2}, notify: []}'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert list(storage.subscriptions) == [before]
    found, posted = kept(storage)
    assert found['ttl'] == 60
    assert posted == {'workflow_id': 'w-id', 'input': {'a': 1}, 'params': {
        'env': {'notification': '$zaqar_message$', 'b': 2}, 'notify': []}}
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert storage.subscriptions == {}


def test_drift_is_seen(engine, storage):
    stack = engine.create(TRIGGER % 'input: {a: 1}, params: {env: {b: 2}}')
    one = stack['it']
    assert one.get_live_state(one.properties) == {
        'workflow_id': 'w-id', 'ttl': 220367260800, 'input': {'a': 1},
        'params': {'env': {'b': 2}}}


@pytest.mark.parametrize(('given', 'words'), [
    ('params: {env: text}', 'params.env.* must be a map'),
    ('ttl: 5', 'ttl'), ('input: text', 'input')])
def test_triggers_that_make_no_sense(engine, storage, given, words):
    with pytest.raises(exception.StackValidationFailed, match=words):
        engine.create(TRIGGER % given)
    assert storage.subscriptions == {}


def test_workflow_that_does_not_exist(engine, storage):
    with pytest.raises(exception.StackValidationFailed, match='other'):
        engine.create((TRIGGER % '').replace(': w,', ': other,'))
    assert storage.subscriptions == {}
