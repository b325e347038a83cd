"""Actions on a whole stack."""
from heat.api.openstack.v1.schemas import actions as schemas


class ActionController:
    """Starts what is no resource of its own in the API."""

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    def action(self, req, identity, body):
        """Start the action the body names; its value has no meaning."""
        [name] = body
        self._start(name, req.context, identity)

    def _start(self, name, context, identity):
        if name == schemas.SUSPEND:
            self.rpc_client.stack_suspend(context, identity)
        elif name == schemas.RESUME:
            self.rpc_client.stack_resume(context, identity)
        elif name == schemas.CHECK:
            self.rpc_client.stack_check(context, identity)
        else:
            self.rpc_client.stack_cancel_update(
                context, identity,
                cancel_with_rollback=name == schemas.CANCEL_UPDATE)
