"""The legacy driver: a whole operation is one task under the stack lock."""
from collections.abc import Callable, Collection, Iterable
import contextlib
import dataclasses
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import lifecycle_plugin
from heat.engine import status
from heat.engine import stk_defn
from heat.engine.cluster import interface as cluster_interface
from heat.engine.legacy import retained as legacy_retained
from heat.engine.legacy import supervisor
from heat.engine.legacy import templates as legacy_templates
from heat.engine.legacy import update as legacy_update
from heat.engine.legacy import walk as legacy_walk
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import interface
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

S = status.StackStatus

#: Failed actions after which the previous state is brought back.
_ROLLED_BACK = frozenset([S.CREATE, S.ADOPT, S.UPDATE])

Stack = interface.Stack
Snapshot = snapshot_objects.Snapshot
Task = scheduler.TaskGenerator[None]
End = legacy_walk.End
#: The end of an update, and the update.
_Walked = tuple[End, legacy_update.StackUpdate]


class LegacyDriver:
    """Carries stacks through their actions under a lock of their own."""

    def __init__(self, engine_context: cluster_interface.EngineContext
                 ) -> None:
        self._engine = engine_context
        self._supervisor = supervisor.Supervisor(engine_context)

    # -- the driver interface -----------------------------------------------

    def create(self, stack: Stack) -> None:
        """Begin to create the resources of a stack."""
        self._supervisor.begin(stack, S.CREATE,
                               self._create_task(stack, S.CREATE))

    def create_new(self, stack: Stack, stack_id: str) -> bool:
        """Return False, as below: the lock is that of a stored stack."""
        return False

    def beginning_of_new(self, stack: Stack, stack_id: str) -> None:
        """Return None: an operation begins by taking its stack's lock."""

    def beginning_of_update(self, stack: Stack, new_stack: Stack) -> None:
        """Return None, as above."""

    def beginning_of_delete(self, stack: Stack,
                            retained: Collection[str] = frozenset()) -> None:
        """Return None, as above."""

    def adopt(self, stack: Stack, data: dict[str, Any] | None = None) -> None:
        """Begin to take existing resources over."""
        if data is not None:
            stack.adopt_stack_data = data
        self._supervisor.begin(stack, S.ADOPT,
                               self._create_task(stack, S.ADOPT))
        stack_store.forget_adopt_data(stack)

    def update(self, stack: Stack, new_stack: Stack, action: str = S.UPDATE
               ) -> None:
        """Begin to make the stack like new_stack."""
        self._begin_update(stack, new_stack, action)

    def restore(self, stack: Stack, snapshot: Snapshot, new_stack: Stack
                ) -> None:
        """Begin to make the stack like it was at the snapshot."""
        self._begin_update(stack, new_stack, S.RESTORE)

    def rollback(self, stack: Stack, skipped: Collection[str] = frozenset()
                 ) -> None:
        """Begin to go back to the template before the last update."""
        if skipped:
            raise exception.NotSupported(feature=_(
                'Skipping resources of a stack without convergence'))
        if stack.prev_raw_template_id is None:
            if stack.state == (S.ROLLBACK, S.FAILED):
                # What is left of a creation goes.
                self._supervisor.begin(stack, S.ROLLBACK,
                                       self._delete_task(stack, S.ROLLBACK))
                return
            raise exception.NotSupported(
                feature=_('Rolling back a stack without a previous template'))
        self._begin_update(stack, self._previous(stack), S.ROLLBACK)

    def suspend(self, stack: Stack) -> None:
        """Begin to suspend all resources, unless they are."""
        if stack.state != (S.SUSPEND, S.COMPLETE):
            self._supervisor.begin(
                stack, S.SUSPEND,
                self._plain_task(stack, S.SUSPEND, reverse=True))

    def resume(self, stack: Stack) -> None:
        """Begin to resume all resources, unless they are."""
        if stack.state != (S.RESUME, S.COMPLETE):
            self._supervisor.begin(stack, S.RESUME,
                                   self._plain_task(stack, S.RESUME))

    def check(self, stack: Stack) -> None:
        """Begin to check all resources."""
        self._supervisor.begin(stack, S.CHECK, self._check_task(stack))

    def snapshot(self, stack: Stack, snapshot: Snapshot) -> None:
        """Begin to fill a snapshot row."""
        self._supervisor.begin(stack, S.SNAPSHOT,
                               self._snapshot_task(stack, snapshot))

    def delete_snapshot(self, stack: Stack, snapshot: Snapshot) -> None:
        """Begin to delete a snapshot; the stack stays as it is."""
        self._supervisor.begin_aside(
            stack, snapshots.delete_begun_task(stack),
            lambda: snapshots.begin_deletion(stack.context, snapshot))

    def go_on_deleting_snapshots(self, stack: Stack) -> None:
        """Delete those snapshots of which that is stored."""
        self._supervisor.begin_aside(stack, snapshots.delete_begun_task(stack))

    def cancel(self, stack: Stack, with_rollback: bool) -> None:
        """Tell the running operation to stop."""
        holder = self._supervisor.lock_of(stack).get_engine_id()
        if holder is not None:
            self._supervisor.send(stack, holder, with_rollback)

    def delete(self, stack: Stack, retained: Collection[str] = frozenset()
               ) -> None:
        """Begin to delete a stack, when what runs has been stopped.

        A delete that runs is left to its work.
        """
        lock = self._supervisor.lock_of(stack)
        holder = lock.take()
        if holder is None:
            self._begin_delete(stack, lock, retained)
        elif self._request_delete(stack, retained):
            self._engine.pool.spawn(
                self._delete_when_free(stack, lock, holder),
                'delete %s' % stack.id)

    def _request_delete(self, stack: Stack, retained: Collection[str]
                        ) -> bool:
        """Let the state of a busy stack say that it is to be deleted.

        From here on the request is not lost, should this engine die. Return
        whether that is news.
        """
        while stack.deleted_time is None and (
                stack.state != (S.DELETE, S.IN_PROGRESS)):
            if stack_state.transition(
                    stack, S.DELETE, S.IN_PROGRESS, _delete_reason(),
                    expected={'action': stack.action,
                              'status': stack.status},
                    store=legacy_retained.storing(stack, retained)):
                return True
            stack = type(stack).load(stack.context, stack.id)
        return False

    def abandon(self, stack: Stack) -> None:
        """Begin to forget a stack, and those inside; resources stay."""
        self.require_ready(stack)
        for row in stack_objects.Stack.get_all_by_owner_id(stack.context,
                                                           stack.id):
            if not row.backup:
                self.abandon(type(stack).load(stack.context, stack=row))
        stack_store.set_deletion_policy(stack, 'Retain')
        for res in stack.values():
            res.abandon_in_progress = True
        self.delete(stack)

    def require_ready(self, stack: Stack) -> None:
        """Raise ActionInProgress when an engine works on the stack."""
        self._supervisor.require_ready(stack)

    def held(self, stack: Stack
             ) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Hold the lock of an idle stack."""
        return self._supervisor.held(stack)

    # -- what all operations share ------------------------------------------

    @staticmethod
    def _keep_data(stack: Stack, res: interface.Resource) -> None:
        stk_defn.update_resource_data(stack.defn, res.name,
                                      res.node_data(stack.defn))

    def _before(self, stack: Stack, action: str, wanted: Stack | None = None
                ) -> End | None:
        """Tell plugins that an action begins; return an End if they object.

        :param wanted: what the stack is to become, in an update.
        """
        current = None if wanted is None else stack
        try:
            lifecycle_plugin.do_pre_ops(stack.context, wanted or stack,
                                        current, action)
        except Exception as error:  # noqa: BLE001 (plugins raise anything)
            LOG.warning('A lifecycle plugin refused %s of stack %s',
                        action, stack.id, exc_info=True)
            return legacy_walk.End(str(error), failed=True)
        return None

    def _finish(self, stack: Stack, action: str, end: End,
                values: dict[str, Any] | None = None, forget: bool = False
                ) -> Task:
        """A task to tell plugins of the end of an action, and record it."""
        lifecycle_plugin.do_post_ops(stack.context, stack, None, action,
                                     end.failed)
        yield from self._supervisor.finish(stack, action, end, values,
                                           forget=forget)

    # -- create, adopt ------------------------------------------------------

    def _create_task(self, stack: Stack, action: str) -> Task:
        end = self._before(stack, action)
        if end is None:
            yield from self._store_resources(stack)

            def make(res: interface.Resource) -> Task:
                if action == S.ADOPT:
                    yield from res.adopt(self._adopt_data(stack, res))
                else:
                    yield from res.create()
                self._keep_data(stack, res)

            end = yield from legacy_walk.walk(stack, action,
                                        legacy_walk.group(stack, make))
            end = yield from legacy_walk.share(stack, action, end)
        if not self._wants_rollback(stack, action, end):
            yield from self._finish(stack, action, end)
            return
        if (yield from self._failed_first(stack, action, end)):
            yield from self._delete_task(stack, S.ROLLBACK,
                                         retain=action == S.ADOPT)

    @staticmethod
    def _adopt_data(stack: Stack, res: interface.Resource) -> Any:
        data = stack.adopt_stack_data or {}
        return (data.get('resources') or {}).get(res.name)

    @staticmethod
    def _store_resources(stack: Stack) -> Task:
        """A task to insert the rows of all resources at once."""
        resources = [res for res in stack.values() if res.id is None]
        if resources:
            ids = yield group_commit.Write(lambda: resource_store.bulk_create(
                stack.context, resources))
            resource_store.adopt_ids(resources, ids)

    @staticmethod
    def _wants_rollback(stack: Stack, action: str, end: End) -> bool:
        if not end.failed or action not in _ROLLED_BACK or (
                stack.owner_id is not None):
            return False
        return bool(end.rollback_wanted) or not stack.disable_rollback

    @staticmethod
    def _failed_first(stack: Stack, action: str, end: End
                      ) -> scheduler.TaskGenerator[bool]:
        """A task to record the failure and the start of the rollback.

        At once: who waits for the end of the operation must not take the
        failure for it. Return false when the stack is to be deleted.
        """
        failed = stack_state.plan(stack, action, S.FAILED, end.reason)
        begun = stack_state.plan(stack, S.ROLLBACK, S.IN_PROGRESS,
                                 stack_state.start_reason(S.ROLLBACK),
                                 after=failed)
        done = yield from stack_state.transitions_task(stack, failed, begun)
        if done:
            lifecycle_plugin.do_post_ops(stack.context, stack, None, action,
                                         True)
        is_current: bool = done
        return is_current

    # -- suspend, resume, check, snapshot -----------------------------------

    def _plain_task(self, stack: Stack, action: str, reverse: bool = False
                    ) -> Task:
        end = self._before(stack, action)
        if end is None:
            stack.refresh_node_data()

            def visit(res: interface.Resource) -> Task:
                yield from getattr(res, action.lower())()
                self._keep_data(stack, res)

            end = yield from legacy_walk.walk(
                stack, action,
                legacy_walk.group(stack, visit, reverse=reverse))
        yield from self._finish(stack, action, end)

    def _check_task(self, stack: Stack) -> Task:
        end = self._before(stack, S.CHECK)
        if end is None:
            stack.refresh_node_data()
            unsupported, failures = [], []

            def visit(res: interface.Resource) -> Task:
                # What needs a broken resource is looked at all the same.
                try:
                    yield from res.check()
                except exception.ResourceFailure as error:
                    failures.append(legacy_walk.failure_text(S.CHECK, error))
                if not res.has_check_handler():
                    unsupported.append(res.name)

            end = yield from legacy_walk.walk(
                stack, S.CHECK, legacy_walk.group(
                    stack, visit, aggregate_exceptions=True))
            if failures and not end.failed:
                end = legacy_walk.End('; '.join(failures), failed=True)
            if unsupported:
                end = dataclasses.replace(end, reason=end.reason + _(
                    ', but not every resource type supports CHECK'))
        yield from self._finish(stack, S.CHECK, end)

    def _snapshot_task(self, stack: Stack, snapshot: Snapshot) -> Task:
        end = self._before(stack, S.SNAPSHOT)
        if end is None:
            stack.refresh_node_data()

            def visit(res: interface.Resource) -> Task:
                yield from res.snapshot()
                yield group_commit.Write(lambda: snapshots.save_resource(
                    stack.context, snapshot.id, res))

            end = yield from legacy_walk.walk(stack, S.SNAPSHOT,
                                        legacy_walk.group(stack, visit))
        yield group_commit.Write(lambda: snapshots.finish(
            stack, snapshot.id, end.status, end.reason))
        yield from self._finish(stack, S.SNAPSHOT, end)

    # -- update, rollback, restore ------------------------------------------

    @staticmethod
    def _previous(stack: Stack) -> Stack:
        """Return the stack as its previous template would have it."""
        return stack_store.wanted_stack(stack, stack_store.parsed_template(
            stack.context, stack.prev_raw_template_id))

    def _begin_update(self, stack: Stack, new_stack: Stack, action: str
                      ) -> None:
        """Begin an update; store its template with the state of the stack.

        The row of the working template gets the new one in the end, so an
        update that does not begin, or is cut short, leaves none behind.
        """
        templates = legacy_templates.UpdateTemplates(
            legacy_update.working_template(stack, new_stack), stack,
            new_stack)
        stack.timeout_mins = new_stack.timeout_mins
        stack.disable_rollback = new_stack.disable_rollback
        stack.converge = new_stack.converge
        stack.warrant = new_stack.warrant

        def store() -> dict[str, Any]:
            columns = {'raw_template_id': templates.write(stack.context),
                       'prev_raw_template_id': templates.old_id,
                       'timeout': stack.timeout_mins,
                       'disable_rollback': stack.disable_rollback}
            # First: a template that the row refers to cannot be deleted.
            stack_objects.Stack.update_by_id(stack.context, stack.id, columns)
            stack_exports.claim(new_stack, stack.id)
            stack_warrant.begin(new_stack, stack.id)
            template_store.delete_unused(
                stack.context, templates.obsolete - {new_stack.t.id})
            return columns

        self._supervisor.begin(
            stack, action,
            self._update_task(stack, new_stack, action, templates), store)

    def _tidy_later(self, stack: Stack, template_ids: Iterable[int]) -> None:
        """Delete templates if nothing refers to them once all is over."""
        with contextlib.suppress(RuntimeError):     # We are about to stop.
            self._engine.pool.spawn(
                template_store.delete_unused_task(stack.context,
                                                  template_ids),
                'tidy up after %s' % stack.id)

    def _update_task(self, stack: Stack, new_stack: Stack, action: str,
                     templates: legacy_templates.UpdateTemplates) -> Task:
        """A task to update a stack; what it does not need any more goes."""
        templates.mark_stored()
        try:
            yield from self._update(stack, new_stack, action, templates)
        except Exception:
            # The end is recorded by who supervises this.
            self._tidy_later(stack, templates.all(new_stack))
            raise

    def _update(self, stack: Stack, new_stack: Stack, action: str,
                templates: legacy_templates.UpdateTemplates) -> Task:
        stack.prev_raw_template_id = templates.old_id
        end = self._before(stack, action, new_stack)
        if end is not None:
            yield from self._end_update(stack, new_stack, action, end,
                                        templates, None)
            return
        end, walk = yield from self._run_update(stack, new_stack, action)
        if not self._wants_rollback(stack, action, end):
            yield from self._end_update(stack, new_stack, action, end,
                                        templates, walk)
            return
        self._store_reached(stack, walk, templates)
        if not (yield from self._failed_first(stack, action, end)):
            return
        stack.resources.clear()
        stack.rows.forget()
        stack_warrant.forget(stack)
        old = stack_store.wanted_stack(stack, stack_store.parsed_template(
            stack.context, templates.old_id))
        refused = self._before(stack, S.ROLLBACK, old)
        if refused is not None:
            yield from self._end_update(stack, old, S.ROLLBACK, refused,
                                        templates, None)
            return
        end, walk = yield from self._run_update(stack, old, S.ROLLBACK)
        yield from self._end_update(stack, old, S.ROLLBACK, end, templates,
                                    walk)

    def _run_update(self, stack: Stack, new_stack: Stack, action: str
                    ) -> scheduler.TaskGenerator[_Walked]:
        """A task to walk an update; return (End, the StackUpdate)."""
        walk = legacy_update.StackUpdate(
            stack, new_stack, grace=legacy_walk.grace_of,
            rollback=action == S.ROLLBACK)
        end = yield from legacy_walk.walk(stack, action, walk)
        end = yield from legacy_walk.share(new_stack, action, end)
        backup = None if end.failed else walk.backup(create=False)
        if backup is not None:
            end = yield from self._delete_backup(stack, action, backup)
        return end, walk

    def _delete_backup(self, stack: Stack, action: str, backup: Stack
                       ) -> scheduler.TaskGenerator[End]:
        """A task to delete what was replaced, and the stack that keeps it.
        """
        yield from stack_state.transition_task(
            backup, S.DELETE, S.IN_PROGRESS, _('Stack DELETE started'))
        end = yield from self._delete_resources(backup)
        move = stack_state.plan(backup, S.DELETE, end.status, end.reason)

        def write() -> None:
            stack_state.write(backup, move)
            if not end.failed:
                resource_objects.Resource.purge_for_stack(
                    backup.context, backup.id)
                stack_objects.Stack.delete(backup.context, backup.id)

        yield group_commit.Write(write)
        stack_state.publish(backup, move)
        return end if end.failed else legacy_walk.completed(action)

    def _end_update(self, stack: Stack, new_stack: Stack, action: str,
                    end: End, templates: legacy_templates.UpdateTemplates,
                    walk: Any) -> Task:
        """A task to record the end of an update and tidy templates up."""
        stays = not end.failed and new_stack.t.id is None
        if stays:
            new_stack.t.id = templates.working.id
        if end.failed:
            if walk is not None:
                self._store_reached(stack, walk, templates)
            unused = templates.obsolete | {new_stack.t.id}
        else:
            stack.t = new_stack.t
            unused = templates.obsolete | {templates.working.id}
        stack.tags = list(new_stack.tags)
        values = {'raw_template_id': (
            templates.working.id if end.failed else new_stack.t.id)}
        unused -= {templates.old_id, values['raw_template_id'], None}

        def tidy() -> Any:
            stack_objects.Stack.set_tags(stack.context, stack.id, stack.tags)
            return stays and template_store.write(stack.context, new_stack.t)

        written = yield group_commit.Write(tidy)
        if stays:
            template_store.mark_stored(new_stack.t, written, share=True)
        yield from self._finish(stack, action, end, values)
        yield from template_store.delete_unused_task(stack.context, unused)

    @staticmethod
    def _store_reached(stack: Stack, walk: Any,
                       templates: legacy_templates.UpdateTemplates) -> None:
        """Store what a stack has become, in the row made for that."""
        reached = walk.reached_template()
        reached.id = templates.working.id
        template_store.store(stack.context, reached)
        templates.working = stack.t = reached

    # -- delete -------------------------------------------------------------

    def _begin_delete(self, stack: Stack, lock: stack_lock.StackLock,
                      retained: Collection[str] = frozenset()) -> None:
        """Begin to delete a stack whose lock we have.

        It may have changed since it was loaded, or be gone.
        """
        try:
            state = stack_objects.Stack.get_state(stack.context, stack.id)
            if not supervisor.is_as_loaded(stack, state):
                stack = type(stack).load(stack.context, stack.id)
        except BaseException:
            lock.release()
            raise
        if stack.deleted_time is not None:
            lock.release()
            return
        asked_for = stack.state == (S.DELETE, S.IN_PROGRESS)
        self._supervisor.begin_locked(
            stack, lock, S.DELETE, self._delete_task(stack, S.DELETE),
            None if asked_for else _delete_reason(),
            None if asked_for else legacy_retained.storing(stack, retained))

    def _delete_task(self, stack: Stack, action: str, retain: bool = False
                     ) -> Task:
        end = self._before(stack, action)
        if action == S.DELETE:
            legacy_retained.load(stack)
        if end is None:
            end = yield from self._delete_everything(stack, action, retain)
        yield from self._finish(stack, action, end, forget=not end.failed)

    def _delete_everything(self, stack: Stack, action: str, retain: bool
                           ) -> scheduler.TaskGenerator[End]:
        stack.refresh_node_data()
        yield from snapshots.delete_all_task(stack)
        backup = stack_store.backup_of(stack, create=False)
        if backup is not None:
            end = yield from self._delete_backup(stack, action, backup)
            if end.failed:
                return end
        end = yield from self._delete_resources(stack, retain, action)
        if not end.failed:
            reasons = stack_credentials.release(stack)
            if reasons:
                return legacy_walk.End('; '.join(reasons), failed=True)
        return end

    def _delete_resources(self, stack: Stack, retain: bool = False,
                          action: str = S.DELETE
                          ) -> scheduler.TaskGenerator[End]:
        """A task to delete the resources of a stack; return the End."""
        gone = []

        def remove(res: interface.Resource) -> Task:
            if retain or res.name in stack.retained:
                res.abandon_in_progress = True
            yield from res.delete()
            gone.append(res.id)

        end = yield from legacy_walk.walk(stack, action, legacy_walk.group(
            stack, remove, reverse=True,
            error_wait_time=cfg.CONF.error_wait_time))
        ids = [row_id for row_id in gone if row_id is not None]
        if end.failed and ids:
            yield group_commit.Write(lambda: resource_objects.Resource.
                                     delete_many(stack.context, ids))
        return end

    def _delete_when_free(self, stack: Stack, lock: stack_lock.StackLock,
                          found: str) -> Task:
        """A task to stop what runs on a stack, and then to delete it."""
        if (yield from self._supervisor.make_room(stack, lock, found)):
            self._begin_delete(stack, lock)


def _delete_reason() -> str:
    # The client looks for this text when it polls hooks.
    return stack_state.start_reason(S.DELETE)
