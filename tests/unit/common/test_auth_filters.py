"""The auth filters of the paste pipelines."""
import json
import types

from keystoneauth1 import discover
from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1.identity import generic

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
import pytest
import webob

from heat.common import auth_password
from heat.common import auth_plugin
from heat.common import auth_url
from heat.common import context
from heat.common import custom_backend_auth
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import identity_headers
from heat.common import noauth
from heat.common import wsgi
from heat.rpc import client as rpc_client

#: Names that would end a line of the log, or direct a terminal.
CONTROLS = ('a%0ab', 'a%0d', 'a%1b%5b2J', 'a%00', '%c2%9b2J', 'a%e2%80%a8b')


class App:
    """Keeps the requests that got through."""

    def __init__(self):
        self.seen = []

    @webob.dec.wsgify
    def __call__(self, request):
        self.seen.append(request)
        return webob.Response(status=204)


@pytest.fixture
def app(conf):
    return App()


def ask(app, path='/', **headers):
    request = webob.Request.blank(path)
    for name, value in headers.items():
        request.headers[name.replace('_', '-')] = value
    return request.get_response(app)


# -- authurl

def test_auth_url_of_the_configuration(app, conf):
    conf.set('keystone_authtoken', www_authenticate_uri='http://k')
    filter_ = auth_url.filter_factory({})(app)
    ask(filter_, X_Auth_Url='http://forged')
    assert app.seen[0].headers['X-Auth-Url'] == 'http://k'
    assert app.seen[0].environ[identity_headers.AUTH_URL] == 'http://k'


def test_auth_url_of_the_paste_file(app):
    ask(auth_url.filter_factory({}, auth_uri='http://local')(app))
    assert app.seen[0].headers['X-Auth-Url'] == 'http://local'


@pytest.mark.parametrize(('given', 'status'), [
    (None, 400), ('http://other', 401), ('http://allowed', 204)])
def test_auth_url_of_the_client(app, conf, given, status):
    conf.set('auth_password', multi_cloud=True,
             allowed_auth_uris=['http://allowed'])
    headers = {'X_Auth_Url': given} if given else {}
    response = ask(auth_url.filter_factory({})(app), **headers)
    assert response.status_int == status
    assert bool(app.seen) == (status == 204)


def test_discovery_of_keystone(conf, monkeypatch):
    class Discover:
        def __init__(self, session, url):
            self.url = url

        def url_for(self, version):
            return self.url + '/v' + version

    monkeypatch.setattr(discover, 'Discover', Discover)
    conf.set('clients_keystone', auth_uri='http://discovered.test')
    assert endpoint_utils.get_auth_uri() == 'http://discovered.test/v3.0'
    # It is asked once.
    monkeypatch.undo()
    assert endpoint_utils.get_auth_uri() == 'http://discovered.test/v3.0'


# -- authpassword

class Access:
    """What Keystone says of a user."""

    auth_token = 'token'
    role_names = ['member', 'reader']
    user_id = 'u'
    username = 'alice'
    user_domain_id = 'default'
    user_domain_name = 'Default'
    project_id = 'p'
    project_name = 'demo'
    project_domain_id = 'default'
    project_domain_name = None
    service_catalog = types.SimpleNamespace(catalog=[{'endpoints': [
        {'region': 'north', 'region_id': 'north'}]}])


@pytest.fixture
def keystone(monkeypatch):
    asked = []

    class Password:
        outcome = Access()

        def __init__(self, **options):
            asked.append(options)

        def get_access(self, session):
            if isinstance(self.outcome, Exception):
                raise self.outcome
            return self.outcome

    Password.asked = asked
    monkeypatch.setattr(generic, 'Password', Password)
    return Password


def by_password(app, **headers):
    filters = auth_url.filter_factory({}, auth_uri='http://k')(
        auth_password.filter_factory({})(app))
    return ask(filters, '/p/stacks', X_Auth_Url='http://forged', **headers)


def test_password_is_exchanged_for_an_identity(app, keystone):
    response = by_password(app, X_Auth_User='alice', X_Auth_Key='secret',
                           X_Roles='admin', X_Project_Domain_Name='forged')
    assert response.status_int == 204
    assert keystone.asked[0]['project_id'] == 'p'
    assert keystone.asked[0]['auth_url'] == 'http://k'
    headers = app.seen[0].headers
    assert headers['X-Roles'] == 'member,reader'
    assert headers['X-User-Id'] == 'u'
    assert headers['X-Auth-Token'] == 'token'
    assert 'X-Project-Domain-Name' not in headers
    assert isinstance(app.seen[0].environ['keystone.token_auth'], keystone)


def test_domain_of_the_user_is_checked_with_the_password(app, keystone):
    by_password(app, X_Auth_User='alice', X_Auth_Key='secret',
                X_User_Domain_Id='sales', X_Region_Name='north')
    assert keystone.asked[0]['user_domain_id'] == 'sales'
    environ = app.seen[0].environ
    assert environ['HTTP_X_USER_DOMAIN_ID'] == 'default'
    assert identity_headers.region(environ) == 'north'


@pytest.mark.parametrize('headers', [
    {}, {'X_Auth_User': 'alice'}, {'X_Auth_Key': 'secret'}])
def test_password_is_needed(app, keystone, headers):
    response = by_password(app, **headers)
    assert response.status_int == 401
    assert response.headers['WWW-Authenticate'] == "Keystone uri='http://k'"
    assert not app.seen


@pytest.mark.parametrize(('outcome', 'status'), [
    (ks_exceptions.Unauthorized(), 401),
    (ks_exceptions.ConnectFailure(), 503)])
def test_keystone_refuses_or_is_away(app, keystone, outcome, status):
    keystone.outcome = outcome
    response = by_password(app, X_Auth_User='a', X_Auth_Key='b')
    assert response.status_int == status
    assert not app.seen


# -- custombackendauth

def by_backend(app, monkeypatch, conf, known, path='/v1/p/stacks',
               **headers):
    """Ask where the backend says whether a request is good."""
    asked = []

    class Client:
        def __init__(self, is_for_users=False):
            assert is_for_users

        def authenticated_to_backend(self, ctxt):
            asked.append(ctxt)
            return known

    monkeypatch.setattr(rpc_client, 'EngineClient', Client)
    conf.set('keystone_authtoken', www_authenticate_uri='http://k')
    filters = context.ContextMiddleware_filter_factory({})(
        custom_backend_auth.filter_factory({})(app))
    response = ask(identity_headers.RemoveIdentity(filters), path,
                   X_User_Id='forged', X_Roles='admin',
                   X_Project_Id='other', X_Auth_Url='http://forged',
                   **headers)
    return response, asked


def test_backend_decides(app, monkeypatch, conf, keystone):
    response, [asked] = by_backend(
        app, monkeypatch, conf, known=True, X_Auth_User='alice',
        X_Auth_Key='secret', X_User_Domain_Id='sales')
    assert response.status_int == 204
    assert (asked.project_id, asked.user_id, asked.roles) == ('p', None, [])
    assert asked.user_domain_id == 'sales'
    [options] = keystone.asked
    assert (options['username'], options['project_id']) == ('alice', 'p')
    assert options['auth_url'] == 'http://k'
    seen = app.seen[0].context
    assert (seen.user_id, seen.project_id) == ('u', 'p')
    assert seen.roles == ['member', 'reader']
    assert not seen.is_admin


@pytest.mark.parametrize(('known', 'path', 'headers'), [
    (False, '/v1/p/stacks', {'X_Auth_User': 'alice', 'X_Auth_Key': 'b'}),
    # Keystone knows the user in another project.
    (True, '/v1/q/stacks', {'X_Auth_User': 'alice', 'X_Auth_Key': 'b'}),
    (True, '/v1/p/stacks', {})])
def test_who_the_backend_does_not_know(app, monkeypatch, conf, keystone,
                                       known, path, headers):
    response, _asked = by_backend(app, monkeypatch, conf, known, path,
                                  **headers)
    assert response.status_int == 401
    assert not app.seen


@pytest.mark.parametrize('project', CONTROLS)
def test_backend_is_not_asked_for_what_is_no_project(
        app, monkeypatch, conf, keystone, project):
    response, asked = by_backend(
        app, monkeypatch, conf, True, f'/v1/{project}/stacks',
        X_Auth_User='alice', X_Auth_Key='b')
    assert response.status_int == 401
    assert not asked
    assert not app.seen


# -- noauth

@pytest.mark.parametrize(('path', 'project'), [
    ('/v1/demo/stacks', 'demo'), ('/v1.0/demo', 'demo'),
    ('/demo/stacks', 'demo'), ('/', None), ('/v1/', None)])
def test_whoever_comes_is_an_administrator(app, path, project):
    ask(noauth.filter_factory({})(app), path, X_Auth_User='bob',
        X_Roles='reader')
    headers = app.seen[0].headers
    assert headers['X-Roles'] == 'admin'
    assert headers['X-User-Id'] == 'bob'
    assert headers.get('X-Project-Id') == project


@pytest.mark.parametrize('project', CONTROLS)
def test_a_project_that_would_break_the_log(app, project):
    """It is in each line of the log, and nobody else looks at it."""
    made = noauth.filter_factory({})(app)
    with pytest.raises(exception.HTTPExceptionDisguise) as refused:
        made.process_request(wsgi.Request.blank(f'/v1/{project}/stacks'))
    assert refused.value.exc.status_int == 400
    assert not app.seen


def test_token_data_of_the_configuration(app, conf):
    conf.set('noauth', token_response=json.dumps({'token': {}}))
    ask(noauth.filter_factory({})(app), '/v1/p')
    assert app.seen[0].environ['keystone.token_info'] == {'token': {}}
    assert app.seen[0].headers['X-User-Id'] == 'admin'


# -- credentials of other clouds

class Session:
    """A session whose token requests end as told."""


def test_credential_texts():
    parse = auth_plugin.parse_auth_credential_to_dict
    assert parse('{"auth_type": "x"}') == {'auth_type': 'x'}
    for wrong in ('no json', '[1]', None):
        with pytest.raises(ValueError, match='JSON'):
            parse(wrong)


def test_credentials_become_plugins(monkeypatch):
    monkeypatch.setattr(generic.Password, 'get_token',
                        lambda self, session: 'token')
    plugin = auth_plugin.get_keystone_plugin_loader(
        {'auth_type': 'password',
         'auth': {'auth_url': 'http://k', 'username': 'a',
                  'password': 'b'}}, Session())
    assert isinstance(plugin, generic.Password)


def test_credentials_that_do_not_work(monkeypatch):
    def refuse(self, session):
        raise ks_exceptions.Unauthorized('user alice')

    monkeypatch.setattr(generic.Password, 'get_token', refuse)
    auth = {'auth_type': 'password', 'auth': {'auth_url': 'http://k'}}
    with pytest.raises(exception.AuthorizationFailure) as caught:
        auth_plugin.get_keystone_plugin_loader(auth, Session())
    assert 'alice' not in str(caught.value)
    with pytest.raises(ValueError, match='auth_type, auth'):
        auth_plugin.get_keystone_plugin_loader({}, Session())
