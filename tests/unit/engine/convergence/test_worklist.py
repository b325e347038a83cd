"""The states of the nodes that one process has in hand."""
import types

from hypothesis import stateful
from hypothesis import strategies as st
import pytest

from heat.engine.convergence import worklist
from heat.engine.convergence.worklist import NodeState as S

NODES = [(number, True) for number in range(6)]
#: What has to be announced before a node goes on.
NEEDS = {(3, True): [0], (4, True): [0, 1], (5, True): [2]}


def walk_of(unread=()):
    return worklist.Walk(types.SimpleNamespace(
        id='traversal', unpublished=lambda node: NEEDS.get(node, []),
        is_ready_to_visit=lambda node: node not in unread))


def in_flight(walk, *nodes):
    walk.enqueue(nodes)
    for node in walk.take(len(nodes)):
        walk.start(node)


def test_the_share_of_a_stack_is_what_is_in_flight():
    walk = walk_of()
    walk.enqueue(NODES[:3])
    assert walk.take(2) == NODES[:2]
    assert walk.take(2) == []
    walk.start(NODES[0])
    assert walk.wait(NODES[0])
    assert not walk.wait(NODES[0])
    assert walk.take(2) == [NODES[2]]
    assert walk.number(S.TAKEN) == 2


def test_nodes_are_held_together_or_not_at_all():
    walk = walk_of()
    walk.enqueue(NODES[:1])
    assert not walk.hold(NODES[:2])
    assert walk.state_of(NODES[1]) is None
    assert walk.hold(NODES[1:3])
    # Others have to wait until they are let go.
    walk.enqueue([NODES[1]], unverified=True)
    assert walk.state_of(NODES[1]) is S.TAKEN
    assert walk.end(NODES[1])
    assert not walk.end(NODES[2])
    walk.close()
    assert not walk.hold(NODES[1:2])


def test_what_is_done_is_remembered():
    walk = walk_of()
    walk.state.needed_no_visit = lambda node: node == NODES[3]
    in_flight(walk, *NODES[:2])
    walk.finish(NODES[0], is_first=True)
    walk.finish(NODES[1], is_first=False)
    walk.end(NODES[0])
    assert [node for node in NODES if walk.is_done(node)] == [NODES[0],
                                                             NODES[3]]


def test_a_node_waits_for_the_results_of_another():
    walk = walk_of()
    in_flight(walk, NODES[0])
    walk.enqueue([NODES[3], NODES[4]])
    assert walk.state_of(NODES[3]) is S.AWAITING_INPUTS
    walk.enqueue([NODES[1]])
    walk.start(*walk.take(2))
    walk.finish(NODES[0], is_first=True)
    assert walk.state_of(NODES[3]) is S.QUEUED
    # It needs another one, too, that is in hand by now.
    assert walk.state_of(NODES[4]) is S.AWAITING_INPUTS
    walk.end(NODES[1])
    assert walk.state_of(NODES[4]) is S.QUEUED


def test_a_node_asked_for_during_its_visit_is_told_at_its_end():
    walk = walk_of()
    in_flight(walk, NODES[0], NODES[1])
    walk.enqueue([NODES[0], NODES[1]], unverified=True)
    assert walk.end(NODES[0])
    walk.finish(NODES[1], is_first=True)
    assert not walk.end(NODES[1])


def test_how_many_are_left():
    walk = walk_of()
    walk.remaining = 2
    in_flight(walk, NODES[0], NODES[1])
    walk.finish(NODES[0], is_first=True)
    walk.finish(NODES[1], is_first=False)
    assert walk.remaining == 1
    assert walk.is_finished()
    assert not walk.is_idle()


def test_others_get_the_end_of_the_queue_but_not_what_came_from_them():
    walk = walk_of()
    walk.enqueue([NODES[0]], received=True)
    walk.enqueue(NODES[1:3])
    assert walk.surplus(0) == 2
    assert walk.surplus(2) == 1
    assert walk.give_away(1) == [NODES[2]]
    assert [*walk.nodes_in(S.DELEGATED)] == [NODES[2]]
    walk.enqueue([NODES[2]], received=True)
    assert walk.surplus(0) == 0


def test_rows_are_read_ahead_and_the_order_stays():
    walk = walk_of(unread=NODES[:3])
    walk.enqueue(NODES[:4])
    ahead = walk.next_to_read(9)
    assert ahead == NODES[:3]
    walk.put_back(ahead, ready={NODES[0], NODES[2]})
    assert walk.take(9) == [NODES[0], NODES[2], NODES[3]]


def test_a_closed_walk_begins_nothing():
    walk = walk_of()
    in_flight(walk, NODES[0])
    walk.enqueue([NODES[1], NODES[3]])
    walk.close()
    assert walk.take(9) == []
    assert not walk.reserve(NODES[2])
    walk.validate()
    walk.end(NODES[0])
    assert walk.is_idle()


@pytest.mark.parametrize('act', [
    lambda walk, node: walk.start(node),
    lambda walk, node: walk.finish(node, is_first=True),
    lambda walk, node: walk.end(node),
    lambda walk, node: walk.begin_nested(node)])
@pytest.mark.parametrize('queued', [True, False])
def test_other_moves_are_refused(act, queued):
    walk = walk_of()
    if queued:
        walk.enqueue([NODES[0]])
    with pytest.raises(worklist.IllegalNodeMove):
        act(walk, NODES[0])
    walk.validate()


def test_what_does_not_agree_is_found():
    walk = walk_of()
    walk.enqueue(NODES[:2])
    walk._queue.pop()
    with pytest.raises(AssertionError):
        walk.validate()


class AnyOrder(stateful.RuleBasedStateMachine):
    """Whatever happens in whatever order, all that is kept agrees."""

    def __init__(self):
        super().__init__()
        self.walk = walk_of(unread=NODES[:2])
        self.ahead = []

    def pick(self, data, *states):
        return data.draw(st.sampled_from([*self.walk.nodes_in(*states)]))

    def has(*states):
        return stateful.precondition(
            lambda self: self.walk.number(*states) > 0)

    @stateful.rule(nodes=st.lists(st.sampled_from(NODES)),
                   unverified=st.booleans(), received=st.booleans())
    @stateful.precondition(lambda self: not self.walk.closed)
    def enqueue(self, nodes, unverified, received):
        self.walk.enqueue(nodes, unverified=unverified, received=received)

    @stateful.rule(limit=st.integers(0, 4))
    def take(self, limit):
        before = self.walk.number(*worklist.OCCUPYING)
        taken = self.walk.take(limit)
        assert len(taken) <= max(0, limit - before)

    @stateful.rule(node=st.sampled_from(NODES))
    def reserve(self, node):
        self.walk.reserve(node)

    @stateful.rule(limit=st.integers(1, 3))
    def read(self, limit):
        self.ahead += self.walk.next_to_read(limit)

    @stateful.rule(ready=st.sets(st.sampled_from(NODES)))
    def put_back(self, ready):
        nodes, self.ahead = self.ahead, []
        self.walk.checked(nodes)
        self.walk.put_back(nodes, ready)

    @stateful.rule(number=st.integers(0, 3))
    def give_away(self, number):
        self.walk.give_away(min(number, self.walk.number(S.QUEUED)))

    @stateful.rule(data=st.data())
    @has(S.TAKEN)
    def start(self, data):
        node = self.pick(data, S.TAKEN)
        self.walk.start(node)
        self.walk.visited_by(node, object())

    @stateful.rule(data=st.data())
    @has(S.TAKEN)
    def drop(self, data):
        self.walk.drop([self.pick(data, S.TAKEN)])

    @stateful.rule(data=st.data())
    @has(S.ACTING, S.WAITING)
    def block(self, data):
        self.walk.block(self.pick(data, S.ACTING, S.WAITING))

    @stateful.rule(data=st.data(), stopped=st.booleans())
    @has(S.BLOCKED)
    def unblock(self, data, stopped):
        node = self.pick(data, S.BLOCKED)
        (self.walk.unblock if stopped else self.walk.begin_nested)(node)

    @stateful.rule(data=st.data())
    @has(S.ACTING, S.BEGINNING)
    def wait(self, data):
        assert self.walk.wait(self.pick(data, S.ACTING, S.BEGINNING))

    @stateful.rule(data=st.data(), first=st.booleans())
    @has(S.ACTING, S.BEGINNING, S.WAITING)
    def finish(self, data, first):
        self.walk.finish(self.pick(data, S.ACTING, S.BEGINNING, S.WAITING),
                         is_first=first)

    @stateful.rule(data=st.data())
    @has(S.ACTING, S.BEGINNING, S.WAITING, S.FINISHED)
    def end(self, data):
        self.walk.end(self.pick(data, S.ACTING, S.BEGINNING, S.WAITING,
                                S.FINISHED))

    @stateful.rule()
    def close(self):
        self.walk.close()

    @stateful.invariant()
    def agrees(self):
        self.walk.validate()
        assert self.walk.is_idle() <= self.walk.is_finished()


test_any_order = AnyOrder.TestCase
