"""Where the nodes of a graph go, so that few edges cross.

Layers by the longest path, crossings reduced by barycentres, and then
every node as near to its neighbours as its place allows. The same graph
always gives the same picture.
"""
from collections.abc import Hashable, Iterable, Mapping, Sequence
import dataclasses
import math

_SWEEPS = 12
_RELAXATIONS = 24


@dataclasses.dataclass(slots=True)
class Placement:
    """Columns of names from left to right, with the y of every name.

    A name that is a tuple is the bend of an edge. routes are the names an
    edge passes, its ends included.
    """

    columns: list[list[Hashable]]
    y: dict[Hashable, float]
    routes: dict[tuple[str, str], list[Hashable]]


def place(names: Sequence[str], edges: Iterable[tuple[str, str]],
          height: float = 1.0, bend: float = 0.4) -> Placement:
    """Place names so that what an edge points to is left of its source.

    :param edges: (source, target); those that close a circle are placed,
                  too, but may point to the right.
    :param height: the room a name takes; bend is that of an edge.
    """
    edges = [edge for edge in dict.fromkeys(edges) if edge[0] != edge[1]]
    forward = _without_circles(names, edges)
    layer = _layers(names, forward)
    columns = _columns(names, layer, forward)
    where = {name: number for number, column in enumerate(columns)
             for name in column}
    routes = {}
    for source, target in edges:
        routes[source, target] = _route(source, target, where, columns)
    neighbours = _neighbours(routes.values())
    index = _reduce_crossings(columns, where, neighbours)
    for column in columns:
        column.sort(key=lambda name: index[name])
    y = _positions(columns, neighbours, height, bend)
    return Placement(columns, y, routes)


def _without_circles(names: Sequence[str], edges: Iterable[tuple[str, str]],
                     ) -> dict[str, list[str]]:
    """Return source -> targets without the edges that close a circle."""
    targets: dict[str, list[str]] = {name: [] for name in names}
    for source, target in edges:
        targets[source].append(target)
    kept: dict[str, list[str]] = {name: [] for name in names}
    state: dict[str, int] = {}
    for start in names:
        stack = [] if start in state else [(start, iter(targets[start]))]
        state.setdefault(start, 1)
        while stack:
            name, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[name] = 2
                stack.pop()
            elif state.get(following) != 1:
                kept[name].append(following)
                if following not in state:
                    state[following] = 1
                    stack.append((following, iter(targets[following])))
    return kept


def _layers(names: Sequence[str],
            targets: Mapping[str, list[str]]) -> dict[str, int]:
    """Return how many steps at most a name is from one without targets."""
    layer: dict[str, int] = {}
    for start in names:
        stack = [start]
        while stack:
            name = stack[-1]
            missing = [each for each in targets[name] if each not in layer]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            layer[name] = max((layer[each] + 1 for each in targets[name]),
                              default=0)
    # Something that only one thing needs stands close to it.
    users: dict[str, list[str]] = {name: [] for name in names}
    for name in names:
        for each in targets[name]:
            users[each].append(name)
    for name in sorted(names, key=lambda each: -layer[each]):
        if users[name] and not targets[name]:
            layer[name] = min(layer[user] for user in users[name]) - 1
    return layer


def _columns(names: Sequence[str], layer: Mapping[str, int],
             targets: Mapping[str, list[str]]) -> list[list[Hashable]]:
    """Return the layers, a tall one as several columns."""
    used = {each for name in names for each in targets[name]}
    loose = [name for name in names if name not in used
             and not targets[name]]
    tied = [name for name in names if name not in set(loose)]
    columns: list[list[Hashable]] = []
    most = max(40, math.ceil(3 * math.sqrt(len(names))))
    for number in range(max(layer.values(), default=-1) + 1):
        column = [name for name in tied if layer[name] == number]
        parts = max(1, math.ceil(len(column) / most))
        size = math.ceil(len(column) / parts)
        columns += [list(column[begin:begin + size])
                    for begin in range(0, len(column), size or 1)]
    columns = [column for column in columns if column] or [[]]
    # What nothing is tied to fills up the shortest columns.
    for name in loose:
        shortest = min(columns, key=len)
        if len(shortest) >= most:
            shortest = []
            columns.append(shortest)
        shortest.append(name)
    return columns


def _route(source: str, target: str, where: dict[Hashable, int],
           columns: list[list[Hashable]]) -> list[Hashable]:
    """Give an edge a bend in every column that it passes."""
    begin, end = where[source], where[target]
    step = 1 if end > begin else -1
    route: list[Hashable] = [source]
    for column in range(begin + step, end, step):
        bend = (source, target, column)
        columns[column].append(bend)
        where[bend] = column
        route.append(bend)
    return [*route, target]


def _neighbours(routes: Iterable[Sequence[Hashable]],
                ) -> dict[Hashable, list[Hashable]]:
    neighbours: dict[Hashable, list[Hashable]] = {}
    for route in routes:
        for one, other in zip(route, route[1:], strict=False):
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)
    return neighbours


def _reduce_crossings(columns: list[list[Hashable]],
                      where: Mapping[Hashable, int],
                      neighbours: Mapping[Hashable, list[Hashable]],
                      ) -> dict[Hashable, float]:
    """Return the place of every name in its column."""
    index: dict[Hashable, float] = {}
    for column in columns:
        index.update((name, number) for number, name in enumerate(column))
    best, fewest = dict(index), _crossings(columns, where, neighbours, index)
    order = [list(column) for column in columns]
    for sweep in range(_SWEEPS):
        numbers = range(len(order))
        back = -1 if sweep % 2 == 0 else 1
        for number in numbers if back < 0 else reversed(numbers):
            def centre(name: Hashable, beside: int = number + back,
                       ) -> float:
                near = [index[each] for each in neighbours.get(name, ())
                        if where[each] == beside]
                return sum(near) / len(near) if near else index[name]
            order[number].sort(key=centre)
            index.update((name, place)
                         for place, name in enumerate(order[number]))
        count = _crossings(order, where, neighbours, index)
        if count < fewest:
            best, fewest = dict(index), count
    return best


def _crossings(columns: list[list[Hashable]],
               where: Mapping[Hashable, int],
               neighbours: Mapping[Hashable, list[Hashable]],
               index: Mapping[Hashable, float]) -> int:
    total = 0
    for number, column in enumerate(columns):
        ends: list[float] = []
        for name in sorted(column, key=lambda each: index[each]):
            near = sorted(index[each] for each in neighbours.get(name, ())
                          if where[each] == number + 1)
            total += sum(1 for end in near for other in ends if other > end)
            ends += near
    return total


def _positions(columns: list[list[Hashable]],
            neighbours: Mapping[Hashable, list[Hashable]],
            height: float, bend: float) -> dict[Hashable, float]:
    """Return a y for every name, in the order of its column."""
    y: dict[Hashable, float] = {}
    for column in columns:
        total = 0.0
        for name in column:
            room = _room(name, height, bend)
            y[name] = total + room / 2
            total += room
        for name in column:
            y[name] -= total / 2
    for _number in range(_RELAXATIONS):
        for column in columns:
            _relax(column, neighbours, y, height, bend)
        for column in reversed(columns):
            _relax(column, neighbours, y, height, bend)
    top = min((y[name] - _room(name, height, bend) / 2 for name in y),
              default=0.0)
    return {name: value - top for name, value in y.items()}


def _room(name: Hashable, height: float, bend: float) -> float:
    return bend if isinstance(name, tuple) else height


def _relax(column: list[Hashable],
           neighbours: Mapping[Hashable, list[Hashable]],
           y: dict[Hashable, float], height: float, bend: float) -> None:
    """Bring each name near its neighbours, keeping order and distance.

    Names that get too close form a block, which goes where its names want
    to be on average.
    """
    blocks: list[tuple[float, float, int, float]] = []
    offset = 0.0
    offsets = []
    for number, name in enumerate(column):
        if number:
            offset += (_room(column[number - 1], height, bend)
                       + _room(name, height, bend)) / 2
        offsets.append(offset)
        near = [y[each] for each in neighbours.get(name, ())]
        wish = (sum(near) / len(near) if near else y[name]) - offset
        weight = 4.0 if isinstance(name, tuple) else 1.0
        block = (wish * weight, weight, 1, wish)
        while blocks and blocks[-1][3] > block[3]:
            last = blocks.pop()
            total, weights = last[0] + block[0], last[1] + block[1]
            block = (total, weights, last[2] + block[2], total / weights)
        blocks.append(block)
    number = 0
    for _total, _weight, count, start in blocks:
        for name in column[number:number + count]:
            y[name] = start + offsets[number]
            number += 1
