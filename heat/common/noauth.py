"""Filter: whoever reaches the port is who he says, an administrator.

For development and for a service that only trusted programs reach.
"""
import re

from oslo_config import cfg
from oslo_serialization import jsonutils

from heat.common import wsgi

_VERSION = re.compile(r'^v\d+(\.\d+)?$')


class FakeAuthProtocol(wsgi.Middleware):
    """Takes the user from the headers and the project from the path."""

    def process_request(self, request):
        """Put the identity into the headers that the context is made of."""
        identify(request, _project_of(request.readable_path()))


def identify(request, project):
    """Let a request be one of the user it names, in a project."""
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


def _project_of(path):
    """Return the project that a path names, with or without version."""
    parts = [part for part in path.split('/') if part]
    if parts and _VERSION.match(parts[0]):
        parts = parts[1:]
    return parts[0] if parts else None


def filter_factory(global_conf, **local_conf):
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(app):
        return FakeAuthProtocol(app, conf)
    return make
