"""The functions of cfn templates."""
import collections.abc
from collections.abc import Iterator
from typing import Any

from heat.common import exception
from heat.common import json_text
from heat.common.i18n import _
from heat.engine import function
from heat.engine.hot import functions as hot_funcs
from heat.engine.language import suggest
from heat.engine.sandbox import result_size


class FindInMap(function.Function):
    """A value of the Mappings section.

    {"Fn::FindInMap": [<map name>, <key>, <value key>]}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (function.is_list(args) and len(args) == 3):
            raise KeyError(_('The arguments of "%s" must be a map name, a '
                             'key and a key of the value') % fn_name)

    def result(self) -> Any:
        return self._find(function.resolve(self.args))

    def _find(self, keys: Any) -> Any:
        value: Any = self.stack.t.maps
        for key in keys:
            try:
                value = value[key]
            except (LookupError, TypeError) as exc:
                raise KeyError(_('"%(function)s" finds no "%(key)s" in the '
                                 'mappings') % {'function': self.fn_name,
                                                'key': key}) from exc
        return value


class GetAZs(function.Function):
    """The names of the availability zones, in whatever region.

    {"Fn::GetAZs": <region>}
    """

    def result(self) -> Any:
        if self.stack is None:
            return ['nova']
        return self.stack.get_availability_zones()


class ParamRef(function.Function):
    """The value of a parameter.

    {"Ref": <parameter name>}
    """

    reads_parameter = True

    def result(self) -> Any:
        name = function.resolve(self.args)
        try:
            return self.stack.parameters[name]
        except (KeyError, TypeError) as exc:
            raise self._undefined(name) from exc

    def _undefined(self, name: Any) -> exception.InvalidTemplateReference:
        return exception.InvalidTemplateReference(
            resource=name, hint=self._hint(name))

    def validate(self) -> None:
        super().validate()
        if (isinstance(self.args, str) and self.stack is not None
                and self.args not in self.stack.parameters):
            raise self._undefined(self.args)

    def _hint(self, name: Any) -> str:
        names = getattr(self.stack, 'all_rsrc_names', tuple)
        return suggest.hint(name, [*self.stack.parameters, *names()])


def Ref(stack: Any, fn_name: str, args: Any) -> function.Function:
    """A reference to a resource or, if there is none, to a parameter.

    {"Ref": <resource or parameter name>}
    """
    if stack is None or (isinstance(args, str)
                         and args in stack.t.section(stack.t.RESOURCES)):
        return hot_funcs.GetResource(stack, fn_name, args)
    return ParamRef(stack, fn_name, args)


class GetAtt(hot_funcs.GetAttThenSelect):
    """An attribute of a resource.

    {"Fn::GetAtt": [<resource name>, <attribute>]}
    """

    def _parse_args(self) -> tuple[Any, Any, list[Any]]:
        if not (function.is_list(self.args) and len(self.args) == 2):
            raise ValueError(_('The arguments of "%s" must be a resource '
                               'name and an attribute') % self.fn_name)
        name, attribute = self.args
        return name, attribute, []


class Select(function.Function):
    """An item of a list or map, or '' if it is not there.

    {"Fn::Select": [<index or key>, <list, map, or JSON of one>]}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (function.is_list(args) and len(args) == 2):
            raise ValueError(_('The arguments of "%s" must be an index and a '
                               'list or map') % fn_name)
        self._lookup, self._strings = args

    def result(self) -> Any:
        index = function.resolve(self._lookup)
        source = function.resolve(self._strings)
        if source is None or source == '':
            return ''
        if isinstance(source, str):
            source = self._parsed(source)
        if function.is_map(source):
            return self._of_map(source, index)
        if function.is_list(source):
            return self._of_list(source, index)
        if source is None:
            return ''
        raise TypeError(_('"%s" selects from lists and maps')
                        % self.fn_name)

    def _parsed(self, text: str) -> Any:
        try:
            return json_text.loads(text)
        except ValueError as exc:
            raise ValueError(_('"%(function)s" cannot read its JSON: '
                               '%(error)s') % {'function': self.fn_name,
                                               'error': exc}) from exc

    def _of_map(self, source: Any, key: Any) -> Any:
        if not isinstance(key, str):
            raise TypeError(_('The index of "%s" must be a string to select '
                              'from a map') % self.fn_name)
        return source.get(key, '')

    def _of_list(self, source: Any, index: Any) -> Any:
        try:
            number = int(index)
        except (TypeError, ValueError) as exc:
            raise TypeError(_('The index of "%s" must be an integer to '
                              'select from a list') % self.fn_name) from exc
        try:
            return source[number]
        except IndexError:
            return ''


class Join(hot_funcs.Join):
    """The strings of a list as one text.

    {"Fn::Join": [<delimiter>, [<text>, ...]]}
    """


class Split(function.Function):
    """The parts of a text.

    {"Fn::Split": [<delimiter>, <text>]}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._delim, self._strings = function.two_of(
            fn_name, args, _('The arguments of "%s" must be a delimiter '
                             'and a text'))
        if not isinstance(self._delim, (str, function.Function)):
            raise TypeError(_('The delimiter of "%s" must be a string')
                            % fn_name)

    def result(self) -> list[str]:
        delim, text = function.resolve([self._delim, self._strings])
        if not (isinstance(text, str) and isinstance(delim, str)):
            raise TypeError(_('The delimiter and the text of "%s" must be '
                              'strings') % self.fn_name)
        if delim:
            result_size.spend_size(result_size.ITEM * text.count(delim))
        return text.split(delim)


class Replace(hot_funcs.Replace):
    """A text with some words in it replaced.

    {"Fn::Replace": [{<word>: <value>, ...}, <text>]}
    """

    def _parse_args(self) -> tuple[Any, Any]:
        if not function.is_list(self.args):
            raise TypeError(_('The argument of "%s" must be a list')
                            % self.fn_name)
        if len(self.args) != 2:
            raise ValueError(_('The arguments of "%s" must be a map and a '
                               'text') % self.fn_name)
        mapping, text = self.args
        return mapping, text


class Base64(function.Function):
    """A text that some would encode; here it stays as it is.

    {"Fn::Base64": <text>}
    """

    def result(self) -> str:
        text = function.resolve(self.args)
        if not isinstance(text, str):
            raise TypeError(_('The argument of "%s" must be a string')
                            % self.fn_name)
        return text


class MemberListToMap(function.Function):
    """A map of the member lists that query strings have.

    {"Fn::MemberListToMap": ["Name", "Value",
                             [".member.0.Name=key",
                              ".member.0.Value=val"]]}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (function.is_list(args) and len(args) == 3
                and isinstance(args[0], str) and isinstance(args[1], str)):
            raise TypeError(_('The arguments of "%s" must be the name of '
                              'keys, the name of values and a list')
                            % fn_name)
        self._keyname, self._valuename, self._list = args

    def result(self) -> dict[str, Any]:
        members = function.resolve(self._list)
        if not (isinstance(members, collections.abc.Iterable)
                and not isinstance(members, str)
                and all(isinstance(item, str) for item in members)):
            raise TypeError(_('The members of "%s" must be a list of '
                              'strings') % self.fn_name)
        keys: dict[str, str] = {}
        values: dict[str, str] = {}
        for number, name, value in self._split(members):
            if name == self._keyname:
                keys[number] = value
            elif name == self._valuename:
                values[number] = value
        return {key: values[number] for number, key in keys.items()
                if number in values}

    @staticmethod
    def _split(members: Any) -> Iterator[tuple[str, str, str]]:
        """Yield (number, name, value) of prefix.member.number.name=value."""
        for member in members:
            address, found, value = member.partition('=')
            parts = address.split('.')
            if found and len(parts) >= 4 and parts[-3] == 'member':
                yield parts[-2], parts[-1], value


class ResourceFacade(hot_funcs.ResourceFacade):
    """Something of the resource that a provider template stands for.

    {"Fn::ResourceFacade": "Metadata" | "DeletionPolicy" | "UpdatePolicy"}
    """

    _RESOURCE_ATTRIBUTES = (
        METADATA, DELETION_POLICY, UPDATE_POLICY,
    ) = (
        'Metadata', 'DeletionPolicy', 'UpdatePolicy',
    )


class If(hot_funcs.If):
    """One of two values, depending on a condition.

    {"Fn::If": [<condition>, <value if it holds>, <value if not>]}
    """


class Equals(hot_funcs.Equals):
    """Whether two values are equal.

    {"Fn::Equals": [<value>, <value>]}
    """


class Not(hot_funcs.Not):
    """Whether a condition does not hold.

    {"Fn::Not": [<condition>]}
    """

    def _check_args(self) -> None:
        if not (function.is_list(self.args) and len(self.args) == 1):
            raise ValueError(_('The argument of "%s" must be a list of one '
                               'condition') % self.fn_name)
        self.condition = self.args[0]


class And(hot_funcs.And):
    """Whether all of some conditions hold.

    {"Fn::And": [<condition>, <condition>, ...]}
    """


class Or(hot_funcs.Or):
    """Whether at least one of some conditions holds.

    {"Fn::Or": [<condition>, <condition>, ...]}
    """
