"""Who sends what to whom, from top to bottom."""
import dataclasses

from tools.drawing import canvas

_COLUMN, _MARGIN, _HEAD, _LETTER = 158, 86, 34, 6.7


@dataclasses.dataclass(frozen=True, slots=True)
class Message:
    """A call of a participant to another one; or the answer to one."""

    sender: str
    receiver: str
    words: str
    answers: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Note:
    """What a participant does by itself."""

    who: str
    words: str


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """Steps that belong together, and what they have in common."""

    words: str
    steps: list


def draw(title, participants, steps):
    """Return SVG of a sequence of messages, notes and frames."""
    place = {name: _MARGIN + _COLUMN * number
             for number, name in enumerate(participants)}
    width = 2 * _MARGIN + _COLUMN * (len(participants) - 1)
    parts, bottom = _steps(steps, place, 80, (10, width - 10))
    heads = []
    for name, x in place.items():
        heads += [
            canvas.path(f'M{x} {_HEAD + 16}V{bottom}', 'life', arrow=False),
            canvas.box(x - 62, 16, 124, _HEAD),
            canvas.text(x, 38, name, 'strong')]
    return canvas.picture(width, bottom + 6, title, heads + parts)


def _steps(steps, place, y, sides):
    """Return what shows the steps from a height on, and where they end."""
    parts = []
    for step in steps:
        if isinstance(step, Frame):
            left, right = sides
            inner, end = _steps(step.steps, place, y + 42,
                                (left + 8, right - 8))
            parts += [canvas.box(left, y, right - left, end - y - 6, 'frame'),
                      canvas.text(left + 10, y + 17, step.words, 'strong',
                                  'start'), *inner]
            y = end + 24
        elif isinstance(step, Note):
            parts += _note(step, place[step.who], y)
            y += 40
        else:
            parts += _message(step, place, y)
            y += 36
    return parts, y


def _note(note, x, y):
    width = max(_LETTER * len(note.words) + 22, 60)
    return [canvas.box(x - width / 2, y - 10, width, 26),
            canvas.text(x, y + 7, note.words)]


def _message(message, place, y):
    start, end = place[message.sender], place[message.receiver]
    words = canvas.text((start + end) / 2, y - 1, message.words)
    width = _LETTER * len(message.words) + 8
    return [f'<rect class="page" x="{(start + end - width) / 2:.1f}" '
            f'y="{y - 13}" width="{width:.1f}" height="16"/>', words,
            canvas.path(f'M{start} {y + 7}H{end}', 'line answer'
                        if message.answers else 'line')]
