"""A HOT template for a CloudFormation template."""
from collections.abc import Callable, Mapping
import re
from typing import Any

from heat.common import exception
from heat.common import template_advice
from heat.common.i18n import _
from heat.engine import template
from heat.engine.language import substitution


class CannotConvert(exception.StackValidationFailed):
    """Something in the template has no equivalent in HOT."""


_PARAMETER_TYPES = {
    'String': 'string', 'Number': 'number', 'Boolean': 'boolean',
    'CommaDelimitedList': 'comma_delimited_list', 'Json': 'json'}
_PARAMETER_KEYS = {'Description': 'description', 'Default': 'default',
                   'Label': 'label', 'NoEcho': 'hidden'}
_CONSTRAINTS = {'AllowedValues': 'allowed_values',
                'AllowedPattern': 'allowed_pattern',
                'CustomConstraint': 'custom_constraint'}
_BOUNDS = {'MinLength': ('length', 'min'), 'MaxLength': ('length', 'max'),
           'MinValue': ('range', 'min'), 'MaxValue': ('range', 'max')}
_RESOURCE_KEYS = {
    'Type': 'type', 'Properties': 'properties', 'Metadata': 'metadata',
    'DependsOn': 'depends_on', 'DeletionPolicy': 'deletion_policy',
    'UpdatePolicy': 'update_policy', 'Description': 'description',
    'Condition': 'condition'}
_OUTPUT_KEYS = {'Description': 'description', 'Value': 'value',
                'Condition': 'condition'}
_PSEUDO = {'AWS::StackName': 'OS::stack_name'}
_FACADES = {'Metadata': 'metadata', 'DeletionPolicy': 'deletion_policy',
            'UpdatePolicy': 'update_policy'}
_RENAMED = {'Fn::Join': 'list_join', 'Fn::Split': 'str_split',
            'Fn::If': 'if', 'Fn::Equals': 'equals', 'Fn::And': 'and',
            'Fn::Or': 'or'}
_Path = tuple[Any, ...]


def to_hot(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a HOT template that describes the same stack.

    Mappings become parameters of the type json with a default. Raises
    CannotConvert, with the path, for what HOT has no equivalent of.
    """
    key, _value = template.get_version(data)
    template.get_template_class(data)
    if key == 'heat_template_version':
        raise CannotConvert(path=[key], message=_(
            'the template is HOT already; name the version to bring it to'))
    return _Conversion(data).run()


def _map_at(value: Any, path: _Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise CannotConvert(path=list(path), message=_('it must be a map'))
    return value


def _fail(path: _Path, message: str) -> CannotConvert:
    return CannotConvert(path=list(path), message=message)


class _Conversion:
    """The conversion of one template."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.parameters = self._section('Parameters')
        self.mappings = self._section('Mappings')
        self.resources = self._section('Resources')

    def _section(self, name: str) -> Mapping[str, Any]:
        return _map_at(self.data.get(name) or {}, (name,))

    def run(self) -> dict[str, Any]:
        """Return the HOT template; sections without content are left out."""
        result: dict[str, Any] = {
            'heat_template_version': template_advice.RECOMMENDED_VERSION}
        if self.data.get('Description'):
            result['description'] = self.data['Description']
        sections = {
            'parameters': {
                **{name: self.parameter(_map_at(each, path), path)
                   for name, each in self.parameters.items()
                   for path in [('Parameters', name)]},
                **{self.mapping_name(name): {'type': 'json', 'default': each}
                   for name, each in self.mappings.items()}},
            'conditions': {
                name: self.condition(each, ('Conditions', name))
                for name, each in self._section('Conditions').items()},
            'resources': self.members('Resources', _RESOURCE_KEYS),
            'outputs': self.members('Outputs', _OUTPUT_KEYS),
        }
        return {**result, **{name: section for name, section
                             in sections.items() if section}}

    def mapping_name(self, name: str) -> str:
        """Return the name of the parameter that holds a mapping."""
        while name in self.parameters:
            name += '_map'
        return name

    def parameter(self, given: Mapping[str, Any],
                  path: _Path) -> dict[str, Any]:
        """Return the definition of a parameter."""
        kind = given.get('Type')
        if kind not in _PARAMETER_TYPES:
            raise _fail((*path, 'Type'), _(
                'HOT has no parameters of the type "%s"') % kind)
        result: dict[str, Any] = {'type': _PARAMETER_TYPES[kind]}
        constraints: dict[str, Any] = {}
        for key, value in given.items():
            if key in _PARAMETER_KEYS:
                result[_PARAMETER_KEYS[key]] = value
            elif key in _CONSTRAINTS:
                constraints[_CONSTRAINTS[key]] = value
            elif key in _BOUNDS:
                name, bound = _BOUNDS[key]
                constraints.setdefault(name, {})[bound] = value
            elif key not in ('Type', 'ConstraintDescription'):
                raise _fail((*path, key), _('HOT has no such key'))
        if constraints:
            about = given.get('ConstraintDescription')
            result['constraints'] = [
                {name: value, **({'description': about} if about else {})}
                for name, value in constraints.items()]
        return result

    def members(self, section: str,
                keys: Mapping[str, str]) -> dict[str, Any]:
        """Return the definitions of a section."""
        result = {}
        for name, definition in self._section(section).items():
            made = {}
            for key, value in _map_at(definition, (section, name)).items():
                path = (section, name, key)
                if key not in keys:
                    raise _fail(path, _('HOT has no such key'))
                value = self.value(value, path)
                if key == 'DeletionPolicy' and isinstance(value, str):
                    value = value.lower()
                made[keys[key]] = value
            result[name] = made
        return result

    def condition(self, node: Any, path: _Path) -> Any:
        """Return a condition; one that names another is its name."""
        if isinstance(node, Mapping) and list(node) == ['Condition']:
            return node['Condition']
        if isinstance(node, Mapping) and len(node) == 1:
            [(name, args)] = node.items()
            if name in ('Fn::And', 'Fn::Or') and isinstance(args, list):
                return {_RENAMED[name]: [
                    self.condition(each, (*path, name, number))
                    for number, each in enumerate(args)]}
            if name == 'Fn::Not' and isinstance(args, list) and (
                    len(args) == 1):
                return {'not': self.condition(args[0], (*path, name, 0))}
        return self.value(node, path)

    def value(self, node: Any, path: _Path) -> Any:
        """Return a value with its calls replaced."""
        if isinstance(node, list):
            return [self.value(each, (*path, number))
                    for number, each in enumerate(node)]
        if not isinstance(node, Mapping):
            return node
        if len(node) == 1:
            [(name, args)] = node.items()
            if name == 'Ref' or str(name).startswith('Fn::'):
                return self.call(name, args, (*path, name))
        return {key: self.value(each, (*path, key))
                for key, each in node.items()}

    def call(self, name: str, args: Any, path: _Path) -> Any:
        """Return the call of HOT that does the same."""
        if name == 'Fn::GetAtt' and isinstance(args, str):
            args = args.split('.', 1)
        if name == 'Fn::Sub':
            args = self._text_and_values(args, path)
        args = self.value(args, path)
        if name in _RENAMED:
            return {_RENAMED[name]: args}
        make = _CALLS.get(name)
        made = None if make is None else make(self, args)
        if made is None:
            raise _fail(path, _('HOT has no equivalent of this call'))
        return made

    # -- Calls: None where there is no equivalent

    def ref(self, args: Any) -> Any:
        """Return the call for Ref."""
        if args in self.resources:
            return {'get_resource': args}
        if args in self.parameters or args in _PSEUDO:
            return {'get_param': _PSEUDO.get(args, args)}
        return None

    def attribute(self, args: Any) -> Any:
        """Return the call for Fn::GetAtt."""
        return {'get_attr': args} if isinstance(args, list) else None

    def _text_and_values(self, args: Any, path: _Path) -> Any:
        """Return [text, values of its placeholders] of Fn::Sub."""
        given = substitution.arguments(args)
        if given is None:
            return args
        text, variables = given
        values = {'${%s}' % name: value
                  for name, value in variables.items()}
        for placeholder, name in substitution.references(args):
            resource, dot, attribute = name.partition('.')
            values[placeholder] = (
                {'Fn::GetAtt': [resource, attribute]} if dot
                else {'Ref': name})
        for literal in re.findall(r'\$\{![^{}]*\}', text):
            values[literal] = '${' + literal[3:]
        return [text, values]

    def sub(self, args: Any) -> Any:
        """Return the call for Fn::Sub, of which the values are converted."""
        if not (isinstance(args, list) and len(args) == 2):
            return None
        text, values = args
        return text if not values else {
            'str_replace': {'template': text, 'params': values}}

    def find(self, args: Any) -> Any:
        """Return the call for Fn::FindInMap."""
        if not (isinstance(args, list) and len(args) == 3
                and args[0] in self.mappings):
            return None
        return {'get_param': [self.mapping_name(args[0]), *args[1:]]}

    def replace(self, args: Any) -> Any:
        """Return the call for Fn::Replace."""
        if not (isinstance(args, list) and len(args) == 2):
            return None
        return {'str_replace': {'template': args[1], 'params': args[0]}}

    def select(self, args: Any) -> Any:
        """Follow the index where the value comes from."""
        if not (isinstance(args, list) and len(args) == 2):
            return None
        index, value = args
        if isinstance(value, list):
            return value[int(index)] if str(index).isdecimal() and (
                int(index) < len(value)) else None
        if not (isinstance(value, Mapping) and len(value) == 1):
            return None
        [(name, inner)] = value.items()
        if name == 'get_param' and isinstance(inner, str):
            return {name: [inner, index]}
        if name in ('get_param', 'get_attr') or (
                name == 'str_split' and len(inner) == 2):
            return {name: [*inner, index]}
        return None

    def facade(self, args: Any) -> Any:
        """Return the call for Fn::ResourceFacade."""
        return {'resource_facade': _FACADES[args]} if (
            isinstance(args, str) and args in _FACADES) else None

    def same(self, args: Any) -> Any:
        """Return what Fn::Base64 results in."""
        # Fn::Base64 returns its argument: clients encode user data.
        return args


_CALLS: Mapping[str, Callable[[_Conversion, Any], Any]] = {
    'Ref': _Conversion.ref,
    'Fn::GetAtt': _Conversion.attribute,
    'Fn::FindInMap': _Conversion.find,
    'Fn::Replace': _Conversion.replace,
    'Fn::Select': _Conversion.select,
    'Fn::Sub': _Conversion.sub,
    'Fn::ResourceFacade': _Conversion.facade,
    'Fn::Base64': _Conversion.same,
}
