import gc

import pytest

from heat.common import config
from heat.common import current_engine
from heat.common import exception
from heat.engine import environment
from heat.engine import rsrc_defn
from heat.engine import template
from heat.engine.cfn import template as cfn_template
from heat.engine.hot import template as hot_template
from tests.fakes import definitions


def test_class_follows_the_version():
    tmpl = template.Template({'heat_template_version': 'pike'})
    assert type(tmpl) is hot_template.HOTemplate20170901
    assert tmpl.version == ('heat_template_version', 'pike')
    tmpl = template.Template({'HeatTemplateFormatVersion': '2012-12-12'})
    assert type(tmpl) is cfn_template.HeatTemplate


@pytest.mark.parametrize(('data', 'text'), [
    ({}, 'states its version in one of: heat_template_version'),
    ([], 'must be a map'),
    ({'heat_template_version': '2013-05-23',
      'AWSTemplateFormatVersion': '2010-09-09'}, 'ambiguous'),
    ({'heat_template_version': '2013-05-24'},
     'should be one of: 2013-05-23, 2014-10-16'),
    ({'AWSTemplateFormatVersion': '2012-12-12'}, '2010-09-09'),
    ({'heat_template_version': 2013}, 'must be a string'),
    ({'heat_template_version': None}, 'must be a string'),
])
def test_version_must_be_known(data, text):
    with pytest.raises(exception.InvalidTemplateVersion, match=text):
        template.Template(data)


def test_broken_language_plugin_is_an_error():
    class EntryPoint:
        name = 'mine.1'

    with pytest.raises(template.TemplatePluginNotRegistered, match='mine.1'):
        template._load_failed(None, EntryPoint(), ImportError('no'))


def test_store_is_that_of_the_engine(monkeypatch):
    class Templates:
        def load(self, context, template_id, t):
            return context, template_id, t

        def store(self, context, tmpl):
            return 7

    class Engine:
        templates = Templates()

    monkeypatch.setattr(current_engine, '_engine', Engine())
    tmpl = template.Template(definitions.hot())
    assert tmpl.store('context') == 7
    assert tmpl.id == 7
    assert template.Template.load('context', 3) == ('context', 3, None)


def test_without_an_engine_nothing_is_stored(monkeypatch):
    monkeypatch.setattr(current_engine, '_engine', None)
    with pytest.raises(RuntimeError, match='No engine'):
        template.Template(definitions.hot()).store('context')


# -- Sections

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


# -- Parsing

def parse(snippet, version=definitions.LATEST, stack=None):
    return template.Template(definitions.hot(version)).parse(stack, snippet,
                                                             ['here'])


def test_function_is_a_map_with_one_known_key():
    parsed = parse({'get_file': 'x'})
    assert parsed.fn_name == 'get_file'
    assert parse({'get_file': 'x', 'k': 1}) == {'get_file': 'x', 'k': 1}
    assert parse({'Get_file': 'x'}) == {'Get_file': 'x'}
    assert parse({1: 'x'}) == {1: 'x'}


def test_arguments_are_parsed_first():
    parsed = parse({'list_join': [',', [{'get_file': 'x'}]]})
    assert parsed.args[1][0].fn_name == 'get_file'


def test_data_that_is_no_call_is_copied():
    snippet = {'a': [1, 2.5, None, True, 'x'], 'b': {}}
    parsed = parse(snippet)
    assert parsed == snippet
    assert parsed['a'] is not snippet['a']


@pytest.mark.parametrize(('snippet', 'path'), [
    ({'a': [{'list_join': 1}]}, ['here', 'a', 0, 'list_join']),
    ({'str_replace': {'template': {'equals': [1]}}},
     ['here', 'str_replace']),
    ({'list_join': [{'repeat': 1}]}, ['here', 'list_join', 0, 'repeat']),
])
def test_bad_call_is_reported_with_its_path(snippet, path):
    with pytest.raises(exception.StackValidationFailed) as caught:
        parse(snippet)
    assert caught.value.path == path


def test_path_may_be_a_string():
    tmpl = template.Template(definitions.hot())
    with pytest.raises(exception.StackValidationFailed) as caught:
        tmpl.parse(None, {'repeat': {}}, 'a.b')
    assert caught.value.path == ['a.b', 'repeat']
    with pytest.raises(exception.StackValidationFailed) as caught:
        tmpl.parse(None, {'repeat': {}})
    assert caught.value.path == ['repeat']


def nested(depth, innermost='x'):
    snippet = innermost
    for level in range(depth):
        snippet = {'k': snippet} if level % 2 else [snippet]
    return snippet


def test_deep_snippets():
    calls = 'x'
    for _level in range(60):
        calls = {'list_join': ['', [calls]]}
    for snippet, value in ((nested(190), nested(190)), (calls, 'x')):
        stack = definitions.definition(definitions.hot(
            outputs={'o': {'value': snippet}}))
        output = stack.output_definition('o')
        output.validate()
        assert output.get_value() == value
        assert output.required_resource_names() == set()
        assert list(output.all_dep_attrs()) == []
        stack.t.add_output(output)
        assert stack.t.t['outputs']['o']['value'] == snippet


@pytest.mark.parametrize('depth', [210, 900])
def test_too_deep_snippets(depth):
    with pytest.raises(exception.StackValidationFailed,
                       match='deeper than 200'):
        parse(nested(depth))


# -- Definitions

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


# -- Conditions

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


# -- Outputs

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


# -- Parameters

def test_defaults_of_the_environment_replace_those_of_the_template():
    data = definitions.hot(parameters={
        'a': {'type': 'string', 'default': 'x'}, 'b': {'type': 'string'}})
    schemata = template.Template(data).param_schemata(
        {'b': 'y', 'unknown': 1})
    assert {name: schema.default for name, schema in schemata.items()} == {
        'a': 'x', 'b': 'y'}
    assert 'default' not in data['parameters']['b']


def test_cfn_parameters():
    tmpl = template.Template(definitions.cfn(
        Parameters={'a': {'Type': 'String'}}))
    assert tmpl.param_schemata({'a': 'y'})['a'].default == 'y'
    params = tmpl.parameters(None, {'a': 'z'})
    assert params['a'] == 'z'
    assert params['AWS::Region'] == 'ap-southeast-1'


def test_parameters_of_templates_in_files():
    config.register_opts()
    inner = ('{"heat_template_version": "2013-05-23", '
             '"parameters": {"a": {"type": "number"}, '
             '"b": {"type": "string"}}}')
    tmpl = template.Template(definitions.hot(
        parameters={'a': {'type': 'string'}}))
    schemata = tmpl.all_param_schemata(
        {'i.yaml': inner, 'broken.yaml': '{', 'script.sh': inner,
         'data.yaml': '{"x": 1}', 'x.template': '[]'})
    assert {name: schema.type for name, schema in schemata.items()} == {
        'a': 'string', 'b': 'string'}


# -- Modification

def test_modification_leaves_the_given_data_alone():
    data = definitions.hot(resources={'a': {'type': 'T'}})
    tmpl = template.Template(data)
    tmpl.add_resource(rsrc_defn.ResourceDefinition('b', 'U'))
    tmpl.add_resource(rsrc_defn.ResourceDefinition('b', 'V'), name='c')
    assert data == definitions.hot(resources={'a': {'type': 'T'}})
    assert tmpl.t['resources'] == {
        'a': {'type': 'T'}, 'b': {'type': 'U'}, 'c': {'type': 'V'}}
    tmpl.remove_resource('a')
    tmpl.remove_resource('a')
    assert set(tmpl.t['resources']) == {'b', 'c'}
    tmpl.remove_all_resources()
    assert tmpl.t['resources'] == {}


def test_added_resource_has_its_functions_as_text():
    stack = definitions.definition(definitions.hot(
        conditions={'c': True},
        resources={'r': {
            'type': 'T',
            'properties': {'p': {'if': ['c', {'get_resource': 'x'}, 1]}},
            'depends_on': 'x', 'deletion_policy': 'Retain'},
            'x': {'type': 'T'}}))
    tmpl = template.Template(definitions.hot())
    tmpl.add_resource(stack.resource_definition('r'))
    added = dict(tmpl.t['resources']['r'])
    assert added == {
        'type': 'T',
        'properties': {'p': {'if': ['c', {'get_resource': 'x'}, 1]}},
        'depends_on': ['x'], 'deletion_policy': 'Retain'}


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


def test_hot_output_is_added():
    stack = definitions.definition(definitions.hot(
        outputs={'o': {'value': {'get_file': 'x'}}}))
    tmpl = template.Template(definitions.hot())
    tmpl.add_output(stack.output_definition('o'))
    assert tmpl.t['outputs'] == {'o': {'value': {'get_file': 'x'}}}


def test_frozen_template_is_copied_to_be_modified():
    tmpl = template.Template(
        definitions.hot(resources={'a': {'type': 'T'}}), template_id=3,
        files={'f': 1}).freeze()
    with pytest.raises(RuntimeError):
        tmpl.remove_resource('a')
    copied = tmpl.copy()
    copied.remove_resource('a')
    assert (copied.id, dict(copied.files)) == (None, {'f': 1})
    assert copied.env is tmpl.env
    assert set(tmpl.t['resources']) == {'a'}


def test_empty_template():
    assert template.Template.create_empty_template().t == {
        'heat_template_version': '2015-04-30'}
    assert template.Template.create_empty_template(
        ('AWSTemplateFormatVersion', '2010-09-09')).t == {
            'AWSTemplateFormatVersion': '2010-09-09'}


def test_empty_template_made_from_another():
    env = environment.Environment({'parameters': {'p': 1}})
    tmpl = template.Template(definitions.hot(
        parameters={'p': {'type': 'number'}}, conditions={'c': True},
        resources={'a': {'type': 'T'}}, outputs={'o': {'value': 1}}),
        files={'f': 1}, env=env)
    empty = template.Template.create_empty_template(from_template=tmpl)
    assert empty.t == definitions.hot(
        parameters={'p': {'type': 'number'}}, conditions={'c': True})
    assert empty.env is env
    assert dict(empty.files) == {'f': 1}


def test_merging_snippets_takes_parameters_and_conditions():
    tmpl = template.Template(definitions.hot(
        parameters={'a': {'type': 'string'}}, resources={'r': {}}))
    tmpl.merge_snippets(template.Template(definitions.hot(
        parameters={'a': {'type': 'number'}, 'b': {'type': 'json'}},
        conditions={'c': True}, resources={'s': {}})))
    assert tmpl.t == definitions.hot(
        parameters={'a': {'type': 'number'}, 'b': {'type': 'json'}},
        conditions={'c': True}, resources={'r': {}})


def test_reparsed_definition_is_equal():
    stack = definitions.definition(definitions.hot(**CONDITIONAL))
    other = definitions.definition(definitions.hot(**CONDITIONAL))
    defn = stack.resource_definition('b')
    assert defn.reparse(other, other.t) == defn


class OtherLanguage(template.Template):
    """The least that a language of somebody else defines."""

    SECTIONS = ('heat_template_version', 'things')
    SECTIONS_NO_DIRECT_ACCESS = frozenset(['heat_template_version'])
    MAPPINGS = PARAMETERS = 'maps'
    RESOURCES = 'things'

    def __getitem__(self, section):
        return self.t.get(section, {})

    def get_section_name(self, section):
        return section

    def param_schemata(self, param_defaults=None):
        return {}

    def parameters(self, stack_identifier, user_params,
                   param_defaults=None):
        return {}

    def outputs(self, stack):
        return {}

    def resource_definitions(self, stack):
        return {name: rsrc_defn.ResourceDefinition(name, kind)
                for name, kind in self['things'].items()}

    def add_resource(self, definition, name=None):
        self._replace_section('things', {definition.name: 'T'})


def test_language_of_somebody_else():
    tmpl = OtherLanguage({'heat_template_version': 'mine',
                          'things': {'a': 'T'}})
    tmpl.validate()
    tmpl.validate_resource_definitions(None)
    tmpl.validate_condition_definitions(None)
    assert tmpl.conditions(None).is_enabled(True)
    assert tmpl.parse_condition(None, {'not': 'x'}) == {'not': 'x'}
    assert list(tmpl) == ['things']
    with pytest.raises(NotImplementedError):
        tmpl.add_output(None)
