"""Events in the order of their rows, for readers that follow them.

A row with a lower id may become visible after one with a higher id, as
transactions end in any order. So an answer says which ids its reader has not
seen yet; see heat.common.id_ranges.
"""
from collections.abc import Iterable, Sequence
import dataclasses
from typing import Any

from heat.common import id_ranges
from heat.objects import event as event_objects
from heat.objects import event_feed

#: The number of the newest rows among which a new reader looks for holes.
_LOOKBACK = 500

Ranges = id_ranges.Ranges


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """Events with the places of their stacks and of those above them.

    :ivar unseen: the ids that the reader has not seen
    :ivar reached: the id up to which everything has been read; None if
        nothing is left for a further page
    """

    events: list[event_objects.Event]
    places: list[event_feed.StackPlace]
    unseen: Ranges = ()
    reached: int | None = None


def newest(context: Any) -> Page:
    """Return the position of a reader of what happens from now on."""
    ids = event_feed.newest_ids(context, _LOOKBACK)
    if not ids:
        return Page([], [], id_ranges.beyond(0))
    missing = id_ranges.without(((min(ids), max(ids)),), ids)
    return Page([], [], (*missing, *id_ranges.beyond(max(ids))))


def since(context: Any, last: int, holes: Ranges, tenants: Sequence[str],
          limit: int) -> Page:
    """Return events of projects that a reader has not seen.

    :param last: the greatest id that it has seen
    :param holes: ranges of lower ids that it has not seen
    :param limit: the number of rows that are looked at
    """
    late = event_feed.ids_in(context, _bounded(holes), limit) if holes else []
    new = event_feed.ids_in(context, [(last + 1, None)], limit)
    reached = new[-1][0] if new else last
    unseen = id_ranges.without(holes, (row for row, _stack in late))
    if reached > last:
        unseen += id_ranges.without(((last + 1, reached),),
                                    (row for row, _stack in new))
    events, places = _of_projects(context, [*late, *new], tenants)
    return Page(events, places, (*unseen, *id_ranges.beyond(reached)),
                reached if len(new) == limit else None)


def between(context: Any, ranges: Ranges, limit: int, tenant: str,
            stack_id: str | None) -> Page:
    """Return stored events of a project, or of a tree in it.

    :param limit: the number of events that are returned at most
    :param stack_id: the stack at the top of the tree
    """
    if not ranges:
        return Page([], [])
    if stack_id is None:
        found = event_feed.ids_in(context, _bounded(ranges), limit,
                                  tenant=tenant)
    else:
        below = event_feed.StackPlace.get_below(context, stack_id)
        found = event_feed.ids_in(context, _bounded(ranges), limit,
                                  [each.id for each in below])
    events, places = _of_projects(context, found, [tenant])
    return Page(events, places,
                reached=found[-1][0] if len(found) == limit else None)


def _bounded(ranges: Ranges) -> list[event_feed.Range]:
    return [(low, None if high >= id_ranges.NO_END else high)
            for low, high in ranges]


def _of_projects(context: Any, found: Iterable[tuple[int, str]],
                 tenants: Sequence[str]
                 ) -> tuple[list[event_objects.Event],
                            list[event_feed.StackPlace]]:
    """Return those events whose stacks are of projects, with the stacks."""
    pairs = list(found)
    if not pairs or not tenants:
        return [], []
    places = event_feed.StackPlace.get_above(
        context, {stack_id for _row, stack_id in pairs}, tenants)
    known = {each.id for each in places}
    return event_feed.get_many(context, [
        row for row, stack_id in pairs if stack_id in known]), places
