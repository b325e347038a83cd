"""RPC calls about events."""
import types

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.engine import environment
from heat.engine import stack as stack_module
from heat.engine.cluster import event_wakeup
from heat.engine.history import feed
from heat.engine.history import operation
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import redaction
from heat.objects import event as event_objects
from heat.objects import stack as stack_objects
from heat.rpc import api as rpc_api

#: Filters of the API by what they are called in the table.
_FILTER_COLUMNS = types.MappingProxyType({
    'resource_action': 'resource_action',
    'resource_status': 'resource_status',
    'resource_name': 'resource_name',
    'resource_type': 'resource_type',
    'uuid': 'uuid',
})


class EventQueries:
    """List the events of a stack, or of all stacks of a project."""

    @heat_context.request_context
    def list_events(self, cnxt, stack_identity, filters=None, limit=None,
                    marker=None, sort_keys=None, sort_dir=None,
                    nested_depth=None):
        """Return events; the newest first unless an order is asked for.

        :param nested_depth: add the events of nested stacks, down to this
            many levels.
        """
        if not sort_keys:
            sort_dir = sort_dir or 'desc'
        paging = {'limit': limit, 'marker': marker, 'sort_keys': sort_keys,
                  'sort_dir': sort_dir,
                  'filters': {_FILTER_COLUMNS[key]: value
                              for key, value in (filters or {}).items()
                              if key in _FILTER_COLUMNS}}
        if stack_identity is None:
            return self._of_project(cnxt, paging)
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        if nested_depth:
            return self._of_tree(cnxt, row, nested_depth, paging)
        events = event_objects.Event.get_all_by_stack(
            cnxt, row.id, **paging)
        return self._formatted(cnxt, events, {row.id: row}, None, filters)

    @heat_context.request_context
    def list_events_since(self, cnxt, last=None, holes=None, tenants=None,
                          limit=1000):
        """Return what an API process has not seen of some projects.

        :param last: the greatest id of a row that it has seen; without it
            only the position of the newest row is returned
        :param holes: ranges of lower ids that it has not seen
        :raises Forbidden: the caller is no administrator.
        """
        if not cnxt.is_admin:
            raise exception.Forbidden()
        event_wakeup.asked()
        page = (feed.newest(cnxt) if last is None else
                feed.since(cnxt, last, _ranges(holes), tenants or (), limit))
        return {**self._followed(page), 'more': page.reached is not None,
                'unseen': [list(each) for each in page.unseen]}

    @heat_context.request_context
    def list_events_between(self, cnxt, ranges, limit, tenant=None,
                            stack_identity=None):
        """Return stored events of a tree, or of a project.

        :param ranges: of the ids of their rows
        :param tenant: the project; that of the context, unless it is an
            administrator's
        :param stack_identity: the stack at the top of the tree
        :raises EntityNotFound: there is no such stack.
        """
        if tenant is None or not cnxt.is_admin:
            tenant = cnxt.project_id
        row = None
        if stack_identity is not None:
            row = guards.find_stack(cnxt, stack_identity, show_deleted=True)
            if row.tenant != tenant:
                raise exception.EntityNotFound(entity='Stack', name=row.name)
        page = feed.between(cnxt, _ranges(ranges), limit, tenant,
                            row and row.id)
        return {**self._followed(page), 'reached': page.reached,
                'is_deleted': row is not None and row.deleted_at is not None}

    @staticmethod
    def _followed(page):
        """Return events with their rows, and where their stacks are."""
        names = {each.id: identifier.HeatIdentifier(
            each.tenant, each.name, each.id) for each in page.places}
        return {
            'events': [{**formats.format_event(
                each, names[each.stack_id], include_rsrc_prop_data=False),
                'row_id': each.id} for each in page.events],
            'stacks': {each.id: {
                'name': each.name, 'tenant': each.tenant,
                'owner_id': each.owner_id,
                'parent_resource_name': each.parent_resource_name,
                'backup': bool(each.backup)} for each in page.places}}

    @heat_context.request_context
    def stack_timeline(self, cnxt, stack_identity, nested_depth=0):
        """Return when each resource worked in the last operation.

        :raises NotFound: the events of the operation are gone.
        """
        row = guards.find_stack(cnxt, stack_identity, show_deleted=True)
        found = operation.timeline_of(cnxt, row, nested_depth)
        if found is None:
            raise exception.NotFound(
                _('The events of the last operation of stack %s are no '
                  'longer stored.')
                % row.name)
        return found

    def _of_project(self, cnxt, paging):
        rows = {row.id: row for row in stack_objects.Stack.get_all(
            cnxt, show_nested=True)}
        events = event_objects.Event.get_all_by_stacks(
            cnxt, list(rows), **paging)
        return self._formatted(cnxt, events, rows, None, paging['filters'])

    def _of_tree(self, cnxt, row, nested_depth, paging):
        deepest = (row.nested_depth or 0) + nested_depth
        rows = {row.id: row}
        for nested in stack_objects.Stack.get_all_by_root_owner_id(
                cnxt, row.id):
            if (nested.nested_depth or 0) <= deepest:
                rows[nested.id] = nested
        events = event_objects.Event.get_all_by_stacks(
            cnxt, list(rows), **paging)
        root = identifier.HeatIdentifier(row.tenant, row.name, row.id)
        return self._formatted(cnxt, events, rows, root, paging['filters'])

    def _formatted(self, cnxt, events, rows, root, filters):
        identifiers = {
            row.id: identifier.HeatIdentifier(row.tenant, row.name, row.id)
            for row in rows.values()}
        # Properties are decrypted and sent for a single event only.
        single = bool(filters and 'uuid' in filters)
        formatted = [
            formats.format_event(each, identifiers[each.stack_id], root,
                                 include_rsrc_prop_data=single)
            for each in events]
        if single and formatted:
            hidden = _Hidden(cnxt, rows[events[0].stack_id])
            for each in formatted:
                takers = hidden.takers(each[rpc_api.EVENT_RES_NAME])
                each[rpc_api.EVENT_RES_PROPERTIES] = (
                    redaction.struck_out(stack_events.tellable(
                        each[rpc_api.EVENT_RES_PROPERTIES],
                        takers.union(_secret(
                            each[rpc_api.EVENT_RES_TYPE]))), hidden.values))
        return formatted


def _ranges(given):
    return tuple((low, high) for low, high in given or ())


class _Hidden:
    """Return the secrets given to a stack and to the stacks above it.

    An event may be from before a hidden value was changed: what takes one
    is not told, whatever it was.

    :ivar values: the texts in which present values may turn up
    """

    def __init__(self, cnxt, row):
        self.values = set()
        stacks = []
        while row:
            stacks.append(stack_module.Stack.load(cnxt, stack=row))
            self.values |= redaction.secrets_of(stacks[-1])
            row = row.owner_id and stack_objects.Stack.get_by_id(
                cnxt, row.owner_id, show_deleted=True)
        self._definitions, self._names = None, set()
        for stack in reversed(stacks):
            # What is given to a nested stack are values of its parameters.
            given = self.takers(stack.parent_resource_name)
            self._definitions = stack.t.t.get(stack.t.RESOURCES)
            self._names = given | redaction.hidden_names(stack.t.t)

    def takers(self, resource_name):
        """Return the properties of a resource that take something hidden.
        """
        return redaction.takers(self._definitions, resource_name,
                                self._names)


def _secret(type_name):
    """Return the properties of a type that events do not tell."""
    try:
        info = environment.global_env().get_resource_info(type_name)
    except exception.EntityNotFound:
        return ()
    # Types of templates have no class here.
    return getattr(info.value, 'secret_properties', ())
