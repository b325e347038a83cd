"""The preview of an update."""
from collections.abc import Callable
import operator
from typing import Any

from heat.common import request_budget
from heat.engine import stk_defn
from heat.engine.language import diagnostics
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.plans import places
from heat.engine.stacks import interface

ADDED, DELETED, UNCHANGED, UPDATED, REPLACED = SECTIONS = (
    'added', 'deleted', 'unchanged', 'updated', 'replaced')

#: What becomes of resources: sections with (name, description).
_Sections = dict[str, list[tuple[str, Any]]]

_SECTION_OF = {
    resource_decision.Kind.KEEP: UNCHANGED,
    resource_decision.Kind.CREATE: ADDED,
    resource_decision.Kind.UPDATE: UPDATED,
    resource_decision.Kind.SUBSTITUTE: UPDATED,
    resource_decision.Kind.REPLACE: REPLACED,
}


def of_update(current: interface.Stack, updated: interface.Stack,
              describe: Callable[[interface.Resource], Any], *,
              show_nested: bool = False) -> dict[str, list[Any]]:
    """Return {section: [description]} for an update of a stack, by name.

    The same decision is asked that the update itself would take.

    :param describe: returns the description of a resource.
    :param show_nested: list the resources of nested stacks, too.
    :raises NotSupported: the update would change what never changes.
    """
    found = _Comparison(describe).changes(current, updated, show_nested)
    return {section: [description for _name, description in sorted(
        changes, key=operator.itemgetter(0))]
        for section, changes in found.items()}


class _Comparison:
    """Compares stacks; resources are described while their stack is there.

    :param describe: returns the description of a resource.
    """

    def __init__(self, describe: Callable[[interface.Resource], Any]) -> None:
        self._describe = describe

    def changes(self, current: interface.Stack, updated: interface.Stack,
                show_nested: bool) -> _Sections:
        """Return {section: [(name, description)]}."""
        changes: _Sections = {section: [] for section in SECTIONS}
        # What needs others comes after them: it is compared with their
        # values.
        for goal in updated.dependencies:
            if goal.name not in current:
                self._add_whole(changes, goal, ADDED, show_nested)
            else:
                self._add_existing(changes, current[goal.name], goal,
                                   show_nested)
        for name in sorted(set(current) - set(updated)):
            self._add_whole(changes, current[name], DELETED, show_nested)
        return changes

    def _add(self, changes: _Sections, resource: interface.Resource,
             section: str) -> None:
        changes[section].append((resource.name, self._describe(resource)))

    def _add_existing(self, changes: _Sections, resource: interface.Resource,
                      goal: interface.Resource, show_nested: bool) -> None:
        """Put a resource that stays into its section, by its name."""
        facts = resource_decision.gather(resource, places.desired(goal),
                                         live=False)
        decision = resource_decision.decide(facts)
        if decision.error is not None and facts.immutable:
            raise decision.error
        section = _SECTION_OF[decision.kind]
        if section == ADDED:
            self._add_whole(changes, goal, ADDED, show_nested)
            return
        nested = None
        if section != REPLACED and resource.has_nested():
            nested = self._of_nested(resource, goal)
            if section == UPDATED and not _differs(nested, facts):
                section = UNCHANGED
        self._add(changes, resource, section)
        if section != REPLACED:
            stk_defn.update_resource_data(goal.stack.defn, goal.name,
                                          resource.node_data(goal.stack.defn))
        if not show_nested:
            return
        if section == REPLACED:
            self._add_inner(changes, goal, ADDED)
            self._add_inner(changes, resource, DELETED)
        elif nested is not None:
            for part in SECTIONS:
                changes[part] += nested[part]

    def _add_whole(self, changes: _Sections, resource: interface.Resource,
                   section: str, show_nested: bool) -> None:
        """Put a resource that is made or goes as a whole into a section."""
        self._add(changes, resource, section)
        if show_nested:
            self._add_inner(changes, resource, section)

    def _add_inner(self, changes: _Sections, resource: Any,
                   section: str) -> None:
        """Put what a resource consists of, or would, into a section."""
        inner = None
        if resource.has_nested():
            inner = resource.nested()
        elif section == ADDED and hasattr(resource, 'preview_stack'):
            inner = _previewed(resource)
        members = {} if inner is None else inner
        for name in sorted(members):
            self._add_whole(changes, members[name], section, True)

    def _of_nested(self, resource: Any, goal: Any
                   ) -> _Sections | None:
        """Return the changes inside a nested stack; None when unknown."""
        before, after = resource.nested(), _previewed(goal)
        if before is None or after is None:
            return None
        return self.changes(before, after, True)


def _previewed(resource: Any) -> Any:
    """Return the nested stack that a resource would have; None if unknown."""
    try:
        return resource.preview_stack()
    except diagnostics.WRONG_VALUES:
        # A value that the nested template depends on is missing or wrong.
        request_budget.require()
        return None


def _differs(nested: _Sections | None, facts: Any) -> bool:
    """Return whether a resource with a stack inside would really change."""
    if facts.prop_diff or nested is None:
        return True
    return any(nested[section] for section in SECTIONS
               if section != UNCHANGED)
