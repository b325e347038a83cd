"""What no database stores is refused, and what is too long for a column.

Lone surrogates get into a request by escapes of JSON: in its body, or in a
text of it that is read as JSON or YAML later. Bytes of a URL may stand for
one as well.
"""
import json
import re

import pytest

from heat.api.openstack.v1 import routes
from tests.functional import rest
from tests.functional.templates import hot
from tests.functional.templates import thing

#: A text of JSON that has an escape of half a character.
HALF = '{"a": "\\ud800"}'
HALF_IN_URL = '%ED%A0%80'
YAQL = {'yaql': {'expression': "'\\ud800'", 'data': {}}}


def json_of(value):
    return {'type': 'OS::Heat::Value', 'properties': {
        'type': 'json', 'value': value}}


TEMPLATES = {
    'default': hot({'a': thing(value={'get_param': ['p', 'a']})},
                   parameters={'p': {'type': 'json', 'default': HALF}}),
    'value': hot({'v': json_of(HALF)}),
    'number': hot({'v': {'type': 'OS::Heat::Value', 'properties': {
        'type': 'number', 'value': YAQL}}}),
    'yaql': hot({'a': thing(value=YAQL)}),
    'group of a config': hot({'c': {
        'type': 'OS::Heat::SoftwareConfig',
        'properties': {'config': 'x', 'group': YAQL}}}),
    'metadata': hot({'a': {**thing(), 'metadata': {'x': YAQL}}}),
}


@pytest.mark.parametrize('name', TEMPLATES)
def test_computed_half_characters(driver, api, name):
    """They are refused at once, or the resource fails and says why."""
    answer = api.request('POST', 'stacks', {
        'stack_name': 's', 'template': TEMPLATES[name],
        'disable_rollback': True})
    if answer.status == 201:
        stack = rest.Stack(api, 's', answer.json['stack']['id'])
        stack.wait('CREATE_FAILED')
        reason = stack.show()['stack_status_reason']
        assert 'surrogate' in reason, reason
    else:
        assert answer.status == 400, answer.text
        assert 'surrogate' in answer.message


@pytest.mark.parametrize('body', [
    {'parameters': {'p': HALF}},
    {'environment': {'parameters': {'p': HALF}}},
    {'environment': '{"parameters": {"p": %s}}' % HALF},
    {'environment_files': ['e'],
     'files': {'e': json.dumps({'parameters': {'p': HALF}})}},
    {'environment_files': ['e', 'f'], 'files': {
        'e': json.dumps({'parameters': {'p': {}}}),
        'f': json.dumps({'parameters': {'p': HALF},
                         'parameter_merge_strategies': {
                             'default': 'deep_merge'}})}},
    {'template': json.dumps(hot({'a': thing(value='@')})).replace(
        '@', '\\ud800')},
    {'template': hot({'a': {'type': 'x.yaml'}}), 'files': {
        'x.yaml': json.dumps(hot({'b': thing(value='@')})).replace(
            '@', '\\ud800')}},
], ids=str)
def test_half_characters_inside_texts(api, body):
    template = hot({'a': thing(value={'get_param': ['p', 'a']})},
                   parameters={'p': {'type': 'json'}})
    for path in ('stacks', 'stacks/preview'):
        answer = api.request('POST', path, {
            'stack_name': 's', 'template': template, **body})
        assert answer.status == 400, answer.text
    assert api.stacks() == []


def paths():
    """Return (method, path) with half a character in place of each name."""
    for route in routes.ROUTES:
        names = re.findall(r'{(\w+)(?::[^{}]*)?}', route.path)
        for bad in names:
            path = route.path
            for name in names:
                path = re.sub(r'{%s(?::[^{}]*)?}' % name, (
                    HALF_IN_URL if name == bad else '@' + name), path)
            yield route.method, '/v1' + path


@pytest.mark.parametrize(('method', 'path'), sorted(set(paths())))
def test_half_characters_in_paths(api, method, path):
    path = re.sub(r'@\w+', 'x', path.replace('@tenant_id', api.project))
    answer = api.request(method, path, raw=b'{}' if method in (
        'POST', 'PUT', 'PATCH') else None)
    assert answer.status in (400, 403, 404), answer.text


@pytest.mark.parametrize('path', [
    'stacks', 'stacks/detail', 'resource_types', 'software_configs',
    'software_deployments', 'template_versions', 'services'])
@pytest.mark.parametrize('key', [
    'name', 'status', 'marker', 'limit', 'sort_keys', 'tags', 'server_id',
    HALF_IN_URL])
def test_half_characters_in_queries(api, path, key):
    answer = api.request(
        'GET', f'/v1/{api.project}/{path}?{key}={HALF_IN_URL}')
    assert answer.status < 500, answer.text


@pytest.mark.parametrize('header', [
    'X-Auth-Token', 'X-Roles', 'X-User-Name', 'X-Auth-User', 'X-Auth-Key',
    'X-Region-Name', 'X-Openstack-Request-Id', 'Accept-Language',
    'User-Agent', 'Accept', 'Content-Type', 'Host', 'Origin'])
@pytest.mark.parametrize('value', ['\xed\xa0\x80', '\xff'])
def test_bytes_in_headers_that_are_no_text(api, header, value):
    for method, body in (('GET', None), ('POST', {
            'stack_name': 's', 'template': hot()})):
        answer = api.request(method, 'stacks', body,
                             headers={header: value})
        assert answer.status < 500, answer.text


# -- too long ---------------------------------------------------------------


def test_texts_of_a_config_that_are_too_long(api):
    for given in ({'name': 'x' * 256}, {'group': 'x' * 256}):
        answer = api.request('POST', 'software_configs', {
            'config': 'x', **given})
        assert (answer.status, answer.error) == (400, 'Invalid')
        assert [*given][0] in answer.message
        assert '255' in answer.message
    assert api.get('software_configs') == {'software_configs': []}
    api.request('POST', 'software_configs', {
        'config': 'x', 'name': 'ä' * 255, 'group': 'x' * 255}, expect=200)


def test_texts_of_a_deployment_that_are_too_long(api):
    config = api.request('POST', 'software_configs', {
        'config': 'x'}).json['software_config']['id']
    body = {'config_id': config, 'server_id': 's'}
    for given in ({'server_id': 'x' * 37}, {'action': 'x' * 256},
                  {'status': 'x' * 256},
                  {'stack_user_project_id': 'x' * 65}):
        answer = api.request('POST', 'software_deployments',
                             {**body, **given})
        assert (answer.status, answer.error) == (400, 'Invalid')
        assert [*given][0] in answer.message
    assert api.get('software_deployments') == {'software_deployments': []}
    made = api.request('POST', 'software_deployments', body).json[
        'software_deployment']['id']
    answer = api.request('PUT', f'software_deployments/{made}',
                         {'status': 'x' * 256})
    assert (answer.status, answer.error) == (400, 'Invalid')


def test_name_of_a_snapshot_that_is_too_long(api):
    stack = api.created('s', hot({'a': thing()}))
    answer = stack.request('POST', 'snapshots', {'name': 'x' * 256})
    assert (answer.status, answer.error) == (400, 'Invalid')
    assert stack.get('snapshots') == {'snapshots': []}


def test_group_in_a_template_that_is_too_long(driver, api):
    stack = api.create('s', hot({'c': {
        'type': 'OS::Heat::SoftwareConfig',
        'properties': {'config': 'x', 'group': 'x' * 256}}}))
    stack.wait('CREATE_FAILED')
    assert 'group has 256 characters' in stack.show()[
        'stack_status_reason']
