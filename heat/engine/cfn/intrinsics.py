"""Functions that AWS CloudFormation has and Heat never had.

Their arguments and results are those of the AWS CloudFormation User Guide,
"Intrinsic function reference".
"""
from collections.abc import Callable, Iterator, Mapping
import ipaddress
import itertools
from typing import Any

from oslo_serialization import jsonutils

from heat.common import identifier
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.cfn import functions as cfn_funcs
from heat.engine.cfn import parameters
from heat.engine.language import substitution
from heat.engine.sandbox import result_size

#: How many networks Fn::Cidr makes at most.
MAX_NETWORKS = 256
#: How many bytes of the output of a request each of them counts as: to make
#: one takes as long as to make a text of this size.
_COST = 4096


def text_of(value: Any, fn_name: str) -> str:
    """Return a scalar as the text that a template would have for it.

    :raises TypeError: the value is a list or a map
    """
    if value is None:
        return ''
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if not function.is_scalar(value):
        raise TypeError(_('"%s" can put only texts, numbers and booleans '
                          'into a text') % fn_name)
    return str(value)


def calls(snippet: Any, name: str) -> Iterator[tuple[list[Any], Any]]:
    """Yield (path, arguments) of the calls of a function in a raw snippet."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), snippet)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, Mapping):
            if name in item:
                yield [*path, name], item[name]
            waiting += [((*path, key), each) for key, each in item.items()
                        if key != name]
        elif isinstance(item, list):
            waiting += [((*path, index), each)
                        for index, each in enumerate(item)]


class _Text(function.Function):
    """The parts of a text as one; `args` are the parts."""

    def result(self) -> str:
        parts = [text_of(part, self.fn_name)
                 for part in function.resolve(self.args)]
        result_size.spend_size(sum(map(len, parts)))
        return ''.join(parts)


class Sub(function.Macro):
    """A text with values in the place of variables.

    {"Fn::Sub": <text>}
    {"Fn::Sub": [<text>, {<variable>: <value>, ...}]}

    ${Name} is one of the variables, a parameter or the reference of a
    resource, ${Name.Attribute} an attribute, and ${!Name} the text ${Name}.
    """

    def parse_args(self, parse_func: Callable[..., Any]) -> Any:
        text, variables = self._text_and_variables()
        values = parse_func(variables, [1]) if variables else {}
        references: dict[str, Any] = {}
        parts: list[Any] = []
        end = 0
        for found in substitution.PLACEHOLDER.finditer(text):
            parts.append(text[end:found.start()])
            end = found.end()
            name = found['name'].strip()
            if name.startswith('!'):
                parts.append('${%s}' % name[1:])
            elif name in values:
                parts.append(values[name])
            else:
                if name not in references:
                    references[name] = parse_func(self._reference(name), [])
                parts.append(references[name])
        parts.append(text[end:])
        return _Text(self.stack, self.fn_name,
                     [part for part in parts if part != ''])

    def _text_and_variables(self) -> tuple[str, Mapping[str, Any]]:
        given = substitution.arguments(self.args)
        if given is None:
            raise ValueError(_('The arguments of "%s" must be a text, or a '
                               'list of a text and a map of variables')
                             % self.fn_name)
        return given

    def _reference(self, name: str) -> dict[str, Any]:
        if not name:
            raise ValueError(_('"%s" cannot replace "${}", which names '
                               'nothing') % self.fn_name)
        resource, dot, attribute = name.partition('.')
        if dot:
            return {'Fn::GetAtt': [resource, attribute]}
        return {'Ref': name}


class Cidr(function.Function):
    """Some networks of the same size within a network.

    {"Fn::Cidr": [<network>, <how many>, <bits of a host's address>]}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (function.is_list(args) and len(args) in (2, 3)):
            raise ValueError(_('The arguments of "%s" must be a network, the '
                               'number of networks and the number of bits '
                               'of a host') % fn_name)

    def result(self) -> list[str]:
        block, count, *bits = function.resolve(self.args)
        network = self._network(block)
        number = self._integer(count, _('The number of networks'))
        host_bits = self._integer(
            bits[0] if bits else (8 if network.version == 4 else 64),
            _('The number of bits of a host'))
        if not 1 <= number <= MAX_NETWORKS:
            raise ValueError(_('"%(function)s" makes 1 to %(most)d networks, '
                               'not %(number)d') % {
                                   'function': self.fn_name,
                                   'most': MAX_NETWORKS, 'number': number})
        prefix = network.max_prefixlen - host_bits
        if not network.prefixlen <= prefix <= network.max_prefixlen or (
                number > 2 ** (prefix - network.prefixlen)):
            raise ValueError(_('%(block)s has no room for %(number)d '
                               'networks whose hosts have %(bits)d bits') % {
                                   'block': network, 'number': number,
                                   'bits': host_bits})
        request_budget.take(_COST * number)
        return [str(each) for each in itertools.islice(
            network.subnets(new_prefix=prefix), number)]

    def _network(self, block: Any) -> Any:
        try:
            return ipaddress.ip_network(text_of(block, self.fn_name), False)
        except ValueError as exc:
            raise ValueError(_('The first argument of "%(function)s" must be '
                               'a network such as 10.0.0.0/16, not "%(got)s"'
                               ) % {'function': self.fn_name,
                                    'got': block}) from exc

    def _integer(self, value: Any, what: str) -> int:
        try:
            return int(text_of(value, self.fn_name))
        except ValueError as exc:
            raise ValueError(_('%(what)s in "%(function)s" must be an '
                               'integer, not "%(got)s"') % {
                                   'what': what, 'function': self.fn_name,
                                   'got': value}) from exc


class GetAZs(cfn_funcs.GetAZs):
    """The names of the availability zones of the stack's region.

    {"Fn::GetAZs": <region>}

    The names of regions of AWS, and no name, stand for the region of the
    stack.
    """

    def result(self) -> Any:
        region = text_of(function.resolve(self.args), self.fn_name)
        own = {'', *parameters.CfnParameters.REGIONS}
        context = getattr(self.stack, 'context', None)
        here = getattr(context, 'region_name', None)
        if region not in own | {here}:
            raise ValueError(_(
                'The zones of the region "%(region)s" are not known here: '
                '"%(function)s" names those of the stack\'s own region%(own)s'
                ) % {'region': region, 'function': self.fn_name,
                     'own': f' ({here})' if here else ''})
        return super().result()


class Length(function.Function):
    """The number of items of a list.

    {"Fn::Length": <list>}
    """

    def result(self) -> int:
        items = function.resolve(self.args)
        if not function.is_list(items):
            raise TypeError(_('The argument of "%s" must be a list')
                            % self.fn_name)
        return len(items)


class ToJsonString(function.Function):
    """A map or list as a text of JSON.

    {"Fn::ToJsonString": <map or list>}
    """

    def result(self) -> str:
        value = function.resolve(self.args)
        if not (function.is_map(value) or function.is_list(value)):
            raise TypeError(_('The argument of "%s" must be a map or list')
                            % self.fn_name)
        text = str(jsonutils.dumps(value))
        result_size.spend_size(len(text))
        return text


class FindInMap(cfn_funcs.FindInMap):
    """A value of the Mappings section, or a default.

    {"Fn::FindInMap": [<map name>, <key>, <value key>]}
    {"Fn::FindInMap": [<map name>, <key>, <value key>,
                       {"DefaultValue": <value>}]}
    """

    _DEFAULT = 'DefaultValue'

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        self._default: Any = None
        keys = args
        if (function.is_list(args) and len(args) == 4
                and function.is_map(args[3])
                and set(args[3]) == {self._DEFAULT}):
            *keys, self._default = args
        super().__init__(stack, fn_name, keys)
        self._keys, self.args = keys, args

    def result(self) -> Any:
        try:
            return self._find(function.resolve(self._keys))
        except KeyError:
            if self._default is None:
                raise
            return function.resolve(self._default[self._DEFAULT])


class PseudoParameter(function.Function):
    """A value of the service that every template may refer to.

    {"Ref": "AWS::AccountId" | "AWS::NoValue" | "AWS::NotificationARNs"
            | "AWS::Partition" | "AWS::URLSuffix"}
    """

    NAMES = (ACCOUNT_ID, NO_VALUE, NOTIFICATION_ARNS, PARTITION,
             URL_SUFFIX) = (
        'AWS::AccountId', 'AWS::NoValue', 'AWS::NotificationARNs',
        'AWS::Partition', 'AWS::URLSuffix')

    def result(self) -> Any:
        if self.args == self.NO_VALUE:
            return function.NOTHING
        if self.args == self.NOTIFICATION_ARNS:
            return []
        if self.args == self.PARTITION:
            # As in the names of stacks, arn:openstack:heat:...
            return 'openstack'
        if self.args == self.URL_SUFFIX:
            return 'amazonaws.com'
        return self._project()

    def _project(self) -> str:
        arn = self.stack.parameters[parameters.CfnParameters.PARAM_STACK_ID]
        try:
            return str(identifier.HeatIdentifier.from_arn(arn).tenant)
        except ValueError:
            # A template that is only looked at belongs to no stack.
            return ''


def Ref(stack: Any, fn_name: str, args: Any) -> function.Function:
    """A reference to a resource, a parameter or a value of the service.

    {"Ref": <resource, parameter or pseudo parameter>}
    """
    if isinstance(args, str) and args in PseudoParameter.NAMES:
        return PseudoParameter(stack, fn_name, args)
    return cfn_funcs.Ref(stack, fn_name, args)


def ParamRef(stack: Any, fn_name: str, args: Any) -> function.Function:
    """A reference to a parameter or a value of the service.

    {"Ref": <parameter or pseudo parameter>}
    """
    if isinstance(args, str) and args in PseudoParameter.NAMES:
        return PseudoParameter(stack, fn_name, args)
    return cfn_funcs.ParamRef(stack, fn_name, args)


class ConditionRef(function.Function):
    """Whether a named condition holds.

    {"Condition": <name>}
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not isinstance(args, str):
            raise ValueError(_('The argument of "%s" must be the name of a '
                               'condition') % fn_name)

    def result(self) -> bool:
        return bool(self.stack.t.conditions(self.stack).is_enabled(self.args))
