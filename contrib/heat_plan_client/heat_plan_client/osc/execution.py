"""Execute a change set and follow its operation."""
import argparse
from typing import Any, TextIO

from osc_lib import exceptions

from heat_plan_client import api
from heat_plan_client import diff
from heat_plan_client import follow

_INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of an execution."""
    parser.add_argument(
        '--no-strict', action='store_true',
        help='Also allow replacements, creations and deletions that the '
             'change set does not foresee')
    parser.add_argument(
        '--nested-depth', metavar='<depth>', type=int, default=0,
        help='Depth of nested stacks from which to show events')


def execute(client: Any, found: dict[str, Any], parsed: argparse.Namespace,
            out: TextIO, *, wait: bool = True) -> int:
    """Execute a change set; return the exit code.

    :param wait: follow the operation until it ends
    :raises CommandError: the change set cannot be executed.
    """
    if found['status'] != diff.AVAILABLE:
        reason = found.get('status_reason')
        raise exceptions.CommandError('Change set %s is %s%s' % (
            found['id'], found['status'], f': {reason}' if reason else ''))
    stack, marker = None, None
    if found['action'] != 'CREATE' and wait:
        stack = api.stack_of(client, found['stack_id'])
        marker = follow.last_event(client, stack, parsed.nested_depth)
    api.ChangeSets(client).execute(found['id'], strict=not parsed.no_strict)
    if not wait:
        return 0
    if stack is None:
        stack = api.stack_of(client, found['stack_name'])
    return followed(client, stack, marker, parsed.nested_depth, out,
                    found['action'] + '_COMPLETE')


def followed(client: Any, stack: Any, marker: str | None, depth: int,
             out: TextIO, success: str) -> int:
    """Follow an operation until it ends; return the exit code.

    :param marker: the id of the latest event before the operation
    :param success: the status of a stack whose operation succeeded
    """
    try:
        ended = follow.follow(client, stack, marker, out, depth)
    except KeyboardInterrupt:
        out.write('\nThe operation continues. Follow it with: openstack '
                  f'stack event list --follow {stack.stack_name}\n')
        return _INTERRUPTED
    out.write(f'\nStack {ended.stack_name}: {ended.stack_status}\n')
    if ended.stack_status == success:
        return 0
    out.write(f'{ended.stack_status_reason}\n')
    return 1
