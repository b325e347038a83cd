"""Merging environments: laws that hold whatever the files say."""
import json

from hypothesis import given
from hypothesis import strategies as st

from heat.common import config
from heat.engine import environment
from heat.engine import template
from heat.engine.language import environment_merge
from tests.fakes import definitions
from tests.fakes import strategies

config.register_opts()

SCHEMATA = template.Template(definitions.hot(parameters={
    'text': {'type': 'string'}, 'num': {'type': 'number'},
    'list': {'type': 'comma_delimited_list'}, 'map': {'type': 'json'},
})).param_schemata()

#: Maps in which the same key always has the same kind of value.
maps = st.fixed_dictionaries({}, optional={
    'word': strategies.words,
    'list': st.lists(st.integers(0, 9), max_size=2),
    'deep': st.fixed_dictionaries({}, optional={
        'list': st.lists(strategies.words, max_size=2),
        'text': strategies.words}),
})
values = st.fixed_dictionaries({}, optional={
    'text': strategies.words | st.none(),
    'num': st.integers(-99, 99) | st.none(),
    'list': st.lists(strategies.words, max_size=2) | st.none(),
    'map': maps | st.none(),
})
types = st.sampled_from(['A::B', 'A::C', 'A::*', 'D::E'])
registries = st.dictionaries(types, types, max_size=3)
environments = st.fixed_dictionaries({}, optional={
    'parameters': values, 'parameter_defaults': values,
    'resource_registry': registries,
    'encrypted_param_names': st.lists(strategies.words, max_size=2,
                                      unique=True),
})
strategy_names = st.sampled_from(environment_merge.STRATEGIES)


def merged(strategy, *envs):
    """Return the environment that some files make, with one strategy."""
    files = {
        str(number): json.dumps({
            **env, 'parameter_merge_strategies': {'default': strategy}})
        for number, env in enumerate(envs)}
    return environment_merge.merge_environments(list(files), files, None,
                                                SCHEMATA)


def sections(env):
    """Return the sections that say something."""
    return {name: contents for name, contents in env.items() if contents}


@strategies.SETTINGS
@given(strategy_names, environments, environments, environments)
def test_merging_is_associative(strategy, one, two, three):
    at_once = merged(strategy, one, two, three)
    left = merged(strategy, merged(strategy, one, two), three)
    right = merged(strategy, one, merged(strategy, two, three))
    assert sections(left) == sections(at_once)
    assert sections(right) == sections(at_once)


@strategies.SETTINGS
@given(strategy_names, environments)
def test_an_empty_environment_is_neutral(strategy, env):
    alone = sections(merged(strategy, env))
    assert sections(merged(strategy, {}, env)) == alone
    assert sections(merged(strategy, env, {})) == alone


@strategies.SETTINGS
@given(environments)
def test_overwriting_with_the_same_changes_nothing(env):
    assert merged('overwrite', env, env) == merged('overwrite', env)


@strategies.SETTINGS
@given(environments, environments)
def test_merged_environment_is_the_later_over_the_earlier(one, two):
    # Without a strategy it is as if one had been loaded after the other.
    in_turn = environment.Environment({'parameters': {}, **one})
    in_turn.load(two)
    at_once = environment.Environment(
        {'parameters': {}, **merged('overwrite', one, two)})
    assert at_once.user_env_as_dict() == in_turn.user_env_as_dict()


@strategies.SETTINGS
@given(strategy_names, environments, values)
def test_parameters_of_the_request_count_most(strategy, env, given_params):
    files = {'file': json.dumps({
        **env, 'parameter_merge_strategies': {'default': strategy}})}
    found = environment_merge.merge_environments(
        ['file'], files, {'parameters': given_params}, SCHEMATA)
    assert found.get('parameters', {}) == {
        **env.get('parameters', {}), **given_params}
