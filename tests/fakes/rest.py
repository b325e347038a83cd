"""The REST API over a fake engine, asked in process."""
import dataclasses
import json
import pathlib

from oslo_middleware import request_id
import webob

from heat.api.middleware import fault
from heat.api.middleware import version_negotiation
from heat.api.openstack.v1 import routes
from heat.common import context
from tests.fakes import rpc

FACTS = pathlib.Path(__file__).resolve().parents[1] / 'facts'
PROJECT = 'p'
STACK_ID = 'd5ae4bc8-0d42-4d30-8d57-5b2ef8ef2bf7'
IDENTITY = {'tenant': PROJECT, 'stack_name': 's', 'stack_id': STACK_ID,
            'path': ''}
STACK_PATH = f'/v1/{PROJECT}/stacks/s/{STACK_ID}'


def load_facts(name):
    """Return a file of facts."""
    return json.loads((FACTS / f'{name}.json').read_text())


@dataclasses.dataclass
class Api:
    """The API as a client sees it; a test may change who asks."""

    engine: rpc.FakeEngineClient
    roles: tuple = ('member', 'reader')
    project: str = PROJECT
    is_admin: bool = False
    environ: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        served = version_negotiation.VersionNegotiation(
            routes.build(self.engine), 'orchestration')

        def with_context(environ, start_response):
            webob.Request(environ).context = context.RequestContext(
                user_id='u', project_id=self.project,
                roles=list(self.roles), is_admin=self.is_admin)
            return served(environ, start_response)

        self.application = request_id.RequestId(
            fault.FaultWrapper(with_context))

    def request(self, method, path, body=None, **kwargs):
        """Send a request; a body that is no text is sent as JSON."""
        request = webob.Request.blank(path, method=method, **kwargs)
        request.environ.update(self.environ)
        if body is not None:
            request.body = (body if isinstance(body, bytes)
                            else json.dumps(body).encode())
            if 'content_type' not in kwargs:
                request.content_type = 'application/json'
        response = request.get_response(self.application)
        if response.content_type == 'text/event-stream':
            # It has no end.
            response.app_iter.close()
            response.body = b''
        return response

    def get(self, path, **kwargs):
        """Send a GET request."""
        return self.request('GET', path, **kwargs)

    def post(self, path, body=None, **kwargs):
        """Send a POST request."""
        return self.request('POST', path, body, **kwargs)
