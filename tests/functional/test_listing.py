"""Lists of stacks: filters, pages, order, tags; and looking up."""
import json
from urllib import parse

import pytest

from tests.functional.templates import hot
from tests.functional.templates import thing


@pytest.fixture
def three(api):
    """Return the ids of the stacks a, b and c by name."""
    result = {}
    for name, tags in (('a', 't,one'), ('b', 't,u'), ('c', None)):
        result[name] = api.created(
            name, hot(), **({'tags': tags} if tags else {})).id
    return result


def test_list(api, three):
    found = api.get('stacks')
    assert set(found) == {'stacks'}
    [first] = [each for each in found['stacks']
               if each['stack_name'] == 'a']
    assert set(first) == {
        'id', 'links', 'stack_name', 'description', 'stack_status',
        'stack_status_reason', 'creation_time', 'updated_time',
        'deletion_time', 'stack_owner', 'parent', 'stack_user_project_id',
        'tags', 'project'}
    assert first['id'] == three['a']
    assert first['tags'] == ['t', 'one']
    assert first['links'] == [{
        'rel': 'self',
        'href': f'http://localhost/v1/{api.project}/stacks/a/{three["a"]}'}]


def test_projects_do_not_see_each_other(api, three, service):
    assert type(api)(service.application, 'other').stacks() == []


def test_detail(api, three):
    found = api.get('stacks/detail')['stacks']
    assert {each['stack_name'] for each in found} == {'a', 'b', 'c'}


def test_sorting(api, three):
    assert len(api.stacks()) == 3
    assert api.stacks(sort_keys='stack_name') == ['a', 'b', 'c']
    assert api.stacks(sort_keys='stack_name', sort_dir='desc') == [
        'c', 'b', 'a']
    assert len(api.stacks(sort_keys='unknown')) == 3


def test_paging(api, three):
    page = api.get('stacks', limit=2, sort_keys='stack_name')
    assert [each['stack_name'] for each in page['stacks']] == ['a', 'b']
    [link] = page['links']
    assert link['rel'] == 'next'
    path, _question, query = link['href'].removeprefix(
        'http://localhost').partition('?')
    page = api.request('GET', f'{path}?{query}', expect=200).json
    assert [each['stack_name'] for each in page['stacks']] == ['c']
    assert api.stacks(sort_keys='stack_name', marker=three['b']) == ['c']
    assert api.stacks(limit=0) == []
    assert len(api.stacks(marker='unknown')) == 3


def test_count(api, three):
    found = api.get('stacks', with_count='true', limit=1)
    assert found['count'] == 3
    assert len(found['stacks']) == 1
    assert api.get('stacks', with_count='True', name='a')['count'] == 1
    assert 'count' not in api.get('stacks', with_count='false')


@pytest.mark.parametrize(('query', 'expected'), [
    ({'name': 'a'}, 'a'), ({'stack_name': 'a'}, 'a'),
    ({'name': ['a', 'b']}, 'ab'), ({'name': 'x'}, ''),
    ({'stack_name': ['a', 'b'], 'stack_status': 'CREATE_COMPLETE'}, 'ab'),
    ({'stack_status': ['CREATE_COMPLETE', 'UPDATE_FAILED']}, 'abc'),
    ({'stack_action': 'CREATE', 'disable_rollback': 'true'}, 'abc'),
    ({'disable_rollback': 'false'}, ''), ({'timeout_mins': '1'}, ''),
    ({'stack_owner': 'admin'}, 'abc'), ({'status': 'COMPLETE'}, 'abc'),
    ({'status': 'FAILED'}, ''),
    ({'stack_status': 'CREATE_COMPLETE'}, 'abc'),
    ({'action': 'CREATE'}, 'abc'), ({'action': 'UPDATE'}, ''),
    ({'tags': 't'}, 'ab'), ({'tags': 't,u'}, 'b'), ({'tags': 'u'}, 'b'),
    ({'tags_any': 'one,u'}, 'ab'), ({'not_tags': 't,u'}, 'ac'),
    ({'not_tags_any': 't,u'}, 'c'), ({'not_tags': 't'}, 'c')])
def test_filters(api, three, query, expected):
    assert sorted(api.stacks(**query)) == list(expected)


@pytest.mark.parametrize(('name', 'expected'), [
    ('tags', ''), ('tags_any', 'ab'), ('not_tags', 'abc'),
    ('not_tags_any', 'c')])
@pytest.mark.parametrize('several', [
    't,' * 1999 + 't', ','.join(['t', *map(str, range(2000))])],
    ids=['repeated', 'different'])
def test_thousands_of_tags(api, three, name, expected, several):
    if several.endswith('t'):
        expected = {'tags': 'ab', 'not_tags': 'c'}.get(name, expected)
    assert sorted(api.stacks(**{name: several})) == list(expected)
    assert api.get('stacks', with_count='true',
                   **{name: several})['count'] == len(expected)


def test_filter_by_id(api, three):
    assert api.stacks(id=three['b']) == ['b']


def test_deleted_stacks_on_demand(api, three):
    stack = api.created('gone', hot())
    stack.deleted()
    assert 'gone' not in api.stacks()
    assert 'gone' in api.stacks(show_deleted='true')


def test_hidden_stacks_on_demand(api, three, conf):
    conf('hidden_stack_tags', ['one'])
    assert sorted(api.stacks()) == ['b', 'c']
    assert sorted(api.stacks(show_hidden='true')) == ['a', 'b', 'c']


def test_nested_stacks_on_demand(api):
    api.created('outer', hot({'n': {'type': 'inner.yaml'}}),
                files={'inner.yaml': 'heat_template_version: 2018-08-31'})
    assert api.stacks() == ['outer']
    assert len(api.stacks(show_nested='true')) == 2


def test_all_projects(api, three, rules):
    answer = api.request('GET', 'stacks', global_tenant='true')
    assert (answer.status, answer.error) == (403, 'Forbidden')
    rules(**{'stacks:global_index': 'role:admin'})
    found = api.get('stacks', global_tenant='true', name='a')['stacks']
    assert three['a'] in [each['id'] for each in found]
    assert all('project' in each for each in found)


@pytest.mark.parametrize('query', [
    {'limit': 'x'}, {'limit': '-1'}, {'sort_dir': 'up'},
    {'with_count': 'perhaps'}, {'show_deleted': 'perhaps'},
    {'global_tenant': 'perhaps'}, {'disable_rollback': 'perhaps'},
    {'show_nested': 'x'}])
def test_wrong_query(api, query):
    answer = api.request('GET', 'stacks', **query)
    # The type tells which layer compares the value with the column.
    assert (answer.status, answer.error) == (
        400, 'Invalid' if 'disable_rollback' in query else 'HTTPBadRequest')
    assert next(iter(query)) in answer.message


# -- looking up -------------------------------------------------------------

@pytest.mark.parametrize('method', ['GET', 'POST', 'PUT', 'PATCH',
                                    'DELETE'])
def test_lookup_by_name_and_id(api, three, method):
    url = f'http://localhost/v1/{api.project}/stacks/a/{three["a"]}'
    for name in ('a', three['a'],
                 f'arn:openstack:heat::{api.project}:stacks/a/{three["a"]}'):
        answer = api.request(method, f'stacks/{name}', expect=302)
        assert answer.headers['Location'] == url
    answer = api.request('GET', 'stacks/a', expect=302, x='1')
    assert answer.headers['Location'] == url + '?x=1'


@pytest.mark.parametrize('path', ['resources', 'events', 'template',
                                  'environment', 'files', 'outputs',
                                  'actions'])
def test_lookup_of_what_belongs_to_a_stack(api, three, path):
    answer = api.request('GET', f'stacks/a/{path}', expect=302)
    assert answer.headers['Location'].endswith(f'/a/{three["a"]}/{path}')


def test_names_of_any_script_are_found(driver, api):
    """Nested stacks have the names of resources in theirs."""
    stack = api.created('outer', hot({'größe': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': json.dumps(hot(
                            {'é x': thing()}))})
    [name] = {*api.stacks(show_nested='true')} - {'outer'}
    assert name.startswith('outer-größe-')
    location = api.request('GET', f'stacks/{parse.quote(name)}/resources',
                           expect=302).headers['Location']
    assert location.isascii()
    [inner] = api.get(parse.urlsplit(location).path)['resources']
    assert inner['resource_name'] == 'é x'
    for link in (*inner['links'], *stack.resource(parse.quote('größe'))[
            'links']):
        assert link['href'].isascii()
        api.get(parse.urlsplit(link['href']).path)


@pytest.mark.parametrize(('method', 'path'), [
    ('GET', 'stacks/x'), ('DELETE', 'stacks/x'),
    ('GET', 'stacks/x/resources'),
    ('GET', 'stacks/arn:openstack:heat::p:stacks/x/y'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'),
    ('DELETE', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7/resources'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7/template'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7/events'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7/outputs'),
    ('GET', 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7/snapshots')])
def test_unknown_stack(api, method, path):
    answer = api.request(method, path)
    if path.startswith('stacks/arn'):
        # Where it leads to is looked at by who follows.
        assert answer.status == 302
        return
    assert (answer.status, answer.error) == (404, 'EntityNotFound')
    assert 'x' in answer.message


def test_name_must_belong_to_the_id(api, three):
    answer = api.request('GET', f'stacks/b/{three["a"]}')
    assert (answer.status, answer.error) == (404, 'EntityNotFound')


def test_name_clash(api, three):
    answer = api.create('a', hot(), expect=409)
    assert answer.error == 'StackExists'
    assert 'a' in answer.message
    assert sorted(api.stacks()) == ['a', 'b', 'c']


# -- outputs ----------------------------------------------------------------

def test_outputs(driver, api):
    stack = api.created('o', hot(
        {'a': thing(value='x')}, outputs={
            'good': {'value': {'get_attr': ['a', 'value']},
                     'description': 'Good.'},
            'bad': {'value': {'list_join': [',', {'get_attr': [
                'a', 'details']}]}}}))
    assert stack.get('outputs') == {'outputs': [
        {'output_key': 'good', 'description': 'Good.'},
        {'output_key': 'bad', 'description': 'No description given'}]}
    assert stack.get('outputs/good') == {'output': {
        'output_key': 'good', 'output_value': 'x', 'description': 'Good.'}}
    bad = stack.get('outputs/bad')['output']
    assert bad['output_value'] is None
    assert 'output_error' in bad
    answer = stack.request('GET', 'outputs/unknown')
    assert (answer.status, answer.error) == (404, 'NotFound')
    assert 'outputs' not in stack.show(resolve_outputs='false')
