"""Definitions of a template by name, each parsed when it is asked for."""
import collections.abc
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from heat.engine.language import diagnostics


class LazyDefinitions(collections.abc.Mapping[str, Any]):
    """Definitions by name, each parsed when it is first asked for.

    What one costs does not depend on how many there are.
    """

    def __init__(self, raw: Mapping[str, Any], parse: Callable[[str], Any],
                 is_enabled: Callable[[str], bool] = lambda name: True,
                 ) -> None:
        self._raw = raw
        self._parse = parse
        self._is_enabled = is_enabled
        self._enabled: dict[Any, bool] = {}
        self._parsed: dict[str, Any] = {}
        self._broken: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        if name not in self._parsed:
            if name not in self:
                raise KeyError(name)
            if name in self._broken:
                raise diagnostics.DerivedError(cause=name)
            self._parsed[name] = self._parse(name)
        return self._parsed[name]

    def parse_all(self, found: diagnostics.Problems) -> list[str]:
        """Parse all and note what is wrong; return what can be used.

        What cannot stays in the mapping, but asking for it is an error.
        """
        usable = []
        for name in self._raw:
            if found.full:
                break
            if self._is_wanted(name, found) and self._parses(name, found):
                usable.append(name)
        return usable

    def _is_wanted(self, name: str, found: diagnostics.Problems) -> bool:
        try:
            return name in self
        except diagnostics.ABOUT_TEMPLATE as exc:
            # Whatever it hides can be wrong as well.
            found.note(exc)
            self._enabled[name] = True
            return True

    def _parses(self, name: str, found: diagnostics.Problems) -> bool:
        try:
            self[name]
        except diagnostics.ABOUT_TEMPLATE as exc:
            found.note(exc)
            if exc.partial is None:
                self._broken.add(name)
                return False
            self._parsed[name] = exc.partial
        return True

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name not in self._raw:
            return False
        if name not in self._enabled:
            self._enabled[name] = self._is_enabled(name)
        return self._enabled[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._raw if name in self)

    def __len__(self) -> int:
        if len(self._enabled) < len(self._raw):
            return sum(1 for _name in self)
        # All conditions are known.
        return sum(self._enabled.values())
