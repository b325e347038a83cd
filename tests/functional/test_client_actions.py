"""What the real client does to stacks, and says about it."""
import json

import pytest

from tests import following
from tests.functional import cli
from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional import templates
from tests.functional import test_client
from tests.functional.templates import hot

openstack = test_client.openstack
project = test_client.project


@pytest.fixture(scope='module', params=[True, False],
                ids=['convergence', 'legacy'])
def heat(request, tmp_path_factory):
    """Return a running service where stacks can be adopted."""
    running = process.HeatAll(
        tmp_path_factory.mktemp('heat'), request.param,
        plugin_dirs=service.PLUGINS, enable_stack_adopt=True,
        enable_stack_abandon=True).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


@pytest.fixture
def template(tmp_path):
    """Return a function that makes a template file."""
    def make(name='t.yaml', **resources):
        path = tmp_path / name
        path.write_text(json.dumps(hot(resources)))
        return str(path)
    return make


def slow(secs, **more):
    return {'type': 'OS::Heat::TestResource', 'properties': {
        'action_wait_secs': {'create': secs, 'update': secs}, **more}}


def test_adopt_abandon_export(openstack, template, tmp_path):
    openstack('stack', 'create', '--wait', 'old', '-t', template(
        a=templates.thing(value='x')))
    exported = openstack('stack', 'export', 'old')
    assert exported['status'] == 'COMPLETE'
    file = tmp_path / 'old.json'
    printed = openstack('stack', 'abandon', 'old', '--output-file',
                        str(file), form=None)
    assert printed == ''
    data = json.loads(file.read_text())
    assert data['resources'] == exported['resources']
    rest.wait_for(lambda: openstack('stack', 'list') == [], 'the end')
    shown = openstack('stack', 'adopt', '--wait', '--adopt-file', str(file),
                      'new')
    assert shown['stack_status'] == 'ADOPT_COMPLETE'
    shown = openstack('stack', 'resource', 'show', 'new', 'a')
    assert shown['physical_resource_id'] == (
        data['resources']['a']['resource_id'])
    openstack.delete('new')


def test_adopt_without_data(openstack, tmp_path):
    file = tmp_path / 'bad.json'
    file.write_text('{}')
    text = openstack('stack', 'adopt', '--adopt-file', str(file), 'new',
                     code=1)
    assert 'template' in text


def test_cancel(openstack, template):
    fast = template(a=slow(0, value='x'))
    openstack('stack', 'create', '--wait', 'c', '-t', fast)
    text = openstack('stack', 'cancel', 'c', code=1, form=None)
    assert 'create_complete' in text
    for option, end in (('--no-rollback', 'UPDATE_FAILED'),
                        (None, 'ROLLBACK_COMPLETE')):
        openstack('stack', 'update', 'c', '-t', template(
            'slow.yaml', a=slow(6, value=str(option)),
            b=slow(0, value='y')))
        rest.wait_for(lambda: openstack(
            'stack', 'show', 'c')['stack_status'] == 'UPDATE_IN_PROGRESS',
            'the update')
        openstack('stack', 'cancel', 'c', *([option] if option else ()))
        rest.wait_for(lambda end=end: openstack(
            'stack', 'show', 'c')['stack_status'] == end,
            lambda: openstack('stack', 'show', 'c'))
    openstack.delete('c')


@pytest.mark.parametrize('hook', ['pre-create', 'pre-update', 'pre-delete'])
def test_hooks(openstack, template, tmp_path, hook):
    env = tmp_path / 'env.yaml'
    env.write_text(json.dumps({'resource_registry': {
        'resources': {'a*': {'hooks': hook}}}}))
    files = '-t', template(ab=templates.thing(value='x'),
                           b=templates.thing()), '-e', str(env)
    openstack('stack', 'create', 'h', *files)

    def pass_by():
        [found] = rest.wait_for(
            lambda: openstack('stack', 'hook', 'poll', 'h'), 'the hook')
        assert found['Resource Name'] == 'ab'
        assert found['Resource Status Reason'] == (
            f'{hook[4:].upper()} paused until Hook {hook} is cleared')
        openstack('stack', 'hook', 'clear', f'--{hook}', 'h', 'ab',
                  form=None)

    if hook == 'pre-create':
        pass_by()
    rest.wait_for(lambda: openstack(
        'stack', 'show', 'h')['stack_status'] == 'CREATE_COMPLETE', 'it')
    text = openstack('stack', 'hook', 'clear', f'--{hook}', 'h', 'ab',
                     code=1, form=None)
    assert hook in text
    if hook == 'pre-update':
        openstack('stack', 'update', 'h', '-t', template(
            'new.yaml', ab=templates.thing(value='y'),
            b=templates.thing()), '-e', str(env))
        pass_by()
        rest.wait_for(lambda: openstack(
            'stack', 'show', 'h')['stack_status'] == 'UPDATE_COMPLETE', 'it')
    openstack('stack', 'delete', '--yes', 'h', form=None)
    if hook == 'pre-delete':
        pass_by()
    rest.wait_for(lambda: openstack('stack', 'list') == [], 'the end')


def test_failures(openstack, template):
    text = openstack(
        'stack', 'create', '--wait', 'f', '-t', template(
            a=templates.thing(fail=['CREATE']), b=templates.thing()), code=1)
    assert 'CREATE_FAILED' in text
    text = openstack('stack', 'failures', 'list', 'f', form=None)
    assert 'f.a:' in text
    assert 'CREATE of a went wrong' in text
    assert 'f.b' not in text
    openstack.delete('f')


def test_failures_inside_of_nested_stacks(openstack, template, tmp_path):
    template('inner.yaml', x=templates.thing(fail=['CREATE']))
    openstack('stack', 'create', '--wait', 'f', '-t', template(
        n={'type': 'inner.yaml'}), code=1)
    text = openstack('stack', 'failures', 'list', '--long', 'f', form=None)
    assert 'f.n.x:' in text
    openstack.delete('f')


def test_signal_metadata_and_health(openstack, template):
    openstack('stack', 'create', '--wait', 's', '-t', template(
        a=templates.thing(metadata={'k': {'n': 1}}),
        d={'type': 'Test::Deaf'}))
    openstack('stack', 'resource', 'signal', 's', 'a', '--data',
              '{"how": "loud"}', form=None)
    rest.wait_for(lambda: 'SIGNAL_COMPLETE' in [
        each['resource_status'] for each in
        openstack('stack', 'event', 'list', 's')], 'the event')
    text = openstack('stack', 'resource', 'signal', 's', 'd', code=1,
                     form=None)
    assert 'signal' in text
    assert openstack('stack', 'resource', 'metadata', 's', 'a') == {
        'k': {'n': 1}}
    openstack('stack', 'resource', 'mark', 'unhealthy', 's', 'a', 'worn out',
              form=None)
    shown = openstack('stack', 'resource', 'show', 's', 'a')
    assert shown['resource_status'] == 'CHECK_FAILED'
    assert shown['resource_status_reason'] == 'worn out'
    openstack('stack', 'resource', 'mark', 'unhealthy', '--reset', 's', 'a',
              form=None)
    shown = openstack('stack', 'resource', 'show', 's', 'a')
    assert shown['resource_status'] == 'CHECK_COMPLETE'
    openstack.delete('s')


def test_environment_and_files(openstack, template, tmp_path):
    template('inner.yaml', x=templates.thing())
    openstack('stack', 'create', '--wait', 'e', '-t', template(
        n={'type': 'inner.yaml'}))
    [(name, text)] = openstack('stack', 'file', 'list', 'e')[
        'files'].items()
    assert name.endswith('/inner.yaml')
    assert 'Test::Thing' in text
    shown = openstack('stack', 'environment', 'show', 'e')
    assert set(shown) >= {'parameters', 'resource_registry',
                          'parameter_defaults'}
    openstack.delete('e')


def test_snapshots(openstack, template):
    openstack('stack', 'create', '--wait', 's', '-t', template(
        a=templates.thing(value='x')))
    made = openstack('stack', 'snapshot', 'create', 's')
    rest.wait_for(lambda: openstack(
        'stack', 'show', 's')['stack_status'] == 'SNAPSHOT_COMPLETE', 'it')
    openstack('stack', 'create', '--wait', 'other', '-t', template(
        'other.yaml', a=templates.thing()))
    for verb in ('show', 'delete', 'restore'):
        text = openstack('stack', 'snapshot', verb, 'other', made['ID'],
                         code=1, form='json' if verb == 'show' else None)
        assert made['ID'] in text
    openstack('stack', 'snapshot', 'restore', 's', made['ID'], form=None)
    rest.wait_for(lambda: openstack(
        'stack', 'show', 's')['stack_status'] == 'RESTORE_COMPLETE', 'it')
    for name in ('s', 'other'):
        openstack.delete(name)


def test_following_events(heat, openstack, project, template):
    openstack('stack', 'create', 'e', '-t', template(
        a=slow(1), b={**slow(1), 'depends_on': 'a'}))
    seen = following.lines(
        [*cli.no_auth(heat, project),
         'stack', 'event', 'list', '--follow', 'e', '-f', 'log'],
        until='[e]: CREATE_COMPLETE')
    assert len(seen) == len(set(seen))
    assert [line.split()[3].rstrip(':') for line in seen
            if 'CREATE_COMPLETE' in line] == ['[e.a]', '[e.b]', '[e]']
    openstack.delete('e')


def test_software(heat, openstack, project):
    config = heat.client(project).post('software_configs', {
        'name': 'c', 'group': 'script', 'config': '#!/bin/sh\necho hello',
        'inputs': [{'name': 'who'}]})['software_config']
    assert [each['id'] for each in openstack(
        'software', 'config', 'list')] == [config['id']]
    text = openstack('software', 'config', 'show', '--config-only',
                     config['id'], form=None)
    assert text.strip() == '#!/bin/sh\necho hello'
    made = openstack(
        'software', 'deployment', 'create', 'd', '--config', config['id'],
        '--server', 'srv', '--input-value', 'who=me', '--signal-transport',
        'NO_SIGNAL')
    assert made['server_id'] == 'srv'
    shown = openstack('software', 'deployment', 'show', '--long', made['id'])
    assert shown['status'] == 'IN_PROGRESS'
    [listed] = openstack('software', 'deployment', 'list', '--server', 'srv')
    assert listed['id'] == made['id']
    text = openstack('software', 'deployment', 'metadata', 'show', 'srv',
                     form=None)
    assert '"name": "d"' in text
    openstack('software', 'deployment', 'output', 'show', '--all', '--long',
              made['id'], form=None)
    text = openstack('software', 'config', 'delete', made['config_id'],
                     code=1, form=None)
    assert 'Unable to delete 1 of the 1 software configs' in text
    openstack('software', 'deployment', 'delete', made['id'], form=None)
    openstack('software', 'config', 'delete', config['id'], form=None)
    assert openstack('software', 'config', 'list') == []
