"""Track the state of the resources of a stack from its events."""
from collections.abc import Iterable, Iterator, Mapping
import dataclasses
import datetime
from typing import Any

from heat_plan_client import api
from heat_plan_client import terminal

_IN_PROGRESS, _COMPLETE, _FAILED, _INIT = (
    'IN_PROGRESS', 'COMPLETE', 'FAILED', 'INIT')
_COLOURS = {_FAILED: terminal.RED, _IN_PROGRESS: terminal.YELLOW}
_COUNTED = ((_COMPLETE, 'complete'), (_FAILED, 'failed'),
            (_IN_PROGRESS, 'in progress'), (_INIT, 'waiting'))


@dataclasses.dataclass(slots=True)
class Row:
    """One resource: the action, the status, and since when."""

    action: str
    status: str
    since: datetime.datetime | None = None
    reason: str = ''


class Board:
    """The state of a stack and of its resources by path.

    :param began: the beginning of what is watched
    """

    def __init__(self, stack: Any, began: datetime.datetime) -> None:
        self.name = stack.stack_name
        self.status = stack.stack_status
        self.began = began
        self._stack_id = stack.id
        self._rows: dict[str, Row] = {}

    def load(self, resources: Iterable[Mapping[str, Any]]) -> None:
        """Begin with the resources as the API lists them."""
        found = list(resources)
        above: dict[str, str] = {}
        for each in found:
            nested = api.linked(each, 'nested')[1]
            if nested:
                above[nested] = self._path(each, above)
        for each in found:
            action, status = _split(each['resource_status'])
            since = _moment(each.get('updated_time'))
            if action == _INIT:
                status = _INIT
            self._rows[self._path(each, above)] = Row(action, status, since)

    @staticmethod
    def _path(resource: Mapping[str, Any], above: Mapping[str, str]) -> str:
        place = above.get(api.linked(resource, 'stack')[1])
        name: str = resource['resource_name']
        return f'{place}/{name}' if place else name

    def apply(self, event: Mapping[str, Any]) -> None:
        """Take an event into account."""
        action, status = _split(event['resource_status'])
        if is_of_stack(event):
            if event['stack_id'] == self._stack_id:
                self.status = event['resource_status']
            return
        path = event['path']
        if (action, status) == ('DELETE', _COMPLETE):
            self._rows.pop(path, None)
            return
        self._rows[path] = Row(
            action, status, _moment(event['event_time']),
            event.get('resource_status_reason') or '')

    def lines(self, now: datetime.datetime, room: tuple[int, int],
              paint: terminal.Paint = terminal.uncoloured
              ) -> Iterator[str]:
        """Yield the lines of the board.

        :param room: columns and lines of the terminal
        """
        columns, most = room
        seconds = max(round((now - self.began).total_seconds()), 0)
        head = f'Stack {terminal.plain(self.name)}: {self.status}, {seconds} s'
        yield paint(head[:columns], _COLOURS.get(
            _split(self.status)[1], terminal.BOLD))
        yield self._counts()[:columns]
        shown = sorted(
            ((path, row) for path, row in self._rows.items()
             if row.status in (_FAILED, _IN_PROGRESS)),
            key=lambda item: (item[1].status != _FAILED, item[1].since or now,
                              item[0]))
        if shown:
            yield ''
        width = max((len(path) for path, _row in shown), default=0)
        kept = max(most - 5, 1)
        for path, row in shown[:kept]:
            since = round((now - row.since).total_seconds()) if (
                row.since and row.status == _IN_PROGRESS) else None
            text = (f'{terminal.plain(path):{width}}  '
                    f'{row.action}_{row.status}  '
                    + (f'{max(since, 0)} s' if since is not None
                       else terminal.plain(row.reason)))
            yield paint(text[:columns].rstrip(), _COLOURS[row.status])
        if len(shown) > kept:
            yield f'... and {len(shown) - kept} more'

    def _counts(self) -> str:
        numbers = [(sum(row.status == status for row in self._rows.values()),
                    word) for status, word in _COUNTED]
        parts = ', '.join(f'{number} {word}' for number, word in numbers
                          if number)
        return f'{len(self._rows)} resources' + (f': {parts}' if parts else '')


def event_line(event: Mapping[str, Any]) -> str:
    """Return an event as one line."""
    path = event['path'] or '(stack)'
    return terminal.plain('%s [%s]: %s  %s' % (
        event['event_time'].replace('T', ' '), path,
        event['resource_status'], event.get('resource_status_reason') or ''))


def is_of_stack(event: Mapping[str, Any]) -> bool:
    """Return whether an event is about a stack, not about a resource."""
    return event.get('physical_resource_id') == event['stack_id']


def _split(status: str) -> tuple[str, str]:
    action, _, rest = status.partition('_')
    return action, rest


def _moment(text: str | None) -> datetime.datetime | None:
    if not text:
        return None
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
