"""RPC calls about the resources of a stack."""
import pytest

from heat.common import exception
from heat.engine.rpc import resources
from heat.objects import resource as resource_objects
from tests.unit.engine.rpc import calls

CHAIN = """
resources:
  a: {type: Test::Thing, properties: {value: one}}
  b: {type: Test::Thing, depends_on: a}
"""


@pytest.fixture
def operations(engine):
    return calls.made(resources.ResourceOperations, engine)


@pytest.fixture
def stack(engine):
    return engine.create(CHAIN, 'web')


def identity(stack):
    return dict(stack.identifier())


def test_resource_is_shown(operations, engine, stack):
    shown = operations.describe_stack_resource(engine.context,
                                               identity(stack), 'a')
    assert (shown['resource_name'], shown['resource_status']) == (
        'a', 'COMPLETE')
    assert shown['attributes']['output'] == 'one'
    assert shown['required_by'] == ['b']


@pytest.mark.parametrize('name', ['', 'c', 'A', None])
def test_missing_resource(operations, engine, stack, name):
    with calls.refused(exception.ResourceNotFound):
        operations.describe_stack_resource(engine.context, identity(stack),
                                           name)


def test_resources_of_a_stack(operations, engine, stack):
    for name, names in ((None, {'a', 'b'}), ('b', {'b'}), ('c', set())):
        found = operations.describe_stack_resources(
            engine.context, identity(stack), name)
        assert {each['resource_name'] for each in found} == names


def test_resource_is_found_by_its_physical_id(operations, engine, stack):
    found = operations.find_physical_resource(engine.context,
                                              stack['a'].resource_id)
    assert found['path'] == '/resources/a'
    with calls.refused(exception.EntityNotFound):
        operations.find_physical_resource(engine.context, 'no-such')


def test_resource_of_another_project_is_not_found(operations, engine, stack):
    engine.context.project_id = 'other'
    with calls.refused(exception.EntityNotFound):
        operations.find_physical_resource(engine.context,
                                          stack['a'].resource_id)


def mark(operations, engine, stack, name, unhealthy, *reason):
    operations.resource_mark_unhealthy(engine.context, identity(stack), name,
                                       unhealthy, *reason)
    row = resource_objects.Resource.get_by_name_and_stack(
        engine.context, 'a', stack.id)
    return row.action, row.status, row.status_reason


def test_resource_is_marked_and_unmarked(operations, engine, stack):
    assert mark(operations, engine, stack, 'a', True, 'it hums') == (
        'CHECK', 'FAILED', 'it hums')
    assert mark(operations, engine, stack, stack['a'].resource_id,
                False)[:2] == ('CHECK', 'COMPLETE')
    # What is well already stays as it is.
    assert mark(operations, engine, stack, 'a', False, 'again')[2] != 'again'


@pytest.mark.parametrize('value', ['true', None, 1])
def test_mark_is_a_boolean(operations, engine, stack, value):
    with calls.refused(exception.Invalid, 'not a boolean'):
        mark(operations, engine, stack, 'a', value)


def test_physical_id_of_several_resources_is_no_name(operations, engine,
                                                     stack):
    for name in 'ab':
        resource_objects.Resource.update_by_id(
            engine.context, stack[name].id,
            {'physical_resource_id': 'same'})
    with calls.refused(exception.PhysicalResourceIDAmbiguity, 'a, b'):
        mark(operations, engine, stack, 'same', True)


def test_resource_that_is_worked_on_is_left_alone(operations, engine, stack):
    resource_objects.Resource.update_by_id(engine.context, stack['a'].id,
                                           {'engine_id': 'busy'})
    with calls.refused(exception.ActionInProgress):
        mark(operations, engine, stack, 'a', True)


def test_user_of_one_resource_sees_no_other(operations, engine, stack):
    engine.context.roles = ['heat_stack_user']
    with calls.refused(exception.Forbidden):
        operations.describe_stack_resource(engine.context, identity(stack),
                                           'a')


def test_signal_to_a_type_that_takes_none(operations, engine, stack):
    with calls.refused(exception.ResourceActionNotSupported):
        operations.resource_signal(engine.context, identity(stack), 'a', {})


def test_signal_to_what_is_not_made_yet(operations, engine):
    stack = engine.stack(CHAIN)
    with calls.refused(exception.ResourceNotAvailable, 'a'):
        operations.resource_signal(engine.context, identity(stack), 'a', {})
    with calls.refused(exception.ResourceNotFound, 'nothing'):
        operations.resource_signal(engine.context, identity(stack),
                                   'nothing', {})


def test_breakpoint_is_cleared(operations, engine):
    stack = engine.stack(CHAIN, env={'resource_registry': {
        'resources': {'a': {'hooks': 'pre-create'}}}})
    stack.create()
    engine.pool.run(until=lambda: resource_objects.Resource
                    .get_by_name_and_stack(engine.context, 'a', stack.id)
                    is not None and engine.reload(stack)['a'].data())
    assert engine.log == []
    operations.resource_signal(engine.context, identity(stack), 'a',
                               {'unset_hook': 'pre-create'})
    engine.pool.run()
    assert engine.reload(stack).state == ('CREATE', 'COMPLETE')
