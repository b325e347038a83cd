"""The names that plugins use are there, with their signatures."""
import ast
import importlib
import inspect
import json
import pathlib

import pytest

from heat.engine import resource
from heat.engine.resources.openstack.heat import value
from tests.fakes import database
from tests.fakes import stack as fake_stack

FACTS = pathlib.Path(__file__).parents[2] / 'facts' / 'plugin_api.json'
MODULES = ('heat.engine.resource', 'heat.engine.clients',
           'heat.engine.clients.client_plugin',
           'heat.engine.clients.client_exception',
           'heat.engine.clients.microversion_mixin',
           'heat.engine.parent_rsrc', 'heat.engine.scheduler',
           'heat.engine.status')


def members():
    """Yield (module, class, name, what is known of the member)."""
    facts = json.loads(FACTS.read_text())
    for module in MODULES:
        for class_name, known in facts[module].items():
            yield module, class_name, None, known
            for name, member in known.get('members', {}).items():
                yield module, class_name, name, member


def found(module, class_name, name):
    thing = getattr(importlib.import_module(module), class_name)
    return thing if name is None else inspect.getattr_static(thing, name)


def is_on_the_class(member):
    return not (member.get('per_instance') or
                member.get('provided_by_subclass'))


@pytest.mark.parametrize(
    ('module', 'class_name', 'name', 'known'),
    [case for case in members() if is_on_the_class(case[3])],
    ids=lambda value: value if isinstance(value, str) else '')
def test_member(module, class_name, name, known):
    member = found(module, class_name, name)
    kind = known['kind']
    if kind in ('property', 'classmethod', 'staticmethod'):
        wanted = {'property': property, 'classmethod': classmethod,
                  'staticmethod': staticmethod}[kind]
        assert isinstance(member, wanted)
    if kind == 'constant' and 'value' in known:
        assert member == known['value']
    if kind == 'attribute' and known.get('value') not in (None, {}):
        assert list_of(member) == list_of(known['value'])
    for constant, wanted in known.get('constants', {}).items():
        assert list_of(getattr(member, constant)) == list_of(wanted)


def list_of(value):
    return list(value) if isinstance(value, (list, tuple)) else value


def method_cases():
    for module, class_name, name, known in members():
        if (name and known['kind'] in ('method', 'classmethod')
                and known.get('signature') and is_on_the_class(known)):
            yield module, class_name, name, known['signature']


@pytest.mark.parametrize(('module', 'class_name', 'name', 'signature'),
                         list(method_cases()))
def test_signature_takes_what_plugins_pass(module, class_name, name,
                                           signature):
    cls = getattr(importlib.import_module(module), class_name)
    ours = list(inspect.signature(getattr(cls, name)).parameters.values())
    if not isinstance(inspect.getattr_static(cls, name), classmethod):
        ours = ours[1:]
    known = list(inspect.signature(eval(
        'lambda %s: None' % signature[1:-1].replace('LOCK_NONE', 'None'))
    ).parameters.values())
    for index, parameter in enumerate(known):
        assert ours[index].name == parameter.name
        assert ours[index].kind == parameter.kind
        assert (ours[index].default is inspect.Parameter.empty) == (
            parameter.default is inspect.Parameter.empty)
    assert all(extra.default is not inspect.Parameter.empty
               for extra in ours[len(known):])


def test_instance_has_what_is_set_per_instance(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    stack = fake_stack.FakeStack(
        {'r': {'type': 'OS::Heat::Value', 'properties': {'value': 1}}},
        types={'OS::Heat::Value': value.Value})
    facts = json.loads(FACTS.read_text())
    known = facts['heat.engine.resource']['Resource']['members']
    missing = [name for name, member in known.items()
               if member.get('per_instance')
               and not hasattr(stack['r'], name)]
    assert missing == []


def test_resource_has_few_methods_of_its_own():
    source = inspect.getsource(resource.Resource)
    body = ast.parse(source).body[0].body
    long_ones = [node.name for node in body
                 if isinstance(node, ast.FunctionDef)
                 and len(_statements(node)) > 1]
    assert len(long_ones) <= 40


def _statements(node):
    return [each for each in node.body
            if not (isinstance(each, ast.Expr)
                    and isinstance(each.value, ast.Constant))]
