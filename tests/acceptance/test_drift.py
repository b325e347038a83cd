"""Detection reports exactly the changes made outside the service.
"""
from openstack import exceptions

from tests.acceptance import templates
from tests.acceptance.templates import hot
from tests.acceptance.templates import ref

RULES = [{'protocol': 'tcp', 'port_range_min': 80, 'port_range_max': 80},
         {'protocol': 'icmp'},
         {'protocol': 'tcp', 'remote_ip_prefix': '10.77.0.0/24',
          'port_range_min': 22, 'port_range_max': 22}]


def all_of_it(tag):
    """Return a template with what stacks commonly consist of."""
    return hot({
        **templates.network(), **templates.router(),
        'group': {'type': 'OS::Neutron::SecurityGroup', 'properties': {
            'rules': RULES}},
        'rule': {'type': 'OS::Neutron::SecurityGroupRule', 'properties': {
            'security_group': ref('group'), 'protocol': 'udp',
            'port_range_min': 53, 'port_range_max': 53}},
        'port': templates.port(
            security_groups=[ref('group')],
            fixed_ips=[{'subnet': ref('net-subnet')}]),
        'server': templates.server({'port': ref('port')},
                                   metadata={'a': 'b'}),
        'other': templates.server({'network': ref('net')}),
        'key': {'type': 'OS::Nova::KeyPair', 'properties': {
            'name': f'{tag}-drift', 'save_private_key': True}},
        'servers': {'type': 'OS::Nova::ServerGroup', 'properties': {
            'policies': ['anti-affinity']}},
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {
            'size': 1, 'metadata': {'colour': 'red'}}},
        'spare': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}},
        'attachment': {'type': 'OS::Cinder::VolumeAttachment',
                       'properties': {'instance_uuid': ref('server'),
                                      'volume_id': ref('volume')}},
        'value': {'type': 'OS::Heat::Value', 'properties': {'value': 1}},
    })


def detect(stacks, path):
    """Detect the drift of a stack; return {path: what is found}."""
    stacks.call('POST', f'{path}/drift', expect=202)

    def ended():
        found = stacks.get(f'{path}/drift')['drift']
        return found['status'] != 'DETECTION_IN_PROGRESS' and found

    found = stacks.until(ended)
    assert found['status'] == 'DETECTION_COMPLETE', found['status_reason']
    return {'/'.join(each['path']): each for each in found['resources']}


def is_gone(get, its_id):
    """Return whether a function of a service finds something no more."""
    try:
        get(its_id)
    except exceptions.NotFoundException:
        return True
    return False


def drifted(found):
    """Return what has drifted, with the properties that differ."""
    return {path: (each['status'], sorted(
        one['property'] for one in each['differences']))
        for path, each in found.items()
        if each['status'] in ('MODIFIED', 'DELETED')}


def uncompared(found):
    return sorted(path for path, each in found.items()
                  if each['status'] == 'UNSUPPORTED')


def test_drift_behind_the_back(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-drift', all_of_it(tenant.tag))
    found = detect(stacks, path)
    assert drifted(found) == {}, found
    assert uncompared(found) == ['value'], found
    member = tenant.connection('member')
    ids = stacks.physical_ids(path)
    member.compute.update_server(ids['server'], name='renamed')
    member.network.delete_security_group_rule(ids['rule'])
    rules = member.network.get_security_group(
        ids['group']).security_group_rules
    [icmp] = [rule['id'] for rule in rules if rule['protocol'] == 'icmp']
    member.network.delete_security_group_rule(icmp)
    member.block_storage.delete_volume(ids['spare'])
    stacks.until(lambda: is_gone(member.block_storage.get_volume,
                                 ids['spare']))
    member.network.update_network(ids['net'], is_admin_state_up=False)
    found = detect(stacks, path)
    assert drifted(found) == {
        'server': ('MODIFIED', ['name']), 'rule': ('DELETED', []),
        'group': ('MODIFIED', ['rules']), 'spare': ('DELETED', []),
        'net': ('MODIFIED', ['admin_state_up'])}
    before = {event['id'] for event in stacks.events(path)}
    revert(stacks, path)
    assert drifted(detect(stacks, path)) == {}
    # What is in sync, such as the port and the other server, is left alone.
    assert {event['resource_name'] for event in stacks.events(path)
            if event['id'] not in before} == {
        'server', 'rule', 'group', 'spare', 'net', f'{tenant.tag}-drift'}
    stacks.delete(path)


def test_the_way_back(stacks, tenant):
    path = stacks.create(f'{tenant.tag}-back', hot({
        'net': {'type': 'OS::Neutron::Net'},
        'group': {'type': 'OS::Neutron::SecurityGroup', 'properties': {
            'rules': RULES}},
        'volume': {'type': 'OS::Cinder::Volume', 'properties': {'size': 1}}}))
    member = tenant.connection('member')
    ids = stacks.physical_ids(path)
    member.network.update_network(ids['net'], is_admin_state_up=False)
    member.block_storage.delete_volume(ids['volume'])
    stacks.until(lambda: is_gone(member.block_storage.get_volume,
                                 ids['volume']))
    assert drifted(detect(stacks, path)) == {
        'net': ('MODIFIED', ['admin_state_up']), 'volume': ('DELETED', [])}
    revert(stacks, path)
    assert drifted(detect(stacks, path)) == {}
    assert member.network.get_network(ids['net']).is_admin_state_up
    stacks.delete(path)


def revert(stacks, path):
    """Bring back what has drifted."""
    planned = stacks.call('POST', f'{path}/change_sets', {
        'existing': True, 'revert_drift': True}, expect=201)['change_set']
    stacks.call('POST', f'{path}/change_sets/{planned["id"]}/execute',
                expect=202)
    stacks.wait(path, 'UPDATE_COMPLETE')
