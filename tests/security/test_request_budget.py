"""Requests that would stall the service are refused, and others go on.

Run on both kinds of concurrency: under eventlet, what does not let others
run stops them all.
"""
import threading
import time
import uuid

import pytest

from tests import machine
from tests.functional import rest
from tests.functional import service as service_module
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing
from tests.security import expensive_inputs
from tests.security import meter

#: Seconds in which another tenant sees a stack meanwhile. Only the time
#: counts that this process computes: other processes may be busy.
ANSWER = 0.3
ATTEMPTS = 5


@pytest.fixture(scope='module')
def application():
    """Return the application of a running service."""
    with service_module.running() as service:
        yield service.application


@pytest.fixture(scope='module')
def other(application):
    """Return a stack of another tenant."""
    client = rest.Client(application, uuid.uuid4().hex)
    stack = client.created('other', hot({'a': thing()},
                                        outputs={'o': {'value': 'v'}}))
    # The first query of a process loads the language of queries.
    client.post('validate', {'template': hot({'a': thing(value={
        'yaql': {'expression': '1'}})})})
    return stack


class Onlooker:
    """Shows a stack over and over while a block runs."""

    def __init__(self, stack):
        self._stack = stack
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._longest = 0
        self._slowness = machine.slowness()

    def _look(self):
        while not self._done.is_set():
            began = time.process_time()
            self._stack.show()
            self._longest = max(self._longest, time.process_time() - began)
            self._done.wait(0.01)

    @property
    def longest(self):
        """The longest time of an answer, on the reference machine."""
        return self._longest / max(self._slowness, machine.slowness())

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_error):
        self._done.set()
        self._thread.join()


@pytest.fixture
def send(application, other):
    """Return a function that sends a request and checks what it costs."""
    client = rest.Client(application, uuid.uuid4().hex)

    def request(method, path, body):
        if method == 'GET':
            path = f'/v1/{client.project}/{path}'
        return client.request(method, path, body)

    def check(method, path, body=None):
        for _attempt in range(ATTEMPTS):
            meter.settle()
            with Onlooker(other) as onlooker:
                answer, cost = meter.measure(request, method, path, body)
            if (cost.seconds < expensive_inputs.SECONDS
                    and onlooker.longest < ANSWER):
                break
        assert cost.seconds < expensive_inputs.SECONDS, cost
        assert cost.room < expensive_inputs.ROOM, cost
        assert onlooker.longest < ANSWER, onlooker.longest
        return answer

    return check


def stack(resources, **kwargs):
    parameters = kwargs.pop('parameters', {})
    return {'stack_name': 's', **kwargs,
            'template': hot(resources, parameters=parameters)}


def repeat(template, word, number):
    return {'repeat': {'template': template, 'for_each': {
        word: [str(index) for index in range(number)]}}}


def replaced(times):
    value = 'a' * 1000
    for _time in range(times):
        value = {'str_replace': {'template': value, 'params': {'a': 'aa'}}}
    return value


def string(pattern):
    return {'type': 'string', 'default': 'a',
            'constraints': [{'allowed_pattern': pattern}]}


WIDE = '[\u0100-\uffff]'
VERSION = 'heat_template_version: 2018-08-31\n'

CFN = ("AWSTemplateFormatVersion: '2010-09-09'\n"
       'Transform: AWS::LanguageExtensions\n'
       'Parameters: {A: {Type: String, Default: x}}\nResources:\n')


def cfn(resources):
    return {'stack_name': 's', 'template': CFN + resources}


def cfn_value(value):
    return cfn('  a: {Type: OS::Heat::Value, Properties: {value: %s}}\n'
               % value)


def cfn_loop(identifier, repeated):
    return "{'Fn::ForEach::%s': [%s, [%s], %s]}" % (
        identifier, identifier, ','.join(map(str, range(1000))), repeated)


REFUSED = {
    'loops in loops': (
        cfn('  ' + cfn_loop('I', cfn_loop('J', cfn_loop(
            'K', "{'T${I}x${J}x${K}': {Type: OS::Heat::None}}")))[1:-1]
            + '\n'),
        'cpu_seconds in [request_budget]', ''),
    'loops of large parts': (
        cfn('  ' + cfn_loop(
            'I', "{'T${I}': {Type: OS::Heat::None, Properties: {x: [%s]}}}"
            % ','.join(['"${I}"'] * 50000))[1:-1] + '\n'),
        'in [request_budget]', ''),
    'networks': (
        cfn_value('[%s]' % ','.join(
            ["{'Fn::Cidr': ['10.0.0.0/8', 256, 8]}"] * 5000)),
        'output_size in [request_budget]', 'Resources.a'),
    'unknown variables': (
        cfn_value("!Sub '%s'" % ''.join(
            '${A%d}' % number for number in range(55000))),
        'does not exist', 'Resources.a'),
    'wide classes': (
        stack({}, parameters={f'p{number}': string(f'{number}' + WIDE * 1000)
                              for number in range(40)}),
        'takes too long to compile', 'parameters.p0'),
    'classes of all kinds': (
        stack({}, parameters={
            f'p{number}': string(r'\w?' * 120 + f'(?:{number})?')
            for number in range(80)}),
        'cpu_seconds in [request_budget]', 'parameters.p'),
    'nested loops': (
        stack({'a': thing(value=repeat(repeat(repeat(
            '%a%%b%%c%', '%c%', 90), '%b%', 90), '%a%', 90))}),
        'more than', 'resources.a.properties.value'),
    'nested loops of one word': (
        stack({'a': thing(value=repeat(repeat(repeat(
            'x', '%c%', 3000), '%b%', 300), '%a%', 90))}),
        'more than', 'resources.a.properties.value'),
    'group of large members': (
        stack({'a': {'type': 'OS::Heat::ResourceGroup', 'properties': {
            'count': 900, 'resource_def': thing(value='a' * 120000)}}}),
        'template for all members of the group', 'resources.a'),
    'autoscaling group of large members': (
        stack({'a': {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
            'min_size': 900, 'max_size': 900,
            'resource': thing(value='a' * 120000)}}}),
        'template for all members of the group', 'resources.a'),
    'chained types': (
        stack({'a': {'type': 'T0::x'}}, environment={'resource_registry': {
            f'T{number}::*': f'T{number + 1}::*' for number in range(5000)}}),
        'More than 50 types', 'resource_registry'),
    'long queries': (
        stack({f'a{number}': thing(value={'yaql': {
            'expression': '+'.join(['1'] * 8000) + f'+{number}'}})
            for number in range(25)}),
        'cpu_seconds in [request_budget]', 'resources.a'),
    'nested replacements': (
        stack({'a': thing(value=replaced(25))}),
        'bytes', 'resources.a.properties.value'),
    'many nested replacements': (
        stack({f'a{number}': thing(value=replaced(11))
               for number in range(100)}),
        'in [request_budget]', 'resources.a'),
    'parameters of nested stacks': (
        stack({f'a{number}': {'type': 'inner.yaml'} for number in range(900)},
              files={'inner.yaml': VERSION + 'parameters:\n' + ''.join(
                  f'  p{number}: {{type: string, default: x}}\n'
                  for number in range(2000))
                  + 'resources: {r: {type: OS::Heat::None}}\n'}),
        'nested_definitions in [request_budget]', 'resources.a'),
    'resources of nested stacks': (
        stack({f'a{number}': {'type': 'inner.yaml'} for number in range(900)},
              files={'inner.yaml': VERSION + 'parameters:\n' + ''.join(
                  f'  p{number}: {{type: string, default: x}}\n'
                  for number in range(10)) + 'resources:\n' + ''.join(
                  f'  r{number}: {{type: OS::Heat::None}}\n'
                  for number in range(4))}),
        '[request_budget]', 'resources.a'),
    'items of a text': (
        {'stack_name': 's', 'template': VERSION + 'a:\n' + '- a:\n' * 100000},
        'yaml_nodes in [request_budget]', ''),
    'lists of a body': (
        stack({'a': thing(value=[[]] * 60000)}),
        'yaml_nodes in [request_budget]', ''),
    'lists of a JSON text': (
        {'stack_name': 's', 'template': '{"heat_template_version": '
         '"2018-08-31", "outputs": {"a": {"value": [' + '[],' * 60000
         + '1]}}}'},
        'yaml_nodes in [request_budget]', ''),
    'many conditions': (
        {'stack_name': 's', 'template': {
            **hot({}, parameters={'p': {'type': 'comma_delimited_list',
                                        'default': 'a,' * 8000}}),
            'conditions': {f'c{number}': {'or': [
                {'not': {'contains': ['a', param('p')]}}] * 52}
                for number in range(150)}}},
        'in [request_budget]', 'conditions.c'),
    'words that a text has not': (
        stack({'a': thing(value={'str_replace': {
            'template': 'k' * 300000,
            'params': {f'k{number}': 'x' for number in range(8000)}}})}),
        'cpu_seconds in [request_budget]', 'resources.a.properties.value'),
    'items of an environment': (
        stack({}, environment='parameters: {a: [' + '[],' * 150000 + ']}'),
        'yaml_nodes in [request_budget]', ''),
}


@pytest.mark.parametrize('path', ['stacks', 'stacks/preview'])
@pytest.mark.parametrize('name', REFUSED)
def test_what_would_stall_is_refused(send, name, path):
    body, *texts = REFUSED[name]
    answer = send('POST', path, body)
    assert answer.status == 400, answer.text[:500]
    assert answer.error in ('StackValidationFailed', 'RequestLimitExceeded',
                            'HTTPBadRequest', 'InvalidSchemaError')
    for text in texts:
        assert text in answer.message


LARGE = {
    'map': {'type': 'json', 'default': {
        f'k{number}': ['a'] for number in range(3000)}},
    'text': {'type': 'string', 'default': 'a' * 50000}}


@pytest.mark.parametrize(('value', 'most'), [
    (param('map'), 100), ({'if': ['yes', param('text'), 'x']}, 1500)],
    ids=['map', 'text'])
def test_outputs_of_large_values_are_counted(application, value, most):
    body = stack({}, parameters=LARGE)
    body['template'].update(
        conditions={'yes': {'equals': ['a', 'a']}},
        outputs={f'o{number}': {'value': value} for number in range(3000)})
    client = rest.Client(application, uuid.uuid4().hex)
    outputs = client.post('stacks/preview', body)['stack']['outputs']
    assert len(outputs) == 3000
    assert outputs[0]['output_value']
    assert len([each for each in outputs if each['output_value']]) < most
    assert '[request_budget]' in outputs[-1]['output_error']


def outputs_of(value, parameters):
    body = stack({}, parameters=parameters)
    body['template'].update(
        conditions={'yes': {'equals': ['a', 'a']}},
        outputs={f'o{number}': {'value': value} for number in range(3000)})
    return body


def text(character, length=50000):
    return {'text': {'type': 'string', 'default': character * length}}


@pytest.mark.parametrize('body', [
    outputs_of(param('map'), LARGE),
    # JSON takes six or twelve bytes for such a character.
    outputs_of({'if': ['yes', param('text'), 'x']}, text('\xff')),
    outputs_of(param('text'), text('\U0001f600')),
    outputs_of({'a': param('text')}, text('"'))],
    ids=['map', 'latin', 'emoji', 'quotes'])
def test_answers_with_large_outputs_are_cheap(send, body):
    assert send('POST', 'stacks/preview', body).status == 200


@pytest.mark.parametrize('character', ['a', '\xff'], ids=ascii)
def test_properties_in_answers_are_counted(send, character):
    body = stack({f'a{number}': thing(value=param('text'))
                  for number in range(1000)}, parameters=text(character))
    answer = send('POST', 'stacks/preview', body)
    assert answer.status == 400
    assert 'output_size in [request_budget]' in answer.message


@pytest.mark.parametrize('section', [
    {'encrypted_param_names': [f'p{number}' for number in range(50000)]},
    {'event_sinks': [{'type': 'zaqar-queue', 'target': f't{number}'}
                     for number in range(15000)]}],
    ids=['encrypted_param_names', 'event_sinks'])
def test_long_lists_of_environments_are_cheap(send, section):
    body = stack({}, environment=section)
    assert send('POST', 'stacks/preview', body).status == 200


def test_many_dangling_references_are_cheap(send):
    value = [{'get_attr': ['none', 'value']}] * 5
    for _level in range(2):
        value = {'list_concat': [value] * 3}
    body = stack({}, parameters={})
    body['template']['outputs'] = {f'o{number}': {'value': value}
                                   for number in range(300)}
    answer = send('POST', 'validate', body)
    assert answer.status == 200, answer.text[:400]


#: A definition that is wrong, for each kind of definition.
WRONG = {
    'parameters': {'parameters': {f'p{number}': {
        'type': 'string', 'constraints': [{'allowed_pattern': 'a\\1'}]}
        for number in range(5000)}},
    'constraints': {'parameters': {'p': {'type': 'string', 'constraints': [
        {'allowed_pattern': 'a\\1'}] * 8000}}},
    'conditions': {'conditions': {f'c{number}': {'no': []}
                                  for number in range(8000)}},
    'outputs': {'outputs': {f'o{number}': {} for number in range(12000)}},
    'resources': {'resources': {f'r{number}': {'type': 'OS::No::Such'}
                                for number in range(900)}},
    'properties': {'resources': {'r': thing(**{
        f'p{number}': 1 for number in range(12000)})}},
    'sections': {f's{number}': {} for number in range(12000)},
}


@pytest.mark.parametrize('name', WRONG)
def test_what_is_wrong_many_times_is_told_cheaply(send, name):
    answer = send('POST', 'stacks/preview', {
        'stack_name': 's', 'template': {**hot({}), **WRONG[name]}})
    assert answer.status == 400
    assert 'more, which are not shown' in answer.text


def names(stem, count=4000):
    """Return many long names; no two stems are equal."""
    return [f'{stem}{number:030d}' for number in range(count)]


PARAMETERS = {name: {'type': 'string', 'default': 'a'}
              for name in names('parameter')}


def test_many_outputs_that_need_nothing_known_are_cheap(send):
    answer = send('POST', 'stacks/preview', {
        'stack_name': 's', 'template': hot({}, parameters=PARAMETERS, outputs={
            name: {'value': param(f'parametre{name}')}
            for name in names('o')})})
    assert answer.status == 200


@pytest.mark.parametrize('body', [
    {'template': hot({}, parameters=PARAMETERS),
     'parameters': dict.fromkeys(names('parametre'), 'a')},
    {'template': {**hot({'a': thing(value=[
        {'if': [name, 1, 2]} for name in names('conditionz')])}),
        'conditions': dict.fromkeys(names('condition'),
                                    {'equals': [1, 1]})}},
    {'template': hot({'a': thing(value=[
        {'get_resource': name} for name in names('resourze')]), **{
            name: thing() for name in names('resource', 900)}})}],
    ids=['parameters', 'if', 'get_resource'])
def test_hints_are_bounded(send, body):
    answer = send('POST', 'stacks/preview', {'stack_name': 's', **body})
    assert answer.status == 400
    assert 'Did you mean' in answer.text


@pytest.mark.parametrize(('files', 'status'), [
    ([f'encrypted_param_names: {[f"p{number}" for number in range(20000)]}',
      f'encrypted_param_names: {[f"q{number}" for number in range(20000)]}'],
     200),
    # A name of a strategy that there is not.
    ([f'parameter_merge_strategies: {dict.fromkeys(range(20000), "x")}'],
     400)], ids=['names', 'strategies'])
def test_environment_files_are_merged_cheaply(send, files, status):
    names = [f'{number}.yaml' for number in range(len(files))]
    body = {**stack({}), 'files': dict(zip(names, files, strict=True)),
            'environment_files': names}
    assert send('POST', 'stacks/preview', body).status == status


def test_constraints_are_counted(application):
    client = rest.Client(application, uuid.uuid4().hex)
    answer = client.request('POST', 'stacks/preview', stack({}, parameters={
        f'p{number}': {
            'type': 'string',
            'default': ','.join(['*/1'] * 240) + f' {number % 20} * * *',
            'constraints': [{'custom_constraint': 'cron_expression'}]}
        for number in range(900)}))
    assert answer.status == 400
    assert 'cpu_seconds in [request_budget]' in answer.message
    answer = client.request('POST', 'stacks/preview', stack({}, parameters={
        'p': {'type': 'string', 'default': '*/1,' * 200000 + '1 * * * *',
              'constraints': [{'custom_constraint': 'cron_expression'}]}}))
    assert answer.status == 400
    assert 'at most 1000 are allowed' in answer.message


@pytest.mark.parametrize(('pattern', 'found'), [
    ('(([A-Z]%2B)*([a-z]%2B)*:*)*$x', False),
    ('(%3F:(a%7Caa)*)*(?<=OS::Heat::Stack)$', False),
    ('OS::Heat::(St|St)ack', True),
    ('(O|OS?)(S|::)?(\\w*:*)*(?<!x)x\\1?', False)])
def test_names_of_types_are_matched_in_time(send, pattern, found):
    answer = send('GET', 'resource_types?name=' + pattern)
    assert answer.status == 200
    assert ('OS::Heat::Stack' in answer.json['resource_types']) is found


@pytest.mark.parametrize('body', [
    stack({'a': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': 1000 - 1, 'resource_def': thing(value='%index%')}}}),
    stack({f'a{number}': thing(value={'list_join': ['', ['a', param('p')]]})
           for number in range(1000)},
          parameters={'p': {'type': 'string', 'default': 'x' * 100}}),
    stack({f'a{number}': thing(value={'str_replace': {
        'template': {'get_file': 'script'}, 'params': {'$name': 'n'}}})
        for number in range(300)}, files={
        'script': '$name\n' * 10 + 'x' * 15000}),
    stack({f'a{number}': {'type': f't{number % 30}.yaml'}
           for number in range(300)}, files={
        f't{number}.yaml': VERSION + f'description: {number}\n' + (
            'resources: {a: {type: OS::Heat::None}, '
            'b: {type: OS::Heat::None}}\n')
        for number in range(30)}),
], ids=['group', 'functions', 'scripts', 'files'])
def test_large_honest_requests_pass(send, body):
    answer = send('POST', 'stacks/preview', body)
    assert answer.status == 200, answer.text[:500]


def test_what_follows_a_request_has_a_budget(application, other):
    # The value is known when the resource that it needs exists.
    items = {'str_split': [',', {'get_attr': ['a', 'value']}]}
    value = {'repeat': {'for_each': {'%a%': items}, 'template': {
        'repeat': {'for_each': {'%b%': items}, 'template': '%a%%b%'}}}}
    client = rest.Client(application, uuid.uuid4().hex)
    with Onlooker(other) as onlooker:
        made = client.create('s', hot(
            {'a': thing(value='x,' * 1000), 'b': thing(value=value)},
            outputs={'o': {'value': value}, 'p': {'value': 'v'}}))
        made.wait('CREATE_FAILED')
    assert 'more than' in made.show()['stack_status_reason']
    assert made.outputs()['p'] == 'v'
    assert onlooker.longest < 2
    made.deleted()
