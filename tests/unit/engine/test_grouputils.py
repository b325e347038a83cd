"""The members of a group, as the group and other engines see them."""
import datetime

import pytest

from heat.common import exception
from heat.engine import grouputils
from heat.objects import resource as resource_objects
from tests.fakes import stacks

GROUP = """
resources:
  g:
    type: OS::Heat::ResourceGroup
    properties:
      count: 3
      resource_def: {type: Test::Thing, properties: {value: "v%index%"}}
"""
EPOCH = datetime.datetime(2026, 1, 1)


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


@pytest.fixture
def stack(engine):
    """Return a stack with a group; "2" is the oldest member, "1" failed."""
    stack = engine.create(GROUP)
    for age, name in enumerate('201'):
        row = member(engine, stack, name)
        resource_objects.Resource.update_by_id(engine.context, row.id, {
            'created_at': EPOCH + datetime.timedelta(seconds=age)})
    change(engine, stack, '1', status='FAILED')
    return engine.reload(stack)


def member(engine, stack, name):
    return resource_objects.Resource.get_by_name_and_stack(
        engine.context, name, stack['g'].resource_id)


def change(engine, stack, name, **values):
    resource_objects.Resource.update_by_id(
        engine.context, member(engine, stack, name).id, values)


def test_members_to_be_dropped_first_come_first(stack):
    inspector = grouputils.GroupInspector.from_parent_resource(stack['g'])
    assert list(inspector.member_names(include_failed=True)) == [
        '1', '2', '0']
    assert list(inspector.member_names(include_failed=False)) == ['2', '0']
    assert [each.name for each in grouputils.get_members(
        stack['g'], include_failed=True)] == ['1', '2', '0']
    assert grouputils.get_member_names(stack['g']) == ['2', '0']


def test_size(stack):
    assert grouputils.get_size(stack['g']) == 2
    assert grouputils.get_size(stack['g'], include_failed=True) == 3


def test_members_that_go_away_do_not_count(engine, stack):
    change(engine, stack, '2', action='DELETE', status='COMPLETE')
    change(engine, stack, '0', replaced_by=99)
    stack = engine.reload(stack)
    inspector = grouputils.GroupInspector.from_parent_resource(stack['g'])
    assert list(inspector.member_names(include_failed=True)) == ['1']


def test_group_without_a_stack_has_no_members(engine):
    group = engine.stack(GROUP)['g']
    assert grouputils.get_size(group) == 0
    assert grouputils.get_members(group) == []
    assert grouputils.get_member_refids(group) == []
    assert grouputils.get_member_definitions(group) == []
    inspector = grouputils.GroupInspector(engine.context, None, None)
    assert inspector.size(include_failed=True) == 0
    assert inspector.template() is None


def test_definitions_of_members(stack):
    found = grouputils.get_member_definitions(stack['g'])
    assert [name for name, _definition in found] == ['2', '0']
    assert {definition.resource_type for _name, definition in found} == {
        'Test::Thing'}


def test_reference_ids_of_members(stack):
    nested = stack['g'].nested()
    assert grouputils.get_member_refids(stack['g']) == [
        nested[name].FnGetRefId() for name in '20']


@pytest.mark.parametrize(('name', 'use_indices', 'found'), [
    ('0', False, '0'), (0, True, '2'), ('1', True, '0')])
def test_member_by_name_or_place(stack, name, use_indices, found):
    assert grouputils.get_resource(stack['g'], name,
                                   use_indices).name == found


@pytest.mark.parametrize(('name', 'use_indices'), [
    ('7', False), (7, True), ('first', True), (None, True)])
def test_missing_member(stack, name, use_indices):
    with pytest.raises(exception.NotFound, match='g'):
        grouputils.get_resource(stack['g'], name, use_indices)
    for ask in (grouputils.get_rsrc_id, grouputils.get_rsrc_attr):
        with pytest.raises(exception.InvalidTemplateAttribute, match='key'):
            ask(stack['g'], 'key', use_indices, name)


def test_attributes_of_members(stack):
    group = stack['g']
    assert grouputils.get_nested_attrs(group, 'resource.0.output',
                                       False) == 'v0'
    assert grouputils.get_nested_attrs(group, 'resource.0', False,
                                       'output') == 'v0'
    assert grouputils.get_nested_attrs(group, 'resource.0', True) == (
        group.nested()['2'].FnGetRefId())


def test_files_of_a_rolling_update_are_those_of_both_templates(engine):
    old = engine.create(GROUP, 'old', files={'a': 'old', 'b': 'old'})
    new = engine.create(GROUP, 'new', files={'a': 'new'})
    assert dict(grouputils.get_child_template_files(
        engine.context, new, True, old.t.id)) == {'a': 'new', 'b': 'old'}
    for rolling, template_id in ((False, old.t.id), (True, None)):
        assert dict(grouputils.get_child_template_files(
            engine.context, new, rolling, template_id)) == {'a': 'new'}
