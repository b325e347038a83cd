"""Give each request an id, for its answer and for all that is logged."""
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref import types as wsgi_types

from oslo_middleware import request_id

from heat.common import context


class RequestId(request_id.RequestId):
    """Also has the log know the id, before anybody knows who asks."""

    def __init__(self, application: wsgi_types.WSGIApplication,
                 conf: Any = None) -> None:
        super().__init__(_Logged(application), conf)


class _Logged:
    """Begins the log of a request with nothing but its id."""

    def __init__(self, application: wsgi_types.WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        context.begin_request(environ)
        return self.application(environ, start_response)


def filter_factory(global_conf: Any, **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Make the filter."""
    return RequestId.factory(global_conf, **local_conf)
