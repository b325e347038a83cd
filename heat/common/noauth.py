"""Filter: every client is the user it names, an administrator.

For development and for a service that only trusted programs reach.
"""
from oslo_config import cfg
from oslo_serialization import jsonutils
import webob.exc

from heat.common import exception
from heat.common import identity_headers
from heat.common import local_requests
from heat.common import wsgi
from heat.common.i18n import _


class FakeAuthProtocol(wsgi.Middleware):
    """Takes the user from the headers and the project from the path."""

    def process_request(self, request):
        """Put the identity into the headers that the context is made of.

        :raises HTTPExceptionDisguise: a web page of another site may have
            caused the request, or it names no project that can be one.
        """
        project = identity_headers.project_of(request.readable_path())
        try:
            local_requests.refuse_foreign(request, needs_json=True)
            if not identity_headers.is_plain(project):
                raise webob.exc.HTTPBadRequest(
                    _('The project in the path has control characters.'))
        except webob.exc.HTTPException as error:
            raise exception.HTTPExceptionDisguise(error) from error
        identify(request, project)


def identify(request, project):
    """Let a request be one of the user it names, in a project."""
    identity_headers.remove(request.environ)
    headers = request.headers
    user = headers.get('X-Auth-User') or 'admin'
    headers['X-Identity-Status'] = 'Confirmed'
    headers['X-User-Id'] = headers['X-User-Name'] = user
    headers['X-Roles'] = 'admin'
    if project:
        headers['X-Project-Id'] = headers['X-Project-Name'] = project
    if cfg.CONF.noauth.token_response:
        request.environ['keystone.token_info'] = jsonutils.loads(
            cfg.CONF.noauth.token_response)


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return FakeAuthProtocol(app, conf)
    return make
