"""The packages of the code, and which of them import which.

Both come from the table of the layering test. An arrow that follows from
others is left out. So are two packages: all others import ``common``, and the
modules at the top level of the engine name what lies on either side of them.
"""
import ast

from heat.author import layers
from tools.drawing import canvas

_NAMES = ('LANGUAGE', 'CORE', '_ENGINE_BASE', '_CORE_BASE', 'ALLOWED')
_COMMON, _PUBLISHED = 'common', 'published'
#: Packages with other names in the table than below heat.
_PATHS = {'wire': ['heat/rpc/'], 'service': ['heat/engine/service.py',
                      'heat/engine/reader.py']}
_OUTER = {'api', 'author', 'cmd', 'console', 'db', 'objects', 'policies',
          'scaling', 'wsgi'}
_WIDTH, _LINE, _ROW, _MARGIN = 172, 16, 76, 24


def table(layering):
    """Return {package: packages that it may import} of a layering test.

    :param layering: the path of the test
    """
    values = {}
    for node in ast.parse(layering.read_text()).body:
        if (isinstance(node, ast.Assign) and len(node.targets) == 1
                and getattr(node.targets[0], 'id', None) in _NAMES):
            code = compile(ast.Expression(node.value), str(layering), 'eval')
            values[node.targets[0].id] = eval(code, {'set': set}, values)
    return values['ALLOWED']


def arrows(allowed):
    """Return {packages of a box: the boxes that it points to}.

    Packages that import each other share a box, and so do the entry points.
    What another arrow leads to as well is left out.
    """
    kept = [name for name in allowed if name not in (_COMMON, _PUBLISHED)]
    top = [name for name in kept if allowed[name] is None]
    wants = {name: {each for each in allowed[name] or () if each in kept}
             for name in kept}
    for name in top:
        wants[name] = {each for each in kept if each != name}
    box_of = {name: tuple(sorted({name} | {
        each for each in wants[name] if name in wants[each]}))
        for name in kept}
    boxes = {each: set() for each in box_of.values()}
    for name, others in wants.items():
        boxes[box_of[name]] |= {box_of[each] for each in others}
    for each, others in boxes.items():
        others.discard(each)
    reached = {}
    for each in boxes:
        _reach(each, boxes, reached)
    return {each: sorted(
        other for other in others
        if not any(other in reached[third] for third in others - {other}))
        for each, others in boxes.items()}


def _reach(start, boxes, reached):
    """Fill in what can be reached from a box."""
    if start not in reached:
        reached[start] = set(boxes[start]).union(
            *(_reach(each, boxes, reached) for each in boxes[start]))
    return reached[start]


def paths_of(package):
    """Return where a package of the table lies."""
    if package in _PATHS:
        return _PATHS[package]
    inside = '' if package in _OUTER else 'engine/'
    return [f'heat/{inside}{package}/']


def draw(layering):
    """Return SVG: what is above imports what is below it."""
    graph = arrows(table(layering))
    names = {' '.join(each): each for each in graph}
    ways = [(' '.join(each), ' '.join(other))
            for each, others in graph.items() for other in others]
    placement = layers.place(sorted(names), sorted(ways),
                             height=_WIDTH + 18, bend=22)
    rows = list(reversed(placement.columns))
    left = min(placement.y.values()) - _WIDTH / 2 - _MARGIN
    width = max(placement.y.values()) + _WIDTH / 2 + _MARGIN - left
    top_of = {name: _MARGIN + number * _ROW
              for number, row in enumerate(rows) for name in row}
    middle = {name: x - left for name, x in placement.y.items()}
    parts = [canvas.path(_way(placement.routes[way], middle, top_of))
             for way in sorted(ways)]
    for name, packages in sorted(names.items()):
        parts += _box(packages, middle[name], top_of[name])
    bottom = _MARGIN + len(rows) * _ROW
    for note in (f'heat/{_COMMON}/ — imported by all of these',
                 'heat/engine/*.py — the published Python API: resource '
                 'types import it, and it imports the drivers'):
        parts += [canvas.box(_MARGIN, bottom, width - 2 * _MARGIN, 28),
                  canvas.text(width / 2, bottom + 19, note)]
        bottom += 38
    return canvas.picture(width, bottom + _MARGIN - 10,
                          'Packages: what is above imports what is below',
                          parts)


def _height(packages):
    return 16 + _LINE * len(packages)


def _box(packages, x, y):
    """Return a box that names packages, each on a line."""
    parts = [canvas.box(x - _WIDTH / 2, y, _WIDTH, _height(packages))]
    lines = [path for package in packages for path in paths_of(package)]
    return parts + [
        canvas.text(x, y + 21 + _LINE * number, line)
        for number, line in enumerate(lines)]


def _way(route, middle, top_of):
    """Return the way of an arrow, upright at its ends and between them."""
    start = route[0]
    x, y = middle[start], top_of[start] + _height(start.split())
    way = f'M{x:.1f} {y:.1f}'
    for name in route[1:]:
        x1, y1 = middle[name], top_of[name]
        half = (y + y1) / 2
        way += f' C{x:.1f} {half:.1f} {x1:.1f} {half:.1f} {x1:.1f} {y1:.1f}'
        x, y = x1, y1
        if isinstance(name, tuple):
            y += _LINE + 16
            way += f' L{x:.1f} {y:.1f}'
    return way
