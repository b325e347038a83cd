"""Snapshots of stacks: what they hold, how they are used and deleted.

Drivers call these functions with a stack; nothing here begins an action.
"""
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import status
from heat.engine import template
from heat.engine.stacks import interface
from heat.engine.stacks import store as stack_store
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource_snapshot as part_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

S = status.StackStatus

#: How often withdrawing a snapshot is tried, and the seconds in between.
_WITHDRAWALS = 120
_WITHDRAWAL_INTERVAL = 5


def check_limit(context: heat_context.RequestContext, stack: interface.Stack
                ) -> None:
    """Raise RequestLimitExceeded when a stack has its full number."""
    limit = cfg.CONF.max_snapshots_per_stack
    if limit == -1 or context.is_admin:
        return
    count = snapshot_objects.Snapshot.count_all_by_stack(context, stack.id)
    if count >= limit:
        raise exception.RequestLimitExceeded(message=_(
            'You have reached the maximum snapshots per stack (%d). Please '
            'delete some snapshots.') % limit)


def create_row(context: heat_context.RequestContext, stack: interface.Stack,
               name: str | None) -> snapshot_objects.Snapshot:
    """Store a snapshot that is to be filled; return its row."""
    return snapshot_objects.Snapshot.create(context, {
        'tenant': context.project_id,
        'name': name,
        'stack_id': stack.id,
        'action': S.CREATE,
        'status': S.IN_PROGRESS,
    })


def withdraw(stack: interface.Stack, snapshot: snapshot_objects.Snapshot
             ) -> scheduler.TaskGenerator[None]:
    """A task to delete a snapshot that could not be begun to be taken.

    It may have begun after all, without an answer: then it ends with its
    operation, which is waited for.
    """
    context = stack.context
    for _attempt in range(_WITHDRAWALS):
        yield _WITHDRAWAL_INTERVAL
        try:
            state = stack_objects.Stack.get_status(context, stack.id)
            if state is not None and state[:2] == (S.SNAPSHOT,
                                                   S.IN_PROGRESS):
                continue
            row = snapshot_objects.Snapshot.get_by_id(context, snapshot.id)
            if row is not None and row.status == S.IN_PROGRESS:
                snapshot_objects.Snapshot.delete(context, snapshot.id)
            return
        except Exception as error:  # noqa: BLE001 (tried again)
            LOG.info('Deleting a snapshot that was not begun failed: %s',
                     error)


def save_resource(context: heat_context.RequestContext, snapshot_id: Any,
                  res: interface.Resource) -> None:
    """Store what a snapshot keeps of one resource."""
    part_objects.ResourceSnapshot.create(context, {
        'snapshot_id': snapshot_id,
        'resource_name': res.name,
        'data': res.prepare_abandon(),
    })


def finish(stack: interface.Stack, snapshot_id: str, outcome: str, reason: str
           ) -> None:
    """Store the description of the stack and how the snapshot ended."""
    values: dict[str, Any] = {'status': outcome,
                              'status_reason': (reason or '')[:255]}
    if outcome == S.COMPLETE:
        data = stack_store.description_of(stack, no_resources=True)
        values['data'] = dict(data, action=S.SNAPSHOT, status=S.COMPLETE)
    snapshot_objects.Snapshot.update(stack.context, snapshot_id, values)


def fail_unfinished(stack: interface.Stack, reason: str) -> None:
    """Store that no snapshot of a stack is being taken any more."""
    for row in snapshot_objects.Snapshot.get_all_by_stack(
            stack.context, stack.id):
        if (row.action, row.status) == (S.CREATE, S.IN_PROGRESS):
            finish(stack, row.id, S.FAILED, reason)


def parts_of(context: heat_context.RequestContext,
             snapshot: snapshot_objects.Snapshot) -> dict[str, Any]:
    """Return what a snapshot keeps of each resource, by name."""
    parts = dict((snapshot.data or {}).get('resources') or {})
    for part in part_objects.ResourceSnapshot.get_all(context, snapshot.id):
        parts[part.resource_name] = part.data
    return parts


def data_of(context: heat_context.RequestContext,
            snapshot: snapshot_objects.Snapshot) -> dict[str, Any]:
    """Return the description a snapshot holds, resources included."""
    return dict(snapshot.data or {}, resources=parts_of(context, snapshot))


def restored_stack(stack: interface.Stack, snapshot: snapshot_objects.Snapshot
                   ) -> interface.Stack:
    """Return the stack as it was at a snapshot, not stored.

    :raises NotSupported: the snapshot is not complete.
    """
    if snapshot.status != S.COMPLETE:
        raise exception.NotSupported(
            feature=_('Restoring a snapshot that is not COMPLETE'))
    data = data_of(stack.context, snapshot)
    tmpl = template.make(
        data['template'], files=data.get('files'),
        env=environment.Environment(data.get('environment') or {}))
    tmpl.env.inherited = stack.env.inherited
    restored = stack_store.wanted_stack(
        stack, tmpl, disable_rollback=stack.disable_rollback)
    for name in list(restored.resources):
        res = restored.resources[name]
        if not hasattr(res, 'handle_restore'):
            continue
        definition = res.handle_restore(
            restored.defn.resource_definition(name),
            data['resources'].get(name))
        tmpl.add_resource(definition, name)
    return stack_store.wanted_stack(
        stack, tmpl, disable_rollback=stack.disable_rollback)


def may_be_deleted(snapshot: snapshot_objects.Snapshot, stack_row: Any
                   ) -> bool:
    """Return whether nothing is under way for a snapshot.

    An engine that dies may leave one unfinished for ever: what counts is
    what its stack does.
    """
    if snapshot.status != S.IN_PROGRESS:
        return True
    return snapshot.action != S.DELETE and (
        stack_row.action, stack_row.status) != (S.SNAPSHOT, S.IN_PROGRESS)


# -- deleting ---------------------------------------------------------------

def delete_task(stack: interface.Stack, snapshot: snapshot_objects.Snapshot
                ) -> scheduler.TaskGenerator[None]:
    """A task to delete a snapshot and what it keeps in the cloud."""
    context = stack.context
    snapshot_id = snapshot.id
    yield group_commit.Write(lambda: snapshot_objects.Snapshot.update(
        context, snapshot_id,
        {'action': S.DELETE, 'status': S.IN_PROGRESS}))
    data = data_of(context, snapshot)
    try:
        for name in stack.resources:
            kept = data['resources'].get(name)
            if kept is not None:
                yield from stack.resources[name].delete_snapshot(kept)
    except Exception as error:
        reason = str(error)[:255]
        LOG.exception('Snapshot %s could not be deleted', snapshot_id)
        yield group_commit.Write(lambda: snapshot_objects.Snapshot.update(
            context, snapshot_id,
            {'status': S.FAILED, 'status_reason': reason}))
        raise
    yield group_commit.Write(lambda: snapshot_objects.Snapshot.delete(
        context, snapshot_id))


def begin_deletion(context: heat_context.RequestContext,
                   snapshot: snapshot_objects.Snapshot) -> None:
    """Store that a snapshot is to be deleted, by whatever engine."""
    snapshot_objects.Snapshot.update(
        context, snapshot.id,
        {'action': S.DELETE, 'status': S.IN_PROGRESS})


def delete_begun_task(stack: interface.Stack) -> scheduler.TaskGenerator[None]:
    """A task to delete those snapshots of which that is stored."""
    tried = set()
    while True:
        begun = [row for row in snapshot_objects.Snapshot.get_all_by_stack(
                     stack.context, stack.id)
                 if (row.action, row.status) == (S.DELETE, S.IN_PROGRESS) and
                 row.id not in tried]
        if not begun:
            return
        tried.add(begun[0].id)
        try:
            yield from delete_task(stack, begun[0])
        except Exception:  # noqa: BLE001 (its row tells)
            LOG.debug('The other snapshots of stack %s come next', stack.id)


def delete_all_task(stack: interface.Stack) -> scheduler.TaskGenerator[None]:
    """A task to delete all snapshots of a stack that is going away."""
    for snapshot in snapshot_objects.Snapshot.get_all_by_stack(
            stack.context, stack.id):
        yield from delete_task(stack, snapshot)
