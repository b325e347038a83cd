"""What holds for every template, whatever is in it."""
import copy
import json

from hypothesis import given
from hypothesis import strategies as st
import pytest
import yaml

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common import template_format
from heat.engine import attributes
from heat.engine import environment
from heat.engine import function
from heat.engine import properties
from heat.engine import resource
from heat.engine import rsrc_defn
from heat.engine import stack as stack_module
from heat.engine import stk_defn
from heat.engine import template
from tests.fakes import definitions
from tests.fakes import strategies

_Kind = properties.Schema


class Thing(resource.Resource):
    """A type with properties of every kind, and one attribute."""

    properties_schema = {
        'text': _Kind(_Kind.STRING), 'list': _Kind(_Kind.LIST),
        'map': _Kind(_Kind.MAP), 'any': _Kind(_Kind.ANY)}
    attributes_schema = {'out': attributes.Schema('What it gives.')}


FILES = {'a file': 'its text'}
CONTEXT = heat_context.RequestContext(
    username='anna', user_id='anna-id', project_id='project',
    roles=['member'], is_admin=False, overwrite=False)


def template_of(data, params=None):
    """Return a template for which Test::Thing is a type."""
    env = environment.Environment({'parameters': params or {}})
    env.register_class('Test::Thing', Thing)
    return template.Template(data, env=env, files=FILES)


def definition_of(data, params=None):
    """Return the definition of a stack in which every resource exists."""
    return stk_defn.StackDefinition(
        CONTEXT, template_of(data, params),
        identifier.HeatIdentifier('tenant', 'stack', 'id'),
        {name: definitions.facts(name, {'out': {'a': name}})
         for name in data['resources']})


def stack_of(data, params=None):
    """Return a stack that is about to be created."""
    return stack_module.Stack(CONTEXT, 'stack', template_of(data, params))


def values_of(stack):
    """Return all that a stack definition resolves to."""
    return {
        'resources': {
            name: [dict(defn.properties(Thing.properties_schema)),
                   defn.metadata(), defn.deletion_policy(),
                   sorted(defn.required_resource_names())]
            for name in stack.enabled_rsrc_names()
            for defn in [stack.resource_definition(name)]},
        'outputs': {name: stack.output_definition(name).get_value()
                    for name in stack.enabled_output_names()}}


# -- Text and data

@strategies.SETTINGS
@given(strategies.templates())
def test_parsing_what_was_written_gives_the_same(data):
    for text in (
            json.dumps(data),
            yaml.dump(data, Dumper=template_format.yaml_dumper,
                      sort_keys=False, allow_unicode=True),
            yaml.dump(data, Dumper=template_format.yaml_dumper,
                      default_flow_style=True)):
        again = template_format.parse(text)
        assert again == data
        assert template_format.parse(json.dumps(again)) == again


@strategies.SETTINGS
@given(strategies.templates())
def test_a_parsed_snippet_renders_as_it_was(data):
    stack = definition_of(data)
    for name, output in data['outputs'].items():
        parsed = stack.t.parse(stack, output['value'], ['outputs', name])
        rendered = function.render(parsed)
        assert rendered == output['value']
        assert stack.t.parse(stack, rendered) == parsed
        assert copy.deepcopy(parsed) == output['value']


@strategies.SETTINGS
@given(strategies.templates())
def test_parsing_leaves_the_data_alone(data):
    before = copy.deepcopy(data)
    values_of(definition_of(data))
    assert data == before


# -- Values

@strategies.SETTINGS
@given(strategies.templates(), strategies.parameter_values)
def test_resolving_is_deterministic(data, params):
    first = values_of(definition_of(data, params))
    stack = definition_of(copy.deepcopy(data), dict(params))
    assert values_of(stack) == first
    # Asked again, or for single values in another order, it is the same.
    assert values_of(stack) == first
    stack = definition_of(data, params)
    for name in reversed(list(first['resources'])):
        props = stack.resource_definition(name).properties(
            Thing.properties_schema)
        found = {key: props[key] for key in reversed(list(props))}
        assert found == first['resources'][name][0]
    json.dumps(first)


@strategies.SETTINGS
@given(strategies.templates(), strategies.parameter_values)
def test_what_is_resolved_has_no_functions(data, params):
    stack = definition_of(data, params)
    values = values_of(stack)
    assert list(function.dependencies(values)) == []
    assert function.resolve(values) == values
    assert '"get_param"' not in json.dumps(values)


# -- Graphs

@strategies.SETTINGS
@given(strategies.templates(), strategies.parameter_values)
def test_a_valid_template_is_accepted(data, params):
    stack = stack_of(data, params)
    stack.validate(validate_res_tmpl_only=True)


def refusal_of(stack):
    """Return the error that speaks against a stack, None without one."""
    try:
        stack.validate(validate_res_tmpl_only=True)
    except exception.HeatException as error:
        return error
    return None


def check_graph(stack):
    """Check that each resource comes after all that it requires."""
    order = [res.name for res in stack.dependencies]
    assert sorted(order) == sorted(stack.defn.enabled_rsrc_names())
    for position, name in enumerate(order):
        required = stack.defn.resource_definition(
            name).required_resource_names()
        assert required <= set(order[:position])


@strategies.settings(100)
@given(strategies.templates(valid=False), strategies.parameter_values)
def test_what_validates_has_a_graph_without_circles(data, params):
    stack = stack_of(data, params)
    error = refusal_of(stack)
    if error is None:
        check_graph(stack)
        return
    # Refused, and said where.
    assert error.path
    assert str(error)


@strategies.SETTINGS
@given(strategies.templates(max_resources=8), strategies.parameter_values)
def test_graph_of_a_valid_template(data, params):
    check_graph(stack_of(data, params))


# -- Definitions

def definitions_of(data, params=None):
    """Return the definition of a stack and those of its resources."""
    stack = definition_of(data, params)
    return stack, [stack.resource_definition(name)
                   for name in stack.enabled_rsrc_names()]


@strategies.SETTINGS
@given(strategies.templates())
def test_equal_definitions_are_equal_and_hash_alike(data):
    one, ones = definitions_of(data)
    other, others = definitions_of(copy.deepcopy(data))
    for mine, theirs in zip(ones, others, strict=True):
        assert mine == theirs
        assert theirs == mine
        assert hash(mine) == hash(theirs)
        assert not (mine - theirs)


@strategies.SETTINGS
@given(strategies.templates())
def test_reparsed_definition_is_the_same(data):
    stack, defns = definitions_of(data)
    for defn in defns:
        again = defn.reparse(stack, stack.t)
        assert again is not defn
        assert again == defn
        assert again.render_hot() == defn.render_hot()


@strategies.SETTINGS
@given(strategies.templates(), strategies.parameter_values)
def test_freezing(data, params):
    stack, defns = definitions_of(data, params)
    for defn in defns:
        frozen = defn.freeze()
        assert frozen == defn
        assert defn == frozen
        assert hash(frozen) == hash(defn)
        assert frozen.freeze() == frozen
        assert frozen.reparse(stack, stack.t) is frozen
        assert not (frozen - defn)
        assert frozen.metadata() == defn.metadata()
        assert (dict(frozen.properties(Thing.properties_schema))
                == dict(defn.properties(Thing.properties_schema)))
        # What is left are the explicit requirements.
        explicit = data['resources'][defn.name].get('depends_on', ())
        assert frozen.required_resource_names() <= set(explicit)
        changed = frozen.freeze(metadata={'other': 1})
        assert changed != frozen
        assert (changed - frozen).metadata_changed()


@strategies.SETTINGS
@given(strategies.templates())
def test_a_definition_survives_being_added_to_a_template(data):
    stack, defns = definitions_of(data)
    tmpl = stack.t.copy()
    for defn in defns:
        tmpl.add_resource(defn)
    again = stk_defn.StackDefinition(CONTEXT, tmpl, None)
    for defn in defns:
        assert again.resource_definition(defn.name) == defn


class Refuses(function.Function):
    """A function that must not be resolved."""

    def result(self):
        raise AssertionError('resolved')


def test_equality_is_known_without_resolving():
    def defn(value):
        return rsrc_defn.ResourceDefinition(
            'r', 'T', properties={'p': [Refuses(None, 'f', value)]},
            metadata={'m': Refuses(None, 'g', 1)}, depends=['b', 'a'])

    assert defn(1) == defn(1)
    assert hash(defn(1)) == hash(defn(1))
    assert defn(1) != defn(2)
    with pytest.raises(AssertionError, match='resolved'):
        defn(1).freeze()


# -- Environments

plain_environments = st.fixed_dictionaries({}, optional={
    'parameters': st.dictionaries(strategies.words, strategies.scalars,
                                  max_size=3),
    'parameter_defaults': st.dictionaries(
        strategies.words, strategies.scalars, max_size=3),
    'resource_registry': st.dictionaries(
        strategies.words, strategies.words, max_size=3),
})


@strategies.SETTINGS
@given(plain_environments)
def test_environment_is_what_it_was_made_of(env):
    loaded = environment.Environment({'parameters': {}, **env})
    again = environment.Environment(loaded.env_as_dict())
    assert again.env_as_dict() == loaded.env_as_dict()
    found = loaded.user_env_as_dict()
    found['resource_registry'].pop('resources')
    assert {key: value for key, value in found.items() if value} == {
        key: value for key, value in env.items() if value}


@strategies.SETTINGS
@given(plain_environments, plain_environments, plain_environments)
def test_later_environment_lies_over_the_one_before(one, two, three):
    in_turn = environment.Environment({'parameters': {}, **one})
    in_turn.load(two)
    in_turn.load(three)
    upper = environment.Environment({'parameters': {}, **two})
    upper.load(three)
    at_once = environment.Environment({'parameters': {}, **one})
    at_once.load(upper.env_as_dict())
    assert at_once.env_as_dict() == in_turn.env_as_dict()
