"""Reading JSON that is the value of something: a parameter, a signal."""
import json
from typing import Any

from oslo_serialization import jsonutils

from heat.common import template_format
from heat.common.i18n import _


def loads(text: str | bytes) -> Any:
    """Return what a JSON text says.

    :raises ValueError: it is no JSON, is nested too deeply, or holds what no
        database stores.
    """
    try:
        value = jsonutils.loads(text)
    except RecursionError as error:
        raise ValueError(_('The JSON is nested too deeply')) from error
    require_storable(value)
    return value


def require_storable(value: Any) -> None:
    """Raise ValueError for a value with NUL or an unpaired surrogate."""
    path = template_format.path_of_unstorable(value)
    if path is not None:
        raise ValueError(
            _('%s holds NUL or an unpaired surrogate, which no database '
              'stores') % template_format.path_text(path))


def are_alike(value: Any, other: Any) -> bool:
    """Return whether two values have the same JSON text.

    Python treats 1 and True, and maps in a different order, as equal.
    Functions that convert values to text do not.
    """
    try:
        return bool(value == other) and json.dumps(value) == json.dumps(other)
    except (TypeError, ValueError):
        return False
