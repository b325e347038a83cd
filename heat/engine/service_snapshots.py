"""RPC calls about snapshots of stacks."""
from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import api
from heat.engine import service_guards
from heat.engine import snapshots
from heat.engine import stack_driver
from heat.engine import stack_redaction
from heat.engine import stack_store
from heat.objects import snapshot as snapshot_objects


def _find(context, stack_row, snapshot_id):
    """Return a snapshot of a stack; raise SnapshotNotFound without one."""
    snapshot = snapshot_objects.Snapshot.get_snapshot_by_stack(
        context, snapshot_id, stack_row.id)
    if snapshot is None:
        raise exception.SnapshotNotFound(snapshot=snapshot_id,
                                         stack=stack_row.name)
    return snapshot


def _formatted(context, snapshot):
    data = None
    if snapshot.data is not None:
        data = stack_redaction.redacted(snapshots.data_of(context, snapshot))
    return api.format_snapshot(snapshot, data)


class SnapshotOperations:
    """Take, list, show, delete and restore snapshots."""

    @heat_context.request_context
    def stack_snapshot(self, cnxt, stack_identity, name):
        """Begin to take a snapshot; return what is known of it so far."""
        row = service_guards.find_stack(cnxt, stack_identity)
        if row.status == 'IN_PROGRESS':
            raise exception.ActionInProgress(stack_name=row.name,
                                             action=row.action)
        service_guards.stack_may(row, 'SNAPSHOT')
        stack = stack_store.load(cnxt, row)
        snapshots.check_limit(cnxt, stack)
        snapshot = snapshots.create_row(cnxt, stack, name)
        stack.snapshot(snapshot)
        return api.format_snapshot(snapshot)

    @heat_context.request_context
    def show_snapshot(self, cnxt, stack_identity, snapshot_id):
        """Return one snapshot."""
        row = service_guards.find_stack(cnxt, stack_identity)
        return _formatted(cnxt, _find(cnxt, row, snapshot_id))

    @heat_context.request_context
    def delete_snapshot(self, cnxt, stack_identity, snapshot_id):
        """Begin to delete a snapshot and what it keeps.

        :raises NotSupported: it is still being taken.
        """
        row = service_guards.find_stack(cnxt, stack_identity)
        snapshot = _find(cnxt, row, snapshot_id)
        if snapshot.status == 'IN_PROGRESS':
            raise exception.NotSupported(
                feature=_('Deleting in-progress snapshot'))
        stack = stack_store.load(cnxt, row)
        stack_driver.of(stack).delete_snapshot(stack, snapshot)

    @heat_context.request_context
    def stack_list_snapshots(self, cnxt, stack_identity):
        """Return the snapshots of a stack."""
        row = service_guards.find_stack(cnxt, stack_identity)
        return [_formatted(cnxt, each) for each in
                snapshot_objects.Snapshot.get_all_by_stack(cnxt, row.id)]

    @heat_context.request_context
    def stack_restore(self, cnxt, stack_identity, snapshot_id):
        """Begin to make a stack what it was at a snapshot."""
        row = service_guards.find_stack(cnxt, stack_identity)
        snapshot = _find(cnxt, row, snapshot_id)
        service_guards.stack_may_be_restored(row)
        stack = stack_store.load(cnxt, row)
        new_stack = snapshots.restored_stack(stack, snapshot)
        stack_driver.of(stack).require_ready(stack)
        stack.restore(snapshot, new_stack)
        return dict(stack.identifier())
