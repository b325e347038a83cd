"""REST representation of resources."""
from collections.abc import Collection
from typing import Any

import webob

from heat.api.openstack.v1 import util
from heat.common import identifier
from heat.rpc import api as rpc_api

INDEX_KEYS = frozenset((
    rpc_api.RES_ID,
    rpc_api.RES_NAME,
    rpc_api.RES_PHYSICAL_ID,
    rpc_api.RES_CREATION_TIME,
    rpc_api.RES_UPDATED_TIME,
    rpc_api.RES_STATUS,
    rpc_api.RES_STATUS_DATA,
    rpc_api.RES_TYPE,
    rpc_api.RES_REQUIRED_BY,
    rpc_api.RES_PARENT_RESOURCE,
    rpc_api.RES_NESTED_STACK_ID,
))
DETAIL_KEYS = INDEX_KEYS | {rpc_api.RES_DESCRIPTION, rpc_api.RES_ATTRIBUTES}


def format_resource(req: webob.Request, resource: Any,
                    keys: Collection[str] = DETAIL_KEYS) -> dict[str, Any]:
    """Return the public form of a resource, or of some keys of it."""
    result: dict[str, Any] = {}
    for key, value in resource.items():
        if key not in keys:
            continue
        if key == rpc_api.RES_ID:
            result['links'] = links(req, resource)
        elif key == rpc_api.RES_NESTED_STACK_ID:
            continue
        elif key == rpc_api.RES_STATUS and rpc_api.RES_ACTION in resource:
            result[key] = '_'.join((resource[rpc_api.RES_ACTION], value))
        elif key == rpc_api.RES_NAME:
            result['logical_resource_id'] = value
            result[key] = value
        else:
            result[key] = value
    return result


def links(req: webob.Request, resource: Any) -> list[dict[str, str]]:
    """Return the links of a resource."""
    identity = identifier.ResourceIdentifier(**resource[rpc_api.RES_ID])
    result = [util.make_link(req, identity),
              util.make_link(req, identity.stack(), 'stack')]
    nested = resource.get(rpc_api.RES_NESTED_STACK_ID)
    if nested:
        result.append(util.make_link(
            req, identifier.HeatIdentifier(**nested), 'nested'))
    return result
