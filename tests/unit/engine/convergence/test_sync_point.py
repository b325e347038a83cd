"""The rendezvous of traversals, over a real database."""
import pytest

from heat.common import context as heat_context
from heat.db import session
from heat.engine.convergence import sync_point
from heat.engine.convergence import transitions
from heat.engine.stacks import graph as stack_graph
from heat.engine.tasks import group_commit
from heat.objects import raw_template
from heat.objects import stack as stack_objects
from heat.objects import sync_point as sync_point_objects
from tests.fakes import database

A, B, C = (1, True), (2, True), (3, True)
CLEAN = (1, False)
GRAPH = stack_graph.StackGraph({A: [], B: [A], C: [A, B], CLEAN: [A]})
TRAVERSAL = 't'


@pytest.fixture
def context():
    """Return a context over a database with a stack called 's'."""
    database.fresh_sqlite()
    context = heat_context.RequestContext(project_id='p', is_admin=False)
    template = raw_template.RawTemplate.create(
        context, {'template': {}, 'environment': {}})
    stack_objects.Stack.create(context, {
        'id': 's', 'name': 's', 'raw_template_id': template.id,
        'tenant': 'p', 'action': 'CREATE', 'status': 'IN_PROGRESS',
        'current_traversal': TRAVERSAL, 'disable_rollback': True})
    yield context
    session.configure()


@pytest.fixture
def points(context):
    """Store the sync points of the graph."""
    sync_point.create(context, sync_point.Points(
        's', TRAVERSAL, GRAPH, {'converge': True}))
    return context


def finish(context, *nodes):
    """Finish nodes in one batch; return the outcomes."""
    results = group_commit.commit([
        group_commit.Write(lambda node=node: sync_point.finish_node(
            context, 's', TRAVERSAL, transitions.finish_of(GRAPH, node)),
            context) for node in nodes])
    return [result.get().outcome for result in results]


def test_rows_count_predecessors(points):
    rows = {row.key: row for row in sync_point_objects.SyncPoint.
            get_all_by_traversal(points, TRAVERSAL)}
    assert {key: row.pending for key, row in rows.items()} == {
        ('1', True): 0, ('2', True): 1, ('3', True): 2, ('1', False): 1,
        ('s', True): 2}
    assert not any(row.done for row in rows.values())
    assert rows['s', True].extra_data == {'converge': True}


def test_ready_nodes(points):
    assert sync_point.ready(points, TRAVERSAL) == [A]
    assert sync_point.ready(points, TRAVERSAL, among=[A, B]) == [A]
    assert sync_point.ready(points, TRAVERSAL, among=[B]) == []
    assert sync_point.ready(points, 'other') == []


def test_stack_without_nodes_has_nothing_ready(context):
    sync_point.create(context, sync_point.Points(
        's', TRAVERSAL, stack_graph.StackGraph({})))
    assert sync_point.ready(context, TRAVERSAL) == []
    assert not sync_point_objects.SyncPoint.count_open(context, TRAVERSAL)


def test_settling_tells_what_becomes_ready(points):
    assert finish(points, A) == [transitions.Finished(True, (B, CLEAN))]
    assert finish(points, B) == [transitions.Finished(True, (C,))]
    assert finish(points, C) == [transitions.Finished(True)]


def test_settling_twice_counts_once(points):
    finish(points, A)
    assert finish(points, A) == [transitions.Finished(False)]
    assert sync_point.ready(points, TRAVERSAL, among=[C]) == []


def test_batch_shares_the_counting(points):
    finish(points, A)
    assert finish(points, B, CLEAN) == [transitions.Finished(True, (C,)),
                                        transitions.Finished(True)]


def test_batch_with_a_repetition_is_sorted_out(points):
    finish(points, A)
    assert finish(points, A, B, B) == [
        transitions.Finished(False), transitions.Finished(True, (C,)),
        transitions.Finished(False)]


def test_each_ready_node_is_reported_once(points):
    graph = stack_graph.StackGraph({A: [], B: [], C: [A, B]})
    sync_point.replace_all(points, [sync_point.Points(
        's', TRAVERSAL, graph)], ['s'])
    results = group_commit.commit([
        group_commit.Write(
            lambda node=node: sync_point.finish_node(
                points, 's', TRAVERSAL, transitions.finish_of(graph, node)),
            points)
        for node in (A, B)])
    ready = [node for result in results
             for node in result.get().outcome.ready]
    assert ready == [C]


def test_a_traversal_that_is_over_finishes_nothing_of_the_next(points):
    """What was overtaken ends in the same batch as what overtook it."""
    graph = stack_graph.StackGraph({A: [], CLEAN: [A], B: [], C: [B]})
    sync_point.replace_all(points, [sync_point.Points(
        's', TRAVERSAL, graph)], ['s'])
    results = group_commit.commit([
        group_commit.Write(lambda node=node, of=of: sync_point.finish_node(
            points, 's', of, transitions.finish_of(graph, node, frozenset())),
            points)
        for of, node in (('overtaken', A), (TRAVERSAL, B))])
    assert [result.get().outcome for result in results] == [
        transitions.Finished(False), transitions.Finished(True, (C,))]
    assert sync_point.ready(points, TRAVERSAL) == [A, C]


def test_what_waits_for_one_node_alone_is_told_by_one_statement(points):
    graph = stack_graph.StackGraph({A: [], B: [A], CLEAN: [B]})
    sync_point.replace_all(points, [sync_point.Points(
        's', TRAVERSAL, graph)], ['s'])

    def finish_alone(node):
        request = transitions.finish_of(graph, node, frozenset())
        assert request.certain
        return group_commit.run(group_commit.Write(
            lambda: sync_point.finish_node(points, 's', TRAVERSAL, request),
            points)).outcome

    assert finish_alone(A) == transitions.Finished(True, (B,))
    assert finish_alone(A) == transitions.Finished(False)
    assert sync_point.ready(points, TRAVERSAL) == [B]
    assert finish_alone(B) == transitions.Finished(True, (CLEAN,))
    assert finish_alone(CLEAN) == transitions.Finished(True)
    assert not sync_point_objects.SyncPoint.count_open(points, TRAVERSAL)


def test_nodes_that_others_wait_for_alone_share_statements(points):
    graph = stack_graph.StackGraph({A: [], CLEAN: [A], B: [], C: [B]})
    sync_point.replace_all(points, [sync_point.Points(
        's', TRAVERSAL, graph)], ['s'])

    def finish_all(*nodes):
        results = group_commit.commit([group_commit.Write(
            lambda node=node: sync_point.finish_node(
                points, 's', TRAVERSAL, transitions.finish_of(
                    graph, node, frozenset())), points) for node in nodes])
        return [result.get().outcome for result in results]

    assert finish_all(A, B) == [transitions.Finished(True, (CLEAN,)),
                                transitions.Finished(True, (C,))]
    assert finish_all(A, C, CLEAN) == [
        transitions.Finished(False), transitions.Finished(True),
        transitions.Finished(True)]
    assert not sync_point_objects.SyncPoint.count_open(points, TRAVERSAL)


def test_who_waits_for_two_nodes_or_is_done_is_asked(points):
    assert not transitions.finish_of(GRAPH, B, frozenset()).certain
    assert not transitions.finish_of(
        stack_graph.StackGraph({A: [], B: [A]}), A, {B}).certain
    assert not transitions.finish_of(GRAPH, C).certain


def test_settling_a_superseded_traversal_does_nothing(points):
    sync_point.replace_all(points, [sync_point.Points(
        's', 'new', GRAPH)], ['s'])
    assert finish(points, A) == [transitions.Finished(False)]
    assert sync_point.ready(points, 'new') == [A]


def test_options_can_be_changed_while_the_traversal_lasts(points):
    assert sync_point.set_options(points, 's', TRAVERSAL, {'failure': 'x'})
    row = sync_point.of_stack(points, 's', TRAVERSAL)
    assert row.extra_data == {'failure': 'x'}
    assert not sync_point.set_options(points, 's', 'other', {})


@pytest.mark.parametrize(('done', 'expected'), [
    (set(), {A: (0, False), B: (1, False), C: (2, False),
             CLEAN: (1, False)}),
    ({A}, {A: (0, True), B: (0, False), C: (1, False), CLEAN: (0, False)}),
    ({A, B}, {A: (0, True), B: (0, True), C: (0, False),
              CLEAN: (0, False)}),
])
def test_counts(done, expected):
    assert {node: (pending, is_done) for node, pending, is_done in
            sync_point.counts(GRAPH, done)} == expected


@pytest.mark.parametrize(('key', 'node'), [
    (('12', True), (12, True)), (('12', 0), (12, False)),
    (('5e2c9c8c-9d6e', False), ('5e2c9c8c-9d6e', False))])
def test_nodes_of_stored_keys(key, node):
    assert sync_point.node_from_key(key) == node


def peer_key(row_id, is_update):
    return "tuple:(%d, %s, 'resource')" % (row_id, is_update)


def test_done_from_what_the_peer_collected():
    inputs = [{}, None, {'input_data': {peer_key(23, True): {}}},
              {'input_data': {peer_key(23, True): {},
                              'tuple:(7, False)': {}}}]
    assert sync_point.done_from_inputs(inputs) == {(23, True), (7, False)}


def peers_rows(context, inputs):
    sync_point_objects.SyncPoint.create_many(context, [
        {'entity_id': entity, 'is_update': is_update, 'stack_id': 's',
         'traversal_id': TRAVERSAL, 'input_data': inputs.get(
             (entity, is_update), {})}
        for entity, is_update in (A, B, C, CLEAN, ('s', True))])


def test_peers_rows_are_taken_over(context):
    peers_rows(context, {B: {'input_data': {peer_key(1, True): {}}}})
    assert sync_point.take_over(context, 's', TRAVERSAL, GRAPH)
    # C had not been told of A when the peer died.
    assert set(sync_point.ready(context, TRAVERSAL)) == {B, CLEAN}
    assert finish(context, B) == [transitions.Finished(True, (C,))]


def test_taking_over_twice_changes_nothing(context):
    peers_rows(context, {})
    sync_point.take_over(context, 's', TRAVERSAL, GRAPH)
    finish(context, A)
    assert sync_point.take_over(context, 's', TRAVERSAL, GRAPH)
    assert set(sync_point.ready(context, TRAVERSAL)) == {B, CLEAN}


def test_superseded_traversal_is_not_taken_over(context):
    peers_rows(context, {})
    assert not sync_point.take_over(context, 's', 'other', GRAPH)
    assert not sync_point.ready(context, TRAVERSAL)
