"""Record what becomes of an action: its start, its outcome, its failure.

These are the steps of resource_action; each is one write.
"""
import contextlib
import dataclasses
import enum
import threading
import typing

from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils

from heat.common import crypt
from heat.common import exception
from heat.common import metrics
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import function
from heat.engine import status
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import fence as stack_fence
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import store as resource_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

REASON = 'state changed'

#: What figures, not states, call FAILED actions that were interrupted.
TIMED_OUT, CANCELLED = 'TIMED_OUT', 'CANCELLED'

#: How a row of somebody else becomes ours.
_TAKING = ('acquire', 'update_once')


class Outcome(enum.StrEnum):
    """The outcome of an action."""

    COMPLETE = 'COMPLETE'
    REPLACED = 'REPLACED'     # the plugin wants another resource instead
    FAILED = 'FAILED'


@dataclasses.dataclass(slots=True)
class ActionResult:
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


@dataclasses.dataclass(frozen=True, slots=True)
class Notes:
    """The stored progress of an action, for a take-over.

    :ivar write: called with a dict or None inside a transaction
    :ivar found: what a dead engine wrote last
    """

    write: typing.Callable
    found: dict | None = None


@dataclasses.dataclass(slots=True)
class ActionRun:
    """An action on a resource and its progress.

    :ivar noted: something may be in the notes that does not hold any more
    :ivar seek: look for what an interrupted create has made
    :ivar unbegun: the row may be held, but its state does not tell yet
    :ivar held_since: when we last began to write, and so held the row
    :ivar began: when the first attempt began
    """

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
    notes: Notes | None = None
    noted: bool = False
    seek: bool = False
    unbegun: bool = False
    held_since: float = 0
    began: float = dataclasses.field(default_factory=timeutils.wallclock)

    def belonging(self):
        """Return the columns that say what the row now belongs to."""
        values = {}
        if self.new_template_id is not None:
            values['current_template_id'] = self.new_template_id
        if self.new_requires is not None:
            values['requires'] = sorted(self.new_requires)
        return values

    def is_marked(self):
        """Return whether users have been told that an action begins."""
        return self.held and not self.unbegun

    def how_to_end(self):
        """Return what becomes of the claim with the last write."""
        return 'release' if self.held else 'update_once'

    def extra_for(self, result):
        """Return the function that is part of recording a result."""
        if self.extra is None:
            return None
        return lambda: self.extra(result)


class Retry(Exception):
    """An attempt failed in a way that may go away."""

    def __init__(self, failure):
        self.failure = failure


def enter(resource, action):
    """Let the resource see itself in progress."""
    LOG.debug('%s of resource "%s" (%s) begins', action, resource.name,
              resource.id)
    resource.action, resource.status = action, _R.IN_PROGRESS
    resource.attributes.reset_resolved_values()


@contextlib.contextmanager
def interruptible(this, action):
    """Record FAILED when a timeout or cancel comes from outside.

    What is interrupted may be about to be closed and must not yield, so
    this is recorded in the thread that interrupts. The collector of garbage
    may interrupt a thread in a transaction, or with a lock: then another
    thread records it.
    """
    try:
        yield
    except Exception:
        raise
    except GeneratorExit as interruption:
        # When the process ends another one goes on, if the claim says so.
        if not this.claim.is_resumable:
            if scheduler.is_closing_on_purpose():
                fail_now(this, action, interruption)
            else:
                threading.Thread(
                    target=fail_now, args=(this, action, GeneratorExit()),
                    name='heat-last-words', daemon=True).start()
        raise
    except BaseException as interruption:
        fail_now(this, action, interruption)
        raise


def _how(this, final):
    """Return what becomes of the claim with a write."""
    if final:
        return this.how_to_end()
    return 'keep' if this.held else 'acquire'


def record(this, move, final):
    """A task to write a move; return what its extra part returned."""
    resource = this.resource
    how = _how(this, final)
    this.held_since = timeutils.wallclock()
    extra = yield from resource_store.transition(resource, this.claim, move,
                                                 how)
    if how in _TAKING and getattr(this.claim, 'held_by', None):
        metrics.CLAIMS_STOLEN.labels('resource').inc()
    this.held = not final
    resource._claim = this.claim if this.held else None
    resource._pending = None
    return extra


def count(this, action, result):
    """Let operators know of an action that has come to its end.

    :param result: an Outcome, or one of the words for an interruption
    """
    kind = _kind_of(this.resource)
    metrics.ACTIONS.labels(kind, action, str(result)).inc()
    metrics.ACTION_SECONDS.labels(kind, action).observe(
        timeutils.wallclock() - this.began)


def _kind_of(resource):
    """Return the name that a plugin gives its type.

    Users may call a type what they like, in their environments.
    """
    if hasattr(resource, 'template_name'):
        return metrics.TEMPLATE
    return getattr(resource, 'type_name', None) or type(resource).__name__


def make_sure(this):
    """A task to see that the row is ours, if it has been a while.

    A process that was stopped for some time may have been taken for dead;
    what it was about to do somebody else has done.
    """
    passed = timeutils.wallclock() - this.held_since
    if this.held and passed > cfg.CONF.convergence_scan_interval:
        yield from record(this, resource_store.ResourceTransition(),
                          final=False)


def resume(this):
    """A task to take what a dead engine has begun; users see no event."""
    yield from record(this, resource_store.ResourceTransition(), final=False)


def begun_before(this, action):
    """Return a resource_handler.Begun if a dead engine got that far."""
    found = this.notes.found if this.notes is not None else None
    if not this.noted or not found or this.undoing or (
            found['action'] != action or
            found['resource'] != this.resource.id):
        return None
    return resource_handler.Begun(
        jsonutils.loads(crypt.decrypt(*found['cookie'])))


def note(this, action, cookie):
    """A task to note what a handler returned, should we not see the end.

    What a text cannot hold is not noted: whoever takes over begins anew.
    """
    if this.notes is None:
        return
    try:
        text = jsonutils.dumps(cookie, default=_refuse)
    except (TypeError, ValueError):
        return
    if jsonutils.loads(text) != cookie:
        return
    found = {'action': action, 'resource': this.resource.id,
             'cookie': crypt.encrypt(text)}
    this.noted = True
    yield group_commit.Write(lambda: this.notes.write(found),
                             this.resource.context)


def _refuse(value):
    raise TypeError('%r is no plain value' % (value,))


def start(this, action):
    """A task to record that an action begins, and what it begins with."""
    resource = this.resource
    columns, properties = {}, None
    if action in (_R.CREATE, _R.ADOPT):
        columns = this.belonging()
        columns['rsrc_metadata'] = resource.t.metadata()
        properties = _properties_to_store(resource)
    elif action == _R.UPDATE and (
            resource._stored_state != (_R.UPDATE, _R.IN_PROGRESS)):
        # What is taken over began when it was begun first.
        columns['updated_at'] = timeutils.utcnow()
    outdated = (lambda: this.notes.write(None)) if this.noted else None
    yield from record(this, resource_store.ResourceTransition(
        action, _R.IN_PROGRESS, REASON, columns, properties,
        pending=resource._pending, extra=outdated), final=False)
    this.noted = this.unbegun = False


def complete(this, action, outcome=Outcome.COMPLETE, *, reason=REASON,
             is_last=True):
    """A task to record that an action succeeded; return the ActionResult."""
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
    result = ActionResult(outcome, action, reason)
    attributes = None
    resource.action, resource.status = action, _R.COMPLETE
    if is_last and action != _R.DELETE:
        result.node_data = resource.node_data(for_outputs=True)
        attributes = attributes_to_store(resource)
    waits = is_last and breakpoints.applies(resource, action, before=False)
    move = resource_store.ResourceTransition(
        action, _R.COMPLETE, reason, columns, properties, attributes,
        resource._pending,
        this.extra_for(result) if is_last and not waits else None,
        mark_started=began and not this.is_marked())
    result.extra = yield from record(this, move, is_last and not waits)
    count(this, action, outcome)
    if waits:
        yield from _wait_after(this, action, result)
    return result


def _wait_after(this, action, result):
    """Wait at a breakpoint behind an action; only then it is over."""
    yield from breakpoints.wait(this.resource, action, before=False,
                                timeout=this.timeout)
    result.extra = yield from resource_store.annotate(
        this.resource, this.claim, {}, how='release',
        extra=this.extra_for(result))
    this.held = False


def failure_of(this, action, error):
    """Return (ResourceFailure, Move) of an error."""
    resource = this.resource
    failure = exception.ResourceFailure(error, resource, action)
    text = resource_store.presentable(resource, error, str(failure))
    if text != str(failure):
        failure = exception.ResourceFailure(text, resource, action)
        failure.exc = error
    failure.result = ActionResult(Outcome.FAILED, action, str(failure), error)
    columns, properties = {}, None
    if action in (_R.CREATE, _R.ADOPT) and not this.held:
        columns = this.belonging()
        with contextlib.suppress(Exception):
            # These may be what the error is about.
            columns['rsrc_metadata'] = resource.t.metadata()
            properties = _properties_to_store(resource)
    move = resource_store.ResourceTransition(
        action, _R.FAILED, str(failure), columns, properties,
        pending=resource._pending, extra=this.extra_for(failure.result),
        mark_started=not this.is_marked())
    return failure, move


def fail(this, action, error, *, may_retry=False):
    """A task to record that an action failed, and raise the error.

    An action that has not begun fails all the same.
    """
    resource = this.resource
    failure, move = failure_of(this, action, error)
    enter(resource, action)
    if may_retry and resource_handler.is_retryable(resource, action, error):
        yield from record(this, dataclasses.replace(move, extra=None),
                          final=False)
        raise Retry(failure) from error
    failure.result.extra = yield from record(this, move, final=True)
    count(this, action, Outcome.FAILED)
    raise failure from error


def fail_now(this, action, interruption):
    """Record in this thread that an action was interrupted."""
    resource = this.resource
    if stack_fence.is_lost():
        return
    detail = str(interruption)
    reason = (_('%(action)s aborted (%(detail)s)') if detail
              else _('%(action)s aborted')) % {'action': action,
                                               'detail': detail}
    result = ActionResult(Outcome.FAILED, action, reason, interruption)
    move = resource_store.ResourceTransition(
        action, _R.FAILED, reason, pending=resource._pending,
        extra=this.extra_for(result), mark_started=not this.is_marked())
    try:
        resource_store.transition_now(resource, this.claim, move,
                                      _how(this, True))
    except Exception:
        LOG.exception('Recording that %s of resource "%s" was aborted '
                      'failed', action, resource.name)
    else:
        count(this, action, _interrupted_by(interruption))
    this.held = False


def _interrupted_by(interruption):
    """Return what figures call an action that did not end by itself."""
    if isinstance(interruption, scheduler.Timeout):
        return TIMED_OUT
    return CANCELLED


def _properties_to_store(resource):
    """Return resolved property values; None when they are stored already.

    An empty dict is what a resource without properties has.
    """
    values = function.resolve(resource.properties.data) or {}
    if values == (resource._stored_properties_data or {}):
        return None
    return values


def attributes_to_store(resource):
    """Return the attribute values to store, or None if they are stored."""
    if (resource._attr_data_id is None and
            not resource.attributes.has_new_cached_attrs()):
        return None
    return dict(resource.attributes.cached_attrs)
