"""The columns of a stack are declared once; reading and writing follow."""
import dataclasses

import pytest

from heat.db import models
from heat.engine import stack as stack_module
from heat.engine.stacks import fields
from heat.engine.stacks import store as stack_store
from heat.objects import stack as stack_objects
from tests.fakes import stacks

TEMPLATE = """
resources:
  a: {type: Test::Thing, properties: {value: v}}
"""
#: Columns that stack_store handles together with the template and the name.
APART = {'name', 'raw_template_id'}


@pytest.fixture
def engine(monkeypatch):
    return stacks.Engine(monkeypatch)


def record_columns():
    return {field.name for field in dataclasses.fields(stack_objects.Stack)
            } - {'tags', 'raw_template'}


def test_the_record_has_the_columns_of_the_table():
    assert record_columns() == {
        column.name for column in models.STACK.c} - {'live_name_key'}


def test_each_column_belongs_to_an_attribute(engine):
    stack = engine.create(TEMPLATE)
    only_read = {'id', 'created_at', 'deleted_at'}
    assert (set(fields.columns(stack)) | only_read
            == record_columns() - APART)


def test_a_loaded_stack_has_what_its_row_holds(engine):
    stack = engine.create(TEMPLATE)
    stack_objects.Stack.update_by_id(stack.context, stack.id, {
        'timeout': 7, 'stack_user_project_id': 'users',
        'disable_rollback': False, 'status_reason': 'because'})
    read = engine.reload(stack)
    assert (read.timeout_mins, read.stack_user_project_id,
            read.disable_rollback, read.status_reason) == (
        7, 'users', False, 'because')
    row = stack_store.get_row(stack.context, stack.id)
    written = fields.columns(read)
    assert {name: getattr(row, name) for name in written} == written
    assert (read.id, read.created_time, read.tenant_id) == (
        row.id, row.created_at, row.tenant)


def test_null_reads_as_the_value_that_code_counts_with(engine):
    stack = engine.create(TEMPLATE)
    row = dataclasses.replace(
        stack_store.get_row(stack.context, stack.id),
        nested_depth=None, convergence=None, backup=None)
    read = stack_module.Stack.load(stack.context, stack=row)
    assert (read.nested_depth, read.convergence, read.backup) == (
        0, False, False)


def test_another_object_of_the_row_takes_over_its_columns(engine):
    stack = engine.create(TEMPLATE)
    stack.converge = True
    wanted = stack_store.wanted_stack(stack, stack.t, timeout_mins=3)
    assert wanted.timeout_mins == 3
    assert wanted.converge is False
    assert fields.of_stack(wanted) == {**fields.of_stack(stack),
                                       'timeout_mins': 3}


def test_new_stacks_have_the_defaults(engine):
    stack = stack_module.Stack(engine.context, 'new', None)
    assert (stack.id, stack.action, stack.status_reason, stack.nested_depth,
            stack.disable_rollback, stack.strict_validate, stack.tags) == (
        None, None, '', 0, True, True, [])


def test_an_unknown_option_is_refused(engine):
    with pytest.raises(TypeError, match="no option 'colour'"):
        stack_module.Stack(engine.context, 'new', None, colour='red')
