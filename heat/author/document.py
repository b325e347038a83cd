"""The text of a template as a tree that keeps what parsing throws away.

Comments, blank lines, anchors and the way scalars were written stay with
the entry they belong to, so that an entry can be moved together with them.
"""
import bisect
from collections.abc import Iterator
import dataclasses
import json
import re
from typing import Any

import yaml

from heat.common import template_format

# libyaml's is faster by far; where it is missing, Python's does the same.
_LOADER: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
# Between scalars only names of anchors and tags may hold the sign.
_COMMENT = re.compile(r'(?:^|(?<=[\s,:?\[\]{}-]))#[^\n]*')
_BEHIND = re.compile(r'#[^\n]*')
_MARKS = re.compile(r'[&!]\S*\s*(?:[&!]\S*\s*|#[^\n]*\n\s*)*')
_BLOCK_HEADER = re.compile(r'[|>][-+0-9]*[ \t]*(#[^\n\r]*)?')
#: YAML reads a key on its own only so far.
MAX_KEY = 1000


class Unsupported(ValueError):
    """The text is YAML, but nothing a template could be."""


@dataclasses.dataclass(slots=True, eq=False)
class Scalar:
    """A value without parts; style is that of YAML, raw how it stood."""

    value: str
    style: str | None = None
    raw: str = ''
    tag: str | None = None
    anchor: str | None = None


@dataclasses.dataclass(slots=True, eq=False)
class Alias:
    """A reference to what bears an anchor."""

    name: str


@dataclasses.dataclass(slots=True, eq=False)
class Entry:
    """An entry of a map, or an item of a list (its key is None).

    before are the lines above it: comments, and '' for a blank line.
    """

    key: Any
    value: Any = None
    before: list[str] = dataclasses.field(default_factory=list)
    comment: str = ''
    line: int = 0
    column: int = 0
    start: int = 0
    value_start: int = 0


@dataclasses.dataclass(slots=True, eq=False)
class Collection:
    """A map or list of entries; tail are comment lines at its end."""

    entries: list[Entry]
    is_map: bool
    flow: bool = False
    tag: str | None = None
    anchor: str | None = None
    tail: list[str] = dataclasses.field(default_factory=list)
    column: int = 0

    def get(self, key: str) -> Any:
        """Return the value of a key (the last counts), None without one."""
        for entry in reversed(self.entries):
            if isinstance(entry.key, Scalar) and entry.key.value == key:
                return entry.value
        return None


@dataclasses.dataclass(slots=True, eq=False)
class Document:
    """A whole text; head are the lines above everything."""

    root: Any
    head: list[str] = dataclasses.field(default_factory=list)
    has_aliases: bool = False
    is_json: bool = False


def read(text: str) -> Document:
    """Return the tree of a YAML or JSON text.

    Raises ValueError, with line and column, for what is neither.
    """
    if text.startswith('\ufeff'):
        text = text[1:]
    if text.lstrip().startswith('{'):
        try:
            data = json.loads(text)
        except ValueError:
            pass
        else:
            template_format.simple_parse(text)
            return Document(from_data(data), is_json=True)
    # What the service would refuse (depth, aliases, no map) goes no further.
    template_format.simple_parse(text)
    # To YAML they are all the same.
    return _Reader(text.replace('\r\n', '\n').replace('\r', '\n')
                   ).document()


def from_data(data: Any) -> Any:
    """Return the tree of plain data, for writing it as YAML."""
    if isinstance(data, dict):
        return Collection([Entry(from_data(key), from_data(value))
                           for key, value in data.items()], is_map=True)
    if isinstance(data, (list, tuple)):
        return Collection([Entry(None, from_data(item)) for item in data],
                          is_map=False)
    if isinstance(data, str):
        return Scalar(data, style='any')
    return Scalar(json.dumps(data), raw=json.dumps(data))


def to_data(node: Any) -> Any:
    """Return the plain data of a tree made by from_data()."""
    if isinstance(node, Collection):
        if node.is_map:
            return {to_data(entry.key): to_data(entry.value)
                    for entry in node.entries}
        return [to_data(entry.value) for entry in node.entries]
    return json.loads(node.raw) if node.style is None else node.value


class _Reader:
    """Builds the tree from events, then gives every comment its place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split('\n')
        # NOTE: the parser counts other line breaks as well.
        self.breaks = [match.start() for match in re.finditer('\n', text)]
        self.events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self.dashes = [token.start_mark.index
                       for token in yaml.scan(text, Loader=_LOADER)
                       if isinstance(token, yaml.BlockEntryToken)]
        self.spans: list[tuple[int, int]] = []
        self.header_comments: list[tuple[int, int, str]] = []
        # In order of their places in the text.
        self.entries: list[tuple[Entry, tuple[Collection, ...]]] = []
        # Where each flow collection ends, and whose value it is.
        self.flows: dict[int, tuple[int, Entry | None]] = {}
        self.has_aliases = False

    def document(self) -> Document:
        root = None
        documents = 0
        for event in self.events:
            line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1 or event.tags:
                    raise Unsupported(
                        'a template is one YAML document without %TAG '
                        f'directives (line {line})')
                root = self._node(next(self.events), None, ())
        document = Document(root, has_aliases=self.has_aliases)
        self._place_comments(document)
        return document

    def _line(self, index: int) -> int:
        return bisect.bisect_left(self.breaks, index)

    def _column(self, index: int) -> int:
        return index - self.text.rfind('\n', 0, index) - 1

    def _node(self, event: Any, owner: Entry | None,
              above: tuple[Collection, ...]) -> Any:
        if owner is not None:
            owner.value_start = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            self.has_aliases = True
            return Alias(str(event.anchor))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, owner)
        if isinstance(event, yaml.MappingStartEvent):
            return self._collection(event, owner, above, is_map=True)
        return self._collection(event, owner, above, is_map=False)

    def _scalar(self, event: Any, owner: Entry | None) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        marks = _MARKS.match(self.text, start, end)
        if marks is not None:
            # A comment may stand between them and the scalar.
            start = marks.end()
        self.spans.append((start, end))
        raw = self.text[start:end]
        tag = None
        if event.tag is not None and not any(event.implicit):
            tag = event.tag
        if event.style in ('|', '>'):
            found = _BLOCK_HEADER.match(raw)
            if found and found.group(1) and owner is not None:
                owner.comment = found.group(1)
        return Scalar(event.value, event.style or None, raw, tag, event.anchor)

    def _collection(self, event: Any, owner: Entry | None,
                    above: tuple[Collection, ...], *,
                    is_map: bool) -> Collection:
        mark = event.start_mark
        tag = None if event.implicit else event.tag
        made = Collection([], is_map, bool(event.flow_style), tag,
                          event.anchor, column=self._column(mark.index))
        inside = (*above, made)
        for event in self.events:
            if isinstance(event, yaml.CollectionEndEvent):
                break
            start = event.start_mark.index
            entry = Entry(None, line=self._line(start),
                          column=self._column(start), start=start)
            if not made.entries and not made.flow:
                made.column = entry.column
            made.entries.append(entry)
            self.entries.append((entry, inside))
            if is_map:
                entry.key = self._key(event)
                event = next(self.events)
            elif not made.flow:
                self._begin_at_dash(entry, made)
            entry.value = self._node(event, entry, inside)
        if made.flow:
            self.flows[id(made)] = (event.end_mark.index, owner)
        return made

    def _begin_at_dash(self, entry: Entry, made: Collection) -> None:
        """Let an item begin where its dash is, not its value."""
        dash = self.dashes[bisect.bisect_left(self.dashes, entry.start) - 1]
        entry.start = dash
        entry.column = self._column(dash)
        entry.line = self._line(dash)
        if len(made.entries) == 1:
            made.column = entry.column

    def _key(self, event: Any) -> Any:
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            self.has_aliases = True
            return Alias(str(event.anchor))
        if not isinstance(event, yaml.ScalarEvent):
            raise Unsupported('a key must not be a map or list (line %d, '
                              'column %d)' % (mark.line + 1,
                                              mark.column + 1))
        key = self._scalar(event, None)
        if len(key.value) > MAX_KEY:
            raise Unsupported('a key of more than %d characters (line %d)'
                              % (MAX_KEY, mark.line + 1))
        return key

    # -- Comments

    def _comments(self) -> list[tuple[int, str]]:
        """Return (index, text) of the comments between the scalars."""
        found = []
        begin = 0
        for start, end in [*sorted(self.spans),
                           (len(self.text), len(self.text))]:
            if start > begin or begin == 0:
                if self.text.startswith('#', begin, start):
                    # libyaml takes it for one right behind a quote, too.
                    match = _BEHIND.match(self.text, begin, start)
                    assert match is not None
                    found.append((begin, match.group().rstrip()))
                    begin = match.end()
                found += [(match.start(), match.group().rstrip())
                          for match in _COMMENT.finditer(self.text, begin,
                                                         start)]
            begin = max(begin, end)
        return found

    def _place_comments(self, document: Document) -> None:
        starts = [entry.start for entry, _inside in self.entries]
        last_line = -1
        for index, text in self._comments():
            line, column = self._line(index), self._column(index)
            if self.text[index - column:index].strip(' \t'):
                self._end_of_line(index, text, starts, document)
                continue
            blank = line > 0 and line - 1 != last_line and (
                not self.lines[line - 1].strip())
            lines = ['', text] if blank else [text]
            self._own_line(index, column, lines, starts, document)
            last_line = line
        for entry, inside in self.entries:
            if not inside[-1].flow and entry.line > 0 and (
                    not self.lines[entry.line - 1].strip()):
                entry.before.append('')
        if self.entries:
            self._split_head(document, self.entries[0][0])

    def _end_of_line(self, index: int, text: str, starts: list[int],
                     document: Document) -> None:
        place = bisect.bisect_right(starts, index) - 1
        if place < 0:
            # Behind the mark that begins a document.
            document.head.append(text)
            return
        entry, inside = self.entries[place]
        for collection in inside:
            end, owner = self.flows.get(id(collection), (index + 1, None))
            if end <= index and owner is not None:
                # The outermost one that has ended.
                entry = owner
                break
        if entry.comment:
            entry.before.append(text)
        else:
            entry.comment = text

    def _own_line(self, index: int, column: int, lines: list[str],
                  starts: list[int], document: Document) -> None:
        place = bisect.bisect_right(starts, index)
        if place:
            previous = self.entries[place - 1][0]
            if previous.value_start > index and not (
                    isinstance(previous.value, Collection)
                    and previous.value.entries and place < len(starts)):
                previous.before.extend(lines)
                return
        if place < len(self.entries):
            following, inside = self.entries[place]
            if column <= following.column or inside[-1].flow:
                following.before.extend(lines)
                return
            bound = following.column
        else:
            bound = -1
        if not place:
            document.head.extend(lines)
            return
        home = None
        for collection in self.entries[place - 1][1]:
            if collection.flow:
                break
            if bound < collection.column and (
                    home is None or collection.column <= column):
                home = collection
        if home is None:
            home = self.entries[place - 1][1][0]
        home.tail.extend(lines)

    def _split_head(self, document: Document, first: Entry) -> None:
        """Part what is said of the whole text from what is of its start."""
        before = first.before
        if '' in before:
            cut = len(before) - before[::-1].index('')
            document.head.extend(before[:cut - 1])
            first.before = before[cut:]
        while document.head and not document.head[0]:
            document.head.pop(0)
