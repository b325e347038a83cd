"""Select and format the events of one listening client."""
from collections.abc import Collection, Iterator, Mapping, Sequence
import dataclasses
import json
import math
from typing import Any

from heat.api.openstack.v1.streams import position as positions
from heat.api.openstack.v1.views import events_view
from heat.common import http_stream
from heat.common import identifier
from heat.rpc import api as rpc_api

#: The number that orders events, in answers of the engine.
ROW = 'row_id'
_STACK_TYPE = 'OS::Heat::Stack'
#: Bytes that may wait for a client before it gets more.
_ROOM = 128 * 1024
#: Bytes after which no further event is written at once.
_BURST = 360 * 1024
#: Seconds of silence that a heartbeat ends, and milliseconds after which a
#: client connects again.
_HEARTBEAT = 15
_RETRY = 2000
_BEGINNING = b'retry: %d\n: hello\n\n' % _RETRY

Event = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Selection:
    """The events that a client has selected.

    :ivar project: the project whose stacks they are of
    :ivar identity: the stack at the top; None for all of the project
    :ivar depth: the number of levels of nested stacks below the top
    :ivar filters: {key of an event: values}
    :ivar application_url: the beginning of the links
    """

    project: str
    application_url: str
    identity: Mapping[str, Any] | None = None
    depth: int = 0
    filters: Mapping[str, Collection[str]] = dataclasses.field(
        default_factory=dict)

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what is equal for those that get the same."""
        return (self.project, self.application_url, self.stack_id, self.depth,
                frozenset((name, frozenset(values))
                          for name, values in self.filters.items()))

    @property
    def stack_id(self) -> str | None:
        """The id of the stack at the top, or None."""
        return self.identity['stack_id'] if self.identity else None


class Batch:
    """Events as the engine returns them, with their stacks.

    :param events: in the order of their rows
    :param stacks: {id: `name`, `tenant`, `owner_id`,
        `parent_resource_name`, `backup`} of their stacks and those above
    """

    def __init__(self, events: Sequence[Event],
                 stacks: Mapping[str, Mapping[str, Any]]) -> None:
        self.events = events
        self._stacks = stacks
        self._data: dict[Any, str] = {}
        self._rendered: dict[Any, tuple[bytes, positions.Position, bool]] = {}

    def rendered(self, selection: Selection, position: positions.Position,
                 target: positions.Position, reached: int | None
                 ) -> tuple[bytes, positions.Position, bool]:
        """Return messages, the position behind them, and whether these are
        all.

        Most listeners ask the same and have come equally far.

        :param position: what the client has seen
        :param target: the position behind the batch
        :param reached: the id up to which the batch has all; None for the
            end of it
        """
        key = (selection.key, position, target, reached)
        if key not in self._rendered:
            self._rendered[key] = self._render(selection, position, target,
                                               reached)
        return self._rendered[key]

    def _render(self, selection: Selection, position: positions.Position,
                target: positions.Position, reached: int | None
                ) -> tuple[bytes, positions.Position, bool]:
        pieces, size = [], 0
        for event in self.events:
            row = event[ROW]
            if position.has_seen(row) or not target.has_seen(row):
                continue
            data = self._data_for(event, selection)
            if data is None:
                continue
            position = position.passed(target, row)
            kind = 'stack' if is_of_stack(event) else 'resource'
            pieces.append(f'id: {position}\nevent: {kind}\n'
                          f'data: {data}\n\n')
            size += len(pieces[-1])
            if size > _BURST:
                return ''.join(pieces).encode(), position, False
        position = position.combined(target) if reached is None else (
            position.passed(target, reached))
        return ''.join(pieces).encode(), position, True

    def _data_for(self, event: Event, selection: Selection) -> str | None:
        """Return the JSON of an event; None if it is not selected."""
        stack_id = event[rpc_api.EVENT_STACK_ID]['stack_id']
        stack = self._stacks.get(stack_id)
        if stack is None or stack['tenant'] != selection.project or any(
                event[key] not in values
                for key, values in selection.filters.items()):
            return None
        chain = list(self._chain(stack_id, selection.stack_id))
        names = [self._stacks[each]['parent_resource_name']
                 for each in chain[:-1] if not self._stacks[each]['backup']]
        top = chain[-1]
        if selection.stack_id is not None and top != selection.stack_id or (
                len(names) > selection.depth):
            return None
        key = (event[ROW], top, bool(selection.depth),
               selection.application_url)
        if key not in self._data:
            self._data[key] = self._json(event, names[::-1], top, selection)
        return self._data[key]

    def _chain(self, stack_id: str, top: str | None) -> Iterator[str]:
        """Yield a stack and those above it, up to one or to the root."""
        current: str | None = stack_id
        while current is not None and current in self._stacks:
            yield current
            current = None if current == top else (
                self._stacks[current]['owner_id'])

    def _json(self, event: Event, names: list[str], top: str,
              selection: Selection) -> str:
        if selection.depth:
            event = {**event, rpc_api.EVENT_ROOT_STACK_ID: dict(
                identifier.HeatIdentifier(
                    selection.project, self._stacks[top]['name'], top))}
        shown = events_view.format_event(selection, event,
                                         events_view.INDEX_KEYS)
        stack_id = event[rpc_api.EVENT_STACK_ID]['stack_id']
        shown.update({
            'stack_id': stack_id,
            'stack_name': event[rpc_api.EVENT_STACK_NAME],
            'root_stack_id': list(self._chain(stack_id, None))[-1],
            'path': '/'.join(names if is_of_stack(event) else [
                *names, event[rpc_api.EVENT_RES_NAME]]),
        })
        return json.dumps(shown)


def is_of_stack(event: Event) -> bool:
    """Return whether an event is about a stack, not about a resource."""
    return (event[rpc_api.EVENT_RES_TYPE] == _STACK_TYPE and
            event[rpc_api.EVENT_RES_PHYSICAL_ID] ==
            event[rpc_api.EVENT_STACK_ID]['stack_id'])


class Listener:
    """A stream and how far its client has come.

    :param position: what the client has seen
    :param ends_at: the reading of the clock at which it has to be
        authorized again
    :param is_over: whether nothing more can happen to the stack
    :param on_close: called with the listener when the client is gone
    """

    def __init__(self, selection: Selection, position: positions.Position,
                 ends_at: float, *, is_over: bool, on_close: Any) -> None:
        self.selection = selection
        self.position = position
        self.ends_at = ends_at
        self.is_over = is_over
        #: Whether it has all that the hub has.
        self.is_live = False
        #: Since when the client takes nothing.
        self.stalled_at = math.inf
        self.stream = http_stream.Stream(
            _BEGINNING, (_HEARTBEAT, b': \n\n'), b': the service stops\n\n',
            lambda: on_close(self))

    @property
    def has_room(self) -> bool:
        """Return whether the send buffer has room for more events."""
        return self.stream.pending <= _ROOM

    def deliver(self, batch: Batch, target: positions.Position,
                reached: int | None = None) -> None:
        """Send the selected events of a batch, as far as there is room.

        :param target: the position behind the batch
        :param reached: the id up to which the batch has all; None for the
            end of it
        """
        text, self.position, is_whole = batch.rendered(
            self.selection, self.position, target, reached)
        self.is_live = self.is_live and is_whole
        if text:
            self.stream.write(text)

    def end(self, reason: str) -> None:
        """End the stream with a comment."""
        self.stream.end(f': {reason}\n\n'.encode())

    def end_of_stack(self) -> None:
        """Tell the client that its stack is gone, and end the stream."""
        data = json.dumps({'stack_id': self.selection.stack_id})
        self.stream.end(f'id: {self.position}\nevent: end\n'
                        f'data: {data}\n\n'.encode())
