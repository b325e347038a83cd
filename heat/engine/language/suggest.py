"""Find what a user probably meant by a name that does not exist."""
from collections.abc import Iterable
import difflib
import functools
import heapq
import itertools

from heat.common import request_budget
from heat.common.i18n import _

#: Comparing with a huge table (all resource types, say) stays quick.
_MAX_CANDIDATES = 2000
_MAX_LENGTH = 100
#: The number of names compared in full: those with most in common.
_CLOSE = 12
_CUTOFF = 0.7
#: How many names a message lists.
_SHOWN = 10


def nearest(name: object, candidates: Iterable[object]) -> str | None:
    """Return the candidate most like name, or None if none is like it.

    None, too, when a request has already had its share of comparisons.
    """
    if (not isinstance(name, str) or len(name) > _MAX_LENGTH
            or not request_budget.afford(0)):
        return None
    names = tuple(map(str, itertools.islice(candidates, _MAX_CANDIDATES)))
    return _nearest(name, names) if request_budget.afford(len(names)) else (
        None)


@functools.lru_cache(maxsize=16)
def _nearest(name: str, candidates: tuple[str, ...]) -> str | None:
    # Often the same is asked again, when a value is checked in two ways.
    names: dict[str, str] = {}
    for text in candidates:
        if text.lower() not in names or text.islower() and name.islower():
            names[text.lower()] = text
    wanted = name.lower()
    close = sorted(names)
    if len(close) > _CLOSE:
        close = heapq.nlargest(
            _CLOSE, close, key=lambda other: _in_common(wanted, other))
    exchanged = [other for other in close if _is_exchanged(wanted, other)]
    found = exchanged or difflib.get_close_matches(wanted, close, n=1,
                                                   cutoff=_CUTOFF)
    return names[found[0]] if found else None


def _in_common(one: str, other: str) -> float:
    """Return how much two names share at both ends, from 0 to 1."""
    start = _prefix(one, other)
    end = _prefix(one[start:][::-1], other[start:][::-1])
    return 2 * (start + end) / (len(one) + len(other) + 1)


def _prefix(one: str, other: str) -> int:
    """Return how many characters two names have in common at the start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_exchanged(one: str, other: str) -> bool:
    """Return whether two letters next to each other changed places."""
    if len(one) != len(other) or len(one) < 2 or one == other:
        return False
    start = _prefix(one, other)
    return (one[start:start + 2] == other[start:start + 2][::-1]
            and one[start + 2:] == other[start + 2:])


def hint(name: object, candidates: Iterable[object]) -> str:
    """Return ' Did you mean "x"?' for the nearest candidate, else ''."""
    found = nearest(name, candidates)
    if found is None:
        return ''
    return _(' Did you mean "%s"?') % found


def hint_with_names(name: object, candidates: Iterable[object]) -> str:
    """Return hint(), followed by the first of the names that exist."""
    names = [str(each) for each in itertools.islice(
        candidates, _MAX_CANDIDATES)]
    if not names:
        return _(' It has no resources.')
    shown = ', '.join(each[:_MAX_LENGTH] for each in names[:_SHOWN])
    left_out = len(names) - _SHOWN
    return hint(name, names) + (
        _(' Its resources are: %(names)s and %(count)d more.') % {
            'names': shown, 'count': left_out} if left_out > 0
        else _(' Its resources are: %s.') % shown)
