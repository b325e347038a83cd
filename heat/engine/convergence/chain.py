"""Visit nodes ahead of a pending write, to commit their outcomes with it.

If no handler makes a remote call, users observe the order in which outcomes
are recorded, not the order of the actions. Nodes that a pending write makes
ready are therefore visited before it, and their outcomes join its transaction:
all are recorded, or none.
"""
import collections
from collections.abc import Callable
import threading
from typing import Any

from oslo_log import log as logging

from heat.common import request_budget
from heat.common import timeutils
from heat.engine import status
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import transitions
from heat.engine.convergence import visit as check_resource
from heat.engine.convergence import worklist
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import breakpoints
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

Node = transitions.Node

_R = status.ResourceStatus
_S = status.StackStatus

#: Seconds after which nothing more is visited ahead of a write.
MOST_SECONDS = 0.05
#: The maximum number of nodes taken ahead of a write.
MOST_NODES = group_commit.BATCH_SIZE

#: The operations in which nodes are visited ahead.
_ACTIONS = frozenset([_S.CREATE, _S.UPDATE, _S.ROLLBACK, _S.DELETE])
#: Actions that may stop at a breakpoint before they begin.
_STOPPING = (_R.CREATE, _R.UPDATE, _R.DELETE)


class Visit:
    """A visit of a node, which may be one step ahead.

    :param admits: returns whether a resource may be visited
    :ivar signal: the yield of the first step, if it was taken ahead
    :ivar mark: the entry of a visit ahead in worklist.Visits
    :ivar is_joined: whether its outcome is recorded with that of the head
    :ivar recorded: the nodes that are recorded with it and visited here
    """

    __slots__ = ('_task', '_value', 'is_joined', 'mark', 'node', 'recorded',
                 'recording', 'signal')

    def __init__(self, state: traversal_state.TraversalState, node: Node,
                 visitor: check_resource.Visitor,
                 admits: Callable[[interface.Resource], bool] | None = None
                 ) -> None:
        self.node = node
        self.recording = check_resource.Recording(admits)
        self.mark: object = None
        self.is_joined = False
        self.recorded: frozenset[Node] = frozenset()
        self._task = check_resource.visit(state, node, visitor,
                                          self.recording)
        self.signal: Any = None
        self._value: Any = None

    def look_ahead(self) -> None:
        """Take the first step; raise StopIteration if it is the last.

        step() yields its signal, unless accept() has replaced it.
        """
        self.signal = next(self._task)
        self.is_joined = self.is_recordable(self.signal)

    def accept(self, value: Any) -> None:
        """Resume step() with the result of the joined write."""
        self.signal, self._value = None, value

    def step(self, value: Any, error: BaseException | None
             ) -> scheduler.Signal:
        """Continue the visit; return what it yields."""
        if error is not None:
            return self._task.throw(error)
        if self.signal is not None:
            signal: scheduler.Signal = self.signal
            self.signal = None
            return signal
        if value is None:
            value, self._value = self._value, None
        return self._task.send(value)

    def close(self) -> None:
        """Abort the visit."""
        self._task.close()

    def is_recordable(self, signal: Any) -> bool:
        """Return whether a signal records the success of a local action."""
        recording, kinds = self.recording, resource_action.Outcome
        return (recording.take_due() and
                isinstance(signal, group_commit.Write) and
                (recording.resource is None or
                 recording.resource.handlers_are_local) and
                (recording.result is None or
                 recording.result.kind == kinds.COMPLETE))

    def following(self, outcome: transitions.Outcome) -> transitions.Outcome:
        """Return an outcome without the nodes that were visited ahead."""
        if isinstance(outcome, transitions.Finished) and self.recorded:
            return transitions.Finished(outcome.first, tuple(
                node for node in outcome.ready if node not in self.recorded))
        return outcome


class Chain:
    """The nodes visited ahead of the write that records a head.

    The results of a node are not stored yet. Only nodes held by this object
    may read them, so it takes all nodes that could use them, even those that
    it does not visit.

    :param lock: held while nodes change their states
    :param visits: the worklist.Visits of the process
    """

    def __init__(self, walk: worklist.Walk, visitor: check_resource.Visitor,
                 lock: threading.RLock, visits: worklist.Visits) -> None:
        self._walk = walk
        self._visitor = visitor
        self._lock = lock
        self._visits = visits
        self._told: list[int] = []
        # The nodes taken, and those of them that are not visited.
        self._taken: set[Node] = set()
        self._held: set[Node] = set()
        # The nodes whose outcomes will be recorded.
        self._members: set[Node] = set()
        #: The visits begun, in the order in which they are recorded.
        self.visits: list[Visit] = []

    def grow(self, head: Visit) -> bool:
        """Visit the nodes that the outcomes make ready.

        Return whether there are any.

        :param head: the visit that is about to record its outcome
        """
        state = self._walk.state
        if not self._walk.goes_ahead or state.action not in _ACTIONS or (
                state.reinstated or state.options.converge or
                not self._is_alone()):
            return False
        # One budget for all, so that its clock is read once.
        try:
            with request_budget.work():
                self._follow(head)
        except Exception:
            LOG.exception('Visiting ahead ends for stack %s',
                          state.stack.id)
            self.undo()
            return False
        return bool(self._taken)

    def _is_alone(self) -> bool:
        """Return whether no other node of the stack is about to be recorded.

        Nodes that are recorded at the same time share a commit anyway.
        """
        return self._walk.number(*worklist.OCCUPYING,
                                 worklist.NodeState.QUEUED) <= 1

    def _follow(self, head: Visit) -> None:
        """Visit the nodes that a visit makes ready, transitively."""
        ends = timeutils.wallclock() + MOST_SECONDS
        last = collections.deque([head])
        self._members.add(head.node)
        while last and timeutils.wallclock() < ends:
            visit = last.popleft()
            if not self._go_on_from(visit):
                continue
            for node in self._walk.state.graph.required_by(visit.node):
                if self._is_next(node):
                    ahead = self._visit(node)
                    if ahead is not None and ahead.is_joined:
                        self._members.add(node)
                        last.append(ahead)

    def _go_on_from(self, visit: Visit) -> bool:
        """Take the nodes that wait for a node and publish its results to them.

        Return whether they may use the results.
        """
        state, node = self._walk.state, visit.node
        dependents = state.graph.required_by(node)
        waiting = [other for other in dependents if other not in
                   self._taken and self._concerns(other)]
        if not dependents or len(self._taken) + len(waiting) > MOST_NODES:
            return False
        known = {*waiting, *self._taken, *self._members}
        if any(other[1] and not self._are_certain(other, known)
               for other in waiting):
            return False
        with self._lock:
            if not self._walk.hold(waiting):
                return False
        self._held.update(waiting)
        self._taken.update(waiting)
        if node[1] and visit.recording.result is not None and (
                state.action in traversal_state.CONVERGING):
            state.tell(node[0], visit.recording.resource,
                       visit.recording.result.node_data)
            self._told.append(node[0])
        return True

    def _concerns(self, node: Node) -> bool:
        """Return whether a waiting node uses results or becomes ready."""
        return node[1] or self._are_certain(node, self._members)

    def _are_certain(self, node: Node, known: set[Node]) -> bool:
        """Return whether all requirements of a node are known or done."""
        return all(other in known or self._walk.is_done(other)
                   for other in self._walk.state.graph.requires(node))

    def _is_next(self, node: Node) -> bool:
        """Return whether a node is ready once the members are recorded."""
        state = self._walk.state
        row = state.row_of(node)
        return (node in self._held and not self._walk.closed and
                self._are_certain(node, self._members) and
                state.is_ready_to_visit(node) and
                (row is None or row.engine_id is None))

    def _visit(self, node: Node) -> Visit | None:
        """Begin to visit a node; return None if it cannot be visited ahead."""
        state = self._walk.state
        visit = Visit(state, node, self._visitor, _is_unobserved)
        try:
            visit.look_ahead()
        except StopIteration:
            return None
        except Exception:
            LOG.debug('Node %s of stack %s is not visited ahead', node,
                      state.stack.id, exc_info=True)
            state.forget(node)
            return None
        self._held.remove(node)
        with self._lock:
            self._walk.start(node)
            visit.mark = self._visits.begin(state, node)
        self.visits.append(visit)
        return visit

    # -- the write ----------------------------------------------------------

    def write(self, head: group_commit.Write) -> group_commit.Write:
        """Return the write of the head joined with those of the visits."""
        joined = [visit.signal for visit in self.visits if visit.is_joined]
        return group_commit.joined([head, *joined]) if joined else head

    def settle(self, head: Visit, result: Any) -> Any:
        """Pass the results of the joined write on; return that of the head.

        The caller must continue the visits and call end() for each.

        :param result: the result of write()
        """
        joined = [visit for visit in self.visits if visit.is_joined]
        if joined:
            result, *others = result
            for visit, value in zip(joined, others, strict=True):
                visit.accept(value)
        begun = frozenset(visit.node for visit in self.visits)
        for visit in (head, *self.visits):
            visit.recorded = begun
        self._release(self._held)
        return result

    def undo(self) -> None:
        """Release all nodes after nothing was recorded.

        Visiting ahead ends for the stack: the same conflict or error is
        likely to recur.
        """
        state = self._walk.state
        self._walk.goes_ahead = False
        for key in self._told:
            state.take_back(key)
        self.abandon()
        self._release(self._held)

    def abandon(self) -> None:
        """Close the visits that were not continued."""
        while self.visits:
            visit = self.visits.pop()
            visit.close()
            self.end(visit)

    def end(self, visit: Visit) -> None:
        """Release a node whose visit has ended."""
        with self._lock:
            self._visits.end(visit.mark)
            # The cached row predates the visit.
            self._walk.state.forget(visit.node)
        self._release({visit.node})

    def _release(self, nodes: set[Node]) -> None:
        """Release nodes; queue those that were requested in the meantime."""
        with self._lock:
            for node in nodes:
                if self._walk.end(node) and not self._walk.closed:
                    self._walk.enqueue([node], unverified=True)
            nodes.clear()


def _is_unobserved(resource: interface.Resource) -> bool:
    """Return whether actions of a resource are visible in the database only.

    A resource that waits at a breakpoint is visible to users.
    """
    return resource.handlers_are_local and not any(
        breakpoints.applies(resource, action, before=True)
        for action in _STOPPING)
