"""What a command prints, as it was recorded, in the window of a terminal."""
import re

from tools.drawing import canvas

_LETTER, _LINE, _MARGIN = 7.55, 19, 20
#: Ids are cut to what tells them apart.
_ID = re.compile(r'\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}\b')


def draw(title, command, recorded):
    """Return SVG of a command and its output.

    :param recorded: the path of a file with the output
    """
    lines = _ID.sub(r'\1', recorded.read_text()).splitlines()
    width = 2 * _MARGIN + _LETTER * max(map(len, [f'$ {command}', *lines]))
    parts = [canvas.box(8, 8, width - 16, _LINE * (len(lines) + 1) + 32),
             canvas.text(_MARGIN, 36, f'$ {command}', 'code', 'start')]
    for number, line in enumerate(lines):
        kind = 'code done' if '_COMPLETE' in line else 'code'
        parts.append(canvas.text(_MARGIN, 36 + _LINE * (number + 1), line,
                                 kind, 'start'))
    return canvas.picture(width, _LINE * (len(lines) + 1) + 48, title, parts)
