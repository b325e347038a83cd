"""Change sets: what an update does is known before, and nothing else."""
import json
import uuid

import pytest
import sqlalchemy as sa

from heat.common import context
from heat.common import exception
from heat.db import api as db_api
from heat.engine.plans import tree as change_plan
from heat.engine.stacks import warrant
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import attr
from tests.functional.templates import hot

INNER = hot({'t': templates.thing(value=templates.param('word')),
             'u': templates.thing(fixed='x')},
            parameters={'word': {'type': 'string'}})
OTHER = hot({'t': templates.thing(value=templates.param('word')),
             'u': templates.thing(fixed='y'), 'v': templates.thing()},
            parameters={'word': {'type': 'string'}})


def of(**kwargs):
    return templates.thing(**kwargs)


def plan(stack, template, expect=201, **body):
    answer = stack.request('POST', 'change_sets',
                           {'template': template, **body}, expect=expect)
    return answer.json['change_set'] if expect == 201 else answer


def by_path(found):
    return {'/'.join(each['path']): each for each in found['changes']}


def actions(found):
    return {path: (each['action'], each['replacement'])
            for path, each in by_path(found).items()}


def execute(stack, found, expect=202, **body):
    return stack.request('POST', 'change_sets/%s/execute' % found['id'],
                         body or None, expect=expect)


def shown(stack, found):
    return stack.get('change_sets/' + found['id'])['change_set']


def test_plan_of_an_update_says_what_happens_and_why(driver, api, thing):
    stack = api.created('p', hot({
        'same': of(), 'changed': of(value='x'), 'other': of(fixed='x'),
        'gone': of(), 'kept': of(deletion_policy='Retain'),
        'last': of(value=attr('other', 'value'))}))
    before = stack.show()
    thing.log[api.project].clear()
    found = plan(stack, hot({
        'same': of(), 'changed': of(value='y'), 'other': of(fixed='y'),
        'new': of(depends_on='changed'),
        'last': of(value=attr('other', 'value'))}),
        change_set_name='first', description='why')
    assert found['status'] == 'AVAILABLE'
    assert (found['name'], found['description']) == ('first', 'why')
    assert actions(found) == {
        'same': ('keep', 'never'), 'changed': ('update', 'never'),
        'other': ('replace', 'always'), 'new': ('create', 'never'),
        'gone': ('delete', 'never'), 'kept': ('retain', 'never'),
        'last': ('update', 'never')}
    changes = by_path(found)
    [cause] = changes['other']['causes']
    assert cause == {
        'property': 'fixed', 'before': 'x', 'after': 'y',
        'source': {'template': 'literal'}, 'forces_replacement': True,
        'known_after_apply': False}
    [cause] = changes['last']['causes']
    assert cause['after'] == 'known after apply'
    assert cause['known_after_apply']
    assert cause['source'] == {'attribute': 'other.value'}
    assert changes['new']['rank'] > changes['changed']['rank']
    assert changes['gone']['rank'] > changes['new']['rank']
    assert changes['other']['physical_resource_id'] == stack.physical('other')
    assert found['counts'] == {'create': 1, 'update': 2, 'replace': 1,
                               'delete': 1, 'retain': 1, 'keep': 1,
                               'move': 0, 'import': 0}
    assert thing.log[api.project] == []
    assert stack.show() == before
    assert shown(stack, found) == found


def test_executed_change_set_is_the_update(driver, api):
    stack = api.created('p', hot({'a': of(value='x'), 'b': of(fixed='x')}))
    old = stack.physical('b')
    found = plan(stack, hot({'a': of(value='y'), 'b': of(fixed='y'),
                             'c': of()}))
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')
    assert sorted(stack.resources()) == ['a', 'b', 'c']
    assert stack.physical('b') != old
    assert shown(stack, found)['status'] == 'EXECUTED'
    again = execute(stack, found, expect=409)
    assert again.error == 'ChangeSetNotExecutable'


def test_stale_change_set_says_what_changed(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='y')}))
    stack.update(hot({'a': of(value='z')}))
    stack.wait('UPDATE_COMPLETE')
    answer = execute(stack, found, expect=409)
    assert answer.error == 'ChangeSetStale'
    assert 'stack p has changed' in answer.message
    assert shown(stack, found)['status'] == 'STALE'
    assert execute(stack, found, expect=409).error == (
        'ChangeSetNotExecutable')


def test_plan_without_changes(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='x')}))
    assert found['status'] == 'NO_CHANGES'
    assert execute(stack, found, expect=409).error == (
        'ChangeSetNotExecutable')


def test_plan_of_what_would_fail(driver, api):
    stack = api.created('p', hot({'a': of(stone='x')}))
    found = plan(stack, hot({'a': of(stone='y')}))
    assert found['status'] == 'FAILED'
    assert 'stone' in found['status_reason']
    assert execute(stack, found, expect=409).error == (
        'ChangeSetNotExecutable')


def test_nested_stacks_are_planned_and_guarded(driver, api):
    def root(word):
        return hot({'n': {'type': 'inner.yaml',
                          'properties': {'word': word}}})

    stack = api.created('p', root('x'),
                        files={'inner.yaml': json.dumps(INNER)})
    found = plan(stack, root('x'), files={'inner.yaml': json.dumps(INNER)})
    assert found['status'] == 'NO_CHANGES'
    assert actions(found) == {'n': ('keep', 'never'),
                              'n/t': ('keep', 'never'),
                              'n/u': ('keep', 'never')}
    found = plan(stack, root('y'), files={'inner.yaml': json.dumps(OTHER)})
    assert actions(found) == {
        'n': ('update', 'never'), 'n/t': ('update', 'never'),
        'n/u': ('replace', 'always'), 'n/v': ('create', 'never')}
    assert len(found['base']) == 2
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')


def test_lines_of_the_template(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    text = '\n'.join([
        'heat_template_version: 2018-08-31',
        'parameters:', '  word: {type: string}',
        'resources:', '  a:', '    type: Test::Thing', '    properties:',
        '      value: {get_param: word}'])
    found = plan(stack, text, parameters={'word': 'y'})
    [cause] = by_path(found)['a']['causes']
    assert cause['source'] == {'parameter': 'word', 'line': 8, 'column': 7}
    assert (cause['before'], cause['after']) == ('x', 'y')


def test_hidden_values_are_masked(driver, api):
    template = hot({'a': of(value=templates.param('word'))}, parameters={
        'word': {'type': 'string', 'hidden': True}})
    stack = api.created('p', template, parameters={'word': 'old-secret'})
    found = plan(stack, template, parameters={'word': 'new-secret'})
    assert 'secret' not in json.dumps(found)
    [cause] = by_path(found)['a']['causes']
    assert cause['before'] == cause['after'] == '******'
    assert actions(found) == {'a': ('update', 'never')}


def test_replacement_that_may_be_needed_is_planned(driver, api):
    first = {'a': of(value='x'), 'b': of(fixed=attr('a', 'value'))}
    stack = api.created('p', hot(first))
    found = plan(stack, hot({**first, 'a': of(value='y')}))
    assert actions(found) == {'a': ('update', 'never'),
                              'b': ('update', 'maybe')}
    old = stack.physical('b')
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')
    assert stack.physical('b') != old


def moody(word):
    return {'m': of(type='Test::Moody', value=word)}


def test_unplanned_replacement_fails_before_it_begins(driver, api, thing):
    stack = api.created('p', hot(moody('x')))
    old = stack.physical('m')
    found = plan(stack, hot(moody('y')))
    assert actions(found) == {'m': ('update', 'never')}
    thing.log[api.project].clear()
    execute(stack, found)
    stack.wait('UPDATE_FAILED')
    assert 'does not plan to replace' in stack.show()['stack_status_reason']
    assert stack.physical('m') == old
    assert thing.log[api.project] == []


def test_unplanned_replacement_is_allowed_unless_strict(driver, api):
    stack = api.created('p', hot(moody('x')))
    old = stack.physical('m')
    execute(stack, plan(stack, hot(moody('y'))), strict=False)
    stack.wait('UPDATE_COMPLETE')
    assert stack.physical('m') != old


def test_unplanned_replacement_in_a_nested_stack_fails(driver, api, thing):
    def root(word):
        return hot({'n': {'type': 'inner.yaml',
                          'properties': {'word': word}}})

    files = {'inner.yaml': json.dumps(hot(
        {'m': of(type='Test::Moody', value=templates.param('word'))},
        parameters={'word': {'type': 'string'}}))}
    stack = api.created('p', root('x'), files=files)
    found = plan(stack, root('y'), files=files)
    assert actions(found)['n/m'] == ('update', 'never')
    thing.log[api.project].clear()
    execute(stack, found)
    stack.wait('UPDATE_FAILED')
    assert 'does not plan to replace' in stack.show()['stack_status_reason']
    assert thing.log[api.project] == []


def test_creation(driver, api):
    answer = api.request('POST', 'change_sets', {
        'stack_name': 'new', 'name': 'c', 'template': hot({'a': of()})},
        expect=201)
    found = answer.json['change_set']
    assert found['status'] == 'AVAILABLE'
    assert actions(found) == {'a': ('create', 'never')}
    api.request('POST', 'change_sets/%s/execute' % found['id'], None,
                expect=202)
    found = api.get('change_sets/' + found['id'])['change_set']
    assert found['status'] == 'EXECUTED'
    assert found['stack_id']


def test_change_sets_are_listed_and_deleted(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    other = api.created('q', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='y')}))
    [listed] = stack.get('change_sets')['change_sets']
    assert listed['id'] == found['id']
    assert 'changes' not in listed
    assert other.get('change_sets')['change_sets'] == []
    assert other.request('GET', 'change_sets/' + found['id'],
                         expect=404).error == 'ChangeSetNotFound'
    stack.request('DELETE', 'change_sets/' + found['id'], expect=204)
    assert execute(stack, found, expect=404).error == 'ChangeSetNotFound'


def test_project_has_its_own_change_sets(driver, api, service):
    stack = api.created('p', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='y')}))
    other = rest.Client(service.application, uuid.uuid4().hex)
    assert other.get('change_sets')['change_sets'] == []
    path = 'change_sets/' + found['id']
    for method, where in (('GET', path), ('DELETE', path),
                          ('POST', path + '/execute')):
        answer = other.request(method, where, expect=404)
        assert answer.error == 'ChangeSetNotFound'
    assert shown(stack, found) == found


def test_change_of_a_nested_stack_makes_it_stale(driver, api):
    def root(word):
        return hot({'n': {'type': 'inner.yaml',
                          'properties': {'word': word}}, 'a': of()})

    files = {'inner.yaml': json.dumps(INNER)}
    stack = api.created('p', root('x'), files=files)
    found = plan(stack, root('y'), files=files)
    inner = stack.nested('n')
    inner.update(hot({'t': of(value='z')}))
    inner.wait('UPDATE_COMPLETE')
    answer = execute(stack, found, expect=409)
    assert answer.error == 'ChangeSetStale'
    assert f'stack {inner.name} has changed' in answer.message
    assert 'stack p has changed' not in answer.message


def test_long_plan_is_cut(driver, api, monkeypatch):
    """What is kept is left out first; the counts are those of all."""
    monkeypatch.setattr(change_plan, 'MOST_CHANGES', 2)
    same = {f's{number}': of() for number in range(3)}
    stack = api.created('p', hot(same))
    found = plan(stack, hot({**same, 'a': of(), 'b': of(), 'c': of()}))
    assert actions(found) == {'a': ('create', 'never'),
                              'b': ('create', 'never')}
    assert found['left_out'] == 4
    assert (found['counts']['create'], found['counts']['keep']) == (3, 3)
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')
    assert sorted(stack.resources()) == ['a', 'b', 'c', *same]


def test_request_that_is_refused_leaves_no_change_set(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    answer = plan(stack, hot({'a': {'type': 'No::Such'}}), expect=400)
    assert 'No::Such' in answer.message
    assert stack.get('change_sets')['change_sets'] == []


def test_hidden_values_are_stored_as_ciphertext(driver, api, conf, service):
    conf('encrypt_parameters_and_properties', True)
    template = hot({'a': of(value=templates.param('word'))}, parameters={
        'word': {'type': 'string', 'hidden': True}})
    stack = api.created('p', template, parameters={'word': 'old-secret'})
    found = plan(stack, template, parameters={'word': 'new-secret'})
    with sa.create_engine(service.database).connect() as connection:
        [row] = connection.execute(sa.text(
            'SELECT * FROM change_set WHERE id = :id'), {'id': found['id']})
    assert 'secret' not in str(row)
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')
    assert stack.outputs() == {}
    assert stack.resource('a')['attributes']['value'] == 'new-secret'


def test_old_change_sets_go(driver, api, conf, service):
    stack = api.created('p', hot({'a': of(value='x')}))
    old = plan(stack, hot({'a': of(value='y')}))
    with sa.create_engine(service.database).begin() as connection:
        connection.execute(sa.text(
            'UPDATE change_set SET created_at = :then WHERE id = :id'), {
                'id': old['id'], 'then': '2020-01-01 00:00:00'})
    new = plan(stack, hot({'a': of(value='z')}))
    assert [each['id'] for each in stack.get('change_sets')['change_sets']
            ] == [new['id']]


def test_change_sets_go_with_the_rows_of_their_stack(driver, api, service):
    stack = api.created('p', hot({'a': of(value='x')}))
    plan(stack, hot({'a': of(value='y')}))
    stack.deleted()
    assert len(api.get('change_sets')['change_sets']) == 1
    db_api.purge_deleted(context.get_admin_context(), 0)
    assert api.get('change_sets')['change_sets'] == []


def test_change_set_of_another_user_needs_a_role(driver, rules, api):
    rules(**{'change_sets:execute_of_others': '!'})
    stack = api.created('p', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='y')}))
    path = 'change_sets/%s/execute' % found['id']
    refused = stack.request('POST', path, headers={'X-Auth-User': 'other'},
                            expect=403)
    assert refused.error == 'Forbidden'
    assert shown(stack, found)['status'] == 'AVAILABLE'
    assert stack.state == 'CREATE_COMPLETE'
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')


def test_manager_executes_the_change_set_of_another_user(driver, api):
    stack = api.created('p', hot({'a': of(value='x')}))
    found = plan(stack, hot({'a': of(value='y')}))
    stack.request('POST', 'change_sets/%s/execute' % found['id'],
                  headers={'X-Auth-User': 'other'}, expect=202)
    stack.wait('UPDATE_COMPLETE')


@pytest.mark.parametrize('action', ['create', 'update'])
def test_execution_that_does_not_begin_leaves_the_change_set(
        driver, api, monkeypatch, action):
    """What marks it is part of the transaction that begins its operation."""
    begin = warrant.begin

    def refuse(*args):
        begin(*args)
        raise exception.NotSupported(feature='This')

    if action == 'update':
        owner = api.created('p', hot({'a': of(value='x')}))
        found = plan(owner, hot({'a': of(value='y')}))
    else:
        owner = api
        found = api.request('POST', 'change_sets', {
            'stack_name': 'new', 'template': hot({'a': of()})},
            expect=201).json['change_set']
    with monkeypatch.context() as patch:
        patch.setattr(warrant, 'begin', refuse)
        execute(owner, found, expect=400)
    assert shown(owner, found)['status'] == 'AVAILABLE'
    assert api.stacks() == (['p'] if action == 'update' else [])
    execute(owner, found)
    assert shown(owner, found)['status'] == 'EXECUTED'


def test_stack_without_resources_has_change_sets(driver, api):
    stack = api.created('p', hot({}))
    found = plan(stack, hot({'a': of()}))
    assert actions(found) == {'a': ('create', 'never')}
    execute(stack, found)
    stack.wait('UPDATE_COMPLETE')
