"""When each resource worked in the last operation of a stack.

Computed from events and from what the resources are required by; what is
drawn of it is in `bars`.
"""
from collections.abc import Iterable, Iterator, Mapping
import dataclasses
import datetime
import math
from typing import Any

from heat_plan_client import api

COMPLETE, FAILED, IN_PROGRESS = 'COMPLETE', 'FAILED', 'IN_PROGRESS'
#: Actions that come to a resource after those that require it.
_REVERSED = ('DELETE', 'SUSPEND')
_IGNORED = ('INIT', 'SIGNAL')
#: What time goes to: waiting for dependencies, or for a turn; the calls that
#: begin an operation; and polling until it has ended.
DEPENDENCIES, TURN, ACTING, POLLING = PHASES = (
    'dependencies', 'turn', 'acting', 'polling')

Key = tuple[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event.

    :ivar key: (ID of the stack, name of the resource)
    :ivar of_stack: whether the event is of the stack itself
    """

    key: Key
    physical: str
    action: str
    state: str
    time: datetime.datetime
    of_stack: bool

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> 'Event':
        """Return an event as the API shows it."""
        stack_id = api.linked(data, 'stack')[1]
        action, _, state = data['resource_status'].partition('_')
        physical = data.get('physical_resource_id') or ''
        return cls((stack_id, data['resource_name']), physical, action,
                   state, datetime.datetime.fromisoformat(data['event_time']),
                   physical == stack_id)


@dataclasses.dataclass(slots=True)
class Bar:
    """One action of one resource.

    :ivar first: the number of the event that begins it
    :ivar last: the number of the event that ends it; infinite without one
    :ivar entered: when the operation came to its stack
    :ivar ready: when all that it depends on had ended
    """

    key: Key
    action: str
    began: datetime.datetime
    first: int
    last: float = math.inf
    state: str = IN_PROGRESS
    ended: datetime.datetime | None = None
    entered: datetime.datetime | None = None
    ready: datetime.datetime | None = None
    critical: bool = False

    def end(self, now: datetime.datetime) -> datetime.datetime:
        """Return when it ended; now, if it has not."""
        return self.ended or now


def of_service(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return an operation with its bars from the timeline of the service."""
    ended = found['finished_at'] or datetime.datetime.now(
        datetime.UTC).isoformat()
    return {
        'stack_name': found['stack_name'], 'stack_id': found['stack_id'],
        'action': found['action'], 'status': found['status'],
        'began': found['started_at'], 'ended': ended,
        'bars': [{
            'path': each['path'].split('/'), 'action': each['action'],
            'status': each['status'], 'ready': each['ready_at'],
            'began': each['started_at'], 'ended': each['finished_at'],
            'critical': each['is_critical'], 'attempts': each['attempts'],
            'phases': _phases_of_service(each, found['started_at'], ended)}
            for each in found['resources'] if each['started_at']]}


def _phases_of_service(entry: Mapping[str, Any], began: str, ended: str
                       ) -> list[dict[str, str]]:
    """Return the phases of an entry; an earlier service has two times."""
    if 'phases' in entry:
        return [{'phase': each['phase'], 'began': each['started_at'],
                 'ended': each['finished_at']} for each in entry['phases']]
    return phases(began, entry['ready_at'], entry['started_at'],
                  entry['finished_at'] or ended)


def phases(entered: str, ready: str | None, began: str, ended: str
           ) -> list[dict[str, str]]:
    """Return phases from the times between them."""
    ready = ready or began
    return [{'phase': phase, 'began': first, 'ended': last}
            for phase, first, last in (
                (DEPENDENCIES, entered, ready), (TURN, ready, began),
                (ACTING, began, ended))]


def last_operation(events: Iterable[Mapping[str, Any]],
                   resources: Iterable[Mapping[str, Any]], stack_id: str,
                   now: datetime.datetime) -> dict[str, Any] | None:
    """Return the last operation of a stack with its bars; None for none.

    :param events: as the API shows them, the oldest first
    :param resources: as the API shows them, those of nested stacks included
    :param now: the end of what has not ended
    """
    found = [Event.of(each) for each in events]
    first = next((index for index in range(len(found) - 1, -1, -1)
                  if found[index].of_stack and
                  found[index].key[0] == stack_id and
                  found[index].state == IN_PROGRESS), None)
    if first is None:
        return None
    head, found = found[first], found[first:]
    last = next((each for each in found if each.of_stack and
                 each.key[0] == stack_id and each.action == head.action and
                 each.state != IN_PROGRESS), None)
    end = last.time if last else max(now, found[-1].time)
    known = list(resources)
    tree = _Tree(list(_bars(found)), known, found, stack_id)
    # Of a deleted stack nobody knows what depended on what.
    tree.mark(stack_id, head.time, end, critical=bool(known))
    return {
        'stack_name': head.key[1], 'stack_id': stack_id,
        'action': head.action, 'status': last.state if last else IN_PROGRESS,
        'began': head.time.isoformat(), 'ended': end.isoformat(),
        'bars': [_shown(path, bar, end)
                 for path, bar in tree.walk(stack_id)]}


def _bars(events: Iterable[Event]) -> Iterator[Bar]:
    """Yield the bars of resources, in the order in which they begin."""
    running: dict[tuple[Key, str], Bar] = {}
    for number, event in enumerate(events):
        if event.of_stack or event.action in _IGNORED:
            continue
        place = (event.key, event.action)
        if event.state == IN_PROGRESS:
            if place not in running:
                running[place] = Bar(event.key, event.action,
                                     event.time, number)
                yield running[place]
        elif place in running:
            bar = running.pop(place)
            bar.state, bar.ended, bar.last = event.state, event.time, number


class _Tree:
    """The bars of a tree of stacks, with their dependencies."""

    def __init__(self, bars: list[Bar],
                 resources: Iterable[Mapping[str, Any]],
                 events: Iterable[Event], root: str) -> None:
        self._stacks: dict[str, list[Bar]] = {}
        for bar in bars:
            self._stacks.setdefault(bar.key[0], []).append(bar)
        self._required_by: dict[Key, list[str]] = {}
        #: {resource: ID of the stack inside it}
        self._inside = {event.key: event.physical for event in events
                        if event.physical in self._stacks and
                        event.physical not in (root, event.key[0])}
        for each in resources:
            key = (api.linked(each, 'stack')[1], each['resource_name'])
            self._required_by[key] = list(each.get('required_by') or ())
            nested = api.linked(each, 'nested')[1]
            if nested:
                self._inside[key] = nested

    def walk(self, stack_id: str, path: tuple[str, ...] = ()
             ) -> Iterator[tuple[tuple[str, ...], Bar]]:
        """Yield (path, bar), what is inside a resource after it."""
        shown = set()
        for bar in self._stacks.get(stack_id, ()):
            here = (*path, bar.key[1])
            yield here, bar
            inside = self._inside.get(bar.key)
            if inside and inside not in shown:
                shown.add(inside)
                yield from self.walk(inside, here)

    def mark(self, stack_id: str, began: datetime.datetime,
             now: datetime.datetime, *, critical: bool) -> None:
        """Note when the bars of a stack were ready, and its critical path.

        :param critical: whether the stack is on the path of its parent
        """
        bars = self._stacks.get(stack_id, [])
        before = {id(bar): self._before(bar, bars) for bar in bars}
        for bar in bars:
            bar.entered = began
            bar.ready = max([began, *(each.end(now)
                                      for each in before[id(bar)])])
        bar = max(bars, key=_end, default=None)
        while critical and bar is not None and not bar.critical:
            bar.critical = True
            bar = max(before[id(bar)], key=_end, default=None)
        done = set()
        for bar in bars:
            inside = self._inside.get(bar.key)
            if inside and inside not in done:
                done.add(inside)
                self.mark(inside, bar.began, bar.end(now),
                          critical=bar.critical)

    def _before(self, bar: Bar, bars: Iterable[Bar]) -> list[Bar]:
        """Return the bars that one waited for.

        Times have seconds; the order of the events is finer.
        """
        return [each for each in bars
                if each.last < bar.first and self._waits(bar, each)]

    def _waits(self, bar: Bar, other: Bar) -> bool:
        """Return whether one bar has to wait for another."""
        if bar.action in _REVERSED:
            # A resource is deleted after its replacement is ready, and after
            # those that require it use the replacement or are deleted.
            return other.key[1] in (bar.key[1], *self._required_by.get(
                bar.key, ()))
        return other.action not in _REVERSED and (
            bar.key[1] in self._required_by.get(other.key, ()))


def _end(bar: Bar) -> float:
    return bar.last


def _shown(path: tuple[str, ...], bar: Bar, now: datetime.datetime
           ) -> dict[str, Any]:
    began = bar.began.isoformat()
    return {'path': list(path), 'action': bar.action, 'status': bar.state,
            'ready': bar.ready.isoformat() if bar.ready else None,
            'began': began,
            'ended': bar.ended.isoformat() if bar.ended else None,
            'critical': bar.critical,
            'phases': phases(
                bar.entered.isoformat() if bar.entered else began,
                bar.ready.isoformat() if bar.ready else None, began,
                bar.end(now).isoformat())}
