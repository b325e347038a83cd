"""Which node of a stack waits for which.

A definition gives a graph of resource names; a convergence operation walks
a graph of nodes, (row id, is_update), over the rows that exist and the
definition that is wanted. Nothing here reads or writes anything.
"""
import collections
from collections.abc import Callable, Iterable, Iterator, Mapping
import contextlib
import typing
from typing import Any

from heat.engine import dependencies
from heat.engine import status

#: A place in a convergence graph: the id of a resource row and whether the
#: node brings it to its definition (True) or clears it away (False).
Node = tuple[int, bool]

_MATCHES_TARGET = 10
_MATCHES_PREVIOUS = 5
_IS_REPLACED = -1
_IS_FAILED = -30
_IS_DELETED = -50


class Row(typing.Protocol):
    """The columns of a stored resource that the graph needs."""

    id: int
    name: str
    action: str | None
    status: str | None
    current_template_id: int | None
    requires: list[int] | None
    replaces: int | None
    replaced_by: int | None


class StackGraph:
    """Which node requires which; immutable, compact and quick to ask."""

    __slots__ = ('_required_by', '_requires')

    def __init__(self, requirements: Mapping[Node, Iterable[Node]]) -> None:
        """Build from node -> nodes it requires; these may be new nodes."""
        requires = {node: tuple(dict.fromkeys(needed))
                    for node, needed in requirements.items()}
        required_by: dict[Node, list[Node]] = {node: [] for node in requires}
        for node, needed in requires.items():
            for other in needed:
                required_by.setdefault(other, []).append(node)
        for node in required_by:
            requires.setdefault(node, ())
        self._requires = requires
        self._required_by = {node: tuple(waiting)
                             for node, waiting in required_by.items()}

    def __contains__(self, node: object) -> bool:
        return node in self._requires

    def __iter__(self) -> Iterator[Node]:
        return iter(self._requires)

    def __len__(self) -> int:
        return len(self._requires)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StackGraph):
            return NotImplemented
        return ({n: set(r) for n, r in self._requires.items()} ==
                {n: set(r) for n, r in other._requires.items()})

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return '\n'.join(sorted(
            f'{_node_text(node)} <- {", ".join(map(_node_text, needed))}'
            if needed else _node_text(node)
            for node, needed in self._requires.items()))

    def requires(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that must be done before this one."""
        return self._requires[node]

    def required_by(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that wait for this one."""
        return self._required_by[node]

    def leaves(self) -> list[Node]:
        """Return the nodes that require nothing: the walk begins there."""
        return [node for node, needed in self._requires.items() if not needed]

    def roots(self) -> list[Node]:
        """Return the nodes nothing waits for: the walk ends there."""
        return [node for node, waiting in self._required_by.items()
                if not waiting]

    def pending(self) -> dict[Node, int]:
        """Return how many other nodes each node waits for."""
        return {node: len(needed) for node, needed in self._requires.items()}

    def edges(self) -> Iterator[tuple[Node, Node | None]]:
        """Yield (node, required); a node without any edge has None."""
        for node, needed in self._requires.items():
            for other in needed:
                yield node, other
            if not needed and not self._required_by[node]:
                yield node, None


def _node_text(node: Node) -> str:
    return f'{node[0]}{"" if node[1] else " cleanup"}'


def graph_to_deps(graph: StackGraph) -> dict[str, list[Any]]:
    """Return the form in which a stack row stores its graph."""
    return {'edges': [[list(node), None if other is None else list(other)]
                      for node, other in graph.edges()]}


def graph_from_deps(deps: Mapping[str, Any] | None) -> StackGraph:
    """Read the stored form, also with node types, as the peer writes it."""
    requirements: dict[Node, list[Node]] = {}
    for node, other in (deps or {}).get('edges') or ():
        needed = requirements.setdefault(_node_from_json(node), [])
        if other is not None:
            needed.append(_node_from_json(other))
    return StackGraph(requirements)


def _node_from_json(item: list[Any]) -> Node:
    return item[0], bool(item[1])


def definition_dependencies(
        resources: Iterable[Any], *, ignore_errors: bool = False,
        noting: Callable[[typing.Any], typing.Any] | None = None,
        ) -> dependencies.Dependencies:
    """Return the dependencies between the resources of a definition.

    Explicit ones come from the definition, implicit ones from the plugin.
    A stored stack has been validated, so its plugins' errors are ignored.

    :param noting: returns a context for what is asked of a resource.
    """
    deps = dependencies.Dependencies()
    for resource in resources:
        deps += (resource, None)
        with noting(resource) if noting else contextlib.nullcontext():
            resource.add_explicit_dependencies(deps)
            try:
                resource.add_dependencies(deps)
            except Exception:
                if not ignore_errors:
                    raise
    return deps


def needs(deps: dependencies.Dependencies) -> dict[str, list[str]]:
    """Return the names of the resources that each resource requires.

    Each resource comes after those that it requires.
    """
    return {resource.name: [other.name for other in deps.requires(resource)]
            for resource in deps}


def best_rows(rows: Iterable[Row], target_template_id: int | None,
              previous_template_id: int | None) -> dict[str, Row]:
    """Choose for each name the row that an operation starts from.

    The row that already follows the wanted template is best, then one of
    the template before; failed and deleted ones only when nothing else is
    there. The newest of equals is taken.
    """
    def rank(row: Row) -> tuple[int, int]:
        return score(row, target_template_id, previous_template_id), row.id

    best: dict[str, Row] = {}
    for row in rows:
        known = best.get(row.name)
        if known is None or rank(row) > rank(known):
            best[row.name] = row
    return best


def score(row: Row, target_template_id: int | None,
          previous_template_id: int | None) -> int:
    """Say how well a row serves as the start for its name."""
    points = 0
    if row.current_template_id is not None:
        if row.current_template_id == target_template_id:
            points += _MATCHES_TARGET
        elif row.current_template_id == previous_template_id:
            points += _MATCHES_PREVIOUS
    if row.replaced_by is not None:
        points += _IS_REPLACED
    if row.status == status.ResourceStatus.FAILED:
        points += _IS_FAILED
    if row.action == status.ResourceStatus.DELETE:
        points += _IS_DELETED
    return points


def is_gone(row: Row) -> bool:
    """Return whether only the row is left of a resource that was deleted."""
    return (row.action == status.ResourceStatus.DELETE and
            row.status == status.ResourceStatus.COMPLETE)


def walk_graph(required_ids: Mapping[int, Iterable[int]], *,
               reverse: bool = False) -> StackGraph:
    """Return the graph of an operation that visits each row once."""
    requirements: dict[Node, list[Node]] = {
        (row_id, True): [] for row_id in required_ids}
    for row_id, needed in required_ids.items():
        for other in needed:
            first, then = (row_id, other) if reverse else (other, row_id)
            requirements[then, True].append((first, True))
    return StackGraph(requirements)


def convergence_graph(required_ids: Mapping[int, Iterable[int]],
                      existing: Iterable[Row],
                      before: StackGraph | None = None) -> StackGraph:
    """Return the graph that leads from the existing rows to a definition.

    required_ids maps the row of each wanted resource to the rows it needs.
    before is the graph of an operation that did not come to its end: what
    it has in hand may need more than is stored.
    With b requiring a, both existing, and a replaced on the way:

        b cleanup -> b -> a        (-> means "waits for")
        a cleanup -> b cleanup
        a cleanup -> a

    so the old a goes when b has let go of it. Clean-up edges that would
    close a circle, which interrupted operations can leave behind, are left
    out: the stored requirements matter more than the order of replacement.
    """
    rows = {row.id: row for row in existing}
    requirements: dict[Node, list[Node]] = {
        (row_id, True): [(other, True) for other in needed]
        for row_id, needed in required_ids.items()}
    for row_id in rows:
        requirements[row_id, False] = (
            [(row_id, True)] if row_id in required_ids else [])
    edges = [*_requirement_edges(rows), *_interrupted_edges(rows, before),
             *_replacement_edges(rows)]
    for waiting, first in _without_circles(edges):
        requirements[waiting, False].append((first, False))
    return StackGraph(requirements)


def _requirement_edges(rows: Mapping[int, Row]) -> Iterator[tuple[int, int]]:
    """Yield (row, row that is cleaned up before it): users go first."""
    for row in rows.values():
        for needed in row.requires or ():
            if needed in rows and needed != row.id:
                yield needed, row.id


def _interrupted_edges(rows: Mapping[int, Row], before: StackGraph | None
                       ) -> Iterator[tuple[int, int]]:
    """Yield the same for what an interrupted operation was making."""
    if before is None:
        return
    for node in before:
        if node[1] and node[0] in rows:
            for needed, is_update in before.requires(node):
                if is_update and needed in rows:
                    yield needed, node[0]


def _replacement_edges(rows: Mapping[int, Row]) -> Iterator[tuple[int, int]]:
    """Yield (replacement, row it replaces): the elder goes first."""
    for row in rows.values():
        elder = row.replaces
        if elder is not None and elder in rows and elder != row.id:
            yield row.id, elder


def _without_circles(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Drop each edge that would close a circle with the ones before it."""
    tangled = _tangled(edges)
    if not tangled:
        return edges
    kept: dict[int, set[int]] = {}
    result = []
    for waiting, first in edges:
        if waiting in tangled and first in tangled:
            if _reaches(kept, first, waiting):
                continue
            kept.setdefault(waiting, set()).add(first)
        result.append((waiting, first))
    return result


def _tangled(edges: list[tuple[int, int]]) -> set[int]:
    """Return the ids that no order of the edges can reach."""
    waits_for = collections.Counter(waiting for waiting, _first in edges)
    followers: dict[int, list[int]] = {}
    for waiting, first in edges:
        followers.setdefault(first, []).append(waiting)
    ready = [item for item in followers if not waits_for[item]]
    while ready:
        for waiting in followers.get(ready.pop(), ()):
            waits_for[waiting] -= 1
            if not waits_for[waiting]:
                ready.append(waiting)
    return {item for item, count in waits_for.items() if count}


def _reaches(kept: Mapping[int, set[int]], start: int, goal: int) -> bool:
    seen = {start}
    todo = [start]
    while todo:
        item = todo.pop()
        if item == goal:
            return True
        fresh = kept.get(item, set()) - seen
        seen |= fresh
        todo.extend(fresh)
    return False
