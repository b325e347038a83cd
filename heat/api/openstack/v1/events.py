"""Events of stacks and resources."""
import webob.exc

from heat.api.openstack.v1.views import events_view
from heat.common import identifier
from heat.common.i18n import _
from heat.rpc import api as rpc_api

FILTERS = frozenset(('resource_status', 'resource_action', 'resource_name',
                     'resource_type'))


class EventController:
    """Lists and shows events."""

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    def index(self, req, identity, query, resource_name=None):
        """List the events of a stack or of one of its resources."""
        filters = {name: query.pop(name) for name in FILTERS & set(query)}
        if resource_name is not None:
            filters['resource_name'] = resource_name
        events = self.rpc_client.list_events(
            req.context, identity, filters=filters or None, **query)
        if resource_name is not None and not events:
            raise webob.exc.HTTPNotFound(
                _('There are no events of resource %s.') % resource_name)
        return {'events': [
            events_view.format_event(req, event, events_view.INDEX_KEYS)
            for event in events]}

    def show(self, req, identity, resource_name, event_id):
        """Show one event."""
        filters = {'resource_name': resource_name, 'uuid': event_id}
        events = self.rpc_client.list_events(
            req.context, identity, filters=filters)
        found = [event for event in events
                 if _has_id(event, resource_name, event_id)]
        if not found:
            raise webob.exc.HTTPNotFound(
                _('There is no event %s.') % event_id)
        return {'event': events_view.format_event(req, found[0])}


def _has_id(event, resource_name, event_id):
    identity = identifier.EventIdentifier(**event[rpc_api.EVENT_ID])
    return (identity.event_id == event_id
            and identity.resource_name == resource_name)
