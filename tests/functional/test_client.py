"""The real client, python-openstackclient, against a running service."""
import subprocess
import sys
import uuid

import pytest

from tests.functional import cli
from tests.functional import process
from tests.functional import rest
from tests.functional import service

EXAMPLE = str(service.ROOT / 'examples' / 'hello.yaml')


@pytest.fixture(scope='module')
def heat(tmp_path_factory):
    """Return a running service."""
    running = process.HeatAll(tmp_path_factory.mktemp('heat')).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


@pytest.fixture
def project():
    """Return the name of a project that nobody else uses."""
    return uuid.uuid4().hex


@pytest.fixture
def openstack(heat, project, monkeypatch):
    """Return a function that runs a command and returns what it prints."""
    cli.hasten(monkeypatch)
    return cli.Shell(*cli.no_auth(heat, project))


def test_as_a_command(heat):
    """The walk that the quick start takes, as a user types it."""
    def run(*arguments):
        done = subprocess.run(
            [sys.executable, '-W', 'ignore', '-m', 'openstackclient.shell',
             *cli.no_auth(heat), *arguments],
            capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 'Traceback' not in done.stderr
        return done.stdout

    out = run('stack', 'create', '--wait', '-t', EXAMPLE, 'hello')
    assert 'CREATE_COMPLETE' in out
    assert 'hello' in run('stack', 'list')
    # The client may find the stack gone before it has read the last event.
    out = run('stack', 'delete', '--yes', '--wait', 'hello')
    assert 'DELETE_IN_PROGRESS' in out
    assert 'hello' not in run('stack', 'list')


def test_life_of_a_stack(openstack, project):
    made = openstack('stack', 'create', '--wait', '-t', EXAMPLE, 'life',
                     '--parameter', 'guests=2', '--tags', 'a,b')
    assert made['stack_status'] == 'CREATE_COMPLETE'
    [listed] = openstack('stack', 'list')
    assert listed['Stack Name'] == 'life'
    assert listed['Stack Status'] == 'CREATE_COMPLETE'
    assert listed['Project'] == project
    shown = openstack('stack', 'show', 'life')
    assert shown['id'] == made['id']
    assert shown['parameters']['guests'] == '2'
    assert shown['tags'] == ['a', 'b']
    resources = openstack('stack', 'resource', 'list', '-n', '5', 'life')
    assert {each['resource_name'] for each in resources} == {
        'door_code', 'guest_list', 'drink', 'invitation', '0', '1'}
    shown = openstack('stack', 'resource', 'show', 'life', 'door_code')
    assert shown['resource_type'] == 'OS::Heat::RandomString'
    assert openstack('stack', 'resource', 'metadata', 'life',
                     'door_code') == {}
    events = openstack('stack', 'event', 'list', 'life')
    assert events[0]['resource_status'] == 'CREATE_IN_PROGRESS'
    assert events[-1]['resource_status'] == 'CREATE_COMPLETE'
    text = openstack('stack', 'event', 'list', 'life', form='log')
    assert 'CREATE_COMPLETE' in text
    event = next(each for each in events
                 if each['resource_name'] == 'door_code')
    shown = openstack('stack', 'event', 'show', 'life', 'door_code',
                      event['id'])
    assert shown['resource_type'] == 'OS::Heat::RandomString'
    outputs = openstack('stack', 'output', 'show', '--all', 'life')
    assert outputs['greetings']['output_value'] == [
        'Hello, guest 0!', 'Hello, guest 1!']
    assert {each['output_key'] for each in openstack(
        'stack', 'output', 'list', 'life')} == {
            'greetings', 'door_code', 'invitation', 'drink'}
    assert openstack('stack', 'output', 'show', 'life', 'drink')[
        'output_value'] == 'yes'
    assert 'guest_list' in openstack('stack', 'template', 'show', 'life')[
        'resources']
    assert openstack('stack', 'environment', 'show', 'life')[
        'parameters'] == {'guests': '2'}
    openstack('stack', 'file', 'list', 'life')
    openstack('stack', 'failures', 'list', 'life', form=None)
    changed = openstack('stack', 'update', '--wait', '--existing', 'life',
                        '--parameter', 'guests=3')
    assert changed['stack_status'] == 'UPDATE_COMPLETE'
    changed = openstack('stack', 'update', '--dry-run', '-t', EXAMPLE,
                        'life')
    for action in ('check', 'suspend', 'resume'):
        [done] = openstack('stack', action, '--wait', 'life')
        assert done['Stack Status'] == f'{action.upper()}_COMPLETE'
    openstack('stack', 'update', '--wait', '-t', EXAMPLE, 'life')
    openstack('stack', 'resource', 'mark', 'unhealthy', 'life',
              'door_code', 'broken', form=None)
    openstack.delete('life')
    assert openstack('stack', 'list') == []


def test_snapshots(openstack):
    openstack('stack', 'create', '--wait', '-t', EXAMPLE, 'snap')
    made = openstack('stack', 'snapshot', 'create', 'snap', '--name', 'x')
    assert made['name'] == 'x'

    def ready():
        shown = openstack('stack', 'snapshot', 'show', 'snap', made['ID'])
        return shown['snapshot']['status'] == 'COMPLETE'

    rest.wait_for(ready, 'the snapshot')
    [listed] = openstack('stack', 'snapshot', 'list', 'snap')
    assert listed['id'] == made['ID']
    openstack('stack', 'snapshot', 'restore', 'snap', made['ID'],
              form=None)
    rest.wait_for(
        lambda: openstack('stack', 'show', 'snap')['stack_status'] ==
        'RESTORE_COMPLETE', 'the restore')
    openstack('stack', 'snapshot', 'delete', 'snap', made['ID'], form=None)
    openstack.delete('snap')


def test_hooks(openstack, tmp_path):
    environment = tmp_path / 'env.yaml'
    environment.write_text('resource_registry: {resources: {door_code: '
                           '{hooks: pre-create}}}\n')
    openstack('stack', 'create', '-t', EXAMPLE, '-e', str(environment),
              'hook')
    rest.wait_for(
        lambda: openstack('stack', 'hook', 'poll', 'hook'), 'the hook')
    openstack('stack', 'hook', 'clear', 'hook', 'door_code', form=None)
    rest.wait_for(
        lambda: openstack('stack', 'show', 'hook')['stack_status'] ==
        'CREATE_COMPLETE', 'the end')
    openstack.delete('hook')


def test_catalogue(openstack, project, heat):
    types = openstack('orchestration', 'resource', 'type', 'list')
    assert {'Resource Type': 'OS::Heat::Value'} in types
    shown = openstack('orchestration', 'resource', 'type', 'show',
                      'OS::Heat::Value')
    assert shown['resource_type'] == 'OS::Heat::Value'
    shown = openstack('orchestration', 'resource', 'type', 'show',
                      'OS::Heat::Value', '--template-type', 'hot')
    assert shown['heat_template_version']
    versions = openstack('orchestration', 'template', 'version', 'list')
    assert len(versions) == 13
    functions = openstack('orchestration', 'template', 'function', 'list',
                          'heat_template_version.2021-04-16')
    assert 'get_attr' in [each['Functions'] for each in functions]
    checked = openstack('orchestration', 'template', 'validate', '-t',
                        EXAMPLE)
    assert 'greeting' in checked['Parameters']
    [engine] = openstack('orchestration', 'service', 'list')
    assert engine['Status'] == 'up'
    assert 'api' in openstack('orchestration', 'build', 'info')
    config = heat.client(project).post('software_configs', {
        'name': 'c', 'config': '#!/bin/sh'})['software_config']
    assert openstack('software', 'config', 'show', config['id'])[
        'name'] == 'c'
    deployment = heat.client(project).post('software_deployments', {
        'config_id': config['id'], 'server_id': 's', 'action': 'CREATE'})[
            'software_deployment']
    assert openstack('software', 'deployment', 'show', deployment['id'])[
        'server_id'] == 's'
    openstack('software', 'deployment', 'metadata', 'show', 's', form=None)
    assert openstack('software', 'deployment', 'list')
    openstack('software', 'deployment', 'delete', deployment['id'],
              form=None)
    # The client has deleted the config with it.
    assert openstack('software', 'config', 'list') == []


def test_errors(openstack, tmp_path):
    text = openstack('stack', 'show', 'unknown', code=1)
    assert 'Stack not found: unknown' in text
    template = tmp_path / 'bad.yaml'
    template.write_text('heat_template_version: 2018-08-31\n'
                        'resources: {a: {type: No::Such}}\n')
    text = openstack('stack', 'create', '-t', str(template), 'bad', code=1)
    assert 'resources.a' in text
    assert 'No::Such' in text
    assert openstack('stack', 'list') == []
