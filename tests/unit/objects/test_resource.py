import pytest

from heat.common import exception
from heat.db import models
from heat.db import session
from heat.objects import event
from heat.objects import resource
from heat.objects import resource_data
from heat.objects import resource_properties_data
from heat.objects import transaction

Resource = resource.Resource
ResourceData = resource_data.ResourceData
PropertiesData = resource_properties_data.ResourcePropertiesData


@pytest.fixture
def make(context, a_stack):
    def make(name='r', **values):
        return Resource.create(context, {
            'name': name, 'stack_id': a_stack.id,
            'root_stack_id': a_stack.id, **values})

    return make


def stored_properties(context):
    with session.reader(context) as connection:
        return {row.id: row.data for row in connection.execute(
            models.PROPERTIES_DATA.select())}


def test_created_resource_is_read_back(context, make):
    properties = PropertiesData.create(context, {'p': [1, {'x': None}]})
    attributes = PropertiesData.create(context, {'a': 'b'})
    made = make('r', action='CREATE', status='COMPLETE', status_reason='ok',
                physical_resource_id='phys', rsrc_metadata={'m': 1},
                requires={7, 3}, needed_by=[], replaces=5,
                rsrc_prop_data_id=properties, attr_data_id=attributes)
    read = Resource.get_obj(context, made.id)
    assert read.properties == {'p': [1, {'x': None}]}
    assert read.attributes == {'a': 'b'}
    assert read.data is None
    assert (read.requires, read.needed_by, read.replaces) == ([3, 7], [], 5)
    assert (read.physical_resource_id, read.rsrc_metadata) == (
        'phys', {'m': 1})
    assert read.uuid == made.uuid
    assert read.created_at is not None
    assert read.atomic_key is None


def test_found_by_number_and_uuid(context, make):
    made = make()
    assert Resource.get_obj(context, str(made.id)).id == made.id
    assert Resource.get_obj(context, made.uuid).id == made.id
    assert Resource.get_obj(context, made.id + 1) is None
    assert Resource.get_obj(context, 'nonsense') is None


def test_properties_of_old_rows_are_read(context, make):
    made = make()
    with session.writer(context) as connection:
        connection.execute(models.RESOURCE.update().values(
            properties_data={'old': 1}))
    assert Resource.get_obj(context, made.id).properties == {'old': 1}


def test_many_are_created_and_read_with_one_statement_each(
        context, a_stack):
    before = transaction.counters()
    ids = Resource.create_many(context, [
        {'name': f'r{number}', 'stack_id': a_stack.id, 'requires': [number]}
        for number in range(500)])
    read = Resource.get_many(context, reversed(ids))
    after = transaction.counters()
    assert after['statements'] - before['statements'] == 2
    assert [one.id for one in read] == ids
    assert [one.name for one in read] == [f'r{i}' for i in range(500)]
    assert len({one.uuid for one in read}) == 500


def test_of_one_name_the_newest_row_counts(context, make):
    old, new = make('r'), make('r')
    other = make('R')
    assert Resource.get_by_name_and_stack(
        context, 'r', old.stack_id).id == new.id
    assert Resource.get_by_name_and_stack(context, 'x', old.stack_id) is None
    found = Resource.get_all_by_stack(context, old.stack_id)
    assert {name: one.id for name, one in found.items()} == {
        'r': new.id, 'R': other.id}
    assert set(Resource.get_all_rows_by_stack(context, old.stack_id)) == {
        old.id, new.id, other.id}
    assert len(Resource.get_all(context)) == 3


def test_found_by_physical_id(context, make):
    made = make(physical_resource_id='phys')
    find = Resource.get_by_physical_resource_id
    assert find(context, 'phys').id == made.id
    assert find(context, 'phys', made.stack_id).id == made.id
    assert find(context, 'phys', 'other') is None
    assert find(context, 'PHYS') is None


def test_active_ones_are_all_but_deleted_ones(context, make):
    kept = [make(action=action, status=status) for action, status in [
        ('DELETE', 'FAILED'), ('CREATE', 'COMPLETE'), (None, None)]]
    # This one is deleted to be created again.
    kept.append(make(action='DELETE', status='COMPLETE', engine_id='e'))
    gone = make(action='DELETE', status='COMPLETE')
    ids = {one.id for one in kept}
    assert set(Resource.get_all_active_by_stack(
        context, gone.stack_id)) == ids
    assert set(Resource.get_all_active_of_stacks(
        context, [gone.stack_id])[gone.stack_id]) == ids


def test_resources_of_a_tree(context, make, make_stack):
    first = make('a', status='FAILED')
    child = make_stack('child', owner_id=first.stack_id)
    second = Resource.create(context, {
        'name': 'b', 'stack_id': child.id, 'root_stack_id': first.stack_id})
    root = first.stack_id
    assert set(Resource.get_all_by_root_stack(context, root)) == {
        first.id, second.id}
    assert set(Resource.get_all_by_root_stack(
        context, root, {'status': 'FAILED'})) == {first.id}
    assert Resource.get_all_by_root_stack(
        context, root, stack_id_only=True) == {
            first.id: root, second.id: child.id}
    assert Resource.get_all_stack_ids_by_root_stack(context, root) == {
        root, child.id}


def test_summaries_are_without_properties(context, make):
    made = make(rsrc_prop_data_id=PropertiesData.create(context, {'p': 1}))
    make('other', status='FAILED')
    summary = Resource.get_summaries(context, made.stack_id,
                                     {'name': ['r', 'x']})
    assert [one.id for one in summary] == [made.id]
    assert summary[0].properties is None
    assert Resource.get_summaries(context, []) == []


def test_swap_looks_at_owner_and_key(context, make):
    made = make(status='INIT')

    def swap(values, engine, key, status=None):
        return Resource.select_and_update(context, made.id, values, engine,
                                          key, status)

    assert not swap({'engine_id': 'one'}, None, 1)
    assert not swap({'engine_id': 'one'}, None, None, 'COMPLETE')
    assert swap({'engine_id': 'one', 'status': 'IN_PROGRESS'}, None, None)
    assert not swap({'engine_id': 'two'}, None, None)
    assert not swap({'engine_id': 'two'}, None, 1)
    assert not swap({'engine_id': None}, 'two', 1)
    assert swap({'engine_id': None, 'status_reason': 'x' * 70000}, 'one', 1,
                'IN_PROGRESS')
    read = Resource.get_obj(context, made.id)
    assert (read.engine_id, read.atomic_key) == (None, 2)
    assert len(read.status_reason) == 65535


def test_swap_is_one_statement(context, make):
    made = make()
    before = transaction.counters()['statements']
    Resource.select_and_update(context, made.id, {'status': 'X'}, None, None)
    assert transaction.counters()['statements'] - before == 1


def swaps(rows, engine='one', key=None, **values):
    return [resource.Swap(row.id, {
        'engine_id': engine, 'action': 'CREATE', 'requires': [row.id],
        'physical_resource_id': row.name, **values}, None, key)
        for row in rows]


def test_swaps_that_are_alike_are_one_statement(context, make):
    rows = [make(name) for name in 'abc']
    bystander = make('d')
    before = transaction.counters()['statements']
    assert Resource.swap_many(context, swaps(rows)) == []
    assert transaction.counters()['statements'] - before == 1
    for row in rows:
        read = Resource.get_obj(context, row.id)
        assert (read.engine_id, read.atomic_key, read.action) == (
            'one', 1, 'CREATE')
        assert (read.physical_resource_id, read.requires) == (
            row.name, [row.id])
    read = Resource.get_obj(context, bystander.id)
    assert (read.engine_id, read.action) == (None, None)


def test_swaps_of_rows_unlike_each_other(context, make):
    rows = [make('a'), make('b', atomic_key=4), make('c', atomic_key=4),
            make('d', engine_id='gone')]
    wanted = [
        *swaps(rows[:1], rsrc_metadata={'a': [1]}),
        *swaps(rows[1:3], key=4, status_reason='x' * 70000),
        resource.Swap(rows[3].id, {'engine_id': 'one'}, 'gone', None)]
    assert Resource.swap_many(context, wanted) == []
    read = [Resource.get_obj(context, row.id) for row in rows]
    assert [(row.engine_id, row.atomic_key) for row in read] == [
        ('one', 1), ('one', 5), ('one', 5), ('one', 1)]
    assert read[0].rsrc_metadata == {'a': [1]}
    assert len(read[1].status_reason) == 65535
    assert read[3].action is None


def test_values_of_shared_swaps_may_be_absent(context, make):
    rows = [make('a', physical_resource_id='x'), make('b')]
    assert Resource.swap_many(context, [
        resource.Swap(row.id, {'engine_id': None, 'rsrc_metadata': metadata,
                               'physical_resource_id': physical,
                               'replaced_by': number}, None, None)
        for row, metadata, physical, number in zip(
            rows, [None, {'m': 1}], [None, 'y'], [7, None],
            strict=True)]) == []
    read = [Resource.get_obj(context, row.id) for row in rows]
    assert [(row.rsrc_metadata, row.physical_resource_id, row.replaced_by)
            for row in read] == [(None, None, 7), ({'m': 1}, 'y', None)]


@pytest.mark.parametrize('theirs', [
    {'engine_id': 'two', 'atomic_key': 1}, {'atomic_key': 1},
    {'atomic_key': 7}, {'engine_id': 'two'}])
def test_lost_swaps_are_told(context, make, theirs):
    rows = [make(name) for name in 'abc']
    Resource.update_by_id(context, rows[1].id, theirs)
    wanted = swaps(rows)
    assert Resource.swap_many(context, wanted) == [wanted[1]]


def test_row_swapped_twice_counts_as_lost(context, make):
    row = make('a')
    assert Resource.swap_many(context, swaps([row, row]))


def test_rows_are_given_the_template_of_their_stack(
        context, make, make_stack, a_stack):
    other = make_stack()
    mine, theirs, left = make('a'), make('b', stack_id=other.id), make('c')
    Resource.set_templates(context, [mine.id, theirs.id], {
        a_stack.id: a_stack.raw_template_id,
        other.id: other.raw_template_id})
    assert [Resource.get_obj(context, row.id).current_template_id
            for row in (mine, theirs, left)] == [
        a_stack.raw_template_id, other.raw_template_id, None]


def test_lost_swap_sees_what_the_winner_wrote(context, make):
    made = make()
    seen = []

    def work():
        # In the same transaction, after the row was read once.
        Resource.get_obj(context, made.id)
        if not Resource.select_and_update(
                context, made.id, {'engine_id': 'two'}, None, None):
            seen.append(Resource.get_obj(context, made.id).engine_id)

    Resource.select_and_update(context, made.id, {'engine_id': 'one'},
                               None, None)
    transaction.run(context, work)
    assert seen == ['one']


def test_replacement_links_both_rows(context, make):
    made = make(atomic_key=4, engine_id='one')
    new = {'name': 'r', 'stack_id': made.stack_id, 'requires': {2, 1}}
    assert Resource.replacement(context, made.id, new, 3, 'one') is None
    assert Resource.replacement(context, made.id, new, 4) is None
    assert len(Resource.get_all(context)) == 1
    new_id = Resource.replacement(context, made.id, new, 4, 'one',
                                  {'engine_id': None})
    old = Resource.get_obj(context, made.id)
    assert (old.replaced_by, old.atomic_key, old.engine_id) == (
        new_id, 5, None)
    replacement = Resource.get_obj(context, new_id)
    assert (replacement.replaces, replacement.requires) == (
        made.id, [1, 2])


def test_update_by_id(context, make):
    made = make()
    assert Resource.update_by_id(context, made.id, {'needed_by': {9, 8}})
    assert Resource.get_obj(context, made.id).needed_by == [8, 9]
    assert not Resource.update_by_id(context, 99, {'status': 'X'})


def test_deleting_takes_along_what_nobody_else_needs(context, make):
    shared = PropertiesData.create(context, {'shared': 1})
    ours = PropertiesData.create(context, {'ours': 1})
    seen = PropertiesData.create(context, {'seen': 1})
    first = make('a', rsrc_prop_data_id=shared, attr_data_id=ours)
    second = make('b', rsrc_prop_data_id=shared)
    third = make('c', rsrc_prop_data_id=seen)
    event.Event.create(context, {'stack_id': third.stack_id,
                                 'rsrc_prop_data_id': seen})
    ResourceData.set(context, first.id, 'k', 'v')
    assert Resource.delete(context, first.id) is True
    assert Resource.delete(context, first.id) is False
    assert set(stored_properties(context)) == {shared, seen}
    assert Resource.delete_many(context, [second.id, third.id, 99]) == 2
    assert set(stored_properties(context)) == {seen}


def test_purging_a_stack_leaves_others(context, make, make_stack):
    other = make_stack('other')
    kept = Resource.create(context, {'name': 'x', 'stack_id': other.id})
    ids = [make(f'r{number}').id for number in range(3)]
    for one in ids:
        ResourceData.set(context, one, 'k', 'v')
    stack_id = Resource.get_obj(context, ids[0]).stack_id
    assert Resource.purge_for_stack(context, stack_id) == 3
    assert [one.id for one in Resource.get_all(context)] == [kept.id]


def test_row_numbers_do_not_come_back(context, make):
    made = make()
    Resource.delete(context, made.id)
    assert make().id > made.id


def test_claims_are_of_running_convergence_stacks(context, make_stack):
    running = make_stack(status='IN_PROGRESS', convergence=True)
    for one in (running, make_stack(status='COMPLETE', convergence=True),
                make_stack(status='IN_PROGRESS', convergence=False)):
        Resource.create_many(context, [
            {'name': 'held', 'stack_id': one.id, 'engine_id': 'e'},
            {'name': 'free', 'stack_id': one.id}])
    held = Resource.get_by_name_and_stack(context, 'held', running.id)
    assert Resource.claims(context) == [(held.id, running.id, 'e')]


def test_data_is_kept_by_key(context, make):
    made, other = make('a'), make('b')
    ResourceData.set(context, made.id, 'k', 'v')
    ResourceData.set(context, made.id, 'secret', 'geheim', redact=True)
    ResourceData.set(context, made.id, 'k', 'changed')
    ResourceData.create_many(context, [(other.id, 'x', ('1', False)),
                                       (other.id, 'y', ('2', True))])
    assert ResourceData.get_all(context, made.id) == {
        'k': 'changed', 'secret': 'geheim'}
    assert ResourceData.get_all_many(context, [made.id, other.id])[
        other.id] == {'x': '1', 'y': '2'}
    ResourceData.replace_many(context, [(other.id, 'x', ('3', True)),
                                        (made.id, 'x', ('4', False))])
    assert ResourceData.get_all(context, other.id) == {'x': '3', 'y': '2'}
    assert ResourceData.get_val(context, made.id, 'x') == '4'
    assert ResourceData.get_val(context, made.id, 'secret') == 'geheim'
    assert ResourceData.delete(context, made.id, 'k') is True
    assert ResourceData.delete(context, made.id, 'k') is False
    with pytest.raises(exception.NotFound, match='"k"'):
        ResourceData.get_val(context, made.id, 'k')


def test_redacted_data_is_ciphertext_in_the_table(context, make):
    made = make()
    ResourceData.set(context, made.id, 'secret', 'geheim', redact=True)
    with session.reader(context) as connection:
        row = connection.execute(models.RESOURCE_DATA.select()).one()
    assert row.value != 'geheim'
    assert row.decrypt_method == 'cryptography_decrypt_v1'


def test_data_comes_along_when_asked(context, make):
    made, bare = make('a'), make('b')
    ResourceData.set(context, made.id, 'k', 'v')
    assert Resource.get_obj(context, made.id,
                            with_data=True).data == {'k': 'v'}
    found = Resource.get_all_by_stack(context, made.stack_id, with_data=True)
    assert (found['a'].data, found['b'].data) == ({'k': 'v'}, {})
    assert [one.data for one in Resource.get_many(
        context, [made.id, bare.id], with_data=True)] == [{'k': 'v'}, {}]


def test_properties_are_encrypted_as_configured(context, encrypting):
    data = {'text': 'x', 'list': [1, None], 'none': None}
    data_id = PropertiesData.create(context, data)
    plain_id = PropertiesData.create(context, data, encrypt=False)
    stored = stored_properties(context)
    assert stored[plain_id] == data
    assert set(stored[data_id]) == set(data)
    assert stored[data_id]['text'][0] == 'cryptography_decrypt_v1'
    assert PropertiesData.get_by_id(context, data_id).data == data
    PropertiesData.update(context, data_id, {'new': 1}, encrypt=False)
    assert stored_properties(context)[data_id] == {'new': 1}
    assert PropertiesData.get_by_id(context, 99) is None


def test_unused_properties_are_deleted(context, make):
    used, unused = PropertiesData.create_many(context, [{'a': 1}, {'b': 1}])
    make(rsrc_prop_data_id=used)
    PropertiesData.delete_unused(context, [used, unused])
    assert set(stored_properties(context)) == {used}
