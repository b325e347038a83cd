"""The report of a tree: counts, cuts and masks."""
import types

import pytest

from heat.engine.drift import tree


def entry(number, status):
    return {'path': [f'r{number:05}'], 'status': status, 'reason': '',
            'differences': [{'property': 'p', 'expected': 'open',
                             'actual': 'sesame-1234'}]
            if status == 'MODIFIED' else []}


def test_counts_say_whether_it_has_drifted():
    report = tree.Report()
    report.add(entry(1, 'IN_SYNC'))
    report.add(entry(2, 'UNSUPPORTED'))
    assert report.drift() == 'IN_SYNC'
    report.add(entry(3, 'DELETED'))
    assert report.drift() == 'DRIFTED'
    assert report.counts == {'IN_SYNC': 1, 'UNSUPPORTED': 1, 'DELETED': 1,
                             'MODIFIED': 0}


def test_what_is_in_sync_is_left_out_first(monkeypatch):
    monkeypatch.setattr(tree, 'MOST_RESOURCES', 10)
    report = tree.Report()
    for number in range(30):
        report.add(entry(number, 'MODIFIED' if number % 5 == 0 else
                         'IN_SYNC'))
    shown = report.shown()
    assert shown['left_out'] == 20
    assert len(shown['resources']) == 10
    assert [each['path'] for each in shown['resources']
            if each['status'] == 'MODIFIED'] == [
        [f'r{number:05}'] for number in range(0, 30, 5)]


def test_secrets_are_masked():
    report = tree.Report(secrets={'sesame-1234'})
    report.add(entry(1, 'MODIFIED'))
    assert 'sesame' not in str(report.shown())


@pytest.mark.parametrize(('row', 'status'), [
    ({}, 'MODIFIED'), ({'status': 'IN_PROGRESS'}, 'UNSUPPORTED'),
    ({'atomic_key': 5}, 'UNSUPPORTED'),
    ({'physical_resource_id': 'new'}, 'UNSUPPORTED'), (None, 'UNSUPPORTED')])
def test_what_the_stack_has_changed_is_no_drift(monkeypatch, row, status):
    rows = [] if row is None else [types.SimpleNamespace(**{
        'status': 'COMPLETE', 'atomic_key': 4,
        'physical_resource_id': 'old', **row})]
    monkeypatch.setattr(tree.resource_objects.Resource, 'get_many',
                        lambda _context, ids: rows)
    resource = types.SimpleNamespace(id=7, context=None, atomic_key=4,
                                     resource_id='old')
    found = tree._unless_changed(resource, entry(1, 'MODIFIED'))
    assert found['status'] == status
    if status == 'UNSUPPORTED':
        assert found['differences'] == []
        assert found['reason']
