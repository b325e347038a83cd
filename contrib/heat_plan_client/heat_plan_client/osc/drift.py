"""openstack stack drift detect, show and schedule."""
import argparse
import time
from typing import Any

from osc_lib import exceptions
from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client import drift

#: Seconds between two looks at a detection.
INTERVAL = 1.0


class _Drift(command.ShowOne):
    """Prints a detection, as text by default."""

    @property
    def formatter_namespace(self) -> str:
        """The output formats."""
        return 'heat_plan_client.formatter.drift'

    @property
    def formatter_default(self) -> str:
        """The output format unless another one is asked for."""
        return 'text'

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>',
                            help='Stack (name or ID)')
        return parser


class DetectDrift(_Drift):
    """Compare a stack with what really exists.

    The resources of nested stacks are compared, too. The stack does not
    change.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            '--no-wait', action='store_true',
            help='Do not wait for the detection to complete')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Detect the drift, and show it."""
        client = self.app.client_manager.orchestration
        stack = api.stack_of(client, parsed_args.stack)
        found = api.detect_drift(client, stack)
        if not parsed_args.no_wait:
            found = api.drift_of(client, stack)
            while found['status'] == drift.IN_PROGRESS:
                time.sleep(INTERVAL)
                found = api.drift_of(client, stack)
        if found['status'] == drift.FAILED:
            raise exceptions.CommandError(
                f'The detection failed: {found["status_reason"]}')
        return tuple(found), tuple(found.values())


class ShowDrift(_Drift):
    """Show how a stack differed when it was last compared."""

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Show the last detection."""
        client = self.app.client_manager.orchestration
        found = api.drift_of(client, api.stack_of(client, parsed_args.stack))
        return tuple(found), tuple(found.values())


class ScheduleDrift(command.ShowOne):
    """Set how often the service compares a stack with what really exists."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>',
                            help='Stack (name or ID)')
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument('--every', metavar='<seconds>', type=int,
                           help='Seconds between two detections')
        group.add_argument('--never', action='store_const', const=0,
                           dest='every', help='Detect drift on request only')
        group.add_argument('--default', action='store_const', const=None,
                           dest='every',
                           help='Use the interval of the configuration')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Set the interval, and show it."""
        client = self.app.client_manager.orchestration
        found = api.schedule_drift(
            client, api.stack_of(client, parsed_args.stack),
            parsed_args.every)
        return tuple(found), tuple(found.values())
