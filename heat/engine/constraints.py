"""Schemata of values and their constraints.

Properties and parameters build their own schemata on this one.
"""
import collections.abc
from collections.abc import Iterable, Iterator, Sequence
import math
import numbers
import re
from typing import Any

from oslo_utils import strutils

from heat.common import exception
from heat.common.i18n import _
from heat.engine import environment as environments
from heat.engine.language import custom_constraint
from heat.engine.language import list_schema
from heat.engine.language import suggest
from heat.engine.sandbox import pattern as patterns

ANY_INDEX = list_schema.ANY_INDEX
AnyIndexDict = list_schema.AnyIndexDict


def _finite(number: Any) -> Any:
    """Return a number; ValueError if JSON, and so a client, has none such.
    """
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(_('%s is not a finite number') % number)
    return number


class Schema(collections.abc.Mapping[str, Any]):
    """The type of a value, its default, and what else must hold for it.

    As a mapping it is the form in which the API shows a schema: only what
    is set, nested schemata as mappings, the type in lower case.
    """

    KEYS: Sequence[str]
    KEYS = (
        TYPE, DESCRIPTION, DEFAULT, SCHEMA, REQUIRED, CONSTRAINTS, IMMUTABLE,
    ) = (
        'type', 'description', 'default', 'schema', 'required',
        'constraints', 'immutable',
    )

    TYPE_KEYS = (
        INTEGER_TYPE, STRING_TYPE, NUMBER_TYPE, BOOLEAN_TYPE, MAP_TYPE,
        LIST_TYPE,
    ) = (
        'INTEGER', 'STRING', 'NUMBER', 'BOOLEAN', 'MAP', 'LIST',
    )

    TYPES: Sequence[str]
    TYPES = (
        INTEGER, STRING, NUMBER, BOOLEAN, MAP, LIST, ANY,
    ) = (
        'Integer', 'String', 'Number', 'Boolean', 'Map', 'List', 'Any',
    )

    def __init__(self, data_type: str, description: Any = None,
                 default: Any = None, schema: Any = None,
                 required: bool = False,
                 constraints: 'Iterable[Constraint] | None' = None,
                 label: str | None = None, immutable: bool = False) -> None:
        self._len: int | None = None
        self.label = label
        self.type = data_type
        if self.type not in self.TYPES:
            raise exception.InvalidSchemaError(
                message=_('The type "%(type)s" is none of %(known)s.') % {
                    'type': self.type, 'known': ', '.join(self.TYPES)})
        self.description = description
        self.required = required
        self.immutable = immutable
        self.schema = self._checked_schema(schema)
        self.constraints: list[Constraint] = list(constraints or [])
        for constraint in self.constraints:
            self._check_constraint_type(constraint)
        self.default = default

    def _checked_schema(self, schema: Any) -> Any:
        if schema is None:
            return None
        if self.type == self.LIST:
            if isinstance(schema, AnyIndexDict):
                return schema
            return AnyIndexDict(schema)
        if self.type != self.MAP:
            raise exception.InvalidSchemaError(
                message=_('Only a %(list)s or a %(map)s has a schema of its '
                          'items, a %(type)s has not.') % {
                              'list': self.LIST, 'map': self.MAP,
                              'type': self.type})
        return dict(schema)

    def _check_constraint_type(self, constraint: 'Constraint') -> None:
        if not isinstance(constraint, Constraint):
            raise exception.InvalidSchemaError(
                message=_('%r is not a constraint.') % (constraint,))
        if self.type not in [getattr(self, key, None)
                             for key in constraint.valid_types]:
            raise exception.InvalidSchemaError(
                message=_('A constraint %(name)s does not suit a value of '
                          'type %(type)s.') % {
                    'name': constraint._name(),  # noqa: SLF001 (plugin API)
                    'type': self.type})

    def allow_custom_constraints(self) -> bool:
        """Return whether any constraint asks code outside the schema."""
        return any(isinstance(c, CustomConstraint) for c in self.constraints)

    def validate(self, context: Any = None) -> None:
        """Check the schema itself; raise InvalidSchemaError if it is wrong.

        Nested schemata are checked too. Custom constraints are not asked:
        the default may name something that does not exist here.
        """
        self._validate_default(context)
        if isinstance(self.schema, AnyIndexDict):
            self.schema.value.validate(context)
        elif self.schema is not None:
            for nested in self.schema.values():
                nested.validate(context)

    def _validate_default(self, context: Any) -> None:
        if self.default is None:
            return
        try:
            self.validate_constraints(self.default, context,
                                      [CustomConstraint])
        except (ValueError, TypeError,
                exception.StackValidationFailed) as exc:
            raise exception.InvalidSchemaError(
                message=_('Invalid default %(default)s (%(reason)s)') % {
                    'default': self.default, 'reason': exc}) from exc

    def set_default(self, default: Any = None) -> None:
        """Change the default."""
        self._len = None
        self.default = default

    @staticmethod
    def str_to_num(value: Any) -> int | float:
        """Return value as an int if it is one, else as a float.

        Raise ValueError for what is no number.
        """
        if type(value) is int:
            return value
        if isinstance(value, numbers.Number) and not isinstance(value, bool):
            return _finite(value)
        try:
            return int(value)
        except (ValueError, TypeError):
            pass
        try:
            number = float(value)
        except TypeError as exc:
            raise ValueError(_('%r is not a number') % (value,)) from exc
        if math.isinf(number) and 'inf' not in str(value).lower():
            # No float holds it, and Python reads no integer of so many
            # digits.
            raise ValueError(_('"%s..." is too large a number')
                             % str(value)[:20])
        return _finite(number)

    def to_schema_type(self, value: Any) -> Any:
        """Return value converted to this type; ValueError if it cannot be.

        Maps, lists and values of any type come back as they are.
        """
        try:
            if self.type == self.INTEGER:
                number = self.str_to_num(value)
                if isinstance(number, float):
                    if not number.is_integer():
                        raise ValueError(_('%s is not an integer') % value)
                    return int(number)
                return number
            if self.type == self.NUMBER:
                return self.str_to_num(value)
            if self.type == self.STRING:
                return str(value)
            if self.type == self.BOOLEAN:
                return strutils.bool_from_string(str(value), strict=True)
        except (ValueError, OverflowError) as exc:
            raise ValueError(
                _('The value "%(value)s" is not of type %(type)s.') % {
                    'value': value, 'type': self.type}) from exc
        return value

    def validate_constraints(self, value: Any, context: Any = None,
                             skipped: 'Iterable[type[Constraint]] | None' =
                             None) -> None:
        """Raise StackValidationFailed unless value meets every constraint.

        Constraints of the skipped classes are left out.
        """
        left_out = tuple(skipped or ())
        for constraint in self.constraints:
            if isinstance(constraint, left_out):
                continue
            try:
                constraint.validate(value, self, context)
            except ValueError as exc:
                raise exception.StackValidationFailed(
                    message=str(exc)) from exc

    def __getitem__(self, key: str) -> Any:
        if key == self.TYPE:
            return self.type.lower()
        if key == self.REQUIRED:
            return self.required
        if key == self.IMMUTABLE:
            return self.immutable
        value = None
        if key == self.DESCRIPTION:
            value = self.description
        elif key == self.DEFAULT:
            value = self.default
        elif key == self.SCHEMA and self.schema is not None:
            value = {name: dict(nested)
                     for name, nested in self.schema.items()}
        elif key == self.CONSTRAINTS and self.constraints:
            value = [dict(constraint) for constraint in self.constraints]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        for key in self.KEYS:
            try:
                self[key]
            except KeyError:
                continue
            yield key

    def __len__(self) -> int:
        if self._len is None:
            self._len = sum(1 for key in self)
        return self._len


class Constraint(collections.abc.Mapping[str, Any]):
    """Something that must hold for a value.

    A subclass has _is_valid(value, schema, context), _err_msg(value),
    _str(), _constraint(), and valid_types: the Schema.X_TYPE keys of the
    types it suits. As a mapping it has one key,
    the constraint's name, and the description if one is given.
    """

    (DESCRIPTION,) = ('description',)

    valid_types: Sequence[str] = ()

    def __init__(self, description: Any = None) -> None:
        self.description = description

    @classmethod
    def _name(cls) -> str:
        return re.sub(r'(?<=[a-z])([A-Z])', r'_\1', cls.__name__).lower()

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        raise NotImplementedError()

    def _err_msg(self, value: Any) -> str:
        raise NotImplementedError()

    def _str(self) -> str:
        raise NotImplementedError()

    def _constraint(self) -> Any:
        raise NotImplementedError()

    def validate(self, value: Any, schema: Schema | None = None,
                 context: Any = None) -> None:
        """Raise ValueError, saying why, unless the value is valid."""
        if not self._is_valid(value, schema, context):
            raise ValueError(str(self.description or self._err_msg(value)))

    def __str__(self) -> str:
        return str(self.description or self._str())

    def __getitem__(self, key: str) -> Any:
        if key == self.DESCRIPTION and self.description is not None:
            return str(self.description)
        if key == self._name():
            return self._constraint()
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        if self.description is not None:
            yield self.DESCRIPTION
        yield self._name()

    def __len__(self) -> int:
        return 1 if self.description is None else 2


class Range(Constraint):
    """A number between min and max, both included."""

    (MIN, MAX) = ('min', 'max')

    valid_types: Sequence[str] = (Schema.INTEGER_TYPE, Schema.NUMBER_TYPE)

    def __init__(self, min: Any = None, max: Any = None,
                 description: Any = None) -> None:
        super().__init__(description)
        self.min = min
        self.max = max
        for bound in (min, max):
            self._check_bound(bound)
        if min is None and max is None:
            raise exception.InvalidSchemaError(
                message=_('A %s constraint needs a min, a max, or both.') %
                self._name())

    def _check_bound(self, bound: Any) -> None:
        if not isinstance(bound, (int, float, type(None))):
            raise exception.InvalidSchemaError(
                message=_('min and max of a range must be numbers.'))

    def _str(self) -> str:
        return self._text(_('Between %(min)s and %(max)s'),
                          _('At least %(min)s'), _('At most %(max)s'))

    def _text(self, between: str, least: str, most: str) -> str:
        bounds = {'min': self.min, 'max': self.max}
        if self.max is None:
            return least % bounds
        if self.min is None:
            return most % bounds
        return between % bounds

    def _err_msg(self, value: Any) -> str:
        return f'{value} ' + self._text(
            _('is out of range (min: %(min)s, max: %(max)s)'),
            _('is out of range (min: %(min)s)'),
            _('is out of range (max: %(max)s)'))

    def _in_bounds(self, number: Any) -> bool:
        return ((self.min is None or number >= self.min) and
                (self.max is None or number <= self.max))

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        return self._in_bounds(Schema.str_to_num(value))

    def _constraint(self) -> dict[str, Any]:
        return {key: bound
                for key, bound in ((self.MIN, self.min), (self.MAX, self.max))
                if bound is not None}


class Length(Range):
    """A string, list or map with between min and max characters or items."""

    valid_types = (Schema.STRING_TYPE, Schema.LIST_TYPE, Schema.MAP_TYPE)

    def _check_bound(self, bound: Any) -> None:
        if not isinstance(bound, (int, type(None))):
            raise exception.InvalidSchemaError(
                message=_('min and max of a length must be integers.'))

    def _str(self) -> str:
        return self._text(_('Length between %(min)s and %(max)s'),
                          _('Length at least %(min)s'),
                          _('Length at most %(max)s'))

    def _err_msg(self, value: Any) -> str:
        return _('length (%(length)d) %(text)s') % {
            'length': len(value), 'text': self._text(
                _('is out of range (min: %(min)s, max: %(max)s)'),
                _('is out of range (min: %(min)s)'),
                _('is out of range (max: %(max)s)'))}

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        return self._in_bounds(len(value))


class Modulo(Constraint):
    """A number that leaves offset when divided by step."""

    (STEP, OFFSET) = ('step', 'offset')

    valid_types = (Schema.INTEGER_TYPE, Schema.NUMBER_TYPE)

    def __init__(self, step: Any = None, offset: Any = None,
                 description: Any = None) -> None:
        super().__init__(description)
        self.step = step
        self.offset = offset
        if step is None or offset is None:
            self._refuse(_('A modulo constraint needs a step and an offset.'))
        for number in (step, offset):
            if not isinstance(number, int) or isinstance(number, bool):
                self._refuse(_('step and offset must be integers.'))
        if step == 0:
            self._refuse(_('step cannot be 0.'))
        if abs(offset) >= abs(step):
            self._refuse(_('offset must be smaller than step (by absolute '
                           'value).'))
        if step * offset < 0:
            self._refuse(_('step and offset must have the same sign.'))

    @staticmethod
    def _refuse(message: str) -> None:
        raise exception.InvalidSchemaError(message=message)

    def _str(self) -> str:
        return _('%(step)s times any integer, plus %(offset)s') % {
            'step': self.step, 'offset': self.offset}

    def _err_msg(self, value: Any) -> str:
        return _('%(value)s is not a multiple of %(step)s with an offset of '
                 '%(offset)s') % {'value': value, 'step': self.step,
                                  'offset': self.offset}

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        return Schema.str_to_num(value) % self.step == self.offset

    def _constraint(self) -> dict[str, Any]:
        return {self.STEP: self.step, self.OFFSET: self.offset}


class AllowedValues(Constraint):
    """One of a list of values; of a list value, every item is one."""

    valid_types = (Schema.STRING_TYPE, Schema.INTEGER_TYPE,
                   Schema.NUMBER_TYPE, Schema.BOOLEAN_TYPE,
                   Schema.LIST_TYPE)

    def __init__(self, allowed: Any, description: Any = None) -> None:
        super().__init__(description)
        if (not isinstance(allowed, collections.abc.Sequence) or
                isinstance(allowed, str)):
            raise exception.InvalidSchemaError(
                message=_('allowed_values must be a list.'))
        self.allowed = tuple(allowed)

    def _str(self) -> str:
        return _('Allowed values: %s') % ', '.join(map(str, self.allowed))

    def _err_msg(self, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            # The first item that is none of them.
            value = next((item for item in value
                          if item not in self.allowed), value)
        hint = suggest.hint(value, self.allowed)
        return _('"%(value)s" is not one of the allowed values %(allowed)s'
                 ) % {'value': value,
                      'allowed': '[%s]' % ', '.join(map(str, self.allowed))
                      } + (hint and '.' + hint)

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        if isinstance(value, (list, tuple)):
            return all(item in self.allowed for item in value)
        if schema is None:
            return value in self.allowed
        value = schema.to_schema_type(value)
        return any(value == self._converted(allowed, schema)
                   for allowed in self.allowed)

    @staticmethod
    def _converted(value: Any, schema: Any) -> Any:
        try:
            return schema.to_schema_type(value)
        except ValueError:
            return value

    def _constraint(self) -> list[Any]:
        return list(self.allowed)


class AllowedPattern(Constraint):
    """A string that matches a regular expression from end to end."""

    valid_types = (Schema.STRING_TYPE,)

    def __init__(self, pattern: Any, description: Any = None) -> None:
        super().__init__(description)
        if not isinstance(pattern, str):
            raise exception.InvalidSchemaError(
                message=_('allowed_pattern must be a string.'))
        self.pattern = pattern
        try:
            self.match = patterns.compiled(pattern)
        except ValueError as exc:
            raise exception.InvalidSchemaError(
                message=_('The allowed_pattern "%(pattern)s" is not a '
                          'regular expression: %(reason)s') % {
                              'pattern': pattern, 'reason': exc}) from exc

    def _str(self) -> str:
        return _('Value must match pattern: %s') % self.pattern

    def _err_msg(self, value: Any) -> str:
        return _('"%(value)s" does not match pattern "%(pattern)s"') % {
            'value': value, 'pattern': self.pattern}

    def _is_valid(self, value: Any, schema: Any, context: Any) -> bool:
        return self.match.matches(str(value))

    def _constraint(self) -> str:
        return self.pattern


class CustomConstraint(Constraint):
    """A check by the class that the environment has under this name.

    The class comes from the global environment unless one is given.
    """

    valid_types = AllowedValues.valid_types
    #: Whether a plugin is given the id of the thing that the value names.
    translates = False

    def __init__(self, name: Any, description: Any = None,
                 environment: Any = None) -> None:
        super().__init__(description)
        self.name = name
        self._environment = environment

    @property
    def constraint_class(self) -> Any:
        """The registered class, or None."""
        environment = self._environment
        if environment is None:
            environment = environments.global_env()
        return environment.get_constraint(self.name)

    def finder(self) -> tuple[str, str, str | None] | None:
        """Return (client, method, entity) that make an id of a value.

        None for a value that stays as it is.
        """
        cls = self.constraint_class
        if not self.translates or cls is None:
            return None
        return (cls.resource_client_name, cls.resource_getter_name,
                getattr(cls, 'resource_name', None))

    def _str(self) -> str:
        message = getattr(self.constraint_class, 'message', None)
        return message or _('Value must be of type %s') % self.name

    def validate(self, value: Any, schema: Schema | None = None,
                 context: Any = None) -> None:
        """Raise ValueError, saying why, unless the value is valid."""
        constraint_class = self.constraint_class
        if constraint_class is None:
            if context is custom_constraint.OFFLINE:
                return
            raise ValueError(
                _('"%(value)s" does not validate %(name)s (constraint not '
                  'found)') % {'value': value, 'name': self.name})
        # NOTE: one object for each check. It keeps the reason for a failure
        # between validate() and error(), and other threads check too.
        constraint = constraint_class()
        if constraint.validate(value, context):
            return
        error = getattr(constraint, 'error', None)
        reason = error(value) if error is not None else self._err_msg(value)
        if self.description is not None:
            # Besides what the author wants to be told, for the reason may
            # be that a cloud could not be asked.
            reason = _('%(description)s (%(reason)s)') % {
                'description': self.description, 'reason': reason}
        raise ValueError(reason)

    def _err_msg(self, value: Any) -> str:
        return _('"%(value)s" does not validate %(name)s') % {
            'value': value, 'name': self.name}

    def _constraint(self) -> str:
        return self.name


def ref(name: str) -> CustomConstraint:
    """Return the custom constraint that the value names a thing.

    The value is translated to the id of the thing as well.
    """
    constraint = CustomConstraint(name)
    constraint.translates = True
    return constraint


BaseCustomConstraint = custom_constraint.BaseCustomConstraint
ValidationCache = custom_constraint.ValidationCache
