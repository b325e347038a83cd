"""Where in a text of YAML or JSON something is.

Nothing of this is done while a text is parsed for its values: who wants to
report an error makes Places of the same text then.
"""
from collections.abc import Iterator, Sequence
import json
import re
from typing import Any, NamedTuple

import yaml

from heat.common import error_text
from heat.common import request_budget
from heat.common import yaml_reader

_SPACE = re.compile(r'[ \t\n\r]*')
_SCALAR = re.compile(r'[^\s,:\[\]{}"]+')
_STR = 'tag:yaml.org,2002:str'
#: The tags that call functions, by the names of the functions.
_CALLS = {name: tag for tag, name in yaml_reader.SHORT_FORMS.items()}


def as_written(text: Any) -> str | None:
    """Return the text of a file as its author wrote it, or None.

    Clients send the files that they have parsed as one line of JSON, in
    which no position helps.
    """
    if not isinstance(text, str) or (text.startswith('{') and
                                     '\n' not in text):
        return None
    return text


class Duplicate(NamedTuple):
    """A key that occurs again in the same mapping, so that it counts."""

    path: tuple[Any, ...]
    line: int
    column: int


class Places:
    """The places of all that a text describes; the text is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = False
        self._node: Any = None
        self._ends: dict[tuple[int, int], tuple[int, int]] | None = None
        #: By the id of a mapping's node, its entries by their keys.
        self._entries: dict[int, dict[str | None, tuple[Any, Any]]] = {}

    def find(self, path: Sequence[Any]) -> tuple[int, int] | None:
        """Return (line, column) of the deepest element of a path.

        None if even the first one does not exist, or the text cannot be
        read.
        """
        node, mark = self.root(), None
        steps = list(reversed(path))
        while steps:
            step = steps.pop()
            found = self._child(node, step)
            if found is not None:
                mark, node = found[0].start_mark, found[1]
                continue
            parts = error_text.steps_of(str(step))
            if len(parts) < 2:
                break
            # An element like a[0] is two.
            steps += reversed(parts)
        return None if mark is None else self._position(mark)

    def duplicates(self) -> Iterator[Duplicate]:
        """Yield all keys that make an earlier one of their mapping void."""
        for path, node in _mappings(self.root()):
            seen = set()
            for key, _value in node.value:
                text = key_text(key)
                if text is None or yaml_reader.is_merge(key):
                    continue
                if text in seen:
                    yield Duplicate((*path, text),
                                    *self._position(key.start_mark))
                seen.add(text)

    def end(self, line: int, column: int) -> tuple[int, int]:
        """Return where the element that begins at a place ends.

        The column is the one after its last character. One character, if
        nothing begins there.
        """
        if self._ends is None:
            self._ends = {self._position(node.start_mark):
                          self._position(_end_mark(node))
                          for node in _nodes(self.root())}
        return self._ends.get((line, column), (line, column + 1))

    def root(self) -> Any:
        """Return the root node, None if the text cannot be read."""
        if not self._read:
            self._read = True
            self._node = _composed(self._text)
        return self._node

    def _child(self, node: Any, step: Any) -> Any:
        """Return (node that is marked, node that is entered), or None."""
        if step in _CALLS and _CALLS[step] == getattr(node, 'tag', None):
            return node, node
        if isinstance(node, yaml.MappingNode):
            return self._entries_of(node).get(str(step))
        if isinstance(node, yaml.SequenceNode) and str(step).isdecimal():
            # NOTE: int() refuses what has too many digits.
            if len(str(step)) < 20 and int(step) < len(node.value):
                item = node.value[int(step)]
                return item, item
        return None

    def _entries_of(self, node: Any) -> dict[str | None, tuple[Any, Any]]:
        """Return the entries of a mapping, the first one of each key.

        Fifty problems may lie in one mapping of many thousand keys.
        """
        entries = self._entries.get(id(node))
        if entries is None:
            entries = {}
            for entry in yaml_reader.entries(node):
                entries.setdefault(key_text(entry[0]), entry)
            self._entries[id(node)] = entries
        return entries

    def _position(self, mark: Any) -> tuple[int, int]:
        if isinstance(mark, int):
            return yaml_reader.position(self._text, mark)
        return mark.line + 1, mark.column + 1


def _composed(text: str) -> Any:
    if text.lstrip().startswith(('{', '[')):
        # Not all JSON is YAML: tabs, long keys and pairs of surrogates.
        try:
            return _JsonComposer(text).compose()
        except (ValueError, IndexError):
            pass
    try:
        return yaml_reader.compose(text)
    except ValueError:
        return None


def key_text(node: Any) -> str | None:
    """Return a key as it is after a way through JSON, None for no text."""
    if not isinstance(node, yaml.ScalarNode):
        return None
    try:
        value = yaml_reader.scalar_value(node)
    except ValueError:
        return node.value
    return value if isinstance(value, str) else json.dumps(value)


def _mappings(root: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield (path, node) of all mappings, each once, in their order."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), root)]
    seen = set()
    while waiting:
        path, node = waiting.pop()
        if isinstance(node, yaml.CollectionNode):
            if node in seen:
                continue
            seen.add(node)
        if isinstance(node, yaml.MappingNode):
            yield path, node
            waiting += [((*path, key_text(key)), value)
                        for key, value in reversed(node.value)]
        elif isinstance(node, yaml.SequenceNode):
            waiting += [((*path, index), item) for index, item in
                        reversed(list(enumerate(node.value)))]


def _nodes(root: Any) -> Iterator[Any]:
    """Yield all nodes, each once, outer ones before inner ones."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            waiting += [part for entry in reversed(node.value)
                        for part in reversed(entry)]
        elif isinstance(node, yaml.SequenceNode):
            waiting += reversed(node.value)


def _end_mark(node: Any) -> Any:
    """Return the end of a node; a block ends where its last scalar does.

    The parser ends a block where the next one begins.
    """
    while isinstance(node, yaml.CollectionNode) and (
            node.value and node.flow_style is False):
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node.end_mark


class _JsonComposer:
    """Makes nodes of a JSON text; their marks are indices into the text.

    Raises ValueError or IndexError if the text is no JSON, or too deep.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # Marks of PyYAML are of another type.
        self._index: Any = 0

    def compose(self) -> Any:
        """Return the root node."""
        node = self._value(0)
        if self._next():
            raise ValueError('more text')
        return node

    def _next(self) -> str:
        """Skip white space; return the next character, '' at the end."""
        found = _SPACE.match(self._text, self._index)
        assert found is not None
        self._index = found.end()
        return self._text[self._index:self._index + 1]

    def _expect(self, wanted: str) -> str:
        char = self._next()
        if not char or char not in wanted:
            raise ValueError(char)
        self._index += 1
        return char

    def _value(self, depth: int) -> Any:
        if depth > yaml_reader.MAX_DEPTH + 1:
            raise ValueError('too deep')
        request_budget.read(1)
        char = self._next()
        if char == '{':
            return self._object(depth)
        if char == '[':
            return self._array(depth)
        if char == '"':
            return self._string()
        found = _SCALAR.match(self._text, self._index)
        if found is None:
            raise ValueError(char)
        start, self._index = self._index, found.end()
        return yaml.ScalarNode('', found.group(), start, self._index)

    def _string(self) -> Any:
        start = self._index
        value, self._index = json.decoder.scanstring(  # type: ignore
            self._text, start + 1, False)
        return yaml.ScalarNode(_STR, value, start, self._index, style='"')

    def _object(self, depth: int) -> Any:
        node = yaml.MappingNode('', [], self._index)
        self._index += 1
        if self._next() == '}':
            self._index += 1
            node.end_mark = self._index
            return node
        while True:
            if self._next() != '"':
                raise ValueError('no key')
            key = self._string()
            self._expect(':')
            node.value.append((key, self._value(depth + 1)))
            if self._expect(',}') == '}':
                node.end_mark = self._index
                return node

    def _array(self, depth: int) -> Any:
        node = yaml.SequenceNode('', [], self._index)
        self._index += 1
        if self._next() == ']':
            self._index += 1
            node.end_mark = self._index
            return node
        while True:
            node.value.append(self._value(depth + 1))
            if self._expect(',]') == ']':
                node.end_mark = self._index
                return node
