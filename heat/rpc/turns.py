"""Projects take turns at the engines.

The threads of an engine share its processor, so one project that asks for
hundreds of stacks at once would make every other one wait until all of them
are answered. Of each project an API process sends the engines so many
requests at a time; the others wait here, first come, first served.
"""
import collections
from collections.abc import Iterator
import contextlib
import threading


class NoTurn(Exception):
    """Raised when the time to wait for a turn is over."""


class _Project:
    """Who works, and who waits, of one project."""

    __slots__ = ('waiting', 'working')

    def __init__(self) -> None:
        self.working = 0
        self.waiting: collections.deque[threading.Event] = collections.deque()


class Turns:
    """The requests of all projects in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._projects: dict[str | None, _Project] = {}

    @contextlib.contextmanager
    def of(self, project: str | None, at_once: int,
           patience: float) -> Iterator[None]:
        """Wait for a turn of a project, and give it back in the end.

        :param at_once: how many of its requests may have one at a time
        :param patience: for how many seconds to wait
        :raises NoTurn: there was none in that time
        """
        ticket = self._enter(project, at_once)
        if ticket is not None and not ticket.wait(patience):
            self._give_up(project, ticket)
        try:
            yield
        finally:
            self._leave(project)

    def _enter(self, project: str | None, at_once: int
               ) -> threading.Event | None:
        """Take a turn; return what tells of it if that has to wait."""
        with self._lock:
            state = self._projects.setdefault(project, _Project())
            if state.working < at_once and not state.waiting:
                state.working += 1
                return None
            ticket = threading.Event()
            state.waiting.append(ticket)
            return ticket

    def _give_up(self, project: str | None, ticket: threading.Event) -> None:
        """Wait no longer, unless the turn has come just now."""
        with self._lock:
            if ticket.is_set():
                return
            self._projects[project].waiting.remove(ticket)
        raise NoTurn()

    def _leave(self, project: str | None) -> None:
        """Pass the turn on to who waits for it the longest."""
        with self._lock:
            state = self._projects[project]
            if state.waiting:
                state.waiting.popleft().set()
                return
            state.working -= 1
            if not state.working:
                del self._projects[project]
