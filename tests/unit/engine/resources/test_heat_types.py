from oslo_utils import uuidutils
import pytest

from heat.common import exception
from heat.engine import environment
from heat.engine.constraint import common_constraints
from heat.engine.resources.openstack.heat import delay
from heat.engine.resources.openstack.heat import none_resource
from heat.engine.resources.openstack.heat import random_string
from heat.engine.resources.openstack.heat import test_resource
from heat.engine.resources.openstack.heat import value
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import stack as fake_stack

TYPES = {cls.type_name: cls for cls in (
    delay.Delay, none_resource.NoneResource, random_string.RandomString,
    test_resource.TestResource, value.Value)}


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.Clock(monkeypatch)


def stack_of(name, props=None, **kwargs):
    stack = fake_stack.FakeStack(
        {'r': {'type': 'OS::Heat::' + name, 'properties': props or {},
               **kwargs}}, types=TYPES,
        outputs={'all': {'value': {'get_attr': ['r']}}})
    environment.global_env().register_constraint(
        'test_constr', common_constraints.TestConstraintDelay)
    return stack


def created(name, props=None, **kwargs):
    stack = stack_of(name, props, **kwargs)
    res = stack.stored('r')
    res.validate()
    scheduler.TaskRunner(res.create)()
    return stack, res


def update(stack, res, **props):
    scheduler.TaskRunner(res.update, stack.definition(
        'r', properties=props))()


# -- Value ------------------------------------------------------------------

@pytest.mark.parametrize(('kind', 'given', 'wanted'), [
    (None, {'a': [1]}, {'a': [1]}),
    (None, 'text', 'text'),
    ('string', 12, '12'),
    ('number', '1.5', 1.5),
    ('number', '7', 7),
    ('boolean', 'yes', True),
    ('boolean', False, False),
    ('json', '{"a": 1}', {'a': 1}),
    ('json', [1], [1]),
    ('comma_delimited_list', 'a,b', ['a', 'b']),
    ('comma_delimited_list', ['a'], ['a']),
])
def test_value_has_its_type(kind, given, wanted):
    props = {'value': given}
    if kind is not None:
        props['type'] = kind
    stack, res = created('Value', props)
    assert res.FnGetAtt('value') == wanted
    assert stack.reload('r').FnGetAtt('value') == wanted
    assert stack.row('r').attributes == {'value': wanted}


@pytest.mark.parametrize(('kind', 'given'), [
    ('number', 'many'), ('boolean', 'perhaps'), ('json', '{'),
])
def test_value_of_another_type_is_refused(kind, given):
    stack = stack_of('Value', {'value': given, 'type': kind})
    with pytest.raises(ValueError):
        stack['r'].validate()
    with pytest.raises(exception.ResourceFailure):
        scheduler.TaskRunner(stack.stored('r').create)()


def test_value_is_updated_in_place():
    stack, res = created('Value', {'value': 'x'})
    update(stack, res, value='y')
    assert stack.reload('r').FnGetAtt('value') == 'y'
    assert stack.row('r').physical_resource_id == res.resource_id
    assert res.FnGetRefId() == res.physical_resource_name()


# -- None -------------------------------------------------------------------

def test_none_takes_anything_and_gives_nothing():
    stack, res = created('None', {'whatever': {'a': 1}})
    assert res.FnGetAtt('anything', 'at', 'all') is None
    events = stack.events()
    update(stack, res, other=2)
    assert stack.events() == events
    scheduler.TaskRunner(res.delete)()
    assert stack.row('r').action == 'DELETE'


def test_none_has_an_id_like_things_of_the_cloud():
    _stack, res = created('None', {'any': 'thing'})
    assert uuidutils.is_uuid_like(res.resource_id)


# -- RandomString -----------------------------------------------------------

def test_random_string_is_kept_as_a_secret():
    stack, res = created('RandomString')
    text = res.FnGetAtt('value')
    assert len(text) == 32
    assert text.isalnum()
    assert res.FnGetRefId() == text
    assert stack.reload('r').FnGetAtt('value') == text
    assert not stack.row('r').attributes
    assert stack.row('r').physical_resource_id == (
        res.physical_resource_name())


def test_random_string_before_it_is_made():
    res = stack_of('RandomString')['r']
    assert res.FnGetRefId() == 'r'


def test_random_string_follows_classes_and_sequences():
    _stack, res = created('RandomString', {
        'length': 20,
        'character_classes': [{'class': 'digits', 'min': 5}],
        'character_sequences': [{'sequence': '(){}', 'min': 12}]})
    text = res.FnGetAtt('value')
    assert len(text) == 20
    assert set(text) <= set('0123456789(){}')
    assert sum(char.isdigit() for char in text) >= 5
    assert sum(char in '(){}' for char in text) >= 12


def test_random_string_reads_the_hidden_property():
    _stack, res = created('RandomString', {'sequence': 'octdigits'})
    assert set(res.FnGetAtt('value')) <= set('01234567')


def test_random_string_that_is_too_short():
    stack = stack_of('RandomString', {
        'length': 3, 'character_classes': [
            {'class': 'digits', 'min': 2}, {'class': 'letters', 'min': 2}]})
    with pytest.raises(exception.StackValidationFailed) as bad:
        stack['r'].validate()
    assert bad.value.path == ['resources', 'r', 'properties', 'length']


@pytest.mark.parametrize('changed', [{'salt': 'x'}, {'length': 10}])
def test_random_string_is_replaced_by_any_change(changed):
    stack, res = created('RandomString')
    with pytest.raises(exception.UpdateReplace):
        update(stack, res, **changed)


# -- TestResource -----------------------------------------------------------

def test_test_resource_keeps_its_value():
    stack, res = created('TestResource', {'value': 'x'})
    assert res.FnGetAtt('output') == 'x'
    update(stack, res, value='y')
    assert stack.reload('r').FnGetAtt('output') == 'y'


def test_test_resource_fails_when_told_to():
    stack = stack_of('TestResource', {'fail': True})
    with pytest.raises(exception.ResourceFailure) as failed:
        scheduler.TaskRunner(stack.stored('r').create)()
    assert str(failed.value) == (
        'ValueError: resources.r: Test Resource failed r')
    assert stack.row('r').physical_resource_id is None


@pytest.mark.parametrize(('props', 'times'), [
    ({}, (0, 0, 0)),
    ({'wait_secs': 3}, (3, 3, 3)),
    ({'wait_secs': 3, 'action_wait_secs': {'create': 1, 'delete': 2}},
     (1, 3, 2)),
])
def test_test_resource_takes_its_time(props, times, clock):
    stack, res = created('TestResource', props)
    taken = [sum(clock.slept)]
    update(stack, res, value='new', **props)
    taken.append(sum(clock.slept))
    scheduler.TaskRunner(res.delete)()
    taken.append(sum(clock.slept))
    assert (taken[0], taken[1] - taken[0], taken[2] - taken[1]) == times


def test_test_resource_that_never_ends(clock):
    stack = stack_of('TestResource', {'wait_secs': -1})
    with pytest.raises(scheduler.Timeout):
        scheduler.TaskRunner(stack.stored('r').create)(timeout=1000)


def test_test_resource_replaces_itself():
    stack, res = created('TestResource')
    with pytest.raises(exception.UpdateReplace):
        update(stack, res, update_replace=True)
    with pytest.raises(exception.UpdateReplace):
        update(stack, res, update_replace_value='x')
    update(stack, res, update_replace=False, value='z')
    scheduler.TaskRunner(res.check)()


def test_test_resource_is_slow_to_check_and_to_read(clock):
    _stack, res = created('TestResource', {'constraint_prop_secs': 2})
    assert 2 in clock.slept
    _stack, res = created('TestResource', {'attr_wait_secs': 5})
    assert 5 in clock.slept


# -- Delay ------------------------------------------------------------------

def test_delay_waits_on_create_only(clock):
    stack, res = created('Delay', {'min_wait': 4})
    assert sum(clock.slept) == 4
    scheduler.TaskRunner(res.delete)()
    assert sum(clock.slept) == 4


def test_delay_of_other_actions(clock):
    stack, res = created('Delay', {
        'min_wait': 2, 'actions': ['SUSPEND', 'RESUME', 'DELETE']})
    assert clock.slept == []
    for task in (res.suspend, res.resume, res.delete):
        scheduler.TaskRunner(task)()
    assert sum(clock.slept) == 6


def test_delay_has_jitter(clock, monkeypatch):
    monkeypatch.setattr(delay.random, 'uniform', lambda low, high: high)
    created('Delay', {'min_wait': 1, 'max_jitter': 3,
                      'jitter_multiplier': 2})
    assert sum(clock.slept) == 7


def test_delay_longer_than_the_stack_has():
    stack = stack_of('Delay', {'min_wait': 3000, 'max_jitter': 601})
    with pytest.raises(exception.StackValidationFailed, match='3601'):
        stack['r'].validate()


def test_delay_times_may_change():
    stack, res = created('Delay', {'min_wait': 1})
    update(stack, res, min_wait=2)
    assert stack.row('r').action == 'UPDATE'
