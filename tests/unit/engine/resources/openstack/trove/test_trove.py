"""Instances and clusters of databases."""
from openstack.database.v1 import _proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import neutron
from heat.engine.clients.os import trove
from heat.engine.resources.openstack.trove import cluster
from heat.engine.resources.openstack.trove import instance
from tests.fakes import cloud
from tests.fakes.services import trove as trove_service

INSTANCE = """
resources:
  it:
    type: OS::Trove::Instance
    properties: {name: db, flavor: small, size: 1%s}
outputs:
  host: {value: {get_attr: [it, hostname]}}
  href: {value: {get_attr: [it, href]}}
"""
CLUSTER = """
resources:
  it:
    type: OS::Trove::Cluster
    properties:
      name: %s
      datastore_type: mysql
      datastore_version: '8.0'
      instances: [{flavor: small, volume_size: 2,
                   networks: [{network: net}]}]
outputs:
  ids: {value: {get_attr: [it, instances]}}
"""
CONTENTS = (', databases: [{name: one1}, {name: two2}], users: '
            '[{name: anna, password: secret1, databases: [one1]}]')


@pytest.fixture
def databases():
    return trove_service.Databases()


@pytest.fixture
def engine(cloud_engine, databases):
    network = cloud.FakeService()
    network.create_network(id='net-id', name='net')
    cloud_engine.use(network, neutron.NeutronClientPlugin)
    cloud_engine.use_rest(databases, trove.TroveClientPlugin, _proxy.Proxy,
                          instance, cluster)
    return cloud_engine


def test_life_of_an_instance(engine, databases):
    databases.script.update({'/instances': ['BUILD', 'BUILD', 'ACTIVE'],
                             '/instances going': ['SHUTDOWN', 'SHUTDOWN']})
    stack = engine.create(INSTANCE % (
        CONTENTS + ', datastore_type: mysql, datastore_version: "8.0", '
        'networks: [{network: net, fixed_ip: 10.0.0.5}], '
        'restore_point: backup'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = databases.bodies('POST', '/instances')
    assert body == {'instance': {
        'name': 'db', 'flavorRef': 'small-id', 'volume': {'size': 1},
        'datastore': {'type': 'mysql', 'version': '8.0'},
        'nics': [{'net-id': 'net-id', 'v4-fixed-ip': '10.0.0.5'}],
        'restorePoint': {'backupRef': 'backup'},
        'databases': [{'name': name, 'character_set': 'utf8',
                       'collate': 'utf8_general_ci'}
                      for name in ('one1', 'two2')],
        'users': [{'name': 'anna', 'password': 'secret1', 'host': '%',
                   'databases': [{'name': 'one1'}]}]}}
    assert engine.values(stack) == {'host': 'db.example.org',
                                    'href': 'http://trove/db'}
    engine.delete(stack)
    assert not databases.things['/instances']


def test_flavor_volume_and_name_change_one_after_the_other(engine,
                                                           databases):
    stack = engine.create(INSTANCE % '')
    before = stack['it'].resource_id
    stack = engine.update(stack, (INSTANCE % '').replace(
        'name: db, flavor: small, size: 1',
        'name: other, flavor: big, size: 5'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    live = databases.only('/instances')
    assert (live['name'], live['flavor'], live['volume'], live['status']) == (
        'other', {'id': 'big-id'}, {'size': 5}, 'ACTIVE')


def test_databases_and_users_change(engine, databases):
    stack = engine.create(INSTANCE % CONTENTS)
    # Somebody's own, which no template names.
    databases.databases['own'] = {'name': 'own'}
    stack = engine.update(stack, INSTANCE % (
        ', databases: [{name: one1}, {name: three3}], users: '
        '[{name: anna, password: secret2, databases: [three3]}, '
        '{name: bert, password: secret3, databases: [one1]}]'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert set(databases.databases) == {'one1', 'three3', 'own'}
    anna, bert = (databases.users[name] for name in ('anna', 'bert'))
    assert anna['password'] == 'secret2'
    assert anna['databases'] == [{'name': 'three3'}]
    assert bert['databases'] == [{'name': 'one1'}]
    stack = engine.update(stack, INSTANCE % (
        ', databases: [{name: one1}], users: '
        '[{name: bert, password: secret3, databases: [one1]}]'))
    assert set(databases.users) == {'bert'}
    assert set(databases.databases) == {'one1', 'own'}


def test_replica_is_replaced_when_its_origin_changes(engine, databases):
    stack = engine.create(INSTANCE % ', replica_of: a, replica_count: 2')
    [body] = databases.bodies('POST', '/instances')
    assert body['instance']['replica_of'] == 'a'
    assert body['instance']['replica_count'] == 2
    before = stack['it'].resource_id
    stack = engine.update(stack, INSTANCE % ', replica_of: b')
    assert stack['it'].resource_id != before
    assert list(databases.things['/instances']) == [stack['it'].resource_id]


@pytest.mark.parametrize('state', ['ERROR', 'FAILED', 'unheard_of'])
def test_instance_in_a_wrong_state_fails(engine, databases, state):
    databases.script['/instances'] = ['BUILD', state]
    stack = engine.create(INSTANCE % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert state in stack.status_reason


@pytest.mark.parametrize(('given', 'words'), [
    (', datastore_version: "8.0"', 'without datastore_type'),
    (', datastore_type: mysql, datastore_version: "5"', 'none of'),
    (', users: [{name: anna, password: secret1, databases: [one1]}]',
     'requires at least one of the "databases"'),
    (', databases: [{name: two2}], users: '
     '[{name: anna, password: secret1, databases: [one1]}]', 'one1'),
    (', networks: [{fixed_ip: 10.0.0.1}]', '"network" or "port"'),
    (', replica_count: 2', 'replica_of')])
def test_properties_that_do_not_fit(engine, given, words):
    with pytest.raises(exception.HeatException, match=words):
        engine.create(INSTANCE % given)


def test_password_is_in_no_event(engine):
    stack = engine.create(INSTANCE % CONTENTS)
    assert 'secret1' not in str(stack.status_reason)
    assert 'users' in type(stack['it']).secret_properties


def test_life_of_a_cluster(engine, databases):
    stack = engine.create(CLUSTER % 'one')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert databases.bodies('POST', '/clusters') == [{'cluster': {
        'name': 'one', 'datastore': {'type': 'mysql', 'version': '8.0'},
        'instances': [{'flavorRef': 'small-id', 'volume': {'size': 2},
                       'nics': [{'net-id': 'net-id'}]}]}}]
    assert engine.values(stack) == {'ids': ['instance-0']}
    before = stack['it'].resource_id
    stack = engine.update(stack, CLUSTER % 'two')
    assert stack['it'].resource_id != before
    assert databases.only('/clusters')['name'] == 'two'
    engine.delete(stack)
    assert not databases.things['/clusters']


def test_cluster_is_deleted_when_trove_has_finished_with_it(engine,
                                                            databases):
    stack = engine.create(CLUSTER % 'one')
    tasks = iter(['ADDING', 'ADDING', 'NONE'])

    def busy(method, path, body, query):
        if path.startswith('/clusters/') and databases.things['/clusters']:
            live = databases.only('/clusters')
            if method == 'DELETE':
                assert live['task'] == {'name': 'NONE'}
            live['task'] = {'name': next(tasks, 'NONE')}
        return trove_service.Databases.act(databases, method, path, body,
                                           query)

    databases.act = busy
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
    assert not databases.things['/clusters']


def test_cluster_in_error_fails(engine, databases):
    databases.new = lambda path, values: {**values,
                                          'task': {'name': 'ERROR'}}
    stack = engine.create(CLUSTER % 'one')
    assert stack.state == ('CREATE', 'FAILED')


@pytest.mark.parametrize(('text', 'path'), [
    (INSTANCE % '', '/instances'), (CLUSTER % 'one', '/clusters')])
def test_what_is_gone(engine, databases, text, path):
    stack = engine.create(text)
    databases.things[path].clear()
    stack.check()
    engine.pool.run()
    stack = engine.reload(stack)
    assert stack.state == ('CHECK', 'FAILED')
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')
