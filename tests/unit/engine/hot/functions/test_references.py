import pytest

from heat.common import exception
from heat.engine import function
from heat.engine import rsrc_defn
from tests.fakes import definitions

PARAMETERS = {
    'text': {'type': 'string', 'default': 'x'},
    'list': {'type': 'comma_delimited_list', 'default': 'a,b'},
    'map': {'type': 'json',
            'default': {'k': [{'deep': 1}], 'n': None, '0': 'zero'}},
}
RESOURCES = {
    'r': {'type': 'T'},
    's': {'type': 'T'},
    'off': {'type': 'T', 'condition': False},
}


def stack_of(version=definitions.LATEST, known=(), files=None, parent=None):
    resources = RESOURCES
    if version < '2016-10-14':
        resources = {name: {'type': 'T'} for name in ('r', 's')}
    return definitions.definition(
        definitions.hot(version, parameters=PARAMETERS,
                        resources=resources),
        known=known, files=files, parent=parent)


def resolved(snippet, stack=None):
    stack = stack_of() if stack is None else stack
    return function.resolve(stack.t.parse(stack, snippet))


# -- get_param

@pytest.mark.parametrize(('args', 'value'), [
    ('text', 'x'),
    (['text'], 'x'),
    ('OS::stack_name', 'stack'),
    (['list', 1], 'b'),
    (['list', '0'], 'a'),
    (['list', 7], ''),
    (['list', 'x'], ''),
    (['text', 0], ''),
    (['map', 'k', 0, 'deep'], 1),
    (['map', 'n'], None),
    (['map', 'n', 'x'], ''),
    (['map', '0'], 'zero'),
    (['map', 'nothing'], ''),
    (['map', ['k']], ''),
    ([{'get_param': 'text'}], None),
])
def test_get_param(args, value):
    if value is None and isinstance(args[0], dict):
        with pytest.raises(exception.UserParameterMissing):
            resolved({'get_param': args})
    else:
        assert resolved({'get_param': args}) == value


def test_get_param_of_whole_values():
    assert resolved({'get_param': 'list'}) == ['a', 'b']
    assert resolved({'get_param': 'map'})['k'] == [{'deep': 1}]


@pytest.mark.parametrize(('args', 'error'), [
    ([], ValueError), ('', ValueError), (None, ValueError),
    ({'a': 1}, TypeError), (1, TypeError), ([1], TypeError),
    ([['text']], TypeError),
    ('nothing', exception.UserParameterMissing),
    ('OS::region', exception.UserParameterMissing),
])
def test_get_param_errors(args, error):
    with pytest.raises(error):
        resolved({'get_param': args})


# -- get_resource

def test_get_resource():
    stack = stack_of(known=[definitions.facts('r')])
    assert resolved({'get_resource': 'r'}, stack) == 'ref-r'
    assert resolved({'get_resource': 's'}, stack) == 's'


@pytest.mark.parametrize('name', ['nothing', 'off', 1, None, ['r']])
def test_get_resource_of_what_is_not_there(name):
    stack = stack_of()
    call = stack.t.parse(stack, {'get_resource': name})
    with pytest.raises(exception.InvalidTemplateReference):
        call.result()
    with pytest.raises(exception.InvalidTemplateReference, match='a.get_r'):
        list(function.dependencies(call, 'a'))
    with pytest.raises(exception.StackValidationFailed):
        function.validate(call)


@pytest.mark.parametrize('snippet', [
    {'get_resource': 'r'}, {'get_attr': ['r', 'a']}, {'get_attr': ['r']},
    {'list_join': ['', [{'get_resource': 'r'}]]},
    {'if': [True, {'get_resource': 'r'}, {'get_resource': 's'}]},
    {'if': [False, {'get_resource': 's'}, [{'get_attr': ['r', 'a']}]]},
])
def test_references_are_dependencies(snippet):
    stack = stack_of()
    call = stack.t.parse(stack, snippet)
    assert [each.name for each in function.dependencies(call)] == ['r']


def test_reference_in_an_argument_is_a_dependency():
    stack = stack_of()
    call = stack.t.parse(stack, {'get_attr': [
        'r', {'get_attr': ['s', 'name']}]})
    assert {each.name for each in function.dependencies(call)} == {'r', 's'}


def test_without_a_stack_there_are_no_dependencies():
    tmpl = stack_of().t
    call = tmpl.parse(None, {'get_attr': ['r', 'a']})
    function.validate(call)
    assert list(function.dependencies(call)) == []


# -- get_attr

@pytest.mark.parametrize(('version', 'attribute', 'path', 'value'), [
    ('2013-05-23', 'a', (), {'k': [1]}),
    ('2013-05-23', 'a', ('k', 0), 1),
    ('2014-10-16', 'a', ('k', 0), 1),
    ('2015-10-15', 'a', ('k', 0), 1),
    ('2013-05-23', 'a', ('k', 5), None),
    ('2014-10-16', 'a', ('nothing', 'deep'), None),
    ('2014-10-16', 'null', ('x',), None),
    ('2014-10-16', 'special', ('x',), 2),
])
def test_get_attr(version, attribute, path, value):
    stack = stack_of(version, known=[definitions.facts('r', {
        'a': {'k': [1]}, 'null': None, ('special', 'x'): 2})])
    assert resolved({'get_attr': ['r', attribute, *path]}, stack) == value


@pytest.mark.parametrize(('version', 'reference'), [
    ('2013-05-23', 'a'), ('2014-10-16', ('a', 'k')),
    ('2021-04-16', ('a', 'k'))])
def test_get_attr_names_what_it_needs(version, reference):
    stack = stack_of(version)
    call = stack.t.parse(stack, [{'get_attr': ['r', 'a', 'k']},
                                 {'get_attr': ['s', 'b']}])
    assert list(function.all_dep_attrs(call)) == [('r', reference),
                                                  ('s', 'b')]
    assert list(function.dep_attrs(call, 'r')) == [reference]


def test_get_attr_without_attribute_gives_all():
    stack = stack_of(known=[definitions.facts('r', {
        'a': 1, 'b': 2, 'show': 3})])
    assert resolved({'get_attr': ['r']}, stack) == {'a': 1, 'b': 2}
    call = stack.t.parse(stack, {'get_attr': ['r']})
    assert list(function.all_dep_attrs(call)) == [('r', '*')]


@pytest.mark.parametrize(('action', 'status', 'one', 'all_'), [
    ('INIT', 'COMPLETE', None, None),
    ('CREATE', 'IN_PROGRESS', 1, {'a': 1}),
    ('CREATE', 'FAILED', 1, None),
    ('UPDATE', 'COMPLETE', 1, {'a': 1}),
    ('SUSPEND', 'COMPLETE', 1, {'a': 1}),
    ('RESUME', 'COMPLETE', 1, {'a': 1}),
    ('SNAPSHOT', 'COMPLETE', 1, {'a': 1}),
    ('CHECK', 'COMPLETE', 1, {'a': 1}),
    ('ADOPT', 'COMPLETE', 1, {'a': 1}),
    ('ROLLBACK', 'COMPLETE', 1, None),
    ('DELETE', 'IN_PROGRESS', None, None),
    ('DELETE', 'COMPLETE', None, None),
])
def test_get_attr_waits_for_the_resource(action, status, one, all_):
    stack = stack_of(known=[definitions.facts('r', {'a': 1}, action,
                                              status)])
    assert resolved({'get_attr': ['r', 'a']}, stack) == one
    assert resolved({'get_attr': ['r']}, stack) == all_


@pytest.mark.parametrize(('version', 'args', 'text'), [
    ('2021-04-16', 'r', 'must be a list'),
    ('2021-04-16', {'r': 'a'}, 'must be a list'),
    ('2021-04-16', [], 'must be a resource name'),
    ('2014-10-16', ['r'], 'must be a resource name'),
    ('2013-05-23', ['r'], 'must be a resource name'),
])
def test_get_attr_arguments(version, args, text):
    stack = stack_of(version)
    with pytest.raises(exception.StackValidationFailed, match=text):
        stack.t.parse(stack, {'get_attr': args})


class Typed:
    """A resource type with declared attributes."""

    attributes_schema = {'known': None}
    base_attributes_schema = {'show': None}

    def get_attribute(self, key, *path):
        raise AssertionError('functions do not ask plugins')


def test_attribute_must_be_declared():
    stack = stack_of()
    stack.env.register_class('T', Typed)
    parsed = [stack.t.parse(stack, {'get_attr': ['r', name]})
              for name in ('known', 'show', 'unknown')]
    function.validate(parsed[:2])
    with pytest.raises(exception.StackValidationFailed,
                       match='get_attr: .*unknown'):
        function.validate(parsed[2:])


# -- get_file

def test_get_file():
    stack = stack_of(files={'f.txt': 'contents'})
    assert resolved({'get_file': 'f.txt'}, stack) == 'contents'
    with pytest.raises(ValueError, match='Did you mean "f.txt"'):
        resolved({'get_file': 'g.txt'}, stack)
    with pytest.raises(TypeError):
        resolved({'get_file': ['f.txt']}, stack)


# -- resource_facade

@pytest.mark.parametrize(('args', 'value'), [
    ('metadata', {'m': 1}), ('deletion_policy', 'Retain'),
    ('update_policy', {'u': 2})])
def test_resource_facade(args, value):
    parent = definitions.ParentResource(rsrc_defn.ResourceDefinition(
        'p', 'T', metadata={'m': 1}, deletion_policy='Retain',
        update_policy={'u': 2}))
    assert resolved({'resource_facade': args},
                    stack_of(parent=parent)) == value


def test_resource_facade_without_update_policy():
    parent = definitions.ParentResource(
        rsrc_defn.ResourceDefinition('p', 'T'))
    assert resolved({'resource_facade': 'update_policy'},
                    stack_of(parent=parent)) == {}
    assert resolved({'resource_facade': 'metadata'}) is None


@pytest.mark.parametrize('args', ['Metadata', 'x', ['metadata'], {}, None])
def test_resource_facade_of_something_else(args):
    stack = stack_of()
    with pytest.raises(exception.StackValidationFailed, match='one of'):
        stack.t.parse(stack, {'resource_facade': args})
