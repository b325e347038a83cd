"""The rules that hold in every version of the language."""
import json

import pytest
import yaml

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common import template_format
from heat.engine import environment
from heat.engine import function
from heat.engine import parameter_groups
from heat.engine import resource
from heat.engine import stack as stack_module
from heat.engine import template
from heat.engine.stacks import validation as stack_validation
from tests.unit.conformance import coverage
from tests.unit.conformance import language

covers = coverage.covers
each_version = pytest.mark.parametrize('version', sorted(language.VERSIONS))
HOT, CFN = 'heat_template_version.2021-04-16', language.CFN[0]
RULES = {name: language.HOT_VERSIONS[name] for name in (
    'template_rules', 'parameter_rules', 'parameter_groups',
    'resource_key_types', 'generated_template_versions',
    'empty_template_version', 'resource_deletion_policy_values')}


def test_every_rule_is_covered():
    wanted = coverage.leaves(RULES, 2)
    assert coverage.covered(globals()) == wanted


class Thing(resource.Resource):
    """A resource type of a stack."""

    properties_schema = {}
    attributes_schema = {}


def stack_of(version, name='stack', params=None, defaults=None, owner=None,
             **sections):
    """Return a stack that is about to be created."""
    env = environment.Environment({'parameters': params or {},
                                   'parameter_defaults': defaults or {}})
    env.register_class('Test::Thing', Thing)
    tmpl = template.Template(language.data_of(version, **sections), env=env)
    context = heat_context.RequestContext(
        username='anna', user_id='anna-id', project_id='project',
        roles=['member'], is_admin=False, overwrite=False)
    return stack_module.Stack(context, name, tmpl, owner_id=owner)


def refused(stack, wanted=exception.StackValidationFailed, match=None):
    """Check that a stack is not valid, and return the path."""
    with pytest.raises(wanted, match=match) as caught:
        stack.validate(validate_res_tmpl_only=True)
    return list(caught.value.path)


def accepted(stack):
    """Check that a stack is valid, and return it."""
    stack.validate(validate_res_tmpl_only=True)
    return stack


def value_of(kind, given, version=HOT, **schema):
    """Return what the value of a parameter becomes."""
    stack = stack_of(version, params={'p': given}, parameters={
        'p': {'type': kind, **schema}})
    stack.parameters.validate()
    return stack.parameters['p']


# -- Templates

@covers('template_rules.description_default')
@each_version
def test_description_default(version):
    text = RULES['template_rules']['description_default']
    tmpl = template.Template(language.data_of(version))
    assert tmpl[tmpl.DESCRIPTION] == text


@covers('template_rules.external_id')
def test_external_id():
    rules = RULES['template_rules']['external_id']
    thing = {'type': 'Test::Thing', 'external_id': 'id',
             'properties': {'unknown': 1}}
    stack = stack_of(HOT, resources={'r': thing})
    definition = stack.defn.resource_definition('r')
    assert definition.deletion_policy() == rules['forces_deletion_policy']
    assert rules['properties_validated'] is False
    assert 'unknown' not in str(problem_of(stack))
    # A 500 elsewhere; here it is a fault of the template, with its path.
    assert rules['with_depends_on'] == 'InvalidExternalResourceDependency'
    stack = stack_of(HOT, resources={
        'r': {**thing, 'depends_on': 's'}, 's': {'type': 'Test::Thing'}})
    assert refused(stack) == ['resources', 'r', 'depends_on']


def problem_of(stack):
    """Return what speaks against a stack, None if nothing does."""
    try:
        stack.validate(validate_res_tmpl_only=True)
    except exception.HeatException as error:
        return error
    return None


@covers('template_rules.function_detection')
def test_function_detection():
    stack = language.world(HOT)
    for snippet in ({'get_param': 'text', 'more': 1}, {'get_parm': 'text'},
                    {}, {'Get_Param': 'text'}):
        assert function.resolve(stack.t.parse(stack, snippet)) == snippet
    parsed = stack.t.parse(stack, {'a': [{'get_param': 'text'}]})
    assert function.resolve(parsed) == {'a': ['x']}


@covers('template_rules.null_section',
        'template_rules.resources_section_required')
@each_version
def test_null_sections(version):
    tmpl = template.Template(language.data_of(version))
    assert RULES['template_rules']['resources_section_required'] is False
    accepted(stack_of(version))
    for section in tmpl.SECTIONS:
        data = {section: None, **language.data_of(version)}
        if section in template.VERSION_KEYS or section == '__undefined__':
            continue
        template.Template(data).validate()


@covers('template_rules.output_condition_false')
@pytest.mark.parametrize('version', [
    name for name in language.VERSIONS if language.has_conditions(name)])
def test_output_with_a_condition_that_does_not_hold(version):
    stack = accepted(stack_of(
        version, conditions={'no': language.condition_of(version, False)},
        outputs={'o': {'value': 'v', 'condition': 'no'}}))
    assert list(stack.outputs) == ['o']
    assert stack.outputs['o'].get_value() is None


@covers('template_rules.output_description_default')
@each_version
def test_output_description_default(version):
    stack = stack_of(version, outputs={'o': {'value': 'v'}})
    assert stack.outputs['o'].description() == (
        RULES['template_rules']['output_description_default'])


@covers('template_rules.output_without_value')
@each_version
def test_output_without_value(version):
    stack = stack_of(version, outputs={'o': {'description': 'text'}})
    assert refused(stack)[1] == 'o'


@covers('template_rules.parse_order', 'template_rules.template_formats')
def test_formats():
    assert RULES['template_rules']['template_formats'] == ['JSON', 'YAML']
    data = {'heat_template_version': '2021-04-16',
            'outputs': {'o': {'value': 'a: b'}}}
    for text in (json.dumps(data), '  ' + json.dumps(data, indent=1),
                 yaml.dump(data), yaml.dump(data, default_flow_style=True)):
        assert template_format.parse(text) == data
    assert template_format.parse('heat_template_version: 2021-04-16') == {
        'heat_template_version': '2021-04-16'}
    with pytest.raises(ValueError, match='tag'):
        template_format.parse('heat_template_version: !!python/none x')


@covers('template_rules.removed_function')
def test_removed_function():
    stack = stack_of(HOT, resources={
        'r': {'type': 'Test::Thing', 'metadata': {'Ref': 'p'}}})
    assert refused(stack, exception.HeatException, 'Ref')[:3] == [
        'resources', 'r', 'metadata']


@covers('template_rules.resource_condition_false')
@pytest.mark.parametrize('version', [
    name for name in language.VERSIONS if language.has_conditions(name)])
def test_resource_with_a_condition_that_does_not_hold(version):
    def stack_with(**keys):
        return stack_of(
            version,
            conditions={'no': language.condition_of(version, False)},
            resources={'off': {'type': 'Test::Thing', 'condition': 'no'},
                       'r': {'type': 'Test::Thing', **keys}})

    stack = accepted(stack_with(depends_on=['off']))
    assert set(stack) == {'r'}
    get = 'get_resource' if language.is_hot(version) else 'Ref'
    refused(stack_with(metadata={'a': {get: 'off'}}),
            exception.HeatException, 'off')
    refused(stack_with(depends_on=['nobody']), exception.HeatException,
            'nobody')


@covers('template_rules.resource_name_forbidden_chars')
@each_version
def test_resource_names(version):
    [char] = RULES['template_rules']['resource_name_forbidden_chars']
    thing = {'type': 'Test::Thing'}
    name = f'a{char}b'
    assert refused(stack_of(version, resources={name: thing}))[1] == name
    accepted(stack_of(version, resources={'a.b c': thing}))


@covers('template_rules.resource_without_type')
@each_version
def test_resource_without_type(version):
    for definition in ({}, {'description': 'text'}):
        stack = stack_of(version, resources={'r': definition})
        assert refused(stack, match='[tT]ype')[1] == 'r'


@covers('template_rules.stack_name_regex',
        'template_rules.stack_name_checked_for_nested')
@pytest.mark.parametrize(('name', 'good'), [
    ('a', True), ('Stack_1.b-c', True), ('a' * 255, True), ('', False),
    ('1a', False), ('_a', False), ('a b', False), ('a' * 256, False),
    ('a\n', False), ('\xe4', False)])
def test_stack_names(name, good):
    if good:
        stack_validation.check_name(name)
        return
    with pytest.raises(exception.StackValidationFailed):
        stack_validation.check_name(name)
    assert RULES['template_rules']['stack_name_checked_for_nested'] is False
    accepted(stack_of(HOT, name=name, owner='parent'))


@covers('template_rules.undefined_section_quirk')
def test_undefined_section():
    tmpl = template.Template({**language.data_of(HOT), '__undefined__': {}})
    tmpl.validate()


@covers('template_rules.unknown_top_level_section')
@each_version
def test_unknown_section(version):
    tmpl = template.Template({**language.data_of(version), 'resorces': {}})
    with pytest.raises(exception.InvalidTemplateSection, match='resorces'):
        tmpl.validate()


@covers('template_rules.version_detection')
def test_version_detection():
    keys = RULES['template_rules']['version_detection']['keys']
    assert sorted(template.VERSION_KEYS) == sorted(keys)
    with pytest.raises(ValueError, match='version'):
        template_format.parse('resources: {}')
    for data in ({}, {keys[0]: '2021-04-16', keys[1]: '2012-12-12'},
                 {keys[0]: '2021-04-17'}, {keys[0]: 2021}, {keys[0]: None}):
        with pytest.raises(exception.InvalidTemplateVersion):
            template.Template(data)


# -- Keys of resources

WRONG = {
    'string': [['a'], {'a': 1}], 'map': ['text', ['a']],
    'string or list': [{'a': 1}, [1], 7],
    'string or list of strings': [{'a': 1}, [1], 7],
}


@covers('resource_key_types.hot', 'resource_key_types.cfn')
@pytest.mark.parametrize('version', [HOT, CFN])
def test_wrong_types_of_resource_keys(version):
    hot = language.is_hot(version)
    types = RULES['resource_key_types']['hot' if hot else 'cfn']
    tried = 0
    for key, text in types.items():
        kind = text.split(' or function')[0].split(';')[0].split(' (')[0]
        for value in WRONG.get(kind, ()):
            data = language.data_of(version, resources={
                'r': {'type': 'Test::Thing'}})
            definition = data['resources' if hot else 'Resources']['r']
            definition[key] = value
            tmpl = language.template_of(data)
            with pytest.raises(exception.StackValidationFailed) as caught:
                language.definition_of(tmpl).resource_definition('r')
            assert list(caught.value.path)[:3] == [
                'resources' if hot else 'Resources', 'r', key]
            tried += 1
    assert tried >= 12


@covers('resource_key_types.unknown_keys')
@each_version
def test_unknown_resource_keys(version):
    hot = language.is_hot(version)
    rule = RULES['resource_key_types']['unknown_keys']
    data = language.data_of(version, resources={
        'r': {'type': 'Test::Thing'}})
    data['resources' if hot else 'Resources']['r']['proprties'] = {}
    tmpl = language.template_of(data)
    if rule['hot' if hot else 'cfn'] == 'ignored':
        tmpl.validate()
        return
    with pytest.raises(exception.StackValidationFailed, match='properties'):
        tmpl.validate()


@covers('resource_deletion_policy_values')
def test_deletion_policies():
    assert list(language.definition_of(language.template_of(
        language.data_of(HOT, resources={'r': {'type': 'Test::Thing'}}))
        ).resource_definition('r').DELETION_POLICIES) == (
            RULES['resource_deletion_policy_values'])


@covers('empty_template_version', 'generated_template_versions.cfn',
        'generated_template_versions.hot')
def test_versions_of_templates_that_are_made():
    made = template.Template.create_empty_template()
    assert made.version[1] == RULES['empty_template_version']
    for kind, version in RULES['generated_template_versions'].items():
        data = Thing.resource_to_template('Test::Thing', kind)
        assert template.Template(data).version[1] == version


# -- Parameters

BOOLEANS = [(text, True) for text in '1 t true on y yes'.split()] + [
    (text, False) for text in '0 f false off n no'.split()]


@covers('parameter_rules.boolean')
@pytest.mark.parametrize(('text', 'value'), BOOLEANS)
def test_booleans(text, value):
    assert text in RULES['parameter_rules']['boolean']['accepted'].split()
    for given in (text, text.upper(), text.title(), value):
        assert value_of('boolean', given) is value


@pytest.mark.parametrize('given', ['', 'maybe', '2', 2, 'truee', [True]])
def test_what_is_no_boolean(given):
    with pytest.raises(exception.StackValidationFailed):
        value_of('boolean', given)


@covers('parameter_rules.comma_delimited_list')
@pytest.mark.parametrize(('given', 'value'), [
    ('a,b', ['a', 'b']), ('a, b', ['a', ' b']), ('', []), ([], []),
    (['a', 1, True], ['a', '1', 'True']), ('a', ['a']), (',', ['', ''])])
def test_lists(given, value):
    assert value_of('comma_delimited_list', given) == value


@covers('parameter_rules.json')
@pytest.mark.parametrize(('given', 'value'), [
    ('{"a": 1}', {'a': 1}), ({'a': [1]}, {'a': [1]}), ('[1]', [1]),
    ('"text"', 'text'), ('7', 7), ({1: 2}, {'1': 2}), ([None], [None])])
def test_json(given, value):
    assert value_of('json', given) == value


@covers('parameter_rules.number')
@pytest.mark.parametrize(('given', 'value'), [
    ('5', 5), (5, 5), ('5.5', 5.5), (5.5, 5.5), ('-1', -1), ('1e3', 1000.0)])
def test_numbers(given, value):
    found = value_of('number', given)
    assert found == value
    assert type(found) is type(value)


@covers('parameter_rules.string')
@pytest.mark.parametrize(('given', 'value'), [
    ('a', 'a'), (5, '5'), (1.5, '1.5'), (True, 'True'), ('', '')])
def test_strings(given, value):
    assert value_of('string', given) == value


@covers('parameter_rules.default_must_meet_constraints')
def test_default_must_meet_constraints():
    assert RULES['parameter_rules']['default_must_meet_constraints'] is True
    with pytest.raises(exception.InvalidSchemaError):
        value_of('string', 'ok', default='too long', constraints=[
            {'length': {'max': 3}}])


@covers('parameter_rules.custom_constraints_checked_on_default')
def test_custom_constraints_of_defaults(monkeypatch):
    schema = {'p': {'type': 'string', 'default': 'd', 'constraints': [
        {'custom_constraint': 'never'}]}}

    class Never:
        def validate(self, value, context):
            return False

    monkeypatch.setitem(environment.global_env().constraints, 'never', Never)
    for params in {'p': 'x'}, {}:
        stack = stack_of(HOT, params=params, parameters=schema)
        # Only what is used is asked for: the default, or the value.
        stack.parameters.validate(validate_value=False)
        with pytest.raises(exception.StackValidationFailed):
            stack.parameters.validate()


@covers('parameter_rules.hidden_display', 'parameter_rules.stack_show_form')
def test_how_parameters_are_shown():
    stack = stack_of(HOT, params={'secret': 's3'}, parameters={
        'secret': {'type': 'string', 'hidden': True},
        'list': {'type': 'comma_delimited_list', 'default': 'a,b'},
        'map': {'type': 'json', 'default': {'a': 1}},
        'flag': {'type': 'boolean', 'default': True},
        'number': {'type': 'number', 'default': 5}})
    shown = stack.parameters.map(str)
    assert {name: text for name, text in shown.items()
            if not name.startswith('OS::')} == {
        'secret': RULES['parameter_rules']['hidden_display'],
        'list': 'a,b', 'map': '{"a": 1}', 'flag': 'True', 'number': '5'}
    assert {'OS::stack_id', 'OS::stack_name', 'OS::project_id'} <= set(shown)
    assert 's3' not in str(shown)


@covers('parameter_rules.hidden_false_values')
@pytest.mark.parametrize(('version', 'given', 'hidden'), [
    (HOT, True, True), (HOT, False, False), (HOT, 'true', True),
    (HOT, 1, True), (HOT, 0, False), (HOT, None, False), (HOT, '', False),
    # Elsewhere any text hides; what says that it does not, does not.
    (HOT, 'false', False), (HOT, 'False', False), (HOT, 'no', False),
    (CFN, 'true', True), (CFN, 'TRUE', True), (CFN, True, True),
    (CFN, 'false', False), (CFN, 'yes', False), (CFN, '1', False),
    (CFN, False, False)])
def test_hidden(version, given, hidden):
    hot = language.is_hot(version)
    data = language.data_of(version)
    data['parameters' if hot else 'Parameters'] = {'p': {
        'type' if hot else 'Type': 'string' if hot else 'String',
        'default' if hot else 'Default': 'value',
        'hidden' if hot else 'NoEcho': given}}
    stack = language.definition_of(language.template_of(data))
    assert stack.parameters.params['p'].hidden() is hidden
    assert str(stack.parameters.params['p']) == (
        '******' if hidden else 'value')


@covers('parameter_rules.immutable')
def test_immutable():
    def parameters(value, **schema):
        return stack_of(HOT, params={'p': value}, parameters={
            'p': {'type': 'string', **schema}}).parameters

    old = parameters('a', immutable=True)
    assert old.immutable_params_modified(
        parameters('b', immutable=True), {}) == ['p']
    assert not old.immutable_params_modified(
        parameters('a', immutable=True), {})
    assert not old.immutable_params_modified(parameters('b'), {})
    other = stack_of(HOT, params={'q': 'x'}, parameters={
        'q': {'type': 'string', 'immutable': True}}).parameters
    assert not old.immutable_params_modified(other, {})


@covers('parameter_rules.missing_value')
@each_version
def test_missing_value(version):
    refused(stack_of(version, parameters={'p': {'type': 'string'}}),
            exception.UserParameterMissing, 'p')


@covers('parameter_rules.name_clash_with_resource')
@each_version
def test_name_clash(version):
    stack = stack_of(
        version, parameters={'p': {'type': 'string', 'default': 'd'}},
        resources={'p': {'type': 'Test::Thing'}})
    refused(stack, match='p')


@covers('parameter_rules.precedence')
def test_precedence():
    schema = {'p': {'type': 'string', 'default': 'schema'}}

    def found(**given):
        return stack_of(HOT, parameters=schema, **given).parameters['p']

    assert found(params={'p': 'user'}, defaults={'p': 'env'}) == 'user'
    assert found(defaults={'p': 'env'}) == 'env'
    assert found() == 'schema'


@covers('parameter_rules.request_parameters_merge',
        'parameter_rules.unknown_parameter_in_parameters',
        'parameter_rules.unknown_parameter_in_parameter_defaults')
def test_parameters_of_environments():
    env = environment.Environment({'parameters': {'a': 1, 'b': 1}})
    env.load({'parameters': {'a': 2}})
    assert env.params == {'a': 2, 'b': 1}
    refused(stack_of(HOT, params={'q': 1}), exception.UnknownUserParameter,
            'q')
    accepted(stack_of(HOT, defaults={'q': 1}))


@covers('parameter_rules.tags')
def test_tags():
    assert RULES['parameter_rules']['tags']['since'] == '2018-03-02'
    stack = stack_of(HOT, parameters={
        'p': {'type': 'string', 'default': 'd', 'tags': ['a', 'b']}})
    assert stack.parameters.params['p'].tags() == ['a', 'b']
    with pytest.raises(exception.InvalidSchemaError, match='tags'):
        value_of('string', 'x', tags='a')


# -- Groups

def groups_of(groups):
    """Return the groups of a template with the parameters p and q."""
    data = language.data_of(HOT, parameters={
        name: {'type': 'string', 'default': 'd'} for name in 'pq'})
    return parameter_groups.ParameterGroups(template.Template(
        {**data, 'parameter_groups': groups}))


@covers('parameter_groups.group_keys', 'parameter_groups.section_type',
        'parameter_groups.rules', 'parameter_groups.error')
def test_parameter_groups():
    for good in (None, [], [{'parameters': ['p']}],
                 [{'parameters': []}],
                 [{'label': 'l', 'description': 'd', 'more': 1,
                   'parameters': ['q', 'p']}],
                 [{'parameters': ['p']}, {'parameters': ['q']}]):
        groups_of(good).validate()
    for bad in ({'parameters': ['p']}, 'p', [['p']], [{}],
                [{'parameters': 'p'}], [{'parameters': ['x']}],
                [{'parameters': ['p', 'p']}], [{'parameters': [7]}],
                [{'parameters': ['p']}, {'parameters': ['p']}]):
        with pytest.raises(exception.StackValidationFailed) as caught:
            groups_of(bad).validate()
        assert caught.value.path[0] == 'parameter_groups'


def test_identity_of_pseudo_parameters_comes_later():
    stack = stack_of(HOT)
    later = identifier.HeatIdentifier('project', 'stack', 'uuid')
    assert stack.parameters.set_stack_id(later)
    assert stack.parameters['OS::stack_id'] == 'uuid'
