"""Load balancers and what belongs to them."""
import inspect

from openstack import exceptions
from openstack.load_balancer.v2 import _proxy
import pytest

from heat.engine.resources import plugin_loader
from heat.engine.resources.openstack.octavia import octavia_base
from tests.unit.engine.resources.openstack.octavia import conftest

WEB = """
resources:
  balancer:
    type: OS::Octavia::LoadBalancer
    properties: {name: web, vip_subnet: private}
  listener:
    type: OS::Octavia::Listener
    properties:
      loadbalancer: {get_resource: balancer}
      protocol: HTTP
      protocol_port: 80
  pool:
    type: OS::Octavia::Pool
    properties:
      listener: {get_resource: listener}
      lb_algorithm: ROUND_ROBIN
      protocol: HTTP
      session_persistence: {type: SOURCE_IP}
  member:
    type: OS::Octavia::PoolMember
    properties:
      pool: {get_resource: pool}
      address: 10.0.0.5
      protocol_port: 8080
      subnet: private
      weight: %s
  monitor:
    type: OS::Octavia::HealthMonitor
    properties:
      {pool: {get_resource: pool}, delay: 5, timeout: 3, max_retries: 2,
       type: HTTP, tenant_id: other}
  policy:
    type: OS::Octavia::L7Policy
    properties:
      listener: {get_resource: listener}
      action: REDIRECT_TO_POOL
      redirect_pool: {get_resource: pool}
  rule:
    type: OS::Octavia::L7Rule
    properties:
      {l7policy: {get_resource: policy}, type: PATH,
       compare_type: STARTS_WITH, value: /api}
outputs:
  subnet: {value: {get_attr: [balancer, vip_subnet_id]}}
"""

LB = """
resources:
  balancer:
    type: OS::Octavia::LoadBalancer
    properties: {vip_subnet: private%s}
"""


def conflict():
    return exceptions.ConflictException('Load balancer is immutable')


def bodies(service):
    return {entity: given for verb, entity, given in service.log
            if verb == 'create'}


def one(kind, properties):
    return 'resources:\n  it: {type: "OS::Octavia::%s", properties: {%s}}' % (
        kind, properties)


def test_everything_of_a_load_balancer(engine, balancing):
    stack = engine.create(WEB % 1)
    assert stack.state == ('CREATE', 'COMPLETE')
    ids = {name: stack[name].resource_id for name in stack}
    sent = bodies(balancing)
    assert sent['load_balancer'] == {
        'name': 'web', 'vip_subnet_id': 'subnet-1', 'description': '',
        'admin_state_up': True}
    assert sent['listener']['loadbalancer_id'] == ids['balancer']
    assert sent['listener']['connection_limit'] == -1
    assert sent['pool']['listener_id'] == ids['listener']
    assert sent['pool']['session_persistence'] == {'type': 'SOURCE_IP'}
    assert sent['member'] == {
        'address': '10.0.0.5', 'protocol_port': 8080, 'weight': 1,
        'subnet_id': 'subnet-1', 'admin_state_up': True,
        'parent': ids['pool']}
    assert sent['health_monitor']['pool_id'] == ids['pool']
    assert sent['health_monitor']['project_id'] == 'other'
    assert sent['l7_policy']['redirect_pool_id'] == ids['pool']
    assert sent['l7_rule']['rule_value'] == '/api'
    kept = balancing.things
    assert kept['l7_rule', ids['rule']]['parent'] == ids['policy']
    assert engine.values(stack) == {'subnet': 'subnet-1'}
    balancing.log.clear()
    stack = engine.update(stack, WEB % 2)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert balancing.requests('create', 'update') == ['update member']
    assert balancing.body('update') == {'weight': 2}
    engine.delete(stack)
    assert not balancing.things


def test_load_balancer_is_waited_for(engine, balancing):
    balancing.script['load_balancer'] = ['PENDING_CREATE', 'PENDING_CREATE',
                                         'ACTIVE']
    stack = engine.create(LB % '')
    assert stack.state == ('CREATE', 'COMPLETE')
    assert len(balancing.requests('get')) >= 2


def test_load_balancer_in_error_fails(engine, balancing):
    balancing.script['load_balancer'] = ['PENDING_CREATE', 'ERROR']
    stack = engine.create(LB % '')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'ERROR' in stack.status_reason


def test_busy_load_balancer_is_asked_again(engine, balancing):
    balancing.trouble['create_load_balancer'] = [conflict(), conflict()]
    stack = engine.create(LB % '')
    assert stack.state == ('CREATE', 'COMPLETE')
    assert balancing.requests('create') == ['create load_balancer']


def test_change_that_was_taken_is_not_sent_again(engine, balancing):
    stack = engine.create(LB % '')
    balancing.log.clear()
    balancing.script['load_balancer changing'] = [
        'PENDING_UPDATE', 'PENDING_UPDATE', 'PENDING_UPDATE', 'ACTIVE']
    balancing.trouble['update_load_balancer'] = [conflict()]
    stack = engine.update(stack, LB % ', description: new')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert balancing.requests('update') == ['update load_balancer']


def test_delete_that_was_taken_is_not_sent_again(engine, balancing):
    stack = engine.create(LB % '')
    balancing.log.clear()
    balancing.script['load_balancer going'] = [
        'PENDING_DELETE', 'PENDING_DELETE', 'DELETED']
    balancing.trouble['delete_load_balancer'] = [conflict()]
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'COMPLETE')
    assert balancing.requests('delete') == ['delete load_balancer']
    assert balancing.requests('get').count('get load_balancer') == 3


def test_delete_that_fails_in_the_service_fails(engine, balancing):
    stack = engine.create(LB % '')
    balancing.script['load_balancer going'] = ['PENDING_DELETE', 'ERROR']
    stack = engine.delete(stack)
    assert stack.state == ('DELETE', 'FAILED')


def test_other_subnet_needs_another_load_balancer(engine, balancing):
    stack = engine.create(LB % '')
    before = stack['balancer'].resource_id
    stack = engine.update(stack, LB % ', vip_address: 10.0.0.9')
    assert stack['balancer'].resource_id != before
    assert [key[1] for key in balancing.things] == [
        stack['balancer'].resource_id]


def test_names_become_ids(engine, balancing):
    balancing.create_load_balancer(id='lb-1', name='web')
    pool = balancing.create_pool(name='workers')
    engine.create(one('Listener', 'loadbalancer: web, protocol: TCP, '
                      'protocol_port: 1, default_pool: workers'))
    body = balancing.body('create')
    assert (body['loadbalancer_id'], body['default_pool_id']) == (
        'lb-1', pool.id)


def test_flavors_and_zones(engine, balancing):
    stack = engine.create("""
resources:
  profile:
    type: OS::Octavia::FlavorProfile
    properties: {name: p, flavor_data: '{"topology": "SINGLE"}',
                 provider_name: amphora}
  flavor:
    type: OS::Octavia::Flavor
    properties: {name: f, flavor_profile: {get_resource: profile}}
  zones:
    type: OS::Octavia::AvailabilityZoneProfile
    properties: {name: z, availability_zone_data: '{}',
                 provider_name: amphora}
  zone:
    type: OS::Octavia::AvailabilityZone
    properties: {name: north, availability_zone_profile: {get_resource: zones}}
  balancer:
    type: OS::Octavia::LoadBalancer
    depends_on: [flavor, zone]
    properties: {vip_subnet: private, flavor: {get_resource: flavor},
                 availability_zone: {get_resource: zone}}
""")
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    sent = bodies(balancing)
    assert sent['flavor']['flavor_profile_id'] == (
        stack['profile'].resource_id)
    assert sent['availability_zone']['availability_zone_profile_id'] == (
        stack['zones'].resource_id)
    assert sent['load_balancer']['availability_zone'] == 'north'
    assert sent['load_balancer']['flavor_id'] == stack['flavor'].resource_id
    engine.delete(stack)
    assert not balancing.things


def test_zone_with_another_name_is_another_zone(engine, balancing):
    balancing.create_availability_zone_profile(id='z', name='z')
    text = one('AvailabilityZone',
               'name: %s, availability_zone_profile: z, description: %s')
    stack = engine.create(text % ('north', 'a'))
    stack = engine.update(stack, text % ('north', 'b'))
    assert balancing.body('update') == {'description': 'b'}
    stack = engine.update(stack, text % ('south', 'b'))
    assert stack['it'].resource_id == 'south'
    assert ('availability_zone', 'north') not in balancing.things


def test_quota_is_set_changed_and_reset(engine, balancing):
    text = one('Quota', 'project: demo, loadbalancer: %d, pool: 4')
    stack = engine.create(text % 3)
    assert balancing.quotas == {
        'id of demo': {'load_balancer': 3, 'pool': 4}}
    stack = engine.update(stack, text % 5)
    assert balancing.quotas['id of demo']['load_balancer'] == 5
    engine.delete(stack)
    assert not balancing.quotas


POOL = 'lb_algorithm: ROUND_ROBIN, protocol: HTTP'


@pytest.mark.parametrize(('kind', 'properties', 'wrong'), [
    ('Quota', 'project: demo', 'healthmonitor'),
    ('Pool', POOL, 'listener'),
    ('Pool', POOL + ', loadbalancer: x, session_persistence: '
     '{type: APP_COOKIE}', 'cookie_name'),
    ('Pool', POOL + ', loadbalancer: x, session_persistence: '
     '{type: SOURCE_IP, cookie_name: a}', 'cookie_name'),
    ('Listener', 'loadbalancer: x, protocol: TERMINATED_HTTPS, '
     'protocol_port: 1', 'default_tls_container_ref'),
    ('L7Policy', 'listener: x, action: REDIRECT_TO_URL', 'redirect_url'),
    ('L7Policy', 'listener: x, action: REJECT, redirect_url: http://a',
     'redirect_url'),
    ('L7Rule', 'l7policy: x, type: HEADER, compare_type: REGEX, value: a',
     'key'),
    ('L7Rule', 'l7policy: x, type: FILE_TYPE, compare_type: CONTAINS, '
     'value: a', 'FILE_TYPE'),
])
def test_what_does_not_fit_is_refused(engine, balancing, kind, properties,
                                      wrong):
    for entity in ('load_balancer', 'listener', 'l7_policy'):
        balancing.things[entity, 'x'] = {'id': 'x'}
    with pytest.raises(Exception, match=wrong):
        engine.create(one(kind, properties))
    assert not balancing.requests('create')


def types():
    for module in conftest.MODULES:
        yield from dict(plugin_loader.resource_types(module)).values()


@pytest.mark.parametrize('cls', list(types()), ids=lambda cls: cls.type_name)
def test_openstacksdk_has_what_is_sent(cls):
    noun = cls.noun
    verbs = ('update', 'get', 'delete') if noun == 'quota' else (
        'create', 'update', 'get', 'delete')
    for verb in verbs:
        method = getattr(_proxy.Proxy, '%s_%s' % (verb, noun))
        assert callable(method)
    mapping = sdk_type(noun)._body_mapping()
    known = {*mapping, *mapping.values()}
    sent = {cls.rename.get(name, name) for name in cls.properties_schema
            if name not in (*cls.omit, cls.parent)}
    assert sent - known == set()
    own = inspect.signature(_proxy.Proxy._update).parameters
    assert sent & set(own) == set(), 'the client has them already'


def sdk_type(noun):
    module = {'l7_policy': '_l7policy', 'l7_rule': '_l7rule',
              'load_balancer': '_lb', 'health_monitor': '_hm'}.get(
        noun, '_' + noun)
    name = ''.join(part.capitalize() for part in noun.split('_'))
    return getattr(getattr(_proxy, module), name)


def test_base_tells_of_a_state(engine, balancing):
    stack = engine.create(LB % '')
    balancer = stack['balancer']
    assert isinstance(balancer, octavia_base.OctaviaBase)
    assert balancer._check_status()
    assert not balancer._check_status('DELETED')


MONITOR = """
resources:
  it:
    type: OS::Octavia::HealthMonitor
    properties:
      {pool: p, type: %s, delay: 3, timeout: 2, max_retries: 4}
"""


def test_monitor_gives_way_to_another(engine, balancing):
    balancing.create_pool(id='p', name='p')
    stack = engine.create(MONITOR % 'HTTP')
    before = stack['it'].resource_id
    stack = engine.update(stack, MONITOR % 'TCP')
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert stack['it'].resource_id != before
    [kept] = [thing for (entity, _id), thing in balancing.things.items()
              if entity == 'health_monitor']
    assert kept['type'] == 'TCP'


def test_pool_that_has_a_monitor(engine, balancing):
    balancing.create_pool(id='p', name='p')
    balancing.create_health_monitor(id='m', pool_id='p')
    stack = engine.create(MONITOR % 'HTTP')
    assert stack.state == ('CREATE', 'FAILED')
    assert 'already has the health monitor m' in stack.status_reason


def test_place_that_is_taken_is_not_waited_for(engine, balancing):
    balancing.create_load_balancer(id='lb', name='lb')
    balancing.trouble['create_listener'] = [
        conflict(), exceptions.ConflictException(
            'Another Listener is already using protocol_port 80')] * 9
    stack = engine.create("""
resources:
  it:
    type: OS::Octavia::Listener
    properties: {loadbalancer: lb, protocol: TCP, protocol_port: 80}
""")
    assert stack.state == ('CREATE', 'FAILED')
    assert 'already using protocol_port 80' in stack.status_reason
    assert balancing.trouble['create_listener'], 'it was asked for ever'
