"""Which resource of a template needs which, and the same for Graphviz.

A condition that depends on parameters may hold or not, so both branches of
every "if" count: what is shown is everything that may be needed.
"""
import collections.abc
from collections.abc import Iterable, Iterator, Mapping
import colorsys
import dataclasses
import json
import posixpath
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import template
from heat.engine.cfn import functions as cfn_functions
from heat.engine.cfn import intrinsics
from heat.engine.hot import functions as hot_functions
from heat.engine.language import substitution
from heat.engine.language import suggest

#: Services whose colour is the same in all graphs.
SERVICES = (
    'OS::Nova', 'OS::Neutron', 'OS::Heat', 'OS::Cinder', 'OS::Keystone',
    'OS::Octavia', 'OS::Glance', 'OS::Swift', 'OS::Designate',
    'OS::Barbican', 'OS::Manila', 'OS::Magnum', 'OS::Trove', 'OS::Sahara',
    'OS::Mistral', 'OS::Zaqar', 'OS::Aodh', 'OS::Monasca', 'OS::Senlin',
    'OS::Blazar', 'OS::Ironic', 'OS::Zun', 'OS::Vitrage', 'AWS::EC2',
    'AWS::AutoScaling', 'AWS::CloudFormation', 'AWS::IAM', 'AWS::RDS',
    'AWS::S3', 'AWS::ElasticLoadBalancing', _('templates'))
# Multiples of this angle are as far apart as hues can be.
_GOLDEN_ANGLE = 137.50776
#: A graph does not grow beyond this number of nodes by nested templates.
_MOST_NODES = 2000
_SEPARATOR = '/'


@dataclasses.dataclass(frozen=True, slots=True)
class TemplateNode:
    """A resource; service is what its type begins with."""

    name: str
    type: str
    condition: str | None = None
    #: The node of the nested stack that the resource belongs to.
    parent: str | None = None

    @property
    def service(self) -> str:
        """Say whom the type belongs to, OS::Nova for OS::Nova::Server."""
        parts = self.type.split('::')
        if len(parts) > 2:
            return '::'.join(parts[:2])
        return _('templates') if self.type.endswith(
            ('.yaml', '.template', '.yml')) else parts[0]

    @property
    def label(self) -> str:
        """Return the name in the template that defines the resource."""
        if self.parent is None:
            return self.name
        return self.name.removeprefix(self.parent + _SEPARATOR)

    @property
    def noun(self) -> str:
        """Return what is left of the type without the service."""
        parts = self.type.split('::')
        return '::'.join(parts[2:]) if len(parts) > 2 else self.shown_type

    @property
    def shown_type(self) -> str:
        """Return the type, of a template on disk the name of the file."""
        return (self.type if '::' in self.type or '://' in self.type
                else posixpath.basename(self.type))


@dataclasses.dataclass(frozen=True, slots=True)
class Edge:
    """One resource (the source) needs another; explicit: by depends_on.

    contains: the source is a nested stack, and the target belongs to it.
    """

    source: str
    target: str
    explicit: bool = False
    contains: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class TemplateGraph:
    """Resources and needs, in the order of the template."""

    nodes: tuple[TemplateNode, ...]
    edges: tuple[Edge, ...]

    def services(self) -> list[str]:
        """Return the services there are, in the order of their names."""
        return sorted({node.service for node in self.nodes})


def colours(graph: TemplateGraph, lightness: float,
            saturation: float = .55) -> dict[str, str]:
    """Return a colour for each service, never one for two."""
    others = [each for each in graph.services() if each not in SERVICES]
    known = (*SERVICES, *others)
    result = {}
    for service in graph.services():
        hue = known.index(service) * _GOLDEN_ANGLE % 360 / 360
        parts = colorsys.hls_to_rgb(hue, lightness, saturation)
        result[service] = '#' + ''.join(
            f'{round(part * 255):02x}' for part in parts)
    return result


def from_template(data: Mapping[str, Any],
                  nested: Mapping[str, Mapping[str, Any]] | None = None,
                  ) -> TemplateGraph:
    """Return the graph of a parsed template.

    Raises HeatException when a reference has no target.

    :param nested: data of nested templates by their type; their resources
        become part of the graph.
    """
    graph = _own(data)
    nodes, edges = list(graph.nodes), list(graph.edges)
    waiting: list[tuple[TemplateNode, Mapping[str, Any], tuple[str, ...]]] = [
        (node, data, ()) for node in graph.nodes]
    while waiting and nested:
        node, outer, trail = waiting.pop(0)
        for kind in _nested_types(outer, node, nested):
            if kind in trail or len(nodes) > _MOST_NODES:
                continue
            try:
                inner = _own(nested[kind])
            except exception.HeatException as exc:
                exc.kwargs.setdefault('file', kind)
                raise
            members = {each.name: dataclasses.replace(
                each, name=node.name + _SEPARATOR + each.name,
                parent=node.name) for each in inner.nodes}
            nodes += members.values()
            edges += [Edge(node.name, each.name, contains=True)
                      for each in members.values()]
            edges += [dataclasses.replace(
                edge, source=members[edge.source].name,
                target=members[edge.target].name) for edge in inner.edges]
            waiting += [(each, nested[kind], (*trail, kind))
                        for each in members.values()]
    return TemplateGraph(tuple(nodes), tuple(edges))


def _nested_types(data: Mapping[str, Any], node: TemplateNode,
                  nested: Mapping[str, Any]) -> Iterator[str]:
    """Yield the nested templates that a resource is made of."""
    language: Any = template.get_template_class(data)(dict(data))
    definition = language.section(language.RESOURCES).get(node.label) or {}
    if node.type in nested:
        yield node.type
        return
    # Groups have the definition of their members among their properties.
    given = definition.get(language.RES_PROPERTIES)
    if isinstance(given, collections.abc.Mapping):
        for key in ('resource_def', 'resource'):
            member = given.get(key)
            kind = member.get('type') if isinstance(
                member, collections.abc.Mapping) else None
            if isinstance(kind, str) and kind in nested:
                yield kind


def _own(data: Mapping[str, Any]) -> TemplateGraph:
    """Return the graph of a template without what is nested."""
    language = template.get_template_class(data)(dict(data))
    resources = language.section(language.RESOURCES)
    nodes = []
    edges: dict[tuple[str, str], Edge] = {}
    for name, definition in resources.items():
        if not isinstance(definition, collections.abc.Mapping):
            raise exception.StackValidationFailed(
                path=[language.RESOURCES, name],
                message=_('A definition must be a map'))
        nodes.append(_node(language, name, definition))
        for edge in _edges(language, name, definition, resources):
            # What is said twice is drawn once, as the reference.
            known = edges.get((edge.source, edge.target))
            if known is None or known.explicit:
                edges[edge.source, edge.target] = edge
    return TemplateGraph(tuple(nodes), tuple(edges.values()))


def _node(language: Any, name: str,
          definition: Mapping[str, Any]) -> TemplateNode:
    condition = None
    if language.RES_CONDITION is not None:
        condition = definition.get(language.RES_CONDITION)
        if condition is not None and not isinstance(condition, str):
            condition = json.dumps(condition)
    resource_type = definition.get(language.RES_TYPE)
    return TemplateNode(
        str(name), resource_type if isinstance(resource_type, str)
        else json.dumps(resource_type), condition)


def _edges(language: Any, name: str, definition: Mapping[str, Any],
           resources: Mapping[str, Any]) -> Iterator[Edge]:
    path = [language.RESOURCES, name, language.RES_DEPENDS_ON]
    depends = definition.get(language.RES_DEPENDS_ON) or []
    if isinstance(depends, str):
        depends = [depends]
    if not isinstance(depends, list):
        raise exception.StackValidationFailed(path=path, message=_(
            'The value must be the name of a resource or a list of such '
            'names'))
    for target in depends:
        yield _checked(name, target, resources, explicit=True, path=path)
    parameters = language.section(language.PARAMETERS)
    for key in (language.RES_PROPERTIES, language.RES_METADATA):
        path = [language.RESOURCES, name, key]
        for target, call in _references(language.functions,
                                        definition.get(key)):
            if call == 'Ref' and (target in parameters or str(
                    target).startswith(('AWS::', 'OS::'))):
                continue
            yield _checked(name, target, resources, path=path)


def _checked(source: str, target: Any, resources: Mapping[str, Any], *,
             path: list[Any], explicit: bool = False) -> Edge:
    if not isinstance(target, str) or target not in resources:
        raise exception.InvalidTemplateReference(
            resource=target, key='.'.join(map(str, path)), path=path,
            hint=suggest.hint_with_names(target, resources))
    return Edge(source, target, explicit)


def _references(functions: Mapping[str, Any],
                snippet: Any) -> Iterator[tuple[Any, str]]:
    """Yield (resource, function) of the calls that name a resource."""
    if isinstance(snippet, collections.abc.Mapping):
        if len(snippet) == 1:
            [(name, args)] = snippet.items()
            if functions.get(name) is intrinsics.Sub:
                for _text, target in substitution.references(args):
                    target, dot, _attribute = target.partition('.')
                    yield target, 'Fn::GetAtt' if dot else 'Ref'
            elif _refers(functions.get(name)):
                target = args[0] if isinstance(args, list) and args else args
                if isinstance(target, str):
                    yield target, name
                    args = args[1:] if isinstance(args, list) else None
                yield from _references(functions, args)
                return
        snippet = list(snippet.values())
    if isinstance(snippet, list):
        for item in snippet:
            yield from _references(functions, item)


def _refers(implementation: Any) -> bool:
    return implementation in (cfn_functions.Ref, intrinsics.Ref) or (
        isinstance(implementation, type)
        and issubclass(implementation, hot_functions.GetResource
                       .__mro__[1]))


def circle(graph: TemplateGraph) -> list[str]:
    """Return the names along a circle of needs, [] without one."""
    needs: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for edge in graph.edges:
        needs[edge.source].append(edge.target)
    done: set[str] = set()
    for start in needs:
        trail = _walk(start, needs, done)
        if trail:
            return trail
    return []


def _walk(start: str, needs: Mapping[str, list[str]],
          done: set[str]) -> list[str]:
    path: dict[str, Iterator[str]] = {}
    name: str | None = start
    while name is not None:
        if name in path:
            names = list(path)
            return [*names[names.index(name):], name]
        if name not in done:
            path[name] = iter(needs[name])
        name = None
        while path and name is None:
            last = next(reversed(path))
            name = next((each for each in path[last] if each not in done),
                        None)
            if name is None:
                done.add(last)
                del path[last]
    return []


def dot(graph: TemplateGraph, title: str = 'template') -> str:
    """Return the graph in the language of Graphviz."""
    lines = [f'digraph {_dot_text(title)} {{', '  rankdir=RL;',
             '  node [shape=box, style="rounded,filled", '
             'fontname="sans-serif", fontcolor="#111111"];',
             '  edge [color="#666666"];']
    fills = colours(graph, .88)
    members: dict[str | None, list[TemplateNode]] = {}
    for node in graph.nodes:
        members.setdefault(node.parent, []).append(node)
    lines += _dot_nodes(members, None, fills, '  ')
    for edge in graph.edges:
        style = (' [style=dashed, tooltip="depends_on"]' if edge.explicit
                 else ' [style=dotted, arrowhead=odiamond, '
                 'tooltip="contains"]' if edge.contains else '')
        lines.append(f'  {_dot_text(edge.source)} -> '
                     f'{_dot_text(edge.target)}{style};')
    return '\n'.join([*lines, '}', ''])


def _dot_nodes(members: Mapping[str | None, list[TemplateNode]],
               parent: str | None, fills: Mapping[str, str],
               indent: str) -> Iterator[str]:
    """Yield the nodes of a stack, each nested stack in its own frame."""
    for node in members.get(parent, ()):
        style = ('rounded,filled,dashed' if node.condition is not None
                 else 'rounded,filled')
        yield (f'{indent}{_dot_text(node.name)} [label='
               f'{_dot_text(node.label, node.shown_type)}, '
               f'tooltip={_dot_text(*_tooltip(node))}, '
               f'style="{style}", fillcolor="{fills[node.service]}"];')
        if node.name in members:
            yield f'{indent}subgraph {_dot_text("cluster " + node.name)} {{'
            yield (f'{indent}  label={_dot_text(node.name)}; '
                   'color="#999999"; style=rounded;')
            yield from _dot_nodes(members, node.name, fills, indent + '  ')
            yield indent + '}'


def _tooltip(node: TemplateNode) -> Iterable[str]:
    yield node.name
    yield node.type
    if node.condition is not None:
        yield 'condition: ' + node.condition


def _dot_text(*lines: str) -> str:
    return '"%s"' % '\\n'.join(
        line.replace('\\', '\\\\').replace('"', '\\"').replace('\n', ' ')
        for line in lines)


def describe(node: TemplateNode) -> str:
    """Return the text that a pointer over the node brings up."""
    return '\n'.join(_tooltip(node))
