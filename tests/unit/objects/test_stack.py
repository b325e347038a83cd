import datetime

from oslo_config import cfg
from oslo_utils import timeutils
import pytest

from heat.common import config  # noqa: F401 (registers options)
from heat.db import models
from heat.objects import raw_template
from heat.objects import resource
from heat.objects import stack
from heat.objects import stack_lock
from heat.objects import stack_tag
from heat.objects import transaction
from heat.objects import user_creds

Stack = stack.Stack


def names(stacks):
    return [one.name for one in stacks]


def test_created_stack_is_read_back(context, make_stack):
    made = make_stack(name='s', action='CREATE', status='COMPLETE',
                      current_deps={'edges': [[[1, True], None]]},
                      status_reason='done', timeout=60)
    read = Stack.get_by_id(context, made.id)
    assert read.current_deps == {'edges': [[[1, True], None]]}
    assert (read.name, read.action, read.status, read.status_reason) == (
        's', 'CREATE', 'COMPLETE', 'done')
    assert read.created_at is not None
    assert read.updated_at is None
    assert (read.backup, read.nested_depth, read.convergence) == (
        False, 0, False)
    assert made.timeout == read.timeout == 60


def test_unknown_stack_is_none(context):
    assert Stack.get_by_id(context, 'x') is None
    assert Stack.get_by_id(context, 'x', eager=True) is None
    assert Stack.get_status(context, 'x') is None
    assert Stack.get_root_id(context, 'x') is None
    assert Stack.update_by_id(context, 'x', {'status': 'FAILED'}) is False
    assert Stack.delete(context, 'x') is False


def test_template_comes_along_when_asked(context, a_stack):
    read = Stack.get_by_id(context, a_stack.id, eager=True)
    assert read.raw_template.template == {'resources': {}}
    assert Stack.get_by_id(context, a_stack.id).raw_template is None


@pytest.mark.parametrize(('project', 'is_admin', 'seen'), [
    ('project', False, True), ('users', False, True), ('other', False, False),
    ('other', True, True), (None, False, False)])
def test_who_sees_a_stack(make_context, make_stack, project, is_admin, seen):
    one = make_stack(stack_user_project_id='users')
    context = make_context(project, is_admin)
    assert (Stack.get_by_id(context, one.id) is not None) is seen
    assert (Stack.get_by_id(context, one.id, eager=True)
            is not None) is seen
    assert (Stack.get_status(context, one.id) is not None) is seen


def test_nobody_without_project_sees_stacks_without_user_project(
        make_context, make_stack):
    one = make_stack(stack_user_project_id=None)
    nobody = make_context(None)
    assert Stack.get_by_id(nobody, one.id) is None
    assert Stack.get_status(nobody, one.id) is None
    assert Stack.get_by_name(nobody, one.name) is None
    assert Stack.get_by_name_and_owner_id(nobody, one.name, None) is None
    assert Stack.get_all(nobody) == []
    assert Stack.count_all(nobody) == 0


def test_project_of_the_users_of_a_stack(context, make_stack):
    one = make_stack(stack_user_project_id='users')
    make_stack(tenant='other', stack_user_project_id='others')
    known = Stack.has_user_project
    assert known(context, 'project', 'users')
    assert not known(context, 'project', 'others')
    assert not known(context, 'other', 'users')
    assert not known(context, None, 'users')
    Stack.delete(context, one.id)
    assert not known(context, 'project', 'users')


def test_found_by_name(context, make_context, make_stack):
    make_stack('Name')
    other = make_stack('name')
    assert Stack.get_by_name(context, 'name').id == other.id
    assert Stack.get_by_name(context, 'NAME') is None
    assert Stack.get_by_name(make_context('other'), 'name') is None


def test_found_by_name_and_owner(context, make_stack):
    parent = make_stack('parent')
    child = make_stack('child', owner_id=parent.id)
    find = Stack.get_by_name_and_owner_id
    assert find(context, 'child', parent.id).id == child.id
    assert find(context, 'child', None) is None
    assert find(context, 'parent', None).id == parent.id


def test_deleted_stack_is_hidden_but_kept(context, make_stack):
    one = make_stack('gone')
    assert Stack.delete(context, one.id) is True
    assert Stack.delete(context, one.id) is False
    assert Stack.get_by_id(context, one.id) is None
    assert Stack.get_by_name(context, 'gone') is None
    assert Stack.get_all(context) == []
    read = Stack.get_by_id(context, one.id, show_deleted=True)
    assert read.deleted_at is not None
    assert names(Stack.get_all(context, show_deleted=True)) == ['gone']
    assert Stack.count_all(context, show_deleted=True) == 1


def forget_key(one):
    """Leave the row of a stack as earlier releases write it."""
    with transaction.writer(None) as connection:
        connection.execute(models.STACK.update().where(
            models.STACK.c.id == one.id), {'live_name_key': None})


def test_of_live_root_stacks_of_a_project_one_has_a_name(make_stack):
    root = make_stack('web')
    with pytest.raises(stack.StackConflict):
        make_stack('web')
    others = [make_stack('web', tenant='other'), make_stack('Web'),
              make_stack('web', owner_id=root.id),
              make_stack('web', owner_id=root.id)]
    assert len({one.id for one in [root, *others]}) == 5


def test_an_id_is_taken_once(make_stack):
    one = make_stack('web')
    with pytest.raises(stack.StackConflict):
        make_stack('db', id=one.id)


def test_name_is_free_once_its_stack_is_deleted(context, make_stack):
    for _time in range(3):
        Stack.delete(context, make_stack('web').id)
    assert Stack.get_by_name(context, 'web') is None


def test_refused_stack_leaves_nothing(context, make_stack):
    make_stack('web', tags=['first'])

    def write():
        template = raw_template.RawTemplate.create(
            context, {'template': {}, 'environment': {}})
        written.append(template.id)
        make_stack('web', tags=['second'])

    written = []
    with pytest.raises(stack.StackConflict):
        transaction.run(context, write)
    assert raw_template.RawTemplate.get_by_id(context, written[0]) is None
    [one] = Stack.get_all(context, eager_load=True)
    assert one.tags == ['first']


def test_duplicates_of_earlier_releases_live_on(context, make_stack):
    """Their rows have no key; each can be changed and deleted."""
    for _time in range(2):
        forget_key(make_stack('web'))
    first, second = Stack.get_all(context)
    assert Stack.update_by_id(context, first.id, {'status': 'COMPLETE'})
    assert Stack.delete(context, first.id)
    assert Stack.get_by_name(context, 'web').id == second.id


def test_name_held_by_a_deleted_stack_is_released(context, make_stack):
    """Engines of the previous release delete without freeing names."""
    one = make_stack('web')
    assert not Stack.release_name(context, 'project', 'web')
    Stack.update_by_id(context, one.id, {'deleted_at': timeutils.utcnow()})
    with pytest.raises(stack.StackConflict):
        make_stack('web')
    assert not Stack.release_name(context, 'other', 'web')
    assert Stack.release_name(context, 'project', 'web')
    make_stack('web')


def test_credentials_go_with_the_last_stack_that_has_them(
        context, make_stack):
    creds = user_creds.UserCreds.create(context)
    parent = make_stack(user_creds_id=creds.id)
    child = make_stack(user_creds_id=creds.id, owner_id=parent.id)
    Stack.delete(context, child.id)
    assert user_creds.UserCreds.get_by_id(context, creds.id) is not None
    Stack.delete(context, parent.id)
    assert user_creds.UserCreds.get_by_id(context, creds.id) is None
    for one in (parent, child):
        read = Stack.get_by_id(context, one.id, show_deleted=True)
        assert read.user_creds_id is None


def test_swap_looks_at_all_expected_columns(context, make_stack):
    one = make_stack(current_traversal='t1', action='CREATE')
    swap = Stack.select_and_update
    assert not swap(context, one.id, {'current_traversal': 't2'},
                    {'current_traversal': 't1', 'action': 'UPDATE'})
    assert not swap(context, one.id, {'current_traversal': 't2'},
                    {'current_traversal': None})
    assert swap(context, one.id, {'current_traversal': 't2'},
                {'current_traversal': 't1', 'updated_at': None})
    assert not swap(context, one.id, {'current_traversal': 't3'},
                    {'current_traversal': 't1'})
    # The same values again count as written.
    assert swap(context, one.id, {'current_traversal': 't2'},
                {'current_traversal': 't2'})
    assert Stack.get_by_id(context, one.id).current_traversal == 't2'


def begin_all(context, stacks, **expected):
    """Begin an operation with stacks; return how many were as expected."""
    return Stack.swap_many(
        context, {stack.id: {'current_traversal': 'new-%s' % stack.name,
                             'status': 'IN_PROGRESS'} for stack in stacks},
        {stack.id: {'action': 'CREATE', 'deleted_at': None,
                    'current_traversal': stack.current_traversal, **expected}
         for stack in stacks})


@pytest.mark.parametrize('traversals', [('x', 'y'), (None, None), ('', 'x')])
def test_stacks_alike_are_swapped_by_one_statement(context, make_stack,
                                                   traversals):
    stacks = [make_stack(name=name, action='CREATE', status='COMPLETE',
                         current_traversal=traversal)
              for name, traversal in zip('ab', traversals, strict=True)]
    before = transaction.counters()['statements']
    assert begin_all(context, stacks, status='COMPLETE') == 2
    assert transaction.counters()['statements'] - before == 1
    assert [Stack.get_by_id(context, stack.id).current_traversal
            for stack in stacks] == ['new-a', 'new-b']


@pytest.mark.parametrize('theirs', [
    {'status': 'FAILED'}, {'action': 'UPDATE'}, {'current_traversal': 'z'},
    {'current_traversal': None}])
@pytest.mark.parametrize('number', [1, 2])
def test_stack_that_has_gone_on_is_not_swapped(context, make_stack, theirs,
                                               number):
    stacks = [make_stack(name=name, action='CREATE', status='COMPLETE',
                         current_traversal=name) for name in 'ab'[:number]]
    Stack.update_by_id(context, stacks[0].id, theirs)
    assert begin_all(context, stacks, status='COMPLETE') == number - 1


def test_graphs_of_stacks_are_written_together(context, make_stack):
    stacks = [make_stack(), make_stack()]
    Stack.set_deps(context, {stack.id: {'edges': [[[number, True], None]]}
                             for number, stack in enumerate(stacks)})
    assert [Stack.get_by_id(context, stack.id).current_deps
            for stack in stacks] == [{'edges': [[[0, True], None]]},
                                     {'edges': [[[1, True], None]]}]


def test_status_is_read_alone(context, make_stack):
    when = datetime.datetime(2026, 1, 31, 12)
    one = make_stack(action='UPDATE', status='FAILED', status_reason='why',
                     updated_at=when)
    assert Stack.get_status(context, one.id) == (
        'UPDATE', 'FAILED', 'why', when)


def test_long_reasons_are_cut_to_what_mysql_holds(context, a_stack):
    Stack.update_by_id(context, a_stack.id, {'status_reason': 'ü' * 40000})
    reason = Stack.get_status(context, a_stack.id)[2]
    assert len(reason.encode()) <= 65535
    assert reason.startswith('üüü')
    assert reason.endswith('ü...')


def test_tree_is_walked_by_levels(context, make_stack):
    root = make_stack('root')
    children = [make_stack(f'c{i}', owner_id=root.id) for i in range(2)]
    leaf = make_stack('leaf', owner_id=children[1].id)
    make_stack('stranger')
    gone = make_stack('gone', owner_id=root.id)
    Stack.delete(context, gone.id)
    below = Stack.get_all_by_root_owner_id(context, root.id)
    assert sorted(names(below)) == ['c0', 'c1', 'leaf']
    assert below[-1].id == leaf.id
    assert sorted(names(Stack.get_all_by_owner_id(context, root.id))) == [
        'c0', 'c1']
    assert Stack.get_root_id(context, leaf.id) == root.id
    assert Stack.get_root_id(context, root.id) == root.id


def test_resources_of_a_tree_are_counted_by_name(context, make_stack):
    root = make_stack('root')
    child = make_stack('child', owner_id=root.id)
    backup = make_stack('root*', owner_id=root.id, backup=True)
    gone = make_stack('gone', owner_id=root.id)
    resource.Resource.create_many(context, [
        {'name': name, 'stack_id': owner.id, 'root_stack_id': root.id}
        for name, owner in [('a', root), ('a', root), ('b', root),
                            ('a', child), ('a', backup), ('a', gone)]])
    Stack.delete(context, gone.id)
    assert Stack.count_total_resources(context, root.id) == 3


def test_stacks_in_progress_by_driver(context, make_stack):
    running = make_stack(status='IN_PROGRESS', convergence=True)
    legacy = make_stack(status='IN_PROGRESS', convergence=False)
    make_stack(status='COMPLETE', convergence=True)
    gone = make_stack(status='IN_PROGRESS', convergence=True)
    Stack.delete(context, gone.id)
    assert Stack.get_ids_in_progress(context, True) == [running.id]
    assert Stack.get_ids_in_progress(context, False) == [legacy.id]


@pytest.fixture
def several(make_stack):
    for number, (name, status, tags) in enumerate([
            ('a', 'COMPLETE', ['red']), ('b', 'FAILED', ['red', 'blue']),
            ('c', 'COMPLETE', []), ('d', 'FAILED', ['blue', 'hidden'])]):
        make_stack(name, action='CREATE', status=status, tags=tags,
                   created_at=datetime.datetime(2026, 1, number + 1))
    parent = make_stack('p', tenant='other')
    make_stack('n', owner_id=parent.id, backup=False)
    make_stack('n*', owner_id=parent.id, backup=True)


def test_list_is_of_the_project_newest_first(context, admin, several):
    assert names(Stack.get_all(context)) == ['d', 'c', 'b', 'a']
    assert sorted(names(Stack.get_all(admin))) == ['a', 'b', 'c', 'd', 'p']
    assert names(Stack.get_all(admin, filters={'tenant': 'other'})) == ['p']


def test_nested_stacks_are_listed_when_asked_and_backups_never(
        context, several):
    assert sorted(names(Stack.get_all(context, show_nested=True))) == [
        'a', 'b', 'c', 'd', 'n']


@pytest.mark.parametrize(('wanted', 'expected'), [
    ({'tags': ['red']}, 'ab'), ({'tags': ['red', 'blue']}, 'b'),
    ({'tags_any': ['red', 'blue']}, 'abd'),
    ({'not_tags': ['red', 'blue']}, 'acd'),
    ({'not_tags_any': ['red', 'blue']}, 'c'),
    ({'tags': ['blue'], 'not_tags_any': ['red']}, 'd'),
    ({'filters': {'status': 'FAILED'}}, 'bd'),
    ({'filters': {'status': ['FAILED', 'COMPLETE'], 'name': 'a'}}, 'a'),
    ({'filters': {'colour': 'red'}}, 'abcd'),
])
def test_list_and_count_are_filtered(context, several, wanted, expected):
    found = Stack.get_all(context, sort_keys='stack_name', **wanted)
    assert ''.join(names(found)) == expected
    assert Stack.count_all(context, **wanted) == len(expected)


def test_hidden_tags_are_configured(context, several):
    cfg.CONF.set_override('hidden_stack_tags', ['hidden'])
    try:
        assert names(Stack.get_all(context)) == ['c', 'b', 'a']
        assert Stack.count_all(context) == 3
        assert names(Stack.get_all(context, show_hidden=True))[0] == 'd'
    finally:
        cfg.CONF.clear_override('hidden_stack_tags')


@pytest.mark.parametrize(('keys', 'direction', 'expected'), [
    (None, None, 'dcba'), (None, 'asc', 'abcd'),
    (['stack_name'], None, 'abcd'), (['stack_name'], 'desc', 'dcba'),
    (['stack_status', 'creation_time'], 'asc', 'acbd'),
    (['nonsense'], 'asc', 'abcd'),
])
def test_list_is_sorted_and_paged(context, several, keys, direction,
                                  expected):
    seen = ''
    marker = None
    while page := Stack.get_all(context, limit=3, sort_keys=keys,
                                sort_dir=direction, marker=marker):
        seen += ''.join(names(page))
        marker = page[-1].id
    assert seen == expected


def test_limit_of_zero_and_unknown_marker(context, several):
    assert Stack.get_all(context, limit=0) == []
    assert len(Stack.get_all(context, marker='unknown')) == 4


def test_marker_of_another_project_is_unknown(context, several, make_stack):
    foreign = make_stack('foreign', tenant='elsewhere')
    assert len(Stack.get_all(context, marker=foreign.id,
                             sort_dir='asc')) == 4


def test_tags_come_along_when_asked(context, several):
    tags = {one.name: one.tags
            for one in Stack.get_all(context, eager_load=True)}
    assert tags == {'a': ['red'], 'b': ['red', 'blue'], 'c': [],
                    'd': ['blue', 'hidden']}
    assert Stack.get_all(context)[0].tags is None


def test_tags_are_replaced(context, make_stack):
    one = make_stack(tags=['x', 'y'])
    Stack.set_tags(context, one.id, ['z'])
    assert Stack.tags_for(context, [one.id, 'other']) == {one.id: ['z']}
    Stack.set_tags(context, one.id, None)
    assert Stack.tags_for(context, [one.id]) == {}


def test_tags_as_a_record_of_their_own(context, a_stack):
    tags = stack_tag.StackTagList
    tags.set(context, a_stack.id, ['x'])
    assert tags.get(context, a_stack.id) == ['x']
    tags.delete(context, a_stack.id)
    assert tags.get(context, a_stack.id) == []


def test_lock_is_held_by_one(context, a_stack):
    lock = stack_lock.StackLock
    assert lock.get_engine_id(context, a_stack.id) is None
    assert lock.create(context, a_stack.id, 'one') is None
    assert lock.create(context, a_stack.id, 'two') == 'one'
    assert lock.create(context, a_stack.id, 'one') == 'one'
    assert lock.get_engine_id(context, a_stack.id) == 'one'
    assert lock.release(context, a_stack.id, 'two') is False
    assert lock.release(context, a_stack.id, 'one') is True
    assert lock.release(context, a_stack.id, 'one') is False


def test_lock_is_stolen_from_the_one_believed_to_hold_it(context, a_stack):
    lock = stack_lock.StackLock
    assert lock.steal(context, a_stack.id, 'one', 'two') is True
    lock.create(context, a_stack.id, 'one')
    assert lock.steal(context, a_stack.id, 'three', 'two') == 'one'
    assert lock.steal(context, a_stack.id, 'one', 'two') is None
    assert lock.get_engine_id(context, a_stack.id) == 'two'


def test_a_taken_lock_does_not_spoil_the_transaction(context, a_stack):
    from_inside = []

    def work():
        from_inside.append(stack_lock.StackLock.create(
            context, a_stack.id, 'two'))
        Stack.update_by_id(context, a_stack.id, {'status': 'FAILED'})

    stack_lock.StackLock.create(context, a_stack.id, 'one')
    stack.transaction.run(context, work)
    assert from_inside == ['one']
    assert Stack.get_by_id(context, a_stack.id).status == 'FAILED'


def test_final_state_needs_the_lock(context, a_stack):
    lock = stack_lock.StackLock
    finish = Stack.persist_state_and_release_lock
    lock.create(context, a_stack.id, 'one')
    assert not finish(context, a_stack.id, 'two', {'status': 'FAILED'})
    assert Stack.get_by_id(context, a_stack.id).status is None
    assert finish(context, a_stack.id, 'one', {'status': 'COMPLETE'})
    assert Stack.get_by_id(context, a_stack.id).status == 'COMPLETE'
    assert lock.get_engine_id(context, a_stack.id) is None


def test_final_state_of_another_action_is_not_written(context, a_stack):
    lock = stack_lock.StackLock
    Stack.update_by_id(context, a_stack.id, {
        'action': 'DELETE', 'status': 'IN_PROGRESS'})
    lock.create(context, a_stack.id, 'one')
    assert not Stack.persist_state_and_release_lock(
        context, a_stack.id, 'one',
        {'action': 'CREATE', 'status': 'FAILED', 'timeout': 7}, 'CREATE')
    row = Stack.get_by_id(context, a_stack.id)
    assert (row.action, row.status, row.timeout) == (
        'DELETE', 'IN_PROGRESS', 7)
    assert lock.get_engine_id(context, a_stack.id) is None


def test_which_of_some_stacks_are_in_progress(context, make_stack):
    running = make_stack(name='running', status='IN_PROGRESS')
    make_stack(name='unasked', status='IN_PROGRESS')
    gone = make_stack(name='gone', status='IN_PROGRESS')
    Stack.delete(context, gone.id)
    ended = make_stack(name='ended', status='COMPLETE')
    assert Stack.get_ids_in_progress_among(
        context, [running.id, gone.id, ended.id, 'unknown']) == [running.id]
    assert Stack.get_ids_in_progress_among(context, []) == []
