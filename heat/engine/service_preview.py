"""What an update would do, told without doing it."""
from heat.engine import api
from heat.engine import resource_change
from heat.rpc import api as rpc_api

ADDED, DELETED, UNCHANGED, UPDATED, REPLACED = SECTIONS = (
    'added', 'deleted', 'unchanged', 'updated', 'replaced')

_SECTION_OF = {
    resource_change.Kind.KEEP: UNCHANGED,
    resource_change.Kind.CREATE: ADDED,
    resource_change.Kind.UPDATE: UPDATED,
    resource_change.Kind.SUBSTITUTE: UPDATED,
    resource_change.Kind.REPLACE: REPLACED,
}


def of_update(current, updated, *, show_nested=False):
    """Return {section: [resource]} for an update of a stack.

    The same decision is asked that the update itself would take.
    """
    changes = {section: [] for section in SECTIONS}
    for name in sorted(updated):
        if name not in current:
            changes[ADDED].append(_described(updated[name]))
            continue
        resource, section = current[name], UNCHANGED
        facts = resource_change.gather(
            resource, updated.defn.resource_definition(name), live=False)
        section = _SECTION_OF[resource_change.decide(facts).kind]
        nested = None
        if resource.has_nested() and name in updated:
            nested = _of_nested(resource, updated[name])
            if section == UPDATED and not _differs(nested, facts):
                section = UNCHANGED
        changes[section].append(_described(
            resource if section != ADDED else updated[name]))
        if show_nested and nested is not None:
            for part in SECTIONS:
                changes[part] += nested[part]
    changes[DELETED] += [_described(current[name])
                         for name in sorted(set(current) - set(updated))]
    return changes


def _of_nested(resource, updated_resource):
    """Return the changes inside a nested stack; None when unknown."""
    before, after = resource.nested(), updated_resource.preview_stack()
    if before is None or after is None:
        return None
    return of_update(before, after, show_nested=True)


def _differs(nested, facts):
    """Tell whether a resource with a stack inside would really change."""
    if facts.prop_diff or nested is None:
        return True
    return any(nested[section] for section in SECTIONS
               if section != UNCHANGED)


def _described(resource):
    info = api.format_stack_resource(resource, detail=False)
    info[rpc_api.RES_DESCRIPTION] = resource.t.description
    info[rpc_api.RES_METADATA] = resource.metadata_get()
    info[rpc_api.RES_PROPERTIES] = api.format_resource_properties(resource)
    info[rpc_api.RES_ATTRIBUTES] = {}
    return info
