"""A chart of what stacks cost, for those who would rather look than read."""
from xml.sax import saxutils

_LEFT, _WIDTH, _BAR, _GAP, _TOP = 70, 480, 13, 14, 64
_COLOURS = ['#4c78a8', '#9ecae9', '#72b7b2', '#b279a2', '#f58518', '#e45756']


def draw(rows, what, unit, title):
    """Return SVG: for each shape a bar for each operation.

    :param rows: dicts with ``shape``, ``operation`` and what is shown
    :param what: the key of what is shown
    :param unit: what it is counted in
    """
    shapes, operations = {}, {}
    for row in rows:
        shapes.setdefault(row['shape'], {})[row['operation']] = row[what]
        operations.setdefault(row['operation'],
                              _COLOURS[len(operations) % len(_COLOURS)])
    largest = max(row[what] for row in rows) or 1
    parts, y = [], _TOP
    for shape, found in shapes.items():
        middle = y + _BAR * len(found) / 2
        parts.append(_text(_LEFT - 8, middle + 4, shape, 'end'))
        for operation, value in found.items():
            length = max(_WIDTH * value / largest, 1)
            parts.append(
                f'<rect x="{_LEFT}" y="{y}" width="{length:.1f}" '
                f'height="{_BAR - 2}" fill="{operations[operation]}"/>')
            parts.append(_text(_LEFT + length + 5, y + 9,
                               f'{value:.2g}'))
            y += _BAR
        y += _GAP
    x = _LEFT
    for operation, colour in operations.items():
        parts.append(f'<rect x="{x}" y="36" width="11" height="11" '
                     f'fill="{colour}"/>')
        parts.append(_text(x + 16, 46, operation))
        x += 32 + 7 * len(operation)
    width = _LEFT + _WIDTH + 60
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{y}" viewBox="0 0 {width} {y}" font-size="12" '
        'font-family="sans-serif" role="img" '
        f'aria-label={saxutils.quoteattr(title)}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(_LEFT, 20, f'{title} ({unit})', weight='bold'),
        *parts, '</svg>', ''])


def _text(x, y, text, anchor='start', weight='normal'):
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" '
            f'font-weight="{weight}" fill="#222222">'
            f'{saxutils.escape(text)}</text>')
