"""Calls of functions that make texts."""
import hashlib

from heat.engine import function
from tests.unit.conformance import harness

Case = harness.Case
TEXT, NUMBER = harness.Param('text'), harness.Param('number')
LIST, MAP = harness.Param('list'), harness.Param('map')


def replacing(name):
    """Return the cases that all variants of str_replace have."""
    return (
        Case(name, 'args', {'template': 'a b', 'params': {'b': 'c'}}, 'a c'),
        Case(name, 'args', {'template': TEXT, 'params': {'x': TEXT}}, 'x'),
        Case(name, 'args', {'template': 'n', 'params': {'n': NUMBER}}, '5'),
        Case(name, 'result', {'template': 'nfb', 'params': {
            'n': 1, 'f': 1.5, 'b': True}}, '11.5True'),
        Case(name, 'errors.0', 'text'),
        Case(name, 'errors.0', ['a', {'a': 'b'}]),
        Case(name, 'errors.0', None),
        Case(name, 'errors.0', {'template': 'a'}, says='params'),
        Case(name, 'errors.0', {'params': {}}, says='template'),
        Case(name, 'errors.1', {'template': 'a', 'params': ['a']}),
        Case(name, 'errors.1', {'template': 'a', 'params': 'a'}),
        Case(name, 'errors.1', {'template': 'a', 'params': None}),
        Case(name, 'errors.2', {'template': ['a'], 'params': {}}),
        Case(name, 'errors.2', {'template': None, 'params': {}}),
        Case(name, 'errors.2', {'template': NUMBER, 'params': {}}),
        Case(name, 'errors.3', {'template': '1', 'params': {1: 'x'}}),
    )


def strict(name):
    """Return the cases of the variants that want every word used."""
    return (
        Case(name, 'errors.4', {'template': 'a', 'params': {
            'a': 'x', 'b': 'y'}}, says='b'),
        Case(name, 'result', {'template': 'm', 'params': {'m': MAP}},
             '{"k": [{"deep": 1}]}'),
    )


REPLACE = (
    *replacing('str_replace'),
    *replacing('str_replace_strict'),
    *replacing('str_replace_vstrict'),
    *strict('str_replace_strict'),
    *strict('str_replace_vstrict'),
    Case('str_replace', 'result', {'template': 'a', 'params': {'b': 'c'}},
         'a'),
    Case('str_replace', 'order', {'template': 'abc', 'params': {
        'a': '1', 'ab': '2', 'abc': '3'}}, '3'),
    Case('str_replace', 'order', {'template': 'aba', 'params': {
        'ab': 'x', 'ba': 'y'}}, 'xa'),
    Case('str_replace', 'order', {'template': 'a b', 'params': {
        'a': 'b', 'b': 'a'}}, 'b a'),
    Case('str_replace', 'order', {'template': 'a', 'params': {
        'a': 'aa'}}, 'aa'),
    Case('str_replace', 'values.<=2015-04-30', {
        'template': 'stfbn', 'params': {
            's': 'S', 't': 1, 'f': 2.5, 'b': False, 'n': None}},
        'S12.5False'),
    Case('str_replace', 'errors.2', {'template': MAP, 'params': {}}),
    Case('str_replace', 'values.>=2015-10-15', {
        'template': 'm l n', 'params': {
            'm': {'b': 1, 'a': None}, 'l': [1, 'x'], 'n': None}},
        '{"a": null, "b": 1} [1, "x"] '),
    Case('str_replace_strict', 'result', {
        'template': 'n', 'params': {'n': None}}, ''),
    *(Case('str_replace_vstrict', 'errors.5', {
        'template': 'n', 'params': {'n': empty}}, says='n')
      for empty in (None, '', [], {})),
    *(Case('str_replace_vstrict', 'result', {
        'template': 'n', 'params': {'n': value}}, text)
      for value, text in ((0, '0'), (False, 'False'), (' ', ' '))),
    Case('Fn::Replace', 'args', [{'b': 'c'}, 'a b'], 'a c'),
    Case('Fn::Replace', 'args', [{'x': TEXT}, TEXT], 'x'),
    Case('Fn::Replace', 'result', [{}, 'a'], 'a'),
    Case('Fn::Replace', 'values', [{
        's': 'S', 'i': 1, 'f': 2.5, 'b': True, 'n': None}, 'sifbn'],
        'S12.5True'),
    Case('Fn::Replace', 'errors.0', 'a'),
    Case('Fn::Replace', 'errors.0', {'a': 'b', 'c': 'd'}),
    Case('Fn::Replace', 'errors.0', [{'a': 'b'}]),
    Case('Fn::Replace', 'errors.0', [{'a': 'b'}, 'a', 'b']),
    Case('Fn::Replace', 'errors.0', [['a'], 'a']),
    Case('Fn::Replace', 'errors.0', None),
    Case('Fn::Replace', 'errors.1', [{'a': {'b': 1}}, 'a']),
    Case('Fn::Replace', 'errors.1', [{'a': ['b']}, 'a']),
    Case('Fn::Replace', 'errors.1', [{'a': MAP}, 'a']),
)


def joined_strings(name, covers):
    """Return the cases of joining one list of strings."""
    return (
        Case(name, covers, ['-', ['a', 'b']], 'a-b'),
        Case(name, covers, ['', ['a', TEXT]], 'ax'),
        Case(name, covers, [TEXT, LIST], 'axb'),
        Case(name, covers, ['-', []], ''),
    )


JOIN = (
    *joined_strings('list_join', 'args.<=2015-04-30'),
    *joined_strings('list_join', 'args.>=2015-10-15'),
    Case('list_join', 'args.>=2015-10-15', ['-', ['a'], ['b'], LIST],
         'a-b-a-b'),
    Case('list_join', 'items.<=2015-04-30', ['-', ['a', None, 'b']],
         'a--b'),
    Case('list_join', 'items.>=2015-10-15', [
        '-', [{'b': 1, 'a': [None]}, ['x', 2], None, 's']],
        '{"a": [null], "b": 1}-["x", 2]--s'),
    Case('list_join', 'null_list', ['-', None], ''),
    Case('list_join', 'null_list', ['-', None, ['a']], 'a',
         only='>=2015-10-15'),
    Case('list_join', 'result', ['-', ['a']], 'a'),
    Case('list_join', 'errors.0', 'text'),
    Case('list_join', 'errors.0', ['-']),
    Case('list_join', 'errors.0', []),
    Case('list_join', 'errors.0', {'-': ['a'], '+': ['b']}),
    Case('list_join', 'errors.0', None),
    Case('list_join', 'errors.0', ['-', ['a'], ['b']],
         only='<=2015-04-30'),
    Case('list_join', 'errors.1', ['-', 'text']),
    Case('list_join', 'errors.1', ['-', {'a': 1}]),
    Case('list_join', 'errors.1', ['-', 7]),
    Case('list_join', 'errors.1', ['-', ['a'], 'b'], only='>=2015-10-15'),
    Case('list_join', 'errors.2', [7, ['a']]),
    Case('list_join', 'errors.2', [None, ['a', 'b']]),
    Case('list_join', 'errors.2', [['-'], ['a', 'b']]),
    Case('list_join', 'errors.3', ['-', ['a', 1]]),
    Case('list_join', 'errors.3', ['-', ['a', True]]),
    Case('list_join', 'errors.3', ['-', [1.5]]),
    Case('list_join', 'errors.3', ['-', [{'a': 1}]], only='<=2015-04-30'),
    Case('list_join', 'errors.3', ['-', [['a']]], only='<=2015-04-30'),
    *joined_strings('Fn::Join', 'args'),
    Case('Fn::Join', 'null_item', ['-', ['a', None, 'b']], 'a--b'),
    Case('Fn::Join', 'result', ['', ['a', 'b']], 'ab'),
    Case('Fn::Join', 'errors.0', 'text'),
    Case('Fn::Join', 'errors.0', ['-']),
    Case('Fn::Join', 'errors.0', ['-', ['a'], ['b']]),
    Case('Fn::Join', 'errors.0', {'-': ['a'], '+': ['b']}),
    Case('Fn::Join', 'errors.0', None),
    Case('Fn::Join', 'errors.1', ['-', ['a', 1]]),
    Case('Fn::Join', 'errors.1', ['-', ['a', ['b']]]),
    Case('Fn::Join', 'errors.1', ['-', ['a', {'b': 1}]]),
)

SPLIT = (
    Case('str_split', 'args', [',', 'a,b'], ['a', 'b']),
    Case('str_split', 'args', [',', 'a,b', 1], 'b'),
    Case('str_split', 'args', [',', 'a,b', '0'], 'a'),
    Case('str_split', 'args', ['-', TEXT], ['x']),
    Case('str_split', 'args', ['-', 'a-b', {'get_param': 'number'}],
         look=lambda stack, parsed: function.resolve(parsed.args[2]),
         value=5),
    Case('str_split', 'negative_index', [',', 'a,b,c', -1], 'c'),
    Case('str_split', 'null_string', [',', None], None),
    Case('str_split', 'null_string', [',', None, 3], None),
    Case('str_split', 'result', [',', ''], ['']),
    Case('str_split', 'errors.0', 'a,b'),
    Case('str_split', 'errors.0', {',': 'a,b', '-': 'a-b'}),
    Case('str_split', 'errors.0', None),
    Case('str_split', 'errors.1', [',']),
    Case('str_split', 'errors.1', []),
    Case('str_split', 'errors.2', [',', 'a,b', 'x']),
    Case('str_split', 'errors.2', [',', 'a,b', 2], says='1'),
    Case('str_split', 'errors.2', [',', 'a,b', -3]),
    Case('str_split', 'errors.2', [',', 'a,b', ['0']]),
    Case('str_split', 'errors.2', [',', 'a,b', None]),
    Case('Fn::Split', 'args', [',', 'a,b'], ['a', 'b']),
    Case('Fn::Split', 'args', [',', TEXT], ['x']),
    Case('Fn::Split', 'result', [',', ''], ['']),
    Case('Fn::Split', 'errors.0', 'a,b'),
    Case('Fn::Split', 'errors.0', [',']),
    Case('Fn::Split', 'errors.0', [',', 'a', 1]),
    Case('Fn::Split', 'errors.0', [7, 'a']),
    Case('Fn::Split', 'errors.0', None),
    Case('Fn::Split', 'errors.1', [',', ['a']]),
    Case('Fn::Split', 'errors.1', [',', None]),
    Case('Fn::Split', 'errors.1', [',', NUMBER]),
)

DIGEST = (
    *(Case('digest', 'args', [name, 'text'],
           hashlib.new(name, b'text').hexdigest())
      for name in ('md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512')),
    Case('digest', 'args', ['sha256', TEXT],
         hashlib.sha256(b'x').hexdigest()),
    Case('digest', 'algorithms', ['sha3_256', 'text'],
         hashlib.sha3_256(b'text').hexdigest()),
    Case('digest', 'algorithms', ['blake2b', 'text'],
         hashlib.blake2b(b'text').hexdigest()),
    Case('digest', 'encoding', ['sha256', 'gr\xfc\xdfe'],
         hashlib.sha256(b'gr\xfc\xdfe').hexdigest()),
    Case('digest', 'result', ['md5', ''], hashlib.md5(b'').hexdigest()),
    Case('digest', 'errors.0', 'sha256'),
    Case('digest', 'errors.0', {'sha256': 'text', 'md5': 'text'}),
    Case('digest', 'errors.0', None),
    Case('digest', 'errors.0', ['sha256', 7]),
    Case('digest', 'errors.0', ['sha256', ['text']]),
    Case('digest', 'errors.0', ['sha256', None]),
    Case('digest', 'errors.1', ['sha256']),
    Case('digest', 'errors.1', []),
    Case('digest', 'errors.1', ['sha256', 'text', 'more']),
    Case('digest', 'errors.1', ['rot13', 'text'], says='sha256'),
)

URL = (
    Case('make_url', 'args', {
        'scheme': 'https', 'username': 'u', 'password': 'p',
        'host': 'example.com', 'port': 8080, 'path': '/a/b',
        'query': {'k': 'v'}, 'fragment': 'f'},
        'https://u:p@example.com:8080/a/b?k=v#f'),
    Case('make_url', 'args', {}, ''),
    Case('make_url', 'args', {'host': 'h'}, '//h'),
    Case('make_url', 'args', {'host': 'h', 'port': '80'}, '//h:80'),
    Case('make_url', 'args', {'host': TEXT, 'port': NUMBER}, '//x:5'),
    Case('make_url', 'quoting.host', {'host': 'a b'}, '//a%20b'),
    Case('make_url', 'quoting.host', {'scheme': 'http', 'host': '::1'},
         'http://[::1]'),
    Case('make_url', 'quoting.host', {'host': '[::1]', 'port': 1},
         '//[::1]:1'),
    Case('make_url', 'quoting.path,fragment', {
        'path': '/a b/c', 'fragment': '/d e?'}, '/a%20b/c#/d%20e%3F'),
    Case('make_url', 'quoting.query', {'query': {'a b': 'c/d&'}},
         '?a+b=c/d%26'),
    Case('make_url', 'quoting.username,password', {
        'username': 'a/b@c', 'password': ':/', 'host': 'h'},
        '//a%2Fb%40c:%3A%2F@h'),
    Case('make_url', 'result', {'scheme': 'ftp', 'host': 'h',
                                'path': '/p'}, 'ftp://h/p'),
    Case('make_url', 'errors.0', 'http://h'),
    Case('make_url', 'errors.0', ['h']),
    Case('make_url', 'errors.0', None),
    Case('make_url', 'errors.0', {'hots': 'h'}, says='host'),
    Case('make_url', 'errors.1', {'port': 0}),
    Case('make_url', 'errors.1', {'port': 65536}, says='65535'),
    Case('make_url', 'errors.1', {'port': 'http'}),
    Case('make_url', 'errors.1', {'port': [80]}),
    Case('make_url', 'errors.2', {'scheme': 'http:'}),
    Case('make_url', 'errors.3', {'query': 'a=b'}),
    Case('make_url', 'errors.3', {'query': ['a']}),
    *(Case('make_url', 'errors.3', {key: value}, says=key)
      for key in ('scheme', 'username', 'password', 'host', 'path',
                  'fragment') for value in (7, ['a'], {'a': 1})),
)

BASE64 = (
    Case('Fn::Base64', 'args', 'text', 'text'),
    Case('Fn::Base64', 'args', TEXT, 'x'),
    Case('Fn::Base64', 'result', '', ''),
    Case('Fn::Base64', 'errors.0', None),
    Case('Fn::Base64', 'errors.0', ['a']),
    Case('Fn::Base64', 'errors.0', NUMBER),
)

CASES = REPLACE + JOIN + SPLIT + DIGEST + URL + BASE64
