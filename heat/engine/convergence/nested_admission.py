"""The limit on nested stacks that a process works on at the same time.

Each one that is loaded takes memory until its resources are done, or wait
for something outside. More of them at a time would not be ready any sooner.
"""
import heapq
import itertools
import threading
from typing import Any

from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import worklist
from heat.engine.convergence.worklist import NodeState
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import scheduler

Node = worklist.Node

#: The limit on nodes of nested stacks in hand; a stack counts for a few.
NODES = 200
#: For how many nodes the stack itself counts.
_STACK = 2
#: The limit below which nested stacks are worked on, however large.
STACKS = 8
#: What the keys begin with under which tasks wait for their turn.
_KIND = 'turn'


class NestedTurns:
    """Lets nodes that begin something of a nested stack wait for a turn.

    A stack that only waits for its resources counts for nothing, nor does
    one whose nodes all wait for a turn themselves: so whatever counts gets
    on, and the turns come. Those deepest down have them first, since the
    stacks above wait for them.

    :param pool: the task_pool.TaskPool that the tasks run in
    :param lock: the lock of who changes the states of nodes, too
    """

    def __init__(self, pool: task_pool.Pool, lock: threading.RLock) -> None:
        self._pool = pool
        self._lock = lock
        self._numbers = itertools.count()
        # What walks weigh, and how many stacks that are, by their ids.
        self._weights: dict[Any, tuple[int, int]] = {}
        # The sums of them, which each change of a node asks for.
        self._weight = self._stacks = 0
        self._waiting: list[Any] = []
        # What a nested stack weighs that is not known, by its depth: like
        # the last one when it began.
        self._expected: dict[int, int] = {}

    def take(self, walk: worklist.Walk, node: Node
             ) -> scheduler.TaskGenerator[None]:
        """A task to wait for the turn of a node, if it needs one."""
        if not _begins_nested(walk.state, node):
            return
        with self._lock:
            if walk.state_of(node) is NodeState.BEGINNING:
                # It has come back for a replacement, and would wait for
                # itself.
                return
            if self._has_room(walk):
                walk.begin_nested(node)
                self.count(walk)
                return
            walk.block(node)
            number = next(self._numbers)
            entry = (-walk.state.stack.nested_depth, number, walk, node)
            heapq.heappush(self._waiting, entry)
            self.count(walk)
        try:
            # What is too late is told so when it is visited.
            yield scheduler.WaitFor((_KIND, number),
                                    walk.state.stack.time_remaining())
        finally:
            with self._lock:
                if entry in self._waiting:
                    self._waiting.remove(entry)
                    heapq.heapify(self._waiting)
                    walk.unblock(node)
                    self.count(walk)

    def count(self, walk: worklist.Walk) -> None:
        """See how much of nested stacks a walk has in hand.

        To be called whenever one of its nodes begins, waits or ends.
        """
        with self._lock:
            stacks = walk.number(NodeState.BEGINNING)
            weight = stacks * self._expectation(walk)
            stack = walk.state.stack
            nodes = walk.number(NodeState.TAKEN, NodeState.ACTING)
            if stack.owner_id is not None and (
                    nodes or walk.number(NodeState.READING)):
                weight, stacks = weight + _STACK + nodes, stacks + 1
                if walk.state.id not in self._weights:
                    self._expected[stack.nested_depth] = _STACK + nodes
            self._weigh(walk.state.id, weight, stacks)
            while self._waiting and self._has_room(self._waiting[0][2]):
                _depth, number, other, node = heapq.heappop(self._waiting)
                other.begin_nested(node)
                self.count(other)
                self._pool.wake((_KIND, number))

    def _expectation(self, walk: worklist.Walk) -> int:
        return self._expected.get(walk.state.stack.nested_depth + 1,
                                  NODES // STACKS + 1)

    def _weigh(self, walk_id: Any, weight: int, stacks: int) -> None:
        """Note what a walk weighs now, and how many stacks that are."""
        old_weight, old_stacks = self._weights.pop(walk_id, (0, 0))
        if stacks:
            self._weights[walk_id] = weight, stacks
        self._weight += weight - old_weight
        self._stacks += stacks - old_stacks

    def _has_room(self, walk: worklist.Walk) -> bool:
        return (self._stacks < STACKS or
                self._weight + self._expectation(walk) <= NODES)


def _begins_nested(state: traversal_state.TraversalState, node: Node) -> bool:
    """Return whether a visit of a node begins something of a nested stack."""
    if not node[1] and state.is_wanted(node):
        return False
    return hasattr(type(state.resource_of(node)), 'handlers_only_begin')
