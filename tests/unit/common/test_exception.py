"""Errors: the classes of the facts, their text, their way over RPC."""
import builtins
import copy
import inspect
import json
import pathlib
import pickle
import types

from oslo_messaging._drivers import common as wire
import pytest

from heat.common import exception

FACTS = pathlib.Path(__file__).parents[2] / 'facts'
TO_HTTP = json.loads((FACTS / 'states.json').read_text())[
    'exception_to_http']
CLASSES = {
    name: facts for name, facts in json.loads(
        (FACTS / 'plugin_api.json').read_text())['exceptions'].items()
    if facts['module'] == 'heat.common.exception'}
OURS = sorted(name for name in CLASSES
              if issubclass(getattr(exception, name),
                            exception.HeatException))


def fake_resource(name, section='resources'):
    template = types.SimpleNamespace(get_section_name=lambda _name: section)
    return types.SimpleNamespace(
        name=name, action='CREATE', stack=types.SimpleNamespace(t=template))


def sample(name):
    """Return an instance with every placeholder of the class filled."""
    cls = getattr(exception, name)
    if name == 'ResourceFailure':
        return cls(ValueError('boom'), fake_resource('r'), action='CREATE')
    if issubclass(cls, exception.HeatExceptionWithPath):
        return cls(error='Error', path=['resources', 'r', 0],
                   message='boom')
    values = {key: 'value of ' + key
              for key in CLASSES[name]['placeholders']}
    if name == 'NotFound':
        values = {'msg_fmt': 'nothing, 100% sure'}
    return cls(**values)


def over_the_wire(exc):
    with pytest.raises(type(exc)) as raised:
        raise exc
    text = wire.serialize_remote_exception(
        (raised.type, raised.value, raised.tb))
    return wire.deserialize_remote_exception(text, ['heat.common.exception'])


@pytest.mark.parametrize('name', sorted(TO_HTTP))
def test_class_has_the_bases_of_the_facts(name):
    cls = getattr(exception, name, None) or getattr(builtins, name)
    bases = [base.__name__ for base in cls.__mro__[1:-2]]
    assert bases == TO_HTTP[name].get('bases', bases)
    assert getattr(cls, 'error_code', None) == TO_HTTP[name].get(
        'error_code')


@pytest.mark.parametrize('name', sorted(CLASSES))
def test_constructor_takes_what_plugins_pass(name):
    stated = CLASSES[name]['signature'].strip('()')
    wanted = [part.split('=')[0].strip()
              for part in stated.replace("_('...')", 'text').split(',')]
    accepted = inspect.signature(getattr(exception, name)).parameters
    if '**kwargs' in wanted:
        kinds = [each.kind for each in accepted.values()]
        assert inspect.Parameter.VAR_KEYWORD in kinds
    named = [each for each in wanted if not each.startswith('*')]
    if named:
        # '**kwargs' alone says that everything goes by name.
        assert list(accepted)[:len(named)] == named


@pytest.mark.parametrize('name', OURS)
def test_message_shows_every_placeholder(name):
    exc = sample(name)
    assert '%(' not in exc.message
    assert str(exc) == exc.message
    if name not in ('NotAuthorized', 'ResourceFailure'):
        for key, value in exc.kwargs.items():
            if key in CLASSES[name]['placeholders'] and isinstance(value,
                                                                   str):
                assert value in exc.message


@pytest.mark.parametrize('name', OURS)
def test_error_comes_back_over_rpc_as_what_it_was(name):
    exc = sample(name)
    remote = over_the_wire(exc)
    assert isinstance(remote, getattr(exception, name))
    assert exception.type_name(remote) == name
    assert remote.message == exc.message
    assert exception.text_of(remote) == exc.message
    again = over_the_wire(remote)
    assert type(again).__name__ == name + '_Remote'
    assert again.message == exc.message


@pytest.mark.parametrize('name', OURS)
def test_error_can_be_copied_and_pickled(name):
    exc = sample(name)
    exc.resource = None
    if hasattr(exc, 'exc'):
        exc.exc = None
    for twin in (copy.copy(exc), pickle.loads(pickle.dumps(exc))):
        assert type(twin) is type(exc)
        assert twin.message == exc.message


def test_builtin_error_over_rpc_shows_its_own_text_only():
    remote = over_the_wire(ValueError('no such thing'))
    assert 'Traceback' in str(remote)
    assert exception.text_of(remote) == 'no such thing'
    assert exception.type_name(remote) == 'ValueError'


def test_foreign_error_over_rpc_keeps_its_name():
    remote = over_the_wire(json.JSONDecodeError('broken', 'x', 0))
    assert exception.type_name(remote) == 'JSONDecodeError'
    assert exception.text_of(remote).startswith('broken')


def test_incomplete_message_does_not_hide_the_error():
    assert '%(stack_name)s' in str(exception.StackExists())


def test_values_that_json_cannot_carry_become_text():
    exc = exception.NotSupported(feature=fake_resource)
    json.dumps(exc.kwargs)
    assert 'fake_resource' in over_the_wire(exc).message


def test_error_code_stands_in_front():
    assert sample('ResourceTypeUnavailable').message.startswith(
        'HEAT-E99001 ')


@pytest.mark.parametrize(('path', 'text'), [
    ([], ''),
    (['resources', 'a'], 'resources.a'),
    (['resources', 'g', 'resources', '0', 'v'], 'resources.g.resources[0].v'),
    (['a', 3, 'b'], 'a[3].b'),
])
def test_path_text(path, text):
    assert exception.path_text(path) == text


@pytest.mark.parametrize(('arguments', 'text'), [
    ({'message': 'bad'}, 'bad'),
    ({'path': ['a', 0], 'message': 'bad'}, 'a[0]: bad'),
    ({'error': 'Property error', 'path': ['a'], 'message': 'bad'},
     'Property error: a: bad'),
    ({'path': 'whole', 'message': 'bad'}, 'whole: bad'),
    ({'path': ['a'], 'message': 'bad', 'line': 3, 'column': 5},
     'a: bad (line 3, column 5)'),
    ({'path': ['properties'], 'message': 'bad',
      'resource': fake_resource('r')}, 'resources.r.properties: bad'),
    ({'path': ['Resources', 'r', 'x'], 'message': 'bad',
      'resource': fake_resource('r', 'Resources')}, 'Resources.r.x: bad'),
])
def test_validation_error_names_the_place(arguments, text):
    assert str(exception.StackValidationFailed(**arguments)) == text


def test_resource_failure_has_the_form_of_stored_reasons():
    exc = exception.ResourceFailure(
        ValueError('Test Resource failed bad'), fake_resource('bad'))
    assert str(exc) == 'ValueError: resources.bad: Test Resource failed bad'
    assert isinstance(exc.exc, ValueError)
    assert exc.path == ['resources', 'bad']
    assert exc.action == 'CREATE'


def test_resource_failure_of_a_nested_stack_shows_one_path():
    stored = ('Resource CREATE failed: ValueError: resources.0: '
              'resources are short')
    exc = exception.ResourceFailure(stored, fake_resource('group'))
    assert str(exc) == ('ValueError: resources.group.resources[0]: '
                        'resources are short')


def test_resource_failure_of_a_failure_is_not_repeated():
    resource = fake_resource('r')
    inner = exception.ResourceFailure(KeyError('k'), resource)
    outer = exception.ResourceFailure(inner, resource)
    assert str(outer) == str(inner)
    assert outer.exc is inner.exc
    above = exception.ResourceFailure(inner, fake_resource('parent'))
    assert above.path == ['resources', 'parent', 'resources', 'r']


def test_resource_failure_keeps_the_place_of_a_validation_error():
    wrong = exception.StackValidationFailed(
        error='Property error', path=['properties', 'n'], message='no int')
    exc = exception.ResourceFailure(wrong, fake_resource('r'))
    assert str(exc) == ('Property error: resources.r.properties.n: no int')


def test_resource_failure_of_plain_text():
    exc = exception.ResourceFailure('it broke', fake_resource('r'))
    assert str(exc) == 'resources.r: it broke'


def test_disguise_keeps_the_http_error():
    original = RuntimeError('x')
    disguise = exception.HTTPExceptionDisguise(original)
    assert disguise.exc is original


def test_any_error_may_have_a_place():
    error = exception.UserParameterMissing(key='k')
    text = str(error)
    error.place(['parameters', 'k'])
    assert str(error) == 'parameters.k: ' + text
    remote = over_the_wire(error)
    assert remote.path == ['parameters', 'k']
    remote.place(line=3, column=4)
    assert remote.message == 'parameters.k: %s (line 3, column 4)' % text
    remote.place(line=5, column=6, file='n.yaml')
    assert remote.message.endswith(' (line 5, column 6 of n.yaml)')
    assert remote.explanation == text


def test_place_of_an_error_of_validation():
    error = exception.StackValidationFailed(
        error='Property error', path=['a', 0], message='wrong')
    error.place(line=1, column=2)
    assert str(error) == 'Property error: a[0]: wrong (line 1, column 2)'
    assert error.explanation == 'wrong'
    again = over_the_wire(error)
    assert (again.line, again.column, again.path) == (1, 2, ['a', 0])


def test_reference_has_its_place_in_the_sentence():
    error = exception.InvalidTemplateReference(
        resource='db', key='resources.a.Properties.x[0].get_attr')
    assert '(at resources.a.Properties.x[0].get_attr)' in str(error)
    start = ['resources', 'a', 'Properties']
    assert error.steps_below(start) == ['x', 0, 'get_attr']
    error.place(['resources', 'a'], line=1, column=2)
    assert '(at resources.a)' in str(error)
    assert str(error).endswith('. (line 1, column 2)')
    assert 'at' not in error.explanation.split()
    assert ' (at' not in str(exception.InvalidTemplateReference(
        resource='db'))
