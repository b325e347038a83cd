"""Take a resource through an action: the only code that does so.

run() claims the row, records IN_PROGRESS, has the plugin's handler called
and polled, and records the outcome.
"""
import contextlib
import dataclasses
import enum
import typing

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception, timeutils
from heat.common.i18n import _
from heat.engine import (
    function,
    resource_change,
    resource_claim,
    resource_handler,
    resource_hook,
    resource_store,
    scheduler,
    status,
)

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

REASON = 'state changed'


class Outcome(enum.StrEnum):
    """What became of an action."""

    COMPLETE = 'COMPLETE'
    REPLACED = 'REPLACED'     # the plugin wants another resource instead
    FAILED = 'FAILED'


@dataclasses.dataclass(slots=True)
class Result:
    """The outcome of an action, as recorded.

    :ivar reason: what the state says about it
    :ivar node_data: what others may know of the resource now
    :ivar extra: what extra_outcome_write returned
    """

    kind: Outcome
    action: str
    reason: str = REASON
    error: BaseException | None = None
    node_data: typing.Any = None
    extra: typing.Any = None


@dataclasses.dataclass(slots=True)
class _Run:
    """What run() was asked to do, and how far it has got."""

    resource: typing.Any
    claim: typing.Any
    extra: typing.Callable | None = None
    prop_diff: dict | None = None
    tmpl_diff: typing.Any = None
    new_defn: typing.Any = None
    new_template_id: int | None = None
    new_requires: typing.Any = None
    adopt_data: dict | None = None
    timeout: scheduler.Timeout | None = None
    before: tuple = ()
    undoing: bool = False
    held: bool = False

    def belonging(self):
        """Return the columns that say what the row now belongs to."""
        values = {}
        if self.new_template_id is not None:
            values['current_template_id'] = self.new_template_id
        if self.new_requires is not None:
            values['requires'] = sorted(self.new_requires)
        return values

    def extra_for(self, result):
        """Return the function that is part of recording a result."""
        if self.extra is None:
            return None
        return lambda: self.extra(result)


def run(resource, action, claim, *, prop_diff=None, tmpl_diff=None,
        new_defn=None, new_template_id=None, new_requires=None,
        adopt_data=None, timeout=None, extra_outcome_write=None,
        take_over=False):
    """A task to take a resource through an action and record it.

    :param claim: a claim of resource_claim, acquired and released here
    :param timeout: seconds after which scheduler.Timeout is raised
    :param extra_outcome_write: called with the Result inside the
        transaction that records it, whichever it is, perhaps repeatedly;
        it may have database effects only
    :param take_over: a dead engine left the action IN_PROGRESS
    Return a Result that is COMPLETE or REPLACED.  Raise ResourceFailure
    (whose attribute result is the Result) when FAILED has been recorded,
    and ClaimLost when another engine holds or has changed the row.
    """
    this = _Run(resource, claim, extra_outcome_write, prop_diff or {},
                tmpl_diff, new_defn, new_template_id, new_requires,
                adopt_data, before=resource.state)
    if timeout is not None:
        this.timeout = scheduler.Timeout('%s of %s' % (action, resource),
                                         timeout)
    _check_allowed(resource, action)
    yield from resource_hook.wait(resource, action, before=True)
    if action == _R.CREATE and resource.external_id is not None:
        this.adopt_data = {'resource_id': resource.external_id}
        yield from _once(this, _R.ADOPT, is_last=False)
        return (yield from _once(this, _R.CHECK))
    if action in (_R.CREATE, _R.DELETE):
        return (yield from _with_retries(this, action, take_over))
    return (yield from _once(this, action))


def carry_out(resource, decision, claim, **kwargs):
    """A task to do what was decided, short of making a replacement.

    Keyword arguments are those of run().  Return a Result: when it is
    REPLACED the caller makes another resource and removes this one later.
    For SUBSTITUTE use resource_change.substitute() and decide again.
    """
    kinds = resource_change.Kind
    extra = kwargs.get('extra_outcome_write')
    if decision.kind in (kinds.UPDATE, kinds.REPLACE) and decision.error:
        yield from resource_hook.wait(resource, _R.UPDATE, before=True)
        return (yield from refuse(resource, _R.UPDATE, claim,
                                  decision.error, extra_outcome_write=extra))
    if decision.kind == kinds.KEEP:
        return (yield from keep(
            resource, claim, repaired=decision.repaired,
            new_defn=kwargs.get('new_defn'),
            new_template_id=kwargs.get('new_template_id'),
            new_requires=kwargs.get('new_requires'),
            extra_outcome_write=extra))
    if decision.kind == kinds.REPLACE:
        yield from resource_hook.wait(resource, _R.UPDATE, before=True)
        return (yield from prepare_replacement(
            resource, decision, claim, extra_outcome_write=extra))
    action = {kinds.CREATE: _R.CREATE, kinds.UPDATE: _R.UPDATE,
              kinds.DELETE: _R.DELETE, kinds.RETAIN: _R.DELETE}[decision.kind]
    if action == _R.UPDATE:
        kwargs.update(prop_diff=decision.prop_diff,
                      tmpl_diff=decision.tmpl_diff)
    return (yield from run(resource, action, claim, **kwargs))


def refuse(resource, action, claim, error, *, extra_outcome_write=None):
    """A task to record as FAILED an action that is not begun at all."""
    this = _Run(resource, claim, extra_outcome_write, before=resource.state)
    failure, move = _failure(this, action, error)
    _enter(resource, action)
    failure.result.extra = yield from resource_store.transition(
        resource, claim, move, 'update_once')
    raise failure


def keep(resource, claim, *, repaired=False, new_defn=None,
         new_template_id=None, new_requires=None, extra_outcome_write=None):
    """A task to note that a resource already is as it should be.

    Users see no event.  The row is written only where it differs.
    """
    this = _Run(resource, claim, extra_outcome_write,
                new_template_id=new_template_id, new_requires=new_requires)
    if new_defn is not None:
        resource.t = new_defn
        resource.reparse()
    columns = resource_store.differing(resource, this.belonging())
    if repaired:
        resource.status, resource.status_reason = _R.COMPLETE, REASON
        columns.update(status=_R.COMPLETE, status_reason=REASON)
    result = Result(Outcome.COMPLETE, resource.action)
    result.node_data = resource.node_data(for_outputs=True)
    result.extra = yield from resource_store.annotate(
        resource, claim, columns, extra=this.extra_for(result),
        attributes=_attributes_to_store(resource))
    return result


def prepare_replacement(resource, decision, claim, *,
                        extra_outcome_write=None):
    """A task to ready a resource for the replacement to come."""
    try:
        with resource.frozen_properties():
            if decision.before_replacement == 'restore_prev_rsrc':
                resource.restore_prev_rsrc(convergence=False)
            elif decision.before_replacement is not None:
                resource.prepare_for_replace()
    except Exception as error:  # noqa: BLE001
        return (yield from refuse(resource, _R.UPDATE, claim, error,
                                  extra_outcome_write=extra_outcome_write))
    result = Result(Outcome.REPLACED, _R.UPDATE)
    this = _Run(resource, claim, extra_outcome_write)
    result.extra = yield from resource_store.annotate(
        resource, claim, {}, extra=this.extra_for(result))
    return result


def update(resource, after, *, rollback=False, **kwargs):
    """A task to make a resource of a locked stack as a definition says.

    Raise UpdateReplace when that takes another resource.  When its type
    was substituted, the object that stands for it afterwards is the one in
    the stack's mapping.
    """
    kinds = resource_change.Kind
    decision = resource_change.decide(resource_change.gather(
        resource, after, rollback=rollback))
    if decision.kind == kinds.SUBSTITUTE:
        resource = resource_change.substitute(resource, after)
        resource.stack.resources[resource.name] = resource
        decision = resource_change.decide(resource_change.gather(
            resource, after, rollback=rollback))
    result = yield from carry_out(
        resource, decision, resource_claim.StackOwned(), new_defn=after,
        **kwargs)
    if result.kind == Outcome.REPLACED:
        raise exception.UpdateReplace(resource.name)
    return result


def destroy(resource):
    """A task to delete a resource of a locked stack, and its row."""
    return run(resource, _R.DELETE, resource_claim.StackOwned(),
               extra_outcome_write=lambda result: (
                   resource_store.delete_row(resource)
                   if result.kind == Outcome.COMPLETE else None))


def delete_snapshot(resource, data):
    """A task to remove what a snapshot of the resource consists of."""
    yield from resource_handler.Call(resource, 'delete_snapshot',
                                     data).task()


def cancel_grace_period(resource):
    """Return the seconds a running action gets when another one failed.

    A plugin that can be told to cancel is told at once: None.
    """
    cancel = getattr(resource, 'handle_%s_cancel' % resource.action.lower(),
                     None)
    return None if callable(cancel) else cfg.CONF.error_wait_time


def _check_allowed(resource, action):
    """Raise ResourceFailure when the state rules the action out."""
    if action == _R.SUSPEND:
        allowed = (resource.action == _R.SUSPEND or (
            resource.status == _R.COMPLETE and
            resource.action not in (_R.DELETE, _R.INIT)))
    elif action == _R.RESUME:
        allowed = (resource.action == _R.RESUME or
                   resource.state == (_R.SUSPEND, _R.COMPLETE))
    else:
        return
    if not allowed:
        raise exception.ResourceFailure(
            exception.Error(_('State %(state)s invalid for %(action)s') % {
                'state': '_'.join(resource.state),
                'action': action.lower()}), resource, action)


# -- attempts ---------------------------------------------------------------

class _Retry(Exception):
    """An attempt failed in a way that may go away."""

    def __init__(self, failure):
        self.failure = failure


def _with_retries(this, goal, take_over):
    """Do a CREATE or DELETE, again after errors that may go away.

    A create is undone by a delete before it is tried again.
    """
    action = goal
    this.undoing = take_over and goal == _R.CREATE
    if this.undoing:
        action = _R.DELETE
    retries = {_R.CREATE: 0, _R.DELETE: 0}
    limit = max(cfg.CONF.action_retry_limit, 0)
    tried = False
    while True:
        try:
            result = yield from _once(
                this, action, is_last=action == goal,
                first_try=not tried, may_retry=retries[action] < limit)
        except _Retry as retry:
            tried = True
            retries[action] += 1
            delay = timeutils.retry_backoff_delay(retries[action],
                                                  jitter_max=2.0)
            LOG.info('Trying again in %.1f s: %s', delay, retry.failure)
            this.undoing = goal == _R.CREATE
            action = _R.DELETE
            yield from _pause(this, delay, goal)
            continue
        if action == goal:
            return result
        action, this.undoing = goal, False


def _pause(this, delay, action):
    """Wait between attempts; a timeout or cancel ends it as FAILED."""
    with _interruptible(this, action):
        yield delay


def _once(this, action, *, is_last=True, first_try=True, may_retry=False):
    """Make one attempt at an action, from the claim to what came of it."""
    resource = this.resource
    if action == _R.DELETE and not this.undoing and (
            resource.action == _R.INIT or
            resource.state == (_R.DELETE, _R.COMPLETE)):
        return (yield from _delete_unmade(this))
    if action == _R.CHECK and not resource_handler.Call(
            resource, 'check').exists():
        return (yield from _complete(
            this, action, reason=_('%(action)s not supported for %(type)s')
            % {'action': action, 'type': resource.type()}))
    try:
        with _interruptible(this, action):
            with resource_handler.properties_for(resource, action,
                                                 first_try=first_try):
                outcome = yield from _attempt(this, action)
            if action == _R.UPDATE and outcome == Outcome.COMPLETE:
                _adopt_definition(this)
            return (yield from _complete(this, action, outcome,
                                         is_last=is_last))
    except resource_claim.ClaimLost:
        resource.action, resource.status = resource._stored_state
        raise
    except Exception as error:  # noqa: BLE001
        return (yield from _fail(this, action, error, may_retry))
    finally:
        resource._pending = None
        if not this.held:
            resource._claim = None


def _attempt(this, action):
    """Have the handler called, recording before it that it begins.

    When nothing remote happens, beginning and outcome are recorded in one
    go; unless the action does not complete at once.
    """
    resource = this.resource
    call = resource_handler.call_for(
        resource, action, state=this.before, new_defn=this.new_defn,
        tmpl_diff=this.tmpl_diff, prop_diff=this.prop_diff,
        adopt_data=this.adopt_data, undo=this.undoing)
    _enter(resource, action)
    one_step = (not this.held and resource.id is not None and
                (resource.handlers_are_local or not call.exists()))
    if one_step:
        resource._pending = resource_store.Pending()
    else:
        yield from _start(this, action)
    work = call.task(this.timeout)
    try:
        for pause in work:
            if not this.held:
                yield from _start(this, action)
            try:
                yield pause
            except BaseException as thrown:  # noqa: BLE001
                pause = work.throw(thrown)
    except exception.UpdateReplace:
        if action != _R.UPDATE:
            raise
        resource.prepare_for_replace()
        return Outcome.REPLACED
    finally:
        # When the claim was lost meanwhile, the plugin may clean up.
        work.close()
    return Outcome.COMPLETE


def _enter(resource, action):
    """Let the resource see itself in progress."""
    resource.action, resource.status = action, _R.IN_PROGRESS
    resource.attributes.reset_resolved_values()


def _adopt_definition(this):
    """Let the resource be what it was updated to."""
    resource = this.resource
    if this.new_defn is not None:
        resource.t = this.new_defn
    resource.reparse()


@contextlib.contextmanager
def _interruptible(this, action):
    """Record FAILED when a timeout or cancel comes from outside.

    What is interrupted may be about to be closed and must not yield, so
    this is recorded in the thread that interrupts.
    """
    try:
        yield
    except Exception:
        raise
    except BaseException as interruption:
        _fail_now(this, action, interruption)
        raise


# -- recording --------------------------------------------------------------

def _how(this, final):
    """Return what becomes of the claim with a write."""
    if final:
        return 'release' if this.held else 'update_once'
    return 'keep' if this.held else 'acquire'


def _record(this, move, final):
    """A task to write a move; return what its extra part returned."""
    resource = this.resource
    how = _how(this, final)
    extra = yield from resource_store.transition(resource, this.claim, move,
                                                 how)
    this.held = not final
    resource._claim = this.claim if this.held else None
    resource._pending = None
    return extra


def _start(this, action):
    """A task to record that an action begins, and what it begins with."""
    resource = this.resource
    columns, properties = {}, None
    if action in (_R.CREATE, _R.ADOPT):
        columns = this.belonging()
        columns['rsrc_metadata'] = resource.t.metadata()
        properties = _properties_to_store(resource)
    elif action == _R.UPDATE:
        columns['updated_at'] = timeutils.utcnow()
    yield from _record(this, resource_store.Move(
        action, _R.IN_PROGRESS, REASON, columns, properties,
        pending=resource._pending), final=False)


def _complete(this, action, outcome=Outcome.COMPLETE, *, reason=REASON,
              is_last=True):
    """A task to record that an action succeeded; return the Result."""
    resource = this.resource
    began = resource.action == action and resource.status == _R.IN_PROGRESS
    columns, properties = {}, None
    if action in (_R.CREATE, _R.ADOPT) and not this.held:
        columns = this.belonging()
        columns['rsrc_metadata'] = resource.t.metadata()
        properties = _properties_to_store(resource)
    elif action == _R.UPDATE:
        if not this.held:
            columns['updated_at'] = timeutils.utcnow()
        if outcome == Outcome.COMPLETE:
            columns.update(this.belonging())
            properties = _properties_to_store(resource)
    if properties is not None:
        # Attributes may be made of them.
        resource._stored_properties_data = properties
    result = Result(outcome, action, reason)
    attributes = None
    resource.action, resource.status = action, _R.COMPLETE
    if is_last and action != _R.DELETE:
        result.node_data = resource.node_data(for_outputs=True)
        attributes = _attributes_to_store(resource)
    waits = is_last and resource_hook.applies(resource, action, before=False)
    move = resource_store.Move(
        action, _R.COMPLETE, reason, columns, properties, attributes,
        resource._pending,
        this.extra_for(result) if is_last and not waits else None,
        mark_started=began and not this.held)
    result.extra = yield from _record(this, move, is_last and not waits)
    if waits:
        yield from _wait_after(this, action, result)
    return result


def _wait_after(this, action, result):
    """Wait at a breakpoint behind an action; only then it is over."""
    yield from resource_hook.wait(this.resource, action, before=False)
    result.extra = yield from resource_store.annotate(
        this.resource, this.claim, {}, how='release',
        extra=this.extra_for(result))
    this.held = False


def _delete_unmade(this):
    """A task to delete what was never made: no handler, no event."""
    resource = this.resource
    result = Result(Outcome.COMPLETE, _R.DELETE)
    columns = {}
    if resource.action == _R.INIT and resource.id is not None:
        columns = {'action': _R.DELETE, 'status': _R.COMPLETE}
    result.extra = yield from resource_store.annotate(
        resource, this.claim, columns, extra=this.extra_for(result))
    resource.action, resource.status = _R.DELETE, _R.COMPLETE
    return result


def _failure(this, action, error):
    """Return (ResourceFailure, Move) of an error."""
    resource = this.resource
    failure = exception.ResourceFailure(error, resource, action)
    text = resource_store.presentable(resource, error, str(failure))
    if text != str(failure):
        failure = exception.ResourceFailure(text, resource, action)
        failure.exc = error
    failure.result = Result(Outcome.FAILED, action, str(failure), error)
    columns, properties = {}, None
    if action in (_R.CREATE, _R.ADOPT) and not this.held:
        columns = this.belonging()
        with contextlib.suppress(Exception):
            # These may be what the error is about.
            columns['rsrc_metadata'] = resource.t.metadata()
            properties = _properties_to_store(resource)
    move = resource_store.Move(
        action, _R.FAILED, str(failure), columns, properties,
        pending=resource._pending, extra=this.extra_for(failure.result),
        mark_started=not this.held)
    return failure, move


def _fail(this, action, error, may_retry):
    """A task to record that an action failed, and raise the error."""
    resource = this.resource
    failure, move = _failure(this, action, error)
    _enter(resource, action)
    if may_retry and resource_handler.is_retryable(resource, action, error):
        yield from _record(this, dataclasses.replace(move, extra=None),
                           final=False)
        raise _Retry(failure) from error
    failure.result.extra = yield from _record(this, move, final=True)
    raise failure from error


def _fail_now(this, action, interruption):
    """Record in this thread that an action was interrupted."""
    resource = this.resource
    detail = str(interruption)
    reason = (_('%(action)s aborted (%(detail)s)') if detail
              else _('%(action)s aborted')) % {'action': action,
                                               'detail': detail}
    result = Result(Outcome.FAILED, action, reason, interruption)
    move = resource_store.Move(
        action, _R.FAILED, reason, pending=resource._pending,
        extra=this.extra_for(result), mark_started=not this.held)
    try:
        resource_store.transition_now(resource, this.claim, move,
                                      _how(this, True))
    except Exception:
        LOG.exception('Recording that %s of resource "%s" was aborted '
                      'failed', action, resource.name)
    this.held = False


def _properties_to_store(resource):
    """Return resolved property values; None when they are stored already.

    An empty dict is what a resource without properties has.
    """
    values = function.resolve(resource.properties.data) or {}
    if values == (resource._stored_properties_data or {}):
        return None
    return values


def _attributes_to_store(resource):
    """Return the attribute values to store, or None if they are stored."""
    if (resource._attr_data_id is None and
            not resource.attributes.has_new_cached_attrs()):
        return None
    return dict(resource.attributes.cached_attrs)
