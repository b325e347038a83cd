"""The other root stacks of a project that resources are moved out of.

They have to be idle, and no operation of them begins before the resources
have left.
"""
from collections.abc import Callable, Iterable, Mapping
import dataclasses
from typing import Any
import uuid

from heat.common import exception
from heat.common import stack_policy
from heat.common.i18n import _
from heat.engine import status
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import store as stack_store
from heat.objects import stack as stack_objects
from heat.objects import stack_protection

Path = requested.Path

_States = status.StackStatus


@dataclasses.dataclass(slots=True)
class Giver:
    """A stack that resources are moved out of.

    :ivar policy: its policy, or None
    :ivar lost: the paths of what leaves it
    """

    stack: Any
    tree: places.Tree
    policy: Any
    lost: list[Path] = dataclasses.field(default_factory=list)

    def lose(self, move: requested.Move, path: Path, type_name: str) -> None:
        """Take note of a resource that leaves.

        :raises MoveNotPossible: the policy of the stack does not allow it.
        """
        if self.policy is not None and not stack_policy.allows(
                self.policy, stack_policy.DELETE, path, type_name):
            raise move.refused(
                _('the policy of stack %(stack)s does not allow %(action)s '
                  'of %(path)s') % {
                      'stack': self.stack.name,
                      'action': stack_policy.DELETE,
                      'path': requested.DIVIDER.join(path)})
        self.lost.append(path)

    def swap(self, template_id: int, old_template_id: int) -> bool:
        """Write the template without what leaves, if the stack is idle.

        In a transaction. The stack has another traversal from then on, so
        that no operation begins with a stack that was loaded before; and
        none goes back to a template that has the resources.
        """
        stack = self.stack
        return stack_objects.Stack.select_and_update(
            stack.context, stack.id,
            {'raw_template_id': template_id,
             'prev_raw_template_id': (
                 None if stack.prev_raw_template_id is None
                 else template_id),
             'current_traversal': str(uuid.uuid4())},
            {'current_traversal': stack.current_traversal,
             'action': stack.action, 'status': stack.status,
             'raw_template_id': old_template_id, 'deleted_at': None})


def resolved(receiver: Any, given: Any, find: Callable[[str], Any]
             ) -> Any:
    """Return moves of a request that name other stacks by their ids.

    :param receiver: the row of the stack that the request is about
    :param find: returns the row of a stack by name or id, or None
    :raises EntityNotFound: the project has no such stack.
    :raises MoveNotPossible: the stack is one of another project.
    """
    found = []
    for item, move in zip(given or (), requested.moves_of(given),
                          strict=True):
        if move.giver is not None:
            row = find(move.giver)
            if row is None or row.deleted_at is not None:
                raise exception.EntityNotFound(entity='Stack',
                                               name=move.giver)
            if row.tenant != receiver.tenant:
                raise move.refused(_(
                    'the stack belongs to another project'))
            item = {**item, 'from': (
                item['from']['resource'] if row.id == receiver.id
                else {**item['from'], 'stack': row.id})}
        found.append(item)
    return found or None


def ids_of(given: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """Return the ids of the stacks that moves name."""
    return sorted({move.giver for move in requested.moves_of(given)
                   if move.giver is not None})


def load(receiver: Any, move: requested.Move) -> Giver:
    """Return the stack that a move names, if it can give resources.

    :param receiver: the stack that gets the resource
    :raises MoveNotPossible: it cannot.
    :raises ActionInProgress: it is busy.
    """
    context = receiver.context
    row = stack_objects.Stack.get_by_id(context, str(move.giver))
    if row is None or row.tenant != receiver.tenant_id:
        # It is gone, or has never been one of the project.
        raise exception.EntityNotFound(entity='Stack', name=move.giver)
    move = dataclasses.replace(move, giver_name=row.name)
    stack = type(receiver).load(context, stack=row)
    if stack.owner_id is not None or receiver.owner_id is not None:
        raise move.refused(_('one of the stacks is nested in another'))
    if len(move.source) > 1:
        # The templates of nested stacks are files of that of their root.
        raise move.refused(_(
            'it is in a nested stack; move it to the root of stack %s '
            'first') % stack.name)
    if stack.status == _States.IN_PROGRESS:
        raise exception.ActionInProgress(stack_name=stack.name,
                                         action=stack.action)
    if stack.status != _States.COMPLETE or stack.action in (
            _States.SUSPEND, _States.DELETE):
        raise move.refused(
            _('the state of stack %(stack)s is %(action)s_%(status)s') % {
                'stack': stack.name, 'action': stack.action,
                'status': stack.status})
    if stack_store.is_convergent(stack) != stack_store.is_convergent(
            receiver):
        raise move.refused(_(
            'of the stacks one is driven by convergence, the other is not'))
    return Giver(stack, places.Tree(stack, stack),
                 stack_protection.StackProtection.get(
                     context, stack.id).policy)
