"""Stacks inside stacks."""
import json
import queue
import threading

import pytest

from heat.engine.cluster import wakeup
from heat.engine.lifecycle import handler as resource_handler
from heat.objects import transaction
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param


def of(**kwargs):
    return templates.thing(**kwargs)


INNER = """
heat_template_version: 2018-08-31
description: Inside.
parameters:
  word: {type: string, default: none}
  fail: {type: comma_delimited_list, default: ''}
  gate: {type: string, default: ''}
resources:
  t:
    type: Test::Thing
    properties:
      value: {get_param: word}
      fail: {get_param: fail}
outputs:
  said: {value: {get_attr: [t, value]}}
"""
VALUE = """
heat_template_version: 2018-08-31
parameters: {word: {type: string}}
resources:
  v: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
"""
OUTER = hot({'n': {'type': 'inner.yaml', 'properties': {'word': 'x'}}},
            outputs={'said': {'value': attr('n', 'said')}})
FILES = {'inner.yaml': INNER}


def test_list_of_maps_is_flattened_for_a_list_of_texts(driver, api):
    inner = {**hot({}), 'parameters': {
        'items': {'type': 'comma_delimited_list'}},
        'outputs': {'o': {'value': {'get_param': 'items'}}}}
    stack = api.created('s', hot(
        {'n': {'type': 'n.yaml', 'properties': {
            'items': [{'k': 'a', 'm': 1}, {'k': 'b'}]}}},
        outputs={'o': {'value': attr('n', 'o')}}),
        files={'n.yaml': json.dumps(inner)},
        environment={'resource_registry': {'n.yaml': 'n.yaml'}})
    assert stack.outputs() == {
        'o': ['.member.0.k=a', '.member.0.m=1', '.member.1.k=b']}
    assert stack.get('environment')['resource_registry'] == {
        'n.yaml': 'n.yaml', 'resources': {}}


def test_template_by_file_name(driver, api):
    stack = api.created('s', OUTER, files=FILES)
    assert stack.outputs() == {'said': 'x'}
    nested = stack.nested('n')
    assert nested.name.startswith('s-n-')
    shown = nested.show()
    assert shown['parent'] == stack.id
    assert shown['stack_status'] == 'CREATE_COMPLETE'
    assert shown['parameters']['word'] == 'x'
    assert stack.resource('n')['resource_type'] == 'inner.yaml'
    assert nested.resources()['t']['parent_resource'] == 'n'
    assert stack.get('files') == FILES
    stack.updated(hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': 'y'}}}, outputs=OUTER['outputs']), files=FILES)
    assert stack.outputs() == {'said': 'y'}
    assert stack.nested('n').id == nested.id
    assert nested.show()['stack_status'] == 'UPDATE_COMPLETE'
    stack.deleted()
    assert nested.show()['stack_status'] == 'DELETE_COMPLETE'


OTHER = INNER.replace('word', 'other')


@pytest.mark.parametrize(('type_name', 'word', 'inner'), [
    ('moved.yaml', 'word', INNER), ('inner.yaml', 'other', OTHER),
    ('moved.yaml', 'other', OTHER)])
def test_other_file_or_parameters(driver, api, type_name, word, inner):
    stack = api.created('s', OUTER, files=FILES)
    nested, inside = stack.physical('n'), stack.nested('n').physical('t')
    wanted = {'template': hot({'n': {
        'type': type_name, 'properties': {word: 'y'}}},
        outputs=OUTER['outputs']), 'files': {type_name: inner}}
    changes = stack.request('PUT', 'preview', wanted,
                            expect=200).json['resource_changes']
    assert [each['resource_name'] for each in changes['updated']] == ['n']
    found = stack.request('POST', 'change_sets', wanted,
                          expect=201).json['change_set']
    assert found['status'] == 'AVAILABLE', found['status_reason']
    assert [each['action'] for each in found['changes']] == ['update'] * 2
    # An update that fails leads back to what has been deleted since.
    stack.update(
        hot({'n': wanted['template']['resources']['n'],
             'bad': of(fail=['CREATE'], depends_on='n')}),
        files=wanted['files'], disable_rollback=False)
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.outputs() == {'said': 'x'}
    stack.updated(wanted['template'], files=wanted['files'])
    assert stack.outputs() == {'said': 'y'}
    # Nothing has been replaced.
    assert stack.physical('n') == nested
    assert stack.nested('n').physical('t') == inside


@pytest.mark.parametrize('target', [
    {'My::Inner': 'inner.yaml'}, {'My::*': 'inner.yaml'},
    {'resources': {'n': {'My::Inner': 'inner.yaml'}}}])
def test_template_by_registry(driver, api, target):
    stack = api.created(
        's', hot({'n': {'type': 'My::Inner', 'properties': {'word': 'x'}}},
                 outputs={'said': {'value': attr('n', 'said')}}),
        files=FILES, environment={'resource_registry': target})
    assert stack.outputs() == {'said': 'x'}
    assert stack.resource('n')['resource_type'] == 'My::Inner'


def test_failure_inside(driver, api):
    stack = api.create('s', hot({'n': {
        'type': 'inner.yaml', 'properties': {'fail': ['CREATE']}}}),
        files=FILES)
    shown = stack.wait('CREATE_FAILED')
    assert shown['stack_status_reason'] == (
        'Resource CREATE failed: ValueError: resources.n.resources.t: '
        'CREATE of t went wrong')
    nested = stack.nested('n')
    assert nested.show()['stack_status'] == 'CREATE_FAILED'
    stack.updated(hot({'n': {'type': 'inner.yaml'}}), files=FILES)
    # A nested stack is repaired, not replaced.
    assert stack.nested('n').id == nested.id


def test_failed_update_inside_is_rolled_back(driver, api):
    stack = api.created('s', OUTER, files=FILES, disable_rollback=False)
    stack.update(hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': 'y', 'fail': ['UPDATE']}}}, outputs=OUTER['outputs']),
        files=FILES)
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.outputs() == {'said': 'x'}


def test_delete_during_create_inside(driver, api, gate, conf, thing):
    conf('error_wait_time', 1)
    inner = INNER.replace('      fail:', '      gate: {get_param: gate}\n'
                          '      fail:')
    stack = api.create('s', hot({'n': {
        'type': 'inner.yaml', 'properties': {'gate': gate}}}),
        files={'inner.yaml': inner})
    rest.wait_for(lambda: ('CREATE', 't') in thing.log.get(api.project, ()),
                  'the inner resource')
    stack.delete()
    gate.open()
    stack.wait_deleted()
    assert ('DELETE', 't') in thing.log[api.project]


def test_cancel_inside(driver, api, gate, conf, thing):
    conf('error_wait_time', 1)
    inner = INNER.replace('      fail:', '      gate: {get_param: gate}\n'
                          '      fail:')
    stack = api.created('s', OUTER, files={'inner.yaml': inner})
    stack.update(hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': 'y', 'gate': gate}}}, outputs=OUTER['outputs']),
        files={'inner.yaml': inner})
    rest.wait_for(lambda: ('UPDATE', 't') in thing.log[api.project],
                  'the inner update')
    stack.act('cancel_update')
    gate.open()
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.outputs() == {'said': 'x'}


def test_removed_nested_stack_goes(driver, api):
    stack = api.created('s', OUTER, files=FILES)
    nested = stack.nested('n')
    stack.updated(hot())
    rest.wait_for(lambda: nested.state == 'DELETE_COMPLETE',
                  'the end of the nested stack')


DEEP = {
    'two.yaml': 'heat_template_version: 2018-08-31\n'
                'resources: {three: {type: three.yaml}}\n'
                'outputs: {o: {value: {get_attr: [three, o]}}}\n',
    'three.yaml': 'heat_template_version: 2018-08-31\n'
                  'resources:\n'
                  '  t: {type: "Test::Thing", properties: {value: deep}}\n'
                  'outputs: {o: {value: {get_attr: [t, value]}}}\n',
}


def test_three_levels(driver, api):
    stack = api.created('s', hot({'two': {'type': 'two.yaml'}}, outputs={
        'o': {'value': attr('two', 'o')}}), files=DEEP)
    assert stack.outputs() == {'o': 'deep'}
    assert set(stack.resources()) == {'two'}
    assert set(stack.resources(nested_depth=1)) == {'two', 'three'}
    found = stack.resources(nested_depth=2)
    assert set(found) == {'two', 'three', 't'}
    assert found['t']['parent_resource'] == 'three'
    assert found['three']['parent_resource'] == 'two'
    assert 'parent_resource' not in found['two']
    assert [link['rel'] for link in found['two']['links']] == [
        'self', 'stack', 'nested']
    assert set(stack.resources(nested_depth=9, type='Thing')) == {'t'}
    stack.deleted()


def test_events_of_all_levels(driver, api):
    stack = api.created('s', hot({'two': {'type': 'two.yaml'}}), files=DEEP)
    assert {each.split()[0] for each in stack.events()} == {'s', 'two'}
    names = [each.split()[0] for each in stack.events(nested_depth=2)]
    assert {'s', 'two', 'three', 't'} < set(names)
    event = stack.get('events', nested_depth=1)['events'][0]
    [root] = [link['href'] for link in event['links']
              if link['rel'] == 'root_stack']
    assert root.endswith(stack.path)
    found = stack.events(nested_depth=2, resource_name='t')
    assert found == ['t CREATE_IN_PROGRESS', 't CREATE_COMPLETE']


def test_actions_go_down(driver, api):
    stack = api.created('s', hot({'two': {'type': 'two.yaml'}}), files=DEEP)
    for action in ('suspend', 'resume', 'check'):
        stack.act(action)
        stack.wait(f'{action.upper()}_COMPLETE')
        states = stack.states(nested_depth=5)
        assert set(states.values()) == {f'{action.upper()}_COMPLETE'}


def test_snapshot_and_restore_go_down(driver, api):
    stack = api.created('s', OUTER, files=FILES)
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    stack.wait('SNAPSHOT_COMPLETE')
    stack.updated(hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': 'y'}}}, outputs=OUTER['outputs']), files=FILES)
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert stack.outputs() == {'said': 'x'}


@pytest.mark.parametrize('convergence', [True, False])
def test_nesting_limit(api, conf, convergence):
    conf('convergence_engine', convergence)
    conf('max_nested_stack_depth', 2)
    api.created('two', hot({'two': {'type': 'two.yaml'}}), files=DEEP)
    answer = api.create('four', hot({'one': {'type': 'one.yaml'}}), files={
        **DEEP, 'one.yaml': 'heat_template_version: 2018-08-31\n'
        'resources: {two: {type: two.yaml}}\n'}, expect=400)
    assert answer.error == 'RequestLimitExceeded'
    assert api.stacks() == ['two']


def test_resource_limit(driver, api, conf):
    conf('max_resources_per_stack', 3)
    template = hot({'a': {'type': 'two.yaml'}, 'b': {'type': 'two.yaml'}})
    answer = api.request('POST', 'stacks', {
        'stack_name': 's', 'template': template, 'files': DEEP})
    if answer.status == 201:
        stack = rest.Stack(api, 's', answer.json['stack']['id'])
        shown = stack.wait('CREATE_FAILED')
        assert 'exceeded' in shown['stack_status_reason']
    else:
        assert (answer.status, answer.error) == (400, 'RequestLimitExceeded')


def test_error_inside_names_the_way(driver, api):
    bad = INNER.replace('value: {get_param: word}', 'worth: x')
    answer = api.create('s', OUTER, files={'inner.yaml': bad}, expect=400)
    assert answer.error == 'StackValidationFailed'
    assert 'resources.n<inner.yaml>.resources.t' in answer.message
    assert 'worth' in answer.message
    answer = api.create('s', OUTER, files={'inner.yaml': 'x: [y'},
                        expect=400)
    assert 'resources.n' in answer.message
    answer = api.create('s', OUTER, expect=400)
    assert 'inner.yaml' in answer.message
    answer = api.create('s', hot({'n': {
        'type': 'inner.yaml', 'properties': {'worth': 'x'}}}), files=FILES,
        expect=400)
    assert 'worth' in answer.message
    assert api.stacks(show_nested='true') == []


def test_recursion(driver, api):
    answer = api.create('s', hot({'a': {'type': 'a.yaml'}}), files={
        'a.yaml': 'heat_template_version: 2018-08-31\n'
                  'resources: {a: {type: a.yaml}}\n'}, expect=400)
    assert answer.error == 'RequestLimitExceeded'


def test_many_nested_stacks_wait_at_once(driver, api, gate, conf,
                                         monkeypatch):
    """Waiting takes no thread: more may wait than there are threads."""
    monkeypatch.setattr(resource_handler, 'POLL_INTERVAL', 1)
    conf('max_resources_per_stack', -1)
    inner = INNER.replace('      fail:', '      gate: {get_param: gate}\n'
                          '      fail:')
    before = threading.active_count()
    stack = api.create('s', hot({f'n{index}': {
        'type': 'inner.yaml', 'properties': {'gate': gate}}
        for index in range(220)}), files={'inner.yaml': inner})
    rest.wait_for(lambda: [each['resource_status'] for each in stack.get(
        'resources', nested_depth=1, type='Thing')['resources']].count(
            'CREATE_IN_PROGRESS') == 220, 'all of them')
    assert threading.active_count() - before < 200
    # Others are served meanwhile.
    api.created('t', OUTER, files=FILES)
    gate.open()
    stack.wait('CREATE_COMPLETE')
    stack.deleted()


# -- OS::Heat::Stack --------------------------------------------------------

def remote(template, **parameters):
    return hot({'n': {'type': 'OS::Heat::Stack', 'properties': {
        'template': template, 'parameters': parameters}}}, outputs={
            'o': {'value': attr('n', 'outputs', 'said')}})


def test_stack_as_a_resource(driver, api):
    stack = api.created('s', remote(INNER, word='x'))
    assert stack.outputs() == {'o': 'x'}
    assert sorted(api.stacks())[0] == 's'
    stack.updated(remote(INNER, word='y'))
    assert stack.outputs() == {'o': 'y'}
    stack.deleted()
    assert api.stacks() == []


def test_failure_of_a_stack_as_a_resource(driver, api):
    stack = api.create('s', remote(INNER, fail='CREATE'))
    shown = stack.wait('CREATE_FAILED')
    assert 'CREATE of t went wrong' in shown['stack_status_reason']
    answer = api.create('t', remote('x: [y'), expect=400)
    assert answer.error == 'StackValidationFailed'


@pytest.fixture
def ends(monkeypatch):
    """Return a queue of the stacks that end: nobody looks meanwhile."""
    monkeypatch.setattr(resource_handler, 'POLL_INTERVAL', 20)
    found, announce = queue.Queue(), wakeup.stack_ended

    def ended(stack, *args, **kwargs):
        announce(stack, *args, **kwargs)
        found.put(stack.name)

    monkeypatch.setattr(wakeup, 'stack_ended', ended)
    return found


def remotes(number, word):
    return hot({f'n{index}': {
        'type': 'OS::Heat::Stack', 'properties': {
            'template': VALUE, 'parameters': {'word': word}}}
        for index in range(number)})


def statements_of_remotes(api, ends, number):
    """Return what the life of some stacks as resources takes."""
    name = f's{number}'

    def used(begin):
        before = transaction.counters()['statements']
        answer = begin()
        while ends.get(timeout=60) != name:
            """It is one of the stacks inside."""
        return answer, transaction.counters()['statements'] - before

    stack, create = used(lambda: api.create(name, remotes(number, 'x')))
    _none, change = used(lambda: stack.update(remotes(number, 'y')))
    stack.wait('UPDATE_COMPLETE')
    _none, delete = used(lambda: stack.request('DELETE'))
    return create, change, delete


def test_statements_of_a_stack_as_a_resource(api, ends):
    few, many = 2, 42
    create, change, delete = (
        (with_many - with_few) / (many - few) for with_few, with_many in zip(
            statements_of_remotes(api, ends, few),
            statements_of_remotes(api, ends, many), strict=True))
    # Alone, each takes some twenty.
    assert create <= 8
    assert change <= 15
    assert delete <= 16


# -- OS::Heat::ResourceGroup ------------------------------------------------

def group(count, value='%index%', policy=None, **properties):
    definition = {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': count, 'resource_def': {
            'type': 'Test::Thing',
            'properties': {'value': value, **properties}}}}
    if policy:
        definition['update_policy'] = policy
    return hot({'g': definition}, outputs={
        'all': {'value': attr('g', 'value')},
        'refs': {'value': attr('g', 'refs')},
        'one': {'value': attr('g', 'resource.0.value')}})


def test_group(driver, api):
    stack = api.created('s', group(3))
    outputs = stack.outputs()
    assert outputs['all'] == ['0', '1', '2']
    assert outputs['one'] == '0'
    nested = stack.nested('g')
    assert outputs['refs'] == [nested.physical(str(index))
                               for index in range(3)]
    stack.updated(group(5))
    assert stack.outputs()['all'] == ['0', '1', '2', '3', '4']
    assert stack.outputs()['refs'][:3] == outputs['refs']
    stack.updated(group(2))
    assert stack.outputs()['refs'] == outputs['refs'][:2]
    stack.updated(group(0))
    assert stack.outputs() == {'all': [], 'refs': [], 'one': None}
    stack.deleted()


def test_rolling_update(driver, api, thing):
    policy = {'rolling_update': {'max_batch_size': 2,
                                 'min_in_service': 1}}
    stack = api.created('s', group(4, policy=policy))
    thing.log[api.project].clear()
    stack.updated(group(4, 'v%index%', policy=policy))
    assert stack.outputs()['all'] == ['v0', 'v1', 'v2', 'v3']
    assert sorted(thing.log[api.project]) == [
        ('UPDATE', str(index)) for index in range(4)]
    assert {name for _what, name in thing.log[api.project][:2]} == {
        '0', '1'}


def test_group_replaces_what_is_listed(driver, api):
    stack = api.created('s', group(3))
    refs = stack.outputs()['refs']
    wanted = group(3)
    wanted['resources']['g']['properties']['removal_policies'] = [
        {'resource_list': ['1']}]
    stack.updated(wanted)
    assert stack.outputs()['all'] == ['0', '2', '3']
    assert stack.outputs()['refs'][:2] == [refs[0], refs[2]]


def test_failure_in_a_group(driver, api):
    stack = api.create('s', group(2, fail=['CREATE']))
    reason = stack.wait('CREATE_FAILED')['stack_status_reason']
    assert 'resources.g.resources[' in reason
    assert 'went wrong' in reason


def test_group_of_templates(driver, api):
    stack = api.created('s', hot({'g': {
        'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 2, 'resource_def': {
                'type': 'inner.yaml',
                'properties': {'word': 'w%index%'}}}}}, outputs={
                    'said': {'value': attr('g', 'said')}}), files=FILES)
    assert stack.outputs() == {'said': ['w0', 'w1']}
    assert len(stack.get('resources',
                         nested_depth=3)['resources']) == 1 + 2 + 2
    stack.deleted()


def test_count_from_a_parameter(driver, api):
    template = group(param('n'))
    template['parameters'] = {'n': {'type': 'number', 'default': 1}}
    stack = api.created('s', template)
    stack.patched(parameters={'n': 3})
    assert stack.outputs()['all'] == ['0', '1', '2']


def test_preview_of_nested(driver, api):
    shown = api.post('stacks/preview', {
        'stack_name': 's', 'template': OUTER, 'files': FILES})['stack']
    [[inner]] = shown['resources']
    assert inner['resource_name'] == 't'
    stack = api.created('s', OUTER, files=FILES)
    body = {'template': hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': 'y'}}}), 'files': FILES}
    for query, expected in (({}, ['n']),
                            ({'show_nested': 'true'}, ['n', 't'])):
        changes = stack.request('PUT', 'preview', body, expect=200,
                                **query).json['resource_changes']
        assert sorted(each['resource_name']
                      for each in changes['updated']) == expected


def test_snapshot_of_a_tree(driver, api, thing):
    def outer(word):
        return hot({'n': {'type': 'inner.yaml',
                          'properties': {'word': word}}})

    stack = api.created('s', outer('x'), files=FILES)
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    stack.wait('SNAPSHOT_COMPLETE')
    shown = stack.get(f'snapshots/{taken["id"]}')['snapshot']
    assert shown['status'] == 'COMPLETE'
    assert 't' in shown['data']['resources']['n']['resources']
    physical = stack.nested('n').physical('t')
    stack.updated(outer('y'), files=FILES)
    assert thing.things[physical] == 'y'
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert stack.nested('n').physical('t') == physical
    assert thing.things[physical] == 'x'
    stack.deleted()
