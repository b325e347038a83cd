"""The rendezvous of a traversal: count what each node still waits for.

A node's row says how many of its predecessors are not done and whether it
is done itself. Settling a node happens in the transaction that records its
outcome and counts once, however often it is repeated. Rows that the peer
wrote collect the predecessors' data instead; take_over() turns those into
counts.
"""
import ast
import collections
from collections.abc import Collection, Iterable, Mapping
from typing import cast

from heat.engine import recorder
from heat.engine import stack_graph
from heat.engine import traversal
from heat.objects import stack as stack_object
from heat.objects import sync_point as sync_point_object
from heat.objects import transaction

Node = stack_graph.Node

_PEER_KEY = 'tuple:'
#: Counted in the row of a node that failed.
_NEVER = -1


def create(context, stack_id: str, traversal_id: str,
           graph: stack_graph.Graph, options: Mapping | None = None,
           done: Collection[Node] = frozenset()) -> None:
    """Insert a row for each node and one for the stack, in one go.

    :param options: facts about the operation, kept with the stack's row
    """
    # The stack's row counts nothing down, so it is never found ready.
    of_stack = _values(stack_id, traversal_id, (stack_id, True),
                       max(len(graph.roots()), 1), False)
    sync_point_object.SyncPoint.create_many(context, [
        _values(stack_id, traversal_id, *row)
        for row in counts(graph, done)] + [
        dict(of_stack, extra_data=dict(options or {}))])


def replace_all(context, stack_id: str, traversal_id: str,
                graph: stack_graph.Graph, options: Mapping,
                done: Collection[Node] = frozenset()) -> None:
    """Insert the rows of a traversal in place of those of earlier ones."""
    sync_point_object.SyncPoint.delete_all_by_stack(context, stack_id)
    create(context, stack_id, traversal_id, graph, options, done)


def of_stack(context, stack_id: str, traversal_id: str
             ) -> sync_point_object.SyncPoint | None:
    """Return the row of the stack itself; None when the walk is over."""
    return sync_point_object.SyncPoint.get_by_key(
        context, stack_id, traversal_id, True)


def set_options(context, stack_id: str, traversal_id: str,
                options: Mapping) -> bool:
    """Keep other facts about the operation; False when it is over."""
    return bool(sync_point_object.SyncPoint.update_many(
        context, traversal_id, [(stack_id, True)],
        {'extra_data': dict(options)}))


def counts(graph: stack_graph.Graph, done: Collection[Node] = frozenset()
           ) -> Iterable[tuple[Node, int, bool]]:
    """Yield (node, predecessors that are not done, is done)."""
    for node in graph:
        waits_for = sum(other not in done for other in graph.requires(node))
        yield node, waits_for, node in done


def ready_at_first(graph: stack_graph.Graph, done: Collection[Node]
                   ) -> list[Node]:
    """Return the nodes that can be visited when a traversal begins."""
    return [node for node, waits_for, is_done in counts(graph, done)
            if not waits_for and not is_done]


def _values(stack_id: str, traversal_id: str,
            node: tuple[int | str, bool], pending: int, done: bool) -> dict:
    return {'stack_id': stack_id, 'traversal_id': traversal_id,
            'entity_id': str(node[0]), 'is_update': node[1],
            'pending': pending, 'done': done}


class Settlement:
    """A settlement on its way; outcome is there when it is written."""

    __slots__ = ('outcome', 'settle', 'traversal_id')

    def __init__(self, traversal_id: str, settle: traversal.Settle) -> None:
        self.traversal_id = traversal_id
        self.settle = settle
        self.outcome = traversal.Settled(first=False)


class SettledBefore(Exception):
    """A node of a batch was settled before; which, shows one by one."""


def settle(context, traversal_id: str,
           settle: traversal.Settle) -> Settlement:
    """Mark a node done and count it off from the nodes that wait for it.

    Belongs into the transaction that records the outcome of the node, and
    shares its statements with other nodes of the same batch. The statement
    that turns the node's row to done decides by its row count who does the
    counting, so a repetition changes nothing.
    """
    settlement = Settlement(traversal_id, settle)
    if not recorder.defer(_settle_all, settlement):
        _settle_all(context, [settlement])
    return settlement


def _settle_all(context, settlements: list[Settlement]) -> None:
    by_traversal: dict[str, list[Settlement]] = {}
    for one in settlements:
        by_traversal.setdefault(one.traversal_id, []).append(one)
    for traversal_id, some in sorted(by_traversal.items()):
        _settle_some(context, traversal_id, some)


def _settle_some(context, traversal_id: str,
                 settlements: list[Settlement]) -> None:
    rows = sync_point_object.SyncPoint
    finished = rows.finish(context, traversal_id,
                           [one.settle.node for one in settlements])
    if finished < len(settlements):
        if len(settlements) > 1:
            raise SettledBefore()
        return
    counted: collections.Counter[tuple[int | str, bool]]
    counted = collections.Counter(
        node for one in settlements for node in one.settle.waiting)
    fresh: set[Node] = set()
    if counted:
        fresh = {node_from_key(key) for key in
                 rows.satisfy(context, traversal_id, counted)}
    for one in settlements:
        mine = tuple(node for node in one.settle.waiting if node in fresh)
        fresh -= set(mine)
        one.outcome = traversal.Settled(first=True, ready=mine)


def node_from_key(key: tuple[int | str, bool]) -> Node:
    """Return the node of a stored key; ids of resource rows are numbers."""
    entity, is_update = key
    if isinstance(entity, str) and entity.isdigit():
        entity = int(entity)
    return cast(Node, (entity, bool(is_update)))


def ready(context, traversal_id: str, limit: int | None = None,
          among: Collection[Node] | None = None) -> list[Node]:
    """Return nodes that wait for nothing and are not done.

    :param among: only these nodes are asked about
    """
    return [node_from_key(key) for key in sync_point_object.SyncPoint.ready(
        context, traversal_id, limit, among)]


def write_note(context, traversal_id: str, node: Node,
               note: Mapping | None) -> None:
    """Keep how far the visit of a node is, for whoever takes it over."""
    sync_point_object.SyncPoint.update_many(
        context, traversal_id, [node],
        {'extra_data': None if note is None else dict(note)})


def note_of(context, traversal_id: str, node: Node) -> Mapping | None:
    """Return what write_note() kept; None when there is nothing."""
    point = sync_point_object.SyncPoint.get_by_key(
        context, node[0], traversal_id, node[1])
    return point.extra_data or None if point is not None else None


def withdraw(context, traversal_id: str, node: Node) -> None:
    """Let nobody find a node ready any more; it will not be done."""
    sync_point_object.SyncPoint.update_many(
        context, traversal_id, [node], {'pending': _NEVER})


def take_over(context, stack_id: str, traversal_id: str,
              graph: stack_graph.Graph) -> bool:
    """Turn a traversal that the peer left half-way into counts.

    Return whether the traversal is there and current. The stack's row is
    touched first: that makes two engines do this one after the other.
    """
    def convert() -> bool:
        if not stack_object.Stack.select_and_update(
                context, stack_id, {'current_traversal': traversal_id},
                {'current_traversal': traversal_id}):
            return False
        rows = sync_point_object.SyncPoint.get_all_by_traversal(
            context, traversal_id)
        if all(row.pending is not None for row in rows):
            return bool(rows)
        done = done_from_inputs(row.input_data for row in rows)
        sync_point_object.SyncPoint.delete_all_by_stack(context, stack_id)
        create(context, stack_id, traversal_id, graph, done=done)
        return True

    return transaction.run(context, convert)


def done_from_inputs(inputs: Iterable[Mapping | None]) -> frozenset[Node]:
    """Return the nodes whose results the peer handed on to any other.

    A node whose results did not get that far is visited again, which finds
    nothing to do.
    """
    return frozenset(_node_from_peer(key)
                     for data in inputs
                     for key in (data or {}).get('input_data') or ())


def _node_from_peer(key: str) -> Node:
    entity, is_update, *_type = ast.literal_eval(
        key.removeprefix(_PEER_KEY))
    return entity, bool(is_update)
