"""Every command of the ordinary client, as the stories tell."""
import json
import pathlib
import shlex

import pytest

from tests.functional import client_stories
from tests.functional import process
from tests.functional import rest
from tests.functional import service
from tests.functional import templates
from tests.functional import test_client
from tests.functional.templates import hot
from tests.functional.templates import param

project = test_client.project
openstack = test_client.openstack

COMMANDS = {
    name.removeprefix('openstack '): command for name, command in json.loads(
        (pathlib.Path(__file__).resolve().parents[1] / 'facts' /
         'client_commands.json').read_text())['commands'].items()}

#: Options that need what the stories have not: somebody who stops the
#: command, or Keystone and the names of its projects.
ELSEWHERE = {
    'stack event list': {'--follow'},
    'stack list': {'--project', '--project-domain'},
}


@pytest.fixture(scope='module')
def heat(tmp_path_factory):
    """Return a running service."""
    running = process.HeatAll(
        tmp_path_factory.mktemp('heat'), plugin_dirs=service.PLUGINS,
        enable_stack_adopt=True, enable_stack_abandon=True,
        rules={'stacks:global_index': 'role:admin'}).start()
    yield running
    assert running.terminate() == 0
    assert 'Traceback' not in running.log.read_text()


WORD = {'word': {'type': 'string', 'default': 'hello'}}
FILES = {
    'small': hot({'a': templates.thing(value=param('word'))},
                 parameters=WORD),
    'slow': hot({'a': templates.thing(value=param('word')), 'b': {
        'type': 'OS::Heat::TestResource',
        'properties': {'action_wait_secs': {'create': 30}}}},
        parameters=WORD),
    'failing': hot({'a': templates.thing(fail=['CREATE'])}),
    'inner': hot({'x': templates.thing(value=param('word'))},
                 parameters=WORD),
    'world': hot(
        {'a': templates.thing(value=param('word'),
                              metadata={'k': {'deep': [1, 2]}}),
         'alias': {'type': 'inner.yaml',
                   'properties': {'word': param('word')}},
         'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
             'count': 2, 'resource_def': {'type': 'inner.yaml'}}}},
        description='A world.',
        parameters={**WORD,
                    'secret': {'type': 'string', 'hidden': True,
                               'default': 'psst'},
                    'text': {'type': 'string', 'default': ''}},
        outputs={'said': {'value': templates.attr('a', 'value'),
                          'description': 'What was said.'},
                 'group': {'value': templates.attr('group', 'refs')}}),
    'cloudy': hot({'a': {'type': 'OS::Nova::KeyPair', 'properties': {
        'name': 'k'}}}, description='A server.'),
    'bad': hot({'a': {'type': 'No::Such'}}),
    'env': {'resource_registry': {'Test::Alias': 'inner.yaml'}},
    'hooked': {'resource_registry': {'resources': {
        'a': {'hooks': 'pre-delete'}}}},
    'definition': {'inputs': [{'name': 'who', 'default': 'world'}],
                   'outputs': [{'name': 'answer'}],
                   'options': {'fast': True}},
    'data': {'how': 'loud'},
}
TEXTS = {'text': 'from a file\n', 'script': '#!/bin/sh\necho hello $who\n'}


@pytest.fixture
def names(tmp_path, project):
    """Write the files of the stories; return what their names stand for."""
    paths = {name: tmp_path / f'{name}.yaml' for name in FILES}
    for name, content in FILES.items():
        paths[name].write_text(json.dumps(content))
    for name, content in TEXTS.items():
        paths[name] = tmp_path / f'{name}.txt'
        paths[name].write_text(content)
    return {**{name: str(path) for name, path in paths.items()},
            'dir': str(tmp_path), 'project': project}


class Teller:
    """Does what a story says, step by step."""

    def __init__(self, openstack, names):
        self._openstack = openstack
        self._names = names

    def tell(self, story):
        """Take the steps; each must have the outcome it foretells."""
        for step in story:
            arguments = _split(step.filled(self._names))
            if step.wait_for:
                rest.wait_for(
                    lambda arguments=arguments, step=step: step.wait_for in
                    json.dumps(self._openstack(*arguments)), step.line)
                continue
            if step.wait_gone:
                text = step.__class__(step.wait_gone).filled(self._names)
                rest.wait_for(
                    lambda arguments=arguments, text=text: text not in
                    json.dumps(self._openstack(*arguments)), step.line)
                continue
            for form in step.forms:
                said = self._openstack(*arguments, code=step.code,
                                       form=form)
                self._check(step, form, said)

    def _check(self, step, form, said):
        text = said if isinstance(said, str) else json.dumps(
            said, ensure_ascii=False)
        assert 'Traceback' not in text, (step.line, text)
        for wanted in step.has:
            # A narrow table breaks long words.
            wanted = step.__class__(wanted).filled(self._names)
            assert wanted in text, (step.line, wanted, text)
        if step.code or form is None:
            return
        if form == 'json':
            self._check_value(step, said)
        elif form == 'table':
            for column in step.columns if said.strip() else ():
                assert column in text, (step.line, column, text)

    def _check_value(self, step, said):
        if step.rows is not None:
            assert len(said) == step.rows, (step.line, said)
        first = said[0] if isinstance(said, list) and said else said
        if step.columns:
            assert set(first) == set(step.columns), (step.line, set(first))
        if step.check:
            assert step.check(said), (step.line, said)
        for name, value_of in step.save.items():
            self._names[name] = value_of(said)


def _split(line):
    """Return the words of a line; JSON in it keeps its quotes."""
    return shlex.split(line.replace('"', '\\"'))


@pytest.mark.parametrize('name', client_stories.STORIES)
def test_story(openstack, names, name):
    Teller(openstack, names).tell(client_stories.STORIES[name])


def _steps_of(command):
    """Return the steps that run a command."""
    longer = [other for other in COMMANDS
              if other.startswith(command + ' ')]
    return [step for story in client_stories.STORIES.values()
            for step in story
            if f'{step.line} '.startswith(f'{command} ')
            and not any(f'{step.line} '.startswith(f'{other} ')
                        for other in longer)]


@pytest.mark.parametrize('command', sorted(COMMANDS))
def test_no_command_is_left_out(command):
    steps = _steps_of(command)
    assert [step for step in steps if step.code], 'nothing wrong is tried'
    good = [step for step in steps if not step.code]
    if COMMANDS[command]['kind'] == 'command':
        assert good
        return
    assert {'json', 'table'} <= {
        form for step in good for form in step.forms}
    assert [step for step in good if step.has or step.check or step.rows]


@pytest.mark.parametrize('command', sorted(COMMANDS))
def test_no_option_is_left_out(command):
    words = {word for step in _steps_of(command)
             for word in step.line.split()}
    missing = {
        max(argument['flags'], key=len)
        for argument in COMMANDS[command]['args'] if argument.get('flags')
        and not words.intersection(argument['flags'])}
    assert missing - {'--format'} == ELSEWHERE.get(command, set())
