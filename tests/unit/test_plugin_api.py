"""What plugins import, call and override is there, as it has always been.

The facts list every name of the plugin interface with its signature, its
bases and its constants.
"""
import ast
import functools
import importlib
import importlib.util
import inspect
import json
import pathlib
import textwrap

import pytest

from heat.common import config
from heat.common import context
from heat.engine import stack
from heat.engine import template
from heat.engine.resources.openstack.heat import value
from tests import additions
from tests.fakes import database
from tests.fakes import stack as fake_stack

FACTS = json.loads(
    (pathlib.Path(__file__).parents[1] / 'facts' / 'plugin_api.json')
    .read_text())

MODULES = sorted(name for name in FACTS if name.startswith('heat.'))


@functools.cache
def module_of(name):
    return importlib.import_module(name)


def names():
    return [(module, name) for module in MODULES for name in FACTS[module]]


def found(module, name):
    value = module_of(module)
    for part in name.split('.'):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(('module', 'name'), names())
def test_name(module, name):
    facts, value = FACTS[module][name], found(module, name)
    kind = facts['kind']
    assert inspect.isclass(value) == (kind == 'class')
    if kind == 'function':
        assert callable(value)
        if 'signature' in facts:
            check_signature(value, facts['signature'])
    if kind == 'constant' and 'value' in facts:
        assert plain(value) == facts['value']
    if 'alias_of' in facts:
        assert value is found(*facts['alias_of'].rsplit('.', 1))
    if kind == 'class' and 'alias_of' not in facts:
        check_class(value, facts)


def check_class(value, facts):
    for base in facts['bases']:
        # Records are plain values here, and which emitter YAML has
        # depends on how it was built.
        if base.startswith('heat.') and not base.startswith('heat.objects'):
            assert named(base) in value.__mro__, base
    if 'new_signature' in facts and '__new__' in vars(value):
        check_signature(value.__new__, facts['new_signature'], bound=True)
    if 'signature' in facts:
        check_signature(value.__init__, facts['signature'], bound=True)


def named(path):
    module, name = path.rsplit('.', 1)
    return getattr(importlib.import_module(module), name)


def constants():
    return [(module, name, constant) for module, name in names()
            for constant in FACTS[module][name].get('constants') or {}]


@pytest.mark.parametrize(('module', 'name', 'constant'), constants())
def test_constant(module, name, constant):
    wanted = FACTS[module][name]['constants'][constant]
    if (name, constant) == ('CfnTemplate', 'SECTIONS'):
        wanted = [*wanted, *additions.CFN_SECTIONS]
    elif name == 'CfnTemplate':
        wanted = additions.with_cfn_keys(constant, wanted)
    assert plain(getattr(found(module, name), constant)) == wanted


def plain(value):
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if inspect.isclass(value):
        return f'<{value.__module__}.{value.__qualname__}>'
    return value


def members():
    return [(module, name, member) for module, name in names()
            for member in FACTS[module][name].get('members', {})]


@pytest.mark.parametrize(('module', 'name', 'member'), [
    case for case in members()
    if not FACTS[case[0]][case[1]]['members'][case[2]].get(
        'provided_by_subclass')])
def test_member(module, name, member):
    facts = FACTS[module][name]['members'][member]
    owner = found(module, name)
    if facts.get('per_instance'):
        if name in ('Resource', 'Stack'):
            # What sets it there is another module.
            return
        assert is_set_per_instance(owner, member)
        return
    value = inspect.getattr_static(owner, member)
    kind = facts['kind']
    if kind == 'property':
        assert isinstance(value, property)
        assert (value.fset is not None) or not facts.get('settable')
    elif kind in ('classmethod', 'staticmethod'):
        assert type(value).__name__ == kind
    if 'signature' in facts and kind != 'property':
        check_signature(getattr(owner, member), facts['signature'],
                        bound=kind == 'method')
    if kind in ('attribute', 'constant') and 'value' in facts:
        assert_same_value(value, facts['value'])


def assert_same_value(value, wanted):
    if wanted == {}:
        assert isinstance(value, dict)
    else:
        assert plain(value) == wanted


def is_set_per_instance(owner, member):
    """Tell whether instances have a member, or their class for them."""
    if hasattr(owner, member):
        return True
    return any(member in assigned(cls) for cls in owner.__mro__
               if cls is not object)


@pytest.fixture
def instances(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    fake = fake_stack.FakeStack(
        {'r': {'type': 'OS::Heat::Value', 'properties': {'value': 1}}},
        types={'OS::Heat::Value': value.Value})
    real = stack.Stack(
        context.RequestContext(project_id='p'), 's',
        template.Template({'heat_template_version': '2018-08-31'}))
    return fake, fake['r'], real


def test_instances_have_what_is_set_per_instance(instances):
    _fake, resource, real = instances
    for module, name, one in (
            ('heat.engine.resource', 'Resource', resource),
            ('heat.engine.stack', 'Stack', real)):
        missing = [member for member, facts
                   in FACTS[module][name]['members'].items()
                   if facts.get('per_instance') and not hasattr(one, member)]
        assert missing == []


@functools.cache
def assigned(cls):
    """Return the names that the methods of a class set on self."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):
        return frozenset()
    return frozenset(
        node.attr for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name) and node.value.id == 'self')


def check_signature(value, signature, *, bound=False):
    """Check that whatever the facts allow to pass can be passed.

    Ours may take more, and need less.
    """
    ours = list(inspect.signature(value).parameters.values())
    if bound:
        ours = ours[1:]
    named = [each for each in ours if each.kind not in (
        each.VAR_KEYWORD, each.VAR_POSITIONAL)]
    kinds = {each.kind for each in ours}
    known = recorded(signature)
    asked = {each.name for each in known}
    for index, each in enumerate(known):
        if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL):
            assert each.kind in kinds, (signature, ours)
        elif index < len(named) and named[index].name == each.name:
            assert not is_required(named[index]) or is_required(each)
        else:
            # Nobody gives so many arguments by position.
            assert not is_required(each), (signature, ours)
            assert index > 2, (signature, ours)
            assert each.VAR_KEYWORD in kinds or each.name in {
                mine.name for mine in named}, (signature, ours)
    for each in named:
        assert each.name in asked or not is_required(each), (signature, ours)


def is_required(parameter):
    return parameter.default is parameter.empty


def recorded(signature):
    """Return the parameters of a signature in the facts."""
    tree = ast.parse(f'def f{signature}: pass').body[0].args
    for defaults in (tree.defaults, tree.kw_defaults):
        for index, each in enumerate(defaults):
            if each is not None and not isinstance(each, ast.Constant):
                defaults[index] = ast.Constant(None)
    source = ast.unparse(tree)
    return list(inspect.signature(
        eval(f'lambda {source}: None')).parameters.values())


@pytest.mark.parametrize('name', sorted(FACTS['exceptions']))
def test_exception(name):
    facts = FACTS['exceptions'][name]
    value = found(facts['module'], name)
    assert issubclass(value, BaseException)
    assert facts['base'].rpartition('.')[2] in {
        each.__name__ for each in value.__mro__}
    if facts.get('signature'):
        check_signature(value.__init__, facts['signature'], bound=True)


def test_options_that_plugins_read():
    known = {(getattr(group, 'name', group) or '', each.dest)
             for group, options in config.all_opts() for each in options}
    # Whoever checks tokens brings the options of that.
    missing = [name for name in FACTS['_config_options']
               if (name.rpartition('.')[0], name.rpartition('.')[2])
               not in known and not name.startswith('keystone_authtoken.')]
    assert missing == []
