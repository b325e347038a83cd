"""Macros of AWS are refused, with the place of the call."""
import pytest

from heat.engine import template
from heat.engine.cfn import macros
from heat.engine.language import template_checks
from tests.fakes import definitions

INCLUDE = {'Name': 'AWS::Include', 'Parameters': {'Location': 's3://b/k'}}


def test_calls():
    assert sorted(macros.calls({
        'Fn::Transform': INCLUDE, 'Transform': 'x',
        'Resources': {'a': {'Properties': {'list': [1, {
            'Fn::Transform': 'Mine'}]}}}}), key=str) == [
                (['Fn::Transform'], 'AWS::Include'),
                (['Resources', 'a', 'Properties', 'list', 1,
                  'Fn::Transform'], 'Mine')]
    assert list(macros.calls({'Resources': {'a': [[{}]]}})) == []


@pytest.mark.parametrize('place', ['Properties', 'Metadata'])
def test_a_call_is_refused(place):
    tmpl = definitions.cfn(Resources={'a': {
        'Type': 'OS::Heat::None', place: {'Fn::Transform': INCLUDE}}})
    [found] = template_checks.check(tmpl)
    assert found.path == ('Resources', 'a', place, 'Fn::Transform')
    assert found.message.startswith(
        'The macro "AWS::Include" runs at AWS only. Expand the template')
    assert 'available' not in found.message


def test_the_macro_that_is_available_is_named():
    tmpl = template.Template(definitions.cfn(Transform=[
        'AWS::LanguageExtensions', 'Mine']))
    [found] = template_checks.check(tmpl)
    assert found.path == ('Transform',)
    assert found.message.endswith('AWS::LanguageExtensions is available.')
