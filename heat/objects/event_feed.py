"""Events in the order of their rows, and the places of their stacks."""
from collections.abc import Iterable, Sequence
import dataclasses
from typing import Any

from heat.db import api as db_api
from heat.objects import base
from heat.objects import event

#: The first and the last id of a range; None for no end.
Range = tuple[int, int | None]


@dataclasses.dataclass(slots=True)
class StackPlace:
    """Where a stack is in its tree; also of one that is deleted."""

    id: str
    name: str
    tenant: str
    owner_id: str | None = None
    parent_resource_name: str | None = None
    backup: bool | None = False
    deleted_at: Any = None

    @classmethod
    def get_below(cls, context: Any, stack_id: str) -> list['StackPlace']:
        """Return a stack and all that were ever below it, upper first."""
        return [base.record(cls, row) for row in
                db_api.stack_get_places_below(context, stack_id)]

    @classmethod
    def get_above(cls, context: Any, stack_ids: Iterable[str],
                  tenants: Sequence[str]) -> list['StackPlace']:
        """Return those of the stacks that belong to projects, and all
        stacks above them.
        """
        return [base.record(cls, row) for row in
                db_api.stack_get_places_above(context, stack_ids, tenants)]


def newest_ids(context: Any, limit: int) -> list[int]:
    """Return the ids of the newest events, the newest first."""
    return db_api.event_get_newest_ids(context, limit)


def ids_in(context: Any, ranges: Sequence[Range], limit: int,
           stack_ids: Sequence[str] | None = None,
           tenant: str | None = None) -> list[tuple[int, str]]:
    """Return (id, stack id) of the first events of ranges of ids.

    :param limit: the number of events that are returned at most
    :param stack_ids: events of these stacks only
    :param tenant: events of the stacks of this project only
    """
    return [(row.id, row.stack_id) for row in
            db_api.event_get_ids_in(context, ranges, limit, stack_ids,
                                    tenant)]


def get_many(context: Any, ids: Iterable[int]) -> list[event.Event]:
    """Return events without properties, in the order of their ids."""
    return [base.record(event.Event, row)
            for row in db_api.event_get_by_ids(context, ids)]


def last_id(context: Any, stack_id: str, resource_type: str, status: str
            ) -> int | None:
    """Return the id of the last event of a stack about itself, if any.

    :param resource_type: the type under which stacks are in their events
    """
    return db_api.event_get_last_id(context, stack_id, resource_type, status)
