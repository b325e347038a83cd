"""Hosts and leases of the reservation service."""
import types

from openstack import proxy
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.engine.clients.os import blazar
from heat.engine.resources.openstack.blazar import host
from heat.engine.resources.openstack.blazar import lease
from tests.fakes import rest_service

HOST = """
resources:
  host:
    type: OS::Blazar::Host
    properties: {name: %s, extra_capability: {gpu: 'True'}}
outputs:
  gpu: {value: {get_attr: [host, extra_capability, gpu]}}
  vcpus: {value: {get_attr: [host, vcpus]}}
"""
LEASE = """
resources:
  lease:
    type: OS::Blazar::Lease
    properties:
      name: lease
      start_date: '2030-01-01 00:00'
      end_date: '%s 00:00'
      reservations: [%s]
outputs:
  reservation: {value: {get_attr: [lease, reservations, 0, id]}}
"""
HOSTS = '{resource_type: "physical:host", min: 1, max: 2}'
SERVERS = ('{resource_type: "virtual:instance", amount: 2, vcpus: 1, '
           'memory_mb: 512, disk_gb: 1}')


class Reservations(rest_service.RestService):
    COLLECTIONS = {'/os-hosts': ('host', 'hosts', 'id'),
                   '/leases': ('lease', 'leases', 'id')}
    READY = 'PENDING'

    def new(self, collection, values):
        if collection == '/os-hosts':
            return {**values, 'vcpus': 4}
        return {**values, 'reservations': [
            {'id': 'reservation-1', **each}
            for each in values['reservations']]}


@pytest.fixture
def reservations():
    service = Reservations()
    service.has('/os-hosts', name='first')
    return service


@pytest.fixture
def engine(cloud_engine, reservations):
    cloud_engine.use_rest(reservations, blazar.BlazarClientPlugin,
                          proxy.Proxy, host, lease)
    return cloud_engine


def test_life_of_a_host(engine, reservations):
    stack = engine.create(HOST % 'second')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert reservations.bodies('POST', '/os-hosts') == [
        {'name': 'second', 'gpu': 'True'}]
    assert engine.values(stack) == {'gpu': 'True', 'vcpus': 4}
    stack = engine.update(stack, HOST % 'third')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert sorted(each['name'] for each in reservations.things[
        '/os-hosts'].values()) == ['first', 'third']
    engine.delete(stack)
    assert len(reservations.things['/os-hosts']) == 1


@pytest.mark.parametrize(('given', 'sent'), [
    (HOSTS, {'resource_type': 'physical:host', 'min': 1, 'max': 2,
             'before_end': 'default', 'hypervisor_properties': '',
             'resource_properties': ''}),
    (SERVERS, {'resource_type': 'virtual:instance', 'amount': 2, 'vcpus': 1,
               'memory_mb': 512, 'disk_gb': 1, 'affinity': False,
               'resource_properties': ''})])
def test_life_of_a_lease(engine, reservations, given, sent):
    reservations.script.update({
        '/leases': ['CREATING', 'CREATING', 'PENDING'],
        '/leases going': ['TERMINATING', 'TERMINATING']})
    stack = engine.create(LEASE % ('2030-01-02', given))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = reservations.bodies('POST', '/leases')
    assert body['reservations'] == [sent]
    assert body['start_date'] == '2030-01-01 00:00'
    assert engine.values(stack) == {'reservation': 'reservation-1'}
    before = stack['lease'].resource_id
    stack = engine.update(stack, LEASE % ('2030-01-03', given))
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack['lease'].resource_id != before
    engine.delete(stack)
    assert not reservations.things['/leases']


def test_lease_in_error_fails(engine, reservations):
    reservations.script['/leases'] = ['CREATING', 'ERROR']
    stack = engine.create(LEASE % ('2030-01-02', HOSTS))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'ERROR' in stack.status_reason


def test_lease_without_hosts_says_what_is_missing(engine, reservations):
    reservations.things['/os-hosts'].clear()
    stack = engine.create(LEASE % ('2030-01-02', HOSTS))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'no host to reserve' in stack.status_reason


@pytest.mark.parametrize(('given', 'missing'), [
    ('{resource_type: "physical:host", min: 1}', 'max'),
    ('{resource_type: "virtual:instance", amount: 1, vcpus: 1, '
     'memory_mb: 1}', 'disk_gb')])
def test_reservation_lacks_something(engine, given, missing):
    with pytest.raises(exception.StackValidationFailed, match=missing):
        engine.create(LEASE % ('2030-01-02', given))


def test_lease_that_is_gone_is_deleted(engine, reservations):
    stack = engine.create(LEASE % ('2030-01-02', HOSTS))
    reservations.things['/leases'].clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


class Discovering:
    """A proxy that finds another version than the catalog has."""

    endpoint_override = None

    def get_endpoint(self, *, skip_discovery=False):
        return 'http://blazar/v1' if skip_discovery else 'http://blazar/v2'


def test_version_is_that_of_the_catalog(monkeypatch):
    monkeypatch.setattr(
        blazar.BlazarClientPlugin, '_connection',
        lambda self: types.SimpleNamespace(reservation=Discovering()))
    context = heat_context.RequestContext()
    plugin = blazar.BlazarClientPlugin(context)
    assert plugin._adapter().endpoint_override == 'http://blazar/v1'
