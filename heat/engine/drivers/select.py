"""The driver interface, and the one place that chooses a driver.

A driver carries stacks through their actions. Each method starts its
operation and returns once the operation is durably begun.
"""
from collections.abc import Callable, Collection
import contextlib
import dataclasses
from typing import Any, Protocol

from heat.common import context as heat_context
from heat.common import current_engine
from heat.engine.cluster import event_wakeup
from heat.engine.cluster import wakeup
from heat.engine.convergence import driver as stack_convergence
from heat.engine.legacy import driver as legacy_driver
from heat.engine.stacks import interface
from heat.engine.stacks import template_store
from heat.engine.tasks import group_commit as commits
from heat.engine.tasks import pool as task_pool
from heat.objects import service as service_objects


@dataclasses.dataclass(frozen=True, slots=True)
class EngineContext:
    """The services of the process that its drivers use."""

    engine_id: str
    pool: task_pool.Pool
    group_commit: commits.Committer
    #: None where no operation is ever begun.
    thread_group_mgr: Any = None
    worker_client: Any = None
    listener_client: Any = None
    event_client: Any = None
    _: dataclasses.KW_ONLY
    #: The class of stacks, heat.engine.stack.Stack.
    stack_class: type[interface.Stack]

    def answers(self, context: heat_context.RequestContext, engine_id: str
                ) -> bool:
        """Return whether an engine answers; that may take 2 s."""
        return (engine_id == self.engine_id or
                self.listener_client is None or
                self.listener_client.is_alive(context, engine_id))


class Driver(Protocol):
    """The interface of the drivers."""

    def create(self, stack: interface.Stack) -> None:
        """Create the resources of a stored stack."""

    def adopt(self, stack: interface.Stack, data: dict[str, Any] | None
              ) -> None:
        """Take existing resources over instead of creating them."""

    def update(self, stack: interface.Stack, new_stack: interface.Stack,
               action: str) -> None:
        """Make the stack like new_stack.

        :param action: UPDATE, or CREATE if that is what it begins as
        """

    def rollback(self, stack: interface.Stack,
                 skipped: Collection[str] = frozenset()) -> None:
        """Begin or continue to go back to the previous template."""

    def delete(self, stack: interface.Stack,
               retained: Collection[str] = frozenset()) -> None:
        """Delete the stack, and its resources but those retained."""

    def check(self, stack: interface.Stack) -> None:
        """Look whether every resource is as it should be."""

    def suspend(self, stack: interface.Stack) -> None:
        """Suspend every resource."""

    def resume(self, stack: interface.Stack) -> None:
        """Resume every resource."""

    def snapshot(self, stack: interface.Stack, snapshot: Any) -> None:
        """Fill a snapshot row."""

    def delete_snapshot(self, stack: interface.Stack, snapshot: Any) -> None:
        """Delete a snapshot and what it keeps in the cloud."""

    def go_on_deleting_snapshots(self, stack: interface.Stack) -> None:
        """Delete the snapshots that an engine left half deleted."""

    def restore(self, stack: interface.Stack, snapshot: Any,
                new_stack: interface.Stack) -> None:
        """Make the stack like it was at the snapshot."""

    def cancel(self, stack: interface.Stack, with_rollback: bool) -> None:
        """Stop the running create or update."""

    def abandon(self, stack: interface.Stack) -> None:
        """Delete the stack, but none of its resources."""

    def create_new(self, stack: interface.Stack, stack_id: str) -> bool:
        """Store a root stack and begin to create or adopt it, in one go.

        False, and nothing done, where these have to be two steps.
        """

    def beginning_of_new(self, stack: interface.Stack, stack_id: str) -> Any:
        """Return what stores a stack of a resource and begins to create it.

        It has write(), called in a transaction of the resource, proceed(),
        called when that is committed, discard(), called when it is not, and
        has_begun(). None where an operation cannot begin together with
        something else.
        """

    def beginning_of_update(self, stack: interface.Stack,
                            new_stack: interface.Stack) -> Any:
        """Return the same for making a stack like new_stack, or None.

        Where another operation was faster, nothing has begun.
        """

    def beginning_of_delete(self, stack: interface.Stack,
                            retained: Collection[str] = frozenset()) -> Any:
        """Return the same for deleting a stack, or None."""

    def held(self, stack: interface.Stack
             ) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """Keep operations from beginning on an idle stack.

        The context manager yields a function that ends this, to be called in
        the transaction that changes the stack: its row then has another
        traversal.

        :raises ActionInProgress: an engine works on the stack.
        """

    def require_ready(self, stack: interface.Stack) -> None:
        """Raise ActionInProgress unless an update may begin now."""


class RunningEngine:
    """The drivers of an engine, and what is found by current_engine.

    :ivar drivers: the drivers, by whether they drive convergence stacks
    :ivar convergence_driver: the one whose traversals the workers carry on
    """

    templates = template_store

    def __init__(self, engine_context: EngineContext) -> None:
        self.context = engine_context
        self.wakeup = wakeup.WakeupNotifier(engine_context)
        self.events = event_wakeup.EventWakeups(engine_context,
                                                 self.wakeup)
        self.convergence_driver = stack_convergence.ConvergenceDriver(
            engine_context)
        # An engine that has no more legacy stacks is one without the latter.
        self.drivers: dict[bool, Driver] = {
            True: self.convergence_driver,
            False: legacy_driver.LegacyDriver(engine_context)}
        self.announce = self.wakeup.announce
        self.load_stack = engine_context.stack_class.load

    def driver_of(self, stack: interface.Stack) -> Driver:
        """Return the driver of a stack."""
        return self.drivers[bool(stack.convergence)]


def configure(engine_context: EngineContext) -> RunningEngine:
    """Make an engine of these services the one of this process."""
    engine = RunningEngine(engine_context)
    current_engine.install(engine)
    return engine


def _engine() -> RunningEngine | None:
    engine = current_engine.get()
    assert engine is None or isinstance(engine, RunningEngine)
    return engine


def of(stack: interface.Stack) -> Driver:
    """Return the driver of a stack.

    :raises RuntimeError: no engine runs in this process.
    """
    engine = current_engine.require()
    assert isinstance(engine, RunningEngine)
    return engine.driver_of(stack)


def thread_group_mgr() -> Any:
    """Return what runs tasks beside operations; None outside an engine."""
    engine = _engine()
    return None if engine is None else engine.context.thread_group_mgr


def engine_id() -> str | None:
    """Return the id of this engine; None outside an engine."""
    engine = _engine()
    return None if engine is None else engine.context.engine_id


def engine_is_there(context: heat_context.RequestContext, engine_id: str
                    ) -> bool:
    """Return whether an engine has its lease and answers, in up to 2 s."""
    engine = _engine()
    if engine is None or engine_id == engine.context.engine_id:
        return True
    return (engine_id in service_objects.Service.alive_engines(context) and
            engine.context.answers(context, engine_id))
