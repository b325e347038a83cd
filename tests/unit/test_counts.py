"""The number of types, constraints, plugins and names of the interface.

Other tests compare each name with the facts. These numbers keep the facts
from becoming fewer.
"""
import json
import pathlib

import pytest
import yaml

from heat.engine import clients
from heat.engine import environment
from heat.engine import resources

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = ROOT / 'tests' / 'facts'


def facts(name):
    return json.loads((FACTS / f'{name}.json').read_text())


@pytest.fixture(scope='module')
def installed():
    """Return an environment with everything of this installation."""
    env = environment.Environment({}, user_env=False)
    resources.load(env)
    return env


def test_resource_types(installed):
    wanted = facts('resource_types')['types'].keys()
    assert len(wanted) == 201
    found = installed.registered_classes().keys()
    assert wanted - found == set()


def test_aliases_and_types_that_are_templates():
    known = facts('resource_types')
    assert (len(known['aliases']), len(known['template_types'])) == (7, 2)
    shipped = yaml.safe_load(
        (ROOT / 'etc/heat/environment.d/default.yaml').read_text())
    assert shipped['resource_registry'].keys() == {
        *known['aliases'], *known['template_types']}


def test_constraints(installed):
    wanted = facts('constraints')['custom_constraints'].keys()
    assert len(wanted) == 70
    assert wanted - installed.constraints.keys() == set()


def test_client_plugins():
    wanted = facts('constraints')['client_plugins']
    assert len(wanted) == 20
    assert set(wanted) - clients.plugins().keys() == set()


def test_names_of_the_plugin_interface():
    names = [each for module, found in facts('plugin_api').items()
             if module.startswith('heat.') for each in found.values()]
    assert len(names) == 285
    assert sum(len(each.get('members', ())) for each in names) == 1007
