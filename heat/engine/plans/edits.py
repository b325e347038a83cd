"""Rewrite the description of a stack for moves and imports."""
from collections.abc import Mapping
import dataclasses
from typing import Any

from heat.engine import environment
from heat.engine import template_files
from heat.engine.language import renaming
from heat.engine.plans import givers
from heat.engine.plans import imports
from heat.engine.plans import requested

Path = requested.Path

_REGISTRY, _BY_NAME = 'resource_registry', 'resources'
#: Keys of a registry that are no types.
_NO_TYPES = (_BY_NAME, 'base_url')


@dataclasses.dataclass(slots=True)
class Edit:
    """The changes of one stack.

    :ivar path: the names of the resources that the stack is nested in
    :ivar rows: all rows of its resources, by id
    :ivar names: {name: new name} within the stack
    :ivar gone: {name: reference id} of the resources that leave it
    :ivar coming: (name, definition) of the resources that come to it
    :ivar imported: what is taken over from the cloud
    :ivar giver: set if the stack is another root, which gives resources
    :ivar files: what comes with resources of other root stacks
    :ivar registry: the same for entries of the resource registry
    :ivar moved: {row id: (the row, the row as it will be)} of the
        resources that are in the stack afterwards
    """

    stack: Any
    path: Path
    rows: dict[int, Any]
    old_template: Any
    names: dict[str, str] = dataclasses.field(default_factory=dict)
    gone: dict[str, Any] = dataclasses.field(default_factory=dict)
    coming: list[tuple[str, Any]] = dataclasses.field(default_factory=list)
    imported: list[imports.Imported] = dataclasses.field(
        default_factory=list)
    giver: givers.Giver | None = None
    files: dict[str, Any] = dataclasses.field(default_factory=dict)
    registry: dict[str, Any] = dataclasses.field(default_factory=dict)
    moved: dict[int, tuple[Any, Any]] = dataclasses.field(
        default_factory=dict)

    def lend(self, other: Any) -> None:
        """Make the types of another stack known, without replacing any."""
        self.files.update(other.t.files)
        self.registry.update(
            (key, entry) for key, entry in other.env.env_as_dict().get(
                _REGISTRY, {}).items() if key not in _NO_TYPES)

    def referrer(self) -> tuple[str, str] | None:
        """Return (what leaves, what stays and refers to it), if any."""
        tmpl = self.old_template
        left = [(name, part) for section in (tmpl.RESOURCES, tmpl.OUTPUTS)
                if tmpl.t.get(section)
                for name, part in tmpl.section(section).items()
                if section == tmpl.OUTPUTS or name not in self.gone]
        for name in self.gone:
            for other, part in left:
                if renaming.refers(part, name):
                    return name, other
        return None

    def new_template(self) -> Any:
        """Return the template of the stack with the new names."""
        old = self.old_template
        tmpl = old.copy(env=_environment(old.env, self.names,
                                         self.registry))
        if self.files.keys() - set(old.files):
            tmpl.files = template_files.TemplateFiles(
                {**self.files, **old.files})
        change = renaming.Renaming(self.names, self.gone)
        tmpl.t = {**tmpl.t, tmpl.RESOURCES: change.of_resources(
            tmpl.section(tmpl.RESOURCES))}
        if tmpl.t.get(tmpl.OUTPUTS):
            tmpl.t = {**tmpl.t, tmpl.OUTPUTS: change.of_value(
                tmpl.section(tmpl.OUTPUTS))}
        tmpl.add_resources(self.coming)
        # Until it is stored it stands in for the one before.
        tmpl.id = old.id
        return tmpl


def _environment(old: Any, names: Mapping[str, str],
                 more: Mapping[str, Any]) -> Any:
    """Return an environment whose entries for resources have new names.

    :param more: entries for types that it may not have
    """
    data = old.env_as_dict()
    registry = {**more, **(data.get(_REGISTRY) or {})}
    by_name = registry.get(_BY_NAME) or {}
    if by_name.keys().isdisjoint(names) and (
            registry == data.get(_REGISTRY)):
        return old
    registry[_BY_NAME] = {names.get(name, name): entry
                          for name, entry in by_name.items()}
    renamed = environment.Environment({**data, _REGISTRY: registry})
    renamed.inherited = old.inherited
    return renamed
