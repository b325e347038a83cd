"""Functions that decide, and those that only conditions may use."""
import collections.abc
from collections.abc import Callable
from typing import Any

from heat.common import exception
from heat.common.i18n import _
from heat.engine import function
from heat.engine import template


class If(function.Macro):
    """One of two values, depending on a condition.

    if: [<condition>, <value if it holds>, <value if not>]

    The other value is not even parsed.
    """

    _LENGTHS: tuple[int, ...] = (3,)
    _decided = True

    def parse_args(self, parse_func: Callable[..., Any]) -> Any:
        if not (function.is_list(self.args)
                and len(self.args) in self._LENGTHS):
            raise ValueError(_('The arguments of "%(function)s" must be a '
                               'list of %(lengths)s: a condition and the '
                               'values to choose from') % {
                                   'function': self.fn_name,
                                   'lengths': _(' or ').join(
                                       map(str, self._LENGTHS))})
        condition, *values = self.args
        path = [*getattr(parse_func, 'path', ()), 0]
        holds = self._holds(condition, path)
        if holds is None:
            self._decided = False
            return [parse_func(value, [number])
                    for number, value in enumerate(values, 1)]
        chosen = 0 if holds else 1
        if chosen == len(values):
            return function.NOTHING
        # The path counts the condition.
        return parse_func(values[chosen], [chosen + 1])

    def _holds(self, condition: Any, path: list[Any]) -> bool | None:
        """Say whether the condition holds; None if nobody can know."""
        if isinstance(condition, bool):
            return condition
        if not isinstance(condition, (str, collections.abc.Mapping)):
            raise ValueError(_('The first argument of "%s" must be a '
                               'condition') % self.fn_name)
        if self.stack is None:
            return None
        parsed = self.template.parse_condition(self.stack, condition, path)
        return bool(
            self.template.conditions(self.stack).is_enabled(parsed))

    def result(self) -> Any:
        # Without a stack, as where only the form of a template is of
        # interest, there is nothing to choose by.
        return super().result() if self._decided else None


class IfNullable(If):
    """One of two values, or nothing, depending on a condition.

    if: [<condition>, <value if it holds>, <value if not>]
    if: [<condition>, <value if it holds>]

    Nothing means that the list item or map entry goes away.
    """

    _LENGTHS = (2, 3)


class ConditionBoolean(function.Function):
    """Base class of the functions that combine conditions."""

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._check_args()

    def _check_args(self) -> None:
        """Raise ValueError if these cannot be the arguments."""
        if not (function.is_list(self.args) and len(self.args) >= 2):
            raise ValueError(_('The arguments of "%s" must be a list of at '
                               'least two conditions') % self.fn_name)

    def _get_condition(self, arg: Any) -> bool:
        """Return what an argument, a condition, amounts to."""
        if isinstance(arg, bool):
            return arg
        stack = self.stack
        return bool(stack.t.conditions(stack).is_enabled(arg))


class Not(ConditionBoolean):
    """Whether a condition does not hold.

    not: <condition>
    """

    def _check_args(self) -> None:
        self.condition = self.args
        if self.args is None:
            raise ValueError(_('The argument of "%s" must be a condition')
                             % self.fn_name)

    def result(self) -> bool:
        return not self._get_condition(self.condition)


class And(ConditionBoolean):
    """Whether all of some conditions hold.

    and: [<condition>, <condition>, ...]
    """

    def result(self) -> bool:
        return all(self._get_condition(arg) for arg in self.args)


class Or(ConditionBoolean):
    """Whether at least one of some conditions holds.

    or: [<condition>, <condition>, ...]
    """

    def result(self) -> bool:
        return any(self._get_condition(arg) for arg in self.args)


class Equals(function.Function):
    """Whether two values are equal.

    equals: [<value>, <value>]
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not (function.is_list(args) and len(args) == 2):
            raise ValueError(_('The arguments of "%s" must be a list of two '
                               'values') % fn_name)
        self._left, self._right = args

    def result(self) -> bool:
        return bool(function.resolve(self._left)
                    == function.resolve(self._right))


class Contains(function.Function):
    """Whether a value is in a list, or a text in another.

    contains: [<value>, <list or text>]
    """

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        self._value, self._sequence = function.two_of(
            fn_name, args, _('The arguments of "%s" must be a value and a '
                             'list or text'))

    def result(self) -> bool:
        value = function.resolve(self._value)
        sequence = function.resolve(self._sequence)
        if not isinstance(sequence, collections.abc.Sequence):
            raise TypeError(_('The second argument of "%s" must be a list or '
                              'text') % self.fn_name)
        if isinstance(sequence, str) and not isinstance(value, str):
            raise TypeError(_('"%s" can search a text only for a text')
                            % self.fn_name)
        return value in sequence


class Removed(function.Function):
    """A function that this version of the language no longer has."""

    is_removed = True

    def validate(self) -> None:
        self.result()

    def result(self) -> Any:
        raise exception.InvalidTemplateVersion(
            explanation=_('The function "%(name)s" is not part of this '
                          'version of the template language, only of: '
                          '%(versions)s.') % {
                              'name': self.fn_name, 'versions': ', '.join(
                                  template.versions_with(self.fn_name))})
