"""What the network service has becomes a stack, and stays as it is."""
import pytest

from heat.engine.resources.openstack.neutron import floatingip
from heat.engine.resources.openstack.neutron import net
from heat.engine.resources.openstack.neutron import port
from heat.engine.resources.openstack.neutron import router
from heat.engine.resources.openstack.neutron import security_group
from heat.engine.resources.openstack.neutron import subnet
from tests.unit.engine.resources import imported

TEMPLATE = """
resources:
  group:
    type: OS::Neutron::SecurityGroup
    properties:
      name: web
      rules: [{protocol: tcp, port_range_min: 80, port_range_max: 80}]
  net: {type: OS::Neutron::Net, properties: {name: web}}
  subnet:
    type: OS::Neutron::Subnet
    properties:
      name: web
      network: {get_resource: net}
      cidr: 10.0.0.0/24
  router: {type: OS::Neutron::Router, properties: {name: edge}}
  interface:
    type: OS::Neutron::RouterInterface
    properties:
      router: {get_resource: router}
      subnet: {get_resource: subnet}
  port:
    type: OS::Neutron::Port
    properties:
      network: {get_resource: net}
      fixed_ips: [{subnet: {get_resource: subnet}, ip_address: 10.0.0.5}]
      security_groups: [{get_resource: group}]
  address:
    type: OS::Neutron::FloatingIP
    properties:
      floating_network: {get_resource: net}
      port_id: {get_resource: port}
"""


@pytest.fixture
def ids(engine):
    engine.register(floatingip.FloatingIP, net.Net, port.Port, router.Router,
                    router.RouterInterface, security_group.SecurityGroup,
                    subnet.Subnet)
    return imported.forgotten(engine, TEMPLATE)


def test_nothing_changes(engine, network, ids):
    assert imported.planned(engine, TEMPLATE, ids) == {
        name: ('keep', []) for name in ids}
    network.log.clear()
    stack = imported.imported(engine, TEMPLATE, ids)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert {each.name: each.resource_id for each in stack.values()} == ids
    assert network.requests('create', 'update', 'delete', 'attach',
                            'detach') == []


def test_differences_are_planned_and_made(engine, network, ids):
    changed = TEMPLATE.replace('{name: edge}', '{name: border}')
    planned = imported.planned(engine, changed, ids)
    assert planned['router'][0] == 'update'
    assert {name for name, (action, _causes) in planned.items()
            if action == 'keep'} == set(ids) - {'router'}
    imported.imported(engine, changed, ids)
    assert network.things['router', ids['router']]['name'] == 'border'


def test_what_is_not_imported_is_created(engine, network, ids):
    ids.pop('port')
    ids.pop('address')
    network.log.clear()
    stack = imported.imported(engine, TEMPLATE, ids)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert network.requests('create') == ['create port', 'create ip']
    assert network.body('create')['port_id'] == stack['port'].resource_id
