"""The filters in front of the cfn API, by the names of earlier releases."""
from oslo_middleware import http_proxy_to_wsgi

from heat.api.middleware import version_negotiation


def version_negotiation_filter(application, conf, **local_conf):
    """Make the filter that finds the version of a request."""
    return version_negotiation.VersionNegotiation(
        application, 'cloudformation')


def sslmiddleware_filter(application, conf, **local_conf):
    """Make the filter that notes what a proxy in front has been asked."""
    return http_proxy_to_wsgi.HTTPProxyToWSGI(application)
