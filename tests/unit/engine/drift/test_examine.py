"""What a plugin tells of a resource, held against its definition."""
import contextlib

import pytest

from heat.common import exception
from heat.engine import comparable
from heat.engine import properties
from heat.engine import resource
from heat.engine.comparison import live
from heat.engine.drift import examine
from heat.engine.plans import drift_causes

Schema = properties.Schema


class Thing(resource.Resource):
    """Tells what a test says, without a stack."""

    properties_schema = {
        'a': Schema(Schema.STRING, update_allowed=True),
        'map': Schema(Schema.MAP, update_allowed=True),
        'on': Schema(Schema.BOOLEAN, default=True, update_allowed=True),
        'name': Schema(Schema.STRING, update_allowed=True),
        'fixed': Schema(Schema.STRING),
        'ignored': Schema(Schema.STRING, update_allowed=True)}
    drift_ignored = ('ignored',)
    name_property = 'name'
    id, action, status, external_id = 1, 'CREATE', 'COMPLETE', None
    context = None
    resource_id, name = 'physical', 'it'

    def __new__(cls, *_args):
        return object.__new__(cls)

    def __init__(self, given, actual):
        self.given, self.actual = given, actual

    def type(self):
        return 'Test::Thing'

    @contextlib.contextmanager
    def frozen_properties(self):
        yield properties.Properties(self.properties_schema, self.given)

    def physical_resource_name(self):
        return 'of-ours'

    def get_live_resource_data(self):
        if isinstance(self.actual, Exception):
            raise self.actual
        return self.actual

    def client_plugin(self, name=None):
        return None


def examined(given, actual, secret=(), **values):
    thing = Thing(given, actual)
    vars(thing).update(values)
    found = examine.of_resource(thing, live.LiveState(1), secret)
    assert (found['type'], found['physical_resource_id']) == (
        'Test::Thing', thing.resource_id)
    return found


def differences(given, actual):
    return {each['property']: (each['expected'], each['actual'])
            for each in examined(given, actual)['differences']}


@pytest.mark.parametrize(('given', 'actual'), [
    ({'a': 'x'}, {'a': 'x', 'more': 1}),
    ({}, {'a': 'chosen', 'map': {'chosen': 1}}),
    ({}, {'on': True, 'name': 'of-ours'}), ({}, {'on': None}),
    ({'ignored': 'x'}, {'ignored': 'y'}),
    ({'a': 'x'}, {}), ({'fixed': 'x'}, {'fixed': 'y'}),
])
def test_in_sync(given, actual):
    found = examined(given, actual)
    assert (found['status'], found['reason'], found['differences']) == (
        'IN_SYNC', '', [])


def test_modified():
    assert differences({'a': 'x', 'map': {'k': 1}}, {
        'a': 'y', 'map': {'k': 2}, 'on': False, 'name': 'renamed'}) == {
        'a': ('x', 'y'), 'map.k': (1, 2), 'on': (True, False),
        'name': ('of-ours', 'renamed')}


def test_a_type_may_judge_itself(monkeypatch):
    monkeypatch.setattr(Thing, 'drift_state', lambda self, props, data: {
        'a': comparable.Differs(data['a']),
        'map': comparable.Differs({'not': 'given'})})
    assert differences({'a': 'x'}, {'a': 'x'}) == {'a': ('x', 'x')}


def test_deleted():
    found = examined({}, exception.EntityNotFound(entity='T', name='t'))
    assert (found['status'], found['differences']) == ('DELETED', [])


@pytest.mark.parametrize('values', [
    {'status': 'IN_PROGRESS'}, {'action': 'INIT'}, {'id': None},
    {'resource_id': None}])
def test_unsupported(values):
    is_not_compared(examined({'a': 'x'}, {'a': 'y'}, **values))


def test_what_cannot_be_read_is_unsupported():
    found = examined({'a': 'x'}, ValueError('out of order'))
    is_not_compared(found)
    assert 'out of order' in found['reason']


def is_not_compared(found):
    assert found['status'] == 'UNSUPPORTED'
    assert found['reason']
    assert found['differences'] == []


def test_of_an_external_resource_only_its_existence_counts():
    assert examined({'a': 'x'}, {'a': 'y'}, external_id='e')[
        'status'] == 'IN_SYNC'


def test_secret_values_are_masked():
    [found] = examined({'map': {'k': 'x'}}, {'map': {'k': 'y'}},
                       {'map'})['differences']
    assert found == {'property': 'map.k', 'expected': '******',
                     'actual': '******'}


def test_many_differences_are_cut():
    given = {str(number): 1 for number in range(150)}
    found = examined({'map': given}, {'map': dict.fromkeys(given, 2)})
    assert len(found['differences']) == drift_causes.MOST_DIFFERENCES + 1
    assert found['differences'][-1] == {'left_out': 50}
