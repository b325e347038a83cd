import pytest

from heat.engine.clients import sdk
from heat.engine.clients.os import heat_plugin

SECRET = 'hush-hush'
GOOD = {'auth_type': 'v3applicationcredential', 'auth': {
    'auth_url': 'http://far.test/v3', 'application_credential_id': 'id',
    'application_credential_secret': SECRET}}


class Context:
    """As much of a context as the plugin needs."""

    region_name = 'here'
    clients = None


@pytest.fixture
def asked(monkeypatch):
    seen = []

    class Connection:
        orchestration = 'proxy'

    def connect(context, **kwargs):
        seen.append(kwargs)
        return Connection

    monkeypatch.setattr(sdk, 'connect', connect)
    return seen


class Clients:
    """Can be referred to weakly."""


@pytest.fixture
def plugin():
    context = Context()
    context.clients = Clients()
    made = heat_plugin.HeatClientPlugin(context)
    yield made
    del context


def test_another_region_with_the_users_own_credentials(asked, plugin):
    assert plugin.elsewhere('far') == 'proxy'
    assert asked == [{'auth': None, 'service': 'heat', 'tls': None,
                      'guarded': False, 'region_name': 'far'}]


def test_stored_credentials(asked, plugin):
    plugin.elsewhere(credentials=GOOD, verify='/ca.pem')
    assert asked[0]['region_name'] == 'here'
    assert asked[0]['tls'] == {'verify': '/ca.pem', 'cert': None}
    assert asked[0]['auth'].auth_url == 'http://far.test/v3'
    # Where that leads is the choice of the user.
    assert asked[0]['guarded'] is True


@pytest.mark.parametrize(('credentials', 'words'), [
    ({'auth_type': 'none', 'auth': {'endpoint': SECRET}}, 'one of'),
    ({'auth_type': 'admin_token', 'auth': {'token': SECRET}}, 'one of'),
    ({**GOOD, 'auth': {**GOOD['auth'], 'colour': SECRET}}, 'colour'),
    ({'auth_type': 'v3password', 'auth': {'password': SECRET}}, 'auth_url'),
    ({'auth': {}}, 'a map with'),
    ({'auth_type': 'v3password', 'auth': SECRET}, 'auth'),
    ([SECRET], 'a map with'),
])
def test_bad_credentials_are_named_without_their_values(
        asked, plugin, credentials, words):
    with pytest.raises(ValueError, match=words) as caught:
        plugin.elsewhere(credentials=credentials)
    assert SECRET not in str(caught.value)
