"""The parameters of a template: schemata, values and how users see them."""
import abc
import collections.abc
from collections.abc import Callable, Iterable, Iterator, Mapping
import contextlib
import json
from typing import Any

from oslo_serialization import jsonutils
from oslo_utils import strutils

from heat.common import error_text
from heat.common import exception
from heat.common import json_text
from heat.common import secrecy
from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine.language import diagnostics
from heat.engine.language import suggest

PARAMETER_KEYS = (
    TYPE, DEFAULT, NO_ECHO, ALLOWED_VALUES, ALLOWED_PATTERN,
    MAX_LENGTH, MIN_LENGTH, MAX_VALUE, MIN_VALUE,
    DESCRIPTION, CONSTRAINT_DESCRIPTION, LABEL,
) = (
    'Type', 'Default', 'NoEcho', 'AllowedValues', 'AllowedPattern',
    'MaxLength', 'MinLength', 'MaxValue', 'MinValue',
    'Description', 'ConstraintDescription', 'Label',
)

#: What users see instead of a hidden value.
HIDDEN_VALUE = '******'
#: A shorter value is not struck out of texts: half of any would go.
SHORTEST_SECRET = 4

is_hidden = secrecy.is_hidden


class Schema(constr.Schema):
    """The schema of a parameter; HOT and cfn name its parts differently."""

    KEYS = (
        TYPE, DESCRIPTION, DEFAULT, SCHEMA, CONSTRAINTS, HIDDEN, LABEL,
        IMMUTABLE, TAGS,
    ) = (
        'Type', 'Description', 'Default', 'Schema', 'Constraints', 'NoEcho',
        'Label', 'Immutable', 'Tags',
    )

    PARAMETER_KEYS: tuple[str, ...] = PARAMETER_KEYS

    #: What the section of the parameters is called.
    SECTION = 'Parameters'

    TYPES = (
        STRING, NUMBER, LIST, MAP, BOOLEAN,
    ) = (
        'String', 'Number', 'CommaDelimitedList', 'Json', 'Boolean',
    )

    def __init__(self, data_type: str, description: Any = None,
                 default: Any = None, schema: Any = None,
                 constraints: Iterable[constr.Constraint] | None = None,
                 hidden: Any = False, label: Any = None,
                 immutable: bool = False, tags: Any = None) -> None:
        super().__init__(data_type=data_type, description=description,
                         default=default, schema=schema,
                         required=default is None, constraints=constraints,
                         label=label, immutable=immutable)
        self.hidden = hidden
        self.tags = tags

    def validate_value(self, value: Any, context: Any = None) -> None:
        """Raise StackValidationFailed unless value meets the constraints."""
        self.validate_constraints(value, context)

    def set_default(self, default: Any = None) -> None:
        """Change the default; with one, no value is required."""
        super().set_default(default)
        self.required = default is None

    def __getitem__(self, key: str) -> Any:
        own = {self.TYPE: self.type, self.HIDDEN: self.hidden,
               self.LABEL: self.label, self.TAGS: self.tags}
        if key in own:
            if own[key] is None:
                raise KeyError(key)
            return own[key]
        return super().__getitem__(key)

    @staticmethod
    def get_num(key: str, context: Mapping[str, Any]) -> Any:
        """Return the number under key, None if there is none."""
        value = context.get(key)
        if value is None:
            return None
        try:
            return constr.Schema.str_to_num(value)
        except ValueError as exc:
            raise exception.InvalidSchemaError(
                path=[key], message=_('The value must be a number, not '
                                      '"%s"') % (value,)) from exc

    @staticmethod
    def _check_dict(schema_dict: Any, allowed_keys: Iterable[str],
                    entity: str) -> None:
        if not isinstance(schema_dict, collections.abc.Mapping):
            raise exception.InvalidSchemaError(
                message=_('Invalid %(entity)s: it must be a map, not %(got)s'
                          ) % {'entity': entity,
                               'got': error_text.kind_of(schema_dict)})
        allowed = tuple(allowed_keys)
        unknown = [key for key in schema_dict if key not in allowed]
        if not unknown:
            return
        with diagnostics.Problems() as found:
            for key in unknown[:diagnostics.LIMIT]:
                found.note(exception.InvalidSchemaError(
                    path=[key],
                    message=_('Invalid key "%(key)s" for %(entity)s, the '
                              'keys are %(known)s.%(hint)s') % {
                                  'key': key, 'entity': entity,
                                  'known': ', '.join(allowed),
                                  'hint': suggest.hint(key, allowed)}))
            found.left_out += len(unknown[diagnostics.LIMIT:])

    @staticmethod
    @contextlib.contextmanager
    def _below(*path: Any) -> Iterator[None]:
        """Put a path in front of that of errors about the schema."""
        try:
            yield
        except exception.InvalidSchemaError as exc:
            exc.tell_others([other.placed([*path, *other.path])
                             for other in exc.problems[1:]], exc.left_out)
            exc.place([*path, *exc.path])
            raise

    @classmethod
    def _validate_dict(cls, param_name: str, schema_dict: Any) -> None:
        entity = _('parameter %s') % param_name
        cls._check_dict(schema_dict, cls.PARAMETER_KEYS, entity)
        if cls.TYPE not in schema_dict:
            raise exception.InvalidSchemaError(
                message=_('The type of %(entity)s is missing; it is one of '
                          '%(types)s.') % {'entity': entity,
                                           'types': ', '.join(cls.TYPES)})

    @classmethod
    def from_dict(cls, param_name: str, schema_dict: Any) -> 'Schema':
        """Return the schema that a template's section describes.

        Raise InvalidSchemaError, naming the parameter, if it is malformed.
        """
        with cls._below(cls.SECTION, param_name):
            cls._validate_dict(param_name, schema_dict)
            return cls._from_checked_dict(param_name, schema_dict)

    @classmethod
    def _from_checked_dict(cls, param_name: str,
                           schema_dict: Mapping[str, Any]) -> 'Schema':
        return cls(schema_dict[cls.TYPE],
                   description=schema_dict.get(DESCRIPTION),
                   default=schema_dict.get(DEFAULT),
                   constraints=list(cls._constraints_in(schema_dict)),
                   hidden=str(schema_dict.get(NO_ECHO, 'false')).lower() ==
                   'true',
                   label=schema_dict.get(LABEL))

    @classmethod
    def _constraints_in(cls, schema_dict: Mapping[str, Any]
                        ) -> Iterator[constr.Constraint]:
        description = schema_dict.get(CONSTRAINT_DESCRIPTION)
        if MIN_VALUE in schema_dict or MAX_VALUE in schema_dict:
            yield constr.Range(cls.get_num(MIN_VALUE, schema_dict),
                               cls.get_num(MAX_VALUE, schema_dict),
                               description)
        if MIN_LENGTH in schema_dict or MAX_LENGTH in schema_dict:
            yield constr.Length(cls.get_num(MIN_LENGTH, schema_dict),
                                cls.get_num(MAX_LENGTH, schema_dict),
                                description)
        if ALLOWED_VALUES in schema_dict:
            yield constr.AllowedValues(schema_dict[ALLOWED_VALUES],
                                       description)
        if ALLOWED_PATTERN in schema_dict:
            yield constr.AllowedPattern(schema_dict[ALLOWED_PATTERN],
                                        description)


def _without(text: str, value: str) -> str:
    """Return the reason why a value is wrong, without the value."""
    if value and text.startswith(value):
        return HIDDEN_VALUE + text.removeprefix(value)
    return text.replace(f'"{value}"', HIDDEN_VALUE)


class Parameter:
    """A parameter with its value; Parameter(...) makes one of its type."""

    #: Whether the value derives from a hidden one of a stack above.
    inherits_secret = False

    def __new__(cls, name: str, schema: Schema, value: Any = None
                ) -> 'Parameter':
        if cls is Parameter:
            cls = _class_for(schema)
        return super().__new__(cls)

    def __init__(self, name: str, schema: Schema, value: Any = None) -> None:
        self.name = name
        self.schema = schema
        self.user_value = value
        self.user_default: Any = None

    def validate(self, validate_value: bool = True, context: Any = None
                 ) -> None:
        """Check the default and, unless told not to, the value.

        Raise InvalidSchemaError for a bad default, UserParameterMissing or
        StackValidationFailed for the value.
        """
        if self.has_default():
            self._validate_default(context)
        if not validate_value:
            return
        if not self.has_value():
            raise exception.UserParameterMissing(key=self.name)
        try:
            self._validate(self.value(), context)
        except exception.StackValidationFailed as exc:
            self._refuse(exc.error_message, exc)
        except (ValueError, TypeError) as exc:
            self._refuse(str(exc), exc)

    def _refuse(self, reason: str, cause: Exception) -> None:
        if self.hidden():
            # A constraint's text shows the value.
            reason = _('The value does not meet its constraints.')
        raise exception.StackValidationFailed(message=reason) from cause

    def _validate_default(self, context: Any) -> None:
        try:
            self.schema.validate_constraints(
                self._typed(self.default()), context,
                [constr.CustomConstraint])
        except (ValueError, TypeError,
                exception.StackValidationFailed) as exc:
            default, reason = self.default(), str(exc)
            if self.hidden():
                reason = _without(reason, str(default))
                default = HIDDEN_VALUE
            raise exception.InvalidSchemaError(
                path=[self.schema.DEFAULT],
                message=_('Invalid default %(default)s of parameter %(name)s '
                          '(%(reason)s)') % {
                              'default': default, 'name': self.name,
                              'reason': reason}) from exc

    def _validate(self, value: Any, context: Any) -> None:
        self.schema.validate_value(value, context)

    def _typed(self, value: Any) -> Any:
        """Return a value as given converted to the parameter's type."""
        raise NotImplementedError()

    def _value_as_text(self) -> str:
        return str(self.value())

    def value(self) -> Any:
        """Return the value, else the default; UserParameterMissing if none.
        """
        if self.user_value is not None:
            return self._typed(self.user_value)
        if self.has_default():
            return self._typed(self.default())
        raise exception.UserParameterMissing(key=self.name)

    def has_value(self) -> bool:
        """Return whether there is a value or a default."""
        return self.user_value is not None or self.has_default()

    def hidden(self) -> bool:
        """Return whether users must not see the value.

        That of a nested stack is hidden, too, when it derives from a hidden
        parameter of a stack above.
        """
        return self.inherits_secret or is_hidden(self.schema.hidden)

    def description(self) -> str:
        """Return the description, '' if there is none."""
        return self.schema.description or ''

    def label(self) -> str:
        """Return the label, else the name."""
        return self.schema.label or self.name

    def tags(self) -> list[str]:
        """Return the tags."""
        return list(self.schema.tags or [])

    def has_default(self) -> bool:
        """Return whether the template or the environment gives a default."""
        return (self.schema.default is not None or
                self.user_default is not None)

    def default(self) -> Any:
        """Return the default as given, the environment's before the
        template's.
        """
        if self.user_default is not None:
            return self.user_default
        return self.schema.default

    def set_default(self, value: Any) -> None:
        """Give a default that precedes the template's."""
        self.user_default = value

    def __str__(self) -> str:
        return HIDDEN_VALUE if self.hidden() else self._value_as_text()


class StringParam(Parameter):
    """A parameter whose value is text."""

    def _typed(self, value: Any) -> str:
        return str(value)


class NumberParam(Parameter):
    """A parameter whose value is an integer or a float."""

    def _typed(self, value: Any) -> int | float:
        try:
            return constr.Schema.str_to_num(value)
        except ValueError as exc:
            raise ValueError(
                _('Value must be a number; got %r') % (value,)) from exc

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())


class BooleanParam(Parameter):
    """A parameter whose value is true or false."""

    def _typed(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        return strutils.bool_from_string(str(value), strict=True)


class ParsedParameter(Parameter):
    """A parameter with structure; what its text means is found out once."""

    def __init__(self, name: str, schema: Schema, value: Any = None) -> None:
        super().__init__(name, schema, value)
        self._parsed: tuple[Any, Any] | None = None

    def value(self) -> Any:
        given = self.user_value
        if given is None:
            if not self.has_default():
                raise exception.UserParameterMissing(key=self.name)
            given = self.default()
        if self._parsed is None or self._parsed[0] is not given:
            self._parsed = (given, self._typed(given))
        return self._parsed[1]


class CommaDelimitedListParam(ParsedParameter, collections.abc.Sequence[Any]):
    """A parameter whose value is a list, or text with commas."""

    def _typed(self, value: Any) -> list[Any]:
        if isinstance(value, str):
            return value.split(',') if value else []
        if isinstance(value, collections.abc.Sequence):
            return [str(item) for item in value]
        raise ValueError(
            _('Value must be a comma-delimited list; got %r') % (value,))

    def __len__(self) -> int:
        return len(self.value())

    def __getitem__(self, index: Any) -> Any:
        return self.value()[index]

    def _value_as_text(self) -> str:
        return ','.join(self.value())


class JsonParam(ParsedParameter):
    """A parameter whose value is anything JSON can hold, or its text."""

    def _typed(self, value: Any) -> Any:
        text = value
        if not isinstance(value, str):
            # Going through text gives plain types and string keys.
            text = jsonutils.dumps(value)
        try:
            return json_text.loads(text)
        except json.JSONDecodeError as exc:
            raise ValueError(
                _('Value must be valid JSON: %s') % exc) from exc

    def __getitem__(self, key: Any) -> Any:
        return self.value()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def _value_as_text(self) -> str:
        return jsonutils.dumps(self.value())


def _class_for(schema: Schema) -> type[Parameter]:
    classes: dict[str, type[Parameter]] = {
        schema.STRING: StringParam,
        schema.NUMBER: NumberParam,
        schema.LIST: CommaDelimitedListParam,
        schema.MAP: JsonParam,
        schema.BOOLEAN: BooleanParam,
    }
    try:
        return classes[schema.type]
    except KeyError as exc:
        raise ValueError(
            _('Invalid parameter type "%s"') % schema.type) from exc


class Parameters(collections.abc.Mapping[str, Any], metaclass=abc.ABCMeta):
    """The parameters of a stack: those of its template, and pseudo ones.

    As a mapping it is name -> value; params holds the Parameter objects.
    """

    PSEUDO_PARAMETERS: tuple[str, ...]
    PARAM_STACK_ID: str

    def __init__(self, stack_identifier: Any, tmpl: Any,
                 user_params: Mapping[str, Any] | None = None,
                 param_defaults: Mapping[str, Any] | None = None) -> None:
        self.tmpl = tmpl
        self.user_params = dict(user_params or {})
        #: Parameters that are wrong: whatever uses them need not tell.
        self._faulty: set[str] = set()
        self._fault: exception.HeatException | None = None
        self._schemata = self._make_schemata(param_defaults)
        self.params = {
            name: Parameter(name, schema, self.user_params.get(name))
            for name, schema in self._schemata.items()}
        for pseudo in self._pseudo_parameters(stack_identifier):
            self.params[pseudo.name] = pseudo
        self.inherited: secrecy.Inherited | None = None

    def inherit(self, inherited: secrecy.Inherited | None) -> None:
        """Hide what derives from hidden values of the stacks above."""
        self.inherited = inherited
        names = inherited.names if inherited is not None else frozenset()
        for name, parameter in self.params.items():
            parameter.inherits_secret = name in names

    def _make_schemata(self, param_defaults: Any) -> dict[str, Any]:
        """Return the schemata that are right, and keep what is not.

        validate() raises it, so that more errors can be found with it.
        """
        try:
            return self.tmpl.param_schemata(param_defaults)
        except (exception.InvalidSchemaError,
                exception.StackValidationFailed) as exc:
            self._fault = exc
            section = self.tmpl.t.get(self._section())
            if not isinstance(exc.partial, dict) or (
                    not isinstance(section, collections.abc.Mapping)):
                return {}
            self._faulty.update(set(section) - set(exc.partial))
            return exc.partial

    @abc.abstractmethod
    def _pseudo_parameters(self, stack_identifier: Any
                           ) -> Iterable[Parameter]:
        """Return the parameters that every template has."""

    def validate(self, validate_value: bool = True, context: Any = None
                 ) -> None:
        """Check names, defaults and, unless told not to, values.

        Raise UnknownUserParameter, UserParameterMissing,
        InvalidSchemaError, or StackValidationFailed with the path.
        """
        with diagnostics.Problems() as found:
            if self._fault is not None:
                found.note(self._fault)
            self._validate_user_parameters(found)
            for name, parameter in self.params.items():
                try:
                    parameter.validate(validate_value, context)
                except exception.StackValidationFailed as exc:
                    found.note(exception.StackValidationFailed(
                        error=exc.error, path=[self._section(), name],
                        message=exc.error_message))
                except (exception.InvalidSchemaError,
                        exception.UserParameterMissing) as exc:
                    exc.place([self._section(), name, *exc.path])
                    found.note(exc)
                else:
                    continue
                self._faulty.add(name)
                if found.full:
                    break

    def _section(self) -> str:
        return getattr(self.tmpl, 'PARAMETERS', 'parameters')

    def _validate_user_parameters(self, found: diagnostics.Problems) -> None:
        for name in self._schemata:
            if name in self.PSEUDO_PARAMETERS:
                found.note(exception.InvalidSchemaError(
                    path=[self._section(), name],
                    message=_('The parameter name %s is reserved.') % name))
        known = [*self._schemata, *self._faulty]
        for name in self.user_params:
            if name not in self._schemata and name not in self._faulty:
                found.note(exception.UnknownUserParameter(
                    key=name, hint=suggest.hint(name, known)))
            if found.full:
                break

    def __contains__(self, key: object) -> bool:
        return key in self.params or key in self._faulty

    def __iter__(self) -> Iterator[str]:
        return iter(self.params)

    def __len__(self) -> int:
        return len(self.params)

    def __getitem__(self, key: str) -> Any:
        if key in self._faulty:
            raise diagnostics.DerivedError(cause=key)
        return self.params[key].value()

    def names(self) -> Iterator[str]:
        """Yield the names of all, also of those that are wrong."""
        yield from self.params
        yield from self._faulty - self.params.keys()

    def map(self, func: Callable[[Parameter], Any],
            filter_func: Callable[[Parameter], bool] = lambda param: True
            ) -> dict[str, Any]:
        """Return name -> func(parameter) for those that pass the filter."""
        return {name: func(parameter)
                for name, parameter in self.params.items()
                if filter_func(parameter)}

    def set_stack_id(self, stack_identifier: Any) -> bool:
        """Set the pseudo parameter that holds the stack's id.

        Return False if there is no identifier yet.
        """
        if stack_identifier is None:
            return False
        self.params[self.PARAM_STACK_ID].schema.set_default(
            self._stack_id_text(stack_identifier))
        return True

    def _stack_id_text(self, stack_identifier: Any) -> str:
        return stack_identifier.arn()

    def immutable_params_modified(self, new_parameters: 'Parameters',
                                  input_params: Mapping[str, Any]
                                  ) -> list[str] | None:
        """Return the immutable parameters that would change, or None.

        Only what the old and the new template both have is compared. A
        value of input_params counts before one of new_parameters.
        """
        changed = []
        for name, new in new_parameters.params.items():
            old = self.params.get(name)
            if old is None or not new.schema.immutable:
                continue
            wanted = new
            if input_params.get(name) is not None:
                wanted = Parameter(name, new.schema, input_params[name])
            if not (old.has_value() and wanted.has_value()):
                different = old.has_value() is not wanted.has_value()
            else:
                different = old.value() != wanted.value()
            if different:
                changed.append(name)
        return changed or None
