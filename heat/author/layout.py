"""Writing the tree of a template in its canonical layout.

Two spaces for each level, lists below their key, quotes only where the
text would mean something else without them.
"""
import json
import re
from typing import Any

import yaml

from heat.author import document

WIDTH = 79
_INDENT = 2

_WORDS = frozenset(('y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false',
                    'null', '~', '=', '<<'))
# Numbers, dates and times of any YAML, and what people take for them.
_NUMERIC = re.compile(r'[-+.]?[0-9][-0-9a-fA-FxXoO_.,:+TZ ]*\Z')
_PLAIN = re.compile(r'[^\W_]|[_/$(.<^+-]')
_TAG_PREFIX = 'tag:yaml.org,2002:'
_resolver = yaml.resolver.Resolver()


def write(doc: document.Document) -> str:
    """Return the text of a document, JSON if it came as that."""
    if doc.is_json:
        return json.dumps(document.to_data(doc.root), indent=_INDENT,
                          ensure_ascii=False) + '\n'
    return _Writer().whole(doc)


def _is_printable(char: str) -> bool:
    return char.isprintable() and char not in '\ufeff\u2028\u2029\x85'


def _means_text(value: str) -> bool:
    """Return whether every YAML reads an unquoted value as this text."""
    tag = _resolver.resolve(yaml.ScalarNode, value, (True, False))
    return (tag == _TAG_PREFIX + 'str' and value.lower() not in _WORDS
            and not _NUMERIC.match(value))


def _may_be_plain(value: str, flow: bool) -> bool:
    if not value or value != value.strip() or not _PLAIN.match(value):
        return False
    if not all(map(_is_printable, value)) or not _means_text(value):
        return False
    if value[0] in '+-.' and not value[1:2].isalnum():
        return False
    if ': ' in value or ' #' in value or value.endswith(':'):
        return False
    if value.startswith(('---', '...')):
        return False
    return not (flow and any(char in value for char in ',[]{}:?'))


def _double_quoted(value: str) -> str:
    parts = []
    for char in value:
        if char in '"\\':
            parts.append('\\' + char)
        elif _is_printable(char):
            parts.append(char)
        elif char in '\n\t\r':
            parts.append({'\n': '\\n', '\t': '\\t', '\r': '\\r'}[char])
        elif ord(char) < 0x100:
            parts.append('\\x%02x' % ord(char))
        elif ord(char) < 0x10000:
            parts.append('\\u%04x' % ord(char))
        else:
            parts.append('\\U%08x' % ord(char))
    return '"%s"' % ''.join(parts)


def quoted(value: str, flow: bool = False) -> str:
    """Return a text as a YAML scalar of one line, bare if that is safe."""
    if _may_be_plain(value, flow):
        return value
    if not all(map(_is_printable, value)) or (
            "'" in value and '"' not in value and '\\' not in value):
        return _double_quoted(value)
    return "'%s'" % value.replace("'", "''")


def _may_be_literal(value: str) -> bool:
    return bool(value.strip()) and all(
        char in '\n\t' or _is_printable(char) for char in value)


class _Writer:
    """Collects lines; the last one may still get a comment."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        # Blank lines would belong to a scalar that keeps them.
        self.keeps_blanks = False

    def whole(self, doc: document.Document) -> str:
        if doc.head:
            self._notes(doc.head, 0)
            self._blank()
        root = doc.root
        if isinstance(root, document.Collection) and root.entries:
            if root.tag or root.anchor:
                self.lines.append('--- ' + self._marks(root).rstrip())
            self._block(root, 0)
        elif isinstance(root, document.Collection):
            self.lines.append('{}')
            self._notes(root.tail, 0)
        elif root is not None and root.raw:
            self.lines.append(self._inline(root))
        while self.lines and not self.lines[-1] and not self.keeps_blanks:
            self.lines.pop()
        return ''.join(line + '\n' for line in self.lines)

    def _blank(self) -> None:
        if self.lines and self.lines[-1] and not self.keeps_blanks:
            self.lines.append('')

    def _notes(self, notes: list[str], column: int) -> None:
        for note in notes:
            if note:
                self.lines.append(' ' * column + note)
                self.keeps_blanks = False
            else:
                self._blank()

    # -- Block style

    def _block(self, node: document.Collection, column: int,
               lead: str | None = None) -> None:
        """Write the entries, the first behind lead if there is one."""
        for number, entry in enumerate(node.entries):
            if number == 0 and lead is not None:
                # Above the item whose dash is the lead, see _item.
                begin = lead
            else:
                notes = entry.before
                if number == 0:
                    notes = notes[_leading_blanks(notes):]
                self._notes(notes, column)
                begin = ' ' * column
            if node.is_map:
                self._entry(entry, begin, column)
            else:
                self._item(entry, begin, column)
        self._notes(node.tail, column)

    def _entry(self, entry: document.Entry, begin: str, column: int) -> None:
        start = begin + self._key(entry.key) + ':'
        self._value(entry, start, column)

    def _key(self, key: Any, flow: bool = False) -> str:
        text = self._inline(key, flow) if not (
            isinstance(key, document.Scalar) and '\n' in key.raw
        ) else self._marks(key) + quoted(key.value, flow)
        # A colon would become part of the name of an alias.
        return text + ' ' if isinstance(key, document.Alias) else text

    def _item(self, entry: document.Entry, begin: str, column: int) -> None:
        value = entry.value
        if (isinstance(value, document.Collection) and value.entries
                and not (value.tag or value.anchor or entry.comment)
                and not _notes_of(value.entries[0].before)
                and self._as_flow(value, len(begin) + 2) is None):
            self._block(value, column + _INDENT, begin + '- ')
            return
        self._value(entry, begin + '-', column)

    def _value(self, entry: document.Entry, start: str, column: int) -> None:
        value = entry.value
        comment = ' ' + entry.comment if entry.comment else ''
        self.keeps_blanks = False
        if isinstance(value, document.Collection):
            flow = self._as_flow(value, len(start) + 1)
            if flow is not None:
                self.lines.append(f'{start} {flow}{comment}')
                return
            marks = self._marks(value).rstrip()
            self.lines.append(start + (' ' + marks if marks else '')
                              + comment)
            self._block(value, column + _INDENT)
            return
        if isinstance(value, document.Scalar):
            lines = self._scalar_lines(value)
            if lines is not None:
                marks = self._marks(value)
                self.lines.append(f'{start} {marks}{lines[0]}'
                                  + ('' if lines[0][0] not in '|>'
                                     else comment))
                inner = ' ' * (column + _INDENT)
                self.lines.extend(inner + line if line else ''
                                  for line in lines[1:])
                if lines[0][0] not in '|>':
                    self.lines[-1] += comment
                self.keeps_blanks = lines[0][0] in '|>' and '+' in lines[0]
                return
        text = self._inline(value)
        self.lines.append(start + (' ' + text if text else '') + comment)

    # -- Scalars

    def _marks(self, node: Any) -> str:
        """Return anchor and tag, to stand in front of a node."""
        marks = ''
        if node.anchor:
            marks += f'&{node.anchor} '
        if node.tag:
            tag = node.tag
            marks += ('!!' + tag[len(_TAG_PREFIX):]
                      if tag.startswith(_TAG_PREFIX) else f'!<{tag}>') + ' '
        return marks

    def _inline(self, node: Any, flow: bool = False) -> str:
        """Return a scalar or alias in one line."""
        if isinstance(node, document.Alias):
            return '*' + node.name
        marks = self._marks(node)
        if node.style is None and '\n' not in node.raw:
            text = node.raw.strip()
            return (marks + text).rstrip() if text or not flow else (
                marks + 'null' if not node.tag else marks + "''")
        if node.style is None and flow:
            return marks + quoted(node.value, flow)
        if node.tag:
            return marks + _double_quoted(node.value)
        return marks + quoted(node.value, flow)

    def _scalar_lines(self, node: document.Scalar) -> list[str] | None:
        """Return the lines of a scalar that takes several, else None."""
        if node.style == '|' or (node.style == 'any'
                                 and '\n' in node.value):
            return _literal(node.value)
        if node.style == '>':
            return _folded(node) or _literal(node.value)
        if node.style != 'any' and '\n' in node.raw:
            return _flowing(node)
        return None

    # -- Flow style

    def _as_flow(self, node: document.Collection,
                 column: int) -> str | None:
        """Return a collection in one line, None if it takes several."""
        if node.entries and not node.flow:
            return None
        if _has_notes(node):
            return None
        text = self._flow(node)
        if not node.entries or column + len(text) <= WIDTH:
            return text
        return None

    def _flow(self, node: Any) -> str:
        if not isinstance(node, document.Collection):
            return self._inline(node, flow=True)
        if node.is_map:
            parts = [f'{self._key(entry.key, flow=True)}: '
                     f'{self._flow(entry.value)}' for entry in node.entries]
            return self._marks(node) + '{%s}' % ', '.join(parts)
        parts = [self._flow(entry.value) for entry in node.entries]
        return self._marks(node) + '[%s]' % ', '.join(parts)


def _leading_blanks(notes: list[str]) -> int:
    return next((number for number, note in enumerate(notes) if note),
                len(notes))


def _notes_of(notes: list[str]) -> bool:
    return any(notes)


def _has_notes(node: Any) -> bool:
    if not isinstance(node, document.Collection):
        return False
    return bool(node.tail) or any(
        entry.comment or _notes_of(entry.before) or _has_notes(entry.value)
        for entry in node.entries)


def _chomping(value: str) -> str:
    if not value.endswith('\n'):
        return '-'
    return '+' if value.endswith('\n\n') else ''


def _literal(value: str) -> list[str] | None:
    """Return header and lines of a literal block, None if it cannot be."""
    if not _may_be_literal(value):
        return None
    indent = str(_INDENT) if value[0] in ' \n\t' else ''
    body = value[:-1] if value.endswith('\n') else value
    return ['|' + indent + _chomping(value), *body.split('\n')]


def _folded(node: document.Scalar) -> list[str] | None:
    """Return header and lines of a folded block as they were broken."""
    header, _newline, body = node.raw.partition('\n')
    lines = body.replace('\r\n', '\n').split('\n')
    filled = [line for line in lines if line.strip()]
    if not filled or re.search('[0-9]', header.partition('#')[0]) or (
            not _may_be_literal(node.value)):
        return None
    indent = len(filled[0]) - len(filled[0].lstrip(' '))
    kept = [line[indent:] for line in lines]
    while kept and not kept[-1].strip():
        kept.pop()
    chomping = _chomping(node.value)
    if chomping == '+':
        kept += [''] * (len(node.value) - len(node.value.rstrip('\n')) - 1)
    if not kept or kept[0][:1] in ('', ' ', '\t') or any(
            line and not line.strip() for line in kept):
        return None
    return ['>' + chomping, *kept]


def _flowing(node: document.Scalar) -> list[str] | None:
    """Return the lines of a plain or quoted scalar as they were broken."""
    if node.style == '"' and '\\' in node.raw or not all(
            char == '\n' or _is_printable(char) for char in node.raw):
        return [quoted(node.value)]
    lines = [line.strip(' \t\r') for line in node.raw.split('\n')]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) < 2 or lines[0] in ('', "'", '"'):
        return None
    return lines
