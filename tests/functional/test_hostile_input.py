"""What strangers send to bring the service down is refused, and soon."""
import json
import resource
import time

import pytest

from tests import machine
from tests.functional.templates import hot
from tests.functional.templates import param
from tests.functional.templates import thing

#: What one request may take: seconds of computing on the reference machine,
#: and bytes.
SECONDS = 1
ROOM = 200 * 1024 * 1024
VALIDATE = ('validate', 'validate?show_nested=true')
PATHS = ('stacks', 'stacks/preview', *VALIDATE)


@pytest.fixture
def refused(api):
    """Return a function that has a stack refused within the limits."""
    def refuse(template, *texts, **kwargs):
        body = {'stack_name': 's', 'template': template, **kwargs}
        raw = json.dumps(body).encode()
        messages = []
        for path in PATHS:
            messages.append(refuse_raw(path, raw, *texts))
        return messages[0]

    def refuse_raw(path, raw, *texts):
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        # Other threads of the process may be busy for once, not each time.
        for _attempt in range(3):
            started = time.process_time()
            answer = api.request('POST', path, raw=raw)
            spent = time.process_time() - started
            limit = SECONDS * machine.slowness()
            if spent < limit:
                break
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                 - memory) * 1024
        assert spent < limit, (spent, limit)
        assert grown < ROOM, grown
        if path in VALIDATE and answer.status == 200:
            # It looks at less than what is needed for a stack.
            return ''
        assert answer.status == 400, answer.text[:1000]
        assert len(answer.text) < 20000, len(answer.text)
        for text in texts:
            assert text in answer.message
        return answer.message

    refuse.raw = refuse_raw
    yield refuse
    assert api.stacks() == []


# -- groups -----------------------------------------------------------------

def _group(size, value):
    return {'type': 'OS::Heat::AutoScalingGroup', 'properties': {
        'min_size': size, 'max_size': size, 'desired_capacity': size,
        'resource': {'type': 'OS::Heat::Value',
                     'properties': {'value': value}}}}


def test_large_groups(refused):
    refused(hot({f'g{number}': _group(100000, 'a' * 99)
                 for number in range(3)}))


def test_many_groups(refused):
    refused(hot({f'g{number}': _group(300, {'repeat': {
        'template': ['%x%', 'a' * 600],
        'for_each': {'%x%': list(map(str, range(300)))}}})
        for number in range(150)}))


# -- text that expands ------------------------------------------------------

def bomb(levels=9, width=9):
    lines = ['a0: &a0 [%s]' % ', '.join(['x'] * width)]
    for level in range(1, levels):
        lines.append(f'a{level}: &a{level} '
                     f'[{", ".join([f"*a{level - 1}"] * width)}]')
    return '\n'.join(lines) + '\n'


VERSION = 'heat_template_version: 2018-08-31\n'


@pytest.mark.parametrize('text', [
    bomb(), bomb(levels=10, width=30),
    'a: &a [*a]\n',
    'a: &a {k: 1}\nb: {<<: [%s]}\n' % ','.join(['*a'] * 20000)
    + ''.join(f'c{n}: &c{n} {{<<: [{"*a,*a"}]}}\n' for n in range(10))
    + 'd: {<<: %s}\n' % ('{<<: ' * 250 + '{}' + '}' * 250),
    'a: &a\n' + ''.join(f'  k{n}: 1\n' for n in range(10000))
    + 'b: {<<: [%s]}\n' % ','.join(['*a'] * 10000),
], ids=['nine', 'ten', 'self', 'merges', 'wide merges'])
def test_aliases(refused, text):
    refused(VERSION + text)
    refused(hot(), environment='parameters:\n  x:\n'
            + ''.join(f'    {line}\n' for line in text.splitlines()))
    refused(hot({'a': {'type': 'inner.yaml'}}),
            files={'inner.yaml': VERSION + text})
    refused(hot(), environment_files=['one', 'two'], files={
        'one': 'parameter_merge_strategies: {default: deep_merge}\n'
               'parameters: {x: {}}',
        'two': 'parameters:\n  x:\n'
               + ''.join(f'    {line}\n' for line in text.splitlines())})


def deep_environment(depth):
    return json.dumps({'parameters': {'p': json.loads(
        '{"a":' * depth + '1' + '}' * depth)}})


@pytest.mark.parametrize('depth', [150, 190, 250, 900])
def test_deep_environments_are_merged_or_refused(api, refused, depth):
    files = {'one': deep_environment(depth).replace(
        '{"parameters"', '{"parameter_merge_strategies": {"default": '
        '"deep_merge"}, "parameters"', 1), 'two': deep_environment(depth)}
    template = hot(parameters={'p': {'type': 'json'}})
    if depth > 195:
        refused(template, environment_files=['one', 'two'], files=files)
        return
    answer = api.request('POST', 'stacks/preview', {
        'stack_name': 's', 'template': template, 'files': files,
        'environment_files': ['one', 'two']})
    assert answer.status == 200, answer.text[:500]


@pytest.mark.parametrize('text', [
    '1: x', 'parameters: {1: x}', 'parameters: {[a]: x}',
    'parameter_merge_strategies: {1: merge}',
    'parameter_merge_strategies: {~: deep_merge, default: 3}',
    'parameters: {p: "\\0"}', '{"parameters": {"p": "\\ud800"}}',
    'parameters: {p: %s}' % ('9' * 5000), '\0'])
def test_environment_files(refused, text):
    refused(hot(), environment_files=['one', 'two'],
            files={'one': 'parameters: {p: {}}', 'two': text})


@pytest.mark.parametrize('text', [
    '[' * 100000, '{a: ' * 100000, '- ' * 100000, '? ' * 100000,
    '\n'.join(' ' * depth + 'a:' for depth in range(700)),
    '{"a":' * 100000, '!!seq ' * 50000])
def test_deep_texts(refused, text):
    refused(VERSION + 'x: ' + text)
    refused(text)
    refused(hot(), environment=text)


@pytest.mark.parametrize('depth', [150, 250, 900, 100000])
@pytest.mark.parametrize('kind', ['list', 'map', 'call', 'if'])
def test_deep_values(refused, depth, kind):
    opening, closing = {
        'list': ('[', ']'), 'map': ('{"a": ', '}'),
        'call': ('{"list_join": ["", [', ']]}'),
        'if': ('{"if": [true, ', ', 1]}')}[kind]
    deep = opening * depth + '"x"' + closing * depth
    good = json.dumps(hot({'a': thing(fail='@@')}))
    assert '"@@"' in good
    body = '{"stack_name": "s", "template": %s}' % good.replace('"@@"', deep)
    for path in PATHS:
        refused.raw(path, body.encode())


# -- functions --------------------------------------------------------------

def doubling(function, times=40):
    """Return parameters and a value that doubles over and over."""
    value = {'get_param': 'long'}
    for _time in range(times):
        value = function(value)
    return value


LONG = {'long': {'type': 'string', 'default': 'a' * 50000}}


@pytest.mark.parametrize('value', [
    {'str_replace': {'template': param('long'),
                     'params': {'a': param('long')}}},
    doubling(lambda v: {'list_join': ['', [v, v]]}, 12),
    {'list_join': [param('long'), {'repeat': {
        'template': 'x', 'for_each': {'x': {'str_split': [
            'a', param('long')]}}}}]},
    {'repeat': {'template': '%a%%b%%c%%d%', 'for_each': {
        f'%{name}%': {'str_split': [',', 'x,' * 100]} for name in 'abcd'}}},
    {'repeat': {'template': '%a%%b%', 'for_each': {
        f'%{name}%': [param('long')] * 300 for name in 'ab'}}},
    {'repeat': {'template': ['%a%' * 50], 'for_each': {
        '%a%': [param('long')] * 100}}},
    {'list_concat': [{'str_split': ['a', param('long')]}] * 50},
    {'list_concat_unique': [{'repeat': {'template': {'k%x%': 'v'},
     'for_each': {'%x%': {'str_split': [',', ','.join(map(str, range(
         20000)))]}}}}]},
    {'digest': ['md5', {'list_join': [param('long'), ['x'] * 400]}]},
    {'make_url': {'host': {'list_join': [param('long'), ['x'] * 400]}}},
    {'yaql': {'expression': 'range(10000000000).len()', 'data': {}}},
    {'yaql': {'expression': 'pow(10, pow(10, 9))', 'data': {}}},
    {'yaql': {'expression': '$.data =~ "(a|aa)+$"', 'data': 'a' * 50 + '!'}},
    {'map_merge': [{'repeat': {'template': {'k%x%': param('long')},
     'for_each': {'%x%': {'str_split': [',', ','.join(map(str, range(
         50000)))]}}}}] * 5},
], ids=['str_replace', 'join', 'delimiter', 'four loops', 'long items',
        'long words', 'list_concat', 'unique', 'digest', 'url',
        'yaql loop', 'yaql power', 'yaql pattern', 'map_merge'])
def test_functions_that_multiply(refused, value):
    refused(hot({'a': thing(value={'str_split': ['@', {'list_join': [
        ',', [value]]}]})}, parameters=LONG))


@pytest.mark.parametrize('value', [
    {'Fn::Replace': [{'a': {'Ref': 'long'}}, {'Ref': 'long'}]},
    {'Fn::Join': [{'Ref': 'long'}, ['x'] * 400]},
    {'Fn::Join': [{'Fn::Join': [{'Ref': 'long'}, ['x'] * 100]}, ['y'] * 100]},
], ids=['replace', 'join', 'nested join'])
def test_functions_of_cfn_that_multiply(refused, value):
    refused({'AWSTemplateFormatVersion': '2010-09-09', 'Parameters': {
        'long': {'Type': 'String', 'Default': 'a' * 50000}},
        'Resources': {'a': {'Type': 'Test::Thing',
                            'Properties': {'value': value}}}})


def test_conditions_in_a_circle(refused):
    refused(hot({'a': {**thing(), 'condition': 'c0'}}, conditions={
        f'c{n}': {'not': f'c{(n + 1) % 3}'} for n in range(3)}))
    refused(hot({'a': {**thing(), 'condition': 'c0'}}, conditions={
        **{f'c{n}': {'and': [f'c{n + 1}', f'c{n + 1}']}
           for n in range(1000)}, 'c1000': 'c0'}))


@pytest.mark.parametrize('pattern', [
    '(a+)+$', '(a|aa)+$', r'(a|aa)+\1?$', '((a{1,500}){1,500}){1,500}b',
    '(?=(a|aa)+$)b', '(?:a|aa)+(?<!c)$', '(' * 500 + ')' * 500,
    'a' * 20000])
def test_patterns(refused, pattern):
    schema = {'type': 'string', 'constraints': [
        {'allowed_pattern': pattern}]}
    refused(hot(parameters={'p': schema}), parameters={
        'p': 'a' * 3000 + '!'})


def test_many_patterns_are_bounded_together(refused):
    schema = {'type': 'string', 'constraints': [
        {'allowed_pattern': r'(a|aa)+\1?$'}]}
    names = [f'p{number}' for number in range(200)]
    refused(hot(parameters=dict.fromkeys(names, schema)),
            parameters=dict.fromkeys(names, 'a' * 3000 + '!'))


def test_many_queries_are_bounded_together(refused):
    value = {'yaql': {'expression': 'range(10000000000).len()', 'data': {}}}
    refused(hot({f'a{number}': thing(value=value)
                 for number in range(50)}))


def test_many_long_values_are_bounded_together(refused):
    value = {'list_join': [param('long'), ['x'] * 150]}
    refused(hot({f'a{number}': thing(value=value) for number in range(200)},
                parameters=LONG))


# -- what it may read -------------------------------------------------------

SECRET = 'root:'


@pytest.mark.parametrize('place', [
    'file:///etc/passwd', '/etc/passwd', '../../etc/passwd',
    'FILE:///etc/passwd', 'file:/etc/passwd', 'file://localhost/etc/passwd',
    'ftp://localhost/x.yaml', 'gopher://localhost/x.yaml', 'passwd.yaml',
    'file:///etc/passwd.yaml', 'data:text/plain,x.yaml',
    'http://127.0.0.1:1/x.yaml', 'jar:file:///etc/passwd!x.yaml'])
def test_local_files_are_not_read(refused, place):
    assert SECRET not in refused(hot({'a': thing(
        value={'get_file': place})}))
    assert SECRET not in refused(hot({'a': {'type': place}}))
    assert SECRET not in refused(
        hot({'a': {'type': 'My::Type'}}),
        environment={'resource_registry': {'My::Type': place}})
    assert SECRET not in refused(hot(), environment_files=[place])
    assert SECRET not in refused(None, template_url=place)


# -- numbers, keys and characters -------------------------------------------

HUGE = '9' * 5000


@pytest.mark.parametrize('number', [HUGE, '-' + HUGE, '1e400', '1' * 100000])
@pytest.mark.parametrize('where', [
    '{"stack_name": "s", "template": @}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number", "default": @}}}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number"}}}, '
    '"parameters": {"p": @}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number"}}}, '
    '"parameters": {"p": "@"}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number", "constraints": '
    '[{"range": {"min": 0, "max": 9}}]}}}, "parameters": {"p": "@"}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number", "constraints": '
    '[{"modulo": {"step": 2, "offset": 1}}]}}}, "parameters": {"p": "@"}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "parameters": {"p": {"type": "number", "constraints": '
    '[{"modulo": {"step": @, "offset": 1}}]}}}, "parameters": {"p": 3}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "resources": {"a": {"type": "Test::Thing", "properties": '
    '{"flaky": @}}}}}',
    '{"stack_name": "s", "template": {"heat_template_version": '
    '"2018-08-31", "resources": {"a": {"type": "Test::Thing", "properties": '
    '{"flaky": "@"}}}}}',
], ids=['template', 'default', 'number', 'text', 'range', 'modulo', 'step',
        'property', 'property text'])
def test_huge_numbers(refused, number, where):
    for path in PATHS:
        refused.raw(path, where.replace('@', number).encode())


@pytest.mark.parametrize('number', [HUGE, '0x' + 'f' * 100000, '1.0e+400',
                                    ':'.join(['1'] * 100000)])
def test_huge_numbers_in_text(refused, number):
    refused(VERSION + 'parameters: {p: {type: number, default: %s}}'
            % number)
    refused(hot(parameters={'p': {'type': 'number'}}),
            environment='parameters: {p: %s}' % number)


@pytest.mark.parametrize('key', [
    '1', '~', '1.5', 'true', '.inf', '.nan', '[a]', '{a: b}', '? [a]', '""',
    '! ""', '2001-01-01', '-0', '1e400'])
@pytest.mark.parametrize('text', [
    '@: x', 'parameters: {@: x}', 'parameters: {p: {@: x}}',
    'resources: {@: x}', 'resources: {a: {@: x}}',
    'resources: {a: {type: Test::Thing, properties: {@: x}}}',
    'outputs: {@: x}', 'outputs: {o: {@: x}}', 'conditions: {@: x}',
    'parameter_groups: [{@: x}]',
    'resources: {a: {type: Test::Thing, properties: {value: '
    '{str_replace: {@: x}}}}}'])
def test_keys_that_are_no_text(refused, key, text):
    refused(VERSION + text.replace('@', key))


@pytest.mark.parametrize('key', ['1', '~', '1.5', 'true', '.inf', '[a]'])
@pytest.mark.parametrize('text', [
    '@: x', 'parameters: {@: x}',
    'resource_registry: {resources: {@: x}}', 'parameter_defaults: [@]',
    'encrypted_param_names: {@: x}', 'event_sinks: [{@: x}]'])
def test_keys_that_are_no_text_in_environments(refused, key, text):
    refused(hot(), environment=text.replace('@', key))


BAD = ['a\0b', '\ud800', 'x\udfff', '\0']


@pytest.mark.parametrize('bad', BAD)
def test_characters_that_cannot_be_stored(refused, bad):
    refused(hot({bad: thing()}))
    refused(hot({'a': thing(value=bad)}))
    refused(hot({'a': thing(value=[{'x': {bad: 1}}])}))
    refused(hot({'a': {'type': bad}}))
    refused(hot(description=bad))
    refused(hot(outputs={bad: {'value': 1}}))
    refused(hot(outputs={'o': {'value': bad}}))
    refused(hot(parameters={bad: {'type': 'string', 'default': 'x'}}))
    refused(hot(parameters={'p': {'type': 'string', 'default': bad}}))
    refused(hot(parameters={'p': {'type': 'string'}}), parameters={'p': bad})
    refused(hot(parameters={'p': {'type': 'json'}}),
            parameters={'p': {bad: bad}})
    refused(hot(), environment={'parameter_defaults': {bad: 1}})
    refused(hot(), files={bad: 'x'})
    refused(hot(), files={'f': bad})
    refused(VERSION + 'description: ' + json.dumps(bad))


@pytest.mark.parametrize('bad', ['a\0b', '\ud800'])
@pytest.mark.parametrize('path', [
    'software_configs', 'software_deployments', 'stacks'])
def test_no_body_holds_what_cannot_be_stored(refused, path, bad):
    raw = json.dumps({'name': 's', 'config': {'deep': [bad]}}).encode()
    assert 'config.deep[0]' in refused.raw(path, raw)
    raw = json.dumps({'name': 's', bad: 1}).encode()
    assert 'NUL' in refused.raw(path, raw)
