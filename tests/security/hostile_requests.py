"""Strategies of requests that multiply what little they hold.

A request is drawn as a few numbers and words; the body is made of them, so
that hypothesis varies the shape and the size of large bodies cheaply.
"""
import dataclasses
import json
from urllib import parse

from hypothesis import strategies as st

#: What a body may have, as max_json_body_size is.
BODY = 1024 * 1024
VERSION = 'heat_template_version: 2018-08-31\n'

sizes = st.sampled_from([1, 2, 5, 10, 30, 100, 300, 1000, 5000, 20000, 100000])
small = st.sampled_from([1, 2, 3, 5, 8, 12, 20, 50, 100])


@dataclasses.dataclass(frozen=True)
class Request:
    """A request to send."""

    method: str
    path: str
    raw: bytes | None

    def __repr__(self):
        text = f'{self.method} {self.path[:300]}'
        if self.raw is None:
            return text
        try:
            body = _shape(json.loads(self.raw))
        except ValueError:
            body = self.raw[:200]
        return f'{text} ({len(self.raw)} bytes) {body}'


def _shape(value):
    """Return what a large value looks like, its first items only."""
    if isinstance(value, str) and len(value) > 80:
        return f'{value[:80]}... ({len(value)})'
    if isinstance(value, dict):
        shape = {key[:80]: _shape(item)
                 for key, item in list(value.items())[:4]}
        if len(value) > len(shape):
            shape['...'] = len(value)
        return shape
    if isinstance(value, list):
        return [_shape(item) for item in value[:2]] + (
            [f'... ({len(value)})'] if len(value) > 2 else [])
    return value


def _word(number):
    return 'k%d' % number


# -- patterns ---------------------------------------------------------------

ATOMS = st.sampled_from([
    'a', '(a|aa)', '(a+)+', '[a-z]', r'\w', r'\W', r'[^\W\d]', '[Ā-￿]',
    '[\U00010000-\U0010ffff]', '(?=a)', '(?!b)', '(?<=a)', '(a?)', 'a{1,9}',
    r'(\w{1,30})', '(?:a|b)', '(?i:[Ā-￿])', r'\d{1000}', '.*', '(.*)*'])
TAILS = st.sampled_from(['', '$', '*', '+', '{1,1000}', r'\1', '!', '|b'])


@st.composite
def patterns(draw):
    """Return a regular expression of up to 10,000 characters."""
    atom, tail, times = draw(ATOMS), draw(TAILS), draw(sizes)
    depth = draw(small)
    text = (atom * min(times, 10000 // len(atom)))[:10000]
    wrapper = draw(st.sampled_from(['%s', '(%s)', '(?:%s){1,5}', '(%s)*']))
    for _level in range(depth):
        if len(text) > 9900:
            break
        text = wrapper % text
    return draw(st.sampled_from(['', '(?i)', '(?a)'])) + text + tail


# -- values with functions --------------------------------------------------

QUERIES = st.sampled_from([
    '$.data', '1', '$.data.select($)', 'range(%d).len()', '[1]*%d',
    'pow(2,%d)', '$.data.join(",")', 'dict(a=>1)',
    '$.data.where($=~"(a|a)*b")',
    '"a".replace("a","%d")', 'list(range(%d))', '$.a.b(c=>d)',
    'sequence().take(%d)', '$.data.orderBy($)', '[[[1]]]',
    'range(%d).aggregate($1+$2)', '$.data+$.data', 'repeat(1,%d)'])


@st.composite
def queries(draw):
    """Return a yaql function."""
    part, times = draw(QUERIES), draw(sizes)
    if '%d' in part:
        part = part % draw(sizes)
    joint = draw(st.sampled_from(['+', ' and ', ',', '.']))
    text = joint.join([part] * min(times, 20000 // (len(part) + 5) + 1))
    return {'yaql': {'expression': '[%s]' % text if joint == ',' else text,
                     'data': {'get_param': 'list'}}}


LEAVES = st.one_of(
    st.sampled_from([{'get_param': 'long'}, {'get_param': 'list'},
                     {'get_param': 'map'}, {'get_file': 'file'}, 'a' * 99]),
    st.builds(lambda n: 'a' * n, sizes),
    st.builds(lambda c, n: c * (n // 4), st.sampled_from(
        ['\xff', '"', '\u4e00', '\U0001f600']), sizes),
    st.builds(lambda v, n: [v] * min(n, 5000), st.sampled_from(
        [[], {}, 1, '', {'get_param': 'long'}, {'if': ['yes', 1, 2]},
         {'get_attr': ['k0', 'value']}, {'get_resource': 'k0'},
         {'get_param': ['map', 'k0', 0]}]), sizes),
    st.builds(lambda n: list(map(str, range(min(n, 20000)))), sizes),
    st.builds(lambda n: ','.join(['a'] * n), sizes),
    queries())


def _calls(inner):
    return st.one_of(
        st.builds(lambda v, n: {'list_join': ['', [v] * n]}, inner, small),
        st.builds(lambda v, d, n: {'list_join': [d, [v] * n]},
                  inner, inner, small),
        st.builds(lambda v, w: {'str_split': [w, v]}, inner,
                  st.sampled_from(['a', ',', 'aa'])),
        st.builds(lambda v, w, k: {'str_replace': {
            'template': v, 'params': {k: w}}}, inner, inner,
            st.sampled_from(['a', ',', '1', 'aa'])),
        st.builds(lambda t, v, n: {'repeat': {'template': t, 'for_each': {
            f'%{k}%': v for k in range(n)}}}, inner, inner,
            st.sampled_from([1, 2, 3, 4])),
        st.builds(lambda v, n: {'repeat': {
            'template': ['%x%', v], 'for_each': {'%x%': list(map(
                str, range(min(n, 5000))))}}}, inner, sizes),
        st.builds(lambda v, n: {'list_concat': [v] * n}, inner, small),
        st.builds(lambda v, n: {'list_concat_unique': [v] * n}, inner, small),
        st.builds(lambda v, n: {'map_merge': [v] * n}, inner, small),
        st.builds(lambda v, w: {'filter': [v, w]}, inner, inner),
        st.builds(lambda v: {'digest': ['sha512', v]}, inner),
        st.builds(lambda v: {'make_url': {'host': 'h', 'path': v}}, inner),
        st.builds(lambda v: {'map_replace': [v, {'values': {'a': 'b'}}]},
                  inner),
        st.builds(lambda v, n: [v] * n, inner, small),
        st.builds(lambda v, n: {_word(k): v for k in range(n)}, inner, small),
        st.builds(lambda v: {'if': [{'equals': [v, 'a']}, v, v]}, inner))


def _fits(value):
    """Return whether a value is small enough to be written out."""
    left, waiting = BODY // 4, [value]
    while waiting and left > 0:
        item = waiting.pop()
        left -= len(item) if isinstance(item, str) else 8
        if isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list):
            waiting += item
    return left > 0


VALUES = st.recursive(LEAVES, _calls, max_leaves=6).filter(_fits)


# -- parts of requests ------------------------------------------------------
# Each part is a function that adds to a body as much as a number says.

def _section(body, name):
    return body['template'].setdefault(name, {})


@st.composite
def many_resources(draw):
    """Resources with the same definition."""
    definition = draw(st.one_of(
        st.builds(lambda v: {'type': 'OS::Heat::Value',
                             'properties': {'value': v}}, VALUES),
        st.builds(lambda v: {'type': 'OS::Heat::TestResource',
                             'properties': {'value': v}}, VALUES),
        st.builds(lambda v, n: {
            'type': 'OS::Heat::ResourceGroup', 'properties': {
                'count': n, 'resource_def': {
                    'type': 'OS::Heat::Value', 'properties': {'value': v}}}},
            VALUES, small),
        st.builds(lambda v, n: {
            'type': 'OS::Heat::AutoScalingGroup', 'properties': {
                'min_size': n, 'max_size': n, 'desired_capacity': n,
                'resource': {'type': 'OS::Heat::Value',
                             'properties': {'value': v}}}}, VALUES, sizes),
        st.builds(lambda n: {
            'type': 'OS::Heat::ResourceChain', 'properties': {
                'resources': ['OS::Heat::None'] * n}}, small),
        st.builds(lambda name: {'type': name}, st.sampled_from([
            'OS::Heat::None', 'inner.yaml', 'T0', 'OS::Nova::Servr',
            'OS::Nova::Server', 'OS::Neutron::Port']))))
    number = draw(sizes)
    linked = draw(st.sampled_from(['', 'chain', 'all']))
    number = min(number, 100 if linked == 'all' else 1000,
                 BODY // (len(json.dumps(definition)) + 10))

    def add(body, scale):
        resources = _section(body, 'resources')
        for index in range(number // scale + 1):
            each = dict(definition)
            if linked == 'chain' and index:
                each['depends_on'] = _word(index - 1)
            elif linked == 'all':
                each['depends_on'] = [_word(k) for k in range(index)]
            resources[_word(index)] = each
    return add


@st.composite
def many_parameters(draw):
    """Parameters with constraints and values."""
    number, length = draw(sizes), draw(sizes)
    constraint = draw(st.one_of(
        st.just([]),
        st.builds(lambda p: [{'allowed_pattern': p}], patterns()),
        st.builds(lambda n: [{'allowed_values': list(map(str, range(
            min(n, 5000))))}], sizes),
        st.builds(lambda n: [{'length': {'min': 1, 'max': n}}], sizes),
        st.builds(lambda n: [{'range': {'max': n}}] * 20, sizes),
        st.builds(lambda n: [{'modulo': {'step': n, 'offset': 0}}], sizes),
        st.builds(lambda name: [{'custom_constraint': name}], st.sampled_from(
            ['cron_expression', 'net_cidr', 'ip_addr', 'mac_addr', 'timezone',
             'dns_name', 'iso_8601', 'expiration', 'json_string']))))
    kind, word, end = draw(st.sampled_from([
        ('string', 'a', '!'), ('string', '*/1,', '1 * * * *'),
        ('string', 'a.', 'a'), ('string', '[', ']'), ('string', '\xff', ''),
        ('comma_delimited_list', 'a,', 'a'), ('number', '1', '0'),
        ('json', '{"a":', '1'), ('boolean', 't', '')]))
    tags = draw(st.sampled_from([[], ['t']])) * min(length, 1000)

    def add(body, scale):
        parameters = _section(body, 'parameters')
        for index in range(number // scale + 1):
            parameters['p%d' % index] = {
                'type': kind, 'default': word * (length // scale) + end,
                'constraints': constraint}
            if tags:
                parameters['p%d' % index]['tags'] = tags
    return add


@st.composite
def many_outputs(draw):
    """Outputs with the same value."""
    value, number = draw(VALUES), draw(sizes)
    number = min(number, BODY // (len(json.dumps(value)) + 10))

    def add(body, scale):
        for index in range(number // scale + 1):
            _section(body, 'outputs')[_word(index)] = {'value': value}
    return add


@st.composite
def many_conditions(draw):
    """Conditions that refer to one another."""
    number, width = min(draw(sizes), 1000), draw(small)
    operator, part = draw(st.sampled_from(['and', 'or'])), draw(st.one_of(
        st.none(), st.sampled_from([
            {'not': {'contains': ['a', {'get_param': 'list'}]}},
            {'contains': ['b', {'get_param': 'long'}]},
            {'equals': [{'get_param': 'map'}, {'get_param': 'map'}]}]),
        st.builds(lambda v: {'equals': [v, 'a']}, VALUES)))

    def add(body, scale):
        conditions = _section(body, 'conditions')
        if part is not None:
            for index in range(number // scale + 1):
                conditions['d%d' % index] = {operator: [part] * (width + 1)}
            return
        last = number // scale + 1
        for index in range(last):
            conditions['c%d' % index] = {
                'and': ['c%d' % (index + 1)] * (width + 1)}
        conditions['c%d' % last] = True
    return add


@st.composite
def registries(draw):
    """Types mapped to one another, and entries for single resources."""
    number = draw(sizes)
    entry = draw(st.sampled_from([
        ('T%d', 'T%d'), ('T%d*', 'T%d*'), ('T%d*', 'B'), ('%d*', 'x.yaml'),
        ('OS::Nova::Servr%d', 'x%d.yaml')]))
    glob = draw(st.sampled_from(['', '*%d*a*a*a', 'k%d', '[k]*%d?']))

    def add(body, scale):
        registry = body['environment'].setdefault('resource_registry', {})
        for index in range(number // scale + 1):
            name, target = entry
            registry[name % index] = (target % (index + 1) if '%' in target
                                      else target)
            if glob:
                registry.setdefault('resources', {})[glob % index] = {
                    'hooks': 'pre-create'}
    return add


@st.composite
def files(draw):
    """A nested template, and environment files named over and over."""
    line = draw(st.sampled_from([
        '  p%d: {type: string, default: x}\n',
        '  p%d: {type: json, default: {a: [1, 2, 3]}}\n']))
    number, names, entries = draw(sizes), draw(sizes), draw(sizes)
    strategy = draw(st.sampled_from(['overwrite', 'merge', 'deep_merge']))

    def add(body, scale):
        body['files']['inner.yaml'] = (
            VERSION + 'parameters:\n' + ''.join(
                line % k for k in range(number // scale + 1))
            + 'resources: {r: {type: OS::Heat::None}}\n')
        body['files']['env'] = (
            'parameter_merge_strategies: {map: %s}\n' % strategy
            + 'parameter_defaults: {map: {%s}}' % ','.join(
                'k%d: 1' % k for k in range(entries // scale + 1)))
        body['environment_files'] = ['env'] * (names // scale + 1)
    return add


@st.composite
def environments(draw):
    """Values of parameters, strategies to merge them, and tags."""
    number, length = draw(sizes), draw(sizes)
    section = draw(st.sampled_from([
        'parameters', 'parameter_defaults', 'encrypted_param_names',
        'event_sinks', 'parameter_merge_strategies']))
    as_text = draw(st.booleans())

    def add(body, scale):
        environment, many = body['environment'], number // scale + 1
        if section.startswith('parameter_'):
            environment[section] = {
                'p%d' % index: ('deep_merge' if section.endswith('strategies')
                                else ['a'] * min(length, 100))
                for index in range(many)}
        elif section == 'parameters':
            environment[section] = {
                'list': ['a'] * many, 'long': 'a' * (length // scale)}
        else:
            environment[section] = ['p%d' % index for index in range(many)]
        body['tags'] = ','.join('t%d' % index for index in range(many))
        if as_text:
            body['environment_files'] = ['as_text']
            body['files']['as_text'] = json.dumps(environment)
    return add


@st.composite
def nested_templates(draw):
    """Templates of files that refer to one another, with large values."""
    depth, width, value = draw(small), draw(small), draw(VALUES)
    ring = draw(st.booleans())

    def add(body, scale):
        last = depth // scale + 1
        for index in range(last + 1):
            inner = 'x%d.yaml' % (index + 1)
            if index == last:
                inner = 'x0.yaml' if ring else 'OS::Heat::None'
            body['files']['x%d.yaml' % index] = json.dumps({
                'heat_template_version': '2018-08-31',
                'parameters': {'v': {'type': 'json', 'default': {}}},
                'resources': {_word(k): {'type': inner}
                              for k in range(min(width, 1000 // last))}})
        _section(body, 'resources')['nested'] = {
            'type': 'x0.yaml', 'properties': {'v': value}}
    return add


PARTS = st.lists(st.one_of(
    many_resources(), many_parameters(), many_outputs(), many_conditions(),
    registries(), files(), environments(), nested_templates()),
    min_size=1, max_size=3)


def _body(parts, scale):
    body = {'stack_name': 's', 'environment': {}, 'template': {
        'heat_template_version': '2018-08-31', 'parameters': {
            'long': {'type': 'string', 'default': 'a' * (50000 // scale)},
            'list': {'type': 'comma_delimited_list',
                     'default': ','.join(['a'] * (20000 // scale))},
            'map': {'type': 'json', 'default': {
                _word(k): ['a'] for k in range(3000 // scale + 1)}}}},
        'files': {'file': 'x' * (100000 // scale)}}
    body['template']['conditions'] = {'yes': True}
    for part in parts:
        part(body, scale)
    return body


#: By how much parts are made smaller at most.
_SMALLEST = 16384


@st.composite
def stack_requests(draw):
    """A request to preview or validate a stack, as large as may be."""
    parts = draw(PARTS)
    path = draw(st.sampled_from([
        'stacks/preview', 'stacks/preview', 'validate',
        'validate?show_nested=true']))
    # From small to large: the largest would not fit into memory.
    scale, fits = _SMALLEST, b''
    while scale >= 1:
        raw = json.dumps(_body(parts, scale)).encode()
        if len(raw) > BODY:
            break
        fits, scale = raw, scale // 2
    return Request('POST', path, fits or raw[:BODY])


# -- texts and queries ------------------------------------------------------

LINES = st.sampled_from([
    '- a\n', '- a:\n', '- [[]]\n', '- {a: }\n', '- "\\u0041"\n', '- 1.5\n',
    '- 2001-01-01\n', '- !!str a\n', '- &a b\n', '- {<<: {}}\n', '- ? a\n',
    '- |\n  a\n', '#\n', '- 0x1\n', '- 1:1\n', '- ~\n', '- *x\n', '- "a', ']'])


@st.composite
def text_requests(draw):
    """A template or environment that is one long YAML text."""
    line, number = draw(LINES), draw(sizes)
    text = ('x: &x {k: [1]}\na:\n' + line * min(
        number, (BODY // 4) // len(line)))[:500000]
    body = {'stack_name': 's', 'template': VERSION}
    if draw(st.booleans()):
        body['template'] += text
    else:
        body['environment'] = 'parameter_defaults:\n  ' + text
    return Request('POST', draw(st.sampled_from(
        ['stacks/preview', 'validate'])), json.dumps(body).encode()[:BODY])


CFN_VALUES = st.recursive(
    st.one_of(st.sampled_from([{'Ref': 'P'}, 'a' * 99, {'Ref': 'L'}]),
              st.builds(lambda n: 'a,' * n, sizes)),
    lambda inner: st.one_of(
        st.builds(lambda v, n: {'Fn::Join': ['', [v] * n]}, inner, small),
        st.builds(lambda v, n: {'Fn::Select': [n, v]}, inner, small),
        st.builds(lambda v: {'Fn::Split': [',', v]}, inner),
        st.builds(lambda v: {'Fn::Base64': v}, inner),
        st.builds(lambda v, w: {'Fn::Replace': [{'a': w}, v]}, inner, inner),
        st.builds(lambda v: {'Fn::If': ['C', v, v]}, inner),
        st.builds(lambda v: {'Fn::MemberListToMap': ['k', 'v', v]}, inner),
        st.builds(lambda v: {'Fn::FindInMap': ['M', 'a', v]}, inner)),
    max_leaves=8).filter(_fits)


@st.composite
def cfn_requests(draw):
    """A template in the format of CloudFormation, with its functions."""
    value, number, entries = draw(CFN_VALUES), draw(sizes), draw(sizes)
    number = min(number, 1 + BODY // (2 * (len(json.dumps(value)) + 60)))
    body = {'stack_name': 's', 'template': {
        'HeatTemplateFormatVersion': '2016-10-14',
        'Parameters': {
            'P': {'Type': 'String', 'Default': 'a' * 50000},
            'L': {'Type': 'CommaDelimitedList', 'Default': 'a,' * 20000}},
        'Conditions': {'C': {'Fn::Equals': [value, 'a']}},
        'Mappings': {'M': {'a': {
            _word(k): 'v' for k in range(min(entries, 5000))}}},
        'Outputs': {_word(k): {'Value': value} for k in range(number)}}}
    return Request('POST', draw(st.sampled_from(
        ['stacks/preview', 'validate'])), json.dumps(body).encode()[:BODY])


@st.composite
def config_requests(draw):
    """A software configuration with many inputs or a large text."""
    number, length = min(draw(sizes), 10000), draw(sizes)
    body = {'name': 'a' * min(length, 255), 'group': 'script',
            'config': draw(st.sampled_from(['a', '\xff', '\n'])) * length,
            'inputs': [{'name': _word(k), 'type': 'String', 'default': 'a'}
                       for k in range(number)],
            'options': dict.fromkeys(map(_word, range(number)), 1)}
    return Request('POST', 'software_configs',
                   json.dumps(body).encode()[:BODY])


@st.composite
def get_requests(draw):
    """A request that looks for something."""
    path, key = draw(st.sampled_from([
        ('resource_types', 'name'), ('stacks', 'tags'), ('stacks', 'name'),
        ('stacks', 'sort_keys'), ('template_versions', 'x'),
        ('stacks', 'not_tags_any'), ('stacks', 'marker'), ('stacks', 'limit'),
        ('stacks', 'id'), ('stacks', 'status'), ('stacks', 'sort_dir'),
        ('stacks', 'username'), ('software_configs', 'marker'),
        ('software_deployments', 'server_id'),
        ('stacks/s/events', 'resource_action'),
        ('stacks/s/resources', 'type'),
        ('resource_types/OS::Nova::Server/template', 'template_type')]))
    value = draw(st.one_of(
        patterns(), st.builds(lambda n: 'a,' * n, sizes)))
    # The longest line of a request that the server reads.
    return Request('GET', '%s?%s' % (
        path, parse.urlencode({key: value})[:8000]), None)


REQUESTS = st.one_of(stack_requests(), stack_requests(), stack_requests(),
                     stack_requests(), text_requests(), get_requests(),
                     cfn_requests(), config_requests())
