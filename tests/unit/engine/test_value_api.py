"""What plugins import from the value half of the language is all there."""
import importlib
import inspect
import json
import pathlib
import re

import pytest

FACTS = json.loads(
    (pathlib.Path(__file__).parents[2] / 'facts' / 'plugin_api.json')
    .read_text())

MODULES = ['heat.engine.' + name for name in (
    'properties', 'constraints', 'support', 'attributes', 'translation',
    'rsrc_defn', 'parameters', 'stk_defn', 'dependencies', 'hot.parameters',
    'cfn.parameters')]

NAMES = [(module, name) for module in MODULES for name in FACTS[module]]


def found(module, name):
    value = importlib.import_module(module)
    for part in name.split('.'):
        value = getattr(value, part)
    return value


def expected_parameters(signature):
    """Return the parameter names of a recorded signature."""
    flat = re.sub(r'\([^()]*\)', '', signature[1:-1])
    return [part.split('=')[0].strip(' *') for part in flat.split(',')
            if part.strip()]


def parameters(function):
    """Return the names of what may be given by position, without self."""
    return [param.name
            for param in inspect.signature(function).parameters.values()
            if param.kind is not param.KEYWORD_ONLY
            and param.name not in ('self', 'cls')]


@pytest.mark.parametrize(('module', 'name'), NAMES)
def test_signature(module, name):
    facts, value = FACTS[module][name], found(module, name)
    if facts['kind'] == 'constant':
        assert value == facts.get('value', value)
    elif facts['kind'] == 'function':
        assert parameters(value) == expected_parameters(facts['signature'])
    elif 'new_signature' in facts:
        assert parameters(value.__new__) == expected_parameters(
            facts['new_signature'])
    elif 'signature' in facts:
        assert parameters(value.__init__) == expected_parameters(
            facts['signature'])


@pytest.mark.parametrize(('module', 'name', 'member'), [
    (module, name, member) for module, name in NAMES
    for member, facts in FACTS[module][name].get('members', {}).items()
    if not (facts.get('per_instance') or facts.get('provided_by_subclass'))])
def test_member(module, name, member):
    facts = FACTS[module][name]['members'][member]
    value = getattr(found(module, name), member)
    if 'method' in facts['kind'] and 'signature' in facts:
        assert parameters(value) == expected_parameters(facts['signature'])


@pytest.mark.parametrize(('module', 'name', 'constant'), [
    (module, name, constant) for module, name in NAMES
    for constant in FACTS[module][name].get('constants') or {}])
def test_constant(module, name, constant):
    value = getattr(found(module, name), constant)
    if isinstance(value, tuple):
        value = list(value)
    assert value == FACTS[module][name]['constants'][constant]
