"""REST representation of events."""
from collections.abc import Collection, Mapping
from typing import Any

import webob

from heat.api.openstack.v1 import util
from heat.common import identifier
from heat.rpc import api as rpc_api

INDEX_KEYS = frozenset((
    rpc_api.EVENT_ID,
    rpc_api.EVENT_TIMESTAMP,
    rpc_api.EVENT_RES_NAME,
    rpc_api.EVENT_RES_PHYSICAL_ID,
    rpc_api.EVENT_RES_STATUS,
    rpc_api.EVENT_RES_STATUS_DATA,
))
DETAIL_KEYS = INDEX_KEYS | {rpc_api.EVENT_RES_TYPE,
                            rpc_api.EVENT_RES_PROPERTIES}


def format_event(req: webob.Request, event: Mapping[str, Any],
                 keys: Collection[str] = DETAIL_KEYS) -> dict[str, Any]:
    """Return the public form of an event, or of some keys of it."""
    result = {}
    for key, value in event.items():
        if key not in keys:
            continue
        if key == rpc_api.EVENT_ID:
            identity = identifier.EventIdentifier(**value)
            result['id'] = identity.event_id
            result['links'] = links(req, event, identity)
        elif (key == rpc_api.EVENT_RES_STATUS
                and rpc_api.EVENT_RES_ACTION in event):
            result[key] = '_'.join((event[rpc_api.EVENT_RES_ACTION], value))
        elif key == rpc_api.EVENT_RES_NAME:
            result['logical_resource_id'] = value
            result[key] = value
        else:
            result[key] = value
    return result


def links(req: webob.Request, event: Mapping[str, Any], identity: Any
          ) -> list[dict[str, str]]:
    """Return the links of an event.

    The root stack is named only in answers that descend into nested ones.
    """
    result = [util.make_link(req, identity),
              util.make_link(req, identity.resource(), 'resource'),
              util.make_link(req, identity.stack(), 'stack')]
    root = event.get(rpc_api.EVENT_ROOT_STACK_ID)
    if root:
        result.append(util.make_link(
            req, identifier.HeatIdentifier(**root), 'root_stack'))
    return result
