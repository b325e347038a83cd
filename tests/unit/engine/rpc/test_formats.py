"""Objects of the engine as RPC answers have them."""
import datetime
import types

from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.common import exception
from heat.common import identifier
from heat.common import request_budget
from heat.engine import constraints
from heat.engine import parameters
from heat.engine.rpc import formats
from tests.fakes import strategies

MOMENT = datetime.datetime(2026, 5, 1, 12, 0, 0)


# -- arguments --------------------------------------------------------------

@pytest.mark.parametrize(('given_args', 'found'), [
    ({}, {}),
    ({'timeout_mins': '60'}, {'timeout_mins': 60}),
    ({'timeout_mins': 0}, {}), ({'timeout_mins': None}, {}),
    ({'disable_rollback': 'True'}, {'disable_rollback': True}),
    ({'disable_rollback': False}, {'disable_rollback': False}),
    ({'disable_rollback': None}, {}),
    ({'converge': 'false'}, {'converge': False}),
    ({'tags': ['a']}, {'tags': ['a']}), ({'tags': []}, {}),
    ({'adopt_stack_data': '{"resources": {}}'},
     {'adopt_stack_data': {'resources': {}}}),
    ({'adopt_stack_data': ''}, {}), ({'unknown': 1}, {}),
])
def test_arguments(given_args, found):
    assert formats.extract_args(given_args) == found


@pytest.mark.parametrize(('given_args', 'text'), [
    ({'timeout_mins': 'long'}, 'timeout_mins'),
    ({'timeout_mins': 1.5}, 'timeout_mins'),
    ({'disable_rollback': 'perhaps'}, 'disable_rollback'),
    ({'tags': 'a,b'}, 'not a list: a,b'),
    ({'adopt_stack_data': '[1]'}, 'YAML mapping'),
])
def test_bad_arguments_are_named(given_args, text):
    with pytest.raises(ValueError, match=text):
        formats.extract_args(given_args)


@pytest.mark.parametrize(('filters', 'columns'), [
    (None, {}),
    ({'stack_name': 'a', 'stack_owner': ['b', 'c']},
     {'name': ['a'], 'username': ['b', 'c']}),
    ({'stack_status': 'FAILED'}, {'status': ['FAILED']}),
    ({'status': 'CREATE_FAILED'},
     {'action': ['CREATE'], 'status': ['FAILED']}),
    ({'status': ['CREATE_COMPLETE', 'IN_PROGRESS', 'UPDATE_IN_PROGRESS']},
     {'action': ['CREATE', 'UPDATE'],
      'status': ['COMPLETE', 'IN_PROGRESS', 'IN_PROGRESS']}),
    ({'disable_rollback': 'true'}, {'disable_rollback': [True]}),
    ({'timeout_mins': '5'}, {'timeout': [5]}),
    ({'tenant': 't'}, {'tenant': ['t']}),
])
def test_filters_of_a_list(filters, columns):
    assert formats.translate_filters(filters) == columns


@pytest.mark.parametrize('filters', [
    {'disable_rollback': 'perhaps'}, {'timeout_mins': 'x'}])
def test_bad_filters(filters):
    with pytest.raises(exception.Invalid):
        formats.translate_filters(filters)


# -- outputs ----------------------------------------------------------------

class Output:
    name = 'o'

    def __init__(self, value):
        self.value = value

    def description(self):
        return 'An output'

    def get_value(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@strategies.SETTINGS
@given(st.recursive(strategies.scalars, lambda inner: st.lists(
    inner, max_size=3), max_leaves=5))
def test_output_has_its_value(value):
    assert formats.format_stack_output(Output(value)) == {
        'output_key': 'o', 'description': 'An output',
        'output_value': value}


@pytest.mark.parametrize(('error', 'text'), [
    (ValueError('no'), 'ValueError: no'),
    (exception.TemplateOutputError(resource='r', attribute='a',
                                   message='m'), 'm')])
def test_output_that_fails_fails_alone(error, text):
    good, bad = Output(1), Output(error)
    shown = formats.format_stack_outputs({'g': good, 'b': bad}, True)
    assert shown[0]['output_value'] == 1
    assert shown[1]['output_value'] is None
    assert text in shown[1]['output_error']


def test_values_are_not_asked_for_unless_wanted():
    shown = formats.format_stack_outputs(
        {'o': Output(ZeroDivisionError())})
    assert shown == [{'output_key': 'o', 'description': 'An output'}]


def test_large_outputs_count():
    large = Output('x' * 100000)
    before = request_budget.limits()
    request_budget.configure(request_budget.Limits(output_size=10 ** 6))
    try:
        with request_budget.of_request():
            shown = [formats.format_stack_output(large) for _turn in range(3)]
            # A small one is shown beside.
            small = formats.format_stack_output(Output('small'))
    finally:
        request_budget.configure(before)
    assert 'output_error' not in shown[0]
    assert 'output_size' in shown[2]['output_error']
    assert small['output_value'] == 'small'


# -- resources --------------------------------------------------------------

class Attributes(dict):
    def __getitem__(self, name):
        value = super().__getitem__(name)
        if isinstance(value, Exception):
            raise value
        return value


def resource_with(**attributes):
    return types.SimpleNamespace(
        SHOW='show', attributes=Attributes(attributes),
        attributes_schema=dict.fromkeys(
            name for name in attributes if name != 'show'),
        base_attributes_schema={'show': None})


def test_attribute_that_fails_is_null():
    res = resource_with(a=1, b=OSError('away'), c=KeyError())
    assert formats.format_resource_attributes(res) == {
        'a': 1, 'b': None, 'c': None}


def test_all_that_a_service_shows_takes_the_place_of_attributes():
    res = resource_with(a=1, show={'id': 'x'})
    assert formats.format_resource_attributes(res) == {'id': 'x'}
    assert formats.format_resource_attributes(res, ['a']) == {
        'id': 'x', 'a': 1}
    res = resource_with(a=1, show=None)
    assert formats.format_resource_attributes(res, ['extra']) == {
        'a': 1, 'extra': None}


def test_properties_that_are_not_known_yet_are_null():
    class Properties(Attributes):
        pass

    res = types.SimpleNamespace(
        properties=Properties(a=1, b=ValueError()),
        properties_schema={'a': None, 'b': None})
    assert formats.format_resource_properties(res) == {'a': 1, 'b': None}


# -- rows -------------------------------------------------------------------

IDENTITY = identifier.HeatIdentifier('project', 'web', 'id')


def event(**changes):
    return types.SimpleNamespace(**{
        'id': 7, 'uuid': 'u', 'resource_name': 'r', 'created_at': MOMENT,
        'physical_resource_id': 'p', 'resource_action': 'CREATE',
        'resource_status': 'COMPLETE', 'resource_status_reason': 'done',
        'resource_type': 'T', 'resource_properties': {'a': 1}, **changes})


def test_event():
    shown = formats.format_event(event(), IDENTITY)
    assert shown['event_identity']['path'] == '/resources/r/events/u'
    assert shown['stack_identity'] == dict(IDENTITY)
    assert shown['event_time'] == '2026-05-01T12:00:00Z'
    assert shown['resource_properties'] == {'a': 1}
    assert 'root_stack_id' not in shown


def test_event_of_a_list_has_no_properties():
    shown = formats.format_event(event(uuid=None), IDENTITY, IDENTITY,
                                 include_rsrc_prop_data=False)
    assert shown['event_identity']['path'].endswith('/7')
    assert 'resource_properties' not in shown
    assert shown['root_stack_id'] == dict(IDENTITY)


def test_times():
    assert formats.format_time(None) is None
    assert formats.format_time(MOMENT) == '2026-05-01T12:00:00Z'


def test_snapshot():
    row = types.SimpleNamespace(id='s', name=None, action='CREATE',
                                status='COMPLETE', status_reason='',
                                created_at=MOMENT)
    shown = formats.format_snapshot(row, {'d': 1})
    assert (shown['id'], shown['name'], shown['data']) == ('s', None,
                                                           {'d': 1})


def test_software_config():
    row = types.SimpleNamespace(
        id='c', name='n', group='g', created_at=MOMENT, tenant='t',
        config={'config': 'text', 'inputs': [1]})
    assert formats.format_software_config(row)['config'] == 'text'
    listed = formats.format_software_config(row, detail=False,
                                            include_project=True)
    assert set(listed) == {'id', 'name', 'group', 'creation_time', 'project'}
    row.config = None
    assert formats.format_software_config(row)['inputs'] is None
    assert formats.format_software_config(None) is None


def test_software_deployment():
    row = types.SimpleNamespace(
        id='d', server_id='s', input_values={}, output_values=None,
        action='CREATE', status='COMPLETE', status_reason='', config_id='c',
        created_at=MOMENT, updated_at=None)
    assert 'updated_time' not in formats.format_software_deployment(row)
    row.updated_at = MOMENT
    assert formats.format_software_deployment(row)['updated_time'] == (
        '2026-05-01T12:00:00Z')
    assert formats.format_software_deployment(None) is None


# -- parameters -------------------------------------------------------------

def described(kind, value=None, **options):
    schema = parameters.Schema(kind, **options)
    return formats.format_validate_parameter(
        parameters.Parameter('p', schema, value))


@pytest.mark.parametrize(('kind', 'text'), [
    (parameters.Schema.STRING, 'String'),
    (parameters.Schema.NUMBER, 'Number'),
    (parameters.Schema.LIST, 'CommaDelimitedList'),
    (parameters.Schema.MAP, 'Json'),
    (parameters.Schema.BOOLEAN, 'Boolean')])
def test_types_of_parameters(kind, text):
    assert described(kind)['Type'] == text


def test_parameter_with_all_that_it_has():
    shown = described(
        parameters.Schema.STRING, 'abc', default='ab', label='L',
        description='D', tags=['t'], constraints=[
            constraints.Length(1, 5, description='short'),
            constraints.AllowedPattern('a.*', description='with an a'),
            constraints.AllowedValues(['ab', 'abc'])])
    assert shown == {
        'Type': 'String', 'Description': 'D', 'NoEcho': 'false',
        'Label': 'L', 'Tags': ['t'], 'Default': 'ab', 'Value': 'abc',
        'MinLength': 1, 'MaxLength': 5, 'AllowedPattern': 'a.*',
        'AllowedValues': ['ab', 'abc'],
        'ConstraintDescription': 'short with an a'}


@pytest.mark.parametrize(('constraint', 'shown'), [
    (constraints.Range(1, None), {'MinValue': 1}),
    (constraints.Range(None, 0), {'MaxValue': 0}),
    (constraints.Modulo(2, 1), {'Step': 2, 'Offset': 1})])
def test_bounds_of_numbers(constraint, shown):
    found = described(parameters.Schema.NUMBER, constraints=[constraint])
    assert {key: value for key, value in found.items() if key in (
        'MinValue', 'MaxValue', 'Step', 'Offset')} == shown


def test_hidden_parameter_shows_no_value():
    shown = described(parameters.Schema.STRING, 'secret', default='old',
                      hidden=True)
    assert shown['NoEcho'] == 'true'
    assert not {'Default', 'Value'} & set(shown)


def test_value_of_no_use_is_shown_as_it_came():
    assert described(parameters.Schema.NUMBER, 'many')['Value'] == 'many'
