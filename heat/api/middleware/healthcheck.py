"""Answer load balancers that ask whether the service is up.

oslo.middleware provides the check as an application only; this puts it in
front of a pipeline.
"""
from oslo_middleware import healthcheck


class Healthcheck:
    """Hand requests for one path to the check, all others on."""

    def __init__(self, application, check, path):
        self.application = application
        self.check = check
        self.path = path

    def __call__(self, environ, start_response):
        asked = environ.get('PATH_INFO', '').rstrip('/') == self.path
        chosen = self.check if asked else self.application
        return chosen(environ, start_response)


def filter_factory(global_conf, path='/healthcheck', **local_conf):
    """Make the filter; further settings are those of oslo.middleware."""
    check = healthcheck.Healthcheck.app_factory(global_conf, **local_conf)

    def build(application):
        return Healthcheck(application, check, path)

    return build
