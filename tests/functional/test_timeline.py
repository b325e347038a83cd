"""Timelines of operations, over REST."""
import datetime
import json
import uuid

from tests.functional import templates
from tests.functional.templates import hot


def timeline(stack, **query):
    return stack.get('timeline', **query)['timeline']


def moment(text):
    return datetime.datetime.fromisoformat(text)


def by_path(found):
    return {each['path']: each for each in found['resources']}


def test_creation_of_a_chain(driver, api):
    stack = api.created('s', hot({
        'a': templates.thing(),
        'b': templates.thing(depends_on=['a'])}))
    found = timeline(stack)
    assert (found['stack_id'], found['stack_name'], found['action'],
            found['status']) == (stack.id, 's', 'CREATE', 'COMPLETE')
    assert found['critical_path'] == ['a', 'b']
    first, second = (by_path(found)[name] for name in 'ab')
    assert first['attempts'] == second['attempts'] == 1
    assert first['is_critical']
    assert second['is_critical']
    assert second['ready_at'] == first['finished_at']
    assert moment(found['started_at']) <= moment(first['ready_at'])
    assert moment(first['started_at']) <= moment(first['finished_at'])
    assert moment(second['finished_at']) <= moment(found['finished_at'])
    assert first['physical_resource_id'] == stack.physical('a')
    # The database of the tests keeps them.
    assert found['precision'] == 'microseconds'
    assert first['acting_seconds'] > 0
    assert second['waiting_seconds'] >= 0


def test_failure_update_and_deletion(driver, api):
    stack = api.create('s', hot({'a': templates.thing(fail=['CREATE'])}))
    stack.wait('CREATE_FAILED')
    found = timeline(stack)
    assert (found['status'], by_path(found)['a']['status']) == (
        'FAILED', 'FAILED')
    stack.updated(hot({'b': templates.thing()}))
    found = timeline(stack)
    assert found['action'] == 'UPDATE'
    assert {(each['name'], each['action'])
            for each in found['resources']} == {('a', 'DELETE'),
                                                ('b', 'CREATE')}
    stack.deleted()
    found = timeline(stack)
    assert (found['action'], found['status']) == ('DELETE', 'COMPLETE')
    assert [each['action'] for each in found['resources']] == ['DELETE']


def test_tree(driver, api):
    stack = api.created(
        's', hot({'n': {'type': 'inner.yaml'}}),
        files={'inner.yaml': json.dumps(hot({'t': templates.thing()}))})
    assert list(by_path(timeline(stack))) == ['n']
    found = timeline(stack, nested_depth=1)
    assert found['critical_path'] == ['n', 'n/t']
    outer, inner = found['resources']
    assert (outer['path'], inner['path'], inner['name']) == ('n', 'n/t', 't')
    assert moment(outer['started_at']) <= moment(inner['started_at'])


def test_of_a_stack_that_is_not_there(driver, api):
    answer = api.request('GET', f'stacks/s/{uuid.uuid4()}/timeline')
    assert (answer.status, answer.error) == (404, 'EntityNotFound')
    stack = api.created('s', hot())
    answer = stack.request('GET', 'timeline?nested_depth=x')
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
