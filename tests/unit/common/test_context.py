"""The request context: where it comes from and where it goes."""
import io
import logging
import socket
import threading

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import loading
from keystoneauth1.identity import access as access_plugin
from keystoneauth1.identity import generic

# Declares the options of [keystone_authtoken] when it is imported.
import keystonemiddleware.auth_token  # noqa: F401
from oslo_config import cfg
from oslo_log import formatters
from oslo_log import log as oslo_log
from oslo_messaging.rpc import dispatcher
import pytest
import webob

from heat.common import config
from heat.common import context
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import identity_headers
from heat.common import policy

FULL = {
    'username': 'alice', 'password': 'secret', 'aws_creds': 'creds',
    'auth_url': 'http://keystone/v2.0', 'is_admin': False,
    'trust_id': 'trust', 'trustor_user_id': 'trustor',
    'auth_token_info': {'token': {'x': 1}}, 'region_name': 'north',
    'auth_token': 'token', 'user_id': 'u', 'project_id': 'p',
    'project_name': 'demo', 'roles': ['member'], 'request_id': 'req-1',
    'global_request_id': 'req-2', 'user_domain_id': 'ud',
    'project_domain_id': 'pd', 'show_deleted': True,
    'user_domain_name': 'udn', 'project_domain_name': 'pdn',
}


@pytest.fixture(autouse=True)
def _fresh_policy(conf):
    conf.set('keystone_authtoken', www_authenticate_uri='http://k/v3')
    policy.reset()
    yield
    policy.reset()


def make(**values):
    return context.RequestContext(overwrite=False, **values)


def test_everything_survives_the_way_over_rpc():
    original = make(**FULL)
    again = context.RequestContext.from_dict(original.to_dict())
    assert again.to_dict() == original.to_dict()
    for name, value in FULL.items():
        assert getattr(again, name) == value
    assert again.tenant_id == 'p'
    assert again.user_name == 'alice'


def test_names_of_the_peer_are_understood():
    again = context.RequestContext.from_dict(
        {'user_id': 'u', 'tenant_id': 'p', 'tenant': 'demo',
         'username': 'alice', 'user': 'alice', 'is_admin': False})
    assert (again.user_id, again.project_id) == ('u', 'p')
    assert (again.project_name, again.username) == ('demo', 'alice')


@pytest.mark.parametrize(('roles', 'expected'), [
    (['admin'], True), (['member'], False)])
def test_policy_says_who_is_admin(roles, expected):
    assert make(project_id='p', roles=roles).is_admin is expected
    assert context.RequestContext.from_dict(
        {'project_id': 'p', 'roles': roles}).is_admin is expected


def test_log_lines_show_no_secret():
    shown = make(**FULL).get_logging_values()
    text = repr(shown)
    for secret in ('secret', "'creds'", "'token'", "'trust'"):
        assert secret not in text


def test_elevated_is_a_copy():
    original = make(**FULL)
    admin = original.elevated()
    assert admin.is_admin
    assert admin.roles == ['member', 'admin']
    assert original.roles == ['member']
    assert not original.is_admin
    assert admin.project_id == 'p'


def test_admin_context():
    admin = context.get_admin_context(show_deleted=True)
    assert admin.is_admin
    assert admin.show_deleted
    assert admin.project_id is None


class Backend:
    """Clients as a deployment may bring them along."""

    def __init__(self, ctx):
        self.project_id = ctx.project_id


def test_clients_are_of_the_configured_class():
    config.register_opts(cfg.CONF)
    cfg.CONF.set_override('cloud_backend', f'{__name__}.Backend')
    try:
        ctx = make(project_id='p')
        assert isinstance(ctx.clients, Backend)
        assert ctx.clients.project_id == 'p'
        assert ctx.clients is ctx.clients
    finally:
        cfg.CONF.clear_override('cloud_backend')


def test_plugin_by_password():
    plugin = make(username='a', password='b',
                  auth_url='http://k/v2.0').auth_plugin
    assert isinstance(plugin, generic.Password)
    assert plugin.auth_url == 'http://k/v3'


def test_plugin_by_token_and_by_its_data():
    ctx = make(auth_token='t', auth_url='http://k/v3', project_id='p')
    assert isinstance(ctx.auth_plugin, generic.Token)
    assert ctx.auth_plugin is ctx.auth_plugin
    before = ctx.auth_plugin
    ctx.reload_auth_plugin()
    assert ctx.auth_plugin is not before
    info = {'token': {'methods': ['password'], 'user': {'id': 'u'},
                      'expires_at': '2999-01-01T00:00:00Z',
                      'issued_at': '2020-01-01T00:00:00Z'}}
    ctx = make(auth_token='t', auth_url='http://k/v3', auth_token_info=info)
    assert isinstance(ctx.auth_plugin, access_plugin.AccessInfoPlugin)


def test_plugin_that_is_given():
    assert make(auth_plugin='plugin').auth_plugin == 'plugin'
    assert make(trusts_auth_plugin='trusts', trust_id='t').auth_plugin == (
        'trusts')


def test_no_plugin_without_credentials():
    with pytest.raises(exception.AuthorizationFailure):
        make().auth_plugin  # noqa: B018
    with pytest.raises(exception.AuthorizationFailure):
        make(trust_id='t').trusts_auth_plugin  # noqa: B018


def test_trust_is_used_to_authenticate_again(conf):
    conf.set(reauthentication_auth_method='trusts')
    ctx = make(auth_token='t', trusts_auth_plugin='trusts', trust_id='id')
    assert ctx.auth_plugin == 'trusts'
    # Before there is a trust, the token is all there is.
    ctx = make(auth_token='t', auth_url='http://k/v3')
    assert isinstance(ctx.auth_plugin, generic.Token)


def test_acting_by_a_trust_from_now_on(conf, monkeypatch):
    monkeypatch.setattr(loading, 'load_auth_from_conf_options',
                        lambda conf, group, trust_id: (group, trust_id))
    conf.set(reauthentication_auth_method='trusts')
    ctx = make(auth_token='t', auth_url='http://k/v3', user_id='anna')
    assert isinstance(ctx.auth_plugin, generic.Token)
    ctx.act_by_trust('id', 'anna')
    assert ctx.auth_plugin == ('trustee', 'id')
    again = context.RequestContext.from_dict(ctx.to_dict())
    assert again.auth_plugin == ('trustee', 'id')


def test_endpoint_of_the_configuration(conf):
    conf.set('keystone_authtoken', www_authenticate_uri='http://k/v2.0')
    assert make().keystone_v3_endpoint == 'http://k/v3'
    conf.set('keystone_authtoken', www_authenticate_uri=None)
    with pytest.raises(exception.AuthorizationFailure):
        make().keystone_v3_endpoint  # noqa: B018


@pytest.mark.parametrize(('named', 'expected'), [
    ('http://k/', 'http://k/'), ('http://k/v2.0', 'http://k/v3'),
    ('http://far/v3', 'http://far/v3'), ('http://attacker/v3', 'http://k/v3'),
    ('http://k.attacker/v3', 'http://k/v3'), (None, 'http://k/v3')])
def test_endpoint_of_a_request_is_one_that_is_configured(
        conf, monkeypatch, named, expected):
    def getaddrinfo(*_arguments, **_options):
        raise OSError('There are no names here.')

    # Waiting for a name server, or to ask again, would take seconds.
    monkeypatch.setattr(socket, 'getaddrinfo', getaddrinfo)
    conf.set(client_retry_limit=0)
    conf.set('auth_password', multi_cloud=True,
             allowed_auth_uris=['http://far/v3'])
    assert make(auth_url=named).keystone_v3_endpoint == expected
    again = context.RequestContext.from_dict(make(auth_url=named).to_dict())
    assert again.keystone_v3_endpoint == expected
    stored = context.StoredContext.from_dict({
        'auth_url': named, 'username': 'a', 'password': 'b'})
    assert stored.auth_plugin.auth_url == expected


def test_endpoint_of_the_token_filter_is_the_last_resort(tmp_path):
    path = tmp_path / 'heat.conf'
    path.write_text(
        '[keystone_authtoken]\nauth_url = http://inside/v3\n'
        '[ec2authtoken]\nmulti_cloud = true\nclouds = far, farther\n'
        '[ec2authtoken.far]\nauth_url = http://far/v3\n'
        '[ec2authtoken.farther]\nendpoint_override = http://farther\n')
    conf = cfg.ConfigOpts()
    conf([], default_config_files=[str(path)], default_config_dirs=[])
    config.register_opts(conf)
    assert endpoint_utils.service_auth_uri(conf) == 'http://inside/v3'
    for trusted in ('http://inside', 'http://far', 'http://farther/v3/'):
        assert endpoint_utils.is_trusted(trusted, conf)
    assert not endpoint_utils.is_trusted('http://outside', conf)


def test_session_has_the_tls_options(conf):
    conf.set('clients_keystone', insecure=True)
    ctx = make()
    assert ctx.keystone_session.verify is False
    assert ctx.keystone_session is ctx.keystone_session


class Plugin:
    """Counts how often Keystone is asked."""

    asked = 0

    def get_access(self, session):
        self.asked += 1
        return self

    role_names = ['member']
    user_domain_id = 'ud'
    project_domain_id = 'pd'


def test_stored_context_asks_keystone_when_need_be():
    plugin = Plugin()
    ctx = context.StoredContext(auth_plugin=plugin, is_admin=False,
                                overwrite=False)
    assert plugin.asked == 0
    assert ctx.roles == ['member']
    assert (ctx.user_domain_id, ctx.project_domain_id) == ('ud', 'pd')
    assert plugin.asked == 1


class LoggingPlugin(Plugin):
    """Logs what it does, with its lock held, as keystoneauth does."""

    def __init__(self, log):
        self._log = log
        self._lock = threading.Lock()

    def get_access(self, session):
        with self._lock:
            self._log.warning('Asking')
            return super().get_access(session)


def test_logging_never_asks_keystone():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    conf = cfg.ConfigOpts()
    oslo_log.register_options(conf)
    handler.setFormatter(formatters.ContextFormatter(
        config=conf, fmt='%(user_identity)s %(message)s'))
    log = logging.Logger('asking')
    log.addHandler(handler)
    plugin = LoggingPlugin(log)
    ctx = context.StoredContext(auth_plugin=plugin, user_id='u',
                                project_id='p', overwrite=False)

    def fetch_token():
        context.resume(ctx)
        plugin.get_access(None)

    # A line of the log that asks for the context waits for the lock.
    thread = threading.Thread(target=fetch_token, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive(), 'deadlock'
    assert 'Asking' in stream.getvalue()
    assert plugin.asked == 1
    assert ctx.roles == ['member']


def test_logging_never_asks_the_policy():
    ctx = make(is_admin=None, roles=['admin'])
    assert ctx.get_logging_values()['is_admin'] is None
    assert ctx.is_admin is True
    assert ctx.get_logging_values()['is_admin'] is True


def test_stored_context_lives_without_keystone():
    ctx = context.StoredContext(overwrite=False, project_id='p')
    assert ctx.roles == []
    assert ctx.is_admin is False


class Endpoint:
    """RPC methods that succeed or fail."""

    @context.request_context
    def work(self, ctxt, value):
        """Return the project and the value."""
        return ctxt.project_id, value

    @context.request_context
    def fail(self, ctxt, error):
        """Raise the error."""
        raise error


def test_rpc_method_gets_a_context():
    assert Endpoint().work({'project_id': 'p'}, value=1) == ('p', 1)
    assert Endpoint().work(make(project_id='q'), 2) == ('q', 2)


def test_our_errors_are_expected_ones():
    with pytest.raises(dispatcher.ExpectedException) as caught:
        Endpoint().fail(None, exception.StackExists(stack_name='s'))
    assert caught.value.exc_info[0] is exception.StackExists
    with pytest.raises(KeyError):
        Endpoint().fail(None, KeyError('x'))


def through_middleware(environ=None, **headers):
    seen = []

    @webob.dec.wsgify
    def app(request):
        seen.append(request.context)
        return webob.Response()

    app = context.ContextMiddleware_filter_factory({})(app)
    request = webob.Request.blank('/', environ=environ or {})
    for name, value in headers.items():
        request.headers[name.replace('_', '-')] = value
    request.get_response(app)
    return seen[0]


def test_context_of_a_request():
    ctx = through_middleware(
        {'openstack.request_id': 'req-1', 'keystone.token_info': {'a': 1},
         'keystone.token_auth': 'plugin',
         identity_headers.AUTH_URL: 'http://k'},
        X_User_Id='u', X_User_Name='alice', X_Project_Id='p',
        X_Roles='member, reader', X_Auth_Token='t')
    assert (ctx.user_id, ctx.username, ctx.project_id) == ('u', 'alice', 'p')
    assert ctx.roles == ['member', 'reader']
    assert ctx.request_id == 'req-1'
    assert ctx.auth_token_info == {'a': 1}
    assert ctx.auth_plugin == 'plugin'
    assert ctx.auth_url == 'http://k'
    assert ctx.region_name is None
    assert not ctx.is_admin


def test_no_header_says_where_keystone_is():
    ctx = through_middleware(X_Auth_Url='http://attacker',
                             X_Region_Name='north', X_Auth_EC2_Creds='{}')
    assert (ctx.auth_url, ctx.region_name, ctx.aws_creds) == (
        None, None, None)


@pytest.mark.parametrize(('wanted', 'found'), [
    ('north', 'north'), ('Nord', 'Nord'), ('south', None), ('', None)])
def test_region_is_one_of_the_catalogue(wanted, found):
    catalog = [{'type': 'compute', 'endpoints': [
        {'region': 'Nord', 'region_id': 'north', 'url': 'http://n'}]}]
    ctx = through_middleware({
        'keystone.token_info': {'token': {'catalog': catalog}},
        identity_headers.CLAIMS: {'HTTP_X_REGION_NAME': wanted}})
    assert ctx.region_name == found


@pytest.mark.parametrize(('headers', 'name'), [
    ({'X_Auth_User': 'bob'}, 'bob'),
    ({'X_Auth_User': 'bob', 'X_User_Name': 'alice'}, 'alice')])
def test_password_of_a_request(headers, name):
    ctx = through_middleware({'keystone.token_auth': 'plugin'},
                             X_Auth_Key='key', **headers)
    assert (ctx.username, ctx.password) == (name, 'key')
    assert isinstance(ctx.auth_plugin, generic.Password)


def test_signature_of_a_request():
    ctx = through_middleware({identity_headers.EC2_CREDENTIALS: '{}'})
    assert ctx.aws_creds == '{}'
    assert ctx.password is None


def test_trust_cannot_be_claimed_by_a_header():
    ctx = through_middleware(X_Trust_Id='stolen', X_Is_Admin='True')
    assert ctx.trust_id is None
    assert not ctx.is_admin


def credentials(outcome):
    """Return a context whose plugin gives a token or raises."""
    class Plugin:
        def get_token(self, _session):
            if isinstance(outcome, Exception):
                raise outcome
            return outcome
    return context.RequestContext(project_id='p', auth_token='t',
                                  auth_url='http://k/v3',
                                  auth_plugin=Plugin())


def test_credentials_are_what_keystone_says_of_them():
    assert credentials('token').user_creds_are_valid()
    assert not credentials(
        ks_exceptions.Unauthorized()).user_creds_are_valid()
    assert not context.RequestContext(
        project_id='p').user_creds_are_valid()


def test_plugins_may_look_at_the_account_of_the_trustee(conf):
    conf.set('clients_keystone', auth_uri='http://k')
    assert make(auth_token='t').keystone_session
    conf.set('trustee', auth_type='password')
    assert cfg.CONF.trustee.auth_type == 'password'
