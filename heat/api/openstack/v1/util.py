"""Helpers of the API controllers: links and checks of values."""
from collections.abc import Callable
from typing import Any

import webob.exc

from heat.api import request_body
from heat.common import context as heat_context
from heat.common.i18n import _


def make_url(req: webob.Request, identity: Any) -> str:
    """Return the URL of what an identifier names."""
    return f'{req.application_url}/{identity.url_path()}'


def make_link(req: webob.Request, identity: Any, relationship: str = 'self'
              ) -> dict[str, str]:
    """Return a link to what an identifier names."""
    return {'href': make_url(req, identity), 'rel': relationship}


def extract(extractor: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Convert a value with one of the functions of param_utils.

    :raises HTTPBadRequest: the value has the wrong form.
    """
    try:
        return extractor(*args, **kwargs)
    except (ValueError, TypeError) as exc:
        raise webob.exc.HTTPBadRequest(str(exc)) from exc


def checked_text(name: str, value: Any, *, required: bool = False
                 ) -> str | None:
    """Return a text of a body that goes into a column of its own.

    :raises HTTPBadRequest: it is no text, or one no database stores.
    """
    if value is None and not required:
        return None
    if not isinstance(value, str):
        raise webob.exc.HTTPBadRequest(
            _('"%(name)s" must be a string, not %(type)s.')
            % {'name': name, 'type': request_body.json_type(value)})
    if '\0' in value or not is_encodable(value):
        raise webob.exc.HTTPBadRequest(
            _('"%s" holds a character that is not allowed.') % name)
    return value


def checked_type(name: str, value: Any, kind: type) -> Any:
    """Return a value of a body that must be of a type, or None.

    :raises HTTPBadRequest: it is of another type.
    """
    if value is not None and not isinstance(value, kind):
        raise webob.exc.HTTPBadRequest(
            _('"%(name)s" must be %(wanted)s, not %(type)s.')
            % {'name': name, 'wanted': request_body.json_kind(kind),
               'type': request_body.json_type(value)})
    return value


def is_encodable(text: str) -> bool:
    """Return whether a text has no lone surrogates."""
    try:
        text.encode('utf-8')
    except UnicodeEncodeError:
        return False
    return True


def admin_context(req: webob.Request) -> Any:
    """Return a context that sees all projects, for the same request."""
    context = heat_context.get_admin_context()
    context.request_id = req.context.request_id
    return context
