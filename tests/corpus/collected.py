"""Reads a template from disk with the files it needs, as clients do.

A relative name of a file becomes a URL of it, in the template as in the
files that are sent along.
"""
import dataclasses
import json
import pathlib
from urllib import parse as urlparse

import yaml

from heat.common import template_format

#: What files that may be templates are called.
SUFFIXES = ('.yaml', '.yml', '.template', '.json')
_TYPES = ('.yaml', '.template')


@dataclasses.dataclass
class Request:
    """What a client would send to have a template validated."""

    template: dict
    files: dict
    environment: dict


class _Collector:
    def __init__(self):
        self.files = {}

    def url_of(self, folder, name):
        """Return the URL of a file, None if there is no such file."""
        if urlparse.urlsplit(name).scheme:
            return None
        path = (folder / name).resolve()
        return path.as_uri() if path.is_file() else None

    def collected(self, value, folder):
        """Return a part of a template with URLs in the place of names."""
        if isinstance(value, list):
            return [self.collected(item, folder) for item in value]
        if not isinstance(value, dict):
            return value
        result = {}
        for key, item in value.items():
            if isinstance(item, str) and self._names_file(key, item):
                result[key] = self._added(folder, key, item) or item
            else:
                result[key] = self.collected(item, folder)
        return result

    @staticmethod
    def _names_file(key, item):
        return key == 'get_file' or (
            key in ('type', 'Type') and item.endswith(_TYPES))

    def _added(self, folder, key, name):
        url = self.url_of(folder, name)
        if url is not None and url not in self.files:
            path = (folder / name).resolve()
            text = path.read_text()
            self.files[url] = text
            if key != 'get_file':
                inner = self.collected(template_format.parse(text),
                                       path.parent)
                self.files[url] = json.dumps(inner)
        return url

    def registry(self, value, folder):
        """Return a resource registry with URLs in the place of names."""
        base = value.get('base_url')
        result = {}
        for key, item in value.items():
            if key == 'base_url':
                continue
            if isinstance(item, dict):
                result[key] = self.registry(item, folder)
            elif isinstance(item, str) and item.endswith(_TYPES):
                name = f'{base.rstrip("/")}/{item}' if base else item
                result[key] = self._added(folder, 'type', name) or name
            else:
                result[key] = item
        return result


def is_template(path):
    """Tell whether a file states to be a template, in whatever version."""
    if path.suffix not in SUFFIXES or not path.is_file():
        return False
    text = path.read_text()
    return any(key in text for key in template_format.VERSION_KEYS)


def request_of(path, environment_path=None):
    """Return the request to validate the template at a path."""
    path = pathlib.Path(path)
    collector = _Collector()
    tmpl = collector.collected(template_format.parse(path.read_text()),
                               path.parent)
    env = {}
    if environment_path is not None:
        env = yaml.safe_load(environment_path.read_text()) or {}
        env = {**env, 'resource_registry': collector.registry(
            env.get('resource_registry') or {}, environment_path.parent)}
    return Request(tmpl, collector.files, env)
