"""The list of faults, which modules of faults add theirs to."""
from collections.abc import Callable
import contextlib
import dataclasses
import threading

#: Seconds for which a fault lasts unless it says otherwise.
USUAL = 8


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong, and comes right again.

    :ivar bring_about: a generator of a site: it yields while the fault
        lasts. A prepared one yields two times more: before, with all in
        place, and afterwards, until the operations have ended.
    :ivar databases: kinds of databases that it is for
    :ivar everywhere: each of them tells something new about it
    :ivar ends_engines: legacy stacks of an engine may fail by it
    :ivar may_fail: any stack may fail by it, as what it needs fails
    :ivar available: returns None, or why it cannot be brought about
    """

    name: str
    bring_about: Callable
    databases: tuple[str, ...]
    everywhere: bool
    ends_engines: bool
    may_fail: bool
    seconds: float
    prepared: bool
    available: Callable


FAULTS: dict[str, Fault] = {}


def fault(name, databases=('mysql', 'postgresql'), everywhere=False,
          ends_engines=False, may_fail=False, seconds=USUAL,
          prepared=False, available=lambda site: None):
    """Return a decorator that adds a function of a site to the list."""
    def add(function):
        FAULTS[name] = Fault(
            name, function, databases, everywhere, ends_engines, may_fail,
            seconds, prepared, available)
        return function

    return add


class Course:
    """A fault that is prepared, begins, ends, and is cleared away."""

    def __init__(self, fault, site):
        self._steps = fault.bring_about(site)
        self._prepared = fault.prepared

    def prepare(self):
        """Do what takes time beforehand."""
        if self._prepared:
            next(self._steps)

    def begin(self):
        """Let it happen."""
        next(self._steps)

    def end(self):
        """Let it be over."""
        next(self._steps, None)

    def clear(self):
        """Clear away what it needed; it is over in any case."""
        next(self._steps, None)
        self._steps.close()


@contextlib.contextmanager
def beside(run, over):
    """Run a function beside a with block.

    :param over: the event by which it is told to end
    """
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
