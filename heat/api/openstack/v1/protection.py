"""The protection of stacks."""
from typing import Any

import webob

from heat.api import routing
from heat.api.openstack.v1 import util
from heat.common import param_utils
from heat.rpc import api as rpc_api
from heat.rpc import client as engine_client

_POLICY = 'stack_policy'


class ProtectionController:
    """Shows, sets and lifts the protection of stacks."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def show(self, req: webob.Request, identity: Any) -> dict[str, Any]:
        """Show whether a stack has termination protection."""
        return _shown(self.rpc_client.show_stack_protection(
            req.context, identity))

    def update(self, req: webob.Request, identity: Any, body: Any
               ) -> dict[str, Any]:
        """Set or lift the termination protection of a stack."""
        name = rpc_api.PARAM_PROTECTED
        return _shown(self.rpc_client.update_stack_protection(
            req.context, identity,
            util.extract(param_utils.extract_bool, name, body[name])))


    def show_policy(self, req: webob.Request, identity: Any
                    ) -> dict[str, Any]:
        """Show which resources updates of a stack may change."""
        return {_POLICY: self.rpc_client.show_stack_policy(req.context,
                                                           identity)}

    def update_policy(self, req: webob.Request, identity: Any, body: Any
                      ) -> dict[str, Any]:
        """Set or remove the policy of a stack."""
        return {_POLICY: self.rpc_client.update_stack_policy(
            req.context, identity, body[_POLICY])}


def check_override(context: Any, name: str, given: Any) -> bool:
    """Return whether a request is to override the policy of its stack.

    :raises Forbidden: the user may not do that.
    :raises HTTPBadRequest: the value is neither true nor false.
    """
    wanted = given is not None and util.extract(
        param_utils.extract_bool, name, given)
    if wanted:
        routing.check_policy(context, 'protection:override_policy')
    return wanted


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    root = found['root']
    return {'protection': {
        rpc_api.PARAM_PROTECTED: found[rpc_api.PARAM_PROTECTED],
        'root_stack_id': root['stack_id'],
        'root_stack_name': root['stack_name']}}
