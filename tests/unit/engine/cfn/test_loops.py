"""Fn::ForEach in cfn templates."""
import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import template
from heat.engine.cfn import loops
from heat.engine.language import template_checks
from tests.fakes import definitions

PARAMETERS = {'Names': {'Type': 'CommaDelimitedList', 'Default': 'a,b-c'},
              'One': {'Type': 'String', 'Default': 'z'},
              'Missing': {'Type': 'CommaDelimitedList'}}


def loop(collection, key='T${Id}', identifier='Id', name='L', **properties):
    return {f'Fn::ForEach::{name}': [identifier, collection, {
        key: {'Type': 'OS::Heat::None', 'Properties': properties}}]}


def template_of(resources, params=None, **sections):
    return template.Template(
        definitions.cfn(Transform='AWS::LanguageExtensions',
                        Parameters=PARAMETERS, Resources=resources,
                        **sections),
        env=environment.Environment({'parameters': params or {}}))


def resources_of(resources, params=None):
    tmpl = template_of(resources, params)
    tmpl.validate()
    return {name: definition.get('Properties', {}) for name, definition
            in tmpl.section(tmpl.RESOURCES).items()}


@pytest.mark.parametrize(('collection', 'names'), [
    (['a', 'b'], ['Ta', 'Tb']),
    ([1, '2'], ['T1', 'T2']),
    ([], []),
    ({'Ref': 'Names'}, ['Ta', 'Tb-c']),
    ([{'Ref': 'One'}, {'Ref': 'Names'}], ['Tz', 'Ta', 'Tb-c']),
    ({'Fn::Split': [',', 'x,y']}, ['Tx', 'Ty']),
    ({'Ref': 'Missing'}, []),
])
def test_collections(collection, names):
    assert list(resources_of(loop(collection))) == names


def test_values_of_the_environment():
    assert list(resources_of(loop({'Ref': 'Names'}), {'Names': 'q'})) == [
        'Tq']


def test_the_value_takes_the_place_of_the_identifier():
    made = resources_of({'Other': {'Type': 'OS::Heat::None'}, **loop(
        ['b-c'], key='T&{Id}', text='x ${Id} &{Id} ${Other}',
        value={'Ref': 'Id'}, items=[{'Ref': 'Other'}, {'k${Id}': 1}],
        sub={'Fn::Sub': '${Id}.${One}'})})
    assert made == {'Other': {}, 'Tbc': {
        'text': 'x b-c bc ${Other}', 'value': 'b-c',
        'items': [{'Ref': 'Other'}, {'kb-c': 1}],
        'sub': {'Fn::Sub': 'b-c.${One}'}}}


def test_nested_loops_and_loops_in_properties():
    made = resources_of({'Fn::ForEach::Outer': ['X', ['1', '2'], loop(
        ['a', 'b'], key='T${X}${Id}', **{'Fn::ForEach::P': [
            'Y', ['k', 'l'], {'p${Y}': '${X}${Id}${Y}'}]})]})
    assert made == {f'T{x}{y}': {'pk': f'{x}{y}k', 'pl': f'{x}{y}l'}
                    for x in '12' for y in 'ab'}


def test_loops_of_conditions_and_outputs():
    tmpl = template_of(
        {}, Conditions={'Fn::ForEach::C': ['Id', ['a', 'z'], {
            'Is${Id}': {'Fn::Equals': ['${Id}', {'Ref': 'One'}]}}]},
        Outputs={'Fn::ForEach::O': ['Id', ['a', 'z'], {
            'O${Id}': {'Value': '${Id}', 'Condition': 'Is${Id}'}}]})
    stack = definitions.definition(tmpl.t)
    assert not tmpl.conditions(stack).is_enabled('Isa')
    assert tmpl.conditions(stack).is_enabled('Isz')
    assert [stack.output_definition(name).get_value()
            for name in ('Oa', 'Oz')] == [None, 'z']


def test_what_was_given_is_kept_and_read_again_with_other_values():
    given = loop({'Ref': 'Names'})
    tmpl = template_of(given)
    assert tmpl.source['Resources'] == given
    other = tmpl.copy(environment.Environment({'parameters': {
        'Names': 'n'}}))
    assert list(other.section('Resources')) == ['Tn']
    assert other.source['Resources'] == given
    other.remove_resource('Tn')
    assert other.source['Resources'] == {}


@pytest.mark.parametrize(('resources', 'path', 'says'), [
    ({'Fn::ForEach::L': 'x'}, ['Resources', 'Fn::ForEach::L'],
     'list of three'),
    ({'Fn::ForEach::L': ['x', [], {}]}, ['Resources', 'Fn::ForEach::L', 2],
     'a map with an entry'),
    (loop(['a'], identifier='a.b'), ['Resources', 'Fn::ForEach::L', 0],
     'letters and digits'),
    (loop('a'), ['Resources', 'Fn::ForEach::L', 1], 'must be a list'),
    (loop([{}]), ['Resources', 'Fn::ForEach::L', 1], 'texts or numbers'),
    (loop({'Ref': 'Nobody'}), ['Resources', 'Fn::ForEach::L', 1], 'Nobody'),
    (loop(['a', 'a']), ['Resources', 'Fn::ForEach::L'], 'twice'),
    (loop(['a', 'b'], key='T'), ['Resources', 'Fn::ForEach::L'], 'twice'),
    ({'Ta': {'Type': 'OS::Heat::None'}, **loop(['a'])},
     ['Resources', 'Fn::ForEach::L'], 'is there already'),
    (loop(list(range(loops.MAX_VALUES + 1))),
     ['Resources', 'Fn::ForEach::L', 1], 'at most 1000'),
])
def test_malformed_loops(resources, path, says):
    tmpl = template_of(resources)
    with pytest.raises(exception.HeatException, match=says) as caught:
        tmpl.validate()
    assert caught.value.path[:len(path)] == path
    assert tmpl.source['Resources'] == resources


def test_loops_within_loops_end():
    resources = loop(['a'])
    for number in range(loops.MAX_NESTED):
        resources = {f'Fn::ForEach::N{number}': [f'N{number}', ['a'],
                                                 resources]}
    with pytest.raises(exception.StackValidationFailed, match='nested'):
        template_of(resources).validate()


def test_loops_need_the_language_extensions():
    [found] = template_checks.check(definitions.cfn(Resources=loop(['a'])))
    assert found.path == ('Resources', 'Fn::ForEach::L')
    assert 'Transform: AWS::LanguageExtensions' in found.message


@pytest.mark.parametrize('section', ['Resources', 'Outputs'])
def test_a_malformed_loop_is_reported_once(section):
    wrong = {'Fn::ForEach::L': ['Id', ['a']]}
    right = loop(['a'], name='M')
    found = template_checks.check(
        template_of({**wrong, **right}) if section == 'Resources'
        else template_of(right, Outputs=wrong))
    assert [each.message for each in found
            if 'needs the line' in each.message] == []
    assert [each.path for each in found
            if 'must be a list of three' in each.message] == [
                (section, 'Fn::ForEach::L')]
