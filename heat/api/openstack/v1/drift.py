"""Drift: how a stack differs from its definition."""
from typing import Any

import webob

from heat.api import routing
from heat.rpc import client as engine_client


class DriftController:
    """Begins, shows and schedules detections of drift."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def detect(self, req: webob.Request, identity: Any, body: Any = None
               ) -> Any:
        """Begin to compare a stack with what really exists."""
        return routing.Located(req.path_url, {
            'drift': self.rpc_client.detect_stack_drift(req.context,
                                                        identity)})

    def show(self, req: webob.Request, identity: Any) -> dict[str, Any]:
        """Show what the last detection of a stack has found."""
        return {'drift': self.rpc_client.show_stack_drift(req.context,
                                                          identity)}

    def update(self, req: webob.Request, identity: Any, body: Any
               ) -> dict[str, Any]:
        """Set how often a stack is compared without being asked for."""
        return {'drift_schedule': self.rpc_client.update_stack_drift(
            req.context, identity, body['interval'])}
