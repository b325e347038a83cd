"""Read what really exists, of many resources by few requests.

Things of one kind are read by lists. A list is read page by page, no further
than to the things that are looked for.
"""
import collections
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from oslo_log import log as logging

from heat.common import exception

LOG = logging.getLogger(__name__)

#: Number of resources of a tree from which on lists are asked for.
_MANY = 20
#: Things of a list that are read at most; a project may have a lot more
#: than a stack.
_LONGEST = 10000
#: Things of a page, as the resource types ask for them.
_PAGE = 500


class LiveState:
    """Reads what really exists for one detection.

    A list may be older than the definitions, and may leave objects out. With
    a second look, a difference found at the first look is provisional: doubt()
    notes it, and look_again() begins the second look.

    :param total: the number of resources of the tree
    :param twice: whether there is a second look
    :ivar is_provisional: whether a difference found by the last of() has to
        be confirmed
    """

    def __init__(self, total: int = 1, *, twice: bool = False) -> None:
        #: The number of things, and of pages of lists, that have been read.
        self.reads = 0
        self._uses_lists = total >= _MANY
        self._lists: dict[Hashable, _List] = {}
        self._is_first, self._is_second = twice, False
        #: The list that was searched last.
        self._last: Hashable = None
        #: {list: number of resources for the second look}.
        self._doubtful: collections.Counter[Hashable] = collections.Counter()
        #: The lists that take more requests than reading each resource does.
        self._dear: set[Hashable] = set()

    @property
    def is_provisional(self) -> bool:
        """Return whether the last of() used a list at the first look."""
        return self._is_first and self._last is not None

    def doubt(self) -> None:
        """Leave the resource of the last of() to the second look."""
        self._doubtful[self._last] += 1

    def look_again(self) -> None:
        """Begin the second look.

        It reads new lists, or the resources one by one if that takes no more
        requests.
        """
        self._dear = {key for key, number in self._doubtful.items()
                      if number <= self._lists[key].pages}
        self._lists = {}
        self._is_first, self._is_second = False, True

    def of(self, resource: Any) -> Any:
        """Return the live data of a resource, as its plugin gives them.

        :raises EntityNotFound: it is gone.
        """
        self._last = None
        listing = self._listing_of(resource)
        if listing is not None:
            found = self.find(resource.drift_thing_id(), *listing)
            if found is not None:
                self._last = listing[0]
                return resource.drift_data_of(found, self)
            if self._is_gone(resource, listing[0]):
                self._last = listing[0]
                raise exception.EntityNotFound(entity=resource.type(),
                                               name=resource.name)
        self.reads += 1
        return resource.drift_data()

    def _listing_of(self, resource: Any) -> tuple[Hashable, Any] | None:
        """Return the list that has a resource, None to ask for it alone."""
        if not self._uses_lists or resource.resource_id is None:
            return None
        listing: tuple[Hashable, Any] | None = resource.drift_listing()
        return (None if listing is None or listing[0] in self._dear
                else listing)

    def _is_gone(self, resource: Any, key: Hashable) -> bool:
        """Return whether to report a resource as gone that no list has."""
        if not self._lists[key].is_whole:
            return False
        return self._is_first or (self._is_second and
                                  resource.drift_list_is_proof())

    def find(self, its_id: str, key: Hashable, ask: Any) -> Any:
        """Return a thing out of a list, None if it is not in it.

        :param key: which list that is
        :param ask: returns an iterator over the list
        """
        return self._list(key, ask).find(its_id)

    def all_of(self, key: Hashable, ask: Any) -> list[Any] | None:
        """Return all things of a list, None if they cannot be listed."""
        return self._list(key, ask).all()

    def _list(self, key: Hashable, ask: Any) -> '_List':
        if key not in self._lists:
            self._lists[key] = _List(ask, self._note_page)
        return self._lists[key]

    def _note_page(self) -> None:
        self.reads += 1


class _List:
    """A list of things, as far as it has been read.

    :param note_page: called for each page
    :ivar pages: the number of pages that have been read
    :ivar is_whole: whether it has been read to its end
    """

    def __init__(self, ask: Any, note_page: Callable[[], None]) -> None:
        self._ask, self._note_page = ask, note_page
        self._rest: Iterator[Any] | None = None
        self._known: dict[str, Any] = {}
        self.pages = 0
        self.is_whole = False
        self._broken = False

    def find(self, its_id: str) -> Any:
        """Return a thing by its id; None if it is not among them."""
        while its_id not in self._known and self._read():
            pass
        return self._known.get(its_id)

    def all(self) -> list[Any] | None:
        """Return all things, None if that is not possible."""
        while self._read():
            pass
        return list(self._known.values()) if self.is_whole else None

    def _read(self) -> bool:
        """Read another thing; return whether there was one."""
        if self.is_whole or self._broken or len(self._known) >= _LONGEST:
            return False
        if len(self._known) % _PAGE == 0:
            self.pages += 1
            self._note_page()
        try:
            if self._rest is None:
                self._rest = iter(self._ask())
            thing = next(self._rest, None)
        except Exception as error:  # noqa: BLE001 (clients raise anything)
            # Who may see one thing need not be allowed to list all.
            LOG.info('Things cannot be listed, and are asked for one by '
                     'one: %s', error)
            self._broken = True
            return False
        if thing is None:
            self.is_whole = True
            return False
        self._known[thing.id] = thing
        return True
