"""Single values of a resource that its plugin reads and writes.

The physical id, data, metadata, and what is stored of properties and
attributes outside of a change of state.
"""
from collections.abc import Callable, Iterator
from typing import Any

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import status
from heat.engine.language import diagnostics
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import store as resource_store
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects
from heat.objects import resource_data as data_objects
from heat.objects import resource_properties_data as properties_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction

_R = status.ResourceStatus


def physical_id_set(resource: interface.Resource, physical_id: str | None
                    ) -> None:
    """Record what the resource is called in the cloud.

    At once, because the next thing to happen may be the end of this
    process; but with the outcome if the handler makes nothing remote.
    """
    resource.resource_id = physical_id
    known = resource.row_state
    if known.defer_physical_id() or resource.id is None:
        return
    claim = known.claim or resource_claim.StackOwned()
    values = {'physical_resource_id': physical_id}
    if not transaction.run(
            resource.context, lambda: claim.keep(
                resource.context, resource.id, known.atomic_key, values),
            patience=group_commit.FOREVER):
        raise resource_claim.ClaimLost(resource.name)
    known.count_write(claim)


def data_get(resource: interface.Resource) -> dict[str, str]:
    """Return the data of a resource, from the database the first time."""
    data: dict[str, str] = resource.row_state.read_data(
        lambda: {} if resource.id is None else
        data_objects.ResourceData.get_all(resource.context, resource.id))
    return data


def data_forget(resource: interface.Resource) -> None:
    """Read the data of a resource again when they are next asked for."""
    resource.row_state.forget_data()


def data_set(resource: interface.Resource, key: str, value: Any,
             redact: bool = False) -> None:
    """Record a value of a resource; redact keeps it encrypted."""
    if resource.row_state.put_datum(key, value, redact):
        return
    if resource.id is None:
        raise exception.ResourceNotAvailable(resource_name=resource.name)
    transaction.run(
        resource.context, lambda: data_objects.ResourceData.set(
            resource.context, resource.id, key, value, redact),
        patience=group_commit.FOREVER)


def data_delete(resource: interface.Resource, key: str) -> bool:
    """Remove a value; return whether there was one."""
    if key not in data_get(resource):
        return False
    resource.row_state.drop_datum(key)
    if resource.id is not None:
        data_objects.ResourceData.delete(resource.context, resource.id, key)
    return True


def metadata_get(resource: interface.Resource, refresh: bool = False) -> Any:
    """Return the stored metadata, or the template's before there is any.

    Metadata that cannot be computed are empty: they make the creation of the
    resource fail, but not the requests that show it.
    """
    if refresh and resource.id is not None:
        row = resource_store.get_row(resource.context, resource.id,
                                     with_data=False)
        resource.row_state.set_metadata(row.rsrc_metadata)
    if resource.row_state.metadata is not None:
        return resource.row_state.metadata
    with diagnostics.tolerated():
        return resource.t.metadata()
    return {}


def metadata_set(resource: interface.Resource, metadata: Any,
                 merge_metadata: Callable[[Any, Any], Any] | None = None
                 ) -> None:
    """Write the metadata.

    :param merge_metadata: a function (what to write, what is stored) ->
        what to write, for metadata that several writers have parts in
    """
    if resource.id is None or resource.action == _R.INIT:
        raise exception.ResourceNotAvailable(resource_name=resource.name)
    context = resource.context

    def write() -> Any:
        wanted = metadata
        if merge_metadata is not None:
            wanted = merge_metadata(
                metadata, resource_objects.Resource.lock_metadata(
                    context, resource.id) or {})
        # The claim of a running action stays valid: it does not own the
        # metadata, which signals change at any time.
        resource_objects.Resource.update_by_id(context, resource.id,
                                               {'rsrc_metadata': wanted})
        return wanted

    resource.row_state.set_metadata(transaction.run(context, write))


def metadata_change(resource: interface.Resource,
                    change: Callable[[dict[str, Any]], Any]) -> bool:
    """Change the stored metadata; False if somebody else was at the row.

    One compare-and-swap, so of two engines that want the same one succeeds.

    :param change: function of the stored metadata that returns what to
        store, or raises when there is nothing to be changed
    """
    row = resource_store.get_row(resource.context, resource.id,
                                 with_data=False)
    wanted = change(dict(row.rsrc_metadata or {}))
    if row.engine_id is not None or not transaction.run(
            resource.context,
            lambda: resource_objects.Resource.select_and_update(
                resource.context, resource.id, {'rsrc_metadata': wanted},
                expected_engine_id=None, atomic_key=row.atomic_key)):
        return False
    resource.row_state.set_metadata(wanted)
    resource.row_state.count_swap(row.atomic_key)
    return True


def replacement_of(resource: interface.Resource
                   ) -> tuple[str | None, dict[str, Any]]:
    """Return (physical id, data) of what replaces a resource.

    That is (None, {}) if there is nothing.
    """
    for row in resource_objects.Resource.get_many(
            resource.context, [resource.replaced_by], with_data=True):
        return row.physical_resource_id, dict(row.data or {})
    return None, {}


def replacements(context: heat_context.RequestContext, row_id: int | None
                 ) -> Iterator[resource_objects.Resource]:
    """Yield a row that replaces another one, and those that replace it."""
    while row_id is not None:
        row = resource_objects.Resource.get_obj(context, row_id)
        if row is None:
            return
        yield row
        row_id = row.replaced_by


def replaced_rows(resource: interface.Resource
                  ) -> Iterator[resource_objects.Resource]:
    """Yield the rows, with data, that a resource replaced, latest first.

    Those that are there: usually each is deleted before its replacement is.
    """
    row_id = resource.replaces
    while row_id is not None:
        row = resource_objects.Resource.get_obj(resource.context, row_id,
                                                with_data=True)
        if row is None:
            return
        yield row
        row_id = row.replaces


def clear_stored_attributes(resource: interface.Resource) -> None:
    """Forget attribute values that were read earlier.

    Resources whose stack the resource is in may have them in theirs.
    """
    context = resource.context
    resource.attributes.cached_attrs = {}
    stored = {}
    if resource.row_state.attributes_id is not None:
        stored[resource.id] = resource.row_state.attributes_id
    stored.update(_stored_around(context, resource.stack))
    if not stored:
        return

    def write() -> None:
        resource_objects.Resource.update_many(
            context, list(stored), {'attr_data_id': None})
        resource_store.forget(context, set(stored.values()))

    transaction.run(context, write)
    resource.row_state.drop_attributes()


def _stored_around(context: heat_context.RequestContext, stack: interface.Stack
                   ) -> dict[int, Any]:
    """Return {row id: id of attributes} of resources a stack is inside of.
    """
    stored = {}
    owner_id, name = stack.owner_id, stack.parent_resource_name
    while owner_id is not None:
        owner = stack_objects.Stack.get_by_id(context, owner_id)
        if owner is None:
            break
        row = resource_objects.Resource.get_by_name_and_stack(
            context, name, owner_id)
        if row is not None and row.attr_data_id is not None:
            stored[row.id] = row.attr_data_id
        owner_id, name = owner.owner_id, owner.parent_resource_name
    return stored


def update_stored_properties(resource: interface.Resource, properties: Any
                             ) -> None:
    """Store property values outside of an action."""
    resource.row_state.set_properties(properties)
    if resource.id is None:
        return

    def write() -> Any:
        data_id = None
        if properties:
            data_id = properties_objects.ResourcePropertiesData.create(
                resource.context, properties)
        resource_objects.Resource.update_by_id(
            resource.context, resource.id, {'rsrc_prop_data_id': data_id})
        return data_id

    resource.row_state.move_properties(
        transaction.run(resource.context, write))


def adopt(resource: interface.Resource, physical_id: str | None, data: Any,
          metadata: Any) -> None:
    """Let a resource be something that exists already."""
    if not physical_id:
        raise exception.Error(_('Resource ID was not provided.'))
    resource.resource_id_set(physical_id)
    for key, value in data.items():
        # Which of them are secret is not known; so all of them are.
        resource.data_set(key, value, redact=True)
    if metadata:
        resource.metadata_set(metadata)
