"""Errors of the engine say in which line of the request they are."""
import json

import oslo_messaging
from oslo_messaging._drivers import common as wire
import pytest

from heat.common import exception
from tests.fakes import rest

YAML = """heat_template_version: 2021-04-16
parameters:
  size:
    type: number
    constraints:
      - range: {min: 1}
      - description: big
        range: {min: x}
x-anchors: &shared
  nam: spare
resources:
  web:
    type: OS::Heat::Value
    properties:
      list:
        - a
        - {get_attr: [db, b]}
      <<: *shared
  "a.b":
    type: T
  on:
    type: T
outputs:
  o:
    value: 1
"""
JSON = """{
  "heat_template_version": "2021-04-16",
  "resources": {
    "web": {"type": "T",
            "properties": {"nam": 1}}
  }
}"""

#: How each operation that takes a template is asked for.
OPERATIONS = {
    'create_stack': ('POST', '/v1/p/stacks'),
    'preview_stack': ('POST', '/v1/p/stacks/preview'),
    'update_stack': ('PUT', rest.STACK_PATH),
    'preview_update_stack': ('PUT', rest.STACK_PATH + '/preview'),
    'validate_template': ('POST', '/v1/p/validate'),
}


def failed(path, message='wrong', **kwargs):
    return exception.StackValidationFailed(path=path, message=message,
                                           **kwargs)


def over_the_wire(exc):
    """Return an error as it comes back from another process."""
    try:
        raise exc
    except type(exc) as raised:
        text = wire.serialize_remote_exception(
            (type(raised), raised, raised.__traceback__))
    return wire.deserialize_remote_exception(text, ['heat.common.exception'])


@pytest.fixture
def ask(api, engine):
    """Return a function that sends a request which the engine refuses.

    It returns the text of the error.
    """
    def ask(error, operation='create_stack', **body):
        engine.answers[operation] = error
        method, path = OPERATIONS[operation]
        response = api.request(method, path, {
            'stack_name': 's', 'template': YAML, **body})
        assert response.status_int == 400, response.text
        return response.json['error']['message']
    return ask


@pytest.mark.parametrize('operation', OPERATIONS)
def test_every_operation_knows_the_line(ask, operation):
    text = ask(failed(['resources', 'web', 'type']), operation)
    assert text == 'resources.web.type: wrong (line 13, column 5)'


def test_partial_update_with_a_template_knows_the_line(api, engine):
    for path in (rest.STACK_PATH, rest.STACK_PATH + '/preview'):
        engine.answers = dict.fromkeys(OPERATIONS, failed(['outputs']))
        response = api.request('PATCH', path, {'template': YAML})
        assert response.json['error']['message'].endswith(
            '(line 23, column 1)')
        engine.answers = dict.fromkeys(OPERATIONS, failed(['outputs']))
        response = api.request('PATCH', path, {'parameters': {'a': 1}})
        assert response.json['error']['message'] == 'outputs: wrong'


@pytest.mark.parametrize(('path', 'place'), [
    (['parameters', 'size', 'constraints', 1, 'range', 'min'], (8, 17)),
    (['parameters', 'size', 'constraints', 0], (6, 9)),
    (['resources', 'web', 'properties', 'list', 1, 'get_attr'], (17, 12)),
    (['resources', 'web', 'properties', 'list', '1'], (17, 11)),
    (['resources', 'web', 'properties', 'list[0]'], (16, 11)),
    # What an anchor brings in is where the anchor is.
    (['resources', 'web', 'properties', 'nam'], (10, 3)),
    # The place of what is missing is that of what lacks it.
    (['resources', 'web', 'properties', 'missing', 'x'], (14, 5)),
    (['resources', 'a.b', 'type'], (20, 5)),
    # YAML's on is JSON's true.
    (['resources', 'true', 'type'], (22, 5)),
    (['outputs', 'o', 'value', 'get_attr'], (25, 5)),
    (['x-anchors'], (9, 1)),
])
def test_place_in_yaml(ask, path, place):
    assert ask(failed(path)).endswith(' (line %d, column %d)' % place)


def test_place_in_json(ask):
    text = ask(failed(['resources', 'web', 'properties', 'nam']),
               template=JSON)
    assert text.endswith('(line 5, column 28)')


@pytest.mark.parametrize('error', [
    exception.InvalidSchemaError(path=['outputs'], message='x'),
    exception.InvalidTemplateReference(path=['outputs'], resource='r'),
    exception.InvalidTemplateSection(path=['outputs'], section='x'),
    exception.InvalidTemplateVersion(path=['outputs'], explanation='x'),
    exception.UserParameterMissing(path=['outputs'], key='k'),
    exception.CircularDependencyException(path=['outputs'], cycle='x'),
])
def test_other_classes_with_a_path(ask, error):
    assert ask(error).endswith(' (line 23, column 1)')


def test_error_from_another_process(ask):
    error = over_the_wire(failed(['resources', 'web', 'properties', 'nam']))
    assert type(error).__name__ == 'StackValidationFailed_Remote'
    assert ask(error) == ('resources.web.properties.nam: wrong '
                          '(line 10, column 3)')


def test_answer_of_validate(ask):
    text = ask({'Error': 'resources.web: wrong',
                'ErrorPath': ['resources', 'web']}, 'validate_template')
    assert text == 'resources.web: wrong (line 12, column 3)'
    # An engine that does not tell.
    assert ask({'Error': 'wrong'}, 'validate_template') == 'wrong'


@pytest.mark.parametrize('error', [
    failed(['nowhere', 'web']),
    failed([], 'It has no place'),
    exception.UnknownUserParameter(key='x'),
    oslo_messaging.RemoteError('StackValidationFailed', 'text', 'trace'),
])
def test_no_line_without_a_place(ask, error):
    assert '(line' not in ask(error)


def test_known_position_is_kept(ask):
    text = ask(failed(['outputs'], line=77, column=7))
    assert text == 'outputs: wrong (line 77, column 7)'


def test_no_line_for_a_parsed_template(ask):
    template = {'heat_template_version': '2021-04-16', 'outputs': {}}
    assert ask(failed(['outputs']), template=template) == 'outputs: wrong'


def test_no_work_when_nothing_fails(api, engine, monkeypatch):
    monkeypatch.setattr('heat.common.template_format.locate', None)
    engine.answers['preview_update_stack'] = {}
    response = api.request('PUT', rest.STACK_PATH + '/preview',
                           {'template': YAML})
    assert response.status_int == 200


# -- Files and environment

FILE_PATH = ['resources', 'n<n.yaml>', 'resources', 'web', 'type']


def test_place_in_a_file(ask):
    assert ask(failed(FILE_PATH), files={'n.yaml': YAML}).endswith(
        'resources.n<n.yaml>.resources.web.type: wrong '
        '(line 13, column 5 of n.yaml)')


def test_place_in_a_file_of_a_file(ask):
    path = ['resources', 'a<file:///x/a.yaml>', *FILE_PATH]
    text = ask(failed(path), files={'file:///x/a.yaml': 'a: b\n',
                                    'n.yaml': YAML})
    assert text.endswith('(line 13, column 5 of n.yaml)')


@pytest.mark.parametrize('files', [
    {}, {'other.yaml': YAML}, {'n.yaml': json.dumps({'resources': {}})}])
def test_no_line_of_what_the_user_did_not_write(ask, files):
    parsed = {'heat_template_version': '2021-04-16', 'resources': {'n': {}}}
    assert ask(failed(FILE_PATH), files=files, template=parsed).endswith(
        'wrong')
    # Who uses the file is in the user's text.
    template = 'heat_template_version: 2021-04-16\nresources:\n  n:\n'
    assert ask(failed(FILE_PATH), files=files, template=template).endswith(
        'wrong (line 3, column 3)')


def test_place_in_the_environment(ask):
    text = ask(failed(['resource_registry', 'a']),
               environment='parameters: {}\nresource_registry:\n  a: 1\n')
    assert text.endswith('(line 3, column 3 of the environment)')
    assert ask(failed(['resource_registry', 'a']),
               environment={'resource_registry': {'a': 1}}).endswith('wrong')


def test_place_in_an_environment_file(ask):
    text = ask(failed(['parameters', 'a'], file='e.yaml'),
               files={'e.yaml': 'parameters:\n  a: 1\n'},
               environment_files=['e.yaml'])
    assert text.endswith('(line 2, column 3 of e.yaml)')


# -- Text that is malformed

@pytest.mark.parametrize(('text', 'place'), [
    ('a: [', '(line 2, column 1)'),
    ('heat_template_version: 2021-04-16\n\tb: 1', '(line 2, column 1)'),
    ('{"a": 1,\n "b": ]}', '(line 2, column 7)'),
    ('a: *b', '(line 1, column 4)'),
    ('a: !!python/none x', '(line 1, column 4)'),
])
def test_malformed_text_has_a_line(api, text, place):
    body = {'stack_name': 's', 'template': text}
    for method, path in OPERATIONS.values():
        response = api.request(method, path, body)
        assert response.status_int == 400
        assert response.json['error']['message'].endswith(place)
    body = {'stack_name': 's', 'template': YAML, 'environment': text}
    response = api.post('/v1/p/stacks', body)
    assert response.status_int == 400
    assert response.json['error']['message'].startswith(
        'Error parsing environment')
    assert response.json['error']['message'].endswith(place)
