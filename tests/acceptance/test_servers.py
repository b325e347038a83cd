"""Servers: network cards, disks, user data, and changes where they are."""
import base64
import datetime
import email
import json
from urllib import parse
from xml.etree import ElementTree

import pytest
import requests

from heat.common import ec2_signature
from tests.acceptance import templates
from tests.acceptance.templates import attr
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


def test_all_forms_of_networks(stacks, tenant, ports, live):
    template = hot({
        **NET, **templates.network('other', '10.78.0.0/24'),
        **templates.router(),
        'group': {'type': 'OS::Neutron::SecurityGroup'},
        'port': templates.port(fixed_ips=[{'ip_address': '10.77.0.50'}],
                               security_groups=[ref('group')]),
        'by-port': server({'port': ref('port')}),
        'server': server(
            {'network': ref('net'), 'floating_ip': ref('ip')},
            {'subnet': ref('other-subnet')},
            {'network': ref('net'), 'fixed_ip': '10.77.0.40', 'tag': 'nic',
             'port_extra_properties': {
                 'mac_address': 'fa:16:3e:77:00:40',
                 'allowed_address_pairs': [{'ip_address': '10.77.0.99'}],
                 'value_specs': {'description': 'ours'}}},
            security_groups=[ref('group')]),
    }, {
        'networks': attr('server', 'networks'),
        'addresses': attr('server', 'addresses'),
        'ip': attr('ip', 'floating_ip_address'),
    })
    path = stacks.create(f'{tenant.tag}-networks', template)
    ids = stacks.physical_ids(path)
    found = ports(path)
    assert len(found) == 3
    assert {port.security_group_ids[0] for port in found} == {ids['group']}
    special = next(port for port in found
                   if port.mac_address == 'fa:16:3e:77:00:40')
    assert addresses([special]) == ['10.77.0.40']
    assert special.description == 'ours'
    assert special.allowed_address_pairs[0]['ip_address'] == '10.77.0.99'
    assert addresses(ports(path, 'by-port')) == ['10.77.0.50']
    values = stacks.outputs(path)
    assert values['ip'] in values['networks'][ids['net']]
    assert values['networks'][ids['net']] == (
        values['networks'][live_name(tenant, ids['net'])])
    first = values['addresses'][ids['other']][0]
    assert first['port'] in {port.id for port in found}
    assert first['network']['id'] == ids['other']
    assert [each['id'] for each in first['subnets']] == [
        ids['other-subnet']]
    stacks.delete(path)


def live_name(tenant, network_id):
    return tenant.connection('member').network.get_network(network_id).name


def test_network_cards_change_in_place(stacks, tenant, ports, live):
    base = {**NET, **templates.network('other', '10.78.0.0/24'),
            'port': templates.port()}
    path = stacks.create(f'{tenant.tag}-nics', hot({
        **base, 'server': server({'network': ref('net')},
                                 {'port': ref('port')})}))
    before = live(path).id
    kept = {port.id for port in ports(path)}
    given = stacks.physical_ids(path)['port']
    stacks.update(path, hot({**base, 'server': server(
        {'network': ref('net')}, {'network': ref('other')})}))
    assert live(path).id == before
    now = ports(path)
    assert {port.network_id for port in now} == {
        stacks.physical_ids(path)[name] for name in ('net', 'other')}
    assert len(kept & {port.id for port in now}) == 1
    assert given not in {port.id for port in now}
    # The port that was made for the card is changed in place, too.
    stacks.update(path, hot({**base, 'server': server(
        {'network': ref('net'), 'port_extra_properties': {
            'port_security_enabled': False}})}))
    [left] = ports(path)
    assert left.id in kept
    assert not left.is_port_security_enabled
    assert not left.security_group_ids
    stacks.delete(path)


def test_disks(stacks, tenant, live):
    volume = {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}
    base = {**NET, 'one': volume, 'two': volume, 'boot': volume}
    path = stacks.create(f'{tenant.tag}-disks', hot(base))
    ids = stacks.physical_ids(path)
    storage = tenant.connection('member').block_storage
    storage.set_volume_bootable_status(ids['boot'], True)
    snapshot = storage.create_snapshot(volume_id=ids['two'],
                                       name=f'{tenant.tag}-snap')
    stacks.until(lambda: storage.get_snapshot(
        snapshot.id).status == 'available')
    stacks.update(path, hot({
        **base,
        'server': server({'network': ref('net')}, block_device_mapping_v2=[
            {'volume_id': ref('one')},
            {'snapshot_id': snapshot.id, 'delete_on_termination': True}]),
        'legacy': server({'network': ref('net')}, block_device_mapping=[
            {'device_name': 'vdb', 'volume_id': ref('two'),
             'delete_on_termination': False}]),
        'from-volume': server(
            {'network': ref('net')}, image=None, block_device_mapping_v2=[
                {'volume_id': ref('boot'), 'boot_index': 0,
                 'device_name': 'vda'}]),
    }))

    def attached(name):
        return {volume.id for volume in live(path, name).attached_volumes}

    assert ids['one'] in attached('server')
    assert len(attached('server')) == 2
    assert attached('legacy') == {ids['two']}
    assert attached('from-volume') == {ids['boot']}
    assert storage.get_volume(ids['one']).status == 'in-use'
    stacks.update(path, hot(base))
    assert {storage.get_volume(ids[name]).status
            for name in ('one', 'two', 'boot')} == {'available'}
    storage.delete_snapshot(snapshot)
    stacks.until(lambda: not list(storage.snapshots()))
    stacks.delete(path)


def test_changes_in_place(stacks, tenant, live):
    key = {'type': 'OS::Nova::KeyPair', 'properties': {
        'name': f'{tenant.tag}-key'}}

    def template(**properties):
        return hot({**NET, 'key': key, 'server': server(
            {'network': ref('net')}, key_name=ref('key'), **properties)},
            {'tags': attr('server', 'tags'), 'name': attr('server', 'name'),
             'instance': attr('server', 'instance_name'),
             'show': attr('server', 'show')})
    path = stacks.create(f'{tenant.tag}-update', template(
        name=f'{tenant.tag}-one', metadata={'a': 1, 'b': 'x'},
        tags=['one', 'two'], availability_zone='nova', config_drive=True,
        scheduler_hints={'group_hint': 'x'}, diskConfig='AUTO'))
    made = live(path)
    assert made.metadata == {'a': '1', 'b': 'x'}
    assert made.key_name == f'{tenant.tag}-key'
    assert sorted(made.tags) == ['one', 'two']
    values = stacks.outputs(path)
    assert sorted(values['tags']) == ['one', 'two']
    assert values['show']['status'] == 'ACTIVE'
    stacks.update(path, template(
        name=f'{tenant.tag}-two', metadata={'b': 'y'}, tags=['three'],
        availability_zone='nova', config_drive=True, flavor='m1.micro',
        scheduler_hints={'group_hint': 'x'}, diskConfig='AUTO',
        admin_pass='other'))
    now = live(path)
    assert now.id == made.id
    assert now.status == 'ACTIVE'
    assert now.name == f'{tenant.tag}-two'
    assert now.metadata == {'b': 'y'}
    assert now.tags == ['three']
    assert now.flavor.original_name == 'm1.micro'
    stacks.act(path, 'check')
    stacks.act(path, 'suspend')
    assert live(path).status == 'SUSPENDED'
    stacks.act(path, 'resume')
    assert live(path).status == 'ACTIVE'
    stacks.delete(path)


def user_data(tenant, server_id):
    """Return the user data of a server as only administrators see them."""
    found = tenant.admin.compute.get_server(server_id).user_data
    return base64.b64decode(found).decode()


def parts(text):
    return {part.get_filename(): part.get_payload(decode=True).decode()
            for part in email.message_from_string(text).walk()
            if not part.is_multipart()}


def test_user_data(stacks, tenant, live):
    script = '#!/bin/sh\necho hello\n'
    config = {'type': 'OS::Heat::SoftwareConfig', 'properties': {
        'config': script}}
    cards = {'network': ref('net')}
    template = hot({
        **NET, 'config': config,
        'raw': server(cards, user_data=script, user_data_format='RAW'),
        'tools': {**server(cards, user_data=script),
                  'metadata': {'AWS::CloudFormation::Init': {}}},
        'agent': server(cards, user_data=ref('config'),
                        user_data_format='SOFTWARE_CONFIG'),
    })
    path = stacks.create(f'{tenant.tag}-data', template)
    ids = stacks.physical_ids(path)
    assert user_data(tenant, ids['raw']) == script
    tools = parts(user_data(tenant, ids['tools']))
    assert tools['cfn-userdata'] == script
    assert 'AWS::CloudFormation::Init' in tools['cfn-init-data']
    assert tools['cfn-metadata-server'].endswith('/v1/')
    agent = parts(user_data(tenant, ids['agent']))
    assert agent[None] == script
    assert 'part-handler.py' in agent
    assert 'os-collect-config' in agent['cfn-init-data']
    # Another script makes another server, unless the template says else.
    def changed(policy):
        return hot({**NET, 'config': config, 'raw': server(
            cards, user_data=script + policy, user_data_format='RAW',
            user_data_update_policy=policy)})
    stacks.update(path, changed('IGNORE'))
    assert live(path, 'raw').id == ids['raw']
    stacks.update(path, changed('REBUILD'))
    assert live(path, 'raw').id == ids['raw']
    assert user_data(tenant, ids['raw']) == script + 'REBUILD'
    stacks.update(path, changed('REPLACE'))
    assert live(path, 'raw').id != ids['raw']
    stacks.delete(path)


def described(agent):
    """Ask for metadata as os-collect-config does, by the cfn API."""
    url = parse.urlsplit(agent['metadata_url'])
    params = {
        'Action': 'DescribeStackResource',
        'StackName': agent['stack_name'], 'Version': '2010-05-15',
        'LogicalResourceId': agent['path'].partition('.')[0],
        'AWSAccessKeyId': agent['access_key_id'],
        'SignatureVersion': '2', 'SignatureMethod': 'HmacSHA256',
        'Timestamp': datetime.datetime.now(datetime.UTC).strftime(
            '%Y-%m-%dT%H:%M:%SZ')}
    params['Signature'] = ec2_signature.sign_v2(
        agent['secret_access_key'], {
            'verb': 'GET', 'host': url.netloc, 'path': url.path,
            'params': params})
    answer = requests.get(agent['metadata_url'], params=params, timeout=60)
    assert answer.status_code == 200, answer.text
    return json.loads(ElementTree.fromstring(answer.text).findtext(
        'DescribeStackResourceResult/StackResourceDetail/Metadata'))


def test_agent_of_the_cfn_api(stacks, tenant):
    template = hot({
        **NET,
        'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
            'group': 'script', 'config': 'echo hello',
            'outputs': [{'name': 'result'}]}},
        'server': server({'network': ref('net')},
                         user_data_format='SOFTWARE_CONFIG'),
        'deployment': {
            'type': 'OS::Heat::SoftwareDeployment', 'properties': {
                'config': ref('config'), 'server': ref('server'),
                'signal_transport': 'CFN_SIGNAL'}},
    }, {'result': attr('deployment', 'result')})
    path = stacks.create(f'{tenant.tag}-agent', template, wait=False)
    stacks.wait_resource(path, 'deployment', 'CREATE_IN_PROGRESS')
    # All that the server knows is what it was started with.
    data = parts(user_data(tenant, stacks.physical_ids(path)['server']))
    agent = json.loads(data['cfn-init-data'])['os-collect-config']['cfn']
    [offered] = stacks.until(lambda: described(agent).get('deployments'))
    inputs = {one['name']: one.get('value') for one in offered['inputs']}
    answer = requests.post(inputs['deploy_signal_id'], timeout=60, json={
        'result': 'hello', 'deploy_status_code': 0})
    assert answer.status_code == 200, answer.text
    stacks.wait(path, 'CREATE_COMPLETE')
    assert stacks.outputs(path) == {'result': 'hello'}
    stacks.delete(path)


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


def test_rollback_gives_ports_back(stacks, tenant, live, ports):
    def template(**properties):
        return hot({
            **NET, 'port': templates.port(),
            'server': server({'port': ref('port')},
                             {'network': ref('net'),
                              'fixed_ip': '10.77.0.42'}, **properties)})
    path = stacks.create(f'{tenant.tag}-back', template())
    before = live(path).id
    kept = {port.id for port in ports(path)}
    # No host has room for it.
    stacks.update(path, template(
        config_drive=True, availability_zone='nova:nowhere'),
        wait=False, disable_rollback=False)
    stacks.wait(path, 'ROLLBACK_COMPLETE')
    assert live(path).id == before
    assert {port.id for port in ports(path)} == kept
    assert '10.77.0.42' in addresses(ports(path))
    stacks.delete(path)


def test_snapshot_and_restore(stacks, tenant, live):
    path = stacks.create(f'{tenant.tag}-snap', hot({
        **NET, 'server': server({'network': ref('net')})}))
    images = tenant.connection('member').image
    before = {image.id for image in images.images(
        owner=tenant.project_id)}
    snapshot = stacks.call('POST', path + '/snapshots', {'name': 'one'})

    def taken():
        return next((image for image in images.images(
            owner=tenant.project_id) if image.id not in before), None)

    image = stacks.until(taken)
    if image.status == 'queued':
        # There is no hypervisor that knows what it is of, and has it.
        images.update_image(image, disk_format='raw',
                            container_format='bare')
        answer = images.put(
            f'/images/{image.id}/file', data=b'0' * 1024,
            headers={'Content-Type': 'application/octet-stream'})
        assert answer.status_code == 204, answer.text
    where = f'{path}/snapshots/{snapshot["id"]}'
    stacks.until(lambda: stacks.get(where)['snapshot']['status'] ==
                 'COMPLETE')
    made = live(path).id
    stacks.call('POST', where + '/restore')
    stacks.wait(path, 'RESTORE_COMPLETE')
    assert live(path).id == made
    assert live(path).image.id == image.id
    stacks.delete(path)


def test_failed_creation_leaves_nothing(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-bad', hot({
        **NET, 'server': server({'network': ref('net')},
                                availability_zone='nova:nowhere')}),
        wait=False)
    stack = stacks.wait(path, 'CREATE_FAILED')
    assert 'resources.server' in stack['stack_status_reason']
    stacks.delete(path)
