import threading

import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine import environment
from tests.fakes import known_names

Schema = constraints.Schema


class KnownNames(constraints.BaseCustomConstraint):
    resource_client_name = 'cloud'
    resource_getter_name = 'get_thing'


@pytest.fixture
def env():
    env = environment.Environment({}, user_env=False)
    env.register_constraint('cloud.thing', KnownNames)
    return env


def refuses(constraint, value, schema=None, context=None):
    with pytest.raises(ValueError) as caught:
        constraint.validate(value, schema, context)
    return str(caught.value)


# Range

@pytest.mark.parametrize(('low', 'high', 'good', 'bad'), [
    (1, 3, [1, 2, 3, '2', 2.5, '2.5'], [0, 4, 3.1, '0']),
    (None, 3, [-9, 3], [4]),
    (1, None, [1, 10 ** 30], [0]),
    (0, 0, [0, '0', 0.0], [1, -1]),
])
def test_range(low, high, good, bad):
    constraint = constraints.Range(low, high)
    for value in good:
        constraint.validate(value)
    for value in bad:
        assert str(value) in refuses(constraint, value)


def test_range_of_what_is_no_number():
    assert 'x' in refuses(constraints.Range(min=1), 'x')


@pytest.mark.parametrize(('args', 'text', 'shown'), [
    ((1, 3), 'Between 1 and 3', {'min': 1, 'max': 3}),
    ((1, None), 'At least 1', {'min': 1}),
    ((None, 3), 'At most 3', {'max': 3}),
])
def test_range_texts(args, text, shown):
    constraint = constraints.Range(*args)
    assert str(constraint) == text
    assert dict(constraint) == {'range': shown}


@pytest.mark.parametrize('cls', [constraints.Range, constraints.Length])
@pytest.mark.parametrize('args', [(), ('1', 2), (1, [2])])
def test_bounds_are_checked(cls, args):
    with pytest.raises(exception.InvalidSchemaError):
        cls(*args)


# Length

@pytest.mark.parametrize(('value', 'valid'), [
    ('', False), ('a', True), ('aaa', True), ('aaaa', False),
    ([1], True), ([], False), ({'a': 1}, True), ({}, False),
])
def test_length(value, valid):
    constraint = constraints.Length(1, 3)
    if valid:
        constraint.validate(value)
    else:
        assert 'out of range' in refuses(constraint, value)


def test_length_bounds_are_integers():
    with pytest.raises(exception.InvalidSchemaError):
        constraints.Length(1.5)


def test_length_texts():
    assert str(constraints.Length(1, 3)) == 'Length between 1 and 3'
    assert dict(constraints.Length(max=3)) == {'length': {'max': 3}}


# Modulo

@pytest.mark.parametrize(('step', 'offset', 'good', 'bad'), [
    (2, 0, [0, 2, -4, '6', 8.0], [1, '3', 0.5]),
    (5, 3, [3, 8, -2], [0, 5]),
    (-2, -1, [-1, 1], [0, 2]),
])
def test_modulo(step, offset, good, bad):
    constraint = constraints.Modulo(step, offset)
    for value in good:
        constraint.validate(value)
    for value in bad:
        refuses(constraint, value)
    assert dict(constraint) == {'modulo': {'step': step, 'offset': offset}}


@pytest.mark.parametrize('args', [
    (), (2,), (None, 1), (0, 0), (2, 2), (2, 3), (2, -1), (-2, 1),
    (2.0, 1), ('2', 1), (2, True)])
def test_modulo_is_checked(args):
    with pytest.raises(exception.InvalidSchemaError):
        constraints.Modulo(*args)


# AllowedValues

@pytest.mark.parametrize(('data_type', 'allowed', 'good', 'bad'), [
    (Schema.STRING, ['a', '1'], ['a', '1', 1], ['b', 'A']),
    (Schema.INTEGER, [1, '2'], [1, '1', 2, 1.0], [3, 'x', 1.5]),
    (Schema.NUMBER, [1.5], [1.5, '1.5'], [1, 'x']),
    (Schema.BOOLEAN, [True], [True, 'true', 'on'], [False, 'perhaps']),
    (Schema.LIST, ['a', 'b'], [['a'], [], ['a', 'b', 'a']], [['c']]),
])
def test_allowed_values(data_type, allowed, good, bad):
    constraint = constraints.AllowedValues(allowed)
    schema = Schema(data_type, constraints=[constraint])
    for value in good:
        schema.validate_constraints(value)
    for value in bad:
        with pytest.raises(exception.StackValidationFailed):
            schema.validate_constraints(value)


def test_allowed_values_without_schema():
    constraint = constraints.AllowedValues([1, 2])
    constraint.validate(1)
    assert '[1, 2]' in refuses(constraint, '1')
    assert dict(constraint) == {'allowed_values': [1, 2]}


@pytest.mark.parametrize('allowed', ['abc', None, 5, {'a': 1}])
def test_allowed_values_must_be_a_list(allowed):
    with pytest.raises(exception.InvalidSchemaError):
        constraints.AllowedValues(allowed)


# AllowedPattern

def test_allowed_pattern():
    constraint = constraints.AllowedPattern('[a-z]+', 'Lower case only')
    constraint.validate('abc')
    assert refuses(constraint, 'abc1') == 'Lower case only'
    assert dict(constraint) == {'allowed_pattern': '[a-z]+',
                                'description': 'Lower case only'}
    assert '[a-z]+' in refuses(constraints.AllowedPattern('[a-z]+'), 'A')


@pytest.mark.parametrize('pattern', ['(', 5, None])
def test_allowed_pattern_is_checked(pattern):
    with pytest.raises(exception.InvalidSchemaError):
        constraints.AllowedPattern(pattern)


# CustomConstraint

def test_custom_constraint(env):
    constraint = constraints.CustomConstraint('cloud.thing',
                                              environment=env)
    context = known_names.Context('one')
    constraint.validate('one', None, context)
    assert 'two' in refuses(constraint, 'two', None, context)
    assert dict(constraint) == {'custom_constraint': 'cloud.thing'}


def test_custom_constraint_in_global_environment(env):
    constraint = constraints.CustomConstraint('cloud.thing')
    assert 'not found' in refuses(constraint, 'one')
    environment.set_global_env(env)
    try:
        constraint.validate('one', None, known_names.Context('one'))
    finally:
        environment.set_global_env(None)


def test_custom_constraint_with_description(env):
    constraint = constraints.CustomConstraint('cloud.thing', 'A thing',
                                              environment=env)
    assert str(constraint) == 'A thing'
    refuses(constraint, 'x', None, known_names.Context())


def test_custom_constraint_text_of_class(env):
    class Spoken(KnownNames):
        message = 'Something spoken'

    env.register_constraint('spoken', Spoken)
    assert str(constraints.CustomConstraint(
        'spoken', environment=env)) == 'Something spoken'


def test_custom_constraint_without_error_method(env):
    class Plain:
        def validate(self, value, context):
            return value == 'good'

    env.register_constraint('plain', Plain)
    constraint = constraints.CustomConstraint('plain', environment=env)
    constraint.validate('good')
    assert 'plain' in refuses(constraint, 'bad')


def test_unexpected_errors_pass(env):
    constraint = constraints.CustomConstraint('cloud.thing',
                                              environment=env)
    with pytest.raises(ConnectionError):
        constraint.validate('broken', None, known_names.Context())


def test_reasons_do_not_mix_between_threads(env):
    both_failed = threading.Barrier(2, timeout=60)

    class Slow(KnownNames):
        def error(self, value):
            both_failed.wait()
            return super().error(value)

    env.register_constraint('slow', Slow)
    constraint = constraints.CustomConstraint('slow', environment=env)
    messages = {}

    def check(value):
        messages[value] = refuses(constraint, value, None,
                                  known_names.Context())

    threads = [threading.Thread(target=check, args=(name,))
               for name in ('left', 'right')]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages['left'].count('left') == 2
    assert messages['right'].count('right') == 2


# Schema

def test_schema_shows_what_is_set():
    schema = Schema(Schema.INTEGER, 'How many', default=1,
                    constraints=[constraints.Range(0, 9)])
    assert dict(schema) == {
        'type': 'integer', 'description': 'How many', 'default': 1,
        'required': False, 'immutable': False,
        'constraints': [{'range': {'min': 0, 'max': 9}}]}
    assert len(schema) == 6


def test_schema_shows_nested():
    schema = Schema(Schema.LIST, schema=Schema(
        Schema.MAP, schema={'a': Schema(Schema.STRING, required=True)}))
    assert dict(schema)['schema'] == {'*': {
        'type': 'map', 'required': False, 'immutable': False,
        'schema': {'a': {'type': 'string', 'required': True,
                         'immutable': False}}}}


@pytest.mark.parametrize('make', [
    lambda: Schema('Text'),
    lambda: Schema(Schema.STRING, schema={'a': Schema(Schema.STRING)}),
    lambda: Schema(Schema.STRING, constraints=[constraints.Range(1)]),
    lambda: Schema(Schema.MAP, constraints=[constraints.Modulo(2, 0)]),
    lambda: Schema(Schema.INTEGER, constraints=[constraints.Length(1)]),
    lambda: Schema(Schema.INTEGER,
                   constraints=[constraints.AllowedPattern('a')]),
    lambda: Schema(Schema.STRING, constraints=['a']),
])
def test_bad_schema(make):
    with pytest.raises(exception.InvalidSchemaError):
        make()


def test_default_must_meet_constraints():
    schema = Schema(Schema.INTEGER, default=0,
                    constraints=[constraints.Range(1)])
    with pytest.raises(exception.InvalidSchemaError, match='default'):
        schema.validate()
    Schema(Schema.MAP, schema={'n': schema})
    with pytest.raises(exception.InvalidSchemaError):
        Schema(Schema.MAP, schema={'n': schema}).validate()
    with pytest.raises(exception.InvalidSchemaError):
        Schema(Schema.LIST, schema=schema).validate()


def test_default_is_not_shown_to_custom_constraints():
    Schema(Schema.STRING, default='x', constraints=[
        constraints.CustomConstraint('unknown')]).validate()


@pytest.mark.parametrize(('data_type', 'value', 'result'), [
    (Schema.INTEGER, '5', 5), (Schema.INTEGER, 5.0, 5),
    (Schema.NUMBER, '5', 5), (Schema.NUMBER, '5.5', 5.5),
    (Schema.STRING, 5, '5'), (Schema.BOOLEAN, 'no', False),
    (Schema.MAP, {'a': 1}, {'a': 1}), (Schema.ANY, None, None),
])
def test_to_schema_type(data_type, value, result):
    assert Schema(data_type).to_schema_type(value) == result


@pytest.mark.parametrize(('data_type', 'value'), [
    (Schema.INTEGER, '5.5'), (Schema.INTEGER, 'x'), (Schema.NUMBER, 'x'),
    (Schema.NUMBER, None), (Schema.BOOLEAN, 'maybe'),
    (Schema.INTEGER, float('inf'))])
def test_to_schema_type_refuses(data_type, value):
    with pytest.raises(ValueError, match='not of type'):
        Schema(data_type).to_schema_type(value)


def test_third_party_constraint_by_type_key():
    class Even(constraints.Constraint):
        valid_types = (Schema.INTEGER_TYPE,)

        def _is_valid(self, value, schema, context):
            return value % 2 == 0

        def _err_msg(self, value):
            return '%s is odd' % value

        def _str(self):
            return 'Even'

        def _constraint(self):
            return True

    schema = Schema(Schema.INTEGER, constraints=[Even()])
    assert dict(schema)['constraints'] == [{'even': True}]
    with pytest.raises(exception.StackValidationFailed, match='3 is odd'):
        schema.validate_constraints(3)
    with pytest.raises(exception.InvalidSchemaError):
        Schema(Schema.STRING, constraints=[Even()])
