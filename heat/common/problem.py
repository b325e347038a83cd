"""One thing that is wrong with a template, its parameters or environment.

Errors carry several of them over RPC as plain dicts.
"""
from collections.abc import Iterable, Mapping
import dataclasses
from typing import Any

from heat.common import composed_text
from heat.common import error_text
from heat.common import i18n
from heat.common.i18n import _

#: How bad it is: a warning is about what works, but hardly as meant.
SEVERITIES = (ERROR, WARNING) = ('error', 'warning')

#: The number of problems in one message; further ones are counted.
LIMIT = 50

# The keyword arguments in which an exception keeps further problems.
OTHERS = 'other_problems'
LEFT_OUT = 'left_out'


@dataclasses.dataclass(frozen=True, slots=True)
class Problem:
    """A fault: where, what, and the class of the error that tells of it.

    The message does not name the place. Line, column and file are None
    when the text is not known; a file of None is the template itself.
    What is dangling refers to a name that does not exist.
    """

    path: tuple[Any, ...] = ()
    message: str = ''
    error: str = 'StackValidationFailed'
    line: int | None = None
    column: int | None = None
    file: str | None = None
    severity: str = ERROR
    dangling: bool = False
    #: Where what is wrong ends, the column after its last character.
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return error_text.at_path(
            self.path, i18n.translated(self.message)
        ) + error_text.position_text(self.line, self.column, self.file)

    def placed(self, path: Iterable[Any], message: str | None = None
               ) -> 'Problem':
        """Return the same problem at another path.

        :param message: the new message; the old one is kept by default
        """
        # As dataclasses.replace() does, which takes five times as long.
        return Problem(
            tuple(path), self.message if message is None else message,
            self.error, self.line, self.column, self.file, self.severity,
            self.dangling, self.end_line, self.end_column)

    def as_dict(self) -> dict[str, Any]:
        """Return the problem as data; what is None or false is left out."""
        found: dict[str, Any] = {'path': list(self.path)}
        for name in _NAMES:
            value = getattr(self, name)
            if value is not None and value is not False:
                found[name] = value
        return found


_NAMES = [field.name for field in dataclasses.fields(Problem)
          if field.name != 'path']


def from_dict(data: Mapping[str, Any]) -> Problem:
    """Return the problem that as_dict() made the data of."""
    return Problem(**{**data, 'path': tuple(data.get('path') or ())})


def of(exc: Any) -> list[Problem]:
    """Return what a HeatException tells of, its own problem first."""
    own = Problem(
        path=tuple(exc.path or getattr(exc, 'place_of_problem', ())),
        message=str(exc.explanation),
        error=error_text.type_name(exc), line=exc.line, column=exc.column,
        file=exc.kwargs.get('file'), dangling=exc.dangling)
    return [own, *map(from_dict, exc.kwargs.get(OTHERS) or ())]


def others_text(kwargs: Mapping[str, Any]) -> str:
    """Return what follows the text of an error that is not the only one.

    :param kwargs: the keyword arguments of the exception.
    """
    others = kwargs.get(OTHERS) or ()
    left_out = kwargs.get(LEFT_OUT) or 0
    lines = ['- ' + str(from_dict(data)) for data in others]
    if left_out:
        lines.append(_('- %d more, which are not shown') % left_out)
    if not lines:
        return ''
    count = len(others) + left_out
    head = (_('One more problem:') if count == 1
            else _('%d more problems:') % count)
    return composed_text.joined('\n', ('', head, *lines))


def with_origins(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an exception in a form that RPC carries.

    They include the messages and values of their texts, for translation.
    """
    found = {key: error_text.wire_safe(value)
             for key, value in kwargs.items()
             if key != composed_text.COMPOSED}
    origins = i18n.travelling(found)
    others = {str(index): data
              for index, other in enumerate(found.get(OTHERS) or ())
              for data in i18n.travelling(other).values()}
    if others:
        origins[OTHERS] = others
    return {**found, composed_text.COMPOSED: origins} if origins else found


def restored(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the texts that with_origins() described."""
    found = composed_text.restored(kwargs)
    others = (kwargs.get(composed_text.COMPOSED) or {}).get(OTHERS)
    if others:
        found[OTHERS] = [
            {**other, 'message': composed_text.from_data(
                other.get('message', ''), others.get(str(index)))}
            for index, other in enumerate(found.get(OTHERS) or ())]
    return found
