"""Move and import resources without touching what exists.

The stacks as they are are described anew, as if their resources had always
had the new names and places, and what is imported had been theirs. The
update that follows compares that with its goal, as it does with any stack.
"""
from collections.abc import Iterable, Mapping, Sequence
import dataclasses
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import status
from heat.engine import template as templatem
from heat.engine.language import renaming
from heat.engine.plans import imports
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects

Path = requested.Path

_REGISTRY, _BY_NAME = 'resource_registry', 'resources'


@dataclasses.dataclass(slots=True)
class _Edit:
    """The changes of one stack.

    :ivar path: the names of the resources that the stack is nested in
    :ivar rows: all rows of its resources, by id
    :ivar names: {name: new name} within the stack
    :ivar gone: {name: reference id} of the resources that leave it
    :ivar coming: (name, definition) of the resources that come to it
    :ivar imported: what is taken over from the cloud
    :ivar moved: {row id: (the row, the row as it will be)} of the
        resources that are in the stack afterwards
    """

    stack: Any
    path: Path
    rows: dict[int, Any]
    old_template: Any
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    gone: dict[str, Any] = dataclasses.field(default_factory=dict)
    coming: list[tuple[str, Any]] = dataclasses.field(default_factory=list)
    imported: list[imports.Imported] = dataclasses.field(
        default_factory=list)
    moved: dict[int, tuple[Any, Any]] = dataclasses.field(
        default_factory=dict)

    def new_template(self) -> Any:
        """Return the template of the stack with the new names."""
        old = self.old_template
        tmpl = old.copy(env=_environment(old.env, self.names))
        change = renaming.Renaming(self.names, self.gone)
        tmpl.t = {**tmpl.t, tmpl.RESOURCES: change.of_resources(
            tmpl.section(tmpl.RESOURCES))}
        if tmpl.t.get(tmpl.OUTPUTS):
            tmpl.t = {**tmpl.t, tmpl.OUTPUTS: change.of_value(
                tmpl.section(tmpl.OUTPUTS))}
        tmpl.add_resources(self.coming)
        # Until it is stored it stands in for the one before.
        tmpl.id = old.id
        return tmpl


def _environment(old: Any, names: Mapping[str, str]) -> Any:
    """Return an environment whose entries for resources have new names."""
    data = old.env_as_dict()
    registry = dict(data.get(_REGISTRY) or {})
    by_name = registry.get(_BY_NAME) or {}
    if by_name.keys().isdisjoint(names):
        return old
    registry[_BY_NAME] = {names.get(name, name): entry
                          for name, entry in by_name.items()}
    renamed = environment.Environment({**data, _REGISTRY: registry})
    renamed.inherited = old.inherited
    return renamed


class Moved:
    """The stacks of a tree as moves leave them, first in memory alone.

    :ivar origins: {path: path before} of what moves
    :ivar imported: the paths of what is imported
    :param is_new: the stack is about to be created
    :ivar is_one_way: a rollback cannot lead to the template before: it
        knows nothing of what is imported, and the templates of nested
        stacks, which are files of it, know nothing of the moves
    """

    def __init__(self, current: Any, updated: Any, *, is_new: bool = False
                 ) -> None:
        self._is_new = is_new
        self.origins: dict[Path, Path] = {}
        self.imported: set[Path] = set()
        self.is_one_way = False
        self._current = current
        self._updated = updated
        self._edits: dict[str, _Edit] = {}
        self._children: dict[str, dict[str, Any]] = {}
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

    def is_inside(self, path: Sequence[str]) -> bool:
        """Return whether resources move within, into or out of a stack.

        :param path: the path of the resource that holds it
        """
        above = tuple(path)
        return any(len(each) > len(above) and each[:len(above)] == above
                   for item in self.origins.items() for each in item)

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
        requested.require_distinct(wanted)
        for move in wanted:
            self._note(tree, move)
        self._import(tree, wanted_imports)
        self.is_one_way = bool(self.imported) or any(
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
        source = self._edit(tree, move, move.source[:-1])
        target = self._edit(tree, move, move.target[:-1])
        resource = tree.require(move)
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
                          needed_by=[])
        target.moved[row.id] = row, dataclasses.replace(row, **values)
        self.origins[move.target] = move.source

    def _edit(self, tree: places.Tree, move: places.Asked, path: Path
              ) -> _Edit:
        stack = tree.stack_at(move, path)
        if stack.id not in self._edits:
            if stack.status == stack.IN_PROGRESS and not self._is_new:
                raise exception.ActionInProgress(stack_name=stack.name,
                                                 action=stack.action)
            rows = resource_objects.Resource.get_all_active_of_stacks(
                stack.context, [stack.id]).get(stack.id, {})
            self._edits[stack.id] = _Edit(stack, path, dict(rows), stack.t)
        return self._edits[stack.id]

    def _attach(self, tree: places.Tree) -> None:
        """Let the new objects of resources have the stacks inside them."""
        for path, child in tree.nested_stacks():
            tree.stack_of(path[:-1])[path[-1]].use_nested(child)
        for target, source in self.origins.items():
            parent = tree.stack_of(target[:-1])
            resource = parent[target[-1]]
            if resource.has_nested() and not resource.child_is_independent:
                self._place(resource, parent, requested.Move(source, target))

    def _place(self, resource: Any, parent: Any, move: requested.Move
               ) -> None:
        """Give the stack inside a resource its new name and place.

        The names of stacks further inside begin with it.
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
        self._children[child.id] = values
        for key, value in values.items():
            setattr(child, key, value)
        child.set_parent_stack(parent)
        child.t = child.t
        child.resources.clear()
        resource.use_nested(child)
        for inner in child.values():
            _require_movable(inner, move)
            if inner.has_nested() and not inner.child_is_independent:
                self._place(inner, child, move)

    # -- in the database ------------------------------------------------------

    def store(self) -> None:
        """Store the templates that describe the stacks anew.

        Nothing refers to them before write().
        """
        for edit in self._edits.values():
            self._store(edit.stack, edit.stack.t)
        if self.is_one_way:
            goal = self._updated.t.copy()
            self._store(self._updated, goal)
            self._updated.rollback_template_id = goal.id

    def _store(self, stack: Any, tmpl: templatem.Template) -> None:
        tmpl.id = None
        self._stored.append(template_store.store(stack.context, tmpl))

    def discard(self) -> None:
        """Delete what store() has stored, if nothing refers to it."""
        template_store.delete_unused(self._current.context, self._stored)

    def write(self) -> None:
        """Move the rows; in the transaction that begins the update.

        :raises ActionInProgress: something else has changed a stack or
            resource since.
        """
        # Each row still is in the stack that it moves out of.
        for edit in self._edits.values():
            self._write_template(edit)
        for edit in self._edits.values():
            for before, after in edit.moved.values():
                self._write_row(edit, before, after)
            for each in edit.imported:
                each.row.id = imports.write(edit.stack, each,
                                            edit.stack.t.id)
                # Its object knows no id yet.
                del edit.stack.resources[each.row.name]
        context = self._current.context
        for child_id, values in self._children.items():
            stack_objects.Stack.update_by_id(context, child_id, values)
        template_store.delete_unused(context, {
            edit.old_template.id for edit in self._edits.values()})

    def _write_template(self, edit: _Edit) -> None:
        stack, context = edit.stack, edit.stack.context
        if edit.path and not stack_objects.Stack.select_and_update(
                context, stack.id, {'raw_template_id': stack.t.id},
                {'current_traversal': stack.current_traversal,
                 'action': stack.action, 'status': stack.status,
                 'raw_template_id': edit.old_template.id}):
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=stack.action)
        ids = [row.id for row in edit.rows.values()
               if row.current_template_id == edit.old_template.id]
        if ids:
            resource_objects.Resource.set_templates(
                context, ids, {stack.id: stack.t.id})

    @staticmethod
    def _write_row(edit: _Edit, before: Any, after: Any) -> None:
        if not resource_objects.Resource.select_and_update(
                edit.stack.context, before.id, {
                    'name': after.name, 'stack_id': after.stack_id,
                    'requires': after.requires or [],
                    'current_template_id': edit.stack.t.id},
                None, before.atomic_key, before.status):
            raise exception.ActionInProgress(stack_name=edit.stack.name,
                                             action=edit.stack.action)


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


def _require_row(edit: _Edit, move: requested.Move) -> Any:
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
        raise move.refused(_('the last update has not come to it'))
    return row


def _require_movable(resource: Any, move: requested.Move) -> None:
    """Raise MoveNotPossible for what others know by stack and name."""
    if getattr(resource, 'has_stack_user', False) and resource.data():
        raise move.refused(_(
            'the address for signals of resource "%s" names it and its '
            'stack') % resource.name)


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
    known = {move.source for move in explicit}
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

    moved.store()
    updated.warrant = dataclasses.replace(found, on_begin=begin)
    try:
        current.update(updated, action)
    except BaseException:
        moved.discard()
        raise
