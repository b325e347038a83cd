"""Updating stacks with PUT and PATCH."""
import pytest

from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot
from tests.functional.templates import param

VALUE = {'o': {'value': attr('a', 'value')}}


def of(**kwargs):
    return templates.thing(**kwargs)


def test_in_place(driver, api, thing):
    stack = api.created('u', hot({'a': of(value='x')}, outputs=VALUE))
    physical = stack.physical('a')
    shown = stack.updated(hot({'a': of(value='y')}, outputs=VALUE))
    assert shown['updated_time'] is not None
    assert shown['stack_status_reason'] == (
        'Stack UPDATE completed successfully')
    assert stack.outputs() == {'o': 'y'}
    assert stack.physical('a') == physical
    assert stack.states() == {'a': 'UPDATE_COMPLETE'}
    assert thing.log[api.project] == [('CREATE', 'a'), ('UPDATE', 'a')]
    assert stack.events()[-4:] == [
        'u UPDATE_IN_PROGRESS', 'a UPDATE_IN_PROGRESS',
        'a UPDATE_COMPLETE', 'u UPDATE_COMPLETE']


def test_replace(driver, api, thing):
    stack = api.created('u', hot({
        'a': of(fixed='x'), 'b': of(value={'get_resource': 'a'})}))
    before = stack.physical('a')
    stack.updated(hot({
        'a': of(fixed='y'), 'b': of(value={'get_resource': 'a'})}))
    after = stack.physical('a')
    assert after != before
    assert before not in thing.things
    assert thing.things[stack.physical('b')] == after
    assert stack.states() == {'a': 'CREATE_COMPLETE',
                              'b': 'UPDATE_COMPLETE'}
    # What was replaced goes when nobody needs it any more.
    assert thing.log[api.project][-3:] == [
        ('CREATE', 'a'), ('UPDATE', 'b'), ('DELETE', 'a')]


def test_replaced_resource_goes_whatever_its_condition_was(driver, api,
                                                           thing):
    parameters = {'size': {'type': 'string'}}
    stack = api.created('u', hot(
        {'a': {**of(fixed='x'), 'condition': 'is_small'}},
        parameters=parameters,
        conditions={'is_small': {'equals': [{'get_param': 'size'}, 's']}}),
        parameters={'size': 's'})
    before = stack.physical('a')
    stack.updated(hot({'a': of(fixed='y')}, parameters=parameters),
                  parameters={'size': 'l'})
    assert stack.physical('a') != before
    assert before not in thing.things


def test_add_and_remove(driver, api, thing):
    stack = api.created('u', hot({'a': of(), 'b': of(depends_on='a')}))
    removed = stack.physical('b')
    stack.updated(hot({'a': of(), 'c': of(depends_on='a')}))
    assert stack.states() == {'a': 'CREATE_COMPLETE',
                              'c': 'CREATE_COMPLETE'}
    assert removed not in thing.things
    stack.request('GET', 'resources/b', expect=404)


def test_to_nothing_and_back(driver, api):
    stack = api.created('u', hot({'a': of()}))
    stack.updated(hot())
    assert stack.states() == {}
    stack.updated(hot({'a': of()}))
    assert stack.states() == {'a': 'CREATE_COMPLETE'}


def test_no_op(driver, api, thing):
    template = hot({'a': of(value='x'), 'b': of(depends_on='a')})
    stack = api.created('u', template)
    thing.log[api.project].clear()
    for _round in range(2):
        stack.updated(template)
    assert thing.log[api.project] == []
    assert stack.states() == {'a': 'CREATE_COMPLETE',
                              'b': 'CREATE_COMPLETE'}
    assert stack.events()[-4:] == [
        'u UPDATE_IN_PROGRESS', 'u UPDATE_COMPLETE'] * 2


def test_change_of_type_replaces(driver, api, thing):
    stack = api.created('u', hot({'a': of()}))
    before = stack.physical('a')
    stack.updated(hot({'a': {'type': 'Test::Deaf'}}))
    assert stack.resource('a')['resource_type'] == 'Test::Deaf'
    assert before not in thing.things


def test_change_of_metadata(driver, api, thing):
    stack = api.created('u', hot({'a': of(metadata={'k': 1})}))
    assert stack.get('resources/a/metadata') == {'metadata': {'k': 1}}
    stack.updated(hot({'a': of(metadata={'k': 2})}))
    assert stack.get('resources/a/metadata') == {'metadata': {'k': 2}}
    assert thing.log[api.project] == [('CREATE', 'a'), ('UPDATE', 'a')]


def test_change_of_dependencies_only(driver, api, thing):
    stack = api.created('u', hot({'a': of(), 'b': of()}))
    stack.updated(hot({'a': of(), 'b': of(depends_on='a')}))
    assert stack.resources()['a']['required_by'] == ['b']
    thing.log[api.project].clear()
    stack.deleted()
    assert thing.log[api.project] == [('DELETE', 'b'), ('DELETE', 'a')]


def test_immutable_property(driver, api):
    stack = api.created('u', hot({'a': of(stone='x')}))
    stack.update(hot({'a': of(stone='y')}))
    shown = stack.wait('UPDATE_FAILED')
    assert 'stone' in shown['stack_status_reason']
    assert stack.states() == {'a': 'UPDATE_FAILED'}


def test_failed_resource_is_replaced(driver, api, thing):
    stack = api.create('u', hot({'a': of(fail=['CREATE'])}))
    stack.wait('CREATE_FAILED')
    failed = stack.physical('a')
    stack.updated(hot({'a': of(value='x')}))
    assert stack.states() == {'a': 'CREATE_COMPLETE'}
    assert stack.physical('a') != failed


def test_parameters_and_tags_of_put(driver, api):
    template = hot({'a': of(value=param('w'))}, outputs=VALUE, parameters={
        'w': {'type': 'string', 'default': 'x'}})
    stack = api.created('u', template, parameters={'w': 'y'}, tags='t',
                        timeout_mins=7, disable_rollback=False)
    shown = stack.updated(template)
    # What is not given is the template's, but for the options.
    assert shown['parameters']['w'] == 'x'
    assert shown['tags'] == []
    assert shown['timeout_mins'] == 7
    assert shown['disable_rollback'] is False
    shown = stack.updated(template, tags='p,q', timeout_mins=8,
                          disable_rollback=True, parameters={'w': 'z'})
    assert shown['parameters']['w'] == 'z'
    assert shown['tags'] == ['p', 'q']
    assert shown['timeout_mins'] == 8
    assert shown['disable_rollback'] is True


PATCHED = hot({'a': of(value=param('w')), 'b': of(value=param('v'))},
              parameters={'w': {'type': 'string', 'default': 'dw'},
                          'v': {'type': 'string', 'default': 'dv'}},
              outputs={'w': {'value': attr('a', 'value')},
                       'v': {'value': attr('b', 'value')}})


def test_patch_keeps_what_it_does_not_name(driver, api):
    stack = api.created('p', PATCHED, parameters={'w': '1', 'v': '2'},
                        tags='t', files={'f': 'x'}, timeout_mins=5)
    shown = stack.patched(parameters={'w': '3'})
    assert stack.outputs() == {'w': '3', 'v': '2'}
    assert shown['tags'] == ['t']
    assert shown['timeout_mins'] == 5
    assert stack.get('files') == {'f': 'x'}
    shown = stack.patched(clear_parameters=['v'], tags='n',
                          files={'g': 'y'})
    assert stack.outputs() == {'w': '3', 'v': 'dv'}
    assert shown['tags'] == ['n']
    assert stack.get('files') == {'f': 'x', 'g': 'y'}


def test_patch_with_a_template(driver, api):
    stack = api.created('p', PATCHED, parameters={'w': '1', 'v': '2'})
    stack.patched(hot({'a': of(value=param('w'))},
                      parameters={'w': {'type': 'string'}},
                      outputs={'w': {'value': attr('a', 'value')}}))
    # The parameter that is gone from the template goes.
    assert stack.outputs() == {'w': '1'}
    assert stack.get('environment')['parameters'] == {'w': '1'}


def test_empty_patch(driver, api):
    stack = api.created('p', PATCHED, parameters={'w': '1'})
    stack.patched()
    assert stack.outputs() == {'w': '1', 'v': 'dv'}


def test_patch_merges_environments(driver, api):
    template = hot({'a': {'type': 'My::Type',
                          'properties': {'value': param('w')}}},
                   parameters={'w': {'type': 'string'}})
    stack = api.created('p', template, environment={
        'parameters': {'w': 'x'},
        'resource_registry': {'My::Type': 'Test::Thing'}})
    stack.patched(environment={'parameters': {'w': 'y'}})
    found = stack.get('environment')
    assert found['parameters'] == {'w': 'y'}
    assert found['resource_registry']['My::Type'] == 'Test::Thing'


def test_patch_of_failed_stack(driver, api):
    stack = api.created('p', PATCHED)
    stack.update(hot({'a': of(fail=['CREATE', 'UPDATE'])}))
    stack.wait('UPDATE_FAILED')
    if driver == 'convergence':
        stack.patched(hot({'a': of(value='x')}))
    else:
        # The complete template of before is kept, so it can be patched.
        stack.patched()
        assert stack.outputs() == {'w': 'dw', 'v': 'dv'}


def test_immutable_parameter(driver, api):
    template = hot({'a': of(value=param('w'))}, parameters={
        'w': {'type': 'string', 'default': 'x', 'immutable': True}})
    stack = api.created('p', template, parameters={'w': 'y'})
    answer = stack.update(template, parameters={'w': 'z'}, expect=400)
    assert answer.error == 'ImmutableParameterModified'
    assert 'w' in answer.message
    stack.updated(template, parameters={'w': 'y'})


def test_update_while_in_progress(driver, api, gate):
    stack = api.create('u', hot({'a': of(gate=gate, value='x')},
                                outputs=VALUE))
    wanted = hot({'a': of(value='y'), 'b': of()}, outputs=VALUE)
    if driver == 'legacy':
        answer = stack.update(wanted, expect=409)
        assert answer.error == 'ActionInProgress'
        gate.open()
        stack.wait('CREATE_COMPLETE')
        return
    stack.update(wanted)
    assert stack.state == 'UPDATE_IN_PROGRESS'
    gate.open()
    stack.wait('UPDATE_COMPLETE')
    assert stack.outputs() == {'o': 'y'}


def test_update_of_unmade_definition_of_suspended_stack(driver, api):
    template = hot({'a': of()})
    stack = api.created('s', template)
    stack.act('suspend')
    stack.wait('SUSPEND_COMPLETE')
    answer = stack.update(template, expect=400)
    assert answer.error == 'NotSupported'


def test_converge(api, thing):
    template = hot({'a': of(value='x')})
    stack = api.created('c', template)
    stack.updated(template, converge=True)
    assert stack.states() == {'a': 'CREATE_COMPLETE'}


@pytest.mark.parametrize('method', ['PUT', 'PATCH'])
def test_wrong_update_changes_nothing(driver, api, method):
    template = hot({'a': of(value='x')})
    stack = api.created('w', template)
    before = stack.show()
    answer = stack.update(hot({'a': of(nothing='x')}), method=method,
                          expect=400)
    assert answer.error == 'StackValidationFailed'
    assert stack.show() == before
    assert stack.get('template') == template


MAPPED = {'environment': {'resource_registry': {'My::Thing': 'Test::Thing'}}}
REMAPPED = {'environment': {'resource_registry': {'My::Thing':
                                                  'Test::Deaf'}}}
MINE = {'type': 'My::Thing'}


def test_put_replaces_what_types_are_made_of(driver, api):
    stack = api.created('u', hot({'a': MINE}), **MAPPED)
    # Without the mapping there is no such type, for old and new resources.
    stack.request('PUT', body={'template': hot({'a': MINE, 'b': MINE})},
                  expect=400)
    assert stack.states() == {'a': 'CREATE_COMPLETE'}
    stack.updated(hot({'a': of(), 'b': of()}))
    assert 'My::Thing' not in str(stack.get('environment'))


def test_put_changes_what_types_are_made_of(driver, api, thing):
    stack = api.created('u', hot({'a': MINE}), **MAPPED)
    before = stack.physical('a')
    stack.updated(hot({'a': MINE, 'b': MINE}), **REMAPPED)
    assert before not in thing.things
    # Things note what they do; what the type is now does not.
    assert thing.log[api.project] == [('CREATE', 'a'), ('DELETE', 'a')]
    assert set(stack.states()) == {'a', 'b'}


def test_patch_keeps_what_types_are_made_of(driver, api, thing):
    stack = api.created('u', hot({'a': MINE}), **MAPPED)
    stack.request('PATCH', body={'template': hot({'a': MINE, 'b': MINE})},
                  expect=202)
    stack.wait('UPDATE_COMPLETE')
    assert thing.log[api.project] == [('CREATE', 'a'), ('CREATE', 'b')]
