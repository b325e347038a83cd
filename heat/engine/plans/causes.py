"""Why a resource changes: property by property, with the source of a value."""
from collections.abc import Iterable, Iterator, Mapping
import dataclasses
from typing import Any

from heat.common import exception
from heat.common import text_places
from heat.engine import parameters
from heat.engine.language import diagnostics
from heat.engine.language import substitution
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.stacks import redaction

#: Stands for a value that nobody knows before the change set is executed.
KNOWN_AFTER_APPLY = 'known after apply'

#: Length of a text value that is shown, in characters.
_LONGEST = 1024
#: Number of causes of one resource that are shown.
_MOST = 100

_PROPERTIES = ('properties', 'Properties')
_OTHER = ('metadata', 'Metadata', 'update_policy', 'UpdatePolicy')
#: What values raise that cannot be computed yet, or are wrong.
ERRORS: tuple[type[Exception], ...] = (
    *diagnostics.WRONG_VALUES, exception.HeatException)
_NO_VALUE = object()

PARAMETER, ATTRIBUTE, RESOURCE, FILE, CONDITION = (
    'parameter', 'attribute', 'resource', 'file', 'condition')
#: What functions take whose first argument is a name.
_KINDS = {'get_param': PARAMETER, 'get_resource': RESOURCE, 'get_file': FILE,
          'if': CONDITION, 'Fn::If': CONDITION, 'condition': CONDITION,
          'Condition': CONDITION}


@dataclasses.dataclass(frozen=True, slots=True)
class Unsure:
    """What is known only after apply in a stack.

    :ivar references: resources whose reference id may change
    :ivar attributes: resources whose attributes may change
    :ivar parameters: parameters whose value the parent does not know yet
    :ivar conditions: conditions that follow from these
    """

    references: set[str] = dataclasses.field(default_factory=set)
    attributes: set[str] = dataclasses.field(default_factory=set)
    parameters: frozenset[str] = frozenset()
    conditions: frozenset[str] = frozenset()

    def covers(self, kind: str, name: str) -> bool:
        """Return whether a source has no certain value yet."""
        if kind == RESOURCE:
            return name in self.references
        if kind == ATTRIBUTE:
            return name.partition('.')[0] in (
                self.references | self.attributes)
        return name in {PARAMETER: self.parameters,
                        CONDITION: self.conditions}.get(kind, ())

    def any_in(self, snippet: Any, resources: Any) -> bool:
        """Return whether a part of a template has no certain value yet."""
        return any(self.covers(*source)
                   for source in sources(snippet, resources))


def sources(snippet: Any, resources: Any) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) of all that a part of a template takes values from.

    :param resources: names of the resources of the template
    """
    todo = [snippet]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo += item
        elif isinstance(item, Mapping):
            for key, below in item.items():
                yield from _called(key, below, resources)
                todo.append(below)


def _texts(snippet: Any) -> Iterator[str]:
    """Yield the texts in a part of a template, without keys."""
    if isinstance(snippet, str):
        yield snippet
    elif isinstance(snippet, Mapping):
        for below in snippet.values():
            yield from _texts(below)
    elif isinstance(snippet, list):
        for below in snippet:
            yield from _texts(below)


def _called(key: Any, below: Any, resources: Any
            ) -> Iterator[tuple[str, str]]:
    """Yield the sources of one call of a function."""
    first = below[0] if isinstance(below, list) and below else below
    if not isinstance(first, str):
        return
    if key in _KINDS:
        yield _KINDS[key], first
    elif key == 'Ref':
        yield (RESOURCE if first in resources else PARAMETER), first
    elif key in ('get_attr', 'Fn::GetAtt'):
        rest = below[1:2] if isinstance(below, list) else []
        yield ATTRIBUTE, '.'.join([first, *map(str, rest)])
    elif key == 'Fn::Sub':
        for _placeholder, name in substitution.references(first):
            base = name.partition('.')[0]
            if '.' in name and base in resources:
                yield ATTRIBUTE, name
            else:
                yield (RESOURCE if name in resources else PARAMETER), name


class Properties:
    """The properties of a resource before and after a change.

    :param live: whether clients may be asked to resolve values
    :param unsure: what is known only after apply
    """

    def __init__(self, resource: Any, desired: Any, raw: Any, unsure: Unsure,
                 names: Any, live: bool) -> None:
        self.resource = resource
        self.raw = raw_properties(raw)
        self.unknown = {name for name, value in self.raw.items()
                        if unsure.any_in(value, names)}
        self.unknown_parts = {
            key for key in _OTHER if isinstance(raw, Mapping) and
            key in raw and unsure.any_in(raw[key], names)}
        try:
            self._before, self._after = resource_decision.update_properties(
                resource, desired, resource.frozen_definition(),
                client_resolve=live)
            self.updatable = set(resource.calc_update_allowed(self._after))
        except ERRORS:
            # What is wrong is an error of the decision.
            self._before = self._after = {}
            self.updatable = set(self.raw)

    def changed(self) -> list[tuple[str, Any, Any]]:
        """Return (name, before, after) of what certainly differs."""
        found = []
        for name in sorted({*self._before.keys(), *self._after.keys()}):
            if name in self.unknown:
                continue
            before, after = (_value(each, name)
                             for each in (self._before, self._after))
            if before != after:
                found.append((name, before, after))
        return found

    def before(self, name: str) -> Any:
        """Return the value that a property has; None for none."""
        found = _value(self._before, name)
        return None if found is _NO_VALUE else found

    def forces(self, name: str) -> bool:
        """Return whether a change of a property needs a replacement."""
        return name not in self.updatable


def _value(properties: Any, name: str) -> Any:
    try:
        return properties.get(name)
    except ERRORS:
        return _NO_VALUE


def raw_properties(raw: Any) -> dict[str, Any]:
    """Return the properties in the definition of a resource.

    :param raw: the definition as the template has it
    """
    if not isinstance(raw, Mapping):
        return {}
    return next((dict(raw[key]) for key in _PROPERTIES
                 if isinstance(raw.get(key), Mapping)), {})


class Explainer:
    """Finds the causes of changes in one template.

    :param stack: the stack as it is to be
    :param text: the text of its template, or None
    """

    def __init__(self, stack: Any, text: str | None = None) -> None:
        template = stack.t
        self._section = template.get_section_name('resources')
        self._raw = template.section(template.RESOURCES)
        self.names = set(self._raw)
        key = getattr(template, 'CONDITIONS', None)
        self._conditions = (key and template.t.get(key)) or {}
        self._places = text_places.Places(text) if text else None
        self._hidden = redaction.hidden_parameters(stack)
        self._parameters = set(stack.parameters) - set(
            stack.parameters.PSEUDO_PARAMETERS)
        self._functions = set(template.functions)

    def has_conditions(self) -> bool:
        """Return whether the template has conditions."""
        return bool(self._conditions)

    def unknown_properties(self, name: str, unsure: Unsure) -> set[str]:
        """Return the properties of a resource with no certain value yet."""
        return {prop for prop, value in raw_properties(
            self.raw(name)).items() if unsure.any_in(value, self.names)}

    def uncertain_conditions(self, unsure: Unsure) -> frozenset[str]:
        """Return the conditions that follow from unknown parameters."""
        found: set[str] = set()
        while True:
            known = dataclasses.replace(unsure, conditions=frozenset(found))
            more = {name for name, definition in self._conditions.items()
                    if name not in found and (
                        known.any_in(definition, ()) or
                        not found.isdisjoint(_texts(definition)))}
            if not more:
                return frozenset(found)
            found |= more

    def conditional(self, conditions: frozenset[str]) -> dict[str, Any]:
        """Return {resource name: cause} of what depends on conditions.

        :param conditions: those whose results are known after apply
        """
        found = {}
        for name, raw in self._raw.items():
            for key in ('condition', 'Condition'):
                condition = isinstance(raw, Mapping) and raw.get(key)
                if condition and not conditions.isdisjoint(
                        _texts(condition)):
                    found[name] = _cause(
                        key, None, KNOWN_AFTER_APPLY,
                        self._source(name, {key: condition}, key, key),
                        False, unknown=True)
        return found

    def raw(self, name: str) -> Any:
        """Return the definition of a resource as the template has it."""
        return self._raw.get(name) or {}

    def secret_properties(self, resource: Any) -> set[str]:
        """Return the properties of a resource that must not be shown."""
        return (set(resource.secret_properties) |
                redaction.takers(self._raw, resource.name, self._hidden))

    def causes(self, name: str, properties: Properties, replaces: bool
               ) -> list[dict[str, Any]]:
        """Return why a resource changes.

        :param replaces: the plugin needs a replacement for what changes
        """
        secret = self.secret_properties(properties.resource)
        found = []
        for prop, before, after in properties.changed():
            forces = replaces or properties.forces(prop)
            source = self._source(name, properties.raw.get(prop), prop)
            for path, old, new in differences(before, after, prop):
                found.append(_cause(path, old, new, source, forces,
                                    hide=prop in secret))
        for prop in sorted(properties.unknown):
            found.append(_cause(
                prop, properties.before(prop), KNOWN_AFTER_APPLY,
                self._source(name, properties.raw.get(prop), prop),
                properties.forces(prop), hide=prop in secret, unknown=True))
        for part in sorted(properties.unknown_parts):
            found.append(_cause(
                part, None, KNOWN_AFTER_APPLY,
                self._source(name, self.raw(name)[part], part, part),
                False, unknown=True))
        if len(found) > _MOST:
            found = [*found[:_MOST], {'left_out': len(found) - _MOST}]
        return found

    def _source(self, name: str, snippet: Any, prop: str,
                part: str | None = None) -> dict[str, Any]:
        """Return where the new value of a property comes from."""
        result: dict[str, Any] = {}
        for kind, source in sources(snippet, self.names):
            result.setdefault(kind, source)
        if not result:
            result['template'] = 'literal' if snippet is not None else (
                'default')
        return {**result, **self.position(
            [*self.resource_path(name), part] if part else
            self.property_path(name, prop))}

    def resource_path(self, name: str) -> list[str]:
        """Return the path of a resource in the template."""
        return [self._section, name]

    def property_path(self, name: str, *steps: str) -> list[str]:
        """Return the path of a property, or of a part of it."""
        raw = self.raw(name)
        # NOTE: a resource without properties has none of the keys.
        key = next((key for key in _PROPERTIES if key in raw),
                   _PROPERTIES['Type' in raw])
        return [*self.resource_path(name), key, *steps]

    def position(self, path: list[str]) -> dict[str, int]:
        """Return {'line', 'column'} of the deepest element of a path.

        The result is empty if the text of the template is not known.
        """
        found = None if self._places is None else self._places.find(path)
        return {} if found is None else {'line': found[0],
                                         'column': found[1]}

    def is_parameter(self, name: str) -> bool:
        """Return whether the template has a parameter of a name."""
        return name in self._parameters and name not in self.names

    def is_call(self, snippet: Any) -> bool:
        """Return whether a part of the template calls a function."""
        return isinstance(snippet, Mapping) and len(snippet) == 1 and (
            next(iter(snippet)) in self._functions)


def of_move(origin: Iterable[str], path: Iterable[str],
            stack_name: str | None = None) -> dict[str, Any]:
    """Return the cause of the move of a resource from another path.

    :param stack_name: the name of the other stack that it comes from
    """
    source = '/'.join(origin)
    if stack_name is not None:
        source = f'{stack_name}:{source}'
    return _cause('path', source, '/'.join(path), {'move': source}, False)


def _cause(path: str, before: Any, after: Any, source: Any, forces: bool,
           *, hide: bool = False, unknown: bool = False) -> dict[str, Any]:
    if hide:
        before = after = parameters.HIDDEN_VALUE
    return {'property': path, 'before': shown(before),
            'after': KNOWN_AFTER_APPLY if unknown else shown(after),
            'source': source, 'forces_replacement': forces,
            'known_after_apply': unknown}


def shown(value: Any) -> Any:
    """Return a value as plain data, long texts cut."""
    if value is _NO_VALUE:
        return None
    if isinstance(value, Mapping):
        return {str(key): shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [shown(each) for each in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    text = str(value)
    if len(text) <= _LONGEST:
        return text
    return '%s... (%d characters)' % (text[:_LONGEST], len(text))


def differences(before: Any, after: Any, path: str
                ) -> Iterator[tuple[str, Any, Any]]:
    """Yield (path, before, after) of the innermost parts that differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in sorted({*before, *after}, key=str):
            if before.get(key) != after.get(key):
                yield from differences(before.get(key), after.get(key),
                                       '%s.%s' % (path, key))
    elif (isinstance(before, list) and isinstance(after, list) and
          len(before) == len(after)):
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                yield from differences(old, new, '%s[%d]' % (path, index))
    else:
        yield path, before, after
