"""The abilities of a terminal: colours, characters and columns."""
from collections.abc import Callable, Mapping
import os
import shutil
from typing import TextIO

RED, GREEN, YELLOW, MAGENTA, CYAN, BOLD = '31', '32', '33', '35', '36', '1'
BLUE, DIM = '34', '2'

#: (text, colour) -> text
Paint = Callable[[str, str], str]


def coloured(text: str, colour: str) -> str:
    """Return a text in a colour."""
    return f'\033[{colour}m{text}\033[0m'


def uncoloured(text: str, _colour: str) -> str:
    """Return a text as it is."""
    return text


def paint_of(stream: TextIO, environment: Mapping[str, str] = os.environ
             ) -> Paint:
    """Return the function that colours what a stream gets.

    Only a terminal gets colours, unless NO_COLOR is set.
    """
    if (environment.get('NO_COLOR') or environment.get('TERM') == 'dumb' or
            not stream.isatty()):
        return uncoloured
    return coloured


def columns() -> int:
    """Return the width of the terminal, 80 where there is none."""
    return shutil.get_terminal_size().columns


def shows(stream: TextIO, characters: str) -> bool:
    """Return whether the encoding of a stream has some characters."""
    try:
        characters.encode(getattr(stream, 'encoding', None) or 'ascii')
    except UnicodeEncodeError:
        return False
    return True


def plain(text: object) -> str:
    """Return a text on one line, without control characters."""
    return ''.join(
        each if each.isprintable() else
        each.encode('unicode_escape', 'backslashreplace').decode()
        for each in str(text))
