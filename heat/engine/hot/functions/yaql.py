"""The yaql function: queries in a small language, within limits."""
import collections.abc
import functools
import re
from typing import Any

import yaql
from yaql.language import exceptions

from heat.common import json_text
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.sandbox import yaql as bounded_yaql

#: Statements of longer queries are not kept: they take much memory.
_CACHED_LENGTH = 500


# What operators and functions of the query language raise, besides errors
# of its own.
_FAILURES = (ArithmeticError, AttributeError, LookupError, MemoryError,
             RecursionError, TypeError, ValueError, re.error)


@functools.lru_cache(maxsize=4)
def _engine(limit_iterators: int, memory_quota: int) -> Any:
    return yaql.YaqlFactory().create({
        'yaql.limitIterators': limit_iterators,
        'yaql.memoryQuota': memory_quota,
        'yaql.convertTuplesToLists': True,
        'yaql.convertSetsToLists': True,
    })


@functools.lru_cache(maxsize=256)
def _statement(expression: str, limit_iterators: int,
               memory_quota: int) -> Any:
    return bounded_yaql.parse(_engine(limit_iterators, memory_quota),
                              expression)


class Yaql(function.Function):
    """The result of a query on some data.

    yaql:
      expression: <query, in which $.data are the data>
      data: <anything>
    """

    _EXPRESSION = 'expression'
    _DATA = 'data'

    def __init__(self, stack: Any, fn_name: str, args: Any) -> None:
        super().__init__(stack, fn_name, args)
        if not isinstance(args, collections.abc.Mapping):
            raise TypeError(_('The arguments of "%s" must be a map')
                            % fn_name)
        if (self._EXPRESSION not in args
                or set(args) - {self._EXPRESSION, self._DATA}):
            raise KeyError(_('The arguments of "%s" must be "expression" and '
                             'perhaps "data"') % fn_name)
        self._expression = args[self._EXPRESSION]
        self._data = args.get(self._DATA, {})

    def validate(self) -> None:
        super().validate()
        if not isinstance(self._expression, function.Function):
            self._parsed(self._expression)

    def _parsed(self, expression: Any) -> Any:
        if not isinstance(expression, str):
            raise TypeError(_('The expression of "%s" must be a string')
                            % self.fn_name)
        if len(expression) > bounded_yaql.MAX_EXPRESSION:
            raise ValueError(
                _('The expression of "%(function)s" may have at most '
                  '%(limit)d characters') % {
                      'function': self.fn_name,
                      'limit': bounded_yaql.MAX_EXPRESSION})
        limits = request_budget.limits()
        quotas = limits.yaql_iterators, limits.yaql_memory
        try:
            if len(expression) > _CACHED_LENGTH:
                return bounded_yaql.parse(_engine(*quotas), expression)
            return _statement(expression, *quotas)
        except exceptions.YaqlException as exc:
            raise ValueError(_('Bad expression %s') % exc) from exc

    def result(self) -> Any:
        statement = self._parsed(function.resolve(self._expression))
        data = {self._DATA: function.resolve(self._data)}
        # NOTE: evaluation writes into the context it is given.
        context = bounded_yaql.root_context().create_child_context()
        try:
            with bounded_yaql.limited_time():
                value = statement.evaluate(data=data, context=context)
        except (exceptions.YaqlException, *_FAILURES) as exc:
            raise ValueError(_('The expression of "%(function)s" failed: '
                               '%(error)s') % {
                                   'function': self.fn_name,
                                   'error': function.error_text(exc)
                               }) from exc
        # An escape in an expression may stand for no character.
        json_text.require_storable(value)
        return value
