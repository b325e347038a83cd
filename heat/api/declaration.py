"""Declarations of the requests and answers of API actions.

Requests are checked against these declarations, and the description of the
API that users read is made from them.
"""
from collections.abc import Callable, Iterable, Mapping, Sequence
import dataclasses
import enum
from typing import Any

import webob.exc

from heat.common import param_utils
from heat.common.i18n import _

#: The greatest number a database stores as an integer.
MAX_INTEGER = 2 ** 31 - 1

JSON = Mapping[str, object]


class Repeat(enum.StrEnum):
    """The treatment of a query parameter that is given several times."""

    LAST = 'last'    # the last one counts
    LIST = 'list'    # always a list
    MIXED = 'mixed'  # the value, or a list when there are several


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in the query of a request.

    :param convert: takes name and text; a ValueError of it is the user's.
    :param default: what the action gets when the parameter is not given;
        None leaves it out.
    :param policy: the rule that whoever says true needs besides.
    """

    name: str
    description: str
    schema: JSON
    convert: Callable[[str, str], object] = lambda _name, text: text
    repeat: Repeat = Repeat.LAST
    default: object = None
    policy: str | None = None

    def read(self, texts: Sequence[str]) -> Any:
        """Return the value of what a query gives, or None.

        :param texts: as often as the query has the parameter.
        :raises HTTPBadRequest: it has the wrong form.
        """
        if not texts:
            return self.default
        try:
            if self.repeat is Repeat.LAST:
                return self.convert(self.name, texts[-1])
            values = [self.convert(self.name, text) for text in texts]
        except (ValueError, TypeError) as exc:
            raise webob.exc.HTTPBadRequest(str(exc)) from exc
        if self.repeat is Repeat.MIXED and len(values) == 1:
            return values[0]
        return values


def text(name: str, description: str, **schema: Any) -> Parameter:
    """Return a parameter that is any text."""
    return Parameter(name, description, {'type': 'string', **schema})


def texts(name: str, description: str, repeat: Any = Repeat.LIST, **items: Any
          ) -> Parameter:
    """Return a parameter that may be given several times."""
    return Parameter(
        name, description,
        {'type': 'array', 'items': {'type': 'string', **items}},
        repeat=repeat)


def boolean(name: str, description: str, *, default: Any = False,
            policy: str | None = None) -> Parameter:
    """Return a parameter that is true or false, in any case."""
    return Parameter(name, description,
                     {'type': 'boolean', 'default': default},
                     param_utils.extract_bool, default=default,
                     policy=policy)


def natural(name: str, description: str, **schema: Any) -> Parameter:
    """Return a parameter that is an integer of 0 or more."""
    return Parameter(name, description,
                     {'type': 'integer', 'minimum': 0, **schema}, _natural)


def comma_separated(name: str, description: str) -> Parameter:
    """Return a parameter that is a list of words divided by commas."""
    return Parameter(name, description, {'type': 'string'}, _words)


def choice(name: str, description: str, choices: Any, *, default: Any = None
           ) -> Parameter:
    """Return a parameter that is one of some words."""
    def convert(name: str, given: Any) -> Any:
        if given not in choices:
            raise ValueError(
                _('%(name)s must be %(choices)s, not "%(given)s".')
                % {'name': name, 'given': given,
                   'choices': _(' or ').join(
                       f'"{each}"' for each in choices)})
        return given

    schema = {'type': 'string', 'enum': list(choices)}
    if default is not None:
        schema['default'] = default
    return Parameter(name, description, schema, convert, default=default)


def _natural(name: str, given: Any) -> int:
    number = param_utils.extract_int(name, given, allow_zero=True)
    # As good as no limit, and a number every database takes.
    return min(number, MAX_INTEGER)


def _words(_name: str, given: Any) -> list[str]:
    return [word.strip() for word in given.split(',') if word.strip()]


@dataclasses.dataclass(frozen=True, slots=True)
class Error:
    """A way in which an action refuses.

    :param kind: the type in the answer; several are divided by "|".
    """

    status: int
    kind: str
    when: str


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """All there is to know of one action.

    :param policies: the rules of which the body decides on one, where the
        route does not name the rule.
    :param policies_of_body: takes a body, checked by nobody yet; returns
        those of the policies that what it asks for needs.
    :param closed_query: what is not declared is refused, not ignored.
    :param body: the JSON schema of the body of the request.
    :param response: the JSON schema of the body of the answer.
    :param media_type: the type of that body.
    """

    summary: str
    description: str = ''
    policies: tuple[str, ...] = ()
    policies_of_body: Callable[[JSON], Iterable[str]] = lambda _body: ()
    query: tuple[Parameter, ...] = ()
    closed_query: bool = False
    body: JSON | None = None
    response: JSON | None = None
    media_type: str = 'application/json'
    errors: tuple[Error, ...] = ()

    def policies_of_query(self, params: Any) -> list[str]:
        """Return the rules that what the query asks for needs besides.

        :raises HTTPBadRequest: what would need one has the wrong form.
        """
        return [parameter.policy for parameter in self.query
                if parameter.policy
                and parameter.read(params.getall(parameter.name))]

    def read_query(self, params: Any) -> dict[str, Any]:
        """Return what the query gives, converted; what it lacks is absent.

        :raises HTTPBadRequest: something in it is wrong.
        """
        if self.closed_query:
            self._refuse_unknown(params)
        values = {}
        for parameter in self.query:
            value = parameter.read(params.getall(parameter.name))
            if value is not None:
                values[parameter.name] = value
        return values

    def _refuse_unknown(self, params: Any) -> None:
        known = [parameter.name for parameter in self.query]
        unknown = set(params) - set(known)
        if unknown:
            raise webob.exc.HTTPBadRequest(
                _('Unknown in the query: %(unknown)s; possible are '
                  '%(known)s.') % {'unknown': ', '.join(sorted(unknown)),
                                   'known': ', '.join(known)})


def ref(name: str) -> dict[str, Any]:
    """Return the schema that refers to a named one."""
    return {'$ref': f'#/components/schemas/{name}'}


def record(required: Any, optional: Any = (), **schemas: Any
           ) -> dict[str, Any]:
    """Return the schema of an object that has just these keys."""
    properties = {**required, **dict(optional)}
    return {'type': 'object', 'properties': properties,
            'required': list(required), 'additionalProperties': False,
            **schemas}


def array(items: Any) -> dict[str, Any]:
    """Return the schema of a list."""
    return {'type': 'array', 'items': items}


def wrapped(key: str, schema: Any) -> dict[str, Any]:
    """Return the schema of an object with one key."""
    return record({key: schema})
