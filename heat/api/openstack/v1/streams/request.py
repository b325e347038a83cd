"""Parse requests for a stream of events and build their responses."""
import datetime
from typing import Any

import webob
import webob.exc

from heat.api.openstack.v1.streams import listener
from heat.api.openstack.v1.streams import position as positions
from heat.common import http_stream
from heat.common import timeutils
from heat.rpc import api as rpc_api

#: Seconds after which a client is authorized again whose credentials do not
#: say until when they are valid.
_LONGEST = 3600.0

#: Filters of a query by the keys of events.
_FILTERS = {
    'resource_action': rpc_api.EVENT_RES_ACTION,
    'resource_status': rpc_api.EVENT_RES_STATUS,
    'resource_name': rpc_api.EVENT_RES_NAME,
    'resource_type': rpc_api.EVENT_RES_TYPE,
}


def selection(req: webob.Request, query: dict[str, Any], identity: Any
              ) -> listener.Selection:
    """Return which events a request asks for."""
    filters = {}
    for name, key in _FILTERS.items():
        given = query.get(name)
        if given is not None:
            filters[key] = frozenset(
                given if isinstance(given, list) else [given])
    return listener.Selection(
        req.context.project_id, req.application_url, identity,
        query.get('nested_depth', 0), filters)


def position(req: webob.Request, query: dict[str, Any]
             ) -> positions.Position | None:
    """Return what the client has seen; None for all until now.

    :raises HTTPBadRequest: it names an event that no stream had.
    """
    text = req.headers.get('Last-Event-ID') or query.get('last_event_id')
    if not text:
        return positions.Position() if query.get('from') else None
    try:
        return positions.Position.parse(text)
    except ValueError as exc:
        raise webob.exc.HTTPBadRequest(str(exc)) from exc


def ends_at(context: Any) -> float:
    """Return the reading of the clock at which a token is no longer valid.
    """
    token = (context.auth_token_info or {}).get('token') or {}
    seconds = _LONGEST
    try:
        expires = datetime.datetime.fromisoformat(token['expires_at'])
    except (KeyError, TypeError, ValueError):
        expires = None
    if expires is not None:
        if expires.tzinfo is None:
            expires = expires.replace(tzinfo=datetime.UTC)
        seconds = min(seconds, expires.timestamp() - timeutils.epoch())
    return timeutils.wallclock() + seconds


def response(stream: http_stream.Stream) -> webob.Response:
    """Return the answer whose body a stream is."""
    found = webob.Response(
        content_type='text/event-stream', charset='UTF-8', app_iter=stream)
    found.headers['Cache-Control'] = 'no-cache, no-store'
    # Proxies that collect answers would keep events back.
    found.headers['X-Accel-Buffering'] = 'no'
    return found
