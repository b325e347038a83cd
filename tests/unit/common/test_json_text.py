"""Reading JSON that is the value of something."""
import pytest

from heat.common import json_text


def test_what_a_text_says():
    assert json_text.loads('{"a": [1, null, "\\u00e9"]}') == {
        'a': [1, None, '\xe9']}


@pytest.mark.parametrize(('text', 'message'), [
    ('{', 'Expecting'), ('[' * 100000, 'nested too deeply'),
    ('{"a":' * 100000, 'nested too deeply'),
    ('{"a": "\\u0000"}', 'a holds NUL'), ('["\\ud800"]', 'surrogate')])
def test_what_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        json_text.loads(text)


@pytest.mark.parametrize(('value', 'other', 'expected'), [
    ({'a': [1, 'x']}, {'a': [1, 'x']}, True), (1, 2, False),
    (1, True, False), (1, 1.0, False), ('1', 1, False),
    ({'a': 1, 'b': 2}, {'b': 2, 'a': 1}, False),
    # There is no text of these.
    (object, object, False)])
def test_values_that_are_alike(value, other, expected):
    assert json_text.are_alike(value, other) is expected
