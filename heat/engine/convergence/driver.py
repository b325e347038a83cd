"""The convergence driver: begin traversals, and bring them to their end.

An operation is begun in one transaction: from then on any engine can
carry it through. Visiting the nodes is the business of traversal_runner.
"""
from collections.abc import Callable, Collection
import contextlib
import dataclasses
import datetime
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import lifecycle_plugin
from heat.engine import status
from heat.engine import template
from heat.engine.cluster import interface as cluster_interface
from heat.engine.convergence import begin as traversal_begin
from heat.engine.convergence import end as traversal_end
from heat.engine.convergence import runner as traversal_runner
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import unvisited
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import interface
from heat.engine.stacks import lock as stack_lock
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import scheduler
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_S = status.StackStatus

#: How often a delete is begun anew when something else began meanwhile.
_DELETE_ATTEMPTS = 10
#: The number of new nested stacks of a stack that wait in memory.
_TEMPLATES_AT_HAND = 100
#: Actions that begin although the stack is in progress.
_OVERRIDING = traversal_state.CONVERGING | {_S.DELETE}

Operation = traversal_begin.StackOperation
Begun = traversal_begin.StartResult


class ConvergenceDriver:
    """Carries stacks through their actions, any engine a part of the way."""

    def __init__(self, engine_context: cluster_interface.EngineContext
                 ) -> None:
        self._engine = engine_context
        self.ending = traversal_end.Ending(
            engine_context, self._roll_back_failed, self._traversal_over)
        self.runner = traversal_runner.TraversalRunner(engine_context,
                                                       self.ending)
        #: Operations that lifecycle plugins have agreed to and that the
        #: database could not store. A retry does not ask them again.
        self._agreed: set[tuple[str, str | None, str]] = set()

    # -- the driver interface -----------------------------------------------

    def require_ready(self, stack: interface.Stack) -> None:
        """Do nothing: an update may begin whatever the stack is doing."""

    def held(self, stack: interface.Stack
             ) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Do nothing: an operation begins by swapping the traversal."""
        return contextlib.nullcontext(lambda: None)

    def create(self, stack: interface.Stack) -> None:
        """Begin to create the resources of a stored stack."""
        self._create(Operation(stack, stack, _S.CREATE))

    def adopt(self, stack: interface.Stack, data: dict[str, Any] | None = None
              ) -> None:
        """Begin to take existing resources over."""
        self._create(self._adoption(stack, data))

    @staticmethod
    def _adoption(stack: interface.Stack, data: dict[str, Any] | None = None
                  ) -> Operation:
        return Operation(
            stack, stack, _S.ADOPT, traversal_state.Options(
                adopt=data or stack.adopt_stack_data))

    def _create(self, operation: Operation) -> None:
        if self._begin(operation):
            return
        stack = operation.stack
        row = stack_store.get_row(stack.context, stack.id)
        if row.current_traversal is None:
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=row.action)
        # Another engine found the stored stack and took care of it.

    def update(self, stack: interface.Stack, new_stack: Any,
               action: str = _S.UPDATE) -> None:
        """Begin to make the stack like new_stack."""
        self._converge(stack, new_stack, action)

    def restore(self, stack: interface.Stack,
                snapshot: snapshot_objects.Snapshot, new_stack: Any) -> None:
        """Begin to make the stack like it was at the snapshot."""
        self._converge(stack, new_stack, _S.RESTORE)

    def _converge(self, stack: interface.Stack, new_stack: Any, action: str
                  ) -> None:
        self._require(self._operation_of(stack, new_stack, action))

    @staticmethod
    def _operation_of(stack: interface.Stack, new_stack: Any, action: str
                      ) -> Operation:
        """Return the operation that makes a stack like another."""
        values = {'timeout': new_stack.timeout_mins,
                  'disable_rollback': new_stack.disable_rollback,
                  # Another attempt goes back to where the first began.
                  'prev_raw_template_id': new_stack.rollback_template_id or (
                      stack.prev_raw_template_id
                      if new_stack.t.id == stack.t.id else stack.t.id)}
        return Operation(
            stack, new_stack, action,
            traversal_state.Options(
                converge=bool(new_stack.converge),
                warrant=new_stack.warrant and new_stack.warrant.as_dict()),
            values)

    def rollback(self, stack: interface.Stack,
                 skipped: Collection[str] = frozenset()) -> None:
        """Begin or continue to go back to the previous template.

        :param skipped: paths of resources that are left as they are
        """
        if stack.state == (_S.ROLLBACK, _S.FAILED):
            found = stack_warrant.Warrant('', is_open=True,
                                          skipped=frozenset(skipped))
            self._require(Operation(
                stack, stack_store.wanted_stack(stack, stack.t), _S.ROLLBACK,
                traversal_state.Options(
                    warrant=found.as_dict() if skipped else None)))
            return
        self._require(self._rollback_of(stack))

    def delete(self, stack: interface.Stack,
               retained: Collection[str] = frozenset()) -> None:
        """Begin to delete the stack, whatever it is doing.

        :param retained: paths of the resources that stay
        """
        self._delete(stack, traversal_state.Options(
            retained=tuple(sorted(retained))))

    def abandon(self, stack: interface.Stack) -> None:
        """Begin to delete the stack, but none of its resources.

        The stacks inside go the same way; their resources stay too.
        """
        for row in stack_objects.Stack.get_all_by_owner_id(stack.context,
                                                           stack.id):
            self.abandon(type(stack).load(stack.context, stack=row))
        self._delete(stack, traversal_state.Options(abandon=True))

    def check(self, stack: interface.Stack) -> None:
        """Begin to look whether every resource is as it should be."""
        self._require(Operation(stack, stack, _S.CHECK))

    def suspend(self, stack: interface.Stack) -> None:
        """Begin to suspend every resource, unless they are."""
        if stack.state != (_S.SUSPEND, _S.COMPLETE):
            self._require(Operation(stack, stack, _S.SUSPEND))

    def resume(self, stack: interface.Stack) -> None:
        """Begin to resume every resource, unless they are."""
        if stack.state != (_S.RESUME, _S.COMPLETE):
            self._require(Operation(stack, stack, _S.RESUME))

    def snapshot(self, stack: interface.Stack,
                 snapshot: snapshot_objects.Snapshot) -> None:
        """Begin to fill a snapshot row."""
        self._require(Operation(
            stack, stack, _S.SNAPSHOT,
            traversal_state.Options(snapshot_id=snapshot.id),
            traversal_id=snapshot.id))

    def delete_snapshot(self, stack: interface.Stack,
                        snapshot: snapshot_objects.Snapshot) -> None:
        """Begin to delete a snapshot; the stack stays as it is."""
        snapshots.begin_deletion(stack.context, snapshot)
        self.go_on_deleting_snapshots(stack)

    def go_on_deleting_snapshots(self, stack: interface.Stack) -> None:
        """Delete those snapshots of which that is stored."""
        self._engine.pool.spawn(self._delete_snapshots(stack),
                                'delete snapshots of %s' % stack.id)

    def _delete_snapshots(self, stack: interface.Stack
                          ) -> scheduler.TaskGenerator[None]:
        """A task to delete snapshots, unless an engine is at it.

        The lock of the stack says which. Operations do not ask for it.
        """
        lock = stack_lock.StackLock(
            stack.context, stack.id, self._engine.engine_id,
            self._engine.listener_client)
        if lock.take() is not None:
            return
        try:
            yield from snapshots.delete_begun_task(stack)
        finally:
            lock.release()

    def cancel(self, stack: interface.Stack, with_rollback: bool) -> None:
        """Stop the running create or update; what runs comes to its end."""
        if with_rollback:
            self.rollback(stack)
            return
        state = traversal_state.load(type(stack), stack.context, stack.id,
                                     stack.current_traversal)
        if state is None or not self.ending.fail_now(
                state, _('Stack %s cancelled') % stack.action):
            self._raise_busy(stack)

    # -- beginning ----------------------------------------------------------

    def _rollback_of(self, stack: interface.Stack, failed: str | None = None
                     ) -> Operation:
        """Return the operation that goes back to the template before."""
        if stack.prev_raw_template_id is None:
            tmpl = template.Template.create_empty_template(
                version=stack.t.version)
        else:
            tmpl = stack_store.parsed_template(stack.context,
                                               stack.prev_raw_template_id)
        return Operation(
            stack, stack_store.wanted_stack(stack, tmpl), _S.ROLLBACK,
            values={'prev_raw_template_id': stack.t.id}, failed=failed)

    def _roll_back_failed(self, state: traversal_state.TraversalState,
                          reason: str) -> bool:
        """Begin the rollback of an operation in place of its end."""
        stack, action = state.stack, state.action
        begun = self._begin(self._rollback_of(stack, failed=reason))
        if begun is not None:
            lifecycle_plugin.do_post_ops(stack.context, stack, None, action,
                                         True)
        return begun is not None

    def _delete(self, stack: interface.Stack, options: traversal_state.Options
                ) -> None:
        for _attempt in range(_DELETE_ATTEMPTS):
            begun = self._begin(Operation(stack, stack, _S.DELETE, options))
            if begun is not None:
                self._cancel_work(stack, begun.rows.values())
                return
            stack = type(stack).load(stack.context, stack.id)
            if stack.deleted_time is not None:
                return
        self._raise_busy(stack)

    def _cancel_work(self, stack: interface.Stack, rows: Any) -> None:
        """Tell who works on resources of a stack that they are unwanted."""
        self.runner.cancel(stack.id)
        engines = {row.engine_id for row in rows} - {
            None, self._engine.engine_id}
        for engine_id in sorted(engines):
            self._engine.worker_client.cancel_check_resource(
                stack.context, stack.id, engine_id)

    def _require(self, operation: Operation) -> None:
        """Begin an operation; raise ActionInProgress if that fails."""
        stack = operation.stack
        if (stack.status == _S.IN_PROGRESS and
                operation.action not in _OVERRIDING):
            self._raise_busy(stack)
        if self._begin(operation) is not None:
            return
        if operation.action in (_S.UPDATE, _S.RESTORE):
            # It may only have come to the end of what it was doing.
            operation.stack = type(stack).load(stack.context, stack.id)
            if (operation.stack.current_traversal ==
                    stack.current_traversal and self._begin(operation)):
                return
        self._raise_busy(stack)

    @staticmethod
    def _raise_busy(stack: interface.Stack) -> None:
        row = stack_store.get_row(stack.context, stack.id)
        raise exception.ActionInProgress(stack_name=stack.name,
                                         action=row.action)

    def _begin(self, operation: Operation) -> Begun | None:
        """Begin an operation; None when another one was faster."""
        target = operation.target
        stack = operation.stack
        attempt = (stack.id, stack.current_traversal, operation.action)
        if attempt not in self._agreed and not self._plugins_agree(operation):
            return Begun()
        self._agreed.discard(attempt)
        try:
            beginning = self._prepare(operation)
            transaction.run(target.context, beginning.write)
        except transaction.Unavailable:
            if lifecycle_plugin.plugins():
                self._agreed.add(attempt)
            raise
        if beginning.begun is not None:
            self._run(beginning)
        return beginning.begun

    def _prepare(self, operation: Operation, new_id: str | None = None
                 ) -> traversal_begin.StartRequest:
        operation.options = dataclasses.replace(
            operation.options, engine=self._engine.engine_id)
        return traversal_begin.prepare(operation, new_id)

    # -- beginning together with something else -----------------------------

    def create_new(self, stack: interface.Stack, stack_id: str) -> bool:
        """Store a root stack and begin to create it, all in one transaction.

        Return False, and do nothing, for one that lifecycle plugins are to
        see before: they are told of stacks that are stored.
        """
        if lifecycle_plugin.plugins():
            return False
        operation = (self._adoption(stack) if stack.adopt_stack_data else
                     Operation(stack, stack, _S.CREATE))
        beginning = self._beginning_of_first(operation, stack_id)
        stack_store.store_with(stack, beginning.write)
        stack_credentials.outlast_token(stack)
        if beginning.begun is None:
            # It was stored by an attempt whose answer was lost.
            self.runner.look(stack.context, stack_id)
        else:
            self._run(beginning)
        return True

    def _beginning_of_first(self, operation: Operation, stack_id: str
                            ) -> traversal_begin.StartRequest:
        """Return what stores a stack and begins its first operation."""
        stack = operation.stack
        stack.assign_id(stack_id)
        stack.rows.use(())
        stack.created_time = timeutils.utcnow()
        stack.action, stack.status = operation.action, _S.IN_PROGRESS
        return self._prepare(operation, stack_id)

    def beginning_of_new(self, stack: interface.Stack, stack_id: str) -> Any:
        """Return what stores a stack of a resource and begins to create it.

        It has the trust of a root stack, which is made now.
        """
        if lifecycle_plugin.plugins() or stack.tags or (
                stack.adopt_stack_data is not None):
            return None
        beginning = self._beginning_of_first(
            Operation(stack, stack, _S.CREATE), stack_id)
        stack_credentials.prepare(stack)
        beginning.is_independent = stack.owner_id is None
        return DeferredStart(self, beginning, None)

    def beginning_of_update(self, stack: interface.Stack, new_stack: Any
                            ) -> Any:
        """Return what begins an update; None if that has to happen now."""
        if lifecycle_plugin.plugins():
            return None
        return DeferredStart(
            self, self._prepare(
                self._operation_of(stack, new_stack, _S.UPDATE)), None)

    def beginning_of_delete(self, stack: interface.Stack,
                            retained: Collection[str] = frozenset()) -> Any:
        """Return what begins a delete; None if that has to happen now."""
        if lifecycle_plugin.plugins():
            return None
        options = traversal_state.Options(retained=tuple(sorted(retained)))
        return DeferredStart(
            self, self._prepare(Operation(stack, stack, _S.DELETE, options)),
            lambda: self.delete(type(stack).load(stack.context, stack.id),
                                retained))

    def go_on(self, beginning: traversal_begin.StartRequest) -> None:
        """Carry on with what has been begun."""
        self._run(beginning)
        if beginning.operation.action == _S.DELETE:
            assert beginning.begun is not None
            self._cancel_work(beginning.operation.stack,
                              beginning.begun.rows.values())

    def forgo(self, beginning: traversal_begin.StartRequest) -> None:
        """Give back the trust of a stack that is not stored."""
        if beginning.is_independent:
            assert beginning.new_id is not None
            self._engine.pool.spawn(
                stack_credentials.withdraw_task(beginning.operation.stack,
                                                beginning.new_id),
                'withdraw trust of %s' % beginning.new_id)

    @staticmethod
    def _plugins_agree(operation: Operation) -> bool:
        """Tell lifecycle plugins; when they object, the stack fails."""
        stack, action = operation.stack, operation.action
        current = None if operation.target is stack else stack
        try:
            lifecycle_plugin.do_pre_ops(stack.context, operation.target,
                                        current, action)
        except Exception as error:  # noqa: BLE001 (plugins raise anything)
            LOG.warning('A lifecycle plugin refused %s of stack %s',
                        action, stack.id, exc_info=True)
            expected = {'current_traversal': stack.current_traversal}
            if stack_state.transition(
                    stack, action, _S.IN_PROGRESS,
                    stack_state.start_reason(action), expected=expected,
                    store=lambda: _begun(operation)):
                stack_state.transition(stack, action, _S.FAILED, str(error),
                                       expected=expected)
            return False
        return True

    def _run(self, beginning: traversal_begin.StartRequest) -> None:
        """Let memory follow, and begin to visit nodes here."""
        operation, begun = beginning.operation, beginning.begun
        assert begun is not None
        stack, target = operation.stack, operation.target
        self._publish(beginning, begun)
        unvisited.announce(target, begun.updated_below)
        state = traversal_state.TraversalState(target, begun.graph,
                                               begun.options, begun.done)
        state.has_snapshots = begun.has_snapshots
        state.know_rows(begun.rows.values())
        made = {name: target.resources[name] for name, _id in begun.new_ids}
        resource_store.adopt_ids(made.values(),
                                 [row_id for _n, row_id in begun.new_ids])
        at_hand = _worth_keeping(made)
        for resource in at_hand.values():
            state.know_resource(resource.id, resource)
        for one in (stack, target):
            # A stack may have thousands, and visits few of them at a time.
            one.reset_dependencies()
            one.resources.keep(at_hand)
        if len(at_hand) < len(made):
            target.rows.forget()
        if begun.end is not None:
            self.ending.was_over(state, begun.end)
            return
        self.runner.begin(state, begun.done)

    @staticmethod
    def _publish(beginning: traversal_begin.StartRequest,
                 begun: traversal_begin.StartResult) -> None:
        """Give the objects of the stack what is stored of it now."""
        operation = beginning.operation
        stack, target = operation.stack, operation.target
        if begun.template is not None:
            # Nested stacks share the files from now on.
            template_store.mark_stored(target.t, begun.template, share=True)
        for one in {id(stack): stack, id(target): target}.values():
            one.current_traversal = beginning.traversal_id
            if begun.end is None:
                one.current_deps = begun.deps
            if 'prev_raw_template_id' in operation.values:
                one.prev_raw_template_id = operation.values[
                    'prev_raw_template_id']
        if beginning.new_id is None:
            target.children = stack_rows.ChildRows(target.context, target.id,
                                                   begun.families)
        if begun.failure is not None:
            stack_state.publish(stack, begun.failure)
        stack_state.publish(target, begun.move)
        stack.action, stack.status = target.action, target.status
        stack.status_reason = target.status_reason
        if beginning.new_id is None:
            target.rows.use(begun.rows.values())

    def _traversal_over(self, state: traversal_state.TraversalState) -> None:
        self.runner.closed(state)


def _begun(operation: Operation) -> dict[str, Any]:
    """Record that an operation begins which plugins have refused."""
    if operation.target is not operation.stack:
        stack_warrant.begin(operation.target, operation.stack.id)
    return {}


def _worth_keeping(resources: dict[str, Any]) -> dict[str, Any]:
    """Return those of a stack's new resources that are kept until visited.

    Of many that are templates the others are read again, many together.
    """
    templates = [name for name, resource in resources.items()
                 if getattr(resource, 'is_template', False)]
    later = set(templates[_TEMPLATES_AT_HAND:])
    return {name: resource for name, resource in resources.items()
            if name not in later}


class DeferredStart:
    """The beginning of a nested stack's operation, written by its parent.

    :param otherwise: begins the operation if another one was faster
    """

    def __init__(self, driver: ConvergenceDriver,
                 beginning: traversal_begin.StartRequest,
                 otherwise: Callable[[], None] | None) -> None:
        #: The traversal that it begins.
        self.traversal_id = beginning.traversal_id
        self._driver = driver
        self._beginning: traversal_begin.StartRequest | None = beginning
        self._otherwise = otherwise
        self._has_begun = False

    def begin_at(self, moment: datetime.datetime) -> None:
        """Set the time of update, which the resource and its stack share."""
        assert self._beginning is not None, 'it was proceeded with already'
        if self._beginning.operation.action == _S.UPDATE:
            self._beginning.operation.began_at = moment

    def write(self) -> None:
        """Write it; in a transaction, perhaps repeatedly."""
        assert self._beginning is not None, 'it was proceeded with already'
        self._beginning.write()

    def has_begun(self) -> bool:
        """Return whether no other operation was faster."""
        return self._has_begun

    def proceed(self) -> None:
        """Proceed with the written request.

        Our resource keeps us until the operation ends; the nested stack is
        to be kept by whoever works on it alone.
        """
        beginning, self._beginning = self._beginning, None
        otherwise, self._otherwise = self._otherwise, None
        if beginning is None:
            return
        self._has_begun = beginning.begun is not None
        if self._has_begun:
            self._driver.go_on(beginning)
        elif otherwise is not None:
            otherwise()

    def discard(self) -> None:
        """Take back what was prepared, unless the request was written."""
        beginning, self._beginning = self._beginning, None
        if beginning is not None:
            self._driver.forgo(beginning)
