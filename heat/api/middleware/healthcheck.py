"""Answer load balancers that ask whether the service is up.

oslo.middleware provides the check as an application only; this puts it in
front of a pipeline, and adds the question whether there is anybody who
could do what users ask for.
"""
import types

from oslo_config import cfg
from oslo_middleware import healthcheck
from oslo_middleware.healthcheck import pluginbase
from oslo_utils import strutils

from heat.common import context
from heat.common import health
from heat.rpc import client as rpc_client


class _Engine(pluginbase.HealthcheckBaseExtension):
    """Whether an engine answers that can reach its database.

    What is wrong is in the log; strangers only see that something is.
    """

    def __init__(self):
        super().__init__(cfg.CONF, {})
        self._client = None
        self._watch = health.Watch('The way to an engine', self._ask)

    def _ask(self):
        if self._client is None:
            self._client = rpc_client.HealthClient()
        return self._client.trouble()

    def healthcheck(self, server_port):
        """Return the result in the form of oslo.middleware."""
        well = self._watch.trouble() is None
        return pluginbase.HealthcheckResult(
            available=well, reason='OK' if well else 'UNAVAILABLE')


class _Check(healthcheck.Healthcheck):
    """The checks that are configured, and ours."""

    def __init__(self, application, conf=None):
        super().__init__(application, conf)
        if strutils.bool_from_string(self.conf.get('ask_engine', 'true'),
                                     strict=True):
            # It is only iterated over.
            self._backends = [  # type: ignore[assignment]
                *self._backends, types.SimpleNamespace(obj=_Engine())]


class Healthcheck:
    """Hand requests for one path to the check, all others on."""

    def __init__(self, application, check, path):
        self.application = application
        self.check = check
        self.path = path

    def __call__(self, environ, start_response):
        # What is logged on the way belongs to no request yet.
        context.forget()
        asked = environ.get('PATH_INFO', '').rstrip('/') == self.path
        chosen = self.check if asked else self.application
        return chosen(environ, start_response)


def filter_factory(global_conf, path='/healthcheck', **local_conf):
    """Make the filter; further settings are those of oslo.middleware.

    With ask_engine = false nobody is asked but this process.
    """
    check = _Check.app_factory(global_conf, **local_conf)

    def build(application):
        return Healthcheck(application, check, path)

    return build
