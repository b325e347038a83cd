"""Names of exports and imports, found in templates."""
import pytest

from heat.common import exception
from heat.engine import function
from heat.engine.language import template_checks
from tests.fakes import definitions

RESOURCES = {'R': {'Type': 'T'}}
CALL = {'Fn::ImportValue': {'Fn::Sub': '${P}-a'}}


def stack_of(params=None, **sections):
    sections.setdefault('Resources', RESOURCES)
    return definitions.definition(definitions.cfn(
        Parameters={'P': {'Type': 'String', 'Default': 'p'}},
        Conditions={'No': {'Fn::Equals': ['a', 'b']}}, **sections), params)


def imported(stack):
    return stack.t.imported_names(stack)


def with_value(value, **more):
    return stack_of(Resources={'R': {
        'Type': 'T', 'Properties': {'v': value}, **more}})


@pytest.mark.parametrize(('value', 'names'), [
    (CALL, {'p-a'}),
    ([{'a': CALL}, {'Fn::ImportValue': 'b'}], {'p-a', 'b'}),
    ({'Fn::Sub': ['${X}', {'X': CALL}]}, {'p-a'}),
    ({'Fn::If': ['No', CALL, 'text']}, set()),
    ({'Fn::If': ['No', 'text', CALL]}, {'p-a'}),
    ('text', set())])
def test_imported_names(value, names):
    stack = with_value(value)
    assert imported(stack) == names
    assert stack.t.shares_values() is ('ImportValue' in str(value))


def test_what_is_switched_off_imports_nothing():
    assert imported(with_value(CALL, Condition='No')) == set()
    stack = stack_of(Outputs={
        'O': {'Value': CALL, 'Condition': 'No'}, 'Q': {'Value': 'q'}})
    assert imported(stack) == set()


def test_exported_names():
    stack = stack_of(Outputs={
        'A': {'Value': 'a', 'Export': {'Name': {'Fn::Sub': '${P}:a'}}},
        'B': {'Value': 'b'},
        'C': {'Value': 'c', 'Condition': 'No', 'Export': {'Name': 'c'}}})
    assert stack.t.exported_names(stack) == {'p:a': 'A'}


def test_too_many_are_refused():
    stack = stack_of(Outputs={
        f'O{number}': {'Value': 'v', 'Export': {'Name': f'n{number}'}}
        for number in range(201)})
    with pytest.raises(exception.StackValidationFailed, match='200'):
        stack.t.exported_names(stack)


@pytest.mark.parametrize(('args', 'error'), [
    ({'Ref': 'R'}, 'cannot depend on a resource'),
    ([1], 'must be the name of an export')])
def test_malformed_imports_are_refused(args, error):
    stack = stack_of()
    with pytest.raises((exception.StackValidationFailed, ValueError),
                       match=error):
        function.validate(stack.t.parse(stack, {'Fn::ImportValue': args}))


def test_there_is_no_value_where_nobody_can_be_asked():
    stack = stack_of()
    call = stack.t.parse(stack, CALL)
    function.validate(call)
    assert function.resolve(call) is None


@pytest.mark.parametrize(('export', 'path', 'text'), [
    ('name', (), 'must be a map'),
    ({'Name': 'a b'}, ('Name',), '1 to 255 letters'),
    ({'Name': {'Fn::GetAtt': ['r', 'value']}}, ('Name',), 'depend on a'),
])
def test_malformed_exports_are_found_offline(export, path, text):
    tmpl = definitions.cfn(
        Resources={'r': {'Type': 'OS::Heat::Value'}},
        Outputs={'o': {'Value': 1, 'Export': export}})
    [found] = template_checks.check(tmpl)
    assert found.path == ('Outputs', 'o', 'Export', *path)
    assert text in found.message


def test_an_export_name_of_a_parameter_without_value_is_no_fault():
    tmpl = definitions.cfn(
        Parameters={'P': {'Type': 'String'}},
        Outputs={'o': {'Value': 1, 'Export': {'Name': {'Ref': 'P'}}}})
    assert template_checks.check(tmpl, with_values=False) == []
