"""What all pictures have in common: the page, its colours, text and arrows.

A picture follows the colour scheme of its reader. It brings its own page, so
that it is legible wherever it is shown.
"""
from xml.sax import saxutils

_STYLE = """\
svg { color: #1f2328;
  font-family: "Helvetica Neue", Arial, "Liberation Sans", sans-serif; }
.page { fill: #ffffff; }
.box { fill: #f3f5f7; stroke: #8c959f; }
.line { fill: none; stroke: #6e7781; stroke-width: 1.4; }
.answer { stroke-dasharray: 6 4; }
.life { stroke: #8c959f; stroke-dasharray: 2 4; }
.frame { fill: none; stroke: #8c959f; }
.head { fill: #6e7781; }
.strong { font-size: 13px; font-weight: 600; fill: currentColor; }
.text { font-size: 12px; fill: currentColor; }
.code { font-size: 12.5px; fill: currentColor; white-space: pre;
  font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.done { fill: #1a7f37; }
"""
_DARK = """\
svg { color: #e6edf3; }
.page { fill: #0d1117; }
.box { fill: #1c2128; stroke: #6e7681; }
.line { stroke: #9198a1; }
.life, .frame { stroke: #6e7681; }
.head { fill: #9198a1; }
.done { fill: #57c46c; }
"""


def picture(width, height, title, parts):
    """Return the text of an SVG file."""
    return '\n'.join([
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img">',
        f'<title>{saxutils.escape(title)}</title>',
        f'<style>\n{_STYLE}@media (prefers-color-scheme: dark) {{\n'
        f'{_DARK}}}\n</style>',
        '<defs><marker id="to" viewBox="0 0 8 8" refX="7.5" refY="4" '
        'markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" '
        'orient="auto"><path class="head" d="M0 0.5 8 4 0 7.5z"/></marker>'
        '</defs>',
        '<rect class="page" width="100%" height="100%" rx="6"/>',
        *parts, '</svg>', ''])


def box(x, y, width, height, kind='box'):
    """Return a rectangle; x and y are its upper left corner."""
    return (f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" '
            f'width="{width:.1f}" height="{height:.1f}" rx="5"/>')


def text(x, y, words, kind='text', anchor='middle'):
    """Return a line of text; y is its base line."""
    return (f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" '
            f'text-anchor="{anchor}">{saxutils.escape(words)}</text>')


def path(way, kind='line', arrow=True):
    """Return a line, with a head at its end if it is an arrow."""
    head = ' marker-end="url(#to)"' if arrow else ''
    return f'<path class="{kind}" d="{way}"{head}/>'
