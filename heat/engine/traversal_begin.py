"""Begin an operation of a stack: all that its traversal needs, at once.

One transaction writes state, graph, rows and sync points; from then on any
engine can carry the operation through.
"""
import dataclasses
from typing import Any

from heat.common.i18n import _
from heat.engine import resource_store
from heat.engine import snapshots
from heat.engine import stack_graph
from heat.engine import stack_state
from heat.engine import status
from heat.engine import sync_point
from heat.engine import template_store
from heat.engine import traversal_state
from heat.engine import traversal_unchanged
from heat.objects import resource as resource_objects
from heat.objects import resource_data as data_objects
from heat.objects import stack as stack_objects

_R = status.ResourceStatus
_S = status.StackStatus

#: Names of the resources that each one needs, each behind those it needs;
#: None if all are to go.
Needs = dict[str, list[str]] | None


@dataclasses.dataclass(slots=True)
class Operation:
    """What is to be done with a stack.

    :ivar stack: the stack as it was loaded
    :ivar target: the stack as it is to be, often the same one
    :ivar values: columns of the stack to be written at the start
    :ivar failed: why the operation before this one is given up, if it is
    :ivar unchanged: names of resources that need no visit if they are well
    """

    stack: Any
    target: Any
    action: str
    options: traversal_state.Options = traversal_state.Options()
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    traversal_id: str | None = None
    failed: str | None = None
    unchanged: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Begun:
    """What the transaction that begins an operation has written.

    Of an operation that a lifecycle plugin refused nothing is known.

    :ivar move: the change of the stack's state
    :ivar graph: the stack_graph.Graph to be walked
    :ivar rows: the resource rows that were there, by id
    :ivar new_ids: (name, (id, uuid)) of the resources that are new
    :ivar template: where the target's template was written, if it was
    :ivar done: nodes that need no visit
    :ivar failure: the end of the operation before, if this one undoes it
    """

    move: Any = None
    graph: Any = None
    deps: dict = dataclasses.field(default_factory=dict)
    rows: dict = dataclasses.field(default_factory=dict)
    new_ids: list = dataclasses.field(default_factory=list)
    options: traversal_state.Options = traversal_state.Options()
    template: tuple[int, int | None] | None = None
    done: frozenset[stack_graph.Node] = frozenset()
    failure: Any = None


class Overtaken(Exception):
    """Another operation was begun since the stack was loaded."""


def needs_of(operation: Operation) -> Needs:
    """Return what the resources need that the operation leads to."""
    if operation.action == _S.DELETE:
        return None
    deps = operation.target.dependencies
    return {resource.name: [other.name for other in deps.requires(resource)]
            for resource in deps}


def unchanged_of(operation: Operation, needs: Needs) -> frozenset[str]:
    """Return the names of resources that an update leaves alone."""
    if operation.action != _S.UPDATE:
        return frozenset()
    return traversal_unchanged.names(operation.stack, operation.target,
                                     needs or {})


def write(operation: Operation, needs: Needs, traversal_id: str) -> Begun:
    """Write all that an operation needs; raise Overtaken if it is too late.

    Called in a transaction, and called again when that is repeated.
    Nothing may be read before the stack's row is written: on MySQL it
    would be read as it was before the transactions that we waited for.
    """
    stack, context = operation.stack, operation.target.context
    written = None
    if needs is not None and operation.target.t.id is None:
        written = template_store.write(context, operation.target.t)
        operation.target.t.id = written[0]
    failure = _failure(operation)
    move = _write_stack(operation, needs, traversal_id, failure)
    unfinished = (stack.current_traversal is not None and
                  stack.status != _S.COMPLETE)
    if unfinished:
        # Who still has nodes of the operation before is not to begin them.
        resource_objects.Resource.fence(context, stack.id)
    before = _options_before(stack)
    rows = resource_objects.Resource.get_all_active_by_stack(context,
                                                             stack.id)
    best = stack_graph.best_rows(rows.values(), operation.target.t.id,
                                 stack.t.id)
    best = {name: best[name] for name in needs or () if name in best}
    options = dataclasses.replace(
        operation.options,
        reinstated=_reinstate(operation, best.values()),
        held=tuple((row.id, row.engine_id) for row in rows.values()
                   if row.engine_id is not None),
        templates=_outdated_templates(operation, before, rows.values()))
    new_ids = _write_new(operation, [name for name in needs or ()
                                     if name not in best])
    ids = {name: row.id for name, row in best.items()}
    ids.update((name, row_id) for name, (row_id, _uuid) in new_ids)
    graph = _graph(operation, needs or {}, ids, rows,
                   stack_graph.graph_from_deps(stack.current_deps)
                   if unfinished else None)
    deps = stack_graph.graph_to_deps(graph)
    stack_objects.Stack.update_by_id(context, stack.id,
                                     {'current_deps': deps})
    done = _keep(operation, needs or {}, best)
    sync_point.replace_all(context, stack.id, traversal_id, graph,
                           options.as_dict(), done)
    if before.snapshot_id is not None:
        snapshots.finish(stack, before.snapshot_id, _S.FAILED,
                         _('Stack %s cancelled') % _S.SNAPSHOT)
    return Begun(move, graph, deps, rows, new_ids, options, written, done,
                 failure)


def _keep(operation: Operation, needs: dict[str, list[str]],
          best: dict[str, Any]) -> frozenset[stack_graph.Node]:
    """Take over rows that need no visit; return their nodes."""
    stack, target = operation.stack, operation.target
    kept: dict[str, int] = {}
    for name, needed in needs.items():
        row = best.get(name)
        if (name in operation.unchanged and row is not None and
                _is_well(row, stack.t.id) and kept.keys() >= set(needed)):
            kept[name] = row.id
            row.current_template_id = target.t.id
    resource_objects.Resource.update_many(
        stack.context, kept.values(), {'current_template_id': target.t.id})
    return frozenset((row_id, is_update) for row_id in kept.values()
                     for is_update in (True, False))


def _is_well(row: Any, template_id: int) -> bool:
    """Whether a row is as the template says that it was made from."""
    return (row.current_template_id == template_id and
            row.status == _R.COMPLETE and
            row.action not in (_R.INIT, _R.DELETE, _R.SUSPEND) and
            row.engine_id is None and row.replaced_by is None)


def _failure(operation: Operation) -> Any:
    """Return the end of the operation that this one undoes, or None."""
    if operation.failed is None:
        return None
    return stack_state.plan(operation.stack, operation.stack.action,
                            _S.FAILED, operation.failed)


def _write_stack(operation: Operation, needs: Needs, traversal_id: str,
                 failure: Any) -> Any:
    """Swap the traversal of a stack; raise Overtaken if that is lost."""
    stack, target = operation.stack, operation.target
    values = dict(operation.values, current_traversal=traversal_id)
    if needs is not None:
        values['raw_template_id'] = target.t.id
    if failure is not None:
        stack_state.add_event(stack, failure)
    move = stack_state.plan(
        stack, operation.action, _S.IN_PROGRESS,
        _('Stack %s started') % operation.action, values)
    expected = {'current_traversal': stack.current_traversal,
                'action': stack.action, 'status': stack.status,
                'deleted_at': None}
    if not stack_state.write(stack, move, expected):
        raise Overtaken()
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
    return traversal_state.Options.from_dict(
        None if point is None else point.extra_data)


def _outdated_templates(operation: Operation,
                        before: traversal_state.Options,
                        rows: Any) -> tuple[int, ...]:
    """Return the templates that may be of no use after the operation."""
    stack = operation.stack
    templates = {stack.t.id, stack.prev_raw_template_id, *before.templates,
                 *(row.current_template_id for row in rows)}
    return tuple(sorted(templates - {None, operation.target.t.id}))


def _reinstate(operation: Operation, rows: Any
               ) -> tuple[tuple[int, int], ...]:
    """Let rows count again that an earlier operation had replaced.

    From here on, replaced_by means: replaced in this traversal. Return
    the pairs (row, its replacement), the latter 0 if it was never made.
    """
    if operation.action not in traversal_state.CONVERGING:
        return ()
    lent = _lent(operation.stack)
    reinstated = tuple((row.id, row.replaced_by or 0) for row in rows
                       if row.replaced_by is not None or row.id in lent)
    for row in rows:
        if row.replaced_by is not None:
            resource_objects.Resource.update_by_id(
                operation.stack.context, row.id, {'replaced_by': None})
            row.replaced_by = None
    return reinstated


def _lent(stack: Any) -> set[int]:
    """Return the rows that were to be replaced, and may not have been.

    Of an operation that has come to its good end there is none.
    """
    if stack.current_traversal is None or (
            stack.status == _S.COMPLETE and
            stack.action in traversal_state.CONVERGING):
        return set()
    return data_objects.ResourceData.having(stack.context, stack.id,
                                            resource_store.LENT)


def _write_new(operation: Operation, names: list[str]) -> list:
    """Store rows for new resources; return (name, (id, uuid)) of each."""
    target = operation.target
    if operation.action not in traversal_state.CONVERGING or not names:
        return []
    resources = [target.resources[name] for name in names]
    for resource in resources:
        # In a stack that is going away it would take over the action.
        resource.action, resource.status = _R.INIT, _R.COMPLETE
    return list(zip(names, resource_store.bulk_create(
        target.context, target, resources), strict=True))


def _graph(operation: Operation, needs: dict[str, list[str]],
           ids: dict[str, int], rows: dict,
           before: stack_graph.Graph | None) -> stack_graph.Graph:
    """Return the graph of the traversal over rows, old and new."""
    if operation.action not in traversal_state.CONVERGING and (
            operation.action != _S.DELETE):
        # Of what was never made there is nothing to suspend or check.
        ids = {name: row_id for name, row_id in ids.items()
               if rows[row_id].action != _R.INIT}
        return stack_graph.walk_graph(
            {row_id: [ids[other] for other in needs[name] if other in ids]
             for name, row_id in ids.items()},
            reverse=operation.action == _S.SUSPEND)
    return stack_graph.convergence_graph(
        {ids[name]: [ids[other] for other in needed]
         for name, needed in needs.items()}, rows.values(), before)
