"""What must hold when a world has come to rest."""
import sqlalchemy as sa

from heat.db import models
from heat.db import session
from heat.objects import stack as stack_objects
from tests.convergence.templates import all_wanted
from tests.convergence.templates import inside_of
from tests.convergence.templates import is_local
from tests.convergence.templates import needs_of
from tests.convergence.templates import value_of


def stack_is(world, stack_id, resources, others=None):
    """Check that a stack is as a template says, with nothing left over.

    So is what is nested in it.

    :param others: {id: resources} of the other root stacks there are
    """
    nothing_astray(world)
    roots = {stack_id: resources, **(others or {})}
    assert world.values() == all_wanted(roots.values()), world.describe()
    things = []
    for root_id, each in roots.items():
        stacks = []
        _tree_is(world, root_id, each, things, stacks)
        assert sorted(stacks) == sorted(
            row.id for row in stack_objects.Stack.get_all_by_root_owner_id(
                world.context, root_id))
    assert sorted(things) == sorted(world.cloud.things)
    # What was to be replaced, and is not, has again what it lent.
    assert not any(thing.get('lent') for thing in
                   world.cloud.things.values()), world.describe()


def _tree_is(world, stack_id, resources, things, stacks):
    """Check a stack; note the things and nested stacks that it consists of.
    """
    rows = {row.name: row for row in world.rows(stack_id)}
    assert sorted(row.name for row in world.rows(stack_id)) == sorted(
        resources)
    stack = stack_objects.Stack.get_by_id(world.context, stack_id)
    assert stack.status == 'COMPLETE'
    assert not world.points(stack.current_traversal)
    for name, row in rows.items():
        assert row.status == 'COMPLETE'
        assert row.engine_id is None
        assert row.replaced_by is None
        assert row.current_template_id == stack.raw_template_id
        assert row.requires == sorted(
            rows[other].id for other in needs_of(resources[name]))
        inside = inside_of(resources[name])
        if inside is not None:
            child = stack_objects.Stack.get_by_id(world.context,
                                                  row.physical_resource_id)
            assert (child.owner_id, child.parent_resource_name) == (stack_id,
                                                                    name)
            stacks.append(child.id)
            _tree_is(world, child.id, inside, things, stacks)
            continue
        if not is_local(resources[name]):
            things.append(row.physical_resource_id)
        assert row.properties['value'] == value_of(resources[name],
                                                   resources)
        assert row.properties['size'] == resources[name]['properties'][
            'size']


def nested_are_in(world, stack_id, action):
    """Check that an action has come to its good end in nested stacks, too.

    Of a resource that is not in the template any more nothing is asked.
    """
    for row in world.rows(stack_id):
        child = stack_objects.Stack.get_by_id(world.context,
                                              row.physical_resource_id)
        if child is not None and row.action == action:
            assert (child.action, child.status) == (action, 'COMPLETE')
            nested_are_in(world, child.id, action)


def stack_is_gone(world, stack_id):
    """Check that nothing is left of a stack but its tombstone."""
    nothing_astray(world)
    assert not world.cloud.things, world.describe()
    assert not world.rows(stack_id)
    assert stack_objects.Stack.get_by_id(world.context, stack_id) is None
    stack = stack_objects.Stack.get_by_id(world.context, stack_id,
                                          show_deleted=True)
    assert (stack.action, stack.status) == ('DELETE', 'COMPLETE')
    assert not world.points(stack.current_traversal)
    assert not stack_objects.Stack.get_all_by_root_owner_id(world.context,
                                                            stack_id)


def nothing_astray(world, *, keeps_backup=False):
    """Check what holds at rest whatever the stacks have come to.

    :param keeps_backup: a failed update of the legacy driver may have left
        what it replaced in a stack of its own
    """
    assert not world.cloud.violations, world.cloud.violations
    stacks = _rows(models.STACK, models.STACK.c.deleted_at.is_(None))
    resources = _rows(models.RESOURCE)
    living = {row.id for row in stacks}
    assert not _rows(models.SYNC_POINT)
    assert not _rows(models.STACK_LOCK)
    # What the dead held of a failed stack is taken over when it is visited.
    held = {row.engine_id for row in resources}
    assert held.isdisjoint(engine.id for engine in world.engines)
    assert {row.stack_id for row in resources} <= living
    owned = {(row.stack_id, row.physical_resource_id) for row in resources}
    orphans = [row.name for row in stacks if row.owner_id is not None and
               (row.owner_id, row.id) not in owned and
               not (keeps_backup and row.backup)]
    assert not orphans
    # Tombstones keep theirs until they are purged.
    used = {getattr(row, name) for row in _rows(models.STACK)
            for name in ('raw_template_id', 'prev_raw_template_id')}
    used |= {row.current_template_id for row in resources}
    kept = {row.id for row in _rows(models.RAW_TEMPLATE)}
    assert kept <= used or world.leaves_templates, (kept, used)
    files = {row.files_id for row in _rows(models.RAW_TEMPLATE)}
    assert {row.id for row in _rows(models.RAW_TEMPLATE_FILES)} <= files


def _rows(table, *conditions):
    with session.reader() as connection:
        return connection.execute(sa.select(table).where(*conditions)).all()
