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
    """Return whether two values are written as the same JSON text.

    Values with another order of keys are equal, and so are 1 and true. To
    templates they are not: as texts they differ.
    """
    try:
        return bool(value == other) and json.dumps(value) == json.dumps(other)
    except (TypeError, ValueError):
        return False
