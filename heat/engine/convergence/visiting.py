"""Visit nodes in turn and commit outcomes together where possible."""
from collections.abc import Callable
import dataclasses
import threading
from typing import Any

from oslo_log import log as logging

from heat.engine.convergence import chain
from heat.engine.convergence import nested_admission
from heat.engine.convergence import transitions
from heat.engine.convergence import visit as check_resource
from heat.engine.convergence import worklist
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

Node = transitions.Node


@dataclasses.dataclass(frozen=True, slots=True)
class Hooks:
    """The operations of the queue's owner that Visiting calls.

    :ivar pump: starts queued nodes of a walk while slots are free
    :ivar follow: returns a task that continues a visit of (walk, node,
        visitor, visit) and handles its outcome
    :ivar spawn: runs such a task separately; the arguments are
        (walk, node, visitor, mark, visit)
    :ivar may_begin: returns whether this process may start more work
    """

    pump: Callable[[worklist.Walk], None]
    follow: Callable[..., scheduler.TaskGenerator[None]]
    spawn: Callable[..., None]
    may_begin: Callable[[], bool]


class Visiting:
    """Visits nodes, each within the task that handles its outcome.

    :param lock: held while nodes change their states
    :param visits: the registry of visits begun by this process
    """

    def __init__(self, lock: threading.RLock, visits: worklist.Visits,
                 turns: nested_admission.NestedTurns, hooks: Hooks) -> None:
        self._lock = lock
        self._visits = visits
        self._turns = turns
        self._hooks = hooks

    def visit(self, walk: worklist.Walk, node: Node,
               visitor: check_resource.Visitor,
               begun: chain.Visit | None
               ) -> scheduler.TaskGenerator[transitions.Outcome | None]:
        """A task to visit a node in its turn, if it is still wanted.

        Return the outcome, or None if the visit is no longer wanted. A visit
        that begins to wait frees its slot.

        :param begun: a visit that is to be continued
        """
        is_recorded = begun is not None and begun.is_joined
        if not is_recorded:
            try:
                yield from self._turns.take(walk, node)
            except check_resource.VisitCancelled:
                return transitions.Cancelled()
        visit = begun or chain.Visit(walk.state, node, visitor)
        if walk.closed and not is_recorded:
            visit.close()
            return None
        ahead = chain.Chain(walk, visitor, self._lock, self._visits)
        value = error = None
        while True:
            try:
                signal = visit.step(value, error)
            except StopIteration as stop:
                yield from self._continue(walk, visitor, ahead)
                return visit.following(stop.value)
            except Exception:
                yield from self._continue(walk, visitor, ahead)
                raise
            self._make_room(walk, node, signal)
            value = error = None
            try:
                if visit.is_recordable(signal):
                    value = yield from self._record(visit, ahead, signal)
                else:
                    value = yield signal
            except GeneratorExit:
                visit.close()
                raise
            except BaseException as thrown:  # noqa: BLE001 (it goes on)
                error = thrown

    def _make_room(self, walk: worklist.Walk, node: Node,
                   signal: scheduler.Signal) -> None:
        """Begin another visit if this one begins to wait."""
        if walk.needs_thread(node) and not scheduler.is_write(signal):
            with self._lock:
                makes_room = walk.wait(node)
            if makes_room:
                self._hooks.pump(walk)

    def _record(self, visit: chain.Visit, ahead: chain.Chain, write: Any
                ) -> scheduler.TaskGenerator[Any]:
        """A task to record a visit, and with it what becomes ready by that.
        """
        if not self._hooks.may_begin() or not ahead.grow(visit):
            return (yield write)
        try:
            result = yield ahead.write(write)
        except Exception:
            LOG.debug('Node %s is recorded alone', visit.node, exc_info=True)
            ahead.undo()
            return (yield write)
        return ahead.settle(visit, result)

    def _continue(self, walk: worklist.Walk,
                  visitor: check_resource.Visitor, ahead: chain.Chain
                  ) -> scheduler.TaskGenerator[None]:
        """A task to continue the visits that began ahead."""
        try:
            while ahead.visits:
                visit = ahead.visits[0]
                if visit.is_joined:
                    yield from self._hooks.follow(walk, visit.node, visitor,
                                                  visit)
                    ahead.end(visit)
                else:
                    with self._lock:
                        self._hooks.spawn(walk, visit.node, visitor,
                                          visit.mark, visit)
                ahead.visits.pop(0)
        except GeneratorExit:
            # All of it goes, the walk as well.
            raise
        except BaseException:
            ahead.abandon()
            raise
