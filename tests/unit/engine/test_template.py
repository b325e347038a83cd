
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


# -- Parameters

def test_defaults_of_the_environment_replace_those_of_the_template():
    data = definitions.hot(parameters={
        'a': {'type': 'string', 'default': 'x'}, 'b': {'type': 'string'}})
    schemata = template.Template(data).param_schemata(
        {'b': 'y', 'unknown': 1})
    assert {name: schema.default for name, schema in schemata.items()} == {
        'a': 'x', 'b': 'y'}
    assert 'default' not in data['parameters']['b']


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
