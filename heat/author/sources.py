"""The files that a template on disk consists of.

What templates and environments name by relative path is read from beside
them, as clients do before they send a request.
"""
from collections.abc import Callable, Iterator, Mapping
import os
import sys
from typing import Any
import urllib.parse
import urllib.request

from heat.common import environment_format
from heat.common import problem
from heat.common import template_format
from heat.common.i18n import _

NESTED = ('.yaml', '.template')


class Unreadable(Exception):
    """A file that was asked for cannot be read."""


def read_text(path: str) -> str:
    """Return the text of a file, which must be UTF-8; "-" is the input."""
    try:
        if path == '-':
            return sys.stdin.read()
        with open(path, encoding='utf-8', newline='') as source:
            return source.read()
    except OSError as exc:
        raise Unreadable(_('%(path)s: %(error)s') % {
            'path': path, 'error': exc.strerror or exc}) from exc
    except UnicodeDecodeError as exc:
        raise Unreadable(_('%(path)s: the text is not UTF-8: %(error)s') % {
            'path': path, 'error': exc}) from exc


class Sources:
    """Texts by path, with what could not be found.

    files has what a request would carry: the text of each file by the name
    that the rewritten data use for it, which is its path.
    """

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        #: The rewritten data of each nested template.
        self.nested: dict[str, dict[str, Any]] = {}
        self.problems: list[problem.Problem] = []

    def template(self, path: str, text: str) -> dict[str, Any]:
        """Return the data of a template, the files it names collected.

        Raises ValueError if it cannot be parsed.
        """
        data: dict[str, Any] = template_format.simple_parse(text)
        return self._collected(data, path)

    def environment(self, path: str, text: str) -> dict[str, Any]:
        """Return the data of an environment, its templates collected."""
        data: dict[str, Any] = template_format.simple_parse(text)
        environment_format.validate(data)
        registry = data.get(environment_format.RESOURCE_REGISTRY)
        if isinstance(registry, Mapping):
            base = registry.get('base_url')
            folder = os.path.dirname(path)
            if isinstance(base, str) and '://' not in base:
                folder = os.path.join(folder, base)
            data[environment_format.RESOURCE_REGISTRY] = self._registry(
                registry, path, folder,
                (environment_format.RESOURCE_REGISTRY,))
        return data

    def _registry(self, level: Mapping[str, Any], path: str, folder: str,
                  where: tuple[Any, ...]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in level.items():
            here = (*where, name)
            if isinstance(value, Mapping):
                made[name] = self._registry(value, path, folder, here)
            elif isinstance(value, str) and value.endswith(NESTED) and (
                    name not in ('hooks', 'restricted_actions')):
                made[name] = self._include(value, path, folder, here,
                                           nested=True)
            elif name != 'base_url':
                made[name] = value
        return made

    def _collected(self, data: Any, path: str) -> Any:
        """Return a template's data, the names of files made paths."""
        folder = os.path.dirname(path)

        def include(name: str, where: tuple[Any, ...],
                    nested: bool) -> str:
            return self._include(name, path, folder, where, nested=nested)

        return _rewritten(data, (), include)

    def _include(self, name: str, asked_by: str, folder: str,
                 where: tuple[Any, ...], *, nested: bool) -> str:
        """Read a file that is named somewhere; return its new name."""
        target = _local_path(name, folder)
        if target is None:
            return name
        if target in self.files:
            if not nested or target in self.nested:
                return target
        try:
            text = read_text(target)
        except Unreadable as exc:
            self.problems.append(problem.Problem(
                where, _('the file is needed, but %s') % exc,
                error='missing-file', file=asked_by))
            return target
        self.files[target] = text
        if nested:
            self._add_nested(target, text)
        return target

    def _add_nested(self, path: str, text: str) -> None:
        try:
            data = template_format.simple_parse(text)
        except ValueError as exc:
            self.problems.append(problem.Problem(
                (), str(exc), error='syntax', file=path,
                line=getattr(exc, 'line', None),
                column=getattr(exc, 'column', None)))
            return
        # Before what it names itself: it may name its own kind.
        self.nested[path] = data
        self.nested[path] = self._collected(data, path)


def _local_path(name: str, folder: str) -> str | None:
    """Return the path of a name, None for what is not on this machine."""
    parts = urllib.parse.urlsplit(name)
    if parts.scheme == 'file':
        return os.path.normpath(urllib.request.url2pathname(parts.path))
    if parts.scheme and '://' in name:
        return None
    return os.path.normpath(os.path.join(folder, name))


def _rewritten(node: Any, where: tuple[Any, ...],
               include: Callable[[str, tuple[Any, ...], bool], str]) -> Any:
    if isinstance(node, list):
        return [_rewritten(item, (*where, number), include)
                for number, item in enumerate(node)]
    if not isinstance(node, Mapping):
        return node
    return dict(_rewritten_items(node, where, include))


def _rewritten_items(node: Mapping[str, Any], where: tuple[Any, ...],
                     include: Callable[[str, tuple[Any, ...], bool], str],
                     ) -> Iterator[tuple[Any, Any]]:
    for key, value in node.items():
        here = (*where, key)
        if key == 'get_file' and len(node) == 1 and isinstance(value, str):
            value = include(value, here, False)
        elif key in ('type', 'Type') and isinstance(value, str) and (
                value.endswith(NESTED) and '::' not in value):
            value = include(value, here, True)
        else:
            value = _rewritten(value, here, include)
        yield key, value
