"""REST representation of stacks."""
from collections.abc import Collection, Mapping
from typing import Any
from urllib import parse

import webob

from heat.api.openstack.v1 import util
from heat.common import identifier
from heat.rpc import api as rpc_api

BASIC_KEYS = frozenset((
    rpc_api.STACK_ID,
    rpc_api.STACK_NAME,
    rpc_api.STACK_DESCRIPTION,
    rpc_api.STACK_ACTION,
    rpc_api.STACK_STATUS,
    rpc_api.STACK_STATUS_DATA,
    rpc_api.STACK_CREATION_TIME,
    rpc_api.STACK_DELETION_TIME,
    rpc_api.STACK_UPDATED_TIME,
    rpc_api.STACK_OWNER,
    rpc_api.STACK_PARENT,
    rpc_api.STACK_USER_PROJECT_ID,
    rpc_api.STACK_TAGS,
))
STATUS_KEYS = frozenset((
    rpc_api.STACK_ACTION,
    rpc_api.STACK_STATUS,
    rpc_api.STACK_STATUS_DATA,
))


def format_stack(req: webob.Request, stack: Mapping[str, Any],
                 keys: Collection[str] | None = None, *,
                 include_project: bool = False) -> dict[str, Any]:
    """Return the public form of a stack, or of some keys of it."""
    result = {}
    for key, value in stack.items():
        if keys is not None and key not in keys:
            continue
        if key == rpc_api.STACK_ID:
            result['id'] = value['stack_id']
            result['links'] = [util.make_link(
                req, identifier.HeatIdentifier(**value))]
            if include_project:
                result['project'] = value['tenant']
        elif key == rpc_api.STACK_ACTION:
            # Shown as the first part of the status.
            continue
        elif key == rpc_api.STACK_STATUS and rpc_api.STACK_ACTION in stack:
            result[key] = '_'.join((stack[rpc_api.STACK_ACTION], value))
        else:
            result[key] = value
    return result


def collection(req: webob.Request, stacks: Any, *,
               keys: Collection[str] | None = BASIC_KEYS,
               count: int | None = None, limit: int | None = None,
               include_project: bool = False) -> dict[str, Any]:
    """Return the public form of a list of stacks.

    :param limit: the page size asked for, when a link to the next page is
        wanted.
    """
    result: dict[str, Any] = {'stacks': [
        format_stack(req, stack, keys, include_project=include_project)
        for stack in stacks]}
    if limit and len(stacks) >= limit:
        result['links'] = [{
            'rel': 'next',
            'href': _next_url(req, stacks[-1][rpc_api.STACK_ID]['stack_id']),
        }]
    if count is not None:
        result['count'] = count
    return result


def _next_url(req: webob.Request, marker: str) -> str:
    params = [(name, value) for name, value in req.GET.items()
              if name != 'marker']
    return f'{req.path_url}?{parse.urlencode([*params, ("marker", marker)])}'
