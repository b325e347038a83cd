"""Errors are collected, and become one that tells of all."""
import copy
import pickle

import pytest

from heat.common import exception
from heat.common import problem
from heat.common import request_budget
from heat.engine.language import diagnostics

SVF = exception.StackValidationFailed


def failed(*path, text='wrong'):
    return SVF(path=list(path), message=text)


def test_nothing_noted_raises_nothing():
    with diagnostics.Problems() as found:
        pass
    assert not found
    found.raise_first_or_all()


def test_one_error_is_raised_as_it_was():
    error = exception.UserParameterMissing(key='p')
    before = str(error)
    found = diagnostics.Problems()
    with found.noting():
        raise error
    with pytest.raises(exception.UserParameterMissing) as raised:
        found.raise_first_or_all()
    assert raised.value is error
    assert str(error) == before
    assert error.problems == [problem.Problem(
        message='The Parameter (p) was not provided. It has neither a value '
                'nor a default.',
        error='UserParameterMissing', dangling=True)]


def test_several_errors_become_the_first_that_lists_the_others():
    found = diagnostics.Problems()
    with found.noting():
        raise exception.InvalidTemplateReference(
            resource='x', path=['resources', 'a'])
    with found.noting():
        raise SVF(path=['outputs', 'o', 0], message='wrong', line=3, column=7)
    with pytest.raises(exception.InvalidTemplateReference) as raised:
        found.raise_first_or_all()
    assert str(raised.value) == (
        'The resource "x" (at resources.a) does not exist in this template.\n'
        'One more problem:\n'
        '- outputs.o[0]: wrong (line 3, column 7)')
    assert raised.value.problems == list(found)


def test_what_was_not_checked_for_want_of_budget_is_told():
    with request_budget.of_request():
        outer = diagnostics.Problems()
        with outer.noting(), diagnostics.Problems() as found:
            found.note(failed('a'))
            request_budget._current.budget.charge(10)
        with pytest.raises(SVF) as raised:
            outer.raise_first_or_all()
    first, last = raised.value.problems
    assert first.path == ('a',)
    assert 'cpu_seconds in [request_budget]' in last.message


def test_limit():
    found = diagnostics.Problems(limit=2)
    for name in 'abcd':
        found.note(failed(name))
    error = found.error()
    assert str(error) == ('a: wrong\n3 more problems:\n- b: wrong\n'
                          '- 2 more, which are not shown')
    assert len(error.problems) == 2
    assert error.left_out == 2
    outer = diagnostics.Problems()
    outer.note(error)
    assert len(outer) == 2
    assert outer.error().left_out == 2


def test_enough_is_enough():
    found = diagnostics.Problems()
    for number in range(1000):
        if found.full:
            break
        found.note(failed('a', number))
    assert 50 < number < 1000
    assert len(found) == 50


def test_nested_collections_are_one():
    outer = diagnostics.Problems()
    with outer.noting(), diagnostics.Problems() as inner:
        inner.note(failed('a'))
        inner.note(failed('b'))
    outer.note(failed('c'))
    assert [each.path for each in outer.error().problems] == [
        ('a',), ('b',), ('c',)]


def test_the_same_is_told_once():
    found = diagnostics.Problems()
    for _time in range(2):
        found.note(failed('a'))
    found.note(failed('a', text='something else'))
    assert len(found) == 2


def test_reference_is_told_once_in_whatever_words():
    found = diagnostics.Problems()
    found.note(exception.InvalidTemplateReference(resource='x', path=['a']))
    found.note(failed('a', text='there is no x'))
    assert len(found) == 1


def test_consequences_are_not_told():
    found = diagnostics.Problems()
    with found.noting():
        try:
            raise diagnostics.DerivedError(cause='p')
        except diagnostics.DerivedError as exc:
            raise failed('a') from exc
    assert not found


def test_errors_of_others_pass():
    found = diagnostics.Problems()
    with pytest.raises(exception.Forbidden), found.noting():
        raise exception.Forbidden()
    with pytest.raises(KeyError), found.noting():
        raise KeyError('x')


def test_values_may_be_noted_with_their_place():
    found = diagnostics.Problems()
    with found.noting(['a'], wrong_values=True):
        raise KeyError('x')
    assert [str(each) for each in found] == ['a: x']


def test_what_was_noted_goes_before_another_error():
    def check():
        with diagnostics.Problems() as found:
            found.note(failed('a'))
            raise exception.Forbidden()

    with pytest.raises(SVF, match='^a: wrong$'):
        check()


def test_moved():
    found = diagnostics.Problems()
    found.note(failed('a', text='first'))
    found.note(failed('b', text='second'))
    error = diagnostics.below(found.error(), 'x', 1)
    assert str(error) == ('x[1].a: first\nOne more problem:\n'
                          '- x[1].b: second')
    assert error.error_message == 'first'


def test_error_of_a_function_is_put_below():
    error = diagnostics.below(
        exception.InvalidTemplateAttribute(resource='r', key='k'), 'x')
    assert str(error) == 'x: Resource r has no attribute "k".'


@pytest.mark.parametrize('transport', [
    lambda error: type(error)(**error.kwargs), copy.copy,
    lambda error: pickle.loads(pickle.dumps(error))])
@pytest.mark.parametrize('first', [
    failed('a'), exception.InvalidTemplateReference(resource='x', path=['a']),
    exception.UnknownUserParameter(key='x'),
    exception.CircularDependencyException(cycle='a -> a'),
    exception.InvalidSchemaError(message='x')])
def test_problems_travel(first, transport):
    first.tell_others([problem.Problem(('b', 0), 'wrong', 'KeyError', 1, 2,
                                       'f', problem.WARNING)], 3)
    arrived = transport(first)
    assert arrived.problems == first.problems
    assert arrived.left_out == 3
    assert str(arrived) == str(first)


def test_the_limit_of_the_interpreter_is_told_in_plain_words():
    assert diagnostics.text_of(RecursionError(
        'maximum recursion depth exceeded')) == 'it is nested too deeply'
