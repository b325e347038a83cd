"""A picture of throughput against the number of engines."""
import math
from xml.sax import saxutils

_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 40, 470, 260
_COLOURS = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#e45756', '#72b7b2']


def draw(series, title, across, up):
    """Return SVG with one line for each of {name: {x: y}}; x doubles.

    :param across: what x is
    :param up: what y is
    """
    xs = sorted({x for points in series.values() for x in points})
    top = _rounded(max(y for points in series.values()
                       for y in points.values()))
    first, last = math.log2(xs[0]), math.log2(xs[-1])

    def place(x, y):
        part = (math.log2(x) - first) / ((last - first) or 1)
        return (_LEFT + _WIDTH * part,
                _TOP + _HEIGHT * (1 - y / top))

    parts = [_text(_LEFT, 20, title, weight='bold')]
    for step in range(6):
        y = top * step / 5
        _x, at = place(xs[0], y)
        parts.append(f'<line x1="{_LEFT}" y1="{at:.1f}" '
                     f'x2="{_LEFT + _WIDTH}" y2="{at:.1f}" '
                     'stroke="#dddddd"/>')
        parts.append(_text(_LEFT - 8, at + 4, f'{y:,.0f}', 'end'))
    for x in xs:
        at, _y = place(x, 0)
        parts.append(_text(at, _TOP + _HEIGHT + 18, str(x), 'middle'))
    parts.append(_text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 38, across,
                       'middle'))
    parts.append(_text(_LEFT, _TOP - 6, up))
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        line = [place(x, points[x]) for x in sorted(points)]
        parts.append('<polyline fill="none" stroke-width="2" stroke="'
                     f'{colour}" points="' + ' '.join(
                         f'{x:.1f},{y:.1f}' for x, y in line) + '"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" '
                  f'fill="{colour}"/>' for x, y in line]
        at = _TOP + 16 + 18 * number
        parts.append(f'<rect x="{_LEFT + 14}" y="{at - 10}" width="11" '
                     f'height="11" fill="{colour}"/>')
        parts.append(_text(_LEFT + 31, at, name))
    width, height = _LEFT + _WIDTH + 30, _TOP + _HEIGHT + 52
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-size="12" '
        'font-family="sans-serif" role="img" '
        f'aria-label={saxutils.quoteattr(title)}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *parts, '</svg>', ''])


def _rounded(value):
    """Return the next number of one digit and zeros."""
    size = 10 ** math.floor(math.log10(value))
    return math.ceil(value / size) * size


def _text(x, y, words, anchor='start', weight='normal'):
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="#222222">'
            f'{saxutils.escape(words)}</text>')
