"""openstack stack apply: show a plan, ask, execute it and follow it."""
import argparse
import sys
from typing import Any

from osc_lib import exceptions
from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client import diff
from heat_plan_client import terminal
from heat_plan_client.osc import execution
from heat_plan_client.osc import plan

_YES = ('y', 'yes')


class ApplyStack(command.Command):
    """Show a plan, ask, and execute it until it has ended.

    The exit code is 0 if the stack is as planned in the end, else 1.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'stack', metavar='<stack>', nargs='?',
            help='Stack to update (name or ID), or name of a new stack')
        parser.add_argument(
            '--change-set', metavar='<change-set>',
            help='Execute this change set (name or ID) instead of a new plan')
        parser.add_argument(
            '-y', '--yes', action='store_true', help='Do not ask')
        plan.add_arguments(parser)
        execution.add_arguments(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Show, ask, execute and follow; return the exit code."""
        client = self.app.client_manager.orchestration
        found = _planned(parsed_args, client)
        out = self.app.stdout
        for line in diff.lines(found, terminal.paint_of(out)):
            out.write(line + '\n')
        if found['status'] == diff.NO_CHANGES:
            return 0
        if found['status'] == diff.FAILED:
            return 1
        if not parsed_args.yes and found['status'] == diff.AVAILABLE:
            if not _agreed(out):
                out.write('Nothing is executed.\n')
                for line in diff.footer(found):
                    out.write(line + '\n')
                return 1
        return execution.execute(client, found, parsed_args, out)


def _planned(parsed: argparse.Namespace, client: Any) -> dict[str, Any]:
    """Return the change set that is named or described."""
    if parsed.change_set is None:
        if parsed.stack is None:
            raise exceptions.CommandError('Give a stack or --change-set')
        return plan.computed(parsed, client)
    if parsed.template or parsed.existing or parsed.environment or (
            parsed.parameter or parsed.moves or parsed.imports):
        raise exceptions.CommandError(
            '--change-set has its own definition: give no other')
    stack = api.stack_of(client, parsed.stack) if parsed.stack else None
    return api.ChangeSets(client).find(parsed.change_set, stack)


def _agreed(out: Any) -> bool:
    """Ask, and return whether the plan is to be executed.

    :raises CommandError: nobody is there to answer.
    """
    if not sys.stdin.isatty():
        raise exceptions.CommandError(
            'There is no terminal to ask at: give --yes, or execute the '
            'change set later')
    out.write('Apply this plan? [y/N] ')
    out.flush()
    return sys.stdin.readline().strip().lower() in _YES
