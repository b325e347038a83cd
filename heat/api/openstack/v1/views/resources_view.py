"""REST representation of resources."""
from collections.abc import Collection, Iterable
from typing import Any
from urllib import parse

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


def format_resources(req: webob.Request, resources: Iterable[Any],
                     keys: Collection[str] = INDEX_KEYS
                     ) -> list[dict[str, Any]]:
    """Return the public form of some keys of many resources."""
    makers = Links(req)
    return [_formatted(makers, resource, keys) for resource in resources]


def format_resource(req: webob.Request, resource: Any,
                    keys: Collection[str] = DETAIL_KEYS) -> dict[str, Any]:
    """Return the public form of a resource, or of some keys of it."""
    return _formatted(Links(req), resource, keys)


def _formatted(links: 'Links', resource: Any, keys: Collection[str]
               ) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in resource.items():
        if key not in keys:
            continue
        if key == rpc_api.RES_ID:
            result['links'] = links.of(resource)
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


class Links:
    """The links of resources, those to one stack made once."""

    def __init__(self, req: webob.Request) -> None:
        self._req = req
        self._of_stacks: dict[tuple[str, str, str], dict[str, str]] = {}

    def of(self, resource: Any) -> list[dict[str, str]]:
        """Return the links of a resource."""
        identity = resource[rpc_api.RES_ID]
        stack = self._of_stack(identity)
        path = parse.quote(identity['path'].encode())
        result = [{'href': stack['href'] + path, 'rel': 'self'}, stack]
        nested = resource.get(rpc_api.RES_NESTED_STACK_ID)
        if nested:
            result.append(util.make_link(
                self._req, identifier.HeatIdentifier(**nested), 'nested'))
        return result

    def _of_stack(self, identity: dict[str, str]) -> dict[str, str]:
        key = (identity['tenant'], identity['stack_name'],
               identity['stack_id'])
        if key not in self._of_stacks:
            self._of_stacks[key] = util.make_link(
                self._req, identifier.HeatIdentifier(*key), 'stack')
        return self._of_stacks[key]
