"""Show what to change in templates so that they say what really exists."""
from collections.abc import Iterator, Mapping
import json
from typing import Any

from heat_plan_client import diff
from heat_plan_client import terminal
from heat_plan_client.terminal import plain


def lines(change_set: Mapping[str, Any],
          paint: terminal.Paint = terminal.uncoloured) -> Iterator[str]:
    """Yield the lines about a change set that reverts drift.

    :param change_set: as the API shows it
    """
    stack = plain(change_set.get('stack_name') or '?')
    if change_set.get('status') == diff.FAILED:
        yield paint('The plan fails: ' + plain(
            change_set.get('status_reason')), terminal.RED)
        return
    number = 0
    for change in change_set.get('changes') or ():
        path = '/'.join(map(plain, [stack, *change['path'][:-1]]))
        for cause in change.get('causes') or ():
            if cause.get('accept'):
                number += 1
                yield f'{path}: {_edit(cause["accept"])}'
            elif 'left_out' in cause:
                yield f'{path}: and {cause["left_out"]} more of ' + plain(
                    change['path'][-1])
    if change_set.get('left_out'):
        yield f'{change_set["left_out"]} resources are not shown.'
    yield (f'To accept the drift of stack {stack}: {number} to change.'
           if number else f'Stack {stack} has not drifted.')


def _edit(found: Mapping[str, Any]) -> str:
    """Return one line about one change of a template."""
    line = f' (line {found["line"]})' if found.get('line') else ''
    if found.get('parameter'):
        return (f'set parameter {plain(found["parameter"])} to '
                f'{_value(found)}{line}')
    path = '.'.join(map(plain, found.get('template') or ()))
    if found.get('remove'):
        return f'remove {path}{line}'
    return f'set {path} to {_value(found)}{line}'


def _value(found: Mapping[str, Any]) -> str:
    return plain(json.dumps(found.get('value'), sort_keys=True))
