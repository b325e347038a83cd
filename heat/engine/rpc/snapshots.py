"""RPC calls about snapshots of stacks."""
from typing import Any

from heat.common import context as heat_context
from heat.common import exception
from heat.common import policy
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine.drivers import select as stack_driver
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.software import configs as software_configs
from heat.engine.stacks import redaction
from heat.engine.stacks import snapshots
from heat.engine.stacks import validation as stack_validation
from heat.objects import snapshot as snapshot_objects


def _find(context, stack_row, snapshot_id):
    """Return a snapshot of a stack; raise SnapshotNotFound without one."""
    snapshot = snapshot_objects.Snapshot.get_snapshot_by_stack(
        context, snapshot_id, stack_row.id)
    if snapshot is None:
        raise exception.SnapshotNotFound(snapshot=snapshot_id,
                                         stack=stack_row.name)
    return snapshot


def _formatted(context, row, snapshot):
    """Return a snapshot of the stack of a row."""
    data = None
    if snapshot.data is not None:
        stack = None
        if row.owner_id is not None:
            stack = stack_module.Stack.load(context, stack=row)
            redaction.know_inherited(stack)
        data = redaction.redacted(snapshots.data_of(context, snapshot),
                                  stack)
    return formats.format_snapshot(snapshot, data)

#: How many characters the column of a name holds.
_NAME_LENGTH = 255


class SnapshotOperations:
    """Take, list, show, delete and restore snapshots."""

    # What the service has.
    thread_group_mgr: Any

    @heat_context.request_context
    def stack_snapshot(self, cnxt, stack_identity, name):
        """Begin to take a snapshot; return what is known of it so far."""
        software_configs.require_length(_NAME_LENGTH, name=name)
        row = guards.find_stack(cnxt, stack_identity)
        if row.status == 'IN_PROGRESS':
            raise exception.ActionInProgress(stack_name=row.name,
                                             action=row.action)
        guards.stack_may(row, 'SNAPSHOT')
        stack = stack_module.Stack.load(cnxt, stack=row)
        snapshots.check_limit(cnxt, stack)
        snapshot = snapshots.create_row(cnxt, stack, name)
        try:
            stack.snapshot(snapshot)
        except BaseException:
            self.thread_group_mgr.start(
                stack.id, snapshots.withdraw(stack, snapshot))
            raise
        return formats.format_snapshot(snapshot)

    @heat_context.request_context
    def show_snapshot(self, cnxt, stack_identity, snapshot_id):
        """Return one snapshot."""
        row = guards.find_stack(cnxt, stack_identity)
        return _formatted(cnxt, row, _find(cnxt, row, snapshot_id))

    @heat_context.request_context
    def delete_snapshot(self, cnxt, stack_identity, snapshot_id):
        """Begin to delete a snapshot and what it keeps.

        :raises NotSupported: it is still being taken.
        """
        row = guards.find_stack(cnxt, stack_identity)
        snapshot = _find(cnxt, row, snapshot_id)
        if not snapshots.may_be_deleted(snapshot, row):
            raise exception.NotSupported(
                feature=_('Deleting in-progress snapshot'))
        stack = stack_module.Stack.load(cnxt, stack=row)
        stack_driver.of(stack).delete_snapshot(stack, snapshot)

    @heat_context.request_context
    def stack_list_snapshots(self, cnxt, stack_identity):
        """Return the snapshots of a stack."""
        row = guards.find_stack(cnxt, stack_identity)
        return [_formatted(cnxt, row, each) for each in
                snapshot_objects.Snapshot.get_all_by_stack(cnxt, row.id)]

    @heat_context.request_context
    def stack_restore(self, cnxt, stack_identity, snapshot_id):
        """Begin to make a stack what it was at a snapshot."""
        row = guards.find_stack(cnxt, stack_identity)
        snapshot = _find(cnxt, row, snapshot_id)
        guards.stack_may_be_restored(row)
        stack = stack_module.Stack.load(cnxt, stack=row)
        new_stack = snapshots.restored_stack(stack, snapshot)
        new_stack.allow_type = policy.type_guard(cnxt)
        stack_validation.check_types(new_stack, new_stack.allow_type)
        stack_driver.of(stack).require_ready(stack)
        stack.restore(snapshot, new_stack)
        return dict(stack.identifier())
