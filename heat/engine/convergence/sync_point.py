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
import dataclasses
import itertools
from typing import Any, cast

from heat.common import context as heat_context
from heat.engine.convergence import transitions
from heat.engine.stacks import graph as stack_graph
from heat.engine.tasks import group_commit
from heat.objects import stack as stack_object
from heat.objects import sync_point as sync_point_object
from heat.objects import transaction

Node = stack_graph.Node

_PEER_KEY = 'tuple:'
#: Counted in the row of a node that failed.
_NEVER = -1


@dataclasses.dataclass(frozen=True, slots=True)
class Points:
    """The values of which the sync points of a traversal are made.

    :ivar options: facts about the operation, kept with the stack's row
    :ivar done: nodes that need no visit
    """

    stack_id: str
    traversal_id: str
    graph: stack_graph.StackGraph
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    done: Collection[Node] = frozenset()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each node and one for the stack."""
        # The stack's row counts nothing down, so it is never found ready.
        of_stack = _values(self.stack_id, self.traversal_id,
                           (self.stack_id, True),
                           max(len(self.graph.roots()), 1), False)
        return [_values(self.stack_id, self.traversal_id, *row)
                for row in counts(self.graph, self.done)] + [
            dict(of_stack, extra_data=dict(self.options))]


def create(context: heat_context.RequestContext, *traversals: Points) -> None:
    """Insert the rows of traversals, in one go."""
    sync_point_object.SyncPoint.create_many(
        context, [row for points in traversals for row in points.rows()])


def replace_all(context: heat_context.RequestContext,
                traversals: Collection[Points], stack_ids: Collection[str]
                ) -> None:
    """Insert the rows of traversals in place of those of earlier ones.

    :param stack_ids: the stacks that may have had any
    """
    if stack_ids:
        sync_point_object.SyncPoint.delete_all_of_stacks(context, stack_ids)
    if traversals:
        create(context, *traversals)


def of_stack(context: heat_context.RequestContext, stack_id: str,
             traversal_id: str | None) -> sync_point_object.SyncPoint | None:
    """Return the row of the stack itself; None when the walk is over."""
    if traversal_id is None:
        return None
    return sync_point_object.SyncPoint.get_by_key(
        context, stack_id, traversal_id, True)


def of_stacks(context: heat_context.RequestContext,
              traversals: Mapping[str, str]
              ) -> dict[str, sync_point_object.SyncPoint]:
    """Return the rows of stacks themselves.

    :param traversals: the current one of each stack, by stack id
    """
    return {point.stack_id: point for point in
            sync_point_object.SyncPoint.get_all_by_key(
                context, traversals.values(),
                [(stack_id, True) for stack_id in traversals])}


def ready_of_many(context: heat_context.RequestContext,
                  traversal_ids: Collection[str]
                  ) -> dict[str, frozenset[Node]]:
    """Return nodes that wait for nothing and are not done, by traversal."""
    found: dict[str, set[Node]] = {}
    for traversal_id, key in sync_point_object.SyncPoint.ready_of_many(
            context, traversal_ids):
        found.setdefault(traversal_id, set()).add(node_from_key(key))
    return {traversal_id: frozenset(nodes)
            for traversal_id, nodes in found.items()}


def set_options(context: heat_context.RequestContext, stack_id: str,
                traversal_id: str, options: Mapping[str, Any]) -> bool:
    """Keep other facts about the operation; False when it is over."""
    return bool(sync_point_object.SyncPoint.update_many(
        context, traversal_id, [(stack_id, True)],
        {'extra_data': dict(options)}))


def counts(graph: stack_graph.StackGraph, done: Collection[Node] = frozenset()
           ) -> Iterable[tuple[Node, int, bool]]:
    """Yield (node, predecessors that are not done, is done)."""
    for node in graph:
        waits_for = sum(other not in done for other in graph.requires(node))
        yield node, waits_for, node in done


def ready_at_first(graph: stack_graph.StackGraph, done: Collection[Node]
                   ) -> list[Node]:
    """Return the nodes that can be visited when a traversal begins."""
    return [node for node, waits_for, is_done in counts(graph, done)
            if not waits_for and not is_done]


def _values(stack_id: str, traversal_id: str, node: tuple[int | str, bool],
            pending: int, done: bool) -> dict[str, Any]:
    return {'stack_id': stack_id, 'traversal_id': traversal_id,
            'entity_id': str(node[0]), 'is_update': node[1],
            'pending': pending, 'done': done}


class FinishRequest:
    """A node to be finished by a batch; `outcome` holds when it is written."""

    __slots__ = ('outcome', 'instruction', 'stack_id', 'traversal_id')

    def __init__(self, stack_id: str, traversal_id: str,
                 instruction: transitions.FinishNode) -> None:
        self.stack_id = stack_id
        self.traversal_id = traversal_id
        self.instruction = instruction
        self.outcome = transitions.Finished(first=False)


class FinishedBefore(Exception):
    """A node of a batch was finished before; which, shows one by one."""


def finish_node(context: heat_context.RequestContext, stack_id: str,
                traversal_id: str, instruction: transitions.FinishNode
                ) -> FinishRequest:
    """Mark a node done and count it off from the nodes that wait for it.

    Belongs into the transaction that records the outcome of the node, and
    shares its statements with other nodes of the same batch. The statement
    that turns the node's row to done decides by its row count who does the
    counting, so a repetition changes nothing.
    """
    request = FinishRequest(stack_id, traversal_id, instruction)
    if not group_commit.defer(_finish_all, request):
        _finish_all(context, [request])
    return request


def _finish_all(context: heat_context.RequestContext,
                requests: list[FinishRequest]) -> None:
    by_traversal: dict[str, list[FinishRequest]] = {}
    for certain in _apart([one for one in requests
                           if one.instruction.certain]):
        if len(certain) > 1:
            _finish_certain(context, certain)
        else:
            _finish_one(context, certain[0])
    for one in requests:
        if not one.instruction.certain:
            by_traversal.setdefault(one.traversal_id, []).append(one)
    for traversal_id, some in sorted(by_traversal.items()):
        _settle_some(context, traversal_id, some)


def _apart(requests: list[FinishRequest]) -> Iterable[list[FinishRequest]]:
    """Share requests out so that no stack is in a part twice.

    The traversals of a stack have the same nodes: one that has ended
    meanwhile must not finish those of the one that overtook it.
    """
    of_stacks: dict[str, dict[str, list[FinishRequest]]] = {}
    for one in requests:
        of_stacks.setdefault(one.stack_id, {}).setdefault(
            one.traversal_id, []).append(one)
    for parts in itertools.zip_longest(*(
            traversals.values() for traversals in of_stacks.values()),
            fillvalue=()):
        yield [one for part in parts for one in part]


def _settle_some(context: heat_context.RequestContext, traversal_id: str,
                 requests: list[FinishRequest]) -> None:
    rows = sync_point_object.SyncPoint
    finished = rows.finish(context, [traversal_id],
                           [one.instruction.node for one in requests])
    if finished < len(requests):
        if len(requests) > 1:
            raise FinishedBefore()
        return
    counted: collections.Counter[tuple[int | str, bool]]
    counted = collections.Counter(
        node for one in requests for node in one.instruction.waiting)
    fresh: set[Node] = set()
    if counted:
        fresh = {node_from_key(key) for key in
                 rows.satisfy(context, traversal_id, counted)}
    for one in requests:
        mine = tuple(node for node in one.instruction.waiting if node in fresh)
        fresh -= set(mine)
        one.outcome = transitions.Finished(first=True, ready=mine)


def _finish_certain(context: heat_context.RequestContext,
                    requests: list[FinishRequest]) -> None:
    """Finish nodes of traversals that others wait for alone.

    Ids of resource rows tell the traversals of different stacks apart;
    there is none of the same stack.
    """
    rows = sync_point_object.SyncPoint
    traversals = {one.traversal_id for one in requests}
    finished = rows.finish(context, traversals,
                           [one.instruction.node for one in requests])
    if finished < len(requests):
        raise FinishedBefore()
    waiting = [node for one in requests for node in one.instruction.waiting]
    if waiting:
        rows.release(context, traversals, waiting)
    for one in requests:
        one.outcome = transitions.Finished(
            first=True, ready=one.instruction.waiting)


def _finish_one(context: heat_context.RequestContext, one: FinishRequest
                ) -> None:
    """Finish a node that others wait for alone, by one statement."""
    instruction = one.instruction
    if instruction.waiting:
        first = sync_point_object.SyncPoint.finish_one(
            context, one.traversal_id, instruction.node, instruction.waiting)
    else:
        first = bool(sync_point_object.SyncPoint.finish(
            context, [one.traversal_id], [instruction.node]))
    if first:
        one.outcome = transitions.Finished(
            first=True, ready=instruction.waiting)


def node_from_key(key: tuple[int | str, bool]) -> Node:
    """Return the node of a stored key; ids of resource rows are numbers."""
    entity, is_update = key
    if isinstance(entity, str) and entity.isdigit():
        entity = int(entity)
    return cast(Node, (entity, bool(is_update)))


def ready(context: heat_context.RequestContext, traversal_id: str,
          limit: int | None = None, among: Collection[Node] | None = None
          ) -> list[Node]:
    """Return nodes that wait for nothing and are not done.

    :param among: only these nodes are asked about
    """
    return [node_from_key(key) for key in sync_point_object.SyncPoint.ready(
        context, traversal_id, limit, among)]


def write_note(context: heat_context.RequestContext, traversal_id: str,
               node: Node, note: Mapping[str, Any] | None) -> None:
    """Store the progress of the visit of a node, for a take-over."""
    sync_point_object.SyncPoint.update_many(
        context, traversal_id, [node],
        {'extra_data': None if note is None else dict(note)})


def note_of(context: heat_context.RequestContext, traversal_id: str, node: Node
            ) -> dict[str, Any] | None:
    """Return what write_note() kept; None when there is nothing."""
    point = sync_point_object.SyncPoint.get_by_key(
        context, node[0], traversal_id, node[1])
    return point.extra_data or None if point is not None else None


def withdraw(context: heat_context.RequestContext, traversal_id: str,
             node: Node) -> None:
    """Let nobody find a node ready any more; it will not be done."""
    sync_point_object.SyncPoint.update_many(
        context, traversal_id, [node], {'pending': _NEVER})


def take_over(context: heat_context.RequestContext, stack_id: str,
              traversal_id: str, graph: stack_graph.StackGraph) -> bool:
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
        sync_point_object.SyncPoint.delete_all_of_stacks(context, [stack_id])
        create(context, Points(stack_id, traversal_id, graph, done=done))
        return True

    return transaction.run(context, convert)


def done_from_inputs(inputs: Iterable[Mapping[str, Any] | None]
                     ) -> frozenset[Node]:
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
