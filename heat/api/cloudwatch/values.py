"""The parameters of an action, each read and checked when asked for."""
from collections.abc import Collection, Mapping
import datetime
import math
from typing import Any

from heat.api.aws import exception
from heat.api.aws import protocols
from heat.common import timeutils
from heat.common import watch_words as words
from heat.common.i18n import _

#: Most digits of a number that is written as a text.
_DIGITS_MAX = 64
#: The last moment that a time may be: the end of the year 9999.
_LAST_MOMENT = 253402300799


class InvalidTokenError(exception.HeatInvalidParameterValueError):
    """NextToken is none that this service has given."""

    title = 'InvalidNextToken'
    explanation = _('NextToken is none that this service has given.')


def wrong(name: str, reason: Any
          ) -> exception.HeatInvalidParameterValueError:
    """Return the error about the value of a parameter."""
    return exception.HeatInvalidParameterValueError(
        _('The value of the parameter %(name)s is invalid: %(reason)s')
        % {'name': name, 'reason': reason})


class Values:
    """The parameters of an action, or of a member of a list.

    Raises the errors of heat.api.aws.exception.

    :param prefix: what comes before the names in errors
    """

    def __init__(self, values: Mapping[str, Any], prefix: str = '') -> None:
        self._values = values
        self._prefix = prefix

    def has(self, name: str) -> bool:
        """Return whether a parameter is given."""
        return self._values.get(name) is not None

    def full(self, name: str) -> str:
        """Return the name of a parameter as errors have it."""
        return self._prefix + name

    def refuse(self, *names: str) -> None:
        """Raise an error if one of the parameters is given."""
        for name in names:
            if self.has(name):
                raise wrong(self.full(name), _('it is not supported here'))

    def required(self, name: str) -> Any:
        """Return a parameter that has to be given."""
        if not self.has(name):
            raise exception.HeatMissingParameterError(
                _('The parameter %s is required.') % self.full(name))
        return self._values[name]

    def any_text(self, name: str, most: int) -> str:
        """Return a text of any characters that a database stores."""
        value = self.required(name)
        if not isinstance(value, str) or len(value) > most:
            raise wrong(self.full(name), _(
                'it must be a text of %d characters at most') % most)
        if '\0' in value or not value.isprintable() and any(
                '\ud800' <= each <= '\udfff' for each in value):
            raise wrong(self.full(name), _(
                'it has characters that no database stores'))
        return value

    def text(self, name: str, most: int = words.NAME_MAX) -> str:
        """Return a text of ASCII characters, one at least."""
        value = self.required(name)
        if not words.is_text(value, most):
            raise wrong(self.full(name), _(
                'it must be a text of 1 to %d ASCII characters') % most)
        return str(value)

    def choice(self, name: str, known: Collection[str]) -> str:
        """Return a text that is one of some."""
        value = self.required(name)
        if not isinstance(value, str) or value not in known:
            raise wrong(self.full(name), _('it must be one of %s')
                        % ', '.join(known))
        return value

    def number(self, name: str) -> float:
        """Return a finite number in the range that metrics have."""
        return self._number(name, self.required(name))

    def numbers(self, name: str, most: int) -> list[float]:
        """Return a list of such numbers."""
        return [self._number(name, each) for each in self.items(name, most)]

    def _number(self, name: str, value: Any) -> float:
        number = None
        if isinstance(value, str) and len(value) <= _DIGITS_MAX or (
                isinstance(value, int | float) and not isinstance(
                    value, bool)):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                number = math.nan
        if number is None or not words.is_storable(number):
            raise wrong(self.full(name), _(
                'it must be a finite number, of an amount between 2^-360 and '
                '2^360 unless it is 0'))
        return number

    def integer(self, name: str, least: int, most: int) -> int:
        """Return a whole number between two bounds."""
        value = self.required(name)
        number = None
        if isinstance(value, str) and value.isascii() and (
                value.isdigit() and len(value) < _DIGITS_MAX):
            number = int(value)
        elif isinstance(value, int | float) and not isinstance(
                value, bool) and value == value // 1:
            number = int(value) if abs(value) <= most else most + 1
        if number is None or not least <= number <= most:
            raise wrong(self.full(name), _(
                'it must be a whole number from %(least)d to %(most)d')
                % {'least': least, 'most': most})
        return number

    def moment(self, name: str) -> int:
        """Return a time in whole seconds since 1970."""
        value, seconds = self.required(name), None
        try:
            if isinstance(value, str) and len(value) <= _DIGITS_MAX:
                value = timeutils.parse_isotime(value)
            if isinstance(value, datetime.datetime):
                if value.tzinfo is None:
                    value = value.replace(tzinfo=datetime.UTC)
                seconds = value.timestamp()
            elif isinstance(value, int | float) and not isinstance(
                    value, bool) and math.isfinite(value):
                seconds = float(value)
        except (ValueError, OverflowError):
            seconds = None
        if seconds is None or not 0 <= seconds <= _LAST_MOMENT:
            raise wrong(self.full(name), _('it must be a time'))
        return int(seconds // 1)

    def items(self, name: str, most: int) -> list[Any]:
        """Return a list, one of none if it is not given."""
        value = self._values.get(name)
        if value is None or value == '':
            return []
        if not isinstance(value, list):
            raise wrong(self.full(name), _('it must be a list'))
        if len(value) > most:
            raise wrong(self.full(name), _(
                'it may have %d members at most') % most)
        return value

    def members(self, name: str, most: int) -> list['Values']:
        """Return a list of maps, each to be read in the same way."""
        found = []
        for number, each in enumerate(self.items(name, most), 1):
            if not isinstance(each, dict):
                raise wrong(self.full(name), _('its members must be maps'))
            found.append(Values(
                each, f'{self.full(name)}.member.{number}.'))
        return found

    def member(self, name: str) -> 'Values':
        """Return a map that has to be given."""
        value = self.required(name)
        if not isinstance(value, dict):
            raise wrong(self.full(name), _('it must be a map'))
        return Values(value, f'{self.full(name)}.')

    def texts(self, name: str, most: int) -> list[str]:
        """Return a list of texts."""
        value = self.items(name, most)
        for each in value:
            if not words.is_text(each, words.NAME_MAX):
                raise wrong(self.full(name), _(
                    'its members must be texts of 1 to %d ASCII characters')
                    % words.NAME_MAX)
        return value

    def token(self) -> str | None:
        """Return what NextToken stands for, None for the first page."""
        if not self.has('NextToken'):
            return None
        try:
            return protocols.text_of_token(self.any_text('NextToken', 2048))
        except ValueError as error:
            raise InvalidTokenError() from error

    # -- what several actions have ------------------------------------------

    def dimensions(self, most: int = words.DIMENSIONS_MAX, *,
                   with_values: bool = True) -> dict[str, str | None]:
        """Return dimensions as a map.

        :param with_values: whether each of them must have a value
        """
        found: dict[str, str | None] = {}
        for each in self.members('Dimensions', most):
            name = each.text('Name')
            if name in found:
                raise wrong(each.full('Name'), _('it is given twice'))
            found[name] = (each.text('Value', words.VALUE_MAX)
                           if with_values or each.has('Value') else None)
        return found

    def namespace(self) -> str:
        """Return the namespace of metrics."""
        value = self.text('Namespace')
        if value.startswith(':'):
            raise wrong(self.full('Namespace'), _(
                'it must not begin with a colon'))
        return value

    def metric(self) -> dict[str, Any]:
        """Return the metric that an action is about."""
        return {'namespace': self.namespace(),
                'name': self.text('MetricName'),
                'dimensions': self.dimensions()}

    def unit(self) -> str | None:
        """Return the unit; None for data of any unit."""
        return (self.choice('Unit', words.UNITS) if self.has('Unit')
                else None)
