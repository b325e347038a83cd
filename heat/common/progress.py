"""How a part of a process proves that it makes progress."""
from collections.abc import Collection
import dataclasses
from typing import Protocol


@dataclasses.dataclass(frozen=True, slots=True)
class Pulse:
    """How far a part has got, as seen without taking a lock.

    :ivar done: changes with each piece of work that is done
    :ivar waits: whether work waits to be done
    :ivar threads: the identities of the threads that have work in hand
    """

    done: int
    waits: bool
    threads: Collection[int] = ()


class Part(Protocol):
    """What proves that it makes progress."""

    def pulse(self) -> Pulse:
        """Return how far it has got; wait for nothing."""
