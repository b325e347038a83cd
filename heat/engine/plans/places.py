"""The stacks of a tree as they are, and as they will be, by path."""
from typing import Any

from heat.common import change_set_errors
from heat.common import exception
from heat.common.i18n import _
from heat.engine.plans import causes
from heat.engine.plans import requested

Path = requested.Path
#: What is asked for, and says why it is refused.
Asked = requested.Move | requested.Import


def desired(goal: Any) -> Any:
    """Return the new definition of a resource that exists.

    Its type is looked up in the goal's template, not in that of the existing
    stack.
    """
    defn = goal.stack.defn
    definition = defn.resource_definition(goal.name)
    definition.note_origin(defn.t)
    return definition


class Tree:
    """The stacks of a tree as they are, and those of its goal, by path."""

    def __init__(self, current: Any, updated: Any) -> None:
        self._stacks: dict[Path, Any] = {(): current}
        self._goals: dict[Path, Any] = {(): updated}

    def nested_stacks(self) -> list[tuple[Path, Any]]:
        """Return (path, stack) of the nested stacks that were looked at."""
        return sorted(((path, stack) for path, stack in self._stacks.items()
                       if path), key=lambda item: item[0])

    def stack_of(self, path: Path) -> Any:
        """Return a stack that was looked at."""
        return self._stacks[path]

    def is_done(self, move: requested.Move) -> bool:
        """Return whether a lasting move has nothing to do (any more).

        :raises MoveNotPossible: nobody knows whether the goal has it.
        """
        source = self._find(move, move.source[:-1])
        if not self._is_wanted(move, move.target) or source is None or (
                not _is_made(source, move.source[-1])):
            return True
        target = self._find(move, move.target[:-1])
        return target is not None and has_row(target, move.target[-1])

    def is_imported(self, wanted: requested.Import) -> bool:
        """Return whether a lasting import has nothing to do (any more).

        :raises ImportNotPossible: nobody knows whether the goal has it.
        """
        if not self._is_wanted(wanted, wanted.path):
            return True
        stack = self._find(wanted, wanted.path[:-1])
        return stack is not None and has_row(stack, wanted.path[-1])

    def _find(self, asked: Asked, path: Path) -> Any:
        """Return the stack inside the resources of a path, None if none."""
        try:
            return self.stack_at(asked, path)
        except (change_set_errors.MoveNotPossible,
                change_set_errors.ImportNotPossible):
            return None

    def _is_wanted(self, asked: Asked, path: Path) -> bool:
        """Return whether the goal has a resource at a path."""
        for end, name in enumerate(path):
            if end and not hasattr(self.goal_at(asked, path[:end - 1])[
                    path[end - 1]], 'preview_stack'):
                return False
            if name not in self.goal_at(asked, path[:end]):
                return False
        return True

    def stack_at(self, move: Asked, path: Path) -> Any:
        """Return the stack as it is inside the resources of a path."""
        if path not in self._stacks:
            parent = self.stack_at(move, path[:-1])
            child = None
            if path[-1] in parent:
                resource = parent[path[-1]]
                if resource.has_nested():
                    _require_own_template(move, path, resource)
                    child = resource.nested()
            if child is None:
                raise move.refused(_('resource "%s" has no nested stack')
                                   % requested.DIVIDER.join(path))
            self._stacks[path] = child
        return self._stacks[path]

    def goal_at(self, move: Asked, path: Path) -> Any:
        """Return the stack inside the resources of a path as it will be."""
        if path not in self._goals:
            parent, goal = self.goal_at(move, path[:-1]), None
            if path[-1] in parent and hasattr(parent[path[-1]],
                                              'preview_stack'):
                try:
                    goal = parent[path[-1]].preview_stack()
                except exception.RequestLimitExceeded:
                    raise
                except causes.ERRORS:
                    goal = None
            if goal is None:
                raise move.refused(_(
                    'the template does not determine which resources "%s" '
                    'will contain') % requested.DIVIDER.join(path))
            self._goals[path] = goal
        return self._goals[path]

    def require(self, move: requested.Move, origin: 'Tree | None' = None
                ) -> Any:
        """Return the resource to be moved, if that is possible.

        :param origin: the tree that it leaves, if that is another one
        """
        source = (origin or self).stack_at(move, move.source[:-1])
        target = self.stack_at(move, move.target[:-1])
        goal = self.goal_at(move, move.target[:-1])
        if not _is_made(source, move.source[-1]):
            raise move.refused(_('there is no such resource'))
        if has_row(target, move.target[-1]):
            raise move.refused(_('there is a resource of that name already'))
        if move.target[-1] not in goal:
            raise move.refused(_('the template has no resource of that name'))
        resource = source[move.source[-1]]
        wanted = goal[move.target[-1]]
        if resource.type() != wanted.type() and (
                type(resource) is not type(wanted)):
            raise move.refused(
                _('the type is %(type)s, that of the template is %(wanted)s')
                % {'type': resource.type(), 'wanted': wanted.type()})
        return resource


def _require_own_template(move: Asked, path: Path, resource: Any
                          ) -> None:
    """Raise MoveNotPossible for members that their resource names itself."""
    if not getattr(resource, 'is_template', False):
        raise move.refused(_(
            'resource "%(name)s" of type %(type)s chooses the names of its '
            'members itself')
            % {'name': requested.DIVIDER.join(path), 'type': resource.type()})


def has_row(stack: Any, name: str) -> bool:
    """Return whether a stack has, or had begun to have, a resource."""
    row = stack.db_row(name)
    return row is not None and (row.action, row.status) != ('DELETE',
                                                            'COMPLETE')


def _is_made(stack: Any, name: str) -> bool:
    """Return whether a stack has a resource that was begun to be made."""
    return (name in stack and has_row(stack, name) and
            stack.db_row(name).action != 'INIT')
