"""Do what a node of a traversal asks for, and record it with the node.

One visit of a node: look at its row, decide, act, and write the outcome
together with the sync point of the node. transitions.advance() says what
follows from the outcome.
"""
from collections.abc import Callable
import dataclasses
import functools
import typing
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.lifecycle import values as resource_values
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import snapshots
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

Node = stack_graph.Node

_R = status.ResourceStatus
_S = status.StackStatus

#: How often a visit begins anew because the row changed under it.
_ATTEMPTS = 3


class VisitCancelled(BaseException):
    """Raised in a visit that is to stop because its stack goes away.

    Not an Exception, so that a plugin cannot take it for its own.
    """

    def __str__(self) -> str:
        return 'cancelled'


@dataclasses.dataclass(frozen=True, slots=True)
class Visitor:
    """The engine that visits, and the one whose claim it takes over."""

    engine_id: str
    taken_from: str | None = None

    def claim(self) -> resource_claim.RowClaim:
        """Return the claim under which rows are written."""
        return resource_claim.RowClaim(self.engine_id, self.taken_from)

    def of_row(self, row: Any) -> 'Visitor':
        """Return who visits a row: what is free is not taken over."""
        if row is None or row.engine_id is not None:
            return self
        return Visitor(self.engine_id)


class Recording:
    """The outcome that a visit is about to record.

    :param admits: returns whether a resource may be visited; None admits all
    :ivar resource: the resource, or None if the node has no work
    :ivar result: the ActionResult, or None without an action
    """

    __slots__ = ('_admits', '_is_due', 'resource', 'result')

    def __init__(self, admits: Callable[[interface.Resource], bool] | None = (
            None)) -> None:
        self._admits = admits
        self._is_due = False
        self.resource: typing.Any = None
        self.result: resource_action.ActionResult | None = None

    def require(self, resource: typing.Any) -> None:
        """Raise VisitCancelled if a resource may not be visited."""
        if resource is self.resource or self._admits is None:
            return
        if not self._admits(resource):
            raise VisitCancelled()
        self.resource = resource

    def note(self, resource: typing.Any = None,
             result: resource_action.ActionResult | None = None) -> None:
        """Note what is about to be recorded."""
        self.resource, self.result, self._is_due = resource, result, True

    def take_due(self) -> bool:
        """Return whether the next yield of the visit records its result.

        The answer is true once for each recording.
        """
        is_due, self._is_due = self._is_due, False
        return is_due


def failures(action: str) -> transitions.Failures:
    """Return what a failed resource means in an action of a stack."""
    return (transitions.Failures.COLLECT if action == _S.CHECK
            else transitions.Failures.STOP)


def visit(state: traversal_state.TraversalState, node: Node, visitor: Visitor,
          recording: Recording | None = None
          ) -> scheduler.TaskGenerator[transitions.Outcome]:
    """A task to visit a node; return the traversal.Outcome of it.

    :param recording: receives the outcome before it is recorded
    """
    recording = recording or Recording()
    for _attempt in range(_ATTEMPTS):
        if state.stack.has_timed_out():
            return transitions.TimedOut()
        try:
            _require_free(state, node, visitor)
            if not (yield from _outlives_replacement(state, node, visitor)):
                return transitions.Busy()
            work = _work_of(state, node, visitor.of_row(state.row_of(node)),
                            recording)
            if work is None:
                recording.note()
                return (yield from _do_without(state, node, visitor))
            recording.require(work.resource)
            with work.run.interruptible(work.record):
                result = yield from work.task
                recording.note(work.resource, result)
                result, request = yield from work.run.record(result,
                                                             work.record)
            return work.outcome(result, request)
        except resource_claim.ClaimLost:
            outcome = _look_again(state, node, visitor)
        except exception.ResourceFailure as failure:
            # The plugin failed to compare the definitions.
            return (yield from _fail_unrecorded(state, node, failure))
        except scheduler.Timeout:
            return transitions.TimedOut()
        except VisitCancelled:
            return transitions.Cancelled()
        if outcome is not None:
            return outcome
    return transitions.Busy()


def _require_free(state: traversal_state.TraversalState, node: Node,
                  visitor: Visitor) -> None:
    """Spare us deciding about a row that is held anyway."""
    row = state.row_of(node)
    if row is not None and not _is_free(row, visitor):
        raise resource_claim.ClaimLost(row.name)


def _is_free(row: Any, visitor: Visitor) -> bool:
    return row.engine_id in (None, visitor.taken_from)


def _outlives_replacement(state: traversal_state.TraversalState, node: Node,
                          visitor: Visitor) -> scheduler.TaskGenerator[bool]:
    """A task to see that no one is at work on a replacement given up.

    Return whether that is so.

    What the plugin of a row that counts again takes back, those who make
    the replacement would have once more. Who has not begun with it finds
    the row changed, and does not begin.
    """
    elder = state.reinstated.get(node[0])
    resource = state.resource_of(node) if node[1] and elder else None
    if resource is None or resource.id != node[0] or (
            not resource_action.takes_back(resource)):
        return True
    for row in resource_values.replacements(resource.context, elder):
        claim = visitor.of_row(row).claim()

        def fence(row: Any = row, claim: resource_claim.RowClaim = claim
                  ) -> bool:
            return claim.update_once(state.context, row.id, row.atomic_key,
                                     {})

        if not (yield group_commit.Write(fence, state.context)):
            return False
    return True


def _look_again(state: traversal_state.TraversalState, node: Node,
                visitor: Visitor
                ) -> transitions.Outcome | None:
    """Read the row whose claim was lost; None when it is worth a retry."""
    state.forget(node)
    state.read([node])
    row = state.row_of(node)
    if row is not None and not _is_free(row, visitor):
        if node[1] and _is_held_from_before(state, row):
            _preempt(state, node)
        return transitions.Busy()
    if sync_point.ready(state.context, state.id, among=[node]):
        return None
    return transitions.Finished(first=False)


def _is_held_from_before(state: traversal_state.TraversalState, row: Any
                         ) -> bool:
    """Return whether the holder of a row works for the operation before ours.

    Another engine may as well be busy with this very node: nodes come
    twice. If in doubt that is so, since who is not told only takes longer.
    """
    if (row.id, row.engine_id) not in state.options.held:
        return False
    if row.action != _R.UPDATE:
        return bool(row.current_template_id != state.stack.t.id)
    began = state.stack.updated_time
    return (row.updated_at is None or began is None or
            row.updated_at < began)


def _preempt(state: traversal_state.TraversalState, node: Node) -> None:
    """Tell a plugin that an update waits for what it does elsewhere."""
    resource = state.resource_of(node)
    handler = getattr(resource, 'handle_preempt', None)
    if resource is None or handler is None:
        return
    try:
        handler()
    except Exception:
        LOG.exception('handle_preempt of resource "%s" failed',
                      resource.name)


# -- what a node asks for ---------------------------------------------------

@dataclasses.dataclass(frozen=True, slots=True)
class _Work:
    """The action that a visit performs on a resource.

    :ivar run: the ActionRun
    :ivar task: the task of the run
    """

    state: traversal_state.TraversalState
    node: stack_graph.Node
    resource: typing.Any
    run: resource_action.ActionRun
    task: typing.Any

    def record(self, result: resource_action.ActionResult) -> Any:
        """Record for the traversal what became of the resource.

        Runs in the transaction in which the resource's outcome is written.
        """
        return _record(self.state, self.node, self.resource, result)

    def outcome(self, result: resource_action.ActionResult, recorded: Any
                ) -> transitions.Outcome:
        """Return the traversal.Outcome that follows from a result.

        :param recorded: what record() returned
        """
        outcomes, state, node = (resource_action.Outcome, self.state,
                                 self.node)
        if result.kind == outcomes.REPLACED:
            return _after_replacing(state, node, recorded)
        if result.kind == outcomes.COMPLETE and node[1]:
            state.tell(node[0], self.resource, result.node_data)
        if isinstance(recorded, sync_point.FinishRequest):
            return recorded.outcome
        return transitions.Failed(failure_text(state.action, result))


def _work_of(state: traversal_state.TraversalState, node: Node,
             visitor: Visitor, recording: Recording) -> _Work | None:
    """Return the _Work of a node, None when its resource is left alone."""
    resource = state.resource_of(node)
    if not node[1]:
        if not _is_unwanted(state, node) or resource is None:
            return None
        recording.require(resource)
        return _removal(state, node, resource, visitor)
    if resource is None or stack_warrant.skips(state.stack, resource.name):
        return None
    recording.require(resource)
    if state.action in traversal_state.CONVERGING:
        return _convergence(state, node, resource, visitor)
    run = _run_of(state, node, resource, visitor,
                  take_over=visitor.taken_from is not None)
    return _Work(state, node, resource, run, run.perform(state.action))


def _convergence(state: traversal_state.TraversalState, node: Node,
                 resource: interface.Resource, visitor: Visitor
                 ) -> _Work | None:
    """Return the work to bring a resource to the definition it is to have."""
    ids = {'template_id': state.stack.t.id,
           'requires': state.required_ids(node)}
    if state.action == _S.ADOPT and resource.action in (_R.INIT, _R.ADOPT):
        adopted = (state.options.adopt or {}).get('resources') or {}
        run = _run_of(state, node, resource, visitor,
                      target=resource_action.Target(**ids),
                      adopt_data=adopted.get(resource.name))
        return _Work(state, node, resource, run, run.perform(_R.ADOPT))
    interrupted = visitor.taken_from is not None and (
        resource.status == _R.IN_PROGRESS)
    if node[0] == resource.id:
        # A row that a rollback returns to tells its plugin so.
        resource.replaced_by = state.reinstated.get(node[0])
    decision, resource = _decide(state, resource, interrupted)
    run = _run_of(
        state, node, resource, visitor,
        target=resource_action.Target(state.desired(resource.name), **ids),
        take_over=interrupted and (
            decision.kind == resource_decision.Kind.CREATE))
    return _Work(state, node, resource, run, run.execute(decision))


def _decide(state: traversal_state.TraversalState,
            resource: interface.Resource, interrupted: bool
            ) -> tuple[resource_decision.Decision, Any]:
    """Return (Decision, resource), the latter of the class it is to have.

    What a dead engine left half-way is done again if it is still wanted.
    Otherwise, or when something was being deleted, nobody knows what there
    is: the resource counts as failed.
    """
    kinds = resource_decision.Kind
    if interrupted and resource.action == _R.CREATE and (
            _is_still_wanted(state, resource)):
        return resource_decision.Decision(kinds.CREATE), resource
    if interrupted and resource.action != _R.UPDATE:
        resource.status = _R.FAILED
    decision = _decision(state, resource)
    if decision.kind == kinds.SUBSTITUTE:
        resource = resource_decision.substitute(
            resource, state.desired(resource.name))
        decision = _decision(state, resource)
    if interrupted and decision.kind == kinds.KEEP and (
            resource.status == _R.IN_PROGRESS):
        resource.status = _R.FAILED
        decision = _decision(state, resource)
    return decision, resource


def _is_still_wanted(state: traversal_state.TraversalState,
                     resource: interface.Resource) -> bool:
    """Return whether a resource is to become what it was to be made as.

    A traversal that overtakes another one has a template of its own, which
    may say the same: the update of a parent begins that of its child anew.
    """
    return (resource.current_template_id == state.stack.t.id or
            _decision(state, resource).kind == resource_decision.Kind.KEEP)


def _decision(state: traversal_state.TraversalState,
              resource: interface.Resource) -> resource_decision.Decision:
    return resource_decision.decide(resource_decision.gather(
        resource, state.desired(resource.name),
        converge=state.options.converge))


def _run_of(state: traversal_state.TraversalState, node: Node,
            resource: interface.Resource, visitor: Visitor, **options: Any
            ) -> resource_action.ActionRun:
    """Return an ActionRun that keeps its notes with the node."""
    found = None
    if visitor.taken_from is not None:
        found = sync_point.note_of(state.context, state.id, node)
    notes = resource_action.Notes(
        functools.partial(sync_point.write_note, state.context, state.id,
                          node), found)
    return resource_action.ActionRun(
        resource, visitor.claim(), notes=notes,
        timeout=state.stack.time_remaining(), **options)


# -- clean-up nodes ---------------------------------------------------------

def _is_unwanted(state: traversal_state.TraversalState, node: Node) -> bool:
    """Return whether the row of a clean-up node is to go."""
    row = state.row_of(node)
    return not (row is None or stack_graph.is_gone(row) or
                state.is_wanted(node))


def _removal(state: traversal_state.TraversalState, node: Node,
             resource: interface.Resource, visitor: Visitor) -> _Work:
    """Return the work to delete, or to let go of, a resource."""
    resource.abandon_in_progress |= (
        state.options.abandon or resource.name in state.options.retained or
        stack_warrant.skips(state.stack, resource.name))
    decision = resource_decision.decide(
        resource_decision.gather(resource, None))
    run = _run_of(state, node, resource, visitor,
                  take_over=visitor.taken_from is not None)
    return _Work(state, node, resource, run, run.execute(decision))


def _do_without(state: traversal_state.TraversalState, node: Node,
                visitor: Visitor
                ) -> scheduler.TaskGenerator[transitions.Outcome]:
    """Return a task to record a node whose resource is left alone."""
    if node[1] or not _is_unwanted(state, node):
        return finish_node(state, node)
    row = state.row_of(node)
    return _forget_row(state, node, row, visitor.of_row(row))


def _forget_row(state: traversal_state.TraversalState, node: Node, row: Any,
                visitor: Visitor
                ) -> scheduler.TaskGenerator[transitions.Outcome]:
    """A task to drop a row that no template defines: nothing was made.

    An operation that was begun meanwhile may want the row after all.
    """
    if row.action != _R.INIT:
        LOG.warning('Nothing defines resource "%s" (%s) of stack %s; it is '
                    'forgotten', row.name, row.id, state.stack.id)

    def write() -> Any:
        if not visitor.claim().update_once(state.context, row.id,
                                           row.atomic_key, {}):
            return None
        if not group_commit.defer(_delete_rows, row.id):
            _delete_rows(state.context, [row.id])
        return sync_point.finish_node(state.context, state.stack.id, state.id,
                                      state.finish_of(node))

    request = yield group_commit.Write(write, state.context)
    if request is None:
        raise resource_claim.ClaimLost(row.name)
    outcome: transitions.Outcome = request.outcome
    return outcome


def _delete_rows(context: heat_context.RequestContext, row_ids: list[int]
                 ) -> None:
    resource_objects.Resource.delete_many(context, row_ids)


# -- recording --------------------------------------------------------------

def finish_node(state: traversal_state.TraversalState, node: Node
                ) -> scheduler.TaskGenerator[transitions.Outcome]:
    """A task to record a node that there was nothing to do for."""
    request = yield group_commit.Write(
        lambda: sync_point.finish_node(
            state.context, state.stack.id, state.id, state.finish_of(node)),
        state.context)
    outcome: transitions.Outcome = request.outcome
    return outcome


def _record(state: traversal_state.TraversalState, node: Node,
            resource: interface.Resource, result: resource_action.ActionResult
            ) -> Any:
    """Record for the traversal what became of a resource."""
    outcomes = resource_action.Outcome
    if result.kind == outcomes.REPLACED:
        return _replace(state, node, resource)
    if result.kind == outcomes.FAILED and (
            failures(state.action) != transitions.Failures.COLLECT):
        return _note_failure(state, node, result)
    if result.kind == outcomes.COMPLETE and state.action == _S.SNAPSHOT:
        snapshots.save_resource(state.context, state.options.snapshot_id,
                                resource)
    return sync_point.finish_node(state.context, state.stack.id, state.id,
                                  state.finish_of(node))


def _note_failure(state: traversal_state.TraversalState, node: Node,
                  result: resource_action.ActionResult) -> None:
    """Let every engine see that the operation has failed.

    Should this process end before it has marked the stack, another one
    does that, and does not try the resource again.
    """
    if isinstance(result.error, (VisitCancelled, GeneratorExit)):
        return None
    options = dataclasses.replace(
        state.options, failure=failure_text(state.action, result))
    sync_point.set_options(state.context, state.stack.id, state.id,
                           options.as_dict())
    sync_point.withdraw(state.context, state.id, node)
    return None


def failure_text(stack_action: str, result: resource_action.ActionResult
                 ) -> str:
    """Return what a stack says of the resource that it failed with."""
    if isinstance(result.error, scheduler.Timeout):
        return transitions.TIMED_OUT
    return _('Resource %(action)s failed: %(error)s') % {
        'action': result.action or stack_action, 'error': result.reason}


def _replace(state: traversal_state.TraversalState, node: Node,
             resource: interface.Resource) -> Any:
    """Store the row that takes the place of a resource; return it.

    None when the traversal is over: the operation that follows it knows
    all rows there are, so none may be added behind its back.
    """
    context, stack = state.context, state.stack
    if not stack_objects.Stack.select_and_update(
            context, stack.id, {'current_traversal': state.id},
            {'current_traversal': state.id}):
        return None
    row = resource_objects.Resource.create(context, {
        'name': resource.name,
        'stack_id': stack.id,
        'root_stack_id': resource.root_stack_id,
        'action': _R.INIT,
        'status': _R.COMPLETE,
        'status_reason': '',
        'requires': sorted(state.required_ids(node)),
        'needed_by': [],
        'replaces': resource.id,
        'current_template_id': stack.t.id,
    })
    resource_objects.Resource.update_by_id(context, resource.id,
                                           {'replaced_by': row.id})
    return row


def _after_replacing(state: traversal_state.TraversalState, node: Node,
                     row: Any) -> transitions.Outcome:
    if row is None:
        return transitions.Stale()
    state.replaced(node[0], row)
    return transitions.Replaced(row.id)


def _fail_unrecorded(state: traversal_state.TraversalState, node: Node,
                     failure: Any
                     ) -> scheduler.TaskGenerator[transitions.Outcome]:
    """A task to note a failure that left the resource's state alone."""
    result = resource_action.ActionResult(
        resource_action.Outcome.FAILED, failure.action, str(failure),
        failure)
    recorded = yield group_commit.Write(
        lambda: _record(state, node, failure.resource, result),
        state.context)
    if isinstance(recorded, sync_point.FinishRequest):
        return recorded.outcome
    return transitions.Failed(failure_text(state.action, result))
