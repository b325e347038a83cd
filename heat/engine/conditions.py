"""The named conditions of a template and what they amount to."""
from collections.abc import Mapping
import threading
from typing import Any

from heat.common import exception
from heat.common import request_budget
from heat.common.i18n import _
from heat.engine import function
from heat.engine.language import diagnostics
from heat.engine.language import suggest

#: How many conditions may be evaluated because of one, each for the next.
MAX_CHAIN = 50


class Conditions:
    """Parsed condition definitions; each is evaluated once, when needed."""

    def __init__(self, conditions: Mapping[str, Any],
                 section: str = 'conditions') -> None:
        self._conditions = conditions
        self._section = section
        #: Whether a condition holds that a missing value decides: there
        #: are none yet where a template is only looked at.
        self.lenient = False
        self._resolved: dict[str, bool] = {}
        self._resolving: set[str] = set()
        # Threads share a definition; one must not take the names another
        # is busy with for a circle.
        self._lock = threading.RLock()

    def validate(self) -> None:
        """Evaluate every definition.

        Raises StackValidationFailed with the path of the first bad one.
        A bad one holds from then on: more errors can be found so.
        """
        with diagnostics.Problems() as found:
            for name, definition in self._conditions.items():
                if found.full:
                    break
                if not self._is_valid(name, definition, found):
                    self._resolved[name] = True

    def _is_valid(self, name: str, definition: Any,
                  found: diagnostics.Problems) -> bool:
        path = [self._section, name]
        try:
            with request_budget.work():
                request_budget.check()
                function.validate(definition, path)
                self.is_enabled(name)
        except (exception.HeatException, ValueError, TypeError,
                KeyError) as exc:
            cause = exc.__cause__
            if isinstance(cause, exception.UserParameterMissing):
                # Clients know it by its class.
                cause.place(getattr(exc, 'path', path))
                exc = cause
            found.note(exc, path)
            return False
        return True

    def is_enabled(self, condition: Any) -> bool:
        """Say whether a condition (name, boolean or function) holds.

        No condition at all holds always. Raises ValueError for what is not
        a condition.
        """
        if condition is None:
            return True
        if isinstance(condition, bool):
            return condition
        if isinstance(condition, function.Function):
            return self._evaluate(condition)
        if isinstance(condition, str) and condition in self._conditions:
            return self._named(condition)
        raise ValueError(
            _('There is no condition "%s".') % (condition,)
            + suggest.hint(condition, self._conditions))

    def _named(self, name: str) -> bool:
        if name in self._resolved:
            return self._resolved[name]
        with self._lock:
            if name in self._resolving:
                raise ValueError(
                    _('The definition of condition "%s" refers to itself')
                    % name)
            if len(self._resolving) >= MAX_CHAIN:
                raise ValueError(
                    _('More than %d conditions refer to one another')
                    % MAX_CHAIN)
            self._resolving.add(name)
            try:
                enabled = self.is_enabled(self._definition(name))
            finally:
                self._resolving.discard(name)
            self._resolved[name] = enabled
        return enabled

    def _definition(self, name: str) -> Any:
        definition = self._conditions[name]
        if not isinstance(definition, (bool, str, function.Function)):
            raise ValueError(
                _('The definition of condition "%s" must be a boolean, '
                  'another condition or a condition function') % name)
        return definition

    def _evaluate(self, call: function.Function) -> bool:
        try:
            value = function.resolve(call)
        except (exception.HeatException, ValueError, TypeError,
                KeyError) as exc:
            if self.lenient and _wants_value(exc):
                return True
            raise
        if not isinstance(value, bool):
            raise ValueError(
                _('A condition must be a boolean, but %(name)s results in '
                  '"%(value)s"') % {'name': call.fn_name, 'value': value})
        return value


def _wants_value(exc: BaseException | None) -> bool:
    """Return whether an error comes from a parameter without a value."""
    while exc is not None:
        if isinstance(exc, exception.UserParameterMissing):
            # One that is not defined at all has a reason.
            return 'reason' not in exc.kwargs
        exc = exc.__cause__
    return False
