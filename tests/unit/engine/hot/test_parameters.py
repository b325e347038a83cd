import json
import pathlib

import pytest

from heat.common import exception
from heat.common import identifier
from heat.engine.hot import parameters

FACTS = json.loads(
    (pathlib.Path(__file__).parents[3] / 'facts' / 'hot_versions.json')
    .read_text())

Schema = parameters.HOTParamSchema
Schema2017 = parameters.HOTParamSchema20170224
Schema2018 = parameters.HOTParamSchema20180302


def schema_of(version):
    """Return the schema class that a version of the language has."""
    if version >= '2018-03-02':
        return Schema2018
    return Schema2017 if version >= '2017-02-24' else Schema


@pytest.mark.parametrize('version', [
    facts['version'] for facts in FACTS['versions'].values()
    if facts['type'] == 'hot'])
def test_keys_of_every_version(version):
    facts = FACTS['versions']['heat_template_version.' + version]
    schema = schema_of(version)
    assert list(schema.PARAMETER_KEYS) == facts['parameter_schema_keys']
    assert list(schema.KEYS) == facts['parameter_schema_keys']
    assert list(schema.TYPES) == facts['parameter_types']
    assert {*schema.CONSTRAINT_KEYS, 'description'} == set(
        facts['parameter_constraints'])
    assert set(parameters.HOTParameters.PSEUDO_PARAMETERS) == set(
        facts['pseudo_parameters'])


def make(schema=Schema2018, **snippet):
    return schema.from_dict('p', {'type': 'string', **snippet})


@pytest.mark.parametrize(('kind', 'constraint'), [
    ('string', {'length': {'min': 1, 'max': 5}}),
    ('string', {'length': {'max': 5}}),
    ('comma_delimited_list', {'length': {'min': 1}}),
    ('json', {'length': {'min': 1}}),
    ('number', {'range': {'min': 0, 'max': 5.5}}),
    ('number', {'modulo': {'step': 2, 'offset': 1}}),
    ('string', {'allowed_values': ['a', 'b']}),
    ('boolean', {'allowed_values': [True]}),
    ('string', {'allowed_pattern': '[a-z]+'}),
    ('string', {'custom_constraint': 'nova.flavor'}),
    ('string', {'allowed_pattern': '[a-z]+', 'description': 'Lower case'}),
])
def test_constraints(kind, constraint):
    schema = make(type=kind, constraints=[constraint])
    assert [dict(found) for found in schema.constraints] == [constraint]


def test_everything_at_once():
    schema = make(description='What', default='a', hidden=True, label='L',
                  immutable=True, tags=['x'], constraints=None)
    assert dict(schema) == {
        'type': 'string', 'description': 'What', 'default': 'a',
        'hidden': True, 'label': 'L', 'immutable': True, 'tags': ['x']}
    assert not schema.required
    assert make().required


@pytest.mark.parametrize(('snippet', 'message'), [
    ({'type': 'text'}, 'text'),
    ({'Type': 'string'}, 'Did you mean "type"'),
    ({'constraints': {'length': {'min': 1}}}, 'list'),
    ({'constraints': ['length']}, 'map'),
    ({'constraints': [{'lenght': {'min': 1}}]}, 'Did you mean "length"'),
    ({'constraints': [{'description': 'x'}]}, 'one of'),
    ({'constraints': [{'length': {'min': 1}, 'allowed_values': []}]},
     'allowed_values'),
    ({'constraints': [{'length': {}}]}, 'min'),
    ({'constraints': [{'length': 5}]}, 'map'),
    ({'constraints': [{'length': {'mni': 1}}]}, 'mni'),
    ({'constraints': [{'range': {'min': 1}}]}, 'range'),
    ({'constraints': [{'modulo': {'step': 2}}]}, 'modulo'),
    ({'constraints': [{'allowed_pattern': '('}]}, 'regular'),
    ({'constraints': [{'allowed_values': 5}]}, 'list'),
    ({'tags': 'a,b'}, 'tags'),
    ({'type': None}, 'None'),
])
def test_malformed(snippet, message):
    with pytest.raises(exception.InvalidSchemaError, match=message) as info:
        make(**snippet)
    assert info.value.path[:2] == ['parameters', 'p']
    assert str(info.value).startswith('parameters.p')


def test_missing_type():
    with pytest.raises(exception.InvalidSchemaError, match='type'):
        Schema.from_dict('p', {'default': 1})


def test_modulo_is_new_in_2017():
    snippet = {'type': 'number',
               'constraints': [{'modulo': {'step': 2, 'offset': 0}}]}
    with pytest.raises(exception.InvalidSchemaError, match='modulo'):
        Schema.from_dict('p', snippet)
    Schema2017.from_dict('p', snippet)


def test_tags_are_new_in_2018():
    with pytest.raises(exception.InvalidSchemaError, match='tags'):
        make(schema=Schema2017, tags=['a'])


class Template:
    PARAMETERS = 'parameters'

    @staticmethod
    def param_schemata(param_defaults=None):
        return {'size': Schema.from_dict('size', {'type': 'number'})}


def test_pseudo_parameters():
    identity = identifier.HeatIdentifier('proj', 'web', 'a-b-c')
    params = parameters.HOTParameters(identity, Template, {'size': '3'})
    params.validate()
    assert dict(params) == {'size': 3, 'OS::stack_id': 'a-b-c',
                            'OS::stack_name': 'web',
                            'OS::project_id': 'proj'}
    assert 'OS::region' not in params


def test_stack_id_comes_later():
    params = parameters.HOTParameters(None, Template, {'size': '3'})
    assert params['OS::stack_id'] == 'None'
    params.set_stack_id(identifier.HeatIdentifier('proj', 'web', 'a-b-c'))
    assert params['OS::stack_id'] == 'a-b-c'


def test_error_has_the_path():
    params = parameters.HOTParameters(None, Template, {'size': 'x'})
    with pytest.raises(exception.StackValidationFailed,
                       match='^parameters.size: '):
        params.validate()
