"""Errors of the start of a process and their reports."""
import re

from heat.common import exception

_LOGIN = re.compile(r'(?<=://)[^/@\s]*@')
_SPACE = re.compile(r'\s+')
# As oslo.utils puts it into the text of an ImportError.
_TRACE = re.compile(r" \(\['Traceback.*", re.DOTALL)


class Refused(exception.Error):
    """The process cannot work as it is configured."""


class Away(exception.Error):
    """Something that is needed cannot be reached at the moment."""


def line(text: object) -> str:
    """Return a text as one line, without the passwords of URLs."""
    text = _TRACE.sub('', str(text))
    return _LOGIN.sub('***@', _SPACE.sub(' ', text)).strip()


def cause(error: BaseException) -> str:
    """Return what an exception says, as one line."""
    if isinstance(error, exception.HeatException):
        return line(error)
    if isinstance(error, OSError) and error.strerror:
        where = f'{error.filename}: ' if error.filename else ''
        return line(f'{where}{error.strerror}')
    return line(f'{type(error).__name__}: {error}')
