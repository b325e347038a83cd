"""Every template of a folder parses, is valid, and has a graph.

A MANIFEST.json in the folder says of some that they are not valid, and why.
"""
import json

import pytest
import yaml

from heat.common import template_format
from heat.engine import template
from tests.corpus import checks
from tests.corpus import collected
from tests.corpus import conftest


def pytest_generate_tests(metafunc):
    folder = conftest.corpus_of(metafunc.config)
    names = sorted(str(path.relative_to(folder))
                   for path in folder.rglob('*')
                   if collected.is_template(path))
    manifest = manifest_of(folder)
    if 'environment_path' in metafunc.fixturenames:
        pairs = [(name, path) for name in names
                 for path in [environment_of(folder / name)]
                 if path is not None]
        metafunc.parametrize(('name', 'environment_path'), pairs)
    elif 'why' in metafunc.fixturenames:
        metafunc.parametrize(('name', 'why'), [
            (name, entry['why']) for name, entry in manifest.items()
            if not entry['valid']])
    elif 'valid' in metafunc.fixturenames:
        metafunc.parametrize('valid', [
            name for name in names
            if manifest.get(name, {'valid': True})['valid']])
    elif 'name' in metafunc.fixturenames:
        metafunc.parametrize('name', names)


def manifest_of(folder):
    """Return what the folder says of its templates."""
    path = folder / 'MANIFEST.json'
    return json.loads(path.read_text()) if path.is_file() else {}


def environment_of(path):
    """Return the environment that stands beside a template, or None.

    One that maps types to files that are not there cannot be tried.
    """
    beside = path.with_name(path.stem + '_env' + path.suffix)
    if not beside.is_file():
        return None
    registry = collected.request_of(path, beside).environment[
        'resource_registry']
    lost = [name for name in registry.values() if isinstance(name, str)
            and name.endswith('.yaml') and not name.startswith('file:')]
    return None if lost else beside


@pytest.fixture
def folder(request):
    """The folder of the corpus."""
    return conftest.corpus_of(request.config)


@pytest.fixture(autouse=True)
def _world():
    with checks.recorded_world():
        yield


def test_manifest_speaks_of_templates_that_are_there(folder):
    missing = [name for name in manifest_of(folder)
               if not collected.is_template(folder / name)]
    assert missing == []


def test_parses(folder, name):
    data = template_format.parse((folder / name).read_text())
    assert template.Template(data).t == data


def test_is_accepted(folder, valid):
    request = collected.request_of(folder / valid)
    assert checks.faults_of(request) is None


def test_has_a_graph(folder, valid):
    request = collected.request_of(folder / valid)
    order = checks.graph_of(request)
    resources = template.Template(request.template)['resources'] \
        if 'heat_template_version' in request.template \
        else request.template.get('Resources', {})
    assert set(order) <= set(resources)


def test_is_refused_and_told_why(folder, name, why):
    request = collected.request_of(folder / name)
    checks.check_fault(request, checks.faults_of(request), why)


def test_is_accepted_with_its_environment(folder, name, environment_path):
    request = collected.request_of(folder / name, environment_path)
    assert checks.faults_of(request) is None
    assert checks.graph_of(request)


def test_is_the_same_after_it_was_written_out(folder, name):
    data = template_format.parse((folder / name).read_text())
    text = yaml.dump(data, Dumper=template_format.yaml_dumper,
                     sort_keys=False)
    again = template_format.parse(text)
    assert again == data
    assert json.dumps(again) == json.dumps(data)
