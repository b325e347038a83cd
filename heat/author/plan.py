"""Compare two versions of a template offline.

Values that only the service knows count as unknown, and parameters have
their defaults.
"""
from collections.abc import Iterator, Mapping
import dataclasses
from typing import Any

from heat.author import sources as template_sources
from heat.common import change_words
from heat.common import text_places
from heat.common.i18n import _

CREATE, UPDATE, REPLACE, DELETE, RETAIN, KEEP = change_words.ACTIONS[:6]
NEVER, MAYBE, ALWAYS = change_words.REPLACEMENTS

#: How each action is marked, and its colour in a terminal.
_MARKS = {CREATE: ('+', '32'), UPDATE: ('~', '33'), REPLACE: ('-/+', '35'),
          DELETE: ('-', '31'), RETAIN: ('o', '36')}
_SUMMARY = (CREATE, UPDATE, REPLACE, DELETE, RETAIN)
_ABSENT = object()

#: The keys of HOT and of cfn templates.
_RESOURCES = ('resources', 'Resources')
_PARAMETERS = ('parameters', 'Parameters')
_PROPERTIES = ('properties', 'Properties')
_DEFAULT = ('default', 'Default')
_TYPE = ('type', 'Type')
_POLICY = ('deletion_policy', 'DeletionPolicy')
_FROM_OTHERS = ('get_attr', 'get_resource', 'Fn::GetAtt')


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """One property that differs.

    :ivar forces: whether the property cannot be updated; None if its type
        is unknown here
    """

    property: str
    before: Any
    after: Any
    forces: bool | None
    line: int | None = None
    column: int | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """The change of one resource."""

    path: tuple[str, ...]
    type: str
    action: str
    replacement: str = NEVER
    causes: tuple[Cause, ...] = ()
    reason: str = ''

    def as_data(self) -> dict[str, Any]:
        """Return the change as JSON has it."""
        return {**dataclasses.asdict(self), 'path': list(self.path),
                'causes': [dataclasses.asdict(each) for each in self.causes]}


def _part(data: Any, keys: tuple[str, ...], default: Any = None) -> Any:
    if isinstance(data, Mapping):
        for key in keys:
            if key in data:
                return data[key]
    return default


class _Side:
    """One of the two versions of a template with the files it names."""

    def __init__(self, path: str) -> None:
        text = template_sources.read_text(path)
        self._sources = template_sources.Sources()
        self.data = self._sources.template(path, text)
        self.texts = {path: text, **self._sources.files}

    def nested(self, resource: Any) -> Any:
        """Return the data of the template that is a resource's type."""
        name = _part(resource, _TYPE)
        return self._sources.nested.get(name) if isinstance(
            name, str) else None


def changes(old: str, new: str, types: Mapping[str, Any]) -> list[Change]:
    """Return the changes from one template file to another.

    :param types: the classes of resource types by name
    :raises ValueError: a file is no YAML or JSON.
    :raises Unreadable: a file cannot be read.
    """
    comparison = _Comparison(_Side(old), _Side(new), types)
    return list(comparison.level((), comparison.old.data,
                                 comparison.new.data, new))


class _Comparison:
    """Compares two versions, level by level."""

    def __init__(self, old: _Side, new: _Side,
                 types: Mapping[str, Any]) -> None:
        self.old = old
        self.new = new
        self._types = types

    def level(self, path: tuple[str, ...], before: Any, after: Any,
              file: str, given: Mapping[str, tuple[Any, Any]] | None = None
              ) -> Iterator[Change]:
        """Yield the changes of one stack and of those inside it.

        :param given: {parameter: (old, new)} of values from the parent
        """
        old = _part(before, _RESOURCES) or {}
        new = _part(after, _RESOURCES) or {}
        words = {**_changed_defaults(before, after), **(given or {})}
        # A resource that others refer to comes before them.
        for name in [*new, *(each for each in old if each not in new)]:
            here = (*path, name)
            if name not in old:
                yield from _whole(here, self.new, new[name], CREATE)
            elif name not in new:
                gone = RETAIN if _part(old[name], _POLICY) in (
                    'Retain', 'retain') else DELETE
                yield from _whole(here, self.old, old[name], gone)
            else:
                yield from self._existing(here, old[name], new[name], words,
                                          file)

    def _existing(self, path: tuple[str, ...], old: Any, new: Any,
                  words: Mapping[str, tuple[Any, Any]], file: str
                  ) -> Iterator[Change]:
        before, after = self.old.nested(old), self.new.nested(new)
        old_type, new_type = str(_part(old, _TYPE)), str(_part(new, _TYPE))
        both_nested = before is not None and after is not None
        if old_type != new_type and not both_nested:
            yield Change(path, new_type, REPLACE, ALWAYS,
                         reason=_('the type was %s') % old_type)
            return
        causes = tuple(self._causes(path[-1], new_type, old, new, words,
                                    file))
        if both_nested:
            causes = tuple(dataclasses.replace(each, forces=False)
                           for each in causes)
        action, replacement, reason = _judged(causes, old, new)
        if action != KEEP or not both_nested:
            yield Change(path, new_type, action, replacement, causes, reason)
        if both_nested:
            yield from self.level(
                path, before, after, new_type,
                {each.property: (each.before, each.after)
                 for each in causes})

    def _causes(self, name: str, kind: str, old: Any, new: Any,
                words: Mapping[str, tuple[Any, Any]], file: str
                ) -> Iterator[Cause]:
        before = _part(old, _PROPERTIES) or {}
        after = _part(new, _PROPERTIES) or {}
        schema = getattr(self._types.get(kind), 'properties_schema', None)
        places = text_places.Places(self.new.texts.get(file, ''))
        for prop in [*after, *(each for each in before
                               if each not in after)]:
            was = before.get(prop, _ABSENT)
            is_now = after.get(prop, _ABSENT)
            if was == is_now and not _mentions(is_now, words):
                continue
            position = places.find([_key(self.new.data, _RESOURCES), name,
                                    _key(new, _PROPERTIES), prop]) or (
                                        None, None)
            yield Cause(prop, _filled(was, words, 0),
                        _filled(is_now, words, 1), _forces(schema, prop),
                        *position)


def _key(data: Any, keys: tuple[str, ...]) -> str:
    return next((key for key in keys if isinstance(data, Mapping) and
                 key in data), keys[0])


def _forces(schema: Any, name: str) -> bool | None:
    if schema is None or name not in schema:
        return None
    return not schema[name].update_allowed


def _judged(causes: tuple[Cause, ...], old: Any, new: Any
            ) -> tuple[str, str, str]:
    """Return (action, replacement, reason) of a resource that stays."""
    if not causes:
        # What says when things happen changes nothing.
        ignored = {*_PROPERTIES, 'depends_on', 'DependsOn'}
        rest = [{key: value for key, value in each.items()
                 if key not in ignored} if isinstance(each, Mapping) else each
                for each in (old, new)]
        if rest[0] == rest[1]:
            return KEEP, NEVER, ''
        return UPDATE, NEVER, 'the definition differs'
    forcing = [each for each in causes if each.forces]
    if any(not _from_others(each) for each in forcing):
        return REPLACE, ALWAYS, ''
    if forcing or any(each.forces is None for each in causes):
        return UPDATE, MAYBE, ''
    return UPDATE, NEVER, ''


def _from_others(cause: Cause) -> bool:
    """Return whether a new value is known only when resources are there."""
    todo = [cause.before, cause.after]
    while todo:
        item = todo.pop()
        if isinstance(item, Mapping):
            if any(key in _FROM_OTHERS for key in item):
                return True
            todo += item.values()
        elif isinstance(item, list):
            todo += item
    return False


def _whole(path: tuple[str, ...], side: _Side, resource: Any, action: str
           ) -> Iterator[Change]:
    """Yield a resource that comes or goes, and what is inside it."""
    yield Change(path, str(_part(resource, _TYPE)), action)
    inner = _part(side.nested(resource), _RESOURCES) or {}
    for name, each in inner.items():
        if name not in path:
            yield from _whole((*path, name), side, each, action)


def _changed_defaults(before: Any, after: Any
                      ) -> dict[str, tuple[Any, Any]]:
    """Return {parameter: (old, new)} of defaults that differ."""
    old = _part(before, _PARAMETERS) or {}
    new = _part(after, _PARAMETERS) or {}
    pairs = {name: (_part(old[name], _DEFAULT), _part(new[name], _DEFAULT))
             for name in old.keys() & new.keys()}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _mentions(value: Any, words: Mapping[str, Any]) -> bool:
    if isinstance(value, Mapping):
        return _parameter(value) in words or any(
            _mentions(each, words) for each in value.values())
    return isinstance(value, list) and any(
        _mentions(each, words) for each in value)


def _parameter(value: Mapping[str, Any]) -> Any:
    """Return the name of the parameter that a call reads, or None."""
    name = value.get('get_param', value.get('Ref'))
    return name if isinstance(name, str) else None


def _filled(value: Any, words: Mapping[str, tuple[Any, Any]], side: int
            ) -> Any:
    """Return a value with the defaults that differ put in."""
    if value is _ABSENT:
        return None
    if isinstance(value, Mapping):
        name = _parameter(value)
        if len(value) == 1 and name in words:
            return words[name][side]
        return {key: _filled(each, words, side)
                for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, words, side) for each in value]
    return value


# -- output -----------------------------------------------------------------

def as_lines(found: list[Change], file: str, *, colour: bool
             ) -> Iterator[str]:
    """Yield the lines of a diff, one group for each nested stack."""
    stacks: dict[tuple[str, ...], list[Change]] = {}
    for each in found:
        if each.action != KEEP:
            stacks.setdefault(each.path[:-1], []).append(each)
    for path, group in stacks.items():
        yield _('Stack %s') % ('/'.join(path) or file)
        for each in group:
            yield from _lines_of(each, colour)
        yield ''
    yield summary(found)


def _lines_of(change: Change, colour: bool) -> Iterator[str]:
    mark, code = _MARKS[change.action]
    text = f'  {mark:>3} {change.path[-1]} ({change.type})'
    if change.replacement == MAYBE:
        text += _(', may be replaced')
    if change.reason:
        text += f': {change.reason}'
    yield f'\033[{code}m{text}\033[0m' if colour else text
    for each in change.causes:
        place = '' if each.line is None else _('  [line %d]') % each.line
        forces = _('  forces replacement') if each.forces else ''
        yield (f'        {each.property}: {each.before!r} -> '
               f'{each.after!r}{place}{forces}')


def summary(found: list[Change]) -> str:
    """Return one line with the number of each action."""
    counts = {action: sum(each.action == action for each in found)
              for action in _SUMMARY}
    texts = {CREATE: _('%d to create'), UPDATE: _('%d to update'),
             REPLACE: _('%d to replace'), DELETE: _('%d to delete'),
             RETAIN: _('%d to retain')}
    return _('Plan: %s.') % ', '.join(
        texts[action] % number for action, number in counts.items()
        if number or action != RETAIN)


def has_changes(found: list[Change]) -> bool:
    """Return whether anything but keeping is planned."""
    return any(each.action != KEEP for each in found)
