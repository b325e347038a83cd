import json
import pathlib

from hypothesis import given
from hypothesis import strategies
import pytest

from heat.common import config
from heat.common import exception
from heat.engine import template
from heat.engine.language import environment_merge
from tests.fakes import definitions

FACTS = json.loads((pathlib.Path(__file__).resolve().parents[3]
                    / 'facts' / 'env_file.json').read_text())

PARAMETERS = {
    'text': {'type': 'string'}, 'num': {'type': 'number'},
    'flag': {'type': 'boolean'}, 'json': {'type': 'json'},
    'list': {'type': 'comma_delimited_list'},
}


@pytest.fixture(autouse=True)
def _options():
    config.register_opts()


def schemata():
    return template.Template(
        definitions.hot(parameters=PARAMETERS)).param_schemata()


def merged(*envs, params=None, known=True):
    files = {f'{number}.yaml': json.dumps(env)
             for number, env in enumerate(envs, 1)}
    return environment_merge.merge_environments(
        list(files), files, params, schemata() if known else None)


def merged_values(name, values, strategy, known=True):
    envs = [{'parameters': {name: value}} for value in values]
    envs[-1]['parameter_merge_strategies'] = {name: strategy}
    return merged(*envs, known=known)['parameters'][name]


def test_strategies_are_the_recorded_ones():
    assert list(environment_merge.STRATEGIES) == FACTS['merge_strategies']


def test_without_files_the_environment_is_as_sent():
    assert merged(params={'parameters': {'a': 1}}) == {
        'parameters': {'a': 1}}
    assert merged() == {}
    assert merged(params={'parameter_merge_strategies': {'a': 'merge'}}
                  ) == {}


def test_with_files_only_the_parameters_sent_count():
    assert merged({'parameters': {'text': 'file', 'num': 1}}, params={
        'parameters': {'text': 'sent'},
        'resource_registry': {'A': 'B'}}) == {
            'parameters': {'text': 'sent', 'num': 1}}


def test_later_files_count():
    assert merged(
        {'parameters': {'text': 'a', 'num': 1},
         'parameter_defaults': {'other': 1},
         'resource_registry': {'A': 'B', 'C': 'D', 'resources': {'r': {}}},
         'event_sinks': [{'type': 'x'}], 'encrypted_param_names': ['text']},
        {'parameters': {'text': 'b'}, 'parameter_defaults': {'other': 2},
         'resource_registry': {'A': 'E', 'resources': {'s': {}}},
         'event_sinks': [{'type': 'y'}, {'type': 'x'}],
         'encrypted_param_names': ['text']},
    ) == {
        'parameters': {'text': 'b', 'num': 1},
        'parameter_defaults': {'other': 2},
        'resource_registry': {'A': 'E', 'C': 'D',
                              'resources': {'r': {}, 's': {}}},
        'event_sinks': [{'type': 'x'}, {'type': 'y'}],
        'encrypted_param_names': ['text']}


@pytest.mark.parametrize(('name', 'values', 'strategy', 'result'), [
    ('text', ['a', 'b', 'c'], 'overwrite', 'c'),
    ('text', ['a', 'b'], 'merge', 'ab'),
    ('text', ['a', 'b'], 'deep_merge', 'ab'),
    ('text', [1, 2], 'merge', '12'),
    ('num', [1, 2], 'merge', 3),
    ('num', ['1', 2.5], 'merge', 3.5),
    ('num', ['1.5', '2'], 'merge', 3.5),
    ('list', ['a,b', 'c'], 'merge', ['a', 'b', 'c']),
    ('list', [['a'], 'b'], 'merge', ['a', 'b']),
    ('list', ['', ['b']], 'deep_merge', ['b']),
    ('json', [{'a': 1, 'b': {'c': 1}}, {'b': {'d': 2}}], 'merge',
     {'a': 1, 'b': {'d': 2}}),
    ('json', ['{"a": 1}', {'b': 2}], 'merge', {'a': 1, 'b': 2}),
    ('json', [[1], [2]], 'merge', [1, 2]),
    ('json', [{'a': {'b': [1], 'c': 'x', 'd': 1}},
              {'a': {'b': [2], 'c': 'y', 'd': 2, 'e': 3}}], 'deep_merge',
     {'a': {'b': [1, 2], 'c': 'xy', 'd': 2, 'e': 3}}),
    ('flag', [True, False], 'overwrite', False),
    ('text', ['a', None], 'merge', 'a'),
    ('text', [None, 'a'], 'merge', 'a'),
])
def test_strategies(name, values, strategy, result):
    assert merged_values(name, values, strategy) == result


@pytest.mark.parametrize(('values', 'result'), [
    (['a', 'b'], 'ab'), ([1, 2], 3), ([['a'], ['b']], ['a', 'b']),
    ([{'a': 1}, {'b': 2}], {'a': 1, 'b': 2})])
def test_without_schema_the_values_show_their_kind(values, result):
    assert merged_values('unknown', values, 'merge', known=False) == result


@pytest.mark.parametrize(('name', 'values', 'strategy'), [
    ('num', ['x', 1], 'merge'), ('num', [1, True], 'merge'),
    ('num', [1, [1]], 'merge'), ('list', [{'a': 1}, 'b'], 'merge'),
    ('list', ['a', 1], 'merge'), ('json', ['{', {}], 'merge'),
    ('json', [{}, []], 'merge'), ('json', [{'a': 1}, 1], 'deep_merge'),
    ('text', ['a', ['b']], 'merge'), ('text', [{'a': 1}, 'b'], 'merge'),
])
def test_values_that_cannot_be_merged(name, values, strategy):
    with pytest.raises(exception.StackValidationFailed,
                       match=f'parameters.{name}: .*2.yaml'):
        merged_values(name, values, strategy)


def test_booleans_cannot_be_merged():
    with pytest.raises(exception.InvalidMergeStrategyForParam) as caught:
        merged_values('flag', [True, True], 'merge')
    assert 'flag' in str(caught.value)
    assert '2.yaml' in str(caught.value)


def test_strategy_of_an_earlier_file_holds():
    def env(value, strategies=None):
        return {'parameters': {'text': value},
                'parameter_merge_strategies': strategies or {}}

    assert merged(env('a', {'text': 'merge'}), env('b'),
                  env('c', {'default': 'overwrite'}))['parameters'] == {
                      'text': 'abc'}
    assert merged(env('a'), env('b', {'default': 'merge'}),
                  env('c'))['parameters'] == {'text': 'c'}
    assert merged(env('a'), env('b', {'default': 'overwrite',
                                      'text': 'merge'}))['parameters'] == {
                                          'text': 'ab'}


def test_conflicting_strategies():
    with pytest.raises(exception.ConflictingMergeStrategyForParam) as caught:
        merged({'parameters': {'text': 'a'},
                'parameter_merge_strategies': {'text': 'merge'}},
               {'parameters': {'text': 'b'},
                'parameter_merge_strategies': {'text': 'overwrite'}})
    assert 'text' in str(caught.value)
    assert '2.yaml' in str(caught.value)


@pytest.mark.parametrize(('env', 'text'), [
    ({'parameters': {'txt': 'a'}},
     'parameters.txt: No template has .*Did you mean "text".*1.yaml'),
    ({'parameter_merge_strategies': {'text': 'mrge'}},
     'parameter_merge_strategies.text: "mrge" .*"merge".*1.yaml'),
    ({'parameter_merge_strategies': {'default': 1}}, 'default: .*1.yaml'),
    ({'parameter_merge_strategies': {'text': ['merge']}}, '1.yaml'),
    ({'parameters': []}, 'parameters: .*map.*1.yaml'),
    ({'event_sinks': {}}, 'event_sinks: .*list.*1.yaml'),
    ({'unknown': {}}, 'unknown.*1.yaml'),
    ({'parameters': None}, 'parameters.*1.yaml'),
    ([], '1.yaml'),
])
def test_wrong_files(env, text):
    with pytest.raises(exception.StackValidationFailed, match=text):
        merged(env)


def test_defaults_may_be_for_other_templates():
    assert merged({'parameter_defaults': {'unknown': 'a'}},
                  {'parameter_defaults': {'unknown': 'b'},
                   'parameter_merge_strategies': {'unknown': 'merge'}}
                  )['parameter_defaults'] == {'unknown': 'ab'}


def test_missing_file():
    with pytest.raises(exception.StackValidationFailed,
                       match='a.yaml.*Did you mean "b.yaml"'):
        environment_merge.merge_environments(['a.yaml'], {'b.yaml': '{}'},
                                             {})


def test_file_may_be_parsed_already():
    given = {'parameters': {'a': 1}}
    assert environment_merge.merge_environments(
        ['e'], {'e': given}, None) == given
    with pytest.raises(exception.StackValidationFailed, match='in the env'):
        environment_merge.merge_environments(['e'], {'e': {'x': 1}}, None)


def test_broken_file_is_named():
    with pytest.raises(exception.StackValidationFailed,
                       match='line.*1.yaml'):
        environment_merge.merge_environments(
            ['1.yaml'], {'1.yaml': 'parameters: {'}, {})


JSON = strategies.recursive(
    strategies.one_of(strategies.integers(), strategies.text('ab')),
    lambda inner: strategies.one_of(
        strategies.lists(inner, max_size=2),
        strategies.dictionaries(strategies.sampled_from('xyz'), inner,
                                max_size=3)), max_leaves=6)
MAPS = strategies.dictionaries(strategies.sampled_from('xyz'), JSON,
                               max_size=3)


@given(MAPS, MAPS)
def test_merged_maps_have_the_keys_of_both(one, two):
    config.register_opts()
    for strategy in ('merge', 'deep_merge'):
        value = merged_values('json', [one, two], strategy)
        assert set(value) == set(one) | set(two)
        for key in set(two) - set(one):
            assert value[key] == two[key]
    assert merged_values('json', [one, two], 'merge') == {**one, **two}


@given(MAPS)
def test_nothing_is_neutral(value):
    config.register_opts()
    for strategy in ('merge', 'deep_merge'):
        assert merged_values('json', [value, {}], strategy) == value
        assert merged_values('json', [{}, value], strategy) == value
