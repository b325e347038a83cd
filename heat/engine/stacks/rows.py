"""The stored resources of one stack, read once and in one statement."""
from collections.abc import Iterable
import itertools
import threading
from typing import Any, cast

from heat.common import context as heat_context
from heat.engine.stacks import graph as stack_graph
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

#: How many rows are worth being read by their names.
_FEW = 100
#: How often that is done before all rows are read.
_FEW_TIMES = 4
#: The number of stacks whose children are read together.
_FAMILIES_TOGETHER = 20


class StackRows:
    """Rows of the resources of a stack by name.

    Convergence keeps several rows for a name while one replaces another;
    the one that counts is not replaced, and the newest of these.
    """

    def __init__(self, context: heat_context.RequestContext,
                 stack_id: str | None) -> None:
        self._context = context
        self._stack_id = stack_id
        self._by_name: dict[str, Any] | None = None
        # Rows that were read by their names; None for names without a row.
        self._few: dict[str, Any] = {}
        self._times = 0
        # {row id: names}, made when it is asked for.
        self._requirers: dict[int, list[str]] | None = None

    def by_name(self) -> dict[str, Any]:
        """Return {name: row}, from the database the first time."""
        if self._by_name is None:
            self._by_name = {}
            if self._stack_id is not None:
                # Resources have been made of the rows that are known.
                self._by_name = self._read() | {
                    name: row for name, row in self._few.items()
                    if row is not None}
        return self._by_name

    def get(self, name: str) -> Any:
        """Return the row of a resource, or None when it has none."""
        if self._by_name is None and name in self._few:
            return self._few[name]
        return self.by_name().get(name)

    def expect(self, names: Iterable[str], *, with_data: bool = False
               ) -> None:
        """Read the rows of a few resources if none have been read.

        All are read when one of another name is asked for.

        :param with_data: also what plugins keep with the resources
        """
        unread = sorted(set(names) - set(self._few))
        if unread and self._by_name is None and (
                self._stack_id is not None and len(unread) <= _FEW
                and self._times < _FEW_TIMES):
            self._times += 1
            found = transaction.read(self._context, lambda: self._read(
                unread, with_data=with_data))
            self._few |= {name: found.get(name) for name in unread}

    def names_requiring(self, row_id: int) -> list[str]:
        """Return the names of resources whose rows require one.

        One statement unless all rows have been read.
        """
        if self._by_name is None and self._stack_id is not None:
            return resource_objects.Resource.names_requiring(
                self._context, self._stack_id, row_id)
        if self._requirers is None:
            self._requirers = requirers(self.by_name().values())
        return self._requirers.get(row_id, [])

    def _read(self, names: list[str] | None = None, *,
              with_data: bool = False) -> dict[str, Any]:
        return chosen(resource_objects.Resource.get_all_active_by_stack(
            self._context, cast(str, self._stack_id), names=names,
            with_data=with_data).values())

    def put(self, row: Any) -> None:
        """Use this row from now on."""
        self.by_name()[row.name] = row
        self._requirers = None

    def drop(self, name: str) -> None:
        """Forget a row."""
        self.by_name().pop(name, None)
        self._requirers = None

    def forget(self) -> None:
        """Ask the database again, next time."""
        self._by_name = None
        self._few = {}
        self._times = 0
        self._requirers = None

    def use(self, rows: Iterable[Any]) -> None:
        """Take these rows instead of asking the database."""
        self._by_name = chosen(rows)
        self._requirers = None


class ChildRows:
    """Rows of the stacks inside one, read once, each for one use.

    :param families: where they are read with those inside other stacks
    """

    def __init__(self, context: heat_context.RequestContext,
                 stack_id: str | None, families: 'Families | None' = None
                 ) -> None:
        self._context = context
        self._stack_id = stack_id
        self._families = families or Families([stack_id])
        self._lock = threading.Lock()
        self._rows: dict[str, Any] | None = None
        self._places: dict[str, int] = {}

    def take(self, child_id: str, names: Iterable[str] = ()) -> Any:
        """Return the row of a child; None if it was taken, or came later.

        :param names: the resources of the stack, in the order in which
            children are asked for
        """
        with self._lock:
            if self._rows is None:
                self._rows = _ordered(self._families.take(
                    self._context, self._stack_id), names)
                self._places = {one: place for place, one in
                                enumerate(self._rows)}
            return self._rows.pop(child_id, None)

    def next(self, number: int, child_id: str) -> list[Any]:
        """Return so many rows behind a child's that have not been taken.

        Those inside other stacks are next when there are too few. What is
        before it has been taken, or another engine takes it.
        """
        with self._lock:
            unread = self._rows or {}
            rows = list(itertools.islice(
                (unread[one] for one in itertools.islice(
                    self._places, self._places.get(child_id, -1) + 1, None)
                 if one in unread), number))
        return rows + self._families.next(number - len(rows))


def _ordered(rows: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return {id: row} of children in the order of their resources."""
    places = {name: place for place, name in enumerate(names)}
    return dict(sorted(rows.items(), key=lambda item: places.get(
        item[1].parent_resource_name, len(places))))


class Families:
    """Rows of the stacks inside some stacks, read for several at a time."""

    def __init__(self, stack_ids: Iterable[Any]) -> None:
        self._lock = threading.Lock()
        self._unread = dict.fromkeys(stack_ids)
        self._rows: dict[Any, dict[str, Any]] = {}

    def take(self, context: heat_context.RequestContext, stack_id: Any
             ) -> dict[str, Any]:
        """Return {id: row} of what is inside a stack, to whom asks first."""
        with self._lock:
            if stack_id not in self._rows:
                self._unread.pop(stack_id, None)
                self._read(context, [stack_id, *itertools.islice(
                    self._unread, _FAMILIES_TOGETHER - 1)])
            return self._rows.pop(stack_id)

    def next(self, number: int) -> list[Any]:
        """Return so many rows that have been read and not been taken."""
        with self._lock:
            return list(itertools.islice(itertools.chain.from_iterable(
                rows.values() for rows in self._rows.values()), number))

    def _read(self, context: heat_context.RequestContext, stack_ids: list[Any]
              ) -> None:
        stacks = stack_objects.Stack
        for stack_id in stack_ids:
            self._unread.pop(stack_id, None)
            self._rows[stack_id] = {}
        rows = stacks.get_all_by_owner_ids(context, stack_ids,
                                           graph=stack_objects.Graph.UNFINISHED)
        tags = stacks.tags_for(context, [row.id for row in rows])
        for row in rows:
            row.tags = tags.get(row.id, [])
            self._rows[row.owner_id][row.id] = row


def chosen(rows: Iterable[Any]) -> dict[str, Any]:
    """Return {name: the row that counts for this name}."""
    best = {}
    for row in sorted(rows, key=_rank):
        best[row.name] = row
    return best


def requirers(rows: Iterable[Any]) -> dict[int, list[str]]:
    """Return {row id: names of the resources whose rows require it}."""
    found: dict[int, list[str]] = {}
    for row in rows:
        if stack_graph.is_gone(row):
            continue
        for row_id in row.requires or ():
            found.setdefault(row_id, []).append(row.name)
    return found


def _rank(row: Any) -> tuple[bool, bool, int]:
    gone = row.action == 'DELETE' and row.status == 'COMPLETE'
    return not gone, row.replaced_by is None, row.id
