"""The commands of contrib/heat_plan_client against a running service."""
import configparser
import http.server
import importlib
import json
import os
import re
import subprocess
import sys
import threading
import types
import uuid

import pytest
from stevedore import extension

from tests.functional import cli
from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional import templates
from tests.functional.templates import hot
from tests.functional.templates import param

PLUGIN = service.ROOT / 'contrib' / 'heat_plan_client'
COMMANDS = {
    'stack apply', 'stack change set delete', 'stack change set execute',
    'stack change set list', 'stack change set show', 'stack drift detect',
    'stack drift schedule', 'stack drift show', 'stack import',
    'stack move', 'stack plan', 'stack protect', 'stack retry',
    'stack timeline', 'stack unprotect', 'stack watch'}
WORD = {'word': {'type': 'string', 'default': 'x'}}


#: A type of resource that can be created once a file is there.
FILE_TYPE = """
import pathlib

from heat.engine import properties
from heat.engine import resource


class NeedsFile(resource.Resource):
    properties_schema = {'path': properties.Schema(properties.Schema.STRING)}

    def handle_create(self):
        pathlib.Path(self.properties['path']).read_text()


def resource_mapping():
    return {'Test::NeedsFile': NeedsFile}
"""


@pytest.fixture(scope='module')
def heat(tmp_path_factory):
    """Return a running service."""
    plugins = tmp_path_factory.mktemp('plugins')
    (plugins / 'needs_file.py').write_text(FILE_TYPE)
    running = process.HeatAll(tmp_path_factory.mktemp('heat'),
                              plugin_dirs=f'{service.PLUGINS},{plugins}',
                              action_retry_limit=0).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


@pytest.fixture(scope='module')
def installed(tmp_path_factory):
    """Return the directories that the plugin would be installed in.

    One of them has the entry points, as an installation would.
    """
    setup = configparser.ConfigParser()
    setup.read(PLUGIN / 'setup.cfg')
    directory = tmp_path_factory.mktemp('site')
    metadata = directory / 'heat_plan_client-1.0.0.dist-info'
    metadata.mkdir()
    (metadata / 'METADATA').write_text(
        'Metadata-Version: 2.1\nName: heat-plan-client\nVersion: 1.0.0\n')
    (metadata / 'entry_points.txt').write_text(''.join(
        f'[{group}]{names}\n'
        for group, names in setup['options.entry_points'].items()))
    return [str(directory), str(PLUGIN)]


@pytest.fixture
def shell_of(installed, tmp_path, monkeypatch):
    """Return a function that returns the shell of an endpoint's user."""
    for path in installed:
        monkeypatch.syspath_prepend(path)
    # Entry points are cached beside those of real installations.
    monkeypatch.setattr('stevedore._cache._c._dir', str(tmp_path),
                        raising=False)
    # What other tests of the process have loaded is without the plugin.
    monkeypatch.setattr(extension.ExtensionManager, 'ENTRY_POINT_CACHE', {})
    cli.hasten(monkeypatch)
    monkeypatch.setattr('heat_plan_client.follow.INTERVAL', rest.INTERVAL)

    def shell(url):
        return cli.Shell('--os-auth-type', 'none', '--os-endpoint', url)

    return shell


@pytest.fixture
def project():
    """Return the name of a project that nobody else uses."""
    return uuid.uuid4().hex


@pytest.fixture
def openstack(heat, project, shell_of):
    """Return a function that runs a command and returns what it prints."""
    return shell_of(f'{heat.url}/v1/{project}')


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes a template; it returns the path."""
    def write(template, name='main.yaml'):
        path = tmp_path / name
        path.write_text(template if isinstance(template, str) else
                        json.dumps(template))
        return str(path)

    return write


def thing(**kwargs):
    return hot({'a': templates.thing(**kwargs)})


def test_as_a_command(heat, installed, tmp_path, project, file_of):
    """The walk of a user, with the interpreter's own start."""
    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, '-W', 'ignore', '-m', 'openstackclient.shell',
             *cli.no_auth(heat, project), *arguments],
            capture_output=True, text=True, timeout=300,
            stdin=subprocess.DEVNULL,
            env={**os.environ, 'XDG_CACHE_HOME': str(tmp_path),
                 'COLUMNS': '60', 'PYTHONIOENCODING': 'utf-8',
                 'PYTHONPATH': os.pathsep.join(installed)})
        assert done.returncode == code, done.stdout + done.stderr
        assert 'Traceback' not in done.stderr
        return done.stdout

    path = file_of(thing())
    out = run('stack', 'plan', '-t', path, 'walk', '--detailed-exitcode',
              code=2)
    assert out.startswith('Stack walk (new)\n    + a (Test::Thing)\n')
    # The output is no terminal.
    assert '\033' not in out
    out = run('stack', 'apply', '--yes', '-t', path, 'walk')
    assert 'Plan: 1 to create, 0 to update, 0 to replace, 0 to delete.' in out
    assert '[walk.a]: CREATE_COMPLETE' in out
    assert out.endswith('Stack walk: CREATE_COMPLETE\n')
    out = run('stack', 'timeline', 'walk')
    assert out.startswith('Stack walk: CREATE_COMPLETE in ')
    assert '█' in out
    assert max(map(len, out.splitlines())) <= 60


def test_commands_are_beside_those_of_the_client(openstack):
    found = openstack('command', 'list', '--group', 'openstack.orchestration')
    [group] = found
    assert {'stack create', *COMMANDS} <= set(group['Commands'])


def test_plan_is_what_apply_does(openstack, file_of, tmp_path):
    first = file_of(hot({'a': templates.thing(value='x'),
                         'b': templates.thing(fixed='x'),
                         'gone': templates.thing()}))
    out = openstack('stack', 'apply', '-y', '-t', first, 's', form=None)
    assert '3 to create' in out
    same = openstack('stack', 'plan', '-t', first, 's', '--detailed-exitcode',
                     form=None)
    assert same.startswith('No changes: stack s is as described.\n')
    assert openstack('stack', 'apply', '-t', first, 's', form=None) == (
        'No changes: stack s is as described.\n')
    second = file_of(hot({'a': templates.thing(value='y'),
                          'b': templates.thing(fixed='y'),
                          'new': templates.thing()}))
    saved = tmp_path / 'plan.json'
    out = openstack('stack', 'plan', '-t', second, 's', '--out', str(saved),
                    '--detailed-exitcode', '--name', 'next', '--description',
                    'why', form=None, code=2)
    for line in ('  -/+ b (Test::Thing)',
                 "        fixed: 'x' -> 'y'  [line 1]  forces replacement",
                 '    ~ a (Test::Thing)', '    + new (Test::Thing)',
                 '    - gone (Test::Thing)',
                 'Plan: 1 to create, 1 to update, 1 to replace, 1 to delete.'):
        assert line + '\n' in out
    found = json.loads(saved.read_text())
    assert openstack('stack', 'change', 'set', 'show', 'next') == found
    assert (found['name'], found['description']) == ('next', 'why')
    shown = openstack('stack', 'change', 'set', 'show', found['id'],
                      form=None)
    assert out.startswith(shown)
    before = openstack('stack', 'resource', 'list', 's')
    out = openstack('stack', 'apply', '-y', '--change-set', 'next', form=None)
    assert out.endswith('Stack s: UPDATE_COMPLETE\n')
    assert '[s.a]: UPDATE_COMPLETE' in out
    assert 'CREATE_IN_PROGRESS  Stack CREATE started' not in out
    after = openstack('stack', 'resource', 'list', 's')
    assert {each['resource_name'] for each in after} == {'a', 'b', 'new'}
    old, new = ({each['resource_name']: each['physical_resource_id']
                 for each in found} for found in (before, after))
    assert old['a'] == new['a']
    assert old['b'] != new['b']
    openstack.delete('s')


def test_moves_and_imports(openstack, file_of):
    first = file_of(hot({'a': templates.thing(value='x')}))
    openstack('stack', 'apply', '-y', '-t', first, 's', form=None)
    second = file_of(hot({'b': templates.thing(value='x')}))
    out = openstack('stack', 'plan', '-t', second, 's', form=None)
    assert 'Looks like a move: --move a=b\n' in out
    out = openstack('stack', 'plan', '-t', second, '--move', 'a=b', 's',
                    form=None)
    assert '    > b (Test::Thing), moved from a\n' in out
    assert '1 to move' in out
    [before] = openstack('stack', 'resource', 'list', 's')
    out = openstack('stack', 'move', '-y', '-t', second, 's', 'a', 'b',
                    form=None)
    assert out.endswith('Stack s: UPDATE_COMPLETE\n')
    [after] = openstack('stack', 'resource', 'list', 's')
    assert after['resource_name'] == 'b'
    assert after['physical_resource_id'] == before['physical_resource_id']
    first = file_of(hot({'a': templates.thing(value='x')}))
    openstack('stack', 'apply', '-y', '-t', first, 'other', form=None)
    both = file_of(hot({'b': templates.thing(value='x'),
                        'a': templates.thing(value='x')}))
    out = openstack('stack', 'plan', '-t', both, '--move', 'other:a=a', 's',
                    form=None)
    assert '    > a (Test::Thing), moved from other:a\n' in out
    assert 'Stack other\n    > a, leaves this stack' in out
    out = openstack('stack', 'move', '-y', '-t', both, 's', 'other:a', 'a',
                    form=None)
    assert out.endswith('Stack s: UPDATE_COMPLETE\n')
    assert openstack('stack', 'resource', 'list', 'other') == []
    openstack.delete('other')
    openstack('stack', 'move', '-y', '-t', file_of(hot({
        'b': templates.thing(value='x'), 'c': templates.thing(value='x')})),
        's', ':a', 'c', form=None)
    second = file_of(hot({'b': templates.thing(value='x')}))
    openstack('stack', 'apply', '-y', '-t', second, 's', form=None)
    third = file_of(hot({'b': templates.thing(value='x'),
                         'c': templates.thing(type='Test::Rich')}))
    out = openstack('stack', 'import', '-y', '-t', third, 's', 'c',
                    'nothing', form=None, code=1)
    assert '"nothing" cannot be imported as resource "c"' in out
    out = openstack('stack', 'plan', '-t', third, '--import', 'c', 's',
                    form=None, code=2)
    assert 'is not of the form <resource>=<id>' in out
    openstack.delete('s')


def test_import_into_a_new_stack(openstack, file_of):
    """There is nothing to import; the service says so of the new stack."""
    path = file_of(hot({'c': templates.thing(type='Test::Rich')}))
    out = openstack('stack', 'import', 'new', '-y', '-t', path, '--import',
                    'c=nothing', form=None, code=1)
    assert '"nothing" cannot be imported as resource "c"' in out
    assert 'the project has no such Test::Rich' in out
    assert openstack('stack', 'list') == []


def test_proposal_for_a_project_is_valid(openstack, tmp_path, monkeypatch):
    """What is proposed passes the validation of the service.

    It is told to ignore that there are no services for the types.
    """
    monkeypatch.syspath_prepend(str(PLUGIN / 'tests'))
    clouds = importlib.import_module('clouds')
    inventory = importlib.import_module('heat_plan_client.project.inventory')
    found = inventory.read(clouds.project())
    monkeypatch.setattr(inventory, 'read', lambda _connection: found)
    monkeypatch.setattr('osc_lib.clientmanager.ClientManager.sdk_connection',
                        None, raising=False)
    path = tmp_path / 'shop.yaml'
    out = openstack('stack', 'import', '--project', '--out', str(path),
                    form=None)
    assert '23 resources are proposed.' in out
    shown = openstack('orchestration', 'template', 'validate', '-t',
                      str(path), '--ignore-errors', '99001')
    assert shown['Description'] == 'What exists in a project, to be imported'


def test_plan_as_data(openstack, file_of):
    found = openstack('stack', 'plan', '-t', file_of(thing()), 's')
    assert found['status'] == 'AVAILABLE'
    assert [(each['path'], each['action']) for each in found['changes']] == [
        (['a'], 'create')]
    found = openstack('stack', 'plan', '-t', file_of(thing()), 's',
                      form='yaml')
    assert 'action: create\n' in found


def test_lines_and_nested_stacks(openstack, file_of):
    file_of(hot({'t': templates.thing(value=param('word'))},
                parameters={'word': {'type': 'string'}}), 'inner.yaml')
    path = file_of('\n'.join([
        'heat_template_version: 2018-08-31', 'parameters:',
        '  word: {type: string, default: x}', 'resources:', '  n:',
        '    type: inner.yaml', '    properties:',
        '      word: {get_param: word}']))
    openstack('stack', 'apply', '-y', '-t', path, 's', form=None)
    out = openstack('stack', 'plan', '-t', path, '--parameter', 'word=y',
                    's', form=None)
    assert re.match(
        r"Stack s\n    ~ n \(file://.*/inner.yaml\)\n"
        r"        word: 'x' -> 'y'  \[parameter word, line 8\]\n\n"
        r"Stack s/n\n    ~ t \(Test::Thing\)\n"
        r"        value: 'x' -> 'y'  \[parameter word\]\n\n"
        r"Plan: 0 to create, 2 to update, 0 to replace, 0 to delete.\n", out)
    # A plan of what it has shows that the URL is the same one.
    out = openstack('stack', 'plan', '--existing', 's', form=None)
    assert out.startswith('No changes')
    out = openstack('stack', 'update', '--wait', '-t', path, 's', form=None)
    assert 'UPDATE_COMPLETE' in out
    out = openstack('stack', 'plan', '-t', path, 's', form=None)
    assert out.startswith('No changes')
    openstack.delete('s')


def test_environment_and_kept_parameters(openstack, file_of):
    path = file_of(hot({'a': templates.thing(value=param('word'))},
                       parameters=WORD))
    environment = file_of({'parameters': {'word': 'env'}}, 'env.yaml')
    openstack('stack', 'apply', '-y', '-t', path, '-e', environment, 's',
              form=None)
    shown = openstack('stack', 'environment', 'show', 's')
    assert shown['parameters'] == {'word': 'env'}
    out = openstack('stack', 'plan', '--existing', '--clear-parameter',
                    'word', 's', form=None)
    assert "value: 'env' -> 'x'" in out
    openstack.delete('s')


def test_plan_that_fails(openstack, file_of):
    openstack('stack', 'apply', '-y', '-t', file_of(thing(stone='x')), 's',
              form=None)
    changed = file_of(thing(stone='y'))
    for command in (['plan', '--detailed-exitcode'], ['plan'],
                    ['apply', '-y']):
        out = openstack('stack', *command, '-t', changed, 's', form=None,
                        code=1)
        assert 'The plan fails: ' in out
        assert 'stone' in out
    openstack.delete('s')


def test_request_that_is_refused(openstack, file_of):
    bad = file_of(hot({'a': {'type': 'No::Such'}}))
    out = openstack('stack', 'plan', '-t', bad, 's', '--detailed-exitcode',
                    form=None, code=1)
    assert 'No::Such' in out
    assert openstack('stack', 'change', 'set', 'list') == []


def test_operation_that_fails(openstack, file_of):
    failing = file_of(thing(fail=['CREATE']))
    out = openstack('stack', 'apply', '-y', '-t', failing, 's', form=None,
                    code=1)
    assert 'Stack s: CREATE_FAILED\n' in out
    assert 'Resource CREATE failed' in out
    openstack.delete('s')


def test_rollback_belongs_to_the_operation(openstack, file_of):
    failing = file_of(thing(fail=['CREATE']))
    out = openstack('stack', 'apply', '-y', '-t', failing, '--rollback',
                    'enabled', 's', form=None, code=1)
    assert 'Stack s: ROLLBACK_COMPLETE\n' in out
    openstack.delete('s')


def test_stale_and_executed_change_sets(openstack, file_of):
    openstack('stack', 'apply', '-y', '-t', file_of(thing(value='x')), 's',
              form=None)
    openstack('stack', 'plan', '-t', file_of(thing(value='y')), 's', '--name',
              'early', form=None)
    openstack('stack', 'apply', '-y', '-t', file_of(thing(value='z')), 's',
              form=None)
    out = openstack('stack', 'apply', '-y', '--change-set', 'early',
                    form=None, code=1)
    assert 'stack s has changed' in out
    out = openstack('stack', 'change', 'set', 'execute', 'early', form=None,
                    code=1)
    assert 'is STALE' in out
    listed = openstack('stack', 'change', 'set', 'list', 's')
    assert [(each['Name'], each['Action'], each['Status'])
            for each in listed] == [
        (None, 'UPDATE', 'EXECUTED'), ('early', 'UPDATE', 'STALE'),
        (None, 'CREATE', 'EXECUTED')]
    openstack.delete('s')


def test_execution_without_a_question(openstack, file_of):
    openstack('stack', 'plan', '-t', file_of(thing()), 's', '--name', 'one',
              form=None)
    out = openstack('stack', 'change', 'set', 'execute', 'one', '--wait',
                    form=None)
    assert out.endswith('Stack s: CREATE_COMPLETE\n')
    found = openstack('stack', 'plan', '-t', file_of(thing(value='y')), 's')
    assert openstack('stack', 'change', 'set', 'execute', found['id'],
                     form=None) == ''
    rest.wait_for(lambda: openstack('stack', 'show', 's')['stack_status'] ==
                  'UPDATE_COMPLETE', 'the update')
    openstack.delete('s')


def test_strict_unless_said_otherwise(openstack, file_of):
    def moody(word):
        return file_of(thing(type='Test::Moody', value=word))

    openstack('stack', 'apply', '-y', '-t', moody('x'), 's', form=None)
    out = openstack('stack', 'apply', '-y', '-t', moody('y'), 's', form=None,
                    code=1)
    assert 'does not plan to replace' in out
    out = openstack('stack', 'apply', '-y', '--no-strict', '-t', moody('z'),
                    's', form=None)
    assert 'Stack s: UPDATE_COMPLETE' in out
    openstack.delete('s')


def answer(monkeypatch, text, terminal=True):
    """Have somebody at the terminal, or nobody."""
    monkeypatch.setattr(sys, 'stdin', types.SimpleNamespace(
        isatty=lambda: terminal, readline=lambda: text, encoding='utf-8'))


def test_question(openstack, file_of, monkeypatch):
    path = file_of(thing())
    answer(monkeypatch, '', terminal=False)
    out = openstack('stack', 'apply', '-t', path, 's', form=None, code=1)
    assert 'give --yes' in out
    for text in ('n\n', '\n', ''):
        answer(monkeypatch, text)
        out = openstack('stack', 'apply', '-t', path, 's', form=None, code=1)
        assert 'Apply this plan? [y/N] Nothing is executed.\n' in out
        assert 'Apply it with: openstack stack apply --change-set ' in out
    assert openstack('stack', 'list') == []
    answer(monkeypatch, 'Y\n')
    out = openstack('stack', 'apply', '-t', path, 's', form=None)
    assert out.endswith('Stack s: CREATE_COMPLETE\n')
    openstack.delete('s')


def test_interrupted_follower_leaves_the_operation(openstack, file_of,
                                                   monkeypatch):
    def interrupt(*_args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr('heat_plan_client.follow.follow', interrupt)
        out = openstack('stack', 'apply', '-y', '-t', file_of(thing()), 's',
                        form=None, code=130)
    assert 'openstack stack event list --follow s' in out
    rest.wait_for(lambda: openstack('stack', 'show', 's')['stack_status'] ==
                  'CREATE_COMPLETE', 'the creation')
    openstack.delete('s')


def test_change_sets_are_listed_and_deleted(openstack, file_of):
    path = file_of(thing())
    ids = [openstack('stack', 'plan', '-t', path, 's', '--name', name)['id']
           for name in ('one', 'two', 'two')]
    listed = openstack('stack', 'change', 'set', 'list', '--long')
    assert {each['ID'] for each in listed} == set(ids)
    assert {'Description', 'Creator', 'Status Reason'} <= set(listed[0])
    out = openstack('stack', 'change', 'set', 'delete', 'two', 'one', 'three',
                    form=None, code=1)
    assert 'Several change sets have the name two' in out
    assert 'Change set not found: three' in out
    openstack('stack', 'change', 'set', 'delete', ids[1], form=None)
    [left] = openstack('stack', 'change', 'set', 'list')
    assert left['ID'] == ids[2]
    out = openstack('stack', 'change', 'set', 'delete', str(uuid.uuid4()),
                    form=None, code=1)
    assert 'does not exist' in out


def test_projects_do_not_see_each_other(openstack, file_of, shell_of, heat):
    found = openstack('stack', 'plan', '-t', file_of(thing()), 's')
    other = shell_of(f'{heat.url}/v1/{uuid.uuid4().hex}')
    assert other('stack', 'change', 'set', 'list') == []
    for words in (['change', 'set', 'show', found['id']],
                  ['apply', '-y', '--change-set', found['id']]):
        out = other('stack', *words, form=None, code=1)
        assert 'does not exist' in out


@pytest.mark.parametrize(('words', 'said'), [
    ('plan no', 'Stack not found: no'),
    ('plan --existing no', 'Stack not found: no'),
    ('plan -t /no/such.yaml s', 'such.yaml'),
    ('apply', 'Give a stack or --change-set'),
    ('apply --change-set c -t x', 'give no other'),
    ('apply --change-set no', 'Change set not found: no'),
    ('change set list no', 'Stack not found: no'),
    ('change set show no', 'Change set not found: no'),
    ('change set execute no', 'Change set not found: no'),
    ('timeline no', 'Stack not found: no'),
    ('watch no', 'Stack not found: no'),
    ('protect no', 'Stack not found: no'),
    ('retry no', 'Stack not found: no')])
def test_mistakes(openstack, words, said):
    out = openstack('stack', *words.split(), form=None, code=1)
    assert said in out
    assert 'Traceback' not in out


@pytest.mark.parametrize('streams', [True, False])
def test_watch(openstack, file_of, monkeypatch, streams):
    monkeypatch.setattr('heat_plan_client.stream.INTERVAL', rest.INTERVAL)
    if not streams:
        stream = importlib.import_module('heat_plan_client.stream')

        def refuse(*_arguments):
            raise stream.NotSupported()

        monkeypatch.setattr(stream, 'open_stream', refuse)
    file_of(hot({'x': templates.thing()}), 'inner.yaml')
    path = file_of(hot({'a': templates.thing(),
                        'n': {'type': 'inner.yaml', 'depends_on': 'a'}}))
    openstack('stack', 'create', '-t', path, 's')
    out = openstack('stack', 'watch', '--nested-depth', '1', 's', form=None)
    assert out.endswith('Stack s: CREATE_COMPLETE\n')
    # Of a stack at rest only the state is left to be shown.
    out = openstack('stack', 'watch', '--events', 's', form=None)
    assert out == '\nStack s: CREATE_COMPLETE\n'
    failing = file_of(hot({'a': templates.thing(fail=['UPDATE'],
                                                value='y')}), 'f.yaml')
    openstack('stack', 'update', '-t', failing, 's')
    out = openstack('stack', 'watch', 's', form=None, code=1)
    assert 'Stack s: UPDATE_FAILED' in out


def test_timeline(openstack, file_of, monkeypatch):
    file_of(hot({'x': templates.thing(),
                 'y': templates.thing(depends_on='x')}), 'inner.yaml')
    path = file_of(hot({'a': templates.thing(),
                        'n': {'type': 'inner.yaml', 'depends_on': 'a'}}))
    openstack('stack', 'apply', '-y', '-t', path, 's', form=None)
    found = openstack('stack', 'timeline', 's', '--nested-depth', '1')
    assert (found['stack_name'], found['action'], found['status']) == (
        's', 'CREATE', 'COMPLETE')
    assert [(each['path'], each['critical'])
            for each in found['bars']] == [
        (['a'], True), (['n'], True), (['n', 'x'], True), (['n', 'y'], True)]
    found = openstack('stack', 'timeline', 's')
    assert [each['path'] for each in found['bars']] == [['a'], ['n']]
    monkeypatch.setenv('COLUMNS', '50')
    out = openstack('stack', 'timeline', 's', form=None)
    assert out.startswith('Stack s: CREATE_COMPLETE in ')
    assert max(map(len, out.splitlines())) <= 50
    openstack.delete('s')
    # Of a deleted stack the ID is left.
    found = openstack('stack', 'timeline', found['stack_id'])
    assert (found['action'], found['status']) == ('DELETE', 'COMPLETE')


def test_protection(openstack, file_of):
    openstack('stack', 'apply', '-y', '-t', file_of(thing()), 's', form=None)
    out = openstack('stack', 'protect', 's', 'no', form=None, code=1)
    assert 'Stack not found: no' in out
    for word, protected in (('unprotect', False), ('protect', True)):
        [found] = openstack('stack', word, 's')
        assert (found['Stack Name'], found['Termination Protection']) == (
            's', protected)
    openstack('stack', 'delete', '-y', '--wait', 's', form=None, code=1)
    assert openstack('stack', 'show', 's')['stack_status'] == (
        'CREATE_COMPLETE')
    openstack('stack', 'unprotect', 's')
    openstack.delete('s')


def test_retry(openstack, file_of, tmp_path):
    missing = tmp_path / 'missing'
    path = file_of(hot({'a': {'type': 'Test::NeedsFile', 'properties': {
        'path': str(missing)}}}))
    openstack('stack', 'apply', '-y', '-t', path, 's', form=None, code=1)
    out = openstack('stack', 'retry', '--wait', 's', form=None, code=1)
    assert 'UPDATE_IN_PROGRESS  Stack UPDATE started' in out
    assert 'Stack s: UPDATE_FAILED\n' in out
    missing.write_text('')
    out = openstack('stack', 'retry', '--wait', 's', form=None)
    assert out.endswith('Stack s: UPDATE_COMPLETE\n')
    out = openstack('stack', 'retry', 's', form=None, code=1)
    assert 'UPDATE_COMPLETE' in out
    openstack.delete('s')


def test_retry_of_a_deletion(openstack, file_of):
    path = file_of(thing(fail=['DELETE']))
    openstack('stack', 'apply', '-y', '-t', path, 's', form=None)
    openstack('stack', 'delete', '-y', '--wait', 's', form=None, code=1)
    out = openstack('stack', 'retry', '--wait', 's', form=None, code=1)
    assert 'Stack s: DELETE_FAILED\n' in out


class Older(http.server.BaseHTTPRequestHandler):
    """A service that has a stack but no change sets."""

    def do_GET(self):
        if '/change_sets' in self.path:
            return self._answer(404, 'text/html', '<h1>404 Not Found</h1>')
        return self._answer(200, 'application/json', json.dumps({
            'stack': {'stack_name': 's', 'id': str(uuid.UUID(int=1)),
                      'stack_status': 'CREATE_COMPLETE'}}))

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self._answer(404, 'application/json', json.dumps({'error': {
            'type': 'HTTPNotFound', 'message': 'No such URL.'}}))

    def do_PUT(self):
        self.do_POST()

    def _answer(self, status, kind, text):
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_args):
        """Say nothing."""


@pytest.fixture
def older():
    """Return the URL of a service without change sets."""
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), Older) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f'http://127.0.0.1:{server.server_port}/v1/demo'
        server.shutdown()
        thread.join()


def test_service_without_protection(shell_of, older):
    out = shell_of(older)('stack', 'protect', 's', form=None, code=1)
    assert 'does not support the protection of stacks' in out


@pytest.mark.parametrize('words', [
    'plan -t {} s', 'apply -y -t {} s', 'change set list',
    'change set list s', f'change set show {uuid.UUID(int=1)}'])
def test_service_without_change_sets(shell_of, older, file_of, words):
    openstack = shell_of(older)
    out = openstack('stack', *words.format(file_of(thing())).split(),
                    form=None, code=1)
    assert 'does not support change sets' in out


def test_drift(openstack, file_of):
    path = file_of(hot({'a': {**templates.thing(value='x'),
                              'type': 'Test::Rich'},
                        'b': templates.thing()}))
    openstack('stack', 'apply', '-y', '-t', path, 's', form=None)
    openstack('stack', 'drift', 'show', 's', form=None, code=1)
    out = openstack('stack', 'drift', 'detect', 's', form=None)
    assert out == ('Drift of stack s: 0 modified, 0 deleted, 1 in sync, '
                   '1 not compared.\n')
    found = openstack('stack', 'drift', 'show', 's')
    assert found['counts']['IN_SYNC'] == 1
    assert openstack('stack', 'drift', 'show', 's', form=None) == out
    for option, interval in ((['--every', '3600'], 3600), (['--never'], 0),
                             (['--default'], None)):
        assert openstack('stack', 'drift', 'schedule', *option, 's')[
            'interval'] == interval
    out = openstack('stack', 'drift', 'schedule', '--every', '1', 's',
                    form=None, code=1)
    assert 'interval' in out
    out = openstack('stack', 'plan', '--existing', '--revert-drift', 's',
                    form=None)
    assert out.startswith('No changes: stack s is as described.\n')
