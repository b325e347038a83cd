"""The properties of a resource: what its template gives, read lazily."""
import builtins
import collections.abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from oslo_serialization import jsonutils

from heat.common import exception
from heat.common import param_utils
from heat.common.i18n import _
from heat.engine import function
from heat.engine import property_schema
from heat.engine import support
from heat.engine import translation as translations
from heat.engine.language import diagnostics
from heat.engine.language import suggest

SCHEMA_KEYS = property_schema.SCHEMA_KEYS
Schema = property_schema.Schema
schemata = property_schema.schemata

_ABSENT = object()


class Property:
    """One property: its schema, where it is, and how values become its."""

    def __init__(self, schema: Any, name: Any = None, context: Any = None,
                 path: str | None = None) -> None:
        self.schema = (schema if type(schema) is Schema
                       else Schema.from_legacy(schema))
        self.name = name
        self.context = context
        self.path = str(name) if path is None else path

    def required(self) -> bool:
        """Return whether the property must be given."""
        return self.schema.required

    def implemented(self) -> bool:
        """Return whether the property may be given."""
        return self.schema.implemented

    def update_allowed(self) -> bool:
        """Return whether a change needs no replacement."""
        return self.schema.update_allowed

    def immutable(self) -> bool:
        """Return whether a change is an error."""
        return self.schema.immutable

    def has_default(self) -> bool:
        """Return whether there is a default."""
        return self.schema.default is not None

    def default(self) -> Any:
        """Return the default, None if there is none."""
        return self.schema.default

    def type(self) -> str:
        """Return the name of the type."""
        return self.schema.type

    def support_status(self) -> support.SupportStatus:
        """Return the support status."""
        return self.schema.support_status

    def get_value(self, value: Any, validate: bool = False,
                  translation: translations.Translation | None = None
                  ) -> Any:
        """Return a value as given converted to the property's type.

        None becomes the default, or the empty value of the type. With
        validate, constraints are checked too, here and in what is nested.
        """
        schema = self.schema
        if value is None and schema.default is not None:
            value = schema.default
        kind = schema.type
        convert = _CONVERTERS.get(kind)
        if convert is not None:
            value = convert(value)
        elif kind == Schema.MAP:
            value = self._map_from(value, validate, translation)
        elif kind == Schema.LIST:
            value = self._list_from(value, validate, translation)
        if validate and schema.constraints:
            schema.validate_constraints(value, self.context)
        return value

    def _map_from(self, value: Any, validate: bool, translation: Any) -> Any:
        if value is None:
            value = {}
        if not isinstance(value, (dict, collections.abc.Mapping)):
            # The parameter behind such a property reads JSON texts.
            if self.schema.allow_conversion:
                if isinstance(value, str):
                    return value
                if isinstance(value, collections.abc.Sequence):
                    return jsonutils.dumps(value)
            raise TypeError(_('"%s" is not a map') % (value,))
        if self.schema.schema is None:
            return dict(value)
        nested = Properties(self.schema.schema, value,
                            context=self.context, translation=translation,
                            path=self.path)
        if validate:
            nested.validate()
        return {key: nested[key] for key in self.schema.schema}

    def _list_from(self, value: Any, validate: bool, translation: Any
                   ) -> Any:
        if value is None:
            value = ()
        if self.schema.allow_conversion and isinstance(value, str):
            value = param_utils.delim_string_to_list(value)
        if (not isinstance(value, collections.abc.Sequence) or
                isinstance(value, str)):
            raise TypeError(_('"%s" is not a list') % (value,))
        if self.schema.schema is None:
            return [*value]
        if not validate:
            return [self._item_from(index, item, False, translation)
                    for index, item in enumerate(value)]
        items = []
        with diagnostics.Problems() as found:
            for index, item in enumerate(value):
                try:
                    items.append(
                        self._item_from(index, item, True, translation))
                except exception.StackValidationFailed as exc:
                    found.note(exc)
                    if found.full:
                        break
        return items

    def _item_from(self, index: int, item: Any, validate: bool,
                   translation: Any) -> Any:
        prop = Property(self.schema.schema[index], index, self.context,
                        '%s.%d' % (self.path, index))
        try:
            return prop.get_value(item, validate, translation)
        except exception.StackValidationFailed as exc:
            raise diagnostics.below(exc, index) from exc
        except (ValueError, TypeError) as exc:
            raise exception.StackValidationFailed(
                path=[index], message=str(exc)) from exc


def _integer_from(value: Any) -> int:
    if value is None:
        return 0
    try:
        return int(value)
    except (ValueError, TypeError, OverflowError) as exc:
        raise TypeError(_("Value '%s' is not an integer") % (value,)
                        ) from exc


def _number_from(value: Any) -> Any:
    if value is None:
        return 0
    try:
        return Schema.str_to_num(value)
    except ValueError as exc:
        raise TypeError(_("Value '%s' is not a number") % (value,)
                        ) from exc


def _string_from(value: Any) -> str:
    if value is None:
        return ''
    if isinstance(value, str):
        return value
    # A float is refused: which text it becomes would be a guess.
    if isinstance(value, (bool, int)):
        return str(value)
    raise ValueError(_('Value must be a string; got %r') % (value,))


def _boolean_from(value: Any) -> bool:
    if value is None:
        return False
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ('true', 'false'):
        return value.lower() == 'true'
    raise ValueError(_('"%s" is not a valid boolean') % (value,))


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    Schema.INTEGER: _integer_from,
    Schema.NUMBER: _number_from,
    Schema.STRING: _string_from,
    Schema.BOOLEAN: _boolean_from,
}


def _default_resolver(value: Any, nullable: bool = False) -> Any:
    return value


def _private_copy(value: Any) -> Any:
    """Return value with its maps and lists copied: a plugin may edit them.
    """
    if isinstance(value, dict):
        return {key: _private_copy(item) for key, item in value.items()}
    if isinstance(value, (builtins.list, tuple)):
        return [_private_copy(item) for item in value]
    return value


class _Readers(collections.abc.Mapping[str, Property]):
    """The readers of the properties of a schema, by name.

    They are made when they are asked for: a resource has dozens, an engine
    has thousands of resources in hand, and few of the properties are given.
    """

    __slots__ = ('_schema', '_context', '_path')

    def __init__(self, schema: Mapping[str, Any], context: Any,
                 path: str | None) -> None:
        self._schema = schema
        self._context = context
        self._path = path

    def __getitem__(self, name: str) -> Property:
        schema = self._schema[name]
        return Property(schema, name, self._context,
                        name if self._path is None
                        else '%s.%s' % (self._path, name))

    def __contains__(self, name: object) -> bool:
        return name in self._schema

    def __iter__(self) -> Iterator[str]:
        return iter(self._schema)

    def __len__(self) -> int:
        return len(self._schema)


class Properties(collections.abc.Mapping[str, Any]):
    """The properties of a resource by name, converted to their types.

    data is what the template gives; resolver turns function calls in it
    into values. A property is resolved, translated and converted when it is
    first read; the result is kept once all that it refers to exists.
    """

    def __init__(self, schema: Mapping[str, Any],
                 data: Mapping[str, Any] | None,
                 resolver: Callable[..., Any] = _default_resolver,
                 parent_name: str | None = None, context: Any = None,
                 section: str | None = None,
                 translation: translations.Translation | None = None,
                 rsrc_description: str | None = None,
                 *, path: str | None = None) -> None:
        self.props = _Readers(schema, context, path)
        self.data: dict[str, Any] = {} if data is None else dict(data)
        self.resolve = resolver
        self.error_prefix = '' if parent_name is None else (
            '%s: ' % parent_name)
        self.context = context
        self.section = section
        self.rsrc_description = rsrc_description or None
        self.translation = translation
        self._kept: dict[str, tuple[Any, Any]] = {}

    def update_translation(
            self, rules: Iterable[translations.TranslationRule] | None,
            client_resolve: bool = True, ignore_resolve_error: bool = False
            ) -> None:
        """Put other translation rules in force."""
        if self.translation is None:
            self.translation = translations.Translation(self)
        self.translation.set_rules(rules, client_resolve=client_resolve,
                                   ignore_resolve_error=ignore_resolve_error)
        self._kept = {}

    @staticmethod
    def schema_from_params(params_snippet: Mapping[str, Any]
                           ) -> dict[str, Any]:
        """Return the schemata that parameters become."""
        return property_schema.schema_from_params(params_snippet)

    @staticmethod
    def schema_to_parameters_and_properties(
            schema: Mapping[str, Any], template_type: str = 'cfn'
            ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return (parameters, properties) of a template that uses a type.
        """
        return property_schema.schema_to_parameters_and_properties(
            schema, template_type)

    def validate(self, with_value: bool = True) -> None:
        """Check names and, unless told not to, values.

        Raise StackValidationFailed with the path below the resource. A
        value that depends on a resource that does not exist yet is left
        out: it will be checked when it is known.
        """
        with diagnostics.Problems() as found:
            misspelt = self._check_names(found)
            for key, prop in self.props.items():
                if prop.update_allowed() and prop.immutable():
                    found.note(exception.InvalidSchemaError(
                        message=_('The property %s is both update_allowed '
                                  'and immutable.') % key))
                if not with_value or key in misspelt:
                    continue
                try:
                    self._validate_value(key, prop)
                except exception.StackValidationFailed as exc:
                    found.note(exc)
                    if found.full:
                        break

    def validate_required(self) -> None:
        """Check that all is given which must be, whatever its value.

        Raise StackValidationFailed with the path below the resource.
        """
        meant = {suggest.nearest(key, self.props)
                 for key in builtins.list(self.data)[:diagnostics.LIMIT]
                 if key not in self.props}
        with diagnostics.Problems() as found:
            for key, prop in self.props.items():
                if key not in meant and self._is_missing(key, prop):
                    with found.noting():
                        self._validate_value(key, prop)
                    if found.full:
                        break

    def _check_names(self, found: diagnostics.Problems) -> set[str | None]:
        """Note wrong names; return those that were probably meant."""
        unknown = [key for key in self.data
                   if key not in self.props
                   or not self.props[key].implemented()]
        meant = set()
        for key in unknown:
            if found.full:
                break
            if key in self.props:
                text = _('Property %s not implemented yet') % key
            else:
                meant.add(suggest.nearest(key, self.props))
                text = _('Unknown Property %(key)s.%(hint)s') % {
                    'key': key, 'hint': suggest.hint(key, self.props)}
            found.note(self._invalid([key], text))
        return meant - self.data.keys()

    def _validate_value(self, key: str, prop: Property) -> None:
        if (key not in self.data and self.translation is None
                and not prop.has_default() and not prop.required()):
            # There is no value, and needs to be none.
            return
        try:
            value = self._value_of(key, prop, validate=True)
            if self.resolve is _default_resolver and self.translation is None:
                # Nothing in it can change: it will be read in a moment.
                self._kept[key] = (self.data.get(key, _ABSENT), value)
        except exception.StackValidationFailed as exc:
            raise diagnostics.below(exc, *self._start(), key,
                                    error=self._kind()) from exc
        except (ValueError, exception.HeatException) as exc:
            # What is missing has no place of its own.
            missing = prop.required() and key not in self.data
            raise self._invalid([] if missing else [key],
                                str(exc)) from exc

    def _start(self) -> Sequence[str]:
        return () if self.section is None else (self.section,)

    def _kind(self) -> str | None:
        return None if self.section is None else _('Property error')

    def _invalid(self, path: Sequence[Any], message: str
                 ) -> exception.StackValidationFailed:
        return exception.StackValidationFailed(
            error=self._kind(), path=[*self._start(), *path],
            message=message)

    def get_user_value(self, key: str) -> Any:
        """Return the value that the template gives, None without one."""
        return self._user_value(key, self._reader(key))[0]

    def _reader(self, key: str) -> Property:
        if key not in self.props:
            raise KeyError(
                self.error_prefix + _('Invalid Property %s') % key)
        return self.props[key]

    def _user_value(self, key: str, prop: Property, validate: bool = False
                    ) -> tuple[Any, bool]:
        """Return (value, whether one was given), without the default."""
        raw = self.data.get(key, _ABSENT)
        translated = self._is_translated(prop)
        if raw is _ABSENT and not translated:
            return None, False
        try:
            return self._converted(prop, raw, translated, validate)
        except (exception.StackValidationFailed,
                exception.ResourcePropertyConflict):
            # These name a place, or more than this property.
            raise
        except Exception as exc:
            # A function may raise anything when it is resolved.
            raise ValueError(function.error_text(exc)) from exc

    def _is_translated(self, prop: Property) -> bool:
        return (self.translation is not None and
                self.translation.has_translation(prop.path))

    def _converted(self, prop: Property, raw: Any, translated: bool,
                   validate: bool) -> tuple[Any, bool]:
        if translated:
            # Where the value was moved it is read by another name.
            assert self.translation is not None
            if (self.translation.is_deleted(prop.path) or
                    self.translation.is_replaced(prop.path)):
                return None, False
        value = None
        if raw is not _ABSENT:
            value = self.resolve(raw, nullable=True)
            if value is function.NOTHING:
                raw, value = _ABSENT, None
        if translated:
            assert self.translation is not None
            value = self.translation.translate(prop.path, value, self.data)
        if value is None and raw is _ABSENT:
            return None, False
        if not validate:
            return prop.get_value(value, False, self.translation), True
        if _is_waiting(raw) or (translated and self._is_source_waiting(prop)):
            return self._guessed(prop, value), True
        return prop.get_value(value, True, self.translation), True

    def _is_source_waiting(self, prop: Property) -> bool:
        assert self.translation is not None
        return builtins.any(_is_waiting(raw) for raw in
                            self.translation.sources(prop.path, self.data))

    def _guessed(self, prop: Property, value: Any) -> Any:
        """Return a value that is not final; None if it is of another type.
        """
        try:
            return prop.get_value(value, False, self.translation)
        except (ValueError, TypeError, exception.StackValidationFailed):
            return None

    def _value_of(self, key: str, prop: Property, validate: bool = False
                  ) -> Any:
        value, found = self._user_value(key, prop, validate)
        if found:
            return value
        if prop.has_default():
            return prop.get_value(None, validate, self.translation)
        if prop.required() and not self._is_taken(prop):
            raise ValueError(
                self.error_prefix + _('Property %s not assigned') % key)
        return None

    def _is_missing(self, key: str, prop: Property) -> bool:
        """Return whether there is nothing of what must be given."""
        return (prop.required() and key not in self.data
                and not prop.has_default() and not self._is_taken(prop)
                and not self._is_translated(prop))

    def _is_taken(self, prop: Property) -> bool:
        """Return whether a rule takes the value away from the property."""
        return self.translation is not None and (
            self.translation.is_deleted(prop.path) or
            self.translation.is_replaced(prop.path))

    def __getitem__(self, key: str) -> Any:
        raw = self.data.get(key, _ABSENT)
        kept = self._kept.get(key)
        # NOTE: plugins change data in place; a value is only as good as
        # what it was made of.
        if kept is not None and kept[0] is raw:
            return _private_copy(kept[1])
        prop = self._reader(key)
        value = self._value_of(key, prop)
        if self._is_translated(prop) or _is_waiting(raw):
            return value
        self._kept[key] = (raw, value)
        return _private_copy(value)

    def __len__(self) -> int:
        return len(self.props)

    def __contains__(self, key: object) -> bool:
        return key in self.props

    def __iter__(self) -> Iterator[str]:
        return iter(self.props)


def _is_waiting(raw: Any) -> bool:
    """Return whether a value depends on a resource that does not exist yet.
    """
    if raw is _ABSENT or function.is_scalar(raw):
        return False
    for dependency in function.dependencies(raw):
        if getattr(dependency, 'action', None) == 'INIT':
            return True
    return False


def _shorthand(data_type: str) -> Callable[..., Schema]:
    def make(description: Any = None, **options: Any) -> Schema:
        return Schema(data_type, description, **options)

    make.__doc__ = 'Return a Schema of type %s.' % data_type
    return make


# Short ways to write a Schema in a plugin. They hide builtins of this
# module from here on, so they come last.
string = _shorthand(Schema.STRING)
integer = _shorthand(Schema.INTEGER)
number = _shorthand(Schema.NUMBER)
boolean = _shorthand(Schema.BOOLEAN)
list = _shorthand(Schema.LIST)  # noqa: A001
map = _shorthand(Schema.MAP)  # noqa: A001
any = _shorthand(Schema.ANY)  # noqa: A001
