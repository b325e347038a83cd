"""Moves and imports that a request may ask for."""
import dataclasses

import pytest

from heat.common import change_set_errors
from heat.common import exception
from heat.engine.plans import requested


def moves(*pairs):
    return requested.moves_of([{'from': source, 'to': target}
                               for source, target in pairs])


def test_paths_lead_through_nested_stacks():
    assert moves(('a', 'n/b')) == [requested.Move(('a',), ('n', 'b'))]
    assert requested.moves_of(None) == []
    [lasting] = requested.moves_of([{'from': 'a', 'to': 'b'}], lasting=True)
    assert lasting.lasting


@pytest.mark.parametrize(('given', 'place'), [
    ('x', '"moves"'), ({}, '"moves"'), ([{}] * 1001, '"moves"'),
    ([7], 'moves[0]'), ([{'from': 'a'}], 'moves[0]'),
    ([{'from': 'a', 'to': 'b', 'x': 1}], 'moves[0]'),
    ([{'from': 'a', 'to': 'b'}, {'from': 1, 'to': 'b'}], 'moves[1].from'),
    ([{'from': 'a', 'to': ''}], 'moves[0].to'),
    ([{'from': 'a', 'to': 'b//c'}], 'moves[0].to'),
    ([{'from': 'a', 'to': 'b' * 4097}], 'moves[0].to'),
    ([{'from': 'a', 'to': '/'.join(['b'] * 33)}], 'moves[0].to'),
])
def test_what_is_no_list_of_moves(given, place):
    with pytest.raises(exception.StackValidationFailed) as raised:
        requested.moves_of(given)
    assert place in str(raised.value)


@pytest.mark.parametrize(('pairs', 'text'), [
    ([('a', 'a')], 'the same'),
    ([('a', 'b'), ('a', 'c')], 'twice'),
    ([('a', 'c'), ('b', 'c')], 'another resource'),
    ([('a', 'a/b')], 'inside the resource'),
    ([('a', 'b'), ('b', 'c'), ('c', 'a')], 'cycle'),
    ([('n', 'm'), ('a', 'n/b')], '"n" is moved'),
    ([('n', 'm'), ('n/a', 'b')], '"n" is moved'),
    ([('n', 'm'), ('a', 'm/b')], '"m" is moved'),
])
def test_moves_that_contradict_each_other(pairs, text):
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        requested.require_distinct(moves(*pairs))
    assert text in str(raised.value)


def test_long_chains_are_followed_once():
    """The number of comparisons grows with the number of moves."""
    class Name(str):
        comparisons = 0

        def __hash__(self):
            Name.comparisons += 1
            return super().__hash__()

    requested.require_distinct([
        requested.Move((Name(number),), (Name(number + 1),))
        for number in range(500)])
    assert Name.comparisons < 500 * 30


def test_moves_that_do_not():
    requested.require_distinct(moves(('a', 'b'), ('c', 'n/c'), ('n/d', 'd')))


def test_imports():
    assert requested.imports_of([{'resource': 'n/a', 'id': 'x'}]) == [
        requested.Import(('n', 'a'), 'x')]
    assert requested.imports_of(None) == []


@pytest.mark.parametrize(('given', 'place'), [
    ('x', '"imports"'), ([{}] * 1001, '"imports"'), ([7], 'imports[0]'),
    ([{'resource': 'a'}], 'imports[0]'),
    ([{'resource': 'a', 'id': ''}], 'imports[0].id'),
    ([{'resource': 'a', 'id': 'x' * 256}], 'imports[0].id'),
    ([{'resource': 'a', 'id': 1}], 'imports[0].id'),
    ([{'resource': 'a/', 'id': 'x'}], 'imports[0].resource'),
])
def test_what_is_no_list_of_imports(given, place):
    with pytest.raises(exception.StackValidationFailed) as raised:
        requested.imports_of(given)
    assert place in str(raised.value)


def test_imports_that_contradict_each_other():
    with pytest.raises(change_set_errors.ImportNotPossible) as raised:
        requested.imports_of([{'resource': 'a', 'id': each}
                              for each in 'xy'])
    assert 'imported twice' in str(raised.value)


def test_imports_beside_resources_of_an_environment():
    assert requested.imports_in({'T': 'U', 'resources': {
        'a': {'import': 'x', 'T': 'U'}, 'n': {'b': {'import': 'y'}},
        'c': {'hooks': 'pre-create'}}}) == [
            requested.Import(('a',), 'x', lasting=True),
            requested.Import(('n', 'b'), 'y', lasting=True)]
    assert requested.imports_in({}) == []


def of(stack, resource, target, **more):
    return {'from': {'stack': stack, 'resource': resource, **more},
            'to': target}


def test_moves_out_of_other_stacks():
    [move] = requested.moves_of([of('s', 'a', 'n/b')])
    assert move == requested.Move(('a',), ('n', 'b'), giver='s')
    assert '"s:a" cannot be moved to "n/b": why' in str(move.refused('why'))
    known = dataclasses.replace(move, giver_name='shop')
    assert '"shop:a" cannot' in str(known.refused('why'))
    # What has the same path in two stacks is not the same.
    requested.require_distinct(requested.moves_of([
        of('s', 'a', 'a'), of('t', 'a', 'b'), {'from': 'c', 'to': 'd'},
        of('s', 'c', 'c')]))


@pytest.mark.parametrize(('source', 'place'), [
    ({'stack': 's'}, 'moves[0].from'), ({}, 'moves[0].from'),
    ({'stack': 's', 'resource': 'a', 'x': 1}, 'moves[0].from'),
    ({'stack': 1, 'resource': 'a'}, 'moves[0].from.stack'),
    ({'stack': '', 'resource': 'a'}, 'moves[0].from.stack'),
    ({'stack': 's' * 256, 'resource': 'a'}, 'moves[0].from.stack'),
    ({'stack': 's', 'resource': 'a//b'}, 'moves[0].from.resource')])
def test_what_names_no_other_stack(source, place):
    with pytest.raises(exception.StackValidationFailed) as raised:
        requested.moves_of([{'from': source, 'to': 'b'}])
    assert place in str(raised.value)


def test_lasting_moves_stay_within_a_tree():
    with pytest.raises(exception.StackValidationFailed) as raised:
        requested.moves_of([of('s', 'a', 'b')], lasting=True)
    assert 'change sets' in str(raised.value)


@pytest.mark.parametrize(('given', 'text'), [
    ([of('s', 'a', 'b'), of('s', 'a', 'c')], 'twice'),
    ([of('s', 'a', 'b'), of('t', 'a', 'b')], 'another resource'),
    ([of('s', 'a', 'b'), {'from': 'c', 'to': 'b'}], 'another resource'),
    ([of('s', 'a', 'n/b'), {'from': 'n', 'to': 'm'}], '"n" is moved'),
    ([of('s', 'n', 'n'), {'from': 'a', 'to': 'n/b'}], '"n" is moved')])
def test_moves_of_several_stacks_that_contradict_each_other(given, text):
    with pytest.raises(change_set_errors.MoveNotPossible) as raised:
        requested.require_distinct(requested.moves_of(given))
    assert text in str(raised.value)
