"""Attributes and node data of a resource."""
from collections.abc import Callable, MutableMapping, Sequence
import threading
from typing import Any
import weakref

from oslo_log import log as logging

from heat.common import exception
from heat.common.i18n import _
from heat.engine import attributes
from heat.engine import node_data
from heat.engine import status
from heat.engine.stacks import interface

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Per stack definition: {purpose: {resource name: attributes}}.  Looking
#: through all of a template once serves all of its resources.
_references: MutableMapping[Any, dict[str, dict[str, set[Any]]]] = (
    weakref.WeakKeyDictionary())
_references_lock = threading.Lock()


def referenced(resource: interface.Resource, stk_defn: Any = None,
               in_resources: bool = True, in_outputs: bool = True,
               load_all: bool = False) -> set[Any]:
    """Return the attributes of a resource that its template refers to.

    An attribute is a name, or a tuple of name and path.
    """
    stk_defn = stk_defn if stk_defn is not None else resource.stack.defn
    names: set[Any] = set()
    if in_resources:
        names |= _referenced_in(stk_defn, 'resources').get(
            resource.name, frozenset())
    # Whoever wants only some outputs' values filters them himself.
    if in_outputs or load_all:
        names |= _referenced_in(stk_defn, 'outputs').get(
            resource.name, frozenset())
    if attributes.ALL_ATTRIBUTES in names:
        names.discard(attributes.ALL_ATTRIBUTES)
        names |= set(resource.attributes) - {attributes.SHOW_ATTR}
    return names


def _referenced_in(stk_defn: Any, purpose: str) -> dict[str, set[Any]]:
    """Return {resource name: attributes that the definitions refer to}.

    A definition whose resources change is another definition.
    """
    if purpose == 'resources':
        names, definition_of = (stk_defn.enabled_rsrc_names(),
                                stk_defn.resource_definition)
    else:
        names, definition_of = (stk_defn.enabled_output_names(),
                                stk_defn.output_definition)
    with _references_lock:
        known = _references.setdefault(stk_defn, {})
    if purpose not in known:
        found: dict[str, set[Any]] = {}
        for name in names:
            for target, attribute in definition_of(name).all_dep_attrs():
                found.setdefault(target, set()).add(attribute)
        known[purpose] = found
    return known[purpose]


def make_node_data(resource: interface.Resource, stk_defn: Any = None,
                   for_resources: bool = True, for_outputs: bool = False
                   ) -> node_data.NodeData:
    """Return the NodeData of a resource as it is now.

    Attributes are asked for once and kept, if they may be; one that cannot
    be read is an error to whoever refers to it.
    """
    values = {}
    for key in sorted(referenced(resource, stk_defn, for_resources,
                                 for_outputs), key=str):
        name, path = (key, ()) if isinstance(key, str) else (key[0], key[1:])
        try:
            values[key] = resource.FnGetAtt(name, *path)
        except exception.InvalidTemplateAttribute as error:
            LOG.info('%s', error)
        except Exception as error:  # noqa: BLE001
            LOG.warning('Attribute %s of resource "%s" is not available: %s',
                        name, resource.name, error)
            values[key] = exception.Error(_(
                'Attribute "%(name)s" of resource "%(resource)s" is not '
                'available: %(error)s') % {
                    'name': name, 'resource': resource.name,
                    'error': error})
    return node_data.NodeData(
        resource.id, resource.name, resource.uuid, resource.FnGetRefId(),
        values, resource.action, resource.status)


def get_attribute(resource: interface.Resource, key: str, *path: Any) -> Any:
    """Return an attribute's value, or what lies at a path in it."""
    try:
        value = resource.attributes[key]
    except KeyError:
        raise exception.InvalidTemplateAttribute(
            resource=resource.name, key=key) from None
    return attributes.select_from_attribute(value, path)


def resolver(ref: Callable[[], Any]) -> Callable[[str], Any]:
    """Return a function of an attribute's name that asks the resource.

    :param ref: weak reference to the resource, which owns the function
    """
    def resolve(name: str) -> Any:
        resource = ref()
        if resource is None:
            LOG.warning('Attribute %s of a resource that is gone', name)
            return None
        return resource._resolve_any_attribute(  # noqa: SLF001 (plugin API)
            name)

    return resolve


def resolve(resource: interface.Resource, name: str) -> Any:
    """Ask a resource for an attribute; None when the thing is gone."""
    try:
        _look_up_needed(resource)
        if name not in resource.base_attributes_schema:
            return resource._resolve_attribute(  # noqa: SLF001 (plugin API)
                name)
        if resource.resource_id is None:
            return None
        return resource._show_resource()  # noqa: SLF001 (plugin API)
    except Exception as error:
        if is_not_found(resource, error):
            return None
        raise


def _look_up_needed(resource: interface.Resource) -> None:
    """Let the properties of a resource have what they refer to.

    Of a stack that was loaded nothing is known yet; a plugin would find the
    names of resources where their ids belong.
    """
    if resource.id is None or resource.action == _R.INIT:
        return
    _look_up(resource, resource.t.required_resource_names())


def look_up_all_needed(resources: Sequence[interface.Resource]) -> None:
    """Let resources, and all that they need, have what they refer to.

    A plugin that gets a signal may have another resource act: a policy
    its group, whose members need what the group's properties name.

    :param resources: some of one stack.
    """
    definition = resources[0].stack.defn
    needed: set[str] = set()
    todo = [resource.t for resource in resources]
    while todo:
        found = todo.pop().required_resource_names() - needed
        needed |= found
        todo += [definition.resource_definition(name) for name in found
                 if name in resources[0].stack]
    _look_up(resources[0], needed)


def _look_up(resource: interface.Resource, needed: Any) -> None:
    missing = [name for name in sorted(needed)
               if not resource.stack.defn.knows(name)]
    if missing:
        resource.stack.rows.expect(missing)
        resource.stack.refresh_node_data(missing)


def is_not_found(resource: interface.Resource, error: BaseException) -> bool:
    """Return whether a client's error says that the thing is gone."""
    plugin = resource.client_plugin()
    return plugin is not None and bool(plugin.is_not_found(error))


def show(resource: interface.Resource) -> Any:
    """Return all that the service knows of the thing, as a dict."""
    if not resource.entity:
        return None
    try:
        thing = getattr(resource.client(), resource.entity).get(
            resource.resource_id)
        return thing.to_dict()
    except AttributeError as error:
        LOG.warning('Resource "%s" cannot be shown: %s', resource.name,
                    error)
        return {}


def live_data(resource: interface.Resource) -> Any:
    """Return what the service knows of the thing.

    Raise EntityNotFound when it is gone.
    """
    try:
        return resource._show_resource()  # noqa: SLF001 (plugin API)
    except Exception as error:
        if is_not_found(resource, error):
            raise exception.EntityNotFound(
                entity='Resource', name=resource.name) from error
        raise


def live_properties(properties: Any, data: Any) -> dict[str, Any]:
    """Return those values of live data that an update could change."""
    return {name: data[name] for name, prop in properties.props.items()
            if prop.update_allowed() and name in data}
