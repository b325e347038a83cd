"""Resources that the deletion of a legacy stack retains.

That is stored: an engine that carries on with the deletion has to know.
"""
from collections.abc import Callable, Collection
from typing import Any

from heat.engine import status
from heat.engine.stacks import interface
from heat.objects import stack_protection

_Protection = stack_protection.StackProtection


def storing(stack: interface.Stack, retained: Collection[str]
            ) -> Callable[[], dict[str, Any]] | None:
    """Return what stores the paths of resources that stay.

    None if there is nothing to store: no path, and none of a deletion that
    failed.
    """
    if not retained and stack.action != status.StackStatus.DELETE:
        return None

    def store() -> dict[str, Any]:
        _Protection.set(stack.context, stack.id,
                        {'retained': sorted(retained)})
        return {}
    return store


def load(stack: interface.Stack) -> None:
    """Let a stack that is being deleted know what stays."""
    stack.retained = frozenset(
        _Protection.get(stack.context, stack.id).retained or ())
