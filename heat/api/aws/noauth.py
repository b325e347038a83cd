"""Filter: every client of the cfn API is an administrator.

For development, and for a service that only trusted programs reach. The
project is the one of the resource that a signal is for; else the access
key that a client signs with stands for it.
"""
from collections.abc import Callable
from typing import Any
from wsgiref import types as wsgi_types

import webob.exc

from heat.api.aws import ec2token
from heat.api.aws import exception
from heat.api.aws import utils
from heat.common import exception as heat_exception
from heat.common import identifier
from heat.common import identity_headers
from heat.common import local_requests
from heat.common import noauth
from heat.common import wsgi


class FakeSignature(wsgi.Middleware):
    """Takes who asks from what the request says, and checks nothing."""

    def process_request(self, request: webob.Request) -> Any:
        """Put the identity into the headers that the context is made of."""
        try:
            # Forms come from clients, too: the type tells nothing.
            local_requests.refuse_foreign(request, needs_json=False)
            project = self._project_of(request)
            if not identity_headers.is_plain(project):
                raise ValueError(project)
        except webob.exc.HTTPForbidden as error:
            return exception.HeatAccessDeniedError(error.detail)
        except ValueError:
            return exception.HeatInvalidParameterValueError()
        except (exception.HeatAPIException,
                heat_exception.RequestLimitExceeded) as error:
            return exception.map_remote_error(error)
        if project is None:
            return exception.HeatMissingAuthenticationTokenError()
        noauth.identify(request, project)
        return None

    @staticmethod
    def _project_of(request: webob.Request) -> Any:
        path = request.path_info
        found = path.lower().find('arn:')
        if found >= 0:
            arn = path[found:]
            return identifier.HeatIdentifier.from_arn(arn).tenant
        return ec2token.Claim.of(request, utils.params_of(request)).access


def filter_factory(global_conf: Any, **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Return the paste filter."""
    conf = {**global_conf, **local_conf}

    def make(application: wsgi_types.WSGIApplication) -> Any:
        return FakeSignature(application, conf)
    return make
