import datetime
import pickle

import pytest

from heat.db import models
from heat.db import session
from heat.objects import event
from heat.objects import resource_properties_data
from heat.objects import stack

Event = event.Event
PropertiesData = resource_properties_data.ResourcePropertiesData


def names(events):
    return ''.join(one.resource_name for one in events)


@pytest.fixture
def several(context, a_stack):
    Event.create_many(context, [
        {'stack_id': a_stack.id, 'resource_name': name,
         'resource_status': status, 'resource_type': kind,
         'created_at': datetime.datetime(2026, 1, day)}
        for name, status, kind, day in [
            ('a', 'COMPLETE', 'X', 1), ('b', 'FAILED', 'X', 1),
            ('c', 'COMPLETE', 'W', 2), ('d', 'FAILED', 'Y', 3)]])
    return a_stack


def test_event_shows_the_properties_of_its_time(context, a_stack):
    data_id = PropertiesData.create(context, {'p': 1}, encrypt=True)
    Event.create(context, {
        'stack_id': a_stack.id, 'resource_name': 'r',
        'resource_action': 'CREATE', 'resource_status': 'COMPLETE',
        'physical_resource_id': 'phys', 'resource_type': 'T',
        'resource_status_reason': 'x' * 300, 'rsrc_prop_data_id': data_id})
    one, = Event.get_all_by_stack(context, a_stack.id)
    assert one.resource_properties == {'p': 1}
    assert len(one.resource_status_reason) == 255
    assert len(one.uuid) == 36
    assert one.created_at is not None
    assert (one.resource_action, one.resource_status, one.resource_type,
            one.physical_resource_id) == ('CREATE', 'COMPLETE', 'T', 'phys')


def test_properties_in_old_rows_are_read(context, a_stack):
    Event.create(context, {'stack_id': a_stack.id})
    with session.writer(context) as connection:
        connection.exec_driver_sql(
            'UPDATE event SET resource_properties = '
            + ('?' if connection.dialect.name == 'sqlite' else '%s'),
            (pickle.dumps({'old': 1}, 2),))
    one, = Event.get_all_by_stack(context, a_stack.id)
    assert one.resource_properties == {'old': 1}


@pytest.mark.parametrize(('wanted', 'expected'), [
    ({}, 'abcd'), ({'sort_dir': 'desc'}, 'dcba'),
    ({'sort_keys': ['resource_type'], 'sort_dir': 'asc'}, 'cabd'),
    ({'sort_keys': 'event_time'}, 'abcd'),
    ({'filters': {'resource_status': 'FAILED'}}, 'bd'),
    ({'filters': {'resource_name': ['a', 'd']}}, 'ad'),
    ({'limit': 2}, 'ab'), ({'limit': 0}, ''),
    ({'marker': 'unknown'}, 'abcd'),
])
def test_list_is_filtered_and_sorted(context, several, wanted, expected):
    assert names(Event.get_all_by_stack(
        context, several.id, **wanted)) == expected


@pytest.mark.parametrize('direction', ['asc', 'desc'])
def test_pages_join_to_the_whole(context, several, direction):
    seen, marker = '', None
    while page := Event.get_all_by_stack(
            context, several.id, limit=1, marker=marker, sort_dir=direction):
        seen += names(page)
        marker = page[-1].uuid
    assert seen == ('abcd' if direction == 'asc' else 'dcba')


def test_marker_of_another_stack_is_unknown(context, several, make_stack):
    other = make_stack('other')
    Event.create(context, {'stack_id': other.id})
    [foreign] = Event.get_all_by_stack(context, other.id)
    assert names(Event.get_all_by_stack(
        context, several.id, marker=foreign.uuid)) == 'abcd'


def test_list_of_several_stacks_and_of_a_project(
        context, make_context, several, make_stack):
    other = make_stack('other', tenant='elsewhere')
    second = make_stack('second')
    for one in (other, second):
        Event.create(context, {'stack_id': one.id, 'resource_name': 'z'})
    both = Event.get_all_by_stacks(context, [several.id, second.id])
    assert names(both) == 'abcdz'
    assert Event.get_all_by_stacks(context, []) == []
    assert names(Event.get_all_by_tenant(context)) == 'abcdz'
    assert names(Event.get_all_by_tenant(make_context('elsewhere'))) == 'z'
    stack.Stack.delete(context, second.id)
    assert names(Event.get_all_by_tenant(context, limit=9)) == 'abcd'


def test_excess_is_purged_from_the_oldest_on(context, a_stack):
    data = PropertiesData.create_many(context, [{}, {}])
    Event.create_many(context, [
        {'stack_id': a_stack.id, 'resource_name': str(number),
         'rsrc_prop_data_id': data[number] if number < 2 else None}
        for number in range(10)])
    purge = Event.purge_excess
    assert purge(context, a_stack.id, 10, 100) == 0
    assert purge(context, a_stack.id, 7, 1) == 1
    assert Event.count_all_by_stack(context, a_stack.id) == 9
    assert purge(context, a_stack.id, 7, 100) == 2
    assert purge(context, a_stack.id, 7, 100) == 0
    assert names(Event.get_all_by_stack(context, a_stack.id)) == '3456789'
    with session.reader(context) as connection:
        assert connection.execute(
            models.PROPERTIES_DATA.select()).all() == []
