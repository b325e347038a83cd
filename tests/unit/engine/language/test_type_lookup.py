"""Which class a resource has, also when its type is not known any more."""
import types

import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine import rsrc_defn
from heat.engine.language import type_lookup


class Server:
    pass


class Missing:
    pass


def user_env(stand_in=Missing, **registry):
    below = environment.Environment({}, user_env=False)
    below.register_class('OS::Server', Server)
    below.registry.use_stand_in(stand_in)
    environment.set_global_env(below)
    return environment.Environment({'resource_registry': registry})


@pytest.fixture(autouse=True)
def _global_environment():
    yield
    environment.set_global_env(None)


def definition(resource_type, name='web'):
    return rsrc_defn.ResourceDefinition(name, resource_type)


def stack_of(env):
    return types.SimpleNamespace(env=env)


def resource_of(env, resource_type, name='web'):
    return types.SimpleNamespace(
        t=definition(resource_type, name), stack=stack_of(env), name=name,
        type=lambda: resource_type)


@pytest.mark.parametrize('stored', [True, False])
def test_class_of_a_known_type(stored):
    env = user_env(**{'My::Server': 'OS::Server'})
    for written in ('OS::Server', 'My::Server'):
        assert type_lookup.class_of(definition(written), stack_of(env),
                                    lambda: stored) is Server


def test_mapping_for_one_resource_counts_for_it_alone():
    env = user_env(resources={'web': {'My::Server': 'OS::Server'}})
    found = type_lookup.class_in(env, definition('My::Server'),
                                 lambda: False)
    assert found is Server
    with pytest.raises(exception.StackValidationFailed):
        type_lookup.class_in(env, definition('My::Server', 'other'),
                             lambda: False)


def test_what_is_stored_has_something_to_stand_for_it():
    env = user_env()
    assert type_lookup.class_in(env, definition('Gone::Type'),
                                lambda: True) is Missing
    with pytest.raises(exception.StackValidationFailed, match='Gone::Type'):
        type_lookup.class_in(env, definition('Gone::Type'), lambda: False)


def test_whether_it_is_stored_is_asked_only_if_need_be():
    asked = []
    type_lookup.class_in(user_env(), definition('OS::Server'),
                         lambda: asked.append(1))
    assert asked == []


def test_without_a_stand_in_an_unknown_type_is_an_error():
    env = user_env(stand_in=None)
    with pytest.raises(exception.StackValidationFailed):
        type_lookup.class_in(env, definition('Gone::Type'), lambda: True)
    assert not type_lookup.is_stand_in(resource_of(env, 'Gone::Type'))


def test_stand_ins_are_told_apart():
    env = user_env()
    stands_for_another = Missing()
    stands_for_another.stack = stack_of(env)
    assert type_lookup.is_stand_in(stands_for_another)
    assert not type_lookup.is_stand_in(resource_of(env, 'OS::Server'))


def test_types_are_the_written_one_and_what_it_is_mapped_to():
    env = user_env(**{'My::Server': 'OS::Server'})
    assert type_lookup.types_of(env, 'My::Server', 'web') == {
        'My::Server', 'OS::Server'}
    assert type_lookup.types_of(env, 'OS::Server', 'web') == {'OS::Server'}
    assert type_lookup.types_of(env, 'Gone::Type', 'web') == {'Gone::Type'}


def test_policy_is_asked_about_both_names():
    env = user_env(**{'My::Server': 'OS::Server'})
    names = type_lookup.policy_names(resource_of(env, 'My::Server'))
    assert set(names) == {'My::Server', 'OS::Server'}


def test_definition_from_elsewhere_is_read_with_its_own_environment():
    """A resource may come from a template with another environment."""
    own = user_env(**{'My::Server': 'OS::Server'})
    others = environment.Environment({})
    defn = definition('My::Server')
    defn.origin_env = own
    assert type_lookup.class_of(defn, stack_of(others),
                                lambda: False) is Server
    res = resource_of(others, 'My::Server')
    res.t.origin_env = own
    assert 'OS::Server' in type_lookup.policy_names(res)
