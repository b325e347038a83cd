"""Messages about texts that are not templates, as newcomers read them."""
import pytest

from heat.common import environment_format
from heat.common import template_advice
from heat.common import template_format
from heat.engine import template

HOT = 'heat_template_version: 2021-04-16\n'


def error_of(text):
    with pytest.raises(template_format.ParseError) as caught:
        template_format.parse(text)
    return caught.value


@pytest.mark.parametrize(('text', 'words', 'place'), [
    ('resources:\n\ta:\n', 'a tab cannot indent', (3, 1)),
    ('resources:\n  a:\n\t  type: x\n', 'a tab cannot indent', (4, 1)),
    ('resources:\n  a:\n    type: x\n   properties: {}\n',
     'must begin in column 5, as line 4 does', (5, 4)),
    ('resources:\n  a:\n    type: x\n      properties: {}\n',
     'is indented deeper than line 4', (5, 17)),
    ('resources:\n  a:\n    - x\n   - b\n', 'wrong indentation', (5, 4)),
    ('resources:\n  a:\n    type: x\n  - b\n',
     'an item of a list stands among the keys', (5, 3)),
    ('description: Note: this\n',
     'a value that contains a colon followed by a space must be in quotes',
     (2, 18)),
    ('resources:\n  a\n    type: x\n',
     'line 3, above, has no colon followed by a space', (4, 9)),
    ('resources:\n  a:\n    type:OS::Heat::None\n    properties:\n',
     'line 4, above, has no colon followed by a space', (5, 15)),
    ('description:foo\nresources: {}\n',
     'a key must be followed by a colon and a space', (2, 1)),
    ('description: "abc\n',
     'the quotes that open in line 2, column 14, are not closed', (3, 1)),
    ('a: [b, c\nd: {}\n',
     'the bracket in line 2, column 4, is not closed', (3, 2)),
    ('a: {b: c\nd: e\n',
     'the bracket in line 2, column 4, is not closed', (3, 2)),
    ('a: @b\n', 'begins with "@" must be in quotes', (2, 4)),
    ('a: %b\n', 'begins with "%" must be in quotes', (2, 4)),
    ('a: *b\n', 'begins with "*" must be in quotes', (2, 4)),
    ('a: {{ b }}\n', 'begins with a bracket must be in quotes', (2, 5)),
    ('a: "\\d"\n', 'double it, or use single quotes', (2, 5)),
    ("a: 'it's'\n", 'put the whole value in quotes', (2, 8)),
    ('---\nb: 2\n', 'a second document begins here', (2, 1)),
    ('a: >x\n b\n', 'must begin on the next line', (2, 5)),
    ('a: !Ref b\n', 'write the function as a map: {Ref: ...}', (2, 4)),
    ('a: !GetAtt b.c\n', '{Fn::GetAtt: ...}', (2, 4)),
])
def test_the_message_says_what_to_do_and_where(text, words, place):
    error = error_of(HOT + text)
    assert words in str(error)
    assert (error.line, error.column) == place
    assert str(error).endswith('(line %d, column %d)' % place)


@pytest.mark.parametrize('text', [
    'parameters: {size: 3}\n',
    'resource_registry: {A: B}\n',
    'parameters: {size: {}}\nparameter_defaults: {a: 1}\n',
])
def test_an_environment_is_recognised(text):
    error = error_of(text)
    assert 'looks like an environment' in str(error)
    assert (error.line, error.column) == (1, 1)


@pytest.mark.parametrize('text', [
    'resources: {}\n', '', 'parameters: {size: {type: string}}\n',
    'resource_registry: {A: B}\nresources: {}\n'])
def test_without_a_version_the_line_to_write_is_shown(text):
    assert ('Begin the template with the line "heat_template_version: '
            '2021-04-16"') in str(error_of(text))


def test_the_recommended_version_is_the_newest():
    assert template_advice.RECOMMENDED_VERSION == max(
        value for key, value in template.template_classes()
        if key == 'heat_template_version' and value[0].isdigit())


def test_sections_of_environments_are_all_known():
    assert template_advice.ENVIRONMENT_ONLY == (
        {*environment_format.SECTIONS} - {environment_format.PARAMETERS})


def test_messages_quote_nothing_of_the_text():
    for text in ('secret: secret: secret', '\tsecret: 1', 'a: *secret',
                 'secret\nb: c', "a: 'secret's'"):
        assert 'secret' not in str(error_of(HOT + text))
