"""Read what the timeline of an operation is computed from."""
from collections.abc import Iterable
import dataclasses
import datetime
from typing import Any

from heat.common import timeutils
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.history import timeline
from heat.engine.stacks import events as stack_events
from heat.objects import event as event_objects
from heat.objects import event_feed

#: The number of events that are read at once.
_PAGE = 5000


def timeline_of(context: Any, row: Any, nested_depth: int
                ) -> dict[str, Any] | None:
    """Return the timeline of the last operation of a stack.

    None if its events are gone.

    :param row: the stack; it may be deleted
    :param nested_depth: the number of levels below it that are included
    """
    first = event_feed.last_id(context, row.id, stack_events.STACK_TYPE,
                               status.StackStatus.IN_PROGRESS)
    if first is None:
        return None
    places = _to_depth(event_feed.StackPlace.get_below(context, row.id),
                       row.id, nested_depth)
    events = _read(context, places, first)
    # A backup stack holds what its owner is about to delete.
    owner_of = {each.id: each.owner_id if each.backup and each.owner_id
                else each.id for each in places}
    taking_part = {owner_of[each.stack_id] for each in events}
    return timeline.of_operation(
        row.id,
        [_facts(context, each) for each in places
         if each.id in taking_part and not each.backup],
        [_event(each, owner_of[each.stack_id]) for each in events],
        timeutils.utcnow())


def _to_depth(places: Iterable[event_feed.StackPlace], root_id: str,
              depth: int) -> list[event_feed.StackPlace]:
    """Return the stacks at most `depth` levels below the root."""
    levels: dict[str | None, int] = {}
    chosen = []
    for each in places:
        above = levels.get(each.owner_id)
        level = 0 if each.id == root_id or above is None else (
            above + (not each.backup))
        levels[each.id] = level
        if level <= depth:
            chosen.append(each)
    return chosen


def _read(context: Any, places: Iterable[event_feed.StackPlace], first: int
          ) -> list[event_objects.Event]:
    stack_ids = [each.id for each in places]
    events: list[event_objects.Event] = []
    while True:
        page = event_feed.ids_in(context, [(first, None)], _PAGE, stack_ids)
        events += event_feed.get_many(context, [each for each, _ in page])
        if len(page) < _PAGE:
            return events
        first = page[-1][0] + 1


def _facts(context: Any, place: event_feed.StackPlace
           ) -> timeline.StackFacts:
    facts = timeline.StackFacts(place.id, place.name, place.owner_id,
                                place.parent_resource_name)
    if place.deleted_at is not None:
        # What is left of its template may be gone at any time.
        return facts
    stack = stack_module.Stack.load(context, stack_id=place.id,
                                    show_deleted=True)
    definition = stack.defn
    requires = {}
    for name in definition.enabled_rsrc_names():
        found = definition.resource_definition(name)
        requires[name] = (found.resource_type,
                          sorted(found.required_resource_names()))
    return dataclasses.replace(facts, requires=requires)


def _event(event: event_objects.Event, stack_id: str) -> timeline.Event:
    return timeline.Event(
        stack_id, event.resource_name or '', event.resource_action or '',
        event.resource_status or '', event.physical_resource_id,
        event.resource_type or '', event.created_at or timeutils.utcnow(),
        stack_events.is_of_stack(event), _duration(event.acting_ms),
        _duration(event.polling_ms))


def _duration(milliseconds: int | None) -> datetime.timedelta | None:
    return None if milliseconds is None else datetime.timedelta(
        milliseconds=milliseconds)
