"""Which build of the service answers."""
from typing import Any

from oslo_config import cfg
import webob

from heat.rpc import client as engine_client


class BuildInfoController:
    """Shows the revisions of API and engine."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def build_info(self, req: webob.Request) -> dict[str, Any]:
        """Show both revisions."""
        return {
            'api': {'revision': cfg.CONF.revision['heat_revision']},
            'engine': {'revision': self.rpc_client.get_revision(req.context)},
        }
