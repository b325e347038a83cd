"""The filters in front of the cfn API, by the names of earlier releases."""
from typing import Any
from wsgiref import types as wsgi_types

from oslo_middleware import http_proxy_to_wsgi

from heat.api.middleware import version_negotiation


def version_negotiation_filter(application: wsgi_types.WSGIApplication,
                               conf: Any, **local_conf: str) -> Any:
    """Make the filter that finds the version of a request."""
    return version_negotiation.VersionNegotiation(
        application, 'cloudformation')


def sslmiddleware_filter(application: wsgi_types.WSGIApplication, conf: Any,
                         **local_conf: str) -> Any:
    """Make the filter that notes what a proxy in front has been asked."""
    return http_proxy_to_wsgi.HTTPProxyToWSGI(application)
