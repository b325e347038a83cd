"""Request parameters: texts that stand for other types."""
import pytest

from heat.common import param_utils


@pytest.mark.parametrize(('value', 'expected'), [
    (True, True), ('true', True), ('True', True), ('FALSE', False),
    (False, False)])
def test_bool(value, expected):
    assert param_utils.extract_bool('name', value) is expected


@pytest.mark.parametrize('value', ['yes', 1, '', None])
def test_what_is_no_bool(value):
    with pytest.raises(ValueError, match='"name"'):
        param_utils.extract_bool('name', value)


@pytest.mark.parametrize(('value', 'options', 'expected'), [
    (None, {}, None), (5, {}, 5), ('5', {}, 5), (0, {}, 0), ('0', {}, 0),
    ('-3', {'allow_negative': True}, -3),
])
def test_int(value, options, expected):
    assert param_utils.extract_int('name', value, **options) == expected


@pytest.mark.parametrize(('value', 'options', 'message'), [
    (0, {'allow_zero': False}, 'more than 0'),
    (-1, {}, '0 or more'),
    ('1.5', {}, 'integer'),
    ('abc', {}, 'integer'),
    (True, {}, 'integer'),
    ('abc', {'allow_negative': True}, 'an integer'),
    ('', {}, 'integer'),
])
def test_what_is_no_int(value, options, message):
    with pytest.raises(ValueError, match=message):
        param_utils.extract_int('name', value, **options)


def test_tags():
    assert param_utils.extract_tags('a,b c') == ['a', 'b c']
    assert param_utils.extract_tags('x' * 80) == ['x' * 80]
    assert len(param_utils.extract_tags(','.join('x' * 1000))) == 1000


@pytest.mark.parametrize(('value', 'message'), [
    (['a'], 'divided by commas'), ('a,,b', 'empty'), ('', 'empty'),
    ('x' * 81, '80 characters'),
    (','.join('x' * 1001), '1001 tags, a stack may have 1000')])
def test_wrong_tags(value, message):
    with pytest.raises(ValueError, match=message):
        param_utils.extract_tags(value)


def test_lists():
    assert param_utils.delim_string_to_list(None) is None
    assert param_utils.delim_string_to_list('') == []
    assert param_utils.delim_string_to_list('a,b') == ['a', 'b']


def test_template_type():
    assert param_utils.extract_template_type('HOT') == 'hot'
    with pytest.raises(ValueError, match='cfn, hot'):
        param_utils.extract_template_type('yaml')
