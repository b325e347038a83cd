"""Bring the operation of a stack to its end: complete, or failed.

Each end is one transaction that begins with a compare-and-swap of the
stack's traversal, so of many who try one succeeds.
"""
from collections.abc import Callable
from typing import Any

from oslo_log import log as logging

from heat.common.i18n import _
from heat.engine import lifecycle_plugin
from heat.engine import recorder
from heat.engine import resource_action
from heat.engine import snapshots
from heat.engine import stack_credentials
from heat.engine import stack_state
from heat.engine import status
from heat.engine import template_store
from heat.engine import traversal_state
from heat.engine import wakening
from heat.objects import resource as resource_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import sync_point as sync_point_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus
_S = status.StackStatus

#: Actions that are undone when they fail, if the stack's owner wants it.
_ROLLED_BACK = frozenset([_S.CREATE, _S.ADOPT, _S.UPDATE, _S.RESTORE])
#: Stands in the stack's row when a failed operation is over.
NO_TRAVERSAL = ''


class Ending:
    """Marks stacks complete or failed.

    :param roll_back: begins the rollback of (state, reason); false when
        the traversal was no longer the current one
    :param on_end: told of each state whose traversal is over
    """

    def __init__(self, surroundings: Any, roll_back: Callable,
                 on_end: Callable) -> None:
        self._around = surroundings
        self._roll_back = roll_back
        self._on_end = on_end

    def complete(self, state: traversal_state.TraversalState) -> Any:
        """A task to end an operation whose nodes are all done.

        Return whether that was so, and ours to do.
        """
        context, stack = state.context, state.stack
        if sync_point_objects.SyncPoint.count_open(context, state.id):
            return False
        reasons: list[str] = []
        remark = ''
        if state.action == _S.CHECK:
            reasons, remark = _check_findings(stack)
        if state.action == _S.DELETE:
            yield from self._before_deletion(state)
            reasons = stack_credentials.release(stack)
        if reasons:
            return (yield from self.fail(state, '; '.join(reasons)))
        move = stack_state.plan(
            stack, state.action, _S.COMPLETE,
            _('Stack %s completed successfully') % state.action + remark,
            {'prev_raw_template_id': None})
        done = yield recorder.Write(
            lambda: _write_end(state, move), context)
        if done:
            self._ended(state, move)
        return done

    @staticmethod
    def _before_deletion(state: traversal_state.TraversalState) -> Any:
        """A task to delete what is not a resource."""
        if snapshot_objects.Snapshot.get_all_by_stack(state.context,
                                                      state.stack.id):
            yield from snapshots.delete_all_task(state.stack)

    def fail(self, state: traversal_state.TraversalState,
             reason: str) -> Any:
        """A task to end an operation that cannot be carried through.

        Return whether the traversal was still the current one.
        """
        if self._wants_rollback(state.stack):
            if not self._roll_back(state, reason):
                return False
            self._on_end(state)
            return True
        move = self._failure(state, reason)
        done = yield recorder.Write(
            lambda: _write_end(state, move), state.context)
        if done:
            self._ended(state, move)
        return done

    def fail_now(self, state: traversal_state.TraversalState,
                 reason: str) -> bool:
        """End an operation as failed, without a rollback, in this thread."""
        move = self._failure(state, reason)
        done = transaction.run(state.context,
                               lambda: _write_end(state, move))
        if done:
            self._ended(state, move)
        return done

    @staticmethod
    def _failure(state: traversal_state.TraversalState, reason: str) -> Any:
        return stack_state.plan(
            state.stack, state.action, _S.FAILED, reason,
            {'current_traversal': NO_TRAVERSAL})

    @staticmethod
    def _wants_rollback(stack: Any) -> bool:
        return (not stack.disable_rollback and stack.owner_id is None and
                stack.action in _ROLLED_BACK)

    def _ended(self, state: traversal_state.TraversalState,
               move: Any) -> None:
        stack = state.stack
        stack_state.settle(stack, move)
        lifecycle_plugin.do_post_ops(stack.context, stack, None,
                                     state.action,
                                     move.status == _S.FAILED)
        self._on_end(state)
        wakening.stack_ended(stack)


def _check_findings(stack: Any) -> tuple[list[str], str]:
    """Return the failures a CHECK has found, and what to remark."""
    rows = resource_objects.Resource.get_summaries(stack.context, stack.id)
    checked = [row for row in rows if row.action == _R.CHECK]
    unmade = {row.name for row in rows if row.action == _R.INIT} - {
        row.name for row in checked}
    reasons = dict.fromkeys(
        _('Resource %(action)s failed: %(error)s') % {
            'action': _R.CHECK, 'error': row.status_reason}
        for row in checked if row.status == _R.FAILED)
    reasons.update(dict.fromkeys(
        _('Resource "%s" was never created') % name
        for name in sorted(unmade & set(stack.defn.enabled_rsrc_names()))))
    unsupported = any(
        row.status == _R.COMPLETE and
        row.status_reason != resource_action.REASON for row in checked)
    remark = _(', but not every resource type supports CHECK')
    return list(reasons), remark if unsupported else ''


def _write_end(state: traversal_state.TraversalState, move: Any) -> bool:
    """Write the last state, and remove what is of no use any more."""
    context, stack = state.context, state.stack
    expected = {'current_traversal': state.id, 'action': state.action,
                'status': _S.IN_PROGRESS}
    if not stack_state.write(stack, move, expected):
        return False
    sync_point_objects.SyncPoint.delete_all_by_stack(context, stack.id)
    if move.status == _S.FAILED:
        # What another engine has in its queue is not to be begun any more.
        resource_objects.Resource.fence(context, stack.id)
    if state.options.snapshot_id is not None:
        snapshots.finish(stack, state.options.snapshot_id, move.status,
                         move.reason)
    if state.action == _S.DELETE and move.status == _S.COMPLETE:
        _forget_stack(state)
    elif any(not is_update for _key, is_update in state.graph):
        _purge_resources(context, stack.id)
    _purge_templates(state, move)
    return True


def _forget_stack(state: traversal_state.TraversalState) -> None:
    stack = state.stack
    resource_objects.Resource.purge_for_stack(stack.context, stack.id)
    stack_credentials.forget(stack)
    stack_objects.Stack.delete(stack.context, stack.id)


def _purge_resources(context: Any, stack_id: str) -> None:
    """Remove the rows of resources that were deleted."""
    gone = resource_objects.Resource.get_summaries(
        context, stack_id, {'action': _R.DELETE, 'status': _R.COMPLETE})
    if gone:
        resource_objects.Resource.delete_many(context,
                                              [row.id for row in gone])


def _purge_templates(state: traversal_state.TraversalState,
                     move: Any) -> None:
    """Remove templates that neither the stack nor a resource refers to."""
    context, stack = state.context, state.stack
    unused = set(state.options.templates) - {stack.t.id}
    if move.status == _S.FAILED:
        unused.discard(stack.prev_raw_template_id)
    if not unused:
        return
    unused -= {row.current_template_id for row in
               resource_objects.Resource.get_summaries(context, stack.id)}
    for template_id in sorted(unused):
        template_store.delete(context, template_id)
