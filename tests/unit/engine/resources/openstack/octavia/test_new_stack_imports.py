"""Load balancers that exist become a stack with what belongs to them."""
from tests.unit.engine.resources import imported

TEMPLATE = """
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
      default_pool: {get_resource: pool}
  pool:
    type: OS::Octavia::Pool
    properties:
      loadbalancer: {get_resource: balancer}
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
  monitor:
    type: OS::Octavia::HealthMonitor
    properties:
      {pool: {get_resource: pool}, delay: 5, timeout: 3, max_retries: 2,
       type: HTTP}
"""


def test_nothing_changes(engine, balancing):
    ids = imported.forgotten(engine, TEMPLATE)
    # A member is found by its pool, which is imported by the same request.
    ids = dict(reversed(ids.items()))
    assert imported.planned(engine, TEMPLATE, ids) == {
        name: ('keep', []) for name in ids}
    balancing.log.clear()
    stack = imported.imported(engine, TEMPLATE, ids)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert {each.name: each.resource_id for each in stack.values()} == ids
    assert balancing.requests('create', 'update', 'delete') == []
