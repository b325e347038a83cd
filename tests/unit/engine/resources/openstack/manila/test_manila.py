"""Shares of Manila and what they need."""
from openstack.shared_file_system.v2 import _proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import manila
from heat.engine.clients.os import neutron
from heat.engine.resources.openstack.manila import security_service
from heat.engine.resources.openstack.manila import share
from heat.engine.resources.openstack.manila import share_network
from heat.engine.resources.openstack.manila import share_type
from tests.fakes import cloud
from tests.fakes.services import manila as manila_service

SHARE = """
resources:
  it:
    type: OS::Manila::Share
    properties: {share_protocol: NFS, size: 1%s}
outputs:
  places: {value: {get_attr: [it, export_locations, 0, path]}}
  status: {value: {get_attr: [it, status]}}
"""
ONE = """
resources:
  it:
    type: OS::Manila::%s
    properties: {%s}
"""
RULE = '{access_type: ip, access_to: 10.0.0.1%s}'


@pytest.fixture
def shares():
    return manila_service.Shares()


@pytest.fixture
def engine(cloud_engine, shares):
    network = cloud.FakeService()
    network.create_network(id='net-id', name='net')
    network.create_subnet(id='subnet-id', name='subnet',
                          network_id='net-id')
    cloud_engine.use(network, neutron.NeutronClientPlugin)
    cloud_engine.use_rest(shares, manila.ManilaClientPlugin, _proxy.Proxy,
                          security_service, share, share_network, share_type)
    return cloud_engine


def test_life_of_a_share(engine, shares):
    shares.has('/types', id='type-id', name='fast')
    shares.has('/share-networks', id='net-id', name='nets')
    shares.script.update({
        '/shares': ['creating', 'creating', 'available'],
        '/shares going': ['deleting', 'deleting']})
    needs = ', share_type: fast, share_network: nets, metadata: {a: b}'
    stack = engine.create(SHARE % (needs + ', name: it, access_rules: [%s]'
                                   % (RULE % '')))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert shares.bodies('POST', '/shares') == [{'share': {
        'name': 'it', 'share_proto': 'NFS', 'size': 1, 'is_public': False,
        'share_type': 'type-id', 'share_network_id': 'net-id',
        'metadata': {'a': 'b'}}}]
    [rule] = shares.rules.values()
    assert (rule['access_level'], rule['state']) == ('rw', 'active')
    assert engine.values(stack) == {'places': '10.0.0.9:/it',
                                    'status': 'available'}
    assert shares.microversions == {'2.50'}
    before = stack['it'].resource_id
    stack = engine.update(stack, SHARE % (
        ', share_type: fast, share_network: nets, metadata: {c: d}, '
        'name: other, description: new, is_public: true, access_rules: [%s]'
        % (RULE % ', access_level: ro')))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    assert shares.bodies('PUT', '/shares/' + before) == [{'share': {
        'display_name': 'other', 'display_description': 'new',
        'is_public': True}}]
    assert shares.only('/shares')['metadata'] == {'c': 'd'}
    [rule] = shares.rules.values()
    assert (rule['access_level'], rule['state']) == ('ro', 'active')
    engine.delete(stack)
    assert not shares.things['/shares']


def test_share_of_another_size_is_another_one(engine, shares):
    stack = engine.create(SHARE % '')
    before = stack['it'].resource_id
    stack = engine.update(stack, (SHARE % '').replace('size: 1', 'size: 2'))
    assert stack['it'].resource_id != before
    assert shares.only('/shares')['size'] == 2


@pytest.mark.parametrize('state', ['error', 'unheard_of'])
def test_share_in_a_wrong_state_fails(engine, shares, state):
    shares.script['/shares'] = ['creating', state]
    stack = engine.create(SHARE % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert state in stack.status_reason


def test_access_rule_in_error_fails(engine, shares):
    shares.rule_states = ['applying', 'error']
    stack = engine.create(SHARE % (', access_rules: [%s]' % (RULE % '')))
    assert stack.state == ('CREATE', 'FAILED')
    assert '10.0.0.1' in stack.status_reason


def test_share_that_cannot_be_deleted(engine, shares):
    stack = engine.create(SHARE % '')
    shares.script['/shares going'] = ['deleting', 'error_deleting']
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'error_deleting' in stack.status_reason


@pytest.mark.parametrize(('kind', 'given', 'path'), [
    ('Share', 'share_protocol: NFS, size: 1', '/shares'),
    ('ShareNetwork', 'neutron_network: net', '/share-networks'),
    ('SecurityService', 'type: ldap', '/security-services'),
    ('ShareType', 'name: t, driver_handles_share_servers: true', '/types')])
def test_what_is_gone(engine, shares, kind, given, path):
    stack = engine.create(ONE % (kind, given))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    shares.things[path].clear()
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_life_of_a_share_network(engine, shares):
    for name in ('one', 'two', 'three'):
        shares.has('/security-services', id=name + '-id', name=name)
    given = 'name: n, neutron_subnet: subnet, security_services: [%s]'
    stack = engine.create(ONE % ('ShareNetwork', given % 'one, two'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert shares.bodies('POST', '/share-networks') == [{'share_network': {
        'name': 'n', 'neutron_net_id': 'net-id',
        'neutron_subnet_id': 'subnet-id'}}]
    assert shares.services == {'one-id', 'two-id'}
    before = stack['it'].resource_id
    stack = engine.update(stack, ONE % (
        'ShareNetwork', given % 'three, one' + ', description: new'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    assert shares.services == {'one-id', 'three-id'}
    assert shares.bodies('PUT', '/share-networks/' + before) == [
        {'share_network': {'description': 'new'}}]
    engine.delete(stack)
    assert not shares.things['/share-networks']


def test_network_of_nova_is_refused(engine):
    with pytest.raises(exception.StackValidationFailed,
                       match='neutron_network'):
        engine.create(ONE % ('ShareNetwork', 'nova_network: n'))


def test_life_of_a_security_service(engine, shares):
    stack = engine.create(ONE % (
        'SecurityService', 'name: s, type: ldap, user: u, password: secret'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    before = stack['it'].resource_id
    stack = engine.update(stack, ONE % (
        'SecurityService', 'name: s, type: ldap, user: v, password: secret'))
    assert stack['it'].resource_id == before
    assert shares.bodies('PUT', '/security-services/' + before) == [
        {'security_service': {'user': 'v'}}]
    stack = engine.update(stack, ONE % (
        'SecurityService', 'name: s, type: kerberos, user: v'))
    assert stack['it'].resource_id != before
    assert shares.only('/security-services')['type'] == 'kerberos'
    engine.delete(stack)
    assert not shares.things['/security-services']


def test_life_of_a_share_type(engine, shares):
    given = ('name: fast, driver_handles_share_servers: true, '
             'extra_specs: {%s}')
    stack = engine.create(ONE % ('ShareType', given % 'a: "1", b: "2"'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert shares.bodies('POST', '/types') == [{'share_type': {
        'name': 'fast', 'share_type_access:is_public': True,
        'extra_specs': {'driver_handles_share_servers': True,
                        'snapshot_support': True, 'a': '1', 'b': '2'}}}]
    before = stack['it'].resource_id
    stack = engine.update(stack, ONE % ('ShareType', given % 'b: "3"'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    assert shares.only('/types')['extra_specs'] == {
        'driver_handles_share_servers': True, 'snapshot_support': True,
        'b': '3'}
    engine.delete(stack)
    assert not shares.things['/types']
