"""Instructions for the driver that follow from the outcome of a node.

Pure: nothing here touches the database, sends a message or knows a plugin.
A node is done when its outcome and its sync point are recorded together; see
sync_point for the counting.
"""
from collections.abc import Collection
import dataclasses
import enum

from heat.engine.stacks import graph as stack_graph

Node = stack_graph.Node


# What can come back from the work on a node.

@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    """The node has what it wanted; nothing is finished yet."""


@dataclasses.dataclass(frozen=True, slots=True)
class Finished:
    """The outcome is recorded and what waited for the node was told.

    first is False when the node had been finished before, or when its
    traversal is over; ready are the nodes that became ready by it.
    """

    first: bool
    ready: tuple[Node, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Replaced:
    """Another row takes the place of the node's row."""

    new_id: int


@dataclasses.dataclass(frozen=True, slots=True)
class Busy:
    """Somebody else holds the row."""


@dataclasses.dataclass(frozen=True, slots=True)
class Failed:
    """The resource failed, and that is recorded."""

    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class TimedOut:
    """The time of the stack's operation is up."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cancelled:
    """The work on the node was called off."""


@dataclasses.dataclass(frozen=True, slots=True)
class Stale:
    """The traversal is no longer the stack's current one."""


Outcome = (Done | Finished | Replaced | Busy | Failed | TimedOut | Cancelled |
           Stale)


class Failures(enum.StrEnum):
    """The consequences of a failed resource for the others of its stack."""

    STOP = 'stop'       # the operation has failed, nothing more is begun
    COLLECT = 'collect'  # all resources are visited, failures are joined


@dataclasses.dataclass(frozen=True, slots=True)
class WalkFacts:
    """The arguments of advance() beside the graph and the outcome."""

    failures: Failures = Failures.STOP
    is_current: bool = True   # the stack still follows this traversal
    is_idle: bool = False     # nothing else of it is queued or runs here


# What is to be done next.

@dataclasses.dataclass(frozen=True, slots=True)
class FinishNode:
    """Record that the node is done and tell the nodes that wait for it.

    certain means that they wait for nothing else, and none is done.
    """

    node: Node
    waiting: tuple[Node, ...]
    certain: bool = dataclasses.field(default=False, compare=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Visit:
    """Continue with the node on another row."""

    node: Node
    row_id: int


@dataclasses.dataclass(frozen=True, slots=True)
class RunNodes:
    """These nodes are ready."""

    nodes: tuple[Node, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Leave:
    """Leave the node: the engine that holds its row returns to it."""

    node: Node


@dataclasses.dataclass(frozen=True, slots=True)
class Retrigger:
    """See what the current traversal of the stack wants of the row."""

    node: Node


@dataclasses.dataclass(frozen=True, slots=True)
class SeekCompletion:
    """Look whether any node of the traversal is still to be done."""


@dataclasses.dataclass(frozen=True, slots=True)
class FailStack:
    """Mark the operation of the stack failed."""

    reason: str


Instruction = (FinishNode | Visit | RunNodes | Leave | Retrigger |
               SeekCompletion | FailStack)

#: The reason given for an operation that took longer than it may.
TIMED_OUT = 'Timed out'


def finish_of(graph: stack_graph.StackGraph, node: Node,
              done: Collection[Node] | None = None) -> FinishNode:
    """Return what is recorded together with the good outcome of a node.

    :param done: the nodes that needed no visit, if they are known
    """
    waiting = graph.required_by(node)
    return FinishNode(node, waiting, done is not None and all(
        len(graph.requires(other)) == 1 and other not in done
        for other in waiting))


def advance(graph: stack_graph.StackGraph, node: Node, outcome: Outcome,
            facts: WalkFacts) -> tuple[Instruction, ...]:
    """Return what follows from the outcome of a node."""
    match outcome:
        case Done():
            return (finish_of(graph, node),)
        case Finished(first=True, ready=ready) if facts.is_current:
            return _after_finishing(ready, facts)
        case Replaced(new_id=new_id) if facts.is_current:
            return (Visit(node, new_id),)
        case Busy() if facts.is_current:
            return (Leave(node),)
        case Failed(reason=reason) if facts.is_current:
            if facts.failures == Failures.COLLECT:
                return (finish_of(graph, node),)
            return (FailStack(reason),)
        case TimedOut() if facts.is_current:
            return (FailStack(TIMED_OUT),)
        case _:
            return (Retrigger(node),)


def _after_finishing(ready: tuple[Node, ...],
                    facts: WalkFacts) -> tuple[Instruction, ...]:
    """Run the nodes that waited; without any, the operation may be over."""
    if ready:
        return (RunNodes(ready),)
    if facts.is_idle:
        return (SeekCompletion(),)
    return ()
