"""The network cards of servers."""
import json

from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import exception
from heat.engine.resources import scheduler_hints
from heat.engine.resources import server_base
from heat.engine.resources.openstack.nova import server as server_module
from heat.engine.resources.openstack.nova import server_network_mixin

NET = {'network': 'net'}


def created(world):
    """Return the bodies of the requests that made ports."""
    return [given for verb, entity, given in world.network.log
            if (verb, entity) == ('create', 'port')]


def addresses(world, stack):
    return [[each['ip_address'] for each in
             world.network._kept('port', port_id)['fixed_ips']]
            for port_id in world.attached(stack)]


def log(world, *verbs):
    return [each for each in world.compute.log if each[0] in verbs]


def test_ports_are_made_as_they_are_wanted(world):
    stack = world.server(security_groups=['web'], networks=[
        NET, {'network': 'net', 'fixed_ip': '10.0.9.9'},
        {'subnet': 'other-subnet', 'port_extra_properties': {
            'binding:vnic_type': 'direct', 'no_fixed_ips': False,
            'mac_address': 'fa:16:3e:aa:aa:aa',
            'allowed_address_pairs': [{'ip_address': '10.0.0.0/24'}],
            'value_specs': {'description': 'ours'}}}])
    name = stack['server'].physical_resource_name()
    first, second, third = created(world)
    assert (first['network_id'], first['security_groups']) == (
        'net', ['web-id'])
    assert 'fixed_ips' not in first
    assert second['name'] == name + '-port-1'
    assert addresses(world, stack)[1] == ['10.0.9.9']
    assert third == {
        'network_id': 'other', 'name': name + '-port-2',
        'fixed_ips': [{'subnet_id': 'other-subnet'}],
        'security_groups': ['web-id'],
        'admin_state_up': True, 'binding:vnic_type': 'direct',
        'mac_address': 'fa:16:3e:aa:aa:aa', 'description': 'ours',
        'allowed_address_pairs': [{'ip_address': '10.0.0.0/24'}]}
    assert [each['id'] for each in json.loads(
        stack['server'].data()['internal_ports'])] == world.attached(stack)


def test_port_of_somebody_else_is_not_deleted(world):
    port = world.port()
    stack = world.server(networks=[{'port': port}, NET])
    assert world.attached(stack)[0] == port
    world.engine.delete(stack)
    assert [each['id'] for each in world.network.of('port')] == [port]


@pytest.mark.parametrize('word', ['auto', 'none'])
def test_networks_that_nova_chooses(world, word):
    stack = world.server(networks=[{'allocate_network': word}],
                         security_groups=['web'])
    [server] = [given for verb, _noun, given in world.compute.log
                if verb == 'create']
    assert server['networks'] == word
    assert server['security_groups'] == [{'name': 'web-id'}]
    assert len(world.attached(stack)) == (word == 'auto')
    stack = world.change(stack, networks=[NET], security_groups=['web'])
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    [port] = world.attached(stack)
    assert world.network._kept('port', port)['network_id'] == 'net'
    # What Nova has made it has taken away again.
    assert len(world.network.of('port')) == 1


def test_tags_of_network_cards(world):
    stack = world.server(networks=[{**NET, 'tag': 'one'}])
    assert world.live(stack)['attached'][0][1] == 'one'
    stack = world.change(stack, networks=[{**NET, 'tag': 'two'}])
    assert [tag for _port, tag in world.live(stack)['attached']] == ['two']
    assert len(world.network.of('port')) == 1


def test_subnet_of_another_network(world):
    stack = world.engine.create(world.template(
        networks=[{**NET, 'subnet': 'other-subnet'}]))
    assert 'belongs to the network other' in stack.status_reason


def test_floating_ip_leads_to_the_port(world):
    fip = world.network.create_ip(port_id=None).id
    stack = world.server(networks=[{**NET, 'floating_ip': fip}])
    kept = world.network._kept('ip', fip)
    assert [kept['port_id']] == world.attached(stack)
    stack = world.change(stack, networks=[NET])
    assert kept['port_id'] is None
    stack = world.change(stack, networks=[{**NET, 'floating_ip': fip}])
    assert [kept['port_id']] == world.attached(stack)


def test_floating_ip_of_a_given_port_is_released(world):
    fip, port = world.network.create_ip(port_id=None).id, world.port()
    stack = world.server(networks=[{'port': port, 'floating_ip': fip}])
    assert world.network._kept('ip', fip)['port_id'] == port
    world.engine.delete(stack)
    assert world.network._kept('ip', fip)['port_id'] is None


def test_cards_are_attached_and_detached(world):
    port = world.port()
    stack = world.server(networks=[NET, {'port': port}])
    before, server = world.attached(stack)[0], stack['server'].resource_id
    stack = world.change(stack, networks=[{'network': 'other'}, NET])
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == server
    assert world.attached(stack)[0] == before
    assert len(world.attached(stack)) == 2
    assert world.network._kept('port', port)['device_id'] == ''
    stack = world.change(stack, networks=[{'port': port}])
    assert world.attached(stack) == [port]
    assert len(world.network.of('port')) == 1


@pytest.mark.parametrize('memory', [3, 1000])
def test_outputs_have_no_address_that_is_gone(world, memory):
    """Nova shows it a while; if it always does, that is no failure."""
    stack = world.server(networks=[NET, {'network': 'other'}])
    assert len(world.engine.values(stack)['networks']) == 4
    world.compute.memory = memory
    stack = world.change(stack, networks=[NET])
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    if memory == 3:
        assert set(world.engine.values(stack)['networks']) == {
            'net', 'name of net'}


def test_nothing_is_attached_twice_after_an_interruption(world):
    stack = world.server(networks=[NET])
    attach, failed = world.compute.create_server_interface, []

    def interrupted(*args, **kwargs):
        made = attach(*args, **kwargs)
        if not failed:
            failed.append(made)
            raise sdk_exceptions.HttpException('the connection broke')
        return made

    world.compute.create_server_interface = interrupted
    wanted = [NET, {'network': 'other'}, {'network': 'other'}]
    stack = world.change(stack, networks=wanted)
    assert stack.state == ('UPDATE', 'FAILED')
    server = stack['server'].resource_id
    stack = world.change(stack, networks=wanted)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == server
    assert len(world.attached(stack)) == len(world.network.of('port')) == 3


def test_who_wants_an_address_comes_first(world):
    stack = world.server(networks=[{**NET, 'fixed_ip': '10.0.9.1'}, NET])
    kept = sorted(world.attached(stack))
    stack = world.change(stack, networks=[
        NET, {**NET, 'fixed_ip': '10.0.9.1'}])
    assert sorted(world.attached(stack)) == kept
    assert not log(world, 'attach', 'detach')


def test_port_is_changed_in_place(world):
    default = world.network.create_security_group(name='default')

    def extra(**values):
        return [{**NET, 'port_extra_properties': values}]
    stack = world.server(networks=extra(port_security_enabled=True))
    [before] = world.attached(stack)
    stack = world.change(stack, networks=extra(port_security_enabled=False))
    assert world.attached(stack) == [before]
    now = world.network._kept('port', before)
    assert now['port_security_enabled'] is False
    assert now['security_groups'] == []
    stack = world.change(stack, networks=extra(port_security_enabled=True))
    assert world.attached(stack) == [before]
    assert world.network._kept('port', before)['security_groups'] == [
        default.id]


def test_without_networks_the_server_keeps_what_it_has(world):
    port = world.port()
    stack = world.server(networks=[NET, {'port': port}])
    kept = world.attached(stack)[0]
    stack = world.change(stack)
    assert world.attached(stack) == [kept]
    stack = world.change(stack, networks=[{'port': port}])
    stack = world.change(stack)
    assert len(world.attached(stack)) == 1
    assert world.attached(stack) != [port]


def test_port_of_an_interrupted_create_is_used(world):
    stack = world.server(networks=[NET, {'network': 'other'}])
    server, before = stack['server'], world.attached(stack)
    world.compute._bury(server.resource_id)
    # What was made first was written down, what came then was not.
    server.data_set('internal_ports', json.dumps([{'id': before[0]}]))
    server.resource_id = None
    server.reparse()
    assert server.find_created() is None
    server.handle_create()
    assert [port_id for port_id, _tag in world.compute._kept(
        'server', server.resource_id)['attached']] == before
    assert len(world.network.of('port')) == 2


# -- handing over -----------------------------------------------------------

def handing_over(world):
    port = world.port()
    networks = [{'port': port}, {**NET, 'fixed_ip': '10.0.9.7'}]
    return port, networks, world.server(networks=networks)


def test_replacement_takes_over(world):
    port, networks, stack = handing_over(world)
    before = stack['server'].resource_id
    stack = world.change(stack, networks=networks, config_drive=True)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id != before
    assert world.attached(stack)[0] == port
    assert addresses(world, stack)[1] == ['10.0.9.7']
    assert len(world.network.of('port')) == 2
    assert not [key for key in world.compute.things
                if key == ('server', before)]


def test_giving_up_twice_loses_nothing(world):
    _port, _networks, stack = handing_over(world)
    for each in (stack, world.engine.reload(stack)):
        with each['server'].frozen_properties():
            each['server'].prepare_for_replace()
    lent = json.loads(stack['server'].data()['lent_ports'])
    assert [[address['ip_address'] for address in addresses]
            for addresses in lent['addresses'].values()] == [['10.0.9.7']]


def test_engine_does_other_things_until_a_port_is_free(world, monkeypatch):
    _port, _networks, stack = handing_over(world)
    server = stack['server']
    holders = [server.resource_id] * 3 + ['']
    monkeypatch.setattr(server.network_cards.handover, 'holder',
                        lambda _port: holders.pop(0))
    with server.frozen_properties():
        server.prepare_for_replace()
        assert not server.check_prepare_for_replace_complete(None)
        assert server.check_prepare_for_replace_complete(None)
        assert server.check_prepare_for_replace_complete(None)
    assert not holders


def test_port_that_never_gets_free_is_named(world, monkeypatch):
    port, _networks, stack = handing_over(world)
    server = stack['server']
    monkeypatch.setattr(server.network_cards.handover, 'holder',
                        lambda _port: server.resource_id)
    with server.frozen_properties():
        server.prepare_for_replace()
        for _look in range(59):
            assert not server.check_prepare_for_replace_complete(None)
        with pytest.raises(exception.Error, match='port %s is still' % port):
            server.check_prepare_for_replace_complete(None)


@pytest.mark.parametrize('state', ['ERROR', None])
def test_rollback_gives_back(world, state):
    fip = world.network.create_ip(port_id=None).id
    port, networks, stack = handing_over(world)
    networks = [{**networks[0], 'floating_ip': fip}, networks[1]]
    stack = world.change(stack, networks=networks)
    before, kept = stack['server'].resource_id, world.attached(stack)
    if state:
        world.compute.birth = [('BUILD', None), (state, None)]
    else:
        def refuse(**_request):
            raise sdk_exceptions.BadRequestException('no')
        world.compute.create_server = refuse
    stack = world.change(stack, networks=networks, config_drive=True,
                         fails=True)
    assert stack.state == ('ROLLBACK', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    assert sorted(world.attached(stack)) == sorted(kept)
    assert world.network._kept('port', kept[1])['fixed_ips'][0][
        'ip_address'] == '10.0.9.7'
    assert world.network._kept('ip', fip)['port_id'] == port
    assert len(world.network.of('port')) == 2
    assert len([key for key in world.compute.things
                if key[0] == 'server']) == 1


def test_server_that_failed_gives_up_its_port_by_going(world):
    port, networks, stack = handing_over(world)
    world.live(stack)['status'] = 'ERROR'
    before = stack['server'].resource_id
    stack.check()
    world.engine.pool.run()
    stack = world.change(world.engine.reload(stack), networks=networks)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id != before
    assert world.attached(stack)[0] == port


def test_servers_have_the_published_bases_alone():
    assert server_module.Server.__bases__ == (
        server_base.BaseServer, scheduler_hints.SchedulerHintsMixin,
        server_network_mixin.ServerNetworkMixin)


def test_plugins_call_the_methods_of_the_mixin(world):
    stack = world.server(networks=[{**NET, 'tag': 'nic'}])
    server = stack['server']
    [port] = world.attached(stack)
    with server.frozen_properties():
        assert server._is_nic_tagged([{'tag': 'nic'}])
        assert server._str_network([{'allocate_network': 'auto'}]) == 'auto'
        assert server._get_network_id({'subnet': 'other-subnet'}) == 'other'
        assert server._validate_network({**NET, 'port': 'p'}) == 'net'
        assert server._data_get_ports() == [{'id': port}]
        assert server._data_get_ports('external_ports') == []
        assert server._build_nics([{'port': port}]) == [{'port': port}]
        assert server.calculate_networks(
            [NET], [], server.network_cards.interfaces()) == ([], [])
        server.store_external_ports()
        server._delete_internal_ports()
    assert not world.network.of('port')
    assert server._data_get_ports() == []


def test_plugins_may_check_network_cards_themselves(world, monkeypatch):
    def strict(self, network):
        raise exception.StackValidationFailed(message='not this network')

    monkeypatch.setattr(server_module.Server, '_validate_network', strict)
    with pytest.raises(exception.StackValidationFailed,
                       match='not this network') as caught:
        world.engine.stack(world.template(networks=[NET]))
    assert caught.value.path == ['resources', 'server', 'properties',
                                 'networks', 0]
