"""Compare text with columns of three bytes a character, on MariaDB and MySQL.

Databases that we take over have such columns for ids, names of stacks and
states. Servers refuse to compare them with a character of four bytes, such as
an emoji, although the answer is plain: nothing in the column is equal to it.
"""
import re
from typing import Any

#: Illegal mix of collations, of two values, of three, and of more.
_ILLEGAL_MIX = frozenset([1267, 1270, 1271])
_WIDE = re.compile('[\U00010000-\U0010ffff]')
#: Takes the place of a wide character. Collations of wide columns take either
#: for the same, so that these columns compare as before.
_SUBSTITUTE = '\ufffd'


def execute(cursor: Any, statement: str, parameters: Any, context: Any
            ) -> bool:
    """Execute a statement for SQLAlchemy; return that this has been done.

    A query that the server refuses for a wide character is asked without it.
    """
    try:
        cursor.execute(statement, parameters)
    except Exception as error:
        if not _is_refused(error) or not statement.startswith('SELECT'):
            raise
        narrow = _narrowed(parameters)
        if narrow == parameters:
            raise
        cursor.execute(statement, narrow)
    return True


def _is_refused(error: Exception) -> bool:
    return bool(error.args) and error.args[0] in _ILLEGAL_MIX


def _narrowed(parameters: Any) -> Any:
    """Return parameters of a statement without wide characters."""
    if isinstance(parameters, dict):
        return {name: _narrow(value) for name, value in parameters.items()}
    return type(parameters)(map(_narrow, parameters))


def _narrow(value: Any) -> Any:
    return _WIDE.sub(_SUBSTITUTE, value) if isinstance(value, str) else value
