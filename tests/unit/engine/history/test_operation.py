"""Reading the last operation of a stack."""
from heat.engine.history import operation
from heat.objects import stack


def row_of(context, stack_id):
    return stack.Stack.get_by_id(context, stack_id, show_deleted=True)


def begin(make_event, stack_id, status='IN_PROGRESS', action='CREATE'):
    make_event(stack_id, 's', resource_type='OS::Heat::Stack',
               resource_action=action, resource_status=status,
               physical_resource_id=stack_id)


def paths(found):
    return [(each['path'], each['action']) for each in found['resources']]


def test_last_operation_only(context, make_stack, make_event):
    root = make_stack('s')
    assert operation.timeline_of(context, row_of(context, root), 0) is None
    begin(make_event, root)
    make_event(root, 'a', resource_status='IN_PROGRESS')
    make_event(root, 'a')
    begin(make_event, root, 'COMPLETE')
    begin(make_event, root, action='UPDATE')
    make_event(root, 'b', resource_status='IN_PROGRESS')
    found = operation.timeline_of(context, row_of(context, root), 0)
    assert (found['action'], found['status']) == ('UPDATE', 'IN_PROGRESS')
    assert paths(found) == [('b', 'CREATE')]


def test_depth_and_backups(context, make_stack, make_event, monkeypatch):
    monkeypatch.setattr(operation, '_PAGE', 2)
    root = make_stack('s')
    inner = make_stack('s-n', owner_id=root, parent_resource_name='n')
    deepest = make_stack('s-n-m', owner_id=inner, parent_resource_name='m')
    backup = make_stack('s*', owner_id=root, backup=True)
    begin(make_event, root)
    for stack_id, name in ((root, 'n'), (inner, 'm'), (deepest, 't')):
        make_event(stack_id, name, resource_status='IN_PROGRESS')
        make_event(stack_id, name)
    make_event(backup, 'old', resource_status='IN_PROGRESS',
               resource_action='DELETE')
    row = row_of(context, root)
    shallow = [('n', 'CREATE'), ('old', 'DELETE')]
    assert paths(operation.timeline_of(context, row, 0)) == shallow
    assert ('n/m', 'CREATE') in paths(operation.timeline_of(context, row, 1))
    assert ('n/m/t', 'CREATE') not in paths(
        operation.timeline_of(context, row, 1))
    assert ('n/m/t', 'CREATE') in paths(
        operation.timeline_of(context, row, 2))
