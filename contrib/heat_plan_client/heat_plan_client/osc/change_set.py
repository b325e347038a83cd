"""openstack stack change set: list, show, delete and execute."""
import argparse
from typing import Any

from osc_lib import exceptions
from osc_lib.command import command

from heat_plan_client import api
from heat_plan_client.osc import base
from heat_plan_client.osc import execution

_COLUMNS = {
    'ID': 'id', 'Name': 'name', 'Stack Name': 'stack_name',
    'Action': 'action', 'Status': 'status', 'Creation Time': 'creation_time'}
_LONG = {**_COLUMNS, 'Stack ID': 'stack_id', 'Creator': 'creator',
         'Description': 'description', 'Status Reason': 'status_reason'}
_HELP = 'Change set (name or ID)'


class ListChangeSets(command.Lister):
    """List the change sets of a stack, or of the project."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'stack', metavar='<stack>', nargs='?',
            help='Stack (name or ID); the whole project by default')
        parser.add_argument(
            '--long', action='store_true', help='List more columns')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """List the change sets."""
        client = self.app.client_manager.orchestration
        stack = api.stack_of(client, parsed_args.stack) if (
            parsed_args.stack) else None
        columns = _LONG if parsed_args.long else _COLUMNS
        return tuple(columns), [
            tuple(each.get(key) for key in columns.values())
            for each in api.ChangeSets(client).list(stack)]


class ShowChangeSet(base.ShowPlan):
    """Show a change set."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('change_set', metavar='<change-set>', help=_HELP)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Show the change set."""
        found = api.ChangeSets(self.app.client_manager.orchestration).find(
            parsed_args.change_set)
        return tuple(found), tuple(found.values())


class DeleteChangeSet(command.Command):
    """Delete change sets. Operations that they began continue."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('change_set', metavar='<change-set>', nargs='+',
                            help=_HELP)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> None:
        """Delete the change sets."""
        change_sets = api.ChangeSets(self.app.client_manager.orchestration)
        failed = []
        for name in parsed_args.change_set:
            try:
                change_sets.delete(change_sets.find(name)['id'])
            except (exceptions.CommandError, api.NotFound) as error:
                failed.append(str(error))
        if failed:
            raise exceptions.CommandError('\n'.join(failed))


class ExecuteChangeSet(command.Command):
    """Execute a change set without showing it."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument('change_set', metavar='<change-set>', help=_HELP)
        parser.add_argument(
            '--wait', action='store_true',
            help='Follow the operation until it has ended')
        execution.add_arguments(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Execute the change set; return the exit code."""
        client = self.app.client_manager.orchestration
        found = api.ChangeSets(client).find(parsed_args.change_set)
        return execution.execute(client, found, parsed_args,
                                 self.app.stdout, wait=parsed_args.wait)
