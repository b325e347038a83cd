"""A graph of things that require other things, and its orders.

Nodes are any hashable values. Every order is the same each time: among
nodes that are equally ready, the one named first comes first.
"""
import collections
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from heat.common import exception


class Node:
    """The nodes that one node requires and those that require it, in order.

    `requirements` and `dependents` have them as keys; only the methods change
    these.
    """

    __slots__ = ('dependents', 'requirements')

    def __init__(self, requires: Iterable[Any] = (),
                 required_by: Iterable[Any] = ()) -> None:
        self.requirements = dict.fromkeys(requires)
        self.dependents = dict.fromkeys(required_by)

    def copy(self) -> 'Node':
        """Return a node of its own with the same edges."""
        return Node(self.requirements, self.dependents)

    def reverse_copy(self) -> 'Node':
        """Return a node with both directions exchanged."""
        return Node(self.dependents, self.requirements)

    def requires(self, target: Any = None) -> Iterator[Any]:
        """Record that this requires target, if given; yield all it needs."""
        if target is not None:
            self.requirements[target] = None
        return iter(tuple(self.requirements))

    def required_by(self, source: Any = None) -> Iterator[Any]:
        """Record that source requires this, if given; yield all that do."""
        if source is not None:
            self.dependents[source] = None
        return iter(tuple(self.dependents))

    def disjoint(self) -> bool:
        """Return whether the node has no edge at all."""
        return not self.requirements and not self.dependents

    def satisfy(self, target: Any) -> None:
        """Forget that this requires target."""
        self.requirements.pop(target, None)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.requirements)

    def __len__(self) -> int:
        """Return how much this still requires."""
        return len(self.requirements)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return (self.requirements == other.requirements and
                self.dependents == other.dependents)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return 'Node(requires=%r, required_by=%r)' % (
            list(self.requirements), list(self.dependents))


class Graph(dict[Any, Node]):
    """A mapping of node -> its edges that is consumed or copied.

    A node that is looked up is added. Deleting one satisfies all that
    required it, so a walk is "take what requires nothing, then delete it".
    """

    def __missing__(self, key: Any) -> Node:
        node = self[key] = Node()
        return node

    def __delitem__(self, key: Any) -> None:
        node = self[key]
        for dependent in node.required_by():
            if dependent in self:
                self[dependent].satisfy(key)
        super().__delitem__(key)

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a node, satisfying what required it; return its edges."""
        if key not in self:
            if default:
                return default[0]
            raise KeyError(key)
        node = self[key]
        del self[key]
        return node

    def copy(self) -> 'Graph':
        """Return a graph of its own with the same edges."""
        return Graph((key, node.copy()) for key, node in self.items())

    def reverse_copy(self) -> 'Graph':
        """Return a graph in which every edge points the other way."""
        return Graph((key, node.reverse_copy())
                     for key, node in self.items())

    def map(self, func: Callable[[Node], Any]) -> dict[Any, Any]:
        """Return a dict of each node's key -> func(its edges)."""
        return {key: func(node) for key, node in self.items()}

    def edges(self) -> Iterator[tuple[Any, Any]]:
        """Yield (requirer, required); (node, None) if it has no edge."""
        for key, node in self.items():
            if node.disjoint():
                yield key, None
            for required in node.requires():
                yield key, required

    @staticmethod
    def toposort(graph: 'Graph') -> Iterator[Any]:
        """Yield every node after all that it requires; leave graph alone.

        Cost is linear in nodes and edges.
        """
        missing = {key: len(node.requirements)
                   for key, node in graph.items()}
        ready = collections.deque(
            key for key, count in missing.items() if not count)
        done = 0
        while ready:
            key = ready.popleft()
            done += 1
            yield key
            for dependent in graph[key].dependents:
                missing[dependent] -= 1
                if not missing[dependent]:
                    ready.append(dependent)
        if done != len(missing):
            names = _cycle(graph, missing)
            raise exception.CircularDependencyException(
                cycle=' -> '.join(names), names=names)


def _cycle(graph: Graph, missing: dict[Any, int]) -> list[str]:
    """Return one cycle among the nodes that could not be ordered.

    Each of them requires another of them, so following the first such
    requirement must come back to a node seen before.
    """
    node = next(key for key, count in missing.items() if count)
    seen: dict[Any, int] = {}
    trail: list[Any] = []
    while node not in seen:
        seen[node] = len(trail)
        trail.append(node)
        node = next(required for required in graph[node].requirements
                    if missing[required])
    return [str(getattr(item, 'name', item))
            for item in (*trail[seen[node]:], node)]


class Dependencies:
    """Edges (requirer, required) between nodes.

    An edge (node, None) adds a node that requires nothing.
    """

    def __init__(self, edges: Iterable[tuple[Any, Any]] | None = None
                 ) -> None:
        self._graph = Graph()
        for edge in edges or ():
            self.__iadd__(edge)

    def __iadd__(self, edge: tuple[Any, Any]) -> 'Dependencies':
        """Add an edge (requirer, required)."""
        requirer, required = edge
        if required is None:
            # Touching the node adds it.
            self._graph[requirer].requires()
        else:
            self._graph[required].required_by(requirer)
            self._graph[requirer].requires(required)
        return self

    def __contains__(self, node: Hashable) -> bool:
        return node in self._graph

    def __len__(self) -> int:
        return len(self._graph)

    def nodes(self) -> Iterator[Any]:
        """Yield every node once, in the order they were first named."""
        return iter(self._graph)

    def required_by(self, last: Any) -> Iterator[Any]:
        """Yield what directly requires this node."""
        return self._edges_of(last).required_by()

    def requires(self, target: Any) -> Iterator[Any]:
        """Yield what this node directly requires."""
        return self._edges_of(target).requires()

    def _edges_of(self, node: Any) -> Node:
        if node not in self._graph:
            raise KeyError(node)
        return self._graph[node]

    def __getitem__(self, last: Any) -> 'Dependencies':
        """Return the part of the graph that requires last, and last."""
        self._edges_of(last)
        partial = Dependencies([(last, None)])
        waiting = collections.deque([last])
        seen = {last}
        while waiting:
            node = waiting.popleft()
            for dependent in self._graph[node].required_by():
                partial += (dependent, node)
                if dependent not in seen:
                    seen.add(dependent)
                    waiting.append(dependent)
        return partial

    def leaves(self) -> Iterator[Any]:
        """Yield the nodes that require nothing."""
        return (key for key, node in self._graph.items() if not node)

    def roots(self) -> Iterator[Any]:
        """Yield the nodes that nothing requires."""
        return (key for key, node in self._graph.items()
                if not node.dependents)

    def translate(self, transform: Callable[[Any], Any]) -> 'Dependencies':
        """Return the same graph over transform(node) for each node."""
        renamed = {key: transform(key) for key in self._graph}
        return Dependencies(
            (renamed[source],
             None if target is None else renamed[target])
            for source, target in self._graph.edges())

    def graph(self, reverse: bool = False) -> Graph:
        """Return a copy of the graph that the caller may consume."""
        if reverse:
            return self._graph.reverse_copy()
        return self._graph.copy()

    def __iter__(self) -> Iterator[Any]:
        """Yield each node after everything it requires."""
        return Graph.toposort(self._graph)

    def __reversed__(self) -> Iterator[Any]:
        """Yield each node after everything that requires it."""
        return Graph.toposort(self._graph.reverse_copy())

    def __str__(self) -> str:
        return 'Dependencies(%s)' % ', '.join(
            '%s: [%s]' % (key, ', '.join(map(str, node.requires())))
            for key, node in self._graph.items())

    def __repr__(self) -> str:
        return 'Dependencies(%r)' % list(self._graph.edges())
