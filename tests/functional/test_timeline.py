"""Timelines of operations, over REST."""
import datetime
import itertools
import json
import uuid

import pytest

from tests.functional import rest
from tests.functional import service as service_module
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


def seconds_of(entry, phase):
    return sum((moment(each['finished_at']) - moment(each['started_at']))
               .total_seconds() for each in entry['phases']
               if each['phase'] == phase)


def test_acting_and_polling_are_apart(driver, api):
    gate = str(uuid.uuid4())
    stack = api.create('s', hot({
        'a': templates.thing(gate=gate),
        'b': templates.thing(depends_on=['a'])}))
    # The legacy driver may answer before it has written the rows.
    rest.wait_for(lambda: stack.states().get('a') == 'CREATE_IN_PROGRESS',
                  'the beginning')
    running = by_path(timeline(stack))
    assert running['a']['polling_seconds'] is None
    assert [each['phase'] for each in running['b']['phases']] == [
        'dependencies']
    service_module.thing().opened.add(gate)
    stack.wait('CREATE_COMPLETE')
    first, second = (by_path(timeline(stack))[name] for name in 'ab')
    # The handler returns at once.
    assert first['polling_seconds'] > first['acting_seconds'] >= 0
    assert [each['phase'] for each in first['phases']][-1] == 'polling'
    for entry in (first, second):
        # Durations have milliseconds, times have more.
        assert seconds_of(entry, 'polling') == pytest.approx(
            entry['polling_seconds'], abs=0.002)
        assert seconds_of(entry, 'turn') == pytest.approx(
            entry['waiting_seconds'], abs=0.002)
        assert seconds_of(entry, 'dependencies') == (
            entry['dependency_seconds'])
    assert second['dependency_seconds'] > first['polling_seconds']


def test_attempts_have_phases_each(driver, api):
    stack = api.created('s', hot({'a': templates.thing(flaky=1)}))
    entry = next(each for each in timeline(stack)['resources']
                 if each['action'] == 'CREATE')
    assert entry['attempts'] == 2
    assert entry['polling_seconds'] is not None
    ends = [each['finished_at'] for each in entry['phases']]
    assert ends == sorted(ends)
    # Between the attempts there is a pause, and a deletion.
    pauses = [before['finished_at'] < after['started_at'] for before, after
              in itertools.pairwise(entry['phases'])]
    assert pauses.count(True) == 1


def test_chain_of_local_resources(driver, api):
    stack = api.created('s', hot({
        'a': {'type': 'OS::Heat::Value', 'properties': {'value': 'x'}},
        'b': {'type': 'OS::Heat::Value', 'properties': {
            'value': {'get_attr': ['a', 'value']}}}}))
    found = timeline(stack)
    assert found['critical_path'] == ['a', 'b']
    first, second = (by_path(found)[name] for name in 'ab')
    assert second['ready_at'] == first['finished_at']
    for entry in (first, second):
        assert entry['ready_at'] <= entry['started_at'] <= (
            entry['finished_at'])
        assert entry['polling_seconds'] == 0


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
