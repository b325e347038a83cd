"""The files of the console, read once and kept in memory.

Requests choose among these by their exact path; no request reaches the file
system.
"""
from collections.abc import Iterator
import dataclasses
import gzip
import hashlib
from importlib import resources
from typing import Any

#: Content types by the end of a file's name. Other files are not served.
_TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
}
#: The file that stands for the directory.
INDEX = 'index.html'


@dataclasses.dataclass(frozen=True, slots=True)
class Asset:
    """One file, as it is sent."""

    content_type: str
    body: bytes
    compressed: bytes
    etag: str


def load(root: Any = None) -> dict[str, Asset]:
    """Return the files of the console by their paths, such as js/main.js.

    :param root: the directory, a path or a traversable of importlib; the
        files of this package by default
    """
    if root is None:
        root = resources.files('heat.console') / 'static'
    return {path: _asset(path, body) for path, body in _files(root, '')}


def _files(directory: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(directory.iterdir(), key=lambda each: each.name):
        if entry.is_dir():
            yield from _files(entry, f'{prefix}{entry.name}/')
        elif _type_of(entry.name) is not None:
            yield prefix + entry.name, entry.read_bytes()


def _type_of(name: str) -> str | None:
    return next((content_type for ending, content_type in _TYPES.items()
                 if name.endswith(ending)), None)


def _asset(path: str, body: bytes) -> Asset:
    return Asset(content_type=_type_of(path) or '', body=body,
                 compressed=gzip.compress(body, mtime=0),
                 etag=hashlib.sha256(body).hexdigest()[:32])
