"""Policy on resource types is asked for the type that a name stands for."""
import json

import pytest

from heat.common import urlfetch
from tests.functional import rest
from tests.functional.templates import attr
from tests.functional.templates import hot

#: The type that the operator reserves for administrators.
RESERVED = 'OS::Heat::RandomString'
SAFE = {'type': 'OS::Heat::None'}


def uses(kind='A::B', **more):
    return hot({'r': {'type': kind, **more}})


INNER = json.dumps(uses(RESERVED))
MAPPED_INNER = json.dumps(uses())


def nested(text=INNER, **env):
    return {'template': uses('inner.yaml'), 'files': {'inner.yaml': text},
            **env}


def with_registry(template, types, **files):
    return {'template': template, 'environment': {
        'resource_registry': types}, 'files': files}


def group(kind, **properties):
    return hot({'g': {'type': kind, 'properties': properties}})


DEFINITION = {'type': RESERVED, 'properties': {}}
MEMBER = {'type': 'A::B', 'properties': {}}
TO_RESERVED = {'A::B': RESERVED}

#: What a user may send to get a resource of the reserved type.
WAYS = {
    'plain': {'template': uses(RESERVED)},
    'map': with_registry(uses(), TO_RESERVED),
    'chain of maps': with_registry(uses(), {'A::B': 'C::D', 'C::D': 'E::F',
                                            'E::F': RESERVED}),
    'wildcard': with_registry(uses(), {'A::*': RESERVED}),
    'wildcard to wildcard': with_registry(
        uses('A::RandomString'), {'A::*': 'OS::Heat::*'}),
    'map over an allowed type': with_registry(
        uses('OS::Heat::None'), {'OS::Heat::None': RESERVED}),
    'map of one resource': with_registry(
        uses(), {'resources': {'r': TO_RESERVED}}),
    'map of one resource over a type': with_registry(
        uses('OS::Heat::None'),
        {'resources': {'r': {'OS::Heat::None': RESERVED}}}),
    'map of resources by a pattern': with_registry(
        uses(), {'resources': {'*': TO_RESERVED}}),
    'nested template': nested(),
    'nested template by a name': with_registry(
        uses(), {'A::B': 'inner.yaml'}, **{'inner.yaml': INNER}),
    'map in a nested template': nested(
        text=MAPPED_INNER, environment={'resource_registry': TO_RESERVED}),
    'map of one resource in a nested template': nested(
        text=MAPPED_INNER, environment={'resource_registry': {
            'resources': {'r': {'r': TO_RESERVED}}}}),
    'nested twice': {'template': uses('outer.yaml'), 'files': {
        'outer.yaml': json.dumps(uses('inner.yaml')), 'inner.yaml': INNER}},
    'resource group': {'template': group(
        'OS::Heat::ResourceGroup', count=1, resource_def=DEFINITION)},
    'map in a resource group': with_registry(group(
        'OS::Heat::ResourceGroup', count=1, resource_def=MEMBER),
        TO_RESERVED),
    'auto scaling group': {'template': group(
        'OS::Heat::AutoScalingGroup', min_size=1, max_size=1,
        resource=DEFINITION)},
    'map in an auto scaling group': with_registry(group(
        'OS::Heat::AutoScalingGroup', min_size=1, max_size=1,
        resource=MEMBER), TO_RESERVED),
    'chain of resources': with_registry(group(
        'OS::Heat::ResourceChain', resources=['A::B']), TO_RESERVED),
    'map of one member of a group': with_registry(group(
        'OS::Heat::ResourceGroup', count=1, resource_def=MEMBER), {
            'resources': {'g': {'0': TO_RESERVED}}}),
    'map of members by patterns': with_registry(group(
        'OS::Heat::ResourceGroup', count=2, resource_def=MEMBER), {
            'resources': {'*': {'*': {'A::*': RESERVED}}}}),
    'adopted resource': {'template': uses(RESERVED, external_id='x')},
    'off by a condition that is on': {'template': {
        **uses(RESERVED, condition='c'),
        'conditions': {'c': {'equals': ['a', 'a']}}}},
    'type that is a file by a map in a file': nested(
        text=MAPPED_INNER, environment={'resource_registry': {
            'A::*': 'last.yaml'}}),
    'stack of its own': {'template': group(
        'OS::Heat::Stack', template=INNER)},
    'stack of its own in a stack of its own': {'template': group(
        'OS::Heat::Stack', template=json.dumps(group(
            'OS::Heat::Stack', template=INNER)))},
}
WAYS['type that is a file by a map in a file']['files'][
    'last.yaml'] = INNER
#: What the user may be told only when it is made: the type is a value.
LATE = {
    'types of a chain': {'template': hot({
        'v': {'type': 'OS::Heat::Value', 'properties': {
            'type': 'comma_delimited_list', 'value': [RESERVED]}},
        'g': {'type': 'OS::Heat::ResourceChain', 'properties': {
            'resources': attr('v', 'value')}}})},
    'mapped types of a chain': with_registry(hot({
        'v': {'type': 'OS::Heat::Value', 'properties': {
            'type': 'comma_delimited_list', 'value': ['A::B']}},
        'g': {'type': 'OS::Heat::ResourceChain', 'properties': {
            'resources': attr('v', 'value')}}}), TO_RESERVED),
}


@pytest.fixture(autouse=True)
def _reserved(rules):
    rules(**{f'resource_types:{RESERVED}': 'role:admin',
             'context_is_admin': '!'})


@pytest.fixture
def project(world):
    return world.project('types')


def refused(project, answer):
    assert (answer.status, answer.error) == (403, 'Forbidden'), answer
    assert RESERVED in answer.message
    assert project.api.stacks() == []


@pytest.mark.parametrize('way', WAYS)
def test_create(driver, project, way):
    body = {'stack_name': 's', **WAYS[way]}
    refused(project, project.api.request('POST', 'stacks/preview', body))
    refused(project, project.api.request('POST', 'stacks', body))
    # The operator's rule lets an administrator of the project do it.
    project.client('admin').created('s', **WAYS[way])


@pytest.mark.parametrize('way', WAYS)
def test_update(driver, project, way):
    stack = project.api.created('s', hot({'r': SAFE, 'g': SAFE}))
    for method in ('PUT', 'PATCH'):
        for path in ('preview', ''):
            answer = stack.request(method, path, WAYS[way])
            assert (answer.status, answer.error) == (403, 'Forbidden')
            assert RESERVED in answer.message
    assert stack.state == 'CREATE_COMPLETE'
    assert stack.states() == {'r': 'CREATE_COMPLETE', 'g': 'CREATE_COMPLETE'}


@pytest.mark.parametrize('way', ['plain', 'map', 'map in a nested template'])
def test_adopt(driver, project, conf, way):
    conf('enable_stack_adopt', True)
    body = WAYS[way]
    data = {'template': body['template'], 'resources': {},
            'environment': body.get('environment', {}),
            'files': body.get('files', {})}
    refused(project, project.api.request('POST', 'stacks', {
        'stack_name': 's', 'adopt_stack_data': json.dumps(data)}))


@pytest.mark.parametrize('way', LATE)
def test_type_that_is_a_value(driver, project, way):
    stack = project.api.create('s', **LATE[way])
    stack.wait('CREATE_FAILED')
    reason = stack.show()['stack_status_reason']
    assert 'Forbidden' in reason
    assert RESERVED in reason
    project.client('admin').created('t', **LATE[way])


def test_type_that_comes_with_an_update(driver, project):
    """The update of what is nested asks as well."""
    def chain(kind):
        return hot({
            'v': {'type': 'OS::Heat::Value', 'properties': {
                'type': 'comma_delimited_list', 'value': [kind]}},
            'g': {'type': 'OS::Heat::ResourceChain', 'properties': {
                'resources': attr('v', 'value')}}})

    stack = project.api.created('s', chain('OS::Heat::None'))
    # What it is to be is known now, that it was something else as well.
    answer = stack.update(chain(RESERVED), expect=None)
    if answer.status == 202:
        stack.wait('UPDATE_FAILED')
        reason = stack.show()['stack_status_reason']
    else:
        reason = answer.text
    assert 'Forbidden' in reason
    assert RESERVED in reason


def test_group_that_grows(driver, project):
    """A group without members names a type that it does not use yet."""
    def grouped(count):
        return group('OS::Heat::ResourceGroup', count=count,
                     resource_def=DEFINITION)

    stack = project.api.created('s', grouped(0))
    answer = stack.update(grouped(1), expect=403)
    assert RESERVED in answer.message


def test_restore(driver, project):
    """What an administrator made is no way for others to make it again."""
    admin = project.client('admin')
    made = admin.created('s', **WAYS['map'])
    path = made.path
    snapshot = admin.post(f'{path}/snapshots', {'name': 'n'})
    url = f'{path}/snapshots/{snapshot["id"]}'
    rest.wait_for(lambda: admin.get(url)['snapshot']['status'] == 'COMPLETE',
                  'the snapshot')
    answer = project.api.request('POST', f'{url}/restore')
    assert (answer.status, answer.error) == (403, 'Forbidden'), answer
    admin.request('POST', f'{url}/restore', expect=202)


def test_template_that_changes_after_it_was_checked(driver, project,
                                                    monkeypatch):
    """The text behind a URL is checked again when it is used."""
    texts = [json.dumps(hot({'r': SAFE})), INNER]
    monkeypatch.setattr(
        urlfetch, 'get', lambda *_args, **_kwargs: (
            texts.pop(0) if len(texts) > 1 else texts[0]))
    stack = project.api.create('s', hot({'g': {
        'type': 'AWS::CloudFormation::Stack', 'properties': {
            'TemplateURL': 'http://templates.test/t.yaml'}}}))
    stack.wait('CREATE_FAILED')
    assert RESERVED in stack.show()['stack_status_reason']


def test_schema_of_a_mapped_type(project):
    for path in ('', '/template'):
        answer = project.api.request('GET', f'resource_types/{RESERVED}{path}')
        assert (answer.status, answer.error) == (403, 'Forbidden')
    assert RESERVED not in project.api.get('resource_types')[
        'resource_types']


def test_restricted_actions_need_no_other_role(project):
    """What an environment restricts is not what policy restricts."""
    stack = project.api.created('s', **with_registry(
        hot({'r': {'type': 'A::B', 'properties': {'value': 'a'}}}),
        {'A::B': 'OS::Heat::Value',
         'resources': {'r': {'restricted_actions': 'update'}}}))
    stack.patched()
    answer = stack.updated(
        hot({'r': {'type': 'A::B', 'properties': {'value': 'b'}}}),
        state='UPDATE_FAILED', environment={'resource_registry': {
            'A::B': 'OS::Heat::Value',
            'resources': {'r': {'restricted_actions': 'update'}}}})
    assert 'ActionRestricted' in answer['stack_status_reason']
