"""Events of stacks and resources."""
from collections.abc import Mapping
from typing import Any

from oslo_config import cfg
import webob.exc

from heat.api.openstack.v1.streams import hub
from heat.api.openstack.v1.streams import request as stream_request
from heat.api.openstack.v1.views import events_view
from heat.common import identifier
from heat.common.i18n import _
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

FILTERS = frozenset(('resource_status', 'resource_action', 'resource_name',
                     'resource_type'))

#: Seconds after which a client that cannot listen may try again.
_RETRY_AFTER = '10'


class EventController:
    """Lists and shows events."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client
        self._hub = hub.EventHub(rpc_client)

    def index(self, req: webob.Request, identity: Any, query: dict[str, Any],
              resource_name: str | None = None) -> dict[str, Any]:
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

    def stream(self, req: webob.Request, identity: Any,
               query: dict[str, Any]) -> webob.Response:
        """Send the events of a stack and those nested in it as they happen.
        """
        return self._stream(req, query, identity)

    def stream_of_project(self, req: webob.Request, query: dict[str, Any]
                          ) -> webob.Response:
        """Send the events of all stacks of the project as they happen."""
        return self._stream(req, query, None)

    def _stream(self, req: webob.Request, query: dict[str, Any],
                identity: Any) -> webob.Response:
        is_over = False
        if identity is not None:
            found = self.rpc_client.list_events_between(
                req.context, [], 1, stack_identity=identity)
            is_over = found['is_deleted']
        try:
            listener = self._hub.listen(
                stream_request.selection(req, query, identity),
                stream_request.position(req, query) or self._hub.now(),
                stream_request.ends_at(req.context),
                cfg.CONF.heat_api.max_event_listeners, is_over=is_over)
        except hub.Full as exc:
            raise webob.exc.HTTPServiceUnavailable(
                _('Too many clients listen to events; try again later.'),
                headers=[('Retry-After', _RETRY_AFTER)]) from exc
        return stream_request.response(listener.stream)

    def timeline(self, req: webob.Request, identity: Any,
                 query: dict[str, Any]) -> dict[str, Any]:
        """Show when each resource worked in the last operation."""
        return {'timeline': self.rpc_client.stack_timeline(
            req.context, identity,
            nested_depth=query.get('nested_depth', 0))}

    def show(self, req: webob.Request, identity: Any, resource_name: str,
             event_id: str) -> dict[str, Any]:
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


def _has_id(event: Mapping[str, Any], resource_name: str, event_id: str
            ) -> bool:
    identity = identifier.EventIdentifier(**event[rpc_api.EVENT_ID])
    return (identity.event_id == event_id
            and identity.resource_name == resource_name)
