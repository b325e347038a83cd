"""The row of a resource as this process last read or wrote it.

A RowState changes by its own methods alone; others read it.
"""
from collections.abc import Callable
import copy
import dataclasses
import datetime
from typing import Any

#: (action, status) of a row.
State = tuple[str, str]


@dataclasses.dataclass(slots=True)
class Pending:
    """Values that a handler without remote effects has set, not yet written.

    :ivar first_data: the resource had no data before
    :ivar beginnings: operations of nested stacks that begin with it
    """

    physical_id: bool = False
    data: dict[str, tuple[str, bool]] = dataclasses.field(
        default_factory=dict)
    first_data: bool = False
    beginnings: list[Any] = dataclasses.field(default_factory=list)


class RowState:
    """The row of a resource as it was last read or written.

    :ivar state: (action, status) as stored; the resource itself may be ahead
    :ivar engine_id: the engine that held the row when it was read
    :ivar atomic_key: the counter of writes to the row
    :ivar claim: the claim under which an action holds the row, or None
    :ivar pending: the Pending of a handler that is recorded in one write
    :ivar data: texts by key, None until they are read
    :ivar metadata: None when there are none but the template's
    :ivar properties: the property values, None when there are none
    :ivar properties_id: the id of their row
    :ivar attributes_id: the id of the row of the attribute values
    """

    __slots__ = ('state', 'engine_id', 'atomic_key', 'claim', 'pending',
                 'data', 'metadata', 'properties', 'properties_id',
                 'attributes_id')

    def __init__(self, state: State) -> None:
        self.state = state
        self.engine_id: str | None = None
        self.atomic_key: int | None = None
        self.claim: Any = None
        self.pending: Pending | None = None
        self.data: dict[str, str] | None = None
        self.metadata: dict[str, Any] | None = None
        self.properties: dict[str, Any] | None = None
        self.properties_id: int | None = None
        self.attributes_id: int | None = None

    def copy(self) -> 'RowState':
        """Return what another object for the same row is to know."""
        return copy.copy(self)

    def load(self, row: Any) -> None:
        """Take over what has been read."""
        self.state = row.action, row.status
        self.engine_id = row.engine_id
        self.atomic_key = row.atomic_key
        self.data = row.data
        self.metadata = row.rsrc_metadata
        self.properties = row.properties
        self.properties_id = row.rsrc_prop_data_id
        self.attributes_id = row.attr_data_id

    def publish(self, state: State, properties_id: int | None,
                attributes_id: int | None) -> None:
        """Take over what has been written."""
        self.state = state
        self.properties_id = properties_id
        self.attributes_id = attributes_id

    # -- the claim ----------------------------------------------------------

    def count_write(self, claim: Any) -> None:
        """Follow the counter of a row that was written under a claim."""
        self.atomic_key = claim.next_key(self.atomic_key)

    def count_swap(self, atomic_key: int | None) -> None:
        """Follow the counter of a row that was swapped from a value."""
        self.atomic_key = (atomic_key or 0) + 1

    def hold(self, claim: Any) -> None:
        """Have an action hold the row, or with None, no action."""
        self.claim = claim

    def defer(self) -> None:
        """Keep what a handler sets until its outcome is written."""
        self.pending = Pending(first_data=self.data == {})

    def end_deferral(self) -> None:
        """Forget what was kept: it is written, or lost with the action."""
        self.pending = None

    def begin_at(self, moment: datetime.datetime) -> None:
        """Set the time of update of operations that begin with the action."""
        if self.pending is not None:
            for beginning in self.pending.beginnings:
                beginning.begin_at(moment)

    def discard_beginnings(self) -> None:
        """Have nothing begin with an action that fails, or is not ours."""
        if self.pending is not None:
            discarded, self.pending.beginnings = self.pending.beginnings, []
            for beginning in discarded:
                beginning.discard()

    def defer_physical_id(self) -> bool:
        """Have a new physical id written with the outcome, if all is.

        Return whether that is so.
        """
        if self.pending is None:
            return False
        self.pending.physical_id = True
        return True

    # -- data ---------------------------------------------------------------

    def read_data(self, read: Callable[[], dict[str, str]]
                  ) -> dict[str, str]:
        """Return the data, from read() the first time."""
        if self.data is None:
            self.data = dict(read())
            if self.pending is not None:
                self.data.update((key, value) for key, (value, _redact)
                                 in self.pending.data.items())
        return self.data

    def start_without_data(self) -> None:
        """Take into account that a new row has no data."""
        self.data = {}

    def forget_data(self) -> None:
        """Have the data read again when they are next asked for."""
        self.data = None

    def put_datum(self, key: str, value: str, redact: bool) -> bool:
        """Set a value; return whether it is written with the outcome."""
        if self.data is not None:
            self.data[key] = value
        if self.pending is None:
            return False
        self.pending.data[key] = (value, redact)
        return True

    def drop_datum(self, key: str) -> None:
        """Remove a value that has been read."""
        if self.data is not None:
            del self.data[key]
        if self.pending is not None:
            self.pending.data.pop(key, None)

    # -- metadata, properties, attributes -----------------------------------

    def set_metadata(self, metadata: dict[str, Any] | None) -> None:
        """Take over metadata that were read or written."""
        self.metadata = metadata

    def set_properties(self, values: dict[str, Any]) -> None:
        """Let these be the property values, in whichever row they are."""
        self.properties = values

    def move_properties(self, properties_id: int | None) -> None:
        """Take over the id of the row of the property values."""
        self.properties_id = properties_id

    def drop_attributes(self) -> None:
        """Take into account that no attribute values are stored."""
        self.attributes_id = None
