"""A wrong template is answered with the line where it is wrong."""
import json

import pytest

from heat.common import template_format

HEAD = 'heat_template_version: 2021-04-16\n'
VALUE = """resources:
  web:
    type: OS::Heat::Value
    properties:
      value: 1
"""

#: Templates with what is said about them, and in which line and column.
WRONG = {
    'unknown property': (
        VALUE + '      tpye: string\n',
        'Property error: resources.web.properties.tpye: Unknown Property '
        'tpye. Did you mean "type"?', (7, 7)),
    'list in a property': ("""resources:
  secret:
    type: OS::Heat::RandomString
    properties:
      character_classes:
        - class: digits
        - clas: lowercase
""", 'resources.secret.properties.character_classes[1].clas: ', (8, 11)),
    'function': ("""resources:
  web:
    type: OS::Heat::Value
    properties:
      value:
        list_join:
          - ','
          - - str_replace: {template: x}
""", 'resources.web.properties.value.list_join[1][0].str_replace: ', (9, 15)),
    'reference': (
        VALUE + '    metadata: {a: [{get_resource: webb}]}\n',
        'The resource "webb" (at resources.web.metadata.a[0].get_resource) '
        'does not exist in this template. Did you mean "web"?', (7, 21)),
    'attribute in an output': (
        VALUE + 'outputs:\n  o:\n    value: {get_attr: [web, valeu]}\n',
        'outputs.o.value.get_attr: Resource web has no attribute "valeu". '
        'Did you mean "value"?', (9, 13)),
    'explicit dependency': (
        VALUE + '    depends_on: nobody\n',
        'The resource "nobody" (at resources.web.depends_on)', (7, 5)),
    'circle': (
        VALUE + '    depends_on: b\n  b:\n    type: OS::Heat::None\n'
        '    depends_on: web\n',
        'resources.web: These depend on each other in a circle: '
        'web -> b -> web', (3, 3)),
    'condition': (
        VALUE + 'conditions:\n  big:\n    equals: [1]\n',
        'conditions.big.equals: ', (9, 5)),
    'condition of an unknown parameter': (
        VALUE + 'conditions:\n  big: {equals: [{get_param: size}, 1]}\n'
        'outputs: {o: {value: 1, condition: big}}\n',
        'conditions.big.equals[0].get_param: The Parameter (size) was not '
        'provided', (8, 19)),
    'default of a hidden parameter': ("""parameters:
  p: {type: string, hidden: true, default: is,
      constraints: [{length: {min: 8}}]}
""", 'parameters.p.default: Invalid default ****** of parameter p (length (2) '
         'is out of range (min: 8))', (3, 35)),
    'default of a hidden number': ("""parameters:
  p: {type: number, hidden: true, default: 3,
      constraints: [{range: {min: 8}}]}
""", 'parameters.p.default: Invalid default ****** of parameter p (****** is '
         'out of range (min: 8', (3, 35)),
    'constraint': ("""parameters:
  size:
    type: number
    default: 3
    constraints:
      - range: {min: 1}
      - range: {min: x}
""", 'parameters.size.constraints[1].range.min: ', (8, 17)),
    'default': (
        'parameters:\n  size: {type: number, default: x}\n',
        'parameters.size.default: Invalid default x', (3, 24)),
    'section': (
        VALUE + 'output: {}\n',
        'output: The template section is invalid: output. ', (7, 1)),
    'name of a parameter': (
        'parameters:\n  web: {type: string, default: a}\n' + VALUE,
        'resources.web: Duplicate names: web. ', (5, 3)),
    'anchor': ("""resources:
  web: &web
    type: OS::Heat::Value
    properties: {value: 1, valu: 2}
  copy: *web
""", 'resources.web.properties.valu: ', (5, 28)),
    'deletion policy': (
        VALUE + '    deletion_policy: Keep\n',
        'resources.web.deletion_policy: ', (7, 5)),
    'type': (
        'resources:\n  a:\n    type: OS::Heat::Vlaue\n',
        'resources.a.type: The Resource Type (OS::Heat::Vlaue) could not be '
        'found. Did you mean "OS::Heat::Value"?', (4, 5)),
}


def place(line, column):
    return f'(line {line}, column {column})'


@pytest.mark.parametrize('case', WRONG)
def test_text(api, case):
    template, text, where = WRONG[case]
    answer = api.create('s', HEAD + template, expect=400)
    assert text in answer.message
    assert answer.message.endswith(place(*where))
    assert api.stacks() == []


@pytest.mark.parametrize('case', WRONG)
def test_parsed_template(api, case):
    """What clients have parsed has no lines; the rest is the same."""
    template, text, _where = WRONG[case]
    answer = api.create('s', template_format.parse(HEAD + template),
                        expect=400)
    assert text in answer.message
    assert '(line' not in answer.message


def test_every_operation(api):
    template, _text, where = WRONG['unknown property']
    body = {'stack_name': 't', 'template': HEAD + template}
    stack = api.created('s', HEAD + VALUE)
    for method, path in (('POST', 'stacks'), ('POST', 'stacks/preview'),
                         ('POST', 'validate'), ('PUT', stack.path),
                         ('PATCH', stack.path),
                         ('PUT', stack.path + '/preview'),
                         ('PATCH', stack.path + '/preview')):
        answer = api.request(method, path, body, expect=400)
        assert answer.message.endswith(place(*where)), (method, path)
    stack.wait('CREATE_COMPLETE')
    assert api.stacks() == ['s']


def test_json(api):
    template = {'heat_template_version': '2021-04-16',
                'resources': {'a': {'type': 'OS::Heat::Nothing'}}}
    answer = api.create('s', json.dumps(template, indent=2), expect=400)
    assert answer.message.endswith(place(5, 7))


def test_cfn(api):
    answer = api.create('s', 'AWSTemplateFormatVersion: 2010-09-09\n'
                             'Resources:\n  A:\n    Type: OS::Heat::Value\n'
                             '    Properties:\n'
                             '      value: {"Fn::GetAtt": [B, value]}\n',
                        expect=400)
    assert answer.error == 'InvalidTemplateReference'
    assert 'Resources.A.Properties.value.Fn::GetAtt' in answer.message
    assert answer.message.endswith(place(6, 15))


PARENT = HEAD + 'resources:\n  n:\n    type: n.yaml\n'


@pytest.mark.parametrize('case', [
    'unknown property', 'function', 'reference', 'default', 'section'])
def test_file(api, case):
    template, _text, where = WRONG[case]
    answer = api.create('s', PARENT, expect=400,
                        files={'n.yaml': HEAD + template})
    assert 'resources.n<n.yaml>.' in answer.message
    assert answer.error == 'StackValidationFailed'
    assert answer.message.endswith(
        '(line %d, column %d of n.yaml)' % where)


def test_malformed_file(api):
    answer = api.create('s', PARENT, expect=400,
                        files={'n.yaml': HEAD + 'a: [}\n'})
    assert answer.message.startswith(
        'resources.n<n.yaml>: Error parsing template: ')
    assert answer.message.endswith(place(2, 5))


def test_environment(api):
    environment = ('resource_registry:\n  resources:\n    web:\n'
                   '      hooks: [pre-create, pre-creat]\n')
    answer = api.create('s', HEAD + VALUE, expect=400,
                        environment=environment)
    assert answer.error == 'InvalidBreakPointHook'
    assert 'resource_registry.resources.web.hooks' in answer.message
    assert answer.message.endswith('(line 4, column 7 of the environment)')
    answer = api.create('s', HEAD + VALUE, expect=400,
                        environment_files=['e.yaml'],
                        files={'e.yaml': 'parameters:\n  a: 1\n'})
    assert answer.message.endswith('(line 2, column 3 of e.yaml)')
