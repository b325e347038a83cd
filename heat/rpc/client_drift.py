"""The calls of the engine client that are about drift."""
from typing import Any

from heat.common import context as heat_context
from heat.rpc import client_base


class DriftCalls(client_base.Calls):
    """Part of EngineClient."""

    def detect_stack_drift(self, ctxt: heat_context.RequestContext,
                           stack_identity: client_base.Identity
                           ) -> dict[str, Any]:
        """Begin to detect the drift of a stack; return the detection."""
        return self.call(ctxt, self.make_msg(
            'detect_stack_drift', stack_identity=stack_identity),
            version='1.40')

    def show_stack_drift(self, ctxt: heat_context.RequestContext,
                         stack_identity: client_base.Identity | None = None,
                         detection_id: str | None = None) -> dict[str, Any]:
        """Return the last detection of a stack, or the one of an id."""
        return self.call(ctxt, self.make_msg(
            'show_stack_drift', stack_identity=stack_identity,
            detection_id=detection_id), version='1.40')

    def update_stack_drift(self, ctxt: heat_context.RequestContext,
                           stack_identity: client_base.Identity,
                           interval: int | None) -> dict[str, Any]:
        """Set how often a stack is compared; None for the operator's way."""
        return self.call(ctxt, self.make_msg(
            'update_stack_drift', stack_identity=stack_identity,
            interval=interval), version='1.45')
