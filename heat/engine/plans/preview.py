"""The preview of an update."""
import operator

from heat.engine import stk_defn
from heat.engine.lifecycle import decision as resource_decision

ADDED, DELETED, UNCHANGED, UPDATED, REPLACED = SECTIONS = (
    'added', 'deleted', 'unchanged', 'updated', 'replaced')

_SECTION_OF = {
    resource_decision.Kind.KEEP: UNCHANGED,
    resource_decision.Kind.CREATE: ADDED,
    resource_decision.Kind.UPDATE: UPDATED,
    resource_decision.Kind.SUBSTITUTE: UPDATED,
    resource_decision.Kind.REPLACE: REPLACED,
}


def of_update(current, updated, *, show_nested=False):
    """Return {section: [Resource]} for an update of a stack.

    The same decision is asked that the update itself would take.

    :param show_nested: list the resources of nested stacks, too.
    :raises NotSupported: the update would change what never changes.
    """
    changes = {section: [] for section in SECTIONS}
    # What needs others comes after them: it is compared with their values.
    for goal in updated.dependencies:
        if goal.name not in current:
            _add_whole(changes, goal, ADDED, show_nested)
        else:
            _add_existing(changes, current[goal.name], goal, show_nested)
    for name in sorted(set(current) - set(updated)):
        _add_whole(changes, current[name], DELETED, show_nested)
    for found in changes.values():
        found.sort(key=operator.attrgetter('name'))
    return changes


def _add_existing(changes, resource, goal, show_nested):
    """Put a resource that stays into its section, by its name."""
    facts = resource_decision.gather(
        resource, goal.stack.defn.resource_definition(resource.name),
        live=False)
    decision = resource_decision.decide(facts)
    if decision.error is not None and facts.immutable:
        raise decision.error
    section = _SECTION_OF[decision.kind]
    if section == ADDED:
        _add_whole(changes, goal, ADDED, show_nested)
        return
    nested = None
    if section != REPLACED and resource.has_nested():
        nested = _of_nested(resource, goal)
        if section == UPDATED and not _differs(nested, facts):
            section = UNCHANGED
    changes[section].append(resource)
    if section != REPLACED:
        stk_defn.update_resource_data(goal.stack.defn, goal.name,
                                      resource.node_data(goal.stack.defn))
    if not show_nested:
        return
    if section == REPLACED:
        _add_inner(changes, goal, ADDED)
        _add_inner(changes, resource, DELETED)
    elif nested is not None:
        for part in SECTIONS:
            changes[part] += nested[part]


def _add_whole(changes, resource, section, show_nested):
    """Put a resource that is made or goes as a whole into a section."""
    changes[section].append(resource)
    if show_nested:
        _add_inner(changes, resource, section)


def _add_inner(changes, resource, section):
    """Put what a resource consists of, or would, into a section."""
    inner = None
    if resource.has_nested():
        inner = resource.nested()
    elif section == ADDED and hasattr(resource, 'preview_stack'):
        inner = resource.preview_stack()
    for name in sorted(inner or ()):
        _add_whole(changes, inner[name], section, True)


def _of_nested(resource, goal):
    """Return the changes inside a nested stack; None when unknown."""
    before, after = resource.nested(), goal.preview_stack()
    if before is None or after is None:
        return None
    return of_update(before, after, show_nested=True)


def _differs(nested, facts):
    """Return whether a resource with a stack inside would really change."""
    if facts.prop_diff or nested is None:
        return True
    return any(nested[section] for section in SECTIONS
               if section != UNCHANGED)
