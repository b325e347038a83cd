"""A JSON Schema of HOT, from the language and the resource types."""
from collections.abc import Mapping
from typing import Any

from heat.common import template_advice
from heat.engine import properties
from heat.engine import rsrc_defn
from heat.engine import support
from heat.engine import template

_HOT = 'heat_template_version'
_FUNCTION: dict[str, Any] = {'$ref': '#/$defs/function'}
_TEXT = {'type': 'string'}

# What each type of a property takes: the service converts texts and numbers,
# and null stands for the default.
_TYPES: Mapping[str, list[str]] = {
    properties.Schema.STRING: ['string', 'number', 'boolean', 'null'],
    properties.Schema.INTEGER: ['integer', 'string', 'null'],
    properties.Schema.NUMBER: ['number', 'string', 'null'],
    properties.Schema.BOOLEAN: ['boolean', 'string', 'integer', 'null'],
    properties.Schema.MAP: ['object', 'null'],
    properties.Schema.LIST: ['array', 'null'],
}
_OUTDATED = (support.DEPRECATED, support.HIDDEN, support.UNSUPPORTED)


def of_hot(types: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of HOT templates with resources of these types."""
    language: Any = template.template_classes()[
        _HOT, template_advice.RECOMMENDED_VERSION]
    versions = sorted(value for key, value in template.template_classes()
                      if key == _HOT)
    visible = {name: cls for name, cls in sorted(types.items())
               if cls.support_status.status != support.HIDDEN}
    return {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': 'Heat Orchestration Template',
        'type': 'object',
        'required': [_HOT],
        'additionalProperties': False,
        'properties': {
            _HOT: {'enum': versions},
            'description': _TEXT,
            'parameter_groups': {'type': 'array',
                                 'items': {'type': 'object'}},
            'parameters': _map_of({'$ref': '#/$defs/parameter'}),
            'conditions': _map_of({}),
            'resources': _map_of({'$ref': '#/$defs/resource'}),
            'outputs': _map_of({'$ref': '#/$defs/output'}),
        },
        '$defs': {
            'function': _function(language),
            'parameter': _parameter(language.param_schema_class),
            'output': {
                'type': 'object', 'additionalProperties': False,
                'properties': {'description': _TEXT, 'value': {},
                               'condition': {}}},
            'resource': _resource(visible),
            **{name: of_properties(cls.properties_schema, cls)
               for name, cls in visible.items()},
        },
    }


def _map_of(items: Any) -> dict[str, Any]:
    return {'type': ['object', 'null'], 'additionalProperties': items}


def _function(language: Any) -> dict[str, Any]:
    names = [name for name, implementation in language.functions.items()
             if not template.is_removed(implementation)]
    # Older versions have functions that this one lacks.
    for (key, _version), cls in template.template_classes().items():
        if key == _HOT:
            names += cls.functions
    return {'type': 'object', 'minProperties': 1, 'maxProperties': 1,
            'propertyNames': {'enum': list(dict.fromkeys(names))},
            'description': 'A call of a function.'}


def _parameter(schema: Any) -> dict[str, Any]:
    return {
        'type': 'object', 'required': ['type'],
        'additionalProperties': False,
        'properties': {
            **{key: {} for key in schema.KEYS},
            'type': {'enum': list(schema.TYPES)},
            'description': _TEXT, 'label': _TEXT,
            'constraints': {'type': 'array', 'items': {'type': 'object'}},
        },
    }


def _resource(types: Mapping[str, Any]) -> dict[str, Any]:
    return {
        'type': 'object', 'required': ['type'],
        'additionalProperties': False,
        'properties': {
            'type': {'anyOf': [
                {'enum': list(types)},
                {'type': 'string', 'description': 'A type of an '
                 'environment, or the file or URL of a template.'}]},
            'properties': {'type': ['object', 'null']},
            'metadata': {'type': ['object', 'null']},
            'depends_on': {'type': ['string', 'array', 'null', 'object']},
            'deletion_policy': {'anyOf': [_FUNCTION, {'enum': _policies()}]},
            'update_policy': {'type': ['object', 'null']},
            'description': _TEXT,
            'external_id': {},
            'condition': {},
        },
        'allOf': [{
            'if': {'properties': {'type': {'const': name}},
                   'required': ['type']},
            'then': {'description': _doc(cls), 'properties': {
                'properties': {'$ref': f'#/$defs/{name}'}}},
        } for name, cls in types.items()],
    }


def _policies() -> list[str]:
    policies = rsrc_defn.ResourceDefinition.DELETION_POLICIES
    return [*policies, *(each.lower() for each in policies)]


def _doc(cls: Any) -> str:
    text: str = (cls.getdoc() or '').split('\n\n')[0]
    return ' '.join(text.split())


def of_properties(schemata: Mapping[Any, Any],
                  cls: Any = None) -> dict[str, Any]:
    """Return the schema of a map with these properties."""
    known = properties.schemata(schemata)
    outdated = any(each.support_status.status in _OUTDATED
                   for each in known.values())
    result: dict[str, Any] = {
        'type': ['object', 'null'],
        'properties': {str(name): _property(each)
                       for name, each in known.items()},
        'additionalProperties': False,
    }
    if cls is not None:
        result['description'] = _doc(cls)
    required = [str(name) for name, each in known.items() if each.required
                and each.default is None]
    # An outdated property may stand for one that is required.
    if required and not outdated:
        # A call may stand for the whole map.
        result = {'anyOf': [_FUNCTION, {**result, 'required': required}]}
        return result
    return {'anyOf': [_FUNCTION, result]}


def _property(schema: Any) -> dict[str, Any]:
    """Return the schema of one property, which a call may stand for."""
    result: dict[str, Any] = {'anyOf': [_FUNCTION, _value(schema)]}
    if schema.description:
        result['description'] = str(schema.description)
    if schema.support_status.status in _OUTDATED:
        result['deprecated'] = True
    if schema.default is not None:
        result['default'] = schema.default
    return result


def _value(schema: Any) -> dict[str, Any]:
    kind = schema.type
    types = _TYPES.get(kind)
    if types is None:
        return {}
    if schema.allow_conversion:
        types = [*types, 'string', 'array', 'object']
    result: dict[str, Any] = {'type': list(dict.fromkeys(types))}
    inner = schema.schema
    if kind == properties.Schema.LIST and inner is not None:
        items = next(iter(properties.schemata(inner).values()), None)
        if items is not None:
            result['items'] = _property(items)
    elif kind == properties.Schema.MAP and inner is not None:
        nested = of_properties(inner)
        return {'anyOf': [*nested['anyOf'], {'type': types}]} if (
            schema.allow_conversion) else nested
    elif kind == properties.Schema.STRING:
        allowed = _allowed(schema)
        if allowed is not None:
            return {'enum': [*allowed, None]}
    return result


def _allowed(schema: Any) -> list[Any] | None:
    """Return the values that a text must have one of, None for any."""
    for constraint in schema.constraints:
        values = dict(constraint).get('allowed_values')
        if isinstance(values, list) and all(
                isinstance(each, str) for each in values):
            return values
    return None
