"""Propose a template of existing objects and the list of their imports."""
from collections.abc import Collection, Mapping
import dataclasses
from typing import Any

import yaml

from heat_plan_client.project import compute
from heat_plan_client.project import inventory
from heat_plan_client.project import load_balancer
from heat_plan_client.project import network
from heat_plan_client.project import references
from heat_plan_client.project import things

VERSION = '2018-08-31'
_DESCRIBE = {**network.DESCRIBE, **compute.DESCRIBE,
             **load_balancer.DESCRIBE}
_ORDER = {kind: place for place, kind in enumerate(things.TYPES)}


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """The objects of a project that a template is to describe.

    :ivar kinds: the kinds of objects; all kinds if it is empty
    :ivar prefix: the prefix of their names
    :ivar ids: their IDs
    """

    kinds: Collection[str] = ()
    prefix: str | None = None
    ids: Collection[str] = ()

    def wants(self, thing: things.Thing,
              above: Mapping[tuple[str, str], things.Thing]) -> bool:
        """Return whether an object or its parent is chosen."""
        seen = set()
        each: things.Thing | None = thing
        while each is not None and each.key not in seen:
            if self._names(each):
                return True
            seen.add(each.key)
            each = above.get(each.parent) if each.parent else None
        return False

    def _names(self, thing: things.Thing) -> bool:
        if self.prefix is None and not self.ids:
            return True
        return thing.id in self.ids or (
            self.prefix is not None and thing.name.startswith(self.prefix))


@dataclasses.dataclass(frozen=True, slots=True)
class Proposal:
    """A template and the objects that it imports.

    :ivar imports: {name of the resource: physical ID}
    :ivar left_out: the objects that it omits, with reasons
    """

    resources: dict[str, dict[str, Any]]
    imports: dict[str, str]
    left_out: list[things.LeftOut]

    def template(self) -> str:
        """Return the template as text."""
        return _text({
            'heat_template_version': VERSION,
            'description': 'What exists in a project, to be imported',
            'resources': self.resources}, 'heat_template_version')

    def import_list(self) -> str:
        """Return the imports as text for --import-file."""
        return _text({'imports': [
            {'resource': name, 'id': physical_id}
            for name, physical_id in self.imports.items()]})


def propose(found: inventory.Inventory, owned: Mapping[str, str],
            choice: Choice | None = None) -> Proposal:
    """Return a proposal for the objects of an inventory.

    :param owned: {physical ID: name of the stack} of objects in stacks
    """
    choice = choice or Choice()
    above = {each.key: each for each in found.found}
    left, chosen = list(found.left_out), []
    for thing in found.found:
        if choice.kinds and thing.kind not in choice.kinds:
            continue
        if not choice.wants(thing, above):
            continue
        if thing.id in owned:
            left.append(things.LeftOut(
                thing.kind, thing.id, thing.name,
                f'it belongs to stack {owned[thing.id]}'))
        else:
            chosen.append(thing)
    chosen.sort(key=lambda each: (_ORDER[each.kind], each.name, each.id))
    names = references.names_of(chosen, above)
    refs = references.References(found, names)
    resources = {names[each.key]: {
        'type': each.type, 'properties': _DESCRIBE[each.kind](each, refs)}
        for each in chosen}
    imports = {names[each.key]: each.id for each in chosen}
    return Proposal(resources, imports, left + refs.notes)


def _text(data: dict[str, Any], version: str | None = None) -> str:
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True,
                          default_flow_style=False, width=79)
    if version is not None:
        # A date without quotes, as templates have it.
        text = text.replace(f"{version}: '{data[version]}'",
                            f'{version}: {data[version]}', 1)
    return str(text)
