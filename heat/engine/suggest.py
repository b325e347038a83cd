"""Find what a user probably meant by a name that does not exist."""
from collections.abc import Iterable
import difflib

from heat.common.i18n import _

#: Comparing with a huge table (all resource types, say) stays quick.
_MAX_CANDIDATES = 2000
_CUTOFF = 0.7


def nearest(name: object, candidates: Iterable[object]) -> str | None:
    """Return the candidate most like name, or None if none is like it."""
    if not isinstance(name, str) or len(name) > 255:
        return None
    names: dict[str, str] = {}
    for candidate in candidates:
        if len(names) >= _MAX_CANDIDATES:
            break
        names.setdefault(str(candidate).lower(), str(candidate))
    found = difflib.get_close_matches(name.lower(), sorted(names), n=1,
                                      cutoff=_CUTOFF)
    return names[found[0]] if found else None


def hint(name: object, candidates: Iterable[object]) -> str:
    """Return ' Did you mean "x"?' for the nearest candidate, else ''."""
    found = nearest(name, candidates)
    if found is None:
        return ''
    return _(' Did you mean "%s"?') % found
