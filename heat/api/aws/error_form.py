"""Filter: errors of the filters below in the form that AWS clients read.

Filters of other libraries answer errors as plain text or as HTML. AWS's
client libraries read neither the code nor the text of such an answer.
"""
from collections.abc import Iterable
from wsgiref import types as wsgi_types

from oslo_log import log as logging
import webob

from heat.api.aws import exception

LOG = logging.getLogger(__name__)

#: What the API writes its own errors as, in each of its protocols.
_FORMS = ('xml', 'json', 'cbor')
#: Headers that describe a body, not an error.
_OF_BODY = frozenset(('content-type', 'content-length'))


class ErrorForm:
    """Gives each error answer the form of the AWS query protocol."""

    def __init__(self, application: wsgi_types.WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        request = webob.Request(environ)
        try:
            answer = request.get_response(self.application)
        except Exception as error:  # the seam where errors become answers
            found = exception.map_remote_error(error)
            if found.status_int >= 500:
                LOG.exception('A filter failed')
            return found(environ, start_response)
        if answer.status_int >= 400 and not any(
                form in (answer.content_type or '') for form in _FORMS):
            answer = _formed(request, answer)
        return answer(environ, start_response)


def _formed(request: webob.Request, answer: webob.Response
            ) -> webob.Response:
    """Return an error answer in the form of AWS.

    The status and the headers of the answer stay; its text does not, for it
    may be a page.
    """
    formed = request.get_response(exception.of_status(answer.status_int))
    for name, value in answer.headers.items():
        if name.lower() not in _OF_BODY:
            formed.headers[name] = value
    return formed
