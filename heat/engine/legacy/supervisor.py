"""See to it that a legacy operation has one beginning and one end.

It begins with the stack's lock and an IN_PROGRESS state, and ends with a
final state and the lock given back, whatever happens in between.
"""
from collections.abc import Callable, Iterator, MutableMapping
import contextlib
import operator
from typing import Any
import weakref

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import wakeup
from heat.engine.legacy import walk as legacy_walk
from heat.engine.lifecycle import fence as stack_fence
from heat.engine.stacks import interface
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.engine.tasks import stack_tasks
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

S = status.StackStatus

#: Seconds that a cancelled operation gets besides its grace period.
CANCEL_MARGIN = 10
#: Seconds that an engine gets to stop the tasks of a stack.
STOP_TIMEOUT = 30


def is_as_loaded(stack: interface.Stack,
                 found: stack_objects.StackState | None) -> bool:
    """Return whether a stack has had no operation since it was loaded.

    An update changes both the template and the time, even if it ends in the
    state in which it began. Only one of them may differ: moves change the
    template in memory before the operation begins, and databases round
    times.

    :param found: the state of the row; None if it is gone
    """
    if found is None:
        return False
    template, traversal, time, *state = map(
        operator.eq, stack_warrant.stamp(stack), stack_warrant.stamp(found))
    return traversal and all(state) and (template or time)


class Supervisor:
    """Begins and ends the operations of this engine, and stops them."""

    def __init__(self, engine_context: cluster_interface.EngineContext
                 ) -> None:
        self._engine = engine_context
        # The locks of operations, by the stack object each works with:
        # another operation of this engine has the same lock row.
        self._locks: MutableMapping[Any, stack_lock.StackLock] = (
            weakref.WeakKeyDictionary())
        self._fences: MutableMapping[Any, Any] = weakref.WeakKeyDictionary()
        # The fence of the last operation that got the lock of a stack.
        self._latest: MutableMapping[str, Any] = (
            weakref.WeakValueDictionary())

    def lock_of(self, stack: interface.Stack) -> stack_lock.StackLock:
        """Return the lock of a stack, not taken."""
        return stack_lock.StackLock(
            stack.context, stack.id, self._engine.engine_id,
            self._engine.listener_client)

    def require_ready(self, stack: interface.Stack) -> None:
        """Raise ActionInProgress when an engine works on the stack."""
        lock = self.lock_of(stack)
        holder = lock.get_engine_id()
        if holder is not None and lock.is_alive(holder):
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=stack.action)

    # -- beginning ----------------------------------------------------------

    def begin(self, stack: interface.Stack, action: str,
              task: scheduler.TaskGenerator[Any],
              store: Callable[[], Any] | None = None) -> None:
        """Begin an operation or raise ActionInProgress.

        :param store: see stack_state.transition()
        """
        lock = self.lock_of(stack)
        lock.acquire()
        try:
            self._require_unchanged(stack)
        except BaseException:
            task.close()
            lock.release()
            raise
        self.begin_locked(stack, lock, action, task,
                          stack_state.start_reason(action), store)

    @contextlib.contextmanager
    def held(self, stack: interface.Stack) -> Iterator[Callable[[], None]]:
        """Hold the lock of an idle stack.

        It is given back by the transaction that calls what this yields; if
        there is none, or it is undone, at the end of the block.
        """
        lock = self.lock_of(stack)
        lock.acquire()
        try:
            yield lock.give_back
        finally:
            lock.leave()
            # After the transaction another operation may have it.
            mine = self._engine.engine_id
            if not stack_lock.in_use(mine, stack.id) and (
                    lock.get_engine_id() == mine):
                lock.release()

    def begin_locked(self, stack: interface.Stack, lock: stack_lock.StackLock,
                     action: str, task: scheduler.TaskGenerator[Any],
                     reason: str | None, store: Callable[[], Any] | None = None
                     ) -> None:
        """Begin an operation on a stack whose lock we have.

        :param reason: what its state says; None when it says so already.
        """
        fence = self._fence(lock)
        try:
            if reason is not None:
                with fence.in_force():
                    stack_state.transition(stack, action, S.IN_PROGRESS,
                                           reason, store=store)
        except transaction.Unavailable:
            self._engine.thread_group_mgr.start(
                stack.id, self._begin_if_stored(stack, fence, task, (
                    action, S.IN_PROGRESS, reason or '')))
            raise
        except BaseException:
            task.close()
            lock.release()
            raise
        self._engine.thread_group_mgr.start(
            stack.id, self._supervised(stack, task, fence))

    def _begin_if_stored(self, stack: interface.Stack,
                         fence: stack_fence.Fence,
                         task: scheduler.TaskGenerator[Any],
                         state: tuple[str, str, str]
                         ) -> scheduler.TaskGenerator[None]:
        """A task to begin an operation if its beginning is stored.

        The commit was not answered in time, and the user is told that the
        database is away. It may have been carried out all the same.

        :param state: action, status and reason that the stack has then
        """
        try:
            yield None
            found = stack_objects.Stack.get_status(stack.context, stack.id)
            is_stored = found is not None and tuple(found[:3]) == state
        except BaseException:
            task.close()
            fence.lock.release()
            raise
        if not is_stored:
            task.close()
            fence.lock.release()
            return
        stack_state.publish(stack, stack_state.plan(stack, *state))
        yield from self._supervised(stack, task, fence)

    def _fence(self, lock: stack_lock.StackLock) -> stack_fence.Fence:
        """Return the fence of an operation that has just got its lock.

        An earlier one of this engine may not know yet that it lost it.
        """
        earlier = self._latest.get(lock.stack_id)
        if earlier is not None:
            earlier.revoke()
        self._latest[lock.stack_id] = fence = stack_fence.Fence(lock)
        return fence

    def begin_aside(self, stack: interface.Stack,
                    task: scheduler.TaskGenerator[Any],
                    store: Callable[[], Any] | None = None) -> None:
        """Begin what leaves the state of the stack alone.

        :param store: stores what is begun, once the stack is ours.
        """
        lock = self.lock_of(stack)
        lock.acquire()
        try:
            if store is not None:
                store()
        except BaseException:
            task.close()
            lock.release()
            raise
        self._engine.thread_group_mgr.start(
            stack.id, _held(lock, self._fence(lock), task))

    @staticmethod
    def _require_unchanged(stack: interface.Stack) -> None:
        """Refuse when another operation ran since the stack was loaded."""
        found = stack_objects.Stack.get_state(stack.context, stack.id)
        if found is None:
            raise exception.EntityNotFound(entity='Stack', name=stack.name)
        stack_warrant.check_base(stack, found)
        if not is_as_loaded(stack, found):
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=found.action)

    # -- ending -------------------------------------------------------------

    def _supervised(self, stack: interface.Stack,
                    task: scheduler.TaskGenerator[Any],
                    fence: stack_fence.Fence) -> scheduler.TaskGenerator[None]:
        """A task to run an operation so that it always has an end."""
        self._locks[stack] = fence.lock
        self._fences[stack] = fence
        try:
            yield from fence.guard(task)
        except GeneratorExit:
            # The engine stops, or was told to let this stack go.
            self._abort(stack, _('Stack %s aborted') % stack.action)
            raise
        except stack_fence.LockLost:
            LOG.warning('Stopping %s of stack %s: another engine has taken '
                        'it over', stack.action, stack.id)
        except BaseException as error:
            LOG.exception('%s of stack %s failed', stack.action, stack.id)
            self._abort(stack, _('Stack %(action)s failed: %(error)s') % {
                'action': stack.action, 'error': exception.type_name(error)})
        finally:
            lock = self._locks.pop(stack, None)
            try:
                if lock is not None and not fence.lost:
                    lock.release()
            finally:
                fence.lock.leave()
                wakeup.stack_ended(stack)

    def _abort(self, stack: interface.Stack, reason: str) -> None:
        if stack.status != S.IN_PROGRESS or self._fences[stack].lost:
            return
        move = stack_state.plan(stack, stack.action, S.FAILED, reason)

        def write() -> Any:
            done = self._write_end(stack, move)
            if done and stack.action == S.SNAPSHOT:
                snapshots.fail_unfinished(stack, reason)
            return done

        if transaction.run(stack.context, write):
            self._locks.pop(stack, None)
            stack_state.publish(stack, move)

    def finish(self, stack: interface.Stack, action: str, end: legacy_walk.End,
               values: dict[str, Any] | None = None, *, forget: bool = False
               ) -> scheduler.TaskGenerator[Any]:
        """A task to record how an operation ended.

        :param end: a stack_walk.End.
        :param forget: the stack goes, with its rows and credentials.
        """
        move = stack_state.plan(stack, action, end.status, end.reason,
                                values)
        done = yield group_commit.Write(
            lambda: self._write_end(stack, move, forget))
        self._locks.pop(stack, None)
        if done:
            stack_state.publish(stack, move)
        else:
            LOG.info('The end of %s of stack %s is of no interest any more',
                     action, stack.id)

    def _write_end(self, stack: interface.Stack, move: Any,
                   forget: bool = False) -> bool:
        """Write the last state and release the lock, both or neither.

        A stack that is to be deleted meanwhile keeps the state that says
        so, and only the lock is released.
        """
        # From here on another operation may have the lock.
        self._fences[stack].lift()
        done = stack_objects.Stack.persist_state_and_release_lock(
            stack.context, stack.id, self._engine.engine_id, move.values,
            stack.action)
        if done:
            stack_state.add_event(stack, move)
            if forget:
                resource_objects.Resource.purge_for_stack(
                    stack.context, stack.id)
                stack_objects.Stack.delete(stack.context, stack.id)
        return done

    # -- messages to who works on a stack -----------------------------------

    def send(self, stack: interface.Stack, holder: str, with_rollback: bool
             ) -> None:
        """Have an engine tell its operation on a stack to stop."""
        message = (stack_tasks.CANCEL_WITH_ROLLBACK if with_rollback
                   else stack_tasks.CANCEL)
        if holder == self._engine.engine_id:
            self._engine.thread_group_mgr.send(stack.id, message)
        else:
            self._engine.listener_client.send(stack.context, holder,
                                              stack.id, message)

    def stop(self, stack: interface.Stack, holder: str) -> None:
        """Have an engine end its operation on a stack."""
        if holder == self._engine.engine_id:
            self._engine.thread_group_mgr.stop(stack.id)
        else:
            self._engine.listener_client.stop_stack(stack.context, holder,
                                                    stack.id)

    def make_room(self, stack: interface.Stack, lock: stack_lock.StackLock,
                  found: str) -> scheduler.TaskGenerator[bool]:
        """A task to stop what runs on a stack; then the lock is ours.

        Return whether it is. If not, the stack's deletion has failed.

        :param found: who holds the lock
        """
        self.send(stack, found, False)
        holder: str | None = found
        patience = heat_timeutils.Duration(
            cfg.CONF.error_wait_time + CANCEL_MARGIN)
        stopping = False
        while holder is not None:
            yield 0.5
            holder = lock.take()
            if holder is None or not patience.expired():
                continue
            if stopping:
                LOG.error('Engine %s does not let go of stack %s', holder,
                          stack.id)
                yield from stack_state.transition_task(
                    stack, S.DELETE, S.FAILED,
                    str(exception.StopActionFailed(
                        stack_name=stack.name, engine_id=holder)),
                    expected={'action': S.DELETE, 'status': S.IN_PROGRESS})
                return False
            self.stop(stack, holder)
            stopping, patience = True, heat_timeutils.Duration(STOP_TIMEOUT)
        return True


def _held(lock: stack_lock.StackLock, fence: stack_fence.Fence,
          task: scheduler.TaskGenerator[Any]) -> scheduler.TaskGenerator[None]:
    """A task to run another one, and release the lock after it."""
    try:
        yield from fence.guard(task)
    except stack_fence.LockLost:
        LOG.warning('Stopping work on stack %s: another engine has taken it '
                    'over', lock.stack_id)
    finally:
        lock.leave()
        if not fence.lost:
            lock.release()
