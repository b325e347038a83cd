import copy
import gc

import pytest

from heat.common import exception
from heat.engine import function


class Stack:
    pass


class Echo(function.Function):
    def result(self):
        return function.resolve(self.args)


class Nothing(function.Macro):
    def parse_args(self, parse_func):
        return function.NOTHING


class Chosen(function.Macro):
    def parse_args(self, parse_func):
        return parse_func(self.args)


class Needs(function.Function):
    def result(self):
        return 'x'

    def dependencies(self, path):
        yield from super().dependencies(path)
        yield Resource(self.args, path)

    def all_dep_attrs(self):
        yield self.args, 'attr'

    def dep_attrs(self, resource_name):
        if self.args == resource_name:
            yield 'attr'


class Resource:
    def __init__(self, name, path):
        self.name = name
        self.path = path


class Faulty(function.Function):
    def result(self):
        return None

    def validate(self):
        super().validate()
        raise self.args


@pytest.fixture
def nothing():
    return Nothing(None, 'nothing', [], lambda snippet: snippet, None)


def test_resolve_goes_to_any_depth():
    snippet = {'a': [1, Echo(None, 'echo', 'b'), {'c': (Echo(
        None, 'echo', Echo(None, 'echo', 'd')),)}], 'e': None}
    assert function.resolve(snippet) == {
        'a': [1, 'b', {'c': ['d']}], 'e': None}


def test_nothing_leaves_lists_and_maps(nothing):
    snippet = {'a': nothing, 'b': [1, nothing, 2], 'c': {'d': nothing}}
    assert function.resolve(snippet) == {'b': [1, 2], 'c': {}}


def test_nothing_at_the_top_is_null(nothing):
    assert function.resolve(nothing) is None
    assert function.resolve(nothing, nullable=True) is function.NOTHING
    assert not function._non_null_value(
        function.resolve(nothing, nullable=True))


def test_function_does_not_keep_its_stack():
    stack = Stack()
    call = Echo(stack, 'echo', 1)
    assert call.stack is stack
    del stack
    gc.collect()
    with pytest.raises(RuntimeError, match='echo'):
        assert call.stack


def test_function_without_stack():
    assert Echo(None, 'echo', 1).stack is None


def test_copy_is_the_snippet():
    snippet = {'a': [Echo(None, 'echo', Echo(None, 'echo', {'k': 1}))]}
    plain = {'a': [{'echo': {'echo': {'k': 1}}}]}
    assert copy.deepcopy(snippet) == plain
    assert function.render(snippet) == plain


def test_render_keeps_the_arguments_of_a_macro_raw(nothing):
    assert function.render([nothing]) == [{'nothing': []}]


def test_equality_is_of_name_and_arguments():
    assert Echo(None, 'echo', [1]) == Echo(Stack(), 'echo', [1])
    assert Echo(None, 'echo', [1]) != Echo(None, 'echo', [2])
    assert Echo(None, 'echo', [1]) != Echo(None, 'other', [1])
    assert Echo(None, 'echo', 1) != 1


def test_macro_equals_what_it_stands_for():
    def chosen(args):
        return Chosen(None, 'chosen', args, lambda snippet: snippet, None)

    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)
    assert chosen([1]) == [1]
    assert chosen(Echo(None, 'echo', 1)) == Echo(None, 'echo', 1)
    assert Echo(None, 'echo', 1) == chosen(Echo(None, 'echo', 1))


def test_validate_names_the_path():
    snippet = {'a': [0, {'b': Echo(None, 'echo', {
        'c': Faulty(None, 'faulty', ValueError('too bad'))})}]}
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate(snippet, ['resources', 'r'])
    assert str(caught.value) == (
        'resources.r.a[1].b.echo.c.faulty: too bad')
    assert list(caught.value.path) == [
        'resources', 'r', 'a', 1, 'b', 'echo', 'c', 'faulty']


@pytest.mark.parametrize('path', [None, '', [], 'outputs'])
def test_validate_accepts_paths_of_several_forms(path):
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate(Faulty(None, 'faulty', KeyError('text')), path)
    assert caught.value.path == (['outputs'] if path else []) + ['faulty']
    assert str(caught.value).endswith('faulty: text')


def test_validate_keeps_the_error_of_a_validation_failure():
    inner = exception.StackValidationFailed(
        error='Kind', path=['x'], message='text')
    with pytest.raises(exception.StackValidationFailed) as caught:
        function.validate([Faulty(None, 'faulty', inner)])
    assert str(caught.value) == 'Kind: [0].faulty.x: text'


def test_dependencies_are_found_with_their_path():
    snippet = {'a': [Needs(None, 'needs', 'one')],
               'b': Echo(None, 'echo', [Needs(None, 'needs', 'two')])}
    found = {(each.name, each.path)
             for each in function.dependencies(snippet, 'p')}
    assert found == {('one', 'p.a[0]'), ('two', 'p.b.echo[0]')}


def test_attributes_are_found():
    snippet = [Needs(None, 'needs', 'one'),
               {'k': Echo(None, 'echo', Needs(None, 'needs', 'two'))}]
    assert list(function.all_dep_attrs(snippet)) == [
        ('one', 'attr'), ('two', 'attr')]
    assert list(function.dep_attrs(snippet, 'two')) == ['attr']
    assert list(function.dep_attrs(snippet, 'three')) == []


def test_macro_refers_to_what_its_snippet_refers_to():
    macro = Chosen(None, 'chosen', [Needs(None, 'needs', 'one')],
                   lambda snippet: snippet, None)
    assert [r.name for r in function.dependencies(macro)] == ['one']
    assert list(function.all_dep_attrs(macro)) == [('one', 'attr')]
    assert list(function.dep_attrs(macro, 'one')) == ['attr']


def test_invalid_function_cannot_be_made():
    with pytest.raises(ValueError, match='not allowed'):
        function.Invalid(None, 'echo', [])
