"""Lists of resources, read from rows without building stacks.

The tree below a stack is one statement a level for the stacks and one for
all their resources; templates are parsed once for each distinct stack.
"""
import collections

from heat.common import identifier
from heat.common import timeutils as heat_timeutils
from heat.engine import stack as stack_module
from heat.engine.rpc import formats
from heat.engine.stacks import redaction
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.rpc import api as rpc_api


def _stacks_of_tree(context, row, nested_depth):
    """Return {stack id: row} of a stack and those nested to a depth."""
    rows = {row.id: row}
    if nested_depth > 0:
        deepest = (row.nested_depth or 0) + nested_depth
        for nested in stack_objects.Stack.get_all_by_root_owner_id(
                context, row.id):
            if (nested.nested_depth or 0) <= deepest:
                rows[nested.id] = nested
    return rows


def _matches(info, filters):
    """Return whether a listed resource has what the filters ask for.

    A status filter is a status (`FAILED`) or an action with a status
    (`CREATE_FAILED`); a type filter is a part of the type's name.
    """
    def wanted(key):
        value = filters.get(key)
        if value is None:
            return None
        return value if isinstance(value, list) else [value]

    statuses = wanted('status')
    if statuses is not None:
        whole = f'{info[rpc_api.RES_ACTION]}_{info[rpc_api.RES_STATUS]}'
        if not {whole, info[rpc_api.RES_STATUS]} & set(statuses):
            return False
    types = wanted('type')
    if types is not None and not any(
            part in info[rpc_api.RES_TYPE] for part in types):
        return False
    for key, name in (('name', rpc_api.RES_NAME),
                      ('action', rpc_api.RES_ACTION),
                      ('physical_resource_id', rpc_api.RES_PHYSICAL_ID)):
        values = wanted(key)
        if values is not None and info[name] not in values:
            return False
    return True


def _format_row(row, view, children):
    """Return what is listed of a resource, from its row."""
    stack_row, stack_identifier = view.row, view.identifier
    created = heat_timeutils.isotime(row.created_at)
    info = {
        rpc_api.RES_UPDATED_TIME: (
            created if row.updated_at in (None, row.created_at)
            else heat_timeutils.isotime(row.updated_at)),
        rpc_api.RES_CREATION_TIME: created,
        rpc_api.RES_NAME: row.name,
        rpc_api.RES_PHYSICAL_ID: row.physical_resource_id or '',
        rpc_api.RES_ACTION: row.action,
        rpc_api.RES_STATUS: row.status,
        rpc_api.RES_STATUS_DATA: row.status_reason,
        rpc_api.RES_TYPE: view.type_of(row),
        rpc_api.RES_ID: {**stack_identifier,
                         'path': f'/resources/{row.name}'},
        rpc_api.RES_STACK_ID: stack_identifier,
        rpc_api.RES_STACK_NAME: stack_row.name,
        rpc_api.RES_REQUIRED_BY: view.required_by_names(row),
    }
    child = children.get(row.physical_resource_id)
    if child is not None:
        info[rpc_api.RES_NESTED_STACK_ID] = dict(identifier.HeatIdentifier(
            child.tenant, child.name, child.id))
    if stack_row.parent_resource_name:
        info[rpc_api.RES_PARENT_RESOURCE] = stack_row.parent_resource_name
    return info


class _StackView:
    """The parts of a stack's definition that a list needs.

    :param rows: the rows of all its resources
    """

    def __init__(self, context, row, rows):
        self.row = row
        #: The identifier as a mapping, which the answers share.
        self.identifier = dict(identifier.HeatIdentifier(
            row.tenant, row.name, row.id))
        self._context = context
        self._stack = stack_module.Stack.load(context, stack=row)
        self._rows = rows
        tmpl = self._stack.t
        self._type_key = tmpl.RES_TYPE
        self._written = tmpl.t.get(tmpl.RESOURCES) or {}
        self._required_by = None

    def type_of(self, row):
        """Return the resource type; an old row asks its own template."""
        written = self._written.get(row.name)
        if isinstance(written, dict):
            kind = written.get(self._type_key)
            if isinstance(kind, str):
                return kind
            return self._stack.defn.resource_definition(
                row.name).resource_type
        if row.current_template_id is None:
            return ''
        tmpl = stack_store.parsed_template(self._context,
                                           row.current_template_id)
        found = (tmpl[tmpl.RESOURCES] or {}).get(row.name)
        if isinstance(found, dict):
            return found.get('type') or found.get('Type') or ''
        return ''

    def required_by_names(self, row):
        """Return the names of resources that need the one of a row."""
        if self._required_by is None:
            self._stored = stack_store.keeps_requirements(self._stack)
            self._required_by = (
                stack_rows.requirers(stack_rows.chosen(self._rows).values())
                if self._stored else self._required_by_definition())
        return sorted(self._required_by.get(
            row.id if self._stored else row.name, ()))

    def _required_by_definition(self):
        """Return {name: names of resources whose definition needs it}."""
        required_by: dict[str, list[str]] = {}
        defn = self._stack.defn
        for other in defn.enabled_rsrc_names():
            required = defn.resource_definition(other)
            for needed in required.required_resource_names():
                required_by.setdefault(needed, []).append(other)
        return required_by


def of_tree(context, stack_row, *, nested_depth, with_detail, filters):
    """Return what is listed of the resources of a stack and below it."""
    stacks = _stacks_of_tree(context, stack_row, nested_depth)
    children = stacks
    rows = resource_objects.Resource.get_listed(context, list(stacks))
    of_stack = collections.defaultdict(list)
    for row in rows:
        of_stack[row.stack_id].append(row)
    if nested_depth <= 0:
        # Rows of the children say which resources have a stack inside.
        children = {row.id: row for row in
                    stack_objects.Stack.get_all_by_owner_ids(
                        context, [stack_row.id],
                        graph=stack_objects.Graph.NONE)}
    views = {stack_id: _StackView(context, stacks[stack_id], some)
             for stack_id, some in of_stack.items()}
    listed = []
    for row in rows:
        info = _format_row(row, views[row.stack_id], children)
        if not filters or _matches(info, filters):
            listed.append((row, info))
    if with_detail:
        to_detail = collections.defaultdict(list)
        for row, info in listed:
            to_detail[row.stack_id].append((row, info))
        for stack_id, described in to_detail.items():
            _add_details(context, stacks[stack_id], described)
    return [info for _row, info in listed]


def _add_details(context, stack_row, listed):
    """Add the details of resources of a stack to their entries in a list.

    Nobody has asked for attributes that are made of hidden values.

    :param listed: (row, entry) of the resources
    """
    stack = stack_module.Stack.load(context, stack=stack_row)
    redaction.know_inherited(stack)
    secrets = redaction.secrets_of(stack)
    for row, info in listed:
        resource = stack.resource_get(row.name)
        if resource is None:
            continue
        detailed = formats.format_stack_resource(resource)
        for key in rpc_api.RES_ATTRIBUTES, rpc_api.RES_METADATA:
            if key in detailed:
                detailed[key] = redaction.struck_out(detailed[key], secrets)
        info.update(detailed)
