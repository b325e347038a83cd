"""English texts can be translated after they have been composed."""
import copy
import json
import pickle

import pytest
import yaml

from heat.common import composed_text
from heat.common import template_format
from heat.common.composed_text import Text

CATALOGUE = {'no %s': 'kein %s', 'a list': 'eine Liste', 'at %(a)s': 'bei '
             '%(a)s', '%(a)s of %(b)s': '%(b)s: %(a)s', 'got %r': 'ist %r',
             '%d of them': '%d davon', 'twice %s': 'doppelt %s %s'}


def german(text):
    """Return the translation, as catalogues do."""
    return CATALOGUE.get(text, text)


def carried(text):
    """Return a text after a journey as JSON."""
    return composed_text.from_data(
        text + '', json.loads(json.dumps(text.as_data())))


@pytest.mark.parametrize(('text', 'english', 'translated'), [
    (Text('a list'), 'a list', 'eine Liste'),
    (Text('no %s') % 'x', 'no x', 'kein x'),
    (Text('no %s') % Text('a list'), 'no a list', 'kein eine Liste'),
    # Only what is marked as a message is one.
    (Text('no %s') % 'a list', 'no a list', 'kein a list'),
    (Text('%(a)s of %(b)s') % {'a': 1, 'b': Text('a list'), 'c': object()},
     '1 of a list', 'eine Liste: 1'),
    (Text('%d of them') % 3, '3 of them', '3 davon'),
    (Text('no %s') % [1], 'no [1]', 'kein [1]'),
    (Text('no %s') % (None,), 'no None', 'kein None'),
    (Text('got %r') % 'x', "got 'x'", "ist 'x'"),
    (Text('got %r') % ({'a': 'b'},), "got {'a': 'b'}", "ist {'a': 'b'}"),
    (Text('no %s') % 'x' + Text('at %(a)s') % {'a': 'y'}, 'no xat y',
     'kein xbei y'),
    ('x ' + Text('a list') + '', 'x a list', 'x eine Liste'),
    (composed_text.joined(': 100%, ', ['p', Text('a list')]),
     'p: 100%, a list', 'p: 100%, eine Liste')])
def test_texts_are_translated_later(text, english, translated):
    assert text == english
    assert f'{text}' == english
    assert text.translated(german) == translated
    arrived = carried(text)
    assert arrived == english
    assert arrived.translated(german) == translated


def test_a_text_survives_an_error_and_a_copy():
    text = Text('no %s') % 'x'
    for other in (str(ValueError(text)), copy.deepcopy(text),
                  pickle.loads(pickle.dumps(text))):
        assert other.translated(german) == 'kein x'


def test_what_cannot_be_translated_is_english():
    class Number:
        def __int__(self):
            return 3

        __index__ = __int__

    assert type(Text('%x') % Number()) is str
    assert type(Text('no %s') % ('x' * 5000)) is str
    # What is formatted twice is no message any more.
    assert type(Text('%s %%s') % 'x' % 'y') is str
    # The translation does not suit the values.
    assert (Text('twice %s') % 'x').translated(german) == 'twice x'
    assert (Text('unknown %s') % 'x').translated(german) == 'unknown x'


@pytest.mark.parametrize('data', [
    None, 1, 'xy', [], [1, None], ['no %s'], ['no %s', 1], ['no %s', [[]]],
    ['no %s', [{}], 'more']])
def test_data_that_is_not_understood_leaves_the_text(data):
    assert str(composed_text.from_data('no x', data)) == 'no x'


def test_mistakes_are_those_of_strings():
    with pytest.raises(TypeError):
        Text('no %s') % ()
    with pytest.raises(KeyError):
        Text('at %(a)s') % {}
    with pytest.raises(TypeError):
        Text('a') + 1
    with pytest.raises(TypeError):
        1 + Text('a')


def test_texts_are_written_like_strings():
    text = Text('no %s') % 'x'
    assert json.dumps({text: text}) == '{"no x": "no x"}'
    assert yaml.dump([text], Dumper=template_format.yaml_dumper) == (
        '- no x\n')


def test_arguments_are_restored():
    values = {'a': Text('no %s') % 'x', 'b': 'no y'}
    composed = json.loads(json.dumps(dict(composed_text.parts_of(values))))
    assert list(composed) == ['a']
    found = composed_text.restored({
        'a': 'no x', 'b': 'no y', composed_text.COMPOSED: composed})
    assert found == values
    assert found['a'].translated(german) == 'kein x'
    assert composed_text.restored({'a': 1, composed_text.COMPOSED: {
        'a': ['no %s', ['x']]}}) == {'a': 1}
