"""Servers of Nova: what becomes of their ports."""
import pytest

from tests.acceptance import templates
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref
from tests.acceptance.templates import server

NET = templates.network()


@pytest.fixture
def live(stacks, tenant):
    """Return a function that shows the server of a stack by Nova."""
    def show(path, name='server'):
        return tenant.connection('member').compute.get_server(
            stacks.physical_ids(path)[name])
    return show


@pytest.fixture
def ports(stacks, tenant):
    """Return a function that lists the ports of a server by Neutron."""
    def show(path, name='server'):
        return list(tenant.connection('member').network.ports(
            device_id=stacks.physical_ids(path)[name]))
    return show


def addresses(found):
    return sorted(each['ip_address'] for port in found
                  for each in port.fixed_ips)


def test_replacement_takes_over_ports(stacks, tenant, live, ports):
    def template(zone_key):
        return hot({
            **NET, 'port': templates.port(),
            'server': server({'port': ref('port')},
                             {'network': ref('net'),
                              'fixed_ip': '10.77.0.41'},
                             scheduler_hints={'kind': zone_key},
                             config_drive=zone_key == 'new')})
    path = stacks.create(f'{tenant.tag}-over', template('old'))
    before, given = live(path).id, stacks.physical_ids(path)['port']
    stacks.update(path, template('new'))
    assert live(path).id != before
    found = ports(path)
    assert given in {port.id for port in found}
    assert '10.77.0.41' in addresses(found)
    stacks.delete(path)


def test_failed_creation_leaves_nothing(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-bad', hot({
        **NET, 'server': server({'network': ref('net')},
                                availability_zone='nova:nowhere')}),
        wait=False)
    stack = stacks.wait(path, 'CREATE_FAILED')
    assert 'resources.server' in stack['stack_status_reason']
    stacks.delete(path)
