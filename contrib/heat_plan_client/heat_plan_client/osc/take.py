"""openstack stack move, openstack stack import: change what is whose."""
import argparse
import os
from typing import Any

from osc_lib import exceptions

from heat_plan_client import api
from heat_plan_client import terminal
from heat_plan_client.osc import apply
from heat_plan_client.osc import plan
from heat_plan_client.project import inventory
from heat_plan_client.project import proposal
from heat_plan_client.project import things

#: How the arguments are given to the service, by command.
_MOVE, _IMPORT = ('from', 'to'), ('resource', 'id')


class MoveResource(apply.ApplyStack):
    """Give a resource another name or place, or take it out of a stack.

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
                 'resources that hold the nested stacks it is in; '
                 '<stack>:<name> for one of another stack')
        parser.add_argument(
            'target', metavar='<to>', help='Path that it is to have')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Plan, show, ask, execute and follow; return the exit code."""
        return super().take_action(_with(
            parsed_args, 'moves', _MOVE, plan.source_of(parsed_args.source),
            parsed_args.target))


class ImportResource(apply.ApplyStack):
    """Take over what exists in the cloud as resources of a stack.

    The template, which is given like that of "stack apply", has the
    resources. The plan shows how what exists differs from it, before
    anything is done. A stack that does not exist is created.

    With --project nothing is done: a template of what exists in the project
    is proposed, with the list of imports that takes it over.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'resource', metavar='<resource>', nargs='?',
            help='Path of the resource in the template; --import names '
                 'several')
        parser.add_argument(
            'physical_id', metavar='<id>', nargs='?',
            help='ID of what exists, in the service that has it')
        _add_proposal(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Plan, show, ask, execute and follow; return the exit code."""
        if parsed_args.project:
            return self._propose(parsed_args)
        for option in ('filter', 'name_prefix', 'id', 'out'):
            if getattr(parsed_args, option):
                raise exceptions.CommandError(
                    f'--{option.replace("_", "-")} needs --project')
        if (parsed_args.resource is None) != (
                parsed_args.physical_id is None):
            raise exceptions.CommandError(
                'Give a resource with the ID of what exists')
        if parsed_args.resource is not None:
            parsed_args = _with(parsed_args, 'imports', _IMPORT,
                                parsed_args.resource, parsed_args.physical_id)
        elif not parsed_args.imports and not parsed_args.change_set:
            raise exceptions.CommandError(
                'Say what to import: <resource> <id>, --import, '
                '--import-file, or --project for a proposal')
        return super().take_action(parsed_args)

    def _propose(self, parsed: argparse.Namespace) -> int:
        """Write a template of what exists; return the exit code."""
        if parsed.stack or parsed.template or parsed.imports or (
                parsed.existing or parsed.change_set):
            raise exceptions.CommandError(
                '--project only proposes a template: give no stack and no '
                'template')
        manager = self.app.client_manager
        found = proposal.propose(
            inventory.read(manager.sdk_connection),
            api.owned(manager.orchestration), proposal.Choice(
                [_kind(each) for each in parsed.filter],
                parsed.name_prefix, parsed.id))
        for each in found.left_out:
            self.app.stderr.write(terminal.plain(
                f'Left out: {each.what} {each.name} {each.id}: '
                f'{each.reason}'.replace('  ', ' ')) + '\n')
        if parsed.out is None:
            self.app.stdout.write(found.template())
            self.app.stdout.write('---\n# The imports, for --import-file.\n')
            self.app.stdout.write(found.import_list())
            return 0
        beside = _beside(parsed.out)
        for path, text in ((parsed.out, found.template()),
                           (beside, found.import_list())):
            with open(path, 'w', encoding='utf-8') as stream:
                stream.write(text)
        self.app.stdout.write(
            f'{len(found.imports)} resources are proposed. Look at them, '
            'then plan with:\n'
            f'openstack stack plan -t {parsed.out} --import-file '
            f'{beside} <stack>\n')
        return 0


def _add_proposal(parser: argparse.ArgumentParser) -> None:
    """Add the options of a proposal for a whole project."""
    parser.add_argument(
        '--project', action='store_true',
        help='Propose a template of what exists in the project')
    parser.add_argument(
        '--filter', metavar='<type>', action='append', default=[],
        help='With --project, propose resources of this type alone, such as '
             'OS::Nova::Server or server (may be repeated)')
    parser.add_argument(
        '--name-prefix', metavar='<text>',
        help='With --project, propose what has a name that begins so, and '
             'what belongs to it')
    parser.add_argument(
        '--id', metavar='<id>', action='append', default=[],
        help='With --project, propose what has this ID, and what belongs to '
             'it (may be repeated)')
    parser.add_argument(
        '--out', metavar='<file>',
        help='With --project, write the template to this file, and the '
             'imports beside it')


def _kind(text: str) -> str:
    kind = things.kind_of(text)
    if kind is None:
        raise exceptions.CommandError(
            f'"{text}" is no type that can be proposed. There are: '
            + ', '.join(sorted(things.TYPES.values())))
    return kind


def _beside(path: str) -> str:
    """Return the path of the imports that belong to a template."""
    base, extension = os.path.splitext(path)
    return f'{base}.imports{extension or ".yaml"}'


def _with(parsed: argparse.Namespace, option: str, keys: tuple[str, str],
          *values: Any) -> argparse.Namespace:
    """Return a command line with one more move or import."""
    return argparse.Namespace(**{
        **vars(parsed), option: [*getattr(parsed, option),
                                 dict(zip(keys, values, strict=True))]})
