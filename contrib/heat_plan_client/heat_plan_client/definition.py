"""The definition of a stack: options of the command line, and their body."""
import argparse
from collections.abc import Iterator
import json
from typing import Any

from heatclient.common import http
from heatclient.common import template_format
from heatclient.common import template_utils
from heatclient.common import utils
from osc_lib import exceptions
import yaml

_KEEP = 'keep'
_ROLLBACK = {'enabled': False, 'disabled': True}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that `stack create` and `stack update` have."""
    parser.add_argument(
        '-t', '--template', metavar='<template>',
        help='Path to the template')
    parser.add_argument(
        '-s', '--files-container', metavar='<files-container>',
        help='Name of a Swift container that holds the files. Local files '
             'other than the template are not sent')
    parser.add_argument(
        '-e', '--environment', metavar='<environment>', action='append',
        help='Path to the environment. Can be specified multiple times')
    parser.add_argument(
        '--pre-create', metavar='<resource>', action='append',
        help='Name of a resource to set a pre-create hook to. Can be '
             'specified multiple times')
    parser.add_argument(
        '--pre-update', metavar='<resource>', action='append',
        help='Name of a resource to set a pre-update hook to. Can be '
             'specified multiple times')
    parser.add_argument(
        '--timeout', metavar='<timeout>', type=int,
        help='Timeout of the operation in minutes')
    parser.add_argument(
        '--rollback', metavar='<value>', default=_KEEP,
        choices=[*_ROLLBACK, _KEEP],
        help='Rollback on failure: "enabled", "disabled", or "keep" for the '
             'value of the stack, which is the default. A new stack has none '
             'unless it is enabled')
    parser.add_argument(
        '--parameter', metavar='<key=value>', action='append',
        help='Value of a parameter. Can be specified multiple times')
    parser.add_argument(
        '--parameter-file', metavar='<key=file>', action='append',
        help='File that holds the value of a parameter. Can be specified '
             'multiple times')
    parser.add_argument(
        '--existing', action='store_true',
        help='Keep the template, environment and parameters of the stack '
             'unless they are given')
    parser.add_argument(
        '--clear-parameter', metavar='<parameter>', action='append',
        help='Use the default of a parameter again. Can be specified '
             'multiple times')
    parser.add_argument(
        '--tags', metavar='<tag1,tag2...>', help='Tags of the stack')
    parser.add_argument(
        '--converge', action='store_true',
        help='Compare with the real state of the resources')


def body(parsed: argparse.Namespace, client: Any, stack: Any
         ) -> dict[str, Any]:
    """Return the body of the request for a change set.

    :param stack: the stack to update; None if it is to be created
    :raises CommandError: options do not fit, or a file is wrong.
    """
    _require(parsed, stack)
    fetch = parsed.files_container is None
    fetcher = http.authenticated_fetcher(client)
    files, template = template_utils.process_template_path(
        parsed.template, object_request=fetcher, existing=parsed.existing,
        fetch_child=fetch)
    tracker: list[str] = []
    env_files, environment = (
        template_utils.process_multiple_environments_and_files(
            env_paths=parsed.environment, env_list_tracker=tracker,
            fetch_env_files=fetch))
    for hook in ('pre-create', 'pre-update'):
        named = getattr(parsed, hook.replace('-', '_'))
        if named:
            template_utils.hooks_to_env(environment, named, hook)
    found: dict[str, Any] = {
        'template': text_of(parsed.template, template),
        'files': {**files, **env_files}, 'environment': environment,
        'parameters': utils.format_all_parameters(
            parsed.parameter, parsed.parameter_file, parsed.template),
        'environment_files': tracker or None,
        'files_container': parsed.files_container,
        'timeout_mins': parsed.timeout, 'tags': parsed.tags,
        'converge': parsed.converge or None}
    found.update(_of_creation(parsed) if stack is None else
                 _of_update(parsed))
    return {key: value for key, value in found.items() if value is not None}


def _of_creation(parsed: argparse.Namespace) -> dict[str, Any]:
    return {'stack_name': parsed.stack,
            'disable_rollback': _ROLLBACK.get(parsed.rollback, True)}


def _of_update(parsed: argparse.Namespace) -> dict[str, Any]:
    return {'disable_rollback': _ROLLBACK.get(parsed.rollback),
            'existing': parsed.existing or None,
            'clear_parameters': parsed.clear_parameter}


def _require(parsed: argparse.Namespace, stack: Any) -> None:
    """Raise CommandError unless the options fit together."""
    if stack is None and (parsed.existing or parsed.clear_parameter or
                          not parsed.template):
        raise exceptions.CommandError(f'Stack not found: {parsed.stack}')
    if not parsed.template and not parsed.existing:
        raise exceptions.CommandError(
            'Give a template, or --existing to keep that of the stack')


def text_of(path: str | None, template: Any) -> Any:
    """Return a template as text, so that causes can name its lines.

    The client puts URLs in place of the names of files; so does the text. If
    that cannot be done line by line, return the template as data.

    :param template: the template as the client has read it
    """
    if template is None or path is None:
        return template
    try:
        raw = utils.read_url_content(utils.normalise_file_path_to_url(path))
        text = raw.decode() if isinstance(raw, bytes) else raw
        node = yaml.compose(text, yaml.SafeLoader)
        edits = dict(_edits(node, template))
        for begin, (end, value) in sorted(edits.items(), reverse=True):
            text = text[:begin] + json.dumps(value) + text[end:]
        if template_format.parse(text) == template:
            return text
    except (exceptions.CommandError, OSError, ValueError, yaml.YAMLError):
        # It was readable once: the data is as good, without lines.
        return template
    return template


def _edits(node: Any, value: Any) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield (begin, (end, text)) of the scalars that differ from a value."""
    if isinstance(node, yaml.MappingNode) and isinstance(value, dict):
        for key, below in node.value:
            if key.value in value:
                yield from _edits(below, value[key.value])
    elif isinstance(node, yaml.SequenceNode) and isinstance(value, list):
        for below, each in zip(node.value, value, strict=False):
            yield from _edits(below, each)
    elif (isinstance(node, yaml.ScalarNode) and isinstance(value, str) and
          node.value != value):
        yield node.start_mark.index, (node.end_mark.index, value)
