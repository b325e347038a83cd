"""The application behind the filters of an API that AWS clients use."""
from collections.abc import Iterable
from typing import Any
from wsgiref import types as wsgi_types

from oslo_log import log as logging
import webob

from heat.api.aws import exception
from heat.common import wsgi

LOG = logging.getLogger(__name__)


class Dispatcher:
    """Answers each request, errors in the form of the AWS query protocol."""

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        request = wsgi.Request(environ)
        try:
            response = self._answer(request)
        except Exception as error:  # noqa: BLE001 (each becomes an answer)
            response = exception.map_remote_error(error)
            if response.status_int >= 500:
                LOG.exception('A request failed')
        return response(environ, start_response)

    def _answer(self, request: webob.Request) -> Any:
        """Return the response to a request, or raise an error."""
        raise NotImplementedError
