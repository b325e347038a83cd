"""Draw an operation as bars, one for each action of a resource."""
from collections.abc import Iterator, Mapping
import datetime
import itertools
from typing import Any

from heat_plan_client import terminal
from heat_plan_client import timeline as timelines

#: How phases look, where the terminal has the characters, in the order of
#: `timelines.PHASES`.
FINE = '·░█▒'
_COARSE = '-.#='
_COLOURS = dict(zip(timelines.PHASES, (
    terminal.DIM, terminal.YELLOW, terminal.GREEN, terminal.BLUE),
    strict=True))
_STATUS_COLOURS = {'FAILED': terminal.RED, 'IN_PROGRESS': terminal.YELLOW}
_ENDINGS = {'FAILED': ' failed', 'IN_PROGRESS': ' ...'}
#: Columns of the mark, of the spaces around bars, and of the figures.
_MARK, _GAPS, _FIGURES = 2, 2, 17
_LEAST_BAR = 10


def lines(timeline: Mapping[str, Any], width: int,
          paint: terminal.Paint = terminal.uncoloured, *, fine: bool = True
          ) -> Iterator[str]:
    """Yield the lines of a timeline.

    :param timeline: as `timeline.last_operation` returns it
    :param width: columns of the terminal
    :param fine: whether it has the characters of FINE
    """
    scale = _Scale(_time(timeline['began']), _time(timeline['ended']))
    state = timeline['status']
    head = 'Stack %s: %s_%s in %s, began %s' % (
        terminal.plain(timeline['stack_name']), timeline['action'], state,
        _seconds(scale.total), timeline['began'])
    yield paint(_cut(head, width),
                _STATUS_COLOURS.get(state, terminal.BOLD))
    bars = timeline['bars']
    if not bars:
        yield 'No resource took part.'
        return
    labels = [_label(each, timeline['action']) for each in bars]
    room = width - _MARK - _GAPS - _FIGURES
    most = max(room - _LEAST_BAR, 8)
    length = min(max(map(len, labels)), max(most // 2, 8))
    scale.cells = max(room - length, _LEAST_BAR)
    glyphs = dict(zip(timelines.PHASES, FINE if fine else _COARSE,
                      strict=True))
    for label, each in zip(labels, bars, strict=True):
        yield _line(each, _fitted(label, length), scale, glyphs, paint)
    yield ''
    legend = '* critical path' + ''.join(
        f'  {glyph} {phase}' for phase, glyph in glyphs.items())
    yield _cut(legend, width) if len(legend) > width else (
        '* critical path' + ''.join(
            f'  {paint(glyph, _COLOURS[phase])} {phase}'
            for phase, glyph in glyphs.items()))


class _Scale:
    """Maps times to cells of a bar."""

    def __init__(self, began: datetime.datetime, ended: datetime.datetime
                 ) -> None:
        self._began = began
        self.ended = ended
        self.total = max((ended - began).total_seconds(), 0)
        self.cells = _LEAST_BAR

    def cell(self, moment: datetime.datetime) -> int:
        """Return the number of cells before a time."""
        if not self.total:
            return 0
        share = (moment - self._began).total_seconds() / self.total
        return round(min(max(share, 0), 1) * self.cells)


def _line(bar: Mapping[str, Any], label: str, scale: _Scale,
          glyphs: Mapping[str, str], paint: terminal.Paint) -> str:
    began = _time(bar['began'])
    ended = _time(bar['ended']) if bar['ended'] else scale.ended
    colour = _STATUS_COLOURS.get(
        bar['status'], terminal.BOLD if bar['critical'] else None)
    figures = _seconds((ended - began).total_seconds()) + _ENDINGS.get(
        bar['status'], '')
    runs = _runs(_cells(bar, ended, scale))
    drawn = ''.join(
        paint(glyphs[phase] * number, _COLOURS[phase]) if phase
        else ' ' * number for phase, number in runs)
    mark = '* ' if bar['critical'] else '  '
    texts = (paint(text, colour) if colour else text
             for text in (label + ' ', ' ' + figures))
    return mark + drawn.join(texts)


def _cells(bar: Mapping[str, Any], ended: datetime.datetime, scale: _Scale
           ) -> list[str]:
    """Return the phase that each cell shows; an empty text for none."""
    cells = [''] * scale.cells
    for each in bar['phases']:
        first, last = scale.cell(_time(each['began'])), scale.cell(
            _time(each['ended']))
        cells[first:last] = [each['phase']] * (last - first)
    if not {timelines.ACTING, timelines.POLLING} & set(cells):
        # Even what took no time is seen.
        cells[max(scale.cell(ended), 1) - 1] = timelines.ACTING
    return cells


def _runs(cells: list[str]) -> Iterator[tuple[str, int]]:
    """Yield (phase, number) of equal cells beside each other."""
    for phase, group in itertools.groupby(cells):
        yield phase, len(list(group))


def _label(bar: Mapping[str, Any], action: str) -> str:
    """Return the name of a bar: indented, with an action of its own."""
    path = bar['path']
    text = '  ' * (len(path) - 1) + terminal.plain(path[-1])
    return text if bar['action'] == action else (
        f'{text} {bar["action"].lower()}')


def _fitted(text: str, length: int) -> str:
    return _cut(text, length).ljust(length)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[:length - 2] + '..'


def _seconds(number: float) -> str:
    whole = round(number)
    if whole < 60:
        return f'{whole} s'
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes:02} min' if hours else (
        f'{minutes} min {seconds:02} s')


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
