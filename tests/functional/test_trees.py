"""Trees of stacks: listed cheaply, handed over whole, told of."""
import functools
import json

import pytest

from heat.engine import notification
from heat.engine.lifecycle import handler as resource_handler
from heat.objects import transaction
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot


def tree(width, leaves):
    """Return (template, files) of three levels."""
    leaf = hot({f't{number}': templates.thing(value='deep')
                for number in range(leaves)},
               outputs={'o': {'value': attr('t0', 'value')}})
    middle = hot({f'm{number}': {'type': 'leaf.yaml'}
                  for number in range(width)},
                 outputs={'o': {'value': attr('m0', 'o')}})
    return (hot({'top': {'type': 'middle.yaml'}, 'own': templates.thing()},
                outputs={'o': {'value': attr('top', 'o')}}),
            {'leaf.yaml': json.dumps(leaf),
             'middle.yaml': json.dumps(middle)})


def statements_of(request):
    """Return the fewest statements that a request took.

    The engine does other things beside it, now and then.
    """
    found = []
    for _attempt in range(8):
        before = transaction.counters()['statements']
        request()
        found.append(transaction.counters()['statements'] - before)
    return min(found)


def test_list_takes_a_statement_a_level(api):
    needed = {}
    for width, leaves in ((1, 1), (5, 6)):
        template, files = tree(width, leaves)
        stack = api.created(f's{width}', template, files=files)
        listed = stack.get('resources', nested_depth=5)['resources']
        assert len(listed) == 2 + width + width * leaves
        needed[width] = [
            statements_of(functools.partial(
                stack.get, 'resources', nested_depth=depth))
            for depth in range(3)]
    assert needed[1] == needed[5]
    flat, one, two = needed[5]
    assert one - flat <= 2
    assert two - one <= 1


@pytest.mark.parametrize('begins_again', [False, True])
def test_tree_is_handed_over(driver, api, conf, thing, begins_again):
    conf('enable_stack_adopt', True)
    conf('enable_stack_abandon', True)
    template, files = tree(2, 2)
    stack = api.created('s', template, files=files)

    def made(of):
        return {each['physical_resource_id'] for each in of.get(
            'resources', nested_depth=5)['resources']
            if each['resource_type'] == 'Test::Thing'}

    things = made(stack)
    assert len(things) == 5
    nested = stack.nested('top')
    exported = stack.get('export')
    inner = exported['resources']['top']['resources']['m1']['resources']
    assert inner['t1']['resource_id'] in things
    thing.log[api.project].clear()
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    assert abandoned['resources'] == exported['resources']
    stack.wait_deleted()
    rest.wait_for(lambda: nested.show()['stack_status'] == 'DELETE_COMPLETE',
                  'the nested stack to go')
    assert things <= set(thing.things)
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'files': files,
        'adopt_stack_data': json.dumps(abandoned)}, expect=201)
    adopted = rest.Stack(api, 't', answer.json['stack']['id'])
    adopted.wait('ADOPT_COMPLETE')
    assert made(adopted) == things
    assert adopted.outputs() == {'o': 'deep'}
    assert thing.log[api.project] == []
    if begins_again:
        adopted.updated(template, files=files)
        assert made(adopted) == things
    adopted.deleted()
    assert not things & set(thing.things)


# -- notifications ----------------------------------------------------------

@pytest.fixture
def told(monkeypatch):
    """Return what is told of stacks: (name, event type)."""
    seen = []

    def notify(context, event_type, level, body):
        body = body()
        if event_type.startswith('stack.'):
            assert set(body) == {
                'tenant_id', 'user_id', 'user_identity', 'username',
                'stack_identity', 'stack_name', 'state', 'state_reason',
                'create_at', 'description', 'updated_at', 'tags'}
            seen.append((body['stack_name'], event_type, level,
                         body['state']))

    monkeypatch.setattr(notification, 'notify', notify)
    return seen


def of_actions(*words):
    found = []
    for word in words:
        action, _space, end = word.partition(' ')
        found.append((f'stack.{action}.start',
                      f'{action.upper()}_IN_PROGRESS'))
        found.append((f'stack.{action}.{end or "end"}', '{}_{}'.format(
            action.upper(), 'FAILED' if end else 'COMPLETE')))
    return found


def test_every_action_is_told_of(driver, api, told):
    def all_told():
        # An end is told of when it can be seen already.
        rest.wait_for(lambda: told[-1][1].endswith('.end'), lambda: told)

    stack = api.created('s', hot({'a': templates.thing(value='x')}))
    all_told()
    for action in ('suspend', 'resume', 'check'):
        stack.act(action)
        stack.wait(f'{action.upper()}_COMPLETE')
        all_told()
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    stack.wait('SNAPSHOT_COMPLETE')
    all_told()
    stack.updated(hot({'a': templates.thing(value='y'),
                       'b': templates.thing(fixed='1')}))
    all_told()
    # Legacy stacks keep what is replaced in another one for a while.
    stack.updated(hot({'a': templates.thing(value='y'),
                       'b': templates.thing(fixed='2')}))
    all_told()
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    all_told()
    stack.update(hot({'a': templates.thing(value='z', fail=['UPDATE'])}),
                 disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    all_told()
    stack.deleted()
    all_told()
    assert {name for name, _what, _level, _state in told} == {'s'}
    assert [(what, state) for _name, what, _level, state in told] == (
        of_actions('create', 'suspend', 'resume', 'check', 'snapshot',
                   'update', 'update', 'restore', 'update error', 'rollback',
                   'delete'))
    assert {level for _name, what, level, _state in told
            if what.endswith('error')} == {'ERROR'}


def test_nested_stacks_are_told_of(driver, api, told, monkeypatch):
    # A parent hears of the end of a stack when that has been told of; who
    # looks, however, may see it before.
    monkeypatch.setattr(resource_handler, 'POLL_INTERVAL', 20)
    template, files = tree(1, 1)
    stack = api.created('s', template, files=files)
    stack.deleted()
    rest.wait_for(lambda: len(told) >= 12, lambda: told)
    whats = [what for _name, what, _level, _state in told]
    for what in ('create.start', 'create.end', 'delete.start', 'delete.end'):
        assert whats.count(f'stack.{what}') == 3
    assert told[0][0] == 's'
    assert told[-1][0] == 's'
