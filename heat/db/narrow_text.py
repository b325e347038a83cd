"""Comparisons with columns of three bytes per character (MariaDB, MySQL).

Databases made by OpenStack Heat have such columns for ids, names of stacks and
states. The server rejects a comparison with a character of four bytes, such as
an emoji, although no value of the column can be equal to it.
"""
import re
from typing import Any

#: Error codes for an illegal mix of collations (of 2, 3 and more values).
_ILLEGAL_MIX = frozenset([1267, 1270, 1271])
_WIDE = re.compile('[\U00010000-\U0010ffff]')
#: Replaces a wide character. Collations of wide columns treat both as equal,
#: so comparisons with these columns have the same result.
_SUBSTITUTE = '\ufffd'


def execute(cursor: Any, statement: str, parameters: Any, context: Any
            ) -> bool:
    """Execute a statement; return True, so that SQLAlchemy does not.

    A query that the server rejects because of wide characters is repeated
    without them.
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
    """Return the parameters of a statement without wide characters."""
    if isinstance(parameters, dict):
        return {name: _narrow(value) for name, value in parameters.items()}
    return type(parameters)(map(_narrow, parameters))


def _narrow(value: Any) -> Any:
    return _WIDE.sub(_SUBSTITUTE, value) if isinstance(value, str) else value
