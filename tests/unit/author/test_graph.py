"""Graphs of templates, as DOT and as pictures."""
import itertools
import json
import re
from xml.dom import minidom

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
import pytest

from heat.author import command as template
from heat.author import graph as template_graph
from heat.author import layers as template_layers
from heat.author import svg as template_svg
from heat.common import exception


def hot(resources):
    return {'heat_template_version': 'rocky', 'resources': resources}


def resource(*needs, **keys):
    return {'type': 'OS::Nova::Server', **keys, 'properties': {
        'p': [{'get_resource': name} for name in needs]}}


THREE = hot({
    'net': {'type': 'OS::Neutron::Net'},
    'port': {'type': 'OS::Neutron::Port', 'depends_on': 'net',
             'condition': 'wanted'},
    'server': {'type': 'inner.yaml', 'depends_on': ['net', 'port'],
               'properties': {'a': {'if': ['c', {'get_attr': ['net', 'x']},
                                           'y']}},
               'metadata': {'m': {'get_resource': 'port'}}},
})


def test_references_and_depends_on_are_edges():
    graph = template_graph.from_template(THREE)
    assert [(node.name, node.service, node.noun, node.condition)
            for node in graph.nodes] == [
        ('net', 'OS::Neutron', 'Net', None),
        ('port', 'OS::Neutron', 'Port', 'wanted'),
        ('server', 'templates', 'inner.yaml', None)]
    assert set(graph.edges) == {
        template_graph.Edge('port', 'net', explicit=True),
        template_graph.Edge('server', 'net'),
        template_graph.Edge('server', 'port')}


def test_cfn_references_are_edges_and_parameters_are_not():
    graph = template_graph.from_template({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Parameters': {'Key': {'Type': 'String'}},
        'Resources': {
            'a': {'Type': 'AWS::EC2::Instance', 'Properties': {
                'K': {'Ref': 'Key'}, 'R': {'Ref': 'AWS::Region'},
                'V': {'Fn::Join': ['', [{'Ref': 'b'}]]}}},
            'b': {'Type': 'AWS::EC2::Volume', 'DependsOn': 'c'},
            'c': {'Type': 'T', 'Properties': {
                'x': {'Fn::GetAtt': ['d', 'y']}}},
            'd': {'Type': 'T'}}})
    assert set(graph.edges) == {
        template_graph.Edge('a', 'b'),
        template_graph.Edge('b', 'c', explicit=True),
        template_graph.Edge('c', 'd')}


@pytest.mark.parametrize('broken', [
    {'depends_on': 'nett'}, {'properties': {'p': {'get_resource': 'nett'}}}])
def test_what_does_not_exist_is_refused_with_a_hint(broken):
    template = hot({'net': {'type': 'T'}, 'a': {'type': 'T', **broken}})
    with pytest.raises(exception.InvalidTemplateReference,
                       match='Did you mean "net"') as caught:
        template_graph.from_template(template)
    assert list(caught.value.path)[:2] == ['resources', 'a']


@pytest.mark.parametrize('resources', [
    {'a': {'type': 'T', 'depends_on': True}},
    {'a': {'type': 'T', 'depends_on': {'b': 1}}},
    {'a': {'type': 'T', 'depends_on': [1]}}, {'a': 1}, [1]])
def test_what_is_no_definition_is_refused(resources):
    with pytest.raises(exception.HeatException, match='resources'):
        template_graph.from_template(hot(resources))


def test_a_circle_is_found():
    graph = template_graph.from_template(hot({
        'a': resource('b'), 'b': resource('c'), 'c': resource('b')}))
    assert template_graph.circle(graph) == ['b', 'c', 'b']
    picture = minidom.parseString(template_svg.draw(graph))
    marked = [node.getAttribute('class')
              for node in picture.getElementsByTagName('path')]
    # Two edges, and what the legend shows.
    assert marked.count('edge circle') == 3


def test_dot_quotes_names_and_dashes_explicit_edges():
    text = template_graph.dot(template_graph.from_template(hot({
        'a "b"': {'type': 'T\\x'},
        'c': {'type': 'T', 'depends_on': 'a "b"'}})), 'x "y"')
    assert text.startswith('digraph "x \\"y\\"" {')
    assert '"a \\"b\\"" [label="a \\"b\\"\\nT\\\\x"' in text
    assert '"c" -> "a \\"b\\"" [style=dashed' in text


def test_the_picture_tells_names_types_services_and_kinds():
    text = template_svg.draw(template_graph.from_template(THREE), '<x>')
    picture = minidom.parseString(text)
    titles = [node.firstChild.data
              for node in picture.getElementsByTagName('title')]
    assert '<x>' in titles
    assert 'net\nOS::Neutron::Net' in titles
    assert 'port\nOS::Neutron::Port\ncondition: wanted' in titles
    assert 'port depends on net' in titles
    assert 'server refers to port' in titles
    texts = [node.firstChild.data
             for node in picture.getElementsByTagName('text')]
    assert {'OS::Neutron', 'templates', 'depends_on', 'refers to',
            'has a condition'} <= set(texts)
    assert 'prefers-color-scheme: dark' in text
    assert not re.search('href|<script|@import|url\\((?!#)', text)


def test_the_same_template_gives_the_same_picture():
    many = hot({f'r{n}': resource(*(f'r{m}' for m in range(n)
                                    if (n * m) % 5 == 1))
                for n in range(40)})
    pictures = {template_svg.draw(template_graph.from_template(many))
                for _number in range(3)}
    assert len(pictures) == 1


def test_names_that_xml_cannot_hold_are_replaced():
    text = template_svg.draw(template_graph.from_template(hot(
        {'a\x01<&"': {'type': 'T'}})))
    assert minidom.parseString(text)


def test_an_empty_template_has_a_picture():
    picture = minidom.parseString(template_svg.draw(
        template_graph.from_template({'heat_template_version': 'rocky'})))
    assert picture.documentElement.tagName == 'svg'


def test_crossings_are_undone():
    left, right = 'abcdef', 'uvwxyz'
    edges = list(zip(right, reversed(left), strict=True))
    placed = template_layers.place([*left, *right], edges)
    assert [len(column) for column in placed.columns] == [6, 6]
    partner = dict(edges)
    first, second = placed.columns
    assert [partner[name] for name in second] == first


@st.composite
def graphs(draw):
    size = draw(st.integers(0, 25))
    names = [f'n{number}' for number in range(size)]
    pairs = list(itertools.combinations(reversed(names), 2))
    edges = draw(st.lists(st.sampled_from(pairs), max_size=60)
                 if pairs else st.just([]))
    return names, edges


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_needs_stand_to_the_left_and_nothing_overlaps(graph):
    names, edges = graph
    placed = template_layers.place(names, edges, height=10, bend=4)
    column_of = {name: number for number, column
                 in enumerate(placed.columns) for name in column}
    assert {name for name in column_of if isinstance(name, str)} == set(names)
    for source, target in edges:
        assert column_of[target] < column_of[source]
        route = placed.routes[source, target]
        assert [column_of[name] for name in route] == list(range(
            column_of[source], column_of[target] - 1, -1))
    for column in placed.columns:
        for above, below in itertools.pairwise(column):
            room = sum(2 if isinstance(name, tuple) else 5
                       for name in (above, below))
            assert placed.y[below] - placed.y[above] >= room - 1e-6


@pytest.mark.parametrize('colours', [
    ('#1f2328', '#f6f8fa'), ('#4b535c', '#f6f8fa'), ('#4b535c', '#ffffff'),
    ('#f0f6fc', '#161b22'), ('#b1bac4', '#161b22'), ('#b1bac4', '#0d1117')])
def test_text_contrasts_with_what_is_behind(colours):
    drawing = template_svg._STYLE + template_svg._DARK
    assert all(colour in drawing for colour in colours)
    light, dark = sorted(map(_luminance, colours), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 7


def _luminance(colour):
    parts = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


OUTER = hot({
    'net': {'type': 'OS::Neutron::Net'},
    'web': {'type': 'inner.yaml', 'depends_on': 'net'},
    'group': {'type': 'OS::Heat::ResourceGroup', 'properties': {
        'resource_def': {'type': 'inner.yaml'}}}})
INNER = hot({'port': {'type': 'OS::Neutron::Port'},
             'server': resource('port'),
             'again': {'type': 'inner.yaml'}})


def test_nested_templates_are_expanded():
    graph = template_graph.from_template(OUTER, {'inner.yaml': INNER})
    assert {(node.name, node.label, node.parent) for node in graph.nodes
            if node.parent} == {
        (f'{outer}/{name}', name, outer) for outer in ('web', 'group')
        for name in ('port', 'server', 'again')}
    assert {edge for edge in graph.edges if 'group' not in edge.source} == {
        template_graph.Edge('web', 'net', explicit=True),
        template_graph.Edge('web', 'web/port', contains=True),
        template_graph.Edge('web', 'web/server', contains=True),
        template_graph.Edge('web', 'web/again', contains=True),
        template_graph.Edge('web/server', 'web/port')}
    text = template_graph.dot(graph)
    assert '  subgraph "cluster web" {' in text
    assert '"web/server" [label="server\\nOS::Nova::Server"' in text
    picture = template_svg.draw(graph)
    assert minidom.parseString(picture)
    assert 'web contains web/port' in picture


def test_templates_that_multiply_are_cut():
    names = {f'{number}.yaml': hot({
        f'r{each}': {'type': f'{number + 1}.yaml'} for each in range(9)})
        for number in range(30)}
    graph = template_graph.from_template(names['0.yaml'], names)
    assert len(graph.nodes) < 2100


def test_the_command_reads_nested_templates(tmp_path, capsys):
    (tmp_path / 'main.yaml').write_text(json.dumps(OUTER))
    (tmp_path / 'inner.yaml').write_text(json.dumps(INNER))
    assert template.main(['graph', str(tmp_path / 'main.yaml')]) == 0
    drawn = capsys.readouterr().out
    assert '"web/server" -> "web/port"' in drawn
    assert '[label="web\\ninner.yaml"' in drawn
    (tmp_path / 'inner.yaml').write_text(json.dumps(hot(
        {'server': resource('prot')})))
    assert template.main(['graph', str(tmp_path / 'main.yaml')]) == 1
    assert f'{tmp_path}/inner.yaml:1:' in capsys.readouterr().err


def test_each_service_has_one_colour_in_all_graphs():
    many = [f'OS::{name}' for name in (
        'Nova', 'Neutron', 'Heat', 'Cinder', 'Keystone', 'Octavia', 'Glance',
        'Swift', 'Designate', 'Barbican', 'Manila', 'Own', 'Other')]
    graph = template_graph.from_template(hot({
        f'r{number}': {'type': f'{service}::Thing'}
        for number, service in enumerate(many)}))
    colours = template_graph.colours(graph, .5)
    assert len(set(colours.values())) == len(colours) == len(many)
    single = template_graph.from_template(hot(
        {'a': {'type': 'OS::Octavia::Pool'}}))
    assert template_graph.colours(single, .5) == {
        'OS::Octavia': colours['OS::Octavia']}


def test_variables_of_a_text_are_references():
    graph = template_graph.from_template({
        'AWSTemplateFormatVersion': '2010-09-09',
        'Parameters': {'Key': {'Type': 'String'}},
        'Resources': {
            'a': {'Type': 'T', 'Properties': {'x': {'Fn::Sub': [
                '${b} ${c.ip} ${Key} ${!d} ${v} ${AWS::Region}',
                {'v': {'Ref': 'd'}}]}}},
            **{name: {'Type': 'T'} for name in 'bcd'}}})
    assert set(graph.edges) == {template_graph.Edge('a', name)
                                for name in 'bcd'}
