"""heat-template: what authors of templates need, without any service."""
import argparse
from collections.abc import Callable
import difflib
import json
import os
import sys
import warnings

import shtab

from heat import version
from heat.author import check
from heat.author import convert
from heat.author import graph
from heat.author import plan
from heat.author import schema
from heat.author import sources
from heat.author import style
from heat.author import svg
from heat.common import command_help
from heat.common import exception
from heat.common import problem
from heat.common import text_places
from heat.common.i18n import _

OK, FOUND, UNUSABLE = 0, 1, 2

def _epilog():
    return _("""\
exit codes:
  0  success
  1  problems were found, or a file is not in its canonical layout
  2  wrong arguments, or a file that cannot be read or written

The command contacts no cloud and no database and reads no configuration file.
""")


def _key_value(text):
    name, equals, value = text.partition('=')
    if not equals or not name:
        raise argparse.ArgumentTypeError(
            _('"%s" is not of the form NAME=VALUE') % text)
    return name, value


def _parser():
    parser = argparse.ArgumentParser(
        prog='heat-template', epilog=_epilog(),
        description=_('Validate, format, convert and draw templates.'),
        formatter_class=command_help.Formatter)
    parser.add_argument('--version', action='version',
                        version=f'heat-template {version.__version__}')
    commands = parser.add_subparsers(required=True, metavar='COMMAND',
                                     title=_('commands'))
    for add in (_add_validate, _add_format, _add_convert, _add_graph,
                _add_plan, _add_schema, _add_completion):
        add(commands)
    return parser


def _command(commands, name, run, summary, description):
    parser = commands.add_parser(
        name, help=summary, description=description, epilog=_epilog(),
        formatter_class=command_help.Formatter)
    parser.set_defaults(run=run)
    return parser


def _add_output(parser):
    parser.add_argument('-o', '--output', metavar='FILE',
                        help=_('write to this file instead of the standard '
                               'output'))


def _add_files(parser):
    parser.add_argument('files', nargs='+', metavar='FILE',
                        help=_('template; "-" is the standard input'))


def _add_validate(commands):
    parser = _command(commands, 'validate', _validate, _(
        'report all problems of templates'), _("""\
Report all problems of templates with their places.

Files that are named by relative path (get_file, nested templates, entries of
the resource registry) are read from beside the template and validated, too.
Without an environment or a parameter, values of parameters are not required.
Warnings are about parts that work, but probably not as intended.

JSON output is a list of objects with file, line, column, end_line, end_column
(the column after the last character), severity (error or warning), path (a
list), message and code."""))
    _add_files(parser)
    parser.add_argument('-e', '--environment', action='append', default=[],
                        metavar='ENV', help=_(
                            'environment file; can be given several times, '
                            'the last one has precedence'))
    parser.add_argument('-P', '--parameter', action='append', default=[],
                        type=_key_value, metavar='NAME=VALUE',
                        help=_('value of a parameter; can be given several '
                               'times'))
    parser.add_argument('--format', choices=['text', 'json'],
                        default='text', help=_(
                            'output format: lines of text (default), or a '
                            'JSON list'))
    parser.add_argument('--strict', action='store_true',
                        help=_('exit with 1 for warnings, too'))


def _add_format(commands):
    parser = _command(commands, 'format', _format, _(
        'write templates in their canonical layout'), _("""\
Write templates in their canonical layout: sections and keys in their usual
order, two spaces for each level, quotes only where they are needed. Comments
and blocks of text stay as they are; JSON stays JSON. Environments are laid out
in their own order."""))
    _add_files(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument('-i', '--in-place', action='store_true',
                     help=_('write to the file instead of the standard '
                            'output'))
    how.add_argument('--check', action='store_true',
                     help=_('write nothing; print the names of files that '
                            'would change and exit with 1 if there are any'))
    parser.add_argument('--diff', action='store_true',
                        help=_('print the changes as a diff'))


def _add_convert(commands):
    parser = _command(commands, 'convert', _convert, _(
        'convert a template to another notation or version'), _("""\
Convert a template to another notation, or to a newer version.

Functions that the newer version does not have are replaced by equivalents. If
there is none, the path and the reason are reported. Comments stay, except in
JSON, which has none, and in HOT made of a CloudFormation template."""))
    parser.add_argument('file', metavar='FILE', help=_(
        'template; "-" is the standard input'))
    parser.add_argument('--to', required=True, metavar='yaml|json|hot|VERSION',
                        help=_('notation; hot converts a CloudFormation '
                               'template; or a heat_template_version: a '
                               'date, a name such as wallaby, or latest'))
    _add_output(parser)


def _add_graph(commands):
    parser = _command(commands, 'graph', _graph, _(
        'draw the dependencies of resources'), _("""\
Draw the dependencies of the resources of a template.

An arrow points from a resource to the resource that it needs; it is dashed for
depends_on. Both branches of an "if" count. Resources of nested templates that
are named by relative path are drawn, too; a dotted line points to them. Each
service has its own colour."""))
    parser.add_argument('file', metavar='FILE', help=_(
        'template; "-" is the standard input'))
    parser.add_argument('--format', choices=['dot', 'svg'], default='dot',
                        help=_('output format: dot for Graphviz (default), '
                               'or an SVG image'))
    _add_output(parser)


def _add_plan(commands):
    parser = _command(commands, 'plan', _plan, _(
        'show the changes of an update to another template'), _("""\
Show the changes that an update from one template to another would make.

Only the two files and the files that they name are read. Parameters have their
defaults, and values that come from other resources are unknown: a change set
of the service is more precise. With --detailed-exitcode the exit code is 0 for
no changes, 2 for changes, and 1 for an error."""))
    parser.add_argument('old', metavar='OLD', help=_('current template'))
    parser.add_argument('new', metavar='NEW', help=_('new template'))
    parser.add_argument('-f', '--format', choices=['text', 'json'],
                        default='text', help=_('output format: a diff '
                                               '(default), or a JSON object'))
    parser.add_argument('--detailed-exitcode', action='store_true',
                        help=_('exit with 0 for no changes, 2 for changes and '
                               '1 for an error'))
    parser.add_argument('--colour', choices=['auto', 'always', 'never'],
                        default='auto', help=_(
                            'colours in the diff; auto: on a terminal'))


def _add_schema(commands):
    parser = _command(commands, 'schema', _schema, _(
        'write a JSON Schema of HOT for editors'), _("""\
Write a JSON Schema of HOT templates.

It describes the sections, the functions, and the properties of all resource
types of this installation. Editors validate and complete templates by it."""))
    _add_output(parser)


def _add_completion(commands):
    parser = _command(commands, 'completion', _completion, _(
        'write a completion script for a shell'), _("""\
Write a script by which a shell completes commands and options.

For bash, add this line to ~/.bashrc: eval "$(heat-template completion bash)".
For zsh, write the output to the file _heat-template in a directory of
$fpath."""))
    parser.add_argument('shell', choices=['bash', 'zsh'], help=_('shell'))


def _complete_files(parser):
    """Have shells complete names of files where one is expected."""
    # NOTE: argparse offers no other way to its arguments.
    for action in parser._actions:  # noqa: SLF001 (see above)
        if action.metavar in ('FILE', 'ENV', 'OLD', 'NEW'):
            action.complete = shtab.FILE
        for command in dict.fromkeys((getattr(
                action, 'choices', None) or {}).values()) if isinstance(
                    action.choices, dict) else ():
            _complete_files(command)


def _validate(args):
    """Report all problems of templates with their places."""
    check.load_types()
    checker = check.Checker(args.environment, dict(args.parameter))
    found = []
    for path in args.files:
        found += [each for each in checker.check(path)
                  if each not in found]
    if args.format == 'json':
        print(json.dumps([check.as_data(each) for each in found],
                         indent=2, ensure_ascii=False))
    else:
        for each in found:
            print(check.as_text(each))
    wrong = any(each.severity == problem.ERROR or args.strict
                for each in found)
    return FOUND if wrong else OK


def _format(args):
    """Bring templates into their canonical layout."""
    result = OK
    for path in args.files:
        before = sources.read_text(path)
        after = _usable(style.format_text, path, before)
        if args.diff:
            sys.stdout.writelines(difflib.unified_diff(
                before.splitlines(keepends=True),
                after.splitlines(keepends=True), path, path))
        if args.check:
            if after != before:
                result = FOUND
                print(path)
        elif args.in_place and path != '-':
            if after != before:
                _write(path, after)
        elif not args.diff:
            sys.stdout.write(after)
    return result


def _convert(args):
    """Write a template in another notation, or in a newer version."""
    text = sources.read_text(args.file)
    return _output(args.output, _usable(
        lambda source: convert.convert(source, args.to), args.file, text))


def _graph(args):
    """Draw the dependencies of the resources of a template."""
    text = sources.read_text(args.file)
    known = sources.Sources()
    drawn = _usable(lambda source: graph.from_template(
        known.template(args.file, source), known.nested), args.file, text)
    circle = graph.circle(drawn)
    if circle:
        text = _('circular dependency: %s') % ' -> '.join(circle)
        print(f'{args.file}: error: {text}', file=sys.stderr)
    title = os.path.basename(args.file)
    _output(args.output, svg.draw(drawn, title) if args.format == 'svg'
            else graph.dot(drawn, title))
    return FOUND if circle else OK


def _plan(args):
    """Show what an update from one template to another would change."""
    check.load_types()
    failed = FOUND if args.detailed_exitcode else UNUSABLE
    try:
        found = plan.changes(args.old, args.new, check.types())
    except (ValueError, sources.Unreadable) as exc:
        print(f'heat-template: {exc}', file=sys.stderr)
        return failed
    if args.format == 'json':
        print(json.dumps({
            'changes': [each.as_data() for each in found],
            'summary': plan.summary(found)}, indent=2, ensure_ascii=False,
            default=str))
    else:
        colour = args.colour == 'always' or (
            args.colour == 'auto' and sys.stdout.isatty())
        print('\n'.join(plan.as_lines(found, args.new, colour=colour)))
    changed = args.detailed_exitcode and plan.has_changes(found)
    return UNUSABLE if changed else OK


def _schema(args):
    """Write a JSON Schema of HOT templates."""
    check.load_types()
    return _output(args.output, json.dumps(
        schema.of_hot(check.types()), indent=1, ensure_ascii=False) + '\n')


def _completion(args):
    """Write a script by which a shell completes commands and options."""
    parser = _parser()
    _complete_files(parser)
    return _output(None, shtab.complete(parser, args.shell) + '\n')


class _NotUsable(Exception):
    """A template has faults that stand in the way."""


def _usable(work: Callable, path, text):
    """Return what work makes of a text, or raise with file and line."""
    try:
        return work(text)
    except exception.HeatException as exc:
        lines = []
        for each in problem.of(exc):
            places = text_places.Places(
                text if each.file is None else sources.read_text(each.file))
            spot = places.find(each.path) or ()
            place = ':'.join(map(str, (each.file or path, *spot)))
            lines.append(f'{place}: error: {each}')
        raise _NotUsable('\n'.join(lines)) from exc
    except ValueError as exc:
        raise _NotUsable(f'{path}: error: {exc}') from exc


def _write(path, text):
    try:
        with open(path, 'w', encoding='utf-8', newline='') as target:
            target.write(text)
    except OSError as exc:
        raise sources.Unreadable(f'{path}: {exc.strerror}') from exc


def _output(path, text):
    if path is None:
        sys.stdout.write(text)
    else:
        _write(path, text)
    return OK


def main(argv=None):
    """Run one command; return the exit code of the process."""
    # What libraries think of each other is nothing for authors.
    warnings.simplefilter('ignore')
    args = _parser().parse_args(argv)
    try:
        return args.run(args)
    except _NotUsable as exc:
        print(exc, file=sys.stderr)
        return FOUND
    except sources.Unreadable as exc:
        print(f'heat-template: {exc}', file=sys.stderr)
        return UNUSABLE
    except BrokenPipeError:
        # The reader has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


if __name__ == '__main__':
    sys.exit(main())
