"""What the controllers of the API share: links and query parameters."""
import enum

import webob.exc

from heat.common import context as heat_context
from heat.common import param_utils
from heat.common.i18n import _

#: The greatest number a database stores as an integer.
MAX_INTEGER = 2 ** 31 - 1


class Kind(enum.StrEnum):
    """How often a query parameter may be given, and what becomes of it."""

    SINGLE = 'single'  # the last value
    MULTI = 'multi'    # a list
    MIXED = 'mixed'    # the value, or a list when there are several


def make_url(req, identity):
    """Return the URL of what an identifier names."""
    return '/'.join((req.application_url, identity.url_path()))


def make_link(req, identity, relationship='self'):
    """Return a link to what an identifier names."""
    return {'href': make_url(req, identity), 'rel': relationship}


def query(req):
    """Return the query parameters.

    :raises HTTPBadRequest: they are not UTF-8 or hold a NUL character.
    """
    try:
        params = req.GET
        damaged = any('\0' in text for pair in params.items()
                      for text in pair)
    except UnicodeDecodeError as exc:
        raise webob.exc.HTTPBadRequest(
            _('The query is not valid UTF-8.')) from exc
    if damaged:
        raise webob.exc.HTTPBadRequest(
            _('The query holds a NUL character.'))
    return params


def allowed_params(params, allowed):
    """Return those query parameters that `allowed` names, by its kinds."""
    result = {}
    for name, kind in allowed.items():
        values = params.getall(name)
        if not values:
            continue
        if kind is Kind.SINGLE:
            result[name] = values[-1]
        elif kind is Kind.MULTI or len(values) > 1:
            result[name] = values
        else:
            result[name] = values[0]
    return result


def extract(extractor, *args, **kwargs):
    """Convert a value with one of the functions of param_utils.

    :raises HTTPBadRequest: the value has the wrong form.
    """
    try:
        return extractor(*args, **kwargs)
    except (ValueError, TypeError) as exc:
        raise webob.exc.HTTPBadRequest(str(exc)) from exc


def boolean(params, name, default=False):
    """Return a true or false query parameter."""
    if name not in params:
        return default
    return extract(param_utils.extract_bool, name, params[name])


def natural(params, name):
    """Return a query parameter that is an integer >= 0, or None."""
    if name not in params:
        return None
    number = extract(param_utils.extract_int, name, params[name],
                     allow_zero=True)
    # As good as no limit, and a number every database takes.
    return min(number, MAX_INTEGER)


def checked_text(name, value, *, required=False):
    """Return a text of a body that goes into a column of its own.

    :raises HTTPBadRequest: it is no text, or one no database stores.
    """
    if value is None and not required:
        return None
    if not isinstance(value, str):
        raise webob.exc.HTTPBadRequest(
            _('"%(name)s" must be a string, not %(type)s.')
            % {'name': name, 'type': json_type(value)})
    if '\0' in value or not is_encodable(value):
        raise webob.exc.HTTPBadRequest(
            _('"%s" holds a character that is not allowed.') % name)
    return value


def checked_type(name, value, kind):
    """Return a value of a body that must be of a type, or None.

    :raises HTTPBadRequest: it is of another type.
    """
    if value is not None and not isinstance(value, kind):
        raise webob.exc.HTTPBadRequest(
            _('"%(name)s" must be %(wanted)s, not %(type)s.')
            % {'name': name, 'wanted': _JSON_TYPES[kind],
               'type': json_type(value)})
    return value


def is_encodable(text):
    """Tell whether a text has no lone surrogates."""
    try:
        text.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


_JSON_TYPES = {dict: 'an object', list: 'a list', str: 'a string',
               bool: 'a boolean', int: 'a number', float: 'a number',
               type(None): 'null'}


def json_type(value):
    """Return the name JSON has for the type of a value."""
    return _JSON_TYPES.get(type(value), type(value).__name__)


def check_sort_dir(options):
    """Check the direction of sorting among query parameters.

    :raises HTTPBadRequest: there is one, and it is neither asc nor desc.
    """
    direction = options.get('sort_dir', 'asc')
    if direction not in ('asc', 'desc'):
        raise webob.exc.HTTPBadRequest(
            _('sort_dir must be "asc" or "desc", not "%s".') % direction)


def admin_context(req):
    """Return a context that sees all projects, for the same request."""
    context = heat_context.get_admin_context()
    context.request_id = req.context.request_id
    return context
