"""Libraries that are imported when they are first used.

For those that are large and that many a process never needs. Modules of
the project itself are imported where they are named, so that their imports
can be checked.
"""
import importlib
from typing import Any


class _Module:
    """Stands for a module; what it is asked for, the module gives."""

    __slots__ = ('_name',)

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith('__'):
            # What Python wants to know of any object is no use of it.
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return vars(importlib.import_module(self._name))

    def __repr__(self) -> str:
        return f'<module {self._name!r}, imported when it is used>'


def module(name: str) -> Any:
    """Return what can be used like the module of a library.

    An error of the import is raised at the first use.
    """
    return _Module(name)
