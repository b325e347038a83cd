"""Check the body of a request against its declaration."""
from typing import Any

import jsonschema
import webob.exc

from heat.common import template_format
from heat.common.i18n import _

#: How much of a wrong value an error repeats.
_SHOWN = 60

_JSON_TYPES = {dict: 'an object', list: 'a list', str: 'a string',
               bool: 'a boolean', int: 'a number', float: 'a number',
               type(None): 'null'}
_WANTED = {'object': 'an object', 'array': 'a list', 'string': 'a string',
           'boolean': 'a boolean', 'integer': 'an integer',
           'number': 'a number'}


def json_type(value: Any) -> str:
    """Return the name JSON has for the type of a value."""
    return json_kind(type(value))


def json_kind(kind: type) -> str:
    """Return the name JSON has for a type."""
    return _JSON_TYPES.get(kind, kind.__name__)


class Validator:
    """Checks bodies against one schema, which is compiled once.

    That the schema is one is not checked: those of the API are declared in
    the source, and checking them takes longer than the rest of a start.
    """

    def __init__(self, schema: Any) -> None:
        self._validator = jsonschema.Draft202012Validator(schema)

    def check(self, body: Any) -> None:
        """Raise HTTPBadRequest for the first thing that does not fit."""
        error = next(self._validator.iter_errors(body), None)
        if error is not None:
            raise webob.exc.HTTPBadRequest(_message(error))


def _message(error: Any) -> str:
    name = template_format.path_text(tuple(error.absolute_path))
    message = _MESSAGES.get(error.validator, _not_as_declared)
    return message(name, error)


def _type(name: str, error: Any) -> str:
    wanted = error.validator_value
    if isinstance(wanted, str):
        wanted = [wanted]
    return _('"%(name)s" must be %(wanted)s, not %(type)s.') % {
        'name': name, 'type': json_type(error.instance),
        'wanted': _(' or ').join(
            _WANTED[each] for each in wanted if each != 'null')}


def _required(_name: str, error: Any) -> str:
    missing = [key for key in error.validator_value
               if key not in error.instance]
    return _('"%s" is missing in the body.') % '", "'.join(missing)


def _unexpected(_name: str, error: Any) -> str:
    known = error.schema['properties']
    unknown = sorted(set(error.instance) - set(known))
    return _('Unexpected in the body: %(unknown)s; possible are %(known)s.'
             ) % {'unknown': ', '.join(unknown)[:_SHOWN],
                  'known': ', '.join(known)}


def _one_key(_name: str, error: Any) -> str:
    return _('Exactly one of %(known)s is expected, not %(number)d.') % {
        'known': ', '.join(error.schema['properties']),
        'number': len(error.instance)}


def _empty(name: str, error: Any) -> str:
    return _('"%s" must not be empty.') % name


def _not_as_declared(name: str, error: Any) -> str:
    """Tell what is wanted in the words of the declaration."""
    return _('"%(name)s" must be %(wanted)s, not "%(given)s".') % {
        'name': name, 'given': str(error.instance)[:_SHOWN],
        'wanted': error.schema.get('title') or _('what the API says')}


_MESSAGES = {
    'type': _type,
    'required': _required,
    'additionalProperties': _unexpected,
    'minProperties': _one_key,
    'maxProperties': _one_key,
    'minLength': _empty,
}
