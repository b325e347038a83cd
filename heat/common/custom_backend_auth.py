"""Filter: let the cloud backend of the engine say whether a user is good."""
from oslo_log import log as logging
import webob.exc

from heat.common import wsgi
from heat.common.i18n import _
from heat.rpc import client as rpc_client

LOG = logging.getLogger(__name__)


class AuthProtocol(wsgi.Middleware):
    """Asks the engine; the context filter comes before this one."""

    def __init__(self, app, conf):
        super().__init__(app, conf)
        self._client = None

    def process_request(self, request):
        """Refuse requests that the backend does not know."""
        if self._client is None:
            self._client = rpc_client.EngineClient()
        if self._client.authenticated_to_backend(request.context):
            return None
        LOG.info('The cloud backend refused a request')
        return webob.exc.HTTPUnauthorized(
            _('Backend authentication failed'))


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return AuthProtocol(app, conf)
    return make
