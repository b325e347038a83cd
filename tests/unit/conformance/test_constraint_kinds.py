"""Every constraint on every type of parameter and property."""
import pytest

from heat.common import exception
from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import template
from tests.unit.conformance import language

KINDS = language.facts('constraints')['kinds']
HOT = 'heat_template_version.2021-04-16'
TYPES = {'string': 'String', 'number': 'Number', 'boolean': 'Boolean',
         'comma_delimited_list': 'List', 'json': 'Map'}

#: kind: what it is given, and by type: values that are good, and bad.
SAMPLES = {
    'allowed_pattern': ('[a-c]+', {'String': (['a', 'abc'], ['', 'ad'])}),
    'allowed_values': ({'String': ['a', '1'], 'Number': [1, '2.5'],
                        'Integer': [1, '2'], 'Boolean': [True],
                        'List': ['a', 'b']}, {
        'String': (['a', 1], ['A', '', 2]),
        'Number': (['1', 1.0, 2.5], [3, '2']),
        'Integer': (['1', 2], [3]),
        'Boolean': (['true', True], [False, 'false']),
        'List': ([['a'], ['b', 'a'], []], [['c'], ['a', 'c']])}),
    'custom_constraint': ('picky', {
        'String': (['good'], ['bad']), 'Number': ([1], [666]),
        'Integer': ([1], [666]), 'Boolean': ([True], [False]),
        'List': ([['good', 'good']], [['bad']])}),
    'length': ({'min': 1, 'max': 2}, {
        'String': (['a', 'ab'], ['', 'abc']),
        'List': ([['a'], ['a', 'b']], [[], ['a', 'b', 'c']]),
        'Map': ([{'a': 1}], [{}, {'a': 1, 'b': 2, 'c': 3}])}),
    'modulo': ({'step': 3, 'offset': 1}, {
        'Number': ([1, '4', -2], [3, '2']),
        'Integer': ([1, 4, -2], [3, 2])}),
    'range': ({'min': 1, 'max': 2.5}, {
        'Number': ([1, '2.5'], [0, 2.6, '-1', float('nan')]),
        'Integer': ([1, '2'], [0, 3])}),
}
MAKE = {
    'allowed_pattern': constraints.AllowedPattern,
    'allowed_values': constraints.AllowedValues,
    'custom_constraint': constraints.CustomConstraint,
    'length': lambda bounds: constraints.Length(**bounds),
    'modulo': lambda parts: constraints.Modulo(**parts),
    'range': lambda bounds: constraints.Range(**bounds),
}


class Picky:
    """A custom constraint."""

    def validate(self, value, context):
        # A list comes as a whole.
        return value not in ('bad', 666, False, ['bad'])


@pytest.fixture(autouse=True)
def _picky(monkeypatch):
    monkeypatch.setitem(environment.global_env().constraints, 'picky', Picky)


def test_every_kind_is_tried_on_every_type():
    assert {kind: set(values) for kind, (_args, values) in SAMPLES.items()
            } == {kind: set(facts['valid_types'])
                  for kind, facts in KINDS.items()}


def arguments(kind, type_name):
    """Return what a constraint of a kind is given for a type."""
    given = SAMPLES[kind][0]
    if kind == 'allowed_values':
        return given.get(type_name, ['a'])
    return given


@pytest.mark.parametrize('kind', sorted(KINDS))
@pytest.mark.parametrize('type_name', [
    'String', 'Integer', 'Number', 'Boolean', 'List', 'Map'])
def test_properties(type_name, kind):
    constraint = MAKE[kind](arguments(kind, type_name))
    if type_name not in KINDS[kind]['valid_types']:
        with pytest.raises(exception.InvalidSchemaError, match=type_name):
            properties.Schema(type_name, constraints=[constraint])
        return
    schema = properties.Schema(type_name, constraints=[constraint])
    schema.validate()
    assert list(dict(constraint)) == list(KINDS[kind]['serialised_keys'])
    good, bad = SAMPLES[kind][1][type_name]
    for value in good:
        properties.Properties({'p': schema}, {'p': value}).validate()
    for value in bad:
        props = properties.Properties({'p': schema}, {'p': value})
        with pytest.raises(exception.StackValidationFailed) as caught:
            props.validate()
        assert caught.value.path[0] == 'p'


def parameters_of(type_name, kind, value, default=None):
    """Return the parameters of a template, one with the constraint."""
    schema = {'type': type_name, 'constraints': [
        {kind: arguments(kind, TYPES[type_name]), 'description': 'told'}]}
    if default is not None:
        schema['default'] = default
    tmpl = template.Template(language.data_of(HOT, parameters={'p': schema}))
    return tmpl.parameters(None, {} if value is None else {'p': value})


@pytest.mark.parametrize('kind', sorted(KINDS))
@pytest.mark.parametrize('type_name', sorted(TYPES))
def test_parameters(type_name, kind):
    plain = TYPES[type_name]
    if plain not in KINDS[kind]['valid_types']:
        with pytest.raises(exception.InvalidSchemaError):
            parameters_of(type_name, kind, 'x').validate()
        return
    good, bad = SAMPLES[kind][1][plain]
    for value in good:
        parameters_of(type_name, kind, value).validate()
        parameters_of(type_name, kind, None, default=value).validate()
    for value in bad:
        with pytest.raises(exception.StackValidationFailed) as caught:
            parameters_of(type_name, kind, value).validate()
        assert list(caught.value.path) == ['parameters', 'p']
        if 'nan' not in str(value):
            # What the author of the template has to say about it.
            assert 'told' in str(caught.value)


_CFN = {'allowed_pattern': lambda value: {'AllowedPattern': value},
        'allowed_values': lambda value: {'AllowedValues': value},
        'length': lambda value: {'MinLength': value['min'],
                                 'MaxLength': str(value['max'])},
        'range': lambda value: {'MinValue': str(value['min']),
                                'MaxValue': value['max']}}


@pytest.mark.parametrize('kind', sorted(_CFN))
@pytest.mark.parametrize('version', language.CFN)
def test_cfn_parameters(version, kind):
    names = {'String': 'String', 'Number': 'Number', 'Boolean': 'Boolean',
             'List': 'CommaDelimitedList', 'Map': 'Json'}
    for plain, (good, bad) in SAMPLES[kind][1].items():
        if plain == 'Integer':
            continue
        data = language.data_of(version)
        data['Parameters'] = {'p': {
            'Type': names[plain], 'ConstraintDescription': 'told',
            **_CFN[kind](arguments(kind, plain))}}
        tmpl = template.Template(data)
        for value in good:
            tmpl.parameters(None, {'p': value}).validate()
        for value in bad:
            with pytest.raises(exception.StackValidationFailed):
                tmpl.parameters(None, {'p': value}).validate()


@pytest.mark.parametrize(('kind', 'wrong'), [
    ('length', {}), ('length', {'min': 'x'}), ('length', {'mim': 1}),
    ('length', {'min': 1.5}), ('length', 3), ('range', {}),
    ('range', {'max': [1]}), ('range', [1, 2]), ('modulo', {'step': 2}),
    ('modulo', {'offset': 1}), ('modulo', {'step': 0, 'offset': 0}),
    ('modulo', {'step': 2, 'offset': 2}),
    ('modulo', {'step': 2, 'offset': -1}), ('allowed_values', 'ab'),
    ('allowed_values', {'a': 1}), ('allowed_pattern', '('),
    ('allowed_pattern', ['a']), ('allowed_vales', ['a'])])
def test_malformed_constraints(kind, wrong):
    for type_name in TYPES:
        data = language.data_of(HOT, parameters={'p': {
            'type': type_name, 'constraints': [{kind: wrong}]}})
        with pytest.raises(exception.InvalidSchemaError) as caught:
            template.Template(data).parameters(None, {'p': 1}).validate()
        assert list(caught.value.path)[:2] == ['parameters', 'p']
