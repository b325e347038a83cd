"""Take a resource through an action: the only code that does so.

An ActionRun claims the row, records IN_PROGRESS, and has the plugin's
handler called and polled. Its user records the outcome, together with what
follows from it.
"""
import collections
from collections.abc import Callable, Iterator
import contextlib
import sys
import threading
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.lifecycle import fence as stack_fence
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import record as resource_record
from heat.engine.lifecycle import row_state
from heat.engine.lifecycle import store as resource_store
from heat.engine.lifecycle import values as resource_values
from heat.engine.stacks import interface
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Actions that are resumed after a take-over. The others start again: a
#: delete can be repeated, and an update may keep its progress in memory.
_CONTINUED = frozenset(set(_R.ACTIONS) - {_R.UPDATE, _R.DELETE})

#: Methods in which a plugin lends to a replacement, and takes back.
_PREPARE, RESTORE = 'prepare_for_replace', 'restore_prev_rsrc'

#: Handlers that may do nothing but begin what a stack inside does.
_BEGINNING = frozenset(['create', 'update', 'delete'])

Task = resource_record.Task
Outcome = resource_record.Outcome
ActionResult = resource_record.ActionResult
#: Called with the result in the transaction that records it.
Also = Callable[[ActionResult], Any]


class _CannotResume(Exception):
    """Work that a dead engine began cannot be resumed."""


class ActionRun:
    """Takes a resource through one action, and owns its progress.

    perform(action) and execute(decision) return a task, of which one is run.
    It returns an ActionResult, which record() writes::

        with run.interruptible(also):
            result = yield from run.perform(action)
            result, answer = yield from run.record(result, also)

    also(result) is called in the transaction that records the outcome,
    whichever it is, perhaps repeatedly; it may have database effects only.

    :param claim: a claim of resource_claim, acquired and released here
    :param target: resource_record.Target, what the resource is to become
    :param timeout: seconds after which scheduler.Timeout is raised
    :param take_over: a dead engine left the action IN_PROGRESS
    :param notes: resource_record.Notes, where what begins is noted
    :raises ClaimLost: by the tasks; another engine holds or has changed the
        row
    """

    def __init__(self, resource: interface.Resource,
                 claim: resource_claim.Claim, *,
                 target: resource_record.Target | None = None,
                 adopt_data: dict[str, Any] | None = None,
                 timeout: float | None = None, take_over: bool = False,
                 notes: resource_record.Notes | None = None) -> None:
        self._resource = resource
        self._claim = claim
        self._target = target or resource_record.Target()
        self._adopt_data = adopt_data
        self._seconds = timeout
        self._timeout: scheduler.Timeout | None = None
        self._take_over = take_over
        self._notes = notes
        self._recorder = resource_record.Recorder(resource, claim,
                                                  self._target, notes)
        # For a delete with snapshot.
        resource.state_before = resource.state
        self._prop_diff: dict[str, Any] = {}
        self._tmpl_diff: Any = None
        # The action that is recorded as FAILED should it be interrupted.
        self._acting: str | None = None
        # What is still to be done: several actions, or one.
        self._steps: tuple[str, ...] = ()
        self._is_retry = False
        # Whether to look for what an interrupted create has made.
        self._seeks = False

    # -- tasks --------------------------------------------------------------

    def execute(self, decision: resource_decision.Decision) -> Task:
        """Return a task to do what was decided.

        It makes no replacement: when its result is REPLACED, the caller
        makes another resource, and removes this one later. For SUBSTITUTE
        use resource_decision.substitute() and decide again.
        """
        kinds = resource_decision.Kind
        if decision.kind == kinds.CREATE:
            return self.perform(_R.CREATE)
        if decision.kind in (kinds.DELETE, kinds.RETAIN):
            return self.perform(_R.DELETE)
        if decision.kind == kinds.UPDATE and decision.error is None and (
                not self._comes_back(decision)):
            return self._update(decision)
        return self._prepare_for(decision)

    def perform(self, action: str) -> Task:
        """A task to take the resource through an action.

        An attempt that fails is made again if the error may go away.
        """
        refused = self._refusal(action)
        if refused is not None:
            return refused
        self._start_timer(action)
        if not self._recorder.is_held:
            yield from breakpoints.wait(self._resource, action, before=True,
                                        timeout=self._timeout)
        self._resource.state_before = self._resource.state
        self._plan(action)
        failures: collections.Counter[str] = collections.Counter()
        while True:
            result = yield from self._attempt(self._steps[0])
            if result is None:
                self._plan_anew()
            elif result.kind == Outcome.FAILED:
                failures[result.action] += 1
                if not self._may_retry(result, failures[result.action]):
                    return result
                yield from self._recorder.write(result.move)
                yield from self._pause(result, failures[result.action])
                self._plan_anew()
            elif len(self._steps) == 1:
                return result
            else:
                failed = yield from self._record_step(result)
                if failed is not None:
                    return failed
                self._steps = self._steps[1:]

    def finish(self, task: Task, also: Also | None = None) -> Task:
        """A task to run one of ours, and record its result.

        Return the ActionResult if it is COMPLETE or REPLACED.
        :raises ResourceFailure: once FAILED has been recorded.
        """
        with self.interruptible(also):
            result = yield from task
            result, _answer = yield from self.record(result, also)
        if result.failure is not None:
            raise result.failure from result.error
        return result

    # -- recording ----------------------------------------------------------

    def record(self, result: ActionResult, also: Also | None = None) -> Task:
        """A task to record a result; return (result, what also() returned).

        The result is another one, FAILED, when what has been achieved could
        not be recorded.
        """
        try:
            return result, (yield from self._recorder.finish(
                result, _bound(also, result)))
        except resource_claim.ClaimLost:
            raise
        except Exception as error:
            if self._acting is None or result.kind == Outcome.FAILED:
                raise
            result = self._recorder.failed(result.action, error)
        return result, (yield from self._recorder.finish(
            result, _bound(also, result)))

    @contextlib.contextmanager
    def interruptible(self, also: Also | None = None) -> Iterator[None]:
        """Record FAILED when a timeout or cancel comes from outside.

        What is interrupted may be about to be closed and must not yield, so
        this is recorded in the thread that interrupts.
        """
        try:
            yield
        except resource_claim.ClaimLost:
            self._recorder.revert()
            raise
        except Exception:
            raise
        except BaseException as interruption:
            if self._acting is not None:
                self._record_interruption(self._acting, interruption, also)
            raise
        finally:
            self._acting = None
            self._recorder.release()

    def _record_interruption(self, action: str, interruption: BaseException,
                             also: Also | None) -> None:
        """Record that the action was interrupted, in a thread that may.

        The collector of garbage may interrupt a thread in a transaction or
        with a lock: another one records it, unless the process ends.
        """
        if not isinstance(interruption, GeneratorExit):
            self._fail_now(self._recorder.interrupted(action, interruption),
                           also)
        elif not self._claim.is_resumable:
            result = self._recorder.interrupted(action, GeneratorExit())
            if scheduler.is_closing_on_purpose():
                self._fail_now(result, also)
            elif not sys.is_finalizing():
                threading.Thread(target=self._fail_now, args=(result, also),
                                 name='heat-last-words', daemon=True).start()

    def _fail_now(self, result: ActionResult, also: Also | None) -> None:
        if stack_fence.is_lost():
            return
        try:
            self._recorder.finish_now(result, _bound(also, result))
        except Exception:
            LOG.exception('Recording that %s of resource "%s" was aborted '
                          'failed', result.action, self._resource.name)

    def _record_step(self, result: ActionResult) -> Task:
        """A task to record what is not the outcome of the whole yet.

        Return the ActionResult that it fails with, None if it does not.
        """
        try:
            yield from self._recorder.write(result.move)
        except resource_claim.ClaimLost:
            raise
        except Exception as error:  # noqa: BLE001
            return self._recorder.failed(result.action, error)
        self._recorder.count(result)
        return None

    # -- updates and replacements -------------------------------------------

    def _update(self, decision: resource_decision.Decision) -> Task:
        """Return a task to update the resource where it is."""
        self._prop_diff = decision.prop_diff
        self._tmpl_diff = decision.tmpl_diff
        return self.perform(_R.UPDATE)

    def _prepare_for(self, decision: resource_decision.Decision) -> Task:
        """A task to do what was decided, with what the plugin does first."""
        kinds = resource_decision.Kind
        self._start_timer(_R.UPDATE)
        # A breakpoint before the update holds for an unchanged resource, too.
        if decision.kind != kinds.KEEP or (
                self._resource.stack.action == _R.UPDATE):
            yield from breakpoints.wait(self._resource, _R.UPDATE,
                                        before=True, timeout=self._timeout)
        if self._comes_back(decision):
            failed = yield from self._call_hook(RESTORE, convergence=True)
            if failed is not None:
                return failed
        if decision.error is not None:
            return self._recorder.failed(_R.UPDATE, decision.error)
        if decision.kind == kinds.REPLACE:
            return (yield from self._make_room(decision))
        if decision.kind == kinds.UPDATE:
            return (yield from self._update(decision))
        if self._target.definition is not None:
            self._target.adopt(self._resource)
        return self._recorder.kept(is_repaired=decision.repaired)

    def _comes_back(self, decision: resource_decision.Decision) -> bool:
        """Return whether a resource stays that was to be replaced."""
        kinds = resource_decision.Kind
        return (decision.kind in (kinds.KEEP, kinds.UPDATE) and
                self._resource.replaced_by is not None and
                resource_handler.is_overridden(self._resource, RESTORE))

    def _make_room(self, decision: resource_decision.Decision) -> Task:
        """A task to ready the resource for the replacement to come."""
        violation = stack_warrant.violation(self._resource,
                                            stack_warrant.REPLACE)
        if violation is not None:
            return self._recorder.failed(_R.UPDATE, violation)
        failed = None
        if decision.before_replacement == RESTORE:
            failed = yield from self._call_hook(RESTORE, convergence=False)
        elif decision.before_replacement is not None:
            failed = yield from self._call_hook(decision.before_replacement)
        # Of two engines that decide alike only one may make the replacement.
        return failed or ActionResult(
            Outcome.REPLACED, _R.UPDATE, must_write=True)

    def _call_hook(self, name: str, **kwargs: Any) -> Task:
        """A task to call the method of a plugin that prepares a replacement.

        The row is held from here on: of engines that decide alike only one
        may ask the plugin, however long it takes. Return the ActionResult
        of a failure, or None.
        """
        if not resource_handler.is_overridden(self._resource, name):
            return None
        self._acting = _R.UPDATE
        try:
            with self._resource.frozen_properties():
                yield from self._ask(name, **kwargs)
        except resource_claim.ClaimLost:
            raise
        except Exception as error:  # noqa: BLE001
            return self._recorder.failed(_R.UPDATE, error)
        self._acting = None
        return None

    def _ask(self, name: str, **kwargs: Any) -> Task:
        """A task to ask a plugin, if it has the method, and to remember that.

        The row notes a loan, so that any engine can take it back when there
        will be no replacement.
        """
        resource = self._resource
        if not resource_handler.is_overridden(resource, name):
            return
        lends = name == _PREPARE and self._claim.is_resumable
        yield from self._recorder.write(resource_store.ResourceTransition(
            pending=row_state.Pending(data={resource_store.LENT: (
                'True', False)})
            if lends else None))
        if lends:
            resource_values.data_forget(resource)
        yield from resource_handler.call_replacement_hook(
            resource, name, self._timeout, **kwargs)
        if not lends:
            resource_values.data_delete(resource, resource_store.LENT)

    # -- what is to be done, and how often ----------------------------------

    def _start_timer(self, action: str) -> None:
        """Let time count from now on, unless the action may take for ever."""
        if self._timeout is None and self._seconds is not None:
            self._timeout = scheduler.Timeout(
                '%s of %s' % (action, self._resource), self._seconds)

    def _refusal(self, action: str) -> ActionResult | None:
        """Return the ActionResult when something rules the action out."""
        resource = self._resource
        if resource_decision.is_allowed(resource, action):
            violation = stack_warrant.refusal(resource, action)
            return (None if violation is None
                    else self._recorder.failed(action, violation))
        error = exception.Error(_('State %(state)s invalid for %(action)s') % {
            'state': '_'.join(resource.state), 'action': action.lower()})
        failure = exception.ResourceFailure(error, resource, action)
        return ActionResult(Outcome.FAILED, action, str(failure), error,
                            failure)

    def _plan(self, goal: str) -> None:
        """Set the steps to a goal.

        A create that a dead engine has begun is undone first, unless it
        happens in this process alone: then there is nothing to undo; or it
        can be resumed.
        """
        resource = self._resource
        if goal == _R.CREATE and resource.external_id is not None:
            self._adopt_data = {'resource_id': resource.external_id}
            self._steps = (_R.ADOPT, _R.CHECK)
            return
        self._steps = (goal,)
        if not self._take_over or goal != _R.CREATE:
            return
        self._seeks = resource_handler.can_find(resource)
        if not self._seeks and not resource.handlers_are_local and (
                self._begun(goal) is None):
            self._steps = (_R.DELETE, _R.CREATE)

    def _plan_anew(self) -> None:
        """Set the steps after an attempt: what a create made goes first."""
        self._is_retry = True
        if self._steps[-1] == _R.CREATE:
            self._steps = (_R.DELETE, _R.CREATE)

    @property
    def _undoes(self) -> bool:
        """Whether the current step deletes the remains of a create."""
        return len(self._steps) > 1 and self._steps[0] == _R.DELETE

    def _may_retry(self, result: ActionResult, failures: int) -> bool:
        """Return whether an action may succeed when tried again."""
        return failures <= max(cfg.CONF.action_retry_limit, 0) and (
            resource_handler.is_retryable(self._resource, result.action,
                                          result.error))

    def _pause(self, result: ActionResult, failures: int) -> Task:
        """A task to wait between attempts."""
        delay = timeutils.retry_backoff_delay(failures, jitter_max=2.0)
        LOG.info('Trying again in %.1f s: %s', delay, result.failure)
        self._acting = self._steps[-1]
        if self._timeout is None:
            yield delay
            return
        yield min(delay, self._timeout.remaining())
        if self._timeout.expired():
            raise self._timeout

    # -- one attempt --------------------------------------------------------

    def _attempt(self, action: str) -> Task:
        """A task to make one attempt at a step.

        Return its ActionResult, not recorded; None when what a dead engine
        has begun cannot be resumed.
        """
        resource, is_last = self._resource, len(self._steps) == 1
        if action == _R.DELETE and is_last and (
                resource.action == _R.INIT or
                resource.state == (_R.DELETE, _R.COMPLETE)):
            # It was never made: no handler is called, and there is no event.
            return self._recorder.never_made()
        if action == _R.CHECK and not resource_handler.Call(
                resource, 'check').exists():
            return self._recorder.completed(
                action, reason=_('%(action)s not supported for %(type)s')
                % {'action': action, 'type': resource.type()})
        self._acting = action
        try:
            with resource_handler.properties_for(
                    resource, action, first_try=not self._is_retry):
                kind = yield from self._call(action)
            if action == _R.UPDATE and kind == Outcome.COMPLETE:
                self._target.adopt(resource)
            result = self._recorder.completed(action, kind, is_last=is_last)
            if is_last and breakpoints.applies(resource, action,
                                               before=False):
                yield from self._wait_after(result)
            return result
        except resource_claim.ClaimLost:
            raise
        except _CannotResume:
            self._recorder.release()
            return None
        except Exception as error:  # noqa: BLE001
            return self._recorder.failed(action, error)

    def _wait_after(self, result: ActionResult) -> Task:
        """A task to wait at a breakpoint behind an action.

        Only then is it over, and the row released.
        """
        yield from self._recorder.write(result.move)
        self._recorder.count(result)
        yield from breakpoints.wait(self._resource, result.action,
                                    before=False, timeout=self._timeout)
        result.move = resource_store.ResourceTransition()

    def _call(self, action: str) -> Task:
        """A task to have the handler called, and polled until it is complete.

        Return the kind of the outcome. When nothing remote happens,
        beginning and outcome are recorded in one go; unless the action does
        not complete at once.
        """
        call = resource_handler.call_for(
            self._resource, action, state=self._resource.state_before,
            new_defn=self._target.definition, tmpl_diff=self._tmpl_diff,
            prop_diff=self._prop_diff, adopt_data=self._adopt_data,
            undo=self._undoes)
        self._recorder.enter(action, call)
        begun = yield from self._begin(action, call)
        # Of what was begun with the action the physical id tells enough.
        is_noted = (begun is not None or action not in _CONTINUED or
                    not self._recorder.is_held and self._only_begins(call))
        try:
            call.begin(begun)
            while (pause := call.poll(self._timeout)) is not None:
                yield from self._ensure_started(action)
                if not is_noted:
                    is_noted = True
                    yield from self._note(action, call)
                woken = yield pause
                resource_handler.pass_on(self._resource, woken)
        except exception.UpdateReplace:
            if action != _R.UPDATE:
                raise
            yield from self._ensure_started(action)
            violation = stack_warrant.violation(self._resource,
                                                stack_warrant.REPLACE)
            if violation is not None:
                raise violation from None
            yield from self._ask(_PREPARE)
            return Outcome.REPLACED
        except resource_claim.ClaimLost:
            call.leave()
            raise
        except Exception as error:
            if begun is None or _is_final(error):
                raise
            self._give_up_resuming(action, error)
            raise _CannotResume() from error
        finally:
            call.close()
        return Outcome.COMPLETE

    def _begin(self, action: str, call: resource_handler.Call) -> Task:
        """A task to record the beginning, unless that is left to the end.

        Return a resource_handler.Begun when its handler was called before.
        """
        resource, recorder = self._resource, self._recorder
        begun = self._begun(action)
        if begun is not None:
            yield from recorder.resume()
        elif self._is_one_step(call):
            recorder.defer()
        else:
            yield from recorder.start(action)
            if self._seeks and action == _R.CREATE:
                self._seeks = False
                begun = resource_handler.find_created(resource)
                if begun is None and resource.resource_id is not None:
                    # There is something that the plugin does not recognise.
                    raise _CannotResume()
        yield from recorder.make_sure()
        if action == _R.DELETE and resource.resource_id is None and (
                resource_handler.can_find(resource)):
            # What was made before its id could be recorded, or by a request
            # that was not answered, is not left behind.
            resource_handler.find_created(resource)
        return begun

    def _note(self, action: str, call: resource_handler.Call) -> Task:
        """A task to note what a handler returned, for a take-over."""
        if self._notes is not None:
            yield from self._notes.keep(self._resource, action, call.cookie)

    def _ensure_started(self, action: str) -> Task:
        """A task to record that an action begins, unless that was done."""
        if not self._recorder.is_held:
            yield from self._recorder.start(action)

    def _begun(self, action: str) -> resource_handler.Begun | None:
        """Return a resource_handler.Begun if a dead engine got that far."""
        if self._notes is None or self._undoes:
            return None
        return self._notes.begun(self._resource, action)

    def _is_one_step(self, call: resource_handler.Call) -> bool:
        """Return whether beginning and outcome are recorded in one go."""
        resource = self._resource
        return (not self._recorder.is_held and resource.id is not None and
                (resource.handlers_are_local or not call.exists() or
                 self._only_begins(call)))

    def _only_begins(self, call: resource_handler.Call) -> bool:
        """Return whether a handler only begins what a nested stack does.

        What was interrupted has to be looked at first.
        """
        return (getattr(self._resource, 'handlers_only_begin', False) and
                call.handler in _BEGINNING and
                self._claim.is_resumable and not self._seeks and
                not self._undoes and self._claim.held_by is None)

    def _give_up_resuming(self, action: str, error: Exception) -> None:
        LOG.info('Beginning %s of resource "%s" anew: %s', action,
                 self._resource.name, error)
        if self._notes is not None:
            self._notes.disregard()


def _bound(also: Also | None,
           result: ActionResult) -> Callable[[], Any] | None:
    """Return a function without arguments that calls also(result)."""
    return None if also is None else lambda: also(result)


def _is_final(error: Exception) -> bool:
    """Return whether an error ends an action that a dead engine began.

    Any other error may only mean that the plugin cannot resume the action:
    the thing was never made, or its progress was in memory.
    """
    return (isinstance(error, exception.HeatException) and
            not isinstance(error, exception.EntityNotFound))
