"""What templates, environments and operators say of single resources."""
import json

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def rich(**kwargs):
    return templates.thing(type='Test::Rich', **kwargs)


def of(**kwargs):
    return templates.thing(**kwargs)


def rules(**resources):
    """Return an environment that rules over resources."""
    return {'resource_registry': {'resources': resources}}


# -- restricted actions -----------------------------------------------------

@pytest.mark.parametrize(('restricted', 'change', 'reason'), [
    ('update', {'value': 'y'}, 'restricts update'),
    ('replace', {'fixed': 'y'}, 'restricts replace'),
    (['update', 'replace'], {'fixed': 'y'}, 'restricts update')])
def test_restricted_action(driver, api, thing, restricted, change, reason):
    env = rules(**{'a*': {'restricted_actions': restricted}})
    stack = api.created('r', hot({'ab': of(value='x'), 'b': of()}),
                        environment=env)
    physical = stack.physical('ab')
    thing.log[api.project].clear()
    stack.update(hot({'ab': of(**{'value': 'x', **change}), 'b': of()}),
                 environment=env)
    shown = stack.wait('UPDATE_FAILED')
    assert 'ResourceActionRestricted' in shown['stack_status_reason']
    assert reason in shown['stack_status_reason']
    assert stack.states()['ab'] == 'UPDATE_FAILED'
    assert stack.physical('ab') == physical
    assert ('UPDATE', 'ab') not in thing.log[api.project]
    # Without the rule it is possible.
    stack.updated(hot({'ab': of(**{'value': 'x', **change}), 'b': of()}))


def test_other_actions_are_not_restricted(driver, api, thing):
    env = rules(a={'restricted_actions': 'replace'})
    stack = api.created('r', hot({'a': of(value='x')}), environment=env)
    physical = stack.physical('a')
    thing.log[api.project].clear()
    stack.updated(hot({'a': of(value='y')}), environment=env)
    assert stack.physical('a') == physical
    stack.updated(hot({}), environment=env)
    assert stack.states() == {}
    assert thing.log[api.project] == [('UPDATE', 'a'), ('DELETE', 'a')]


def test_unknown_restricted_action(api):
    answer = api.create('r', hot({'a': of()}), expect=None, environment=rules(
        a={'restricted_actions': 'lunch'}))
    assert (answer.status, answer.error) == (400, 'InvalidRestrictedAction')
    assert api.stacks() == []


# -- breakpoints ------------------------------------------------------------

def waits(stack, hook, name):
    text = f'paused until Hook {hook} is cleared'
    rest.wait_for(
        lambda: any(each['resource_name'] == name and
                    text in each['resource_status_reason'] for each in
                    stack.get('events')['events']),
        lambda: (hook, stack.events(), stack.resources()))


def clear(stack, hook, name):
    stack.request('POST', f'resources/{name}/signal', {'unset_hook': hook},
                  expect=200)


def test_breakpoints_by_wildcard(driver, api):
    stack = api.create('h', hot({'a1': of(), 'a2': of(), 'b': of()}),
                       environment=rules(**{'a*': {'hooks': 'pre-create'}}))
    for name in ('a1', 'a2'):
        waits(stack, 'pre-create', name)
    rest.wait_for(lambda: stack.states().get('b') == 'CREATE_COMPLETE',
                  lambda: stack.states())
    clear(stack, 'pre-create', 'a1')
    rest.wait_for(lambda: stack.states().get('a1') == 'CREATE_COMPLETE',
                  lambda: stack.states())
    assert stack.state == 'CREATE_IN_PROGRESS'
    clear(stack, 'pre-create', 'a2')
    stack.wait('CREATE_COMPLETE')
    reasons = [each['resource_status_reason']
               for each in stack.get('events')['events']]
    assert reasons.count('Hook pre-create is cleared') == 2


def test_breakpoints_inside_of_a_nested_stack(driver, api):
    stack = api.create(
        'h', hot({'n': {'type': 'inner.yaml'}}),
        files={'inner.yaml': json.dumps(hot({'t': of(), 'u': of()}))},
        environment=rules(n={'t': {'hooks': 'pre-create'}}))
    rest.wait_for(lambda: 'n' in stack.resources() and [
        link for link in stack.resource('n')['links']
        if link['rel'] == 'nested'], lambda: stack.resources())
    inner = stack.nested('n')
    waits(inner, 'pre-create', 't')
    clear(inner, 'pre-create', 't')
    stack.wait('CREATE_COMPLETE')


def test_breakpoints_after_update_and_delete(driver, api, thing):
    env = rules(a={'hooks': ['post-update', 'post-delete']})
    stack = api.created('h', hot({'a': of(value='x')}), environment=env)
    stack.update(hot({'a': of(value='y')}), environment=env)
    waits(stack, 'post-update', 'a')
    assert thing.log[api.project][-1] == ('UPDATE', 'a')
    assert stack.state == 'UPDATE_IN_PROGRESS'
    clear(stack, 'post-update', 'a')
    stack.wait('UPDATE_COMPLETE')
    stack.delete()
    waits(stack, 'post-delete', 'a')
    assert thing.log[api.project][-1] == ('DELETE', 'a')
    assert stack.state == 'DELETE_IN_PROGRESS'
    clear(stack, 'post-delete', 'a')
    stack.wait_deleted()


def hook_events(stack, name):
    """Return (state, reason) of the events of breakpoints, the first first.
    """
    found = stack.get('events?sort_keys=created_at&sort_dir=asc')['events']
    return [(each['resource_status'], each['resource_status_reason'])
            for each in found if each['resource_name'] == name
            and 'Hook' in each['resource_status_reason']]


def pause_of(hook, state):
    """Return the events of a breakpoint that is reached and cleared."""
    action = hook.partition('-')[2].upper()
    return [(state, f'{action} paused until Hook {hook} is cleared'),
            (state, f'Hook {hook} is cleared')]


@pytest.mark.parametrize('change', [{}, {'value': 'y'}, {'fixed': 'y'}])
def test_events_of_breakpoints_have_the_state_of_the_moment(driver, api,
                                                            change):
    """Also where the update changes nothing of the resource."""
    def template(**properties):
        properties = {'value': 'x', **properties}
        return hot({'a': of(**properties), 'n': {
            'type': 'inner.yaml',
            'properties': {'v': properties['value']}}})

    inner = {**hot({'t': of(value={'get_param': 'v'})}),
             'parameters': {'v': {'type': 'string'}}}
    files = {'inner.yaml': json.dumps(inner)}
    hooks = ['pre-create', 'pre-update', 'post-create']
    env = rules(a={'hooks': hooks}, n={'t': {'hooks': hooks}})
    stack = api.create('h', template(), files=files, environment=env)
    rest.wait_for(lambda: 'n' in stack.resources() and [
        link for link in stack.resource('n')['links']
        if link['rel'] == 'nested'], lambda: stack.resources())
    places = [(stack, 'a'), (stack.nested('n'), 't')]

    def passed(hook):
        for each, name in places:
            waits(each, hook, name)
            clear(each, hook, name)

    passed('pre-create')
    passed('post-create')
    stack.wait('CREATE_COMPLETE')
    stack.update(template(**change), files=files, environment=env)
    for each, name in places:
        waits(each, 'pre-update', name)
    assert stack.state == 'UPDATE_IN_PROGRESS'
    passed('pre-update')
    stack.wait('UPDATE_COMPLETE')
    for each, name in places:
        assert hook_events(each, name) == [
            *pause_of('pre-create', 'INIT_COMPLETE'),
            *pause_of('post-create', 'CREATE_COMPLETE'),
            *pause_of('pre-update', 'CREATE_COMPLETE')]


def test_events_of_every_breakpoint(driver, api):
    hooks = [f'{when}-{action}' for action in ('create', 'update', 'delete')
             for when in ('pre', 'post')]
    env = rules(a={'hooks': hooks})
    stack = api.create('h', hot({'a': of(value='x')}), environment=env)
    for hook in hooks:
        if hook == 'pre-update':
            stack.wait('CREATE_COMPLETE')
            stack.update(hot({'a': of(value='y')}), environment=env)
        elif hook == 'pre-delete':
            stack.wait('UPDATE_COMPLETE')
            stack.delete()
        waits(stack, hook, 'a')
        clear(stack, hook, 'a')
    stack.wait_deleted()
    states = ['INIT_COMPLETE', 'CREATE_COMPLETE', 'CREATE_COMPLETE',
              'UPDATE_COMPLETE', 'UPDATE_COMPLETE', 'DELETE_COMPLETE']
    assert hook_events(stack, 'a') == [
        event for hook, state in zip(hooks, states, strict=True)
        for event in pause_of(hook, state)]


def test_breakpoint_of_an_unchanged_member(driver, api):
    template = hot({'g': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': 2, 'resource_def': {'type': 'inner.yaml'}}}})
    files = {'inner.yaml': json.dumps(hot({'t': of()}))}
    stack = api.created('h', template, files=files)
    env = rules(g={'0': {'hooks': 'pre-update'}})
    stack.patch(environment=env)
    group = stack.nested('g')
    waits(group, 'pre-update', '0')
    clear(group, 'pre-update', '0')
    stack.wait('UPDATE_COMPLETE')
    assert hook_events(group, '0') == pause_of('pre-update',
                                               'CREATE_COMPLETE')


@pytest.mark.parametrize('hook', ['pre-delete', 'post-delete'])
def test_a_replaced_resource_waits_for_nobody(driver, api, hook):
    """What is removed by an update has no breakpoint to be cleared."""
    inner = {**hot({'t': of(fixed={'get_param': 'v'})}),
             'parameters': {'v': {'type': 'string'}}}

    def template(value):
        return hot({'a': of(fixed=value), 'n': {
            'type': 'inner.yaml', 'properties': {'v': value}}})

    kept = {'files': {'inner.yaml': json.dumps(inner)}, 'environment': rules(
        a={'hooks': hook}, n={'t': {'hooks': hook}})}
    stack = api.created('h', template('x'), **kept)
    before = stack.physical('a')
    stack.update(template('y'), timeout_mins=1, **kept)
    stack.wait('UPDATE_COMPLETE')
    assert stack.physical('a') != before
    assert hook_events(stack, 'a') == []
    stack.updated(template('y'), **{**kept, 'environment': {}})


def test_breakpoint_does_not_hold_up_a_failure(driver, api):
    stack = api.create('h', hot({'a': of(), 'b': of(fail=['CREATE'])}),
                       environment=rules(a={'hooks': 'pre-create'}))
    shown = stack.wait('CREATE_FAILED')
    assert 'resources.b' in shown['stack_status_reason']
    stack.updated(hot({'a': of(), 'b': of()}))


@pytest.mark.parametrize('hook', ['pre-create', 'post-create'])
def test_breakpoint_survives_a_delete_of_the_stack(driver, api, thing, hook):
    stack = api.create('h', hot({'a': of()}),
                       environment=rules(a={'hooks': hook}))
    waits(stack, hook, 'a')
    stack.deleted()
    assert not [each for each in thing.things if each.startswith('h-')]


# -- deletion policies ------------------------------------------------------

def test_snapshot_before_deletion(driver, api, thing):
    stack = api.created('s', hot({'a': rich(deletion_policy='Snapshot'),
                                  'b': rich(deletion_policy='snapshot')}))
    stack.updated(hot({'a': rich(deletion_policy='Snapshot')}))
    assert thing.log[api.project][-1] == (
        'SNAPSHOT_DELETE', 'b', 'CREATE', 'COMPLETE')
    stack.deleted()
    assert thing.log[api.project][-1] == (
        'SNAPSHOT_DELETE', 'a', 'CREATE', 'COMPLETE')
    assert ('DELETE', 'a') not in thing.log[api.project]


def test_policy_of_the_last_template_counts(driver, api, thing):
    stack = api.created('s', hot({'a': of(), 'b': of()}))
    physical = stack.physical('a')
    stack.updated(hot({'a': of(deletion_policy='Retain'), 'b': of()}))
    stack.updated(hot({'b': of()}))
    assert physical in thing.things
    assert ('DELETE', 'a') not in thing.log[api.project]


# -- what exists already ----------------------------------------------------

def test_external_resource(driver, api, thing):
    thing.things['there'] = 'treasure'
    template = {'a': {'type': 'Test::Rich', 'external_id': 'there'}}
    outputs = {'o': {'value': templates.attr('a', 'value')}}
    stack = api.created('e', hot(template, outputs=outputs))
    assert stack.states() == {'a': 'CHECK_COMPLETE'}
    assert stack.physical('a') == 'there'
    assert stack.outputs() == {'o': 'treasure'}
    assert stack.events('a') == [
        'a ADOPT_IN_PROGRESS', 'a ADOPT_COMPLETE', 'a CHECK_IN_PROGRESS',
        'a CHECK_COMPLETE']
    # Whatever else the template says of it, it stays as it is.
    stack.updated(hot({'a': {**template['a'],
                             'properties': {'value': 'other'}}}))
    assert thing.things['there'] == 'treasure'
    thing.things['else'] = 'another'
    stack.update(hot({'a': {**template['a'], 'external_id': 'else'}}))
    assert 'external_id' in stack.wait('UPDATE_FAILED')[
        'stack_status_reason']
    stack.deleted()
    assert thing.things.pop('there') == 'treasure'


def test_external_resource_that_is_not_there(driver, api):
    template = hot({'a': {'type': 'Test::Rich', 'external_id': 'nowhere'}})
    answer = api.create('e', template, expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.a.external_id: ' in answer.message
    assert 'nowhere' in answer.message
    assert api.stacks() == []
    # Validation of a template asks no service.
    api.post('validate', {'template': template})


# -- what is really there ---------------------------------------------------

@pytest.mark.parametrize('how', ['converge', 'observe_on_update'])
def test_reality_is_observed(driver, api, thing, conf, how):
    template = hot({'a': rich(value='x')})
    stack = api.created('o', template)
    physical = stack.physical('a')
    thing.things[physical] = 'changed by hand'
    stack.updated(template)
    assert thing.things[physical] == 'changed by hand'
    if how == 'observe_on_update':
        conf('observe_on_update', True)
        stack.updated(template)
    else:
        stack.updated(template, converge=True)
    assert thing.things[physical] == 'x'
    assert stack.physical('a') == physical
    # What is gone is made again.
    del thing.things[physical]
    stack.updated(template, converge=True)
    assert stack.physical('a') != physical
    assert thing.things[stack.physical('a')] == 'x'


# -- cancelling -------------------------------------------------------------

def one_fails_later(api, gate, thing, kind):
    """Begin a stack in which something fails when another thing waits."""
    first = type(gate)(f'{gate}-first')
    stack = api.create('c', hot({
        'a': kind(gate=str(gate)), 'first': of(gate=str(first)),
        'b': of(fail=['CREATE'], depends_on='first')}))
    rest.wait_for(lambda: ('CREATE', 'a') in thing.log.get(api.project, ()),
                  lambda: stack.states())
    first.open()
    return stack


def test_who_can_be_cancelled_is_told_at_once(driver, api, gate, conf,
                                              thing):
    # Nobody would wait so long.
    conf('error_wait_time', 600)
    stack = one_fails_later(api, gate, thing, rich)
    if driver == 'legacy':
        stack.wait('CREATE_FAILED')
        assert ('CANCEL', 'a') in thing.log[api.project]
        assert stack.states()['a'] == 'CREATE_FAILED'
    else:
        # What runs comes to its end by itself.
        stack.wait('CREATE_FAILED')
        gate.open()
        rest.wait_for(lambda: stack.states()['a'] == 'CREATE_COMPLETE',
                      lambda: stack.states())


def test_grace_when_another_resource_failed(driver, api, gate, conf, thing):
    conf('error_wait_time', 600)
    stack = one_fails_later(api, gate, thing, of)
    rest.wait_for(lambda: stack.states().get('b') == 'CREATE_FAILED',
                  lambda: stack.states())
    gate.open()
    stack.wait('CREATE_FAILED')
    rest.wait_for(lambda: stack.states()['a'] == 'CREATE_COMPLETE',
                  lambda: stack.states())
