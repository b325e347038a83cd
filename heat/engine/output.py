"""One output of a stack, as its template defines it."""
from collections.abc import Iterator
import contextlib
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import function


class OutputDefinition:
    """The name, description and still unresolved value of an output."""

    def __init__(self, name: str, value: Any,
                 description: Any = None) -> None:
        self.name = name
        self._value = value
        self._resolved_value: Any = None
        self._description = description
        self._dependencies: frozenset[str] | None = None

    def validate(self) -> None:
        """Check the functions in the value."""
        function.validate(self._value, ['outputs', self.name, 'value'])

    def required_resource_names(self) -> frozenset[str]:
        """Return the names of the resources that the value refers to.

        A reference to nothing is an error only when the value is resolved.
        """
        if self._dependencies is None:
            path = 'outputs.%s.value' % self.name
            names = set()
            with contextlib.suppress(exception.InvalidTemplateReference):
                for dep in function.dependencies(self._value, path):
                    names.add(dep.name)
            self._dependencies = frozenset(names)
        return self._dependencies

    def dep_attrs(self, resource_name: str) -> Iterator[Any]:
        """Yield the attributes of a resource that the value refers to."""
        return function.dep_attrs(self._value, resource_name)

    def all_dep_attrs(self) -> Iterator[tuple[str, Any]]:
        """Yield (resource name, attribute) of all references."""
        return function.all_dep_attrs(self._value)

    def get_value(self) -> Any:
        """Return the value, computed again until it is not null.

        A resource that did not exist yet may have come into being.
        """
        if self._resolved_value is None:
            self._resolved_value = function.resolve(self._value)
        return self._resolved_value

    def description(self) -> str:
        """Return the description, or a remark that there is none."""
        if self._description is None:
            return _('No description given')
        return str(function.resolve(self._description))

    def render_hot(self) -> dict[str, Any]:
        """Return the definition in the form HOT templates have."""
        rendered: dict[str, Any] = {}
        if self._description is not None:
            rendered['description'] = self._description
        rendered['value'] = self._value
        return rendered
