"""Which stacks may be deleted, and which resources can be left."""
import pytest

from heat.common import exception
from heat.common import protection_errors
from heat.engine.rpc import protection
from heat.objects import raw_template as template_objects
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import stack_protection
from tests.fakes import database
from tests.fakes import stack as fake_stack

Protection = stack_protection.StackProtection


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.context(project_id='project')


def make(context, name, owner=None, resources=(), **columns):
    raw = template_objects.RawTemplate.create(
        context, {'template': {}, 'files': {}, 'environment': {}})
    row = stack_objects.Stack.create(context, {
        'name': name, 'raw_template_id': raw.id, 'tenant': 'project',
        'action': 'CREATE', 'status': 'COMPLETE', 'disable_rollback': True,
        'owner_id': owner and owner.id, **columns})
    for each in resources:
        resource_objects.Resource.create(context, {
            'stack_id': row.id, 'name': each, 'action': 'CREATE',
            'status': 'COMPLETE', 'current_template_id': raw.id})
    return row


@pytest.fixture
def tree(context):
    root = make(context, 'root', resources=['a', 'n'])
    nested = make(context, 'root-n', root, ['t', 'm'],
                  parent_resource_name='n')
    inner = make(context, 'root-n-m', nested, ['x'],
                 parent_resource_name='m')
    return root, nested, inner


def test_a_tree_has_the_protection_of_its_root(context, tree):
    for row in tree:
        protection.require_deletable(context, row)
    Protection.set(context, tree[0].id, {'termination': True})
    for row in tree:
        with pytest.raises(protection_errors.StackProtected) as raised:
            protection.require_deletable(context, row)
        assert f'Stack {row.name} ' in str(raised.value)
        assert 'stack root,' in str(raised.value)
    Protection.set(context, tree[0].id, {'termination': False})
    protection.require_deletable(context, tree[2])


def test_other_values_stay(context, tree):
    Protection.set(context, tree[0].id, {'retained': ['a']})
    protection.protect_new(context, tree[0].id, {
        'termination_protection': True})
    protection.protect_new(context, tree[1].id, {
        'termination_protection': False})
    assert Protection.get(context, tree[0].id) == Protection(
        tree[0].id, True, None, ['a'])
    assert Protection.get(context, tree[1].id) == Protection(tree[1].id)


def test_protected_stacks_of_a_project(context, tree):
    other = make(context, 'other', tenant='elsewhere')
    gone = make(context, 'gone')
    for row in (tree[0], other, gone):
        Protection.set(context, row.id, {'termination': True})
    stack_objects.Stack.delete(context, gone.id)
    assert Protection.get_protected_ids(context, 'project') == [tree[0].id]


@pytest.mark.parametrize('paths', [
    None, [], ['a'], ['n'], ['n/t', 'a'], ['n/m/x', 'n/m', 'n']])
def test_paths_to_resources(context, tree, paths):
    assert protection.retained_paths(context, tree[0], paths) == frozenset(
        paths or ())


@pytest.mark.parametrize(('path', 'named'), [
    ('', '()'), ('b', '(b)'), ('a/', '(a/)'), ('a/t', '(a/t)'),
    ('n/', '(n/)'), ('n/m/y', '(n/m/y)'), ('/a', '()'), ('n//t', '(n/)')])
def test_paths_to_nothing(context, tree, path, named):
    with pytest.raises(exception.ResourceNotFound) as raised:
        protection.retained_paths(context, tree[0], ['a', path])
    assert named in str(raised.value)


def test_a_deletion_that_runs_takes_no_paths(context):
    row = make(context, 'busy', resources=['a'], action='DELETE',
               status='IN_PROGRESS')
    assert protection.retained_paths(context, row, []) == frozenset()
    with pytest.raises(exception.ActionInProgress):
        protection.retained_paths(context, row, ['a'])
