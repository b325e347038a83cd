"""The convergence driver: begin traversals, and bring them to their end.

An operation is begun in one transaction: from then on any engine can
carry it through. Visiting the nodes is the business of traversal_runner.
"""
import dataclasses
import uuid
from typing import Any

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import lifecycle_plugin
from heat.engine import resource_store
from heat.engine import snapshots
from heat.engine import stack_graph
from heat.engine import stack_state
from heat.engine import stack_store
from heat.engine import status
from heat.engine import sync_point
from heat.engine import template
from heat.engine import template_store
from heat.engine import traversal_end
from heat.engine import traversal_runner
from heat.engine import traversal_state
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus
_S = status.StackStatus

#: How often a delete is begun anew when something else began meanwhile.
_DELETE_ATTEMPTS = 10
#: Actions that begin although the stack is in progress.
_OVERRIDING = traversal_state.CONVERGING | {_S.DELETE}


@dataclasses.dataclass(slots=True)
class Operation:
    """What is to be done with a stack.

    :ivar stack: the stack as it was loaded
    :ivar target: the stack as it is to be, often the same one
    :ivar values: columns of the stack to be written at the start
    :ivar failed: why the operation before this one is given up, if it is
    """

    stack: Any
    target: Any
    action: str
    options: traversal_state.Options = traversal_state.Options()
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    traversal_id: str | None = None
    failed: str | None = None


@dataclasses.dataclass(slots=True)
class _Begun:
    """What the transaction that begins an operation has written."""

    move: Any = None
    graph: stack_graph.Graph | None = None
    deps: dict | None = None
    rows: dict = dataclasses.field(default_factory=dict)
    new_ids: list = dataclasses.field(default_factory=list)
    options: traversal_state.Options = traversal_state.Options()


class _Overtaken(Exception):
    """Another operation was begun since the stack was loaded."""


class ConvergenceDriver:
    """Carries stacks through their actions, any engine a part of the way."""

    def __init__(self, surroundings: Any) -> None:
        self._around = surroundings
        self.ending = traversal_end.Ending(
            surroundings, self._roll_back_failed, self._traversal_over)
        self.runner = traversal_runner.TraversalRunner(surroundings,
                                                       self.ending)

    # -- the driver interface -----------------------------------------------

    def require_ready(self, stack: Any) -> None:
        """Do nothing: an update may begin whatever the stack is doing."""

    def create(self, stack: Any) -> None:
        """Begin to create the resources of a stored stack."""
        self._create(Operation(stack, stack, _S.CREATE))

    def adopt(self, stack: Any, data: dict | None = None) -> None:
        """Begin to take existing resources over."""
        self._create(Operation(
            stack, stack, _S.ADOPT, traversal_state.Options(
                adopt=data or stack.adopt_stack_data)))

    def _create(self, operation: Operation) -> None:
        if self._begin(operation):
            return
        stack = operation.stack
        row = stack_store.get_row(stack.context, stack.id)
        if row.current_traversal is None:
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=row.action)
        # Another engine found the stored stack and took care of it.

    def update(self, stack: Any, new_stack: Any) -> None:
        """Begin to make the stack like new_stack."""
        self._converge(stack, new_stack, _S.UPDATE)

    def restore(self, stack: Any, snapshot: Any, new_stack: Any) -> None:
        """Begin to make the stack like it was at the snapshot."""
        self._converge(stack, new_stack, _S.RESTORE)

    def _converge(self, stack: Any, new_stack: Any, action: str) -> None:
        values = {'timeout': new_stack.timeout_mins,
                  'disable_rollback': new_stack.disable_rollback,
                  'prev_raw_template_id': stack.t.id}
        self._require(Operation(
            stack, new_stack, action,
            traversal_state.Options(converge=bool(new_stack.converge)),
            values))

    def rollback(self, stack: Any) -> None:
        """Begin to go back to the previous template."""
        self._require(self._rollback_of(stack))

    def delete(self, stack: Any) -> None:
        """Begin to delete the stack, whatever it is doing."""
        self._delete(stack, traversal_state.Options())

    def abandon(self, stack: Any) -> None:
        """Begin to delete the stack, but none of its resources."""
        self._delete(stack, traversal_state.Options(abandon=True))

    def check(self, stack: Any) -> None:
        """Begin to look whether every resource is as it should be."""
        self._require(Operation(stack, stack, _S.CHECK))

    def suspend(self, stack: Any) -> None:
        """Begin to suspend every resource, unless they are."""
        if stack.state != (_S.SUSPEND, _S.COMPLETE):
            self._require(Operation(stack, stack, _S.SUSPEND))

    def resume(self, stack: Any) -> None:
        """Begin to resume every resource, unless they are."""
        if stack.state != (_S.RESUME, _S.COMPLETE):
            self._require(Operation(stack, stack, _S.RESUME))

    def snapshot(self, stack: Any, snapshot: Any) -> None:
        """Begin to fill a snapshot row."""
        self._require(Operation(
            stack, stack, _S.SNAPSHOT,
            traversal_state.Options(snapshot_id=snapshot.id),
            traversal_id=snapshot.id))

    def delete_snapshot(self, stack: Any, snapshot: Any) -> None:
        """Begin to delete a snapshot; the stack stays as it is."""
        self._around.pool.spawn(snapshots.delete_task(stack, snapshot),
                                'delete snapshot %s' % snapshot.id)

    def cancel(self, stack: Any, with_rollback: bool) -> None:
        """Stop the running create or update; what runs comes to its end."""
        if with_rollback:
            self.rollback(stack)
            return
        state = traversal_state.load(stack.context, stack.id,
                                     stack.current_traversal)
        if state is None or not self.ending.fail_now(
                state, _('Stack %s cancelled') % stack.action):
            self._raise_busy(stack)
        self.runner.supersede(stack.id, None)

    # -- beginning ----------------------------------------------------------

    def _rollback_of(self, stack: Any, failed: str | None = None
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
        return self._begin(self._rollback_of(state.stack, failed=reason))

    def _delete(self, stack: Any, options: traversal_state.Options) -> None:
        for _attempt in range(_DELETE_ATTEMPTS):
            begun = self._begin(Operation(stack, stack, _S.DELETE, options))
            if begun is not None:
                self._cancel_work(stack, begun.rows.values())
                return
            stack = stack_store.load(stack.context, stack.id)
            if stack.deleted_time is not None:
                return
        self._raise_busy(stack)

    def _cancel_work(self, stack: Any, rows: Any) -> None:
        """Tell who works on resources of a stack that they are unwanted."""
        self.runner.cancel(stack.id)
        engines = {row.engine_id for row in rows} - {
            None, self._around.engine_id}
        for engine_id in sorted(engines):
            self._around.worker_client.cancel_check_resource(
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
            operation.stack = stack_store.load(stack.context, stack.id)
            if (operation.stack.current_traversal ==
                    stack.current_traversal and self._begin(operation)):
                return
        self._raise_busy(stack)

    @staticmethod
    def _raise_busy(stack: Any) -> None:
        row = stack_store.get_row(stack.context, stack.id)
        raise exception.ActionInProgress(stack_name=stack.name,
                                         action=row.action)

    def _begin(self, operation: Operation) -> _Begun | None:
        """Begin an operation; None when another one was faster.

        The stack's row goes first: whoever changes its traversal knows all
        resource rows there are, since a replacement is only made by who
        still finds the traversal unchanged.
        """
        target = operation.target
        if not self._plugins_agree(operation):
            return _Begun()
        needs = _needs(operation)
        fresh_template = target.t.id is None
        traversal_id = operation.traversal_id or str(uuid.uuid4())

        def write() -> _Begun:
            if fresh_template:
                target.t.id = None
            return _write_begin(operation, needs, traversal_id)

        try:
            begun = transaction.run(target.context, write)
        except _Overtaken:
            if fresh_template:
                target.t.id = None
            return None
        self._run(operation, begun, traversal_id)
        return begun

    @staticmethod
    def _plugins_agree(operation: Operation) -> bool:
        """Tell lifecycle plugins; when they object, the stack fails."""
        stack, action = operation.stack, operation.action
        try:
            lifecycle_plugin.do_pre_ops(stack.context, stack,
                                        operation.target, action)
        except Exception as error:
            LOG.exception('A lifecycle plugin refused %s of stack %s',
                          action, stack.id)
            expected = {'current_traversal': stack.current_traversal}
            if stack_state.transition(stack, action, _S.IN_PROGRESS,
                                      _('Stack %s started') % action,
                                      expected=expected):
                stack_state.transition(stack, action, _S.FAILED, str(error),
                                       expected=expected)
            return False
        return True

    def _run(self, operation: Operation, begun: _Begun,
             traversal_id: str) -> None:
        """Let memory follow, and begin to visit nodes here."""
        stack, target = operation.stack, operation.target
        for one in {id(stack): stack, id(target): target}.values():
            one.current_traversal = traversal_id
            one.current_deps = begun.deps
            if 'prev_raw_template_id' in operation.values:
                one.prev_raw_template_id = operation.values[
                    'prev_raw_template_id']
        stack_state.settle(target, begun.move)
        stack.action, stack.status = target.action, target.status
        stack.status_reason = target.status_reason
        state = traversal_state.TraversalState(target, begun.graph,
                                               begun.options)
        state.know_rows(begun.rows.values())
        if begun.new_ids:
            names = [name for name, _id in begun.new_ids]
            resources = [target.resources[name] for name in names]
            resource_store.adopt_ids(resources,
                                     [row_id for _n, row_id in begun.new_ids])
            for resource in resources:
                state.know_resource(resource.id, resource)
        self.runner.begin(state)

    def _traversal_over(self, state: traversal_state.TraversalState) -> None:
        self.runner.closed(state)


# -- what the transaction writes --------------------------------------------

def _needs(operation: Operation) -> dict[str, list[str]] | None:
    """Return the names each resource needs; None if all are to go."""
    if operation.action == _S.DELETE:
        return None
    deps = operation.target.dependencies
    return {resource.name: [other.name for other in deps.requires(resource)]
            for resource in deps.nodes()}


def _write_begin(operation: Operation, needs: dict | None,
                 traversal_id: str) -> _Begun:
    """Write all that an operation needs to be carried through by anybody.

    Nothing may be read before the stack's row is written: on MySQL it
    would be read as it was before the transactions that we waited for.
    """
    stack, context = operation.stack, operation.target.context
    move = _write_stack(operation, needs, traversal_id)
    before = _options_before(stack)
    interrupted = (stack.current_traversal is not None and
                   stack.status != _S.COMPLETE)
    if interrupted:
        # Who still has nodes of the operation before is not to begin them.
        resource_objects.Resource.fence(context, stack.id)
    rows = resource_objects.Resource.get_all_active_by_stack(context,
                                                             stack.id)
    graph, new_ids = _write_graph(
        operation, needs, rows, stack_graph.graph_from_deps(
            stack.current_deps) if interrupted else None)
    templates = {stack.t.id, stack.prev_raw_template_id, *before.templates,
                 *(row.current_template_id for row in rows.values())}
    options = dataclasses.replace(
        operation.options, templates=tuple(sorted(
            templates - {None, move.values.get('raw_template_id')})))
    deps = stack_graph.graph_to_deps(graph)
    stack_objects.Stack.update_by_id(context, stack.id,
                                     {'current_deps': deps})
    sync_point.replace_all(context, stack.id, traversal_id, graph,
                           options.as_dict())
    if before.snapshot_id is not None:
        snapshots.finish(stack, before.snapshot_id, _S.FAILED,
                         _('Stack %s cancelled') % _S.SNAPSHOT)
    return _Begun(move, graph, deps, rows, new_ids, options)


def _write_stack(operation: Operation, needs: dict | None,
                 traversal_id: str) -> Any:
    """Swap the traversal of a stack; raise _Overtaken if that is lost."""
    stack, target = operation.stack, operation.target
    values = dict(operation.values, current_traversal=traversal_id)
    if needs is not None:
        values['raw_template_id'] = (
            target.t.id or template_store.store(target.context, target.t))
    if operation.failed is not None:
        stack_state.add_event(stack, stack_state.plan(
            stack, stack.action, _S.FAILED, operation.failed))
    move = stack_state.plan(
        stack, operation.action, _S.IN_PROGRESS,
        _('Stack %s started') % operation.action, values)
    expected = {'current_traversal': stack.current_traversal,
                'action': stack.action, 'status': stack.status,
                'deleted_at': None}
    if not stack_state.write(stack, move, expected):
        raise _Overtaken()
    if operation.action in (_S.UPDATE, _S.RESTORE) and (
            target.tags != stack.tags):
        stack_objects.Stack.set_tags(stack.context, stack.id, target.tags)
    return move


def _options_before(stack: Any) -> traversal_state.Options:
    """Return the facts about the operation that is being overtaken."""
    if not stack.current_traversal:
        return traversal_state.Options()
    point = sync_point.of_stack(stack.context, stack.id,
                                stack.current_traversal)
    return traversal_state.Options.from_dict(point and point.extra_data)


def _write_graph(operation: Operation, needs: dict | None, rows: dict,
                 before: stack_graph.Graph | None
                 ) -> tuple[stack_graph.Graph, list]:
    """Store rows for new resources; return the graph and (name, row)s."""
    stack, target = operation.stack, operation.target
    if needs is None:
        return stack_graph.convergence_graph({}, rows.values(), before), []
    best = stack_graph.best_rows(rows.values(), target.t.id, stack.t.id)
    ids = {name: best[name].id for name in needs if name in best}
    if operation.action not in traversal_state.CONVERGING:
        required = {ids[name]: [ids[other] for other in needs[name]
                                if other in ids] for name in ids}
        return stack_graph.walk_graph(
            required, reverse=operation.action == _S.SUSPEND), []
    new_ids = []
    new_names = [name for name in needs if name not in ids]
    if new_names:
        created = resource_store.bulk_create(
            target.context, target,
            [_unmade(target.resources[name]) for name in new_names])
        new_ids = list(zip(new_names, created))
        ids.update((name, row_id) for name, (row_id, _uuid) in new_ids)
    _reinstate(target.context, [best[name] for name in needs
                                if name in best])
    required = {ids[name]: [ids[other] for other in needs[name]]
                for name in needs}
    return stack_graph.convergence_graph(required, rows.values(),
                                         before), new_ids


def _unmade(resource: Any) -> Any:
    """Return a new resource in the state of one that was never made.

    Of a stack that is going away it would otherwise take over the action.
    """
    resource.action, resource.status = _R.INIT, _R.COMPLETE
    return resource


def _reinstate(context: Any, rows: Any) -> None:
    """Let rows count again that an earlier operation had replaced.

    From here on, replaced_by means: replaced in this traversal.
    """
    for row in rows:
        if row.replaced_by is not None:
            resource_objects.Resource.update_by_id(context, row.id,
                                                   {'replaced_by': None})
            row.replaced_by = None
