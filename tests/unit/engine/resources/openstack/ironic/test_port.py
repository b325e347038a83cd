"""Ports of bare metal nodes."""
from openstack.baremetal.v1 import _proxy
import pytest

from heat.engine.clients.os import ironic
from heat.engine.resources.openstack.ironic import port
from tests.fakes import rest_service

PORT = """
resources:
  port:
    type: OS::Ironic::Port
    properties: {node: metal%s}
outputs:
  node: {value: {get_attr: [port, node_uuid]}}
  extra: {value: {get_attr: [port, extra]}}
"""
FIRST = ', address: "52:54:00:00:00:01", extra: {rack: a}'


class BareMetal(rest_service.RestService):
    COLLECTIONS = {'/ports': (None, 'ports', 'uuid'),
                   '/nodes': (None, 'nodes', 'uuid'),
                   '/portgroups': (None, 'portgroups', 'uuid')}
    FOUND_BY_NAME = True


@pytest.fixture
def metal():
    service = BareMetal()
    service.has('/nodes', uuid='node-1', name='metal')
    service.has('/portgroups', uuid='group-1', name='bond')
    return service


@pytest.fixture
def engine(cloud_engine, metal):
    cloud_engine.use_rest(metal, ironic.IronicClientPlugin, _proxy.Proxy,
                          port)
    return cloud_engine


def test_life_of_a_port(engine, metal):
    stack = engine.create(PORT % (FIRST + ', portgroup: bond'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = metal.bodies('POST', '/ports')
    assert body == {'node_uuid': 'node-1', 'portgroup_uuid': 'group-1',
                    'address': '52:54:00:00:00:01', 'extra': {'rack': 'a'}}
    assert engine.values(stack) == {'node': 'node-1', 'extra': {'rack': 'a'}}
    before = stack['port'].resource_id
    stack = engine.update(stack, PORT % (
        ', address: "52:54:00:00:00:02", extra: {rack: b}, '
        'pxe_enabled: false'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['port'].resource_id == before
    live = metal.only('/ports')
    assert (live['address'], live['extra'], live['pxe_enabled']) == (
        '52:54:00:00:00:02', {'rack': 'b'}, False)
    assert live['portgroup_uuid'] is None
    engine.delete(stack)
    assert not metal.things['/ports']


def test_port_that_is_gone_is_deleted(engine, metal):
    stack = engine.create(PORT % FIRST)
    metal.things['/ports'].clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_property_that_ironic_does_not_know(engine, metal, monkeypatch):
    monkeypatch.setattr(ironic.IronicClientPlugin, 'is_version_supported',
                        lambda self, version: version != '1.53')
    stack = engine.create(PORT % (FIRST + ', is_smartnic: true'))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'is_smartnic' in stack.status_reason
    assert '1.53' in stack.status_reason
    assert not metal.things['/ports']


def test_check_of_a_port_that_is_gone(engine, metal):
    stack = engine.create(PORT % FIRST)
    metal.things['/ports'].clear()
    stack.check()
    engine.pool.run()
    assert engine.reload(stack).state == ('CHECK', 'FAILED')
