"""The examples run on a cloud as they are.

What only an image with more in it than that of the tests could do, the
tests do in its place: be the agent of a software deployment, call the URL
that an alarm would call.
"""
import pathlib

import requests
import yaml

from heat.common import template_format
from tests.acceptance import test_signals as signals

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'
SMALL = {'image': 'cirros-0.6.2-x86_64-disk', 'flavor': 'm1.nano'}


def text(name):
    return (EXAMPLES / name).read_text()


def template(name):
    return template_format.parse(text(name))


def begin(stacks, tenant, name, parameters=None, files=(), wait=True,
          **more):
    """Create a stack of an example; return its path."""
    path = stacks.create(
        '%s-%s' % (tenant.tag, name.replace('_', '-')),
        template(name + '.yaml'), parameters=parameters or {},
        files={each: text(each) for each in files}, wait=False, **more)
    if wait:
        stacks.wait(path, 'CREATE_COMPLETE')
    return path


def test_each_example_says_how_to_run_it():
    for path in sorted(EXAMPLES.glob('*.yaml')):
        header = path.read_text().partition('heat_template_version')[0]
        assert path.name.endswith('_env.yaml') or (
            f'openstack stack create -t {path.name}' in header), path.name


def test_hello(stacks, tenant):
    path = begin(stacks, tenant, 'hello', {'guests': 2})
    assert len(stacks.outputs(path)['greetings']) == 2
    stacks.delete(path)


def test_web_server(stacks, tenant):
    path = begin(stacks, tenant, 'web_server', SMALL)
    ids = stacks.physical_ids(path)
    seen = stacks.outputs(path)
    connection = tenant.connection('member')
    address = connection.network.get_ip(ids['address'])
    assert seen['url'] == f'http://{address.floating_ip_address}/'
    assert address.fixed_ip_address == seen['private_address']
    volume = connection.block_storage.get_volume(ids['disk'])
    assert [each['server_id'] for each in volume.attachments] == [
        ids['server']]
    stacks.delete(path)


def test_three_tier_network(stacks, tenant):
    path = begin(stacks, tenant, 'three_tier_network')
    seen = stacks.outputs(path)
    network = tenant.connection('member').network
    groups = seen['security_groups']
    for tier, before in (('application', 'web'), ('data', 'application')):
        [rule] = network.security_group_rules(
            security_group_id=groups[tier], direction='ingress')
        assert rule.remote_group_id == groups[before]
    assert len(set(seen['networks'].values())) == 3
    stacks.delete(path)


def test_autoscaling(stacks, tenant):
    path = begin(stacks, tenant, 'autoscaling', SMALL)
    seen = stacks.outputs(path)
    assert (seen['size'], len(seen['addresses'])) == (1, 1)

    def told(url):
        answer = requests.post(seen[url], timeout=60)
        assert answer.status_code == 200, answer.text

    told('grow')
    stacks.until(lambda: _has(stacks.outputs(path), 2))

    def shrunk():
        # A group that is still growing does not listen; alarms repeat.
        told('shrink')
        return _has(stacks.outputs(path), 1)

    stacks.until(shrunk)
    stacks.delete(path)


def _has(outputs, number):
    return outputs['size'] == number == len(outputs['addresses'] or ())


def test_load_balanced_pool(stacks, tenant):
    member = 'load_balanced_member.yaml'
    path = begin(stacks, tenant, 'load_balanced_pool',
                 {**SMALL, 'servers': 1}, files=[member])
    pool = stacks.physical_ids(path)['pool']
    balancing = tenant.connection('member').load_balancer

    def addresses():
        return sorted(each.address for each in balancing.members(pool))

    assert addresses() == stacks.outputs(path)['members']
    stacks.update(path, template('load_balanced_pool.yaml'),
                  parameters={**SMALL, 'servers': 2},
                  files={member: text(member)})
    assert addresses() == sorted(stacks.outputs(path)['members'])
    assert len(addresses()) == 2
    stacks.delete(path)


def test_software_deployment(deployment, stacks, tenant):
    tenant.heat_url = deployment.url
    path = begin(stacks, tenant, 'software_deployment',
                 {**SMALL, 'name': 'garden'}, wait=False)
    stacks.wait_resource(path, 'deployment', 'CREATE_IN_PROGRESS')
    agent = stacks.resource(path, 'server', with_attr='os_collect_config')[
        'attributes']['os_collect_config']
    [config] = stacks.until(
        lambda: signals.by_api(agent, tenant, []).get('deployments'))
    inputs = {one['name']: one.get('value') for one in config['inputs']}
    signals.signal_by_api(deployment, inputs, {
        'greeting': 'Hello, %s' % inputs['who'], 'deploy_status_code': 0})
    stacks.wait(path, 'CREATE_COMPLETE')
    assert stacks.outputs(path) == {'greeting': 'Hello, garden',
                                    'status': 0}
    stacks.delete(path)


def test_composition(stacks, tenant):
    environment = yaml.safe_load(text('composition_env.yaml'))
    path = begin(stacks, tenant, 'composition', SMALL,
                 files=['composition_tier.yaml'], environment=environment)
    seen = stacks.outputs(path)
    assert [each.rpartition('.')[0] for each in
            [*seen['front'], *seen['back']]] == [
        '10.70.1', '10.70.1', '10.70.2']
    stacks.delete(path)
