"""Take a resource through an action: the only code that does so.

run() claims the row, records IN_PROGRESS, has the plugin's handler called
and polled, and records the outcome.
"""
import dataclasses

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import record as resource_record
from heat.engine.lifecycle import store as resource_store
from heat.engine.lifecycle import values as resource_values
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Actions that are resumed after a take-over. The others are begun
#: anew: what is half deleted can be deleted, and the handler of an update
#: may have kept for itself what it still has to do.
_CONTINUED = frozenset(set(_R.ACTIONS) - {_R.UPDATE, _R.DELETE})

#: Methods with which plugins share what they have with a replacement.
_PREPARE, _RESTORE = 'prepare_for_replace', 'restore_prev_rsrc'

#: Handlers that may do nothing but begin what a stack inside does.
_BEGINNING = frozenset(['create', 'update', 'delete'])

#: Names that drivers use from here.
Outcome = resource_record.Outcome
ActionResult = resource_record.ActionResult
Notes = resource_record.Notes
REASON = resource_record.REASON


def run(resource, action, claim, *, prop_diff=None, tmpl_diff=None,
        new_defn=None, new_template_id=None, new_requires=None,
        adopt_data=None, timeout=None, extra_outcome_write=None,
        take_over=False, notes=None, held=False):
    """A task to take a resource through an action and record it.

    :param claim: a claim of resource_claim, acquired and released here
    :param timeout: seconds after which scheduler.Timeout is raised
    :param extra_outcome_write: called with the ActionResult inside the
        transaction that records it, whichever it is, perhaps repeatedly;
        it may have database effects only
    :param take_over: a dead engine left the action IN_PROGRESS
    :param notes: resource_record.Notes, where what begins is noted
    :param held: the row has been acquired, and the breakpoint passed
    Return an ActionResult that is COMPLETE or REPLACED.  Raise ResourceFailure
    (whose attribute result is the ActionResult) when FAILED has been recorded,
    and ClaimLost when another engine holds or has changed the row.
    """
    this = resource_record.ActionRun(
        resource, claim, extra_outcome_write, prop_diff or {}, tmpl_diff,
        new_defn, new_template_id, new_requires, adopt_data,
        timeout=_timer(resource, action, timeout), before=resource.state,
        notes=notes, noted=notes is not None and notes.found is not None,
        held=held, unbegun=held)
    _check_allowed(resource, action)
    if not held:
        yield from breakpoints.wait(resource, action, before=True,
                                    timeout=this.timeout)
    if action == _R.CREATE and resource.external_id is not None:
        this.adopt_data = {'resource_id': resource.external_id}
        yield from _once_or_anew(this, _R.ADOPT, is_last=False)
        return (yield from _once_or_anew(this, _R.CHECK))
    if action in (_R.CREATE, _R.DELETE):
        return (yield from _with_retries(this, action, take_over))
    return (yield from _once_or_anew(this, action))


def execute(resource, decision, claim, **kwargs):
    """A task to do what was decided, short of making a replacement.

    Keyword arguments are those of run().  Return an ActionResult: when it is
    REPLACED the caller makes another resource and removes this one later.
    For SUBSTITUTE use resource_change.substitute() and decide again.
    """
    kinds = resource_decision.Kind
    extra = kwargs.get('extra_outcome_write')
    comes_back = decision.kind in (kinds.KEEP, kinds.UPDATE) and (
        _comes_back(resource))
    held = False
    # A breakpoint before the update holds for an unchanged resource, too.
    pauses = decision.kind != kinds.KEEP or (
        resource.stack.action == _R.UPDATE and
        breakpoints.applies(resource, _R.UPDATE, before=True))
    if comes_back or decision.error or decision.kind == kinds.REPLACE or (
            pauses and decision.kind == kinds.KEEP):
        this = resource_record.ActionRun(
            resource, claim, extra, before=resource.state,
            timeout=_timer(resource, _R.UPDATE, kwargs.get('timeout')))
        if pauses:
            yield from breakpoints.wait(resource, _R.UPDATE, before=True,
                                        timeout=this.timeout)
        if comes_back:
            yield from _about_replacement(this, _RESTORE, convergence=True)
        if decision.error:
            yield from resource_record.fail(this, _R.UPDATE, decision.error)
        if decision.kind == kinds.REPLACE:
            return (yield from _prepare_replacement(this, decision))
        held = this.held
    if decision.kind == kinds.KEEP:
        return (yield from keep(
            resource, claim, repaired=decision.repaired,
            new_defn=kwargs.get('new_defn'),
            new_template_id=kwargs.get('new_template_id'),
            new_requires=kwargs.get('new_requires'),
            extra_outcome_write=extra, held=held))
    action = {kinds.CREATE: _R.CREATE, kinds.UPDATE: _R.UPDATE,
              kinds.DELETE: _R.DELETE, kinds.RETAIN: _R.DELETE}[decision.kind]
    if action == _R.UPDATE:
        kwargs.update(prop_diff=decision.prop_diff,
                      tmpl_diff=decision.tmpl_diff, held=held)
    return (yield from run(resource, action, claim, **kwargs))


def _timer(resource, action, seconds):
    """Return the Timeout of an action, None when it may take for ever."""
    if seconds is None:
        return None
    return scheduler.Timeout('%s of %s' % (action, resource), seconds)


def takes_back(resource):
    """Return whether a resource takes back what its replacement has."""
    return resource_handler.is_overridden(resource, _RESTORE)


def _comes_back(resource):
    """Return whether a resource stays that was to be replaced."""
    return resource.replaced_by is not None and takes_back(resource)


def keep(resource, claim, *, repaired=False, new_defn=None,
         new_template_id=None, new_requires=None, extra_outcome_write=None,
         held=False):
    """A task to note that a resource already is as it should be.

    Users see no event.  The row is written only where it differs.
    """
    this = resource_record.ActionRun(resource, claim, extra_outcome_write,
                               new_template_id=new_template_id,
                               new_requires=new_requires, held=held,
                               unbegun=held)
    if new_defn is not None:
        resource.t = new_defn
        resource.reparse()
    columns = resource_store.differing(resource, this.belonging())
    if repaired:
        resource.status, resource.status_reason = _R.COMPLETE, REASON
        columns.update(status=_R.COMPLETE, status_reason=REASON)
    result = ActionResult(Outcome.COMPLETE, resource.action)
    result.node_data = resource.node_data(for_outputs=True)
    result.extra = yield from resource_store.annotate(
        resource, claim, columns, how=this.how_to_end(),
        extra=this.extra_for(result),
        attributes=resource_record.attributes_to_store(resource))
    resource._claim = None
    return result


def _about_replacement(this, name, **kwargs):
    """A task to have a plugin see to what it shares with a replacement.

    The row is held from here on: of engines that decide alike only one may
    ask the plugin, however long it takes.
    """
    resource = this.resource
    if not resource_handler.is_overridden(resource, name):
        return
    this.unbegun = True
    try:
        with resource_record.interruptible(this, _R.UPDATE):
            with resource.frozen_properties():
                yield from _ask(this, name, **kwargs)
    except resource_claim.ClaimLost:
        raise
    except Exception as error:  # noqa: BLE001
        yield from resource_record.fail(this, _R.UPDATE, error)
    finally:
        if not this.held:
            resource._claim = None


def _ask(this, name, **kwargs):
    """A task to ask a plugin, if it has the method, and to remember that.

    What is lent is taken back if there will be no replacement, whoever
    finds that out.
    """
    resource = this.resource
    if not resource_handler.is_overridden(resource, name):
        return
    lends = name == _PREPARE and this.claim.is_resumable
    yield from resource_record.record(this, resource_store.ResourceTransition(
        pending=resource_store.Pending(data={resource_store.LENT: (
            'True', False)})
        if lends else None), final=False)
    if lends:
        resource_values.data_forget(resource)
    yield from resource_handler.call_replacement_hook(resource, name,
                                                  this.timeout, **kwargs)
    if not lends:
        resource_values.data_delete(resource, resource_store.LENT)


def _prepare_replacement(this, decision):
    """A task to ready a resource for the replacement to come."""
    if decision.before_replacement == _RESTORE:
        yield from _about_replacement(this, _RESTORE, convergence=False)
    elif decision.before_replacement is not None:
        yield from _about_replacement(this, decision.before_replacement)
    result = ActionResult(Outcome.REPLACED, _R.UPDATE)
    # Of two engines that decide alike only one may make the replacement.
    result.extra = yield from resource_store.annotate(
        this.resource, this.claim, {}, how=this.how_to_end(),
        extra=this.extra_for(result), always=True)
    this.resource._claim = None
    return result


def update(resource, after, *, rollback=False, **kwargs):
    """A task to make a resource of a locked stack as a definition says.

    Raise UpdateReplace when that takes another resource.  When its type
    was substituted, the object that stands for it afterwards is the one in
    the stack's mapping.
    """
    kinds = resource_decision.Kind
    decision = resource_decision.decide(resource_decision.gather(
        resource, after, rollback=rollback))
    if decision.kind == kinds.SUBSTITUTE:
        resource = resource_decision.substitute(resource, after)
        resource.stack.resources[resource.name] = resource
        decision = resource_decision.decide(resource_decision.gather(
            resource, after, rollback=rollback))
    result = yield from execute(
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

    A plugin that can be told to cancel is told at once: None. So is what
    waits at a breakpoint: nothing is under way.
    """
    cancel = getattr(resource, 'handle_%s_cancel' % resource.action.lower(),
                     None)
    if callable(cancel) or breakpoints.is_waiting(resource):
        return None
    return cfg.CONF.error_wait_time


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

class _CannotResume(Exception):
    """Work that a dead engine began cannot be resumed."""


def _with_retries(this, goal, take_over):
    """Do a CREATE or DELETE, again after errors that may go away.

    A create is undone by a delete before it is tried again. One that a dead
    engine has begun is too, unless it happens in this process alone: then
    there is nothing to undo; or it can be gone on with.
    """
    action = goal
    this.seek = (take_over and goal == _R.CREATE and
                 resource_handler.can_find(this.resource))
    this.undoing = (take_over and goal == _R.CREATE and not this.seek and
                    not this.resource.handlers_are_local and
                    resource_record.begun_before(this, goal) is None)
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
        except _CannotResume:
            tried = True
            this.undoing = goal == _R.CREATE
            action = _R.DELETE
            continue
        except resource_record.Retry as retry:
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
    with resource_record.interruptible(this, action):
        if this.timeout is None:
            yield delay
            return
        yield min(delay, this.timeout.remaining())
        if this.timeout.expired():
            raise this.timeout


def _once_or_anew(this, action, *, is_last=True):
    """Make one attempt, and another if a dead engine's cannot go on."""
    try:
        return (yield from _once(this, action, is_last=is_last))
    except _CannotResume:
        return (yield from _once(this, action, is_last=is_last))


def _once(this, action, *, is_last=True, first_try=True, may_retry=False):
    """Make one attempt at an action, from the claim to what came of it."""
    resource = this.resource
    if action == _R.DELETE and not this.undoing and (
            resource.action == _R.INIT or
            resource.state == (_R.DELETE, _R.COMPLETE)):
        return (yield from _delete_unmade(this))
    if action == _R.CHECK and not resource_handler.Call(
            resource, 'check').exists():
        return (yield from resource_record.complete(
            this, action, reason=_('%(action)s not supported for %(type)s')
            % {'action': action, 'type': resource.type()}))
    try:
        with resource_record.interruptible(this, action):
            with resource_handler.properties_for(resource, action,
                                                 first_try=first_try):
                outcome = yield from _attempt(this, action)
            if action == _R.UPDATE and outcome == Outcome.COMPLETE:
                _adopt_definition(this)
            return (yield from resource_record.complete(this, action, outcome,
                                         is_last=is_last))
    except resource_claim.ClaimLost:
        resource.action, resource.status = resource._stored_state
        raise
    except _CannotResume:
        raise
    except Exception as error:  # noqa: BLE001
        return (yield from resource_record.fail(this, action, error,
                                                may_retry=may_retry))
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
    resource_record.enter(resource, action)
    begun = resource_record.begun_before(this, action)
    one_step = (not this.held and resource.id is not None and
                begun is None and
                (resource.handlers_are_local or not call.exists() or
                 _only_begins(this, call)))
    if one_step:
        resource._pending = resource_store.Pending(
            first_data=resource._data == {})
    elif begun is not None:
        yield from resource_record.resume(this)
    else:
        yield from resource_record.start(this, action)
        if this.seek and action == _R.CREATE:
            this.seek = False
            begun = resource_handler.find_created(resource)
            if begun is None and resource.resource_id is not None:
                # There is something that the plugin does not recognise.
                raise _CannotResume()
    yield from resource_record.make_sure(this)
    if action == _R.DELETE and resource.resource_id is None and (
            resource_handler.can_find(resource)):
        # What was made before its id could be recorded, or by a request
        # that was not answered, is not left behind.
        resource_handler.find_created(resource)
    resumed = begun is not None
    # Of what was begun with the action the physical id tells enough.
    to_be_noted = action in _CONTINUED and not (
        one_step and _only_begins(this, call))
    work = call.task(this.timeout, begun)
    try:
        for pause in work:
            if not this.held:
                yield from resource_record.start(this, action)
            if begun is None and to_be_noted:
                begun = resource_handler.Begun(call.cookie)
                yield from resource_record.note(this, action, call.cookie)
            try:
                woken = yield pause
            except BaseException as thrown:  # noqa: BLE001
                pause = work.throw(thrown)
            else:
                if getattr(woken, 'content', None) is not None:
                    resource.hear(*woken.content)
    except exception.UpdateReplace:
        if action != _R.UPDATE:
            raise
        if not this.held:
            yield from resource_record.start(this, action)
        yield from _ask(this, _PREPARE)
        return Outcome.REPLACED
    except resource_claim.ClaimLost:
        raise
    except Exception as error:
        if not resumed or _is_final(error):
            raise
        LOG.info('Beginning %s of resource "%s" anew: %s', action,
                 resource.name, error)
        if this.notes is not None:
            this.notes = dataclasses.replace(this.notes, found=None)
        raise _CannotResume() from error
    finally:
        # When the claim was lost meanwhile, the plugin may clean up.
        work.close()
    return Outcome.COMPLETE


def _only_begins(this, call):
    """Return whether a handler only begins what a nested stack does.

    What was interrupted has to be looked at first.
    """
    return (getattr(this.resource, 'handlers_only_begin', False) and
            call.handler in _BEGINNING and
            this.claim.is_resumable and not this.seek and
            not this.undoing and this.claim.held_by is None)


def _is_final(error):
    """Return whether what a dead engine began has failed.

    Else the plugin could not go on with it: what it looks for may never
    have been made, or it had kept for itself what it needs to look.
    """
    return (isinstance(error, exception.HeatException) and
            not isinstance(error, exception.EntityNotFound))


def _adopt_definition(this):
    """Let the resource be what it was updated to."""
    resource = this.resource
    if this.new_defn is not None:
        resource.t = this.new_defn
    resource.reparse()


def _delete_unmade(this):
    """A task to delete what was never made: no handler, no event."""
    resource = this.resource
    result = ActionResult(Outcome.COMPLETE, _R.DELETE)
    columns = {}
    if resource.action == _R.INIT and resource.id is not None:
        columns = {'action': _R.DELETE, 'status': _R.COMPLETE}
    result.extra = yield from resource_store.annotate(
        resource, this.claim, columns, extra=this.extra_for(result))
    resource.action, resource.status = _R.DELETE, _R.COMPLETE
    return result
