"""Ask the engine for events once a second, for all listeners together.

Engines wake the hub when there are events; then it asks at once. Nobody asks
while nobody listens. Each listener first reads, with calls of
its own, what the hub has read before; then it gets what the hub finds.
"""
import collections
from collections.abc import Callable
import threading
from typing import Any

from oslo_log import log as logging

from heat.api.openstack.v1.streams import listener as listeners
from heat.api.openstack.v1.streams import position as positions
from heat.api.openstack.v1.streams import wakeup
from heat.common import context as heat_context
from heat.common import id_ranges
from heat.common import timeutils
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

Listener = listeners.Listener
Position = positions.Position

#: Seconds between two polls, and between looks at who has room again.
INTERVAL = 1.0
_MOMENT = 0.05
#: Rows of a page; and of one that a single listener asks for. What a page
#: has, every listener can take that has taken the one before.
_LIMIT = 250
_PAGE = 150
#: Seconds before the next page, where there is one.
_NEXT_PAGE = 0.1
#: The least seconds between two polls, however many wake-ups come.
_WOKEN = 0.1
#: Seconds for which a row may stay invisible behind rows with greater ids.
_HOLE_SECONDS = 30
#: The number of holes that are asked for, and that are kept.
_ASKED_HOLES, _KEPT_HOLES = 200, 5000
#: Seconds after which a client is dropped that takes nothing.
_STALLED = 30


class Full(Exception):
    """There are as many listeners as there may be."""


class EventHub:
    """Sends the events of the engine to listeners.

    :param engine: the client that reaches the engine
    :param receiver: returns what calls its argument on a wake-up, between
        start() and stop()
    """

    def __init__(self, engine: Any,
                 receiver: Callable[[Callable[[], None]], Any] =
                 wakeup.Receiver) -> None:
        self._engine = engine
        self._receiver = receiver
        self._is_woken = self._has_more = False
        self._context = heat_context.get_admin_context()
        self._condition = threading.Condition()
        self._starting = threading.Lock()
        self._listeners: dict[Listener, None] = {}
        self._position: Position | None = None
        self._passed: collections.deque[tuple[float, int]] = (
            collections.deque())
        self._thread: threading.Thread | None = None
        self._is_away = False

    def __len__(self) -> int:
        return len(self._listeners)

    def now(self) -> Position:
        """Return the position of what happens from now on."""
        with self._starting:
            found = self._position
            return found if found is not None else self._newest()

    def listen(self, selection: listeners.Selection, position: Position,
               ends_at: float, limit: int, *, is_over: bool = False
               ) -> Listener:
        """Add a listener.

        :param position: what the client has seen
        :param ends_at: the reading of the clock at which the stream ends
        :param limit: the number of listeners; a project has half of them
        :param is_over: whether nothing more can happen to the stack
        :raises Full: there are as many already.
        """
        added = Listener(selection, position, ends_at, is_over=is_over,
                         on_close=self._remove)
        with self._condition:
            mine = sum(each.selection.project == selection.project
                       for each in self._listeners)
            if len(self._listeners) >= limit or mine >= max(limit // 2, 1):
                raise Full()
            self._listeners[added] = None
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name='event-hub', daemon=True)
                self._thread.start()
            self._condition.notify()
        return added

    def _remove(self, listener: Listener) -> None:
        with self._condition:
            self._listeners.pop(listener, None)
            self._condition.notify()

    def wake(self) -> None:
        """Look for events soon."""
        with self._condition:
            self._is_woken = True
            self._condition.notify()

    # -- the thread -----------------------------------------------------------

    def _run(self) -> None:
        receiver = self._receiver(self.wake)
        receiver.start()
        try:
            self._serve()
        finally:
            receiver.stop()

    def _serve(self) -> None:
        polled_at = timeutils.wallclock() - INTERVAL
        while self._is_wanted():
            now = timeutils.wallclock()
            try:
                if now >= self._next_poll(polled_at):
                    # What comes from here on may not be in the answer.
                    self._is_woken = False
                    polled_at, self._has_more = now, False
                    self._has_more = self._poll()
                self._catch_up()
                self._is_away = False
            except Exception as exc:  # noqa: BLE001 - listeners wait
                # The engine may be away; listeners are served when it is
                # back.
                log = LOG.debug if self._is_away else LOG.warning
                log('Events cannot be read at the moment: %r', exc)
                self._is_away = True
            self._end_expired()
            self._pause(polled_at)

    def _is_wanted(self) -> bool:
        with self._condition:
            if not self._listeners:
                self._thread = None
                self._position = None
                self._passed.clear()
            return bool(self._listeners)

    def _next_poll(self, polled_at: float) -> float:
        """Return when to poll, by when that was done last."""
        if self._has_more:
            return polled_at + _NEXT_PAGE
        return polled_at + (min(INTERVAL, _WOKEN) if self._is_woken
                            else INTERVAL)

    def _pause(self, polled_at: float) -> None:
        with self._condition:
            if not self._listeners:
                return
            left = self._next_poll(polled_at) - timeutils.wallclock()
            behind = any(not each.is_live for each in self._listeners)
            if left > 0:
                self._condition.wait(
                    min(left, _MOMENT) if behind else left)

    def _all(self) -> list[Listener]:
        with self._condition:
            return [each for each in self._listeners if each.stream.is_open]

    def _newest(self) -> Position:
        answer = self._engine.list_events_since(self._context)
        return Position(_ranges(answer['unseen']))

    def _poll(self) -> bool:
        """Read what is new, and send it to those that have all before it.

        Return whether there is more.
        """
        if self._position is None:
            self._position = self._newest()
            return False
        position = self._position
        present = self._all()
        asked = id_ranges.fewer(position.holes, _ASKED_HOLES)
        answer = self._engine.list_events_since(
            self._context, last=position.last,
            holes=[list(each) for each in asked],
            tenants=sorted({each.selection.project for each in present}),
            limit=_LIMIT)
        target = position.combined(Position(_ranges(answer['unseen'])))
        batch = listeners.Batch(answer['events'], answer['stacks'])
        ready = [each for each in present if each.is_live and each.has_room]
        for each in present:
            # A listener that is not served below catches up later.
            each.is_live = False
        # A client may connect again as soon as it has received an event, and
        # must not receive the same event as a new one.
        self._position = self._aged(target)
        for each in ready:
            each.is_live = True
            each.deliver(batch, target)
            self._note_end(each, batch)
        return bool(answer['more'])

    def _aged(self, position: Position) -> Position:
        """Return a position without the holes that are too old."""
        now = timeutils.wallclock()
        self._passed.append((now, position.last))
        oldest = 0
        while self._passed[0][0] < now - _HOLE_SECONDS:
            oldest = self._passed.popleft()[1]
        if len(position.holes) > _KEPT_HOLES:
            oldest = max(oldest, position.holes[-_KEPT_HOLES][0])
        return position.without_holes_up_to(oldest)

    def _catch_up(self) -> None:
        """Have listeners read what the hub has read before."""
        if self._position is None:
            return
        for each in self._all():
            if each.is_live:
                continue
            if each.has_room:
                each.stalled_at = float('inf')
                self._read_page(each, self._position)
                continue
            now = timeutils.wallclock()
            each.stalled_at = min(each.stalled_at, now)
            if now - each.stalled_at > _STALLED:
                LOG.info('A listener of project %s takes no events; its '
                         'stream ends', each.selection.project)
                each.end('too slow')

    def _read_page(self, listener: Listener, target: Position) -> None:
        ranges = id_ranges.fewer(listener.position.to_read(target),
                                 _ASKED_HOLES)
        if ranges:
            try:
                answer = self._engine.list_events_between(
                    self._context, [list(each) for each in ranges], _PAGE,
                    tenant=listener.selection.project,
                    stack_identity=listener.selection.identity)
            except Exception as exc:
                if self._engine.local_error_name(exc) != 'EntityNotFound':
                    raise
                # All that was stored of the stack is gone.
                listener.end_of_stack()
                return
            batch = listeners.Batch(answer['events'], answer['stacks'])
            listener.is_live = answer['reached'] is None
            listener.deliver(batch, target, answer['reached'])
            self._note_end(listener, batch)
        else:
            listener.position = listener.position.combined(target)
            listener.is_live = True
        if listener.is_live and listener.is_over:
            listener.end_of_stack()

    @staticmethod
    def _note_end(listener: Listener, batch: listeners.Batch) -> None:
        """End a stream when the deletion of its stack has been sent."""
        stack_id = listener.selection.stack_id
        for event in batch.events if stack_id else ():
            if (event[rpc_api.EVENT_STACK_ID]['stack_id'] == stack_id and
                    event[rpc_api.EVENT_RES_ACTION] == 'DELETE' and
                    event[rpc_api.EVENT_RES_STATUS] == 'COMPLETE' and
                    listeners.is_of_stack(event)):
                listener.is_over = True
        if listener.is_over and listener.is_live:
            listener.end_of_stack()

    def _end_expired(self) -> None:
        now = timeutils.wallclock()
        for each in self._all():
            if now >= each.ends_at:
                each.end('the authorization has expired')


def _ranges(answer: Any) -> id_ranges.Ranges:
    return tuple((low, high) for low, high in answer)
