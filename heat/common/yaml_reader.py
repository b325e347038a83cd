"""Reading YAML: text into nodes that know their place, nodes into values.

libyaml makes the nodes; the values are made here, several times as fast as
PyYAML makes them. What a text may expand to, and how deep it may go, is
bounded, for the text may come from strangers.
"""
import base64
import binascii
from collections.abc import Iterator
from typing import Any

import yaml

from heat.common import request_budget
from heat.common import template_advice
from heat.common.i18n import _

# libyaml's is faster by far; where it is missing, Python's does the same.
_LoaderBase: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

#: How deep a document may be nested.
MAX_DEPTH = 200
#: How many characters a document may have with its aliases written out.
MAX_EXPANDED = 8 * 1024 * 1024
#: How many entries all merge keys of a document together may copy.
MAX_MERGED = 500000
#: How long the text of a number may be. Python reads no longer ones, and
#: some notations take time that grows with the square of it.
MAX_NUMBER = 3000

#: How many nodes are read between two looks at the budget of the request.
_PORTION = 256

_PREFIX = 'tag:yaml.org,2002:'
#: What a scalar without quotes is depends on its text.
_PLAIN = 'plain'
_STR = _PREFIX + 'str'
_MAP = _PREFIX + 'map'
_SEQ = _PREFIX + 'seq'
_MERGE = '<<'
#: The versions whose templates may call functions by tags.
_TAGGED_VERSIONS = frozenset((
    'AWSTemplateFormatVersion', 'HeatTemplateFormatVersion'))
#: The functions that these tags call (AWS CloudFormation User Guide,
#: "Intrinsic function reference").
SHORT_FORMS = {'!Ref': 'Ref', '!Condition': 'Condition'} | {
    f'!{name}': f'Fn::{name}' for name in (
        'And', 'Base64', 'Cidr', 'Contains', 'EachMemberEquals',
        'EachMemberIn', 'Equals', 'FindInMap', 'GetAZs', 'GetAtt', 'If',
        'ImportValue', 'Join', 'Length', 'Not', 'Or', 'RefAll', 'Select',
        'Split', 'Sub', 'ToJsonString', 'Transform', 'ValueOf',
        'ValueOfAll')}


class TextError(ValueError):
    """A text cannot be read; line and column may tell where."""

    def __init__(self, message: str, line: int | None = None,
                 column: int | None = None) -> None:
        self.line = line
        self.column = column
        if line is not None:
            message += _(' (line %(line)s, column %(column)s)') % {
                'line': line, 'column': column}
        super().__init__(message)


def _error(message: str, mark: Any) -> TextError:
    if mark is None:
        return TextError(message)
    return TextError(message, mark.line + 1, mark.column + 1)


def too_deep(mark: Any = None) -> TextError:
    """Return the error of a document that is nested too deep."""
    return _error(_('nested deeper than %s levels') % MAX_DEPTH, mark)


class _Loader(_LoaderBase):
    """Composes nodes whose tags are not resolved before they are needed.

    libyaml composes by recursion in C: too deep a text would take the
    process down. It calls these methods for each node, so they count.
    """

    depth = 0
    uncounted = 0

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Note that a node within another one begins."""
        self.depth += 1
        self._count(1)
        # A scalar within the deepest collection is allowed.
        if self.depth > MAX_DEPTH + 1:
            raise too_deep(parent.start_mark)

    def ascend_resolver(self) -> None:
        """Note that a node ends."""
        self.depth -= 1

    def _count(self, nodes: int) -> None:
        self.uncounted += nodes
        if self.uncounted >= _PORTION:
            self.finish()

    def finish(self) -> None:
        """Count the rest of the nodes towards the budget of the request."""
        nodes, self.uncounted = self.uncounted, 0
        request_budget.read(nodes)

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        """Return the tag of a node that has none."""
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _STR
        # Each step takes three times as long for a collection.
        self._count(2)
        return _MAP if kind is yaml.MappingNode else _SEQ


def compose(text: str) -> Any:
    """Return the root node of a text, None if it is empty.

    Raises TextError.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            loader.finish()
            return node
        finally:
            loader.dispose()
    except UnicodeEncodeError as exc:
        line, column = position(text, exc.start)
        raise TextError(_('an unpaired surrogate, which is no character'),
                        line, column) from exc
    except yaml.reader.ReaderError as exc:
        raise _bad_character(text, exc) from exc
    except yaml.MarkedYAMLError as exc:
        explained = template_advice.explain(text, exc)
        if explained is not None:
            raise _error(*explained) from exc
        parts = [part for part in (exc.context, exc.problem) if part]
        raise _error(', '.join(parts),
                     exc.problem_mark or exc.context_mark) from exc
    except RecursionError as exc:
        raise too_deep() from exc


def _bad_character(text: str, exc: Any) -> TextError:
    """Return the error of a character that YAML does not allow."""
    code = exc.character if isinstance(exc.character, int) else (
        ord(exc.character[:1]))
    index = text.find(chr(code))
    place = position(text, index) if index >= 0 else (None, None)
    return TextError(_('the character U+%04X is not allowed') % code, *place)


def position(text: str, index: int) -> tuple[int, int]:
    """Return (line, column) of an index into a text, both from 1."""
    return (text.count('\n', 0, index) + 1,
            index - text.rfind('\n', 0, index))


def load(text: str) -> Any:
    """Return the value that a text describes; raise TextError.

    What looks like a date stays text. Of entries of a mapping with the same
    key the last one counts.
    """
    node = compose(text)
    if node is None:
        return None
    has_calls = '!' in text and _may_have_calls(node)
    if '*' not in text and not has_calls:
        return _Builder().build(node)
    builder = _AliasBuilder if '*' in text else _Builder
    value = builder(has_calls).build(node)
    # A call by a tag is one level deeper than its node.
    _measure(value, {}, MAX_DEPTH)
    return value


def _may_have_calls(root: Any) -> bool:
    """Return whether tags call functions in the document of a root node."""
    return isinstance(root, yaml.MappingNode) and any(
        isinstance(key, yaml.ScalarNode) and key.value in _TAGGED_VERSIONS
        for key, _value in root.value)


# -- values of scalars ------------------------------------------------------

class _Scalars(yaml.constructor.SafeConstructor,
               yaml.resolver.Resolver):  # type: ignore[misc]
    """PyYAML's constructors of scalars."""

    def __init__(self) -> None:
        yaml.constructor.SafeConstructor.__init__(self)
        yaml.resolver.Resolver.__init__(self)


_scalars = _Scalars()
# No resolver is needed for what begins with another character.
_FIRSTS = frozenset(first for first in _Scalars.yaml_implicit_resolvers
                    if first)


def _plain_value(text: str) -> Any:
    """Return the value of a scalar without quotes."""
    if text and text[0] not in _FIRSTS:
        return text
    kind = _scalars.resolve(yaml.ScalarNode, text, (True, False))
    return _value_of(kind.removeprefix(_PREFIX), text)


def _value_of(kind: str, text: str) -> Any:
    """Return the value that a text has if it is of a kind."""
    read = _READERS.get(kind)
    return text if read is None else read(
        _scalars, yaml.ScalarNode(_PREFIX + kind, text))


def _number(read: Any) -> Any:
    def read_bounded(scalars: Any, node: Any) -> Any:
        if len(node.value) > MAX_NUMBER:
            raise ValueError(_('a number of more than %d digits')
                             % MAX_NUMBER)
        number = read(scalars, node)
        if number in (float('inf'), float('-inf')) and (
                'inf' not in node.value.lower()):
            raise ValueError(_('too large a number'))
        return number
    return read_bounded


def _binary(scalars: Any, node: Any) -> str:
    # What is not text has no place in templates, which are stored as JSON.
    try:
        return base64.b64decode(node.value.encode()).decode()
    except (binascii.Error, UnicodeDecodeError) as exc:
        raise ValueError(_('the data are no text in Base64')) from exc


_READERS = {
    'null': _Scalars.construct_yaml_null,
    'bool': _Scalars.construct_yaml_bool,
    'int': _number(_Scalars.construct_yaml_int),
    'float': _number(_Scalars.construct_yaml_float),
    'binary': _binary,
}
#: Kinds of scalars that are texts to us.
_TEXTS = frozenset(('str', 'timestamp'))


def scalar_value(node: Any) -> Any:
    """Return the value of a scalar node; raise TextError."""
    tag = node.tag
    if tag is _STR:
        return node.value
    kind = tag.removeprefix(_PREFIX)
    try:
        if tag is _PLAIN:
            return _plain_value(node.value)
        if kind in _TEXTS or kind in _READERS:
            return _value_of(kind, node.value)
    except (ValueError, KeyError, IndexError) as exc:
        # The readers of PyYAML expect what its resolver lets through.
        message = (str(exc) if isinstance(exc, ValueError) else
                   _('"%(text)s" is not of the type %(kind)s') % {
                       'text': node.value[:40], 'kind': kind})
        raise _error(message, node.start_mark) from exc
    raise _unknown_tag(node)


def _unknown_tag(node: Any) -> TextError:
    message = (_('the tag %s means nothing here')
               % node.tag.replace(_PREFIX, '!!'))
    if node.tag in SHORT_FORMS:
        message += _('; write the function as a map: {%s: ...}'
                     ) % SHORT_FORMS[node.tag]
    return _error(message, node.start_mark)


# -- values of collections --------------------------------------------------

class _PlainValues(dict[str, Any]):
    """The values of plain scalars by their texts, each found once."""

    def __missing__(self, text: str) -> Any:
        value = self[text] = _plain_value(text)
        return value


class _Builder:
    """Makes values of the nodes of one document.

    :param has_calls: whether the tags in SHORT_FORMS call functions.
    """

    def __init__(self, has_calls: bool = False) -> None:
        self._plain = _PlainValues()
        self._merged = 0
        self._calls = SHORT_FORMS if has_calls else {}

    def build(self, node: Any) -> Any:
        """Return the value of a node."""
        kind = type(node)
        if kind is yaml.ScalarNode:
            tag = node.tag
            if tag is _PLAIN:
                try:
                    return self._plain[node.value]
                except ValueError:
                    return scalar_value(node)
            return node.value if tag is _STR else self._tagged_scalar(node)
        if kind is yaml.MappingNode:
            return (self.mapping(node) if node.tag == _MAP
                    else self._tagged_mapping(node))
        return (self.sequence(node) if node.tag == _SEQ
                else self._tagged_sequence(node))

    def _tagged_scalar(self, node: Any) -> Any:
        return (self._call(node) if node.tag in self._calls
                else scalar_value(node))

    def _call(self, node: Any) -> dict[str, Any]:
        """Return the function call of a node with a tag in SHORT_FORMS."""
        name = self._calls[node.tag]
        if isinstance(node, yaml.MappingNode):
            return {name: self.mapping(node)}
        if isinstance(node, yaml.SequenceNode):
            return {name: self.sequence(node)}
        if name == 'Fn::GetAtt' and '.' in node.value:
            return {name: node.value.split('.', 1)}
        return {name: node.value}

    def sequence(self, node: Any) -> list[Any]:
        """Return the list of a node."""
        build = self.build
        request_budget.check()
        return [build(item) for item in node.value]

    def mapping(self, node: Any) -> dict[Any, Any]:
        """Return the dictionary of a node."""
        build = self.build
        request_budget.check()
        result = {}
        merges = []
        for key_node, value_node in node.value:
            if key_node.value == _MERGE and is_merge(key_node):
                merges.append(value_node)
                continue
            key, value = build(key_node), build(value_node)
            try:
                result[key] = value
            except TypeError as exc:
                raise _error(_('a list or map cannot be a key; a value that '
                               'begins with a bracket must be in quotes'),
                             key_node.start_mark) from exc
        return self._merge(merges, result) if merges else result

    def _merge(self, nodes: list[Any],
               own: dict[Any, Any]) -> dict[Any, Any]:
        """Return a mapping with those of other nodes below it."""
        result: dict[Any, Any] = {}
        for node in nodes:
            # In a list, the first mapping counts most.
            for source in (reversed(node.value) if isinstance(
                    node, yaml.SequenceNode) else [node]):
                if not isinstance(source, yaml.MappingNode):
                    raise _error(_('only maps can be merged'),
                                 source.start_mark)
                values = self.build(source)
                self._merged += len(values)
                if self._merged > MAX_MERGED:
                    raise _error(_('merge keys copy more than %d entries, '
                                   'aliases included') % MAX_MERGED,
                                 source.start_mark)
                result.update(values)
        result.update(own)
        return result

    def _tagged_mapping(self, node: Any) -> Any:
        if node.tag in self._calls:
            return self._call(node)
        if node.tag == _PREFIX + 'set':
            return list(self.mapping(node))
        raise _unknown_tag(node)

    def _tagged_sequence(self, node: Any) -> Any:
        """Return what JSON makes of ordered maps and lists of pairs."""
        if node.tag in self._calls:
            return self._call(node)
        if node.tag not in (_PREFIX + 'omap', _PREFIX + 'pairs'):
            raise _unknown_tag(node)
        for item in node.value:
            if not (isinstance(item, yaml.MappingNode)
                    and len(item.value) == 1):
                raise _error(_('a map with one entry is needed'),
                             item.start_mark)
        return [[self.build(part) for part in item.value[0]]
                for item in node.value]


class _AliasBuilder(_Builder):
    """Makes values of nodes, some of which may occur several times."""

    def __init__(self, has_calls: bool) -> None:
        super().__init__(has_calls)
        self._built: dict[Any, Any] = {}

    def build(self, node: Any) -> Any:
        """Return the value of a node, the same one each time."""
        if type(node) is yaml.ScalarNode:
            return super().build(node)
        if node not in self._built:
            # An alias within what it stands for would go on for ever.
            self._built[node] = _UNFINISHED
            self._built[node] = super().build(node)
        value = self._built[node]
        if value is _UNFINISHED:
            raise too_deep(node.start_mark)
        return value


_UNFINISHED = object()


def _measure(value: Any, sizes: dict[int, tuple[int, int]],
             room: int) -> int:
    """Return the characters of a value, every alias written out.

    :param sizes: size and height of the containers known so far, by id.
    :param room: how many levels may follow.
    """
    if isinstance(value, str):
        return len(value) + 1
    if not isinstance(value, (dict, list)):
        return 8
    known = sizes.get(id(value))
    if known is not None:
        if known[1] > room:
            raise too_deep()
        return known[0]
    if room == 0:
        raise too_deep()
    size = 1
    items: Any = value
    if isinstance(value, dict):
        size += sum(len(key) if isinstance(key, str) else 8 for key in value)
        items = value.values()
    height = 0
    for item in items:
        size += _measure(item, sizes, room - 1)
        if id(item) in sizes:
            height = max(height, sizes[id(item)][1])
    if size > MAX_EXPANDED:
        raise TextError(
            _('more than %s characters when its aliases are expanded')
            % MAX_EXPANDED)
    sizes[id(value)] = (size, height + 1)
    return size


# -- nodes by their keys ----------------------------------------------------

def is_merge(key_node: Any) -> bool:
    """Return whether a key says that other mappings are to be merged."""
    return isinstance(key_node, yaml.ScalarNode) and (
        key_node.tag is _PLAIN and key_node.value == _MERGE
        or key_node.tag == _PREFIX + 'merge')


def entries(node: Any, seen: tuple[Any, ...] = ()
            ) -> Iterator[tuple[Any, Any]]:
    """Yield (key node, value node) of a mapping, those that count first.

    Of several with the same key the first one that comes counts.
    """
    if node in seen:
        return
    merged: list[Any] = []
    for key, value in reversed(node.value):
        if is_merge(key):
            merged += (value.value if isinstance(value, yaml.SequenceNode)
                       else [value])
        else:
            yield key, value
    for each in merged:
        if isinstance(each, yaml.MappingNode):
            yield from entries(each, (*seen, node))
