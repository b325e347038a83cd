"""Two projects with their users in front of the whole service."""
import contextlib
import dataclasses
from urllib import parse
import uuid

from keystoneauth1 import loading
from oslo_config import cfg
import webob

from heat.cmd import pipeline
from tests.fakes import identity_settings
from tests.functional import rest
from tests.functional import service as service_module
from tests.security import keystone as keystone_module

#: Users of a project and the roles that they have in it.
ROLES = {
    'member': ('member', 'reader'),
    'reader': ('reader',),
    'admin': ('admin', 'member', 'reader'),
    'stack user': ('heat_stack_user',),
    'somebody': ('creator',),
}


class Client(rest.Client):
    """Asks by a token, which a test may change."""

    def __init__(self, application, project, token):
        super().__init__(application, project)
        self.token = token

    def request(self, method, path, body=None, *, headers=None, **kwargs):
        """Send a request with the token."""
        given = {'X-Auth-Token': self.token} if self.token else {}
        return super().request(method, path, body,
                               headers={**given, **(headers or {})},
                               **kwargs)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the CloudFormation API answers."""

    status: int
    text: str


class World:
    """The service, its Keystone, and who is known there."""

    def __init__(self, service, keystone):
        self.service, self.keystone = service, keystone
        self.rest = service.application
        self.cfn = pipeline.application('heat-api-cfn')

    def project(self, name):
        """Return a new project with a user for each set of roles."""
        return Project(self, name)

    def ask_cfn(self, token, method='GET', path='/v1/', **params):
        """Send a request to the CloudFormation API."""
        request = webob.Request.blank(path, base_url='http://cfn.test:8000')
        request.method = method
        if token is not None:
            request.headers['X-Auth-Token'] = token
        if params:
            request.query_string = parse.urlencode(params)
        return self.send_cfn(request)

    def send_cfn(self, request):
        """Return what the CloudFormation API answers to a request."""
        response = request.get_response(self.cfn)
        assert 'Traceback' not in response.text
        return Answer(response.status_int, response.text)


class Project:
    """A project, its users, and a client for each."""

    def __init__(self, world, name):
        self.world = world
        self.id = world.keystone.add_project(f'{name}-{uuid.uuid4().hex}')
        self.users = {
            who: world.keystone.add_user(f'{name}-{who}', self.id, *roles)
            for who, roles in ROLES.items()}
        self.tokens = {who: world.keystone.token_of(user)
                       for who, user in self.users.items()}
        #: The client of a member.
        self.api = self.client('member')

    def client(self, who):
        """Return a client of the REST API for one of the users."""
        return Client(self.world.rest, self.id, self.tokens[who])

    def cfn(self, who='member', **params):
        """Carry out an action of the CloudFormation API."""
        return self.world.ask_cfn(self.tokens[who], **params)


@contextlib.contextmanager
def running(monkeypatch, directory):
    """Serve a World during a with block.

    :param directory: where to write the configuration
    """
    keystone = keystone_module.Keystone()
    with keystone.served() as url:
        keystone.url = url
        keystone_module.present = keystone
        path = directory / 'heat.conf'
        path.write_text(identity_settings.text(
            url, keystone_module.SERVICE_PASSWORD))
        service = service_module.Service(
            monkeypatch, config_files=[str(path)], flavor=None,
            keystone_backend='tests.security.keystone.StackDomain')
        service.start()
        try:
            yield World(service, keystone)
        finally:
            service.stop()
            keystone_module.present = None
            _forget_accounts()


def _forget_accounts():
    """Unregister options without which nothing else would start."""
    options = loading.get_auth_plugin_conf_options('password')
    for group in ('keystone_authtoken', 'trustee'):
        with contextlib.suppress(cfg.NoSuchGroupError):
            cfg.CONF.unregister_opts(options, group=group)
