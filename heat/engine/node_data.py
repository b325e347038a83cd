"""The facts about one resource that the rest of a stack may use.

Template functions read this instead of asking the resource, so it can be
stored, and sent to another engine.
"""
import ast
from collections.abc import Iterator, Mapping
from typing import Any

_TUPLE_PREFIX = 'tuple:'

#: An attribute, or a path into one.
AttributeKey = str | tuple[Any, ...]


class NodeData:
    """Identity, state, reference id and attribute values of a resource.

    attributes maps a name, or a path (name, key, ...), to a value. A value
    that is an exception is raised when somebody asks for it.
    """

    __slots__ = ('primary_key', 'name', 'uuid', '_reference_id',
                 '_attributes', 'action', 'status')

    def __init__(self, primary_key: int | None, resource_name: str,
                 uuid: str | None, reference_id: Any,
                 attributes: Mapping[AttributeKey, Any], action: str,
                 status: str) -> None:
        self.primary_key = primary_key
        self.name = resource_name
        self.uuid = uuid
        self._reference_id = reference_id
        self._attributes = dict(attributes)
        self.action = action
        self.status = status

    def reference_id(self) -> Any:
        """Return what get_resource gives for the resource."""
        return self._reference_id

    def has_attribute(self, key: AttributeKey) -> bool:
        """Return whether a value for this name or path is known."""
        return key in self._attributes

    def attribute(self, key: AttributeKey) -> Any:
        """Return the value for this name or path; KeyError if unknown."""
        value = self._attributes[key]
        if isinstance(value, Exception):
            raise value
        return value

    def attributes(self) -> dict[str, Any]:
        """Return the values of all whole attributes that are known."""
        return {key: self.attribute(key) for key in self._attributes
                if isinstance(key, str)}

    def attribute_names(self) -> Iterator[str]:
        """Yield the names of the attributes something is known about."""
        return iter(dict.fromkeys(
            key if isinstance(key, str) else key[0]
            for key in self._attributes))

    def as_dict(self) -> dict[str, Any]:
        """Return the data as JSON can hold it.

        A value that is an exception is raised: it must not be stored.
        """
        return {
            'id': self.primary_key,
            'name': self.name,
            'reference_id': self._reference_id,
            'attrs': {_key_to_text(key): self.attribute(key)
                      for key in self._attributes},
            'status': self.status,
            'action': self.action,
            'uuid': self.uuid,
        }

    @classmethod
    def from_dict(cls, node_data: Mapping[str, Any] | None
                  ) -> 'NodeData | None':
        """Rebuild from as_dict(); None gives None."""
        if not node_data:
            return None
        attributes = node_data.get('attrs') or {}
        return cls(node_data.get('id'), node_data['name'],
                   node_data.get('uuid'), node_data.get('reference_id'),
                   {_key_from_text(key): value
                    for key, value in attributes.items()},
                   node_data['action'], node_data['status'])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NodeData):
            return NotImplemented
        return all(getattr(self, slot) == getattr(other, slot)
                   for slot in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return '<NodeData %s (%s) %s_%s>' % (
            self.name, self.primary_key, self.action, self.status)


def _key_to_text(key: AttributeKey) -> str:
    return key if isinstance(key, str) else _TUPLE_PREFIX + repr(tuple(key))


def _key_from_text(key: AttributeKey) -> AttributeKey:
    if isinstance(key, str) and key.startswith(_TUPLE_PREFIX):
        return tuple(ast.literal_eval(key[len(_TUPLE_PREFIX):]))
    return key
