"""What the parts of the engine client need of it."""
from collections.abc import Mapping
from typing import Any

from heat.common import context as heat_context

#: What names a stack or resource: tenant, stack_name, stack_id, path.
Identity = Mapping[str, Any]

#: The name of a method and its arguments.
Message = tuple[str, dict[str, Any]]


class Calls:
    """Base of the parts of EngineClient, which makes and sends messages."""

    def call(self, ctxt: heat_context.RequestContext, msg: Message,
             version: str | None = None, timeout: float | None = None) -> Any:
        """Call the engine and return its answer."""
        raise NotImplementedError

    @staticmethod
    def make_msg(method: str, **kwargs: Any) -> Message:
        """Return the message of a call."""
        raise NotImplementedError
