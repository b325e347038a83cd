"""Imports: what exists becomes a resource, and nothing is made anew."""
import uuid

import pytest

from heat.common import exception
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot


def ref(name):
    return {'get_resource': name}


def rich(**kwargs):
    return templates.thing(type='Test::Rich', **kwargs)


@pytest.fixture
def made(thing):
    """Return the id of something that nobody has made by a stack."""
    thing_id = str(uuid.uuid4())
    thing.things[thing_id] = 'x'
    yield thing_id
    thing.things.pop(thing_id, None)


def plan(stack, template, imports, expect=201, **body):
    answer = stack.request(
        'POST', 'change_sets', {'template': template, 'imports': [
            {'resource': resource, 'id': thing_id}
            for resource, thing_id in imports], **body}, expect=expect)
    return answer.json['change_set'] if expect == 201 else answer


def by_path(found):
    return {'/'.join(each['path']): each for each in found['changes']}


def execute(stack, found, state='UPDATE_COMPLETE'):
    stack.request('POST', 'change_sets/%s/execute' % found['id'], expect=202)
    return stack.wait(state)


def test_what_exists_becomes_a_resource(driver, api, thing, made):
    stack = api.created('i', hot({'a': rich()}))
    thing.log[api.project].clear()
    found = plan(stack, hot({'a': rich(), 'b': rich(value='x')}),
                 [('b', made)])
    assert found['status'] == 'AVAILABLE', found
    change = by_path(found)['b']
    assert change['action'] == 'import'
    assert change['after_import'] == 'keep'
    assert change['causes'] == []
    assert change['physical_resource_id'] == made
    assert found['counts']['import'] == 1
    assert list(stack.resources()) == ['a']
    execute(stack, found)
    resource = stack.resource('b')
    assert resource['physical_resource_id'] == made
    assert resource['resource_status'] == 'CREATE_COMPLETE'
    assert 'Imported' in resource['resource_status_reason']
    assert thing.log[api.project] == []
    # It is managed like any other from here on.
    stack.updated(hot({'a': rich(), 'b': rich(value='y')}))
    assert thing.things[made] == 'y'
    stack.updated(hot({'a': rich()}))
    assert made not in thing.things


def test_differences_are_shown_and_made_right(driver, api, thing, made):
    stack = api.created('i', hot({'a': rich(value='z')}))
    thing.log[api.project].clear()
    found = plan(stack, hot({'a': rich(value='z'), 'b': rich(value='y')}),
                 [('b', made)])
    change = by_path(found)['b']
    assert (change['action'], change['after_import']) == ('import', 'update')
    [cause] = change['causes']
    assert (cause['property'], cause['before'], cause['after']) == (
        'value', 'x', 'y')
    assert thing.things[made] == 'x'
    execute(stack, found)
    assert thing.things[made] == 'y'
    assert stack.physical('b') == made
    assert thing.log[api.project] == [('UPDATE', 'b')]
    events = [(each['resource_status'], each['resource_status_reason'])
              for each in stack.get('resources/b/events')['events']]
    assert ('CREATE_COMPLETE', 'Imported ' + made) in events


def test_failed_execution_keeps_what_is_imported(driver, api, thing, made):
    stack = api.created('i', hot({'a': rich()}))
    goal = {'a': rich(), 'b': rich(value='x')}
    found = plan(stack, hot({**goal, 'c': rich(fail=['CREATE'])}),
                 [('b', made)], disable_rollback=False)
    execute(stack, found, 'UPDATE_FAILED')
    assert made in thing.things
    stack.updated(hot({**goal, 'c': rich()}))
    assert stack.physical('b') == made


def test_into_a_nested_stack(driver, api, thing, made):
    inner = {'i.yaml': str(hot({'k': rich()}))}
    stack = api.created('i', hot({'n': {'type': 'i.yaml'}}), files=inner)
    thing.log[api.project].clear()
    inner = {'i.yaml': str(hot({'k': rich(), 'b': rich(value='x')}))}
    found = plan(stack, hot({'n': {'type': 'i.yaml'}}), [('n/b', made)],
                 files=inner)
    assert by_path(found)['n/b']['action'] == 'import'
    execute(stack, found)
    assert {each['resource_name']: each['physical_resource_id']
            for each in stack.get('resources', nested_depth=2)['resources']
            }['b'] == made
    assert thing.log[api.project] == []


def test_import_beside_a_resource_in_an_environment(driver, api, thing,
                                                    made):
    lasting = {'resource_registry': {'resources': {'b': {'import': made}}}}
    stack = api.created('i', hot({'a': rich()}))
    thing.log[api.project].clear()
    goal = hot({'a': rich(), 'b': rich(value='x')})
    stack.updated(goal, environment=lasting)
    assert stack.physical('b') == made
    assert thing.log[api.project] == []
    stack.updated(goal, environment=lasting)
    assert stack.physical('b') == made
    answer = api.request('POST', 'stacks', {
        'stack_name': 'new', 'template': goal, 'environment': lasting},
        expect=400)
    assert answer.error == 'ImportNotPossible'


def test_what_another_resource_is_already(driver, api, thing, made):
    stack = api.created('i', hot({'a': rich()}))
    owned = stack.physical('a')
    answer = plan(stack, hot({'a': rich(), 'b': rich()}), [('b', owned)],
                  expect=400)
    assert answer.error == 'ImportNotPossible'
    assert 'it is the resource "a" of stack i' in answer.message
    found = plan(stack, hot({'a': rich(), 'b': rich()}), [('b', made)])
    execute(stack, found)
    other = api.created('j', hot({'a': rich()}))
    answer = plan(other, hot({'a': rich(), 'b': rich()}), [('b', made)],
                  expect=400)
    assert 'it is the resource "b" of stack i' in answer.message


def test_what_two_change_sets_import(driver, api, thing, made):
    goal = hot({'a': rich(), 'b': rich(value='x')})
    first, second = (api.created(name, hot({'a': rich()})) for name in 'ij')
    plans = [plan(stack, goal, [('b', made)]) for stack in (first, second)]
    execute(first, plans[0])
    answer = second.request(
        'POST', 'change_sets/%s/execute' % plans[1]['id'], expect=400)
    assert answer.error == 'ImportNotPossible'
    assert list(second.resources()) == ['a']


def test_stacks_of_other_projects_are_not_named(service, driver, api, thing,
                                                made):
    foreign = rest.Client(service.application, uuid.uuid4().hex)
    theirs = foreign.created('secret-name', hot({'a': rich()}))
    execute(theirs, plan(theirs, hot({'a': rich(), 'b': rich(value='x')}),
                         [('b', made)]))
    stack = api.created('i', hot({'a': rich()}))
    answer = plan(stack, hot({'a': rich(), 'b': rich()}), [('b', made)],
                  expect=400)
    assert answer.error == 'ImportNotPossible'
    assert 'it belongs to another stack' in answer.message
    assert 'secret-name' not in answer.text


@pytest.mark.parametrize(('goal', 'imports', 'text'), [
    ({'a': rich()}, [('a', None)], 'has the resource already'),
    ({'a': rich()}, [('b', None)], 'no resource of that name'),
    ({'b': rich()}, [('b', 'nothing')], 'no such Test::Rich'),
    ({'b': templates.thing()}, [('b', None)], 'cannot read existing objects'),
    ({'b': {'type': 'i.yaml'}}, [('b', None)], 'is a nested stack'),
    ({'b': rich(), 'c': rich()}, [('b', None), ('c', None)],
     'it is imported twice'),
    ({'b': rich()}, [('b', None), ('b', 'other')],
     'the resource is imported twice'),
    ({'b': rich()}, [('n/b', None)], 'resource "n" has no nested stack'),
])
def test_refused(driver, api, made, goal, imports, text):
    stack = api.created('i', hot({'a': rich()}))
    answer = plan(stack, hot(goal), [
        (resource, thing_id or made) for resource, thing_id in imports],
        expect=400, files={'i.yaml': str(hot({'k': rich()}))})
    assert answer.error == 'ImportNotPossible'
    assert text in answer.message
    assert list(stack.resources()) == ['a']


@pytest.mark.parametrize('imports', [
    'x', {}, [1], [{'resource': 'a'}], [{'resource': 'a', 'id': 1}],
    [{'resource': 'a', 'id': ''}], [{'resource': 'a', 'id': 'x' * 256}],
    [{'resource': '/', 'id': 'x'}],
    [{'resource': 'a', 'id': 'x', 'more': 1}]])
def test_imports_that_are_none(api, imports):
    stack = api.created('i', hot({'a': rich()}))
    answer = stack.request('POST', 'change_sets', {
        'template': hot({'b': rich()}), 'imports': imports}, expect=400)
    assert 'imports' in answer.message


def plan_new(api, template, imports=(), expect=201, name='new', **body):
    answer = api.request('POST', 'change_sets', {
        'stack_name': name, 'template': template, 'imports': [
            {'resource': resource, 'id': thing_id}
            for resource, thing_id in imports], **body}, expect=expect)
    return answer.json['change_set'] if expect == 201 else answer


def create(api, found, state='CREATE_COMPLETE', expect=202):
    answer = api.request('POST', 'change_sets/%s/execute' % found['id'],
                         expect=expect)
    if expect != 202:
        return answer
    stack = stored(api, found['stack_name'])
    stack.wait(state)
    return stack


def stored(api, name):
    [row] = [each for each in api.get('stacks')['stacks']
             if each['stack_name'] == name]
    return rest.Stack(api, name, row['id'])


def test_new_stack_takes_over_what_exists(driver, api, thing, made):
    goal = hot({'a': rich(value=ref('b')), 'b': rich(value='y')},
               outputs={'made': {'value': ref('b')}})
    found = plan_new(api, goal, [('b', made)], tags='one,two')
    assert (found['status'], found['action']) == ('AVAILABLE', 'CREATE')
    changes = by_path(found)
    assert changes['a']['action'] == 'create'
    assert changes['b']['action'] == 'import'
    assert changes['b']['after_import'] == 'update'
    assert [each['property'] for each in changes['b']['causes']] == ['value']
    assert api.get('stacks')['stacks'] == []
    stack = create(api, found)
    assert stack.physical('b') == made
    assert thing.things[made] == 'y'
    assert thing.log[api.project] == [('UPDATE', 'b'), ('CREATE', 'a')]
    shown = stack.show()
    assert shown['tags'] == ['one', 'two']
    assert shown['updated_time'] is None
    assert [each['output_value'] for each in shown['outputs']] == [made]
    events = [each['resource_status']
              for each in stack.get('events')['events']
              if each['resource_name'] == 'new']
    assert sorted(events) == ['CREATE_COMPLETE', 'CREATE_IN_PROGRESS']
    stack.updated(hot({'b': rich(value='z')}))
    assert thing.things[made] == 'z'
    answer = create(api, found, expect=409)
    assert answer.error == 'ChangeSetNotExecutable'


def test_import_in_the_environment_of_a_new_stack(driver, api, thing, made):
    lasting = {'resource_registry': {'resources': {'b': {'import': made}}}}
    found = plan_new(api, hot({'b': rich(value='x')}), environment=lasting)
    assert by_path(found)['b']['after_import'] == 'keep'
    stack = create(api, found)
    assert stack.physical('b') == made
    assert not thing.log.get(api.project)


def test_failed_creation_keeps_what_it_imported(driver, api, thing, made):
    goal = {'b': rich(value='x'),
            'c': rich(fail=['CREATE'], depends_on='b')}
    found = plan_new(api, hot(goal), [('b', made)], disable_rollback=False)
    stack = create(api, found, 'CREATE_FAILED')
    assert made in thing.things
    assert stack.physical('b') == made
    stack.act('retry')
    stack.wait('UPDATE_FAILED')
    stack.updated(hot({**goal, 'c': rich()}))
    assert stack.physical('b') == made


def test_new_stack_replaces_nothing_that_was_not_planned(driver, api, thing,
                                                         made):
    """A replacement is planned, or it does not happen."""
    found = plan_new(api, hot({'b': rich(value='x')}), [('b', made)])
    assert by_path(found)['b']['replacement'] == 'never'
    thing.things.pop(made)
    answer = create(api, found, expect=400)
    assert answer.error == 'ImportNotPossible'
    rest.wait_for(lambda: api.get('stacks')['stacks'] == [],
                  'what was stored to go')
    thing.things[made] = 'x'
    stack = create(api, found)
    assert stack.physical('b') == made


def test_creation_that_was_interrupted_is_continued(driver, api, thing, made,
                                                    monkeypatch):
    """The stack is stored, and its creation does not begin."""
    found = plan_new(api, hot({'b': rich(value='x')}), [('b', made)])

    def refuse(current, *_arguments):
        raise exception.ActionInProgress(stack_name=current.name,
                                         action=current.action)

    with monkeypatch.context() as patch:
        patch.setattr('heat.engine.plans.moves.update', refuse)
        create(api, found, expect=409)
    stack = stored(api, 'new')
    assert stack.resources() == {}
    assert create(api, found).id == stack.id
    assert stack.physical('b') == made


@pytest.mark.parametrize(('goal', 'imports', 'text'), [
    ({'a': rich()}, [('b', None)], 'no resource of that name'),
    ({'b': rich()}, [('b', 'nothing')], 'no such Test::Rich'),
    ({'b': templates.thing()}, [('b', None)], 'cannot read existing objects'),
    ({'n': {'type': 'i.yaml'}}, [('n/b', None)],
     'resource "n" has no nested stack'),
    ({'b': rich(), 'c': rich()}, [('b', None), ('c', None)],
     'it is imported twice'),
])
def test_new_stack_is_refused(driver, api, made, goal, imports, text):
    answer = plan_new(api, hot(goal), [
        (resource, thing_id or made) for resource, thing_id in imports],
        expect=400, files={'i.yaml': str(hot({'k': rich()}))})
    assert answer.error == 'ImportNotPossible'
    assert text in answer.message
    assert api.get('stacks')['stacks'] == []


def test_new_stack_does_not_take_what_others_have(driver, api, thing, made):
    stack = create(api, plan_new(api, hot({'b': rich(value='x')}),
                                 [('b', made)]))
    answer = plan_new(api, hot({'b': rich()}), [('b', made)], 400, 'other')
    assert answer.error == 'ImportNotPossible'
    assert 'it is the resource "b" of stack new' in answer.message
    assert stack.physical('b') == made


def test_moves_of_a_new_stack_are_refused(api):
    answer = plan_new(api, hot({'b': rich()}), moves=[
        {'from': 'a', 'to': 'b'}], expect=400)
    assert answer.error == 'MoveNotPossible'
