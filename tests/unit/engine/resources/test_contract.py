"""Every registered type has the schema that users of Heat know."""
import importlib
import json
import pathlib
import pkgutil

import pytest

from heat.engine import constraints
from heat.engine import properties
from heat.engine import resources
from heat.engine import support
from heat.engine.lifecycle import attributes
from heat.engine.resources import plugin_loader
from heat.engine.resources import sdk_resource
from tests import additions

FACTS = json.loads(
    (pathlib.Path(__file__).parents[3] / 'facts' /
     'resource_types.json').read_text())


def registered():
    types = {}
    for info in pkgutil.walk_packages(resources.__path__,
                                      resources.__name__ + '.'):
        module = importlib.import_module(info.name)
        types.update(plugin_loader.resource_types(module))
    return types


TYPES = registered()
RECORDED = sorted(TYPES.keys() & FACTS['types'].keys())


def plain(schema):
    """Return a property schema in the form of the facts."""
    shown = {'type': schema.type.lower(), 'required': schema.required,
             'update_allowed': schema.update_allowed,
             'immutable': schema.immutable}
    if schema.default is not None:
        shown['default'] = schema.default
    rules = [plain_constraint(rule) for rule in schema.constraints]
    if rules:
        shown['constraints'] = rules
    if schema.schema is not None:
        nested = schema.schema
        if schema.type == properties.Schema.LIST:
            shown['schema'] = {'*': plain(nested['*'])}
        else:
            shown['schema'] = {name: plain(nested[name]) for name in nested}
    return shown


def plain_constraint(rule):
    return {name: value for name, value in dict(rule).items()
            if name != constraints.Constraint.DESCRIPTION}


def plain_status(status):
    shown = {'status': status.status}
    if status.version is not None:
        shown['version'] = status.version
    if status.previous_status is not None:
        shown['previous_status'] = plain_status(status.previous_status)
    return shown


def without_messages(status):
    shown = {key: value for key, value in status.items()
             if not key.startswith('message') and value is not None}
    if 'previous_status' in shown:
        shown['previous_status'] = without_messages(shown['previous_status'])
    return shown


def test_types_are_those_that_are_known():
    assert TYPES.keys() == FACTS['types'].keys() | additions.TYPES


@pytest.mark.parametrize('name', RECORDED)
def test_properties(name):
    known = FACTS['types'][name]
    wanted = {**known['properties'],
              **known.get('properties_not_returned', {})}
    schema = properties.schemata(TYPES[name].properties_schema)
    assert {key: plain(schema[key]) for key in schema} == wanted


@pytest.mark.parametrize('name', RECORDED)
def test_attributes(name):
    known = FACTS['types'][name]
    wanted = {**known['attributes'],
              **known.get('attributes_not_returned', {})}
    cls = TYPES[name]
    schemas = {**cls.attributes_schema, **cls.base_attributes_schema}
    shown = {}
    for key, schema in schemas.items():
        shown[key] = {'type': schema.type and schema.type.lower()}
        if schema.cache_mode != schema.CACHE_LOCAL:
            shown[key]['cache_mode'] = schema.cache_mode
        status = plain_status(schema.support_status)
        if status != {'status': support.SUPPORTED}:
            shown[key]['support_status'] = status
    assert shown == {key: with_plain_status(value)
                     for key, value in wanted.items()}


def with_plain_status(recorded):
    if 'support_status' not in recorded:
        return recorded
    return {**recorded, 'support_status': without_messages(
        recorded['support_status'])}


def schema_at(schemata, path):
    schema = properties.schemata(schemata)[path[0]]
    for name in path[1:]:
        schema = schema.schema[name]
    return schema


@pytest.mark.parametrize('name', RECORDED)
def test_support_status(name):
    known = FACTS['types'][name]
    cls = TYPES[name]
    assert plain_status(cls.support_status) == without_messages(
        known['support_status'])
    for path, part in known.get('property_support', {}).items():
        schema = schema_at(cls.properties_schema, path.split('.'))
        if 'support_status' in part:
            assert plain_status(schema.support_status) == without_messages(
                part['support_status'])
        assert schema.implemented == part.get('implemented', True)
    assert known['listed'] == (
        cls.support_status.status not in (support.HIDDEN,))


@pytest.mark.parametrize('name', RECORDED)
def test_successor(name):
    known = FACTS['types'][name]
    status = TYPES[name].support_status
    for successor in known['support_status'].get('message_names', ()):
        assert successor in status.message
    assert [other for other, cls in TYPES.items()
            if status.is_substituted(cls)] == known.get(
                'substitute_type', [])


@pytest.mark.parametrize('name', RECORDED)
def test_update_policy(name):
    schema = properties.schemata(TYPES[name].update_policy_schema)
    assert {key: plain(schema[key]) for key in schema} == FACTS['types'][
        name].get('update_policy', {})


#: What the recorded implementation has wrong: Keystone refuses names that
#: are longer than 64 characters, and the deletion of a replaced assignment
#: takes the roles that its replacement has as well.
MENDED = {
    **{(f'OS::Keystone::{name}', 'physical_resource_name_limit'): 64
       for name in ('Domain', 'Group', 'Project')},
    **{(f'OS::Keystone::{name}RoleAssignment',
        'always_replace_on_check_failed'): False
       for name in ('User', 'Group')}}


@pytest.mark.parametrize('name', RECORDED)
def test_implementation(name):
    known = FACTS['types'][name]['implementation']
    cls = TYPES[name]
    for attribute in ('always_replace_on_check_failed',
                      'default_client_name', 'entity',
                      'physical_resource_name_limit',
                      'requires_deferred_auth',
                      'signal_needs_metadata_updates',
                      'strict_dependency'):
        assert getattr(cls, attribute) == MENDED.get(
            (name, attribute), known[attribute]), attribute
    assert list(cls.no_signal_actions) == known['no_signal_actions']


@pytest.mark.parametrize('name', sorted(
    name for name in RECORDED
    if not FACTS['types'][name]['implementation'].get('entity') and
    '_show_resource' not in FACTS['types'][name]['implementation'][
        'overrides']))
def test_nothing_is_shown_where_heat_shows_nothing(name, monkeypatch):
    """What a resource list shows instead is every attribute by its name."""
    cls = TYPES[name]
    one = object.__new__(cls)
    one.resource_id = 'there'
    monkeypatch.setattr(sdk_resource.SDKResource, '_verb',
                        lambda self, verb: lambda *args: pytest.fail(verb))
    monkeypatch.setattr(attributes, '_look_up_needed', lambda one: None)
    assert one._resolve_any_attribute('show') is None


@pytest.mark.parametrize('name', RECORDED)
def test_documentation(name):
    cls = TYPES[name]
    assert '\n' in cls.getdoc(), 'a line and an explanation'
    for schema in cls.properties_schema.values():
        assert schema.description.endswith('.')
