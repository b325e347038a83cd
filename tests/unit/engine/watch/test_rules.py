"""Watch rules as resource types make and change them."""
import pytest

from heat.common import context as heat_context
from heat.common import exception
from heat.common import watch_words as words
from heat.engine.watch import rules
from heat.objects import watch_rule

State = words.State


def history(world):
    return [entry.summary for entry in watch_rule.WatchHistory.get_all(
        world.context, 'project', 9, {'ascending': True})]


def test_rule_is_due_at_once(world):
    rule = world.get(world.rule(threshold=3, unit='Count'))
    assert (rule.state, rule.due_at, rule.stack_id, rule.unit) == (
        State.NODATA, world.now, 'stack', 'Count')
    assert rule.definition['threshold'] == 3
    assert history(world) == ['The alarm was created.']


def test_rules_of_other_projects_are_unknown(world):
    rule_id = world.rule()
    other = heat_context.RequestContext(project_id='other', is_admin=False)
    with pytest.raises(exception.EntityNotFound):
        rules.get(other, rule_id)
    with pytest.raises(exception.EntityNotFound):
        rules.suspend(other, rule_id)
    rules.delete(other, rule_id)
    assert world.get(rule_id)
    with pytest.raises(exception.EntityNotFound):
        rules.get(world.context, None)


def test_update_drops_what_an_engine_is_about(world):
    rule_id = world.rule()
    watch_rule.WatchRule.claim_due(world.context, 'c', world.now,
                                   world.now + 60, 9, pending=False)
    before = world.get(rule_id)
    rules.update(world.context, rule_id, world.definition(metric='other'))
    after = world.get(rule_id)
    assert (after.claim, after.due_at) == (None, world.now)
    assert after.metric_key != before.metric_key
    assert after.definition['metric'] == 'other'
    assert history(world)[-1] == 'The alarm was updated.'


def test_suspended_rules_are_not_due(world):
    rule_id = world.rule()
    watch_rule.WatchRule.update_by_id(world.context, rule_id, {
        'state': State.ALARM, 'pending': 'NORMAL:ALARM'})
    rules.suspend(world.context, rule_id)
    rule = world.get(rule_id)
    assert (rule.state, rule.due_at, rule.pending) == (
        State.SUSPENDED, None, '')
    rules.update(world.context, rule_id, world.definition())
    assert world.get(rule_id).due_at is None
    rules.resume(world.context, rule_id)
    rule = world.get(rule_id)
    assert (rule.state, rule.due_at) == (State.NODATA, world.now)
    rules.resume(world.context, rule_id)
    assert 'ALARM -> SUSPENDED: The alarm is suspended.' in history(world)


def test_adopted_rule_follows_its_new_stack(world):
    rule_id = world.rule()
    rules.suspend(world.context, rule_id)

    def take_over(tenant, context=world.context):
        rules.take_over(context, rule_id, tenant, 'new', 'name',
                        world.definition(metric='other'))

    admin = heat_context.get_admin_context()
    with pytest.raises(exception.EntityNotFound):
        take_over('other', admin)
    take_over('project')
    rule = world.get(rule_id)
    assert (rule.stack_id, rule.name, rule.state, rule.due_at) == (
        'new', 'name', State.NODATA, world.now)
    assert rule.definition['metric'] == 'other'


def test_delete_twice(world):
    rule_id = world.rule()
    rules.delete(world.context, rule_id)
    rules.delete(world.context, rule_id)
    rules.delete(world.context, None)
    assert history(world) == []
