"""A picture of a dependency graph, in one file that needs no other."""
from collections.abc import Hashable, Mapping
from xml.sax import saxutils

from heat.author import graph as template_graph
from heat.author import layers as template_layers
from heat.common.i18n import _

_HEIGHT, _GAP, _BEND = 44, 14, 16
_COLUMN_GAP, _MARGIN = 90, 24
_NAME_CHAR, _TYPE_CHAR, _LONGEST = 8.1, 6.6, 30
_LEGEND_LINE = 22

# Lightness of the stripe of a service on light and on dark pages.
_LIGHTNESS = (.42, .64)

_STYLE = """\
svg { font-family: "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
.page { fill: #ffffff; }
.box { fill: #f6f8fa; stroke: #8c959f; }
.maybe { stroke-dasharray: 5 3; }
.name { font-size: 13px; font-weight: 600; fill: #1f2328; }
.type { font-size: 11.5px; fill: #4b535c; }
.edge { fill: none; stroke: #6e7781; stroke-width: 1.4; }
.explicit { stroke-dasharray: 6 4; }
.contains { stroke-dasharray: 1.5 3; }
.circle { stroke: #cf222e; stroke-width: 2.2; }
.head { fill: #6e7781; }
.node:hover .box { stroke: #0969da; stroke-width: 2; }
.arrow:hover .edge { stroke: #0969da; stroke-width: 2.6; }
"""
_DARK = """\
.page { fill: #0d1117; }
.box { fill: #161b22; stroke: #6e7681; }
.name { fill: #f0f6fc; }
.type { fill: #b1bac4; }
.edge { stroke: #8b949e; }
.circle { stroke: #ff7b72; }
.head { fill: #8b949e; }
.node:hover .box, .arrow:hover .edge { stroke: #58a6ff; }
"""


def draw(graph: template_graph.TemplateGraph, title: str = 'template') -> str:
    """Return the text of an SVG file that shows a graph."""
    return _Picture(graph, title).text()


def _xml(text: str) -> str:
    """Return a text with nothing in it that XML must not have."""
    allowed = ''.join(
        char if char in '\n\t' or (ord(char) >= 0x20
                                   and not 0xd800 <= ord(char) <= 0xdfff
                                   and ord(char) not in (0xfffe, 0xffff))
        else '\ufffd' for char in text)
    return saxutils.escape(allowed, {'"': '&quot;'})


def _short(text: str) -> str:
    """Return a text that fits into a box; its middle goes first."""
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST // 2] + '…' + text[-(_LONGEST // 2 - 1):]


def _kind(edge: template_graph.Edge) -> str:
    """Return the class of an edge in the style sheet."""
    if edge.explicit:
        return ' explicit'
    return ' contains' if edge.contains else ''


class _Picture:
    """Sizes, places, and what is drawn there."""

    def __init__(self, graph: template_graph.TemplateGraph,
                 title: str) -> None:
        self.graph = graph
        self.title = title
        self.nodes = {node.name: node for node in graph.nodes}
        self.services = graph.services()
        circle = template_graph.circle(graph)
        self.circle = set(zip(circle, circle[1:], strict=False))
        self.placement = template_layers.place(
            [node.name for node in graph.nodes],
            [(edge.source, edge.target) for edge in graph.edges],
            height=_HEIGHT + _GAP, bend=_BEND)
        self.widths = [self._width(column)
                       for column in self.placement.columns]
        self.lefts: list[float] = []
        left: float = _MARGIN
        for width in self.widths:
            self.lefts.append(left)
            left += width + _COLUMN_GAP
        self.column_of = {
            name: number
            for number, column in enumerate(self.placement.columns)
            for name in column}
        self.bottom = max((self.placement.y[name] + (
            0 if isinstance(name, tuple) else (_HEIGHT + _GAP) / 2)
            for name in self.placement.y), default=0.0) + _MARGIN
        self.right = max(left - _COLUMN_GAP + _MARGIN, 340.0)

    def _width(self, column: list[Hashable]) -> float:
        return max((max(len(_short(name)) * _NAME_CHAR, len(_short(
            self.nodes[name].noun)) * _TYPE_CHAR) + 30
            for name in column if isinstance(name, str)), default=40.0)

    def text(self) -> str:
        legend = self._legend()
        height = self.bottom + legend[0] + _MARGIN
        size = f'{self.right:.0f} {height:.0f}'
        parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {size}" width="{self.right:.0f}" '
            f'height="{height:.0f}" role="img">',
            f'<title>{_xml(self.title)}</title>',
            f'<style>\n{_STYLE}{self._colours(0)}'
            '@media (prefers-color-scheme: dark) {\n'
            f'{_DARK}{self._colours(1)}}}\n</style>',
            '<defs><marker id="to" viewBox="0 0 8 8" refX="7.5" refY="4" '
            'markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" '
            'orient="auto"><path class="head" d="M0 0.5 8 4 0 7.5z"/>'
            '</marker></defs>',
            '<rect class="page" width="100%" height="100%"/>',
            *(self._edge(edge) for edge in self.graph.edges),
            *(self._node(node) for node in self.graph.nodes),
            *legend[1], '</svg>', '']
        return '\n'.join(parts)

    def _colours(self, scheme: int) -> str:
        fills = template_graph.colours(self.graph, _LIGHTNESS[scheme])
        return ''.join(
            f'.s{number} {{ fill: {fills[service]}; }}\n'
            for number, service in enumerate(self.services))

    def _y(self, name: Hashable) -> float:
        return _MARGIN / 2 + self.placement.y[name]

    def _node(self, node: template_graph.TemplateNode) -> str:
        column = self.column_of[node.name]
        left, width = self.lefts[column], self.widths[column]
        top = self._y(node.name) - _HEIGHT / 2
        number = self.services.index(node.service)
        maybe = ' maybe' if node.condition is not None else ''
        return (
            f'<g class="node"><title>{_xml(template_graph.describe(node))}'
            '</title>'
            f'<rect class="box{maybe}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{width:.1f}" height="{_HEIGHT}" rx="6"/>'
            f'<rect class="s{number}" x="{left + 5:.1f}" '
            f'y="{top + 6:.1f}" width="5" height="{_HEIGHT - 12}" rx="2"/>'
            f'<text class="name" x="{left + 18:.1f}" y="{top + 18:.1f}">'
            f'{_xml(_short(node.name))}</text>'
            f'<text class="type" x="{left + 18:.1f}" y="{top + 34:.1f}">'
            f'{_xml(_short(node.noun))}</text></g>')

    def _edge(self, edge: template_graph.Edge) -> str:
        kind = _kind(edge)
        if (edge.source, edge.target) in self.circle:
            kind += ' circle'
        title = (_('%(source)s depends on %(target)s') if edge.explicit
                 else _('%(source)s contains %(target)s') if edge.contains
                 else _('%(source)s refers to %(target)s')) % {
                     'source': edge.source, 'target': edge.target}
        return (f'<g class="arrow"><title>{_xml(title)}</title>'
                f'<path class="edge{kind}" d="{self._path(edge)}" '
                'marker-end="url(#to)"/></g>')

    def _path(self, edge: template_graph.Edge) -> str:
        """Return the way of an edge: level through a column, else curved.

        """
        if edge.source == edge.target:
            return self._loop(edge.source)
        route = self.placement.routes[edge.source, edge.target]
        first, last = (self.column_of[route[0]], self.column_of[route[-1]])
        if first == last:
            return self._beside(route)
        back = first > last
        spots: list[tuple[float, float]] = []
        for name in route:
            column = self.column_of[name]
            sides = [self.lefts[column],
                     self.lefts[column] + self.widths[column]]
            if back:
                sides.reverse()
            if name == route[0]:
                sides = sides[1:]
            elif name == route[-1]:
                sides = sides[:1]
            spots += [(side, self._y(name)) for side in sides]
        path = 'M%.1f %.1f' % spots[0]
        for number in range(1, len(spots)):
            (x0, y0), (x1, y1) = spots[number - 1], spots[number]
            if number % 2 == 0:
                path += ' L%.1f %.1f' % (x1, y1)
                continue
            middle = (x0 + x1) / 2
            path += (f' C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} '
                     f'{x1:.1f} {y1:.1f}')
        return path

    def _beside(self, route: list[Hashable]) -> str:
        """Return a way between two nodes of one column, to its right."""
        column = self.column_of[route[0]]
        side = self.lefts[column] + self.widths[column]
        out = side + _COLUMN_GAP / 2
        y0, y1 = self._y(route[0]), self._y(route[-1])
        return (f'M{side:.1f} {y0:.1f} C{out:.1f} {y0:.1f} {out:.1f} '
                f'{y1:.1f} {side:.1f} {y1:.1f}')

    def _loop(self, name: str) -> str:
        column = self.column_of[name]
        side = self.lefts[column] + self.widths[column]
        y = self._y(name)
        return (f'M{side:.1f} {y - 8:.1f} C{side + 36:.1f} {y - 20:.1f} '
                f'{side + 36:.1f} {y + 20:.1f} {side:.1f} {y + 8:.1f}')

    def _legend(self) -> tuple[float, list[str]]:
        """Return the height of the legend and what it consists of."""
        x: float = _MARGIN
        y = self.bottom + 14
        parts = []
        samples: list[tuple[str, str]] = [
            (f'<rect class="s{number}" width="12" height="12" rx="2"/>',
             service) for number, service in enumerate(self.services)]
        kinds: Mapping[str, str] = {'': _('refers to'),
                                    ' explicit': 'depends_on',
                                    ' contains': _('contains')}
        present = {_kind(edge) for edge in self.graph.edges}
        samples += [
            (f'<path class="edge{kind}" d="M0 6H30" '
             'marker-end="url(#to)"/>', text)
            for kind, text in kinds.items() if kind in present]
        if self.circle:
            samples.append(('<path class="edge circle" d="M0 6H30" '
                            'marker-end="url(#to)"/>', _('in a circle')))
        if any(node.condition is not None for node in self.graph.nodes):
            samples.append(('<rect class="box maybe" y="0.5" width="20" '
                            'height="11" rx="3"/>', _('has a condition')))
        for sample, text in samples:
            lead = 38 if sample.startswith('<path') else (
                28 if 'box' in sample else 18)
            width = lead + len(text) * _TYPE_CHAR + 22
            if x + width > self.right and x > _MARGIN:
                x, y = _MARGIN, y + _LEGEND_LINE
            parts.append(
                f'<g transform="translate({x:.1f} {y:.1f})">{sample}'
                f'<text class="type" x="{lead}" y="10">{_xml(text)}</text>'
                '</g>')
            x += width
        return y - self.bottom + _LEGEND_LINE, parts
