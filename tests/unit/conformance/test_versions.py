"""Sections, keys and policies of every version, tried with templates."""
import pytest

from heat.common import exception
from heat.engine import template
from tests.unit.conformance import coverage
from tests.unit.conformance import language

covers = coverage.covers
VERSIONS = language.VERSIONS
each_version = pytest.mark.parametrize('version', sorted(VERSIONS))
each_spelling = pytest.mark.parametrize(('spelling', 'version'),
                                        language.SPELLINGS)
each_hot_version = pytest.mark.parametrize('version', language.HOT)


def everywhere(key, kind=None):
    """Return what is in a list of the facts of any version."""
    return sorted({item for facts in VERSIONS.values()
                   if kind in (None, facts['type'])
                   for item in facts.get(key, ())})


def test_every_fact_of_a_version_is_covered():
    known = {key for facts in VERSIONS.values() for key in facts}
    elsewhere = {'functions', 'condition_functions', 'removed_functions',
                 'function_impl'}
    assert coverage.covered(globals()) | elsewhere == known


def stack_of(version, **sections):
    """Return the definition of a stack made from such a template."""
    tmpl = language.template_of(language.data_of(version, **sections))
    return language.definition_of(tmpl)


def resource_of(version, **keys):
    """Return the definition of a resource with such keys."""
    keys = {'type': 'Test::Thing', **keys}
    return stack_of(version, resources={'r': keys}).resource_definition('r')


# -- Versions

@covers('aliases', 'version', 'version_key', 'type')
@each_spelling
def test_version_is_recognised(spelling, version):
    tmpl = template.Template(language.data_of(spelling, version))
    assert type(tmpl) is type(template.Template(language.data_of(version)))
    assert '.'.join(tmpl.version) == spelling
    assert ('heat_template_version' in tmpl.t) == (
        VERSIONS[version]['type'] == 'hot')
    tmpl.validate()


def test_there_are_no_other_versions():
    assert {'.'.join(version) for version in template.template_classes()
            } == {spelling for spelling, _version in language.SPELLINGS}


@covers('diff_from_previous')
@each_hot_version
def test_what_a_version_changes(version):
    diff = VERSIONS[version].get('diff_from_previous')
    if diff is None:
        assert version == language.HOT[0]
        return
    previous = language.HOT[language.HOT.index(version) - 1]
    new = type(template.Template(language.data_of(version)))
    old = type(template.Template(language.data_of(previous)))

    def current(cls):
        return {name: each for name, each in cls.functions.items()
                if not template.is_removed(each)}

    assert diff == {
        'functions_added': sorted(current(new).keys() - current(old)),
        'functions_removed': sorted(current(old).keys() - current(new)),
        'functions_changed_impl': sorted(
            name for name in current(new).keys() & current(old)
            if current(new)[name] is not current(old)[name]),
        'condition_functions_added': sorted(
            set(new.condition_functions) - set(old.condition_functions)),
        'deletion_policies_added': sorted(
            set(new.deletion_policies) - set(old.deletion_policies)),
        'sections_added': sorted(set(new.SECTIONS) - set(old.SECTIONS)),
        'resource_keys_added': sorted(
            set(new._RESOURCE_KEYS) - set(old._RESOURCE_KEYS)),
        'parameter_schema_keys_added': sorted(
            set(new.param_schema_class.PARAMETER_KEYS)
            - set(old.param_schema_class.PARAMETER_KEYS)),
        'parameter_constraints_added': sorted(
            set(new.param_schema_class.CONSTRAINT_KEYS)
            - set(old.param_schema_class.CONSTRAINT_KEYS)),
    }


# -- Sections

@covers('sections')
@pytest.mark.parametrize('section', everywhere('sections'))
@each_version
def test_section(version, section):
    known = VERSIONS[version]
    data = {**language.data_of(version)}
    if section in data:
        return
    data[section] = 'text' if section.lower() == 'description' else {}
    if section in ('parameter_groups',):
        data[section] = []
    if section in template.VERSION_KEYS:
        with pytest.raises(exception.InvalidTemplateVersion):
            template.Template(data)
        return
    tmpl = template.Template(data)
    if section in known['sections']:
        tmpl.validate()
        # A section that says nothing is as good as none.
        data[section] = None
        template.Template(data).validate()
        return
    with pytest.raises(exception.InvalidTemplateSection,
                       match=section) as caught:
        tmpl.validate()
    assert list(caught.value.path) == [section]


@covers('conditions_allowed')
@each_version
def test_conditions(version):
    allowed = VERSIONS[version]['conditions_allowed']
    section = 'conditions' if language.is_hot(version) else 'Conditions'
    data = language.data_of(version)
    data[section] = {'yes': language.condition_of(version, True)}
    tmpl = language.template_of(data)
    if not allowed:
        with pytest.raises(exception.InvalidTemplateSection):
            tmpl.validate()
        return
    tmpl.validate()
    stack = language.definition_of(tmpl)
    assert tmpl.conditions(stack).is_enabled('yes')


# -- Resources

GOOD = {
    'type': 'Other::Type', 'properties': {'a': 1}, 'metadata': {'a': 1},
    'depends_on': ['s'], 'deletion_policy': 'Retain',
    'update_policy': {'a': 1}, 'description': 'text', 'external_id': 'id',
    'condition': True,
    'Type': 'Other::Type', 'Properties': {'a': 1}, 'Metadata': {'a': 1},
    'DependsOn': ['s'], 'DeletionPolicy': 'Retain',
    'UpdatePolicy': {'a': 1}, 'Description': 'text', 'Condition': 'yes',
}


def with_conditions(version, data):
    """Add a condition that holds to data, where there may be any."""
    if language.has_conditions(version):
        section = 'conditions' if language.is_hot(version) else 'Conditions'
        data[section] = {'yes': language.condition_of(version, True)}
    return data


@covers('resource_keys', 'external_id_allowed')
@pytest.mark.parametrize('key', everywhere('resource_keys'))
@each_version
def test_resource_key(version, key):
    data = with_conditions(version, language.data_of(version, resources={
        'r': {'type': 'Test::Thing'}, 's': {'type': 'Test::Thing'}}))
    resources = data['resources' if language.is_hot(version)
                     else 'Resources']
    resources['r'] = {**resources['r'], key: GOOD[key]}
    tmpl = language.template_of(data)
    allowed = key in VERSIONS[version]['resource_keys']
    if key == 'external_id':
        assert allowed == VERSIONS[version]['external_id_allowed']
    if allowed or not language.is_hot(version):
        # Unknown keys of cfn are ignored.
        tmpl.validate()
        definition = language.definition_of(tmpl).resource_definition('r')
        assert language.says(definition, key, GOOD[key]) is allowed
        return
    for check in (tmpl.validate, lambda: language.definition_of(
            tmpl).resource_definition('r')):
        with pytest.raises(exception.StackValidationFailed,
                           match=key) as caught:
            check()
        assert list(caught.value.path) == ['resources', 'r', key]


@covers('deletion_policies')
@pytest.mark.parametrize('policy', [
    *everywhere('deletion_policies'), 'DELETE', 'Keep', '', 7, ['Delete']])
@each_version
def test_deletion_policy(version, policy):
    known = VERSIONS[version]['deletion_policies']
    stack = stack_of(version, resources={
        'r': {'type': 'Test::Thing', 'deletion_policy': policy}})
    if isinstance(policy, str) and policy in known:
        definition = stack.resource_definition('r')
        assert definition.deletion_policy() == known[policy]
        return
    with pytest.raises(exception.StackValidationFailed,
                       match='Delete') as caught:
        stack.resource_definition('r')
    assert caught.value.path[1] == 'r'


@each_version
def test_without_a_deletion_policy_resources_are_deleted(version):
    assert resource_of(version).deletion_policy() == 'Delete'


# -- Outputs

@covers('output_keys')
@pytest.mark.parametrize('key', everywhere('output_keys'))
@each_version
def test_output_key(version, key):
    data = with_conditions(version, language.data_of(
        version, outputs={'o': {'value': 'v'}}))
    outputs = data['outputs' if language.is_hot(version) else 'Outputs']
    outputs['o'] = {**outputs['o'], key: 'yes' if key.lower() == 'condition'
                    else 'text'}
    tmpl = language.template_of(data)
    if (key in VERSIONS[version]['output_keys']
            or not language.is_hot(version)):
        tmpl.validate()
        output = language.definition_of(tmpl).output_definition('o')
        own = 'value' if language.is_hot(version) else 'Value'
        assert output.get_value() == ('text' if key == own else 'v')
        return
    with pytest.raises(exception.StackValidationFailed,
                       match=key) as caught:
        tmpl.validate()
    assert list(caught.value.path) == ['outputs', 'o', key]


# -- Parameters

PARAMETER_KEYS = {
    'type': 'string', 'description': 'text', 'default': 'd', 'schema': {},
    'constraints': [{'length': {'min': 1}}], 'hidden': True, 'label': 'l',
    'immutable': True, 'tags': ['t'],
    'Type': 'String', 'Default': 'd', 'NoEcho': 'true',
    'AllowedValues': ['d'], 'AllowedPattern': 'd+', 'MaxLength': 3,
    'MinLength': '1', 'MaxValue': 9, 'MinValue': '0', 'Description': 'text',
    'ConstraintDescription': 'text', 'Label': 'l',
}


def schema_of(version, schema):
    """Return the schema of a parameter, of raw data of it."""
    data = language.data_of(version)
    data['parameters' if language.is_hot(version) else 'Parameters'] = {
        'p': schema}
    return template.Template(data).param_schemata()['p']


@covers('parameter_schema_keys')
@pytest.mark.parametrize('key', everywhere('parameter_schema_keys'))
@each_version
def test_parameter_key(version, key):
    number = key in ('MaxValue', 'MinValue')
    if language.is_hot(version):
        schema = {'type': 'string', key: PARAMETER_KEYS[key]}
    else:
        schema = {'Type': 'Number' if number else 'String',
                  key: PARAMETER_KEYS[key]}
        if number:
            schema['Type'] = 'Number'
    if key in VERSIONS[version]['parameter_schema_keys']:
        assert schema_of(version, schema).type
        return
    with pytest.raises(exception.InvalidSchemaError,
                       match=key) as caught:
        schema_of(version, schema)
    assert list(caught.value.path)[1:] == ['p', key]


@covers('parameter_types')
@pytest.mark.parametrize('name', [
    *everywhere('parameter_types'), 'integer', 'Number ', 7, None])
@each_version
def test_parameter_type(version, name):
    key = 'type' if language.is_hot(version) else 'Type'
    if name in VERSIONS[version]['parameter_types']:
        assert schema_of(version, {key: name}).type == name
        return
    with pytest.raises(exception.InvalidSchemaError) as caught:
        schema_of(version, {key: name})
    assert caught.value.path[1] == 'p'


CONSTRAINTS = {
    'allowed_pattern': ('string', 'a+'),
    'allowed_values': ('string', ['a']),
    'custom_constraint': ('string', 'nova.flavor'),
    'length': ('string', {'min': 1, 'max': 2}),
    'modulo': ('number', {'step': 2, 'offset': 1}),
    'range': ('number', {'min': 1, 'max': 2}),
}


@covers('parameter_constraints')
@pytest.mark.parametrize('name', everywhere('parameter_constraints'))
@each_hot_version
def test_parameter_constraint(version, name):
    if name == 'description':
        constraint = {'length': {'min': 1}, 'description': 'text'}
        found = schema_of(version, {
            'type': 'string', 'constraints': [constraint]}).constraints
        assert [dict(each) for each in found] == [constraint]
        return
    kind, value = CONSTRAINTS[name]
    schema = {'type': kind, 'constraints': [{name: value}]}
    if name in VERSIONS[version]['parameter_constraints']:
        found = schema_of(version, schema).constraints
        assert [dict(each) for each in found] == [{name: value}]
        return
    with pytest.raises(exception.InvalidSchemaError, match=name):
        schema_of(version, schema)


@covers('pseudo_parameters')
@each_version
def test_pseudo_parameters(version):
    known = VERSIONS[version]['pseudo_parameters']
    stack = stack_of(version)
    values = {name: stack.parameters[name] for name in stack.parameters}
    if language.is_hot(version):
        assert values == {'OS::project_id': 'tenant', 'OS::stack_id': 'id',
                          'OS::stack_name': 'stack'}
    else:
        region = known['AWS::Region']
        assert values == {
            'AWS::Region': region['default'], 'AWS::StackName': 'stack',
            'AWS::StackId': 'arn:openstack:heat::tenant:stacks/stack/id'}
        [constraint] = stack.parameters.params['AWS::Region'].schema \
            .constraints
        assert list(constraint['allowed_values']) == (
            region['allowed_values'])
    assert set(stack.parameters.PSEUDO_PARAMETERS) == set(known)
    for name in known:
        with pytest.raises(exception.InvalidSchemaError, match=name):
            stack_of(version, parameters={
                name: {'type': 'string', 'default': 'd'}}
            ).parameters.validate()
