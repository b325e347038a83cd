"""Carry on with what nobody does any more.

Messages get lost and engines die; the database keeps what is to be done.
Each engine looks at it when it starts and every few seconds after that.
Several may find the same; the one that wins its compare-and-swap does it.
An engine looks after itself in the same way: of what it holds by the
database, and none of its tasks works on, giving it back has failed.
"""
from collections.abc import Callable, Collection, Iterable, Mapping
import contextlib
import dataclasses
import datetime
import random
from typing import Any, Protocol

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import metrics
from heat.common import timeutils as heat_timeutils
from heat.common.i18n import _
from heat.engine import background_work
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import judge
from heat.engine.cluster import wakeup
from heat.engine.convergence import end
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import interface
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import periodic
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import service as service_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_lock as lock_objects
from heat.objects import sync_point as sync_point_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

Node = traversal_state.Node

_R = status.ResourceStatus
_S = status.StackStatus

#: The number of stacks whose work in progress is read together.
_STACKS_PER_LOOK = 100
#: Part of the interval by which scans of several engines are spread.
_JITTER = 0.2


class Drivers(Protocol):
    """The drivers of this engine."""

    @property
    def convergence_driver(self) -> Any:
        """The driver of convergence stacks."""

    def driver_of(self, stack: interface.Stack) -> Any:
        """Return the driver of a stack."""


class Recovery(periodic.Periodic):
    """Looks for work nobody does.

    :param alone: no other engine can be alive: what is held by any other
        was held by a process that is gone
    """

    name = 'heat-recovery'
    failure = 'Looking for abandoned work failed'
    at_once = True

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 drivers: Drivers, alone: bool = False) -> None:
        super().__init__()
        self._engine = engine_context
        self._drivers = drivers
        self._driver = drivers.convergence_driver
        self._alone = alone
        self._silent: dict[str, int] = {}
        self._leaseless: dict[str, float] = {}
        # What we held in the scan before, and nothing here worked on.
        self._left_behind: set[Any] = set()
        self._seen: dict[Any, Any] = {}
        self._claimed: dict[str, dict[int, str]] = {}
        self._judge: Any = None
        self._unlocked: dict[str, Any] = {}
        self._deleting: Collection[str] = ()
        self._alive: set[str] = set()
        self._gone: set[str] = set()
        self._first = True

    def interval(self) -> float:
        """Return the seconds between two looks."""
        longest: float = cfg.CONF.convergence_scan_interval
        return longest * random.uniform(1 - _JITTER, 1)

    def run_once(self) -> None:
        """Look once at everything that is in progress."""
        context = heat_context.get_admin_context()
        claims = resource_objects.Resource.claims(context)
        states = {stack_id: stack_objects.Stack.get_status(context, stack_id)
                  for stack_id in stack_objects.Stack.get_ids_in_progress(
                      context, convergence=False)}
        deleting = snapshot_objects.Snapshot.stacks_deleting(context)
        # Last: a lock that is gone by now was given back with another state.
        held = lock_objects.StackLock.get_all(context)
        self._judge = judge.Judge(context, self._engine, self._alone,
                                  self._silent, self._leaseless)
        dead = self._judge.dead({engine for _row, _stack, engine in claims} |
                                {*held.values()})
        self._claimed = {}
        for row_id, stack_id, engine_id in claims:
            self._claimed.setdefault(stack_id, {})[row_id] = engine_id
        # What the dead held comes first: a look at its stack would find the
        # node ready, and only see that its row is held.
        left_behind, idle_locks = self._left_by_ourselves(claims, held)
        for row_id, stack_id, engine_id in claims:
            if engine_id in dead or row_id in left_behind:
                self._guarded(self._take_over, context, row_id, stack_id,
                              engine_id)
        for stack_id in idle_locks:
            self._guarded(self._free_lock, context, stack_id,
                          stack_id in states)
        self._look_after_idle(context)
        self._see_to_legacy(context, states, held, dead)
        for stack_id in deleting:
            holder = held.get(stack_id)
            if holder in dead or holder is None and (
                    stack_id in self._deleting or
                    self._first and self._alone):
                self._guarded(self._delete_snapshots, context, stack_id)
        self._deleting = deleting
        self._see_to_unattended(context)
        self._silent = self._judge.silent
        self._leaseless = self._judge.leaseless
        self._first = False

    def _look_after_idle(self, context: heat_context.RequestContext) -> None:
        """Look at the operations on which nothing here works."""
        seen, self._seen = self._seen, {}
        busy = self._driver.runner.working_on()
        idle = [stack_id for stack_id in
                stack_objects.Stack.get_ids_in_progress(
                    context, convergence=True) if stack_id not in busy]
        for start in range(0, len(idle), _STACKS_PER_LOOK):
            self._look_after_all(context,
                                 idle[start:start + _STACKS_PER_LOOK], seen)

    def _see_to_legacy(self, context: heat_context.RequestContext,
                       states: Mapping[str, Any], held: Mapping[str, str],
                       dead: Collection[str]) -> None:
        """End the operations under locks that nobody carries on.

        :param states: the states of legacy stacks in progress
        :param held: the engine of each lock, by stack id
        """
        for stack_id, engine_id in held.items():
            if engine_id not in dead:
                continue
            # Of a stack at rest it died before it began, or after the end.
            end = (self._fail_legacy if stack_id in states
                   else lock_objects.StackLock.release)
            self._guarded(end, context, stack_id, engine_id)
        # Most of them are about to be locked or have just ended; others were
        # stored by an engine that got no further.
        unlocked = {stack_id: state for stack_id, state in states.items()
                    if stack_id not in held}
        for stack_id, state in unlocked.items():
            if self._unlocked.get(stack_id) == state or (
                    self._first and self._alone):
                self._guarded(self._fail_legacy, context, stack_id, None)
        self._unlocked = unlocked

    def _left_by_ourselves(self, claims: Any, held_locks: Mapping[str, str]
                           ) -> tuple[set[int], set[str]]:
        """Return rows and stacks that we hold and do nothing about.

        That is, in this scan and the one before: what is about to begin or
        to end looks the same for a moment.
        """
        mine = self._engine.engine_id
        busy = self._driver.runner.visits.rows()
        held = {row_id for row_id, _stack, engine_id in claims
                if engine_id == mine and row_id not in busy}
        locked = {stack_id for stack_id, engine_id in held_locks.items()
                  if engine_id == mine and
                  not stack_lock.in_use(mine, stack_id)}
        before, self._left_behind = self._left_behind, held | locked
        return held & before, locked & before

    def _free_lock(self, context: heat_context.RequestContext, stack_id: str,
                   in_progress: bool) -> None:
        """End what an operation of ours left, which could not end itself.

        :param in_progress: whether the lock is that of such an operation
        """
        LOG.warning('Nothing here works on stack %s, whose lock is ours',
                    stack_id)
        if in_progress:
            self._fail_legacy(context, stack_id, self._engine.engine_id)
        else:
            lock_objects.StackLock.release(context, stack_id,
                                           self._engine.engine_id)

    def _see_to_unattended(self, context: heat_context.RequestContext) -> None:
        """Resume work beside actions that an engine has left.
        """
        alive = self._judge.leases()
        gone = self._judge.dead_neighbours(self._gone)
        if self._first or self._alive - alive or gone - self._gone:
            for stack_id, name in background_work.unattended(context):
                self._guarded(background_work.take_up, context, stack_id,
                              name)
        self._alive, self._gone = alive, gone

    @staticmethod
    def _guarded(look: Callable[..., Any], *args: Any) -> None:
        """Do not let one broken stack keep us from the others."""
        try:
            look(*args)
        except Exception:  # noqa: BLE001 (tried again at the next look)
            LOG.exception('Carrying on with %s failed', args[1])

    # -- convergence --------------------------------------------------------

    def _look_after_all(self, context: heat_context.RequestContext,
                        stack_ids: list[str], seen: dict[Any, Any]) -> None:
        """See to convergence stacks that are in progress."""
        rows = stack_objects.Stack.get_many_in_progress(context, stack_ids)
        points = sync_point.of_stacks(context, {
            row.id: row.current_traversal for row in rows
            if row.current_traversal})
        ready = sync_point.ready_of_many(context, [
            point.traversal_id for point in points.values()])
        for row in rows:
            self._guarded(self._look_after, context, row.id, row,
                          points.get(row.id), ready, seen)

    def _look_after(self, context: heat_context.RequestContext, stack_id: str,
                    row: Any, point: Any,
                    ready: Mapping[str, Collection[Node]], seen: dict[Any, Any]
                    ) -> None:
        if not row.current_traversal:
            self._begin(context, row, seen)
            return
        options = traversal_state.Options.of(row, point)
        reason, now = options.failure, heat_timeutils.utcnow()
        if point is None:
            reason = _('Stack %s aborted') % row.action
        elif reason is None and _deadline(row, options) < now:
            if _engines_since(context, _deadline(row, options)):
                reason = transitions.TIMED_OUT
            else:
                point = self._resume(context, row, options)
                if point is None:
                    # It has ended since it was read.
                    return
        if reason is not None:
            row = _whole(context, row)
            if row is None:
                return
            self._engine.pool.spawn(
                self._fail_task(context, row, options, reason),
                'fail %s' % stack_id)
            return
        self._continue(context, row, point, options, seen,
                       ready.get(row.current_traversal, frozenset()))

    @staticmethod
    def _resume(context: heat_context.RequestContext, row: Any,
                options: traversal_state.Options) -> Any:
        """Give an operation its time anew; return its sync point.

        Its time ran out while there was no engine: nobody could work.
        """
        LOG.info('Going on with %s of stack %s after no engine was there',
                 row.action, row.id)
        # This also takes over what the peer left half-way.
        traversal_state.load(stack_module.Stack, context, row.id,
                             row.current_traversal)
        sync_point.set_options(
            context, row.id, row.current_traversal,
            dataclasses.replace(
                options,
                resumed=heat_timeutils.utcnow().isoformat()).as_dict())
        return sync_point.of_stack(context, row.id, row.current_traversal)

    def _begin(self, context: heat_context.RequestContext, row: Any,
               seen: dict[Any, Any]) -> None:
        """Begin what was stored by an engine that got no further."""
        key = (row.id, None)
        self._seen[key] = frozenset()
        if key not in seen and not (self._first and self._alone):
            # Most likely its engine is just about to do so.
            return
        row = _whole(context, row)
        if row is None:
            return
        stack = stack_module.Stack.load(context, stack=row,
                                        use_stored_context=True)
        begin = _beginning(stack)
        if begin is not None:
            LOG.info('Beginning %s of stack %s', row.action, row.id)
            begin()
            return
        stack_state.transition(
            stack, row.action, _S.FAILED,
            _('Stack %s aborted') % row.action,
            expected={'current_traversal': row.current_traversal,
                      'status': _S.IN_PROGRESS})

    def _continue(self, context: heat_context.RequestContext, row: Any,
                  point: Any, options: traversal_state.Options,
                  seen: dict[Any, Any], ready: Collection[Node]) -> None:
        """Take up nodes that were ready for a while and nobody visited.

        One look is not enough: most ready nodes are about to be visited.
        What another engine has begun is left to it while it is there. It
        knows best what it has in its queue, and sees to what is lost.
        """
        if point.pending is None:
            self._driver.runner.look(context, row.id)
            return
        key = (row.id, row.current_traversal)
        before = seen.get(key, frozenset())
        free = self._seen[key] = self._free(row.id, ready, options)
        if self._judge.is_at_work(options.engine):
            return
        if not ready:
            self._driver.runner.look(context, row.id)
            return
        abandoned = free - self._driver.runner.in_flight(row.current_traversal)
        delegated = self._driver.runner.delegated(row.current_traversal)
        if (before & delegated) - free:
            # Those who got them are about it.
            abandoned -= delegated
        if abandoned and (self._first or abandoned & before):
            self._driver.runner.look(context, row.id, abandoned)

    def _free(self, stack_id: str, nodes: Iterable[Node],
              options: traversal_state.Options) -> frozenset[Node]:
        """Return those of the ready nodes that no engine is visiting.

        Who visits on behalf of the operation before is to be told to stop.
        """
        claimed = self._claimed.get(stack_id, {})
        return frozenset(
            node for node in nodes if node[0] not in claimed or
            (node[0], claimed[node[0]]) in options.held)

    def _fail_task(self, context: heat_context.RequestContext, row: Any,
                   options: traversal_state.Options, reason: str
                   ) -> scheduler.TaskGenerator[None]:
        """A task to end an operation that nobody else will end."""
        try:
            state = traversal_state.of_row(
                stack_module.Stack, context, row, options,
                use_stored_context=True)
            yield from self._driver.ending.fail(state, reason)
        except transaction.Unavailable:
            raise
        except Exception:
            # A template that cannot be read any more, for instance.
            LOG.exception('Stack %s is marked as failed', row.id)
            yield group_commit.Write(lambda: _give_up(context, row, reason))

    def _take_over(self, context: heat_context.RequestContext, row_id: int,
                   stack_id: str, engine_id: str) -> None:
        row = stack_objects.Stack.get_by_id(context, stack_id)
        if row is None:
            # Deleted since the claims were read.
            return
        point = sync_point.of_stack(context, stack_id, row.current_traversal)
        if point is not None:
            options = traversal_state.Options.of(row, point)
            deadline = _deadline(row, options)
            if deadline < heat_timeutils.utcnow() and not _engines_since(
                    context, deadline):
                self._resume(context, row, options)
        LOG.info('Engine %s %s; going on with its resource %s of stack %s',
                 engine_id, 'has let go' if engine_id ==
                 self._engine.engine_id else 'is gone', row_id, stack_id)
        self._driver.runner.take_over(context, stack_id, row_id, engine_id)

    def _delete_snapshots(self, context: heat_context.RequestContext,
                          stack_id: str) -> None:
        """Go on deleting snapshots of a stack at rest."""
        stack = stack_module.Stack.load(context, stack_id,
                                        use_stored_context=True)
        if stack.status == _S.IN_PROGRESS:
            return
        LOG.info('Going on with deleting snapshots of stack %s', stack_id)
        with contextlib.suppress(exception.ActionInProgress):
            driver = self._drivers.driver_of(stack)
            driver.go_on_deleting_snapshots(stack)

    # -- legacy -------------------------------------------------------------

    def _fail_legacy(self, context: heat_context.RequestContext, stack_id: str,
                     engine_id: str | None) -> None:
        """Mark a stack failed whose operation died with its engine.

        What was asked for and not begun is begun, and a deletion goes on.
        """
        lock = stack_lock.StackLock(context, stack_id,
                                    self._engine.engine_id)
        holder = (lock.try_acquire() if engine_id is None
                  else lock.steal(engine_id))
        if holder is not None:
            return
        if engine_id is not None:
            metrics.CLAIMS_STOLEN.labels('stack').inc()
        go_on = None
        try:
            stack = stack_module.Stack.load(context, stack_id,
                                     use_stored_context=True)
            if stack.status == _S.IN_PROGRESS:
                go_on = _continuation(stack, engine_id in (
                    None, self._engine.engine_id))
                if go_on is None:
                    self._write_failure(stack, engine_id)
        except transaction.Unavailable:
            raise
        except Exception:
            # A template that cannot be read any more, for instance.
            LOG.exception('Stack %s is marked as failed', stack_id)
            self._give_up_legacy(context, stack_id)
            return
        finally:
            lock.leave()
            if lock.get_engine_id() == self._engine.engine_id:
                lock.release()
        if go_on is not None:
            LOG.info('Going on with %s of stack %s', stack.action, stack_id)
            go_on()
        wakeup.stack_ended(stack)

    def _give_up_legacy(self, context: heat_context.RequestContext,
                        stack_id: str) -> None:
        """Mark a stack failed whose operation cannot be understood."""
        found = stack_objects.Stack.get_status(context, stack_id)
        if found is None:
            # Deleted meanwhile.
            return
        action = found[0]
        stack_objects.Stack.persist_state_and_release_lock(
            context, stack_id, self._engine.engine_id,
            {'action': action, 'status': _S.FAILED,
             'status_reason': _('Stack %s aborted') % action})

    def _write_failure(self, stack: interface.Stack, engine_id: str | None
                       ) -> None:
        reason = (_('Stack %s aborted')
                  if engine_id == self._engine.engine_id else
                  _('Engine went down during stack %s')) % stack.action
        LOG.info('%s %s', reason, stack.id)
        move = stack_state.plan(stack, stack.action, _S.FAILED, reason)

        def write() -> Any:
            done = stack_objects.Stack.persist_state_and_release_lock(
                stack.context, stack.id, self._engine.engine_id, move.values)
            if done:
                stack_state.add_event(stack, move)
                _fail_resources(stack, reason)
                if stack.action == _S.SNAPSHOT:
                    snapshots.fail_unfinished(stack, reason)
            return done

        if transaction.run(stack.context, write):
            stack_state.publish(stack, move)


def _give_up(context: heat_context.RequestContext, row: Any, reason: str
             ) -> None:
    """Mark a stack failed whose operation cannot be understood."""
    if stack_objects.Stack.end_many(
            context, {row.id: row.current_traversal}, row.action,
            {'action': row.action, 'status': _S.FAILED,
             'status_reason': reason,
             'current_traversal': end.NO_TRAVERSAL}):
        sync_point_objects.SyncPoint.delete_all_of_stacks(context, [row.id])
        resource_objects.Resource.fence(context, row.id)


def _whole(context: heat_context.RequestContext, row: Any) -> Any:
    """Return a row with all its columns; None if its operation is over."""
    whole = stack_objects.Stack.get_by_id(context, row.id)
    if whole is None or (whole.current_traversal, whole.status) != (
            row.current_traversal, _S.IN_PROGRESS):
        return None
    return whole


def _continuation(stack: interface.Stack, unattended: bool
                  ) -> Callable[[], Any] | None:
    """Return the method that resumes a legacy stack, or None.

    :param unattended: the stack has no lock, or an unused one of this engine:
        its operation has not begun, or has ended without its last state
    """
    if stack.backup:
        return None
    if stack.action == _S.DELETE:
        return stack.delete
    # Whoever has asked for a nested stack asks again, or has failed.
    unmade = stack.owner_id is None and not (
        resource_objects.Resource.get_summaries(stack.context, stack.id))
    return _beginning(stack) if unattended and unmade else None


def _beginning(stack: interface.Stack) -> Callable[[], Any] | None:
    """Return the method that begins to make a stored stack, or None."""
    if stack.action == _S.CREATE:
        return stack.create
    stack.adopt_stack_data = (stack.action == _S.ADOPT and
                              stack_store.adopt_data_of(stack)) or None
    return None if stack.adopt_stack_data is None else stack.adopt


def _fail_resources(stack: interface.Stack, reason: str) -> None:
    """Mark what was in progress failed; nobody knows how it ended."""
    for row in resource_objects.Resource.get_summaries(
            stack.context, stack.id, {'status': _R.IN_PROGRESS}):
        resource_objects.Resource.update_by_id(
            stack.context, row.id, {'status': _R.FAILED,
                                    'status_reason': reason,
                                    'engine_id': None})
        if row.name in stack.resources:
            resource = stack.resources[row.name]
            resource_store.load_row(resource, row)
            stack_events.add(stack.context, stack_events.resource_values(
                resource, row.action, _R.FAILED, reason))


def _deadline(row: Any, options: traversal_state.Options) -> datetime.datetime:
    """Return when the time of a stack's operation is over."""
    limit = (row.timeout * 60 if row.timeout
             else cfg.CONF.stack_action_timeout)
    began = options.resumed_at() or row.updated_at or row.created_at
    return began + datetime.timedelta(seconds=limit)


def _engines_since(context: heat_context.RequestContext,
                   moment: datetime.datetime) -> bool:
    """Return whether an engine that is alive was there at a moment."""
    services = service_objects.Service
    return any(row.created_at is not None and row.created_at <= moment
               for row in services.get_all(context)
               if services.is_alive(row))
