"""The drift of servers: by lists, without a change of the server."""
import types

import pytest

from heat.engine.comparison import live
from heat.engine.drift import tree


@pytest.fixture
def stack(world):
    return world.server(networks=[{'network': 'net'}, {'network': 'other'}],
                        metadata={'a': 1}, tags=['x'])


def entry_of(world, stack, total=1):
    """Return what is found of the server by the engine's own walk."""
    report = tree.Report()
    loaded = world.engine.reload(stack)
    for _step in tree.steps(report, loaded, live.LiveState(total)):
        pass
    [entry] = report.shown()['resources']
    return entry


def test_server_as_made_is_in_sync(world, stack):
    entry = entry_of(world, stack)
    assert (entry['status'], entry['differences']) == ('IN_SYNC', [])


def test_what_was_changed_is_told(world, stack):
    world.live(stack).update(
        metadata={'a': '2'}, tags=[], name='renamed',
        flavor={'original_name': 'large'})
    world.compute._detach(stack['server'].resource_id,
                          world.attached(stack)[1])
    entry = entry_of(world, stack)
    assert entry['status'] == 'MODIFIED'
    found = {each['property']: each for each in entry['differences']}
    assert found.keys() == {'metadata', 'tags', 'name', 'flavor', 'networks'}
    assert found['name'] == {
        'property': 'name', 'actual': 'renamed',
        'expected': stack['server'].physical_resource_name()}
    assert found['flavor']['actual'] == 'large'
    assert len(found['networks']['actual']) == 1
    # The ports that Heat knows of are what they were.
    loaded = world.engine.reload(stack)
    assert loaded['server'].data() == stack['server'].data()


def test_server_that_is_gone_is_deleted(world, stack):
    del world.compute.things['server', stack['server'].resource_id]
    assert entry_of(world, stack)['status'] == 'DELETED'


def test_servers_are_read_by_lists(world, stack, monkeypatch):
    """One request for all servers, and one for their ports."""
    asked = []

    def servers(**_query):
        asked.append('servers')
        return [world.compute.get_server(its_id) for kind, its_id in
                list(world.compute.things) if kind == 'server']

    def ports(**query):
        asked.append('ports')
        assert query['project_id'] == stack.context.project_id
        ours, its_id = world.attached(stack), stack['server'].resource_id
        return [types.SimpleNamespace(
            id=port.id, device_id=its_id if port.id in ours else '')
            for port in real_ports()]

    loaded = world.engine.reload(stack)
    real_ports = loaded['server'].sdk('neutron').ports
    monkeypatch.setattr(loaded['server'].sdk('neutron'), 'ports', ports,
                        raising=False)
    monkeypatch.setattr(loaded['server'].sdk(), 'servers', servers,
                        raising=False)
    state = live.LiveState(100)
    for _number in range(100):
        server, attached = state.of(loaded['server'])
        assert server.id == stack['server'].resource_id
        assert attached == set(world.attached(stack))
    assert asked == ['servers', 'ports']
