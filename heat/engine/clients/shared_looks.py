"""Look at many things of a service by one request.

Who waits for a server or a volume looks at it every second. Where several of
one project are waited for, a list tells of all of them, and costs a service
less: Nova asks Neutron for each server that it shows.

A thing that is not in a list is asked for by itself, so that a list never
decides that something is gone. The newest come first in a list, which has
room for what is waited for and not for all that a project has; where it
does not tell of half of that, no list is made for a while.
"""
from collections.abc import Callable, Hashable, Iterable
import dataclasses
import threading
from typing import Any

from oslo_log import log as logging

from heat.common import timeutils

LOG = logging.getLogger(__name__)

#: For how many things together a list is made.
FEW = 3
#: Seconds after which nobody waits any longer who has not looked again. Two
#: looks are ten seconds apart at most.
_FORGOTTEN = 15
#: Seconds for which a list is news.
_FRESH = 0.5
#: Seconds without lists, after one that was of no use.
_WITHOUT = 60
#: Seconds that a look waits for the list that another one makes.
_PATIENCE = 2
#: Things in a list: so many for each one waited for, within limits.
_ROOM, _LEAST, _MOST = 2, 20, 200


@dataclasses.dataclass
class _Collection:
    """The things of one kind in one project.

    :ivar asked: {id: when it was last looked at}
    :ivar listed: {id: thing} of the latest list
    :ivar began: when that was asked for
    :ivar resumes: when lists may be made again
    """

    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    asked: dict[str, float] = dataclasses.field(default_factory=dict)
    listed: dict[str, Any] = dataclasses.field(default_factory=dict)
    began: float = float('-inf')
    resumes: float = float('-inf')

    def forget_before(self, moment: float) -> None:
        """Forget who has not looked since a moment."""
        for each, last in list(self.asked.items()):
            if last < moment:
                del self.asked[each]

    def is_news(self, before: float | None, now: float) -> bool:
        """Return whether the list says more than the look before did."""
        return (before is not None and before < self.began and
                now - self.began <= _FRESH)


@dataclasses.dataclass(frozen=True, slots=True)
class Service:
    """How things of one kind are asked for.

    :ivar fetch: returns a thing by its id, or raises an error
    :ivar list_newest: returns so many things, the newest ones first
    :ivar is_awaited: whether somebody who sees the thing will look again
    """

    fetch: Callable[[str], Any]
    list_newest: Callable[[int], Iterable[Any]]
    is_awaited: Callable[[Any], bool]


class SharedLooks:
    """Lists that all share who wait for things of one kind and project."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._collections: dict[Hashable, _Collection] = {}

    def look(self, key: Hashable, thing_id: str,
             service: Service) -> Any:
        """Return a thing that somebody waits for; None if that is not known.

        :param key: says which kind of things of which project it is
        :raises Exception: what `fetch` of the service raises
        """
        is_over = True
        try:
            found = self._look(key, thing_id, service)
            is_over = found is not None and not service.is_awaited(found)
            return found
        finally:
            if is_over:
                self._leave(key, thing_id)

    def _leave(self, key: Hashable, thing_id: str) -> None:
        with self._lock:
            there = self._collections.get(key)
            if there is None:
                return
            there.asked.pop(thing_id, None)
            if not there.asked:
                # Nobody waits: the list is of no more use.
                del self._collections[key]

    def _look(self, key: Hashable, thing_id: str, service: Service) -> Any:
        now = timeutils.wallclock()
        with self._lock:
            there = self._collection(key, now)
            before = there.asked.get(thing_id)
            there.asked[thing_id] = now
            is_alone = len(there.asked) < FEW or now < there.resumes
        if is_alone and not there.is_news(before, now):
            return service.fetch(thing_id)
        if before is None:
            # A list that was made before does not know it, and it has only
            # just begun to change: look together with the others.
            return None
        if not there.lock.acquire(timeout=_PATIENCE):
            return None
        try:
            if not there.is_news(before, now):
                self._list(there, service.list_newest)
            found = there.listed.get(thing_id)
        finally:
            there.lock.release()
        return service.fetch(thing_id) if found is None else found

    def _collection(self, key: Hashable, now: float) -> _Collection:
        there = self._collections.get(key)
        if there is None:
            self._forget_old(now)
            there = self._collections[key] = _Collection()
        there.forget_before(now - _FORGOTTEN)
        return there

    def _forget_old(self, now: float) -> None:
        """Forget projects in which nobody waits any longer."""
        for key, one in list(self._collections.items()):
            one.forget_before(now - _FORGOTTEN)
            if not one.asked:
                del self._collections[key]

    def _list(self, there: _Collection,
              list_newest: Callable[[int], Iterable[Any]]) -> None:
        with self._lock:
            asked = list(there.asked)
        began, seen = timeutils.wallclock(), set(there.listed)
        room = min(max(_LEAST, _ROOM * len(asked)), _MOST)
        try:
            there.listed = {each.id: each for each in list_newest(room)}
        except Exception as error:  # noqa: BLE001 (each is asked for alone)
            LOG.info('No list of what is waited for: %s', error)
            there.listed = {}
        there.began = began
        # What was in the list before has gone: lists do tell of it.
        seen.update(there.listed)
        if 2 * len(seen.intersection(asked)) < len(asked):
            there.resumes = timeutils.wallclock() + _WITHOUT

    def keys(self) -> set[Hashable]:
        """Return the keys under which somebody waits, or did recently."""
        with self._lock:
            return set(self._collections)

    def forget(self) -> None:
        """Forget all lists."""
        with self._lock:
            self._collections.clear()


#: The one of this process.
LOOKS = SharedLooks()
