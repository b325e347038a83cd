from hypothesis import given
from hypothesis import strategies as st
import pytest

from heat.common import exception
from heat.engine import dependencies

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)),
                 max_size=20)


def reaches_itself(edges):
    """Say by brute force whether some node requires itself in the end."""
    reach = set(edges)
    while True:
        more = {(a, d) for a, b in reach for c, d in reach if b == c}
        if more <= reach:
            return any(a == b for a, b in reach)
        reach |= more


@given(EDGES)
def test_order_exists_exactly_without_cycle(edges):
    deps = dependencies.Dependencies(edges)
    nodes = {node for edge in edges for node in edge}
    for order in (deps.__iter__, deps.__reversed__):
        if reaches_itself(edges):
            with pytest.raises(exception.CircularDependencyException):
                list(order())
        else:
            assert sorted(order()) == sorted(nodes)


@given(EDGES)
def test_order_puts_requirements_first(edges):
    acyclic = [(max(edge), min(edge)) for edge in edges
               if edge[0] != edge[1]]
    deps = dependencies.Dependencies(acyclic)
    forward = {node: i for i, node in enumerate(deps)}
    backward = {node: i for i, node in enumerate(reversed(deps))}
    for requirer, required in acyclic:
        assert forward[required] < forward[requirer]
        assert backward[requirer] < backward[required]


@given(EDGES)
def test_cycle_error_names_a_real_cycle(edges):
    deps = dependencies.Dependencies(edges)
    try:
        list(deps)
    except exception.CircularDependencyException as exc:
        names = str(exc).rsplit(': ', 1)[1].split(' -> ')
        assert names[0] == names[-1]
        assert len(names) > 1
        for requirer, required in zip(names, names[1:], strict=False):
            assert (int(requirer), int(required)) in edges


@given(EDGES)
def test_order_is_the_same_each_time(edges):
    acyclic = [(max(edge), min(edge)) for edge in edges
               if edge[0] != edge[1]]
    first = list(dependencies.Dependencies(acyclic))
    assert list(dependencies.Dependencies(acyclic)) == first


def test_order_follows_naming_among_equals():
    deps = dependencies.Dependencies(
        [('b', None), ('a', None), ('z', 'b'), ('c', 'a')])
    assert list(deps) == ['b', 'a', 'z', 'c']


class Counted:
    """A node that counts how often it is hashed."""

    hashed = 0

    def __init__(self, number):
        self.number = number

    def __hash__(self):
        Counted.hashed += 1
        return self.number

    def __eq__(self, other):
        return self.number == other.number


def cost_of(count):
    nodes = [Counted(n) for n in range(count)]
    Counted.hashed = 0
    deps = dependencies.Dependencies(
        (nodes[n], nodes[max(n - step, 0)])
        for n in range(1, count) for step in (1, 2, 3))
    assert len(list(deps)) == count
    assert len(list(reversed(deps))) == count
    graph = deps.graph()
    for node in nodes:
        del graph[node]
    return Counted.hashed


def test_cost_is_linear():
    assert cost_of(10000) <= 10.2 * cost_of(1000)


def test_long_chain_needs_no_recursion():
    deps = dependencies.Dependencies((n, n - 1) for n in range(1, 20000))
    assert list(deps) == list(range(20000))


def test_neighbours():
    deps = dependencies.Dependencies(
        [('server', 'net'), ('server', 'volume'), ('port', 'net'),
         ('alone', None)])
    assert list(deps.requires('server')) == ['net', 'volume']
    assert list(deps.required_by('net')) == ['server', 'port']
    assert list(deps.leaves()) == ['net', 'volume', 'alone']
    assert list(deps.roots()) == ['server', 'port', 'alone']
    assert 'alone' in deps
    assert len(deps) == 5
    with pytest.raises(KeyError):
        deps.requires('nobody')
    assert 'nobody' not in deps


def test_part_that_requires_a_node():
    deps = dependencies.Dependencies(
        [('a', 'b'), ('b', 'c'), ('x', 'c'), ('y', 'z')])
    assert sorted(deps['b']) == ['a', 'b']
    assert list(deps['b']) == ['b', 'a']
    assert sorted(deps['c']) == ['a', 'b', 'c', 'x']
    with pytest.raises(KeyError):
        deps['nobody']


def test_edges_added_later():
    deps = dependencies.Dependencies()
    deps += ('a', 'b')
    deps += ('c', None)
    deps += ('c', 'a')
    assert list(deps) == ['b', 'a', 'c']
    assert str(deps) == 'Dependencies(b: [], a: [b], c: [a])'


def test_translate():
    deps = dependencies.Dependencies([(1, 2), (3, None)])
    assert list(deps.translate(str)) == ['2', '3', '1']


def test_graph_is_consumed_node_by_node():
    deps = dependencies.Dependencies([('a', 'b'), ('a', 'c'), ('c', 'b')])
    graph = deps.graph()
    order = []
    while graph:
        ready = next(node for node, edges in graph.items() if not edges)
        order.append(ready)
        del graph[ready]
    assert order == ['b', 'c', 'a']
    assert list(deps) == order


def test_graph_reversed():
    graph = dependencies.Dependencies([('a', 'b')]).graph(reverse=True)
    assert set(graph['b']) == {'a'}
    assert set(graph['a']) == set()
    assert list(graph.edges()) == [('b', 'a')]


def test_graph_deletes_in_any_order():
    graph = dependencies.Dependencies([('a', 'b')]).graph()
    edges = graph.pop('a')
    assert list(edges) == ['b']
    del graph['b']
    assert graph == {}
    assert graph.pop('gone', None) is None
    with pytest.raises(KeyError):
        graph.pop('gone')


def test_self_requirement_is_a_cycle():
    deps = dependencies.Dependencies([('a', 'a')])
    with pytest.raises(exception.CircularDependencyException,
                       match='a -> a'):
        list(deps)
