"""Poll several objects of a service with one list request.

Resources that wait for a server or a volume poll it every second. One list
request for all of them costs the service less: Nova asks Neutron about each
server that it shows. See decisions 54 and 57.

An object that is missing from a list is requested by ID, unless the list is
known to have all objects and the caller waits for the end of this one. The
limit of a list request follows the number of objects that are waited for,
with the newest first. If a list has fewer than half of them, no list is
requested for a while.
"""
from collections.abc import Callable, Hashable, Iterator
import dataclasses
import itertools
import threading
from typing import Any

from oslo_log import log as logging

from heat.common import timeutils
from heat.engine.clients import sdk

LOG = logging.getLogger(__name__)

#: The number of waiting resources from which on lists are requested.
FEW = 3
#: Seconds without a poll after which a resource no longer waits. Polls are at
#: most ten seconds apart.
_FORGOTTEN = 15
#: Seconds for which a list may be used.
_FRESH = 0.5
#: Seconds without list requests after a list that was of no use.
_WITHOUT = 60
#: Seconds that a poll waits for a list request in progress.
_PATIENCE = 2
#: The limit of a list request: objects for each waiting resource, the least
#: and the most.
_ROOM, _LEAST, _MOST = 2, 20, 200


@dataclasses.dataclass
class _Collection:
    """The objects of one kind in one project.

    :ivar asked: {id: the time of its last poll}
    :ivar listed: {id: object} of the latest list
    :ivar is_whole: whether that list has all objects of the project
    :ivar began: the time at which that list was requested
    :ivar resumes: the time from which on lists may be requested
    """

    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)
    asked: dict[str, float] = dataclasses.field(default_factory=dict)
    listed: dict[str, Any] = dataclasses.field(default_factory=dict)
    is_whole: bool = False
    began: float = float('-inf')
    resumes: float = float('-inf')

    def forget_before(self, moment: float) -> None:
        """Forget the objects that were not polled since a moment."""
        for each, last in list(self.asked.items()):
            if last < moment:
                del self.asked[each]

    def is_news(self, before: float, now: float) -> bool:
        """Return whether the list is newer than the previous poll."""
        return before < self.began and now - self.began <= _FRESH


@dataclasses.dataclass(frozen=True, slots=True)
class Service:
    """The requests for objects of one kind.

    :ivar fetch: returns an object by its ID, or raises an error
    :ivar list_newest: takes the limit of a page; returns all objects, newest
        first, and requests the next page when it is needed
    :ivar is_awaited: returns whether the caller will poll the object again
    :ivar may_be_gone: whether the caller waits for the object to disappear
    """

    fetch: Callable[[str], Any]
    list_newest: Callable[[int], Iterator[Any]]
    is_awaited: Callable[[Any], bool]
    may_be_gone: bool = False


class SharedLooks:
    """The lists shared by resources that wait for objects of one kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._collections: dict[Hashable, _Collection] = {}

    def look(self, key: Hashable, thing_id: str,
             service: Service) -> Any:
        """Poll an object; return it, or None if its state is unknown.

        :param key: identifies the project and the kind of objects
        :raises NotFoundException: (openstacksdk) the object may be gone, and
            a list of all objects does not have it
        :raises Exception: whatever `fetch` of the service raises
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
                # No resource waits any longer.
                del self._collections[key]

    def _look(self, key: Hashable, thing_id: str, service: Service) -> Any:
        now = timeutils.wallclock()
        with self._lock:
            there = self._collection(key, now)
            before = there.asked.get(thing_id)
            there.asked[thing_id] = now
            is_alone = len(there.asked) < FEW or now < there.resumes
        if before is None:
            # The action has only just begun: it takes longer than that, and
            # earlier lists predate it.
            return None
        if is_alone and not there.is_news(before, now):
            return service.fetch(thing_id)
        if not there.lock.acquire(timeout=_PATIENCE):
            return None
        try:
            if not there.is_news(before, now):
                self._list(there, service.list_newest)
            found = there.listed.get(thing_id)
            is_gone = found is None and there.is_whole and service.may_be_gone
        finally:
            there.lock.release()
        if is_gone:
            raise sdk.exceptions.NotFoundException(
                f'{thing_id} is not in the list of all objects')
        return service.fetch(thing_id) if found is None else found

    def _collection(self, key: Hashable, now: float) -> _Collection:
        there = self._collections.get(key)
        if there is None:
            self._forget_old(now)
            there = self._collections[key] = _Collection()
        there.forget_before(now - _FORGOTTEN)
        return there

    def _forget_old(self, now: float) -> None:
        """Forget the projects in which no resource waits."""
        for key, one in list(self._collections.items()):
            one.forget_before(now - _FORGOTTEN)
            if not one.asked:
                del self._collections[key]

    def _list(self, there: _Collection,
              list_newest: Callable[[int], Iterator[Any]]) -> None:
        with self._lock:
            asked = list(there.asked)
        began, seen = timeutils.wallclock(), set(there.listed)
        room = min(max(_LEAST, _ROOM * len(asked)), _MOST)
        try:
            # A service may return fewer objects than the limit though there
            # are more. openstacksdk then requests the next page.
            newest = list(itertools.islice(list_newest(room), room))
            there.listed = {each.id: each for each in newest}
            there.is_whole = len(newest) < room
        except Exception as error:  # noqa: BLE001 (fetch() follows)
            LOG.info('Cannot list the awaited objects: %s', error)
            there.listed, there.is_whole = {}, False
        there.began = began
        # Objects of the previous list that are gone do not make it useless.
        seen.update(there.listed)
        if 2 * len(seen.intersection(asked)) < len(asked):
            there.resumes = timeutils.wallclock() + _WITHOUT

    def keys(self) -> set[Hashable]:
        """Return the keys under which resources wait, or did recently."""
        with self._lock:
            return set(self._collections)

    def forget(self) -> None:
        """Forget all lists."""
        with self._lock:
            self._collections.clear()


#: The one of this process.
LOOKS = SharedLooks()
