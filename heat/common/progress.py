"""Interface through which a component reports its progress."""
from collections.abc import Collection
import dataclasses
from typing import Protocol


@dataclasses.dataclass(frozen=True, slots=True)
class Pulse:
    """Progress of a component, read without a lock.

    :ivar done: a counter that changes with each completed unit of work
    :ivar waits: whether work is pending
    :ivar threads: the identifiers of the threads that are working
    """

    done: int
    waits: bool
    threads: Collection[int] = ()


class Part(Protocol):
    """A component that reports its progress."""

    def pulse(self) -> Pulse:
        """Return the current progress without blocking."""
