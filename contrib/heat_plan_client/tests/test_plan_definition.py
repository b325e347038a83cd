"""Options of the command line, and the body of the request."""
import argparse
import json
import types

from osc_lib import exceptions
from oslo_serialization import jsonutils
import pytest

from heat_plan_client import definition

TEMPLATE = """\
heat_template_version: 2018-08-31
# A comment, which data has not.
resources:
  inner: {type: inner.yaml, properties: {text: {get_file: text.txt}}}
  outer:
    type: inner.yaml
    depends_on: inner
"""
INNER = """\
heat_template_version: 2018-08-31
parameters: {text: {type: string, default: x}}
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'main.yaml').write_text(TEMPLATE)
    (tmp_path / 'inner.yaml').write_text(INNER)
    (tmp_path / 'text.txt').write_text('hello\n')
    (tmp_path / 'env.yaml').write_text('parameters: {a: 1}\n')
    return tmp_path


def body(*arguments, stack=None):
    parser = argparse.ArgumentParser()
    parser.add_argument('stack')
    definition.add_arguments(parser)
    parsed = parser.parse_args(['shop', *map(str, arguments)])
    found = definition.body(parsed, types.SimpleNamespace(), stack)
    # As the HTTP client sends it.
    return json.loads(jsonutils.dumps(found))


STACK = types.SimpleNamespace(stack_name='shop', id='1')


def test_template_is_sent_as_text_with_the_urls_of_files(files):
    """Lines stay where they are, so that causes can name them."""
    found = body('-t', files / 'main.yaml')
    url = f'file://{files}/'
    assert found['template'] == TEMPLATE.replace(
        'inner.yaml', f'"{url}inner.yaml"').replace(
        'text.txt', f'"{url}text.txt"')
    assert found['files'][url + 'text.txt'] == 'hello\n'
    assert set(found['files']) == {url + 'text.txt', url + 'inner.yaml'}


def test_template_that_cannot_be_edited_is_sent_as_data(files):
    """One text stands for the name of a file and for itself."""
    (files / 'main.yaml').write_text(
        'heat_template_version: 2018-08-31\n'
        'resources:\n  a:\n    type: &name inner.yaml\n'
        '    properties: {text: *name}\n')
    found = body('-t', files / 'main.yaml')['template']
    assert found['resources'] == {'a': {
        'type': f'file://{files}/inner.yaml',
        'properties': {'text': 'inner.yaml'}}}


def test_body_of_a_creation(files):
    found = body('-t', files / 'inner.yaml', '-e', files / 'env.yaml',
                 '--parameter', 'b=2', '--timeout', 7, '--tags', 'x,y',
                 '--pre-create', 'inner')
    sent = found.pop('files')[f'file://{files}/env.yaml']
    assert json.loads(sent) == {'parameters': {'a': 1}}
    assert found == {
        'stack_name': 'shop', 'template': INNER, 'disable_rollback': True,
        'environment': {'parameters': {'a': 1}, 'resource_registry': {
            'resources': {'inner': {'hooks': 'pre-create'}}}},
        'environment_files': [f'file://{files}/env.yaml'],
        'parameters': {'b': '2'}, 'timeout_mins': 7, 'tags': 'x,y'}
    assert body('-t', files / 'inner.yaml', '--rollback', 'enabled')[
        'disable_rollback'] is False


def test_body_of_an_update(files):
    found = body('-t', files / 'inner.yaml', '--clear-parameter', 'a',
                 '--converge', stack=STACK)
    assert found == {'template': INNER, 'files': {}, 'environment': {},
                     'parameters': {}, 'clear_parameters': ['a'],
                     'converge': True}
    found = body('--existing', '--parameter', 'a=3', '--rollback',
                 'disabled', stack=STACK)
    assert found == {'existing': True, 'files': {}, 'environment': {},
                     'parameters': {'a': '3'}, 'disable_rollback': True}


def test_parameter_from_a_file(files):
    found = body('-t', files / 'inner.yaml', '--parameter-file',
                 f'text={files / "text.txt"}')
    assert found['parameters'] == {'text': 'hello\n'}


@pytest.mark.parametrize('arguments', [
    ['--existing'], [], ['-t', 'x', '--clear-parameter', 'a']])
def test_new_stack_has_nothing_to_keep(arguments):
    with pytest.raises(exceptions.CommandError, match='Stack not found: shop'):
        body(*arguments)


def test_update_needs_a_template():
    with pytest.raises(exceptions.CommandError, match='--existing'):
        body(stack=STACK)
