"""The life of a server, apart from its network cards."""
import base64
import email
import json

from openstack import exceptions as sdk_exceptions
import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine.clients.os import nova
from heat.engine.resources.openstack.heat import software_config

NET = [{'network': 'net'}]


def request(world):
    """Return what the last server was asked for."""
    return next(given for verb, entity, given in reversed(world.compute.log)
                if (verb, entity) == ('create', 'server'))


def data_of(world):
    return base64.b64decode(request(world)['user_data']).decode()


def test_what_is_given_is_asked_for(world):
    stack = world.server(
        networks=NET, key_name=None, availability_zone='nova',
        metadata={'a': 1, 'b': 'x'}, scheduler_hints={'group': 'g'},
        config_drive=True, diskConfig='AUTO', admin_pass='secret',
        user_data='#!/bin/sh', user_data_format='RAW')
    asked = request(world)
    [port] = world.attached(stack)
    assert asked == {
        'name': stack['server'].physical_resource_name(),
        'flavorRef': 'small-id', 'imageRef': 'cirros-id',
        'availability_zone': 'nova',
        'metadata': {'a': '1', 'b': 'x'}, 'config_drive': True,
        'OS-SCH-HNT:scheduler_hints': {'group': 'g'},
        'OS-DCF:diskConfig': 'AUTO', 'adminPass': 'secret',
        'networks': [{'port': port}],
        'user_data': base64.b64encode(b'#!/bin/sh').decode()}
    world.engine.delete(stack)
    assert not world.network.of('port')
    assert ('server', stack['server'].resource_id) not in (
        world.compute.things)


def test_version_of_a_request(world):
    world.server(networks=NET)
    world.server(networks=NET, personality={'/etc/motd': 'hi'})
    assert request(world)['personality'] == [
        {'path': '/etc/motd', 'contents': 'aGk='}]
    world.server()
    assert world.compute.versions == [None, '2.56', '2.36']


def test_failed_server_is_made_again(world):
    world.compute.birth = [('BUILD', None), ('ERROR', None)]
    stack = world.engine.create(world.template(networks=NET))
    assert stack.state == ('CREATE', 'FAILED')
    assert 'ERROR' in stack.status_reason
    world.engine.delete(stack)
    assert not world.network.of('port')
    assert not [key for key in world.compute.things if key[0] == 'server']


def test_refused_server_leaves_no_ports(world):
    def create(**_request):
        raise sdk_exceptions.BadRequestException('no')

    world.compute.create_server = create
    stack = world.engine.create(world.template(networks=NET))
    assert stack.state == ('CREATE', 'FAILED')
    assert len(world.network.of('port')) == 1
    world.engine.delete(stack)
    assert not world.network.of('port')


def test_tags(world):
    stack = world.server(networks=NET, tags=['a', 'b'])
    assert world.live(stack)['tags'] == ['a', 'b']
    assert world.engine.values(stack)['tags'] == ['a', 'b']
    stack = world.change(stack, networks=NET)
    assert stack.state == ('UPDATE', 'COMPLETE')
    assert world.live(stack)['tags'] == []


def test_simple_changes_are_made_in_place(world):
    stack = world.server(networks=NET, metadata={'a': 'x', 'b': 'y'})
    before = stack['server'].resource_id
    stack = world.change(stack, networks=NET, metadata={'b': 'z'},
                         name='other', admin_pass='new')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    assert world.live(stack)['metadata'] == {'b': 'z'}
    assert world.live(stack)['name'] == 'other'
    assert world.compute.asked['password'] == 'new'


def test_metadata_are_replaced_by_one_request(world):
    stack = world.server(networks=[{'port': world.port()}],
                         metadata={'a': 'x', 'b': 'y'})
    world.compute.log.clear()
    stack = world.change(stack, networks=[
        {'port': world.attached(stack)[0]}], metadata={'b': 'z'})
    assert world.live(stack)['metadata'] == {'b': 'z'}
    its_id = stack['server'].resource_id
    # The outputs of the stack show the server.
    assert world.compute.log == [('replace', 'metadata', its_id),
                                 ('get', 'server', its_id)]


MADE_PORT = """
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: net}
  server:
    type: OS::Nova::Server
    properties:
      flavor: small
      image: cirros
      metadata: {generation: '%s'}
      networks: [{port: {get_resource: port}}]
"""


def test_ports_of_the_stack_are_not_looked_up(world):
    stack = world.engine.create(MADE_PORT % 1)
    for text in MADE_PORT % 1, MADE_PORT % 2:
        world.network.log.clear()
        stack = world.engine.update(stack, text)
        assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
        assert not world.network.requests('get', 'find')
    world.engine.delete(stack)
    assert world.network.requests('get', 'find', 'update') == []
    assert world.network.of('port') == []


def test_resize(world):
    stack = world.server(networks=NET)
    before = stack['server'].resource_id
    stack = world.change(stack, networks=NET, flavor='large')
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert stack['server'].resource_id == before
    assert [each[1] for each in world.compute.log if each[0] == 'act'] == [
        'resize', 'confirmResize']
    stack = world.change(stack, networks=NET, flavor='small',
                         flavor_update_policy='REPLACE')
    assert stack['server'].resource_id != before


def test_resize_that_no_host_can_do(world):
    stack = world.server(networks=NET)

    def resize(server_id, flavor):
        world.live(stack).update(
            _states=[('ACTIVE', 'resize_prep'), ('ACTIVE', None)],
            fault={'message': 'No valid host'})

    world.compute.resize_server = resize
    stack = world.change(stack, networks=NET, flavor='large')
    assert stack.state == ('UPDATE', 'FAILED')
    assert 'No valid host' in stack.status_reason


@pytest.mark.parametrize(('policy', 'asked'), [
    ('REBUILD', {'imageRef': 'fedora-id', 'metadata': {}}),
    ('REBUILD_PRESERVE_EPHEMERAL', {
        'imageRef': 'fedora-id', 'metadata': {},
        'preserve_ephemeral': True}),
    ('REPLACE', None)])
def test_other_image(world, policy, asked):
    stack = world.server(networks=NET)
    before = stack['server'].resource_id
    stack = world.change(stack, networks=NET, image='fedora',
                         image_update_policy=policy)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert (stack['server'].resource_id == before) == (asked is not None)
    assert world.compute.asked.get('rebuild') == asked
    assert world.live(stack)['image'].id == 'fedora-id'


@pytest.mark.parametrize('policy', ['REPLACE', 'IGNORE', 'REBUILD'])
def test_other_user_data(world, policy):
    given = {'networks': NET, 'user_data_format': 'RAW'}
    stack = world.server(user_data='one', **given)
    before = stack['server'].resource_id
    stack = world.change(stack, user_data='two',
                         user_data_update_policy=policy, **given)
    assert stack.state == ('UPDATE', 'COMPLETE'), stack.status_reason
    assert (stack['server'].resource_id == before) == (policy != 'REPLACE')
    rebuilt = world.compute.asked.get('rebuild', {})
    assert rebuilt.get('user_data') == (
        'dHdv' if policy == 'REBUILD' else None)


def test_user_data_for_heat_cfntools(world):
    world.server(networks=NET, user_data='#!/bin/sh',
                 rsrc_metadata={'k': 'v'})
    found = {part.get_filename(): part.get_payload(decode=True).decode()
             for part in email.message_from_string(
                 data_of(world)).get_payload()}
    assert found['cfn-userdata'] == '#!/bin/sh'
    assert json.loads(found['cfn-init-data']) == {'k': 'v'}
    assert found['boothook.sh'].startswith('#!/bin/sh')


def test_software_config_as_user_data(world):
    template = world.template(networks=NET, user_data='CONFIG',
                              user_data_format='RAW').replace(
        "'CONFIG'", '{get_resource: config}')
    for name, cls in software_config.resource_mapping().items():
        environment.global_env().register_class(name, cls)
    stack = world.engine.create(template.replace(
        'resources:\n', 'resources:\n  config: {type: '
        'OS::Heat::SoftwareConfig, properties: {config: hello}}\n'))
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert data_of(world) == 'hello'


def test_suspend_resume_check(world):
    stack = world.server(networks=NET)
    for verb, state in (('check', 'ACTIVE'), ('suspend', 'SUSPENDED'),
                        ('resume', 'ACTIVE')):
        getattr(stack, verb)()
        world.engine.pool.run()
        stack = world.engine.reload(stack)
        assert stack.state == (verb.upper(), 'COMPLETE'), (
            stack.status_reason)
        assert world.live(stack)['status'] == state
    world.live(stack)['status'] = 'SHUTOFF'
    stack.check()
    world.engine.pool.run()
    assert 'ACTIVE' in world.engine.reload(stack).status_reason


def test_snapshot_policy_makes_an_image(world):
    template = world.template(networks=NET).replace(
        "{'type'", "{'deletion_policy': 'Snapshot', 'type'")
    stack = world.engine.create(template)
    before = len(world.images.things)
    world.images.script['image'] = ['queued', 'queued', 'active']
    world.engine.delete(stack)
    assert len(world.images.things) == before + 1
    assert not [key for key in world.compute.things if key[0] == 'server']


def test_restore_definition(world):
    stack = world.server(networks=NET)
    restored = stack['server'].handle_restore(
        stack['server'].t,
        {'resource_data': {'snapshot_image_id': 'snap'}})
    assert restored.properties(
        stack['server'].properties_schema).data['image'] == 'snap'
    unchanged = stack['server'].handle_restore(stack['server'].t, None)
    assert unchanged is stack['server'].t


def test_attributes(world):
    stack = world.server(networks=NET)
    values = world.engine.values(stack)
    [port_id] = world.attached(stack)
    address = world.network._kept('port', port_id)['fixed_ips'][0]
    assert values['networks'] == {
        key: [address['ip_address']] for key in ('net', 'name of net')}
    told = values['addresses']['net'][0]
    assert told == values['addresses']['name of net'][0]
    assert told['port'] == port_id
    assert told['network']['id'] == 'net'
    assert [each['id'] for each in told['subnets']] == ['net-subnet']
    assert values['name'] == stack['server'].physical_resource_name()
    assert values['instance_name'] == 'i-1'
    assert values['accessIPv4'] == '192.0.2.1'
    shown = stack['server'].FnGetAtt('show')
    assert shown['status'] == 'ACTIVE'
    assert shown['os_collect_config'] == {}
    assert values['tags'] == []


def test_server_of_a_service_without_tags_has_null(world, monkeypatch):
    monkeypatch.setattr(nova.NovaClientPlugin, 'is_version_supported',
                        lambda self, version: version != '2.26')
    stack = world.server(networks=NET)
    assert stack['server'].FnGetAtt('tags') is None


def test_failed_server_is_replaced_and_a_good_one_kept(world):
    stack = world.server(networks=NET)
    before = stack['server'].resource_id
    assert not stack['server'].needs_replace_failed()
    world.live(stack)['status'] = 'ERROR'
    assert stack['server'].needs_replace_failed()
    del world.compute.things['server', before]
    assert stack['server'].needs_replace_failed()


def test_interrupted_create_is_found_again(world):
    stack = world.server(networks=NET)
    server = stack['server']
    found = server.resource_id
    assert server.find_created() == found
    for port in world.network.of('port'):
        port['device_id'] = ''
    server.resource_id = None
    assert server.find_created() == found


def test_live_state_tells_what_differs(world):
    stack = world.server(networks=[{'network': 'net'}, {'network': 'other'}],
                         metadata={'a': 1}, tags=['x'])
    server = stack['server']
    server.reparse()
    assert server.get_live_state(server.properties) == {}
    world.live(stack).update(
        metadata={'a': '2'}, tags=[], name='renamed',
        flavor={'original_name': 'large'})
    gone = world.attached(stack)[1]
    world.compute._detach(server.resource_id, gone)
    found = server.get_live_state(server.properties)
    assert found.pop('networks')[0]['network'] == 'net'
    assert found == {'metadata': {'a': '2'}, 'tags': [], 'name': 'renamed',
                     'flavor': 'large'}
    del world.compute.things['server', server.resource_id]
    with pytest.raises(exception.EntityNotFound):
        server.get_live_state(server.properties)


REFUSED = [
    ({'image': None}, 'no boot device'),
    ({'tags': ['a,b']}, 'not contain a comma'),
    ({'networks': [{'fixed_ip': '10.0.0.3'}]}, 'requires one of'),
    ({'networks': [{'allocate_network': 'auto'}, {'network': 'net'}]},
     'applies to all network interfaces'),
    ({'networks': [{'port': 'p', 'network': 'net', 'fixed_ip': '10.0.0.3'}]},
     'networks/fixed_ip'),
    ({'networks': [{'port': 'p'}], 'security_groups': ['web']},
     'security_groups'),
    ({'metadata': {'a': 1, 'b': 2, 'c': 3}}, 'metadata of the server exceeds'),
    ({'personality': {'a': 'longer than ten'}}, 'exceeds the limit of Nova'),
    ({'block_device_mapping': [{'device_name': 'vdb'}]}, 'volume_id'),
    ({'block_device_mapping_v2': [{}]}, 'requires one of'),
    ({'block_device_mapping_v2': [{'swap_size': 1, 'ephemeral_size': 1}]},
     'together'),
    ({'block_device_mapping_v2': [{'ephemeral_format': 'xfs',
                                   'swap_size': 1}]}, 'ephemeral_size'),
    ({'block_device_mapping_v2': [{'image': 'cirros'}]}, 'volume_size'),
    ({'user_data_format': 'SOFTWARE_CONFIG',
      'rsrc_metadata': {'deployments': []}}, 'is reserved'),
]


@pytest.mark.parametrize(('properties', 'reason'), REFUSED,
                         ids=[reason for _given, reason in REFUSED])
def test_refused(world, properties, reason):
    world.network.create_port(id='p', network_id='net')
    with pytest.raises(exception.HeatException, match=reason):
        world.engine.stack(world.template(**properties))
    assert not [key for key in world.compute.things if key[0] == 'server']


def test_a_limit_that_was_raised_holds_at_once(world, monkeypatch):
    world.server(metadata={'a': 1})
    limits = world.compute.get_limits()
    limits.absolute.server_meta = 3
    asked = []
    monkeypatch.setattr(world.compute, 'get_limits',
                        lambda: asked.append(1) or limits)
    world.server(metadata={'a': 1, 'b': 2})
    assert not asked
    world.server(metadata={'a': 1, 'b': 2, 'c': 3})
    assert len(asked) == 1


def test_server_of_somebody_else_is_left_alone(world):
    """It needs no image, flavor or networks that the template tells."""
    its_id = world.server(networks=NET)['server'].resource_id
    world.compute.log.clear()
    stack = world.engine.create("""
heat_template_version: wallaby
resources:
  other: {type: OS::Nova::Server, external_id: %s}
""" % its_id)
    assert stack.state == ('CREATE', 'COMPLETE'), stack.status_reason
    assert stack['other'].FnGetAtt('show')['status'] == 'ACTIVE'
    world.engine.delete(stack)
    assert set(world.compute.requests()) == {'get server'}


def test_image_that_does_not_fit_the_flavor(world):
    world.images.things['image', 'cirros-id']['min_ram'] = 4096
    with pytest.raises(exception.StackValidationFailed) as caught:
        world.engine.stack(world.template())
    assert caught.value.path == ['resources', 'server', 'properties',
                                 'flavor']


def test_what_is_not_made_yet_is_not_looked_for(world):
    for name, cls in software_config.resource_mapping().items():
        environment.global_env().register_class(name, cls)
    config = '  %s: {type: OS::Heat::SoftwareConfig}\n'
    template = world.template(
        image='LATER', networks=[{'port': 'LATER'}],
        block_device_mapping_v2=[{'volume_id': 'LATER'}]).replace(
        "'LATER'", '{get_resource: later}').replace(
        'resources:\n', 'resources:\n' + config % 'later')
    assert world.engine.stack(template)


def test_disks_are_asked_for(world):
    for name in ('one', 'two'):
        world.storage.create_volume(id=name)
    world.server(networks=NET, block_device_mapping_v2=[
        {'volume_id': 'one', 'delete_on_termination': True},
        {'swap_size': 64}, {'ephemeral_size': 1, 'ephemeral_format': 'xfs'}])
    image, volume, swap, ephemeral = request(world)[
        'block_device_mapping_v2']
    assert image == {
        'uuid': 'cirros-id', 'source_type': 'image', 'boot_index': 0,
        'destination_type': 'local', 'delete_on_termination': True}
    assert volume == {
        'uuid': 'one', 'source_type': 'volume', 'boot_index': -1,
        'destination_type': 'volume', 'delete_on_termination': True}
    assert (swap['guest_format'], swap['volume_size']) == ('swap', 64)
    assert (ephemeral['guest_format'], ephemeral['volume_size']) == ('xfs',
                                                                     1)
    world.server(networks=NET, image=None, block_device_mapping=[
        {'device_name': 'vda', 'volume_id': 'two'}])
    [root] = request(world)['block_device_mapping_v2']
    assert (root['boot_index'], root['uuid']) == (0, 'two')


def test_server_that_cannot_be_shown_is_asked_for_again(world):
    show, busy = world.compute.get_server, [503, 503]

    def get_server(server_id):
        if busy:
            error = sdk_exceptions.HttpException('busy')
            error.status_code = busy.pop()
            raise error
        return show(server_id)

    world.compute.get_server = get_server
    world.server()
    assert not busy


def test_same_facts_are_asked_for_once(world):
    world.compute.log.clear()
    world.images.log.clear()
    servers = '\n'.join(
        '  s%d: {type: OS::Nova::Server, properties: {flavor: small, image: '
        'cirros, networks: [{network: net}]}}' % number
        for number in range(5))
    world.engine.stack('resources:\n' + servers)
    assert sorted(world.compute.requests()) == ['list flavor']
    assert sorted(world.images.requests()) == ['list image']


def test_a_list_proves_that_servers_are_gone(world):
    stack = world.engine.create('resources:\n' + '\n'.join(
        '  s%d: {type: OS::Nova::Server, properties: {flavor: small, image: '
        'cirros, networks: [{network: net}]}}' % number
        for number in range(5)))
    world.compute.log.clear()
    world.engine.delete(stack)
    assert not world.compute.of('server')
    asked = world.compute.requests('get', 'list')
    assert set(asked) == {'list server'}
    assert len(asked) <= 6


def test_one_look_serves_all_attributes(world):
    stack = world.server(networks=NET)
    server = stack['server']
    server.clear_stored_attributes()
    server._seen = None
    world.compute.log.clear()
    for name in ('name', 'networks', 'addresses', 'tags'):
        server.FnGetAtt(name)
    assert world.compute.requests() == ['get server']


def test_what_is_empty_is_not_asked_for(world):
    """Magnum gives an empty zone, and key pairs may be empty, too."""
    world.storage.create_volume(id='v')
    stack = world.server(
        networks=[{'network': 'net', 'subnet': '', 'floating_ip': '',
                   'tag': ''}],
        key_name='', availability_zone='', metadata={}, scheduler_hints={},
        diskConfig='AUTO', admin_pass='', user_data='',
        user_data_format='RAW', personality={}, block_device_mapping=[],
        block_device_mapping_v2=[{
            'volume_id': 'v', 'device_name': '', 'device_type': 'disk'}])
    [port] = world.attached(stack)
    assert request(world) == {
        'name': stack['server'].physical_resource_name(),
        'flavorRef': 'small-id', 'imageRef': 'cirros-id',
        'OS-DCF:diskConfig': 'AUTO', 'networks': [{'port': port}],
        'block_device_mapping_v2': [
            {'uuid': 'cirros-id', 'source_type': 'image',
             'destination_type': 'local', 'boot_index': 0,
             'delete_on_termination': True},
            {'uuid': 'v', 'source_type': 'volume', 'boot_index': -1,
             'destination_type': 'volume',
             'device_type': 'disk'}]}
