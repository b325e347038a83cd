from heat.objects import resource_snapshot
from heat.objects import snapshot

Snapshot = snapshot.Snapshot
ResourceSnapshot = resource_snapshot.ResourceSnapshot


def make(context, a_stack, **values):
    return Snapshot.create(context, {
        'stack_id': a_stack.id, 'tenant': 'project', 'name': 'before',
        **values})


def test_snapshot_is_read_back(context, make_context, a_stack):
    made = make(context, a_stack, data={'x': [1]}, action='CREATE',
                status='IN_PROGRESS', status_reason='r' * 300)
    read = Snapshot.get_by_id(context, made.id)
    assert (read.data, read.action, read.status) == (
        {'x': [1]}, 'CREATE', 'IN_PROGRESS')
    assert len(read.status_reason) == 255
    assert Snapshot.get_by_id(make_context('other'), made.id) is None
    assert Snapshot.get_by_id(make_context('other', True), made.id)
    find = Snapshot.get_snapshot_by_stack
    assert find(context, made.id, a_stack.id).id == made.id
    assert find(context, made.id, 'other') is None


def test_snapshots_of_a_stack(context, a_stack):
    made = [make(context, a_stack) for _ in range(2)]
    assert {one.id for one in Snapshot.get_all_by_stack(
        context, a_stack.id)} == {one.id for one in made}
    assert Snapshot.count_all_by_stack(context, a_stack.id) == 2
    assert Snapshot.update(context, made[0].id, {'status': 'COMPLETE'})
    assert Snapshot.get_by_id(context, made[0].id).status == 'COMPLETE'
    assert not Snapshot.update(context, 'x', {'status': 'COMPLETE'})


def test_resources_go_with_their_snapshot(context, a_stack):
    made = make(context, a_stack)
    one = ResourceSnapshot.create(context, {
        'snapshot_id': made.id, 'resource_name': 'b', 'data': {'k': 1}})
    ResourceSnapshot.create_many(context, [
        {'snapshot_id': made.id, 'resource_name': 'a', 'data': {}}])
    rows = ResourceSnapshot.get_all(context, made.id)
    assert {row.resource_name for row in rows} == {'a', 'b'}
    assert [row.data for row in rows if row.id == one] == [{'k': 1}]
    assert Snapshot.delete(context, made.id) is True
    assert ResourceSnapshot.get_all(context, made.id) == []
    assert Snapshot.delete(context, made.id) is False
