"""openstack stack protect and unprotect: termination protection."""
import argparse
from typing import Any

from osc_lib.command import command

from heat_plan_client import api

_COLUMNS = ('Stack Name', 'Stack ID', 'Termination Protection')


class _Protection(command.Lister):
    """Sets or lifts the protection of stacks."""

    protected: bool

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>', nargs='+',
                            help='Stacks (name or ID)')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Set or lift the protection; list the stacks."""
        client = self.app.client_manager.orchestration
        # None is changed if one of them does not exist.
        stacks = [api.stack_of(client, name) for name in parsed_args.stack]
        return _COLUMNS, [
            (stack.stack_name, stack.id,
             api.protect(client, stack, protected=self.protected)[
                 'termination_protection']) for stack in stacks]


class ProtectStack(_Protection):
    """Protect stacks from deletion.

    Neither the stacks nor those nested in them can be deleted or abandoned
    until "stack unprotect" lifts the protection.
    """

    protected = True


class UnprotectStack(_Protection):
    """Lift the termination protection of stacks."""

    protected = False
