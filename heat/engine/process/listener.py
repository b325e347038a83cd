"""The RPC interface of an engine for questions about its own work."""
from collections.abc import Callable, Mapping
from typing import Any

import oslo_messaging

from heat.common import context as heat_context
from heat.engine.tasks import stack_tasks
from heat.rpc import listener_api


class EngineListener:
    """Liveness, and messages for the tasks of this engine."""

    ACTIONS = (STOP_STACK, SEND) = ('stop_stack', 'send')

    target = oslo_messaging.Target(version=listener_api.RPC_API_VERSION)

    def __init__(self, thread_group_mgr: stack_tasks.ThreadGroupManager,
                 is_well: Callable[[], bool] = lambda: True,
                 load: Callable[[], Mapping[str, Any]] = dict) -> None:
        """Make it.

        :param load: returns the load, see process.load.Load, with the
            metrics of the process, see process.figures.Figures
        """
        self._thread_group_mgr = thread_group_mgr
        self._is_well = is_well
        self._load = load

    def listening(self, ctxt: heat_context.RequestContext) -> bool:
        """Answer whether this engine is alive and makes progress."""
        return self._is_well()

    def load(self, ctxt: heat_context.RequestContext) -> dict[str, Any]:
        """Return the load of this engine and its metrics."""
        return dict(self._load())

    @heat_context.request_context
    def stop_stack(self, ctxt: heat_context.RequestContext,
                   stack_identity: Mapping[str, Any]) -> None:
        """End the tasks that work on a stack."""
        self._thread_group_mgr.stop(stack_identity['stack_id'])

    @heat_context.request_context
    def send(self, ctxt: heat_context.RequestContext,
             stack_identity: Mapping[str, Any], message: str) -> None:
        """Tell the tasks that work on a stack to stop.

        :param message: one of heat.engine.tasks.stack_tasks.MESSAGES.
        """
        if message in stack_tasks.MESSAGES:
            self._thread_group_mgr.send(stack_identity['stack_id'], message)
