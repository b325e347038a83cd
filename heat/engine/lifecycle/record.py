"""Record an action on a resource: its start, its progress, its outcome.

Each step is one write. The user of the action makes the last one, and may add
to its transaction.
"""
from collections.abc import Callable
import contextlib
import dataclasses
import enum
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils

from heat.common import crypt
from heat.common import exception
from heat.common import json_text
from heat.common import metrics
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import function
from heat.engine import status
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import handler as resource_handler
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: What the scheduler runs; it returns what the function says.
Task = scheduler.TaskGenerator[Any]

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
    """The outcome of an action, and how it is to be recorded.

    :ivar reason: what the state says about it
    :ivar error: the error or interruption that made it FAILED
    :ivar failure: the ResourceFailure that tells of an error
    :ivar node_data: what others may know of the resource now
    :ivar move: the ResourceTransition that records it; one that writes
        nothing leaves the row alone, unless it is held
    :ivar must_write: the row is written even if there is nothing to write
    """

    kind: Outcome
    action: str
    reason: str = REASON
    error: BaseException | None = None
    failure: exception.ResourceFailure | None = None
    node_data: Any = None
    move: resource_store.ResourceTransition = dataclasses.field(
        default_factory=resource_store.ResourceTransition)
    must_write: bool = False


class Notes:
    """The stored progress of an action, for a take-over.

    :param write: called with a dict or None inside a transaction
    :param found: what a dead engine wrote last
    """

    def __init__(self, write: Callable[[dict[str, Any] | None], Any],
                 found: dict[str, Any] | None = None) -> None:
        self._write = write
        self._found = found
        # Whether something may be stored that does not hold any more.
        self._is_stored = found is not None

    def begun(self, resource: interface.Resource,
              action: str) -> resource_handler.Begun | None:
        """Return a resource_handler.Begun if a dead engine got that far."""
        found = self._found
        if not self._is_stored or not found or (
                found['action'] != action or
                found['resource'] != resource.id):
            return None
        return resource_handler.Begun(
            jsonutils.loads(crypt.decrypt(*found['cookie'])))

    def disregard(self) -> None:
        """Leave what a dead engine wrote out of consideration."""
        self._found = None

    def keep(self, resource: interface.Resource, action: str, cookie: Any
             ) -> Task:
        """A task to note what a handler returned, should we not see the end.

        A value that JSON cannot express is not noted; the engine that takes
        over starts again.
        """
        try:
            text = jsonutils.dumps(cookie, default=_refuse)
        except (TypeError, ValueError):
            return
        if jsonutils.loads(text) != cookie:
            return
        note = {'action': action, 'resource': resource.id,
                'cookie': crypt.encrypt(text)}
        self._is_stored = True
        yield group_commit.Write(lambda: self._write(note), resource.context)

    def eraser(self) -> Callable[[], Any] | None:
        """Return a function that erases what is stored, None if nothing is."""
        return (lambda: self._write(None)) if self._is_stored else None

    def erased(self) -> None:
        """Take into account that nothing is stored any more."""
        self._is_stored = False


def _refuse(value: Any) -> None:
    raise TypeError('%r is no plain value' % (value,))


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """The definition that an action makes a resource conform to.

    :ivar definition: None when it keeps the one it has
    :ivar requires: the ids of the rows it needs, None when they stay
    """

    definition: Any = None
    template_id: int | None = None
    requires: Any = None

    def columns(self) -> dict[str, Any]:
        """Return the columns that say what the row now belongs to."""
        values: dict[str, Any] = {}
        if self.template_id is not None:
            values['current_template_id'] = self.template_id
        if self.requires is not None:
            values['requires'] = sorted(self.requires)
        return values

    def adopt(self, resource: interface.Resource) -> None:
        """Let a resource have the definition."""
        if self.definition is not None:
            resource.t = self.definition
        resource.reparse()


class Recorder:
    """Writes the row of a resource during one action, under a claim.

    :ivar is_held: the row is ours until the last write
    """

    def __init__(self, resource: interface.Resource,
                 claim: resource_claim.Claim, target: Target,
                 notes: Notes | None) -> None:
        self.resource = resource
        self.claim = claim
        self.is_held = False
        self._target = target
        self._notes = notes
        # Whether the state, as users see it, says that an action runs.
        self._is_marked = False
        # When we last began to write, and so held the row.
        self._held_since = 0.0
        self._began = timeutils.wallclock()
        # The handler of the attempt that has not ended.
        self._call: resource_handler.Call | None = None

    # -- the claim ----------------------------------------------------------

    def write(self, move: resource_store.ResourceTransition, *,
              is_last: bool = False) -> Task:
        """A task to write a move; return what its extra part returned."""
        how = self._how(is_last)
        self._held_since = timeutils.wallclock()
        extra = yield from resource_store.transition(
            self.resource, self.claim, move, how)
        if how in _TAKING and getattr(self.claim, 'held_by', None):
            metrics.CLAIMS_STOLEN.labels('resource').inc()
        self.is_held = not is_last
        self._is_marked |= move.action is not None
        known = self.resource.row_state
        known.hold(self.claim if self.is_held else None)
        known.end_deferral()
        return extra

    def finish_now(self, result: ActionResult,
                   also: Callable[[], Any] | None = None) -> None:
        """Record a result in this thread, with what also() writes."""
        resource_store.transition_now(
            self.resource, self.claim,
            dataclasses.replace(result.move, extra=also), self._how(True))
        self.is_held = False
        self.count(result)

    def _how(self, is_last: bool) -> str:
        """Return what becomes of the claim with a write."""
        if is_last:
            return 'release' if self.is_held else 'update_once'
        return 'keep' if self.is_held else 'acquire'

    def make_sure(self) -> Task:
        """A task to see that the row is ours, if it has been a while.

        While this process was stopped, another engine may have taken its
        work over.
        """
        passed = timeutils.wallclock() - self._held_since
        if self.is_held and passed > cfg.CONF.convergence_scan_interval:
            yield from self.write(resource_store.ResourceTransition())

    def release(self) -> None:
        """Take what was set in memory for the time of the action back."""
        self.resource.row_state.end_deferral()
        if not self.is_held:
            self.resource.row_state.hold(None)

    def revert(self) -> None:
        """Let the resource have the state that is stored: ours is not."""
        self.resource.row_state.discard_beginnings()
        self.resource.action, self.resource.status = (
            self.resource.row_state.state)

    # -- the beginning ------------------------------------------------------

    def enter(self, action: str, call: resource_handler.Call | None = None
              ) -> None:
        """Let the resource see itself in progress.

        :param call: what will take the time that the outcome tells
        """
        resource, self._call = self.resource, call
        LOG.debug('%s of resource "%s" (%s) begins', action, resource.name,
                  resource.id)
        resource.action, resource.status = action, _R.IN_PROGRESS
        resource.attributes.reset_resolved_values()

    def defer(self) -> None:
        """Have what the handler sets written with the outcome."""
        self.resource.row_state.defer()

    def start(self, action: str) -> Task:
        """A task to record that an action begins, and with what."""
        resource = self.resource
        columns: dict[str, Any] = {}
        properties = None
        if action in (_R.CREATE, _R.ADOPT):
            columns, properties = self._created()
        elif action == _R.UPDATE and (
                resource.row_state.state != (_R.UPDATE, _R.IN_PROGRESS)):
            # What is taken over began when it was begun first.
            columns['updated_at'] = timeutils.utcnow()
            resource.row_state.begin_at(columns['updated_at'])
        yield from self.write(resource_store.ResourceTransition(
            action, _R.IN_PROGRESS, REASON, columns, properties,
            pending=resource.row_state.pending,
            extra=self._notes.eraser() if self._notes else None))
        if self._notes is not None:
            self._notes.erased()

    def resume(self) -> Task:
        """A task to take what a dead engine has begun; users see no event."""
        yield from self.write(resource_store.ResourceTransition())
        self._is_marked = True

    def _created(self) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return (columns, properties) of what is created or adopted."""
        columns = self._target.columns()
        columns['rsrc_metadata'] = self.resource.t.metadata()
        return columns, _properties_to_store(self.resource)

    # -- outcomes -----------------------------------------------------------

    def completed(self, action: str, kind: Outcome = Outcome.COMPLETE, *,
                  reason: str = REASON, is_last: bool = True) -> ActionResult:
        """Return the ActionResult of an action that succeeded."""
        resource = self.resource
        began = resource.action == action and (
            resource.status == _R.IN_PROGRESS)
        columns: dict[str, Any] = {}
        properties = None
        if action in (_R.CREATE, _R.ADOPT) and not self.is_held:
            columns, properties = self._created()
        elif action == _R.UPDATE:
            if not self.is_held:
                columns['updated_at'] = timeutils.utcnow()
            if kind == Outcome.COMPLETE:
                columns.update(self._target.columns())
                properties = _properties_to_store(resource)
        if properties is not None:
            # Attributes may be made of them.
            resource.row_state.set_properties(properties)
        result = ActionResult(kind, action, reason)
        attributes = None
        resource.action, resource.status = action, _R.COMPLETE
        if is_last and action != _R.DELETE:
            result.node_data = resource.node_data(for_outputs=True)
            attributes = _attributes_to_store(resource)
        result.move = resource_store.ResourceTransition(
            action, _R.COMPLETE, reason, columns, properties, attributes,
            resource.row_state.pending,
            mark_started=began and not self._marked(),
            event_columns=self._spent())
        return result

    def failed(self, action: str, error: Exception) -> ActionResult:
        """Return the ActionResult of an action that failed.

        An action that has not begun fails all the same.
        """
        resource = self.resource
        resource.row_state.discard_beginnings()
        failure = exception.ResourceFailure(error, resource, action)
        text = resource_store.presentable(resource, error, str(failure))
        if text != str(failure):
            failure = exception.ResourceFailure(text, resource, action)
            failure.exc = error
        columns: dict[str, Any] = {}
        properties = None
        if action in (_R.CREATE, _R.ADOPT) and not self.is_held:
            columns = self._target.columns()
            with contextlib.suppress(Exception):
                # These may be what the error is about.
                columns['rsrc_metadata'] = resource.t.metadata()
                properties = _properties_to_store(resource)
        move = resource_store.ResourceTransition(
            action, _R.FAILED, str(failure), columns, properties,
            pending=resource.row_state.pending,
            mark_started=not self._marked(), event_columns=self._spent())
        self.enter(action)
        return ActionResult(Outcome.FAILED, action, str(failure), error,
                            failure, move=move)

    def interrupted(self, action: str,
                    interruption: BaseException) -> ActionResult:
        """Return the ActionResult of an action that was interrupted."""
        self.resource.row_state.discard_beginnings()
        detail = str(interruption)
        reason = (_('%(action)s aborted (%(detail)s)') if detail
                  else _('%(action)s aborted')) % {'action': action,
                                                   'detail': detail}
        move = resource_store.ResourceTransition(
            action, _R.FAILED, reason, pending=self.resource.row_state.pending,
            mark_started=not self._marked(), event_columns=self._spent())
        return ActionResult(Outcome.FAILED, action, reason, interruption,
                            move=move)

    def kept(self, *, is_repaired: bool) -> ActionResult:
        """Return the ActionResult of what already is as it should be."""
        resource = self.resource
        columns = resource_store.differing(resource, self._target.columns())
        if is_repaired:
            resource.status, resource.status_reason = _R.COMPLETE, REASON
            columns.update(status=_R.COMPLETE, status_reason=REASON)
        return ActionResult(
            Outcome.COMPLETE, resource.action,
            node_data=resource.node_data(for_outputs=True),
            move=resource_store.ResourceTransition(
                columns=columns, attributes=_attributes_to_store(resource)))

    def never_made(self) -> ActionResult:
        """Return the ActionResult of deleting what was never made."""
        resource = self.resource
        columns: dict[str, Any] = {}
        if resource.action == _R.INIT and resource.id is not None:
            columns = {'action': _R.DELETE, 'status': _R.COMPLETE}
        resource.action, resource.status = _R.DELETE, _R.COMPLETE
        return ActionResult(
            Outcome.COMPLETE, _R.DELETE,
            move=resource_store.ResourceTransition(columns=columns))

    def _spent(self) -> dict[str, int]:
        """Return the columns of the event that ends an attempt.

        It tells how long the handler and the polling took, if it was called.
        """
        spent = self._call.spent() if self._call is not None else None
        self._call = None
        return {} if spent is None else {
            'acting_ms': _milliseconds(spent.acting),
            'polling_ms': _milliseconds(spent.polling)}

    def _marked(self) -> bool:
        """Return whether users have been told that an action begins."""
        return self.is_held and self._is_marked

    def finish(self, result: ActionResult,
               also: Callable[[], Any] | None = None) -> Task:
        """A task to record a result; return what also() returned.

        :param also: called last, in the same transaction
        """
        move = result.move
        if (move.writes or result.must_write or self.is_held or
                getattr(self.claim, 'held_by', None) is not None):
            extra = yield from self.write(
                dataclasses.replace(move, extra=also), is_last=True)
        elif also is not None:
            extra = yield group_commit.Write(also, self.resource.context)
        else:
            extra = None
        self.count(result)
        return extra

    def count(self, result: ActionResult) -> None:
        """Let operators know of an action that has come to its end."""
        if result.move.action is None:
            return
        kind = _kind_of(self.resource)
        metrics.count_action(kind, result.action, _counted_as(result),
                             timeutils.wallclock() - self._began)


def _milliseconds(seconds: float) -> int:
    """Return a duration as a column holds it: 24 days at most."""
    return min(max(round(seconds * 1000), 0), 2 ** 31 - 1)


def _kind_of(resource: interface.Resource) -> str:
    """Return the name that a plugin gives its type.

    Users may call a type what they like, in their environments.
    """
    if hasattr(resource, 'template_name'):
        return metrics.TEMPLATE
    return getattr(resource, 'type_name', None) or type(resource).__name__


def _counted_as(result: ActionResult) -> str:
    """Return what figures call an outcome."""
    if result.error is None or isinstance(result.error, Exception):
        return str(result.kind)
    if isinstance(result.error, scheduler.Timeout):
        return TIMED_OUT
    return CANCELLED


def _properties_to_store(resource: interface.Resource
                         ) -> dict[str, Any] | None:
    """Return resolved property values; None when they are stored already.

    An empty dict is what a resource without properties has.
    """
    values = function.resolve(resource.properties.data) or {}
    if json_text.are_alike(values, resource.row_state.properties or {}):
        return None
    return values


def _attributes_to_store(resource: interface.Resource
                         ) -> dict[str, Any] | None:
    """Return the attribute values to store, or None if they are stored."""
    if (resource.row_state.attributes_id is None and
            not resource.attributes.has_new_cached_attrs()):
        return None
    return dict(resource.attributes.cached_attrs)
