"""The budget of one request: CPU time and output of all its parts together.

Parsing, compiling, expanding and validating draw on the same budget. Each
part that repeats or multiplies parts of a request calls check(), or calls
take() with the size of its output. check() also lets other threads run, so
that one request delays others for a moment only. Work of the engine that
follows a request has a budget of its own for each step.
"""
from collections.abc import Iterator
import contextlib
import dataclasses
import math
import sys
import threading
import time
from typing import Protocol

from heat.common.i18n import _

#: Seconds between two occasions for other threads to run.
_TURN = 0.03
#: The most that counts between two checks: under eventlet the clock of the
#: thread counts the work of other requests if one waited in between.
_MOST = 0.1
_LEAST = 0.0005


class Exceeded(ValueError):
    """A request asks for more than its budget holds."""


class LimitSource(Protocol):
    """The limits in force; an object that reads options implements it."""

    @property
    def cpu_seconds(self) -> float:
        """Seconds of CPU time of a request."""

    @property
    def output_size(self) -> int:
        """Bytes of everything that functions and expansions make."""

    @property
    def yaml_nodes(self) -> int:
        """Keys and values of the YAML texts of a request.

        A list or map of these and of the JSON texts counts three times.
        """

    @property
    def nested_definitions(self) -> int:
        """Parameters, resources and outputs of nested templates."""

    @property
    def template_length(self) -> int:
        """Characters of a template or environment."""

    @property
    def yaql_iterators(self) -> int:
        """Elements of a collection in a yaql expression."""

    @property
    def yaql_memory(self) -> int:
        """Bytes that a yaql expression may use."""


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Limits that do not change, by default those of the options."""

    cpu_seconds: float = 0.4
    output_size: int = 128 * 1024 * 1024
    yaml_nodes: int = 100000
    nested_definitions: int = 10000
    template_length: int = 524288
    yaql_iterators: int = 200
    yaql_memory: int = 10000


#: Names that are compared for the hints of one request, some 50 ms.
_COMPARISONS = 20000

_UNLIMITED = Limits(math.inf, sys.maxsize, sys.maxsize, sys.maxsize)
#: The limits of the process, see doc/source/contributor/process_state.rst.
_limits: LimitSource = Limits()
_current = threading.local()


def configure(limits: LimitSource) -> None:
    """Set the limits of later requests; the entry points call this once.

    :param limits: usually a config.OptionLimits
    """
    global _limits
    _limits = limits


def limits() -> LimitSource:
    """Return the limits in force."""
    return _limits


class RequestBudget:
    """The remaining budget of a request."""

    __slots__ = ('_depth', '_looked', '_turn', 'comparisons', 'definitions',
                 'limits', 'nodes', 'output', 'seconds')

    def __init__(self, limits: LimitSource | None = None) -> None:
        self.limits = _limits if limits is None else limits
        self.seconds = self.limits.cpu_seconds
        self.output = self.limits.output_size
        self.nodes = self.limits.yaml_nodes
        self.definitions = self.limits.nested_definitions
        self.comparisons = _COMPARISONS
        self._depth = 0
        self._looked = 0.0
        self._turn = time.monotonic()

    @property
    def is_exhausted(self) -> bool:
        """Return whether the request has exceeded one of its limits."""
        return min(self.seconds, self.output, self.nodes,
                   self.definitions) < 0

    def begin(self) -> None:
        """Start the clock, unless it runs."""
        if not self._depth:
            self._looked = time.thread_time()
        self._depth += 1

    def end(self) -> None:
        """Stop the clock when as much has ended as has begun."""
        self._depth -= 1
        if not self._depth:
            self.charge(min(time.thread_time() - self._looked, _MOST))

    def restart(self) -> None:
        """Leave out what has been charged since the last look."""
        self._looked = time.thread_time()

    def charge(self, seconds: float) -> None:
        """Count CPU time."""
        self.seconds -= seconds

    def check(self) -> None:
        """Count the time since the last check; raise Exceeded."""
        if self._depth:
            now = time.thread_time()
            self.charge(min(now - self._looked, _MOST))
            self._looked = now
        if self.is_exhausted:
            raise Exceeded(self._excess())
        if time.monotonic() - self._turn > _TURN:
            # Under eventlet, nothing else lets others run.
            time.sleep(0)
            self._turn = time.monotonic()
            self._looked = time.thread_time()

    def _excess(self) -> str:
        if self.output < 0:
            return _('The functions and generated templates of the request '
                     'make more than %d bytes together (output_size in '
                     '[request_budget])') % self.limits.output_size
        if self.nodes < 0:
            return _('The YAML and JSON texts of the request have more than '
                     '%d lists, maps, keys and values together (yaml_nodes '
                     'in [request_budget])') % self.limits.yaml_nodes
        if self.definitions < 0:
            return _('The nested stacks of the request have more than %d '
                     'parameters, resources and outputs together '
                     '(nested_definitions in [request_budget])'
                     ) % self.limits.nested_definitions
        return _('The functions, patterns, queries and types of the request '
                 'take more than %s seconds of computing together '
                 '(cpu_seconds in [request_budget])'
                 ) % self.limits.cpu_seconds


def _budget() -> RequestBudget | None:
    return getattr(_current, 'budget', None)


class of_request:  # noqa: N801 (used like a function)
    """Count in a with block what belongs to one request.

    A block within another one belongs to the same request.
    """

    __slots__ = ('_is_first',)

    def __enter__(self) -> None:
        self._is_first = _budget() is None
        if self._is_first:
            _current.budget = RequestBudget()

    def __exit__(self, *_error: object) -> None:
        if self._is_first:
            _current.budget = None


@contextlib.contextmanager
def unlimited() -> Iterator[None]:
    """Count nothing in a with block: what it does was counted before."""
    outer, _current.budget = _budget(), RequestBudget(_UNLIMITED)
    try:
        yield
    finally:
        _current.budget = outer


class work(of_request):  # noqa: N801 (used like a function)
    """Count the CPU time of a with block; check() looks at it.

    Without a request, the block is one.
    """

    __slots__ = ('_budget',)

    def __enter__(self) -> None:
        super().__enter__()
        self._budget: RequestBudget = _current.budget
        self._budget.begin()

    def __exit__(self, *error: object) -> None:
        self._budget.end()
        super().__exit__(*error)


def work_if(costly: object) -> contextlib.AbstractContextManager[None]:
    """Count the CPU time of a with block if the block may be costly."""
    return work() if costly else contextlib.nullcontext()


@contextlib.contextmanager
def step(limit: float) -> Iterator[float]:
    """Give an uninterrupted step the seconds that it may take, and count.

    :param limit: how long it may take whatever is left for the request.
    """
    budget = _budget()
    if budget is None:
        yield limit
        return
    check()
    began = time.thread_time()
    try:
        yield max(min(limit, budget.seconds), _LEAST)
    finally:
        budget.charge(time.thread_time() - began)
        budget.restart()


def check() -> None:
    """Raise Exceeded if the request has exceeded its budget.

    Other threads may run meanwhile.
    """
    budget = _budget()
    if budget is not None:
        budget.check()


def require() -> None:
    """Raise Exceeded if the request had exceeded its budget before.

    Cheaper than check(): no clock is read and no thread may run.
    """
    budget = _budget()
    if budget is not None and budget.is_exhausted:
        budget.check()


def take(size: int) -> None:
    """Count bytes that are made; raise Exceeded when they are too many."""
    budget = _budget()
    if budget is not None:
        budget.output -= size
        budget.check()


def read(nodes: int) -> None:
    """Count nodes of a text that is read; raise Exceeded for too many."""
    budget = _budget()
    if budget is not None:
        budget.nodes -= nodes
        budget.check()


def define(number: int) -> None:
    """Count definitions of a nested stack; raise Exceeded for too many."""
    budget = _budget()
    if budget is not None:
        budget.definitions -= number
        budget.check()


def afford(comparisons: int) -> bool:
    """Count names to compare for a hint; return whether there is time.

    A hint is left out without an error: a message does without it.
    """
    budget = _budget()
    if budget is None:
        return True
    budget.comparisons -= comparisons
    return budget.comparisons >= 0


def seconds_left() -> float:
    """Return the CPU time that is left for the request, in seconds."""
    budget = _budget()
    return math.inf if budget is None else budget.seconds


def is_exhausted() -> bool:
    """Return whether the request has exceeded its budget."""
    budget = _budget()
    return budget is not None and budget.is_exhausted
