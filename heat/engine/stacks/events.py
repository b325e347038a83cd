"""Events of stacks and resources.

Rows are written in the transaction that changes the state; sinks hear of
an event when it is committed.
"""
import collections
from collections.abc import Collection, Iterable, Mapping
import datetime
import threading
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import timeutils
from heat.engine.cluster import event_wakeup
from heat.engine.stacks import interface
from heat.engine.tasks import group_commit
from heat.objects import event as event_objects
from heat.objects import stack as stack_objects

LOG = logging.getLogger(__name__)

#: Width of the reason column.
REASON_LIMIT = 255
#: Width of the column of resource types. URLs of templates may be longer.
_TYPE_LIMIT = 255

#: The type under which a stack appears in its own events.
STACK_TYPE = 'OS::Heat::Stack'

#: The number of stacks whose written events this process counts.
_COUNTED_STACKS = 10000

_counts: collections.OrderedDict[str, int] = collections.OrderedDict()
_counts_lock = threading.Lock()


def shortened(reason: str | None) -> str:
    """Return a reason that fits the column."""
    reason = reason or ''
    if len(reason) <= REASON_LIMIT:
        return reason
    return reason[:REASON_LIMIT - 3] + '...'


def stack_values(stack: interface.Stack | stack_objects.Stack, action: str,
                 status: str, reason: str) -> dict[str, Any]:
    """Return the row of an event of the stack itself."""
    stack_id: str = stack.id
    return _values(stack_id, action, status, reason, stack.name, stack_id,
                   STACK_TYPE, None)


def resource_values(resource: interface.Resource, action: str | None,
                    status: str | None, reason: str,
                    prop_data_id: int | None = None) -> dict[str, Any]:
    """Return the row of an event of a resource."""
    return _values(resource.stack.id, action, status, reason, resource.name,
                   physical_id(resource), resource.type(), prop_data_id)


def row_values(row: Any, resource_type: str, action: str, status: str,
               reason: str) -> dict[str, Any]:
    """Return the row of an event of a resource, given the resource's row."""
    return _values(row.stack_id, action, status, reason, row.name,
                   row.physical_resource_id, resource_type,
                   row.rsrc_prop_data_id)


def is_of_stack(event: event_objects.Event) -> bool:
    """Return whether an event is about its stack, not about a resource."""
    return (event.resource_type == STACK_TYPE
            and event.physical_resource_id == event.stack_id)


def physical_id(resource: interface.Resource) -> str | None:
    """Return what events show as physical id, also before there is one."""
    physical: str | None = resource.resource_id
    if physical is not None:
        return physical
    return resource.physical_resource_name()


def _values(stack_id: str, action: str | None, status: str | None,
            reason: str, name: str | None, physical: str | None,
            resource_type: str, prop_data_id: int | None) -> dict[str, Any]:
    return {
        'uuid': str(uuid.uuid4()),
        'stack_id': stack_id,
        'resource_action': action,
        'resource_status': status,
        'resource_status_reason': shortened(reason),
        'resource_name': name,
        'physical_resource_id': physical,
        'resource_type': resource_type[:_TYPE_LIMIT],
        'rsrc_prop_data_id': prop_data_id,
    }


def add(context: heat_context.RequestContext, values: dict[str, Any]) -> None:
    """Write an event, with others of the same batch if there is one."""
    add_many(context, [values])


def add_many(context: heat_context.RequestContext,
             rows: list[dict[str, Any]]) -> None:
    """Write events, with others of the same batch if there is one."""
    alone = [values for values in rows
             if not group_commit.defer(_write_many, values)]
    if alone:
        _write_many(context, alone)


def _write_many(context: heat_context.RequestContext,
                rows: list[dict[str, Any]]) -> None:
    event_objects.Event.create_many(context, rows)
    limit = cfg.CONF.max_events_per_stack
    if limit <= 0:
        return
    batch = max(cfg.CONF.event_purge_batch_size, 1)
    counts = collections.Counter(row['stack_id'] for row in rows)
    purge = event_objects.Event.purge_excess
    for stack_id in _due_for_purge(counts, batch):
        if purge(context, stack_id, limit, batch) == batch:
            # Engines that are gone have left some, or more were allowed.
            purge(context, stack_id, limit, batch)


def _due_for_purge(counts: Mapping[str, int], batch: int) -> list[str]:
    """Count events; return a stack for each batch of it that was written.

    What is more than a batch counts for the next one: otherwise a stack
    would gain more events than it loses.
    """
    due = []
    with _counts_lock:
        for stack_id, count in counts.items():
            total = _counts.pop(stack_id, 0) + count
            due += [stack_id] * (total // batch)
            _counts[stack_id] = total % batch
        while len(_counts) > _COUNTED_STACKS:
            _counts.popitem(last=False)
    return due


def tellable(properties: dict[str, Any] | None, secret: Collection[str]
             ) -> dict[str, Any] | None:
    """Return the properties of a resource with those struck out that are
    secret.
    """
    return properties and {
        name: '******' if name in secret and value is not None else value
        for name, value in properties.items()}


class Event:
    """An event as sinks get it."""

    VERSION = '0.1'
    TYPE = 'os.heat.event'

    def __init__(self, values: dict[str, Any],
                 resource_properties: dict[str, Any] | None = None,
                 timestamp: datetime.datetime | None = None) -> None:
        self.values = values
        self.resource_properties = resource_properties
        self.timestamp = timestamp or timeutils.utcnow()

    def as_dict(self) -> dict[str, Any]:
        """Return the envelope with the payload."""
        names = ('resource_name', 'physical_resource_id', 'stack_id',
                 'resource_action', 'resource_status',
                 'resource_status_reason', 'resource_type')
        payload = {name: self.values[name] for name in names}
        payload['resource_properties'] = self.resource_properties
        payload['version'] = self.VERSION
        return {
            'timestamp': timeutils.isotime(self.timestamp),
            'version': self.VERSION,
            'type': self.TYPE,
            'id': self.values['uuid'],
            'payload': payload,
        }


def dispatch(stack: interface.Stack, values: dict[str, Any],
             resource_properties: dict[str, Any] | None = None) -> None:
    """Tell of a committed event: sinks of the stack's environment get it.

    Who sends events to listening clients looks for it in the database.
    """
    event_wakeup.stored()
    sinks = stack.env.get_event_sinks()
    if not sinks or getattr(stack, 'thread_group_mgr', None) is None:
        return
    event = Event(values, resource_properties).as_dict()
    stack.thread_group_mgr.start(stack.id, _deliver, stack.context, sinks,
                                 event)


def _deliver(context: heat_context.RequestContext, sinks: Iterable[Any],
             event: Event) -> None:
    for sink in sinks:
        try:
            sink.consume(context, event)
        except Exception:
            # The others may share what failed; they are not tried.
            LOG.debug('Sink %r did not take an event', sink, exc_info=True)
            return
