"""When each resource worked in the last operation of a stack.

Pure: computed from events and from what the definitions of resources
require. An event is stored when an attempt begins and when it ends. The one
that ends it tells how long the handler and the polling took, counted back
from it; without that, all between the two events is acting.
"""
from collections.abc import Iterable, Iterator, Mapping, Sequence
import dataclasses
import datetime
import enum
import math
from typing import Any

_IN_PROGRESS, _INIT, _CREATE = 'IN_PROGRESS', 'INIT', 'CREATE'
#: Actions that come to a resource after those that require it.
_REVERSED = frozenset(('DELETE', 'SUSPEND'))
#: Actions of events that begin and end nothing.
_IGNORED = frozenset(('INIT', 'SIGNAL'))

Key = tuple[str, str]

_NOTHING = datetime.timedelta()


class Phase(enum.StrEnum):
    """A phase of the time that an action of a resource takes."""

    DEPENDENCIES = 'dependencies'   # waiting for dependencies
    TURN = 'turn'                   # ready, waiting for a free slot
    ACTING = 'acting'               # running the handler
    POLLING = 'polling'             # polling for completion


@dataclasses.dataclass(frozen=True, slots=True)
class StackFacts:
    """A stack of the tree.

    :ivar parent_id: the stack that it is nested in
    :ivar parent_resource: the resource whose stack it is
    :ivar requires: {name: (type, names of the resources it requires)} of
        the present definition
    """

    stack_id: str
    name: str
    parent_id: str | None = None
    parent_resource: str | None = None
    requires: Mapping[str, tuple[str, Sequence[str]]] = (
        dataclasses.field(default_factory=dict))


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One event, as stored.

    :ivar acting: how long the handler of the attempt that it ends took;
        None if nobody measured that
    :ivar polling: the same of what followed
    """

    stack_id: str
    name: str
    action: str
    status: str
    physical_id: str | None
    type: str
    time: datetime.datetime
    of_stack: bool
    acting: datetime.timedelta | None = None
    polling: datetime.timedelta | None = None


@dataclasses.dataclass(slots=True)
class Attempt:
    """From an event that begins an action to the one that ends it.

    :ivar end: None while it runs
    :ivar measured: how long it (acted, polled), if that is known
    """

    begin: datetime.datetime
    end: datetime.datetime | None = None
    measured: tuple[datetime.timedelta, datetime.timedelta] | None = None

    def finish(self, event: Event) -> None:
        """Note the end."""
        self.end = event.time
        if event.acting is not None and event.polling is not None:
            self.measured = (event.acting, event.polling)

    def correct_begin(self, earliest: datetime.datetime,
                      slack: datetime.timedelta) -> None:
        """Let it begin with its handler, which may come before the event.

        Handlers of local resources have returned when the event is written.

        :param earliest: when it was ready
        """
        if self.end is None or self.measured is None:
            return
        called = max(self.end - sum(self.measured, _NOTHING), earliest)
        if self.begin - called > slack:
            self.begin = called

    def bounds(self, now: datetime.datetime, slack: datetime.timedelta
               ) -> list[datetime.datetime]:
        """Return when it began, acted, polled and ended.

        :param slack: by how much the times of events may be wrong
        """
        end = max(self.end or now, self.begin)
        if self.measured is None:
            return [self.begin, self.begin, end, end]
        acting, polling = self.measured
        polls = max(end - polling, self.begin)
        acts = max(polls - acting, self.begin)
        return [self.begin, self.begin if acts - self.begin <= slack
                else acts, polls, end]


@dataclasses.dataclass(slots=True)
class Work:
    """One action of one resource, all its attempts together.

    :ivar first: the number of the event that begins it; infinite before
    :ivar last: the number of the event that ends it; infinite without one
    :ivar entered: when the operation came to its stack
    :ivar ready: when all that it depends on had ended
    """

    stack_id: str
    name: str
    type: str
    action: str
    status: str = _INIT
    physical_id: str | None = None
    first: float = math.inf
    last: float = math.inf
    entered: datetime.datetime | None = None
    ready: datetime.datetime | None = None
    is_critical: bool = False
    attempts: list[Attempt] = dataclasses.field(default_factory=list)

    @property
    def started(self) -> datetime.datetime | None:
        """When the first attempt began."""
        return self.attempts[0].begin if self.attempts else None

    @property
    def finished(self) -> datetime.datetime | None:
        """When the last attempt ended; None while it works."""
        return self.attempts[-1].end if self.attempts else None

    def begin(self, event: Event, number: int) -> None:
        """Note the beginning of an attempt."""
        self.first = min(self.first, number)
        self.last, self.status = math.inf, _IN_PROGRESS
        self.physical_id = event.physical_id
        if not self.attempts or self.attempts[-1].end is not None:
            self.attempts.append(Attempt(event.time))

    def end(self, event: Event, number: int) -> None:
        """Note the end of an attempt."""
        self.last, self.status = number, event.status
        self.physical_id = event.physical_id
        self.attempts[-1].finish(event)

    def correct_begins(self, slack: datetime.timedelta) -> None:
        """Let attempts begin with their handlers."""
        earliest = self.ready
        for each in self.attempts:
            if earliest is not None:
                each.correct_begin(earliest, slack)
            earliest = each.end

    def phases(self, now: datetime.datetime, slack: datetime.timedelta
               ) -> Iterator[tuple[Phase, datetime.datetime,
                                   datetime.datetime]]:
        """Yield (phase, begin, end), in order, those of no time left out."""
        began = self.started or now
        ready = began if self.ready is None and self.attempts else (
            self.ready or now)
        found = [(Phase.DEPENDENCIES, self.entered or ready,
                  min(ready, began)), (Phase.TURN, ready, began)]
        for attempt in self.attempts:
            bounds = attempt.bounds(now, slack)
            found += zip((Phase.TURN, Phase.ACTING, Phase.POLLING), bounds,
                         bounds[1:], strict=False)
        return (each for each in found if each[1] < each[2])

    def acting_seconds(self, now: datetime.datetime) -> float:
        """Return for how long it has acted, attempts added.

        That includes polling where it is not known.
        """
        return sum(_seconds(each.begin, each.end or now)
                   if each.measured is None else
                   each.measured[0].total_seconds()
                   for each in self.attempts)

    def polling_seconds(self) -> float | None:
        """Return for how long it has polled, as far as it is known."""
        known = [each.measured[1].total_seconds() for each in self.attempts
                 if each.measured is not None]
        return sum(known) if known else None


def of_operation(root_id: str, stacks: Iterable[StackFacts],
                 events: Sequence[Event], now: datetime.datetime
                 ) -> dict[str, Any] | None:
    """Return the timeline of an operation; None without its beginning.

    :param stacks: the root and those below it
    :param events: those of the stacks in their order, beginning with the
        one of the root that begins the operation
    :param now: the end of what has not ended
    """
    if not events or not _is_begin(events[0], root_id):
        return None
    head = events[0]
    last = next((each for each in events[1:] if each.of_stack and
                 each.stack_id == root_id and each.action == head.action and
                 each.status != _IN_PROGRESS), None)
    end = last.time if last else max(now, events[-1].time)
    is_fine = any(each.time.microsecond for each in events)
    slack = _NOTHING if is_fine else datetime.timedelta(seconds=1)
    tree = _Tree({each.stack_id: each for each in stacks}, events, slack)
    if last is None and head.action == _CREATE:
        tree.add_unstarted()
    critical = tree.mark(root_id, head.time, end)
    return {
        'stack_id': root_id, 'stack_name': head.name,
        'action': head.action,
        'status': last.status if last else _IN_PROGRESS,
        'started_at': _text(head.time),
        'finished_at': _text(last.time) if last else None,
        'precision': 'microseconds' if is_fine else 'seconds',
        'resources': [_shown(path, work, end, slack)
                      for path, work in tree.walk(root_id)],
        'critical_path': [_path_text(path) for path in critical],
    }


def _is_begin(event: Event, root_id: str) -> bool:
    return (event.of_stack and event.stack_id == root_id
            and event.status == _IN_PROGRESS)


def _works(events: Iterable[Event]) -> list[Work]:
    """Return the works of resources, in the order in which they begin."""
    found: dict[tuple[str, str, str], Work] = {}
    for number, event in enumerate(events):
        if event.of_stack or event.action in _IGNORED:
            continue
        place = (event.stack_id, event.name, event.action)
        if event.status == _IN_PROGRESS:
            work = found.setdefault(place, Work(
                event.stack_id, event.name, event.type, event.action))
            work.begin(event, number)
        elif place in found and found[place].status == _IN_PROGRESS:
            found[place].end(event, number)
    return list(found.values())


class _Tree:
    """The works of a tree of stacks, with their dependencies."""

    def __init__(self, stacks: Mapping[str, StackFacts],
                 events: Sequence[Event], slack: datetime.timedelta
                 ) -> None:
        self._stacks = stacks
        self._slack = slack
        self._works: dict[str, list[Work]] = {}
        for work in _works(events):
            self._works.setdefault(work.stack_id, []).append(work)
        self._inside: dict[Key, list[str]] = {}
        for each in stacks.values():
            if each.parent_id and each.parent_resource:
                self._inside.setdefault(
                    (each.parent_id, each.parent_resource), []).append(
                        each.stack_id)

    def add_unstarted(self) -> None:
        """Add what a creation has not begun yet."""
        for stack in self._stacks.values():
            works = self._works.setdefault(stack.stack_id, [])
            known = {work.name for work in works}
            works += [Work(stack.stack_id, name, type_name, _CREATE)
                      for name, (type_name, _) in stack.requires.items()
                      if name not in known]

    def walk(self, stack_id: str, path: tuple[str, ...] = ()
             ) -> Iterator[tuple[tuple[str, ...], Work]]:
        """Yield (path, work), what is inside a resource after it."""
        shown = set()
        for work in self._works.get(stack_id, ()):
            here = (*path, work.name)
            yield here, work
            for inside in self._inside.get((stack_id, work.name), ()):
                if inside not in shown:
                    shown.add(inside)
                    yield from self.walk(inside, here)

    def mark(self, stack_id: str, began: datetime.datetime,
             now: datetime.datetime, path: tuple[str, ...] = (),
             *, is_critical: bool = True) -> list[tuple[str, ...]]:
        """Note when works were ready; return the critical path.

        :param is_critical: whether the stack is on the path of its parent
        """
        works = self._works.get(stack_id, [])
        before = self._note_ready(stack_id, works, began, now)
        if is_critical:
            # Its end is that of the stack; what has ended comes from there.
            work = max((each for each in works if each.attempts),
                       key=lambda each: each.last, default=None)
            while work is not None and not work.is_critical:
                work.is_critical = True
                work = max(before[id(work)], key=lambda each: each.last,
                           default=None)
        critical, done = [], set()
        for work in sorted(works, key=lambda each: each.first):
            here = (*path, work.name)
            if work.is_critical:
                critical.append(here)
            for inside in self._inside.get((stack_id, work.name), ()):
                if inside not in done and work.started:
                    done.add(inside)
                    critical += self.mark(
                        inside, work.started, work.finished or now, here,
                        is_critical=work.is_critical)
        return critical

    def _note_ready(self, stack_id: str, works: Sequence[Work],
                    began: datetime.datetime, now: datetime.datetime
                    ) -> dict[int, list[Work]]:
        """Set when works were ready; return what each has waited for."""
        facts = self._stacks.get(stack_id)
        requires = facts.requires if facts else {}
        by_name: dict[str, list[Work]] = {}
        for work in works:
            by_name.setdefault(work.name, []).append(work)
        required_by: dict[str, list[str]] = {}
        for name, (_type, needed) in requires.items():
            for each in needed:
                required_by.setdefault(each, []).append(name)
        before = {}
        for work in works:
            related = self._related(work, requires, required_by)
            waited = [each for name in related
                      for each in by_name.get(name, ())
                      if each is not work and each.last < work.first
                      and _comes_first(each, work)]
            before[id(work)] = waited
            work.entered = began
            if work.attempts or not _is_held_up(work, related, by_name):
                work.ready = max([began, *(each.finished or now
                                           for each in waited)])
                work.correct_begins(self._slack)
        return before

    @staticmethod
    def _related(work: Work, requires: Mapping[str, Any],
                 required_by: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the names of resources that a work may wait for."""
        if work.action in _REVERSED:
            # A resource is deleted after its replacement is ready, and after
            # those that require it use the replacement or are deleted.
            return [work.name, *required_by.get(work.name, ())]
        return list(requires.get(work.name, ('', ()))[1])


def _comes_first(other: Work, work: Work) -> bool:
    """Return whether the direction of two actions lets one wait so."""
    return work.action in _REVERSED or other.action not in _REVERSED


def _is_held_up(work: Work, related: Iterable[str],
                by_name: Mapping[str, Sequence[Work]]) -> bool:
    """Return whether something that a work requires has not ended."""
    return any(each.last == math.inf for name in related
               for each in by_name.get(name, ()))


def _shown(path: tuple[str, ...], work: Work, now: datetime.datetime,
           slack: datetime.timedelta) -> dict[str, Any]:
    phases = list(work.phases(now, slack))

    def seconds_of(phase: Phase) -> float:
        return sum(_seconds(begin, end) for each, begin, end in phases
                   if each == phase)

    return {
        'path': _path_text(path), 'name': work.name, 'type': work.type,
        'action': work.action, 'status': work.status,
        'ready_at': _text(work.ready), 'started_at': _text(work.started),
        'finished_at': _text(work.finished),
        'dependency_seconds': seconds_of(Phase.DEPENDENCIES),
        'waiting_seconds': (None if work.ready is None
                            else seconds_of(Phase.TURN)),
        'acting_seconds': work.acting_seconds(now),
        'polling_seconds': work.polling_seconds(),
        'phases': [{'phase': str(phase), 'started_at': _text(begin),
                    'finished_at': _text(end)}
                   for phase, begin, end in phases],
        'attempts': len(work.attempts), 'is_critical': work.is_critical,
        'physical_resource_id': work.physical_id,
    }


def _path_text(path: Iterable[str]) -> str:
    return '/'.join(path)


def _seconds(begin: datetime.datetime | None,
             end: datetime.datetime) -> float:
    return max((end - (begin or end)).total_seconds(), 0.0)


def _text(moment: datetime.datetime | None) -> str | None:
    """Return a time in UTC with all the digits it has."""
    return None if moment is None else moment.isoformat() + 'Z'
