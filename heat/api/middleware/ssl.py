"""The filter for proxies, by the name of earlier releases."""
from typing import Any
from wsgiref import types as wsgi_types

from oslo_middleware import http_proxy_to_wsgi


def SSLMiddleware(application: wsgi_types.WSGIApplication, conf: Any,
                  **local_conf: str) -> Any:  # noqa: N802
    """Make the filter that notes what a proxy in front has been asked."""
    return http_proxy_to_wsgi.HTTPProxyToWSGI(application)
