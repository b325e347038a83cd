"""What an execution of a change set may do to each stack of a tree.

The warrant of an operation is plain data: it is stored with the options of a
traversal, and handed from a stack to those nested in it.
"""
from collections.abc import Mapping
import dataclasses
from typing import Any

from heat.common import change_set_errors
from heat.engine import status
from heat.engine.stacks import interface

_R = status.ResourceStatus

#: What a resource may need that a warrant has to name.
CREATE, REPLACE, DELETE = 'create', 'replace', 'delete'


@dataclasses.dataclass(frozen=True, slots=True)
class Warrant:
    """The resources of one stack that may be created, replaced, deleted.

    :ivar change_set: the id of the change set
    :ivar is_open: what is in the stack could not be planned: all is allowed
    :ivar base: the stamp of the stack that the plan was made from
    :ivar inside: {resource name: the data of the warrant inside}
    """

    change_set: str
    create: frozenset[str] = frozenset()
    replace: frozenset[str] = frozenset()
    delete: frozenset[str] = frozenset()
    is_open: bool = False
    base: tuple[Any, ...] | None = None
    inside: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the warrant as JSON can hold it; empty parts are absent."""
        parts = {'create': sorted(self.create),
                 'replace': sorted(self.replace),
                 'delete': sorted(self.delete), 'is_open': self.is_open,
                 'base': None if self.base is None else list(self.base),
                 'inside': dict(self.inside)}
        return {'change_set': self.change_set,
                **{name: part for name, part in parts.items() if part}}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> 'Warrant | None':
        """Rebuild from as_dict(); None of nothing."""
        if not data:
            return None
        base = data.get('base')
        return cls(
            data['change_set'],
            create=frozenset(data.get(CREATE, ())),
            replace=frozenset(data.get(REPLACE, ())),
            delete=frozenset(data.get(DELETE, ())),
            is_open=bool(data.get('is_open')),
            base=None if base is None else tuple(base),
            inside=data.get('inside') or {})

    def below(self, name: str) -> 'Warrant | None':
        """Return the warrant of the stack in a resource.

        A resource that is created as a whole, or whose contents could not be
        planned, has an open one: None.
        """
        return self.from_dict(self.inside.get(name))

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


def violation(resource: interface.Resource, action: str) -> Exception | None:
    """Return the error about an action that the plan does not foresee.

    :param action: one of CREATE, REPLACE and DELETE
    """
    found = getattr(resource.stack, 'warrant', None)
    if found is None or not found.forbids(resource.name, action):
        return None
    return change_set_errors.ChangeSetViolated(
        change_set=found.change_set, action=action, resource=resource.name)


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
