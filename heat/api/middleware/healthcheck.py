"""Answer load balancers that ask whether the service is up.

oslo.middleware provides the check as an application only; this puts it in
front of a pipeline, and adds the question whether there is anybody who
could do what users ask for.
"""
from collections.abc import Callable, Iterable
import types
from typing import Any
from wsgiref import types as wsgi_types

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

    def __init__(self) -> None:
        super().__init__(cfg.CONF, {})
        self._client: rpc_client.HealthClient | None = None
        self._watch = health.Watch('The way to an engine', self._ask)

    def _ask(self) -> Any:
        if self._client is None:
            self._client = rpc_client.HealthClient()
        return self._client.trouble()

    def healthcheck(self, server_port: Any) -> Any:
        """Return the result in the form of oslo.middleware."""
        well = self._watch.trouble() is None
        return pluginbase.HealthcheckResult(
            available=well, reason='OK' if well else 'UNAVAILABLE')


class _Check(healthcheck.Healthcheck):
    """The checks that are configured, and ours."""

    def __init__(self, application: wsgi_types.WSGIApplication,
                 conf: Any = None) -> None:
        super().__init__(application, conf)
        if strutils.bool_from_string(self.conf.get('ask_engine', 'true'),
                                     strict=True):
            # It is only iterated over.
            self._backends = [  # type: ignore[assignment]
                *self._backends, types.SimpleNamespace(obj=_Engine())]


class Healthcheck:
    """Hand requests for one path to the check, all others on."""

    def __init__(self, application: wsgi_types.WSGIApplication, check: Any,
                 path: str) -> None:
        self.application = application
        self.check = check
        self.path = path

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        # What is logged on the way belongs to no request yet.
        context.forget()
        asked = environ.get('PATH_INFO', '').rstrip('/') == self.path
        chosen = self.check if asked else self.application
        return chosen(environ, start_response)


def filter_factory(global_conf: Any, path: str = '/healthcheck',
                   **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Make the filter; further settings are those of oslo.middleware.

    With ask_engine = false nobody is asked but this process.
    """
    check = _Check.app_factory(global_conf, **local_conf)

    def build(application: wsgi_types.WSGIApplication) -> Any:
        return Healthcheck(application, check, path)

    return build
