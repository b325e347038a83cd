"""Stacks by the ordinary command line client, with a token of Keystone.

The client finds the service in the catalogue, in a region of its own.
"""
import json
import os
import re

import pytest

from tests import following
from tests.acceptance import cloud
from tests.acceptance import leaks
from tests.acceptance import looks
from tests.acceptance import regions
from tests.acceptance import stacks as stacks_module
from tests.acceptance import templates
from tests.acceptance.templates import attr
from tests.acceptance.templates import hot
from tests.functional import cli

#: A network with a text that can be seen, and changed in place.
NET = {'type': 'OS::Neutron::Net', 'properties': {
    'value_specs': {'description': {'get_param': 'text'}}}}
INNER = hot({'net': {'type': 'OS::Neutron::Net'}},
            {'id': templates.ref('net')})


@pytest.fixture(scope='module')
def region(project, deployment):
    """Return the name of a region that has the service.

    The client tells the service which region it was given, and the service
    looks there for the others.
    """
    with regions.region(project, 'typed', {
            ('orchestration', 'public'): f'{deployment.url}/%(project_id)s',
            **{(kind, 'public'): regions.url_of(project, kind) for kind in (
                'identity', 'network', 'compute', 'image')}}) as name:
        yield name


@pytest.fixture(scope='module')
def leak_check(project, region):
    """What there is besides the region."""
    return leaks.Check(project)


@pytest.fixture(scope='module')
def account(project, region):
    """Return the settings that a cloud gives its users: {variable: value}.
    """
    domain = os.environ.get('OS_PROJECT_DOMAIN_NAME') or 'Default'
    return {'OS_AUTH_URL': f'{cloud.auth_url()}/v3',
            'OS_REGION_NAME': region, 'OS_IDENTITY_API_VERSION': '3',
            'OS_USERNAME': f'{project.tag}-member',
            'OS_PASSWORD': project.password, 'OS_PROJECT_NAME': project.tag,
            'OS_USER_DOMAIN_NAME': domain, 'OS_PROJECT_DOMAIN_NAME': domain}


class Shell(cli.Shell):
    """Runs commands of somebody who has read in such settings."""

    def __init__(self, account):
        super().__init__()
        self._account = account

    def __call__(self, *arguments, **more):
        with pytest.MonkeyPatch.context() as patch:
            for name in [each for each in os.environ
                         if each.startswith('OS_')]:
                patch.delenv(name)
            for name, value in self._account.items():
                patch.setenv(name, value)
            return super().__call__(*arguments, **more)


@pytest.fixture
def openstack(account, stacks, monkeypatch):
    """Return a function that runs a command; what it makes is removed."""
    cli.hasten(monkeypatch)
    return Shell(account)


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""
    def write(name, content):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return str(path)
    return write


@pytest.fixture
def simple(written):
    """Return the path of a template with one network."""
    return written('simple.yaml', {
        **hot({'net': NET}, {'net': attr('net', 'show')}),
        'parameters': {'text': {'type': 'string', 'default': 'none'}}})


def values(rows, column):
    return [row[column] for row in rows]


def description(tenant, net):
    return tenant.connection('member').network.get_network(net).description


def test_life_of_a_stack(openstack, written, tenant):
    written('inner.yaml', INNER)
    template = written('life.yaml', {
        **hot({'net': NET, 'inner': {'type': 'Our::Inner'},
               'server': templates.server({'allocate_network': 'none'})},
              {'net': templates.ref('net'), 'inner': attr('inner', 'id')}),
        'parameters': {'text': {'type': 'string'},
                       'secret': {'type': 'string', 'hidden': True}}})
    environment = written('env.yaml', {
        'resource_registry': {'Our::Inner': 'inner.yaml'},
        'parameters': {'text': 'one', 'secret': 'one'}})
    name = f'{tenant.tag}-life'
    made = openstack('stack', 'create', name, '-t', template, '-e',
                     environment, '--parameter', 'secret=hush', '--wait',
                     '--tags', 'a,b')
    assert made['stack_status'] == 'CREATE_COMPLETE'
    shown = openstack('stack', 'show', name)
    assert shown['id'] == made['id']
    assert shown['parameters']['text'] == 'one'
    assert shown['parameters']['secret'] == '******'
    assert shown['tags'] == ['a', 'b']
    [listed] = openstack('stack', 'list')
    assert listed['ID'] == made['id']
    assert 'CREATE_COMPLETE' in openstack('stack', 'list', form='table')
    resources = openstack('stack', 'resource', 'list', '-n', '2', name)
    assert sorted(values(resources, 'resource_name')) == [
        'inner', 'net', 'net', 'server']
    assert set(values(resources, 'resource_status')) == {'CREATE_COMPLETE'}
    net, inner = (openstack('stack', 'output', 'show', name, each)[
        'output_value'] for each in ('net', 'inner'))
    assert description(tenant, net) == 'one'
    assert {net, inner} <= set(values(resources, 'physical_resource_id'))
    events = openstack('stack', 'event', 'list', name, '--nested-depth', '2')
    assert 'net' in values(events, 'resource_name')
    assert f'[{name}.server]: CREATE_COMPLETE' in openstack(
        'stack', 'event', 'list', name, form='log')
    # What is not said again stays as it was.
    updated = openstack('stack', 'update', name, '--existing', '--parameter',
                        'text=two', '--wait')
    assert updated['stack_status'] == 'UPDATE_COMPLETE'
    assert description(tenant, net) == 'two'
    [checked] = openstack('stack', 'check', name, '--wait')
    assert checked['Stack Status'] == 'CHECK_COMPLETE'
    compute = tenant.connection('member').compute
    [server] = compute.servers()
    for action, status in (('suspend', 'SUSPENDED'), ('resume', 'ACTIVE')):
        [acted] = openstack('stack', action, name, '--wait')
        assert acted['Stack Status'] == f'{action.upper()}_COMPLETE'
        assert compute.get_server(server.id).status == status
    openstack.delete(name)
    assert openstack('stack', 'list') == []
    assert f'Stack not found: {name}' in openstack('stack', 'show', name,
                                                   code=1)


def until(openstack, condition, *command):
    """Run a command until what it prints is as expected; return that."""
    for _turn in stacks_module.turns(stacks_module.PATIENCE):
        found = openstack(*command)
        if condition(found):
            return found
    raise AssertionError(found)


def reached(status):
    return lambda shown: shown['stack_status'] == status


def test_snapshot_export_and_adoption(openstack, simple, tenant, tmp_path):
    name = f'{tenant.tag}-moved'
    openstack('stack', 'create', name, '-t', simple, '--wait')
    [resource] = openstack('stack', 'resource', 'list', name)
    snapshot = openstack('stack', 'snapshot', 'create', name, '--name',
                         'first')
    until(openstack, reached('SNAPSHOT_COMPLETE'), 'stack', 'show', name)
    [listed] = openstack('stack', 'snapshot', 'list', name)
    assert (listed['id'], listed['status']) == (snapshot['ID'], 'COMPLETE')
    openstack('stack', 'update', name, '--existing', '--parameter',
              'text=changed', '--wait')
    net = resource['physical_resource_id']
    assert description(tenant, net) == 'changed'
    openstack('stack', 'snapshot', 'restore', name, snapshot['ID'],
              form=None)
    until(openstack, reached('RESTORE_COMPLETE'), 'stack', 'show', name)
    assert description(tenant, net) == 'none'
    openstack('stack', 'snapshot', 'delete', '-y', name, snapshot['ID'],
              form=None)
    until(openstack, lambda found: found == [], 'stack', 'snapshot', 'list',
          name)
    exported = openstack('stack', 'export', name)
    assert exported['resources']['net']['resource_id'] == net
    file = tmp_path / 'abandoned.json'
    openstack('stack', 'abandon', name, '--output-file', str(file),
              form=None)
    until(openstack, lambda found: found == [], 'stack', 'list')
    assert description(tenant, net) == 'none'
    adopted = openstack('stack', 'adopt', f'{name}-again', '--adopt-file',
                        str(file), '--wait')
    assert adopted['stack_status'] == 'ADOPT_COMPLETE'
    [resource] = openstack('stack', 'resource', 'list', f'{name}-again')
    assert resource['physical_resource_id'] == net
    openstack.delete(adopted['id'])
    assert looks.get(tenant, 'network', f'/v2.0/networks/{net}') is None


def test_hooks_and_failures(openstack, simple, written, tenant):
    name = f'{tenant.tag}-held'
    openstack('stack', 'create', name, '-t', simple, '--pre-create', 'net')
    [held] = until(openstack, lambda found: found, 'stack', 'hook', 'poll',
                   name)
    assert held['Resource Name'] == 'net'
    assert not list(tenant.connection('member').network.networks(
        project_id=tenant.project_id))
    openstack('stack', 'hook', 'clear', name, 'net', '--pre-create',
              form=None)
    until(openstack, reached('CREATE_COMPLETE'), 'stack', 'show', name)
    bad = written('bad.yaml', hot({'server': templates.server(
        {'allocate_network': 'none'}, availability_zone='nowhere')}))
    text = openstack('stack', 'create', f'{name}-bad', '-t', bad, '--wait',
                     code=1)
    assert 'CREATE_FAILED' in text
    text = openstack('stack', 'failures', 'list', f'{name}-bad', form=None)
    assert f'{name}-bad.server:' in text
    assert 'The requested availability zone is not available' in text
    openstack.delete(name, f'{name}-bad')


def test_following_events(account, openstack, written, tenant):
    name = f'{tenant.tag}-followed'
    openstack('stack', 'create', name, '-t', written('slow.yaml', hot({
        'net': {'type': 'OS::Neutron::Net'},
        'wait': {'type': 'OS::Heat::TestResource', 'depends_on': 'net',
                 'properties': {'action_wait_secs': {'create': 4}}}})))
    others = {name: value for name, value in os.environ.items()
              if not name.startswith('OS_')}
    seen = following.lines(
        ['stack', 'event', 'list', '--follow', name, '-f', 'log'],
        until=f'[{name}]: CREATE_COMPLETE', env={**others, **account})
    assert [line.split()[3].rstrip(':') for line in seen
            if 'CREATE_COMPLETE' in line] == [
                f'[{name}.net]', f'[{name}.wait]', f'[{name}]']
    openstack.delete(name)


@pytest.mark.parametrize(('content', 'message'), [
    (hot({'net': {'type': 'OS::Neutron::Net', 'properties': {
        'nam': 'any'}}}), 'resources.net.properties'),
    (hot({'net': {'type': 'OS::Neutron::Nut'}}), 'OS::Neutron::Nut'),
    ({'heat_template_version': 'some day'}, 'some day'),
    ({**hot({}), 'parameters': {'text': {'type': 'string'}}}, 'text'),
])
def test_wrong_template(openstack, written, content, message):
    text = openstack('stack', 'create', 'wrong', '-t',
                     written('wrong.yaml', content), code=1)
    assert message in text
    assert 'Traceback' not in text
    assert openstack('stack', 'list') == []


def test_wrong_input(account, openstack, simple):
    for command in (['show'], ['delete', '-y'], ['check'], ['suspend'],
                    ['event', 'list'], ['resource', 'list'],
                    ['output', 'list'], ['template', 'show'],
                    ['update', '-t', simple], ['snapshot', 'create']):
        text = openstack('stack', *command, 'none', code=1, form=None)
        assert 'none' in text
        assert re.search('not (be )?found', text), (command, text)
    text = openstack('stack', 'create', 'x', '-t', simple, '--parameter',
                     'txt=any', code=1)
    assert 'txt' in text
    intruder = Shell({**account, 'OS_PASSWORD': 'wrong'})
    text = intruder('stack', 'list', code=1)
    assert '401' in text
    assert 'requires authentication' in text
