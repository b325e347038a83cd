"""A Keystone that means what it says: wrong tokens and signatures fail.

It answers over HTTP to the filters of the pipelines, and in process to the
engine, which makes the users, keys and trusts of stacks in it.
"""
import datetime
import hmac
import secrets
import types
import uuid

from botocore import auth as aws_auth
from oslo_utils import timeutils
import webob

from heat.common import context as heat_context
from heat.engine.clients.os.keystone import local_keystoneclient
from tests.fakes import identity

SERVICE_PASSWORD = 'service-password'
DOMAIN = {'id': 'default', 'name': 'Default'}
STACK_DOMAIN = {'id': 'stacks', 'name': 'stacks'}
#: Seconds for which the timestamp of a signature is good.
SIGNATURE_LIFETIME = 900


class Keystone:
    """Users, projects, tokens, EC2 keys and trusts."""

    def __init__(self):
        self.url = None
        self.projects, self.users = {}, {}
        self._tokens, self.keys, self._trusts = {}, {}, {}
        service = self.add_project('service')
        self.service_user = self.add_user('heat', service, 'service')

    def served(self):
        """Answer over HTTP during a with block, which gives the URL."""
        return identity.listening(self)

    # -- who there is -------------------------------------------------------

    def add_project(self, name, domain=None):
        """Return the id of a new project."""
        project_id = uuid.uuid4().hex
        self.projects[project_id] = {'id': project_id, 'name': name,
                                     'domain': domain or DOMAIN}
        return project_id

    def add_user(self, name, project_id, *roles, domain=None,
                 password=SERVICE_PASSWORD, cloud_admin=False):
        """Return the id of a new user with roles in a project."""
        user_id = uuid.uuid4().hex
        self.users[user_id] = types.SimpleNamespace(
            id=user_id, name=name, domain=domain or DOMAIN,
            project=project_id, roles=roles, password=password,
            cloud_admin=cloud_admin, enabled=True)
        return user_id

    def token_of(self, user_id):
        """Return a token for the user in the user's project."""
        user = self.users[user_id]
        return self._issue(user, user.project, user.roles)

    def unscoped_token_of(self, user_id):
        """Return a token for the user in no project at all."""
        return self._issue(self.users[user_id], None, ())

    def expire(self, token):
        """Have a token be good for nothing from now on."""
        del self._tokens[token]

    def add_key(self, user_id):
        """Return an EC2 key of a user."""
        key = local_keystoneclient.AccessKey(
            uuid.uuid4().hex, uuid.uuid4().hex, secrets.token_hex(32))
        self.keys[key.access] = (user_id, key)
        return key

    def add_trust(self, context):
        """Return the id of a new trust of the user of a context."""
        trust_id = uuid.uuid4().hex
        self._trusts[trust_id] = (context.user_id, context.project_id,
                                  tuple(context.roles))
        return trust_id

    def _issue(self, user, project_id, roles, **more):
        token_id = secrets.token_urlsafe(24)
        body = {'methods': ['password'], 'user': {
                    'id': user.id, 'name': user.name,
                    'domain': user.domain},
                'issued_at': '2026-01-01T00:00:00.000000Z',
                'expires_at': '2099-01-01T00:00:00.000000Z', **more}
        if project_id is not None:
            body.update(
                project=self.projects[project_id],
                is_admin_project=user.cloud_admin,
                roles=[{'id': role, 'name': role} for role in roles],
                catalog=self._catalog())
        self._tokens[token_id] = body
        return token_id

    def _catalog(self):
        return [{'type': 'identity', 'id': 'identity', 'name': 'keystone',
                 'endpoints': [{
                     'id': interface, 'interface': interface,
                     'region': 'here', 'region_id': 'here',
                     'url': f'{self.url}/v3'}
                     for interface in ('public', 'internal', 'admin')]}]

    # -- what is asked over HTTP --------------------------------------------

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        answer = {('GET', '/'): self._versions,
                  ('GET', '/v3'): self._version,
                  ('GET', '/v3/'): self._version,
                  ('POST', '/v3/auth/tokens'): self._authenticate,
                  ('GET', '/v3/auth/tokens'): self._validate,
                  ('POST', '/v3/ec2tokens'): self._check_signature,
                  }.get((request.method, request.path_info))
        response = (webob.Response(status=404) if answer is None
                    else answer(request))
        return response(environ, start_response)

    def _described(self):
        return {'id': 'v3.14', 'status': 'stable', 'links': [
            {'rel': 'self', 'href': f'{self.url}/v3/'}]}

    def _versions(self, _request):
        return webob.Response(status=300, json={
            'versions': {'values': [self._described()]}})

    def _version(self, _request):
        return webob.Response(json={'version': self._described()})

    @staticmethod
    def _refuse(message='Not authorized.'):
        return webob.Response(status=401, json={'error': {
            'code': 401, 'title': 'Unauthorized', 'message': message}})

    def _answer(self, token_id, status=201):
        response = webob.Response(status=status,
                                  json={'token': self._tokens[token_id]})
        response.headers['X-Subject-Token'] = token_id
        return response

    def _authenticate(self, request):
        asked = request.json['auth']
        given = asked['identity'].get('password', {}).get('user', {})
        user = next((each for each in self.users.values() if each.id ==
                     given.get('id') or each.name == given.get('name')),
                    None)
        if user is None or not user.enabled or (
                given.get('password') != user.password):
            return self._refuse()
        scope = asked.get('scope') or {}
        if 'OS-TRUST:trust' in scope:
            trust_id = scope['OS-TRUST:trust']['id']
            if trust_id not in self._trusts:
                return self._refuse()
            trustor, project_id, roles = self._trusts[trust_id]
            return self._answer(self._issue(
                self.users[trustor], project_id, roles))
        return self._answer(self._issue(user, user.project, user.roles))

    def _validate(self, request):
        token_id = request.headers.get('X-Subject-Token')
        if token_id not in self._tokens:
            return webob.Response(status=404, json={'error': {
                'code': 404, 'message': 'No such token.'}})
        return self._answer(token_id, 200)

    def _check_signature(self, request):
        asked = request.json['ec2Credentials']
        if asked['access'] not in self.keys:
            return self._refuse('EC2 access key not found.')
        user_id, key = self.keys[asked['access']]
        expected = _signature(key.secret, asked)
        if expected is None or not hmac.compare_digest(
                expected.encode(), asked['signature'].encode()):
            return self._refuse('EC2 signature not valid.')
        if not _is_current(asked['params'].get('Timestamp')):
            return self._refuse('Credential is expired.')
        user = self.users[user_id]
        if not user.enabled:
            return self._refuse()
        return self._answer(self._issue(user, user.project, user.roles), 200)


def _signature(secret, asked):
    """Return the signature, version 2, of what a filter has passed on."""
    if asked['params'].get('SignatureVersion') != '2':
        return None
    signer = aws_auth.SigV2Auth(types.SimpleNamespace(
        access_key=asked['access'], secret_key=secret, token=None))
    _query, signature = signer.calc_signature(
        types.SimpleNamespace(method=asked['verb'], url='http://%s%s' % (
            asked['host'], asked['path'])), asked['params'])
    return signature


def _is_current(text):
    if text is None:
        return True
    then = timeutils.normalize_time(timeutils.parse_isotime(text))
    age = datetime.datetime.now(datetime.UTC).replace(
        tzinfo=None) - then
    return age.total_seconds() < SIGNATURE_LIFETIME


#: The one that the engine of this process asks.
present: Keystone | None = None


class StackDomain(local_keystoneclient.LocalKeystoneClient):
    """What the engine asks of `present`, in process."""

    def __init__(self, context, region_name=None):
        super().__init__(context, region_name)
        self._context = context
        self.v3_endpoint = f'{present.url}/v3'
        self.stack_domain_id = STACK_DOMAIN['id']

    def create_trust_context(self):
        """Return a context that acts by a new trust."""
        values = self._context.to_dict()
        values.update(trust_id=present.add_trust(self._context),
                      trustor_user_id=self._context.user_id)
        return heat_context.RequestContext.from_dict(values,
                                                     overwrite=False)

    def create_stack_domain_project(self, stack_id):
        """Return the id of a project for the users of a stack."""
        project_id = super().create_stack_domain_project(stack_id)
        present.projects[project_id] = {
            'id': project_id, 'name': stack_id, 'domain': STACK_DOMAIN}
        return project_id

    def create_stack_domain_user(self, username, project_id, password=None):
        """Return the id of a new user of a stack."""
        return present.add_user(username, project_id, 'heat_stack_user',
                                domain=STACK_DOMAIN, password=password)

    def delete_stack_domain_user(self, user_id, project_id):
        """Delete a user of a stack."""
        present.users.pop(user_id, None)

    def enable_stack_domain_user(self, user_id, project_id):
        """Let a user of a stack in."""
        present.users[user_id].enabled = True

    def disable_stack_domain_user(self, user_id, project_id):
        """Keep a user of a stack out."""
        present.users[user_id].enabled = False

    def create_stack_domain_user_keypair(self, user_id, project_id):
        """Return a new EC2 key of a user of a stack."""
        return present.add_key(user_id)

    def delete_stack_domain_user_keypair(self, user_id, project_id,
                                         credential_id):
        """Delete an EC2 key of a user of a stack."""
        for access, (_owner, key) in list(present.keys.items()):
            if key.id == credential_id:
                del present.keys[access]
