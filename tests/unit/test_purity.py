"""The language needs no database, RPC, client or configuration.

It is tried in a process in which these cannot be imported at all.
"""
import json
import pathlib
import subprocess
import sys

from tests.unit import test_layering

ROOT = pathlib.Path(__file__).resolve().parents[2]

_PACKAGES = {name for name in test_layering.modules()
             if test_layering.package_of(name) in test_layering.LANGUAGE}
#: The packages of the language, and the published modules they build on.
MODULES = sorted(_PACKAGES | {
    name for package in _PACKAGES
    for name in test_layering.reached_from(package)
    if test_layering.package_of(name) == 'published'})

PROGRAM = r"""
import importlib
import json
import sys

FORBIDDEN = (
    'eventlet', 'heat.api', 'heat.common.config', 'heat.db',
    'heat.engine.clients', 'heat.engine.reader', 'heat.engine.resources',
    'heat.engine.service',
    'heat.engine.stack', 'heat.objects', 'heat.rpc', 'keystoneauth1',
    'openstack', 'oslo_config', 'oslo_db', 'oslo_messaging', 'oslo_policy',
    'oslo_service', 'sqlalchemy')


class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(tuple(each + '.' for each in FORBIDDEN)) or (
                name in FORBIDDEN):
            raise AssertionError('imports ' + name)


sys.path.insert(0, sys.argv[1])
sys.meta_path.insert(0, Wall())
modules, text = json.loads(sys.stdin.read())
for name in modules:
    importlib.import_module(name)

from heat.common import identifier
from heat.common import template_format
from heat.engine import environment
from heat.engine import parameter_groups
from heat.engine import stk_defn
from heat.engine import template

tmpl = template.Template(
    template_format.parse(text), files={'f': 'text'},
    env=environment.Environment({'parameters': {'n': 2}}))
stack = stk_defn.StackDefinition(
    None, tmpl, identifier.HeatIdentifier('tenant', 'stack', 'id'))
tmpl.validate()
stack.parameters.validate()
parameter_groups.ParameterGroups(tmpl).validate()
tmpl.validate_condition_definitions(stack)
tmpl.validate_resource_definitions(stack)
for name in stack.enabled_rsrc_names():
    stack.resource_definition(name).validate()
assert not set(FORBIDDEN) & set(sys.modules)
print(json.dumps({name: stack.output_definition(name).get_value()
                  for name in stack.enabled_output_names()}))
"""

TEMPLATE = """
heat_template_version: wallaby
parameters:
  n:
    type: number
    constraints: [{range: {min: 1, max: 3}}, {modulo: {step: 2, offset: 0}}]
  s:
    type: string
    default: abc
    constraints: [{allowed_pattern: '[a-c]+'}, {length: {max: 3}}]
parameter_groups: [{parameters: [n, s]}]
conditions:
  many: {yaql: {expression: '$.data > 1', data: {get_param: n}}}
resources:
  a: {type: Some::Type, condition: many, properties: {p: {get_param: s}}}
  b: {type: Some::Type, properties: {p: {get_resource: a}}}
outputs:
  file: {value: {get_file: f}}
  found: {value: {if: [many, {get_resource: a}, none]}}
  made: {value: {repeat: {template: x%v%, for_each: {'%v%': [a, b]}}}}
"""


def test_language_lives_without_everything_else():
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM, str(ROOT)], check=False, timeout=240,
        input=json.dumps([MODULES, TEMPLATE]), capture_output=True,
        text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == {
        'file': 'text', 'found': 'a', 'made': ['xa', 'xb']}


def test_all_of_the_language_is_tried():
    assert {'heat.engine.' + name for name in (
        'template', 'properties', 'translation', 'environment',
        'hot.functions.yaql', 'cfn.functions')} <= set(MODULES)
