"""What to change in a template so that drift is accepted."""
import types

import pytest

from heat.common import template_format
from heat.engine import template
from heat.engine.plans import acceptance
from heat.engine.plans import causes

HOT = """\
heat_template_version: 2021-04-16
parameters:
  size: {type: number}
resources:
  web:
    type: T
    properties:
      size: {get_param: size}
      name: {str_replace: {template: x, params: {}}}
      map:
        a: 1
        b: {get_param: size}
        c: {get_param: [size, x]}
        d: {get_param: OS::stack_name}
      rules: [{port: 1}, {port: 2}]
  bare:
    type: T
"""
CFN = """\
HeatTemplateFormatVersion: '2012-12-12'
Parameters: {Size: {Type: Number}}
Resources:
  web:
    Type: T
    Properties:
      size: {Ref: Size}
      name: {Ref: web}
"""
ACTUAL = {'size': 7, 'name': 'live', 'other': 'new', 'rules': [{'port': 9}],
          'map': {'a': 4, 'b': 5, 'c': 6, 'd': 7, 'e': 8}}


def stack_of(text):
    tmpl = template.Template(template_format.parse(text))
    return types.SimpleNamespace(t=tmpl, parameters=tmpl.parameters(None, {}))


def explainer_of(text):
    return causes.Explainer(stack_of(text), text)


def accepted(path, text=HOT, name='web', secret=()):
    explainer = explainer_of(text)
    return acceptance.Acceptance(
        explainer, name, causes.raw_properties(explainer.raw(name)), ACTUAL,
        frozenset(secret)).of_value(path)


def place(*steps, name='web'):
    return ['resources', name, 'properties', *steps]


@pytest.mark.parametrize(('path', 'expected'), [
    ('size', {'parameter': 'size', 'value': 7, 'line': 8, 'column': 7}),
    ('name', {'template': place('name'), 'value': 'live', 'line': 9,
              'column': 7}),
    ('map.a', {'template': place('map', 'a'), 'value': 4, 'line': 11,
               'column': 9}),
    ('map.b', {'parameter': 'size', 'value': 5, 'line': 12, 'column': 9}),
    # What takes a part of a parameter, or what Heat knows, is replaced.
    ('map.c', {'template': place('map', 'c'), 'value': 6, 'line': 13,
               'column': 9}),
    ('map.d', {'template': place('map', 'd'), 'value': 7, 'line': 14,
               'column': 9}),
    # What the template does not have comes with what it is in.
    ('map.e', {'template': place('map'), 'value': ACTUAL['map'], 'line': 10,
               'column': 7}),
    ('rules[1].port', {'template': place('rules'), 'value': [{'port': 9}],
                       'line': 15, 'column': 7}),
    # What the type has set: the place is where to add it.
    ('other', {'template': place('other'), 'value': 'new', 'line': 7,
               'column': 5}),
])
def test_place_of_a_value(path, expected):
    assert accepted(path) == expected


def test_resource_without_properties():
    assert accepted('other', name='bare') == {
        'template': place('other', name='bare'), 'value': 'new', 'line': 16,
        'column': 3}


def test_cloudformation():
    assert accepted('size', CFN) == {
        'parameter': 'Size', 'value': 7, 'line': 7, 'column': 7}
    assert accepted('name', CFN)['template'] == [
        'Resources', 'web', 'Properties', 'name']


def test_secret_values_are_not_shown():
    found = accepted('map.a', secret={'map'})
    assert (found['value'], found['template']) == ('******',
                                                   place('map', 'a'))


def test_what_is_gone_leaves_the_template():
    explainer = explainer_of(HOT)
    assert acceptance.Acceptance(explainer, 'bare', {}, {}).of_deletion() == {
        'template': ['resources', 'bare'], 'remove': True, 'line': 16,
        'column': 3}


def test_lines_are_left_out_if_the_text_is_not_known():
    explainer = causes.Explainer(stack_of(HOT))
    found = acceptance.Acceptance(explainer, 'web', {'size': 1},
                                  ACTUAL).of_value('size')
    assert found == {'template': place('size'), 'value': 7}
