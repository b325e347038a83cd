"""The schema of one property, and the forms it comes from and goes to.

heat.engine.properties gives plugins these under its own name.
"""
import collections.abc
from collections.abc import Mapping
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import constraints as constr
from heat.engine import parameters
from heat.engine import support

#: The keys of schemata that old plugins write as dictionaries.
SCHEMA_KEYS = (
    REQUIRED, IMPLEMENTED, DEFAULT, TYPE, SCHEMA, ALLOWED_PATTERN, MIN_VALUE,
    MAX_VALUE, ALLOWED_VALUES, MIN_LENGTH, MAX_LENGTH, DESCRIPTION,
    UPDATE_ALLOWED, IMMUTABLE,
) = (
    'Required', 'Implemented', 'Default', 'Type', 'Schema', 'AllowedPattern',
    'MinValue', 'MaxValue', 'AllowedValues', 'MinLength', 'MaxLength',
    'Description', 'UpdateAllowed', 'Immutable',
)


class Schema(constr.Schema):
    """The schema of a property of a resource.

    update_allowed and immutable matter on properties of the resource
    itself, not on what is nested in them. A property that is not
    implemented may not be given. allow_conversion lets text stand for a
    list, and lists and text for a map, as template resources need it.
    """

    KEYS = (
        TYPE, DESCRIPTION, DEFAULT, SCHEMA, REQUIRED, CONSTRAINTS,
        UPDATE_ALLOWED, IMMUTABLE,
    ) = (
        'type', 'description', 'default', 'schema', 'required',
        'constraints', 'update_allowed', 'immutable',
    )

    def __init__(self, data_type: str, description: Any = None,
                 default: Any = None, schema: Any = None,
                 required: bool = False, constraints: Any = None,
                 implemented: bool = True, update_allowed: bool = False,
                 immutable: bool = False,
                 support_status: support.SupportStatus =
                 support.SupportStatus(),  # noqa: B008
                 allow_conversion: bool = False) -> None:
        super().__init__(data_type, description, default, schema, required,
                         constraints, immutable=immutable)
        self.implemented = implemented
        self.update_allowed = update_allowed
        self.support_status = support_status
        self.allow_conversion = allow_conversion

    def validate(self, context: Any = None) -> None:
        """Check the schema itself; raise InvalidSchemaError if it is wrong.
        """
        super().validate(context)
        if self.update_allowed and self.immutable:
            raise exception.InvalidSchemaError(
                message=_('A property cannot be both update_allowed and '
                          'immutable.'))

    def __getitem__(self, key: str) -> Any:
        if key == self.UPDATE_ALLOWED:
            return self.update_allowed
        return super().__getitem__(key)

    def allowed_param_prop_type(self) -> str:
        """Return the HOT parameter type that such a value comes from."""
        return _PARAMETER_TYPES[self.type]

    @classmethod
    def from_legacy(cls, schema_dict: Any) -> 'Schema':
        """Return a Schema for a dictionary of the old form.

        A Schema comes back as it is.
        """
        if isinstance(schema_dict, cls):
            return schema_dict
        unknown = [key for key in schema_dict if key not in SCHEMA_KEYS]
        if unknown:
            raise exception.InvalidSchemaError(
                message=_('Unknown keys in a property schema: %s') %
                ', '.join(map(str, unknown)))
        return cls(schema_dict[TYPE],
                   description=schema_dict.get(DESCRIPTION),
                   default=schema_dict.get(DEFAULT),
                   schema=cls._nested_from_legacy(schema_dict),
                   required=schema_dict.get(REQUIRED, False),
                   constraints=_legacy_constraints(schema_dict),
                   implemented=schema_dict.get(IMPLEMENTED, True),
                   update_allowed=schema_dict.get(UPDATE_ALLOWED, False),
                   immutable=schema_dict.get(IMMUTABLE, False))

    @classmethod
    def _nested_from_legacy(cls, schema_dict: Mapping[str, Any]) -> Any:
        nested = schema_dict.get(SCHEMA)
        if nested is None:
            return None
        if schema_dict[TYPE] == cls.LIST:
            return cls.from_legacy(nested)
        return {name: cls.from_legacy(value)
                for name, value in nested.items()}

    @classmethod
    def from_parameter(cls, param: parameters.Schema) -> 'Schema':
        """Return the property that a template resource has for a parameter.

        Its default stays with the parameter: an absent property leaves the
        choice to the nested template.
        """
        types = {
            param.STRING: cls.STRING,
            param.NUMBER: cls.NUMBER,
            param.LIST: cls.LIST,
            param.MAP: cls.MAP,
            param.BOOLEAN: cls.BOOLEAN,
        }
        return cls(types[param.type], description=param.description,
                   required=param.required, constraints=param.constraints,
                   update_allowed=True, immutable=False,
                   allow_conversion=True)


def _legacy_constraints(schema_dict: Mapping[str, Any]
                        ) -> list[constr.Constraint]:
    found: list[constr.Constraint] = []
    if MIN_VALUE in schema_dict or MAX_VALUE in schema_dict:
        found.append(constr.Range(_bound(schema_dict, MIN_VALUE),
                                  _bound(schema_dict, MAX_VALUE)))
    if MIN_LENGTH in schema_dict or MAX_LENGTH in schema_dict:
        found.append(constr.Length(_bound(schema_dict, MIN_LENGTH),
                                   _bound(schema_dict, MAX_LENGTH)))
    if ALLOWED_VALUES in schema_dict:
        found.append(constr.AllowedValues(schema_dict[ALLOWED_VALUES]))
    if ALLOWED_PATTERN in schema_dict:
        found.append(constr.AllowedPattern(schema_dict[ALLOWED_PATTERN]))
    return found


def _bound(schema_dict: Mapping[str, Any], key: str) -> Any:
    """Return a bound as a number; texts of numbers are accepted, too."""
    value = schema_dict.get(key)
    if not isinstance(value, str):
        return value
    try:
        return constr.Schema.str_to_num(value)
    except ValueError as error:
        raise exception.InvalidSchemaError(message=_(
            '%(key)s of a property schema must be a number, not '
            '"%(value)s".') % {'key': key, 'value': value}) from error


def schemata(schema_dicts: Mapping[str, Any]) -> dict[str, Schema]:
    """Return name -> Schema for schemata of the new or the old form."""
    return {name: Schema.from_legacy(schema)
            for name, schema in schema_dicts.items()}


def schema_from_params(params_snippet: Mapping[str, Any]
                       ) -> dict[str, Schema]:
    """Return name -> Schema for parameter schemata."""
    return {name: Schema.from_parameter(param)
            for name, param in (params_snippet or {}).items()}


_PARAMETER_TYPES = {
    Schema.STRING: 'string',
    Schema.NUMBER: 'number',
    Schema.INTEGER: 'number',
    Schema.BOOLEAN: 'boolean',
    Schema.MAP: 'json',
    Schema.LIST: 'comma_delimited_list',
    Schema.ANY: 'string',
}
_CFN_TYPES = {
    'string': 'String',
    'number': 'Number',
    'boolean': 'Boolean',
    'json': 'Json',
    'comma_delimited_list': 'CommaDelimitedList',
}


def schema_to_parameters_and_properties(
        schema: Mapping[str, Any], template_type: str = 'cfn'
        ) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (parameters, properties) of a template that uses a type.

    Every property that may be given is handed on from a parameter.
    """
    params: dict[str, Any] = {}
    props: dict[str, Any] = {}
    for name, prop in schemata(schema).items():
        if (not prop.implemented or
                prop.support_status.status == support.HIDDEN):
            continue
        if template_type == 'hot':
            params[name] = _hot_parameter(prop)
            props[name] = {'get_param': name}
        else:
            params[name] = _cfn_parameter(prop)
            props[name] = {'Ref': name}
    return params, props


def _hot_parameter(prop: Schema) -> dict[str, Any]:
    param: dict[str, Any] = {'type': prop.allowed_param_prop_type()}
    if prop.description is not None:
        param['description'] = str(prop.description)
    default = _parameter_default(prop)
    if default is not None:
        param['default'] = default
    constraints = [dict(constraint) for constraint in prop.constraints]
    if constraints:
        param['constraints'] = constraints
    return param


def _cfn_parameter(prop: Schema) -> dict[str, Any]:
    param: dict[str, Any] = {
        'Type': _CFN_TYPES[prop.allowed_param_prop_type()]}
    if prop.description is not None:
        param['Description'] = str(prop.description)
    default = _parameter_default(prop)
    if default is not None:
        param['Default'] = default
    for constraint in prop.constraints:
        if isinstance(constraint, constr.AllowedValues):
            param['AllowedValues'] = list(constraint.allowed)
        elif isinstance(constraint, constr.AllowedPattern):
            param['AllowedPattern'] = constraint.pattern
        elif isinstance(constraint, constr.Range):
            kind = ('Length' if isinstance(constraint, constr.Length)
                    else 'Value')
            for side in ('min', 'max'):
                bound = getattr(constraint, side)
                if bound is not None:
                    param[side.capitalize() + kind] = bound
    return param


def _parameter_default(prop: Schema) -> Any:
    """Return a default for the parameter, None if it must be given.

    An optional property without default would become a parameter that
    users must give; an empty value of the type stands in where it may.
    """
    if prop.default is not None:
        if (prop.allowed_param_prop_type() == 'comma_delimited_list' and
                isinstance(prop.default, collections.abc.Sequence) and
                not isinstance(prop.default, str)):
            return ','.join(map(str, prop.default))
        return prop.default
    return None
