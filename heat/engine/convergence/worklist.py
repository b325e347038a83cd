"""The nodes of a traversal that one process has in hand, and their states.

Each node has one state. It changes through Walk only, along the moves in
MOVES, while the caller holds the lock of the runner.
"""
import collections
from collections.abc import Collection, Iterable, Iterator
import dataclasses
import enum
import itertools
from typing import Any

#: A node of the graph: (row id, whether it is to be created or updated).
Node = tuple[Any, bool]


class Visits:
    """The nodes that tasks of this process visit.

    Also for traversals that are over: as long as a task runs, what it holds
    is in its hands.
    """

    def __init__(self) -> None:
        self._visits: dict[object, tuple[Any, Node]] = {}

    def begin(self, state: Any, node: Node) -> object:
        """Note a visit; return what end() takes."""
        visit = object()
        self._visits[visit] = state, node
        return visit

    def end(self, visit: object) -> None:
        """Note that a visit has ended."""
        self._visits.pop(visit, None)

    def rows(self) -> set[Any]:
        """Return the ids of the rows that are worked on."""
        return {row_id for state, (key, _update) in
                list(self._visits.values())
                for row_id in (key, state.actual_id(key))}


class NodeState(enum.Enum):
    """The state of a node of a traversal in this process."""

    #: Ready; its turn comes when the share of the stack allows.
    QUEUED = enum.auto()
    #: Ready, but a node it depends on has yet to publish its results.
    AWAITING_INPUTS = enum.auto()
    #: Queued; its row is being read before its turn comes.
    READING = enum.auto()
    #: In hand, before its visit: its row may have to be read first.
    TAKEN = enum.auto()
    #: Visited, and needs a thread.
    ACTING = enum.auto()
    #: Visited; waits for its turn to begin something of a nested stack.
    BLOCKED = enum.auto()
    #: Visited; begins something of a nested stack.
    BEGINNING = enum.auto()
    #: Visited; waits for something outside and needs no thread.
    WAITING = enum.auto()
    #: The outcome of the visit is stored; what follows is seen to.
    FINISHED = enum.auto()
    #: Other engines were asked to visit it.
    DELEGATED = enum.auto()

    #: Identity suffices, and Enum hashes the name, in Python.
    __hash__ = object.__hash__


S = NodeState

#: A task of this process works on the node, or is about to.
RUNNING = frozenset((S.TAKEN, S.ACTING, S.BLOCKED, S.BEGINNING, S.WAITING,
                     S.FINISHED))
#: The outcome of the node is not stored yet.
OPEN = RUNNING - {S.FINISHED}
#: The node counts against the share of its stack of nodes in flight.
OCCUPYING = OPEN - {S.WAITING}
#: The node waits in this process for its turn.
_IN_QUEUE = frozenset((S.QUEUED, S.AWAITING_INPUTS, S.READING))

#: The moves of a node, with what brings each about. None is a node that the
#: process knows nothing of.
MOVES: dict[tuple[NodeState | None, NodeState | None], str] = {
    (None, S.QUEUED): 'it became ready',
    (None, S.AWAITING_INPUTS): 'it became ready by a commit, and the node '
                               'that wrote it has yet to publish its results',
    (None, S.TAKEN): 'it is taken over from an engine that is gone, or a '
                     'node that it waits for is about to be recorded',
    (S.DELEGATED, S.QUEUED): 'it was sent back, or nobody took it up',
    (S.DELEGATED, S.AWAITING_INPUTS): 'as for QUEUED',
    (S.DELEGATED, S.TAKEN): 'the engine that had it is gone',
    (S.AWAITING_INPUTS, S.QUEUED): 'what it depends on has been published',
    (S.AWAITING_INPUTS, S.AWAITING_INPUTS): 'something else has yet to be '
                                            'published',
    (S.AWAITING_INPUTS, None): 'the traversal is over',
    (S.QUEUED, S.TAKEN): 'its turn has come',
    (S.QUEUED, S.READING): 'rows are read for many nodes at once',
    (S.QUEUED, S.DELEGATED): 'other engines have room',
    (S.QUEUED, None): 'the traversal is over',
    (S.READING, S.QUEUED): 'its row has been read',
    (S.READING, None): 'it is not ready, or the traversal is over',
    (S.TAKEN, S.ACTING): 'its visit begins',
    (S.TAKEN, None): 'it is not ready after all',
    (S.ACTING, S.BLOCKED): 'enough nested stacks are worked on',
    (S.ACTING, S.BEGINNING): 'it has a turn for a nested stack',
    (S.ACTING, S.WAITING): 'it begins to wait for something outside',
    (S.ACTING, S.FINISHED): 'its outcome is stored',
    (S.ACTING, None): 'its visit ends without an outcome',
    (S.BLOCKED, S.BEGINNING): 'its turn has come',
    (S.BLOCKED, S.ACTING): 'it is stopped, or its time is over',
    (S.BEGINNING, S.WAITING): 'the nested stack has begun',
    (S.BEGINNING, S.FINISHED): 'its outcome is stored',
    (S.BEGINNING, None): 'its visit ends without an outcome',
    (S.WAITING, S.BLOCKED): 'it comes back to make a replacement',
    (S.WAITING, S.BEGINNING): 'it comes back to make a replacement',
    (S.WAITING, S.FINISHED): 'its outcome is stored',
    (S.WAITING, None): 'its visit ends without an outcome',
    (S.FINISHED, None): 'what follows has been seen to',
}


class IllegalNodeMove(Exception):
    """A node of a traversal would have come into a state by no known way."""


@dataclasses.dataclass(slots=True)
class _InHand:
    """A node in hand."""

    state: NodeState
    #: What visits it, for nodes that are RUNNING.
    task: Any = None
    #: Somebody else said that it is ready, which is to be checked.
    is_unverified: bool = False
    #: It was asked for while it was RUNNING.
    rerun: bool = False
    #: It came from another engine and has not been begun.
    is_received: bool = False


class Walk:
    """The nodes of one traversal that this process has in hand.

    :param state: the traversal, a convergence.state.TraversalState
    """

    def __init__(self, state: Any) -> None:
        self.state = state
        self._nodes: dict[Node, _InHand] = {}
        self._counts = dict.fromkeys(S, 0)
        # The QUEUED ones in their order.
        self._queue: collections.deque[Node] = collections.deque()
        # The AWAITING_INPUTS ones by what they wait for.
        self._awaiting: dict[Node, list[Node]] = {}
        #: Whether nothing more of the traversal is begun here.
        self.closed = False
        #: Whether this process is about to end the operation.
        self.ending = False
        #: How many nodes are not done, if this process knows.
        self.remaining: int | None = None
        #: Whether nodes are visited before those they wait for are recorded.
        self.goes_ahead = True
        # The nodes that have been recorded as done here.
        self._done: set[Node] = set()

    # -- looking ------------------------------------------------------------

    def state_of(self, node: Node) -> NodeState | None:
        """Return the state of a node, None if it is not in hand."""
        known = self._nodes.get(node)
        return None if known is None else known.state

    def number(self, *states: NodeState) -> int:
        """Return how many nodes are in one of some states."""
        return sum(self._counts[state] for state in states)

    def nodes_in(self, *states: NodeState) -> Iterator[Node]:
        """Yield the nodes in one of some states."""
        return (node for node, known in self._nodes.items()
                if known.state in states)

    def tasks(self) -> list[Any]:
        """Return what visits nodes of the traversal here."""
        return [known.task for known in self._nodes.values()
                if known.task is not None]

    def is_done(self, node: Node) -> bool:
        """Return whether it is known here that a node is done."""
        return node in self._done or self.state.needed_no_visit(node)

    def is_unread(self, node: Node) -> bool:
        """Return whether the database has to be read before a visit."""
        return self.is_unverified(node) or (
            not self.state.is_ready_to_visit(node))

    def is_unverified(self, node: Node) -> bool:
        """Return whether it is to be checked that a node is ready."""
        known = self._nodes.get(node)
        return known is not None and known.is_unverified

    def is_idle(self) -> bool:
        """Return whether nothing of the traversal is in hand here."""
        return not self.number(*RUNNING, *_IN_QUEUE)

    def is_finished(self) -> bool:
        """Return whether the outcome of all that is in hand is stored."""
        return not self.number(*OPEN, *_IN_QUEUE)

    # -- the one door -------------------------------------------------------

    def _move(self, node: Node, to: NodeState | None) -> _InHand | None:
        """Change the state of a node along one of the MOVES."""
        known = self._nodes.get(node)
        now = None if known is None else known.state
        if (now, to) not in MOVES:
            raise IllegalNodeMove('%s of %s: from %s to %s' % (
                node, self.state.id, now, to))
        if now is not None:
            self._counts[now] -= 1
        if to is None:
            self._nodes.pop(node, None)
            return known
        self._counts[to] += 1
        if known is None:
            known = self._nodes[node] = _InHand(to)
        known.state = to
        return known

    # -- the queue ----------------------------------------------------------

    def enqueue(self, nodes: Iterable[Node], *, unverified: bool = False,
                received: bool = False) -> None:
        """Queue nodes that are ready, unless they are in hand.

        A node that is RUNNING is queued again when its visit has ended.

        :param unverified: whether that they are ready is to be checked
        :param received: whether another engine has sent them
        """
        for node in nodes:
            known = self._nodes.get(node)
            if known is None or known.state is S.DELEGATED:
                self._admit(node)
                known = self._nodes[node]
                known.is_received = received
            elif known.state in RUNNING:
                known.rerun = True
            known.is_unverified = known.is_unverified or unverified

    def _admit(self, node: Node) -> None:
        """Queue a node, or hold it up until its inputs are published."""
        for key in self.state.unpublished(node):
            if self.state_of((key, True)) in OPEN:
                self._move(node, S.AWAITING_INPUTS)
                self._awaiting.setdefault((key, True), []).append(node)
                return
        self._move(node, S.QUEUED)
        self._queue.append(node)

    def _release(self, node: Node) -> None:
        """Queue what a node was holding up."""
        for waiting in self._awaiting.pop(node, ()):
            self._admit(waiting)

    def take(self, limit: int) -> list[Node]:
        """Take nodes from the head of the queue while fewer are in flight.

        :param limit: how many nodes of the stack may be OCCUPYING its share
        """
        nodes = []
        while (self._queue and not self.closed
               and self.number(*OCCUPYING) < limit):
            node = self._queue.popleft()
            known = self._move(node, S.TAKEN)
            assert known is not None
            known.is_received = False
            nodes.append(node)
        return nodes

    def reserve(self, node: Node) -> bool:
        """Take a node that is not queued; return whether it was free."""
        if self.closed or self.state_of(node) not in (None, S.DELEGATED):
            return False
        self._move(node, S.TAKEN)
        return True

    def hold(self, nodes: Collection[Node]) -> bool:
        """Take nodes that are not ready yet: all, if none is in hand.

        Return whether that is so.
        """
        if self.closed or not self._nodes.keys().isdisjoint(nodes):
            return False
        for node in nodes:
            self._move(node, S.TAKEN)
        return True

    def next_to_read(self, limit: int) -> list[Node]:
        """Take what has to be read, too, from the head of the queue."""
        nodes: list[Node] = []
        while (self._queue and len(nodes) < limit and
                self.is_unread(self._queue[0])):
            nodes.append(self._queue.popleft())
            self._move(nodes[-1], S.READING)
        return nodes

    def checked(self, nodes: Iterable[Node]) -> None:
        """Note that it has been checked that nodes are ready."""
        for node in nodes:
            if node in self._nodes:
                self._nodes[node].is_unverified = False

    def put_back(self, nodes: list[Node], ready: Iterable[Node]) -> None:
        """Queue those again whose rows were read, if they are ready."""
        for node in reversed(nodes):
            if self.closed or node not in ready:
                self._move(node, None)
            else:
                self._move(node, S.QUEUED)
                self._queue.appendleft(node)

    def surplus(self, limit: int) -> int:
        """Return how many nodes at the end of the queue others may have.

        None that came from them: two busy engines would send each other the
        same nodes for ever.

        :param limit: how many stay at least
        """
        number = 0
        for node in itertools.islice(reversed(self._queue),
                                     max(0, len(self._queue) - limit)):
            if self._nodes[node].is_received:
                break
            number += 1
        return number

    def give_away(self, number: int) -> list[Node]:
        """Take a number of nodes off the end of the queue; return them."""
        nodes = [self._queue.pop() for _ in range(number)]
        for node in nodes:
            known = self._move(node, S.DELEGATED)
            assert known is not None
            known.is_received = False
        nodes.reverse()
        return nodes

    def close(self) -> None:
        """Begin nothing more of the traversal."""
        self.closed = True
        for node in [*self.nodes_in(S.QUEUED, S.AWAITING_INPUTS)]:
            self._move(node, None)
        self._queue.clear()
        self._awaiting.clear()

    # -- visits -------------------------------------------------------------

    def start(self, node: Node) -> None:
        """Note that the visit of a node begins."""
        self._move(node, S.ACTING)

    def visited_by(self, node: Node, task: Any) -> None:
        """Note the task that visits a node."""
        self._nodes[node].task = task

    def block(self, node: Node) -> None:
        """Let a node wait for its turn to begin a nested stack."""
        self._move(node, S.BLOCKED)

    def unblock(self, node: Node) -> None:
        """Let a node go on that does not wait for its turn any more."""
        self._move(node, S.ACTING)

    def begin_nested(self, node: Node) -> None:
        """Give a node its turn to begin a nested stack."""
        self._move(node, S.BEGINNING)

    def needs_thread(self, node: Node) -> bool:
        """Return whether a visited node has not begun to wait; no lock needed.
        """
        return self.state_of(node) in (S.ACTING, S.BEGINNING)

    def wait(self, node: Node) -> bool:
        """Note that a node waits for something outside.

        Return whether that makes room for another one.
        """
        if not self.needs_thread(node):
            return False
        self._move(node, S.WAITING)
        return True

    def finish(self, node: Node, *, is_first: bool) -> None:
        """Note that the outcome of a node is stored.

        :param is_first: whether the node was not done before
        """
        known = self._move(node, S.FINISHED)
        assert known is not None
        known.rerun = False
        self._release(node)
        if is_first:
            self._done.add(node)
            if self.remaining is not None:
                self.remaining -= 1

    def end(self, node: Node) -> bool:
        """Let go of a node; return whether it was asked for meanwhile."""
        if self.state_of(node) not in RUNNING:
            raise IllegalNodeMove('%s of %s is not in hand' % (
                node, self.state.id))
        known = self._move(node, None)
        assert known is not None
        self._release(node)
        return known.rerun

    def drop(self, nodes: Iterable[Node]) -> None:
        """Let go of nodes that turned out not to be ours to visit."""
        for node in nodes:
            self.end(node)

    # -- checking -----------------------------------------------------------

    def validate(self) -> None:
        """Raise AssertionError unless all that is kept agrees."""
        queued = [*self._queue]
        assert sorted(queued) == sorted(self.nodes_in(S.QUEUED)), queued
        awaiting = [node for nodes in self._awaiting.values()
                    for node in nodes]
        assert sorted(awaiting) == sorted(
            self.nodes_in(S.AWAITING_INPUTS)), awaiting
        for holder in self._awaiting:
            assert self.state_of(holder) in OPEN, holder
        for state in S:
            number = sum(1 for _node in self.nodes_in(state))
            assert self._counts[state] == number, (state, self._counts)
        for node, known in self._nodes.items():
            running = known.state in RUNNING
            assert running or known.task is None, (node, known)
            assert running or not known.rerun, (node, known)
            assert known.state in _IN_QUEUE or not known.is_received, (
                node, known)
        assert not (self.closed and (queued or awaiting))
