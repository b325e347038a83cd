"""The plugin that the guide shows does what the guide says."""
import pathlib

import pytest

from tests.functional import process
from tests.functional import service
from tests.functional.templates import hot

PLUGINS = service.ROOT / 'examples' / 'plugins'


@pytest.fixture(scope='module', params=['convergence', 'legacy'])
def heat(request, tmp_path_factory):
    running = process.HeatAll(
        tmp_path_factory.mktemp('heat'), request.param == 'convergence',
        plugin_dirs=PLUGINS).start()
    yield running
    running.terminate()


def template(directory, text='It began here'):
    note = {'type': 'Example::Note'}
    return hot({
        'first': {**note, 'properties': {'directory': str(directory),
                                         'text': text}},
        'second': {**note, 'properties': {
            'directory': str(directory), 'text': {'str_replace': {
                'template': 'See PATH',
                'params': {'PATH': {'get_attr': ['first', 'path']}}}}}},
    }, outputs={'path': {'value': {'get_attr': ['first', 'path']}},
                'length': {'value': {'get_attr': ['first', 'length']}}})


def texts(directory):
    return sorted(path.read_text() for path in directory.iterdir())


def test_life_of_a_note(heat, tmp_path):
    old, new = tmp_path / 'old', tmp_path / 'new'
    old.mkdir()
    new.mkdir()
    api = heat.client()
    stack = api.created('notes', template(old))
    first = pathlib.Path(stack.outputs()['path'])
    assert texts(old) == ['It began here', f'See {first}']
    assert stack.outputs()['length'] == len('It began here')

    stack.updated(template(old, 'It goes on'))
    assert first.read_text() == 'It goes on'
    assert stack.outputs()['length'] == len('It goes on')

    stack.updated(template(new, 'It goes on'))
    assert texts(old) == []
    first = pathlib.Path(stack.outputs()['path'])
    assert texts(new) == ['It goes on', f'See {first}']

    first.unlink()
    stack.act('check')
    stack.wait('CHECK_FAILED')
    assert f'There is no note {first.name}' in stack.resource('first')[
        'resource_status_reason']

    stack.deleted()
    assert texts(new) == []
