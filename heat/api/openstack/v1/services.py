"""The engines that are known."""
import oslo_messaging
import webob.exc

from heat.common.i18n import _


class ServiceController:
    """Lists the engines and whether they are alive."""

    def __init__(self, rpc_client):
        self.rpc_client = rpc_client

    def index(self, req):
        """List the engines."""
        try:
            services = self.rpc_client.list_services(req.context)
        except oslo_messaging.MessagingTimeout as exc:
            raise webob.exc.HTTPServiceUnavailable(
                _('No engine answers.')) from exc
        return {'services': services}
