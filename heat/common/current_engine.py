"""The engine of this process, where one runs.

Plugins, functions of templates and stacks are made through published
interfaces, which have no argument for the engine; they find it here. All
other code is given the EngineContext it works for.

The template language imports this module, which therefore imports nothing
of ours.
"""
from typing import Any, Protocol


class Templates(Protocol):
    """The stored templates."""

    def load(self, context: Any, template_id: Any, t: Any = None) -> Any:
        """Return the template with this id; t is its row if known."""

    def store(self, context: Any, template: Any) -> Any:
        """Write a template; return its id."""

    def exported_value(self, context: Any, tenant: str | None, name: str
                       ) -> Any:
        """Return the value of an export of a project."""


class Events(Protocol):
    """Wake-ups of the API processes that stream events."""

    def stored(self) -> None:
        """Send a wake-up: events have been stored."""

    def asked(self) -> None:
        """Note that an API process streams events to clients."""

    def heard(self) -> None:
        """Note the same on the word of another engine."""


class Engine(Protocol):
    """The services of an engine that are found here."""

    @property
    def templates(self) -> Templates:
        """The stored templates."""

    @property
    def events(self) -> Events:
        """The wake-ups of event streams."""

    def load_stack(self, context: Any, stack_id: str, **options: Any) -> Any:
        """Return a stored stack."""

    def announce(self, key: tuple[Any, ...], *, far: bool = True,
                 many: bool = False) -> None:
        """Wake the tasks that wait for a key."""


#: See doc/source/contributor/process_state.rst.
_engine: Engine | None = None


def install(engine: Engine | None) -> None:
    """Make an engine the one of this process; None removes it.

    heat.engine.drivers.select.configure() calls this.
    """
    global _engine
    _engine = engine


def get() -> Engine | None:
    """Return the engine of this process; None outside an engine."""
    return _engine


def require() -> Engine:
    """Return the engine of this process.

    :raises RuntimeError: there is none.
    """
    if _engine is None:
        raise RuntimeError('No engine runs in this process')
    return _engine
