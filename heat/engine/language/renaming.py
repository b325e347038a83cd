"""Give resources of a template other names, wherever it mentions them."""
from collections.abc import Mapping
import dataclasses
import re
from typing import Any

from heat.engine.language import substitution

_REFERENCES = frozenset(['get_resource', 'Ref'])
_ATTRIBUTES = frozenset(['get_attr', 'Fn::GetAtt'])
_DEPENDS = frozenset(['depends_on', 'DependsOn'])
_SUB = 'Fn::Sub'


def refers(part: Any, name: str) -> bool:
    """Return whether a definition or an output names a resource."""
    return bool(Renaming(gone={name: ''}).of_definition(part) != part)


@dataclasses.dataclass(frozen=True, slots=True)
class Renaming:
    """The resources of one template whose names change or that leave it.

    :ivar names: {name: new name}
    :ivar gone: {name: reference id} of the resources that leave it
    """

    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    gone: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def of_resources(self, resources: Mapping[str, Any]) -> dict[str, Any]:
        """Return the section of resources with the new names."""
        return {self.names.get(name, name): self.of_definition(definition)
                for name, definition in resources.items()
                if name not in self.gone}

    def of_definition(self, definition: Any) -> Any:
        """Return the definition of a resource with the new names."""
        if not isinstance(definition, Mapping):
            return definition
        return {key: self._depends(value) if key in _DEPENDS
                else self.of_value(value)
                for key, value in definition.items()}

    def _depends(self, value: Any) -> Any:
        if isinstance(value, str):
            return [] if value in self.gone else self.names.get(value, value)
        if isinstance(value, list):
            return [self._depends(each) for each in value
                    if not isinstance(each, str) or each not in self.gone]
        return value

    def of_value(self, value: Any) -> Any:
        """Return a part of the template with the new names.

        A reference to a resource that has left becomes the id that it
        stood for; the value of an attribute becomes an empty text.
        """
        if isinstance(value, list):
            return [self.of_value(each) for each in value]
        if not isinstance(value, Mapping):
            return value
        if len(value) == 1:
            [(key, arguments)] = value.items()
            called = self._call(key, arguments)
            if called is not None:
                return called[0]
        return {key: self.of_value(below) for key, below in value.items()}

    def _call(self, key: Any, arguments: Any) -> tuple[Any] | None:
        """Return (the value of) a call that names a resource; else None."""
        if key in _REFERENCES and isinstance(arguments, str):
            if arguments in self.gone:
                return (self.gone[arguments],)
            return ({key: self.names.get(arguments, arguments)},)
        if key in _ATTRIBUTES:
            return self._attribute(key, arguments)
        if key == _SUB:
            return ({key: self._substitution(arguments)},)
        return None

    def _attribute(self, key: str, arguments: Any) -> tuple[Any] | None:
        if isinstance(arguments, str):
            name, dot, rest = arguments.partition('.')
            if name in self.gone:
                return ('',)
            return ({key: self.names.get(name, name) + dot + rest},)
        if not isinstance(arguments, list) or not arguments or (
                not isinstance(arguments[0], str)):
            return None
        if arguments[0] in self.gone:
            return ('',)
        return ({key: [self.names.get(arguments[0], arguments[0]),
                       *map(self.of_value, arguments[1:])]},)

    def _substitution(self, arguments: Any) -> Any:
        if isinstance(arguments, str):
            return self._text(arguments, frozenset())
        if isinstance(arguments, list) and len(arguments) == 2 and (
                isinstance(arguments[0], str)):
            bound = arguments[1] if isinstance(arguments[1], Mapping) else {}
            return [self._text(arguments[0], frozenset(bound)),
                    self.of_value(arguments[1])]
        return self.of_value(arguments)

    def _text(self, text: str, bound: frozenset[str]) -> str:
        def place(match: re.Match[str]) -> str:
            whole = match['name'].strip()
            name, dot, rest = whole.partition('.')
            if whole in bound or whole.startswith('!'):
                return match[0]
            if name in self.gone:
                return '' if dot else str(self.gone[name])
            return '${%s}' % (self.names.get(name, name) + dot + rest)

        return substitution.PLACEHOLDER.sub(place, text)
