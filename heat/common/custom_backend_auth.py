"""Filter: let the cloud backend of the engine say whether a user is good."""
from keystoneauth1 import exceptions as ks_exceptions
from oslo_log import log as logging
import webob.exc

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identity_headers
from heat.common import wsgi
from heat.common.i18n import _
from heat.rpc import client as rpc_client

LOG = logging.getLogger(__name__)


class AuthProtocol(wsgi.Middleware):
    """Asks the engine; the context filter comes before this one.

    The user is the one whose password or token the request has, in the
    project that the path names, with the roles that Keystone knows of.
    """

    def __init__(self, app, conf):
        super().__init__(app, conf)
        self._client = None

    def process_request(self, request):
        """Refuse requests that the backend does not know."""
        if self._client is None:
            self._client = rpc_client.EngineClient(is_for_users=True)
        context = _unproven(request)
        if context is not None and (
                self._client.authenticated_to_backend(context)):
            proven = _proven(context)
            if proven is not None:
                request.context = proven
                return None
        LOG.info('The cloud backend refused a request')
        return webob.exc.HTTPUnauthorized(
            _('Backend authentication failed'))


def _unproven(request):
    """Return a context of what the request can prove, without authority.

    There is none for what cannot be a project.
    """
    project = identity_headers.project_of(request.readable_path())
    if not identity_headers.is_plain(project):
        return None
    given = request.context
    domain = identity_headers.claim(request.environ, 'X-User-Domain-Id')
    return heat_context.RequestContext(
        username=given.username, password=given.password,
        auth_token=given.auth_token, auth_url=given.auth_url,
        user_domain_id=(domain or 'default') if given.password else None,
        project_id=project,
        request_id=given.request_id,
        global_request_id=given.global_request_id, is_admin=False)


def _proven(context):
    """Return the context of who Keystone says it is, None if nobody."""
    try:
        access = context.auth_plugin.get_access(context.keystone_session)
    except (exception.AuthorizationFailure,
            ks_exceptions.ClientException) as error:
        LOG.info('Keystone does not say who asks: %s', type(error).__name__)
        return None
    if access.project_id != context.project_id:
        return None
    values = context.to_dict()
    values.update(
        user_id=access.user_id, username=access.username,
        roles=list(access.role_names), project_name=access.project_name,
        user_domain_id=access.user_domain_id,
        project_domain_id=access.project_domain_id, is_admin=None)
    return heat_context.RequestContext.from_dict(values)


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return AuthProtocol(app, conf)
    return make
