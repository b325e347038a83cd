"""What the ordinary client can do only where there is a Keystone."""
import argparse
import json
import warnings

from keystoneauth1 import session as ks_session
from keystoneauth1.identity import generic
import pytest

from tests.fakes import identity
from tests.functional import cli
from tests.functional import process
from tests.functional import service
from tests.functional import templates
from tests.functional.templates import hot

with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    from heatclient import client as heat_client
    from heatclient.common import deployment_utils


@pytest.fixture(scope='module')
def heat(tmp_path_factory):
    """Return a running service whose operator looks across projects."""
    running = process.HeatAll(
        tmp_path_factory.mktemp('heat'), plugin_dirs=service.PLUGINS,
        rules={'stacks:global_index': 'role:admin'}).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


@pytest.fixture
def cloud(heat):
    """Return a cloud that has the service in its catalog."""
    with identity.Cloud(heat.url, identity.projects(
            'garden', 'house')).served() as cloud:
        yield cloud


@pytest.fixture
def openstack(cloud, monkeypatch):
    """Return the client in the project garden."""
    cli.hasten(monkeypatch)
    return cli.Shell(*cloud.options('garden'))


@pytest.fixture
def template(tmp_path):
    path = tmp_path / 't.json'
    path.write_text(json.dumps(hot({'a': templates.thing(value='x')})))
    return str(path)


def test_stack_of_another_project(cloud, openstack, template):
    openstack('stack', 'create', '--wait', '-t', template, 'mine')
    house = cli.Shell(*cloud.options('house'))
    house('stack', 'create', '--wait', '-t', template, 'theirs')
    for name, stack in (('garden', 'mine'), ('house', 'theirs')):
        for options in (['--project', name],
                        ['--project', name, '--project-domain', 'default']):
            [listed] = openstack('stack', 'list', *options)
            assert listed['Stack Name'] == stack
            text = openstack('stack', 'list', *options, form='table')
            assert stack in text
    [listed] = openstack('stack', 'list')
    assert listed['Stack Name'] == 'mine'
    text = openstack('stack', 'show', 'theirs', code=1)
    assert 'Stack not found: theirs' in text
    text = openstack('stack', 'list', '--project', 'cellar', code=1)
    assert 'cellar' in text
    openstack.delete('mine')
    house.delete('theirs')


def test_deployment_signalled_by_a_temporary_url(cloud):
    """The command does this with a session that lacks what it asks for.

    It ends in an error of its own; what it would do is done here with the
    functions it is made of.
    """
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        auth = generic.Password(
            auth_url=f'{cloud.url}/v3', username=identity.USER,
            password=identity.PASSWORD, project_name='garden',
            user_domain_id='default', project_domain_id='default')
        client = heat_client.Client(
            '1', session=ks_session.Session(auth=auth), auth=auth)
        config = client.software_configs.create(name='c', config='echo')
        arguments = argparse.Namespace(
            name='d', timeout=5, signal_transport='TEMP_URL_SIGNAL',
            os_region_name='here', os_project_name='garden',
            os_username=identity.USER, os_cacert=None, insecure=False)
        derived = client.software_configs.create(
            **deployment_utils.build_derived_config_params(
                'CREATE', config, 'd', {'who': 'me'}, 'srv',
                'TEMP_URL_SIGNAL',
                signal_id=deployment_utils.build_signal_id(client,
                                                           arguments)))
        made = client.software_deployments.create(
            config_id=derived.id, server_id='srv', action='CREATE',
            status='IN_PROGRESS')
        [seen] = client.software_deployments.metadata('srv')
        client.software_deployments.delete(made.id)
    inputs = {each['name']: each.get('value') for each in seen['inputs']}
    assert inputs['who'] == 'me'
    assert inputs['deploy_signal_verb'] == 'PUT'
    assert 'temp_url_sig=' in inputs['deploy_signal_id']
    assert [name for name in cloud.objects if name.count('/') == 3 and
            name.rpartition('/')[2] in inputs['deploy_signal_id']]
