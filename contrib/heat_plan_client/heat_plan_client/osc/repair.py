"""openstack stack retry: begin a failed operation again."""
import argparse

from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client import follow
from heat_plan_client.osc import execution

#: What a stack that failed is after a retry that succeeded.
_SUCCESS = {'CREATE_FAILED': 'UPDATE_COMPLETE',
            'UPDATE_FAILED': 'UPDATE_COMPLETE',
            'ROLLBACK_FAILED': 'ROLLBACK_COMPLETE',
            'DELETE_FAILED': 'DELETE_COMPLETE'}


class RetryStack(command.Command):
    """Begin the failed operation of a stack again.

    Resources that are complete are not touched.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>',
                            help='Stack (name or ID)')
        parser.add_argument(
            '--wait', action='store_true',
            help='Follow the operation until it has ended')
        parser.add_argument(
            '--nested-depth', metavar='<depth>', type=int, default=0,
            help='Depth of nested stacks from which to show events')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Retry; return the exit code."""
        client = self.app.client_manager.orchestration
        stack = api.stack_of(client, parsed_args.stack)
        depth = parsed_args.nested_depth
        marker = follow.last_event(client, stack, depth) if (
            parsed_args.wait) else None
        api.retry(client, stack)
        if not parsed_args.wait:
            return 0
        return execution.followed(
            client, stack, marker, depth, self.app.stdout,
            _SUCCESS.get(stack.stack_status, ''))
