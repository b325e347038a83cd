"""Explain in plain words why a text is not a template.

Texts may come from addresses that the reader must not see, so no message
quotes them: lines are named by their number.
"""
from collections.abc import Mapping
import re
from typing import Any

from heat.common.i18n import _

#: The version that messages recommend: the newest one with a date.
RECOMMENDED_VERSION = '2021-04-16'

#: Sections that environments have and templates do not.
ENVIRONMENT_ONLY = frozenset((
    'resource_registry', 'parameter_defaults', 'encrypted_param_names',
    'event_sinks', 'parameter_merge_strategies', 'moves'))

_TEMPLATE_ONLY = frozenset((
    'resources', 'outputs', 'conditions', 'parameter_groups', 'Resources',
    'Outputs', 'Parameters', 'Mappings', 'Conditions'))

# A key at the start of a line or of a list item, and what follows it.
_KEY = re.compile(
    r"""(?P<indent>\ *)(?:-\ +)*(?:"[^"]*"|'[^']*'|[^\s#"'-][^#]*?|-\S*?)"""
    r"""\s*:(?:\s+(?P<value>.*))?$""", re.VERBOSE)
#: Longer lines are not examined.
_LONGEST_LINE = 1000


def explain(text: str, exc: Any) -> tuple[str, Any] | None:
    """Return (message, mark) for an error of the YAML parser.

    None if the parser's own words have to do.
    """
    problem = exc.problem or ''
    for part, advise in _ADVICE:
        if part in problem:
            return advise(_Lines(text), exc)
    return None


def missing_version(template: Mapping[Any, Any]) -> str:
    """Return what to do about a template that states no version."""
    if _is_environment(template):
        return _('This looks like an environment. Pass it as the environment '
                 '(openstack stack create -e FILE) and a template as the '
                 'template.')
    return _('Begin the template with the line "heat_template_version: %s".'
             ) % RECOMMENDED_VERSION


def _is_environment(template: Mapping[Any, Any]) -> bool:
    keys = set(template)
    if keys & _TEMPLATE_ONLY:
        return False
    if keys & ENVIRONMENT_ONLY:
        return True
    values = template.get('parameters')
    return isinstance(values, Mapping) and any(
        not isinstance(value, Mapping) for value in values.values())


class _Lines:
    """The lines of a text, each without its comment."""

    def __init__(self, text: str) -> None:
        self._lines = text.split('\n')

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self._lines):
            return ''
        return self._lines[number][:_LONGEST_LINE].rstrip()

    def above(self, number: int) -> int | None:
        """Return the number of the last line with content above another."""
        for each in range(number - 1, -1, -1):
            content = self[each].strip()
            if content and not content.startswith('#'):
                return each
        return None

    def deeper(self, number: int, column: int) -> int | None:
        """Return the next line above that a column falls short of.

        The outermost of those of the same block.
        """
        found = None
        above = self.above(number)
        while above is not None and _indent(self[above]) > column:
            if found is None or _indent(self[above]) <= _indent(self[found]):
                found = above
            above = self.above(above)
        return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(' '))


def _no_token(lines: _Lines, exc: Any) -> tuple[str, Any]:
    mark = exc.problem_mark
    char = lines[mark.line][mark.column:mark.column + 1]
    if lines[mark.line][mark.column:] == '' or char == '\t':
        return _('a tab cannot indent a line in YAML; use spaces'), mark
    return _('a text that begins with "%s" must be in quotes') % char, mark


def _no_mapping_value(lines: _Lines, exc: Any) -> tuple[str, Any]:
    """Explain a colon where no key may stand."""
    mark = exc.problem_mark
    before = lines[mark.line][:mark.column]
    if re.search(r':\s', before):
        return _('a value that contains a colon followed by a space must be '
                 'in quotes'), mark
    above = lines.above(mark.line)
    if above is not None:
        number = above + 1
        if _KEY.fullmatch(lines[above]) is None:
            return _('line %d, above, has no colon followed by a space after '
                     'its key') % number, mark
        if _indent(before) > _indent(lines[above]):
            return _('wrong indentation: the line is indented deeper than '
                     'line %d, which already has a value; begin both in the '
                     'same column') % number, mark
    return _('a key is not possible here; check the indentation, and put a '
             'value that contains a colon in quotes'), mark


def _no_key(lines: _Lines, exc: Any) -> tuple[str, Any]:
    """Explain what is not a key in a map, or not an item in a list."""
    mark = exc.problem_mark
    before = lines[mark.line][:mark.column]
    if before.strip(' -'):
        return _('text follows a value that is complete; put the whole value '
                 'in quotes, and double a quote inside of them'), mark
    deeper = lines.deeper(mark.line, mark.column)
    if lines[mark.line][mark.column:].startswith('- ') and not (
            deeper is not None and lines[deeper].lstrip().startswith('- ')):
        return _('an item of a list stands among the keys of a map; check '
                 'the indentation'), mark
    if deeper is not None:
        return _('wrong indentation: the line must begin in column '
                 '%(column)d, as line %(line)d does, or in the column of an '
                 'outer level') % {'column': _indent(lines[deeper]) + 1,
                                   'line': deeper + 1}, mark
    return _('wrong indentation: the line begins in a column of its own; '
             'lines of one level begin in the same column'), mark


def _no_colon(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    return (_('a key must be followed by a colon and a space'),
            exc.context_mark or exc.problem_mark)


def _no_end(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    start = exc.context_mark
    if start is None:
        return _('the text ends too early'), exc.problem_mark
    return _('the quotes that open in line %(line)d, column %(column)d, '
             'are not closed') % {'line': start.line + 1,
                                  'column': start.column + 1
                                  }, exc.problem_mark


def _no_bracket(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    closing = '"]"' if 'sequence' in (exc.context or '') else '"}"'
    start = exc.context_mark or exc.problem_mark
    return _('a comma or %(closing)s is missing: the bracket in line '
             '%(line)d, column %(column)d, is not closed') % {
                 'closing': closing, 'line': start.line + 1,
                 'column': start.column + 1}, exc.problem_mark


def _no_anchor(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    return _('a text that begins with "*" must be in quotes; without them '
             'it refers to an anchor, and there is none of this name'
             ), exc.problem_mark


def _no_escape(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    return _('a backslash in double quotes begins an escape; double it, or '
             'use single quotes'), exc.problem_mark


def _two_documents(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    return _('a second document begins here; only one is possible, so '
             'remove the line "---"'), exc.problem_mark


def _no_block(_lines: _Lines, exc: Any) -> tuple[str, Any]:
    return _('the text after "|" or ">" must begin on the next line; put a '
             'value that begins with this character in quotes'
             ), exc.problem_mark


# Parts of the messages of libyaml and of PyYAML's own parser.
_ADVICE = (
    ('cannot start any token', _no_token),
    ('mapping values are not allowed', _no_mapping_value),
    ('did not find expected key', _no_key),
    ("did not find expected '-' indicator", _no_key),
    ('expected <block end>', _no_key),
    ("could not find expected ':'", _no_colon),
    ('unexpected end of stream', _no_end),
    ("did not find expected ',' or", _no_bracket),
    ("expected ',' or", _no_bracket),
    ('found undefined alias', _no_anchor),
    ('found unknown escape character', _no_escape),
    ('but found another document', _two_documents),
    ('did not find expected comment or line break', _no_block),
    ('expected chomping or indentation indicators', _no_block),
)
