"""Find the version a request is for, in its path or its Accept header.

The version is moved from the path to the base address, so that what lies
below knows nothing of it and links still carry it.
"""
from collections.abc import Callable, Iterable
import re
from typing import Any
from wsgiref import types as wsgi_types

import webob.exc

from heat.api import versions
from heat.api.aws import error_form
from heat.api.openstack.v1 import openapi

VERSION = re.compile(r'^v(\d+)\.?(\d+)?')
SERVED = {(1, 0)}
MEDIA_TYPE = 'application/vnd.openstack.%s-'


def parse_version(text: str) -> tuple[int, int] | None:
    """Return (major, minor) of a text like v1 or v1.0, None otherwise."""
    found = VERSION.match(text)
    if found is None:
        return None
    return int(found.group(1)), int(found.group(2) or 0)


class VersionNegotiation:
    """Route requests of a served version, list versions for others."""

    def __init__(self, application: wsgi_types.WSGIApplication, service: str
                 ) -> None:
        self.application = application
        self.media_type = MEDIA_TYPE % service
        # The list of versions asks for no token, and neither does this.
        self.described = service == 'orchestration'

    def __call__(self, environ: wsgi_types.WSGIEnvironment,
                 start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
        return self._choose(environ)(environ, start_response)

    def _choose(self, environ: wsgi_types.WSGIEnvironment) -> Any:
        """Return the application that answers, adjusting the path."""
        path = environ.get('PATH_INFO', '')
        if path.strip('/') in ('', 'versions'):
            return versions.application
        first, slash, rest = path.lstrip('/').partition('/')
        version = parse_version(first)
        if version is not None:
            if version not in SERVED:
                return versions.application
            if self.described and openapi.is_described_at(slash + rest):
                return openapi.application
            environ['SCRIPT_NAME'] = '/'.join(
                (environ.get('SCRIPT_NAME', ''), first))
            environ['PATH_INFO'] = slash + rest
            return self.application
        accept = environ.get('HTTP_ACCEPT', '')
        if not accept.startswith(self.media_type):
            return webob.exc.HTTPNotFound()
        version = parse_version(accept.removeprefix(self.media_type))
        if version is None or version in SERVED:
            return self.application
        return versions.application


def filter_factory(global_conf: Any, service: str = 'orchestration',
                   **local_conf: str
                   ) -> Callable[[wsgi_types.WSGIApplication], Any]:
    """Make the filter; `service` is the middle of its media type.

    In the CloudFormation API it stands above all filters that check who
    asks, in any configuration: errors get their form here.
    """
    def build(application: wsgi_types.WSGIApplication) -> Any:
        negotiation = VersionNegotiation(application, service)
        return (error_form.ErrorForm(negotiation)
                if service == 'cloudformation' else negotiation)

    return build
