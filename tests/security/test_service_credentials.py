"""Secrets of the service go to the Keystone of the configuration alone."""
import contextlib
import json

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import loading
from oslo_config import cfg
import pytest

from heat.common import config
from heat.common import context as heat_context
from heat.common import endpoint_utils
from heat.common import exception
from heat.common import opts_auth
from heat.engine.clients.os.keystone import heat_keystoneclient
from tests.security import fronts
from tests.security import identity_service

attacker, keystone = fronts.attacker, fronts.keystone

_CONFIG = """\
[DEFAULT]
stack_user_domain_id = heat
stack_domain_admin = administrator
stack_domain_admin_password = {admin}
client_retry_limit = 0
[keystone_authtoken]
www_authenticate_uri = {keystone}/v3
[trustee]
auth_type = v3password
auth_url = {keystone}/v3
username = heat
user_domain_id = default
password = {trustee}
"""


@pytest.fixture(scope='module', autouse=True)
def _configured(keystone, tmp_path_factory):
    path = tmp_path_factory.mktemp('conf') / 'heat.conf'
    path.write_text(_CONFIG.format(
        keystone=keystone.url, admin=identity_service.ADMIN_PASSWORD,
        trustee=identity_service.TRUSTEE_PASSWORD))
    config.register_opts()
    cfg.CONF(['--config-file', str(path)], project='heat')
    yield
    cfg.CONF.clear()
    cfg.CONF.reset()
    # Some are required, which other tests do not set.
    cfg.CONF.unregister_opts(
        loading.get_auth_plugin_conf_options('v3password'),
        group=opts_auth.TRUSTEE_GROUP)


def _facts(url):
    return {'auth_url': url, 'user_id': identity_service.USER_ID,
            'username': identity_service.USER, 'is_admin': False,
            'project_id': identity_service.PROJECT, 'region_name': 'there',
            'password': identity_service.PASSWORD}


def _made(facts):
    return heat_context.RequestContext(overwrite=False, **facts)


def _received(facts):
    sent = json.loads(json.dumps(_made(facts).to_dict()))
    return heat_context.RequestContext.from_dict(sent)


def _stored(facts):
    return heat_context.StoredContext.from_dict(facts)


@pytest.fixture(params=[_made, _received, _stored],
                ids=['made', 'received', 'stored'])
def context(request, attacker):
    """Return a context that names the server of an attacker."""
    return request.param(_facts(attacker.url + '/v3'))


@pytest.fixture
def client(context):
    return heat_keystoneclient.KsClientWrapper(context, None)


def secrets_sent(asked):
    """Return the secrets in requests to a server."""
    return {secret for secret in (
        identity_service.ADMIN_PASSWORD, identity_service.TRUSTEE_PASSWORD,
        identity_service.PASSWORD, 'of-a-stack-user')
        if any(f'"{secret}"' in str(request) for request in asked)}


def test_password_of_the_domain_administrator(client, keystone, attacker):
    del keystone.asked[:]
    client.create_stack_domain_project('stack-id')
    assert secrets_sent(keystone.asked) == {identity_service.ADMIN_PASSWORD}
    assert attacker.asked == []


def test_password_of_a_user_of_a_stack(client, keystone, attacker):
    del keystone.asked[:]
    with contextlib.suppress(ks_exceptions.Unauthorized):
        client.stack_domain_user_token('user', 'project', 'of-a-stack-user')
    assert secrets_sent(keystone.asked) == {'of-a-stack-user'}
    assert attacker.asked == []
    # Servers are told to authenticate there, too.
    assert client.server_keystone_endpoint_url(
        client.v3_endpoint) == keystone.url + '/v3'


def test_password_of_the_trustee(client, keystone, attacker):
    del keystone.asked[:]
    assert client._trustee_user_id() == 'service-id'
    assert secrets_sent(keystone.asked) == {
        identity_service.TRUSTEE_PASSWORD}
    client.context.trust_id = 'trust'
    client.context.trusts_auth_plugin.get_token(
        client.context.keystone_session)
    assert attacker.asked == []


@pytest.mark.parametrize('secret', ['password', 'auth_token'])
def test_secret_of_the_user(context, keystone, attacker, secret):
    context.auth_token = identity_service.TOKEN
    if secret != 'password':
        context.password = None
    del keystone.asked[:]
    assert context.auth_plugin.get_token(context.keystone_session)
    assert keystone.asked
    assert attacker.asked == []


def test_nothing_is_sent_where_no_keystone_is_configured():
    nothing = cfg.ConfigOpts()
    nothing([], default_config_files=[], default_config_dirs=[])
    config.register_opts(nothing)
    with pytest.raises(exception.AuthorizationFailure):
        endpoint_utils.service_auth_uri(nothing)
