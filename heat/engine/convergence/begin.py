"""Begin an operation of a stack: all that its traversal needs, at once.

One transaction writes state, graph, rows and sync points; from then on any
engine can carry the operation through.
"""
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
import dataclasses
import datetime
from typing import Any
import uuid

from heat.common import context as heat_context
from heat.common.i18n import _
from heat.engine import status
from heat.engine.convergence import end as traversal_end
from heat.engine.convergence import state as traversal_state
from heat.engine.convergence import sync_point
from heat.engine.convergence import unvisited
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import exports as stack_exports
from heat.engine.stacks import graph as stack_graph
from heat.engine.stacks import interface
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import snapshots
from heat.engine.stacks import state as stack_state
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects
from heat.objects import resource_data as data_objects
from heat.objects import snapshot as snapshot_objects
from heat.objects import stack as stack_objects

_R = status.ResourceStatus
_S = status.StackStatus

#: Names of the resources that each one needs, each behind those it needs;
#: None if all are to go.
Needs = dict[str, list[str]] | None

#: Stands beside the graph in the row of a stack that has been abandoned:
#: when that fails, and the stack is deleted, its resources still stay.
_ABANDONED = 'abandoned'


@dataclasses.dataclass(slots=True)
class StackOperation:
    """An operation on a stack.

    :ivar stack: the stack as it was loaded
    :ivar target: the stack as it is to be, often the same one
    :ivar values: columns of the stack to be written at the start
    :ivar failed: why the operation before this one is given up, if it is
    :ivar unchanged: names of resources that need no visit if they are well
    :ivar below: nested stacks of these that need no visit either
    :ivar began_at: the time at which the resource that contains the stack
        started its update
    :ivar shares: whether it has to do with exports or imports of values
    """

    stack: interface.Stack
    target: interface.Stack
    action: str
    options: traversal_state.Options = traversal_state.Options()
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    traversal_id: str | None = None
    failed: str | None = None
    unchanged: frozenset[str] = frozenset()
    below: unvisited.Trees = dataclasses.field(default_factory=dict)
    began_at: datetime.datetime | None = None
    shares: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class StartResult:
    """The rows that the transaction which begins an operation has written.

    Of an operation that a lifecycle plugin refused nothing is known.

    :ivar move: the change of the stack's state
    :ivar graph: the stack_graph.StackGraph to be walked
    :ivar rows: the resource rows that were there, by id
    :ivar new_ids: (name, (id, uuid)) of the resources that are new
    :ivar template: where the target's template was written, if it was
    :ivar done: nodes that need no visit
    :ivar has_snapshots: whether a stack to be deleted has any
    :ivar failure: the end of the operation before, if this one undoes it
    :ivar families: what is inside the stacks that began together
    :ivar end: the change of state that ends it, if there is nothing to do
    :ivar updated_below: number of nested stacks whose updates are recorded
    """

    move: Any = None
    graph: Any = None
    deps: dict[str, Any] = dataclasses.field(default_factory=dict)
    rows: dict[int, Any] = dataclasses.field(default_factory=dict)
    new_ids: list[Any] = dataclasses.field(default_factory=list)
    options: traversal_state.Options = traversal_state.Options()
    template: tuple[int, int | None] | None = None
    done: frozenset[stack_graph.Node] = frozenset()
    has_snapshots: bool = False
    failure: Any = None
    families: Any = None
    end: Any = None
    updated_below: int = 0


@dataclasses.dataclass(slots=True, eq=False)
class StartRequest:
    """An operation on its way; begun is there when it is written.

    It stays None when another operation was faster.

    :ivar new_id: the id of a stack that is to be stored as well
    :ivar is_fresh: the template of the target has to be written
    :ivar is_same: it is like that of the stack, and need not be
    :ivar failure: the end of the operation before, if this one undoes it
    :ivar is_independent: a new stack is a root, made for a resource
    """

    operation: StackOperation
    needs: Needs
    traversal_id: str
    new_id: str | None = None
    is_fresh: bool = False
    is_same: bool = False
    begun: StartResult | None = None
    failure: Any = None
    is_independent: bool = False

    def write(self) -> None:
        """Write all that the operation needs.

        Called in a transaction, and called again when that is repeated;
        shares its statements with others of the same batch.
        """
        if not group_commit.defer(write_all, self):
            write_all(self.operation.target.context, [self])


def prepare(operation: StackOperation,
            new_id: str | None = None) -> StartRequest:
    """Find out what an operation takes, before anything is written."""
    needs = needs_of(operation)
    if operation.action == _S.UPDATE:
        operation.unchanged, operation.below = unvisited.find(
            operation.stack, operation.target, needs or {})
    operation.shares = needs is not None and stack_exports.is_concerned(
        [operation.stack, operation.target])
    is_fresh = needs is not None and operation.target.t.id is None
    is_same = is_fresh and _keeps_template(operation)
    if operation.target is not operation.stack:
        # Those that are new are made again; until then there are the rows.
        operation.target.reset_dependencies()
        operation.target.resources.clear()
    return StartRequest(
        operation, needs, operation.traversal_id or str(uuid.uuid4()),
        new_id, is_fresh and not is_same, is_same)


def _keeps_template(operation: StackOperation) -> bool:
    """Return whether an update is to a stored template; share its files.

    A stack that failed, or is busy, gets another one, so that rows tell
    which operation they belong to.
    """
    stack, tmpl = operation.stack, operation.target.t
    if operation.action != _S.UPDATE or stack.status != _S.COMPLETE:
        return False
    if tmpl.files.files_id is None and template_store.has_same_files(
            tmpl, stack.t):
        tmpl.files.files_id = stack.t.files.files_id
    return template_store.is_same(tmpl, stack.t)


def needs_of(operation: StackOperation) -> Needs:
    """Return what the resources need that the operation leads to."""
    if operation.action == _S.DELETE:
        return None
    return stack_graph.needs(operation.target.dependencies)


def write_all(context: heat_context.RequestContext,
              beginnings: Sequence[StartRequest]) -> None:
    """Write what operations of different stacks need, all together.

    Nothing may be read before the stack's row is written: on MySQL it
    would be read as it was before the transactions that we waited for.
    """
    written = _write_templates(context, beginnings)
    moves = _write_stacks(context, beginnings, written)
    going = [one for one in beginnings if moves[one] is not None]
    present = resource_objects.Resource.get_all_active_of_stacks(
        context, [one.operation.stack.id for one in going
                  if one.new_id is None])
    before = {one: _options_before(one.operation) for one in going}
    changed_below = unvisited.changed(
        context, [one.operation.below for one in going])
    drafts = [_draft(one, present.get(one.operation.stack.id, {}),
                     before[one]) for one in going]
    _write_new(context, drafts)
    for draft in drafts:
        draft.find_graph()
        draft.keep(changed_below)
    deps = {draft.stack_id: draft.deps for draft in drafts
            if not draft.is_over}
    stack_objects.Stack.set_deps(context, deps)
    _write_kept(context, drafts)
    unvisited.write(
        context, [tree for draft in drafts for tree in draft.below])
    sync_point.replace_all(context, [
        sync_point.Points(draft.stack_id, one.traversal_id, draft.graph,
                          draft.options.as_dict(), draft.done)
        for one, draft in zip(going, drafts, strict=True)
        if not draft.is_over],
        [one.operation.stack.id for one in going
         if one.new_id is None and _may_have_points(one.operation.stack)])
    ends = _end_at_once(context, {
        one: draft for one, draft in zip(going, drafts, strict=True)
        if draft.is_over}, moves)
    deleted = [one.operation.stack.id for one in going if one.needs is None]
    with_snapshots = snapshot_objects.Snapshot.stacks_with_any(
        context, deleted) if deleted else set()
    families = stack_rows.Families([
        one.operation.stack.id for one in going if one.new_id is None])
    for one, draft in zip(going, drafts, strict=True):
        snapshot_id = before[one].snapshot_id
        if snapshot_id is not None:
            snapshots.finish(one.operation.stack, snapshot_id, _S.FAILED,
                             _('Stack %s cancelled') % _S.SNAPSHOT)
        one.begun = StartResult(moves[one], draft.graph,
                          deps.get(draft.stack_id, {}), draft.rows,
                          draft.new_ids, draft.options,
                          written.get(one), draft.done,
                          draft.stack_id in with_snapshots, one.failure,
                          families, ends.get(one),
                          sum(map(len, draft.below)))


def _may_have_points(stack: interface.Stack) -> bool:
    """Return whether sync points may be there of what a stack did before.

    An operation that comes to its end takes its own with it.
    """
    return not stack.current_traversal or _is_unfinished(stack)


def _end_at_once(context: heat_context.RequestContext,
                 over: Mapping[StartRequest, '_Draft'],
                 moves: Mapping[StartRequest, Any]) -> dict[StartRequest, Any]:
    """End operations that leave nothing to do; return their last moves."""
    if not over:
        return {}
    ends = {one: traversal_end.completion(
        one.operation.target, one.operation.action, after=moves[one])
        for one in over}
    first = next(iter(ends.values()))
    # Of updates, to which this happens alone, all ends are alike.
    stack_objects.Stack.end_many(
        context, {draft.stack_id: one.traversal_id
                  for one, draft in over.items()},
        first.action, first.values)
    for one, end in ends.items():
        stack_state.add_event(one.operation.target, end)
    # What an update has deleted that did not come to its good end goes now.
    traversal_end.purge(context, {
        draft.stack_id for draft in over.values()
        if not _has_converged(draft.operation.stack)}, {
        draft.stack_id: draft.options.templates for draft in over.values()
        if draft.options.templates}, {
        draft.operation.target.t.id for draft in over.values()})
    return ends


def _write_templates(context: heat_context.RequestContext,
                     beginnings: Sequence[StartRequest]
                     ) -> dict[StartRequest, tuple[int, int | None]]:
    """Write templates that are not; return where."""
    fresh = [one for one in beginnings if one.is_fresh]
    for one in fresh:
        one.operation.target.t.id = None
    written = dict(zip(fresh, template_store.write_new(
        context, [one.operation.target.t for one in fresh]), strict=True))
    for one in beginnings:
        if one.is_same:
            stored = one.operation.stack.t
            written[one] = stored.id, stored.files.files_id
    for one, where in written.items():
        one.operation.target.t.id = where[0]
    return written


def _write_stacks(context: heat_context.RequestContext,
                  beginnings: Sequence[StartRequest],
                  written: Mapping[StartRequest, Any]
                  ) -> dict[StartRequest, Any]:
    """Store new stacks and swap the traversal of others.

    Return the moves; None where another operation was faster.
    """
    for one in beginnings:
        one.begun = None
    moves = _swap_all(context, [one for one in beginnings
                                if one.new_id is None])
    for one, move in moves.items():
        if move is None and one in written:
            if one.is_fresh:
                template_store.delete(context, written[one][0])
            one.operation.target.t.id = None
    new = [one for one in beginnings if one.new_id is not None]
    if new:
        moves.update((one, _move_of(one)) for one in new)
        stack_store.insert_all(context, {
            one.operation.stack: dict(
                moves[one].values, id=one.new_id,
                created_at=one.operation.stack.created_time) for one in new},
            [one.operation.stack for one in new if one.is_independent])
        for one in new:
            stack_exports.claim(one.operation.stack, one.new_id)
            stack_warrant.begin(one.operation.stack, one.new_id)
            stack_state.add_event(one.operation.stack, moves[one])
    return moves


def _move_of(one: StartRequest) -> Any:
    """Return the change of a stack's state that begins an operation."""
    operation = one.operation
    values = dict(operation.values, current_traversal=one.traversal_id)
    if operation.began_at is not None:
        values['updated_at'] = operation.began_at
    if one.needs is not None:
        values['raw_template_id'] = operation.target.t.id
    return stack_state.plan(
        operation.stack, operation.action, _S.IN_PROGRESS,
        stack_state.start_reason(operation.action), values)


class LostRace(Exception):
    """Something else began with a stack of a batch; which, shows one by one.
    """


def _swap_all(context: heat_context.RequestContext,
              ones: Sequence[StartRequest]) -> dict[StartRequest, Any]:
    """Swap the traversals of stacks, of those alike by one statement.

    Return the moves; None where another operation was faster.
    """
    moves = {one: _move_of(one) for one in ones}
    alike: dict[tuple[Any, ...], list[StartRequest]] = {}
    for one in ones:
        alike.setdefault((one.operation.stack.current_traversal is None,
                          frozenset(moves[one].values)), []).append(one)
    for some in alike.values():
        swapped = _swap_alike(context, {
            one.operation.stack: moves[one].values for one in some})
        if swapped == len(some):
            for one in some:
                _note_swap(one, moves[one])
        elif len(some) > 1:
            raise LostRace()
        else:
            moves[some[0]] = None
    return moves


def _swap_alike(context: heat_context.RequestContext,
                values: Mapping[Any, Mapping[str, Any]]) -> int:
    return stack_objects.Stack.swap_many(
        context, {stack.id: some for stack, some in values.items()},
        {stack.id: {'current_traversal': stack.current_traversal,
                    'action': stack.action, 'status': stack.status,
                    'deleted_at': None} for stack in values})


def _note_swap(one: StartRequest, move: Any) -> None:
    """Write what goes with the swap of a stack's traversal."""
    operation = one.operation
    stack, target = operation.stack, operation.target
    if operation.failed is not None:
        one.failure = stack_state.plan(stack, stack.action, _S.FAILED,
                                       operation.failed)
        stack_state.add_event(stack, one.failure)
    stack_state.add_event(stack, move)
    if target is not stack:
        stack_exports.claim(target, stack.id)
        stack_warrant.begin(target, stack.id)
    if operation.action in (_S.UPDATE, _S.RESTORE) and (
            not target.has_tags_of(stack)):
        stack_objects.Stack.set_tags(stack.context, stack.id, target.tags)
    if _is_unfinished(stack):
        # Who still has nodes of the operation before is not to begin them.
        resource_objects.Resource.fence(stack.context, stack.id)


def _is_unfinished(stack: interface.Stack) -> bool:
    return (stack.current_traversal is not None and
            stack.status != _S.COMPLETE)


def _has_converged(stack: interface.Stack) -> bool:
    return (stack.status == _S.COMPLETE and
            stack.action in traversal_state.CONVERGING)


@dataclasses.dataclass(slots=True)
class _Draft:
    """An operation while its rows are being written."""

    operation: StackOperation
    needs: Mapping[str, list[str]]
    rows: dict[int, Any]
    best: dict[str, Any]
    options: traversal_state.Options
    new: list[str]
    new_ids: list[Any] = dataclasses.field(default_factory=list)
    graph: Any = None
    kept: list[int] = dataclasses.field(default_factory=list)
    below: list[Any] = dataclasses.field(default_factory=list)

    @property
    def stack_id(self) -> str:
        """The id of the stack."""
        stack_id: str = self.operation.stack.id
        return stack_id

    def find_graph(self) -> None:
        """Find out which nodes there are, once all rows are written."""
        stack = self.operation.stack
        ids = {name: row.id for name, row in self.best.items()}
        ids.update((name, row_id) for name, (row_id, _uuid) in self.new_ids)
        self.graph = _graph(
            self.operation, self.needs, ids, self.rows,
            stack_graph.graph_from_deps(stack.current_deps)
            if _is_unfinished(stack) else None)

    @property
    def done(self) -> frozenset[stack_graph.Node]:
        """The nodes that need no visit."""
        return frozenset((row_id, is_update) for row_id in self.kept
                         for is_update in (True, False))

    def keep(self, changed_below: AbstractSet[str]) -> None:
        """Find out which rows need no visit, and let them be of the goal.

        :param changed_below: the ids of nested stacks that have changed
        """
        stack, target = self.operation.stack, self.operation.target
        trees = unvisited.still(self.operation.below, self.best, changed_below)
        names = self.operation.unchanged - (
            self.operation.below.keys() - trees.keys())
        kept = unvisited.keep(names, self.needs, self.best,
                              (stack.t.id, target.t.id))
        self.kept = [row.id for row in kept]
        self.below = [trees[row.name] for row in kept if row.name in trees]
        for tree in self.below:
            unvisited.note(self.best[tree[0].holder.name])

    @property
    def deps(self) -> dict[str, Any]:
        """The graph as the row of the stack stores it."""
        deps: dict[str, Any] = stack_graph.graph_to_deps(self.graph)
        if self.options.abandon:
            deps[_ABANDONED] = True
        return deps

    @property
    def is_over(self) -> bool:
        """Return whether an update has nothing to do that takes a visit."""
        return (self.operation.action == _S.UPDATE and
                not self.operation.shares and
                len(self.graph) == len(self.done))


def _draft(one: StartRequest, rows: dict[int, Any],
           before: traversal_state.Options) -> _Draft:
    operation, needs = one.operation, one.needs or {}
    best = stack_graph.best_rows(rows.values(), operation.target.t.id,
                                 operation.stack.t.id)
    best = {name: best[name] for name in needs if name in best}
    options = dataclasses.replace(
        operation.options,
        # What somebody else has from now on is not deleted after all.
        abandon=operation.options.abandon or (
            before.abandon and operation.action == _S.DELETE),
        retained=operation.options.retained or (
            before.retained if operation.action == _S.DELETE else ()),
        reinstated=_reinstate(operation, best.values()),
        held=tuple((row.id, row.engine_id) for row in rows.values()
                   if row.engine_id is not None),
        templates=_outdated_templates(operation, before, rows.values()))
    new = [name for name in needs if name not in best
           ] if operation.action in traversal_state.CONVERGING else []
    return _Draft(operation, needs, rows, best, options, new)


def _write_new(context: heat_context.RequestContext, drafts: Sequence[_Draft]
               ) -> None:
    """Store rows for new resources; note (name, (id, uuid)) of each."""
    resources = []
    for draft in drafts:
        target = draft.operation.target
        for name in draft.new:
            resource = target.resources[name]
            # In a stack that is going away it would take over the action.
            resource.action, resource.status = _R.INIT, _R.COMPLETE
            resources.append(resource)
    if not resources:
        return
    ids = iter(resource_store.bulk_create(context, resources))
    for draft in drafts:
        draft.new_ids = [(name, next(ids)) for name in draft.new]


def _write_kept(context: heat_context.RequestContext, drafts: Sequence[_Draft]
                ) -> None:
    moved = [draft for draft in drafts if draft.kept and
             draft.operation.target.t.id != draft.operation.stack.t.id]
    if moved:
        resource_objects.Resource.set_templates(
            context, [row_id for draft in moved for row_id in draft.kept], {
                draft.stack_id: draft.operation.target.t.id
                for draft in moved})


def _options_before(operation: StackOperation) -> traversal_state.Options:
    """Return the facts about the operation that is being overtaken."""
    stack = operation.stack
    if not _is_unfinished(stack):
        return traversal_state.Options()
    if not stack.current_traversal:
        return traversal_state.Options(
            abandon=_ABANDONED in (stack.current_deps or {}))
    point = sync_point.of_stack(stack.context, stack.id,
                                stack.current_traversal)
    return traversal_state.Options.of(stack, point)


def _outdated_templates(operation: StackOperation,
                        before: traversal_state.Options,
                        rows: Any) -> tuple[int, ...]:
    """Return the templates that may be of no use after the operation."""
    stack = operation.stack
    templates = {stack.t.id, stack.prev_raw_template_id,
                 operation.values.get('prev_raw_template_id'),
                 *before.templates,
                 *(row.current_template_id for row in rows)}
    return tuple(sorted(templates - {None, operation.target.t.id}))


def _reinstate(operation: StackOperation, rows: Any
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


def _lent(stack: interface.Stack) -> set[int]:
    """Return the rows that were to be replaced, and may not have been.

    Of an operation that has come to its good end there is none.
    """
    if stack.current_traversal is None or _has_converged(stack):
        return set()
    return data_objects.ResourceData.having(stack.context, stack.id,
                                            resource_store.LENT)


def _graph(operation: StackOperation, needs: Mapping[str, list[str]],
           ids: dict[str, int], rows: dict[int, Any],
           before: stack_graph.StackGraph | None) -> stack_graph.StackGraph:
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
