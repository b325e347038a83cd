"""Watch rules, their claims, and the data they are evaluated on."""
import functools

import pytest
import sqlalchemy as sa

from heat.common import exception
from heat.db import models
from heat.db import session
from heat.objects import transaction
from heat.objects import watch_data
from heat.objects import watch_rule

NOW = 1_700_000_000 - 1_700_000_000 % 60
KEY = watch_data.metric_key('project', 'ns', 'load', {})
ROOM = (1000, 10000)
Rule, Data = watch_rule.WatchRule, watch_data.WatchData


def make_rule(context, name='alarm', **values):
    return Rule.create(context, {
        'tenant': 'project', 'stack_id': 's', 'name': name,
        'definition': {'threshold': 1}, 'metric_key': KEY, 'period': 60,
        'evaluation_periods': 2, 'state': 'NODATA', 'state_at': NOW,
        'pending': '', 'due_at': NOW, **values})


@pytest.fixture
def make(context):
    return functools.partial(make_rule, context)


def claim(context, name='c', now=NOW, limit=1000, pending=False):
    return sorted(rule.id for rule in Rule.claim_due(
        context, name, now, now + 60, limit, pending=pending))


def push(context, *points, limits=ROOM, tenant='project', name='load'):
    key = watch_data.metric_key(tenant, 'ns', name, {})
    Data.put(context, tenant, NOW, {
        key: {'namespace': 'ns', 'name': name, 'dimensions': {}}}, [
        {'metric_key': key, 'measured_at': at, 'unit': unit,
         'samples': 1, 'total': value, 'least': value, 'greatest': value}
        for at, value, unit in points], limits)


def number(table):
    with session.get_engine().connect() as connection:
        return connection.execute(
            sa.select(sa.func.count()).select_from(table)).scalar()


def test_rule_belongs_to_a_project(context, make_context, make):
    rule_id = make()
    found = Rule.get_by_id(context, rule_id)
    assert (found.name, found.definition) == ('alarm', {'threshold': 1})
    assert Rule.get_by_id(make_context('other'), rule_id) is None
    assert Rule.get_by_id(make_context('x', True), rule_id) == found


def test_rules_are_listed_by_name(context, make):
    for name in ('b_1', 'a', 'bx1', 'c'):
        make(name)
    make('b_2', tenant='other')

    def names(*args, **kwargs):
        return [rule.name for rule in Rule.get_all(
            context, 'project', *args, **kwargs)]

    # Collations sort differently.
    everything = names(9)
    assert sorted(everything) == ['a', 'b_1', 'bx1', 'c']
    assert names(2, marker='a') == everything[1:3]
    assert names(9, prefix='b_') == ['b_1']
    assert names(9, filters={'name': ['a', 'c'], 'state': 'NODATA'}) == [
        'a', 'c']


def test_update_is_a_swap(context, make):
    rule_id = make()
    assert Rule.update_by_id(context, rule_id, {'state': 'ALARM'},
                             {'state': 'NODATA'})
    assert not Rule.update_by_id(context, rule_id, {'state': 'NORMAL'},
                                 {'state': 'NODATA'})
    assert Rule.get_by_id(context, rule_id).state == 'ALARM'


def test_a_rule_has_one_claim_until_that_ends(context, make):
    due, _later = make(), make('later', due_at=NOW + 1)
    make('suspended', due_at=None)
    assert claim(context, 'first') == [due]
    assert claim(context, 'second') == []
    Rule.extend(context, 'first', NOW + 90)
    assert due not in claim(context, 'second', NOW + 89)
    assert claim(context, 'third', NOW + 90) == [due]
    assert Rule.get_by_id(context, due).claim == 'third'


def test_pending_rules_are_claimed_apart(context, make):
    plain, pending = make(), make('p', pending='ALARM')
    assert claim(context, 'e') == [plain]
    assert claim(context, 'd', pending=True) == [pending]


def changes(*ids, state='ALARM', acting=()):
    return {state: {'ids': list(ids), 'acting': list(acting),
                    'reason': 'because'}}


def entry(rule_id):
    return {'rule_id': rule_id, 'kind': 'StateUpdate', 'summary': 'x',
            'data': {'y': 1}}


def test_finish_writes_states_and_releases(context, make):
    one, two, same = make('one'), make('two'), make('same', period=7)
    claim(context)
    Rule.finish(context, 'c', NOW + 5, changes(one, two, acting=[two]),
                [entry(one), entry(two)])
    found = [Rule.get_by_id(context, each) for each in (one, two, same)]
    assert [(each.state, each.pending, each.claim) for each in found] == [
        ('ALARM', '', None), ('ALARM', 'NODATA:ALARM', None),
        ('NODATA', '', None)]
    assert found[0].state_reason == 'because'
    # The end of a period; actions are carried out at once.
    assert [each.due_at for each in found] == [
        NOW + 60, NOW + 5, (NOW + 5) // 7 * 7 + 7]
    history = watch_rule.WatchHistory.get_all(context, 'project', 9, {})
    assert sorted(each.name for each in history) == ['one', 'two']


def test_alarms_that_last_act_again(context, make):
    rule_id = make(state='ALARM')
    claim(context)
    Rule.finish(context, 'c', NOW + 5, {}, [], [rule_id])
    found = Rule.get_by_id(context, rule_id)
    assert (found.pending, found.due_at) == ('ALARM:ALARM', NOW + 5)


def test_finish_leaves_what_the_claim_has_lost(context, make):
    lost, kept, gone = make('lost'), make('kept'), make('gone')
    claim(context, 'mine')
    Rule.update_by_id(context, lost, {'claim': None, 'state': 'SUSPENDED'})
    assert Rule.delete(context, gone)
    Rule.finish(context, 'mine', NOW, changes(lost, kept, gone),
                [entry(each) for each in (lost, kept, gone)])
    assert Rule.get_by_id(context, lost).state == 'SUSPENDED'
    assert Rule.get_by_id(context, kept).state == 'ALARM'
    assert [each.name for each in watch_rule.WatchHistory.get_all(
        context, 'project', 9, {})] == ['kept']


def test_delivered_writes_for_the_claim_only(context, make):
    rule_id = make(pending='ALARM')
    claim(context, 'd', pending=True)
    assert not Rule.delivered(context, rule_id, 'other', {'pending': ''}, [])
    assert Rule.delivered(context, rule_id, 'd', {
        'pending': '', 'due_at': NOW}, [
            {**entry(rule_id), 'happened_at': NOW}])
    assert Rule.get_by_id(context, rule_id).claim is None


def test_history_is_filtered(context, make, make_context):
    one = make('one')
    make('two')
    for at in (1, 2, 3):
        Rule.update_by_id(context, one, {'claim': 'c'})
        Rule.finish(context, 'c', at, changes(one), [entry(one)])

    def times(limit=9, marker=None, **filters):
        found = watch_rule.WatchHistory.get_all(
            context, 'project', limit, filters, marker)
        return [each.happened_at for each in found]

    assert times() == [3, 2, 1]
    assert times(ascending=True) == [1, 2, 3]
    assert times(since=2) == [3, 2]
    assert times(until=2) == [2, 1]
    assert times(name='two') == []
    assert times(kind='Action') == []
    newest = watch_rule.WatchHistory.get_all(context, 'project', 1, {})[0]
    assert times(marker=newest.id) == [2, 1]
    assert watch_rule.WatchHistory.get_all(context, 'other', 9, {}) == []
    assert watch_rule.WatchHistory.purge(context, 3, 10) == 2
    assert times() == [3]
    assert Rule.delete(context, one)
    assert not Rule.delete(context, one)
    assert times() == []


def test_data_of_a_claim_by_period(context, make):
    make()
    by_unit = make('unit', unit='Count', evaluation_periods=1)
    push(context, (NOW - 1, 4.0, None), (NOW - 60, 6.0, 'Count'),
         (NOW - 61, 1.5, None), (NOW - 180, 2.0, 'Count'),
         (NOW - 181, 99.0, None), (NOW, 98.0, 'Count'))
    push(context, (NOW - 1, 97.0, None), tenant='other')
    claim(context)
    rows = {(row.rule_id == by_unit, row.place):
            (row.samples, row.total, row.least, row.greatest)
            for row in Data.of_claim(context, 'c', NOW + 59)}
    assert rows == {
        (False, 0): (2, 10.0, 4.0, 6.0), (False, 1): (1, 1.5, 1.5, 1.5),
        (False, 2): (1, 2.0, 2.0, 2.0), (True, 0): (1, 6.0, 6.0, 6.0)}


def test_quotients_are_exact(context, make):
    """MySQL rounds them to four digits before it drops the fraction."""
    make(period=86400, evaluation_periods=1)
    day = NOW - NOW % 86400
    push(context, (day - 86400, 3.0, None))
    claim(context)
    assert [row.place for row in Data.of_claim(context, 'c', day)] == [0]


def test_statistics_by_period_and_unit(context):
    push(context, (NOW, 1.0, None), (NOW + 9, 3.0, None),
         (NOW + 10, 5.0, 'Count'), (NOW + 30, 7.0, None))
    found = Data.statistics(context, KEY, NOW, NOW + 30, 10)
    assert [(row.place, row.unit, row.samples, row.total) for row in
            found] == [(0, None, 2, 4.0), (1, 'Count', 1, 5.0)]
    assert [row.place for row in Data.statistics(
        context, KEY, NOW, NOW + 30, 10, 'Count')] == [1]


def test_a_push_is_one_transaction(context):
    push(context, (NOW, 1.0, None))
    before = transaction.counters()
    push(context, *((NOW - at, 1.0, None) for at in range(1000)))
    after = transaction.counters()
    assert after['commits'] - before['commits'] == 1
    assert after['statements'] - before['statements'] <= 5
    assert number(models.WATCH_DATA) == 1001
    assert number(models.WATCH_METRIC) == 1


def test_a_project_has_limited_room(context):
    push(context, (NOW, 1.0, None), limits=(1, 3))
    with pytest.raises(exception.RequestLimitExceeded, match='1 metrics'):
        push(context, (NOW, 1.0, None), limits=(1, 3), name='more')
    push(context, (NOW, 1.0, None), (NOW, 1.0, None), limits=(1, 3))
    with pytest.raises(exception.RequestLimitExceeded, match='3 data'):
        push(context, (NOW, 1.0, None), limits=(1, 3))
    push(context, (NOW, 1.0, None), limits=(1, 3), tenant='other')
    assert number(models.WATCH_DATA) == 4


def test_metrics_are_listed(context):
    push(context, (NOW, 1.0, None))
    push(context, (NOW, 1.0, None), name='more')
    push(context, (NOW, 1.0, None), tenant='other')

    def names(**kwargs):
        return sorted(metric.name for metric in
                      watch_data.WatchMetric.get_all(
                          context, 'project', 9, **kwargs))

    assert names() == ['load', 'more']
    assert names(filters={'name': 'more'}) == ['more']
    assert names(since=NOW) == ['load', 'more']
    assert names(since=NOW + 1) == []


def test_old_data_are_purged(context, make):
    push(context, (NOW - 100, 1.0, None), (NOW, 1.0, None))
    push(context, (NOW - 100, 1.0, None), name='unused')
    assert Data.purge(context, NOW - 50, 1) == 1
    assert Data.purge(context, NOW - 50, 10) == 1
    assert number(models.WATCH_DATA) == 1
    # What was pushed to just now stays, and what has data.
    assert watch_data.WatchMetric.purge(context, NOW, 10) == 0
    assert watch_data.WatchMetric.purge(context, NOW + 1, 10) == 1
    assert Data.longest_window(context) == 0
    make()
    make('long', period=300, evaluation_periods=3)
    assert Data.longest_window(context) == 1500


def test_rules_of_stacks_that_are_gone_are_purged(context, make, a_stack):
    make('orphan')
    kept = make('kept', stack_id=a_stack.id)
    assert Rule.purge(context, NOW, 10) == 0
    assert Rule.purge(context, NOW + 1, 10) == 1
    assert [rule.id for rule in Rule.get_all(context, 'project', 9)] == [
        kept]
