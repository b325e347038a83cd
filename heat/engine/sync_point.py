"""The rendezvous of a traversal: count what each node still waits for.

A node's row says how many of its predecessors are not done and whether it
is done itself. Settling a node happens in the transaction that records its
outcome and counts once, however often it is repeated. Rows that the peer
wrote collect the predecessors' data instead; take_over() turns those into
counts.
"""
import ast
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping

from heat.engine import stack_graph
from heat.engine import traversal
from heat.objects import stack as stack_object
from heat.objects import sync_point as sync_point_object
from heat.objects import transaction

Node = stack_graph.Node

_PEER_KEY = 'tuple:'


def create(context, stack_id: str, traversal_id: str,
           graph: stack_graph.Graph,
           done: Collection[Node] = frozenset()) -> None:
    """Insert a row for each node and one for the stack, in one go."""
    rows = sync_point_object.SyncPoint
    rows.create_many(context, [
        _values(stack_id, traversal_id, *row)
        for row in counts(graph, done)] + [
        _values(stack_id, traversal_id, (stack_id, True),
                len(graph.roots()), False)])


def counts(graph: stack_graph.Graph, done: Collection[Node] = frozenset()
           ) -> Iterable[tuple[Node, int, bool]]:
    """Yield (node, predecessors that are not done, is done)."""
    for node in graph:
        waits_for = sum(other not in done for other in graph.requires(node))
        yield node, waits_for, node in done


def _values(stack_id: str, traversal_id: str, node: Node, pending: int,
            done: bool) -> dict:
    return {'stack_id': stack_id, 'traversal_id': traversal_id,
            'entity_id': str(node[0]), 'is_update': node[1],
            'atomic_key': 0, 'input_data': {}, 'pending': pending,
            'done': done}


def settle(context, traversal_id: str,
           settle: traversal.Settle) -> traversal.Settled:
    """Mark a node done and count it off from the nodes that wait for it.

    Belongs into the transaction that records the outcome of the node. The
    one statement that turns the node's row to done decides by its row count
    who does the counting, so a repetition changes nothing.
    """
    rows = sync_point_object.SyncPoint
    if not rows.finish(context, traversal_id, [settle.node]):
        return traversal.Settled(first=False)
    ready = (rows.satisfy(context, traversal_id,
                          dict.fromkeys(settle.waiting, 1))
             if settle.waiting else ())
    return traversal.Settled(first=True,
                             ready=tuple(node_from_key(key) for key in ready))


def node_from_key(key: tuple[int | str, bool]) -> Node:
    """Return the node of a stored key; ids of resource rows are numbers."""
    entity, is_update = key
    if isinstance(entity, str) and entity.isdigit():
        entity = int(entity)
    return entity, bool(is_update)


def ready(context, traversal_id: str, limit: int) -> list[Node]:
    """Return nodes that wait for nothing and are not done."""
    return [node_from_key(key) for key in
            sync_point_object.SyncPoint.ready(context, traversal_id, limit)]


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
        create(context, stack_id, traversal_id, graph, done)
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
