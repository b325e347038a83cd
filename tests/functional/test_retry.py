"""Failed operations that are tried again from where they stopped."""
import json

import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def of(**kwargs):
    return templates.thing(**kwargs)


@pytest.fixture
def mended(thing, monkeypatch):
    """Return a function after which nothing fails any more."""
    def mend():
        monkeypatch.setattr(thing, 'opened', {thing.EVERY})
    return mend


def calls(thing, api):
    """Return the calls of plugins since the last time, sorted."""
    log = thing.log[api.project]
    found = sorted(log)
    log.clear()
    return found


def test_a_creation_is_retried(driver, api, thing, mended):
    stack = api.create('again', hot({
        'a': of(), 'b': of(fail=['CREATE'], depends_on='a'),
        'c': of(depends_on='b')}))
    stack.wait('CREATE_FAILED')
    made = stack.physical('a')
    calls(thing, api)
    mended()
    stack.act('retry')
    stack.wait('UPDATE_COMPLETE')
    found = calls(thing, api)
    assert ('CREATE', 'c') in found
    assert not [entry for entry in found if entry[1] == 'a']
    assert stack.physical('a') == made
    assert stack.states() == {
        'a': 'CREATE_COMPLETE', 'b': 'CREATE_COMPLETE',
        'c': 'CREATE_COMPLETE'}


def test_a_creation_of_a_tree_is_retried(driver, api, thing, mended):
    inner = json.dumps(hot({'t': of(), 'u': of(fail=['CREATE'],
                                               depends_on='t')}))
    stack = api.create('again', hot({'n': {'type': 'inner.yaml'}, 'a': of()}),
                       files={'inner.yaml': inner})
    stack.wait('CREATE_FAILED')
    nested = stack.nested('n')
    made = nested.physical('t')
    calls(thing, api)
    mended()
    stack.act('retry')
    stack.wait('UPDATE_COMPLETE')
    assert stack.nested('n').physical('t') == made
    assert not [entry for entry in calls(thing, api)
                if entry[1] in ('a', 't')]


def test_an_update_is_retried(driver, api, thing, mended):
    stack = api.created('again', hot({'a': of(value='x'), 'b': of(value='x')}))
    wanted = hot({'a': of(value='y'), 'b': of(
        value='y', fail=['UPDATE', 'CREATE'], depends_on='a')})
    stack.update(wanted)
    stack.wait('UPDATE_FAILED')
    calls(thing, api)
    if driver == 'legacy':
        answer = stack.request('POST', 'actions', {'retry': None}, expect=400)
        assert answer.error == 'NotSupported'
        return
    stack.act('retry')
    stack.wait('UPDATE_FAILED')
    assert {entry[1] for entry in calls(thing, api)} == {'b'}
    mended()
    stack.act('retry')
    stack.wait('UPDATE_COMPLETE')
    assert {entry[1] for entry in calls(thing, api)} == {'b'}
    assert stack.get('template')['resources']['b']['properties'][
        'value'] == 'y'


@pytest.mark.parametrize('driver', ['convergence'], indirect=True)
def test_a_retried_update_goes_back_to_where_the_first_began(driver, api,
                                                             gate):
    stack = api.created('again', hot({'a': of(value='x'), 'b': of(value='x')}))
    stack.update(hot({'a': of(value='y'), 'b': of(
        value='y', fail=['UPDATE'], depends_on='a', gate=gate,
        gated=['CREATE'])}))
    stack.wait('UPDATE_FAILED')
    stack.act('retry')
    rest.wait_for(lambda: stack.states().get('b') == 'CREATE_IN_PROGRESS',
                  'the replacement')
    stack.act('cancel_update')
    gate.open()
    stack.wait('ROLLBACK_COMPLETE')
    for name in 'ab':
        assert stack.resource(name)['attributes']['value'] == 'x'


def test_a_deletion_is_retried_and_leaves_what_it_was_to(driver, api, thing,
                                                         mended):
    stack = api.created('again', hot({
        'a': of(), 'b': of(fail=['DELETE'], depends_on='a'), 'c': of()}))
    made = {name: stack.physical(name) for name in 'abc'}
    stack.request('DELETE', retain='a', expect=204)
    stack.wait('DELETE_FAILED')
    calls(thing, api)
    mended()
    stack.request('PUT', 'protection', {'termination_protection': True},
                  expect=200)
    answer = stack.request('POST', 'actions', {'retry': None}, expect=409)
    assert answer.error == 'StackProtected'
    stack.request('PUT', 'protection', {'termination_protection': False},
                  expect=200)
    stack.act('retry')
    stack.wait_deleted()
    assert {entry[1] for entry in calls(thing, api)} == {'b'}
    assert made['a'] in thing.things
    assert made['c'] not in thing.things


def test_a_rollback_is_retried(driver, api, thing, mended):
    stack = api.created('again', hot({'a': of(value='x'), 'c': of(value='x')}))
    stack.update(hot({
        'a': of(value='y'), 'c': of(value='x'),
        'b': of(fail=['CREATE', 'DELETE'], depends_on='a')}),
        disable_rollback=False)
    stack.wait('ROLLBACK_FAILED')
    calls(thing, api)
    mended()
    stack.act('retry')
    stack.wait('ROLLBACK_COMPLETE')
    assert not [entry for entry in calls(thing, api) if entry[1] == 'c']
    assert stack.states().keys() == {'a', 'c'}
    assert stack.resource('a')['attributes']['value'] == 'x'


def test_the_rollback_of_a_creation_is_retried(driver, api, thing, mended):
    stack = api.create('again', hot({
        'a': of(fail=['DELETE']), 'b': of(fail=['CREATE'], depends_on='a')}),
        disable_rollback=False)
    stack.wait('ROLLBACK_FAILED')
    mended()
    stack.act('retry')
    stack.wait('ROLLBACK_COMPLETE')
    assert stack.states() == {}


def test_what_has_not_failed_is_not_retried(driver, api, gate):
    stack = api.create('again', hot({'a': of(gate=gate)}))
    answer = stack.request('POST', 'actions', {'retry': None}, expect=400)
    assert answer.error == 'NotSupported'
    gate.open()
    stack.wait('CREATE_COMPLETE')
    answer = stack.request('POST', 'actions', {'retry': None}, expect=400)
    assert 'CREATE_COMPLETE' in answer.message


# -- rollbacks that go on without some resources

def fail_a_rollback(api, stack, template, **kwargs):
    """Have an update and its rollback fail, as a resource cannot go."""
    stack.update({**template, 'resources': {
        **template['resources'], 'z': of(fail=['CREATE', 'DELETE'])}},
        disable_rollback=False, **kwargs)
    stack.wait('ROLLBACK_FAILED')


def go_on(stack, *skip, expect=200):
    return stack.request('POST', 'actions', {
        'continue_rollback': {'skip': list(skip)}}, expect=expect)


@pytest.mark.parametrize('driver', ['convergence'], indirect=True)
def test_a_rollback_goes_on_without_a_resource(driver, api, thing):
    stack = api.created('again', hot({'a': of(value='x')}))
    fail_a_rollback(api, stack, hot({'a': of(value='y')}))
    calls(thing, api)
    go_on(stack, 'z')
    stack.wait('ROLLBACK_COMPLETE')
    assert not [entry for entry in calls(thing, api) if entry[1] == 'z']
    assert stack.states().keys() == {'a'}
    assert stack.resource('a')['attributes']['value'] == 'x'
    stack.deleted()


INSIDE = """
heat_template_version: 2018-08-31
parameters: {word: {type: string}, fail: {type: comma_delimited_list}}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word},
                                      fail: {get_param: fail}}}
"""


def inside(word, *fail):
    return hot({'n': {'type': 'inner.yaml', 'properties': {
        'word': word, 'fail': list(fail)}}})


@pytest.mark.parametrize('driver', ['convergence'], indirect=True)
def test_a_rollback_goes_on_without_a_resource_inside(driver, api, thing):
    files = {'inner.yaml': INSIDE}
    stack = api.created('again', inside('x'), files=files)
    nested = stack.nested('n')
    fail_a_rollback(api, stack, inside('y'), files=files)
    thing.log[api.project].clear()
    value = nested.resource('t')['attributes']['value']
    go_on(stack, 'z', 'n/t')
    stack.wait('ROLLBACK_COMPLETE')
    assert calls(thing, api) == []
    # It may not have been restored when the rollback failed.
    assert nested.resource('t')['attributes']['value'] == value
    assert nested.show()['stack_status'].endswith('COMPLETE')


def test_what_goes_on_has_to_be_there(driver, api, mended):
    stack = api.created('again', hot({'a': of(value='x')}))
    assert go_on(stack, expect=400).error == 'NotSupported'
    fail_a_rollback(api, stack, hot({'a': of(value='y')}))
    for path in 'x', 'a/x', '':
        assert go_on(stack, path, expect=404).error == 'ResourceNotFound'
    for value in [], 'z', {'skip': 'z'}, {'skip': [1]}, {'other': []}:
        answer = stack.request('POST', 'actions',
                               {'continue_rollback': value})
        assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    if driver == 'legacy':
        assert go_on(stack, 'z', expect=400).error == 'NotSupported'
    mended()
    go_on(stack)
    stack.wait('ROLLBACK_COMPLETE')
