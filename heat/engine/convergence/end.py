"""Bring the operation of a stack to its end: complete, or failed.

Each end is one transaction that begins with a compare-and-swap of the
stack's traversal, so of many who try one succeeds.
"""
from collections.abc import Callable, Collection, Mapping, Sequence
import dataclasses
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import lifecycle_plugin
from heat.engine import status
from heat.engine.cluster import interface as cluster_interface
from heat.engine.cluster import wakeup
from heat.engine.convergence import state as traversal_state
from heat.engine.lifecycle import action as resource_action
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import interface
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
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

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 roll_back: Callable[..., Any],
                 on_end: Callable[..., Any]) -> None:
        self._engine = engine_context
        self._roll_back = roll_back
        self._on_end = on_end

    def complete(self, state: traversal_state.TraversalState, *,
                 is_certain: bool = False) -> scheduler.TaskGenerator[Any]:
        """A task to end an operation whose nodes are all done.

        Return whether that was so, and ours to do.

        :param is_certain: this process has seen to all nodes itself
        """
        try:
            return (yield from self._complete(state, is_certain))
        except transaction.Unavailable:
            raise
        except stack_exports.OBSTACLES as error:
            return (yield from self.fail(state, str(error)))
        except Exception as error:
            # It is an end, too; to try again would not change it.
            LOG.exception('Completing %s of stack %s failed', state.action,
                          state.stack.id)
            return (yield from self.fail(
                state, reason_of_unexpected(state, error)))

    def _complete(self, state: traversal_state.TraversalState,
                  is_certain: bool) -> scheduler.TaskGenerator[Any]:
        context, stack = state.context, state.stack
        if not is_certain and sync_point_objects.SyncPoint.count_open(
                context, state.id):
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
        return (yield from self._end(
            state, completion(stack, state.action, remark=remark),
            stack_exports.completed(stack, state.action)))

    def _end(self, state: traversal_state.TraversalState, move: Any,
             shared: stack_exports.Shared | None = None
             ) -> scheduler.TaskGenerator[Any]:
        """A task to write the last state; return whether that was ours.

        :param shared: what the completed stack exports and imports
        """
        end = _End(state, move, shared)
        yield group_commit.Write(end.write, state.context)
        if end.done:
            self._ended(state, move)
        return end.done

    @staticmethod
    def _before_deletion(state: traversal_state.TraversalState
                         ) -> scheduler.TaskGenerator[None]:
        """A task to delete what is not a resource."""
        if state.has_snapshots is False:
            return
        if snapshot_objects.Snapshot.get_all_by_stack(state.context,
                                                      state.stack.id):
            yield from snapshots.delete_all_task(state.stack)

    def fail(self, state: traversal_state.TraversalState,
             reason: str) -> scheduler.TaskGenerator[Any]:
        """A task to end an operation that cannot be carried through.

        Return whether the traversal was still the current one.
        """
        if self._wants_rollback(state.stack):
            try:
                begun = self._roll_back(state, reason)
            except transaction.Unavailable:
                raise
            except Exception as error:
                LOG.exception('The rollback of stack %s cannot begin',
                              state.stack.id)
                reason = _('%(reason)s; the rollback cannot begin: '
                           '%(error)s') % {
                    'reason': reason, 'error': type(error).__name__}
            else:
                if begun:
                    self._on_end(state)
                return begun
        return (yield from self._end(state, self._failure(state, reason)))

    def fail_now(self, state: traversal_state.TraversalState,
                 reason: str) -> bool:
        """End an operation as failed, without a rollback, in this thread."""
        end = _End(state, self._failure(state, reason))
        transaction.run(state.context, end.write)
        if end.done:
            self._ended(state, end.move)
        return end.done

    @staticmethod
    def _failure(state: traversal_state.TraversalState, reason: str) -> Any:
        return stack_state.plan(
            state.stack, state.action, _S.FAILED, reason,
            {'current_traversal': NO_TRAVERSAL})

    @staticmethod
    def _wants_rollback(stack: interface.Stack) -> bool:
        return (not stack.disable_rollback and stack.owner_id is None and
                stack.action in _ROLLED_BACK)

    def was_over(self, state: traversal_state.TraversalState,
                 move: Any) -> None:
        """Tell of an operation that ended where it began.

        Whoever wanted it to begin is in this process.
        """
        self._ended(state, move, far=False)

    def _ended(self, state: traversal_state.TraversalState,
               move: Any, *, far: bool = True) -> None:
        stack = state.stack
        try:
            stack_state.publish(stack, move)
            lifecycle_plugin.do_post_ops(stack.context, stack, None,
                                         state.action,
                                         move.status == _S.FAILED)
        except Exception:
            LOG.exception('The end of stack %s could not be announced',
                          stack.id)
        self._on_end(state)
        wakeup.stack_ended(stack, state.id, far=far)


def completion(stack: interface.Stack, action: str, *, remark: str = '',
               after: Any = None) -> Any:
    """Return the move with which an operation comes to its good end.

    :param after: the move that began it, if that is not made yet
    """
    return stack_state.plan(
        stack, action, _S.COMPLETE,
        stack_state.completion_reason(action) + remark,
        {'prev_raw_template_id': None}, after)


def reason_of_unexpected(state: traversal_state.TraversalState,
                         error: Exception) -> str:
    """Return what users are told of an error nobody foresaw."""
    if isinstance(error, exception.HeatException):
        return str(error)
    return _('Stack %(action)s failed: %(error)s') % {
        'action': state.action, 'error': type(error).__name__}


def _check_findings(stack: interface.Stack) -> tuple[list[str], str]:
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


@dataclasses.dataclass(slots=True, eq=False)
class _End:
    """The end of an operation on its way; done tells if it was ours."""

    state: traversal_state.TraversalState
    move: Any
    shared: stack_exports.Shared | None = None
    done: bool = False

    @property
    def stack_id(self) -> str:
        """The id of the stack."""
        stack_id: str = self.state.stack.id
        return stack_id

    @property
    def is_gone(self) -> bool:
        """Return whether there is no stack any more."""
        return (self.state.action == _S.DELETE and
                self.move.status == _S.COMPLETE)

    def write(self) -> None:
        """Write the last state, and remove what is of no use any more.

        Shares its statements with other ends of the same batch.
        """
        if not group_commit.share(_swap, self) and _swap(self.state.context,
                                                         [self]):
            return
        if not group_commit.defer(_write_ends, self):
            _write_ends(self.state.context, [self])


def _swap(context: heat_context.RequestContext, ends: Sequence[_End]
          ) -> list[_End]:
    """Write the last states of stacks; return ends that were not ours.

    Of ends that are alike all are returned if one is to be. Of several of
    the same traversal the first counts.
    """
    alike: dict[tuple[Any, ...], list[_End]] = {}
    ended = set()
    for one in ends:
        one.done = one.state.id not in ended
        ended.add(one.state.id)
        if one.done:
            alike.setdefault((one.state.action, *sorted(
                one.move.values.items())), []).append(one)
    lost = []
    for some in alike.values():
        swapped = stack_objects.Stack.end_many(
            context, {one.stack_id: one.state.id for one in some},
            some[0].state.action, some[0].move.values)
        if swapped < len(some):
            for one in some:
                one.done = False
            lost += some
    return lost


def _write_ends(context: heat_context.RequestContext, ends: Sequence[_End]
                ) -> None:
    ends = [one for one in ends if one.done]
    sync_point_objects.SyncPoint.delete_all_of_stacks(
        context, [one.stack_id for one in ends])
    stack_exports.store_all(context, [
        (one.state.stack, one.state.action, one.shared) for one in ends
        if one.move.status == _S.COMPLETE])
    for one in ends:
        stack_state.add_event(one.state.stack, one.move)
        if one.move.status == _S.FAILED:
            # What another engine has in its queue is not to be begun.
            resource_objects.Resource.fence(context, one.stack_id)
        if one.state.options.snapshot_id is not None:
            snapshots.finish(one.state.stack, one.state.options.snapshot_id,
                             one.move.status, one.move.reason)
    _forget_stacks(context, [one for one in ends if one.is_gone])
    _purge(context, [one for one in ends if not one.is_gone])


def _forget_stacks(context: heat_context.RequestContext, ends: Sequence[_End]
                   ) -> None:
    if not ends:
        return
    stack_ids = [one.stack_id for one in ends]
    resource_objects.Resource.purge_for_stacks(context, stack_ids)
    stack_objects.Stack.delete_many(context, stack_ids)
    # What is left of the stack keeps the last one.
    template_store.delete_many(context, sorted(
        {template_id for one in ends for template_id in
         one.state.options.templates} - {one.state.stack.t.id
                                         for one in ends}))


def _purge(context: heat_context.RequestContext, ends: Sequence[_End]) -> None:
    """Remove rows of resources that were deleted, and old templates."""
    purge(context, {
        one.stack_id for one in ends
        if any(not is_update for _key, is_update in one.state.graph)}, {
            one.stack_id: unused for one in ends
            if (unused := _outdated_templates(one))},
        {template_id for one in ends for template_id in (
            one.state.stack.t.id, one.state.stack.prev_raw_template_id)})


def purge(context: heat_context.RequestContext, clearing: set[str],
          outdated: Mapping[str, Collection[int]],
          current: Collection[int | None]) -> None:
    """Remove what stacks that are at rest do not need any more.

    :param clearing: those whose resources may have been deleted
    :param outdated: templates that nothing may refer to, by stack
    :param current: templates that the stacks themselves may refer to; those
        that are not outdated stay
    """
    stack_ids = clearing | outdated.keys()
    if not stack_ids:
        return
    gone, freed, used = [], set(), set()
    for row in resource_objects.Resource.get_summaries(context,
                                                       sorted(stack_ids)):
        if row.stack_id in clearing and (row.action, row.status) == (
                _R.DELETE, _R.COMPLETE):
            gone.append(row.id)
            # An operation that failed may have left it to this row alone.
            freed.add(row.current_template_id)
        else:
            used.add(row.current_template_id)
    if gone:
        resource_objects.Resource.delete_many(context, gone)
    unused = (freed - {None, *current}).union(*outdated.values()) - used
    template_store.delete_many(
        context, sorted(each for each in unused if each is not None))


def _outdated_templates(one: _End) -> set[int]:
    """Return templates that the stack refers to no more."""
    stack = one.state.stack
    unused = set(one.state.options.templates) - {stack.t.id}
    if one.move.status == _S.FAILED:
        unused.discard(stack.prev_raw_template_id)
    return unused
