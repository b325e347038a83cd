"""What must hold when a world has come to rest."""
from heat.objects import stack as stack_objects
from tests.convergence.world import needs_of
from tests.convergence.world import wanted


def stack_is(world, stack_id, resources):
    """Check that a stack is as a template says, with nothing left over."""
    assert not world.cloud.violations
    assert world.values() == wanted(resources), world.describe()
    rows = {row.name: row for row in world.rows(stack_id)}
    assert sorted(row.name for row in world.rows(stack_id)) == sorted(
        resources)
    stack = stack_objects.Stack.get_by_id(world.context, stack_id)
    for name, row in rows.items():
        definition = resources[name]['properties']
        assert row.status == 'COMPLETE'
        assert row.engine_id is None
        assert row.replaced_by is None
        assert row.current_template_id == stack.raw_template_id
        assert row.physical_resource_id in world.cloud.things
        assert row.properties['value'] == definition['value']
        assert row.properties['size'] == definition['size']
        assert row.requires == sorted(
            rows[other].id for other in needs_of(resources[name]))
    # What was to be replaced, and is not, has again what it lent.
    assert not any(thing.get('lent') for thing in
                   world.cloud.things.values()), world.describe()
    assert not world.points(stack.current_traversal)


def stack_is_gone(world, stack_id):
    """Check that nothing is left of a stack but its tombstone."""
    assert not world.cloud.violations
    assert not world.cloud.things, world.describe()
    assert not world.rows(stack_id)
    assert stack_objects.Stack.get_by_id(world.context, stack_id) is None
    stack = stack_objects.Stack.get_by_id(world.context, stack_id,
                                          show_deleted=True)
    assert (stack.action, stack.status) == ('DELETE', 'COMPLETE')
    assert not world.points(stack.current_traversal)
