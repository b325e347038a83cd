"""The Rules section of cfn templates: assertions about the parameters.

See the AWS CloudFormation User Guide, "Rules section".
"""
from collections.abc import Iterator, Mapping
from typing import Any

from heat.common import error_text
from heat.common import exception
from heat.common.i18n import _
from heat.engine import function
from heat.engine import template
from heat.engine.cfn import functions as cfn_funcs
from heat.engine.cfn import intrinsics
from heat.engine.language import diagnostics
from heat.engine.language import suggest

KEYS = (CONDITION, ASSERTIONS) = ('RuleCondition', 'Assertions')
ASSERTION_KEYS = (ASSERT, DESCRIPTION) = ('Assert', 'AssertDescription')


class _OfLists(function.Function):
    """Base class of the functions that compare members of lists."""

    _WANTED = _('The arguments of "%s" must be a list and a value')

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        function.two_of(fn_name, args, self._WANTED)

    def _lists(self, number: int) -> list[Any]:
        """Return the resolved arguments, of which the first are lists."""
        args = list(function.resolve(self.args))
        for index, value in enumerate(args[:number]):
            if isinstance(value, str):
                # A parameter that is a list in a text.
                args[index] = [item.strip() for item in value.split(',')]
            elif not function.is_list(value):
                raise TypeError(self._WANTED % self.fn_name)
        return args


class Contains(_OfLists):
    """Whether a value is in a list.

    {"Fn::Contains": [<list>, <value>]}
    """

    def result(self) -> bool:
        members, value = self._lists(1)
        return value in members


class EachMemberEquals(_OfLists):
    """Whether all members of a list equal a value.

    {"Fn::EachMemberEquals": [<list>, <value>]}
    """

    def result(self) -> bool:
        members, value = self._lists(1)
        return all(member == value for member in members)


class EachMemberIn(_OfLists):
    """Whether all members of a list are members of another.

    {"Fn::EachMemberIn": [<list>, <list>]}
    """

    _WANTED = _('The arguments of "%s" must be two lists')

    def result(self) -> bool:
        members, others = self._lists(2)
        return all(member in others for member in members)


class RefAll(function.Function):
    """The values of all parameters of a type.

    {"Fn::RefAll": <type>}
    """

    def result(self) -> list[Any]:
        definitions = self.stack.t.section(self.stack.t.PARAMETERS)
        return [self.stack.parameters[name]
                for name, definition in definitions.items()
                if definition.get('Type') == self.args]


class ValueOf(function.Function):
    """An attribute of what a parameter names, which AWS would look up."""

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        raise ValueError(_('"%s" asks AWS about a resource, which this '
                           'service cannot do') % fn_name)

    def result(self) -> Any:
        """Return nothing: there is no such object."""
        raise NotImplementedError(self.fn_name)


FUNCTIONS = {
    'Fn::And': cfn_funcs.And,
    'Fn::Contains': Contains,
    'Fn::EachMemberEquals': EachMemberEquals,
    'Fn::EachMemberIn': EachMemberIn,
    'Fn::Equals': cfn_funcs.Equals,
    'Fn::FindInMap': intrinsics.FindInMap,
    'Fn::Not': cfn_funcs.Not,
    'Fn::Or': cfn_funcs.Or,
    'Fn::RefAll': RefAll,
    'Fn::ValueOf': ValueOf,
    'Fn::ValueOfAll': ValueOf,
    'Ref': intrinsics.ParamRef,
}
_AVAILABLE = sorted(name for name, implementation in FUNCTIONS.items()
                    if implementation is not ValueOf)


def check(tmpl: Any, section: str, stack: Any) -> None:
    """Raise StackValidationFailed unless the parameters meet all rules.

    A rule that needs a value which is not there yet holds.

    :param section: the name of the section in the template
    :param stack: the definition with the parameters
    """
    with diagnostics.Problems() as found:
        for name, rule in tmpl.section(section).items():
            if found.full:
                break
            path = [section, name]
            with found.noting():
                _check_form(path, rule, KEYS)
                _check_rule(tmpl, stack, path, rule, found)


def _check_form(path: list[Any], data: Any, keys: tuple[str, ...]) -> None:
    if not function.is_map(data):
        raise exception.StackValidationFailed(
            path=path, message=_('A definition must be a map, but this is %s')
            % error_text.kind_of(data))
    for key in data:
        if key not in keys:
            raise exception.StackValidationFailed(
                path=[*path, key],
                message=_('"%(key)s" is not a valid keyword here. There may '
                          'be: %(allowed)s.') % {
                              'key': key, 'allowed': ', '.join(keys)}
                + suggest.hint(key, keys))


def _check_rule(tmpl: Any, stack: Any, path: list[Any],
                rule: Mapping[str, Any], found: diagnostics.Problems) -> None:
    applies = True
    if rule.get(CONDITION) is not None:
        applies = _holds(tmpl, stack, rule[CONDITION], [*path, CONDITION])
    for where, assertion in _assertions(path, rule):
        with found.noting():
            _check_form(where, assertion, ASSERTION_KEYS)
            holds = _holds(tmpl, stack, assertion.get(ASSERT),
                           [*where, ASSERT])
            if applies and not holds:
                raise exception.StackValidationFailed(
                    path=where, message=str(
                        assertion.get(DESCRIPTION)
                        or _('The parameters do not meet this assertion.')))


def _assertions(path: list[Any],
                rule: Mapping[str, Any]) -> Iterator[tuple[list[Any], Any]]:
    assertions = rule.get(ASSERTIONS)
    if not function.is_list(assertions):
        raise exception.StackValidationFailed(
            path=[*path, ASSERTIONS],
            message=_('The assertions of a rule must be a list'))
    for index, assertion in enumerate(assertions or ()):
        yield [*path, ASSERTIONS, index], assertion


def _check_functions(snippet: Any, path: list[Any]) -> None:
    """Raise StackValidationFailed for a function that rules do not have.

    Left as it is, the call would be a map that no parameter equals.
    """
    if function.is_map(snippet):
        for key, value in snippet.items():
            where = [*path, key]
            if (len(snippet) == 1 and key not in FUNCTIONS
                    and (key == 'Condition'
                         or str(key).startswith('Fn::'))):
                raise exception.StackValidationFailed(
                    path=where, message=_(
                        'Rules do not have the function "%(name)s". They '
                        'have: %(known)s.') % {
                            'name': key, 'known': ', '.join(_AVAILABLE)}
                    + suggest.hint(key, _AVAILABLE))
            _check_functions(value, where)
    elif function.is_list(snippet):
        for index, item in enumerate(snippet):
            _check_functions(item, [*path, index])


def _holds(tmpl: Any, stack: Any, snippet: Any, path: list[Any]) -> bool:
    call = template.parse(FUNCTIONS, stack, snippet, path, tmpl)
    _check_functions(snippet, path)
    function.validate(call, path)
    try:
        value = function.resolve(call)
    except exception.UserParameterMissing:
        return True
    except (exception.HeatException, ValueError, TypeError,
            KeyError) as exc:
        raise exception.StackValidationFailed(
            path=path, message=function.error_text(exc)) from exc
    if not isinstance(value, bool):
        raise exception.StackValidationFailed(
            path=path, message=_('The value must be a boolean or a function '
                                 'that results in one'))
    return value
