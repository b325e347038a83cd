"""What is read together of the stacks inside a stack, and of those beside."""
from concurrent import futures
import threading
import time

import pytest

from heat.engine import template
from heat.engine.stacks import rows as stack_rows
from heat.engine.stacks import template_store
from heat.objects import raw_template
from heat.objects import resource as resource_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.FakeStack({}).context


def make(context, name, owner_id=None, tags=()):
    return stack_objects.Stack.create(context, {
        'name': name, 'raw_template_id': 1, 'owner_id': owner_id,
        'disable_rollback': True, 'tenant': 'p', 'tags': tags}).id


@pytest.fixture
def parents(context):
    """Return {parent: its children} of three stacks."""
    found = {}
    for parent in 'abc':
        parent_id = make(context, parent)
        found[parent_id] = [make(context, f'{parent}{number}', parent_id,
                                 ['t'] if number else ())
                            for number in range(2)]
    return found


@pytest.fixture
def resources(context):
    """Return the id of a stack of three resources, one of them replaced."""
    stack_id = make(context, 's')
    for number, name in enumerate('abca'):
        resource_objects.Resource.create(context, {
            'stack_id': stack_id, 'name': name, 'action': 'CREATE',
            'status': 'COMPLETE', 'physical_resource_id': str(number),
            'root_stack_id': stack_id})
    return stack_id


def physical(row):
    return row and row.physical_resource_id


def test_a_few_rows_are_read_by_their_names(context, resources, monkeypatch):
    read = []
    select = resource_objects.Resource.get_all_active_by_stack.__func__

    def counting(cls, *args, **kwargs):
        found = select(cls, *args, **kwargs)
        read.append(len(found))
        return found

    monkeypatch.setattr(resource_objects.Resource, 'get_all_active_by_stack',
                        classmethod(counting))
    rows = stack_rows.StackRows(context, resources)
    rows.expect(['a', 'none'])
    assert (physical(rows.get('a')), rows.get('none')) == ('3', None)
    rows.expect(['a', 'b'])
    assert physical(rows.get('b')) == '1'
    assert read == [2, 1]
    known = rows.get('a')
    assert physical(rows.get('c')) == '2'
    assert set(rows.by_name()) == {'a', 'b', 'c'}
    assert rows.get('a') is known
    assert read == [2, 1, 4]
    rows.expect(['none'])
    assert len(read) == 3
    rows.forget()
    assert rows.get('a') is not known


def test_many_rows_are_read_at_once(context, resources):
    rows = stack_rows.StackRows(context, resources)
    before = transaction.counters()['statements']
    rows.expect(map(str, range(101)))
    assert transaction.counters()['statements'] == before
    assert physical(rows.get('b')) == '1'


def test_rows_are_read_at_once_when_names_come_one_by_one(context, resources):
    rows = stack_rows.StackRows(context, resources)
    before = transaction.counters()['statements']
    for number in range(30):
        rows.expect([str(number)])
        assert rows.get(str(number)) is None
    assert rows.by_name().keys() == set('abc')
    assert transaction.counters()['statements'] - before == 5


def test_what_requires_a_row_is_known_from_rows_or_read(context, resources):
    objects = resource_objects.Resource
    ids = {row.name: row.id for row in objects.get_all_active_by_stack(
        context, resources).values()}
    objects.update_by_id(context, ids['b'], {'requires': [ids['c']]})
    # Its digits are in the list, but not the id.
    objects.update_by_id(context, ids['a'], {
        'requires': [ids['c'] * 10 + 1, ids['b']]})
    alone = stack_rows.StackRows(context, resources)
    before = transaction.counters()['statements']
    assert alone.names_requiring(ids['c']) == ['b']
    assert transaction.counters()['statements'] == before + 1
    assert alone.names_requiring(ids['b']) == ['a']
    read = stack_rows.StackRows(context, resources)
    read.by_name()
    before = transaction.counters()['statements']
    assert [read.names_requiring(ids[name]) for name in 'abc'] == [
        [], ['a'], ['b']]
    assert transaction.counters()['statements'] == before
    read.forget()
    objects.update_by_id(context, ids['b'], {'requires': []})
    read.by_name()
    assert read.names_requiring(ids['c']) == []


def test_child_is_given_once(context, parents):
    parent_id, [child_id, _other] = next(iter(parents.items()))
    rows = stack_rows.ChildRows(context, parent_id)
    assert rows.take(child_id).name == 'a0'
    assert rows.take(child_id) is None
    [left] = rows.next(9, child_id)
    assert (left.name, left.tags) == ('a1', ['t'])


def test_families_are_read_together(context, parents):
    families = stack_rows.Families(list(parents))
    before = transaction.counters()['statements']
    for parent_id, children in parents.items():
        rows = stack_rows.ChildRows(context, parent_id, families)
        assert [rows.take(child_id).owner_id for child_id in children] == [
            parent_id] * 2
    assert transaction.counters()['statements'] - before == 2


def test_those_inside_other_stacks_are_next(context, parents):
    families = stack_rows.Families(list(parents))
    parent_id, children = next(iter(parents.items()))
    rows = stack_rows.ChildRows(context, parent_id, families)
    rows.take(children[0])
    assert [row.name for row in rows.next(3, children[0])] == [
        'a1', 'b0', 'b1']
    assert len(rows.next(9, children[0])) == 5


def test_those_behind_a_child_are_next(context):
    parent_id = make(context, 'p')
    ids = {name: stack_objects.Stack.create(context, {
        'name': name, 'raw_template_id': 1, 'owner_id': parent_id,
        'disable_rollback': True, 'tenant': 'p',
        'parent_resource_name': name}).id for name in 'edcbaz'}
    rows = stack_rows.ChildRows(context, parent_id)
    assert rows.take(ids['b'], 'abcde').name == 'b'
    rows.take(ids['d'])
    # Another engine, or a thread, takes what is before it.
    assert [row.name for row in rows.next(2, ids['b'])] == ['c', 'e']
    assert [row.name for row in rows.next(9, ids['e'])] == ['z']
    assert rows.next(9, ids['z']) == []


def test_families_are_read_so_many_at_a_time(context, parents, monkeypatch):
    monkeypatch.setattr(stack_rows, '_FAMILIES_TOGETHER', 2)
    families = stack_rows.Families(list(parents))
    before = transaction.counters()['statements']
    assert [sorted(families.take(context, parent_id)) for parent_id in
            parents] == [sorted(children) for children in parents.values()]
    assert transaction.counters()['statements'] - before == 4


def test_family_that_was_taken_is_read_again(context, parents):
    families = stack_rows.Families(list(parents))
    parent_id, children = next(iter(parents.items()))
    families.take(context, parent_id)
    stack_objects.Stack.delete(context, children[0])
    assert list(families.take(context, parent_id)) == children[1:]


def test_templates_of_what_is_next_are_read_with_the_first(context, parents):
    tmpl_ids = [template_store.store(context, template.Template(
        {'heat_template_version': '2018-08-31'})) for _time in range(4)]
    template_store.forget_all()

    def statements(*wanted):
        before = transaction.counters()['statements']
        template_store.know(context, list(wanted))
        return transaction.counters()['statements'] - before

    assert statements(*tmpl_ids[:3]) == 1
    # Nor is the next one read alone as soon as it comes in sight.
    assert statements(*tmpl_ids[1:]) == 0
    assert statements(tmpl_ids[3], tmpl_ids[0]) == 1
    before = transaction.counters()['statements']
    for one in tmpl_ids[1:]:
        assert template_store.parsed(context, one).id == one
    assert transaction.counters()['statements'] == before


def test_templates_that_are_needed_meanwhile_are_read_together(
        context, monkeypatch):
    tmpl_ids = [template_store.store(context, template.Template(
        {'heat_template_version': '2018-08-31'})) for _time in range(21)]
    template_store.forget_all()
    asked, reading, go_on = [], threading.Event(), threading.Event()
    read = raw_template.RawTemplate.get_many

    def get_many(cnxt, ids, known=None):
        asked.append(set(ids))
        reading.set()
        assert go_on.wait(60)
        return read(cnxt, ids, known)

    def need(template_id):
        template_store.know(context, [template_id])

    monkeypatch.setattr(raw_template.RawTemplate, 'get_many', get_many)
    with futures.ThreadPoolExecutor(len(tmpl_ids)) as pool:
        tasks = [pool.submit(need, tmpl_ids[0])]
        assert reading.wait(60)
        tasks += [pool.submit(need, one) for one in tmpl_ids[1:]]
        while len(template_store._needed) < len(tmpl_ids):
            time.sleep(0.001)
        go_on.set()
        for task in tasks:
            task.result(60)
    assert asked == [{tmpl_ids[0]}, set(tmpl_ids[1:])]
    assert not template_store._needed


def test_who_has_a_template_does_not_wait_for_those_of_others(
        context, monkeypatch):
    first, second = (template_store.store(context, template.Template(
        {'heat_template_version': '2018-08-31'})) for _time in range(2))
    template_store.forget_all()
    going = {first: threading.Event(), second: threading.Event()}
    begun = {first: threading.Event(), second: threading.Event()}
    read = raw_template.RawTemplate.get_many

    def get_many(cnxt, ids, known=None):
        [wanted] = ids
        begun[wanted].set()
        assert going[wanted].wait(60)
        return read(cnxt, ids, known)

    def need(template_id):
        template_store.know(context, [template_id])

    monkeypatch.setattr(raw_template.RawTemplate, 'get_many', get_many)
    with futures.ThreadPoolExecutor(4) as pool:
        reader = pool.submit(need, first)
        assert begun[first].wait(60)
        other = pool.submit(need, second)
        while len(template_store._needed) < 2:
            time.sleep(0.001)
        same = pool.submit(need, first)
        going[first].set()
        assert begun[second].wait(60)
        reader.result(60)
        # The second template is still being read.
        same.result(60)
        going[second].set()
        other.result(60)
    assert not template_store._needed


def test_template_that_could_not_be_read_is_read_when_it_can_be(
        context, monkeypatch):
    def get_many(*_args):
        raise ConnectionError('no database')

    template_id = template_store.store(context, template.Template(
        {'heat_template_version': '2018-08-31'}))
    template_store.forget_all()
    with monkeypatch.context() as patch:
        patch.setattr(raw_template.RawTemplate, 'get_many', get_many)
        with pytest.raises(ConnectionError):
            template_store.know(context, [template_id])
    template_store.know(context, [template_id])
    assert not template_store._needed
    assert template_store.parsed(context, template_id).id == template_id


def test_files_that_are_in_use_are_not_read_again(context):
    first = template.Template({'heat_template_version': '2018-08-31'},
                              files={'f': 'text'})
    template_store.store(context, first)
    more = [template_store.store(context, template.Template(
        first.t, files=first.files)) for _time in range(4)]

    def statements(*wanted):
        before = transaction.counters()['statements']
        template_store.know(context, list(wanted))
        return transaction.counters()['statements'] - before

    template_store.forget_all()
    assert statements(*more[:2]) == 2
    assert statements(*more[2:]) == 1
    known = [template_store.parsed(context, one) for one in more]
    assert {tuple(one.files.items()) for one in known} == {(('f', 'text'),)}
    assert {one.files.files_id for one in known} == {first.files.files_id}


def test_a_large_template_does_not_push_out_what_is_next(context):
    large = template.Template({
        'heat_template_version': '2018-08-31', 'resources': {
            f'r{number}': {'type': 'OS::Heat::None'} for number in range(
                template_store.CACHED_RESOURCES)}})
    small = [template_store.store(context, template.Template({
        'heat_template_version': '2018-08-31',
        'resources': {'r': {'type': 'OS::Heat::None'}}}))
        for _time in range(8)]
    template_store.forget_all()
    template_store.know(context, small)
    template_store.store(context, large, share=True)
    before = transaction.counters()['statements']
    for one in small:
        template_store.parsed(context, one)
    assert transaction.counters()['statements'] == before
