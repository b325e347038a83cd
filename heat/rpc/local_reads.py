"""Calls that an API process answers itself, from the database.

Which these are, and how they are answered, decides what the entry point of
the process installs here.
"""
from collections.abc import Collection, Mapping
from typing import Any, Protocol

from heat.common import context
from heat.common import reading


class Reader(Protocol):
    """Answers calls as an engine does."""

    @property
    def methods(self) -> Collection[str]:
        """Return the names of the methods that may be answered."""

    def answer(self, ctxt: context.RequestContext, method: str,
               arguments: Mapping[str, Any]) -> Any:
        """Return what an engine would answer.

        :raises EngineNeeded: an engine has to be asked
        """


class LocalReads:
    """The reader of this process, where there is one."""

    def __init__(self) -> None:
        self._reader: Reader | None = None

    def install(self, reader: Reader | None) -> None:
        """Have a reader answer from now on; None removes it."""
        self._reader = reader

    def answer(self, ctxt: context.RequestContext, method: str,
               arguments: Mapping[str, Any]) -> tuple[bool, Any]:
        """Return (whether the call has been answered, the answer)."""
        reader = self._reader
        if reader is None or method not in reader.methods:
            return False, None
        try:
            return True, reader.answer(ctxt, method, arguments)
        except reading.EngineNeeded:
            return False, None


#: See doc/source/contributor/process_state.rst.
READS = LocalReads()
