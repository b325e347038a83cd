"""Read what really exists, of many resources by few requests.

Things of one kind are read by lists. A list is read page by page, no further
than to the things that are looked for.
"""
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from oslo_log import log as logging

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

    :param total: the number of resources of the tree
    """

    def __init__(self, total: int = 1) -> None:
        #: The number of things, and of pages of lists, that have been read.
        self.reads = 0
        self._uses_lists = total >= _MANY
        self._lists: dict[Hashable, _List] = {}

    def of(self, resource: Any) -> Any:
        """Return the live data of a resource, as its plugin gives them.

        :raises EntityNotFound: it is gone.
        """
        if self._uses_lists and resource.resource_id is not None:
            listing = resource.drift_listing()
            if listing is not None:
                found = self.find(resource.resource_id, *listing)
                if found is not None:
                    return resource.drift_data_of(found, self)
        self.reads += 1
        return resource.drift_data()

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
    """

    def __init__(self, ask: Any, note_page: Callable[[], None]) -> None:
        self._ask, self._note_page = ask, note_page
        self._rest: Iterator[Any] | None = None
        self._known: dict[str, Any] = {}
        self._whole = False
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
        return list(self._known.values()) if self._whole else None

    def _read(self) -> bool:
        """Read another thing; return whether there was one."""
        if self._whole or self._broken or len(self._known) >= _LONGEST:
            return False
        if len(self._known) % _PAGE == 0:
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
            self._whole = True
            return False
        self._known[thing.id] = thing
        return True
