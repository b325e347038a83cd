"""RPC calls about templates, types, versions and functions."""
import pytest

from heat.common import exception
from heat.common import policy
from heat.engine.rpc import templates
from tests.unit.engine.rpc import calls


@pytest.fixture
def operations(engine, monkeypatch):
    class Enforcer:
        def enforce(self, context, name):
            return True

    monkeypatch.setattr(policy, 'get_resource_enforcer', Enforcer)
    return calls.made(templates.TemplateOperations, engine)


def test_types_are_listed_by_name(operations, engine):
    names = operations.list_resource_types(engine.context)
    assert names == sorted(names)
    assert {'Test::Thing', 'Test::Unchecked'} <= set(names)
    described = operations.list_resource_types(
        engine.context, type_name='Test::T', with_description=True)
    assert described == [{
        'resource_type': 'Test::Thing',
        'description': 'Something that is there at once, or fails, as its '
                       'properties say.'}]


def test_schema_of_a_type(operations, engine):
    shown = operations.resource_schema(engine.context, 'Test::Thing', True)
    assert shown['properties']['value']['type'] == 'string'
    assert 'output' in shown['attributes']
    with calls.refused(exception.EntityNotFound, 'No::Such'):
        operations.resource_schema(engine.context, 'No::Such')


@pytest.mark.parametrize(('kind', 'section'), [
    ('cfn', 'Resources'), ('hot', 'resources')])
def test_template_of_a_type(operations, engine, kind, section):
    shown = operations.generate_template(engine.context, 'Test::Thing', kind)
    assert set(shown[section]) == {'Thing'}


def test_versions_have_their_aliases(operations, engine):
    versions = operations.list_template_versions(engine.context)
    by_name = {each['version']: each for each in versions}
    assert by_name['heat_template_version.2018-08-31'] == {
        'version': 'heat_template_version.2018-08-31', 'type': 'hot',
        'aliases': ['heat_template_version.rocky']}
    assert by_name['AWSTemplateFormatVersion.2010-09-09']['type'] == 'cfn'
    assert list(by_name) == sorted(by_name)


def functions_of(operations, engine, version, **options):
    return [each['functions'] for each in operations.list_template_functions(
        engine.context, version, **options)]


def test_functions_of_a_version(operations, engine):
    oldest = functions_of(operations, engine,
                          'heat_template_version.2013-05-23')
    latest = functions_of(operations, engine,
                          'heat_template_version.2021-04-16')
    assert 'get_param' in oldest
    assert 'Fn::Select' in oldest
    assert 'Fn::Select' not in latest
    assert 'yaql' in set(latest) - set(oldest)
    with_conditions = functions_of(
        operations, engine, 'heat_template_version.2021-04-16',
        with_condition=True)
    assert {'equals', 'not', 'or'} <= set(with_conditions) - set(latest)


@pytest.mark.parametrize('version', [
    'heat_template_version.2013-05-24', 'nothing', '',
    'AWSTemplateFormatVersion.2018-08-31'])
def test_functions_of_no_version(operations, engine, version):
    with calls.refused(exception.NotFound, 'not found'):
        operations.list_template_functions(engine.context, version)


def test_validation_of_a_request(operations, engine):
    template = {'heat_template_version': '2018-08-31', 'resources': {
        'r': {'type': 'Test::Thing'}}}
    shown = operations.validate_template(engine.context, template, {})
    assert shown['Parameters'] == {}
    assert operations.validate_template(engine.context, None) == {
        'Error': 'No Template provided.'}
    template['resources']['r']['type'] = 'No::Such'
    assert 'No::Such' in operations.validate_template(
        engine.context, template, {})['Error']
