"""The services of its process, and stacks, as the core sees them."""
import datetime
from typing import Any, Protocol

from heat.common import context as heat_context
from heat.engine.tasks import group_commit as commits
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import stack_tasks


class EngineContext(Protocol):
    """The services of a process, as drivers.select.EngineContext has them."""

    @property
    def engine_id(self) -> str:
        """The id of this engine."""

    @property
    def pool(self) -> task_pool.Pool:
        """What runs tasks."""

    @property
    def group_commit(self) -> commits.Committer:
        """What carries out their writes."""

    @property
    def thread_group_mgr(self) -> stack_tasks.ThreadGroupManager:
        """The tasks of legacy operations, by stack."""

    @property
    def worker_client(self) -> Any:
        """The WorkerClient, None where there are no other engines."""

    @property
    def listener_client(self) -> Any:
        """The EngineListenerClient, None where there are no other engines.
        """

    @property
    def event_client(self) -> Any:
        """The EventClient, None where nobody sends events to clients."""

    @property
    def stack_class(self) -> Any:
        """The class of stacks, heat.engine.stack.Stack."""

    def answers(self, context: heat_context.RequestContext, engine_id: str
                ) -> bool:
        """Return whether an engine answers; that may take 2 s."""


class Stack(Protocol):
    """What is announced of a stack."""

    id: Any
    owner_id: str | None
    action: str
    status: str
    status_reason: str
    updated_time: datetime.datetime | None
