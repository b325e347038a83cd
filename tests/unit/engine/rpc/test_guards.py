"""Whose stacks an RPC call may find."""
import pytest

from heat.common import exception
from heat.engine.rpc import guards
from heat.objects import raw_template as template_objects
from heat.objects import stack as stack_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def row(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    context = fake_stack.context()
    raw = template_objects.RawTemplate.create(
        context, {'template': {}, 'files': {}, 'environment': {}})
    return stack_objects.Stack.create(context, {
        'name': 'st', 'raw_template_id': raw.id, 'tenant': 'project',
        'action': 'CREATE', 'status': 'COMPLETE', 'status_reason': '',
        'disable_rollback': True, 'stack_user_project_id': 'users'})


def find(row, project, tenant='project', **kwargs):
    return guards.find_stack(
        fake_stack.context(project_id=project, **kwargs),
        {'tenant': tenant, 'stack_name': 'st', 'stack_id': row.id,
         'path': ''})


def test_owner_and_users_of_a_stack_find_it(row):
    assert find(row, 'project').id == row.id
    # By a signed URL, which names the stack, and by that of the REST API.
    assert find(row, 'users').id == row.id
    assert find(row, 'users', tenant='users').id == row.id
    assert find(row, 'other', is_admin=True).id == row.id


def test_others_do_not(row):
    with pytest.raises(exception.InvalidTenant):
        find(row, 'other')
    with pytest.raises(exception.EntityNotFound):
        find(row, 'other', tenant='other')


@pytest.mark.parametrize(('status', 'shown'), [
    ('COMPLETE', None), ('IN_PROGRESS', {'edges': []}),
    ('FAILED', {'edges': []})])
def test_graph_is_read_where_an_operation_needs_it(row, status, shown):
    stack_objects.Stack.update_by_id(fake_stack.context(), row.id, {
        'status': status, 'current_deps': {'edges': []}})
    identity = {'tenant': 'project', 'stack_name': 'st', 'stack_id': row.id,
                'path': ''}
    context = fake_stack.context(project_id='project')
    assert guards.find_stack(context, identity).current_deps == shown
    # Who sees what is deleted changes nothing.
    assert guards.find_stack(context, identity,
                             show_deleted=True).current_deps is None
    assert guards.find_by_name(context, 'st').current_deps is None
    assert guards.find_by_name(context, row.id).current_deps is None
