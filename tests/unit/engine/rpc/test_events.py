"""RPC calls about events."""
import pytest

from heat.common import exception
from heat.engine.rpc import events
from tests.unit.engine.rpc import calls

INNER = """
heat_template_version: 2018-08-31
resources: {t: {type: Test::Thing}}
"""
TREE = """
parameters: {p: {type: string, hidden: true, default: sesame-street}}
resources:
  n: {type: inner.yaml}
  a: {type: Test::Thing, properties: {value: {get_param: p}, fixed: shown}}
"""


@pytest.fixture
def queries(engine):
    return calls.made(events.EventQueries, engine)


@pytest.fixture
def stack(engine):
    return engine.create(TREE, 'web', files={'inner.yaml': INNER})


def brief(found):
    return [(each['resource_name'], each['resource_action'],
             each['resource_status']) for each in found]


def identity(stack):
    return dict(stack.identifier())


def test_newest_come_first(queries, engine, stack):
    found = brief(queries.list_events(engine.context, identity(stack)))
    assert found[0] == ('web', 'CREATE', 'COMPLETE')
    assert found[-1] == ('web', 'CREATE', 'IN_PROGRESS')
    assert not [name for name, _action, _status in found if name == 't']


def test_nested_events_are_those_down_to_a_level(queries, engine, stack):
    found = queries.list_events(engine.context, identity(stack),
                                nested_depth=1)
    inner = [each for each in found if each['resource_name'] == 't']
    assert brief(inner) == [('t', 'CREATE', 'COMPLETE'),
                            ('t', 'CREATE', 'IN_PROGRESS')]
    assert inner[0]['root_stack_id'] == identity(stack)


@pytest.mark.parametrize(('filters', 'number'), [
    ({'resource_name': 'a'}, 2),
    ({'resource_name': 'a', 'resource_status': 'COMPLETE'}, 1),
    ({'resource_type': 'Test::Thing', 'resource_action': 'DELETE'}, 0)])
def test_filters(queries, engine, stack, filters, number):
    assert len(queries.list_events(engine.context, identity(stack),
                                   filters=filters)) == number


def test_pages(queries, engine, stack):
    whole = queries.list_events(engine.context, identity(stack))
    page = queries.list_events(
        engine.context, identity(stack), limit=2,
        marker=whole[1]['event_identity']['path'].rpartition('/')[2])
    assert page == whole[2:4]


def test_a_single_event_has_properties_without_what_is_hidden(
        queries, engine, stack):
    whole = queries.list_events(engine.context, identity(stack),
                                filters={'resource_name': 'a'})
    assert 'resource_properties' not in whole[0]
    uuid = whole[0]['event_identity']['path'].rpartition('/')[2]
    found, = queries.list_events(engine.context, identity(stack),
                                 filters={'uuid': uuid})
    assert found['resource_properties']['fixed'] == 'shown'
    assert found['resource_properties']['value'] == '******'


def test_events_of_a_project(queries, engine, stack):
    found = brief(queries.list_events(engine.context, None))
    assert {'web', 't', 'a'} <= {name for name, *_rest in found}


def test_events_of_no_stack(queries, engine):
    with calls.refused(exception.EntityNotFound):
        queries.list_events(engine.context, {
            'tenant': 'project', 'stack_name': 'no', 'stack_id': 'no',
            'path': ''})


def test_others_do_not_follow_events(queries, engine, stack):
    with calls.refused(exception.Forbidden):
        queries.list_events_since(engine.context)


def test_events_are_followed_by_administrators(queries, engine, stack):
    engine.context.is_admin = True
    newest = queries.list_events_since(engine.context)
    assert newest['events'] == []
    found = queries.list_events_since(engine.context, last=0,
                                      tenants=['project'])
    assert [each['resource_name'] for each in found['events']][0] == 'web'
    assert found['stacks'][stack.id]['name'] == 'web'
    assert not found['more']
    ids = [each['row_id'] for each in found['events']]
    assert ids == sorted(ids)
    assert queries.list_events_since(
        engine.context, last=0, tenants=['other'])['events'] == []


def test_timeline_needs_events(queries, engine, stack):
    shown = queries.stack_timeline(engine.context, identity(stack))
    assert shown['action'] == 'CREATE'
    events.event_objects.Event.purge_excess(engine.context, stack.id, 0, 99)
    with calls.refused(exception.NotFound, 'no longer stored'):
        queries.stack_timeline(engine.context, identity(stack))
