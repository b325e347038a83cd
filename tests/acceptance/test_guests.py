"""Servers from their user data to the signal of their agent.

What Nova has stored boots a machine (tests/guest): cloud-init runs it, and
os-collect-config asks the service and carries out the deployment. Nothing
else tells the machine of the service.
"""
import base64
import json
from urllib import parse

import pytest

from tests.acceptance import deployment as deployment_module
from tests.acceptance import leaks
from tests.acceptance import regions
from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import ref
from tests.guest import agent
from tests.guest import hook
from tests.guest import machine as machines

SERVICES = ('identity', 'compute', 'image', 'network', 'object-store',
            'messaging')
INIT_DATA = ('/var/lib/heat-cfntools/cfn-init-data',
             '/var/lib/cloud/data/cfn-init-data')


@pytest.fixture(scope='module')
def deployment(tmp_path_factory, project):
    """A deployment of a region of its own.

    Agents find the orchestration API in the catalogue.
    """
    one = deployment_module.Deployment(
        tmp_path_factory.mktemp('guests'), engines=1, sections={'DEFAULT': {
            'region_name_for_services': f'{project.tag}-guests'}})
    try:
        with regions.region(project, 'guests', {
                ('orchestration', 'public'): one.url + '/%(project_id)s',
                **{(kind, 'public'): regions.url_of(project, kind)
                   for kind in SERVICES}}):
            one.start()
            one.wait_until_up(project.session('admin'), project.project_id)
            yield one
    finally:
        one.stop()


@pytest.fixture(scope='module')
def leak_check(project, deployment):
    """What there is besides the region."""
    return leaks.Check(project)


@pytest.fixture(scope='module')
def programs():
    return machines.prepare()


@pytest.fixture
def machine(stacks, tenant, programs, tmp_path):
    """Return a function that returns the machine of a server."""
    def make(path, name='server'):
        stacks.wait_resource(path, name)
        server = tenant.admin.compute.get_server(
            stacks.physical_ids(path)[name])
        return machines.Machine(tmp_path / name, programs,
                                base64.b64decode(server.user_data))
    return make


SCRIPT = """\
#!/bin/sh
echo "$word and $deploy_action"
echo trouble >&2
echo "said $word" >"$heat_outputs_path.said"
"""


def deploying(transport, signal, word='one', user_data=None):
    """Return a template with a server that deploys a script."""
    return templates.hot({
        **templates.network(),
        'files': {'type': 'OS::Heat::CloudConfig', 'properties': {
            'cloud_config': {'write_files': [
                {'path': '/var/written', 'content': 'gr\xfc\xdfe'}]}}},
        'script': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
            'config': '#!/bin/sh\necho gr\xfc\xdfe >/var/said\n'}},
        'parts': {'type': 'OS::Heat::MultipartMime', 'properties': {
            'parts': [{'config': ref('files')}, {'config': ref('script')}]}},
        'config': {'type': 'OS::Heat::SoftwareConfig', 'properties': {
            'group': 'script', 'config': SCRIPT,
            'inputs': [{'name': 'word'}], 'outputs': [{'name': 'said'}]}},
        'server': templates.server(
            {'network': ref('net')}, user_data_format='SOFTWARE_CONFIG',
            user_data=user_data or ref('parts'),
            software_config_transport=transport),
        'deployment': {
            'type': 'OS::Heat::SoftwareDeployment', 'properties': {
                'config': ref('config'), 'server': ref('server'),
                'input_values': {'word': word},
                'signal_transport': signal}}},
        {'said': attr('deployment', 'said'),
         'output': attr('deployment', 'deploy_stdout'),
         'errors': attr('deployment', 'deploy_stderr')})


@pytest.mark.parametrize(('transport', 'signal'), [
    ('POLL_SERVER_CFN', 'CFN_SIGNAL'),
    ('POLL_SERVER_HEAT', 'HEAT_SIGNAL'),
    ('POLL_TEMP_URL', 'TEMP_URL_SIGNAL'),
    ('ZAQAR_MESSAGE', 'ZAQAR_SIGNAL')])
def test_software_config(stacks, tenant, machine, transport, signal):
    path = stacks.create(f'{tenant.tag}-{signal}',
                         deploying(transport, signal), wait=False)
    guest = machine(path)
    guest.boot()
    assert guest.errors() == []
    assert guest.read('/var/written') == 'gr\xfc\xdfe'
    assert guest.read('/var/said') == 'gr\xfc\xdfe\n'
    first, second = (json.loads(guest.read(each)) for each in INIT_DATA)
    assert first == second
    assert first['deployments'] == []
    agent.install(guest)
    with agent.running(guest):
        stacks.wait(path, 'CREATE_COMPLETE')
        assert stacks.outputs(path) == {
            'said': 'said one', 'output': 'one and CREATE\n',
            'errors': 'trouble\n'}
        stacks.update(path, deploying(transport, signal, 'two'))
        assert stacks.outputs(path)['output'] == 'two and UPDATE\n'
    stacks.delete(path)


def test_software_config_without_signal(stacks, tenant, machine):
    """The deployment is complete before the machine boots."""
    path = stacks.create(f'{tenant.tag}-NO_SIGNAL',
                         deploying('POLL_SERVER_CFN', 'NO_SIGNAL'))
    guest = machine(path)
    guest.boot()
    assert guest.errors() == []
    agent.install(guest)
    with agent.running(guest):
        results, = stacks.until(
            lambda: list(guest.path(hook.DONE).glob('*')))
        assert json.loads(results.read_text())['said'] == 'said one'
    assert stacks.outputs(path) == dict.fromkeys(
        ('said', 'output', 'errors'))
    stacks.delete(path)


def test_ignition(stacks, tenant, machine):
    """Ignition of Fedora CoreOS is played: it writes the files."""
    given = {'ignition': {'version': '3.3.0'}, 'storage': {'files': [
        {'path': '/var/own', 'contents': {'source': 'data:,one'}}]}}
    path = stacks.create(
        f'{tenant.tag}-ignition', deploying(
            'POLL_SERVER_CFN', 'CFN_SIGNAL', user_data=json.dumps(given)),
        wait=False)
    guest = machine(path)
    stored = json.loads(guest.read(machines.USER_DATA))
    assert stored['ignition'] == given['ignition']
    for each in stored['storage']['files']:
        head, _comma, data = each['contents']['source'].partition(',')
        file = guest.path(each['path'])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(data) if head.endswith('base64')
                         else parse.unquote_to_bytes(data))
        file.chmod(each.get('mode', 0o644))
    assert guest.read('/var/own') == 'one'
    for each in INIT_DATA:
        assert json.loads(guest.read(each))['deployments'] == []
        assert guest.mode(each) == 0o640
    agent.install(guest)
    with agent.running(guest):
        stacks.wait(path, 'CREATE_COMPLETE')
    stacks.delete(path)


def test_heat_cfntools(stacks, tenant, machine):
    """The user data call cfn-init, and signal a wait condition."""
    script = {'str_replace': {'params': {
        '$stack': {'get_param': 'OS::stack_name'},
        '$curl': attr('handle', 'curl_cli')}, 'template': (
            '#!/bin/sh -e\ncfn-init -s $stack -r server --region heat\n'
            '$curl --data-binary \'{"status": "SUCCESS"}\'\n')}}
    path = stacks.create(f'{tenant.tag}-cfntools', templates.hot({
        **templates.network(),
        'handle': {'type': 'OS::Heat::WaitConditionHandle'},
        'condition': {'type': 'OS::Heat::WaitCondition', 'properties': {
            'handle': ref('handle'), 'timeout': 600}},
        'server': {
            **templates.server({'network': ref('net')}, user_data=script),
            'metadata': {'AWS::CloudFormation::Init': {'config': {'files': {
                '/var/by-cfn-init': {'content': 'one', 'mode': '000640',
                                     'owner': 'root', 'group': 'root'}}}}}},
        }), wait=False)
    guest = machine(path)
    guest.boot(network=True)
    log = guest.read('/var/log/heat-provision.log')
    assert guest.errors() == [], log
    assert guest.path('/var/lib/heat-cfntools/provision-finished').exists()
    assert guest.read('/var/by-cfn-init') == 'one'
    stacks.wait(path, 'CREATE_COMPLETE')
    stacks.delete(path)


def test_raw(stacks, tenant, machine):
    path = stacks.create(f'{tenant.tag}-raw', templates.hot({
        **templates.network(),
        'server': templates.server(
            {'network': ref('net')}, user_data_format='RAW',
            user_data='#!/bin/sh\necho gr\xfc\xdfe >/var/said\n')}))
    guest = machine(path)
    guest.boot()
    assert guest.errors() == []
    assert guest.read('/var/said') == 'gr\xfc\xdfe\n'
    assert not guest.path(INIT_DATA[0]).exists()
    stacks.delete(path)
