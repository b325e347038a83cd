"""How much an engine has to do at the moment."""
import dataclasses

from heat.engine.cluster import interface as cluster_interface
from heat.engine.convergence import runner as traversal_runner


@dataclasses.dataclass(frozen=True, slots=True)
class Load:
    """The work that an engine has in hand, in numbers."""

    #: Tasks that run or wait for a thread.
    tasks_ready: int
    #: Tasks that wait for a time or an event, and hold no thread.
    tasks_waiting: int
    #: Resources that are being visited.
    resources_in_flight: int
    #: Resources that are ready and wait for their turn.
    resources_queued: int
    #: Writes that wait for the next commit.
    writes_queued: int
    #: Stacks that the engine works on.
    stacks: int


def current(engine_context: cluster_interface.EngineContext,
            runner: traversal_runner.TraversalRunner) -> Load:
    """Return the load of an engine.

    :param runner: that of the engine's traversals
    """
    ready, active = engine_context.pool.load()
    running, queued, walked = runner.load()
    stacks = walked | engine_context.thread_group_mgr.stacks()
    return Load(tasks_ready=ready, tasks_waiting=active - ready,
                resources_in_flight=running, resources_queued=queued,
                writes_queued=engine_context.group_commit.load,
                stacks=len(stacks))
