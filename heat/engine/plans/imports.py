"""Take over what exists in the cloud as resources of a stack.

An imported resource is described as if it had been created with the
properties that it has now; the update that follows makes it what its
definition says, as with any resource.
"""
from collections.abc import Callable, Iterable, Mapping
import contextlib
import dataclasses
from typing import Any
import uuid

from oslo_log import log as logging

from heat.common import change_set_errors
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import function
from heat.engine import node_data
from heat.engine import resource as resource_module
from heat.engine import status
from heat.engine import stk_defn
from heat.engine.plans import causes
from heat.engine.plans import places
from heat.engine.plans import requested
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import store as stack_store
from heat.objects import resource as resource_objects
from heat.objects import resource_properties_data as properties_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Keys under which services say which project a thing belongs to.
_PROJECT_KEYS = ('project_id', 'tenant_id', 'os-vol-tenant-attr:tenant_id')


@dataclasses.dataclass(frozen=True, slots=True)
class Imported:
    """A resource that an import adds to a stack.

    :ivar row: its row, whose id is negative until it is stored
    :ivar definition: its definition without properties
    :ivar names_another: its physical id is that of another thing, which may
        be a resource as well
    """

    wanted: requested.Import
    row: Any
    definition: Any
    names_another: bool = False


def prepare(tree: places.Tree, wanted: requested.Import, number: int
            ) -> Imported:
    """Read an existing object and describe it as a resource.

    :param number: counts the imports of a request, from 1
    :raises ImportNotPossible: it does not exist for the user, is taken, or
        the resource cannot take it over.
    """
    if len(wanted.physical_id) > requested.LONGEST_ID:
        raise wanted.refused(_('the ID is too long'))
    stack = tree.stack_at(wanted, wanted.path[:-1])
    goal = tree.goal_at(wanted, wanted.path[:-1])
    name = wanted.path[-1]
    if places.has_row(stack, name):
        raise wanted.refused(_('the stack has the resource already'))
    if name not in goal:
        raise wanted.refused(_('the template has no resource of that name'))
    resource = goal[name]
    _require_importable(wanted, resource)
    _know_required(stack, goal, resource)
    probe = type(resource)(name, resource.t, goal)
    probe.resource_id = wanted.physical_id
    live = _live_data(wanted, probe)
    names_another = _names_another(probe)
    _require_free(wanted, stack, names_another)
    row = resource_objects.Resource(
        -number, name, stack.id, uuid=str(uuid.uuid4()),
        physical_resource_id=wanted.physical_id, action=_R.CREATE,
        status=_R.COMPLETE, status_reason=_reason(wanted),
        root_stack_id=stack.root_stack_id(), requires=[], needed_by=[],
        created_at=timeutils.utcnow(), properties=_properties(probe, live),
        data={})
    _know(goal, probe, row.uuid)
    return Imported(wanted, row, resource.t.freeze(
        properties=None, depends=None, condition=None), names_another)


def in_order(tree: places.Tree, wanted: Iterable[requested.Import]
             ) -> list[requested.Import]:
    """Return imports so that each follows those that it refers to.

    Some things are found by what they belong to alone.
    """
    ranks: dict[requested.Path, dict[str, int]] = {}

    def rank(each: requested.Import) -> tuple[requested.Path, int]:
        above = each.path[:-1]
        if above not in ranks:
            ranks[above] = {}
            # Why there is no such stack is told when it is imported.
            with contextlib.suppress(change_set_errors.ImportNotPossible):
                ranks[above] = {
                    resource.name: number for number, resource in enumerate(
                        tree.goal_at(each, above).dependencies)}
        return above, ranks[above].get(each.path[-1], 0)

    return sorted(wanted, key=rank)


def _know_required(stack: Any, goal: Any, resource: Any) -> None:
    """Let the goal know the resources that exist and one refers to."""
    for other in goal.dependencies.requires(resource):
        if other.name in stack and places.has_row(stack, other.name):
            present = stack[other.name]
            _know(goal, present, present.uuid)


def _know(goal: Any, resource: Any, resource_uuid: str | None) -> None:
    """Let references to a resource have their value in the goal."""
    stk_defn.update_resource_data(goal.defn, resource.name, node_data.NodeData(
        resource.id, resource.name, resource_uuid, resource.FnGetRefId(), {},
        _R.CREATE, _R.COMPLETE))


def _names_another(resource: Any) -> bool:
    return bool(getattr(resource, 'names_another', False))


def _reason(wanted: requested.Import) -> str:
    return _('Imported %s') % wanted.physical_id


def _require_importable(wanted: requested.Import, resource: Any) -> None:
    """Raise ImportNotPossible for types that cannot take things over."""
    base = resource_module.Resource
    if hasattr(resource, 'preview_stack'):
        raise wanted.refused(_(
            'a resource of type %s is a nested stack, which only the '
            'resource itself can create')
            % resource.type())
    if resource.external_id is not None:
        raise wanted.refused(_(
            'the template sets external_id of the resource'))
    cls = type(resource)
    if not resource.entity and all(
            getattr(cls, name) is getattr(base, name)
            for name in ('_show_resource', 'get_live_resource_data')
            ) and not hasattr(resource, 'import_data'):
        raise wanted.refused(_(
            'the type %s cannot read existing objects') % resource.type())


def _live_data(wanted: requested.Import, probe: Any) -> Any:
    """Return what the service knows of a thing of the user's project."""
    missing = _('the project has no such %s') % probe.type()
    read = getattr(probe, 'import_data', probe.get_live_resource_data)
    try:
        live = read()
    except exception.EntityNotFound as error:
        raise wanted.refused(missing) from error
    except Exception as error:  # noqa: BLE001 (clients raise anything)
        LOG.debug('Looking at %s failed', wanted.physical_id, exc_info=True)
        raise wanted.refused(missing) from error
    if not live:
        raise wanted.refused(missing)
    project, shown = probe.context.project_id, _shown(live)
    for key in _PROJECT_KEYS:
        if shown.get(key) and shown[key] != project:
            raise wanted.refused(missing)
    return live


def _shown(live: Any) -> Mapping[str, Any]:
    """Return what a service shows of a thing, as a map.

    :param live: live data, whose form is that of the plugin: a map, an
        object of openstacksdk, or a tuple that begins with one of them
    """
    thing = live[0] if isinstance(live, tuple) else live
    if hasattr(thing, 'to_dict'):
        return dict(thing.to_dict())
    return dict(thing) if isinstance(thing, Mapping) else {}


def _require_free(wanted: requested.Import, stack: Any, names_another: bool
                  ) -> None:
    """Raise ImportNotPossible for what is a resource of any stack.

    :param names_another: whether another kind of resource may have the id
    """
    for row in resource_objects.Resource.get_all_by_physical_resource_id(
            stack.context, wanted.physical_id,
            None if _is_unique(wanted.physical_id) else stack.tenant_id):
        if row.action == _R.INIT or (
                row.action, row.status) == (_R.DELETE, _R.COMPLETE):
            continue
        owner = stack_objects.Stack.get_by_id(stack.context, row.stack_id)
        if owner is not None and (
                _row_names_another(stack, owner, row) != names_another):
            continue
        if owner is not None and owner.tenant == stack.tenant_id:
            raise wanted.refused(
                _('it is the resource "%(name)s" of stack %(stack)s')
                % {'name': row.name, 'stack': owner.name})
        raise wanted.refused(_('it belongs to another stack'))


def _row_names_another(stack: Any, owner: Any, row: Any) -> bool:
    """Return whether the physical id of a row is that of another thing."""
    found = type(stack).load(stack.context, stack=owner)
    known = stack_store.definition_of(found, row)
    if row.name not in known.all_rsrc_names():
        return False
    return _names_another(found.resource_of(
        row, known.resource_definition(row.name)))


def _is_unique(physical_id: str) -> bool:
    """Return whether no two clouds' projects can have the same id."""
    try:
        uuid.UUID(physical_id)
    except ValueError:
        return False
    return True


def _properties(probe: Any, live: Any) -> dict[str, Any]:
    """Return the property values of a thing, as far as they are known.

    What cannot be read is taken to be as the definition says.
    """
    given, written = (probe.t.properties(
        probe.properties_schema, probe.context) for _time in range(2))
    # Services show ids where templates have names.
    probe.translate_properties(given, True, ignore_resolve_error=True)
    # As they are stored of what is created, and as they are compared.
    known = _values(written, lambda name: function.resolve(
        written.data[name]))
    wanted = _values(given, given.get)
    readable, shown = probe.parse_live_resource_data(given, live), _shown(live)
    for name, prop in given.props.items():
        value = _live_value(probe, name, prop, readable, shown)
        if value is None or (name not in given.data and
                             prop.schema.default in (None, value)):
            continue
        if name not in known or value not in (known[name], wanted.get(name)):
            known[name] = value
    return known


def _values(given: Any, value_of: Callable[[str], Any]) -> dict[str, Any]:
    """Return those properties of a definition that have values now."""
    found: dict[str, Any] = {}
    for name in given.data:
        # Others depend on resources that are not there yet.
        with contextlib.suppress(*causes.ERRORS):
            found[name] = value_of(name)
    return found


def _live_value(probe: Any, name: str, prop: Any,
                readable: Mapping[str, Any], live: Mapping[str, Any]) -> Any:
    """Return the value of a property as it is, None if it is not known.

    What no update could change counts if it is a plain value.
    """
    if name in readable:
        return readable[name]
    parse = getattr(probe, 'parse_live', None)
    value = (parse(dict(live)) if parse is not None else live).get(name)
    if prop.update_allowed() or not isinstance(value, str):
        return None
    return value


def write(stack: Any, found: Imported, template_id: int | None) -> int:
    """Store the row of an imported resource; return its id.

    In the transaction that begins the update.

    :raises ImportNotPossible: it has been taken meanwhile.
    """
    row, context = found.row, stack.context
    _require_free(found.wanted, stack, found.names_another)
    data_id = properties_objects.ResourcePropertiesData.create(
        context, row.properties) if row.properties else None
    stored = resource_objects.Resource.create(context, {
        'name': row.name, 'stack_id': row.stack_id, 'uuid': row.uuid,
        'root_stack_id': row.root_stack_id, 'action': row.action,
        'status': row.status, 'status_reason': row.status_reason,
        'physical_resource_id': row.physical_resource_id,
        'requires': [], 'needed_by': [], 'rsrc_prop_data_id': data_id,
        'current_template_id': template_id})
    stack_events.add(context, stack_events.resource_values(
        stack[row.name], row.action, row.status, row.status_reason, data_id))
    return stored.id
