"""Resource types as they are recorded: schemas without any behaviour.

What a template says of a resource can be checked with them, though there is
no cloud, and no plugin for the type either.
"""
import functools
import json
import pathlib

from heat.engine import attributes
from heat.engine import constraints
from heat.engine import environment
from heat.engine import properties
from heat.engine import resource
from heat.engine import translation

_FACTS = pathlib.Path(__file__).resolve().parents[1] / 'facts'


@functools.lru_cache(maxsize=1)
def _recorded():
    return json.loads((_FACTS / 'resource_types.json').read_text())


def _bounds(make, bounds):
    return make(bounds.get('min'), bounds.get('max'))


_CONSTRAINTS = {
    'allowed_pattern': constraints.AllowedPattern,
    'allowed_values': constraints.AllowedValues,
    'custom_constraint': constraints.CustomConstraint,
    'length': lambda value: _bounds(constraints.Length, value),
    'range': lambda value: _bounds(constraints.Range, value),
}


def _constraints_of(recorded):
    return [_CONSTRAINTS[kind](value)
            for constraint in recorded.get('constraints') or ()
            for kind, value in constraint.items() if kind in _CONSTRAINTS]


def property_of(recorded):
    """Return the schema of a property that is recorded."""
    nested = recorded.get('schema')
    kind = recorded['type'].capitalize()
    if nested and kind == properties.Schema.LIST:
        nested = property_of(nested['*'])
    elif nested:
        nested = {name: property_of(each) for name, each in nested.items()}
    return properties.Schema(
        kind, default=recorded.get('default'), schema=nested or None,
        required=recorded['required'],
        constraints=_constraints_of(recorded),
        update_allowed=recorded['update_allowed'],
        immutable=recorded['immutable'])


def _kind_of(attribute):
    kind = attribute.get('type')
    return None if kind is None else kind.capitalize()


class RecordedType(resource.Resource):
    """The base of all types made from what is recorded."""

    #: The keyword arguments of the rules that move values.
    moves = ()

    def translation_rules(self, properties):
        """Return the rules by which values move to newer properties."""
        return [translation.TranslationRule(
            properties, translation.TranslationRule.REPLACE, **move)
            for move in self.moves]


class AnyAttribute(RecordedType):
    """A type that has more attributes than those it declares."""

    def get_attribute(self, key, *path):
        """Return nothing: there is no such thing as this resource."""


class Unrecorded(AnyAttribute):
    """A type whose properties are not recorded."""

    def validate_template(self):
        """Check the functions in the definition, but not the names."""
        self.t.validate()


def _class_of(name, recorded):
    base = RecordedType
    overrides = recorded['implementation']['overrides']
    if {'get_attribute', 'FnGetAtt'} & set(overrides):
        base = AnyAttribute
    if not recorded['listed'] and not recorded['properties']:
        # Removed, and kept for stacks that have it: whatever it is given
        # is ignored.
        base = Unrecorded
    declared = {**(recorded.get('properties_not_returned') or {}),
                **recorded['properties']}
    named = {**(recorded.get('attributes_not_returned') or {}),
             **recorded['attributes']}
    members = {
        'properties_schema': {key: property_of(value)
                              for key, value in declared.items()},
        'attributes_schema': {
            key: attributes.Schema(type=_kind_of(value))
            for key, value in named.items() if key != 'show'},
    }
    members['moves'] = [
        {'translation_path': rule['path'], **{
            key: rule[key] for key in ('value_path', 'value_name',
                                       'custom_value_path') if key in rule}}
        for rule in recorded.get('translation_rules') or ()
        if rule['rule'] == 'Replace' and not rule.get('conditional')]
    if any(method.startswith('handle_snapshot') for method in overrides):
        members['handle_snapshot_delete'] = lambda self, state: None
    return type(name.replace(':', '_'), (base,), members)


@functools.lru_cache(maxsize=1)
def classes():
    """Return the class of every recorded type, by its name."""
    types = _recorded()
    made = {name: _class_of(name, recorded)
            for name, recorded in types['types'].items()}
    for name in types['template_types']:
        made[name] = type(name.replace(':', '_'), (Unrecorded,), {
            'properties_schema': {}, 'attributes_schema': {}})
    return made


class AnythingGoes:
    """A custom constraint that everything satisfies: no cloud is asked."""

    def validate(self, value, context):
        """Say that the value is good."""
        return True


def global_environment():
    """Return an environment in which all recorded types are known."""
    env = environment.Environment({}, user_env=False)
    types = _recorded()
    for name, cls in classes().items():
        env.register_class(name, cls)
    for name, alias in types['aliases'].items():
        env.register_class(name, alias['target'])
    recorded = json.loads((_FACTS / 'constraints.json').read_text())
    for name in recorded['custom_constraints']:
        env.register_constraint(name, AnythingGoes)
    return env
