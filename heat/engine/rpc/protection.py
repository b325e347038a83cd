"""RPC calls about the protection of stacks."""
from collections.abc import Callable, Collection, Iterable
import dataclasses
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common import protection_errors
from heat.common import stack_policy
from heat.common.i18n import _
from heat.engine import status
from heat.engine.plans import tree as change_plan
from heat.engine.rpc import guards
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_protection
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

_Protection = stack_protection.StackProtection
_States = status.StackStatus

#: What divides the names in the path of a resource in a nested stack.
_DIVIDER = '/'
#: Number of refused actions that an error names.
_MOST_REFUSED = 20


def _root_of(context: Any, row: Any) -> Any:
    """Return the row of the root of a stack's tree."""
    if row.owner_id is None:
        return row
    root_id = stack_objects.Stack.get_root_id(context, row.id)
    return (root_id and stack_objects.Stack.get_by_id(context, root_id)
            ) or row


def require_deletable(context: Any, row: Any) -> None:
    """Raise StackProtected for a stack, or one in a stack, that is to stay.
    """
    root = _root_of(context, row)
    if _Protection.get(context, root.id).termination:
        raise protection_errors.StackProtected(stack=row.name,
                                               root=root.name)


def protect_new(context: Any, stack_id: str, args: Any) -> None:
    """Give a new stack the protection that its request asks for."""
    if args.get(rpc_api.PARAM_PROTECTED):
        _Protection.set(context, stack_id, {'termination': True})


def retained_paths(context: Any, row: Any, paths: Collection[str] | None
                   ) -> frozenset[str]:
    """Return the paths of resources that a deletion is to leave.

    :param paths: names, behind those of the resources that hold the stacks
        they are in: web/server
    :raises ActionInProgress: the deletion has begun without them.
    :raises ResourceNotFound: there is no such resource.
    """
    found = frozenset(paths or ())
    if found and (row.action, row.status) == (_States.DELETE,
                                              _States.IN_PROGRESS):
        raise exception.ActionInProgress(stack_name=row.name,
                                         action=row.action)
    return existing_paths(context, row, found)


def existing_paths(context: Any, row: Any, paths: Collection[str] | None
                   ) -> frozenset[str]:
    """Return paths of resources of a stack.

    :raises ResourceNotFound: there is no resource at one of them.
    """
    found = frozenset(paths or ())
    _require_resources(context, row, found, '')
    return found


def note_retained(context: Any, row: Any, paths: Collection[str]) -> None:
    """Store what a deletion leaves, for another attempt.

    A deletion that runs has what it began with.
    """
    if paths or (row.action, row.status) == (_States.DELETE,
                                             _States.FAILED):
        _Protection.set(context, row.id, {'retained': sorted(paths)})


def still_retained(context: Any, row: Any) -> frozenset[str]:
    """Return the paths that the deletion that failed was to leave."""
    return frozenset(_Protection.get(context, row.id).retained or ())


def _require_resources(context: Any, row: Any, paths: Iterable[str],
                       above: str) -> None:
    """Raise ResourceNotFound for a path that leads to no resource."""
    parts = sorted(path.partition(_DIVIDER) for path in paths)
    if not parts:
        return
    names = {each.name for each in resource_objects.Resource.
             get_all_active_of_stacks(context, [row.id]).get(
                 row.id, {}).values()}
    inside: dict[str, list[str]] = {}
    for name, divider, rest in parts:
        if name not in names:
            raise exception.ResourceNotFound(resource_name=above + name,
                                             stack_name=row.name)
        if divider:
            inside.setdefault(name, []).append(rest)
    children = {child.parent_resource_name: child for child in
                stack_objects.Stack.get_all_by_owner_id(context, row.id)
                if not child.backup} if inside else {}
    for name, below in inside.items():
        if name not in children:
            raise exception.ResourceNotFound(
                resource_name=f'{above}{name}/{below[0]}',
                stack_name=row.name)
        _require_resources(context, children[name], below, f'{above}{name}/')


def _path_of(context: Any, row: Any) -> tuple[str, ...]:
    """Return the names of the resources that hold a nested stack."""
    path: list[str] = []
    while row is not None and row.owner_id is not None:
        path.insert(0, row.parent_resource_name or row.name)
        row = stack_objects.Stack.get_by_id(context, row.owner_id)
    return tuple(path)


def _refused(document: Any, path: tuple[str, ...], change: Any
             ) -> list[stack_policy.Refusal]:
    paths = {key: (*path, *change[key]) for key in ('path', 'moved_from')
             if key in change}
    return stack_policy.refused(document, {**change, **paths})


def mark_refused(context: Any, stack: Any, changes: Iterable[dict[str, Any]]
                 ) -> bool:
    """Note in planned changes which of them the policy does not allow.

    Return whether there are any.
    """
    row = stack_objects.Stack.get_by_id(context, stack.id)
    document = _Protection.get(context, _root_of(context, row).id).policy
    if document is None:
        return False
    path, found = _path_of(context, row), False
    for change in changes:
        refused = _refused(document, path, change)
        if refused:
            change['refused'] = [each.action for each in refused]
            found = True
    return found


def require_permitted(context: Any, row: Any, updated: Any,
                      goal: Callable[[], tuple[Any, ...]]) -> None:
    """Raise StackPolicyViolated if an update does what it may not.

    What is not known before is refused when it is about to happen.

    :param updated: the stack as it is to be; it gets the policy
    :param goal: makes the stack as it is and as it is to be once more, and
        what moves, if anything: a plan adds to what they know
    """
    root = _root_of(context, row)
    document = _Protection.get(context, root.id).policy
    if document is None:
        return
    path = _path_of(context, row)
    plan = change_plan.Plan()
    for _step in change_plan.update_steps(plan, *goal()):
        pass
    refused = [str(each) for change in plan.changes
               for each in _refused(document, path, change)]
    if refused:
        if len(refused) > _MOST_REFUSED:
            refused[_MOST_REFUSED:] = [
                _('and %d more') % (len(refused) - _MOST_REFUSED)]
        raise protection_errors.StackPolicyViolated(
            stack=root.name, actions=', '.join(refused))
    updated.warrant = dataclasses.replace(
        updated.warrant or stack_warrant.Warrant('', is_open=True),
        policy=document, path=path)


class ProtectionOperations:
    """Show and change the protection of stacks."""

    @heat_context.request_context
    def show_stack_protection(self, cnxt: Any, stack_identity: Any
                              ) -> dict[str, Any]:
        """Return the protection of a stack, and the root that gives it."""
        root = _root_of(cnxt, guards.find_stack(cnxt, stack_identity,
                                                show_deleted=True))
        return _formatted(root, _Protection.get(cnxt, root.id).termination)

    @heat_context.request_context
    def show_stack_policy(self, cnxt: Any, stack_identity: Any) -> Any:
        """Return the policy of a stack's root, None if it has none."""
        row = guards.find_stack(cnxt, stack_identity)
        return _Protection.get(cnxt, _root_of(cnxt, row).id).policy

    @heat_context.request_context
    def update_stack_policy(self, cnxt: Any, stack_identity: Any,
                            policy: Any) -> Any:
        """Set the policy of a stack; None removes it.

        :raises Invalid: it is no policy.
        :raises NotSupported: the stack is nested; its root has the policy.
        """
        row = guards.find_stack(cnxt, stack_identity)
        if row.owner_id is not None:
            raise exception.NotSupported(feature=_(
                'A policy for a nested stack, instead of its root stack,'))
        if policy is not None:
            try:
                stack_policy.validate(policy)
            except ValueError as error:
                raise exception.Invalid(reason=str(error)) from error
        LOG.info('The policy of stack %s changes', row.name)
        _Protection.set(cnxt, row.id, {'policy': policy})
        return policy

    @heat_context.request_context
    def list_protected_stacks(self, cnxt: Any) -> list[str]:
        """Return the ids of the project's stacks that may not be deleted."""
        return _Protection.get_protected_ids(cnxt, cnxt.project_id)

    @heat_context.request_context
    def update_stack_protection(self, cnxt: Any, stack_identity: Any,
                                termination: bool) -> dict[str, Any]:
        """Have a stack be deleted only after its protection is lifted.

        :raises NotSupported: the stack is nested; its root has the
            protection.
        :raises ActionInProgress: the stack is being deleted.
        """
        row = guards.find_stack(cnxt, stack_identity)
        if row.owner_id is not None:
            raise exception.NotSupported(feature=_(
                'Termination protection for a nested stack, instead of its '
                'root stack,'))
        if (row.action, row.status) == (_States.DELETE, _States.IN_PROGRESS):
            raise exception.ActionInProgress(stack_name=row.name,
                                             action=row.action)
        LOG.info('Termination protection of stack %s: %s', row.name,
                 termination)
        _Protection.set(cnxt, row.id, {'termination': termination is True})
        return _formatted(row, termination is True)


def _formatted(root: Any, termination: bool) -> dict[str, Any]:
    return {rpc_api.PARAM_PROTECTED: termination,
            'root': dict(identifier.HeatIdentifier(
                root.tenant, root.name, root.id))}
