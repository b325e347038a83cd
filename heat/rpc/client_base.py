"""What the parts of the engine client need of it."""
from typing import Any


class Calls:
    """Base of the parts of EngineClient, which makes and sends messages."""

    def call(self, ctxt: Any, msg: Any, version: str | None = None,
             timeout: float | None = None) -> Any:
        """Call the engine and return its answer."""
        raise NotImplementedError

    @staticmethod
    def make_msg(method: str, **kwargs: Any) -> Any:
        """Return the message of a call."""
        raise NotImplementedError
