"""What Heat left behind in MariaDB and PostgreSQL comes to its end."""
import collections

import pytest

from heat.common import context
from heat.db import api as db_api
from tests.fakes import servers
from tests.functional.takeover import interrupted
from tests.functional.takeover import test_trees as trees
from tests.functional.takeover import world as world_module
from tests.functional.templates import hot

_ALL = {**interrupted.CASES, **interrupted.LEGACY}
CASES = {name: _ALL[name] for name in (
    'create', 'update', 'replace', 'rollback', 'delete', 'snapshot',
    'legacy-update', 'legacy-delete')}
TREES = ('create', 'update', 'delete', 'create-legacy')


@pytest.fixture(scope='module', params=['mysql', 'postgresql'])
def world(request, tmp_path_factory):
    """Return the service on a database server of each kind."""
    server = servers.Server(request.param)
    url = server.create()
    try:
        with pytest.MonkeyPatch.context() as patch:
            made = world_module.World(
                patch, tmp_path_factory.mktemp('heat'), _write, url)
            made.start()
            yield made
            made.stop()
    finally:
        server.drop(url)


def _write(database):
    return {
        **{name: case.write(database) for name, case in CASES.items()},
        **{f'tree-{name}': trees.write(database, f'tree-{name}',
                                       *trees.CASES[name])
           for name in TREES}}


# The order of the tests counts.

@pytest.mark.parametrize('name', CASES)
def test_operation_ends(world, name):
    stack = world.stack(name)
    if name.endswith('delete'):
        stack.wait_deleted()
    else:
        stack.wait(CASES[name].state)
    assert world.log(name) == collections.Counter(CASES[name].done)


@pytest.mark.parametrize('name', TREES)
def test_tree_ends(world, name):
    stack = world.stack(f'tree-{name}')
    action, convergence, _ended = trees.CASES[name]
    if action == 'DELETE':
        stack.wait_deleted()
    else:
        stack.wait(f'{action}_{"COMPLETE" if convergence else "FAILED"}')


def test_stacks_are_updated_and_deleted(world):
    names = [*CASES, *(f'tree-{name}' for name in TREES)]
    for name in names:
        if 'delete' in name:
            continue
        stack = world.stack(name)
        stack.updated(hot(trees.tree('3') if name.startswith('tree') else
                          interrupted.chain(('3', '3', '3'))))
        stack.deleted()
    assert world.left() == {}
    db_api.purge_deleted(context.get_admin_context(), 0, 'seconds')
    for table in ('stack', 'raw_template', 'event', 'raw_template_files',
                  'resource_properties_data'):
        assert world_module.sql(f'SELECT * FROM {table}') == [], table
