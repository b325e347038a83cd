"""The rules of environments, as they are recorded."""
import json

import pytest

from heat.common import environment_format
from heat.common import exception
from heat.engine import environment
from heat.engine import template
from heat.engine.language import environment_merge
from tests import additions
from tests.fakes import definitions
from tests.unit.conformance import coverage
from tests.unit.conformance import language

covers = coverage.covers
FACTS = language.facts('env_file')
RULES = FACTS['rules']
REGISTRY = RULES['resource_registry']
MERGE = RULES['merge_of_environment_files']

# What happens to a stack by these is tried with stacks.
ELSEWHERE = {'hook_data_key', 'hook_scope', 'hook_signal', 'patch_update',
             'restricted_actions_effect', 'global_environment'}


def test_every_rule_is_covered():
    wanted = {key for key in FACTS if key not in ('meta', 'rules')}
    for name, rule in RULES.items():
        if name in ('resource_registry', 'merge_of_environment_files'):
            wanted |= {f'{name}.{key}' for key in rule}
        elif name not in ELSEWHERE:
            wanted.add(name)
    assert coverage.covered(globals()) == wanted


class Plugin:
    """A resource type that a plugin makes."""


@pytest.fixture(autouse=True)
def _world(monkeypatch):
    below = environment.Environment({}, user_env=False)
    for name in ('A::One', 'A::Two', 'B::One', 'B::Two'):
        below.register_class(name, type(name, (Plugin,), {}))
    monkeypatch.setattr(environment, '_global_environment', below)
    below.register_template_resource_factory(
        lambda name, data, env: type(name, (Plugin,), {'data': data}))


def env_of(registry=None, **sections):
    """Return an environment with a registry."""
    return environment.Environment({'parameters': {}, **sections,
                                    'resource_registry': registry or {}})


def class_of(env, name, resource=None, files=None):
    """Return the name of the class that a type is made of."""
    return env.get_class(name, resource, files=files).__name__


# -- Sections

@covers('sections', 'section_types', 'defaults_for_missing')
def test_sections():
    assert sorted(environment_format.SECTIONS) == sorted(
        FACTS['sections'] + additions.ENVIRONMENT_SECTIONS)
    found = environment.Environment({'parameters': {}}).env_as_dict()
    for name, default in FACTS['defaults_for_missing'].items():
        if name == 'resource_registry':
            assert found[name] == {'resources': {}}
        else:
            assert found[name] == default
    completed = {}
    environment_format.default_for_missing(completed)
    assert completed == FACTS['defaults_for_missing']


@pytest.mark.parametrize(('section', 'kind'), [
    (section, kind[0]) for section, kind in RULES['section_types'].items()])
def test_wrong_kind_of_section(section, kind):
    wrong = {'a': 1} if kind == '[' else ['a']
    with pytest.raises((ValueError, exception.StackValidationFailed),
                       match=section):
        merged({section: wrong})
    if section != 'parameter_merge_strategies':
        with pytest.raises((ValueError, exception.StackValidationFailed),
                           match=section):
            environment.Environment({'parameters': {}, section: wrong})


@covers('unknown_section')
def test_unknown_section():
    with pytest.raises(ValueError, match='paramters'):
        environment_format.parse('paramters: {}')


@covers('null_section')
@pytest.mark.parametrize('section', FACTS['sections'])
def test_null_section(section):
    with pytest.raises(ValueError, match=section):
        environment_format.parse(section + ':')


@covers('flat_form')
def test_flat_form():
    assert environment.Environment({'a': 1, 'b': [2]}).params == {
        'a': 1, 'b': [2]}


@covers('event_sink_types')
def test_event_sinks():
    class Queue:
        def __init__(self, **kwargs):
            self.kwargs = kwargs

    [name] = FACTS['event_sink_types']
    environment.global_env().register_event_sink(name, Queue)
    env = env_of(event_sinks=[{'type': name, 'target': 'q', 'ttl': 5}])
    [sink] = env.get_event_sinks()
    assert sink.kwargs == {'target': 'q', 'ttl': 5}
    with pytest.raises(exception.StackValidationFailed, match=name):
        env_of(event_sinks=[{'type': 'zaqar', 'target': 'q'}])


# -- The registry

@covers('resource_registry.<type>', 'resource_registry.<prefix>*',
        'resource_registry.base_url', 'resource_registry.null_value')
def test_mappings():
    env = env_of({'My::Type': 'A::One', 'My::*': 'A::*', 'Your::*': 'B::Two',
                  'T::T': 't.yaml'})
    assert class_of(env, 'My::Type') == 'A::One'
    assert class_of(env, 'My::Two') == 'A::Two'
    assert class_of(env, 'Your::Any') == 'B::Two'
    assert class_of(env, 'T::T', files={'t.yaml': 'x'}) == 'T::T'
    with pytest.raises(exception.EntityNotFound):
        class_of(env, 'My::Three')
    env.load({'resource_registry': {'My::Type': None, 'Your*': None}})
    with pytest.raises(exception.EntityNotFound):
        class_of(env, 'My::Type')
    with pytest.raises(exception.EntityNotFound):
        class_of(env, 'Your::Any')
    assert class_of(env, 'My::Two') == 'A::Two'


@covers('resource_registry.template_suffixes',
        'resource_registry.value_kind_rules')
def test_kinds_of_values():
    assert list(environment.TEMPLATE_SUFFIXES) == (
        REGISTRY['template_suffixes'])
    env = env_of({'x.yaml': 'A::One', 'T': 'http://x/t.template',
                  'M::*': 'M', 'M': 'A::One', 'D::*': 'd.yaml'})
    env.register_class('C', Plugin)
    kinds = {name: type(env.registry._registry[name]) for name in (
        'x.yaml', 'T', 'M::*', 'M', 'C', 'D::*')}
    assert kinds == {
        'x.yaml': environment.TemplateResourceInfo,
        'T': environment.TemplateResourceInfo,
        'M::*': environment.GlobResourceInfo,
        'M': environment.MapResourceInfo,
        'C': environment.ClassResourceInfo,
        'D::*': environment.TemplateResourceInfo}


@covers('resource_registry.match_order')
def test_match_order():
    env = env_of({'A::One': 'B::One',
                  'resources': {'r': {'A::One': 'B::Two'},
                                'web_*': {'A::*': 'B::*'}}})
    environment.global_env().register_class('A::Two', 'B::Two')
    assert class_of(env, 'A::One') == 'B::One'
    assert class_of(env, 'A::One', 'r') == 'B::Two'
    assert class_of(env, 'A::Two', 'web_1') == 'B::Two'
    assert class_of(env, 'A::One', 'web_1') == 'B::One'
    # An entry of the user precedes one that is everybody's.
    env.load({'resource_registry': {'A::*': 'B::One'}})
    assert class_of(env, 'A::Two') == 'B::One'


@covers('resource_registry.resources', 'resource_registry.name_glob')
def test_entries_for_single_resources():
    env = env_of({'resources': {
        'nest*': {'A::One': 'A::Two', 'hooks': 'pre-create',
                  'inner': {'A::One': 'B::Two', 'hooks': ['pre-update']}},
        'NEST': {'restricted_actions': ['replace', 'update']}}})
    assert class_of(env, 'A::One', 'nested') == 'A::Two'
    assert class_of(env, 'A::One', 'NEST') == 'A::One'
    assert env.registry.matches_hook('nested', 'pre-create')
    assert not env.registry.matches_hook('NESTED', 'pre-create')
    assert env.registry.get_rsrc_restricted_actions('NEST') == {
        'replace', 'update'}
    child = environment.get_child_environment(
        env, {}, child_resource_name='nested')
    assert class_of(child, 'A::One', 'inner') == 'B::Two'
    assert child.registry.matches_hook('inner', 'pre-update')
    assert not child.registry.matches_hook('nested', 'pre-create')


@covers('hooks', 'invalid_hook', 'restricted_actions',
        'invalid_restricted_action')
def test_hooks_and_restricted_actions():
    assert list(environment.HOOK_TYPES) == FACTS['hooks']
    assert list(environment.RESTRICTED_ACTIONS) == (
        FACTS['restricted_actions'])
    for key, words, bad in (
            ('hooks', FACTS['hooks'], FACTS['invalid_hook']),
            ('restricted_actions', FACTS['restricted_actions'],
             FACTS['invalid_restricted_action'])):
        for good in (*words, list(words)):
            env_of({'resources': {'r': {key: good}}})
        for wrong in ('nothing', [words[0], 'nothing'], 7, [7], {'a': 'b'}):
            with pytest.raises(getattr(exception, bad['error'])) as caught:
                env_of({'resources': {'r': {key: wrong}}})
            assert list(caught.value.path) == [
                'resource_registry', 'resources', 'r', key]


@covers('child_environment')
def test_child_environment():
    parent = env_of({'T': 'A::One', 'resources': {'r': {'s': {
        'T': 'A::Two'}}}}, parameters={'p': 1}, parameter_defaults={'d': 1})
    child = environment.get_child_environment(
        parent, {'q': 2}, child_resource_name='r')
    assert child.params == {'q': 2}
    assert child.param_defaults == {'d': 1}
    assert class_of(child, 'T') == 'A::One'
    assert class_of(child, 'T', 's') == 'A::Two'


# -- Environment files

PARAMETERS = {'string': 'text', 'number': 1, 'boolean': True,
              'comma_delimited_list': ['a'], 'json': {'a': {'x': 's'}}}
SCHEMATA = template.Template(definitions.hot(parameters={
    name: {'type': name} for name in PARAMETERS})).param_schemata()


def merged(*envs, params=None):
    """Return the environment that files make."""
    files = {f'{index}.yaml': json.dumps(env)
             for index, env in enumerate(envs)}
    return environment_merge.merge_environments(
        list(files), files, params, SCHEMATA)


def merged_value(name, first, second, strategy, where='parameters'):
    """Return what two values of a parameter become."""
    return merged({where: {name: first}}, {
        where: {name: second},
        'parameter_merge_strategies': {name: strategy}})[where][name]


@covers('merge_strategies', 'merge_of_environment_files.order',
        'merge_of_environment_files.merge_by_type',
        'merge_of_environment_files.deep_merge',
        'merge_of_environment_files.parameters,parameter_defaults')
@pytest.mark.parametrize('where', ['parameters', 'parameter_defaults'])
def test_merge_strategies(where):
    assert list(environment_merge.STRATEGIES) == FACTS['merge_strategies']
    cases = {
        'string': ('a', 'b', 'ab', 'ab'), 'number': (1, 2, 3, 3),
        'comma_delimited_list': (['a'], ['b'], ['a', 'b'], ['a', 'b']),
        'json': ({'a': {'x': 's', 'l': [1]}, 'b': 1},
                 {'a': {'x': 't', 'l': [2]}},
                 {'a': {'x': 't', 'l': [2]}, 'b': 1},
                 {'a': {'x': 'st', 'l': [1, 2]}, 'b': 1})}
    assert set(cases) | {'boolean'} == set(MERGE['merge_by_type'])
    for name, (one, two, both, deep) in cases.items():
        for strategy, value in (('overwrite', two), ('merge', both),
                                ('deep_merge', deep)):
            assert merged_value(name, one, two, strategy, where) == value
    with pytest.raises(exception.InvalidMergeStrategyForParam):
        merged_value('boolean', True, False, 'merge', where)


@covers('merge_of_environment_files.strategy_lookup')
def test_which_strategy():
    def result(*strategies):
        envs = [{'parameters': {'string': text},
                 'parameter_merge_strategies': strategy}
                for text, strategy in zip('abc', strategies, strict=False)]
        return merged(*envs)['parameters']['string']

    assert result({}, {}) == 'b'
    assert result({}, {'default': 'merge'}) == 'ab'
    assert result({}, {'default': 'merge', 'string': 'overwrite'}) == 'b'
    assert result({'string': 'merge'}, {}) == 'ab'
    assert result({'string': 'merge'}, {'default': 'overwrite'}) == 'ab'
    assert result({'default': 'merge'}, {}) == 'b'


# Where the peer fails with a 500 or says nothing, a 400 names the file and
# the parameter here.
@covers('merge_of_environment_files.conflict',
        'merge_of_environment_files.unknown_parameters',
        'merge_of_environment_files.unknown_strategy_value')
def test_what_cannot_be_merged():
    for first, second, error in (
            ({'parameters': {'string': 'a'},
              'parameter_merge_strategies': {'string': 'merge'}},
             {'parameter_merge_strategies': {'string': 'overwrite'}},
             exception.ConflictingMergeStrategyForParam),
            ({'parameters': {'string': 'a'}}, {'parameters': {'strin': 'b'}},
             exception.StackValidationFailed),
            ({}, {'parameter_merge_strategies': {'string': 'megre'}},
             exception.StackValidationFailed)):
        with pytest.raises(error, match='stri') as caught:
            merged(first, second)
        assert '1.yaml' in str(caught.value)


@covers('merge_of_environment_files.other_sections',
        'merge_of_environment_files.event_sinks_in_two_files')
def test_other_sections():
    sinks = [{'type': 'zaqar-queue', 'target': name} for name in 'ab']
    found = merged(
        {'resource_registry': {'A': 'B', 'C': 'D'},
         'event_sinks': sinks[:1]},
        {'resource_registry': {'A': 'X'}, 'event_sinks': sinks})
    assert found['resource_registry'] == {'A': 'X', 'C': 'D'}
    # In two files they are an error elsewhere; here they add up.
    assert found['event_sinks'] == sinks
