"""Subnet pools, QoS policies, permissions and quotas."""
import pytest

from heat.engine import clients
from heat.engine import environment
from heat.engine.clients.os import keystone
from heat.engine.resources.openstack.neutron import qos
from heat.engine.resources.openstack.neutron import quota
from heat.engine.resources.openstack.neutron import rbac_policy
from heat.engine.resources.openstack.neutron import subnetpool

ONE = """
resources:
  it:
    type: OS::Neutron::%s
    properties: {%s}
"""


@pytest.fixture(autouse=True)
def types(engine, monkeypatch):
    engine.register(
        qos.QoSPolicy, qos.QoSBandwidthLimitRule, qos.QoSDscpMarkingRule,
        qos.QoSMinimumBandwidthRule, qos.QoSMinimumPacketRateRule,
        quota.NeutronQuota, rbac_policy.RBACPolicy, subnetpool.SubnetPool)
    plugin = keystone.KeystoneClientPlugin
    monkeypatch.setitem(clients.plugins(), 'keystone', plugin)
    monkeypatch.setattr(plugin, 'get_project_id',
                        lambda self, project: 'id-of-' + project)
    monkeypatch.setattr(
        environment.global_env().get_constraint('keystone.project'),
        'validate_with_client', lambda self, clients, value: None)


def test_pool_of_a_scope(engine, network):
    scope = network.create_address_scope(name='scope')
    stack = engine.create(ONE % (
        'SubnetPool', 'prefixes: [10.0.0.0/8], address_scope: scope, '
        'min_prefixlen: 20, tags: [a]'))
    assert network.body('create') == {
        'name': stack['it'].physical_resource_name(),
        'prefixes': ['10.0.0.0/8'], 'address_scope_id': scope.id,
        'min_prefixlen': 20, 'is_default': False, 'shared': False}
    assert network.body('tag') == ['a']
    engine.update(stack, ONE % (
        'SubnetPool', 'prefixes: [10.0.0.0/8, 11.0.0.0/8], tags: [a]'))
    assert network.body('update') == {
        'prefixes': ['10.0.0.0/8', '11.0.0.0/8'], 'address_scope_id': None}


def test_prefixes_of_a_pool_have_an_order(engine, network):
    with pytest.raises(Exception, match='default_prefixlen'):
        engine.create(ONE % (
            'SubnetPool', 'prefixes: [10.0.0.0/8], default_prefixlen: 28, '
            'max_prefixlen: 24'))
    assert not network.log


@pytest.mark.parametrize(('name', 'noun', 'limit'), [
    ('QoSBandwidthLimitRule', 'qos_bandwidth_limit_rule', 'max_kbps'),
    ('QoSMinimumBandwidthRule', 'qos_minimum_bandwidth_rule', 'min_kbps'),
    ('QoSMinimumPacketRateRule', 'qos_minimum_packet_rate_rule',
     'min_kpps'),
    ('QoSDscpMarkingRule', 'qos_dscp_marking_rule', 'dscp_mark'),
])
def test_rule_belongs_to_its_policy(engine, network, monkeypatch, name,
                                    noun, limit):
    policy = network.create_qos_policy(name='gold')
    places = []

    def noting(verb, real):
        def request(entity, *args, **given):
            places.append((verb, args[-1]))
            return real(entity, *args, **given)
        return request

    for verb in ('create', 'update', 'delete'):
        monkeypatch.setattr(network, '_' + verb,
                            noting(verb, getattr(network, '_' + verb)))
    text = ONE % (name, 'policy: gold, %s: %d')
    stack = engine.create(text % (limit, 8))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert len(network.of(noun)) == 1
    assert network.body('create')[limit] == 8
    assert 'policy' not in network.body('create')
    stack = engine.update(stack, text % (limit, 10))
    assert network.body('update') == {limit: 10}
    engine.delete(stack)
    assert not network.of(noun)
    assert places == [('create', policy.id), ('update', policy.id),
                      ('delete', policy.id)]


def test_what_is_shared_is_found_by_its_kind(engine, network):
    policy = network.create_qos_policy(name='gold')
    stack = engine.create(ONE % (
        'RBACPolicy', 'object_type: qos_policy, object_id: gold, '
        'action: access_as_shared, target_tenant: other'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.body('create') == {
        'object_type': 'qos_policy', 'object_id': policy.id,
        'action': 'access_as_shared', 'target_tenant': 'other'}


def test_only_networks_lead_outside(engine, network):
    network.create_qos_policy(name='gold')
    network.log.clear()
    with pytest.raises(Exception, match='access_as_external'):
        engine.create(ONE % (
            'RBACPolicy', 'object_type: qos_policy, object_id: gold, '
            'action: access_as_external, target_tenant: other'))
    assert not network.requests('create')


def test_quota_is_that_of_the_project(engine, network):
    stack = engine.create(ONE % (
        'Quota', 'project: builders, network: 5, port: -1'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.things['quota', 'id-of-builders']['network'] == 5
    stack = engine.update(stack, ONE % (
        'Quota', 'project: builders, port: 7'))
    assert network.body('update') == {'network': 100, 'port': 7}
    engine.delete(stack)
    assert not network.things


def test_quota_limits_something(engine, network):
    with pytest.raises(Exception, match='security_group_rule'):
        engine.create(ONE % ('Quota', 'project: builders'))
