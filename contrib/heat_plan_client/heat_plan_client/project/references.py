"""Refer to objects of a template by resource, and to others by ID."""
from collections.abc import Iterable, Iterator, Mapping
import itertools
import re
from typing import Any

from heat_plan_client.project import inventory
from heat_plan_client.project import things

#: Characters that names of resources keep.
_OTHERS = re.compile(r'[^A-Za-z0-9_]+')
_LONGEST = 100
#: What has no name of its own, or one that says little.
_NAMED_AFTER_PARENT = frozenset([things.INTERFACE, things.ATTACHMENT,
                                 things.MEMBER])

Value = str | dict[str, Any]


def names_of(chosen: Iterable[things.Thing],
             above: Mapping[tuple[str, str], things.Thing]
             ) -> dict[tuple[str, str], str]:
    """Return the names of the resources of objects, by their keys.

    Names derive from the names of the objects, so that repeated proposals
    agree.

    :param above: what things may belong to, by key
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for thing in chosen:
        name = next(each for each in _candidates(thing, above)
                    if each not in taken)
        taken.add(name)
        names[thing.key] = name
    return names


def _candidates(thing: things.Thing,
                above: Mapping[tuple[str, str], things.Thing]
                ) -> Iterator[str]:
    """Yield candidate names of a resource without end, the best first."""
    base = _plain(thing.name)
    if thing.kind in _NAMED_AFTER_PARENT or not base:
        parent = above.get(thing.parent) if thing.parent else None
        base = f'{_plain(parent.name) if parent else ""}_{thing.kind}'
        base = base.strip('_')
    elif not base[0].isalpha():
        base = f'{thing.kind}_{base}'
    yield base
    if not base.endswith(thing.kind):
        base = f'{base}_{thing.kind}'
        yield base
    for number in itertools.count(2):
        yield f'{base}_{number}'


def _plain(text: str) -> str:
    return _OTHERS.sub('_', text).strip('_')[:_LONGEST]


class References:
    """Values that refer to objects.

    :param names: the names of the resources that the template has
    :ivar notes: the facts that the template cannot express
    """

    def __init__(self, found: inventory.Inventory,
                 names: Mapping[tuple[str, str], str]) -> None:
        self._names = names
        self._networks = found.networks
        self.default_groups = found.default_groups
        self._ports = {each.id: each.facts
                       for each in found.of(things.PORT)}
        self._vips = {each.facts.vip_port_id: each
                      for each in found.of(things.LOAD_BALANCER)}
        self._groups: dict[str, set[str]] = {}
        self.notes: list[things.LeftOut] = []

    def note(self, thing: things.Thing, reason: str) -> None:
        """Note a fact that the template cannot express."""
        self.notes.append(things.LeftOut(thing.kind, thing.id, thing.name,
                                         reason))

    def has(self, kind: str, thing_id: str) -> bool:
        """Return whether the template has a resource for an object."""
        return (kind, thing_id) in self._names

    def to(self, kind: str, thing_id: str, of: things.Thing | None = None
           ) -> Value:
        """Return a reference to an object, or its ID without a resource.

        :param of: the referring object, if it is of the same kind; an ID
            breaks a circle of references
        """
        name = self._names.get((kind, thing_id))
        if name is None:
            return thing_id
        if of is not None:
            if self._reaches(thing_id, of.id):
                self.note(of, f'it and "{name}" refer to each other: this '
                          'reference is an ID')
                return thing_id
            self._groups.setdefault(of.id, set()).add(thing_id)
        return {'get_resource': name}

    def _reaches(self, source: str, target: str) -> bool:
        todo, seen = [source], set()
        while todo:
            each = todo.pop()
            if each == target:
                return True
            if each not in seen:
                seen.add(each)
                todo += self._groups.get(each, ())
        return False

    def to_network(self, network_id: str) -> Value:
        """Return a reference to a network, or its name or ID."""
        if self.has(things.NETWORK, network_id):
            return self.to(things.NETWORK, network_id)
        return self._networks.get(network_id, network_id)

    def to_port(self, port_id: str) -> Value:
        """Return a reference to a port, or to the port of a VIP."""
        balancer = self._vips.get(port_id)
        if balancer is not None and balancer.key in self._names:
            return {'get_attr': [self._names[balancer.key], 'vip_port_id']}
        return self.to(things.PORT, port_id)

    def has_addresses(self, port_id: str | None) -> bool:
        """Return whether a port has several addresses."""
        port = self._ports.get(port_id or '')
        return port is not None and len(port.fixed_ips or ()) > 1

    def ports_of(self, server_id: str) -> list[Any]:
        """Return the ports of a server in the order of their creation."""
        return sorted(
            (each for each in self._ports.values()
             if each.device_id == server_id),
            key=lambda each: (str(getattr(each, 'created_at', '') or ''),
                              each.id))
