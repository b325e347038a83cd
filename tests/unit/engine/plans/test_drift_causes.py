"""Drift as the cause of a planned change."""
import types

from heat.common import drift_words
from heat.engine.comparison import judgement
from heat.engine.plans import drift_causes

ACCEPTED = types.SimpleNamespace(
    secret={'secret'}, of_value=lambda path: {'value at': path},
    of_deletion=lambda: {'remove': True})
PROPERTIES = types.SimpleNamespace(forces=lambda name: name == 'fixed')


def found(finding, *differences):
    """Return the causes that follow from what is found."""
    return drift_causes.of_judgement(
        judgement.Judgement(drift_words.Finding(finding), '', differences),
        PROPERTIES, ACCEPTED)


def difference(path):
    return path, 'x', 'y'


def test_what_was_modified_becomes_what_it_was():
    assert found('MODIFIED', difference('a.b')) == [{
        'property': 'a.b', 'before': 'y', 'after': 'x',
        'source': {'drift': 'MODIFIED'}, 'forces_replacement': False,
        'known_after_apply': False, 'accept': {'value at': 'a.b'}}]
    [cause] = found('MODIFIED', difference('fixed[1].x'))
    assert cause['forces_replacement']


def test_what_is_gone_is_made_again():
    [cause] = found('DELETED')
    assert cause['property'] == 'physical_resource_id'
    assert cause['source'] == {'drift': 'DELETED'}
    assert cause['known_after_apply']
    assert cause['accept'] == {'remove': True}


def test_what_is_in_sync_is_no_cause():
    assert found('IN_SYNC') == []


def test_secret_values_are_masked():
    [cause] = found('MODIFIED', difference('secret.of[0]'))
    assert (cause['before'], cause['after']) == ('******', '******')


def test_many_causes_are_cut():
    many = [difference(f'map.{number}') for number in range(
        drift_causes.MOST_DIFFERENCES + 3)]
    assert found('MODIFIED', *many)[-1] == {'left_out': 3}
