"""Trees of stacks whose root and child Heat was in the middle of.

The root has a group of two members, "0" and "1", which are in the child.
"""
import collections

import pytest

from heat.common import context
from heat.db import api as db_api
from tests.fakes import heat_rows
from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import world as world_module

_GOING = 'IN_PROGRESS'
#: {action: states of the members, '!' in front of what is in hand}
_MEMBERS = {
    'CREATE': ('CREATE COMPLETE', '!CREATE IN_PROGRESS'),
    'UPDATE': ('UPDATE COMPLETE', '!UPDATE IN_PROGRESS'),
    'DELETE': (None, '!DELETE IN_PROGRESS'),
    'SUSPEND': ('SUSPEND COMPLETE', '!SUSPEND IN_PROGRESS'),
    'RESUME': ('RESUME COMPLETE', '!RESUME IN_PROGRESS'),
    'CHECK': ('CHECK COMPLETE', '!CHECK IN_PROGRESS'),
    # A group does nothing for a snapshot of the root.
    'SNAPSHOT': ('CREATE COMPLETE', 'CREATE COMPLETE'),
}
#: {action: what has to be done for it to end}
_DONE = {
    'CREATE': {'DELETE 1': 1, 'CREATE 1': 1}, 'UPDATE': {'UPDATE 1': 1},
    'DELETE': {'DELETE 1': 1}, 'SUSPEND': {'SUSPEND 1': 1},
    'RESUME': {'RESUME 1': 1}, 'CHECK': {'CHECK 1': 1},
}
#: {name: (action, convergence, whether the child has ended)}
CASES = {
    f'{action.lower()}{"" if convergence else "-legacy"}'
    f'{"-child-ended" if ended else ""}': (action, convergence, ended)
    for action in _MEMBERS for convergence in (True, False)
    for ended in (False, True) if ended or action != 'SNAPSHOT'}


def tree(value='1'):
    """Return the resources of the root."""
    return {'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'count': 2, 'resource_def': templates.thing(value=value)}}}


def _members(value):
    """Return the template of the child, as Heat makes it."""
    return {
        'heat_template_version': '2015-04-30',
        'resources': {name: templates.thing(value=value) for name in '01'},
        'outputs': {'refs_map': {'value': {
            name: {'get_resource': name} for name in '01'}}}}


def write(database, name, action, convergence, ended):
    """Store a tree in progress."""
    before, value = None, '1'
    if action == 'UPDATE':
        before, value = database.template(tree()), '2'
    going = {'action': action, 'status': _GOING, 'convergence': convergence}
    empty = {'heat_template_version': heat_rows.VERSION}
    if action == 'DELETE' and convergence:
        before = database.template(tree())
    snapshot = heat_rows.new_id() if action == 'SNAPSHOT' else None
    root = database.stack(name, database.template(
        empty if action == 'DELETE' and convergence else tree(value)),
        before=before, traversal=snapshot, **going)
    child_id = heat_rows.new_id()
    group = root.resource(
        'group', action=action, status=_GOING, physical=child_id,
        claimed=convergence, properties=tree(
            '1')['group']['properties'], template_id=before,
        data={'name_blacklist': ''})
    root.graph(_node(group, action), going=convergence)
    if snapshot:
        going = {**going, 'action': 'CREATE'}
    child = _child(database, group, child_id, value, ended, going)
    if snapshot:
        root.snapshot(snapshot_id=snapshot, status=_GOING)
    if not convergence:
        root.lock()
        if not ended:
            child.lock()
    root.child = child
    return root


def _child(database, group, child_id, value, ended, going):
    action, convergence = going['action'], going['convergence']
    before, empty = None, {'heat_template_version': heat_rows.VERSION}
    if action in ('UPDATE', 'DELETE'):
        before = database.template(_members('1'))
    deleting = action == 'DELETE' and convergence
    child = database.stack(
        group.physical_name, database.template(
            empty if deleting else _members(value)), before=before,
        stack_id=child_id, parent=(group.stack, 'group'),
        **{**going, 'status': 'COMPLETE' if ended else _GOING})
    for name, state in zip('01', _MEMBERS[action], strict=True):
        if ended and deleting:
            break
        if ended:
            state = f'{action} COMPLETE'
        if state is None:
            continue
        claimed, (_, status) = state.startswith('!'), state.split()
        updated = value if status == 'COMPLETE' else '1'
        child.resource(name, action=action, status=status,
                       claimed=convergence and claimed,
                       properties={'value': updated}, data={'tries': '1'},
                       template_id=before if action == 'DELETE' else None)
    rows = list(child.rows.values())
    if convergence and rows:
        child.graph(*(_node(row, action) for row in rows), going=not ended,
                    done=[_node(row, action)[0] for row in rows
                          if row.status == 'COMPLETE'])
    return child


def _node(row, action):
    return (row.clean if action == 'DELETE' else row.update), None


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service, which takes all trees over at once."""
    with pytest.MonkeyPatch.context() as patch:
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'),
            lambda database: {name: write(database, name, *case)
                              for name, case in CASES.items()}) as made:
            yield made


REMAINING = [name for name, case in CASES.items() if case[0] != 'DELETE']


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', CASES)
def test_operation_ends(world, name):
    action, convergence, ended = CASES[name]
    stack, child = world.stack(name), world.rows[name].child
    if action == 'DELETE':
        stack.wait_deleted()
        if not ended:
            assert world.log(name)['DELETE 1'] == 1
        return
    stack.wait(f'{action}_{"COMPLETE" if convergence else "FAILED"}')
    if convergence and not ended:
        done = collections.Counter(_DONE[action])
        if action == 'CHECK':
            # If the child is at rest when its parent is taken over, it is
            # checked again, which changes nothing.
            assert world.log(name) >= done
        else:
            assert world.log(name) == done
    inner = rest.Stack(stack.client, child.name, child.id)
    assert not inner.state.endswith(_GOING)
    assert world_module.sql(
        'SELECT count(*) FROM resource WHERE engine_id IS NOT NULL AND '
        'root_stack_id = :id', id=stack.id) == [(0,)]
    for table in ('sync_point', 'stack_lock'):
        assert world_module.sql(
            f'SELECT count(*) FROM {table} WHERE stack_id IN (:id, :child)',
            id=stack.id, child=child.id) == [(0,)]


@pytest.mark.parametrize('name', REMAINING)
def test_child_is_kept(world, name):
    stack, rows = world.stack(name), world.rows[name]
    assert stack.physical('group') == rows.child.id
    kept = rows.child.rows['0']
    assert stack.nested('group').physical('0') == kept.physical


def test_snapshots_can_be_deleted(world):
    for name in ('snapshot-child-ended', 'snapshot-legacy-child-ended'):
        stack = world.stack(name)
        for snapshot in stack.get('snapshots')['snapshots']:
            stack.request('DELETE', f'snapshots/{snapshot["id"]}',
                          expect=204)
        rest.wait_for(lambda stack=stack: not stack.get('snapshots')[
            'snapshots'], lambda stack=stack: stack.get('snapshots'))


@pytest.mark.parametrize('name', [
    name for name in REMAINING if not name.startswith('suspend')])
def test_tree_is_updated(world, name):
    stack = world.stack(name)
    stack.updated(templates.hot(tree('3')))
    assert set(stack.nested('group').states().values()) <= {
        'CREATE_COMPLETE', 'UPDATE_COMPLETE'}
    before = world.log(name)
    stack.updated(templates.hot(tree('3')))
    assert world.log(name) == before


@pytest.mark.parametrize('name', REMAINING)
def test_tree_is_deleted(world, name):
    world.stack(name).deleted()


def test_nothing_is_left(world):
    assert world.left() == {}
    db_api.purge_deleted(context.get_admin_context(), 0, 'seconds')
    for table in ('stack', 'raw_template', 'event', 'raw_template_files',
                  'resource_properties_data'):
        assert world_module.sql(f'SELECT * FROM {table}') == [], table
