"""Signals that lie in Swift or Zaqar until somebody fetches them."""
import json

import pytest

from heat.common import exception
from heat.engine.lifecycle import store as resource_store
from heat.engine.resources.openstack.heat import deployed_server
from heat.engine.resources.openstack.heat import swiftsignal
from heat.engine.resources.openstack.heat import wait_condition_handle
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import keystone
from tests.fakes import stack as fake_stack
from tests.fakes import swift as fake_swift

TYPES = {
    'Handle': wait_condition_handle.HeatWaitConditionHandle,
    'SwiftHandle': swiftsignal.SwiftSignalHandle,
    'SwiftSignal': swiftsignal.SwiftSignal,
    'Server': deployed_server.DeployedServer,
}


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    keystone.use(monkeypatch)
    yield fake_stack.Clock(monkeypatch)
    keystone.forget()


@pytest.fixture
def services(monkeypatch):
    return fake_swift.use(monkeypatch)


def created(kind, name='r', **props):
    stack = fake_stack.FakeStack(
        {name: {'type': kind, 'properties': props}}, types=TYPES)
    res = stack.stored(name)
    res.validate()
    scheduler.TaskRunner(res.create)()
    return stack, res


def run(task):
    scheduler.TaskRunner(task)()


def test_handle_that_looks_into_swift(services):
    swift, _zaqar = services
    stack, handle = created('Handle', signal_transport='TEMP_URL_SIGNAL')
    url = json.loads(handle.FnGetAtt('signal'))['alarm_url']
    name = handle.physical_resource_name()
    assert f'/v1/AUTH_p/{stack.id}/{name}?temp_url_sig=' in url
    assert handle.get_status() == []
    swift.upload_object(stack.id, name, '{"data": 1}')
    assert handle.get_status() == ['SUCCESS']
    # It is taken once.
    assert handle.get_status() == ['SUCCESS']
    swift.upload_object(stack.id, name, '{"status": "FAILURE"}')
    assert handle.get_status() == ['SUCCESS', 'FAILURE']
    run(handle.delete)
    assert swift.containers == {}


def test_url_that_another_engine_made(services):
    swift, _zaqar = services
    stack, handle = created('Handle', signal_transport='TEMP_URL_SIGNAL')
    assert handle.get_status() == []
    other = stack.reload('r')
    assert json.loads(other.FnGetAtt('signal'))['alarm_url']
    swift.upload_object(stack.id, handle.physical_resource_name(), '{}')
    assert handle.get_status() == ['SUCCESS']


def test_handle_that_looks_into_zaqar(services):
    _swift, zaqar = services
    _stack, handle = created('Handle', signal_transport='ZAQAR_SIGNAL')
    queue = json.loads(handle.FnGetAtt('signal'))['queue_id']
    zaqar.post_message(queue, [{'body': {'data': 1}}, {'body': {}}])
    assert handle.get_status() == ['SUCCESS', 'SUCCESS']
    assert zaqar.queues[queue] == {}
    run(handle.delete)
    assert zaqar.queues == {}


@pytest.mark.parametrize('kind', ['Handle', 'Server'])
def test_queue_of_a_resource_with_a_long_name(services, kind):
    _swift, zaqar = services
    _stack, res = created(kind, 'r' * 70, **(
        {'signal_transport': 'ZAQAR_SIGNAL'} if kind == 'Handle' else
        {'software_config_transport': 'ZAQAR_MESSAGE'}))
    assert res.FnGetAtt('signal' if kind == 'Handle' else
                        'os_collect_config')
    [name] = zaqar.queues
    assert name.endswith(res.physical_resource_name()[-40:])
    run(res.delete)
    assert zaqar.queues == {}


def swift_signal(services):
    """Return the storage, and a stack with a handle."""
    stack = fake_stack.FakeStack({
        'handle': {'type': 'SwiftHandle'},
        'r': {'type': 'SwiftSignal', 'properties': {
            'handle': 'replaced', 'timeout': 10}}}, types=TYPES)
    handle = stack.stored('handle')
    run(handle.create)
    return services[0], stack, handle


def signal(swift, handle, body):
    swift.upload_object(handle.stack.id, handle.resource_id, body)


def test_swift_signal(services):
    swift, stack, handle = swift_signal(services)
    res = waiting_for(stack, handle, count=2)
    duration = _begin(res)
    assert res.check_create_complete(duration) is False
    signal(swift, handle, '{"id": "a", "data": 5}')
    signal(swift, handle, '')
    assert res.check_create_complete(duration)
    assert json.loads(res._resolve_attribute('data')) == {'a': 5, '2': None}
    assert handle.FnGetAtt('curl_cli') == (
        "curl -i -X PUT '%s'" % handle.FnGetRefId())
    run(handle.delete)
    assert swift.containers == {}


def _begin(res):
    resource_store.store(res)
    res.action = res.CREATE
    return res.handle_create()


def waiting_for(stack, handle, **props):
    definition = stack.definition(
        'r', properties={'handle': handle.FnGetRefId(),
                                'timeout': 10, **props})
    return swiftsignal.SwiftSignal('r', definition, stack)


def test_swift_signal_of_a_failure(services):
    swift, stack, handle = swift_signal(services)
    res = waiting_for(stack, handle)
    duration = _begin(res)
    signal(swift, handle, '{"status": "FAILURE", "reason": "broken"}')
    with pytest.raises(swiftsignal.SwiftSignalFailure) as failed:
        res.check_create_complete(duration)
    assert str(failed.value) == 'broken'


def test_swift_signal_that_does_not_come(services, clock):
    swift, stack, handle = swift_signal(services)
    res = waiting_for(stack, handle, count=2)
    duration = _begin(res)
    signal(swift, handle, '{"reason": "one"}')
    clock.sleep(11)
    with pytest.raises(swiftsignal.SwiftSignalTimeout) as failed:
        res.check_create_complete(duration)
    assert str(failed.value) == '1 of 2 received - one'


@pytest.mark.parametrize('url', ['http://x/other', 'http://x/v1/AUTH_p/c/o'])
def test_swift_signal_of_somebody_else(services, url):
    _swift, stack, handle = swift_signal(services)
    definition = stack.definition(
        'r', properties={'handle': url, 'timeout': 10})
    with pytest.raises(ValueError):
        swiftsignal.SwiftSignal('r', definition, stack).handle_create()


def test_rubbish_is_no_signal(services):
    swift, stack, handle = swift_signal(services)
    res = waiting_for(stack, handle)
    duration = _begin(res)
    for body in ('{', '[]', '{"status": "MAYBE"}'):
        signal(swift, handle, body)
        with pytest.raises(exception.Error):
            res.check_create_complete(duration)


def test_server_that_reads_an_object(services):
    swift, _zaqar = services
    stack, server = created(
        'Server', software_config_transport='POLL_TEMP_URL',
        deployment_swift_data={'container': 'c', 'object': 'o'})
    agent = server.FnGetAtt('os_collect_config')
    assert agent['collectors'] == ['request', 'local']
    assert agent['request']['metadata_url'].startswith(
        'http://swift:8080/v1/AUTH_p/c/o?temp_url_sig=')
    assert json.loads(swift.download_object('o', 'c')) == (
        server.metadata_get())
    assert server.data()['metadata_put_url'] != (
        agent['request']['metadata_url'])
    run(server.delete)
    assert swift.containers == {}


@pytest.mark.parametrize('where', [
    {}, {'container': 'c'}, {'container': 'c', 'object': 'o'}])
def test_server_of_heat_that_reads_an_object(services, where):
    """Heat does not store the name of the container."""
    swift, _zaqar = services
    stack, server = created(
        'Server', software_config_transport='POLL_TEMP_URL',
        deployment_swift_data=where)
    server.data_delete('metadata_container')
    assert swift.containers
    server = stack.reload('r')
    server._publish({'x': 1})
    [objects] = swift.containers.values()
    assert [content for _when, content in objects.values()] == [b'{"x": 1}']
    run(server.delete)
    assert swift.containers == {}


def test_object_of_a_server_that_is_gone(services):
    swift, _zaqar = services
    stack, server = created('Server',
                            software_config_transport='POLL_TEMP_URL')
    swift.containers.clear()
    run(server.delete)
    assert stack.row('r').action == 'DELETE'


def test_server_that_reads_a_queue(services):
    _swift, zaqar = services
    stack, server = created('Server',
                            software_config_transport='ZAQAR_MESSAGE')
    agent = server.FnGetAtt('os_collect_config')
    [body] = zaqar.queues[agent['zaqar']['queue_id']].values()
    assert body['os-collect-config'] == agent
    run(server.delete)
    assert zaqar.queues == {}
