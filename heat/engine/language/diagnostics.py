"""Collect what is wrong, so that users are told all of it at once.

A check goes on after the first error; what it has noted becomes one error
in the end. That error is the first one, which tells of the others too, and
whoever checks something larger notes them all.
"""
from collections.abc import Callable, Iterable, Iterator, Sequence
import contextlib
import types
from typing import Any

from heat.common import exception
from heat.common import problem
from heat.common import request_budget
from heat.common.i18n import _

Problem = problem.Problem
LIMIT = problem.LIMIT

#: The number of known problems at which checking ends.
_ENOUGH = 2 * LIMIT


class DerivedError(exception.HeatException):
    """Something cannot be computed, for what it needs is wrong itself."""

    msg_fmt = _('What this needs is wrong: %(cause)s')


#: The errors that are about a template, its parameters or environment.
ABOUT_TEMPLATE: tuple[type[exception.HeatException], ...] = (
    exception.StackValidationFailed,
    exception.InvalidTemplateVersion,
    exception.InvalidTemplateSection,
    exception.InvalidTemplateReference,
    exception.InvalidTemplateAttribute,
    exception.InvalidSchemaError,
    exception.UserParameterMissing,
    exception.UnknownUserParameter,
    exception.CircularDependencyException,
    exception.InvalidBreakPointHook,
    exception.InvalidRestrictedAction,
    DerivedError,
)

#: What functions and plugins raise for arguments that are not right.
WRONG_VALUES: tuple[type[Exception], ...] = (
    KeyError, TypeError, ValueError, AttributeError)


@contextlib.contextmanager
def tolerated(when: bool = True) -> Iterator[None]:
    """Suppress errors of values that are wrong or cannot be computed.

    :param when: if False, no error is suppressed
    :raises Exceeded: the request has used up its budget.
    """
    try:
        yield
    except (*ABOUT_TEMPLATE, *WRONG_VALUES):
        if not when:
            raise
        request_budget.require()


class Problems:
    """The problems of something, in the order in which they were found.

    As a context manager it raises, at the end, what was noted in it. If
    another error comes out of the block, what was noted goes first.

    :param tolerates: says of a problem whether it is no reason to refuse
        the template; those are kept apart, in `tolerated`.
    """

    def __init__(self, limit: int = LIMIT,
                 tolerates: Callable[[Problem], bool] | None = None) -> None:
        self.limit = limit
        self.tolerated: list[Problem] = []
        self._tolerates = tolerates
        #: How many there are above the limit.
        self.left_out = 0
        self._first: exception.HeatException | None = None
        self._noted: list[Problem] = []
        self._known: set[tuple[Any, ...]] = set()
        self._inner: set[tuple[str, ...]] = set()

    def __bool__(self) -> bool:
        return bool(self._noted)

    def __len__(self) -> int:
        return len(self._noted)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._noted)

    @property
    def full(self) -> bool:
        """Return whether there is no sense in looking for more."""
        return (request_budget.is_exhausted()
                or len(self._noted) + self.left_out >= _ENOUGH)

    def noting(self, path: Sequence[Any] = (),
               wrong_values: bool = False) -> '_Noting':
        """Return a context whose errors about the template are noted.

        :param path: the place of errors that have none.
        :param wrong_values: note, too, what functions and plugins raise.
        """
        return _Noting(self, path, wrong_values)

    def note(self, exc: Exception, path: Sequence[Any] = (),
             covered: int | None = None) -> None:
        """Note what an error tells of, unless it follows from another.

        :param path: the place of an error that has none.
        :param covered: leave out what is about a place of at least so many
            steps in which a place is known that is wrong: a value made of
            a wrong function, say.
        """
        if is_consequence(exc):
            return
        if not isinstance(exc, exception.HeatException):
            failed = exception.StackValidationFailed(
                path=list(path), message=text_of(exc))
            failed.__cause__ = exc
            exc = failed
        elif path and not exc.path:
            exc.place(path)
        inner = frozenset(self._inner) if covered is not None else ()
        for index, found in enumerate(exc.problems):
            if inner and len(found.path) >= (covered or 0) and (
                    _as_text(found.path) in inner):
                continue
            if self.add(found) and not index and self._first is None:
                self._first = exc
        self.left_out += exc.left_out

    def add(self, found: Problem) -> bool:
        """Note a problem; return whether it was not known."""
        steps = _as_text(found.path)
        key = (steps, found.message)
        if key in self._known or key[:1] in self._known:
            return False
        self._known.add(key)
        if self._tolerates is not None and self._tolerates(found):
            self.tolerated.append(found)
            return False
        self._inner.update(steps[:length] for length in range(len(steps)))
        if found.error == 'InvalidTemplateReference':
            # Whatever else is said of the place says the same.
            self._known.add(key[:1])
        if len(self._noted) < self.limit:
            self._noted.append(found)
        else:
            self.left_out += 1
        return True

    def error(self, partial: object = None) -> exception.HeatException:
        """Return the first error, telling of all; something must be wrong.

        :param partial: what could be made all the same.
        """
        self._note_exhaustion()
        first, *others = self._noted
        exc = self._first
        if exc is None or exc.problems[0] != first:
            exc = exception.StackValidationFailed(
                path=list(first.path), message=first.message)
        if others or self.left_out or exc.left_out:
            exc.tell_others(others, self.left_out)
        if partial is not None:
            exc.partial = partial
        return exc

    def _note_exhaustion(self) -> None:
        # What follows the step that exhausted the budget was not checked.
        try:
            request_budget.require()
        except request_budget.Exceeded as exc:
            if not any(str(exc) in found.message for found in self._noted):
                self.add(Problem(message=str(exc)))

    def raise_first_or_all(self) -> None:
        """Raise what was noted, if anything was.

        A single error is raised just as it was.
        """
        if self._noted:
            raise self.error()

    def __enter__(self) -> 'Problems':
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 exc: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        if exc is None:
            self.raise_first_or_all()
        elif isinstance(exc, Exception) and self._noted:
            if isinstance(exc, ABOUT_TEMPLATE):
                self.note(exc)
            raise self.error() from exc


class _Noting:
    """The context of Problems.noting(); one is made for each resource."""

    __slots__ = ('_noted', '_path', '_problems')

    def __init__(self, found: Problems, path: Sequence[Any],
                 wrong_values: bool) -> None:
        self._problems = found
        self._path = path
        self._noted: tuple[type[Exception], ...] = (
            (*ABOUT_TEMPLATE, *WRONG_VALUES) if wrong_values
            else ABOUT_TEMPLATE)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None,
                 exc: BaseException | None,
                 trace: types.TracebackType | None) -> bool:
        if exc is None or not isinstance(exc, self._noted):
            return False
        self._problems.note(exc, self._path)
        return True


def _as_text(path: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(str, path))


def is_consequence(exc: BaseException | None) -> bool:
    """Return whether an error says only that something else is wrong."""
    seen = 0
    while exc is not None and seen < 20:
        if isinstance(exc, DerivedError):
            return True
        exc = exc.__cause__
        seen += 1
    return False


def text_of(exc: BaseException) -> str:
    """Return what an error says, in words that say it to a user.

    A KeyError quotes its message, a RecursionError is about the interpreter.
    """
    if isinstance(exc, RecursionError):
        return _('it is nested too deeply')
    if isinstance(exc, KeyError) and len(exc.args) == 1:
        return str(exc.args[0])
    return str(exc)


def moved(exc: exception.HeatException,
          move: Callable[[Sequence[Any]], Iterable[Any]],
          error: str | None = None,
          explain: Callable[[Sequence[Any]], str] = lambda path: '',
          ) -> exception.StackValidationFailed:
    """Return an error with the path of all that it tells of changed.

    Raise it `from` the error, so that nothing is lost.

    :param move: a function from the old path to the new one.
    :param error: what kind of error it shall be called.
    :param explain: returns what to add to the message for a new path.
    """
    def elsewhere(other: Problem) -> Problem:
        path = tuple(move(other.path))
        return other.placed(path, _joined(other.message, explain(path)))

    text = (exc.error_message
            if isinstance(exc, exception.HeatExceptionWithPath)
            else exc.explanation)
    path = list(move(exc.path))
    found = exception.StackValidationFailed(
        error=error or getattr(exc, 'error', None), path=path,
        message=_joined(str(text), explain(path)), dangling=exc.dangling)
    _first, *others = exc.problems
    if others or exc.left_out:
        found.tell_others(map(elsewhere, others), exc.left_out)
    return found


def _joined(text: str, hint: str) -> str:
    """Return a text with a hint, which is a sentence of its own."""
    if hint and not text.endswith(('.', '?')):
        text += '.'
    return text + hint


def below(exc: exception.HeatException, *path: Any,
          error: str | None = None) -> exception.StackValidationFailed:
    """Return an error with a path put in front of those it has."""
    return moved(exc, lambda rest: [*path, *rest], error)
