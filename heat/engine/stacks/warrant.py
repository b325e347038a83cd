"""What an execution of a change set may do to each stack of a tree.

The warrant of an operation is plain data: it is stored with the options of a
traversal, and handed from a stack to those nested in it.
"""
from collections.abc import Callable, Mapping
import dataclasses
from typing import Any

from heat.common import change_set_errors
from heat.common import protection_errors
from heat.common import stack_policy
from heat.engine import status
from heat.engine.stacks import interface

_R = status.ResourceStatus

#: What a resource may need that a warrant has to name.
CREATE, REPLACE, DELETE = 'create', 'replace', 'delete'
#: The key of the resources whose drift is to be reverted.
REVERTS = 'reverts'
#: What a stack policy calls it.
_POLICY_ACTIONS = {REPLACE: stack_policy.REPLACE,
                   DELETE: stack_policy.DELETE}


@dataclasses.dataclass(frozen=True, slots=True)
class Warrant:
    """The resources of one stack that may be created, replaced, deleted.

    :ivar change_set: the id of the change set
    :ivar is_open: what is in the stack could not be planned: all is allowed
    :ivar base: the stamp of the root stack that the plan was made from;
        stacks inside it are compared when the execution begins, and change
        under it from then on
    :ivar inside: {resource name: the data of the warrant inside}
    :ivar on_begin: called with the id of the stack in the transaction that
        begins the execution, perhaps repeatedly; it is not stored
    :ivar policy: the policy of the root stack, or None
    :ivar path: names of the resources that hold the stack
    :ivar skipped: paths of resources to be left as they are
    :ivar reverts: the resources whose drift is to be reverted, the only ones
        that are compared with what really exists; None if the operation does
        not revert drift
    """

    change_set: str
    create: frozenset[str] = frozenset()
    replace: frozenset[str] = frozenset()
    delete: frozenset[str] = frozenset()
    is_open: bool = False
    base: tuple[Any, ...] | None = None
    inside: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    on_begin: Callable[[str], None] | None = None
    policy: Mapping[str, Any] | None = None
    path: tuple[str, ...] = ()
    skipped: frozenset[str] = frozenset()
    reverts: frozenset[str] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the warrant as JSON can hold it; empty parts are absent."""
        parts = {'create': sorted(self.create),
                 'replace': sorted(self.replace),
                 'delete': sorted(self.delete), 'is_open': self.is_open,
                 'base': None if self.base is None else list(self.base),
                 'inside': dict(self.inside), 'policy': self.policy,
                 'path': list(self.path), 'skipped': sorted(self.skipped)}
        if self.reverts is not None:
            parts[REVERTS] = sorted(self.reverts)
        return {'change_set': self.change_set,
                **{name: part for name, part in parts.items()
                   if part or name == REVERTS}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> 'Warrant | None':
        """Rebuild from as_dict(); None of nothing."""
        if not data:
            return None
        base, reverts = data.get('base'), data.get(REVERTS)
        return cls(
            data['change_set'],
            create=frozenset(data.get(CREATE, ())),
            replace=frozenset(data.get(REPLACE, ())),
            delete=frozenset(data.get(DELETE, ())),
            is_open=bool(data.get('is_open')),
            base=None if base is None else tuple(base),
            inside=data.get('inside') or {},
            policy=data.get('policy'), path=tuple(data.get('path', ())),
            skipped=frozenset(data.get('skipped', ())),
            reverts=None if reverts is None else frozenset(reverts))

    def below(self, name: str) -> 'Warrant | None':
        """Return the warrant of the stack in a resource.

        A resource that is created as a whole, or whose contents could not be
        planned, has an open one: None.
        """
        found = self.from_dict(self.inside.get(name))
        above = f'{name}/'
        skipped = frozenset(path.removeprefix(above) for path in self.skipped
                            if path.startswith(above))
        if self.policy is None and not skipped and self.reverts is None:
            return found
        # The policy counts where there is no plan as well; drift that is not
        # in the plan is not reverted.
        found = found or Warrant(self.change_set, is_open=True)
        reverts = (None if self.reverts is None
                   else found.reverts or frozenset())
        return dataclasses.replace(
            found, policy=self.policy, path=(*self.path, name),
            skipped=skipped, reverts=reverts)

    def forbids(self, name: str, action: str) -> bool:
        """Return whether the plan rules out an action on a resource."""
        if self.is_open or name in self.replace:
            return False
        return name not in getattr(self, action)


def stamp(row: Any) -> tuple[Any, ...]:
    """Return what changes whenever a stack does.

    :param row: a stack, or its row
    """
    updated = getattr(row, 'updated_time', None) or getattr(
        row, 'updated_at', None)
    template = getattr(row, 'raw_template_id', None) or (
        row.t.id if getattr(row, 't', None) is not None else None)
    return (template, row.current_traversal,
            None if updated is None else updated.isoformat(),
            row.action, row.status)


def begin(stack: interface.Stack, stack_id: Any) -> None:
    """Record, where an operation begins, that it executes a change set.

    :param stack: the stack as it is to be
    :raises ChangeSetStale: a stack nested in it has changed.
    :raises ChangeSetNotExecutable: it has been executed meanwhile.
    """
    found = getattr(stack, 'warrant', None)
    if found is not None and found.on_begin is not None:
        found.on_begin(stack_id)


def skips(stack: interface.Stack, name: str) -> bool:
    """Return whether an operation leaves a resource as it is."""
    found = getattr(stack, 'warrant', None)
    return found is not None and name in found.skipped


def reverted(stack: interface.Stack) -> frozenset[str] | None:
    """Return the resources whose drift an operation reverts.

    The result is None if it does not revert drift.
    """
    found = getattr(stack, 'warrant', None)
    return None if found is None else found.reverts


def forget(stack: interface.Stack) -> None:
    """Let a rollback restore what was, whatever a change set has planned.

    Nor does it look for the drift that the change set reverts.
    """
    if reverted(stack) is not None:
        stack.converge = False
    stack.warrant = None


def violation(resource: interface.Resource, action: str) -> Exception | None:
    """Return the error about an action that the plan does not foresee.

    :param action: one of CREATE, REPLACE and DELETE
    """
    found = getattr(resource.stack, 'warrant', None)
    if found is None:
        return None
    if _is_refused(found, resource, action):
        return protection_errors.StackPolicyViolated(
            stack=resource.stack.name, actions='%s of %s' % (
                _POLICY_ACTIONS[action], '/'.join(
                    (*found.path, resource.name))))
    if not found.forbids(resource.name, action):
        return None
    return change_set_errors.ChangeSetViolated(
        change_set=found.change_set, action=action, resource=resource.name)


def _is_refused(found: Warrant, resource: interface.Resource, action: str
                ) -> bool:
    """Return whether the stack policy does not allow an action.

    What has been replaced may go: the policy has allowed its replacement.
    """
    if found.policy is None or action not in _POLICY_ACTIONS or (
            resource.replaced_by is not None):
        return False
    return not stack_policy.allows(
        found.policy, _POLICY_ACTIONS[action],
        (*found.path, resource.name), resource.type())


def refusal(resource: interface.Resource, action: str) -> Exception | None:
    """Return the error when no plan foresees what an action begins with.

    What was never made is deleted without any plan.

    :param action: an action of ResourceStatus
    """
    needed = {_R.CREATE: CREATE, _R.DELETE: DELETE}.get(action)
    if needed is None or (action == _R.DELETE and resource.action == _R.INIT):
        return None
    return violation(resource, needed)


def check_base(stack: interface.Stack, row: Any = None) -> None:
    """Raise ChangeSetStale if a stack is not the one that was planned.

    :param stack: the stack as it was loaded to begin its update
    :param row: its row as it is now, if it was read later
    """
    found = getattr(stack, 'warrant', None)
    if found is None or found.base is None:
        return
    if found.base != stamp(row or stack):
        raise change_set_errors.ChangeSetStale(
            change_set=found.change_set,
            changed='stack %s has changed' % stack.name)
