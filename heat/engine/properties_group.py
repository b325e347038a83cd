"""Which properties of a type must, or must not, be given together."""
import collections.abc
from collections.abc import Mapping, Sequence
from typing import Any

from heat.common import exception
from heat.common.i18n import _

GROUP_OPERATORS = (
    AND, OR, XOR,
) = (
    'and', 'or', 'xor',
)


class PropertiesGroup:
    """A formula over the presence of properties.

    schema is {operator: [operand, ...]} where an operand is such a formula
    or the path of a property as a list of names: with XOR exactly one is
    given, with OR at least one, with AND all of them.
    """

    def __init__(self, schema: Mapping[str, Any],
                 properties: Mapping[str, Any] | None = None) -> None:
        self.schema = schema
        self.properties = properties
        self.validate_schema(schema)

    def validate_schema(self, schema: Any) -> None:
        """Raise InvalidSchemaError for what is no formula."""
        if not isinstance(schema, collections.abc.Mapping):
            raise exception.InvalidSchemaError(
                message=_('A group of properties must be a map.'))
        if len(schema) != 1:
            raise exception.InvalidSchemaError(
                message=_('A group of properties must have one key, the '
                          'operator.'))
        operator, operands = next(iter(schema.items()))
        if operator not in GROUP_OPERATORS:
            raise exception.InvalidSchemaError(
                message=_('The operator "%(operator)s" of a group of '
                          'properties must be one of %(known)s.') % {
                              'operator': operator,
                              'known': ', '.join(GROUP_OPERATORS)})
        if not _is_list(operands):
            raise exception.InvalidSchemaError(
                message=_('The operands in a group of properties must be a '
                          'list.'))
        for operand in operands:
            if isinstance(operand, collections.abc.Mapping):
                self.validate_schema(operand)
            elif not _is_list(operand) or not all(
                    isinstance(name, str) for name in operand):
                raise exception.InvalidSchemaError(
                    message=_('An operand in a group of properties must be '
                              'a group or a list of names, not %r.') %
                    (operand,))

    def validate(self) -> bool:
        """Return whether the properties that are given suit the formula."""
        return self._holds(self.schema)

    def _holds(self, schema: Mapping[str, Any]) -> bool:
        operator, operands = next(iter(schema.items()))
        results = [self._holds(operand)
                   if isinstance(operand, collections.abc.Mapping)
                   else self._is_given(operand) for operand in operands]
        if operator == AND:
            return all(results)
        if operator == OR:
            return any(results)
        return results.count(True) == 1

    def _is_given(self, path: Sequence[str]) -> bool:
        value: Any = self.properties
        for name in path:
            if not isinstance(value, collections.abc.Mapping):
                return False
            value = value.get(name)
        return value is not None


def _is_list(value: Any) -> bool:
    return (isinstance(value, collections.abc.Sequence) and
            not isinstance(value, str))
