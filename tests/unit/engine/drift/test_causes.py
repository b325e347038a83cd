"""Drift as the cause of a planned change."""
import types

import pytest

from heat.engine.drift import causes

PROPERTIES = types.SimpleNamespace(forces=lambda name: name == 'fixed')


@pytest.fixture
def found(monkeypatch):
    """Return a function: the causes that follow from what is found."""
    def of(status, *differences):
        monkeypatch.setattr(
            causes.examine, 'of_resource', lambda resource, live, secret: {
                'status': status, 'differences': list(differences)})
        return causes.finder(1)(None, PROPERTIES, {'secret'})
    return of


def difference(path):
    return {'property': path, 'expected': 'x', 'actual': 'y'}


def test_what_was_modified_becomes_what_it_was(found):
    assert found('MODIFIED', difference('a.b')) == [{
        'property': 'a.b', 'before': 'y', 'after': 'x',
        'source': {'drift': 'MODIFIED'}, 'forces_replacement': False,
        'known_after_apply': False}]
    [cause] = found('MODIFIED', difference('fixed[1].x'))
    assert cause['forces_replacement']


def test_what_is_gone_is_made_again(found):
    [cause] = found('DELETED')
    assert cause['property'] == 'physical_resource_id'
    assert cause['source'] == {'drift': 'DELETED'}
    assert cause['known_after_apply']


def test_what_is_in_sync_is_no_cause(found):
    assert found('IN_SYNC') == []


def test_count_of_those_left_out_stays(found):
    assert found('MODIFIED', {'left_out': 3}) == [{'left_out': 3}]
