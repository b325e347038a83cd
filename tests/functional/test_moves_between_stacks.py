"""Moves between two stacks of a project: nothing that exists is touched."""
import json

import pytest

from tests.functional.moving import NESTED
from tests.functional.moving import actions
from tests.functional.moving import by_path
from tests.functional.moving import inner
from tests.functional.moving import nest
from tests.functional.moving import of
from tests.functional.moving import paths
from tests.functional.moving import ref
from tests.functional.templates import attr
from tests.functional.templates import hot


def out_of(stack, **moves):
    """Return moves of {new path: path in another stack}."""
    return [{'from': {'stack': stack.name, 'resource': source}, 'to': target}
            for target, source in moves.items()]


def plan(stack, template, moves, expect=201, **body):
    answer = stack.request('POST', 'change_sets', {
        'template': template, 'moves': moves, **body}, expect=expect)
    return answer.json['change_set'] if expect == 201 else answer


def execute(stack, found, state='UPDATE_COMPLETE', expect=202, **body):
    answer = stack.request('POST', 'change_sets/%s/execute' % found['id'],
                           body or None, expect=expect)
    return stack.wait(state) if expect == 202 else answer


def unchanged(stack, template, **body):
    """Require that an update to a template has nothing to do."""
    found = stack.request('POST', 'change_sets', {
        'template': template, **body}, expect=201).json['change_set']
    assert found['status'] == 'NO_CHANGES', found


@pytest.fixture
def pair(driver, api, thing):
    """Return a stack that gives a thing, and one that receives it."""
    giver = api.created('giver', hot({
        'a': of(value='x', depends_on='stays'), 'stays': of(value='s')}))
    receiver = api.created('receiver', hot({'own': of(value='o')}))
    thing.log[api.project].clear()
    return giver, receiver


GIVER_AFTER = hot({'stays': of(value='s')})
RECEIVER_AFTER = hot({'own': of(value='o'), 'b': of(value='x'),
                      'user': of(value=ref('b'))})


def test_another_stack_takes_it_over(pair, api, thing):
    giver, receiver = pair
    before = giver.resource('a')
    found = plan(receiver, RECEIVER_AFTER, out_of(giver, b='a'))
    assert found['status'] == 'AVAILABLE', found
    assert actions(found) == {'b': 'move', 'own': 'keep', 'user': 'create'}
    moved = by_path(found)['b']
    assert moved['moved_from'] == ['a']
    assert moved['moved_from_stack'] == {'id': giver.id, 'name': 'giver'}
    assert moved['physical_resource_id'] == before['physical_resource_id']
    assert moved['causes'][0]['source'] == {'move': 'giver:a'}
    assert found['other_stacks'] == [
        {'id': giver.id, 'name': 'giver', 'loses': ['a']}]
    assert found['base'] == sorted([giver.id, receiver.id])
    assert sorted(giver.resources()) == ['a', 'stays']
    execute(receiver, found)
    assert sorted(giver.resources()) == ['stays']
    assert sorted(receiver.resources()) == ['b', 'own', 'user']
    after = receiver.resource('b')
    assert after['physical_resource_id'] == before['physical_resource_id']
    assert after['creation_time'] == before['creation_time']
    assert thing.log[api.project] == [('CREATE', 'user')]
    assert giver.show()['stack_status'] == 'CREATE_COMPLETE'
    # Both stacks are as their templates say.
    unchanged(giver, GIVER_AFTER)
    unchanged(giver, None, existing=True)
    unchanged(receiver, RECEIVER_AFTER)
    giver.updated(GIVER_AFTER)
    receiver.updated(RECEIVER_AFTER)
    assert thing.log[api.project] == [('CREATE', 'user')]
    # It goes with the stack that has it now.
    giver.delete()
    giver.wait('DELETE_COMPLETE')
    assert before['physical_resource_id'] in thing.things
    receiver.updated(hot({'own': of(value='o'), 'b': of(value='y')}))
    assert receiver.physical('b') == before['physical_resource_id']
    receiver.delete()
    receiver.wait('DELETE_COMPLETE')
    assert before['physical_resource_id'] not in thing.things


def test_what_moves_together_may_refer_to_each_other(driver, api, thing):
    giver = api.created('giver', hot({
        'a': of(value='x'), 'c': of(value=attr('a', 'value'))},
        outputs={'o': {'value': 'fixed'}}))
    receiver = api.created('receiver', hot({'own': of(value='o')}))
    ids = {name: giver.physical(name) for name in 'ac'}
    thing.log[api.project].clear()
    goal = hot({'own': of(value='o'), 'a': of(value='x'),
                'c': of(value=attr('a', 'value'))})
    found = plan(receiver, goal, out_of(giver, a='a', c='c'))
    assert actions(found) == {'a': 'move', 'c': 'move', 'own': 'keep'}
    execute(receiver, found)
    assert {name: receiver.physical(name) for name in 'ac'} == ids
    assert thing.log[api.project] == []
    unchanged(receiver, goal)
    receiver.delete()
    receiver.wait('DELETE_COMPLETE')
    # What refers goes first.
    order = [name for _action, name in thing.log[api.project]]
    assert order.index('c') < order.index('a')


def test_moved_resource_is_updated_or_replaced_as_decided(
        driver, api, thing):
    giver = api.created('giver', hot({'a': of(value='x'),
                                      'c': of(fixed='x')}))
    receiver = api.created('receiver', hot({'own': of(value='o')}))
    ids = {name: giver.physical(name) for name in 'ac'}
    thing.log[api.project].clear()
    found = plan(receiver, hot({
        'own': of(value='o'), 'b': of(value='y'), 'd': of(fixed='y')}),
        out_of(giver, b='a', d='c'))
    assert actions(found) == {'b': 'update', 'd': 'replace', 'own': 'keep'}
    execute(receiver, found)
    assert receiver.physical('b') == ids['a']
    assert receiver.physical('d') != ids['c']
    assert sorted(thing.log[api.project]) == [
        ('CREATE', 'd'), ('DELETE', 'd'), ('UPDATE', 'b')]


def test_into_a_nested_stack(driver, api, thing):
    files = {'inner.yaml': inner('i')}
    giver = api.created('giver', hot({'a': of(value='x'), 's': of()}))
    receiver = api.created('receiver', hot({'n': nest()}), files=files)
    before = giver.physical('a')
    thing.log[api.project].clear()
    found = plan(receiver, hot({'n': nest()}), out_of(giver, **{'n/b': 'a'}),
                 files={'inner.yaml': inner('i', 'b')})
    assert actions(found)['n/b'] == 'move'
    execute(receiver, found)
    assert paths(receiver)['b', 'n'] == before
    assert list(giver.resources()) == ['s']
    assert thing.log[api.project] == []
    unchanged(receiver, hot({'n': nest()}),
              files={'inner.yaml': inner('i', 'b')})


def test_a_nested_stack_as_a_whole(driver, api, thing):
    files = {'mid.yaml': json.dumps(hot({'d': nest('deep.yaml')})),
             'deep.yaml': inner('i')}
    giver = api.created('giver', hot({'n': nest('mid.yaml'), 's': of()}),
                        files=files)
    receiver = api.created('receiver', hot({'own': of()}))
    before = paths(giver)
    thing.log[api.project].clear()
    goal = hot({'own': of(), 'k': nest('mid.yaml')})
    found = plan(receiver, goal, out_of(giver, k='n'), files=files)
    assert actions(found) == {'own': 'keep', 'k': 'move', 'k/d': 'keep',
                              'k/d/i': 'keep'}
    changes = by_path(found)
    assert changes['k/d/i']['moved_from'] == ['n', 'd', 'i']
    assert changes['k/d/i']['moved_from_stack']['id'] == giver.id
    assert found['other_stacks'][0]['loses'] == ['n', 'n/d', 'n/d/i']
    execute(receiver, found)
    after = paths(receiver)
    assert after['k', None] == before['n', None]
    assert after['i', 'd'] == before['i', 'd']
    assert set(paths(giver)) == {('s', None)}
    assert thing.log[api.project] == []
    unchanged(receiver, goal, files=files)
    unchanged(giver, hot({'s': of()}))
    giver.delete()
    giver.wait('DELETE_COMPLETE')
    assert before['i', 'd'] in thing.things
    # The rows further inside belong to the tree of the stack: it finds them.
    shown = {each['resource_name'] for each in receiver.get(
        'resources', nested_depth=5)['resources']}
    assert shown == {'own', 'k', 'd', 'i'}
    receiver.updated(goal, files={**files, 'deep.yaml': json.dumps(hot(
        {'i': of(value='y')}, parameters=NESTED))})
    assert thing.things[before['i', 'd']] == 'y'
    receiver.delete()
    receiver.wait('DELETE_COMPLETE')
    assert before['i', 'd'] not in thing.things


def test_types_of_the_environment_come_along(driver, api, thing):
    registry = {'resource_registry': {'My::Thing': 'inner.yaml'}}
    files = {'inner.yaml': inner('i')}
    giver = api.created('giver', hot({'n': nest('My::Thing'), 's': of()}),
                        files=files, environment=registry)
    receiver = api.created('receiver', hot({'own': of()}))
    before = paths(giver)
    thing.log[api.project].clear()
    goal = hot({'own': of(), 'n': nest('My::Thing')})
    found = plan(receiver, goal, out_of(giver, n='n'), files=files,
                 environment=registry)
    assert actions(found)['n'] == 'move'
    execute(receiver, found)
    assert paths(receiver)['i', 'n'] == before['i', 'n']
    assert thing.log[api.project] == []
    unchanged(receiver, goal, files=files, environment=registry)


def test_failed_execution_has_moved_and_never_goes_back(driver, api, thing):
    giver = api.created('giver', hot({'a': of(value='x'), 's': of()}))
    receiver = api.created('receiver', hot({'own': of()}))
    before = giver.physical('a')
    found = plan(receiver, hot({
        'own': of(), 'b': of(value='x'), 'c': of(fail=['CREATE'])}),
        out_of(giver, b='a'), disable_rollback=False)
    execute(receiver, found, 'UPDATE_FAILED')
    assert receiver.physical('b') == before
    receiver.updated(hot({'own': of(), 'b': of(value='x'), 'c': of()}))
    assert receiver.physical('b') == before


@pytest.mark.parametrize(('resources', 'outputs', 'other'), [
    ({'u': of(value=ref('a'))}, {}, 'u'),
    ({'u': of(depends_on='a')}, {}, 'u'),
    ({'u': of(value={'str_replace': {'template': 'v', 'params': {
        'v': attr('a', 'value')}}})}, {}, 'u'),
    ({'u': of()}, {'o': {'value': attr('a', 'value')}}, 'o'),
])
def test_what_stays_must_not_refer_to_it(driver, api, resources, outputs,
                                         other):
    giver = api.created('giver', hot({'a': of(value='x'), **resources},
                                     outputs=outputs))
    receiver = api.created('receiver', hot({'own': of()}))
    answer = plan(receiver, hot({'own': of(), 'b': of(value='x')}),
                  out_of(giver, b='a'), expect=400)
    assert answer.error == 'MoveNotPossible'
    assert '"%s" of stack giver refers to it' % other in answer.message
    assert 'a' in giver.resources()


@pytest.mark.parametrize(('goal', 'target', 'source', 'text'), [
    ({'b': of()}, 'b', 'z', 'no such resource'),
    ({'own': of()}, 'own', 'a', 'of that name already'),
    ({'c': of()}, 'b', 'a', 'no resource of that name'),
    ({'b': {'type': 'OS::Heat::None'}}, 'b', 'a', 'the type is Test::Thing'),
    ({'b': of()}, 'b', 'n/i', 'move it to the root'),
])
def test_refused(driver, api, goal, target, source, text):
    giver = api.created('giver', hot({'a': of(), 'n': nest()}),
                        files={'inner.yaml': inner('i')})
    receiver = api.created('receiver', hot({'own': of()}))
    answer = plan(receiver, hot(goal), out_of(giver, **{target: source}),
                  expect=400)
    assert answer.error == 'MoveNotPossible'
    assert text in answer.message
    assert '"giver:%s"' % source in answer.message
    assert sorted(giver.resources()) == ['a', 'n']
    assert sorted(receiver.resources()) == ['own']


def test_a_resource_with_an_address_for_signals(driver, api):
    handle = {'type': 'OS::Heat::WaitConditionHandle',
              'properties': {'signal_transport': 'CFN_SIGNAL'}}
    giver = api.created('giver', hot({'h': handle}))
    receiver = api.created('receiver', hot({'own': of()}))
    answer = plan(receiver, hot({'own': of(), 'h': handle}),
                  out_of(giver, h='h'), expect=400)
    assert answer.error == 'MoveNotPossible'
    assert 'signal URL' in answer.message


def test_the_policy_of_the_stack_that_gives(driver, api):
    giver = api.created('giver', hot({'a': of(value='x'), 'n': nest()}),
                        files={'inner.yaml': inner('i')})
    receiver = api.created('receiver', hot({'own': of()}))
    giver.request('PUT', 'policy', {'stack_policy': {'Statement': [
        {'Effect': 'Allow', 'Action': 'Update:*', 'Principal': '*',
         'Resource': '*'},
        {'Effect': 'Deny', 'Action': 'Update:Delete', 'Principal': '*',
         'Resource': ['LogicalResourceId/a', 'LogicalResourceId/n/i']}]}},
        expect=200)
    for name, definition in (('a', of(value='x')), ('n', nest())):
        answer = plan(receiver, hot({'own': of(), name: definition}),
                      out_of(giver, **{name: name}), expect=400,
                      files={'inner.yaml': inner('i')})
        assert answer.error == 'MoveNotPossible'
        assert 'Update:Delete of ' in answer.message
    assert sorted(giver.resources()) == ['a', 'n']


def test_a_policy_that_comes_after_the_plan(pair):
    giver, receiver = pair
    found = plan(receiver, RECEIVER_AFTER, out_of(giver, b='a'))
    giver.request('PUT', 'policy', {'stack_policy': {'Statement': [
        {'Effect': 'Deny', 'Action': 'Update:Delete', 'Principal': '*',
         'Resource': '*'}]}}, expect=200)
    answer = execute(receiver, found, expect=400)
    assert answer.error == 'MoveNotPossible'
    assert sorted(giver.resources()) == ['a', 'stays']


def test_termination_protection_is_for_deletions(pair):
    giver, receiver = pair
    giver.request('PUT', 'protection', {'termination_protection': True},
                  expect=200)
    execute(receiver, plan(receiver, RECEIVER_AFTER, out_of(giver, b='a')))
    assert list(giver.resources()) == ['stays']


def test_a_busy_stack_gives_nothing(pair, gate):
    giver, receiver = pair
    found = plan(receiver, RECEIVER_AFTER, out_of(giver, b='a'))
    giver.request('PUT', '', {'template': hot({
        'a': of(value='x', depends_on='stays'),
        'stays': of(value='s'), 'slow': of(gate=gate)})}, expect=202)
    giver.wait('UPDATE_IN_PROGRESS')
    answer = plan(receiver, RECEIVER_AFTER, out_of(giver, b='a'), expect=409)
    assert answer.error == 'ActionInProgress'
    answer = execute(receiver, found, expect=409)
    assert answer.error == 'ChangeSetStale'
    gate.open()
    giver.wait('UPDATE_COMPLETE')
    assert sorted(giver.resources()) == ['a', 'slow', 'stays']


@pytest.mark.parametrize('changed', ['giver', 'receiver'])
def test_stale_when_either_stack_has_changed(pair, changed):
    giver, receiver = pair
    found = plan(receiver, RECEIVER_AFTER, out_of(giver, b='a'))
    if changed == 'giver':
        giver.updated(hot({'a': of(value='z'), 'stays': of(value='s')}))
    else:
        receiver.updated(hot({'own': of(value='p')}))
    answer = execute(receiver, found, expect=409)
    assert answer.error == 'ChangeSetStale'
    assert 'stack %s has changed' % changed in answer.message
    assert sorted(giver.resources()) == ['a', 'stays']
    assert sorted(receiver.resources()) == ['own']


def test_change_sets_of_the_giver_become_stale(pair):
    giver, receiver = pair
    other = giver.request('POST', 'change_sets', {
        'template': hot({'stays': of(value='s')})}, expect=201).json[
            'change_set']
    execute(receiver, plan(receiver, RECEIVER_AFTER, out_of(giver, b='a')))
    answer = execute(giver, other, expect=409)
    assert answer.error == 'ChangeSetStale'


def test_a_stack_that_failed_gives_nothing(driver, api):
    giver = api.created('giver', hot({'a': of(value='x')}))
    giver.request('PUT', '', {'template': hot({
        'a': of(value='x'), 'c': of(fail=['CREATE'])})}, expect=202)
    giver.wait('UPDATE_FAILED')
    receiver = api.created('receiver', hot({'own': of()}))
    answer = plan(receiver, hot({'own': of(), 'b': of(value='x')}),
                  out_of(giver, b='a'), expect=400)
    assert answer.error == 'MoveNotPossible'
    assert 'UPDATE_FAILED' in answer.message


def test_by_id_and_out_of_itself(pair):
    giver, receiver = pair
    before = giver.physical('a')
    moves = [{'from': {'stack': giver.id, 'resource': 'a'}, 'to': 'a'},
             {'from': {'stack': receiver.name, 'resource': 'own'},
              'to': 'mine'}]
    found = plan(receiver, hot({'a': of(value='x'),
                                'mine': of(value='o')}), moves)
    assert actions(found) == {'a': 'move', 'mine': 'move'}
    assert 'moved_from_stack' not in by_path(found)['mine']
    execute(receiver, found)
    assert receiver.physical('a') == before


def test_a_stack_that_is_not_there(pair):
    giver, receiver = pair
    for name in ('none', '5ab5c8d6-16cf-4a1b-93f3-7f1a3b9ee7f1'):
        answer = plan(receiver, RECEIVER_AFTER, [
            {'from': {'stack': name, 'resource': 'a'}, 'to': 'b'}],
            expect=404)
        assert answer.error == 'EntityNotFound'
    giver.delete()
    giver.wait('DELETE_COMPLETE')
    plan(receiver, RECEIVER_AFTER, [
        {'from': {'stack': giver.id, 'resource': 'a'}, 'to': 'b'}],
        expect=404)


@pytest.mark.parametrize('source', [
    {'stack': 'giver'}, {'resource': 'a'}, {}, {'stack': 1, 'resource': 'a'},
    {'stack': '', 'resource': 'a'}, {'stack': 'x' * 256, 'resource': 'a'},
    {'stack': 'giver', 'resource': ''}, {'stack': 'giver', 'resource': 1},
    {'stack': 'giver', 'resource': 'a', 'more': 1}])
def test_moves_that_are_none(api, source):
    receiver = api.created('receiver', hot({'own': of()}))
    answer = plan(receiver, hot({'b': of()}), [{'from': source, 'to': 'b'}],
                  expect=400)
    assert 'moves[0].from' in answer.message


def test_an_environment_cannot_name_another_stack(api):
    answer = api.request('POST', 'stacks', {
        'stack_name': 'new', 'template': hot({'b': of()}),
        'environment': {'moves': [{'from': {
            'stack': 'giver', 'resource': 'a'}, 'to': 'b'}]}}, expect=400)
    assert 'moves[0].from' in answer.message
