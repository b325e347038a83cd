"""openstack stack watch: see an operation happen."""
import argparse
import datetime
import shutil
from typing import Any

from heatclient import exc
from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client import stream
from heat_plan_client import terminal
from heat_plan_client import watch

_INTERRUPTED = 130
#: Seconds between two drawings while nothing happens.
_TICK = 1.0
#: How often a stack must look at rest before no rollback follows.
_LOOKS = 3


class WatchStack(command.Command):
    """Show what the resources of a stack do until its operation ends.

    On a terminal: how many resources are complete, at work and waiting, and
    those at work or failed. Otherwise, and with --events, one line for each
    event. The exit code is 1 if the operation fails.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>',
                            help='Stack (name or ID)')
        parser.add_argument('--events', action='store_true',
                            help='Print events as lines')
        parser.add_argument(
            '--nested-depth', metavar='<depth>', type=int, default=0,
            help='Depth of nested stacks whose resources are shown')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Watch; return the exit code."""
        client = self.app.client_manager.orchestration
        stack = api.stack_of(client, parsed_args.stack)
        out = self.app.stdout
        screen = _Lines(out) if parsed_args.events or not out.isatty() else (
            _Table(out))
        try:
            return self._watch(client, stack, parsed_args.nested_depth,
                               screen)
        except KeyboardInterrupt:
            out.write('\nThe operation continues.\n')
            return _INTERRUPTED

    @staticmethod
    def _watch(client: Any, stack: Any, depth: int, screen: Any) -> int:
        identifier = f'{stack.stack_name}/{stack.id}'
        board = watch.Board(stack, _now())
        batches = stream.events(client, stack, depth, _TICK)
        # Opened before the resources are read: no event is missed.
        first = next(batches, [])
        board.load(_listed(client, identifier, depth))
        rest = _Rest(client, identifier)
        rest.look()
        for each in first:
            board.apply(each)
        screen.show(first, board)
        while not rest.is_reached:
            batch = next(batches, None)
            for each in batch or ():
                board.apply(each)
            screen.show(batch or [], board)
            if batch is None or rest.looks or any(
                    watch.is_of_stack(each) and each['path'] == '' and
                    not each['resource_status'].endswith('_IN_PROGRESS')
                    for each in batch):
                rest.look()
        board.status = rest.status
        screen.end(board, (rest.status, rest.reason))
        return 0 if rest.status.endswith('_COMPLETE') else 1


def _listed(client: Any, identifier: str, depth: int) -> list[dict[str, Any]]:
    try:
        return [each.to_dict() for each in client.resources.list(
            identifier, nested_depth=depth)]
    except exc.HTTPNotFound:
        # A deleted stack has none.
        return []


class _Rest:
    """Finds out whether the operation of a stack has ended.

    :ivar looks: how often the stack has been seen at rest, one after another
    """

    def __init__(self, client: Any, identifier: str) -> None:
        self._client, self._identifier = client, identifier
        self.is_reached = False
        self.status = self.reason = ''
        self.looks = 0

    def look(self) -> None:
        """Ask for the stack."""
        try:
            found = self._client.stacks.get(self._identifier,
                                            resolve_outputs=False)
        except exc.HTTPNotFound:
            self.status, self.is_reached = 'DELETE_COMPLETE', True
            return
        self.status = found.stack_status
        self.reason = found.stack_status_reason or ''
        if self.status.endswith('_IN_PROGRESS'):
            self.looks = 0
            return
        self.looks += 1
        # A rollback may follow.
        may_go_on = (self.status in ('CREATE_FAILED', 'UPDATE_FAILED')
                     and not found.disable_rollback)
        self.is_reached = not may_go_on or self.looks >= _LOOKS


class _Lines:
    """Prints events one after another."""

    def __init__(self, out: Any) -> None:
        self._out = out

    def show(self, events: Any, _board: watch.Board) -> None:
        """Print new events."""
        for each in events:
            self._out.write(watch.event_line(each) + '\n')
        self._out.flush()

    def end(self, board: watch.Board, ended: tuple[str, str]) -> None:
        """Print how the operation has ended."""
        self._out.write(f'\nStack {terminal.plain(board.name)}: {ended[0]}\n')
        if not ended[0].endswith('_COMPLETE'):
            self._out.write(terminal.plain(ended[1]) + '\n')


class _Table(_Lines):
    """Draws the board again in the place where it was."""

    def __init__(self, out: Any) -> None:
        super().__init__(out)
        self._paint = terminal.paint_of(out)
        self._drawn = 0

    def show(self, _events: Any, board: watch.Board) -> None:
        """Draw the board."""
        size = shutil.get_terminal_size()
        lines = list(board.lines(_now(), (size.columns, size.lines),
                                 self._paint))
        above = f'\033[{self._drawn}A' if self._drawn else ''
        self._out.write(above + '\r\033[J' + '\n'.join(lines) + '\n')
        self._out.flush()
        self._drawn = len(lines)

    def end(self, board: watch.Board, ended: tuple[str, str]) -> None:
        """Draw the board a last time, with the reason of a failure."""
        self.show([], board)
        if not ended[0].endswith('_COMPLETE'):
            self._out.write(terminal.plain(ended[1]) + '\n')


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
