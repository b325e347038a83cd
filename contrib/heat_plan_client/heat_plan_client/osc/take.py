"""openstack stack move, openstack stack import: change what is whose."""
import argparse
from typing import Any

from heat_plan_client.osc import apply

#: How the arguments are given to the service, by command.
_MOVE, _IMPORT = ('from', 'to'), ('resource', 'id')


class MoveResource(apply.ApplyStack):
    """Give a resource another name or place in the tree of a stack.

    What exists in the cloud is not touched by that. The template, which is
    given like that of "stack apply", has the resource at its new place. The
    plan is shown before it is executed.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'source', metavar='<from>',
            help='Path of the resource: its name, behind the names of the '
                 'resources that hold the nested stacks it is in')
        parser.add_argument(
            'target', metavar='<to>', help='Path that it is to have')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Plan, show, ask, execute and follow; return the exit code."""
        return super().take_action(_with(
            parsed_args, 'moves', _MOVE, parsed_args.source,
            parsed_args.target))


class ImportResource(apply.ApplyStack):
    """Take over what exists in the cloud as a resource of a stack.

    The template, which is given like that of "stack apply", has the
    resource. The plan shows how what exists differs from it, before
    anything is done.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'resource', metavar='<resource>',
            help='Path of the resource in the template')
        parser.add_argument(
            'physical_id', metavar='<id>',
            help='ID of what exists, in the service that has it')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Plan, show, ask, execute and follow; return the exit code."""
        return super().take_action(_with(
            parsed_args, 'imports', _IMPORT, parsed_args.resource,
            parsed_args.physical_id))


def _with(parsed: argparse.Namespace, option: str, keys: tuple[str, str],
          *values: Any) -> argparse.Namespace:
    """Return a command line with one more move or import."""
    return argparse.Namespace(**{
        **vars(parsed), option: [*getattr(parsed, option),
                                 dict(zip(keys, values, strict=True))]})
