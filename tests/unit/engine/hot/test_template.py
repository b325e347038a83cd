"""The versions compared with what is recorded of them."""
import json
import pathlib

import pytest

from heat.common import exception
from heat.common import request_budget
from heat.engine import template
from heat.engine.hot import functions as hot_funcs
from heat.engine.hot import template as hot_template
from tests import additions
from tests.fakes import definitions

FACTS = pathlib.Path(__file__).resolve().parents[3] / 'facts'
VERSIONS = json.loads((FACTS / 'hot_versions.json').read_text())['versions']
FUNCTIONS = json.loads((FACTS / 'functions.json').read_text())['functions']


def class_of(name):
    key, _dot, value = name.partition('.')
    return template.template_classes()[key, value]


def current(functions):
    return {name: implementation for name, implementation
            in functions.items()
            if not template.is_removed(implementation)}


def variant(implementation):
    return implementation.__name__


def test_every_version_is_there():
    names = {f'{key}.{value}' for key, value in template.template_classes()}
    recorded = set(VERSIONS)
    for facts in VERSIONS.values():
        recorded |= {f'{facts["version_key"]}.{alias}'
                     for alias in facts['aliases']}
    assert names == recorded == set(template.BUILT_IN)


@pytest.mark.parametrize('name', sorted(VERSIONS))
def test_version_is_as_recorded(name):
    facts = VERSIONS[name]
    cls = class_of(name)
    for alias in facts['aliases']:
        assert class_of(f'{facts["version_key"]}.{alias}') is cls
    is_cfn = name == additions.CFN
    # The section for mappings that HOT does not have is an oddity.
    assert [section for section in cls.SECTIONS
            if section != '__undefined__'] == [
                *facts['sections'], *(additions.CFN_SECTIONS * is_cfn)]
    assert sorted(cls._RESOURCE_KEYS) == sorted(
        [*facts['resource_keys'], *(additions.CFN_RESOURCE_KEYS * is_cfn)])
    assert list(cls.OUTPUT_KEYS) == [
        *facts['output_keys'], *(additions.CFN_OUTPUT_KEYS * is_cfn)]
    assert cls.deletion_policies == facts['deletion_policies']
    assert ((cls.CONDITIONS is not None) == facts['conditions_allowed'])
    assert ((cls.RES_EXTERNAL_ID is not None)
            == facts['external_id_allowed'])
    assert sorted(cls.condition_functions) == sorted(
        [*facts['condition_functions'],
         *(additions.CFN_CONDITION_FUNCTIONS * is_cfn)])
    own = additions.CFN_FUNCTIONS * is_cfn
    assert sorted(current(cls.functions)) == sorted(
        [*facts['functions'], *own])
    assert sorted(set(cls.functions) - set(current(cls.functions))) == (
        facts['removed_functions'])
    assert {function: variant(implementation) for function, implementation
            in current(cls.functions).items()
            if function not in own} == facts['function_impl']


@pytest.mark.parametrize('name', sorted(FUNCTIONS))
def test_function_is_in_the_recorded_versions(name):
    facts = FUNCTIONS[name]
    ordinary, conditional = {}, {}
    for version in VERSIONS:
        cls = class_of(version)
        if name in current(cls.functions):
            ordinary[version] = variant(cls.functions[name])
        if name in cls.condition_functions:
            conditional[version] = variant(cls.condition_functions[name])
    assert ordinary == facts.get('versions', {})
    assert conditional == facts.get('condition_versions', {})


def test_parameter_schemas_follow_the_version():
    keys = {name: class_of(name).param_schema_class.PARAMETER_KEYS
            for name in VERSIONS if name.startswith('heat_template')}
    assert {name: sorted(found) for name, found in keys.items()} == {
        name: sorted(VERSIONS[name]['parameter_schema_keys'])
        for name in keys}


def test_functions_are_re_exported():
    for cls in vars(hot_template).values():
        for implementation in getattr(cls, 'functions', {}).values():
            if implementation.__module__.startswith('heat.engine.hot'):
                assert (getattr(hot_funcs, implementation.__name__)
                        is implementation)
    assert all(hasattr(hot_funcs, name) for name in hot_funcs.__all__)


@pytest.mark.parametrize('name', ['Ref', 'Fn::Select', 'Fn::GetAZs'])
def test_removed_function_is_invalid(name):
    stack = definitions.definition(definitions.hot(
        '2015-10-15', resources={
            'r': {'type': 'T', 'properties': {'p': {name: ['a', 'b']}}}}))
    with pytest.raises(exception.StackValidationFailed,
                       match='"%s" is not part of this version' % name):
        stack.resource_definition('r').validate()


def test_unknown_function_is_data():
    stack = definitions.definition(definitions.hot(
        '2013-05-23', resources={
            'r': {'type': 'T', 'metadata': {'map_merge': [{}]}}}))
    metadata = stack.resource_definition('r').metadata()
    assert metadata == {'map_merge': [{}]}


def with_parameters(**declared):
    return {'heat_template_version': '2018-08-31', 'parameters': declared}


def test_schemata_of_the_same_data_are_made_once():
    data = with_parameters(a={'type': 'string'}, b={'type': 'number'})
    first = template.Template(data).param_schemata()
    # Defaults of other templates make no difference.
    second = template.Template(data).copy().param_schemata({'c': 1})
    assert list(second) == ['a', 'b']
    assert all(first[name] is second[name] for name in first)
    # What a caller does with the dict is not seen by others.
    first.clear()
    assert list(template.Template(data).param_schemata()) == ['a', 'b']


def test_schemata_with_other_defaults_are_of_their_own():
    data = with_parameters(a={'type': 'string', 'default': 'x'})
    tmpl = template.Template(data)
    assert tmpl.param_schemata()['a'].default == 'x'
    assert tmpl.param_schemata({'a': 'y'})['a'].default == 'y'
    assert tmpl.param_schemata()['a'].default == 'x'


def test_schemata_of_changed_and_of_equal_data_are_of_their_own():
    tmpl = template.Template(with_parameters(a={'type': 'string'}))
    before = tmpl.param_schemata()
    other = template.Template(with_parameters(b={'type': 'number'}))
    tmpl.merge_snippets(other)
    assert list(tmpl.param_schemata()) == ['a', 'b']
    equal = template.Template(with_parameters(a={'type': 'string'}))
    assert equal.param_schemata()['a'] is not before['a']


def test_versions_do_not_share_schemata():
    data = with_parameters(a={'type': 'string'})
    new = template.Template(data).param_schemata()
    old = template.Template({**data, 'heat_template_version': '2013-05-23'})
    assert type(old.param_schemata()['a']) is not type(new['a'])


def test_what_an_exhausted_budget_leaves_out_is_made_later(set_limits):
    constraints = [{'length': {'max': 9}}, {'allowed_pattern': 'x*'}]
    tmpl = template.Template(with_parameters(
        a={'type': 'string', 'constraints': constraints}))
    set_limits(output_size=-1)
    with request_budget.of_request():
        assert len(tmpl.param_schemata()['a'].constraints) == 1
    set_limits()
    assert len(tmpl.param_schemata()['a'].constraints) == 2


def test_wrong_schemata_are_refused_each_time():
    tmpl = template.Template(with_parameters(a={'type': 'text'}))
    for _time in range(2):
        with pytest.raises(exception.InvalidSchemaError):
            tmpl.param_schemata()
