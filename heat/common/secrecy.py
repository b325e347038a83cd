"""Secrecy of values: by their own schema, or for the stacks above."""
import dataclasses
from typing import Any

_FALSE_TEXTS = frozenset(['', '0', 'f', 'false', 'n', 'no', 'off'])


def is_hidden(flag: Any) -> bool:
    """Return whether what a schema says about hiding means yes."""
    if isinstance(flag, str):
        # 'false' means what it says, whoever quoted it.
        return flag.strip().lower() not in _FALSE_TEXTS
    return bool(flag)


@dataclasses.dataclass(frozen=True, slots=True)
class Inherited:
    """The values that derive from hidden parameters of the stacks above.

    names are those of parameters and defaults of the environment. texts are
    hidden values that the stack, or what is nested in it, was given.
    """

    names: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


def both(one: Inherited | None, other: Inherited | None
         ) -> Inherited | None:
    """Return what hides all that either hides."""
    if one is None or other is None:
        return one or other
    return Inherited(one.names | other.names, one.texts | other.texts)
