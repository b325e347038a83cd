import pytest

from heat.common import exception
from heat.common import identifier
from heat.engine import constraints
from heat.engine import environment
from heat.engine import parameters
from heat.engine.cfn import parameters as cfn_parameters

Schema = parameters.Schema
IDENTITY = identifier.HeatIdentifier('proj', 'web', 'a-b-c')


class Template:
    """A template that consists of cfn parameters."""

    PARAMETERS = 'Parameters'

    def __init__(self, **params):
        self.params = params

    def param_schemata(self, param_defaults=None):
        return {name: Schema.from_dict(name, {
            **schema, **({'Default': param_defaults[name]}
                         if name in (param_defaults or {}) else {})})
            for name, schema in self.params.items()}


def make(schemata, values=None, defaults=None, stack=IDENTITY):
    return cfn_parameters.CfnParameters(stack, Template(**schemata), values,
                                        defaults)


def param(kind, value=None, default=None, **options):
    return parameters.Parameter('p', Schema(kind, default=default,
                                            **options), value)


@pytest.mark.parametrize(('kind', 'given', 'value', 'text'), [
    (Schema.STRING, 'a', 'a', 'a'),
    (Schema.STRING, 5, '5', '5'),
    (Schema.STRING, '', '', ''),
    (Schema.STRING, True, 'True', 'True'),
    (Schema.NUMBER, '5', 5, '5'),
    (Schema.NUMBER, '5.0', 5.0, '5.0'),
    (Schema.NUMBER, 5.5, 5.5, '5.5'),
    (Schema.NUMBER, 0, 0, '0'),
    (Schema.BOOLEAN, 'true', True, 'True'),
    (Schema.BOOLEAN, 'Off', False, 'False'),
    (Schema.BOOLEAN, 1, True, 'True'),
    (Schema.BOOLEAN, False, False, 'False'),
    (Schema.LIST, 'a,b', ['a', 'b'], 'a,b'),
    (Schema.LIST, 'a, b', ['a', ' b'], 'a, b'),
    (Schema.LIST, '', [], ''),
    (Schema.LIST, ['a', 5], ['a', '5'], 'a,5'),
    (Schema.LIST, [], [], ''),
    (Schema.MAP, '{"a": [1]}', {'a': [1]}, '{"a": [1]}'),
    (Schema.MAP, {'a': {'b': None}}, {'a': {'b': None}},
     '{"a": {"b": null}}'),
    (Schema.MAP, '[1, 2]', [1, 2], '[1, 2]'),
    (Schema.MAP, '5', 5, '5'),
    (Schema.MAP, {}, {}, '{}'),
])
def test_values(kind, given, value, text):
    found = param(kind, given)
    found.validate()
    assert found.value() == value
    assert type(found.value()) is type(value)
    assert str(found) == text
    assert str(param(kind, given, hidden=True)) == '******'
    as_default = param(kind, default=given)
    assert as_default.has_default()
    assert as_default.value() == value


@pytest.mark.parametrize(('kind', 'given'), [
    (Schema.NUMBER, 'five'), (Schema.NUMBER, [5]), (Schema.NUMBER, ''),
    (Schema.NUMBER, 'nan'), (Schema.NUMBER, float('inf')),
    (Schema.NUMBER, '1e999'),
    (Schema.BOOLEAN, 'maybe'), (Schema.BOOLEAN, 2), (Schema.BOOLEAN, ''),
    (Schema.LIST, 5), (Schema.LIST, {'a': 1}),
    (Schema.MAP, '{a: 1}'), (Schema.MAP, '')])
def test_bad_values(kind, given):
    with pytest.raises(exception.StackValidationFailed):
        param(kind, given).validate()
    with pytest.raises(exception.InvalidSchemaError, match='default'):
        param(kind, default=given).validate()
    param(kind, given).validate(validate_value=False)


def test_class_follows_type():
    assert isinstance(param(Schema.STRING), parameters.StringParam)
    assert isinstance(param(Schema.NUMBER), parameters.NumberParam)
    assert isinstance(param(Schema.BOOLEAN), parameters.BooleanParam)
    assert isinstance(param(Schema.LIST),
                      parameters.CommaDelimitedListParam)
    assert isinstance(param(Schema.MAP), parameters.JsonParam)


def test_structured_parameters_can_be_indexed():
    names = param(Schema.LIST, 'a,b,c')
    assert (names[1], len(names), list(names)) == ('b', 3, ['a', 'b', 'c'])
    data = param(Schema.MAP, '{"a": 1, "b": 2}')
    assert (data['b'], len(data), list(data)) == (2, 2, ['a', 'b'])
    assert int(param(Schema.NUMBER, '5')) == 5
    assert float(param(Schema.NUMBER, '5.5')) == 5.5


def test_text_is_parsed_once(monkeypatch):
    data = param(Schema.MAP, '{"a": 1}')
    assert data.value() is data.value()
    data.user_value = '{"b": 1}'
    assert data.value() == {'b': 1}


def test_precedence_of_values():
    found = param(Schema.STRING, default='template')
    assert found.value() == 'template'
    found.set_default('environment')
    assert (found.value(), found.default()) == ('environment',) * 2
    found.user_value = 'user'
    assert found.value() == 'user'


def test_missing_value():
    found = param(Schema.STRING)
    assert not found.has_value()
    found.validate(validate_value=False)
    for use in (found.validate, found.value, lambda: str(found)):
        with pytest.raises(exception.UserParameterMissing, match='p'):
            use()


def test_texts_about_a_parameter():
    plain = param(Schema.STRING)
    assert (plain.description(), plain.label(), plain.tags()) == ('', 'p', [])
    full = param(Schema.STRING, description='What', label='Name',
                 tags=['a'])
    assert (full.description(), full.label(), full.tags()) == (
        'What', 'Name', ['a'])


@pytest.mark.parametrize(('hidden', 'masked'), [
    (True, True), (False, False), ('true', True), ('false', False),
    ('False', False), ('no', False), ('yes', True), (None, False),
    (1, True), (0, False), ('', False)])
def test_hidden(hidden, masked):
    assert param(Schema.STRING, 'x', hidden=hidden).hidden() is masked


def test_hidden_value_stays_out_of_errors():
    found = param(Schema.STRING, 'secret', hidden=True,
                  constraints=[constraints.Length(max=3)])
    with pytest.raises(exception.StackValidationFailed) as caught:
        found.validate()
    assert 'secret' not in str(caught.value)
    found = param(Schema.STRING, default='secret', hidden=True,
                  constraints=[constraints.AllowedValues(['a'])])
    with pytest.raises(exception.InvalidSchemaError) as caught:
        found.validate()
    assert 'secret' not in str(caught.value)


def test_default_meets_constraints_even_when_not_used():
    found = param(Schema.NUMBER, 5, default='50',
                  constraints=[constraints.Range(max=10)])
    with pytest.raises(exception.InvalidSchemaError, match='50'):
        found.validate()


def test_custom_constraint_sees_only_values_in_use():
    env = environment.Environment({}, user_env=False)

    class Never:
        def validate(self, value, context):
            return False

    env.register_constraint('never', Never)
    custom = constraints.CustomConstraint('never', environment=env)
    unused = param(Schema.STRING, default='x', constraints=[custom])
    unused.validate(validate_value=False)
    with pytest.raises(exception.StackValidationFailed):
        unused.validate()


# cfn schemata

@pytest.mark.parametrize(('snippet', 'shown'), [
    ({'MinValue': 1, 'MaxValue': '5'}, [{'range': {'min': 1, 'max': 5}}]),
    ({'MinLength': '2'}, [{'length': {'min': 2}}]),
    ({'AllowedValues': ['a']}, [{'allowed_values': ['a']}]),
    ({'AllowedPattern': 'a+', 'ConstraintDescription': 'As only'},
     [{'allowed_pattern': 'a+', 'description': 'As only'}]),
])
def test_cfn_constraints(snippet, shown):
    kind = 'Number' if 'MinValue' in snippet else 'String'
    schema = Schema.from_dict('p', {'Type': kind, **snippet})
    assert [dict(constraint) for constraint in schema.constraints] == shown


@pytest.mark.parametrize(('echo', 'hidden'), [
    ('true', True), ('TRUE', True), (True, True), ('yes', False),
    ('false', False), (False, False), (None, False)])
def test_no_echo(echo, hidden):
    schema = Schema.from_dict('p', {'Type': 'String', 'NoEcho': echo})
    assert schema.hidden is hidden


@pytest.mark.parametrize(('snippet', 'message'), [
    ({}, 'type'),
    ({'Type': 'Text'}, 'Text'),
    ({'type': 'String'}, 'type'),
    ({'Type': 'String', 'Defalt': 1}, 'Did you mean "Default"'),
    ({'Type': 'String', 'MinValue': 1}, 'range'),
    ({'Type': 'String', 'MinLength': 'x'}, 'MinLength'),
    ({'Type': 'String', 'AllowedPattern': '('}, 'regular expression'),
    ({'Type': 'String', 'AllowedValues': 'a'}, 'list'),
    ('String', 'map'),
    (None, 'map'),
])
def test_malformed_cfn_schema(snippet, message):
    with pytest.raises(exception.InvalidSchemaError, match=message) as info:
        Schema.from_dict('size', snippet)
    assert 'size' in str(info.value)


def test_schema_as_mapping():
    schema = Schema('String', default='x', hidden=True, label='L',
                    tags=['t'])
    assert dict(schema) == {
        'Type': 'String', 'Default': 'x', 'NoEcho': True, 'Label': 'L',
        'Tags': ['t'], 'Immutable': False}


# Parameters

def test_pseudo_parameters():
    params = make({'size': {'Type': 'Number'}}, {'size': 3})
    params.validate()
    assert dict(params) == {
        'size': 3, 'AWS::StackName': 'web',
        'AWS::StackId': 'arn:openstack:heat::proj:stacks/web/a-b-c',
        'AWS::Region': 'ap-southeast-1'}
    assert params.map(str, lambda p: p.name == 'size') == {'size': '3'}
    assert 'AWS::StackId' in params
    assert len(params) == 4


def test_stack_id_comes_later():
    params = make({}, stack=None)
    assert params['AWS::StackId'] == 'None'
    assert params.set_stack_id(None) is False
    assert params.set_stack_id(IDENTITY) is True
    assert params['AWS::StackId'].endswith('web/a-b-c')


def test_error_has_the_path():
    params = make({'size': {'Type': 'Number', 'MaxValue': 3}}, {'size': 5})
    with pytest.raises(exception.StackValidationFailed) as caught:
        params.validate()
    assert caught.value.path == ['Parameters', 'size']
    assert str(caught.value).startswith('Parameters.size: 5 is out of range')
    params.validate(validate_value=False)


def test_unknown_parameter():
    params = make({'flavor': {'Type': 'String'}}, {'flavour': 'm1'})
    with pytest.raises(exception.UnknownUserParameter) as caught:
        params.validate(validate_value=False)
    assert '(flavour)' in str(caught.value)
    assert 'Did you mean "flavor"' in str(caught.value)


def test_unknown_default_is_ignored():
    make({'a': {'Type': 'String'}}, {'a': 'x'}, {'b': 'y'}).validate()


def test_default_of_environment():
    params = make({'a': {'Type': 'String', 'Default': 'template'}},
                  defaults={'a': 'environment'})
    assert params['a'] == 'environment'


def test_missing_parameter():
    with pytest.raises(exception.UserParameterMissing, match='a'):
        make({'a': {'Type': 'String'}}).validate()


def test_null_means_default():
    params = make({'a': {'Type': 'String', 'Default': 'x'}}, {'a': None})
    params.validate()
    assert params['a'] == 'x'


def test_pseudo_name_is_reserved():
    params = make({'AWS::Region': {'Type': 'String', 'Default': 'x'}})
    with pytest.raises(exception.InvalidSchemaError, match='reserved'):
        params.validate()


def test_unknown_name_is_no_key():
    with pytest.raises(KeyError):
        make({})['nobody']


def test_immutable():
    class Old(Template):
        def param_schemata(self, param_defaults=None):
            return {'fixed': Schema('Number', immutable=True, default=1),
                    'free': Schema('String'),
                    'gone': Schema('String', immutable=True, default='x')}

    class New(Old):
        def param_schemata(self, param_defaults=None):
            found = super().param_schemata()
            del found['gone']
            found['added'] = Schema('String', immutable=True)
            return found

    def modified(old, new, given=None):
        old = cfn_parameters.CfnParameters(IDENTITY, Old(), old)
        new = cfn_parameters.CfnParameters(IDENTITY, New(), new)
        return old.immutable_params_modified(new, given or {})

    assert modified({'free': 'a'}, {'free': 'b', 'added': 'c'}) is None
    assert modified({'fixed': 1}, {'fixed': '1'}) is None
    assert modified({'fixed': 1}, {'fixed': 2}) == ['fixed']
    assert modified({'fixed': 2}, {}) == ['fixed']
    assert modified({'fixed': 1}, {'fixed': 1}, {'fixed': 3}) == ['fixed']
    assert modified({'fixed': 1}, {'fixed': 2}, {'fixed': '1'}) is None
