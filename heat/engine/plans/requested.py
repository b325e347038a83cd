"""Parse the moves and imports of a request or an environment."""
from collections.abc import Mapping, Sequence
import dataclasses
from typing import Any

from heat.common import change_set_errors
from heat.common import exception
from heat.common.i18n import _

Path = tuple[str, ...]

#: The greatest number of moves in a request, of characters in a path, and of
#: names in it.
MOST_MOVES, LONGEST_PATH, DEEPEST = 1000, 4096, 32
DIVIDER = '/'
#: The key of an environment, beside a resource, for what it takes over.
IMPORT = 'import'
#: The number of characters of a physical id that a row holds.
LONGEST_ID = 255


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """The path of a resource before and after a move.

    :ivar lasting: it stands in an environment, and is ignored once done
    :ivar giver: the name or id of another stack that it is moved out of
    :ivar giver_name: its name, where it is known
    """

    source: Path
    target: Path
    lasting: bool = False
    giver: str | None = None
    giver_name: str | None = None

    def refused(self, reason: str) -> change_set_errors.MoveNotPossible:
        """Return the error that says why the move is not possible."""
        source = DIVIDER.join(self.source)
        return change_set_errors.MoveNotPossible(
            source=source if self.giver is None else
            f'{self.giver_name or self.giver}:{source}',
            target=DIVIDER.join(self.target), reason=reason)


@dataclasses.dataclass(frozen=True, slots=True)
class Import:
    """Something that exists in the cloud, and the resource it is to be.

    :ivar lasting: it stands in an environment, and is ignored once done
    """

    path: Path
    physical_id: str
    lasting: bool = False

    def refused(self, reason: str) -> change_set_errors.ImportNotPossible:
        """Return the error that says why the import is not possible."""
        return change_set_errors.ImportNotPossible(
            physical_id=self.physical_id, resource=DIVIDER.join(self.path),
            reason=reason)


def imports_of(given: Any) -> list[Import]:
    """Return the imports of a request.

    :raises StackValidationFailed: they are not a list of {resource, id}.
    :raises ImportNotPossible: two of them contradict each other.
    """
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST_MOVES:
        raise exception.StackValidationFailed(message=_(
            '"imports" must be a list of at most %d imports') % MOST_MOVES)
    found = [_import_of(index, item) for index, item in enumerate(given)]
    require_distinct_imports(found)
    return found


def imports_in(registry: Mapping[str, Any]) -> list[Import]:
    """Return the imports that stand beside resources in an environment.

    :param registry: its section for types and resources
    """
    found: list[Import] = []
    todo: list[tuple[Path, Any]] = [((), registry.get('resources'))]
    while todo:
        path, level = todo.pop()
        if isinstance(level, Mapping):
            if path and isinstance(level.get(IMPORT), str):
                found.append(Import(path, level[IMPORT], lasting=True))
            if len(path) < DEEPEST:
                todo += [((*path, name), below)
                         for name, below in level.items()]
    return sorted(found, key=lambda each: each.path)


def require_distinct_imports(imports: Sequence[Import]) -> None:
    """Raise ImportNotPossible for resources that are imported twice.

    What an id stands for depends on the type of the resource.
    """
    paths: set[Path] = set()
    for each in imports:
        if each.path in paths:
            raise each.refused(_('the resource is imported twice'))
        paths.add(each.path)


def _import_of(index: int, item: Any) -> Import:
    if not isinstance(item, Mapping) or set(item) != {'resource', 'id'}:
        raise exception.StackValidationFailed(message=_(
            'imports[%d] must be a map with the keys "resource" and "id"')
            % index)
    physical_id = item['id']
    if not isinstance(physical_id, str) or not (
            0 < len(physical_id) <= LONGEST_ID):
        raise exception.StackValidationFailed(message=_(
            'imports[%(index)d].id must be a text of at most %(limit)d '
            'characters') % {'index': index, 'limit': LONGEST_ID})
    return Import(_path('imports[%d]' % index, item, 'resource'),
                  physical_id)


def moves_of(given: Any, *, lasting: bool = False) -> list[Move]:
    """Return the moves of a request, or of a section of an environment.

    :raises StackValidationFailed: they are not a list of {from, to}, or
        some of an environment name another stack.
    """
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MOST_MOVES:
        raise exception.StackValidationFailed(message=_(
            '"moves" must be a list of at most %d moves') % MOST_MOVES)
    return [_move_of(index, item, lasting)
            for index, item in enumerate(given)]


def _move_of(index: int, item: Any, lasting: bool) -> Move:
    if not isinstance(item, Mapping) or set(item) != {'from', 'to'}:
        raise exception.StackValidationFailed(message=_(
            'moves[%d] must be a map with the keys "from" and "to"') % index)
    where = 'moves[%d]' % index
    target = _path(where, item, 'to')
    if not isinstance(item['from'], Mapping):
        return Move(_path(where, item, 'from'), target, lasting)
    if lasting:
        raise exception.StackValidationFailed(message=_(
            '%s.from must be the path of a resource: moves from other '
            'stacks are for change sets') % where)
    giver, source = _of_another(where, item['from'])
    return Move(source, target, giver=giver)


def _of_another(where: str, item: Mapping[str, Any]) -> tuple[str, Path]:
    """Return a stack that a move names, and the path in it."""
    if set(item) != {'stack', 'resource'}:
        raise exception.StackValidationFailed(message=_(
            '%s.from must be a path, or a map with the keys "stack" and '
            '"resource"') % where)
    giver = item['stack']
    if not isinstance(giver, str) or not 0 < len(giver) <= LONGEST_ID:
        raise exception.StackValidationFailed(message=_(
            '%(where)s.from.stack must be the name or ID of a stack, of at '
            'most %(limit)d characters') % {'where': where,
                                            'limit': LONGEST_ID})
    return giver, _path(f'{where}.from', item, 'resource')


def _path(where: str, item: Mapping[str, Any], key: str) -> Path:
    text = item[key]
    names: list[str] = []
    if isinstance(text, str) and len(text) <= LONGEST_PATH:
        names = text.split(DIVIDER)
    if not names or not all(names) or len(names) > DEEPEST:
        raise exception.StackValidationFailed(message=_(
            '%(where)s.%(key)s must be the path of a resource: names '
            'divided by "/"') % {'where': where, 'key': key})
    return tuple(names)


def require_distinct(moves: Sequence[Move]) -> None:
    """Raise MoveNotPossible for moves that contradict each other."""
    sources: set[tuple[str | None, Path]] = set()
    targets: set[Path] = set()
    for move in moves:
        if move.giver is None:
            _require_other_place(move)
        if (move.giver, move.source) in sources:
            raise move.refused(_('it is moved twice'))
        if move.target in targets:
            raise move.refused(_('another resource is moved there'))
        sources.add((move.giver, move.source))
        targets.add(move.target)
    own = [move for move in moves if move.giver is None]
    places = targets | {move.source for move in own}
    _require_no_cycle(own)
    for move in moves:
        _require_outside(move, move.target, places)
        if move.giver is None:
            _require_outside(move, move.source, places)


def _require_other_place(move: Move) -> None:
    if move.source == move.target:
        raise move.refused(_('both paths are the same'))
    if move.target[:len(move.source)] == move.source:
        raise move.refused(_('the path is inside the resource itself'))


def _require_no_cycle(moves: Sequence[Move]) -> None:
    """Raise MoveNotPossible if moves form a cycle.

    :param moves: moves with distinct sources and distinct targets
    """
    following = {each.source: each.target for each in moves}
    seen: set[Path] = set()
    for move in moves:
        place = move.source
        while place in following and place not in seen:
            seen.add(place)
            place = following[place]
            if place == move.source:
                raise move.refused(_('the moves form a cycle'))


def _require_outside(move: Move, path: Path, places: set[Path]) -> None:
    """Raise MoveNotPossible for a path inside what is moved as a whole."""
    for end in range(1, len(path)):
        if path[:end] in places:
            raise move.refused(_(
                'the resource "%s" is moved by the same request')
                % DIVIDER.join(path[:end]))
