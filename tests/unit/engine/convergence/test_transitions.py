"""Every outcome of a node, and what follows from it."""
import pytest

from heat.engine.convergence import transitions as t
from heat.engine.stacks import graph as stack_graph

A, B, C = (1, True), (2, True), (3, True)
CLEAN = (1, False)
GRAPH = stack_graph.StackGraph({A: [], B: [A], C: [A], CLEAN: [A]})

STOP = t.WalkFacts()
IDLE = t.WalkFacts(is_idle=True)
COLLECT = t.WalkFacts(failures=t.Failures.COLLECT)
STALE = t.WalkFacts(is_current=False, is_idle=True)


@pytest.mark.parametrize(('node', 'outcome', 'facts', 'expected'), [
    # A good outcome is finished with whatever waits for the node.
    (A, t.Done(), STOP, [t.FinishNode(A, (B, C, CLEAN))]),
    (B, t.Done(), STOP, [t.FinishNode(B, ())]),
    (CLEAN, t.Done(), IDLE, [t.FinishNode(CLEAN, ())]),
    # Even if the traversal is over: the rows for it decide.
    (A, t.Done(), STALE, [t.FinishNode(A, (B, C, CLEAN))]),
    # After settling, what became ready runs.
    (A, t.Finished(True, (B, C)), STOP, [t.RunNodes((B, C))]),
    (A, t.Finished(True, (B, C)), IDLE, [t.RunNodes((B, C))]),
    # Nothing became ready: others are at work, or that was the last one.
    (B, t.Finished(True), STOP, []),
    (B, t.Finished(True), IDLE, [t.SeekCompletion()]),
    (B, t.Finished(True), COLLECT, []),
    # Somebody finished it before, or the rows are gone with the traversal.
    (A, t.Finished(False), STOP, [t.Retrigger(A)]),
    (A, t.Finished(False), IDLE, [t.Retrigger(A)]),
    (A, t.Finished(True, (B,)), STALE, [t.Retrigger(A)]),
    # A replacement goes on under the same node.
    (A, t.Replaced(9), STOP, [t.Visit(A, 9)]),
    (A, t.Replaced(9), IDLE, [t.Visit(A, 9)]),
    (A, t.Replaced(9), STALE, [t.Retrigger(A)]),
    # The holder of the row comes back to the node.
    (A, t.Busy(), STOP, [t.Leave(A)]),
    (A, t.Busy(), IDLE, [t.Leave(A)]),
    (A, t.Busy(), STALE, [t.Retrigger(A)]),
    # One failure fails the stack, unless all are to be collected.
    (A, t.Failed('boom'), STOP, [t.FailStack('boom')]),
    (A, t.Failed('boom'), IDLE, [t.FailStack('boom')]),
    (A, t.Failed('boom'), COLLECT, [t.FinishNode(A, (B, C, CLEAN))]),
    (A, t.Failed('boom'), STALE, [t.Retrigger(A)]),
    # Time is up for all of them.
    (A, t.TimedOut(), STOP, [t.FailStack('Timed out')]),
    (A, t.TimedOut(), COLLECT, [t.FailStack('Timed out')]),
    (A, t.TimedOut(), STALE, [t.Retrigger(A)]),
    # Called off: the current traversal says what is wanted now.
    (A, t.Cancelled(), STOP, [t.Retrigger(A)]),
    (A, t.Cancelled(), STALE, [t.Retrigger(A)]),
    (A, t.Stale(), STOP, [t.Retrigger(A)]),
    (A, t.Stale(), STALE, [t.Retrigger(A)]),
])
def test_advance(node, outcome, facts, expected):
    assert list(t.advance(GRAPH, node, outcome, facts)) == expected


@pytest.mark.parametrize('outcome', [
    t.Done(), t.Finished(True), t.Finished(False), t.Finished(True, (B,)),
    t.Replaced(9), t.Busy(), t.Failed('x'), t.TimedOut(), t.Cancelled(),
    t.Stale()])
def test_superseded_traversal_never_moves_the_stack(outcome):
    forbidden = (t.FailStack, t.SeekCompletion, t.RunNodes, t.Visit)
    for instruction in t.advance(GRAPH, A, outcome, STALE):
        assert not isinstance(instruction, forbidden)


def test_settlement_names_the_waiting_nodes():
    assert t.finish_of(GRAPH, A) == t.FinishNode(A, (B, C, CLEAN))
