import json
import pathlib

import pytest

from heat.common import config
from heat.common import exception
from heat.engine import environment

FACTS = json.loads((pathlib.Path(__file__).resolve().parents[2]
                    / 'facts' / 'env_file.json').read_text())

EMPTY = {'resource_registry': {'resources': {}}, 'parameters': {},
         'parameter_defaults': {}, 'event_sinks': []}


class Sink:
    def __init__(self, **kwargs):
        self.kwargs = kwargs


@pytest.fixture(autouse=True)
def _own_global_environment():
    environment.set_global_env(None)
    yield
    environment.set_global_env(None)


def test_words_are_the_recorded_ones():
    assert sorted(environment.HOOK_TYPES) == sorted(FACTS['hooks'])
    assert list(environment.RESTRICTED_ACTIONS) == (
        FACTS['restricted_actions'])
    assert list(environment.TEMPLATE_SUFFIXES) == (
        FACTS['rules']['resource_registry']['template_suffixes'])


@pytest.mark.parametrize('given', [
    None, {}, {'parameters': None}, {'parameters': {}, 'event_sinks': None}])
def test_empty_environment(given):
    env = environment.Environment(given)
    assert env.user_env_as_dict() == EMPTY
    assert env.env_as_dict() == {**EMPTY, 'encrypted_param_names': []}


def test_environment_is_given_back():
    section = {
        'resource_registry': {'A': 'B', 'resources': {'r': {'C': 'D'}}},
        'parameters': {'p': 1}, 'parameter_defaults': {'q': 2},
        'event_sinks': [{'type': 'zaqar-queue', 'target': 't'}],
        'encrypted_param_names': ['p']}
    env = environment.Environment(section)
    assert env.env_as_dict() == section
    assert environment.Environment(env.env_as_dict()).env_as_dict() == (
        section)
    assert (env.params, env.param_defaults) == ({'p': 1}, {'q': 2})


def test_dict_without_parameters_section_is_parameters():
    env = environment.Environment({'a': 1, 'resource_registry': {'A': 'B'}})
    assert env.params == {'a': 1}
    assert env.registry.as_dict()['A'] == 'B'


def test_given_dict_is_not_changed():
    section = {'parameters': {'p': 1}, 'parameter_defaults': {'q': 2}}
    env = environment.Environment(section)
    env.params['x'] = 1
    env.load({'parameter_defaults': {'y': 2}})
    assert section == {'parameters': {'p': 1},
                       'parameter_defaults': {'q': 2}}


@pytest.mark.parametrize('section', [
    {'parameters': []}, {'parameters': 'x'}, {'parameter_defaults': [1]},
    {'event_sinks': {}},
    {'encrypted_param_names': 'p'},
    {'encrypted_param_names': [['p']]}])
def test_sections_of_wrong_type(section):
    with pytest.raises(ValueError, match='environment'):
        environment.Environment({'parameters': {}, **section})


def test_later_load_counts():
    env = environment.Environment({'parameters': {'a': 1, 'b': 1},
                                   'resource_registry': {'A': 'B'}})
    env.load({'parameters': {'b': 2}, 'resource_registry': {'A': 'C'}})
    assert env.params == {'a': 1, 'b': 2}
    assert env.registry.as_dict()['A'] == 'C'


# -- The global environment

def test_environments_see_the_global_one():
    env = environment.global_env()
    assert env is environment.global_env()
    env.register_class('OS::My::Type', Sink)
    env.register_constraint('mine', Sink)
    env.register_stack_lifecycle_plugin('plugin', Sink)
    env.register_event_sink('sink', Sink)
    user_env = environment.Environment({})
    assert user_env.get_class('OS::My::Type') is Sink
    assert user_env.get_class_to_instantiate('OS::My::Type') is Sink
    assert user_env.get_resource_info('OS::My::Type').value is Sink
    assert user_env.get_constraint('mine') is Sink
    assert user_env.get_constraint('other') is None
    assert user_env.get_stack_lifecycle_plugins() == [('plugin', Sink)]
    assert user_env.registered_classes() == {'OS::My::Type': Sink}
    assert user_env.user_env_as_dict() == EMPTY


def test_global_environment_can_be_replaced():
    env = environment.Environment({}, user_env=False)
    environment.set_global_env(env)
    assert environment.global_env() is env


def test_global_environment_is_read_from_a_directory(tmp_path):
    config.register_opts()
    (tmp_path / '1.yaml').write_text(
        'resource_registry:\n  "A": "B"\n  "C": "D"\n')
    (tmp_path / '2.yaml').write_text(
        'resource_registry:\n  "A": "E"\nparameters:\n  p: 1\n')
    (tmp_path / '3.yaml').write_text('nonsense: {}\n')
    (tmp_path / '4.yaml').write_text('resource_registry: {A: 1}\n')
    (tmp_path / '5.yaml').mkdir()
    env = environment.Environment({}, user_env=False)
    environment.read_global_environment(env, str(tmp_path))
    values = {name: info.value for name, info
              in env.registry._registry.items() if name != 'resources'}
    assert values == {'A': 'E', 'C': 'D'}
    assert env.params == {'p': 1}
    problems = environment.problems_of_directory(str(tmp_path))
    assert any('3.yaml' in one for one in problems)
    assert any('4.yaml' in one for one in problems)


def test_directory_may_be_missing(tmp_path):
    env = environment.Environment({}, user_env=False)
    before = env.user_env_as_dict()
    missing = str(tmp_path / 'nothing')
    environment.read_global_environment(env, missing)
    assert env.user_env_as_dict() == before
    assert environment.problems_of_directory(missing) == []


# -- Event sinks

def test_event_sinks_are_made_of_their_classes():
    environment.global_env().register_event_sink('zaqar-queue', Sink)
    env = environment.Environment({'event_sinks': [
        {'type': 'zaqar-queue', 'target': 't', 'ttl': 3}]})
    [sink] = env.get_event_sinks()
    assert sink.kwargs == {'target': 't', 'ttl': 3}
    assert env.get_event_sinks() == [sink]
    env.load({'event_sinks': [{'type': 'zaqar-queue', 'target': 'u'},
                              {'type': 'zaqar-queue', 'target': 't',
                               'ttl': 3}]})
    assert [each.kwargs['target'] for each in env.get_event_sinks()] == [
        't', 'u']


def test_unknown_event_sink():
    environment.global_env().register_event_sink('zaqar-queue', Sink)
    with pytest.raises(exception.StackValidationFailed,
                       match='Did you mean "zaqar-queue"'):
        environment.Environment({'event_sinks': [{'type': 'zaqar-queu'}]})


@pytest.mark.parametrize('sink', ['x', {}, {'target': 'x'}])
def test_malformed_event_sink(sink):
    good = {'type': 'zaqar-queue'}
    with pytest.raises(exception.StackValidationFailed,
                       match=r'^event_sinks\[1\]: '):
        environment.Environment({'event_sinks': [good, sink]})


def test_no_event_sinks():
    assert environment.Environment({}).get_event_sinks() == []
    # Where no sinks are known, as in tools, they are left alone.
    env = environment.Environment({'event_sinks': [{'type': 'x'}]})
    assert env.get_event_sinks() == []


# -- Environments made of others

def test_patch_lays_the_environment_over_the_previous_one():
    previous = environment.Environment({
        'parameters': {'a': 1, 'b': 1, 'c': 1},
        'parameter_defaults': {'d': 1, 'e': 1},
        'resource_registry': {
            'A': 'B', 'C': 'D', 'resources': {
                'r': {'hooks': 'pre-create', 'X': 'Y'}}},
        'encrypted_param_names': ['a', 'b'],
        'event_sinks': [{'type': 's', 'target': 'one'}]})
    env = environment.Environment({
        'parameters': {'c': 2, 'f': 2}, 'parameter_defaults': {'e': 2},
        'resource_registry': {'A': 'E', 'resources': {'r': {'X': 'Z'}}}})
    env.patch_previous_parameters(previous, ['a'])
    assert env.env_as_dict() == {
        'parameters': {'b': 1, 'c': 2, 'f': 2},
        'parameter_defaults': {'d': 1, 'e': 2},
        'resource_registry': {
            'A': 'E', 'C': 'D', 'resources': {
                'r': {'hooks': 'pre-create', 'X': 'Z'}}},
        'encrypted_param_names': ['b'],
        'event_sinks': [{'type': 's', 'target': 'one'}]}
    assert previous.params == {'a': 1, 'b': 1, 'c': 1}


def test_cleared_parameter_may_be_given_anew():
    env = environment.Environment({'parameters': {'a': 2}})
    env.patch_previous_parameters(
        environment.Environment({'parameters': {'a': 1}}), ['a'])
    assert env.params == {'a': 2}


@pytest.fixture
def parent():
    return environment.Environment({
        'parameters': {'a': 1}, 'parameter_defaults': {'d': 1},
        'encrypted_param_names': ['a'],
        'resource_registry': {
            'A': 'a.yaml', 'B': 'C', 'resources': {
                'r': {'hooks': 'pre-create',
                      'inner': {'hooks': 'pre-delete'}},
                's': {'inner': {'hooks': 'pre-update'}}}}})


def test_child_has_its_own_parameters(parent):
    child = environment.get_child_environment(parent, {'b': 2})
    assert child.env_as_dict() == {
        **parent.env_as_dict(), 'parameters': {'b': 2},
        'encrypted_param_names': []}
    assert environment.get_child_environment(parent, None).params == {}
    assert environment.get_child_environment(parent, {}).params == {}


def test_child_environment_over_that_of_the_parent(parent):
    child = environment.get_child_environment(parent, {
        'parameters': {'b': 2}, 'parameter_defaults': {'e': 2},
        'resource_registry': {'B': 'D'}})
    assert child.params == {'b': 2}
    assert child.param_defaults == {'d': 1, 'e': 2}
    assert child.registry.as_dict()['B'] == 'D'


def test_child_does_not_contain_itself(parent):
    info = parent.get_resource_info('A')
    child = environment.get_child_environment(parent, {},
                                              item_to_remove=info)
    assert set(child.registry.as_dict()) == {'B', 'resources'}
    assert 'A' in parent.registry.as_dict()


def test_child_sees_what_is_said_of_its_resources(parent):
    child = environment.get_child_environment(parent, {},
                                              child_resource_name='r')
    assert child.registry.as_dict()['resources'] == {
        'inner': {'hooks': 'pre-delete'}}


def test_custom_environment():
    env = environment.get_custom_environment({'A': 'B'}, {'p': 1})
    assert env.user_env_as_dict() == {
        **EMPTY, 'resource_registry': {'A': 'B', 'resources': {}},
        'parameters': {'p': 1}}
