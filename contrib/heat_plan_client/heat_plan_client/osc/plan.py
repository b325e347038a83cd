"""openstack stack plan: compute a change set and show it."""
import argparse
from collections.abc import Callable
import json
from typing import Any

import yaml

from heat_plan_client import api
from heat_plan_client import definition
from heat_plan_client import diff
from heat_plan_client.osc import base

#: Exit codes with --detailed-exitcode; errors have 1.
_SAME, _ERROR, _CHANGES = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a change set."""
    definition.add_arguments(parser)
    parser.add_argument(
        '--name', metavar='<name>', help='Name of the change set')
    parser.add_argument(
        '--description', metavar='<text>',
        help='Description of the change set')
    parser.add_argument(
        '--revert-drift', action='store_true',
        help='Bring resources back that have been changed or deleted without '
             'the stack. With --existing nothing else changes')
    parser.add_argument(
        '--move', metavar='<from>=<to>', action='append', default=[],
        type=_move, dest='moves',
        help='Give a resource another name or place, without touching what '
             'exists; paths lead through nested stacks: web/server. '
             '<stack>:<from> takes it out of another stack '
             '(may be repeated)')
    parser.add_argument(
        '--import', metavar='<resource>=<id>', action='append', default=[],
        type=_pair('resource', 'id'), dest='imports',
        help='Take over what exists as a resource of the template (may be '
             'repeated)')
    parser.add_argument(
        '--import-file', metavar='<file>', action='extend', default=[],
        type=_import_file, dest='imports',
        help='Take over what the list "imports" of a YAML file names, as '
             '"stack import --project" writes it')


def _import_file(path: str) -> list[dict[str, str]]:
    """Read the imports of a file: a map with a list of {resource, id}."""
    try:
        with open(path, encoding='utf-8') as stream:
            found = yaml.safe_load(stream)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise argparse.ArgumentTypeError(f'{path}: {error}') from error
    imports = found.get('imports') if isinstance(found, dict) else None
    if not isinstance(imports, list):
        raise argparse.ArgumentTypeError(f'{path} has no list "imports"')
    return imports


def _pair(first: str, second: str) -> Callable[[str], dict[str, str]]:
    """Return a type of options that have two parts around a "="."""
    def parse(text: str) -> dict[str, str]:
        before, divider, after = text.partition('=')
        if not (before and divider and after):
            raise argparse.ArgumentTypeError(
                f'"{text}" is not of the form <{first}>=<{second}>')
        return {first: before, second: after}

    return parse


def _move(text: str) -> dict[str, Any]:
    """Return the move that an option names."""
    pair = _pair('from', 'to')(text)
    return {**pair, 'from': source_of(pair['from'])}


def source_of(text: str) -> str | dict[str, str]:
    """Return where a resource comes from: a path, or one in another stack.

    Names of stacks have no colon. If that of a resource has one, begin the
    path with a colon.
    """
    stack, divider, path = text.partition(':')
    if not divider:
        return text
    return {'stack': stack, 'resource': path} if stack else path


def computed(parsed: argparse.Namespace, client: Any) -> dict[str, Any]:
    """Return the change set that the command line asks for."""
    stack = api.find_stack(client, parsed.stack)
    body = definition.body(parsed, client, stack)
    for key, value in (('change_set_name', parsed.name),
                       ('description', parsed.description),
                       ('moves', parsed.moves or None),
                       ('imports', parsed.imports or None)):
        if value is not None:
            body[key] = value
    if parsed.revert_drift:
        body['revert_drift'] = True
    return api.ChangeSets(client).create(stack, body)


class PlanStack(base.ShowPlan):
    """Show what an update or a creation of a stack would do.

    The plan is kept as a change set, which "stack apply" executes. A stack
    that does not exist is planned as a new one.
    """

    _code = _SAME

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Return the parser of the command line."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            'stack', metavar='<stack>',
            help='Stack to update (name or ID), or name of a new stack')
        add_arguments(parser)
        parser.add_argument(
            '--out', metavar='<file>',
            help='Also write the change set to a file, as JSON')
        parser.add_argument(
            '--accept', action='store_true',
            help='Show what to change in the template so that it says what '
                 'really exists, in place of the way back. Includes '
                 '--revert-drift; with --existing no lines are known')
        parser.add_argument(
            '--detailed-exitcode', action='store_true',
            help='Exit with 0 for no changes, 1 for an error, 2 for changes')
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> Any:
        """Compute the change set."""
        parsed_args.revert_drift |= parsed_args.accept
        found = computed(parsed_args,
                         self.app.client_manager.orchestration)
        if parsed_args.out:
            with open(parsed_args.out, 'w', encoding='utf-8') as stream:
                json.dump(found, stream, indent=2)
                stream.write('\n')
        if found['status'] == diff.FAILED:
            self._code = _ERROR
        elif parsed_args.detailed_exitcode and diff.has_changes(found):
            self._code = _CHANGES
        return tuple(found), tuple(found.values())

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        return super().run(parsed_args) or self._code
