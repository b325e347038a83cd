"""The graphs a stack is walked along."""
import dataclasses
import json
import pathlib
import random

import pytest

from heat.engine.stacks import graph as stack_graph

FACTS = pathlib.Path(__file__).parents[3] / 'facts'


@dataclasses.dataclass
class Row:
    id: int
    name: str = 'a'
    action: str = 'CREATE'
    status: str = 'COMPLETE'
    current_template_id: int | None = 1
    requires: tuple = ()
    replaces: int | None = None
    replaced_by: int | None = None


def text(graph):
    return str(graph).split('\n')


def test_peers_update_graph_is_ours():
    """The graph stored with stack 'updated' of the peer's database."""
    stored = {'edges': [[[12, True], [13, True]], [[14, True], None],
                        [[11, False], [11, True]], [[12, False], [12, True]],
                        [[13, False], [12, False]],
                        [[13, False], [13, True]]]}
    rows = [Row(11, 'b'), Row(12, 'c', requires=(13,)), Row(13, 'a')]
    graph = stack_graph.convergence_graph(
        {11: (), 12: (13,), 13: (), 14: ()}, rows)
    assert graph == stack_graph.graph_from_deps(stored)


def test_create_graph_has_no_cleanup():
    graph = stack_graph.convergence_graph({1: (), 2: (3,), 3: ()}, [])
    assert stack_graph.graph_to_deps(graph) == {
        'edges': [[[1, True], None], [[2, True], [3, True]]]}


def test_old_row_goes_when_its_users_have_let_go():
    graph = stack_graph.convergence_graph(
        {1: (), 2: (1,)}, [Row(1, 'a'), Row(2, 'b', requires=(1,))])
    assert text(graph) == ['1', '1 cleanup <- 1, 2 cleanup',
                           '2 <- 1', '2 cleanup <- 2']


def test_removed_resources_are_cleaned_up_in_reverse():
    graph = stack_graph.convergence_graph(
        {}, [Row(1, 'a'), Row(2, 'b', requires=(1,)),
             Row(3, 'c', requires=(2, 1, 99))])
    assert text(graph) == ['1 cleanup <- 2 cleanup, 3 cleanup',
                           '2 cleanup <- 3 cleanup', '3 cleanup']


def test_replacement_is_cleaned_up_after_what_it_replaces():
    graph = stack_graph.convergence_graph(
        {}, [Row(1, replaced_by=2), Row(2, replaces=1)])
    assert text(graph) == ['1 cleanup', '2 cleanup <- 1 cleanup']


def test_unfinished_work_counts_as_needing_what_it_was_to_need():
    before = stack_graph.convergence_graph(
        {1: (), 2: (1,), 9: ()}, [Row(1, 'a')])
    graph = stack_graph.convergence_graph(
        {}, [Row(1, 'a'), Row(2, 'b')], before)
    assert text(graph) == ['1 cleanup <- 2 cleanup', '2 cleanup']


def test_circle_among_leftovers_is_cut_at_the_replacement():
    rows = [Row(1, 'a', replaced_by=3), Row(2, 'b', requires=(1,)),
            Row(3, 'a', requires=(2,), replaces=1)]
    graph = stack_graph.convergence_graph({}, rows)
    assert text(graph) == ['1 cleanup <- 2 cleanup', '2 cleanup <- 3 cleanup',
                           '3 cleanup']


def test_circle_of_requirements_is_cut_somewhere():
    graph = stack_graph.convergence_graph(
        {}, [Row(1, requires=(2,)), Row(2, requires=(1,)),
             Row(3, requires=(1, 3))])
    assert _order(graph)


@pytest.mark.parametrize('seed', range(50))
def test_any_leftovers_can_be_walked(seed):
    dice = random.Random(seed)
    ids = range(1, dice.randint(2, 12))
    rows = [Row(i, requires=tuple(dice.choices(ids, k=dice.randint(0, 3))),
                replaces=dice.choice([None, dice.choice(ids)]))
            for i in ids]
    wanted = {i: tuple(j for j in ids if j < i and dice.random() < 0.3)
              for i in ids if dice.random() < 0.6}
    wanted = {i: tuple(j for j in needed if j in wanted)
              for i, needed in wanted.items()}
    graph = stack_graph.convergence_graph(wanted, rows)
    order = _order(graph)
    assert set(order) == set(graph)
    for i in wanted:
        assert order.index((i, True)) < order.index((i, False))


def _order(graph):
    """Walk a graph by counting, as a traversal does."""
    pending = graph.pending()
    ready = graph.leaves()
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for waiting in graph.required_by(node):
            pending[waiting] -= 1
            if not pending[waiting]:
                ready.append(waiting)
    assert len(order) == len(graph)
    return order


def test_visit_of_all_rows_follows_the_dependencies():
    graph = stack_graph.walk_graph({1: (), 2: (1,), 3: ()})
    assert text(graph) == ['1', '2 <- 1', '3']


def test_suspend_visits_users_first():
    graph = stack_graph.walk_graph({1: (), 2: (1,)}, reverse=True)
    assert text(graph) == ['1 <- 2', '2']


@pytest.mark.parametrize('deps', [None, {}, {'edges': []}])
def test_nothing_stored_is_an_empty_graph(deps):
    graph = stack_graph.graph_from_deps(deps)
    assert len(graph) == 0
    assert stack_graph.graph_to_deps(graph) == {'edges': []}


def test_stored_form_survives_json():
    deps = {'edges': [[[1, True], [2, True]], [[3, False], None]]}
    graph = stack_graph.graph_from_deps(json.loads(json.dumps(deps)))
    assert stack_graph.graph_to_deps(graph) == deps
    assert (1, True) in graph
    assert (1, False) not in graph


def test_node_types_of_the_peer_are_understood():
    graph = stack_graph.graph_from_deps(
        {'edges': [[['5e2c', False, 'snapshot'], [18, False, 'resource']]]})
    assert graph.requires(('5e2c', False)) == ((18, False),)


def test_ends_of_the_walk():
    graph = stack_graph.graph_from_deps(
        {'edges': [[[1, True], [2, True]], [[3, True], [2, True]]]})
    assert graph.leaves() == [(2, True)]
    assert sorted(graph.roots()) == [(1, True), (3, True)]
    assert graph.pending() == {(1, True): 1, (2, True): 0, (3, True): 1}
    assert set(graph.required_by((2, True))) == {(1, True), (3, True)}


def test_repeated_requirement_counts_once():
    graph = stack_graph.StackGraph({(1, True): [(2, True), (2, True)]})
    assert graph.pending()[1, True] == 1


@pytest.mark.parametrize(('row', 'points'), [
    (Row(1, current_template_id=7), 10),
    (Row(1, current_template_id=6), 5),
    (Row(1, current_template_id=5), 0),
    (Row(1, current_template_id=None), 0),
    (Row(1, current_template_id=7, replaced_by=2), 9),
    (Row(1, current_template_id=7, status='FAILED'), -20),
    (Row(1, current_template_id=6, action='DELETE'), -45),
    (Row(1, current_template_id=5, action='DELETE', status='FAILED',
         replaced_by=4), -81),
])
def test_score(row, points):
    assert stack_graph.score(row, 7, 6) == points


def test_first_template_has_no_previous_one():
    assert stack_graph.score(Row(1, current_template_id=None), 7, None) == 0


def test_best_row_per_name():
    rows = [Row(1, 'a', current_template_id=6, replaced_by=2),
            Row(2, 'a', current_template_id=7),
            Row(3, 'b', current_template_id=6),
            Row(4, 'b', current_template_id=6),
            Row(5, 'c', status='FAILED')]
    best = stack_graph.best_rows(rows, 7, 6)
    assert {name: row.id for name, row in best.items()} == {
        'a': 2, 'b': 4, 'c': 5}


def test_rollback_returns_to_the_replaced_row():
    rows = [Row(1, 'a', current_template_id=6, replaced_by=2),
            Row(2, 'a', current_template_id=7, replaces=1)]
    assert stack_graph.best_rows(rows, 6, 7)['a'].id == 1


@pytest.mark.parametrize(('action', 'status', 'gone'), [
    ('DELETE', 'COMPLETE', True), ('DELETE', 'FAILED', False),
    ('DELETE', 'IN_PROGRESS', False), ('CREATE', 'COMPLETE', False)])
def test_is_gone(action, status, gone):
    assert stack_graph.is_gone(Row(1, action=action, status=status)) is gone


class Plugin:
    """A resource that knows what it depends on."""

    def __init__(self, name, explicit=(), implicit=(), error=None):
        self.name = name
        self.explicit = explicit
        self.implicit = implicit
        self.error = error

    def add_explicit_dependencies(self, deps):
        for other in self.explicit:
            deps += (self, other)

    def add_dependencies(self, deps):
        if self.error:
            raise self.error
        for other in self.implicit:
            deps += (self, other)


def test_definition_dependencies_join_explicit_and_implicit():
    first, second = Plugin('a'), Plugin('b')
    third = Plugin('c', explicit=[first], implicit=[second])
    deps = stack_graph.definition_dependencies([first, second, third])
    assert set(deps.requires(third)) == {first, second}


def test_errors_of_plugins_count_unless_the_stack_is_stored():
    broken = Plugin('a', error=ValueError('broken'))
    with pytest.raises(ValueError):
        stack_graph.definition_dependencies([broken])
    deps = stack_graph.definition_dependencies([broken], ignore_errors=True)
    assert list(deps) == [broken]
