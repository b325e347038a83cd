"""The document that lists the versions of an API."""
from collections.abc import Iterable
from typing import Any
from wsgiref import types as wsgi_types

from oslo_serialization import jsonutils
import webob

CURRENT = 'CURRENT'


def version_list(base_url: str) -> dict[str, Any]:
    """Return the versions served below an address."""
    return {'versions': [{
        'id': 'v1.0',
        'status': CURRENT,
        'links': [{'rel': 'self', 'href': f'{base_url.rstrip("/")}/v1/'}],
    }]}


def application(environ: wsgi_types.WSGIEnvironment,
                start_response: wsgi_types.StartResponse) -> Iterable[bytes]:
    """Answer any request with the list of versions."""
    request = webob.Request(environ)
    response = webob.Response(status=300, content_type='application/json')
    response.body = jsonutils.dump_as_bytes(
        version_list(request.application_url))
    return response(environ, start_response)
