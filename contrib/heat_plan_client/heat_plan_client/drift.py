"""Show how a stack differs from its definition, one group for each stack."""
from collections.abc import Iterator, Mapping
from typing import Any

from heat_plan_client import terminal
from heat_plan_client.terminal import plain

IN_PROGRESS, FAILED = 'DETECTION_IN_PROGRESS', 'DETECTION_FAILED'
DRIFTED = 'DRIFTED'

#: How what was found is marked, and its colour. What is in sync is only
#: counted.
_MARKS = {'MODIFIED': ('~', terminal.YELLOW), 'DELETED': ('-', terminal.RED)}
_UNSUPPORTED = 'UNSUPPORTED'
#: What the summary calls each finding.
_COUNTED = {'MODIFIED': 'modified', 'DELETED': 'deleted',
            'IN_SYNC': 'in sync', _UNSUPPORTED: 'not compared'}


def lines(detection: Mapping[str, Any],
          paint: terminal.Paint = terminal.uncoloured) -> Iterator[str]:
    """Yield the lines of a detection.

    :param detection: as the API shows it
    """
    name = plain(detection.get('stack_name') or '?')
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for each in detection.get('resources') or ():
        if each['status'] in _MARKS:
            groups.setdefault(tuple(each['path'][:-1]), []).append(each)
    for path, group in sorted(groups.items(), key=lambda item: item[0]):
        yield paint('Stack ' + '/'.join([name, *map(plain, path)]),
                    terminal.BOLD)
        for each in group:
            yield from _resource(each, paint)
        yield ''
    if detection.get('left_out'):
        yield f'{detection["left_out"]} resources are not shown.'
    status = detection.get('status')
    if status == FAILED:
        yield paint('The detection failed: ' + plain(
            detection.get('status_reason')), terminal.RED)
    elif status == IN_PROGRESS:
        progress = detection.get('progress') or {}
        yield 'Detection in progress: %s of %s resources compared.' % (
            progress.get('examined') or 0, progress.get('total') or '?')
    else:
        yield summary(detection)


def summary(detection: Mapping[str, Any]) -> str:
    """Return one line with the number of resources of each finding."""
    counts = detection.get('counts') or {}
    return 'Drift of stack %s: %s.' % (
        plain(detection.get('stack_name') or '?'), ', '.join(
            f'{counts.get(finding, 0)} {word}'
            for finding, word in _COUNTED.items()))


def _resource(found: Mapping[str, Any], paint: terminal.Paint
              ) -> Iterator[str]:
    mark, colour = _MARKS[found['status']]
    yield paint(f'  {mark:>3} {plain(found["path"][-1])} '
                f'({plain(found["type"])})', colour)
    for each in found.get('differences') or ():
        if 'property' in each:
            yield (f'        {plain(each["property"])}: '
                   f'{each["expected"]!r} -> {each["actual"]!r}')
        else:
            yield f'        and {each.get("left_out")} more'
