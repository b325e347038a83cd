"""Write resources: states with their events, data, metadata, properties.

Nothing else writes resource rows while the engine works on a stack.
"""
from collections.abc import Callable, Iterable
import dataclasses
import typing
from typing import Any
import uuid

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import timeutils
from heat.common.i18n import _
from heat.engine import status
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import row_state
from heat.engine.stacks import events as stack_events
from heat.engine.stacks import interface
from heat.engine.stacks import redaction
from heat.engine.tasks import group_commit
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from heat.objects import resource_data as data_objects
from heat.objects import resource_properties_data as properties_objects
from heat.objects import transaction

LOG = logging.getLogger(__name__)

_R = status.ResourceStatus

#: Key of the data of a resource that may lack what it has lent to another
#: one that is to replace it.
LENT = 'lent_to_replacement'

#: The type of the member of the same name.
_RowState = row_state.RowState

#: A write that found the row held or changed by another engine.
LOST = object()

#: Most characters of a reason; the column holds 65535 bytes in MySQL.
REASON_LIMIT = 16000


@dataclasses.dataclass(frozen=True, slots=True)
class ResourceTransition:
    """A change of state and what is written with it.

    Without action the state stays, and there is no event.

    :ivar columns: further columns of the row
    :ivar properties: stored as the new property values, unless None
    :ivar attributes: stored as the attribute values, unless None
    :ivar pending: data that has to be written as well
    :ivar extra: called last, in the same transaction; its result is sent
        back
    :ivar mark_started: there is no earlier write that began the action, so
        its IN_PROGRESS event is written here
    :ivar event_columns: further columns of its event
    """

    action: str | None = None
    status: str | None = None
    reason: str = ''
    columns: dict[str, typing.Any] = dataclasses.field(default_factory=dict)
    properties: dict[str, typing.Any] | None = None
    attributes: dict[str, typing.Any] | None = None
    pending: row_state.Pending | None = None
    extra: Callable[[], typing.Any] | None = None
    mark_started: bool = False
    event_columns: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def writes(self) -> bool:
        """Return whether there is anything to write to the row."""
        return bool(self.action or self.columns or
                    self.attributes is not None)


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    """The changes in memory that follow a write."""

    row_id: int
    row_uuid: str
    created_at: typing.Any
    prop_data_id: int | None
    attr_data_id: int | None
    events: tuple[dict[str, typing.Any], ...]
    extra: typing.Any = None


def transition(resource: interface.Resource, claim: resource_claim.Claim,
               move: ResourceTransition, how: str = 'keep'
               ) -> scheduler.TaskGenerator[Any]:
    """A task to write a change of state; memory follows when it is done.

    :param how: what to do with the claim: acquire, keep, release, or
        update_once for a change that is made in one step
    Raise ClaimLost when another engine holds or has changed the row.
    Return what move.extra returned.
    """
    _check(resource, move)
    write = _write_of(resource, claim, move, how)
    written = yield group_commit.Write(
        write, resource.context, [(_store_values, values) for values in
                                  _new_values(resource, move)])
    if written is LOST:
        LOG.debug('Resource "%s" (%s) is held or was changed by another '
                  'engine', resource.name, resource.id)
        raise resource_claim.ClaimLost(resource.name)
    _publish(resource, claim, move, written)
    return written.extra


def transition_now(resource: interface.Resource, claim: resource_claim.Claim,
                   move: ResourceTransition, how: str = 'keep') -> Any:
    """Write a change of state in this thread, waiting for it."""
    task = transition(resource, claim, move, how)
    try:
        write: typing.Any = next(task)
        while True:
            result = group_commit.run(write)
            write = task.send(result)
    except StopIteration as stop:
        return stop.value


def _check(resource: interface.Resource, move: ResourceTransition) -> None:
    """Raise IllegalMove for a change of state that may not be."""
    if move.action is None:
        return
    state = resource.row_state.state
    if move.mark_started:
        begun = (move.action, _R.IN_PROGRESS)
        status.check_resource_move(resource.name, state, begun)
        state = begun
    status.check_resource_move(resource.name, state,
                               (move.action, move.status))


def _write_of(resource: interface.Resource, claim: resource_claim.Claim,
              move: ResourceTransition, how: str) -> Callable[[], Any]:
    """Return the function that writes a move; it changes no memory."""
    context = resource.context
    known = resource.row_state
    row_id, key = resource.id, known.atomic_key
    old_prop_id, old_attr_id = known.properties_id, known.attributes_id
    columns = _columns(resource, move)
    row_uuid = resource.uuid or str(uuid.uuid4())
    events = _events(resource, move)

    def write() -> Any:
        # The ids must be known before the row can be written; when the
        # claim turns out to be lost, the new rows are taken back.
        prop_id = _store_properties(context, old_prop_id, move)
        attr_id = _store_attributes(context, old_attr_id, move)
        row_values = dict(columns, rsrc_prop_data_id=prop_id,
                          attr_data_id=attr_id)
        created_at = None
        if row_id is None:
            row = resource_objects.Resource.create(
                context, {**_identity(resource), 'uuid': row_uuid,
                          **row_values})
            new_id, created_at = row.id, row.created_at
        else:
            new_id = row_id
            if not getattr(claim, how)(context, row_id, key,
                                       row_values):
                forget(context, {prop_id} - {old_prop_id},
                        {attr_id} - {old_attr_id})
                return LOST
        if move.pending is not None:
            # These share statements, also for events.
            for beginning in move.pending.beginnings:
                beginning.write()
        for values in events:
            shown = _shown_prop_id(values, old_prop_id, prop_id)
            stack_events.add(context, dict(values, rsrc_prop_data_id=shown))
        if move.pending is not None:
            _store_data(context, new_id, move, move.pending)
        extra = move.extra() if move.extra is not None else None
        return Written(new_id, row_uuid, created_at, prop_id, attr_id,
                       tuple(events), extra)

    return write


def _columns(resource: interface.Resource, move: ResourceTransition
             ) -> dict[str, Any]:
    values = dict(move.columns)
    if move.action is not None:
        values.update(action=move.action, status=move.status,
                      status_reason=(move.reason or '')[:REASON_LIMIT])
    if move.pending is not None and move.pending.physical_id:
        values['physical_resource_id'] = resource.resource_id
    return values


def _events(resource: interface.Resource, move: ResourceTransition
            ) -> list[dict[str, Any]]:
    """Return the rows of the events that tell of a move."""
    events: list[dict[str, typing.Any]] = []
    if move.action is None:
        return events
    if move.mark_started:
        events.append(stack_events.resource_values(
            resource, move.action, _R.IN_PROGRESS, 'state changed'))
    events.append({**stack_events.resource_values(
        resource, move.action, move.status, move.reason),
        **move.event_columns})
    return events


def _shown_prop_id(values: dict[str, Any], old_id: int | None,
                   new_id: int | None) -> int | None:
    """Return the property values an event refers to.

    When an update begins, these are still those from before.
    """
    if (values['resource_action'] == _R.UPDATE and
            values['resource_status'] == _R.IN_PROGRESS):
        return old_id
    return new_id


def _store_data(context: heat_context.RequestContext, row_id: int,
                move: ResourceTransition, pending: row_state.Pending
                ) -> None:
    """Write data, by the same statements as those of other resources."""
    flush = _create_data if pending.first_data else _replace_data
    for item in pending.data.items():
        # The row of what is deleted may be gone when the others are written.
        if move.action == _R.DELETE or not group_commit.defer(
                flush, (row_id, *item)):
            flush(context, [(row_id, *item)])


def _create_data(context: heat_context.RequestContext,
                 items: list[data_objects.Item]) -> None:
    data_objects.ResourceData.create_many(context, items)


def _replace_data(context: heat_context.RequestContext,
                  items: list[data_objects.Item]) -> None:
    data_objects.ResourceData.replace_many(context, items)


def _store_properties(context: heat_context.RequestContext, old_id: int | None,
                      move: ResourceTransition) -> int | None:
    """Return the id of the stored property values after a move.

    Events refer to them, so changed values become another row.
    """
    if move.properties is None:
        return old_id
    if not move.properties:
        return None
    stored_id: int = group_commit.stored(context, _store_values,
                                         move.properties)
    return stored_id


def _store_attributes(context: heat_context.RequestContext, old_id: int | None,
                      move: ResourceTransition) -> int | None:
    if move.attributes is None:
        return old_id
    if old_id is not None and properties_objects.ResourcePropertiesData. \
            update(context, old_id, move.attributes):
        return old_id
    if not move.attributes:
        return None
    stored_id: int = group_commit.stored(context, _store_values,
                                         move.attributes)
    return stored_id


def _new_values(resource: interface.Resource, move: ResourceTransition
                ) -> list[dict[str, Any]]:
    """Return the values that a move stores in rows of their own."""
    found = [move.properties] if move.properties else []
    if move.attributes and resource.row_state.attributes_id is None:
        found.append(move.attributes)
    return found


def _store_values(context: heat_context.RequestContext,
                  items: list[dict[str, Any]]) -> list[int]:
    return properties_objects.ResourcePropertiesData.create_many(context,
                                                                 items)


def forget(context: heat_context.RequestContext, *id_sets: Iterable[int | None]
           ) -> None:
    """Delete stored values that neither resource nor event refers to."""
    ids = {data_id for ids in id_sets for data_id in ids
           if data_id is not None}
    if ids:
        properties_objects.ResourcePropertiesData.delete_unused(context, ids)


def _identity(resource: interface.Resource) -> dict[str, Any]:
    """Return the columns of a row that do not change."""
    if resource.root_stack_id is None:
        resource.root_stack_id = resource.stack.root_stack_id()
    return {
        'name': resource.name,
        'stack_id': resource.stack.id,
        'root_stack_id': resource.root_stack_id,
        'physical_resource_id': resource.resource_id,
        'requires': sorted(resource.requires),
        'needed_by': [],
        'replaces': resource.replaces,
        'replaced_by': resource.replaced_by,
        'current_template_id': resource.current_template_id,
        'rsrc_metadata': resource.row_state.metadata,
    }


def _publish(resource: interface.Resource, claim: resource_claim.Claim,
             move: ResourceTransition, written: Written) -> None:
    """Take over in memory what has been written, and tell sinks."""
    known = resource.row_state
    if resource.id is None:
        resource.id = written.row_id
        resource.uuid = written.row_uuid
        resource.created_time = written.created_at
    else:
        known.count_write(claim)
    if move.action is not None and move.status is not None:
        resource.action, resource.status = move.action, move.status
        resource.status_reason = move.reason
    known.publish(resource.state, written.prop_data_id,
                  written.attr_data_id)
    if move.properties is not None:
        known.set_properties(move.properties)
    for column, value in move.columns.items():
        _settle_column(resource, column, value)
    for values in written.events:
        _dispatch(resource, values)
    if move.pending is not None:
        for beginning in move.pending.beginnings:
            beginning.proceed()


#: Where columns are held in memory under another name.
_MEMBERS = {'updated_at': 'updated_time'}


def _settle_column(resource: interface.Resource, column: str, value: Any
                   ) -> None:
    if column == 'rsrc_metadata':
        resource.row_state.set_metadata(value)
        return
    if column == 'requires':
        value = set(value)
    setattr(resource, _MEMBERS.get(column, column), value)


def differing(resource: interface.Resource, columns: dict[str, Any]
              ) -> dict[str, Any]:
    """Return those of the columns that the row does not have already."""
    return {column: value for column, value in columns.items()
            if value != (sorted(resource.requires) if column == 'requires'
                         else getattr(resource, column))}


def state_set(resource: interface.Resource, action: str, new_status: str,
              reason: str = 'state changed') -> None:
    """Write a state and its event at once, regardless of claims."""
    transition_now(resource, resource_claim.StackOwned(),
                   ResourceTransition(action, new_status, reason),
                   'update_once')


def add_event(resource: interface.Resource, action: str, event_status: str,
              reason: str) -> None:
    """Write an event that changes no state."""
    values = stack_events.resource_values(
        resource, action, event_status, reason,
        resource.row_state.properties_id)
    transaction.run(resource.context,
                    lambda: stack_events.add(resource.context, values))
    _dispatch(resource, values)


def _dispatch(resource: interface.Resource, values: dict[str, Any]) -> None:
    stack_events.dispatch(resource.stack, values, stack_events.tellable(
        resource.row_state.properties, resource.secret_properties))


def presentable(resource: interface.Resource, error: BaseException, text: str
                ) -> str:
    """Return the text of a failure without what users must not see.

    Values of hidden parameters are struck out, and of errors of the
    database only the fact remains.
    """
    if type(error).__module__.partition('.')[0] in _INTERNAL_MODULES:
        LOG.error('Internal error of resource "%s"', resource.name,
                  exc_info=error)
        return _('resources.%s: An internal error occurred') % resource.name
    shown: str = redaction.struck_out(
        text, redaction.secrets_of(resource.stack))
    return shown


#: Errors of these packages show addresses and SQL.
_INTERNAL_MODULES = frozenset(['oslo_db', 'sqlalchemy', 'pymysql',
                               'psycopg2', 'sqlite3'])


# -- rows -------------------------------------------------------------------

class Unstored:
    """The values of a resource that has never been stored.

    Here, not in each object: a process has thousands of them.
    """

    # These two are set for each object.
    action: str
    row_state: _RowState
    requires: set[int]
    status: str = _R.COMPLETE
    status_reason: str = ''
    id: typing.Any = None
    uuid: typing.Any = None
    resource_id: typing.Any = None
    replaces: typing.Any = None
    replaced_by: typing.Any = None
    current_template_id: typing.Any = None
    old_template_id: typing.Any = None
    created_time: typing.Any = None
    updated_time: typing.Any = None
    # Known when there is a row: it may have to be looked up.
    root_stack_id: typing.Any = None


_STATE = tuple(name for name in vars(Unstored) if not name.startswith('__'))


def init_state(resource: interface.Resource, stack: interface.Stack) -> None:
    """Let this be a resource that has never been stored."""
    # A stack that goes away need not make what it does not have yet.
    gone = stack.action in (_R.DELETE, _R.ROLLBACK)
    resource.action = stack.action if gone else _R.INIT
    resource.row_state = row_state.RowState(resource.state)
    resource.requires = set()


def copy_state(resource: interface.Resource, other: interface.Resource
               ) -> None:
    """Give a resource the row of another object for it."""
    for name in (*_STATE, 'action', 'requires', 'abandon_in_progress',
                 'converge'):
        setattr(resource, name, getattr(other, name))
    resource.row_state = other.row_state.copy()


def get_row(context: heat_context.RequestContext, row_id: int, *,
            with_data: bool = True) -> resource_objects.Resource:
    """Return a row, with its data; raise NotFound if there is none."""
    row = resource_objects.Resource.get_obj(context, row_id,
                                            with_data=with_data)
    if row is None:
        raise exception.NotFound(_('resource with id %s not found') % row_id)
    return row


def load_row(resource: interface.Resource, row: typing.Any) -> None:
    """Give a resource what its row says."""
    resource.id = row.id
    resource.uuid = row.uuid
    resource.resource_id = row.physical_resource_id
    resource.action = row.action
    resource.status = row.status
    resource.status_reason = row.status_reason
    resource.row_state.load(row)
    resource.requires = set(row.requires or ())
    resource.replaces = row.replaces
    resource.replaced_by = row.replaced_by
    resource.current_template_id = row.current_template_id
    resource.old_template_id = row.current_template_id
    resource.root_stack_id = (row.root_stack_id or
                              resource.stack.root_stack_id())
    resource.created_time = row.created_at
    resource.updated_time = row.updated_at
    # What was read from a resource in another state may not hold any more.
    complete = row.status == _R.COMPLETE
    resource.attributes.cached_attrs = row.attributes if complete else None


def store(resource: interface.Resource, set_metadata: bool = False) -> None:
    """Insert the row of a resource, or write what of it can change."""
    values = {'action': resource.action, 'status': resource.status,
              'status_reason': resource.status_reason}
    if set_metadata:
        resource.row_state.set_metadata(resource.t.metadata())
    values.update(_identity(resource), uuid=resource.uuid)
    if resource.id is not None:
        resource_objects.Resource.update_by_id(
            resource.context, resource.id, values)
        return
    values['uuid'] = str(uuid.uuid4())
    row = transaction.run(
        resource.context,
        lambda: resource_objects.Resource.create(resource.context, values))
    resource.id, resource.uuid = row.id, row.uuid
    resource.created_time = row.created_at


def bulk_create(context: heat_context.RequestContext,
                resources: Iterable[interface.Resource]
                ) -> list[tuple[int, str]]:
    """Insert rows for resources that have none, in one statement.

    Called within a transaction or on its own; it may run again, so ids are
    returned in the order of the resources, and adopt_ids() gives them out.
    """
    rows = []
    for resource in resources:
        rows.append(dict(_identity(resource),
                         uuid=resource.uuid or str(uuid.uuid4()),
                         action=resource.action, status=resource.status,
                         status_reason=resource.status_reason))
    ids = resource_objects.Resource.create_many(context, rows)
    return [(row_id, row['uuid']) for row_id, row in zip(ids, rows,
                                                         strict=True)]


def adopt_ids(resources: Iterable[interface.Resource],
              ids: Iterable[tuple[int, str]]) -> None:
    """Tell resources the (id, uuid) that bulk_create() returned."""
    for resource, (row_id, row_uuid) in zip(resources, ids,
                                                strict=True):
        resource.id, resource.uuid = row_id, row_uuid
        resource.created_time = timeutils.utcnow()
        # Nobody can have set any yet.
        resource.row_state.start_without_data()


def delete_row(resource: interface.Resource) -> None:
    """Remove the row of a resource and all that belongs to it."""
    if resource.id is None:
        return
    resource_objects.Resource.delete(resource.context, resource.id)
