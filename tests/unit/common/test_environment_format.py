"""Environment text: its sections and what is wrong with others."""
import json
import pathlib

import pytest

from heat.common import environment_format
from heat.common import exception
from tests import additions

FACTS = json.loads((pathlib.Path(__file__).parents[2] / 'facts' /
                    'env_file.json').read_text())


def test_sections_are_those_of_the_facts():
    assert list(environment_format.SECTIONS) == [
        *FACTS['sections'], *additions.ENVIRONMENT_SECTIONS]


def test_missing_sections_get_their_defaults():
    env = {}
    environment_format.default_for_missing(env)
    assert env == FACTS['defaults_for_missing']


def test_text_is_read():
    env = environment_format.parse('parameters: {a: 2020-01-01}')
    assert env == {'parameters': {'a': '2020-01-01'}}
    assert environment_format.parse('') == {}


@pytest.mark.parametrize(('text', 'message'), [
    ('parameter: {}', 'unknown section "parameter".*parameters'),
    ('parameters:', '"parameters" of the environment is empty'),
    ('[a]', 'environment is not a JSON object'),
    ('parameters: [', r'parsing environment.*\(line \d, column'),
])
def test_wrong_text_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        environment_format.parse(text)


def test_too_long_a_text_is_refused(conf):
    conf.set(max_template_size=10)
    with pytest.raises(exception.RequestLimitExceeded):
        environment_format.parse('parameters: {}')


def test_new_items():
    sink = {'type': 'zaqar-queue', 'target': 't', 'ttl': [1]}
    same = {'ttl': [1], 'target': 't', 'type': 'zaqar-queue'}
    other = {**sink, 'ttl': [2]}
    assert environment_format.new_items([sink], [same, other, other]) == [
        other]
    assert environment_format.new_items(['a'], ['b', 'a', 'b']) == ['b']
