"""Carry out database writes of tasks, many of them in one transaction.

A task never opens a transaction while it runs; it yields a Write and gets
the result sent back.  Which writes share a commit is decided here alone.
"""
import collections
from collections.abc import Callable, Iterable, Sequence
import itertools
import threading
from typing import Any, Protocol

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import progress
from heat.common import timeutils
from heat.objects import transaction

LOG = logging.getLogger(__name__)

#: Most writes that one transaction carries.
BATCH_SIZE = 100

#: Seconds that a write waits at most for those of tasks that are ready to
#: go on; about as long as it takes to commit a full batch.
GATHER = 0.05

#: A task waits for a database that is away; it does not fail for that.
FOREVER = float('inf')

#: Writes many things by one statement; see defer() and share().
Flush = Callable[[Any, list[Any]], Any]
#: A function that stores many things by one statement and returns the key of
#: each, and one of these things; see stored().
Ahead = tuple[Flush, Any]


class _Batch(threading.local):
    """What the writes of the batch that this thread carries out share."""

    deferred: dict[Flush, list[Any]] | None = None
    shared: dict[Flush, list[tuple[Any, 'Write']]] | None = None
    checked: set[object] | None = None
    stored: dict[tuple[Flush, int], Any] | None = None
    write: 'Write | None' = None


_batch = _Batch()


class Write:
    """A function with database effects only, run inside a transaction.

    The function may run more than once (after a deadlock, or when another
    write of its batch failed), so it must not change anything in memory.

    :ivar ahead: what the function asks for by stored()
    :ivar size: the number of writes that it consists of, see joined()
    """

    __slots__ = ('ahead', 'context', 'fn', 'size')

    def __init__(self, fn: Callable[[], Any], context: Any = None,
                 ahead: Sequence[Ahead] = (), size: int = 1) -> None:
        self.fn = fn
        self.context = context
        self.ahead = ahead
        self.size = size


def joined(writes: Sequence[Write]) -> Write:
    """Return one write that makes several, in their order, or none of them.

    Its result is the list of theirs. They share statements; where a
    condition given to share() does not hold, the write fails as a whole.
    """
    return Write(lambda: [write.fn() for write in writes],
                 _context_of(writes),
                 [one for write in writes for one in write.ahead],
                 len(writes))


class Writes:
    """Several writes yielded together; the answer is a list of Results."""

    __slots__ = ('writes',)

    def __init__(self, writes: Iterable[Write]) -> None:
        self.writes = tuple(writes)


class WriteResult:
    """The result of one write: a value, or the error it raised."""

    __slots__ = ('value', 'error')

    def __init__(self, value: Any = None, error: BaseException | None = None
                 ) -> None:
        self.value = value
        self.error = error

    def get(self) -> Any:
        """Return the value or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


def defer(flush: Flush, item: Any) -> bool:
    """Add an item to a multi-row statement of the running batch.

    flush(context, items) is called once per batch and flush function,
    after all writes of the batch and before its commit.  Return False,
    having done nothing, outside of a batch.
    """
    deferred = _batch.deferred
    if deferred is None:
        return False
    deferred.setdefault(flush, []).append(item)
    return True


def share(flush: Flush, item: Any) -> bool:
    """Add an item to a statement that says what the writes depend on.

    flush(context, items) is called like that of defer(), but before all
    that was deferred, and returns those of the items whose condition does
    not hold. Then the batch is undone; the writes of these are carried out
    alone, and the others without them. Return False, having done nothing,
    where a write is alone. One that is joined() is never alone, and fails.
    """
    shared, write = _batch.shared, _batch.write
    if shared is None or write is None:
        return False
    shared.setdefault(flush, []).append((item, write))
    return True


def stored(context: Any, store: Flush, item: Any) -> Any:
    """Store an item whose key a write needs; return the key.

    It has been stored already, together with those of the other writes of
    the batch, if the write names (store, item) in `ahead`.
    """
    key = store, id(item)
    if _batch.stored is not None and key in _batch.stored:
        return _batch.stored[key]
    return store(context, [item])[0]


def _store_ahead(context: Any, writes: Sequence[Write]) -> None:
    """Store what the writes of a batch name, by one statement a kind."""
    items: dict[Flush, list[Any]] = {}
    for write in writes:
        for store, item in write.ahead:
            items.setdefault(store, []).append(item)
    _batch.stored = {
        (store, id(item)): key for store, some in items.items()
        for item, key in zip(some, store(context, some), strict=True)}


class _Refused(Exception):
    """Some writes of a batch found that they cannot be made."""

    def __init__(self, writes: set[Write]) -> None:
        self.writes = writes
        super().__init__('%d writes of a batch are refused' % len(writes))


def _flush_shared(context: Any) -> None:
    shared, _batch.shared = _batch.shared, None
    refused: set[Write] = set()
    for flush, pairs in (shared or {}).items():
        lost = set(map(id, flush(context, [item for item, _w in pairs])))
        refused |= {write for item, write in pairs if id(item) in lost}
    if refused:
        raise _Refused(refused)


def once(key: object, check: Callable[[], object]) -> None:
    """Call a function, once in the running batch for each key.

    What it does must hold to the end of the transaction.
    """
    checked = _batch.checked
    if checked is None:
        check()
    elif key not in checked:
        check()
        checked.add(key)


def _carry_out(context: Any, writes: Sequence[Write]) -> list[Any]:
    """Run the writes and what they deferred, in the open transaction."""
    if _batch.deferred is not None:
        # Within a write of a batch, of which this becomes a part.
        return [write.fn() for write in writes]
    _batch.deferred, _batch.checked = {}, set()
    _batch.shared = {} if sum(write.size for write in writes) > 1 else None
    try:
        _store_ahead(context, writes)
        values = []
        for write in writes:
            _batch.write = write
            values.append(write.fn())
        if _batch.shared:
            _flush_shared(context)
        # A flush may defer more, to a flush function that runs later.
        while _batch.deferred:
            flush = next(iter(_batch.deferred))
            flush(context, _batch.deferred.pop(flush))
        return values
    finally:
        _batch.deferred = _batch.checked = _batch.stored = None
        _batch.shared = _batch.write = None


def _context_of(writes: Sequence[Write]) -> Any:
    for write in writes:
        if write.context is not None:
            return write.context
    return heat_context.get_admin_context()


def _commit(writes: Sequence[Write], patience: float | None = FOREVER
            ) -> list[Any]:
    context = _context_of(writes)
    return transaction.run(context, lambda: _carry_out(context, writes),
                           patience=patience)


def commit(writes: Sequence[Write]) -> list[WriteResult]:
    """Carry out writes, together if they can be; return their Results."""
    if len(writes) > 1:
        try:
            return [WriteResult(value) for value in _commit(writes)]
        except _Refused as refused:
            return _commit_without(refused.writes, writes)
        except Exception:
            # One of them is to blame; alone, only that one will fail.
            LOG.debug('A batch of %d writes is retried one by one',
                      len(writes), exc_info=True)
    results = []
    for write in writes:
        try:
            results.append(WriteResult(_commit([write])[0]))
        except Exception as error:  # noqa: BLE001
            results.append(WriteResult(error=error))
    return results


def _commit_without(refused: set[Write], writes: Sequence[Write]
                    ) -> list[WriteResult]:
    """Carry out refused writes each alone, and the others together."""
    others = [write for write in writes if write not in refused]
    results = dict(zip(others, commit(others), strict=True))
    for write in refused:
        [results[write]] = commit([write])
    return [results[write] for write in writes]


def run(write: Write) -> Any:
    """Carry out one write now, in this thread, and return its value."""
    return _commit([write], patience=None)[0]


#: Called with the results of writes, in their order.
OnResults = Callable[[list[WriteResult]], None]
_Request = tuple[list[Write], OnResults]


class Committer(Protocol):
    """Carries out the writes of tasks."""

    @property
    def load(self) -> int:
        """The number of tasks that wait for their writes."""

    def submit(self, writes: Iterable[Write], on_results: OnResults) -> None:
        """Have writes made; on_results is called, now or later."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> None:
        """Carry out what was submitted, and end."""


class Inline:
    """Carries out each request at once in the caller's thread.

    :ivar load: the number of tasks that wait for their writes: none
    """

    load = 0

    def submit(self, writes: Iterable[Write], on_results: OnResults) -> None:
        """Commit the writes and hand their Results to on_results."""
        on_results(commit(list(writes)))

    def start(self) -> None:
        """Do nothing: there is no thread to start."""

    def stop(self) -> None:
        """Do nothing: nothing is ever outstanding."""


def _nothing_to_come() -> bool:
    return False


class GroupCommit:
    """Group commit: writes submitted while one commits go out together.

    :ivar more_to_come: tells, without taking a lock, whether tasks are
        about to submit more. hurry() is to be called when that is over.
    """

    def __init__(self, batch_size: int = BATCH_SIZE) -> None:
        self.more_to_come = _nothing_to_come
        self._batch_size = batch_size
        self._condition = threading.Condition()
        self._requests: collections.deque[_Request] = collections.deque()
        self._gathering = False
        self._thread: threading.Thread | None = None
        self._stopping = False
        # For the watchdog, which takes no lock.
        self._batches = 0
        self._working: int | None = None

    def pulse(self) -> progress.Pulse:
        """Return how far the writes have got; takes no lock."""
        working = self._working
        return progress.Pulse(
            self._batches, working is not None or bool(self._requests),
            () if working is None else (working,))

    def start(self) -> None:
        """Start the committing thread; harmless when it runs already."""
        with self._condition:
            self._start_locked()

    def _start_locked(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._stopping = False
            self._thread = threading.Thread(
                target=self._work, name='heat-group-commit', daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Commit what was submitted, then end the thread."""
        with self._condition:
            thread, self._thread = self._thread, None
            self._stopping = True
            self._condition.notify_all()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    @property
    def load(self) -> int:
        """The number of tasks that wait for their writes."""
        return len(self._requests)

    def submit(self, writes: Iterable[Write], on_results: OnResults) -> None:
        """Queue writes; on_results(list of Results) is called later.

        It is called in the committing thread and must not block.
        """
        with self._condition:
            self._start_locked()
            self._requests.append((list(writes), on_results))
            if not self._gathering or len(
                    self._requests) >= self._batch_size:
                self._condition.notify()

    def hurry(self) -> None:
        """Carry out what was submitted: no more is about to come."""
        if self._gathering:
            with self._condition:
                self._condition.notify()

    def _gather(self) -> None:
        """Let tasks that are ready submit their writes.  Lock held.

        A batch costs much the same for one write as for fifty.
        """
        deadline = timeutils.wallclock() + GATHER
        self._gathering = True
        while (len(self._requests) < self._batch_size and
               not self._stopping and self.more_to_come() and
               (left := deadline - timeutils.wallclock()) > 0):
            self._condition.wait(left)
        self._gathering = False

    def _take(self) -> list[_Request] | None:
        """Return a batch of requests, or None when it is time to end."""
        with self._condition:
            while not self._requests:
                if self._stopping:
                    return None
                self._condition.wait()
            self._gather()
            requests, size = [], 0
            while self._requests and size < self._batch_size:
                request = self._requests.popleft()
                requests.append(request)
                size += sum(write.size for write in request[0])
            return requests

    def _work(self) -> None:
        while (requests := self._take()) is not None:
            self._working = threading.get_ident()
            try:
                self._carry_out(requests)
            finally:
                self._working = None
                self._batches += 1
            # It may be long before there is another one.
            del requests

    @staticmethod
    def _carry_out(requests: list[_Request]) -> None:
        """Commit a batch of requests, and tell who made them.

        Whatever happens, they are told, and the thread lives on.
        """
        writes = [write for part, _notify in requests for write in part]
        try:
            results = iter(commit(writes))
        except BaseException as error:
            LOG.exception('A batch of %d writes failed', len(writes))
            results = iter([WriteResult(error=error)] * len(writes))
        for part, on_results in requests:
            try:
                on_results(list(itertools.islice(results, len(part))))
            except Exception:
                LOG.exception('Reporting the result of a write failed')
