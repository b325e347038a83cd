"""Security groups and their rules."""
from openstack import exceptions
import pytest

from heat.engine.resources.openstack.neutron import security_group
from tests.fakes import cloud

GROUP = """
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties: {description: for the web, rules: [%s]}
"""
RULE = """
resources:
  rule:
    type: OS::Neutron::SecurityGroupRule
    properties: {security_group: web, %s}
"""
HTTP = ('{protocol: tcp, port_range_min: 80, port_range_max: 80, '
        'remote_ip_prefix: 0.0.0.0/0}')
PING = '{protocol: icmp}'
OUT = '{direction: egress, protocol: udp}'


@pytest.fixture(autouse=True)
def types(engine):
    engine.register(security_group.SecurityGroup,
                    security_group.SecurityGroupRule)


def rules(network, group):
    """Return {id: (direction, protocol)} of the rules of a group."""
    return {rule['id']: (rule['direction'], rule.get('protocol'))
            for rule in network.rules(group)}


def test_group_has_its_rules_and_lets_everything_out(engine, network):
    stack = engine.create(GROUP % HTTP)
    assert stack.state == ('CREATE', 'COMPLETE')
    group = stack['group'].resource_id
    assert sorted(map(str, rules(network, group).values())) == [
        "('egress', None)", "('egress', None)", "('ingress', 'tcp')"]
    assert network.body('create') == {
        'security_group_id': group, 'direction': 'ingress',
        'ethertype': 'IPv4', 'protocol': 'tcp', 'port_range_min': 80,
        'port_range_max': 80, 'remote_ip_prefix': '0.0.0.0/0'}
    engine.delete(stack)
    assert not network.of('security_group')


def test_rule_about_what_leaves_takes_the_place_of_everything(engine,
                                                              network):
    stack = engine.create(GROUP % OUT)
    group = stack['group'].resource_id
    assert list(rules(network, group).values()) == [('egress', 'udp')]
    engine.update(stack, GROUP % PING)
    assert sorted(map(str, rules(network, group).values())) == [
        "('egress', None)", "('egress', None)", "('ingress', 'icmp')"]


def test_rule_that_stays_is_not_touched(engine, network):
    stack = engine.create(GROUP % (HTTP + ', ' + PING))
    group = stack['group'].resource_id
    before = rules(network, group)
    network.log.clear()
    engine.update(stack, GROUP % (HTTP + ', {protocol: udp}'))
    after = rules(network, group)
    assert {before[gone] for gone in before.keys() - after.keys()} == {
        ('ingress', 'icmp')}
    assert {after[new] for new in after.keys() - before.keys()} == {
        ('ingress', 'udp')}
    assert network.requests('create', 'delete') == [
        'delete security_group_rule', 'create security_group_rule']


def test_other_side_may_be_a_group(engine, network):
    web = network.create_security_group(name='web')
    stack = engine.create(GROUP % (
        '{remote_mode: remote_group_id}, {protocol: udp, '
        'remote_mode: remote_group_id, remote_group_id: web}'))
    group = stack['group'].resource_id
    assert [rule['remote_group_id'] for rule in network.rules(group)
            if 'remote_group_id' in rule] == [group, web.id]


def test_rule_that_is_there_in_other_words_is_no_error(engine, network):
    network.trouble['create_security_group_rule'] = [
        exceptions.ConflictException('there is one')]
    stack = engine.create(GROUP % HTTP)
    assert stack.state == ('CREATE', 'COMPLETE')


def test_rule_that_a_quota_does_not_allow_is_an_error(engine, network):
    network.trouble['create_security_group_rule'] = [cloud.refusal(
        409, {'NeutronError': {'type': 'OverQuota', 'message': 'too many'}})]
    stack = engine.create(GROUP % HTTP)
    assert stack.state == ('CREATE', 'FAILED')
    # Nothing was undone to try it again.
    assert 'delete security_group' not in network.requests('delete')


def test_group_that_lacks_rules_is_made_anew(engine, network):
    network.trouble['create_security_group_rule'] = [
        exceptions.BadRequestException('no more rules')]
    stack = engine.create(GROUP % HTTP)
    assert stack.state == ('CREATE', 'FAILED')
    stack = engine.update(stack, GROUP % HTTP)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert [each['id'] for each in network.of('security_group')] == [
        stack['group'].resource_id]
    assert ('ingress', 'tcp') in rules(
        network, stack['group'].resource_id).values()


def test_default_is_no_name_for_a_group(engine, network):
    with pytest.raises(Exception, match='"default"'):
        engine.create((GROUP % '').replace('description: for the web',
                                           'name: default'))
    assert not network.log


def test_rule_of_a_group_from_elsewhere(engine, network):
    web = network.create_security_group(name='web')
    stack = engine.create(RULE % 'remote_group: web')
    assert network.body('create') == {
        'security_group_id': web.id, 'remote_group_id': web.id,
        'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': 'tcp'}
    engine.delete(stack)
    assert [rule['direction'] for rule in network.rules(web.id)] == [
        'egress', 'egress']


@pytest.mark.parametrize(('wrong', 'reason'), [
    ('remote_group: web, remote_ip_prefix: 0.0.0.0/0', 'remote_group'),
    ('port_range_min: 90, port_range_max: 80', 'port_range_min'),
])
def test_rules_that_cannot_be(engine, network, wrong, reason):
    network.create_security_group(name='web')
    network.log.clear()
    with pytest.raises(Exception, match=reason):
        engine.create(RULE % wrong)
    assert not network.requests('create')
