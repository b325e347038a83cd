"""What the conformance tests know of the versions, taken from the facts.

A version is named as in the facts: its key, a dot and its value.
"""
import json
import pathlib
import re

from heat.common import identifier
from heat.engine import attributes
from heat.engine import environment
from heat.engine import rsrc_defn
from heat.engine import stk_defn
from heat.engine import template
from tests.fakes import definitions

_FACTS = pathlib.Path(__file__).resolve().parents[2] / 'facts'


def facts(name):
    """Return the facts of a file."""
    return json.loads((_FACTS / (name + '.json')).read_text())


HOT_VERSIONS = facts('hot_versions')
VERSIONS = HOT_VERSIONS['versions']
FUNCTIONS = facts('functions')['functions']

HOT = [name for name in VERSIONS if VERSIONS[name]['type'] == 'hot']
CFN = [name for name in VERSIONS if VERSIONS[name]['type'] == 'cfn']

#: Each way to state a version, with the version that it states.
SPELLINGS = [
    (f'{known["version_key"]}.{value}', name)
    for name, known in VERSIONS.items()
    for value in (known['version'], *known['aliases'])]

_CFN_SECTIONS = {
    'description': 'Description', 'parameters': 'Parameters',
    'resources': 'Resources', 'outputs': 'Outputs',
    'conditions': 'Conditions', 'mappings': 'Mappings',
}
_CFN_KEYS = {
    'type': 'Type', 'default': 'Default', 'condition': 'Condition',
    'properties': 'Properties', 'metadata': 'Metadata', 'value': 'Value',
    'description': 'Description', 'depends_on': 'DependsOn',
    'deletion_policy': 'DeletionPolicy', 'update_policy': 'UpdatePolicy',
}
_CFN_TYPES = {
    'string': 'String', 'number': 'Number', 'boolean': 'Boolean',
    'comma_delimited_list': 'CommaDelimitedList', 'json': 'Json',
}


class Thing:
    """A resource type with a few attributes and no properties."""

    properties_schema = {}
    attributes_schema = {'words': attributes.Schema('A list'),
                         'tree': attributes.Schema('A map')}
    base_attributes_schema = {'show': attributes.Schema('All')}
    undeclared_attributes = ()


def is_hot(version):
    """Tell whether a version is one of HOT."""
    return version in HOT


def has_conditions(version):
    """Tell whether a version has conditions."""
    return VERSIONS[version]['conditions_allowed']


def _translated(version, name, definition):
    """Return a definition with the keys of cfn, if a version is one."""
    if is_hot(version):
        return definition
    renamed = {_CFN_KEYS[key]: value for key, value in definition.items()}
    if name == 'parameters':
        renamed['Type'] = _CFN_TYPES[renamed['Type']]
    return renamed


def data_of(spelling, version=None, **sections):
    """Return raw data of a template that states its version so.

    Sections and the keys in them are called as in HOT.
    """
    version = version or spelling
    key, _dot, value = spelling.partition('.')
    data = {key: value}
    for name, contents in sections.items():
        if name in ('parameters', 'resources', 'outputs'):
            contents = {each: _translated(version, name, definition)
                        for each, definition in contents.items()}
        data[name if is_hot(version) else _CFN_SECTIONS[name]] = contents
    return data


class Clouds:
    """A context whose compute service has two zones."""

    class Zone:
        def __init__(self, name):
            self.name = name

    @property
    def clients(self):
        return self

    def sdk(self, name):
        assert name == 'nova'
        return self

    def availability_zones(self):
        return [self.Zone('zone-1'), self.Zone('zone-2')]


def template_of(data, params=None, files=None):
    """Return a template with an environment in which Test::Thing is one."""
    env = environment.Environment({'parameters': params or {}})
    env.register_class('Test::Thing', Thing)
    return template.Template(data, files=files, env=env)


def definition_of(tmpl, known=None, parent=None):
    """Return the definition of a stack made from a template."""
    return stk_defn.StackDefinition(
        Clouds(), tmpl, identifier.HeatIdentifier('tenant', 'stack', 'id'),
        known, parent)


#: How to ask a definition for what is under a key.
_SAID = {
    'type': lambda defn: defn.resource_type,
    'properties': lambda defn: defn.properties({}).data,
    'metadata': lambda defn: defn.metadata(),
    'depends_on': lambda defn: sorted(defn.required_resource_names()),
    'deletion_policy': lambda defn: defn.deletion_policy(),
    'update_policy': lambda defn: defn.update_policy({}).data,
    'description': lambda defn: defn.description,
    'external_id': lambda defn: defn.external_id(),
    'condition': lambda defn: defn.condition(),
}
_SAID.update({_CFN_KEYS[key]: ask for key, ask in list(_SAID.items())
              if key in _CFN_KEYS})


def says(definition, key, value):
    """Tell whether a definition has this value under a key."""
    return _SAID[key](definition) == value


def condition_of(version, holds):
    """Return a condition definition that does or does not hold."""
    equals = 'equals' if is_hot(version) else 'Fn::Equals'
    return {equals: ['a', 'a' if holds else 'b']}


def world(spelling, version=None):
    """Return the definition of a stack that has one of everything.

    Its resources made and fresh exist and do not yet, off is switched off
    where there are conditions; yes holds, no does not.
    """
    version = version or spelling
    sections = {
        'parameters': {
            'text': {'type': 'string', 'default': 'x'},
            'number': {'type': 'number', 'default': 5},
            'flag': {'type': 'boolean', 'default': True},
            'list': {'type': 'comma_delimited_list', 'default': 'a,b'},
            'map': {'type': 'json', 'default': {'k': [{'deep': 1}]}},
        },
        'resources': {'made': {'type': 'Test::Thing'},
                      'fresh': {'type': 'Test::Thing'},
                      'other': {'type': 'Test::Thing'}},
    }
    if has_conditions(version):
        sections['resources']['off'] = {'type': 'Test::Thing',
                                        'condition': 'no'}
        sections['conditions'] = {'yes': condition_of(version, True),
                                  'no': condition_of(version, False)}
    if not is_hot(version):
        sections['mappings'] = {'m': {'one': {'two': ['found']}}}
    tmpl = template_of(data_of(spelling, version, **sections),
                       files={'a file': 'its text'})
    known = {'words': ['a', 'b'], 'tree': {'k': [{'deep': 1}]},
             'show': {'all': True}}
    made = definitions.facts('made', known)
    started = definitions.facts('other', known, 'ROLLBACK', 'COMPLETE')
    parent = definitions.ParentResource(rsrc_defn.ResourceDefinition(
        'parent', 'T', metadata={'m': 1}, deletion_policy='Retain',
        update_policy={'u': 1}))
    return definition_of(tmpl, {'made': made, 'other': started}, parent)


def in_range(version, text):
    """Tell whether a version is in a range as the facts write it."""
    value = VERSIONS[version]['version']
    first, dots, last = text.partition('..')
    if dots:
        return first <= value <= last
    found = re.fullmatch(r'(<=|>=)?(\d{4}-\d\d-\d\d)', text)
    assert found, text
    sign, bound = found.groups()
    if sign == '<=':
        return value <= bound
    return value >= bound if sign == '>=' else value == bound
