"""Claims: the right to change a resource row while an action runs.

Claims know rows and keys; they know nothing of actions or plugins.  All
their methods are called inside a write transaction, are one UPDATE judged
by its row count, and return False when another engine was faster.

Those of a batch share the UPDATE, which comes after the writes themselves:
what these do to the row as well must be deferred.
"""
from collections.abc import Collection, Mapping, Sequence
import dataclasses
import typing
from typing import Any

from heat.common import context as heat_context
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects


class ClaimLost(Exception):
    """Another engine holds the row, or has changed it since we read it."""

    def __init__(self, resource_name: str = 'Unknown') -> None:
        self.resource_name = resource_name
        super().__init__('Resource "%s" is held or was changed by another '
                         'engine' % resource_name)


@dataclasses.dataclass(frozen=True, slots=True)
class StackOwned:
    """The stack lock already excludes every other engine."""

    #: What an engine leaves behind when it ends has come to its end.
    is_resumable: typing.ClassVar[bool] = False
    held_by: typing.ClassVar[str | None] = None

    def acquire(self, context: Any, row_id: int, atomic_key: int | None,
                values: Mapping[str, Any]) -> bool:
        """Write values."""
        resource_objects.Resource.update_by_id(context, row_id, values)
        return True

    # Whoever holds the stack holds its rows before, during and after.
    keep = release = update_once = acquire

    def next_key(self, atomic_key: int | None) -> int | None:
        """Return the key of the row after a write."""
        return atomic_key


@dataclasses.dataclass(frozen=True, slots=True)
class RowClaim:
    """Ownership of one row, taken by compare-and-swap.

    :param engine_id: who claims
    :param held_by: a dead engine whose claim is taken over
    """

    engine_id: str
    held_by: str | None = None

    #: Another engine takes over what this one leaves behind.
    is_resumable: typing.ClassVar[bool] = True

    def _swap(self, context: heat_context.RequestContext, row_id: int,
              atomic_key: int | None, values: Mapping[str, Any],
              expected: str | None, new: str | None) -> bool:
        swap = resource_objects.Swap(
            row_id, dict(values, engine_id=new), expected, atomic_key)
        # If it is lost, the write is made again, alone.
        return group_commit.share(_swap_all, swap) or not _swap_all(
            context, [swap])

    def acquire(self, context: heat_context.RequestContext, row_id: int,
                atomic_key: int | None, values: Mapping[str, Any]) -> bool:
        """Write values and become the owner."""
        return self._swap(context, row_id, atomic_key, values,
                          self.held_by, self.engine_id)

    def keep(self, context: heat_context.RequestContext, row_id: int,
             atomic_key: int | None, values: Mapping[str, Any]) -> bool:
        """Write values as the owner, and stay it."""
        return self._swap(context, row_id, atomic_key, values,
                          self.engine_id, self.engine_id)

    def release(self, context: heat_context.RequestContext, row_id: int,
                atomic_key: int | None, values: Mapping[str, Any]) -> bool:
        """Write values and give the row up."""
        return self._swap(context, row_id, atomic_key, values,
                          self.engine_id, None)

    def update_once(self, context: heat_context.RequestContext, row_id: int,
                    atomic_key: int | None, values: Mapping[str, Any]) -> bool:
        """Write values to a row nobody owns (or a dead engine did)."""
        return self._swap(context, row_id, atomic_key, values,
                          self.held_by, None)

    def next_key(self, atomic_key: int | None) -> int:
        """Return the key of the row after a write."""
        return (atomic_key or 0) + 1


Claim = StackOwned | RowClaim


def _swap_all(context: heat_context.RequestContext,
              swaps: Sequence[resource_objects.Swap]
              ) -> Collection[resource_objects.Swap]:
    """Carry swaps out; return those that are lost."""
    return resource_objects.Resource.swap_many(context, swaps)
