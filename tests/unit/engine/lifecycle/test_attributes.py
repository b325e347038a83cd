"""Attributes of resources, and what others may know of them."""
import types

import pytest

from heat.common import exception
from heat.engine.lifecycle import attributes
from tests.unit.engine.lifecycle import things

pytestmark = pytest.mark.usefixtures('no_things')


def test_attribute_and_path():
    res = things.created(things.make_stack())
    assert res.FnGetAtt('map') == {'a': [1, 2]}
    assert res.FnGetAtt('map', 'a', 1) == 2
    assert res.FnGetAtt('map', 'b', 'c') is None
    assert res.FnGetAtt('show') == {'all': True}


def test_unknown_attribute_is_an_error():
    res = things.created(things.make_stack())
    with pytest.raises(exception.InvalidTemplateAttribute):
        res.FnGetAtt('absent')


def test_thing_that_is_gone_has_null_attributes():
    assert things.created(things.make_stack()).FnGetAtt('nothing') is None


def test_attributes_are_asked_for_once():
    res = things.created(things.make_stack())
    for _time in range(2):
        assert res.FnGetAtt('map')
        assert res.FnGetAtt('never')
    assert things.Thing.asked.count('map') == 1
    assert things.Thing.asked.count('never') == 2


def test_referenced_attributes_are_stored_with_the_outcome():
    stack = things.make_stack(outputs=things.OUTPUTS)
    things.created(stack)
    assert stack.row('r').attributes == {'map': {'a': [1, 2]}}
    things.Thing.asked.clear()
    assert stack.reload('r').FnGetAtt('map', 'a') == [1, 2]
    assert things.Thing.asked == []


def test_referenced_attrs():
    stack = things.make_stack(
        {'r': {'type': 'T::Thing'},
         'x': {'type': 'T::Other', 'properties': {
             'p': {'get_attr': ['r', 'map', 'a']}}},
         'y': {'type': 'T::Thing'}},
        outputs={'o': {'value': {'get_attr': ['y']}},
                 'p': {'value': {'get_attr': ['r', 'never']}}})
    assert stack['r'].referenced_attrs(in_outputs=False) == {('map', 'a')}
    assert stack['r'].referenced_attrs(in_resources=False) == {'never'}
    assert stack['y'].referenced_attrs() == {'map', 'never', 'nothing',
                                             'broken'}
    assert stack['x'].referenced_attrs() == set()


def test_node_data():
    stack = things.make_stack(
        {'r': {'type': 'T::Thing'},
         'x': {'type': 'T::Other', 'properties': {
             'p': [{'get_attr': ['r', 'map', 'a']},
                   {'get_attr': ['r', 'broken']}]}}})
    res = things.created(stack)
    data = res.node_data()
    assert (data.primary_key, data.uuid, data.name) == (res.id, res.uuid,
                                                        'r')
    assert (data.action, data.status) == ('CREATE', 'COMPLETE')
    assert data.reference_id() == 'phys'
    assert data.attribute(('map', 'a')) == [1, 2]
    with pytest.raises(exception.Error, match='"broken" of resource "r"'):
        data.attribute('broken')


def test_attributes_of_a_stack_that_was_loaded_know_what_it_refers_to():
    """A plugin sees ids in its properties, not names of resources."""
    stack = things.make_stack({
        'a': {'type': 'T::Thing'},
        'r': {'type': 'T::Thing', 'depends_on': 'a',
              'properties': {'name': {'get_resource': 'a'}}}})
    known = []
    stack.rows = types.SimpleNamespace(expect=known.append)
    stack.refresh_node_data = known.append
    res = stack['r']
    res.id, res.action = 1, 'CREATE'
    assert attributes.resolve(res, 'map') == {'a': [1, 2]}
    assert known == [['a']] * 2


def test_live_data_of_what_is_gone(monkeypatch):
    res = things.created(things.make_stack())
    assert attributes.live_data(res) == {'all': True}
    for error, expected in (
            (exception.EntityNotFound(entity='Thing', name='x'),
             exception.EntityNotFound), (OSError('down'), OSError)):
        def fail(self, error=error):
            raise error

        monkeypatch.setattr(things.Thing, '_show_resource', fail)
        with pytest.raises(expected):
            attributes.live_data(res)


def test_live_properties_are_those_an_update_could_change():
    res = things.created(things.make_stack())
    assert attributes.live_properties(res.properties, {
        'name': 'n', 'size': 1, 'more': True}) == {'name': 'n'}
    assert attributes.live_properties(res.properties, {}) == {}


@pytest.mark.parametrize(('entity', 'shown'), [
    (None, None), ('widgets', {'id': 'phys'}), ('gadgets', {})])
def test_show_is_what_the_service_says(monkeypatch, entity, shown):
    class Widget:
        def to_dict(self):
            return {'id': 'phys'}

    class Client:
        class widgets:
            get = staticmethod(lambda physical_id: Widget())

        class gadgets:
            get = staticmethod(lambda physical_id: object())

    monkeypatch.setattr(things.Thing, 'entity', entity)
    monkeypatch.setattr(things.Thing, 'client', lambda self: Client)
    assert attributes.show(things.make_stack()['r']) == shown


def test_function_of_a_resource_that_is_gone_gives_nothing():
    assert attributes.resolver(lambda: None)('map') is None
