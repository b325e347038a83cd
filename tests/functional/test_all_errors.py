"""All that is wrong with a request is told at once, with positions."""
import pytest

from heat.common import template_format

HEAD = 'heat_template_version: 2021-04-16\n'
GOOD = HEAD + """resources:
  web:
    type: OS::Heat::Value
    properties: {value: 1}
"""
BAD = HEAD + """parameters:
  size: {type: nubmer}
conditions:
  big: {equals: [{get_param: sise}, 3]}
resources:
  web:
    type: OS::Heat::Value
    properties: {valeu: 1, type: strng}
  other:
    type: OS::Heat::Vlaue
    depends_on: wbe
  keys:
    type: OS::Heat::RandomString
    condition: bgi
    properties:
      length: 1000000
      character_classes: [{clas: digits}, {min: x}]
  uses:
    type: OS::Heat::Value
    properties:
      value: [{get_param: size}, {get_attr: [other, x]}, {list_join: x}]
outputs:
  o: {value: {get_attr: [web, valeu]}}
  p: {valeu: 1, condition: big}
"""
LINES = [
    'outputs.p.valeu: "valeu" is not a valid keyword here. There may be: '
    'description, value, condition. Did you mean "value"? '
    '(line 25, column 7)',
    'parameters.size: The type "nubmer" is none of string, number, '
    'comma_delimited_list, json, boolean. (line 3, column 3)',
    'conditions.big.equals[0].get_param: The Parameter (sise) was not '
    'provided. It is not defined in the template. Did you mean "size"? '
    '(line 5, column 19)',
    'resources.keys.condition: There is no condition "bgi". Did you mean '
    '"big"? (line 15, column 5)',
    'resources.uses.properties.value[2].list_join: The argument of '
    '"list_join" must be a list (line 22, column 59)',
    'resources.other.type: The Resource Type (OS::Heat::Vlaue) could not be '
    'found. Did you mean "OS::Heat::Value"? (line 11, column 5)',
    'resources.other.depends_on: The resource "wbe" does not exist in this '
    'template. Did you mean "web"? Its resources are: web, other, keys, '
    'uses. (line 12, column 5)',
    'resources.web.properties.valeu: Unknown Property valeu. Did you mean '
    '"value"? (line 9, column 18)',
    'resources.web.properties.type: "strng" is not one of the allowed values '
    '[string, number, comma_delimited_list, json, boolean]. Did you mean '
    '"string"? (line 9, column 28)',
    'resources.keys.properties.length: 1000000 is out of range (min: 1, '
    'max: 512) (line 17, column 7)',
    'resources.keys.properties.character_classes[0].clas: Unknown Property '
    'clas. Did you mean "class"? (line 18, column 28)',
    'resources.keys.properties.character_classes[1].min: Value '
    "'x' is not an integer (line 18, column 44)",
    'outputs.o.value.get_attr: Resource web has no attribute "valeu". Did '
    'you mean "value"? (line 24, column 15)',
]


def told(message):
    """Return the problems of a message, each a line."""
    first, *rest = message.split('\n')
    if rest:
        assert rest.pop(0) in (f'{len(rest)} more problems:',
                               'One more problem:')
    return [first, *(line.removeprefix('- ') for line in rest)]


def test_every_operation(api):
    body = {'stack_name': 't', 'template': BAD}
    stack = api.created('s', GOOD)
    for method, path in (('POST', 'stacks'), ('POST', 'stacks/preview'),
                         ('PUT', stack.path), ('PATCH', stack.path),
                         ('PUT', stack.path + '/preview'),
                         ('PATCH', stack.path + '/preview')):
        answer = api.request(method, path, body, expect=400)
        assert answer.error == 'StackValidationFailed'
        assert told(answer.message) == LINES, (method, path)
    assert api.stacks() == ['s']


def test_validate(api):
    answer = api.request('POST', 'validate', {'template': BAD}, expect=400)
    lines = told(answer.message)
    # What the values of parameters decide is not looked at.
    assert set(lines) < set(LINES)
    for line in LINES[0], LINES[1], LINES[4], LINES[5], LINES[7], LINES[-1]:
        assert line in lines


def test_parsed_template_has_no_lines(api):
    answer = api.create('s', template_format.parse(BAD), expect=400)
    assert told(answer.message) == [
        line[:line.rindex(' (line')] for line in LINES]


def test_shape_of_the_answer(api):
    answer = api.create('s', BAD, expect=400)
    assert set(answer.json) == {'code', 'title', 'explanation', 'error'}
    assert set(answer.json['error']) == {'type', 'message', 'traceback'}
    assert answer.json['error']['traceback'] is None


def test_fifty_of_many(api):
    bad = ''.join('  r%d: {type: OS::Heat::Value, properties: {valeu: 1}}\n'
                  % number for number in range(70))
    answer = api.create('s', HEAD + 'resources:\n' + bad, expect=400)
    lines = answer.message.split('\n')
    assert lines[1] == '69 more problems:'
    assert lines[-1] == '- 20 more, which are not shown'
    assert len(lines) == 52


def test_nested_templates(api):
    answer = api.create('s', HEAD + """resources:
  n:
    type: n.yaml
  m:
    type: OS::Heat::Value
    properties: {valeu: x}
""", files={'n.yaml': BAD}, expect=400)
    lines = told(answer.message)
    assert lines[-1].startswith('resources.m.properties.valeu: ')
    assert all(line.startswith('resources.n<n.yaml>.')
               for line in lines[:-1])
    assert all(line.endswith(' of n.yaml)') for line in lines[:-1])
    assert len(lines) > 8


@pytest.mark.parametrize('as_files', [False, True])
def test_environment(api, as_files):
    environment = 'parameters:\n  colour: red\n  szie: 1\n'
    template = HEAD + ('parameters:\n  size: {type: number}\n'
                       'outptus: {}\n')
    if as_files:
        answer = api.create('s', template, environment_files=['e.yaml'],
                            files={'e.yaml': environment}, expect=400)
    else:
        answer = api.create('s', template, environment=environment,
                            expect=400)
    lines = told(answer.message)
    where = 'e.yaml' if as_files else 'the environment'
    assert lines[0].startswith('outptus: ')
    assert lines[1].endswith(f'(line 2, column 3 of {where})')
    assert lines[2].endswith(f' (line 3, column 3 of {where})')
    assert 'Did you mean "size"?' in lines[2]
    assert lines[3].startswith('parameters.size: The Parameter (size) was ')
    assert len(lines) == 4


def test_one_problem_is_told_as_ever(api):
    answer = api.create('s', GOOD + 'output: {}\n', expect=400)
    assert answer.error == 'InvalidTemplateSection'
    assert '\n' not in answer.message
