"""Reading and writing the text of templates: YAML, of which JSON is part.

Errors say where in the text they are. The text may come from strangers:
what it can expand to, and how deep it may go, is bounded.
"""
import collections
import json
from typing import Any

import yaml

from heat.common import composed_text
from heat.common import error_text
from heat.common import exception
from heat.common import request_budget
from heat.common import safe_url
from heat.common import template_advice
from heat.common import text_places
from heat.common import yaml_reader
from heat.common.i18n import _

# libyaml's is faster by far; where it is missing, Python's does the same.
_DumperBase: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)

VERSION_KEYS = ('heat_template_version', 'HeatTemplateFormatVersion',
                'AWSTemplateFormatVersion')

MAX_DEPTH = yaml_reader.MAX_DEPTH
MAX_EXPANDED = yaml_reader.MAX_EXPANDED


class yaml_dumper(_DumperBase):  # noqa: N801
    """Writes plain values, mappings in their own order."""

    def represent_ordered_dict(self, data):
        """Write an ordered mapping like any other."""
        return self.represent_mapping('tag:yaml.org,2002:map', data.items())

    def represent_text(self, data):
        """Write a message of ours like any other string."""
        return self.represent_str(data.plain())


yaml_dumper.add_representer(collections.OrderedDict,
                            yaml_dumper.represent_ordered_dict)
# Descriptions are messages.
yaml_dumper.add_representer(composed_text.Text, yaml_dumper.represent_text)


class _NoJson(yaml_reader.TextError):
    """A text is no JSON, but may be YAML."""


class ParseError(ValueError):
    """A text cannot be read; line and column tell where if that is known."""

    def __init__(self, message, cause):
        super().__init__(message)
        self.line = getattr(cause, 'line', None)
        self.column = getattr(cause, 'column', None)


def validate_template_limit(length):
    """Raise RequestLimitExceeded if a template of this length is refused."""
    limit = request_budget.limits().template_length
    if length > limit:
        raise exception.RequestLimitExceeded(
            message=_('the template has %(length)s characters, %(limit)s '
                      'are allowed (max_template_size)')
            % {'length': length, 'limit': limit})


def _levels(value):
    """Yield what is at each depth of a JSON text, counting it.

    A list or map counts as three nodes: it has a key or an item, and takes
    longer than these.
    """
    level = [value]
    while level:
        yield level
        level = [item for item in level if isinstance(item, (dict, list))]
        request_budget.read(3 * len(level))
        level = [item for parent in level for item in (
            parent.values() if isinstance(parent, dict) else parent)]


def count_json(value):
    """Count the lists and maps of a JSON text that has been read.

    :raises Exceeded: the texts of the request have too many.
    """
    for _level in _levels(value):
        pass


def _check_depth(value):
    """Raise ValueError if a value without aliases is nested too deep."""
    for depth, _level in enumerate(_levels(value)):
        if depth > MAX_DEPTH:
            raise yaml_reader.too_deep()


def _finite(text):
    number = float(text)
    if number in (float('inf'), float('-inf')):
        raise yaml_reader.TextError(_('too large a number'))
    return number


def _load_json(text):
    try:
        value = json.loads(text, parse_float=_finite)
    except json.JSONDecodeError as exc:
        raise _NoJson(exc.msg, exc.lineno, exc.colno) from exc
    except RecursionError as exc:
        raise yaml_reader.too_deep() from exc
    except yaml_reader.TextError:
        raise
    except ValueError as exc:
        # Python's own limit, which it explains to programmers.
        raise yaml_reader.TextError(
            _('a number has too many digits')) from exc
    _check_depth(value)
    return value


def _load(text):
    if not text.startswith('{'):
        return yaml_reader.load(text)
    try:
        return _load_json(text)
    except _NoJson as json_error:
        # A mapping in YAML's own notation begins the same way.
        try:
            return yaml_reader.load(text)
        except request_budget.Exceeded:
            raise
        except ValueError:
            raise json_error from None


def simple_parse(tmpl_str, tmpl_url=None):
    """Return the mapping that a YAML or JSON text describes.

    Raises ValueError; of a text that cannot be read it is a ParseError.
    """
    where = '' if tmpl_url is None else ' "%s"' % tmpl_url
    try:
        tmpl = _load(tmpl_str)
    except ValueError as exc:
        raise ParseError(_('Error parsing template%(where)s: %(error)s')
                         % {'where': where, 'error': exc}, exc) from exc
    if tmpl is None:
        tmpl = {}
    # Other texts can have such characters by an escape only.
    if '\\' in tmpl_str or not tmpl_str.isascii():
        _check_characters(tmpl, tmpl_str, where)
    if not isinstance(tmpl, dict):
        raise ValueError(
            _('The template%(where)s is not a JSON object or YAML mapping '
              'but %(kind)s.')
            % {'where': where, 'kind': _kind(tmpl)})
    return tmpl


def _check_characters(tmpl, text, where):
    path = path_of_unstorable(tmpl)
    if path is None:
        return
    place = locate(text, path)
    cause = yaml_reader.TextError('', *(place or ()))
    raise ParseError(
        _('Error parsing template%(where)s: %(path)s holds NUL or an '
          'unpaired surrogate, which no database stores%(place)s')
        % {'where': where, 'path': path_text(path), 'place': cause}, cause)


def path_of_unstorable(value):
    """Return the path to a text that no database stores, None without one.

    These are texts with NUL or an unpaired surrogate in them.
    """
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, str):
            if not is_storable(item):
                return path
        elif isinstance(item, dict):
            for key, below in item.items():
                if isinstance(key, str) and not is_storable(key):
                    return (*path, key)
                if isinstance(below, (str, dict, list)):
                    waiting.append(((*path, key), below))
        elif isinstance(item, list):
            waiting += [((*path, index), below)
                        for index, below in enumerate(item)
                        if isinstance(below, (str, dict, list))]
    return None


def is_storable(text):
    """Return whether databases take a text: no NUL, no lone surrogate."""
    if text.isascii():
        return '\0' not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return '\0' not in text


def path_text(path):
    """Return a path as ASCII text, whatever is in it."""
    text = error_text.path_text(path).encode('ascii', 'backslashreplace')
    return text.decode().replace('\0', '\\x00') or _('It')


def _kind(value):
    if isinstance(value, list):
        return _('a list')
    if isinstance(value, str):
        return _('a text')
    return _('the value %s') % value


def parse(tmpl_str, tmpl_url=None):
    """Return the mapping of a template's text; it must state its version.

    Raises ValueError, or RequestLimitExceeded if the text is too long.
    """
    validate_template_limit(len(tmpl_str))
    tmpl = simple_parse(tmpl_str, tmpl_url)
    if not any(key in tmpl for key in VERSION_KEYS):
        raise ParseError(
            _('The template states no version: one of the sections '
              '%(known)s is needed. %(advice)s') % {
                  'known': ', '.join(VERSION_KEYS),
                  'advice': template_advice.missing_version(tmpl)},
            yaml_reader.TextError('', 1, 1))
    return tmpl


def parse_fetched(text, url):
    """Return the mapping of a text that was fetched, as parse() does.

    Errors tell the place, but do not quote the text: it may be that of
    another service, which the user of the URL must not read.
    """
    try:
        return parse(text, url)
    except ParseError as error:
        place = yaml_reader.TextError('', error.line, error.column)
        raise ParseError(
            _('What is at "%(url)s" is no well-formed template%(place)s')
            % {'url': safe_url.masked(url), 'place': place},
            error) from None


def locate(text, path):
    """Return (line, column) of a path in the text of a template.

    The place of the deepest element that exists; None if even the first
    one does not, or the text cannot be read. To look for several, keep
    text_places.Places of the text.
    """
    return text_places.Places(text).find(path)


def duplicate_keys(text):
    """Return what occurs again in its mapping, and makes the first void.

    Each is a text_places.Duplicate: path, line and column of the later key.
    The language accepts such texts; their authors may want to know.
    """
    return list(text_places.Places(text).duplicates())


def convert_json_to_yaml(json_str):
    """Return a JSON template in YAML, with its keys in the same order."""
    tmpl = json.loads(json_str)
    tmpl.pop('AWSTemplateFormatVersion', None)
    tmpl = {'HeatTemplateFormatVersion': '2012-12-12', **tmpl}
    return yaml.dump(tmpl, Dumper=yaml_dumper, sort_keys=False,
                     default_flow_style=False)
