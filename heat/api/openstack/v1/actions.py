"""Actions on a whole stack."""
from typing import Any

import webob

from heat.api.openstack.v1 import util
from heat.api.openstack.v1.schemas import actions as schemas
from heat.rpc import client as engine_client


class ActionController:
    """Starts what is no resource of its own in the API."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def action(self, req: webob.Request, identity: Any, body: Any) -> None:
        """Start the action the body names; most have no use for its value.
        """
        [(name, value)] = body.items()
        if name == schemas.CONTINUE_ROLLBACK:
            skip = util.checked_type('skip', (value or {}).get('skip'), list)
            for path in skip or ():
                util.checked_text('skip', path, required=True)
            self.rpc_client.stack_continue_rollback(req.context, identity,
                                                    skip or [])
            return
        self._start(name, req.context, identity)

    def _start(self, name: str, context: Any, identity: Any) -> None:
        if name == schemas.SUSPEND:
            self.rpc_client.stack_suspend(context, identity)
        elif name == schemas.RESUME:
            self.rpc_client.stack_resume(context, identity)
        elif name == schemas.CHECK:
            self.rpc_client.stack_check(context, identity)
        elif name == schemas.RETRY:
            self.rpc_client.stack_retry(context, identity)
        else:
            self.rpc_client.stack_cancel_update(
                context, identity,
                cancel_with_rollback=name == schemas.CANCEL_UPDATE)
