"""What HOT and cfn templates have in common: sections, definitions."""
import gc

import pytest

from heat.common import exception
from heat.engine import rsrc_defn
from heat.engine import template
from tests.fakes import definitions


def test_sections_are_a_mapping():
    tmpl = template.Template(definitions.hot(
        resources={'r': {}}, outputs=None))
    assert tmpl['resources'] == {'r': {}}
    assert tmpl['outputs'] == {}
    assert tmpl['description'] == 'No description'
    assert set(tmpl) == {'description', 'parameter_groups', 'resources',
                         'outputs', '__undefined__'}
    assert len(tmpl) == 5


@pytest.mark.parametrize('section', ['parameters', 'conditions', 'Resources',
                                     'heat_template_version'])
def test_some_sections_are_not_accessible(section):
    with pytest.raises(KeyError, match='section|Section'):
        template.Template(definitions.hot())[section]


def test_section_names_are_translated():
    hot = template.Template(definitions.hot())
    cfn = template.Template(definitions.cfn())
    for name in ('Resources', 'Outputs', 'Parameters', 'Conditions'):
        assert hot.get_section_name(name) == name.lower()
        assert cfn.get_section_name(name) == name
    assert hot.get_section_name('resources') == 'resources'
    assert cfn.get_section_name('resources') == 'Resources'


@pytest.mark.parametrize(('data', 'text'), [
    (definitions.hot(resource={}), 'resource. .* Did you mean "resources"?'),
    (definitions.hot(Zebra={}), 'Zebra.* outputs, conditions.$'),
    (definitions.hot('2016-04-08', conditions={}), 'conditions'),
    (definitions.cfn(resources={}), 'resources.* Did you mean "Resources"?'),
])
def test_unknown_section(data, text):
    with pytest.raises(exception.InvalidTemplateSection) as caught:
        template.Template(data).validate()
    caught.match(text.replace('?', r'\?'))


@pytest.mark.parametrize(('data', 'path'), [
    (definitions.hot(resources=[]), ['resources']),
    (definitions.hot(resources={'r': []}), ['resources', 'r']),
    (definitions.hot(resources={'r': None}), ['resources', 'r']),
    (definitions.hot(resources={'r': {}}), ['resources', 'r']),
    (definitions.hot(resources={'r': {'type': ''}}), ['resources', 'r']),
    (definitions.hot(resources={'r/s': {'type': 'T'}}),
     ['resources', 'r/s']),
    (definitions.hot(resources={'r': {'type': 'T', 'Type': 'T'}}),
     ['resources', 'r', 'Type']),
    (definitions.hot(outputs='x'), ['outputs']),
    (definitions.hot(outputs={'o': 1}), ['outputs', 'o']),
    (definitions.hot(outputs={'o': {'value': 1, 'x': 1}}),
     ['outputs', 'o', 'x']),
    (definitions.cfn(Resources={'r': {'Properties': {}}}),
     ['Resources', 'r']),
])
def test_form_of_sections(data, path):
    with pytest.raises(exception.StackValidationFailed) as caught:
        template.Template(data).validate()
    assert caught.value.path == path


def test_names_of_resources_fit_their_column():
    def made(length):
        return template.Template({
            'heat_template_version': '2018-08-31',
            'resources': {'r' * length: {'type': 'OS::Heat::None'}}})
    made(255).validate()
    with pytest.raises(exception.StackValidationFailed,
                       match='name has 256 characters, at most 255'):
        made(256).validate()


def test_good_templates_are_valid():
    template.Template(definitions.hot(
        __undefined__={}, description='d', resources={'r': {'type': 'T'}},
        parameters=None, conditions={'c': True},
        outputs={'o': {'value': 1, 'condition': 'c'}})).validate()
    # A cfn resource may have keys that nobody knows.
    template.Template(definitions.cfn(
        Resources={'r': {'Type': 'T', 'Whatever': 1}})).validate()


def test_misspelt_resource_key_is_explained():
    tmpl = template.Template(definitions.hot(
        resources={'r': {'type': 'T', 'propertie': {}}}))
    with pytest.raises(exception.StackValidationFailed,
                       match='r.propertie: "propertie" .* Did you mean '
                             '"properties"'):
        tmpl.validate()


def test_section_keys_can_be_checked():
    tmpl = template.Template(definitions.hot(
        outputs={'o': {'value': 1}, 'p': {}}))
    with pytest.raises(exception.StackValidationFailed, match='outputs.p'):
        tmpl.validate_section('outputs', 'value', None, tmpl.OUTPUT_KEYS)


def test_definitions_are_parsed_when_asked_for():
    stack = definitions.definition(definitions.hot(resources={
        'good': {'type': 'T', 'properties': {'p': {'get_resource': 'bad'}}},
        'bad': {'type': 'T', 'properties': {'p': {'list_join': 1}}}}))
    assert stack.enabled_rsrc_names() == {'good', 'bad'}
    assert stack.resource_definition('good').resource_type == 'T'
    assert 'nothing' not in stack
    with pytest.raises(exception.StackValidationFailed,
                       match='resources.bad.properties.p.list_join'):
        stack.resource_definition('bad')
    with pytest.raises(KeyError):
        stack.resource_definition('nothing')


def test_definition_is_parsed_once():
    stack = definitions.definition(
        definitions.hot(resources={'r': {'type': 'T'}}))
    assert (stack.resource_definition('r')
            is stack.resource_definition('r'))


def test_parts_of_a_definition():
    stack = definitions.definition(definitions.hot(resources={
        'a': {'type': 'T'},
        'r': {'type': 'OS::My::Type',
              'properties': {'p': 1}, 'metadata': {'m': 2},
              'depends_on': 'a', 'deletion_policy': 'retain',
              'update_policy': {'u': 3}, 'description': 'd',
              'condition': True}}))
    defn = stack.resource_definition('r')
    assert defn == rsrc_defn.ResourceDefinition(
        'r', 'OS::My::Type', properties={'p': 1}, metadata={'m': 2},
        depends=['a'], deletion_policy='Retain', update_policy={'u': 3},
        description='d', condition=True)


@pytest.mark.parametrize(('key', 'value'), [
    ('type', 1), ('type', {'get_file': 'number'}),
    ('properties', []), ('properties', 'x'), ('metadata', 'x'),
    ('update_policy', 1), ('description', {'get_file': 'number'}),
    ('depends_on', 1), ('depends_on', [1]),
    ('depends_on', {'get_param': 'p'}),
    ('deletion_policy', 'Keep'), ('deletion_policy', []),
    ('condition', 1), ('condition', {'get_attr': ['a', 'b']}),
    ('condition', 'unknown'), ('external_id', {}), ('external_id', 1),
])
def test_wrong_parts_of_a_definition(key, value):
    stack = definitions.definition(
        definitions.hot(resources={'r': {'type': 'T', key: value}}),
        files={'number': 1})
    with pytest.raises(exception.StackValidationFailed) as caught:
        stack.t.validate_resource_definitions(stack)
    assert caught.value.path[:3] == ['resources', 'r', key]


def test_type_may_be_computed():
    stack = definitions.definition(
        definitions.hot(resources={'r': {'type': {'get_file': 'type'}}}),
        files={'type': 'OS::My::Type'})
    assert (stack.resource_definition('r').resource_type
            == 'OS::My::Type')


@pytest.mark.parametrize(('version', 'policy', 'valid'), [
    ('2016-04-08', 'Delete', True), ('2016-04-08', 'delete', False),
    ('2016-10-14', 'Delete', True), ('2016-10-14', 'delete', True),
    ('2016-10-14', 'snapshot', True), ('2016-10-14', 'DELETE', False),
])
def test_deletion_policies(version, policy, valid):
    stack = definitions.definition(definitions.hot(version, resources={
        'r': {'type': 'T', 'deletion_policy': policy}}))
    if valid:
        defn = stack.resource_definition('r')
        assert defn.deletion_policy() == policy.capitalize()
    else:
        with pytest.raises(exception.StackValidationFailed,
                           match='Delete, Retain, Snapshot'):
            stack.resource_definition('r')


def test_null_parts_are_absent():
    stack = definitions.definition(definitions.hot(resources={'r': {
        'type': 'T', 'properties': None, 'metadata': None,
        'depends_on': None, 'deletion_policy': None, 'condition': None,
        'update_policy': None, 'external_id': None, 'description': None}}))
    assert (stack.resource_definition('r')
            == rsrc_defn.ResourceDefinition('r', 'T'))


def test_external_resource_is_retained():
    stack = definitions.definition(definitions.hot(resources={
        'r': {'type': 'T', 'external_id': 'x', 'deletion_policy': 'Delete'},
        'old': {'type': 'T'}}))
    defn = stack.resource_definition('r')
    assert defn.external_id() == 'x'
    assert defn.deletion_policy() == 'Retain'


def test_external_resource_depends_on_nothing():
    stack = definitions.definition(definitions.hot(resources={
        'r': {'type': 'T', 'external_id': 'x', 'depends_on': 'old'},
        'old': {'type': 'T'}}))
    with pytest.raises(exception.StackValidationFailed,
                       match='resources.r.depends_on'):
        stack.resource_definition('r')


def test_definitions_do_not_outlive_their_stack():
    stack = definitions.definition(
        definitions.hot(resources={'r': {'type': 'T'}}))
    mapping = stack.t.resource_definitions(stack)
    del stack
    gc.collect()
    with pytest.raises(RuntimeError):
        mapping['r']


CONDITIONAL = {
    'parameters': {'env': {'type': 'string', 'default': 'dev'}},
    'conditions': {'prod': {'equals': [{'get_param': 'env'}, 'prod']},
                   'no_prod': {'not': 'prod'}},
    'resources': {
        'a': {'type': 'T', 'condition': 'prod'},
        'b': {'type': 'T', 'condition': {'not': 'prod'},
              'depends_on': ['a', 'c', 'd']},
        'c': {'type': 'T', 'condition': False},
        'd': {'type': 'T'}},
    'outputs': {'o': {'value': 1, 'condition': 'prod'},
                'p': {'value': 2, 'condition': 'no_prod'}},
}


@pytest.mark.parametrize(('env', 'names', 'values'), [
    ('dev', {'b', 'd'}, [None, 2]), ('prod', {'a', 'd'}, [1, None])])
def test_conditions_enable_resources_and_outputs(env, names, values):
    stack = definitions.definition(definitions.hot(**CONDITIONAL),
                                   {'env': env})
    assert stack.enabled_rsrc_names() == names
    assert stack.all_rsrc_names() == {'a', 'b', 'c', 'd'}
    assert [stack.output_definition(name).get_value()
            for name in stack.enabled_output_names()] == values


def test_one_template_serves_several_stacks():
    stacks = [definitions.definition(definitions.hot(**CONDITIONAL),
                                     {'env': env})
              for env in ('dev', 'prod')]
    shared = stacks[0].t
    assert shared.conditions(stacks[0]) is shared.conditions(stacks[0])
    assert shared.conditions(stacks[0]).is_enabled('prod') is False
    assert shared.conditions(stacks[1]).is_enabled('prod') is True


def test_dependency_on_a_disabled_resource_is_dropped():
    stack = definitions.definition(definitions.hot(**CONDITIONAL))
    names = stack.resource_definition('b').required_resource_names()
    assert names == {'d'}


def test_reference_to_a_disabled_resource_is_an_error():
    sections = {**CONDITIONAL, 'resources': {
        **CONDITIONAL['resources'],
        'x': {'type': 'T', 'properties': {'p': {'get_resource': 'a'}}}}}
    stack = definitions.definition(definitions.hot(**sections))
    with pytest.raises(exception.InvalidTemplateReference):
        stack.resource_definition('x').required_resource_names()
    with pytest.raises(exception.StackValidationFailed, match='"a"'):
        stack.resource_definition('x').validate()


def test_ordinary_functions_are_not_for_conditions():
    stack = definitions.definition(definitions.hot(
        conditions={'c': {'equals': [{'get_attr': ['a', 'b']}, 1]}}))
    with pytest.raises(exception.StackValidationFailed) as caught:
        stack.t.validate_condition_definitions(stack)
    assert caught.value.path == ['conditions', 'c', 'equals', 0, 'get_attr']


def test_unknown_condition_of_an_output():
    stack = definitions.definition(definitions.hot(
        conditions={'prod': True},
        outputs={'o': {'value': 1, 'condition': 'prd'}}))
    with pytest.raises(exception.StackValidationFailed,
                       match='outputs.o.condition: .*Did you mean "prod"'):
        stack.output_definition('o')


def test_outputs_are_parsed_when_asked_for():
    stack = definitions.definition(definitions.hot(outputs={
        'good': {'value': {'get_file': 'f'}, 'description': 'd'},
        'bad': {'value': {'list_join': 1}},
        'none': {}}), files={'f': 'contents'})
    good = stack.output_definition('good')
    assert (good.get_value(), good.description()) == ('contents', 'd')
    with pytest.raises(exception.StackValidationFailed,
                       match='outputs.bad.value.list_join'):
        stack.output_definition('bad')
    with pytest.raises(exception.StackValidationFailed,
                       match='outputs.none: .*value'):
        stack.output_definition('none')


def test_outputs_are_known_without_a_stack():
    tmpl = template.Template(definitions.hot(**CONDITIONAL))
    assert set(tmpl.outputs(None)) == {'o', 'p'}
    assert tmpl.outputs(None)['o'].description() == 'No description given'
    assert set(tmpl.resource_definitions(None)) == {'a', 'b', 'd'}


def test_reparsed_definition_is_equal():
    stack = definitions.definition(definitions.hot(**CONDITIONAL))
    other = definitions.definition(definitions.hot(**CONDITIONAL))
    defn = stack.resource_definition('b')
    assert defn.reparse(other, other.t) == defn
