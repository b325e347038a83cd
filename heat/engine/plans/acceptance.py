"""Say what to change in a template so that it says what really exists.

It is the other way out of drift: nothing is done to the resource.
"""
from collections.abc import Mapping
import dataclasses
from typing import Any

from heat.engine import parameters
from heat.engine.plans import causes

#: What calls a function in place of a value, in both languages.
_PARAMETER = ('get_param', 'Ref')


@dataclasses.dataclass(frozen=True, slots=True)
class Acceptance:
    """Finds the places in a template that hold the values of a resource.

    :ivar explainer: of the template
    :ivar name: the name of the resource
    :ivar raw: the properties as the template has them
    :ivar actual: {property: live value} of those that have drifted
    :ivar secret: the properties whose values must not be shown
    """

    explainer: causes.Explainer
    name: str
    raw: Mapping[str, Any]
    actual: Mapping[str, Any]
    secret: frozenset[str] = frozenset()

    def of_value(self, path: str) -> dict[str, Any]:
        """Return where to write which value.

        The result has 'value' with 'parameter', the name of the parameter
        that holds it, or with 'template', the path of what to write or
        replace; and 'line' and 'column' of the place if they are known. The
        value is that of the innermost part that the template writes down:
        what a function computes is replaced as a whole.

        :param path: that of a value that differs
        """
        name, steps, value, snippet = self._innermost(path)
        shown = (parameters.HIDDEN_VALUE if name in self.secret
                 else causes.shown(value))
        place = self.explainer.property_path(self.name, *steps)
        holder = self._parameter_of(snippet)
        return {**({'template': place} if holder is None
                   else {'parameter': holder}),
                'value': shown, **self.explainer.position(place)}

    def of_deletion(self) -> dict[str, Any]:
        """Return what to remove from the template: the resource."""
        place = self.explainer.resource_path(self.name)
        return {'template': place, 'remove': True,
                **self.explainer.position(place)}

    def _innermost(self, path: str) -> tuple[str, list[str], Any, Any]:
        """Return (property, path, live value, snippet) of what to replace.

        Lists are replaced as a whole: their order need not be that of the
        template.
        """
        name, *keys = path.partition('[')[0].split('.')
        steps, value, snippet = [name], self.actual.get(name), (
            self.raw.get(name))
        for key in keys:
            if not (isinstance(value, Mapping) and
                    isinstance(snippet, Mapping) and key in snippet) or (
                        self.explainer.is_call(snippet)):
                break
            steps.append(key)
            value, snippet = value.get(key), snippet[key]
        return name, steps, value, snippet

    def _parameter_of(self, snippet: Any) -> str | None:
        """Return the parameter whose value a snippet is, if it is one."""
        if not isinstance(snippet, Mapping) or len(snippet) != 1:
            return None
        [(function, argument)] = snippet.items()
        if function in _PARAMETER and isinstance(argument, str) and (
                self.explainer.is_parameter(argument)):
            return argument
        return None
