"""The tree of stacks that a plan was computed from: has it changed since?"""
from collections.abc import Iterable, Mapping
from typing import Any

from heat.common.i18n import _
from heat.engine.stacks import warrant as stack_warrant
from heat.objects import stack as stack_objects

#: What each part of a stamp is called in messages.
_PARTS = (_('template'), _('traversal'), _('time of update'), _('action'),
          _('status'))


def of_tree(context: Any, stack_id: str) -> dict[str, list[Any]]:
    """Return {stack id: [name, stamp]} of a stack and those inside it."""
    root = stack_objects.Stack.get_by_id(context, stack_id)
    rows = [] if root is None else [
        root, *stack_objects.Stack.get_all_by_root_owner_id(
            context, stack_id)]
    return {row.id: [row.name, list(stack_warrant.stamp(row))]
            for row in rows if row.deleted_at is None}


def of_trees(context: Any, stack_id: str, others: Iterable[str]
             ) -> dict[str, list[Any]]:
    """Return the same of a stack and of others that it gets resources of."""
    found = {}
    for each in (stack_id, *others):
        found.update(of_tree(context, each))
    return found


def changed_since(base: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return how a tree differs from its base, as a text; '' if not."""
    texts = []
    for stack_id in sorted({*base, *now}):
        if stack_id not in now:
            texts.append(_('stack %s is gone') % base[stack_id][0])
        elif stack_id not in base:
            texts.append(_('stack %s is new') % now[stack_id][0])
        else:
            parts = [part for part, old, new in zip(
                _PARTS, base[stack_id][1], now[stack_id][1], strict=True)
                if old != new]
            if parts:
                texts.append(_('stack %(name)s has changed (%(parts)s)') % {
                    'name': now[stack_id][0], 'parts': ', '.join(parts)})
    return '; '.join(texts)


def others_changed(context: Any, stack_id: str, base: Mapping[str, Any],
                   others: Iterable[str]) -> str:
    """Return how all stacks but one differ from a base; '' if not.

    The stack itself may have begun what the base is compared for.
    """
    return changed_since(*(
        {key: value for key, value in tree.items() if key != stack_id}
        for tree in (base, of_trees(context, stack_id, others))))
