"""Moves: resources get other names and places, and nothing else happens."""
import json

import pytest

from tests.functional.moving import actions
from tests.functional.moving import by_path
from tests.functional.moving import inner
from tests.functional.moving import nest
from tests.functional.moving import of
from tests.functional.moving import paths
from tests.functional.moving import ref
from tests.functional.templates import attr
from tests.functional.templates import hot


def plan(stack, template, moves, expect=201, **body):
    answer = stack.request(
        'POST', 'change_sets', {'template': template, 'moves': [
            {'from': source, 'to': target} for source, target in moves],
            **body}, expect=expect)
    return answer.json['change_set'] if expect == 201 else answer


def execute(stack, found, state='UPDATE_COMPLETE', **body):
    stack.request('POST', 'change_sets/%s/execute' % found['id'],
                  body or None, expect=202)
    return stack.wait(state)


def test_rename_asks_the_cloud_for_nothing(driver, api, thing):
    stack = api.created('m', hot({
        'a': of(value='x'), 'user': of(value=ref('a'), depends_on='a'),
        'last': of(value=attr('a', 'value'))}))
    before = stack.resource('a')
    thing.log[api.project].clear()
    goal = hot({
        'b': of(value='x'), 'user': of(value=ref('b'), depends_on='b'),
        'last': of(value=attr('b', 'value'))})
    found = plan(stack, goal, [('a', 'b')])
    assert found['status'] == 'AVAILABLE', found
    assert actions(found) == {'b': 'move', 'user': 'keep', 'last': 'keep'}
    moved = by_path(found)['b']
    assert moved['moved_from'] == ['a']
    assert moved['physical_resource_id'] == before['physical_resource_id']
    assert moved['causes'] == [{
        'property': 'path', 'before': 'a', 'after': 'b',
        'source': {'move': 'a'}, 'forces_replacement': False,
        'known_after_apply': False}]
    assert sorted(stack.resources()) == ['a', 'last', 'user']
    execute(stack, found)
    assert sorted(stack.resources()) == ['b', 'last', 'user']
    after = stack.resource('b')
    assert after['physical_resource_id'] == before['physical_resource_id']
    assert after['creation_time'] == before['creation_time']
    assert thing.log[api.project] == []
    # What comes later finds it under its new name.
    stack.updated(hot({'b': of(value='y')}))
    assert stack.physical('b') == before['physical_resource_id']
    stack.delete()
    stack.wait('DELETE_COMPLETE')
    assert ('DELETE', 'b') in thing.log[api.project]


def test_moved_resource_is_updated_or_replaced_as_decided(
        driver, api, thing):
    stack = api.created('m', hot({'a': of(value='x'), 'c': of(fixed='x')}))
    ids = {name: stack.physical(name) for name in 'ac'}
    thing.log[api.project].clear()
    found = plan(stack, hot({'b': of(value='y'), 'd': of(fixed='y')}),
                 [('a', 'b'), ('c', 'd')])
    assert actions(found) == {'b': 'update', 'd': 'replace'}
    assert by_path(found)['d']['moved_from'] == ['c']
    execute(stack, found)
    assert stack.physical('b') == ids['a']
    assert stack.physical('d') != ids['c']
    assert sorted(thing.log[api.project]) == [
        ('CREATE', 'd'), ('DELETE', 'd'), ('UPDATE', 'b')]


def test_rollback_of_a_rename_keeps_the_new_name(driver, api, thing):
    stack = api.created('m', hot({'a': of(value='x')}))
    before = stack.physical('a')
    found = plan(stack, hot({
        'b': of(value='y'), 'c': of(fail=['CREATE'], depends_on='b')}),
        [('a', 'b')], disable_rollback=False)
    execute(stack, found, 'ROLLBACK_COMPLETE')
    assert list(stack.resources()) == ['b']
    assert stack.physical('b') == before
    assert thing.things[before] == 'x'


def test_failed_execution_has_moved_and_can_be_repeated(driver, api, thing):
    stack = api.created('m', hot({'a': of(value='x')}))
    before = stack.physical('a')
    found = plan(stack, hot({'b': of(value='y', fail=['UPDATE'])}),
                 [('a', 'b')])
    execute(stack, found, 'UPDATE_FAILED')
    assert stack.physical('b') == before
    stack.updated(hot({'b': of(value='y')}))
    assert list(stack.resources()) == ['b']


def test_into_a_nested_stack_and_out_of_it(driver, api, thing):
    stack = api.created('m', hot({
        'a': of(value='x'), 'u': of(value=ref('a')), 'n': nest()}),
        files={'inner.yaml': inner('i', 'j')})
    before = paths(stack)
    thing.log[api.project].clear()
    goal = hot({'j': of(value='x'), 'n': nest(),
                'u': of(value=attr('n', 'id'))})
    files = {'inner.yaml': inner('i', 'b', outputs={
        'id': {'value': ref('b')}})}
    found = plan(stack, goal, [('a', 'n/b'), ('n/j', 'j')], files=files)
    assert found['status'] == 'AVAILABLE', found
    assert actions(found) == {'j': 'move', 'n': 'update', 'n/b': 'move',
                              'n/i': 'keep', 'u': 'update'}
    execute(stack, found)
    after = paths(stack)
    assert after['b', 'n'] == before['a', None]
    assert after['j', None] == before['j', 'n']
    assert after['i', 'n'] == before['i', 'n']
    assert set(after) == {('b', 'n'), ('i', 'n'), ('j', None), ('n', None),
                          ('u', None)}
    assert thing.log[api.project] == []
    stack.delete()
    stack.wait('DELETE_COMPLETE')
    assert before['a', None] not in thing.things
    assert before['j', 'n'] not in thing.things


def test_rename_in_a_nested_stack(driver, api, thing):
    stack = api.created('m', hot({'n': nest()}),
                        files={'inner.yaml': inner('i', 'j')})
    before = paths(stack)
    thing.log[api.project].clear()
    found = plan(stack, hot({'n': nest()}), [('n/i', 'n/k')],
                 files={'inner.yaml': inner('k', 'j')})
    assert actions(found)['n/k'] == 'move'
    execute(stack, found)
    assert paths(stack)['k', 'n'] == before['i', 'n']
    assert thing.log[api.project] == []


def test_rename_of_a_nested_stack(driver, api, thing):
    files = {'inner.yaml': json.dumps(hot({'d': nest('deep.yaml')})),
             'deep.yaml': inner('i')}
    stack = api.created('m', hot({'n': nest()}), files=files)
    before = paths(stack)
    thing.log[api.project].clear()
    found = plan(stack, hot({'k': nest()}), [('n', 'k')], files=files)
    assert actions(found)['k'] == 'move'
    execute(stack, found)
    after = paths(stack)
    assert after == {('k', None): before['n', None],
                     ('d', 'k'): before['d', 'n'],
                     ('i', 'd'): before['i', 'd']}
    assert thing.log[api.project] == []
    deep = next(each for each in stack.get('resources', nested_depth=5)[
        'resources'] if each['resource_name'] == 'd')
    [link] = [each['href'] for each in deep['links']
              if each['rel'] == 'nested']
    assert '-k-' in link
    api.request('GET', link[link.index('/v1/'):], expect=200)


def test_failed_execution_of_a_deep_move_never_goes_back(
        driver, api, thing):
    stack = api.created('m', hot({'a': of(value='x'), 'n': nest()}),
                        files={'inner.yaml': inner('i')})
    before = paths(stack)
    goal = hot({'n': nest(), 'c': of(fail=['CREATE'])})
    files = {'inner.yaml': inner('i', 'a')}
    found = plan(stack, goal, [('a', 'n/a')], files=files,
                 disable_rollback=False)
    execute(stack, found, 'UPDATE_FAILED')
    assert before['a', None] in thing.things
    stack.updated(hot({'n': nest(), 'c': of()}), files=files)
    assert paths(stack)['a', 'n'] == before['a', None]


def test_cancelling_a_deep_move_never_goes_back(driver, api, thing, gate):
    stack = api.created('m', hot({'a': of(value='x'), 'n': nest()}),
                        files={'inner.yaml': inner('i')})
    before = paths(stack)
    found = plan(stack, hot({'n': nest(), 'c': of(gate=gate)}),
                 [('a', 'n/a')], files={'inner.yaml': inner('i', 'a')})
    execute(stack, found, 'UPDATE_IN_PROGRESS')
    stack.act('cancel_update')
    gate.open()
    stack.wait('ROLLBACK_COMPLETE')
    assert before['a', None] in thing.things
    assert paths(stack)['a', 'n'] == before['a', None]


@pytest.mark.parametrize(('goal', 'moves', 'text'), [
    ({'b': of()}, [('z', 'b')], 'no such resource'),
    ({'a': of(), 'c': of()}, [('a', 'c')], 'of that name already'),
    ({'c': of()}, [('a', 'b')], 'no resource of that name'),
    ({'a': of(), 'c': of()}, [('a', 'a')], 'both paths are the same'),
    ({'a': of(), 'c': of()}, [('a', 'c'), ('c', 'a')], 'cycle'),
    ({'b': of(), 'd': of()}, [('a', 'b'), ('a', 'd')], 'moved twice'),
    ({'b': of()}, [('a', 'b'), ('c', 'b')], 'another resource'),
    ({'b': {'type': 'OS::Heat::None'}}, [('a', 'b')],
     'the type is Test::Thing'),
    ({'n': nest()}, [('n', 'n/k')], 'inside the resource itself'),
    ({'n': nest(), 'b': of()}, [('a', 'c/b')],
     'resource "c" has no nested stack'),
    ({'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': 1, 'resource_def': of()}}, 'b': of()},
     [('g/0', 'b')], 'chooses the names of its members'),
    ({'m': nest(), 'n': nest()}, [('n', 'm'), ('a', 'n/b')],
     'moved by the same request'),
])
def test_refused(driver, api, goal, moves, text):
    files = {'inner.yaml': inner('i', 'k')}
    stack = api.created('m', hot({
        'a': of(), 'c': of(), 'n': nest(), 'g': {
            'type': 'OS::Heat::ResourceGroup', 'properties': {
                'count': 1, 'resource_def': of()}}}), files=files)
    answer = plan(stack, hot(goal), moves, expect=400, files=files)
    assert answer.error == 'MoveNotPossible'
    assert text in answer.message
    assert moves[0][0] in answer.message or moves[-1][0] in answer.message
    assert sorted(stack.resources()) == ['a', 'c', 'g', 'n']


@pytest.mark.parametrize('moves', [
    'x', {'from': 'a', 'to': 'b'}, [1], [{'from': 'a'}],
    [{'from': 'a', 'to': 1}], [{'from': 'a', 'to': 'b', 'x': 'y'}],
    [{'from': 'a//b', 'to': 'b'}], [{'from': '', 'to': 'b'}],
    [{'from': 'a', 'to': 'b'}] * 1001])
def test_moves_that_are_none(api, moves):
    stack = api.created('m', hot({'a': of()}))
    answer = stack.request('POST', 'change_sets', {
        'template': hot({'b': of()}), 'moves': moves}, expect=400)
    assert 'moves' in answer.message


def test_moves_of_a_new_stack_are_refused(api):
    answer = api.request('POST', 'change_sets', {
        'template': hot({'b': of()}), 'stack_name': 'new',
        'moves': [{'from': 'a', 'to': 'b'}]}, expect=400)
    assert answer.error == 'MoveNotPossible'


def test_moves_of_an_environment_are_done_once(driver, api, thing):
    lasting = {'moves': [{'from': 'a', 'to': 'b'}]}
    stack = api.created('m', hot({'a': of(value='x')}), environment=lasting)
    before = stack.physical('a')
    thing.log[api.project].clear()
    stack.updated(hot({'b': of(value='x')}), environment=lasting)
    assert stack.physical('b') == before
    assert thing.log[api.project] == []
    # Nothing is left to be done by it, even when the old name comes back.
    goal = hot({'b': of(value='x'), 'a': of(value='z')})
    stack.updated(goal, environment=lasting)
    assert stack.physical('b') == before
    assert thing.log[api.project] == [('CREATE', 'a')]
    stack.updated(goal, environment=lasting)
    assert stack.get('environment')['moves'] == lasting['moves']
    found = plan(stack, goal, [], environment=lasting)
    assert found['status'] == 'NO_CHANGES'


def test_preview_knows_the_moves_of_an_environment(driver, api):
    stack = api.created('m', hot({'a': of(value='x')}))
    changes = stack.request('PUT', 'preview', {
        'template': hot({'b': of(value='x')}),
        'environment': {'moves': [{'from': 'a', 'to': 'b'}]}},
        expect=200).json['resource_changes']
    assert [each['resource_name'] for each in changes['unchanged']] == ['b']
    assert not changes['added']
    assert not changes['deleted']


def test_wrong_moves_of_an_environment(api):
    answer = api.request('POST', 'stacks', {
        'stack_name': 'new', 'template': hot({'b': of()}),
        'environment': {'moves': [{'from': 'a'}]}}, expect=400)
    assert 'moves[0]' in answer.message


def test_likely_moves_are_proposed_and_not_made(driver, api, thing):
    files = {'inner.yaml': inner('i')}
    stack = api.created('m', hot({'a': of(value='x'), 'c': of(value='y'),
                                  'n': nest()}), files=files)
    goal = hot({'b': of(value='x'), 'd': of(value='z'), 'n': nest()})
    found = plan(stack, goal, [], files=files)
    assert found['proposed_moves'] == [{'from': 'a', 'to': 'b'}]
    assert actions(found)['a'] == 'delete'
    found = plan(stack, hot({'c': of(value='y'), 'n': nest()}), [], files={
        'inner.yaml': json.dumps(hot({'i': of(value='x'),
                                      'a': of(value='x')}))})
    assert found['proposed_moves'] == [{'from': 'a', 'to': 'n/a'}]


def test_stale_change_set_moves_nothing(driver, api):
    stack = api.created('m', hot({'a': of(value='x')}))
    found = plan(stack, hot({'b': of(value='x')}), [('a', 'b')])
    stack.updated(hot({'a': of(value='y')}))
    answer = stack.request('POST', 'change_sets/%s/execute' % found['id'],
                           expect=409)
    assert answer.error == 'ChangeSetStale'
    assert list(stack.resources()) == ['a']


def test_moves_do_not_evade_the_policy_of_the_stack(driver, api):
    files = {'inner.yaml': inner('i')}
    stack = api.created('m', hot({'a': of(value='x'), 'n': nest()}),
                        files=files)
    stack.request('PUT', 'policy', {'stack_policy': {'Statement': [
        {'Effect': 'Allow', 'Action': 'Update:*', 'Principal': '*',
         'Resource': '*'},
        {'Effect': 'Deny', 'Action': 'Update:Delete', 'Principal': '*',
         'Resource': ['LogicalResourceId/a', 'LogicalResourceId/n/i']}]}},
        expect=200)
    found = plan(stack, hot({'b': of(value='x'), 'm': nest()}),
                 [('a', 'b'), ('n', 'm')], files=files)
    changes = by_path(found)
    assert changes['b']['refused'] == ['Update:Delete']
    assert changes['m/i']['refused'] == ['Update:Delete']
    assert changes['m/i']['moved_from'] == ['n', 'i']
    answer = stack.request('POST', 'change_sets/%s/execute' % found['id'],
                           expect=409)
    assert answer.error == 'StackPolicyViolated'
    assert sorted(stack.resources()) == ['a', 'n']
