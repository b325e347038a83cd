"""Move and import resources without touching what exists.

The stacks as they are are described anew, as if their resources had always
had the new names and places, and what is imported had been theirs. The
update that follows compares that with its goal, as it does with any stack.
"""
from collections.abc import Callable, Iterable, Sequence
import contextlib
import dataclasses
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.plans import edits
from heat.engine.plans import givers
from heat.engine.plans import imports
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

Path = requested.Path

#: What a nested stack has from its root.
_OF_ROOT = ('user_creds_id', 'stack_user_project_id')


@dataclasses.dataclass(frozen=True, slots=True)
class _Child:
    """A nested stack that moves.

    :ivar expected: the columns of its row before the move
    :ivar values: the columns after the move
    :ivar name: its name before
    :ivar changes_root: whether it comes from another root stack
    """

    expected: dict[str, Any]
    values: dict[str, Any]
    name: str
    changes_root: bool


class Moved:
    """The stacks of a tree as moves leave them, first in memory alone.

    :ivar origins: {path: path before} of what moves; see also giver_of()
    :ivar givers: the other root stacks that lose resources, by id
    :ivar imported: the paths of what is imported
    :param is_new: the stack is about to be created
    :ivar is_one_way: a rollback cannot lead to the template before: it
        knows nothing of what is imported or comes from another stack,
        and the templates of nested stacks, which are files of it, know
        nothing of the moves
    """

    def __init__(self, current: Any, updated: Any, *, is_new: bool = False
                 ) -> None:
        self._is_new = is_new
        self.origins: dict[Path, Path] = {}
        self.givers: dict[str, givers.Giver] = {}
        self._arrivals: dict[Path, givers.Giver] = {}
        self.imported: set[Path] = set()
        self.is_one_way = False
        self._current = current
        self._updated = updated
        self._edits: dict[str, edits.Edit] = {}
        self._children: dict[str, _Child] = {}
        self._stored: list[int] = []

    def __bool__(self) -> bool:
        return bool(self._edits)

    @property
    def row_ids(self) -> frozenset[int]:
        """The ids of the rows that move."""
        return frozenset(row_id for edit in self._edits.values()
                         for row_id in edit.moved)

    def origin_of(self, path: Path) -> Path | None:
        """Return the path that a resource had if it, or its stack, moves."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                return (*self.origins[path[:end]], *path[end:])
        return None

    def giver_of(self, path: Path) -> givers.Giver | None:
        """Return the other root stack that a resource comes from, if any."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.origins:
                return self._arrivals.get(path[:end])
        return None

    def is_inside(self, path: Sequence[str]) -> bool:
        """Return whether resources move within, into or out of a stack.

        :param path: the path of the resource that holds it
        """
        above = tuple(path)
        return any(len(each) > len(above) and each[:len(above)] == above
                   for target, source in self.origins.items()
                   for each in ((target,) if target in self._arrivals
                                else (target, source)))

    # -- in memory ------------------------------------------------------------

    def take(self, moves: Iterable[requested.Move],
             wanted_imports: Iterable[requested.Import] = ()) -> None:
        """Describe the stacks as moves and imports leave them.

        :raises MoveNotPossible: one of them is not.
        :raises ImportNotPossible: so, too.
        :raises ActionInProgress: a stack or resource is busy.
        """
        tree = places.Tree(self._current, self._updated)
        wanted = [move for move in moves
                  if not (move.lasting and tree.is_done(move))]
        wanted = [self._named(move) for move in wanted]
        requested.require_distinct(wanted)
        for move in wanted:
            self._note(tree, move)
        self._require_unreferred(wanted)
        self._import(tree, wanted_imports)
        self.is_one_way = bool(self.imported or self._arrivals) or any(
            edit.path for edit in self._edits.values())
        for edit in self._edits.values():
            edit.stack.t = edit.new_template()
            edit.stack.resources.clear()
        moved = self.row_ids
        for edit in self._edits.values():
            edit.stack.rows.use([*(
                row for row_id, row in edit.rows.items()
                if row_id not in moved),
                *(after for _before, after in edit.moved.values()),
                *(each.row for each in edit.imported)])
        self._attach(tree)
        if self.is_one_way:
            self._updated.disable_rollback = True

    def _import(self, tree: places.Tree,
                wanted: Iterable[requested.Import]) -> None:
        chosen = [each for each in wanted
                  if not (each.lasting and tree.is_imported(each))]
        requested.require_distinct_imports(chosen)
        taken: set[tuple[str, bool]] = set()
        for number, each in enumerate(imports.in_order(tree, chosen), 1):
            if each.path in self.origins:
                raise each.refused(_('another resource is moved there'))
            edit = self._edit(tree, each, each.path[:-1])
            found = imports.prepare(tree, each, number)
            key = each.physical_id, found.names_another
            if key in taken:
                raise each.refused(_('it is imported twice'))
            taken.add(key)
            edit.imported.append(found)
            edit.coming.append((each.path[-1], found.definition))
            self.imported.add(each.path)

    def _note(self, tree: places.Tree, move: requested.Move) -> None:
        giver = self._giver(move)
        source = self._edit(tree if giver is None else giver.tree, move,
                            move.source[:-1])
        source.giver = giver
        target = self._edit(tree, move, move.target[:-1])
        resource = tree.require(move, None if giver is None else giver.tree)
        row = _require_row(source, move)
        name, new_name = move.source[-1], move.target[-1]
        values = {'name': new_name, 'atomic_key': (row.atomic_key or 0) + 1}
        _require_movable(resource, move)
        if source is target:
            source.names[name] = new_name
        else:
            source.gone[name] = resource.FnGetRefId()
            target.coming.append((new_name, _definition(resource)))
            values.update(stack_id=target.stack.id, requires=[],
                          needed_by=[],
                          root_stack_id=target.stack.root_stack_id())
        if giver is not None:
            giver.lose(move, move.source, resource.type())
            self._arrivals[move.target] = giver
            target.lend(giver.stack)
        target.moved[row.id] = row, dataclasses.replace(row, **values)
        self.origins[move.target] = move.source

    def _named(self, move: requested.Move) -> requested.Move:
        """Return a move with the name of the other stack, for messages."""
        giver = self._giver(move)
        return move if giver is None else dataclasses.replace(
            move, giver_name=giver.stack.name)

    def _giver(self, move: requested.Move) -> givers.Giver | None:
        """Return the other stack that a move names, loaded once."""
        if move.giver is None:
            return None
        if move.giver not in self.givers:
            self.givers[move.giver] = givers.load(self._current, move)
        return self.givers[move.giver]

    def _require_unreferred(self, wanted: Iterable[requested.Move]) -> None:
        """Raise MoveNotPossible if what stays in a giver needs what leaves.

        The next template of that stack could not name it any more.
        """
        for edit in self._edits.values():
            found = edit.referrer() if edit.giver is not None else None
            if found is None:
                continue
            [move] = [each for each in wanted
                      if each.giver == edit.stack.id and
                      each.source[-1] == found[0]]
            raise move.refused(_(
                '"%(other)s" of stack %(stack)s refers to it') % {
                    'other': found[1], 'stack': edit.stack.name})

    def _edit(self, tree: places.Tree, move: places.Asked, path: Path
              ) -> edits.Edit:
        stack = tree.stack_at(move, path)
        if stack.id not in self._edits:
            if stack.status == stack.IN_PROGRESS and not self._is_new:
                raise exception.ActionInProgress(stack_name=stack.name,
                                                 action=stack.action)
            rows = resource_objects.Resource.get_all_active_of_stacks(
                stack.context, [stack.id]).get(stack.id, {})
            self._edits[stack.id] = edits.Edit(stack, path, dict(rows),
                                               stack.t)
        return self._edits[stack.id]

    def _attach(self, tree: places.Tree) -> None:
        """Let the new objects of resources have the stacks inside them."""
        for path, child in tree.nested_stacks():
            tree.stack_of(path[:-1])[path[-1]].use_nested(child)
        for target, source in self.origins.items():
            parent = tree.stack_of(target[:-1])
            resource = parent[target[-1]]
            if resource.has_nested() and not resource.child_is_independent:
                giver = self._arrivals.get(target)
                move = requested.Move(source, target)
                if giver is not None:
                    move = self._named(dataclasses.replace(
                        move, giver=giver.stack.id))
                self._place(resource, parent, move, source)

    def _place(self, resource: Any, parent: Any, move: requested.Move,
               path: Path) -> None:
        """Give the stack inside a resource its new name and place.

        The names of stacks further inside begin with it.

        :param path: that of the resource before
        """
        child = resource.nested()
        if child is None:
            return
        if child.status == child.IN_PROGRESS:
            raise exception.ActionInProgress(stack_name=child.name,
                                             action=child.action)
        values = {'name': resource.physical_resource_name(),
                  'parent_resource_name': resource.name,
                  'owner_id': parent.id,
                  'nested_depth': parent.nested_depth + 1}
        giver = self._giver(move)
        if giver is not None:
            # The credentials and the project of users go with their root.
            values |= {key: getattr(parent, key) for key in _OF_ROOT}
        self._children[child.id] = _Child(
            {'current_traversal': child.current_traversal,
             'action': child.action, 'status': child.status}, values,
            child.name, giver is not None)
        for key, value in values.items():
            setattr(child, key, value)
        child.set_parent_stack(parent)
        child.t = child.t
        child.resources.clear()
        resource.use_nested(child)
        for inner in child.values():
            _require_movable(inner, move)
            below = (*path, inner.name)
            if giver is not None:
                giver.lose(move, below, inner.type())
            if inner.has_nested() and not inner.child_is_independent:
                self._place(inner, child, move, below)

    # -- in the database ------------------------------------------------------

    def store(self) -> None:
        """Store the templates that describe the stacks anew.

        Nothing refers to them before write().
        """
        tmpls = [edit.stack.t for edit in self._edits.values()]
        if self.is_one_way:
            tmpls.append(self._updated.t.copy())
        for tmpl in tmpls:
            tmpl.id = None
        context = self._current.context

        def write() -> Any:
            written = template_store.write_new(context, tmpls)
            # Known also of a commit that is not answered.
            self._stored += [template_id for template_id, _files in written]
            return written

        for tmpl, written in zip(tmpls, transaction.run(context, write),
                                 strict=True):
            template_store.mark_stored(tmpl, written)
        if self.is_one_way:
            self._updated.rollback_template_id = tmpls[-1].id

    def discard(self) -> None:
        """Delete what store() has stored and nothing refers to.

        That waits until the database is there.
        """
        with contextlib.suppress(RuntimeError):     # We are about to stop.
            self._current.thread_group_mgr.start(
                self._current.id, template_store.delete_unused_task(
                    self._current.context, self._stored))

    def has_spare(self) -> bool:
        """Return whether store() has stored some that are not needed.

        A transaction whose commit was not answered is repeated.
        """
        return len(self._stored) > len(self._edits) + self.is_one_way

    def write(self) -> None:
        """Move the rows; in the transaction that begins the update.

        :raises ActionInProgress: something else has changed a stack or
            resource since.
        """
        # Each row still is in the stack that it moves out of.
        for edit in self._edits.values():
            self._write_template(edit)
        for edit in self._edits.values():
            if edit.giver is not None:
                self._forget_requirements(edit)
            for before, after in edit.moved.values():
                self._write_row(edit, before, after)
            for each in edit.imported:
                each.row.id = imports.write(edit.stack, each,
                                            _template_id_of_rows(edit.stack))
                # Its object knows no id yet.
                del edit.stack.resources[each.row.name]
        context = self._current.context
        self._write_children(context)
        template_store.delete_unused(context, {
            edit.old_template.id for edit in self._edits.values()} | {
                giver.stack.prev_raw_template_id
                for giver in self.givers.values()} - {None})

    def _write_children(self, context: Any) -> None:
        """Write the new names and places of nested stacks."""
        for child_id, child in self._children.items():
            if not stack_objects.Stack.select_and_update(
                    context, child_id, child.values, child.expected):
                raise exception.ActionInProgress(
                    stack_name=child.name, action=child.expected['action'])
        resource_objects.Resource.set_root(
            context, [child_id for child_id, child in self._children.items()
                      if child.changes_root], self._current.root_stack_id())

    def _write_template(self, edit: edits.Edit) -> None:
        stack, context = edit.stack, edit.stack.context
        is_idle = True
        if edit.giver is not None:
            is_idle = edit.giver.swap(stack.t.id, edit.old_template.id)
        elif edit.path:
            is_idle = stack_objects.Stack.select_and_update(
                context, stack.id, {'raw_template_id': stack.t.id},
                {'current_traversal': stack.current_traversal,
                 'action': stack.action, 'status': stack.status,
                 'raw_template_id': edit.old_template.id})
        if not is_idle:
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=stack.action)
        ids = [row.id for row in edit.rows.values()
               if row.current_template_id == edit.old_template.id]
        if ids:
            resource_objects.Resource.set_templates(
                context, ids, {stack.id: stack.t.id})

    def _forget_requirements(self, edit: edits.Edit) -> None:
        """Let what stays in a stack require nothing that leaves it.

        Plugins order resources that do not refer to each other.
        """
        moved = self.row_ids
        for row in edit.rows.values():
            left = [each for each in row.requires or () if each not in moved]
            if row.id not in moved and len(left) < len(row.requires or ()):
                resource_objects.Resource.update_by_id(
                    edit.stack.context, row.id, {'requires': left})

    @staticmethod
    def _write_row(edit: edits.Edit, before: Any, after: Any) -> None:
        if not resource_objects.Resource.select_and_update(
                edit.stack.context, before.id, {
                    'name': after.name, 'stack_id': after.stack_id,
                    'root_stack_id': after.root_stack_id,
                    'requires': after.requires or [],
                    'needed_by': after.needed_by or [],
                    'current_template_id': _template_id_of_rows(edit.stack)},
                None, before.atomic_key, before.status):
            raise exception.ActionInProgress(stack_name=edit.stack.name,
                                             action=edit.stack.action)


def _template_id_of_rows(stack: Any) -> int | None:
    """Return the id of the template that rows of a stack refer to.

    Without convergence they refer to none: nobody would write the next one,
    and the template would outlive the stack.
    """
    return stack.t.id if stack_store.is_convergent(stack) else None


def _definition(resource: Any) -> Any:
    """Return the definition of a resource without references to others.

    The values of its properties are with its row.
    """
    values: dict[str, Any] = {
        'depends': None, 'condition': None,
        'metadata': resource.metadata_get() or None}
    if resource.row_state.properties is not None:
        values['properties'] = None
    return resource.t.freeze(**values)


def _require_row(edit: edits.Edit, move: requested.Move) -> Any:
    """Return the row of a resource that is free to be moved."""
    name = move.source[-1]
    rows = [row for row in edit.rows.values() if row.name == name]
    if len(rows) > 1:
        raise move.refused(_('its replacement has not been finished'))
    [row] = rows
    if row.status == 'IN_PROGRESS' or row.engine_id is not None:
        raise exception.ActionInProgress(stack_name=edit.stack.name,
                                         action=row.action)
    known = stack_store.definition_of(edit.stack, row)
    if name not in known.all_rsrc_names() or (
            known.resource_definition(name).resource_type !=
            edit.stack.defn.resource_definition(name).resource_type):
        raise move.refused(_('the last update has not reached it'))
    return row


def _require_movable(resource: Any, move: requested.Move) -> None:
    """Raise MoveNotPossible for what others know by stack and name."""
    if getattr(resource, 'has_stack_user', False) and resource.data():
        raise move.refused(_(
            'the signal URL of resource "%s" contains the names of the '
            'resource and its stack') % resource.name)


def of_update(current: Any, updated: Any,
              asked: Iterable[requested.Move] = (),
              asked_imports: Iterable[requested.Import] = (), *,
              is_new: bool = False) -> Moved:
    """Return what moves and imports of a request and environment lead to.

    From here on the stack as it is has the new names.

    :param asked: the moves of the request
    :param asked_imports: the imports of the request
    :param is_new: the stack is about to be created, and has no resources
    """
    moved = Moved(current, updated, is_new=is_new)
    explicit = list(asked)
    known = {move.source for move in explicit if move.giver is None}
    lasting = requested.moves_of(list(updated.env.moves), lasting=True)
    moved.take([*explicit, *(
        move for move in lasting if move.source not in known)],
        all_imports(list(asked_imports), updated))
    return moved


def all_imports(asked: list[requested.Import], updated: Any
                ) -> list[requested.Import]:
    """Return the imports of a request and those of its environment."""
    known = {each.path for each in asked}
    return asked + [
        each for each in requested.imports_in(updated.env.registry.as_dict())
        if each.path not in known]


def update(current: Any, updated: Any, moved: Moved,
           action: str = status.StackStatus.UPDATE) -> None:
    """Begin an update, and in the same transaction move resources.

    :param moved: what of_update() has returned for the two stacks
    :param action: CREATE for a stack that is new
    """
    if not moved:
        current.update(updated, action)
        return
    found = updated.warrant or stack_warrant.Warrant('', is_open=True)

    def begin(stack_id: str) -> None:
        if found.on_begin is not None:
            found.on_begin(stack_id)
        moved.write()
        for release in let_go:
            release()

    let_go: list[Callable[[], None]] = []
    updated.warrant = dataclasses.replace(found, on_begin=begin)
    try:
        moved.store()
        with contextlib.ExitStack() as held:
            let_go += [held.enter_context(giver.stack.held())
                       for giver in moved.givers.values()]
            current.update(updated, action)
    except BaseException:
        moved.discard()
        raise
    if moved.has_spare():
        moved.discard()
