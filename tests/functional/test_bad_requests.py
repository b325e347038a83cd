"""Requests that are wrong before any template is looked at."""
import pytest

from tests.functional.templates import hot
from tests.functional.templates import thing

UNKNOWN = 'stacks/x/d5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'


def post(api, raw, **kwargs):
    return api.request('POST', 'stacks', raw=raw, **kwargs)


@pytest.mark.parametrize('raw', [
    b'', b'{', b'{"stack_name": "x"', b'[]', b'"x"', b'null', b'42',
    b'stack_name=x', b'\xff\xfe', b'{"a": "\xff"}', b'{"a": NaN',
    b'<xml/>', b'{"stack_name": "x"} {}'])
def test_body_that_is_no_json_object(api, raw):
    answer = post(api, raw)
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert api.stacks() == []


def test_content_types(api):
    body = b'{"stack_name": "s", "template": {"heat_template_version": ' \
           b'"2018-08-31"}}'
    for wrong in ('application/xml', 'text/plain'):
        answer = post(api, body, content_type=wrong)
        assert (answer.status, answer.error) == (
            415, 'HTTPUnsupportedMediaType')
    assert api.stacks() == []
    assert post(api, body, content_type='application/json; charset=UTF-8'
                ).status == 201


def test_too_large_a_body(api, conf):
    conf('max_json_body_size', 1000)
    answer = post(api, b'{"a": "' + b'x' * 1000 + b'"}')
    assert (answer.status, answer.error) == (400, 'RequestLimitExceeded')
    assert '1000' in answer.message


NAMES = ['', ' ', '1a', '-a', 'a b', 'a/b', 'a:b', 'ä', 'a' * 256, 'a\n',
         'stacks?', None, 1, ['a'], {'a': 1}, True]


@pytest.mark.parametrize('name', NAMES)
def test_stack_names(api, name):
    for path in ('stacks', 'stacks/preview'):
        answer = api.request('POST', path, {'stack_name': name,
                                            'template': hot()})
        # The API refuses what is no text or empty, the engine other names.
        assert (answer.status, answer.error) == (
            400, 'StackValidationFailed' if name and isinstance(name, str)
            else 'HTTPBadRequest')
    assert api.stacks() == []


@pytest.mark.parametrize('name', ['a', 'a' * 255, 'A-b_c.9', 'Z'])
def test_good_stack_names(api, name):
    api.created(name, hot({'a': thing()}))
    assert api.stacks() == [name]


@pytest.mark.parametrize('more', [
    {'timeout_mins': 'x'}, {'timeout_mins': -1}, {'timeout_mins': 1.5},
    {'timeout_mins': []}, {'disable_rollback': 'x'},
    {'tags': ['a']}, {'tags': 'x' * 81}, {'tags': 7},
    {'parameters': []}, {'parameters': 'x'}, {'files': []},
    {'files': {'a': 1}}, {'environment': 42}, {'environment': ['x']},
    {'environment_files': 'x'}, {'environment_files': [1]},
    {'environment_files': ['missing']}, {'template': 42},
    {'template': ['x']}, {'template': None}, {'converge': True},
    {'adopt_stack_data': 7}, {'template': None, 'template_url': 'x'},
    {'template': None, 'template_url': 'file:///etc/passwd'},
    {'files_container': 'c'}])
def test_create_options(api, more):
    answer = api.request('POST', 'stacks', {
        'stack_name': 's', 'template': hot(), **more})
    assert answer.status == 400, answer
    assert answer.message
    assert 'root:' not in answer.message
    assert api.stacks() == []


def test_no_template(api):
    answer = api.request('POST', 'stacks', {'stack_name': 's'})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    stack = api.created('s', hot())
    answer = stack.update(expect=400)
    assert answer.error == 'HTTPBadRequest'


@pytest.mark.parametrize('more', [
    {'clear_parameters': 'x'}, {'clear_parameters': [1]},
    {'timeout_mins': 'x'}, {'tags': ['x']}, {'parameters': 7},
    {'disable_rollback': 'perhaps'}])
@pytest.mark.parametrize('method', ['PUT', 'PATCH'])
def test_update_options(api, method, more):
    stack = api.created('s', hot())
    answer = stack.request(method, '', {'template': hot(), **more})
    assert answer.status == 400, answer
    assert stack.state == 'CREATE_COMPLETE'


@pytest.mark.parametrize(('method', 'path', 'body'), [
    ('GET', UNKNOWN, None), ('PUT', UNKNOWN, {'template': hot()}),
    ('PATCH', UNKNOWN, {'template': hot()}), ('DELETE', UNKNOWN, None),
    ('POST', f'{UNKNOWN}/actions', {'suspend': None}),
    ('POST', f'{UNKNOWN}/snapshots', {}),
    ('GET', f'{UNKNOWN}/outputs/o', None),
    ('GET', f'{UNKNOWN}/environment', None),
    ('GET', f'{UNKNOWN}/files', None),
    ('PUT', f'{UNKNOWN}/preview', {'template': hot()}),
    ('GET', f'{UNKNOWN}/resources/r', None),
    ('GET', f'{UNKNOWN}/resources/r/metadata', None),
    ('POST', f'{UNKNOWN}/resources/r/signal', {}),
    ('PATCH', f'{UNKNOWN}/resources/r', {'mark_unhealthy': True}),
    ('GET', f'{UNKNOWN}/resources/r/events', None),
    ('GET', f'{UNKNOWN}/resources/r/events/e', None)])
def test_unknown_stack(api, method, path, body):
    answer = api.request(method, path, body)
    assert (answer.status, answer.error) == (404, 'EntityNotFound')


@pytest.mark.parametrize(('method', 'path', 'status'), [
    ('GET', '/v1', 404), ('GET', '/v9/p/stacks', 300),
    ('GET', 'nowhere', 404), ('GET', '/nowhere', 404),
    ('PUT', 'stacks', 405), ('DELETE', 'stacks', 405),
    ('POST', 'build_info', 405), ('PATCH', 'resource_types', 405),
    ('OPTIONS', 'stacks', 204), ('POST', 'services', 404),
    ('GET', '/healthcheck', 200)])
def test_routes(api, method, path, status):
    answer = api.request(method, path)
    assert answer.status == status, answer
    if status == 405:
        assert answer.error == 'HTTPMethodNotAllowed'


def test_versions(api):
    answer = api.request('GET', '/')
    assert answer.status == 300
    assert [each['id'] for each in answer.json['versions']] == ['v1.0']


def test_request_id(api):
    answer = api.request('GET', 'stacks')
    assert answer.headers['x-openstack-request-id'].startswith('req-')


@pytest.mark.parametrize(('path', 'status'), [
    ('stacks/%00', 400), ('stacks/%ff', 400), ('stacks/a%2fb', 404),
    (f'stacks/{"x" * 5000}', 404), ('stacks/%F0%9F%98%80', 404)],
    ids=['zero', 'no character', 'slash', 'long', 'beyond 16 bits'])
def test_strange_characters_in_a_path(api, path, status):
    assert api.request('GET', path).status == status


def test_strange_characters_in_a_query(api):
    answer = api.request('GET', 'stacks?name=%00')
    assert answer.status == 400
    answer = api.request('GET', 'stacks?name=%ff')
    assert answer.status == 400
    answer = api.request('GET', 'stacks', name='\U0001f600')
    assert answer.json == {'stacks': []}


def test_texts_of_any_language(driver, api):
    stack = api.created('s', hot(
        {'a': thing(value='grün \U0001f600')}, description='Über \u6f22',
        outputs={'ö': {'value': {'get_attr': ['a', 'value']}}}),
        tags='grün,\U0001f600')
    assert stack.outputs() == {'ö': 'grün \U0001f600'}
    shown = stack.show()
    assert shown['description'] == 'Über \u6f22'
    assert shown['tags'] == ['grün', '\U0001f600']


def test_forbidden(api, rules):
    rules(**{'stacks:create': '!', 'stacks:index': '!'})
    answer = api.request('POST', 'stacks', {'stack_name': 's',
                                            'template': hot()})
    assert (answer.status, answer.error) == (403, 'Forbidden')
    answer = api.request('GET', 'stacks')
    assert (answer.status, answer.error) == (403, 'Forbidden')


def test_forbidden_type(api, rules):
    rules(**{'resource_types:Test::Thing': '!'})
    inner = ('heat_template_version: 2018-08-31\n'
             'resources: {a: {type: "Test::Thing"}}\n')
    answer = api.create('s', hot({'n': {'type': 'inner.yaml'}}),
                        files={'inner.yaml': inner}, expect=403)
    assert answer.error == 'Forbidden'
    answer = api.create('s', hot({'a': thing()}), expect=403)
    assert answer.error == 'Forbidden'
    assert 'Test::Thing' in answer.message
    assert 'Test::Thing' not in api.get('resource_types')['resource_types']
    assert api.stacks() == []


@pytest.mark.parametrize('environment', [[], 0, False, ['x'], 7])
def test_environment_of_another_type(api, environment):
    stack = api.created('s', hot())
    for method, path in (('POST', 'stacks'), ('POST', 'stacks/preview'),
                         ('PUT', stack.path), ('PATCH', stack.path)):
        answer = api.request(method, path, {
            'stack_name': 'x', 'template': hot(),
            'environment': environment})
        assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert api.stacks() == ['s']
    assert stack.state == 'CREATE_COMPLETE'


@pytest.mark.parametrize('wrong', [
    {'inputs': {}}, {'inputs': ''}, {'outputs': {}}, {'outputs': 'x'},
    {'options': []}])
def test_software_config_with_parts_of_other_types(api, wrong):
    answer = api.request('POST', 'software_configs', {'name': 'c', **wrong})
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    assert next(iter(wrong)) in answer.message
    assert api.get('software_configs') == {'software_configs': []}


@pytest.mark.parametrize(('changed', 'method', 'path', 'body'), [
    ({'actions:suspend': '!'}, 'POST', '/actions',
     {'suspend': None, 'x': None}),
    ({'actions:check': '!'}, 'POST', '/actions', {'resume': 1, 'check': 1}),
    ({'stacks:update_patch': '!', 'stacks:update_no_change': '@'}, 'PATCH',
     '', {'template': 7}),
    ({'stacks:update_no_change': '!'}, 'PATCH', '', {'parameters': None}),
])
def test_what_is_forbidden_is_not_looked_into(api, rules, changed, method,
                                              path, body):
    """What a body asks for decides on the rule, also where it is wrong."""
    rules(**changed)
    answer = api.request(method, UNKNOWN + path, body)
    assert (answer.status, answer.error) == (403, 'Forbidden')
