"""openstack stack timeline: when each resource worked."""
import argparse
import datetime
from typing import Any

from heatclient import exc
from heatclient.common import event_utils
from osc_lib import exceptions
from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client import timeline


class TimelineOfStack(command.ShowOne):
    """Show the last operation of a stack as bars.

    The critical path is marked: a chain of resources that waited for each
    other until the end of the operation. Times are those of the events.
    """

    @property
    def formatter_namespace(self) -> str:
        """The output formats."""
        return 'heat_plan_client.formatter.timeline'

    @property
    def formatter_default(self) -> str:
        """The output format unless another one is asked for."""
        return 'bars'

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('stack', metavar='<stack>',
                            help='Stack (name or ID)')
        parser.add_argument(
            '--nested-depth', metavar='<depth>', type=int, default=0,
            help='Depth of nested stacks whose resources are shown')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Return the bars."""
        client = self.app.client_manager.orchestration
        stack = api.stack_of(client, parsed_args.stack)
        known = api.timeline(client, stack, parsed_args.nested_depth)
        if known is not None:
            found = timeline.of_service(known)
            return tuple(found), tuple(found.values())
        return self._computed(client, stack, parsed_args)

    @staticmethod
    def _computed(client: Any, stack: Any, parsed_args: argparse.Namespace
                  ) -> Any:
        """Return the bars where the service does not compute them."""
        identifier = f'{stack.stack_name}/{stack.id}'
        depth = parsed_args.nested_depth
        events = event_utils.get_events(
            client, identifier, {'sort_dir': 'asc'}, nested_depth=depth)
        try:
            resources = client.resources.list(identifier, nested_depth=depth)
        except exc.HTTPNotFound:
            # Of a deleted stack the events are left.
            resources = []
        computed = timeline.last_operation(
            [each.to_dict() for each in events],
            [each.to_dict() for each in resources], stack.id,
            datetime.datetime.now(datetime.UTC).replace(microsecond=0))
        if computed is None:
            raise exceptions.CommandError(
                f'No events are left of stack {parsed_args.stack}')
        return tuple(computed), tuple(computed.values())
