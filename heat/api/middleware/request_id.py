"""Give each request an id, for its answer and for all that is logged."""
from oslo_middleware import request_id

from heat.common import context


class RequestId(request_id.RequestId):
    """Also has the log know the id, before anybody knows who asks."""

    def __init__(self, application, conf=None):
        super().__init__(_Logged(application), conf)


class _Logged:
    """Begins the log of a request with nothing but its id."""

    def __init__(self, application):
        self.application = application

    def __call__(self, environ, start_response):
        context.begin_request(environ)
        return self.application(environ, start_response)


def filter_factory(global_conf, **local_conf):
    """Make the filter."""
    return RequestId.factory(global_conf, **local_conf)
