"""The engines that are known."""
from typing import Any

import oslo_messaging
import webob.exc

from heat.common.i18n import _
from heat.rpc import client as engine_client


class ServiceController:
    """Lists the engines and whether they are alive."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def index(self, req: webob.Request, query: Any) -> dict[str, Any]:
        """List the engines."""
        try:
            services = self.rpc_client.list_services(
                req.context, with_load=query['with_load'])
        except oslo_messaging.MessagingTimeout as exc:
            raise webob.exc.HTTPServiceUnavailable(
                _('No engine answers.')) from exc
        return {'services': services}
