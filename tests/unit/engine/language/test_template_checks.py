"""Broken templates, and all that must be said of each.

A problem is expected as (path, line and column, part of the message).
"""
import json
import re
import time

import pytest

from heat.common import exception
from heat.common import template_format
from heat.common import text_places
from heat.engine import attributes
from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import template
from heat.engine.language import custom_constraint
from heat.engine.language import diagnostics
from heat.engine.language import template_checks

HEAD = 'heat_template_version: 2021-04-16\n'


class Server:
    """A type with properties of several kinds."""

    properties_schema = {
        'image': properties.Schema('String', required=True),
        'flavor': properties.Schema('String', constraints=[
            constraints.AllowedValues(['small', 'large'])]),
        'count': properties.Schema('Integer', constraints=[
            constraints.Range(1, 5)]),
        'networks': properties.Schema('List', schema=properties.Schema(
            'Map', schema={
                'port': properties.Schema('String', required=True),
                'mtu': properties.Schema('Integer')})),
        'meta': properties.Schema('Map'),
    }
    attributes_schema = {'address': attributes.Schema('Where it is.')}
    base_attributes_schema: dict = {}
    update_policy_schema: dict = {'batch': properties.Schema('Integer')}

    def get_attribute(self, name):
        """Return no attribute but those of the schema."""


def find_class(resource_type, name=None, files=None):
    if resource_type != 'Server':
        raise exception.EntityNotFound(entity='Resource Type',
                                       name=resource_type)
    return Server


class Environment(environment.Environment):
    """An environment that knows one type."""

    get_class = staticmethod(find_class)

    def type_names(self):
        return ['Server']


def check(text, params=None, **kwargs):
    data = template_format.simple_parse(text)
    env = Environment({'parameters': params or {}})
    return template_checks.check(data, env=env, find_class=find_class,
                                 **kwargs)


WRONG = {
    'sections': ("""
resorces: {}
outptus: {}
""", [('resorces', (3, 1), 'Did you mean "resources"?'),
      ('outptus', (4, 1), 'Did you mean "outputs"?')]),
    'sections that are no maps': ("""
resources: [a]
parameters: 3
outputs: x
""", [('parameters', (4, 1), 'must be a map'),
      ('resources', (3, 1), 'must be a map'),
      ('outputs', (5, 1), 'must be a map')]),
    'keys of resources': ("""
resources:
  a:
    type: Server
    propertis: {image: x}
    depend_on: b
  b: {tpye: Server}
  c: x
  d: {properties: {}}
""", [('resources.a.propertis', (6, 5), 'Did you mean "properties"?'),
      ('resources.a.depend_on', (7, 5), 'Did you mean "depends_on"?'),
      ('resources.b.tpye', (8, 7), 'Did you mean "type"?'),
      ('resources.c', (9, 3), 'must be a map, but this is a string'),
      ('resources.d', (10, 3), 'must have a type')]),
    'parts of resources': ("""
resources:
  a:
    type: Server
    properties: [image]
    metadata: x
    deletion_policy: retian
    depends_on: {a: b}
""", [('resources.a.properties', (6, 5), 'a map, but it is a list'),
      ('resources.a.metadata', (7, 5), 'a map, but it is a string'),
      ('resources.a.depends_on', (9, 5), 'a list of such names'),
      ('resources.a.deletion_policy', (8, 5), 'Did you mean "retain"?')]),
    'arguments of functions': ("""
resources:
  a:
    type: Server
    properties:
      image: {list_join: x}
      flavor: {str_replace: {template: x}}
      meta: {k: {get_attr: x}}
""", [('resources.a.properties.image.list_join', (7, 15), 'list'),
      ('resources.a.properties.flavor.str_replace', (8, 16), 'params'),
      ('resources.a.properties.meta.k.get_attr', (9, 18), 'list')]),
    'functions that do not exist': ("""
parameters: {p: {type: string, default: x}}
resources:
  a:
    type: Server
    properties:
      image: {get_parm: p}
      flavor: {Fn::Join: [a, []]}
      meta: {get_parm: p}
""", [('resources.a.properties.flavor.Fn::Join', (9, 16),
       'not part of this version'),
      ('resources.a.properties.image', (8, 7),
       'There is no function "get_parm". Did you mean "get_param"?')]),
    'properties': ("""
resources:
  a:
    type: Server
    properties:
      imge: x
      flavour: small
  b:
    type: Server
    properties: {flavor: smal, count: 7}
  c:
    type: Server
    properties: {image: {a: b}, count: x, meta: 3}
""", [('resources.a.properties.imge', (7, 7), 'Did you mean "image"?'),
      ('resources.a.properties.flavour', (8, 7), 'Did you mean "flavor"?'),
      ('resources.b.properties', (11, 5), 'image not assigned'),
      ('resources.b.properties.flavor', (11, 18), 'Did you mean "small"?'),
      ('resources.b.properties.count', (11, 32), 'min: 1, max: 5'),
      ('resources.c.properties.image', (14, 18), 'must be a string'),
      ('resources.c.properties.count', (14, 33), 'not an integer'),
      ('resources.c.properties.meta', (14, 43), 'not a map')]),
    'nested properties': ("""
resources:
  a:
    type: Server
    properties:
      image: x
      networks:
        - {prot: p}
        - {port: p, mtu: x}
        - {mtu: y}
        - z
""", [('resources.a.properties.networks[0].prot', (9, 12),
       'Did you mean "port"?'),
      ('resources.a.properties.networks[1].mtu', (10, 21), 'integer'),
      ('resources.a.properties.networks[2]', (11, 11),
       'port not assigned'),
      ('resources.a.properties.networks[2].mtu', (11, 12), 'integer'),
      ('resources.a.properties.networks[3]', (12, 11), 'not a map')]),
    'types': ("""
resources:
  a: {type: Sever}
  b:
    type: Server
    properties: {image: {get_attr: [a, whatever]}}
    depends_on: a
""", [('resources.a.type', (4, 7), 'Did you mean "Server"?')]),
    'references': ("""
resources:
  web:
    type: Server
    properties: {image: {get_resource: wbe}}
    depends_on: [dbb, db]
  db:
    type: Server
    properties:
      image: {get_attr: [web, addres]}
      flavor: {get_param: flavuor}
parameters: {flavour: {type: string, default: small}}
""", [('resources.web.depends_on', (7, 5), 'Did you mean "db"?'),
      ('resources.web.properties.image.get_resource', (6, 26),
       'Did you mean "web"?'),
      ('resources.db.properties.image.get_attr', (11, 15),
       'Did you mean "address"?'),
      ('resources.db.properties.flavor.get_param', (12, 16),
       'Did you mean "flavour"?')]),
    'circles': ("""
resources:
  a: {type: Server, properties: {image: x}, depends_on: b}
  b: {type: Server, properties: {image: {get_resource: c}}}
  c: {type: Server, properties: {image: {get_attr: [a, address]}}}
  d: {type: Server, properties: {image: x, count: 9}, depends_on: a}
""", [('resources.a', (4, 3), 'a -> b -> c -> a'),
      ('resources.d.properties.count', (7, 44), '9 is out of range')]),
    'outputs': ("""
resources:
  a: {type: Server, properties: {image: x}}
outputs:
  no_value: {description: x}
  misspelt: {valeu: x}
  unknown: {value: {get_attr: [a, adress]}}
  parameter: {value: {get_param: p}}
  arguments: {value: [{list_join: x}]}
  fine: {value: {get_attr: [a, address]}}
""", [('outputs.misspelt.valeu', (7, 14), 'Did you mean "value"?'),
      ('outputs.no_value', (6, 3), 'must have a value'),
      ('outputs.arguments.value[0].list_join', (10, 24), 'list'),
      ('outputs.unknown.value.get_attr', (8, 21),
       'Did you mean "address"?'),
      ('outputs.parameter.value.get_param', (9, 23), '(p) was not provided')]),
    'parameters': ("""
parameters:
  a: {type: strng}
  b: {tpye: string}
  c: {type: number, default: x}
  d:
    type: string
    default: abc
    constraints:
      - lenght: {min: 1}
      - range: {min: x}
      - {}
  e: {type: string}
  f: {type: string, hiden: true, lable: x, default: x}
resources:
  r: {type: Server, properties: {image: {get_param: a},
                                 flavor: {get_param: e}}}
""", [('parameters.a', (4, 3), 'is none of string, number'),
      ('parameters.b.tpye', (5, 7), 'Did you mean "type"?'),
      ('parameters.d.constraints[0].lenght', (11, 9),
       'Did you mean "length"?'),
      ('parameters.d.constraints[1].range.min', (12, 17), 'number'),
      ('parameters.d.constraints[2]', (13, 9), 'one of the keys'),
      ('parameters.f.hiden', (15, 21), 'Did you mean "hidden"?'),
      ('parameters.f.lable', (15, 34), 'Did you mean "label"?'),
      ('parameters.c.default', (6, 21), 'Invalid default x'),
      ('parameters.e', (14, 3), 'neither a value nor a default')]),
    'parameter groups': ("""
parameters: {size: {type: string, default: x}}
parameter_groups:
  - parameters: [sise, size, size]
  - x
  - {label: y}
""", [('parameter_groups[0].parameters[0]', (5, 18),
       'Did you mean "size"?'),
      ('parameter_groups[0].parameters[2]', (5, 30), 'more than once'),
      ('parameter_groups[1]', (6, 5), 'must be a map'),
      ('parameter_groups[2]', (7, 5), 'must have a list')]),
    'conditions': ("""
parameters: {p: {type: string, default: x}}
conditions:
  a: {equals: [1]}
  b: {equals: [{get_param: q}, 1]}
  c: {get_attr: [r, address]}
  d: {not: d}
  e: 7
  fine: {equals: [{get_param: p}, x]}
resources:
  r: {type: Server, properties: {image: x}, condition: fien}
  s: {type: Server, condition: a}
""", [('conditions.a.equals', (5, 7), ''),
      ('conditions.c.get_attr', (7, 7), 'not allowed here'),
      ('conditions.b.equals[0].get_param', (6, 17), '(q) was not provided'),
      ('conditions.d', (8, 3), 'refers to itself'),
      ('conditions.e', (9, 3), 'must be a boolean'),
      ('resources.r.condition', (12, 45), 'Did you mean "fine"?'),
      ('resources.s.properties', (13, 3), 'image not assigned')]),
    'duplicate names': ("""
parameters: {a: {type: string, default: x}}
resources: {a: {type: Server, properties: {image: x, count: 9}}}
""", [('resources.a', (4, 13), 'may not be called like a parameter'),
      ('resources.a.properties.count', (4, 54), 'out of range')]),
    'update policy': ("""
resources:
  a: {type: Server, properties: {image: x}, update_policy: {bath: 1}}
""", [('resources.a.update_policy.bath', (4, 61),
       'Did you mean "batch"?')]),
}


#: What Heat creates a stack from all the same.
TOLERATED = {'outputs/parameter/value/get_param',
             'conditions/b/equals/0/get_param'}


@pytest.mark.parametrize('case', WRONG)
def test_all_is_told(case):
    text, expected = WRONG[case]
    text = HEAD + text
    found = check(text)
    places = text_places.Places(text)
    told = [(re.sub(r': .*', '', str(each).split(': ')[0]),
             places.find(each.path)) for each in found]
    assert told == [(path, place) for path, place, _text in expected]
    for each, (_path, _place, message) in zip(found, expected, strict=True):
        assert message in each.message
        assert each.severity == (
            'warning' if '/'.join(map(str, each.path)) in TOLERATED
            else 'error')


def test_nothing_is_told_of_a_good_template():
    assert check(HEAD + """
parameters:
  p: {type: string}
conditions: {on: {equals: [{get_param: p}, x]}}
resources:
  a: {type: Server, properties: {image: {get_param: p}}, condition: on}
  b:
    type: Server
    properties:
      image: {get_attr: [a, address]}
      meta: {get_parm: this is just a map}
outputs:
  o: {value: {get_resource: b}}
""", params={'p': 'x'}) == []


def test_types_are_not_known_without_registry():
    data = template_format.simple_parse(
        HEAD + 'resources: {a: {type: X, properties: {b: {get_param: c}}}}')
    assert [str(each) for each in template_checks.check(data)] == [
        'resources.a.properties.b.get_param: The Parameter (c) was not '
        'provided. It is not defined in the template.']


@pytest.mark.parametrize('data', [
    None, 'x', [], {}, {'heat_template_version': 'x'},
    {'heat_template_version': '2021-04-16',
     'AWSTemplateFormatVersion': '2010-09-09'}])
def test_what_is_no_template(data):
    [found] = template_checks.check(data)
    assert found.error == 'InvalidTemplateVersion'


def test_values_are_left_out_on_demand():
    text = HEAD + ('parameters: {p: {type: string}}\n'
                   'resources: {a: {type: Server, properties: '
                   '{image: {get_param: p}, x: y}}}')
    assert len(check(text)) == 2
    [found] = check(text, with_values=False)
    assert found.path == ('resources', 'a', 'properties', 'x')


def test_unknown_values():
    found = check(HEAD + 'parameters: {size: {type: number}}',
                  params={'size': 'x', 'siez': 1, 'colour': 'red'})
    assert [each.error for each in found] == [
        'UnknownUserParameter', 'UnknownUserParameter',
        'StackValidationFailed']
    assert 'Did you mean "size"?' in found[0].message
    assert found[2].path == ('parameters', 'size')


def test_versions_of_a_function_are_named():
    [found] = check("""heat_template_version: 2013-05-23
resources: {a: {type: Server, properties: {image: {yaql: {}}}}}
""")
    assert ('The function "yaql" is not part of this version of the '
            'language, only of: 2016-10-14, 2017-02-24, ') in found.message


def test_cfn():
    text = json.dumps({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Resources': {
            'A': {'Type': 'Server',
                  'Properties': {'image': {'Ref': 'B'}, 'count': 9}}},
        'Outputs': {'O': {'Value': {'Fn::GetAtt': ['A', 'adress']}}}})
    assert [error_path(each) for each in check(text)] == [
        ('Resources', 'A', 'Properties', 'image', 'Ref'),
        ('Resources', 'A', 'Properties', 'count'),
        ('Outputs', 'O', 'Value', 'Fn::GetAtt')]


def error_path(found):
    return found.path


def test_fifty_are_told():
    lines = ''.join(f'  r{number}: {{tpye: x}}\n' for number in range(90))
    found = check(HEAD + 'resources:\n' + lines)
    assert len(found) == 50


def test_an_error_for_all():
    language = template.get_template_class({
        'heat_template_version': '2021-04-16'})
    tmpl = language(template_format.simple_parse(
        HEAD + 'outptus: {}\nresources: {a: {}, b: {}}'))
    with pytest.raises(exception.InvalidTemplateSection) as raised:
        tmpl.validate()
    assert len(raised.value.problems) == 3


def test_clouds_are_not_asked():
    class Exists(custom_constraint.BaseCustomConstraint):
        resource_client_name = 'nova'
        resource_getter_name = 'find'

    assert Exists().validate('x', custom_constraint.OFFLINE)
    constraint = constraints.CustomConstraint(
        'nobody.knows', environment=environment.Environment({}))
    constraint.validate('x', context=custom_constraint.OFFLINE)
    with pytest.raises(ValueError, match='constraint not found'):
        constraint.validate('x', context=None)


def test_what_cannot_be_computed_is_a_consequence():
    found = diagnostics.Problems()
    found.note(diagnostics.DerivedError(cause='x'))
    assert not found


LONG = 'x' * 60
MANY = [f'{LONG}_{number}' for number in range(1000)]
OVERWHELMING = {
    'references': {name: {'type': 'Server', 'depends_on': [name + 'q'],
                          'properties': {'image': {'get_param': name}}}
                   for name in MANY},
    'properties': {'a': {'type': 'Server', 'properties': {
        f'imag{number}': 1 for number in range(50000)}}},
    'items': {'a': {'type': 'Server', 'properties': {
        'image': 'x', 'networks': [{'prot': 1}] * 50000}}},
    'types': {name: {'type': 'Severx' + name} for name in MANY},
}


@pytest.mark.parametrize('case', OVERWHELMING)
def test_a_flood_of_errors_is_stemmed(case):
    data = {'heat_template_version': '2021-04-16',
            'parameters': {name + 'p': {'type': 'string', 'default': 'x'}
                           for name in MANY},
            'resources': OVERWHELMING[case]}
    before = time.process_time()
    found = template_checks.check(data, env=Environment({}),
                                  find_class=find_class)
    assert time.process_time() - before < 3
    assert len(found) == 50


@pytest.mark.parametrize('call', [
    {'str_replace': []}, {'Fn::Join': []}, {'get_param': []},
    {'Fn::Select': [0, {'get_param': 1}]},
    {'x': {'get_attr': []}, 'y': 1}])
@pytest.mark.parametrize('key', ['type', 'deletion_policy'])
def test_a_bad_call_where_a_word_is_wanted_is_told(call, key):
    def unknown(resource_type, resource_name=None, files=None):
        raise exception.EntityNotFound(entity='Resource Type',
                                       name=resource_type)

    template = {'heat_template_version': '2013-05-23', 'resources': {
        'a': {'type': 'T', key: call}, 'b': {'type': 'U'}}}
    for finder in (None, unknown):
        found = template_checks.check(template, find_class=finder)
        paths = [problem.path[:3] for problem in found]
        assert paths.count(('resources', 'a', key)) == 1
        assert (('resources', 'b', 'type') in paths) == (finder is not None)


@pytest.mark.parametrize('call', [
    {'get_resource': {'get_param': []}},
    {'get_attr': [{'str_split': [',', 'a', 5]}, 'x']}])
def test_a_reference_whose_name_cannot_be_computed_is_told(call):
    found = template_checks.check({
        'heat_template_version': '2015-10-15', 'resources': {
            'a': {'type': 'T', 'properties': {'p': call}},
            'b': {'type': 'T', 'depends_on': 'c'}}})
    assert [problem.path[:4] for problem in found] == [
        ('resources', 'b', 'depends_on'),
        ('resources', 'a', 'properties', 'p')]
