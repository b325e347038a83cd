"""Keep what is wrong with the log away from who logs."""
from collections.abc import Iterator
import logging


def contain_errors() -> None:
    """Keep errors of the present log handlers within the handlers.

    The handlers for syslog and the journal raise errors to the caller. A full
    disk would then fail operations of stacks.
    """
    for handler in _handlers():
        if not isinstance(handler.emit, _Contained):
            # mypy: a method that is replaced.
            handler.emit = _Contained(handler)  # type: ignore[method-assign]


def _handlers() -> Iterator[logging.Handler]:
    root = logging.getLogger()
    for logger in (root, *root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):
            yield from logger.handlers


class _Contained:
    """Writes a record by a handler, whose error it handles there."""

    def __init__(self, handler: logging.Handler) -> None:
        self._handler = handler
        self._emit = handler.emit

    def __call__(self, record: logging.LogRecord) -> None:
        try:
            self._emit(record)
        except Exception:  # noqa: BLE001
            self._handler.handleError(record)
