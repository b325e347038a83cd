import hashlib
import json

from hypothesis import given
from hypothesis import strategies
import pytest

from heat.common import exception
from heat.engine import function
from tests.fakes import definitions

TEXT = strategies.text('abcde %', max_size=12)
WORD = strategies.text('abcde', min_size=1, max_size=3)


def resolved(snippet, version=definitions.LATEST):
    stack = definitions.definition(definitions.hot(version))
    call = stack.t.parse(stack, snippet)
    function.validate(call)
    return function.resolve(call)


def refused(snippet, match=None, version=definitions.LATEST):
    stack = definitions.definition(definitions.hot(version))
    with pytest.raises(exception.StackValidationFailed, match=match):
        function.validate(stack.t.parse(stack, snippet))


# -- str_replace

@pytest.mark.parametrize(('template', 'params', 'result'), [
    ('Hello $name!', {'$name': 'you'}, 'Hello you!'),
    ('a a', {'a': 'b', 'b': 'c'}, 'b b'),
    ('abc', {'ab': '1', 'abc': '2'}, '2'),
    ('abcd', {'ab': '1', 'bcd': '2'}, 'a2'),
    ('abc', {'bc': '1', 'ab': '2'}, '2c'),
    ('x', {'x': None}, ''),
    ('x y z w', {'x': 1, 'y': 2.5, 'z': True, 'w': 'v'}, '1 2.5 True v'),
    ('x', {}, 'x'),
    ('x', {'': 'y'}, 'x'),
    ('', {'x': 'y'}, ''),
])
@pytest.mark.parametrize('version', ['2013-05-23', '2021-04-16'])
def test_str_replace(template, params, result, version):
    assert resolved({'str_replace': {'template': template,
                                     'params': params}}, version) == result


def test_str_replace_with_json():
    snippet = {'str_replace': {'template': 'x-y',
                               'params': {'x': {'b': 1, 'a': [2]},
                                          'y': [1, None]}}}
    assert resolved(snippet) == '{"a": [2], "b": 1}-[1, null]'
    with pytest.raises(TypeError, match='"x"'):
        resolved(snippet, '2015-04-30')


@pytest.mark.parametrize('args', [
    'x', ['x'], None, {'template': 'x'}, {'params': {}}, {},
    {'template': 'x', 'params': 'y'}, {'template': 'x', 'params': ['y']},
    {'template': 'x', 'params': None}])
@pytest.mark.parametrize('name', ['str_replace', 'str_replace_strict',
                                  'str_replace_vstrict'])
def test_str_replace_arguments(name, args):
    refused({name: args}, name)


@pytest.mark.parametrize(('template', 'params'), [
    (1, {}), (None, {}), (['x'], {}), ({'k': 1}, {}), ('x', {1: 'y'})])
def test_str_replace_values(template, params):
    with pytest.raises(TypeError):
        resolved({'str_replace': {'template': template, 'params': params}})


def test_strict_replacement_needs_all_words():
    args = {'template': 'x', 'params': {'x': '1', 'y': '2', 'z': '3'}}
    assert resolved({'str_replace': args}) == '1'
    with pytest.raises(ValueError, match='y, z'):
        resolved({'str_replace_strict': args})
    with pytest.raises(ValueError, match='y, z'):
        resolved({'str_replace_vstrict': args})


@pytest.mark.parametrize('value', [None, '', [], {}])
def test_very_strict_replacement_needs_values(value):
    args = {'template': 'x', 'params': {'x': value}}
    resolved({'str_replace_strict': args})
    with pytest.raises(ValueError, match='"x"'):
        resolved({'str_replace_vstrict': args})


@pytest.mark.parametrize(('value', 'text'), [
    (0, '0'), (False, 'False'), (' ', ' '), ([None], '[null]')])
def test_very_strict_replacement_accepts_other_values(value, text):
    assert resolved({'str_replace_vstrict': {
        'template': 'x', 'params': {'x': value}}}) == text


@given(TEXT, strategies.dictionaries(WORD, TEXT, max_size=4))
def test_one_replaced_word_is_like_str_replace(text, params):
    result = resolved({'str_replace': {'template': text, 'params': params}})
    used = {word: value for word, value in params.items() if word in text}
    if not used:
        assert result == text
    elif len(used) == 1:
        [(word, value)] = used.items()
        assert result == text.replace(word, value)


@given(TEXT, strategies.sets(WORD, max_size=4))
def test_replacing_words_by_themselves_changes_nothing(text, words):
    assert resolved({'str_replace': {
        'template': text, 'params': {w: w for w in words}}}) == text


@given(TEXT, strategies.dictionaries(WORD, TEXT, max_size=4))
def test_order_of_params_does_not_matter(text, params):
    reverse = dict(reversed(params.items()))
    assert (resolved({'str_replace': {'template': text, 'params': params}})
            == resolved({'str_replace': {'template': text,
                                         'params': reverse}}))


def test_texts_do_not_grow_without_end():
    text = 'x'
    for _level in range(40):
        text = {'str_replace': {'template': 'aa', 'params': {'a': text}}}
    with pytest.raises(ValueError, match='more than'):
        resolved(text)


# -- list_join

@pytest.mark.parametrize(('args', 'result'), [
    ([',', ['a', 'b']], 'a,b'),
    (['', ['a', None, 'b']], 'ab'),
    ([',', []], ''),
    ([',', None], ''),
])
@pytest.mark.parametrize('version', ['2013-05-23', '2021-04-16'])
def test_list_join(args, result, version):
    assert resolved({'list_join': args}, version) == result


def test_list_join_of_several_lists():
    assert resolved({'list_join': [
        ',', ['a'], None, [{'y': 1, 'x': [2]}, ['b', 1]]]}) == (
            'a,{"x": [2], "y": 1},["b", 1]')


@pytest.mark.parametrize(('version', 'args', 'at_parse'), [
    ('2013-05-23', [',', ['a'], ['b']], True),
    ('2013-05-23', [','], True),
    ('2013-05-23', 'ab', True),
    ('2013-05-23', {'a': 1}, True),
    ('2021-04-16', [','], True),
    ('2021-04-16', 'ab', True),
    ('2021-04-16', [], True),
    ('2013-05-23', [',', 'ab'], False),
    ('2021-04-16', [',', 'ab'], False),
    ('2021-04-16', [',', {'a': 1}], False),
    ('2013-05-23', [',', [1]], False),
    ('2013-05-23', [',', [{'a': 1}]], False),
    ('2021-04-16', [',', [1]], False),
    ('2021-04-16', [',', [True]], False),
    ('2021-04-16', [1, ['a']], False),
    ('2021-04-16', [None, ['a']], False),
])
def test_list_join_errors(version, args, at_parse):
    if at_parse:
        refused({'list_join': args}, version=version)
    else:
        with pytest.raises(TypeError):
            resolved({'list_join': args}, version)


@given(strategies.lists(strategies.text('ab', min_size=1), min_size=1))
def test_split_undoes_join(items):
    joined = resolved({'list_join': [',', items]})
    assert resolved({'str_split': [',', joined]}) == items


def test_joined_texts_do_not_grow_without_end():
    with pytest.raises(ValueError, match='more than'):
        resolved({'list_join': ['x' * 100000, ['a'] * 100]})


# -- str_split

@pytest.mark.parametrize(('args', 'result'), [
    ([',', 'a,b'], ['a', 'b']),
    ([',', 'a'], ['a']),
    ([',', ''], ['']),
    ([',', 'a,b', 0], 'a'),
    ([',', 'a,b', '1'], 'b'),
    ([',', 'a,b', -1], 'b'),
    ([',', None], None),
    ([',', None, 0], None),
])
def test_str_split(args, result):
    assert resolved({'str_split': args}) == result


@pytest.mark.parametrize(('args', 'error'), [
    ([','], ValueError), ([], ValueError),
    ([',', 'a,b', 2], ValueError), ([',', 'a,b', -3], ValueError),
    ([',', 'a,b', 'x'], ValueError), ([',', 'a,b', None], ValueError),
    (['', 'a'], ValueError), ([',', 1], TypeError), ([1, 'a'], TypeError),
])
def test_str_split_errors(args, error):
    with pytest.raises(error):
        resolved({'str_split': args})


@pytest.mark.parametrize('args', ['a', {'a': 1}, 1])
def test_str_split_arguments(args):
    refused({'str_split': args}, 'must be a list')


# -- digest

@pytest.mark.parametrize('algorithm', ['md5', 'sha1', 'sha256', 'sha512'])
def test_digest(algorithm):
    assert resolved({'digest': [algorithm, 'caf\xe9']}) == hashlib.new(
        algorithm, 'caf\xe9'.encode('latin-1')).hexdigest()


@pytest.mark.parametrize(('args', 'error'), [
    ('md5', TypeError), (['md5', 1], TypeError), ({'a': 'b'}, TypeError),
    (['md5'], ValueError), (['md5', 'a', 'b'], ValueError),
    (['unknown', 'a'], ValueError), (['shake_128', 'a'], ValueError),
    (['md5', '\u20ac'], ValueError),
])
def test_digest_errors(args, error):
    with pytest.raises(error):
        resolved({'digest': args})


# -- make_url

@pytest.mark.parametrize(('args', 'result'), [
    ({}, ''),
    ({'scheme': 'https', 'host': 'example.com'}, 'https://example.com'),
    ({'scheme': 'http', 'host': 'h', 'port': 80, 'path': 'a b/c'},
     'http://h:80/a%20b/c'),
    ({'scheme': 'http', 'host': 'h', 'port': '80', 'path': '/a'},
     'http://h:80/a'),
    ({'scheme': 'http', 'host': '::1', 'port': 80}, 'http://[::1]:80'),
    ({'scheme': 'http', 'host': '[::1]'}, 'http://[::1]'),
    ({'scheme': 'http', 'username': 'u/', 'password': 'p:@', 'host': 'h'},
     'http://u%2F:p%3A%40@h'),
    ({'scheme': 'http', 'username': 'u', 'host': 'h'}, 'http://u@h'),
    ({'scheme': 'http', 'password': 'p', 'host': 'h'}, 'http://:p@h'),
    ({'host': 'h', 'query': {'a': 'x/y z'}, 'fragment': 'f g'},
     '//h?a=x/y+z#f%20g'),
    ({'scheme': 'http', 'host': 'h', 'path': None, 'port': None}, 'http://h'),
    ({'path': '/just/a/path'}, '/just/a/path'),
])
def test_make_url(args, result):
    assert resolved({'make_url': args}) == result


@pytest.mark.parametrize('args', [
    'x', ['x'], {'hots': 'x'}, {'port': 0}, {'port': 65536}, {'port': 'x'},
    {'port': [1]}, {'scheme': 'http:'}, {'query': 'a=b'}, {'host': 1},
    {'username': ['x']}])
def test_make_url_errors(args):
    refused({'make_url': args}, 'make_url')


def test_parts_of_urls_are_checked_when_known():
    snippet = {'make_url': {'port': {'list_join': ['', ['x']]}}}
    with pytest.raises(ValueError, match='port'):
        resolved(snippet)


@given(strategies.dictionaries(
    strategies.text('ab', min_size=1),
    strategies.text('xy/&= \xe9', min_size=1), max_size=3))
def test_json_is_sorted(value):
    text = resolved({'list_join': ['', [value]]})
    assert text == json.dumps(value, sort_keys=True)
