"""What Heat was in the middle of comes to its end."""
import collections

import pytest

from heat.common import context
from heat.db import api as db_api
from tests.functional import rest
from tests.functional.takeover import interrupted
from tests.functional.takeover import world as world_module
from tests.functional.templates import hot

CASES = {**interrupted.CASES, **interrupted.LEGACY}
DELETED = ('delete', 'legacy-delete')
REMAINING = [name for name in CASES if name not in DELETED]


@pytest.fixture(scope='module')
def world(tmp_path_factory):
    """Return the service, which takes all cases over at once."""
    with pytest.MonkeyPatch.context() as patch:
        with world_module.serving(
            patch, tmp_path_factory.mktemp('heat'),
            lambda database: {name: case.write(database)
                              for name, case in CASES.items()}) as made:
            yield made


def count(table, stack):
    return world_module.sql(
        f'SELECT count(*) FROM {table} WHERE stack_id = :id',
        id=stack.id)[0][0]


# The order of the tests counts: what is compared comes before what changes.

@pytest.mark.parametrize('name', CASES)
def test_operation_ends(world, name):
    case, stack = CASES[name], world.stack(name)
    if name in DELETED:
        stack.wait_deleted()
    else:
        stack.wait(case.state)
    assert world.log(name) == collections.Counter(case.done)
    assert count('sync_point', stack) == count('stack_lock', stack) == 0
    assert world_module.sql(
        'SELECT count(*) FROM resource WHERE stack_id = :id AND '
        'engine_id IS NOT NULL', id=stack.id) == [(0,)]


@pytest.mark.parametrize('name', REMAINING)
def test_what_was_done_before_is_kept(world, name):
    stack, rows = world.stack(name), world.rows[name].rows
    shown = stack.resources()
    for each in rows.values():
        if (each.status == 'COMPLETE' and each.action != 'INIT' and
                f'DELETE {each.name}' not in CASES[name].done):
            assert shown[each.name]['physical_resource_id'] == each.physical
    if name in interrupted.LEGACY:
        assert 'Engine went down during stack' in stack.show()[
            'stack_status_reason']
        assert not [one for one in shown.values()
                    if one['resource_status'].endswith('IN_PROGRESS')]


def test_snapshot_that_was_being_taken(world):
    stack = world.stack('snapshot')
    [snapshot] = stack.get('snapshots')['snapshots']
    assert snapshot['status'] == 'COMPLETE'
    kept = snapshot['data']['resources']
    assert set(kept) == set(interrupted.NAMES)
    # What Heat had stored of the first one is not taken again.
    assert kept['a']['resource_data']['kept'] == '1'


@pytest.mark.parametrize('name', ['snapshot', 'legacy-snapshot'])
def test_its_snapshot_can_be_deleted(world, name):
    stack = world.stack(name)
    [snapshot] = stack.get('snapshots')['snapshots']
    assert snapshot['status'] == stack.state.rpartition('_')[2]
    stack.request('DELETE', f'snapshots/{snapshot["id"]}', expect=204)
    rest.wait_for(lambda: not stack.get('snapshots')['snapshots'],
                  lambda: stack.get('snapshots'))


@pytest.mark.parametrize('name', [
    name for name in REMAINING if 'suspend' not in name])
def test_stack_is_updated(world, name):
    stack = world.stack(name)
    stack.updated(hot(interrupted.chain(('3', '3', '3'))))
    assert {one['resource_status'] for one in stack.resources().values()
            } <= {'CREATE_COMPLETE', 'UPDATE_COMPLETE'}
    before = world.log(name)
    # Nothing is done where nothing changes.
    stack.updated(hot(interrupted.chain(('3', '3', '3'))))
    assert world.log(name) == before


@pytest.mark.parametrize('name', REMAINING)
def test_stack_is_deleted(world, name):
    stack = world.stack(name)
    before = world.log(name)
    names = set(stack.resources())
    stack.deleted()
    assert world.log(name) - before == collections.Counter(
        f'DELETE {one}' for one in names)


def test_nothing_is_left(world):
    assert world.left() == {}
    db_api.purge_deleted(context.get_admin_context(), 0, 'seconds')
    for table in ('stack', 'raw_template', 'event', 'raw_template_files',
                  'resource_properties_data'):
        assert world_module.sql(f'SELECT * FROM {table}') == [], table
