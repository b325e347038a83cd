"""An engine that answers by a table instead of working."""
import inspect

from heat.rpc import client as rpc_client

# A test may put the fake in the place of the real one.
_REAL = rpc_client.EngineClient


class FakeEngineClient:
    """Stands for heat.rpc.client.EngineClient.

    `answers` maps a method to what it returns; an exception is raised, a
    function is called with the arguments by name. Calls are checked against
    the real client's signatures and kept in `calls` as
    (method, context, arguments by name).
    """

    def __init__(self, answers=None):
        self.answers = dict(answers or {})
        self.calls = []

    def __getattr__(self, method):
        if method.startswith('_'):
            raise AttributeError(method)
        signature = inspect.signature(
            getattr(_REAL, method))

        def call(*args, **kwargs):
            bound = signature.bind(None, *args, **kwargs)
            bound.apply_defaults()
            _itself, context, *_rest = bound.args
            arguments = dict(list(bound.arguments.items())[2:])
            self.calls.append((method, context, arguments))
            return self._answer(method, arguments)

        return call

    def _answer(self, method, arguments):
        answer = self.answers.get(method)
        if isinstance(answer, Exception):
            raise answer
        return answer(**arguments) if callable(answer) else answer

    @property
    def methods(self):
        """Return the names of the methods called so far."""
        return [method for method, _context, _arguments in self.calls]

    @property
    def arguments(self):
        """Return the arguments of the last call."""
        return self.calls[-1][2]
