"""Exports of stacks, and the imports that keep them."""
import pytest

from heat.common import exception
from heat.objects import export
from heat.objects import raw_template
from heat.objects import stack
from heat.objects import transaction

CONFLICT = exception.ExportConflict


@pytest.fixture
def context(make_context):
    return make_context()


@pytest.fixture
def make(context):
    def make(name):
        raw = raw_template.RawTemplate.create(
            context, {'template': {}, 'files': {}, 'environment': {}})
        return stack.Stack.create(context, {
            'name': name, 'raw_template_id': raw.id, 'tenant': 'project',
            'disable_rollback': True}).id
    return make


def replace(context, stack_id, exports, imports=()):
    export.Export.replace(context, 'project', stack_id, exports, imports)


def test_exports_belong_to_a_project(context, make):
    one = make('one')
    replace(context, one, {'b': ('O', 1), 'a': ('P', {'x': 'y'})})
    assert [(each.name, each.output_name, each.value, each.stack_name)
            for each in export.Export.get_all(context, 'project', 9)] == [
        ('a', 'P', {'x': 'y'}, 'one'), ('b', 'O', 1, 'one')]
    assert [each.name for each in export.Export.get_all(
        context, 'project', 9, marker='a')] == ['b']
    assert export.Export.get_all(context, 'other', 9) == []
    with pytest.raises(CONFLICT, match='No export named a found'):
        export.Export.get_by_name(context, 'other', 'a')


def test_a_name_is_exported_once(context, make):
    replace(context, make('one'), {'a': ('O', 1)})
    two = make('two')
    with pytest.raises(CONFLICT, match='already exported by stack one'):
        replace(context, two, {'a': ('O', 1)})
    with pytest.raises(CONFLICT, match='already exported by stack one'):
        export.Export.require_free(context, 'project', two, ['a'])
    export.Export.require_free(context, 'other', two, ['a'])


def test_an_import_keeps_an_export(context, make):
    one, two = make('one'), make('two')
    replace(context, one, {'a': ('O', 1), 'b': ('P', 2)})
    export.Import.add(context, 'project', two, ['a'])
    export.Import.add(context, 'project', two, ['a'])
    assert export.Import.stacks_of(context, 'project', 'a') == ['two']
    assert export.Import.stacks_of(context, 'other', 'a') == []
    assert export.Export.stacks_with_any(context, [one, two, 'x']) == {
        one, two}
    # What stays as it is may be stored again, and the others may change.
    replace(context, one, {'a': ('O', 1), 'b': ('P', 3)})
    with pytest.raises(CONFLICT, match='a cannot be updated.* by two'):
        replace(context, one, {'a': ('O', 2), 'b': ('P', 3)})
    with pytest.raises(CONFLICT, match='a cannot be deleted.* by two'):
        replace(context, one, {'b': ('P', 3)})
    with pytest.raises(CONFLICT, match='a cannot be deleted.* by two'):
        export.Export.delete_all(context, [one])
    with pytest.raises(CONFLICT, match='a cannot be deleted.* by two'):
        export.Export.require_kept(context, 'project', one, ['b'])
    replace(context, two, {})
    export.Export.delete_all(context, [one])
    assert export.Export.get_all(context, 'project', 9) == []


def test_there_is_nothing_to_import_that_is_not_exported(context, make):
    with pytest.raises(CONFLICT, match='No export named a found'):
        export.Import.add(context, 'project', make('two'), ['a'])


def test_a_deleted_stack_imports_nothing(context, make):
    one, two = make('one'), make('two')
    replace(context, one, {'a': ('O', 1)})
    export.Import.add(context, 'project', two, ['a'])
    with pytest.raises(CONFLICT):
        export.Export.delete_all(context, [one])
    transaction.run(context, lambda: stack.Stack.delete(context, two))
    export.Export.delete_all(context, [one])
    assert export.Export.get_all(context, 'project', 9) == []
