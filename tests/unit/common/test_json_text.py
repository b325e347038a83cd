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
