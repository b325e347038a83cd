"""Reading and writing the text of templates: YAML, of which JSON is part.

Errors say where in the text they are. The text may come from strangers:
what it can expand to, and how deep it may go, is bounded.
"""
import collections
import json
from typing import Any

from oslo_config import cfg
import yaml

from heat.common import error_text
from heat.common import exception
from heat.common.i18n import _

# libyaml's are faster by far; where it is missing, Python's do the same.
_DumperBase: Any = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)
_LoaderBase: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

VERSION_KEYS = ('heat_template_version', 'HeatTemplateFormatVersion',
                'AWSTemplateFormatVersion')

#: How deep a document may be nested.
MAX_DEPTH = 200
#: How many characters a document may have with its aliases written out.
MAX_EXPANDED = 8 * 1024 * 1024


class _Loader(_LoaderBase):
    """Loads plain values; what looks like a date stays text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag != 'tag:yaml.org,2002:timestamp']
    for first, resolvers in _LoaderBase.yaml_implicit_resolvers.items()}
for _tag in ('str', 'timestamp'):
    _Loader.add_constructor('tag:yaml.org,2002:' + _tag,
                            lambda loader, node: node.value)


class yaml_dumper(_DumperBase):  # noqa: N801
    """Writes plain values, mappings in their own order."""

    def represent_ordered_dict(self, data):
        """Write an ordered mapping like any other."""
        return self.represent_mapping('tag:yaml.org,2002:map', data.items())


yaml_dumper.add_representer(collections.OrderedDict,
                            yaml_dumper.represent_ordered_dict)


def validate_template_limit(length):
    """Raise RequestLimitExceeded if a template of this length is refused."""
    limit = cfg.CONF.max_template_size
    if length > limit:
        raise exception.RequestLimitExceeded(
            message=_('the template has %(length)s characters, %(limit)s '
                      'are allowed (max_template_size)')
            % {'length': length, 'limit': limit})


def _place(line, column):
    return _(' (line %(line)s, column %(column)s)') % {
        'line': line, 'column': column}


def _yaml_error(exc):
    """Return one line of text for an error of the YAML parser."""
    mark = getattr(exc, 'problem_mark', None) or getattr(
        exc, 'context_mark', None)
    if mark is None:
        return ' '.join(str(exc).split())
    parts = [part for part in (getattr(exc, 'context', None),
                               getattr(exc, 'problem', None)) if part]
    return ', '.join(parts) + _place(mark.line + 1, mark.column + 1)


def _survey(text):
    """Return whether the text has aliases; raise if it is too deep.

    libyaml composes by recursion in C: too deep a text would take the
    process down. Its events come one by one, and cost little.
    """
    depth = 0
    aliases = False
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                mark = event.start_mark
                raise _too_deep(_place(mark.line + 1, mark.column + 1))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases = True
    return aliases


def _too_deep(place=''):
    return ValueError(_('nested deeper than %s levels') % MAX_DEPTH + place)


def _measure(value, sizes, room):
    """Return the characters of a value, every alias written out.

    :param sizes: the sizes of the containers known so far, by id.
    :param room: how many levels may follow; recursion by way of an alias
                 runs out of it, too.
    """
    if isinstance(value, str):
        return len(value) + 1
    if not isinstance(value, (dict, list)):
        return 8
    known = sizes.get(id(value))
    if known is not None:
        size, height = known
        if height > room:
            raise _too_deep()
        return size
    if room == 0:
        raise _too_deep()
    size = 1
    items = value
    if isinstance(value, dict):
        size += sum(len(key) if isinstance(key, str) else 8 for key in value)
        items = value.values()
    height = 0
    for item in items:
        size += _measure(item, sizes, room - 1)
        if id(item) in sizes:
            height = max(height, sizes[id(item)][1])
    if size > MAX_EXPANDED:
        raise ValueError(
            _('more than %s characters when its aliases are expanded')
            % MAX_EXPANDED)
    sizes[id(value)] = (size, height + 1)
    return size


def _load_json(text):
    try:
        value = json.loads(text)
    except json.JSONDecodeError as exc:
        raise ValueError(exc.msg + _place(exc.lineno, exc.colno)) from exc
    except RecursionError as exc:
        raise _too_deep() from exc
    _measure(value, {}, MAX_DEPTH)
    return value


def _load_yaml(text):
    try:
        aliases = _survey(text)
        value = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as exc:
        raise ValueError(_yaml_error(exc)) from exc
    if aliases:
        _measure(value, {}, MAX_DEPTH)
    return value


def _load(text):
    if not text.startswith('{'):
        return _load_yaml(text)
    try:
        return _load_json(text)
    except ValueError as json_error:
        # A mapping in YAML's own notation begins the same way.
        try:
            return _load_yaml(text)
        except ValueError:
            raise json_error from None


def simple_parse(tmpl_str, tmpl_url=None):
    """Return the mapping that a YAML or JSON text describes.

    Raises ValueError, with line and column where they are known.
    """
    where = '' if tmpl_url is None else ' "%s"' % tmpl_url
    try:
        tmpl = _load(tmpl_str)
    except ValueError as exc:
        raise ValueError(_('Error parsing template%(where)s: %(error)s')
                         % {'where': where, 'error': exc}) from exc
    if tmpl is None:
        tmpl = {}
    if not isinstance(tmpl, dict):
        raise ValueError(
            _('The template%(where)s is not a JSON object or YAML mapping '
              'but %(kind)s.')
            % {'where': where, 'kind': _kind(tmpl)})
    return tmpl


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
        raise ValueError(
            _('The template states no version: one of the sections %s is '
              'needed.') % ', '.join(VERSION_KEYS))
    return tmpl


def _key_text(node):
    """Return a key as it is after a way through JSON, None for no text."""
    if not isinstance(node, yaml.ScalarNode):
        return None
    if node.tag == 'tag:yaml.org,2002:str':
        return node.value
    value = _Loader('').construct_object(node)
    return value if isinstance(value, str) else json.dumps(value)


def _entries(node, seen=()):
    """Yield (key node, value node) of a mapping, what it merges last.

    Of two entries with the same key the later one counts, as in parsing.
    """
    if node in seen:
        return
    merged = []
    for key, value in reversed(node.value):
        if key.tag == 'tag:yaml.org,2002:merge':
            merged += (value.value if isinstance(value, yaml.SequenceNode)
                       else [value])
        else:
            yield key, value
    for each in merged:
        if isinstance(each, yaml.MappingNode):
            yield from _entries(each, (*seen, node))


def _child(node, step):
    """Return (node that is marked, node that is entered), or None."""
    if isinstance(node, yaml.MappingNode):
        wanted = str(step)
        return next((entry for entry in _entries(node)
                     if _key_text(entry[0]) == wanted), None)
    if isinstance(node, yaml.SequenceNode) and str(step).isdigit():
        if int(step) < len(node.value):
            item = node.value[int(step)]
            return item, item
    return None


def locate(text, path):
    """Return (line, column) of a path in the text of a template.

    The place of the deepest element that exists; None if even the first
    one does not, or the text cannot be read. The text is parsed anew, so
    ask only when there is an error to report.
    """
    try:
        _survey(text)
        node = yaml.compose(text, Loader=_Loader)
    except (ValueError, yaml.YAMLError):
        return None
    mark = None
    steps = list(reversed(path))
    while steps:
        step = steps.pop()
        found = _child(node, step)
        if found is not None:
            mark, node = found[0].start_mark, found[1]
            continue
        parts = error_text.steps_of(str(step))
        if len(parts) < 2:
            break
        # An element like a[0] is two.
        steps += reversed(parts)
    return None if mark is None else (mark.line + 1, mark.column + 1)


def convert_json_to_yaml(json_str):
    """Return a JSON template in YAML, with its keys in the same order."""
    tmpl = json.loads(json_str)
    tmpl.pop('AWSTemplateFormatVersion', None)
    tmpl = {'HeatTemplateFormatVersion': '2012-12-12', **tmpl}
    return yaml.dump(tmpl, Dumper=yaml_dumper, sort_keys=False,
                     default_flow_style=False)
