"""What a completed stack shares with others."""
import types

import pytest

from heat.common import exception
from heat.engine.language import diagnostics
from heat.engine.stacks import exports
from heat.objects import export as export_objects
from heat.objects import raw_template
from heat.objects import stack as stack_objects
from tests.fakes import database
from tests.fakes import definitions
from tests.fakes import stack as fake_stack

CALL = {'Fn::ImportValue': 'a'}


class Output:
    def __init__(self, value):
        self.value = value

    def get_value(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@pytest.fixture
def context(tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.context(project_id='project')


@pytest.fixture
def make(context):
    def make(name, value='v', **sections):
        raw = raw_template.RawTemplate.create(
            context, {'template': {}, 'files': {}, 'environment': {}})
        row = stack_objects.Stack.create(context, {
            'name': name, 'raw_template_id': raw.id, 'tenant': 'project',
            'disable_rollback': True})
        defn = definitions.definition(definitions.cfn(**sections))
        return types.SimpleNamespace(
            id=row.id, name=name, tenant_id='project', t=defn.t, defn=defn,
            context=context, strict_validate=True,
            load=lambda *_args, **_kwargs: (
                types.SimpleNamespace(output=lambda _name: Output(value))))
    return make


def outputs(**exported):
    return {name: {'Value': 'v', 'Export': {'Name': export}}
            for name, export in exported.items()}


def test_updates_forget_what_earlier_templates_exported(context, make):
    stack = make('one', Outputs=outputs(O='a'))
    shared = exports.completed(stack, 'CREATE')
    exports.store_all(context, [(stack, 'CREATE', shared)])
    assert export_objects.Export.get_by_name(context, 'project',
                                             'a').value == 'v'
    exports.store_all(context, [(stack, 'CHECK', None)])
    assert export_objects.Export.get_all(context, 'project', 9)
    exports.store_all(context, [(stack, 'UPDATE', None)])
    assert export_objects.Export.get_all(context, 'project', 9) == []


@pytest.mark.parametrize('action', ['SUSPEND', 'CHECK', 'DELETE'])
def test_other_actions_share_nothing(make, action):
    assert exports.completed(make('one', Outputs=outputs(O='a')),
                             action) is None


@pytest.mark.parametrize('value', [None, ValueError('hush')])
def test_an_output_without_value_cannot_be_exported(make, value):
    with pytest.raises(exception.Invalid) as raised:
        exports.completed(make('one', value, Outputs=outputs(O='a')),
                          'CREATE')
    assert '"O" has no value to export as a' in str(raised.value)
    assert 'hush' not in str(raised.value)


def test_imports_are_claimed_until_the_stack_is_gone(context, make):
    one = make('one', Outputs=outputs(O='a'))
    two = make('two', Resources={
        'R': {'Type': 'T', 'Properties': {'v': CALL}}})
    with pytest.raises(exception.ExportConflict, match='No export named a'):
        exports.claim(two)
    exports.store_all(context, [
        (one, 'CREATE', exports.completed(one, 'CREATE'))])
    exports.claim(two)
    with pytest.raises(exception.ExportConflict, match='in use by two'):
        exports.release(context, one.id)


def test_names_are_checked_before_anything_begins(context, make):
    one = make('one', Outputs=outputs(O='a'))
    exports.store_all(context, [
        (one, 'CREATE', exports.completed(one, 'CREATE'))])
    with pytest.raises(exception.StackValidationFailed,
                       match='already exported by stack one'):
        with diagnostics.Problems() as found:
            exports.check(make('two', Outputs=outputs(O='a')), found)
    alone = make('three', Outputs=outputs(O='a'))
    alone.strict_validate = False
    with diagnostics.Problems() as found:
        exports.check(alone, found)
    with diagnostics.Problems() as found:
        exports.check(one, found)
