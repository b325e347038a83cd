"""Signals to resources by pre-signed URLs."""
from typing import Any

import webob

from heat.api.aws import exception
from heat.common import identifier
from heat.rpc import client as engine_client


class SignalController:
    """Hands the body of a request on to the resource its URL names."""

    def __init__(self, rpc_client: engine_client.EngineClient) -> None:
        self.rpc_client = rpc_client

    def update_waitcondition(self, request: webob.Request, arn: str, body: Any
                             ) -> dict[str, Any]:
        """Give a wait condition its data; return what it has now."""
        identity = _resource(arn)
        metadata = self.rpc_client.resource_signal(
            request.context, dict(identity.stack()), identity.resource_name,
            body, sync_call=True)
        return {'resource': identity.resource_name, 'metadata': metadata}

    def signal(self, request: webob.Request, arn: str, body: Any = None
               ) -> None:
        """Send a signal to a resource."""
        identity = _resource(arn)
        self.rpc_client.resource_signal(
            request.context, dict(identity.stack()), identity.resource_name,
            body)


def _resource(arn: str) -> Any:
    try:
        return identifier.ResourceIdentifier.from_arn(arn)
    except ValueError as exc:
        raise exception.HeatInvalidParameterValueError(str(exc)) from exc
