"""Look up names in the cloud at the same time, before they are needed.

Validation checks one value after the other, and each name of a network, an
image or a flavor takes a request. This module evaluates the custom constraints
of such values beforehand, several at the same time. Client plugins cache the
IDs that they find (client_plugin.Finds). If a lookup is still in progress,
validation waits for its result instead of sending another request.
"""
import collections
from collections.abc import Iterable, Iterator, Mapping
import contextlib
import functools
import threading
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.engine import constraints
from heat.engine import function

LOG = logging.getLogger(__name__)

#: The number of lookups of one validation at a time.
_AT_ONCE = 8

#: A class of constraints, and the value that it is asked about.
Question = tuple[type, str]


class LookAhead:
    """The lookups of one validation; those not begun end with the block.

    :param context: the request context in which the stack is validated
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._waiting: collections.deque[Question] = collections.deque()

    def __enter__(self) -> 'LookAhead':
        return self

    def __exit__(self, *_error: object) -> None:
        self._waiting.clear()

    def parameters(self, parameters: Iterable[Any]) -> None:
        """Look up what the values of parameters name."""
        self._begin(_of_parameters(parameters))

    def resources(self, resources: Iterable[Any]) -> None:
        """Look up what the properties of resources name."""
        self._begin(_of_resources(resources))

    def _begin(self, found: Iterator[Question]) -> None:
        if not getattr(self._context, 'knows_keystone', False):
            return
        questions = dict.fromkeys(found)
        if len(questions) < 2:
            # Validation looks it up just as soon.
            return
        asked = self._context.clients.asked
        new = [each for each in questions if each not in asked]
        asked.update(new)
        self._waiting.extend(new)
        for _number in range(min(_AT_ONCE, len(new))):
            threading.Thread(target=self._work, name='heat-lookahead',
                             daemon=True).start()

    def _work(self) -> None:
        heat_context.resume(self._context)
        while True:
            try:
                kind, value = self._waiting.popleft()
            except IndexError:
                return
            try:
                kind().validate(value, self._context)
            except Exception as error:  # noqa: BLE001 (plugins raise anything)
                # Validation asks again, and tells the user. The value may be
                # that of a hidden parameter.
                LOG.debug('%s could not look up a name: %s', kind.__name__,
                          type(error).__name__)


def _of_parameters(parameters: Iterable[Any]) -> Iterator[Question]:
    for parameter in parameters:
        value = None
        with contextlib.suppress(Exception):
            value = parameter.value()
        yield from _of_value(parameter.schema, value)


def _of_resources(resources: Iterable[Any]) -> Iterator[Question]:
    for resource in resources:
        if resource.external_id is not None:
            continue
        data = resource.properties.data
        kind: Any = type(resource)
        for name in _constrained(kind):
            schema = resource.properties.props[name].schema
            yield from _of_value(schema, data.get(name, schema.default))


@functools.lru_cache(1000)
def _constrained(resource_class: Any) -> tuple[str, ...]:
    """Return the properties of a type that have custom constraints."""
    schemata = getattr(resource_class, 'properties_schema', None) or {}
    return tuple(name for name, schema in schemata.items()
                 if _has_custom(schema))


def _has_custom(schema: Any) -> bool:
    if any(isinstance(each, constraints.CustomConstraint)
           for each in getattr(schema, 'constraints', ())):
        return True
    inner = getattr(schema, 'schema', None) or {}
    return any(map(_has_custom, inner.values()))


def _asks(constraint: Any) -> bool:
    """Return whether a constraint asks a service of the cloud."""
    return (isinstance(constraint, constraints.CustomConstraint) and
            bool(getattr(constraint.constraint_class, 'resource_client_name',
                         None)))


def _of_value(schema: Any, raw: Any) -> Iterator[Question]:
    """Yield the questions about a value of a template and what is inside.
    """
    value = _known(raw)
    inner = getattr(schema, 'schema', None)
    if isinstance(value, str):
        for each in schema.constraints:
            if _asks(each):
                yield each.constraint_class, value
    elif inner and isinstance(value, Mapping):
        for key in inner.keys() & value.keys():
            yield from _of_value(inner[key], value[key])
    elif inner and isinstance(value, list):
        for index, item in enumerate(value):
            with contextlib.suppress(KeyError):
                yield from _of_value(inner[index], item)


def _known(raw: Any) -> Any:
    """Return a value that needs no other resource, else None."""
    if not isinstance(raw, function.Function):
        return raw
    if raw.reads_parameter and _is_plain(raw.args):
        with contextlib.suppress(Exception):
            return raw.result()
    return None


def _is_plain(args: Any) -> bool:
    return all(map(function.is_scalar,
                   args if isinstance(args, list) else [args]))
