"""Actions on a whole stack."""
import webob.exc

from heat.api import routing
from heat.common.i18n import _


class ActionController:
    """Starts what is no resource of its own in the API."""

    ACTIONS = (
        SUSPEND, RESUME, CHECK, CANCEL_UPDATE, CANCEL_WITHOUT_ROLLBACK,
    ) = (
        'suspend', 'resume', 'check', 'cancel_update',
        'cancel_without_rollback',
    )

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    def action(self, req, identity, body):
        """Start the action the body names; its value has no meaning."""
        if len(body) != 1:
            raise webob.exc.HTTPBadRequest(
                _('Exactly one action is expected, not %d.') % len(body))
        name = next(iter(body))
        if name not in self.ACTIONS:
            raise webob.exc.HTTPBadRequest(
                _('"%(name)s" is not an action; possible are %(all)s.')
                % {'name': name, 'all': ', '.join(self.ACTIONS)})
        routing.check_policy(req.context, f'actions:{name}')
        self._start(name, req.context, identity)

    def _start(self, name, context, identity):
        if name == self.SUSPEND:
            self.rpc_client.stack_suspend(context, identity)
        elif name == self.RESUME:
            self.rpc_client.stack_resume(context, identity)
        elif name == self.CHECK:
            self.rpc_client.stack_check(context, identity)
        else:
            self.rpc_client.stack_cancel_update(
                context, identity,
                cancel_with_rollback=name == self.CANCEL_UPDATE)
