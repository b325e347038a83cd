"""The filter for proxies, by the name of earlier releases."""
from oslo_middleware import http_proxy_to_wsgi


def SSLMiddleware(application, conf, **local_conf):  # noqa: N802
    """Make the filter that notes what a proxy in front has been asked."""
    return http_proxy_to_wsgi.HTTPProxyToWSGI(application)
