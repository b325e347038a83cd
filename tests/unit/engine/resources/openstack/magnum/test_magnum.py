"""Clusters of Magnum, and their templates."""
from openstack.container_infrastructure_management.v1 import _proxy
import pytest

from heat.common import exception
from heat.engine.clients.os import glance
from heat.engine.clients.os import magnum
from heat.engine.clients.os import neutron
from heat.engine.resources.openstack.magnum import baymodel
from heat.engine.resources.openstack.magnum import cluster
from heat.engine.resources.openstack.magnum import cluster_template
from tests.fakes import cloud
from tests.fakes.services import magnum as magnum_service

TEMPLATE = """
resources:
  it:
    type: OS::Magnum::%s
    properties:
      {name: kube, image: fedora, external_network: public,
       coe: kubernetes%s}
"""
CLUSTER = """
resources:
  it:
    type: OS::Magnum::Cluster
    properties: {cluster_template: kube%s}
outputs:
  why: {value: {get_attr: [it, status_reason]}}
  nodes: {value: {get_attr: [it, node_count]}}
"""


@pytest.fixture
def clusters():
    return magnum_service.Clusters()


@pytest.fixture
def engine(cloud_engine, clusters):
    network, images = cloud.FakeService(), cloud.FakeService()
    network.create_network(id='public-id', name='public')
    images.create_image(id='fedora-id', name='fedora')
    cloud_engine.use(network, neutron.NeutronClientPlugin)
    cloud_engine.use(images, glance.GlanceClientPlugin)
    cloud_engine.use_rest(clusters, magnum.MagnumClientPlugin, _proxy.Proxy,
                          cluster, cluster_template, baymodel)
    return cloud_engine


@pytest.mark.parametrize('kind', ['ClusterTemplate', 'BayModel'])
def test_life_of_a_template(engine, clusters, kind):
    stack = engine.create(TEMPLATE % (kind, ''))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = clusters.bodies('POST', '/clustertemplates')
    assert body == {
        'name': 'kube', 'image_id': 'fedora', 'coe': 'kubernetes',
        'external_network_id': 'public-id', 'public': False,
        'docker_storage_driver': 'devicemapper', 'server_type': 'vm',
        'tls_disabled': False, 'registry_enabled': False,
        'floating_ip_enabled': True, 'master_lb_enabled': True}
    before = stack['it'].resource_id
    stack = engine.update(stack, TEMPLATE % (kind, ', public: true'))
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    assert clusters.only('/clustertemplates')['public'] is True
    # Magnum refuses changes of an id, even of none.
    [change] = clusters.bodies('PATCH', '/clustertemplates/' + before)
    assert change == [{'op': 'replace', 'path': '/public', 'value': True}]
    stack = engine.update(stack, TEMPLATE % (
        kind, ', public: true, tls_disabled: true'))
    assert stack['it'].resource_id != before
    assert clusters.only('/clustertemplates')['tls_disabled'] is True
    engine.delete(stack)
    assert not clusters.things['/clustertemplates']


def test_words_of_magnum_reach_the_user(engine, clusters):
    stack = engine.create(TEMPLATE % ('ClusterTemplate', ''))
    clusters.act = lambda method, path, body, query: (
        clusters.ok({'errors': [{
            'status': 400, 'title': 'Wrong', 'detail': 'No such driver'}]},
            400) if method == 'PATCH' else None)
    stack = engine.update(stack, TEMPLATE % (
        'ClusterTemplate', ', public: true'))
    assert stack.state == ('UPDATE', 'FAILED')
    assert stack.status_reason.endswith(': No such driver')


@pytest.mark.parametrize(('given', 'words'), [
    (', volume_driver: rexray', 'does not support kubernetes'),
    (', docker_volume_size: 2', 'at least 3 GB')])
def test_drivers_that_do_not_suit(engine, given, words):
    with pytest.raises(exception.StackValidationFailed, match=words):
        engine.create(TEMPLATE % ('ClusterTemplate', given))


def test_life_of_a_cluster(engine, clusters):
    clusters.has('/clustertemplates', uuid='kube-id', name='kube')
    clusters.script.update({
        '/clusters': ['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS',
                      'CREATE_COMPLETE'],
        '/clusters changing': ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS',
                               'UPDATE_COMPLETE'],
        '/clusters going': ['DELETE_IN_PROGRESS', 'DELETE_IN_PROGRESS']})
    stack = engine.create(CLUSTER % ', name: mine')
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    [body] = clusters.bodies('POST', '/clusters')
    assert body == {'name': 'mine', 'cluster_template_id': 'kube-id',
                    'node_count': 1, 'master_count': 1,
                    'create_timeout': 60}
    before = stack['it'].resource_id
    stack = engine.update(stack, CLUSTER % ', name: mine, node_count: 3')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['it'].resource_id == before
    [change] = clusters.bodies('PATCH', '/clusters/' + before)
    assert [(each['path'], each['value']) for each in change] == [
        ('/node_count', 3)]
    assert engine.values(stack)['nodes'] == 3
    stack = engine.update(stack, CLUSTER % ', name: other, node_count: 3')
    assert stack['it'].resource_id != before
    engine.delete(stack)
    assert not clusters.things['/clusters']


def test_change_that_magnum_has_not_begun_is_waited_for(engine, clusters):
    """The old number of nodes means that the change is still to come."""
    clusters.has('/clustertemplates', uuid='kube-id', name='kube')
    stack = engine.create(CLUSTER % '')
    live = clusters.only('/clusters')
    shown = iter([1, 1, 3])

    def late(method, path, body, query):
        if method == 'PATCH':
            return clusters.ok({'uuid': live['uuid']}, 202)
        if method == 'GET' and path.startswith('/clusters/'):
            live['node_count'] = next(shown, 3)
        return None

    clusters.act = late
    stack = engine.update(stack, CLUSTER % ', node_count: 3')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert next(shown, None) is None


def test_cluster_that_fails_says_why(engine, clusters):
    clusters.has('/clustertemplates', uuid='kube-id', name='kube')
    clusters.script['/clusters'] = ['CREATE_IN_PROGRESS', 'CREATE_FAILED']
    clusters.new = lambda path, values: {**values,
                                         'status_reason': 'no quota'}
    stack = engine.create(CLUSTER % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'no quota' in stack.status_reason


def test_what_is_gone_is_deleted(engine, clusters):
    clusters.has('/clustertemplates', uuid='kube-id', name='kube')
    stack = engine.create(CLUSTER % '')
    clusters.things['/clusters'].clear()
    assert engine.delete(stack).state == ('DELETE', 'COMPLETE')


def test_cluster_that_cannot_be_deleted(engine, clusters):
    clusters.has('/clustertemplates', uuid='kube-id', name='kube')
    clusters.script['/clusters going'] = ['DELETE_IN_PROGRESS',
                                          'DELETE_FAILED']
    stack = engine.create(CLUSTER % '')
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')
    assert 'DELETE_FAILED' in stack.status_reason
