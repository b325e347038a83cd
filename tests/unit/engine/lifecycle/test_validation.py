"""What keeps a resource from being created."""
import pytest

from heat.common import exception
from heat.engine import rsrc_defn
from heat.engine.lifecycle import validation
from tests.unit.engine.lifecycle import things

pytestmark = pytest.mark.usefixtures('no_things')


@pytest.mark.parametrize('policy', ['Delete', 'Retain', 'Snapshot', 'Keep'])
def test_deletion_policies(policy):
    stack = things.make_stack(deletion_policy=policy)
    if policy in ('Delete', 'Retain'):
        stack['r'].validate()
        return
    with pytest.raises(exception.StackValidationFailed) as bad:
        stack['r'].validate()
    assert bad.value.path == ['resources', 'r', 'deletion_policy']


@pytest.fixture
def clients(monkeypatch):
    """The clients of a context, with our plugin."""
    plugin = things.Finder()
    monkeypatch.setattr(things.Thing, 'default_client_name', 'things')

    class Clients:
        def client_plugin(self, name):
            return plugin if name == 'things' else None

    context = type('Context', (), {'clients': Clients()})
    return plugin, context


def test_service_is_available(clients):
    _plugin, context = clients
    assert things.Thing.is_service_available(context) == (True, None)
    assert things.Other.is_service_available(context) == (True, None)


def test_service_without_client_or_endpoint(clients, monkeypatch):
    plugin, context = clients
    plugin.has_endpoint = False
    available, reason = things.Thing.is_service_available(context)
    assert not available
    assert 'endpoint' in reason
    monkeypatch.setattr(things.Thing, 'default_client_name', 'unknown')
    assert not things.Thing.is_service_available(context)[0]


@pytest.mark.parametrize(('wanted', 'available'), [
    ('colour', True), ('colour shape', False), ('shape,colour', False)])
def test_service_extension(clients, monkeypatch, wanted, available):
    monkeypatch.setattr(things.Thing, 'required_service_extension', wanted)
    assert things.Thing.is_service_available(clients[1])[0] is available


def test_unavailable_type_does_not_validate(monkeypatch):
    monkeypatch.setattr(things.Thing, 'is_service_available',
                        classmethod(lambda cls, context: (False, 'why')))
    stack = things.make_stack()
    with pytest.raises(exception.ResourceTypeUnavailable, match='why'):
        stack['r'].validate()


def test_failing_availability_counts_as_unavailable(monkeypatch):
    def fail(cls, context):
        raise OSError('down')

    monkeypatch.setattr(things.Thing, 'is_service_available',
                        classmethod(fail))
    stack = things.make_stack()
    with pytest.raises(exception.ResourceTypeUnavailable):
        stack['r'].validate()


def test_external_id_must_exist(monkeypatch):
    def gone(self):
        raise exception.EntityNotFound(entity='Thing', name='x')

    stack = things.make_stack(external_id='there')
    stack['r'].validate_external()
    monkeypatch.setattr(things.Thing, '_show_resource', gone)
    with pytest.raises(exception.StackValidationFailed, match='there'):
        stack['r'].validate_external()


def test_template_of_a_type():
    cfn = things.Thing.resource_to_template('T::Thing')
    assert cfn['Resources']['Thing']['Type'] == 'T::Thing'
    assert set(cfn['Parameters']) == {'name', 'size'}
    assert cfn['Outputs']['OS::stack_id'] == {'Value': {'Ref': 'Thing'}}
    hot = things.Thing.resource_to_template('T::Thing', 'hot')
    assert hot['outputs']['OS::stack_id'] == {
        'value': {'get_resource': 'Thing'}}
    assert hot['resources']['Thing']['properties']['name'] == {
        'get_param': 'name'}
    assert set(hot['outputs']) >= {'map', 'show'}


def test_all_that_is_wrong_is_told_with_its_place():
    stack = things.make_stack(
        props={'size': 'many', 'colour': 'red'}, update_policy={'pace': 1})
    res = stack['r']
    with pytest.raises(exception.StackValidationFailed) as caught:
        validation.validate_template(res)
    assert {problem.path[2:] for problem in caught.value.problems} == {
        ('update_policy', 'pace'), ('properties', 'size'),
        ('properties', 'colour')}


def test_policy_for_replacements_is_checked_too():
    stack = things.make_stack(props={})
    res = stack['r']
    res.t = rsrc_defn.ResourceDefinition('r', 'T::Thing',
                                         update_replace_policy='Keep')
    with pytest.raises(exception.StackValidationFailed) as caught:
        validation.validate_template(res)
    assert caught.value.path[-1] in ('update_replace_policy',
                                     'UpdateReplacePolicy')


def test_snapshot_policy_needs_a_handler():
    class Shot(things.Thing):
        def handle_snapshot_delete(self, state):
            """Do nothing."""

    validation.validate_deletion_policy(Shot, 'Snapshot')
    with pytest.raises(exception.StackValidationFailed, match='Snapshot'):
        validation.validate_deletion_policy(things.Thing, 'Snapshot')


def test_properties_of_what_exists_already_need_not_be_right():
    stack = things.make_stack(props={'size': 'many'}, external_id='there')
    validation.validate_template(stack['r'])


@pytest.mark.parametrize(('expected', 'current', 'is_fault'), [
    ('on', 'on', False), ('on', 'off', True), (['on', 'up'], 'up', False),
    (('on',), 'up', True), (frozenset(['on']), 'on', False),
    (None, None, False), (1, '1', True)])
def test_conditions_of_a_check(expected, current, is_fault):
    check = {'attr': 'state', 'expected': expected, 'current': current}
    if not is_fault:
        validation.check_conditions([check])
        return
    with pytest.raises(exception.Error, match="'state': expected"):
        validation.check_conditions([check])


def test_all_faults_of_a_check_are_told():
    with pytest.raises(exception.Error) as caught:
        validation.check_conditions([
            {'attr': 'a', 'expected': 1, 'current': 2},
            {'attr': 'b', 'expected': 1, 'current': 1},
            {'attr': 'c', 'expected': 1, 'current': 3}])
    assert str(caught.value) == ("'a': expected '1', got '2'; "
                                 "'c': expected '1', got '3'")
