"""Actions on a whole stack: suspend, resume, check; snapshots; adopt."""
import json

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot

PAIR = {'a': templates.thing(value='x'),
        'b': templates.thing(depends_on='a')}


def of(**kwargs):
    return templates.thing(**kwargs)


def test_suspend_and_resume(driver, api, thing):
    stack = api.created('s', hot(PAIR))
    thing.log[api.project].clear()
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    assert set(stack.states().values()) == {'SUSPEND_COMPLETE'}
    stack.act('suspend')
    assert stack.state == 'SUSPEND_COMPLETE'
    stack.act('resume')
    stack.wait('RESUME_COMPLETE')
    assert thing.log[api.project] == [
        ('SUSPEND', 'b'), ('SUSPEND', 'a'), ('RESUME', 'a'),
        ('RESUME', 'b')]
    stack.updated(hot({'a': of(value='y')}))


def test_suspend_that_fails(driver, api):
    stack = api.created('s', hot({'a': of(fail=['SUSPEND'])}))
    stack.act('suspend')
    shown = stack.wait('SUSPEND_FAILED')
    assert shown['stack_status_reason'] == (
        'Resource SUSPEND failed: ValueError: resources.a: SUSPEND of a '
        'went wrong')
    assert stack.states() == {'a': 'SUSPEND_FAILED'}


def test_delete_of_suspended_stack(driver, api):
    stack = api.created('s', hot(PAIR))
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    stack.deleted()


def test_check(driver, api):
    stack = api.created('c', hot({**PAIR, 'd': {'type': 'Test::Deaf'}}))
    stack.act('check')
    shown = stack.wait('CHECK_COMPLETE')
    assert 'not every resource type supports CHECK' in (
        shown['stack_status_reason'])
    assert set(stack.states().values()) == {'CHECK_COMPLETE'}
    assert 'not supported for Test::Deaf' in (
        stack.resource('d')['resource_status_reason'])


def test_check_tells_all_failures(driver, api):
    stack = api.created('c', hot({
        'a': of(fail=['CHECK']), 'b': of(fail=['CHECK'], depends_on='a'),
        'c': of(depends_on='b')}))
    stack.act('check')
    reason = stack.wait('CHECK_FAILED')['stack_status_reason']
    assert 'CHECK of a went wrong' in reason
    assert 'CHECK of b went wrong' in reason
    assert stack.states() == {'a': 'CHECK_FAILED', 'b': 'CHECK_FAILED',
                              'c': 'CHECK_COMPLETE'}
    # What was found broken is replaced.
    before = stack.physical('a')
    stack.updated(hot({'a': of(), 'b': of(depends_on='a'),
                       'c': of(depends_on='b')}))
    assert stack.physical('a') != before


@pytest.mark.parametrize('action', ['suspend', 'resume', 'check'])
def test_one_at_a_time(driver, api, gate, action):
    stack = api.create('s', hot({'a': of(gate=gate)}))
    answer = stack.act(action, expect=409)
    assert answer.error == 'ActionInProgress'
    gate.open()
    stack.wait('CREATE_COMPLETE')


@pytest.mark.parametrize('body', [
    {}, {'fly': None}, {'suspend': None, 'resume': None}])
def test_wrong_actions(api, body):
    stack = api.created('s', hot())
    answer = stack.request('POST', 'actions', body)
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


# -- snapshots --------------------------------------------------------------

def take(stack, **body):
    """Take a snapshot and return it when it is complete."""
    taken = stack.request('POST', 'snapshots', body, expect=200).json
    stack.wait('SNAPSHOT_COMPLETE')
    assert taken['status'] == 'IN_PROGRESS'
    return stack.get(f'snapshots/{taken["id"]}')['snapshot']


def test_snapshots(driver, api, thing):
    stack = api.created('s', hot(PAIR))
    taken = take(stack, name='first')
    assert set(taken) == {'id', 'name', 'status', 'status_reason', 'data',
                          'creation_time', 'action'}
    assert taken['name'] == 'first'
    assert taken['status'] == 'COMPLETE'
    assert taken['data']['name'] == 's'
    assert taken['data']['template'] == hot(PAIR)
    assert [each['id'] for each in
            stack.get('snapshots')['snapshots']] == [taken['id']]
    stack.updated(hot({'a': of(value='other'), 'c': of()}))
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert set(stack.states()) == {'a', 'b'}
    assert thing.things[stack.physical('a')] == 'x'
    stack.request('DELETE', f'snapshots/{taken["id"]}', expect=204)
    rest.wait_for(lambda: stack.get('snapshots') == {'snapshots': []},
                  'deletion of the snapshot')
    assert ('DELETE_SNAPSHOT', 'a') in thing.log[api.project]


def test_snapshot_without_name(driver, api):
    stack = api.created('s', hot(PAIR))
    assert take(stack)['name'] is None


def test_snapshot_that_fails(driver, api):
    stack = api.created('s', hot({'a': of(fail=['SNAPSHOT'])}))
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    stack.wait('SNAPSHOT_FAILED')
    found = stack.get(f'snapshots/{taken["id"]}')['snapshot']
    assert found['status'] == 'FAILED'
    answer = stack.request('POST', f'snapshots/{taken["id"]}/restore')
    assert (answer.status, answer.error) == (400, 'NotSupported')


def test_snapshot_of_a_busy_stack(driver, api, gate):
    stack = api.create('s', hot({'a': of(gate=gate)}))
    answer = stack.request('POST', 'snapshots', {}, expect=409)
    assert answer.error == 'ActionInProgress'
    gate.open()
    stack.wait('CREATE_COMPLETE')


def test_snapshot_being_taken(driver, api, gate):
    stack = api.created('s', hot({'a': of(gate=gate, gated=['SNAPSHOT'])}))
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    for method, path in (('DELETE', ''), ('POST', '/restore')):
        answer = stack.request(method, f'snapshots/{taken["id"]}{path}',
                               expect=400)
        assert answer.error == 'NotSupported'
    gate.open()
    stack.wait('SNAPSHOT_COMPLETE')


@pytest.mark.parametrize(('method', 'path'), [
    ('GET', ''), ('DELETE', ''), ('POST', '/restore')])
def test_unknown_snapshot(api, method, path):
    stack = api.created('s', hot())
    answer = stack.request(method, f'snapshots/unknown{path}')
    assert (answer.status, answer.error) == (404, 'SnapshotNotFound')


def test_snapshots_go_with_the_stack(driver, api, thing):
    stack = api.created('s', hot(PAIR))
    take(stack)
    stack.deleted()
    assert ('DELETE_SNAPSHOT', 'a') in thing.log[api.project]


# -- adopt, abandon, export -------------------------------------------------

@pytest.fixture
def adoption(conf):
    """Switch adopting and abandoning on, as an operator may."""
    conf('enable_stack_adopt', True)
    conf('enable_stack_abandon', True)


def test_abandon_and_adopt(driver, api, thing, adoption):
    stack = api.created('s', hot(PAIR, outputs={
        'o': {'value': attr('a', 'value')}}))
    made = {name: stack.physical(name) for name in PAIR}
    exported = stack.get('export')
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    stack.wait_deleted()
    assert abandoned.keys() == exported.keys()
    assert abandoned['name'] == 's'
    assert abandoned['resources']['a']['resource_id'] == made['a']
    assert set(made.values()) <= set(thing.things)
    thing.log[api.project].clear()
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'adopt_stack_data': json.dumps(abandoned)},
        expect=201)
    adopted = rest.Stack(api, 't', answer.json['stack']['id'])
    adopted.wait('ADOPT_COMPLETE')
    assert {name: adopted.physical(name) for name in PAIR} == made
    assert set(adopted.states().values()) == {'ADOPT_COMPLETE'}
    assert adopted.outputs() == {'o': 'x'}
    assert thing.log[api.project] == []
    adopted.deleted()
    assert not set(made.values()) & set(thing.things)


def test_adopting_what_the_data_do_not_know(driver, api, adoption):
    data = {'template': hot(PAIR), 'resources': {}}
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'adopt_stack_data': json.dumps(data)},
        expect=201)
    adopted = rest.Stack(api, 't', answer.json['stack']['id'])
    shown = adopted.wait('ADOPT_FAILED')
    assert 'Resource ID was not provided' in shown['stack_status_reason']
    assert adopted.states()['a'] == 'ADOPT_FAILED'
    # An update makes what is missing.
    adopted.updated(hot(PAIR))
    assert set(adopted.states().values()) == {'CREATE_COMPLETE'}


def test_adopting_is_off_by_default(api):
    stack = api.created('s', hot())
    for method, path in (('GET', 'export'), ('DELETE', 'abandon')):
        answer = stack.request(method, path)
        assert (answer.status, answer.error) == (400, 'NotSupported')
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'adopt_stack_data': json.dumps(
            {'template': hot(), 'resources': {}})})
    assert (answer.status, answer.error) == (400, 'NotSupported')
    assert api.stacks() == ['s']


@pytest.mark.parametrize('data', ['[]', '{}', 'no: [json', '"x"'])
def test_wrong_adopt_data(api, adoption, data):
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'adopt_stack_data': data})
    assert answer.status == 400


@pytest.mark.parametrize(('resources', 'place'), [
    (5, 'resources'), ([1], 'resources'), ({'a': 5}, 'resources.a'),
    ({'a': {'metadata': [1]}}, 'resources.a.metadata'),
    ({'a': {'resource_data': 5}}, 'resources.a.resource_data'),
    ({'a': {'resource_data': {'k': {}}}}, 'resources.a.resource_data.k'),
    ({'a': {'resource_id': {}}}, 'resources.a.resource_id'),
    ({'a': {'resources': {'b': 5}}}, 'resources.a.resources.b')])
@pytest.mark.parametrize('more', [{}, {'template': hot(PAIR)}],
                         ids=['data', 'template'])
def test_wrong_resources_in_adopt_data(api, adoption, resources, place, more):
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', **more, 'adopt_stack_data': json.dumps(
            {'template': hot(PAIR), 'resources': resources})})
    assert answer.status == 400, answer
    assert f'"adopt_stack_data.{place}" must be' in answer.message
    assert api.stacks() == []


# -- hidden values ----------------------------------------------------------

HIDING = {
    'parameters': {'secret': {'type': 'string', 'hidden': True},
                   'open': {'type': 'string', 'default': 'all'}},
}
SECRET = 'nobody-may-see-this'


def hiding_stack(api, name='s'):
    return api.created(name, hot(PAIR, **HIDING),
                       parameters={'secret': SECRET, 'open': 'told'})


def test_what_is_exported_hides_what_is_hidden(driver, api, adoption):
    stack = hiding_stack(api)
    exported = stack.get('export')
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    stack.wait_deleted()
    for shown in (exported, abandoned):
        assert SECRET not in json.dumps(shown)
        assert shown['environment']['parameters'] == {
            'secret': '******', 'open': 'told'}


TALKATIVE = hot({'a': of(
    value='x', metadata={
        'url': {'str_replace': {'template': 'http://u:PW@db/',
                                'params': {'PW': {'get_param': 'secret'}}}},
        'same': {'get_param': 'secret'},
        'deep': [{'get_param': 'list'}], 'other': 'told'})},
    parameters={'secret': {'type': 'string', 'hidden': True},
                'list': {'type': 'comma_delimited_list', 'hidden': True}})


def talkative_stack(api):
    """Return a stack whose hidden values are in all that can be shown."""
    stack = api.created('s', TALKATIVE, parameters={
        'secret': SECRET, 'list': f'one,also-{SECRET}'})
    # A plugin keeps what it is told.
    stack.request('POST', 'resources/a/signal', {'said': f'<{SECRET}>'},
                  expect=200)
    rest.wait_for(lambda: 'a SIGNAL_COMPLETE' in stack.events('a'),
                  lambda: stack.events('a'))
    return stack


def test_hidden_values_inside_of_texts_are_struck_out(driver, api, adoption):
    stack = talkative_stack(api)
    taken = take(stack)
    exported = stack.get('export')
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    stack.wait_deleted()
    for shown in exported, abandoned, taken['data']:
        assert SECRET not in json.dumps(shown)
        found = shown['resources']['a']
        assert found['metadata'] == {
            'url': 'http://u:******@db/', 'same': '******',
            'deep': [['one', '******']], 'other': 'told'}
        assert '<******>' in found['resource_data']['signal']


def test_what_is_masked_comes_from_the_template_on_adoption(
        driver, api, adoption, thing):
    stack = talkative_stack(api)
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    stack.wait_deleted()
    thing.things[abandoned['resources']['a']['resource_id']] = 'x'
    answer = api.request('POST', 'stacks', {
        'stack_name': 't', 'adopt_stack_data': json.dumps(abandoned),
        'parameters': {'secret': 'new-one', 'list': 'two'}}, expect=201)
    adopted = rest.Stack(api, 't', answer.json['stack']['id'])
    adopted.wait('ADOPT_COMPLETE')
    assert adopted.get('resources/a/metadata')['metadata'] == {
        'url': 'http://u:new-one@db/', 'same': 'new-one',
        'deep': [['two']], 'other': 'told'}
    data = adopted.get('export')['resources']['a']['resource_data']
    assert 'signal' not in data
    assert data['tries'] == '1'


def test_a_mask_is_no_value_to_adopt_with(api, adoption):
    stack = hiding_stack(api)
    abandoned = stack.request('DELETE', 'abandon', expect=200).json
    stack.wait_deleted()
    body = {'stack_name': 't', 'adopt_stack_data': json.dumps(abandoned)}
    answer = api.request('POST', 'stacks', body)
    assert (answer.status, answer.error) == (400, 'UserParameterMissing')
    assert 'secret' in str(answer.json)
    answer = api.request('POST', 'stacks', {
        **body, 'parameters': {'secret': SECRET}}, expect=201)
    rest.Stack(api, 't', answer.json['stack']['id']).wait('ADOPT_COMPLETE')


def test_snapshots_hide_what_is_hidden_and_restore_it(driver, api):
    stack = hiding_stack(api)
    taken = take(stack)
    listed = stack.get('snapshots')
    for shown in (taken, listed):
        assert SECRET not in json.dumps(shown)
        assert '******' in json.dumps(shown)
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    again = take(stack)
    assert again['data']['environment']['parameters']['open'] == 'told'
