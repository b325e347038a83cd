"""The versions of the cfn language."""
import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import template
from heat.engine.cfn import template as cfn_template
from tests.fakes import definitions


def test_cfn_parameters():
    tmpl = template.Template(definitions.cfn(
        Parameters={'a': {'Type': 'String'}}))
    assert tmpl.param_schemata({'a': 'y'})['a'].default == 'y'
    params = tmpl.parameters(None, {'a': 'z'})
    assert params['a'] == 'z'
    assert params['AWS::Region'] == 'ap-southeast-1'


def test_cfn_resources_and_outputs_are_added_in_cfn():
    stack = definitions.definition(definitions.hot(
        resources={'r': {'type': 'T', 'properties': {'p': 1},
                         'metadata': {'m': 1}, 'depends_on': ['x'],
                         'description': 'd', 'external_id': None},
                   'x': {'type': 'T'}},
        outputs={'o': {'value': 1, 'description': 'd'}}))
    tmpl = template.Template(definitions.cfn())
    tmpl.add_resource(stack.resource_definition('r'))
    tmpl.add_output(stack.output_definition('o'))
    assert tmpl.t['Resources']['r'] == {
        'Type': 'T', 'Properties': {'p': 1}, 'Metadata': {'m': 1},
        'DependsOn': ['x'], 'Description': 'd'}
    assert tmpl.t['Outputs']['o'] == {'Value': 1, 'Description': 'd'}


@pytest.mark.parametrize(('data', 'cls'), [
    ({'AWSTemplateFormatVersion': '2010-09-09'}, cfn_template.CfnTemplate),
    ({'HeatTemplateFormatVersion': '2012-12-12'}, cfn_template.HeatTemplate)])
def test_version_decides(data, cls):
    assert type(template.Template(data)) is cls


def test_the_older_version_has_no_conditions():
    tmpl = template.Template({
        'HeatTemplateFormatVersion': '2012-12-12',
        'Conditions': {'Yes': {'Fn::Equals': ['a', 'a']}}})
    with pytest.raises(exception.InvalidTemplateSection, match='Conditions'):
        tmpl.validate()
    assert 'Fn::If' not in tmpl.functions
    assert 'Fn::If' in cfn_template.CfnTemplate.functions


@pytest.mark.parametrize(('asked', 'name'), [
    ('resources', 'Resources'), ('Resources', 'Resources'),
    ('conditions', 'Conditions'), ('rules', 'Rules'),
    ('awstemplateformatversion', 'AWSTemplateFormatVersion'),
    ('whatever', 'whatever')])
def test_section_names(asked, name):
    assert template.Template(
        definitions.cfn()).get_section_name(asked) == name


def test_all_wrong_parameters_are_named_and_right_ones_kept():
    tmpl = template.Template(definitions.cfn(Parameters={
        'a': {'Type': 'Text'}, 'b': {'Type': 'Number'}, 'c': 'String'}))
    with pytest.raises(exception.InvalidSchemaError) as caught:
        tmpl.param_schemata()
    assert [problem.path[1] for problem in caught.value.problems] == [
        'a', 'c']
    assert set(caught.value.partial) == {'b'}


LOOP = {'Fn::ForEach::L': ['Id', {'Ref': 'Names'}, {
    'T${Id}': {'Type': 'OS::Heat::None'}}]}
NAMES = {'Names': {'Type': 'CommaDelimitedList', 'Default': 'a,b'}}


def test_source_has_the_loops_until_the_template_is_changed():
    data = definitions.cfn(Transform='AWS::LanguageExtensions',
                           Parameters=NAMES, Resources=LOOP)
    tmpl = template.Template(data)
    assert set(tmpl.t['Resources']) == {'Ta', 'Tb'}
    assert tmpl.source == data
    tmpl.remove_resource('Ta')
    assert set(tmpl.source['Resources']) == {'Tb'}


def test_loop_without_its_line_is_explained():
    tmpl = template.Template(definitions.cfn(Parameters=NAMES,
                                             Resources=LOOP))
    with pytest.raises(exception.StackValidationFailed,
                       match='Transform: AWS::LanguageExtensions'):
        tmpl.validate()


def test_bad_loop_is_an_error_when_it_is_validated():
    """Stored templates can be read even if their loops are invalid."""
    tmpl = template.Template(definitions.cfn(
        Transform=['AWS::LanguageExtensions'],
        Resources={'Fn::ForEach::L': ['Id']}))
    assert list(tmpl.t['Resources']) == ['Fn::ForEach::L']
    with pytest.raises(exception.StackValidationFailed,
                       match='Fn::ForEach::L'):
        tmpl.validate()


@pytest.mark.parametrize('transform', [
    'AWS::Serverless-2016-10-31',
    ['AWS::LanguageExtensions', 'Mine']])
def test_macros_run_elsewhere(transform):
    tmpl = template.Template(definitions.cfn(Transform=transform))
    with pytest.raises(exception.StackValidationFailed,
                       match='Transform: The macro "(AWS::Server|Mine)'):
        tmpl.validate()
    template.Template(definitions.cfn(Transform=None)).validate()


def test_a_condition_switches_an_output_off():
    data = definitions.cfn(
        Parameters={'P': {'Type': 'String', 'Default': 'no'}},
        Conditions={'C': {'Fn::Equals': [{'Ref': 'P'}, 'yes']}},
        Outputs={'o': {'Value': 1, 'Condition': 'C'}, 'p': {'Value': 2}})
    for value, expected in (('yes', True), ('no', False)):
        stack = definitions.definition(data, {'P': value})
        assert stack.t.has_output(stack, 'o') is expected
        assert stack.t.has_output(stack, 'p')


def test_unused_conditions_and_rules_are_checked():
    stack = definitions.definition(definitions.cfn(
        Conditions={'C': {'Fn::GetAtt': ['r', 'a']}},
        Rules={'R': {'Assertions': 'none'}}))
    with pytest.raises(exception.StackValidationFailed) as caught:
        stack.t.validate_condition_definitions(stack)
    assert {problem.path[:2] for problem in caught.value.problems} == {
        ('Conditions', 'C'), ('Rules', 'R')}


def test_loop_over_what_nobody_has_said_yet_is_empty():
    data = definitions.cfn(
        Transform='AWS::LanguageExtensions', Resources=LOOP,
        Parameters={'Names': {'Type': 'CommaDelimitedList'}})
    assert template.Template(data).t['Resources'] == {}
    tmpl = template.Template(data, env=environment.Environment(
        {'parameters': {'Names': 'x'}}))
    assert list(tmpl.t['Resources']) == ['Tx']
