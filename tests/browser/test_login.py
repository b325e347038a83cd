"""Logging in to the console with Keystone."""
from playwright.sync_api import expect
import pytest
import webob

from tests.browser import conftest
from tests.fakes import http_cloud


class Keystone(http_cloud.Keystone):
    """Knows alice, too, and forgets tokens that are revoked."""

    def __init__(self):
        super().__init__()
        self.given = set()

    def __call__(self, environ, start_response):
        request = webob.Request(environ)
        place = (request.method, request.path_info)
        if place == ('POST', '/v3/auth/tokens'):
            user = request.json['auth']['identity']['password']['user']
            if user.get('name') == 'alice':
                return self._log_in(user)(environ, start_response)
        subject = request.headers.get('X-Subject-Token')
        if place == ('DELETE', '/v3/auth/tokens'):
            self.given.discard(subject)
            return webob.Response(status=204)(environ, start_response)
        return super().__call__(environ, start_response)

    def _log_in(self, user):
        if user['password'] != 'right':
            return webob.Response(status=401, json={'error': {
                'code': 401, 'title': 'Unauthorized', 'message': 'No.'}})
        token, body = self._issue('alice', http_cloud.PROJECT)
        body['user']['name'], body['project']['name'] = 'alice', 'shop'
        self.given.add(token)
        return webob.Response(
            status=201, json={'token': body},
            headerlist=[('X-Subject-Token', token),
                        ('Content-Type', 'application/json')])

    def is_good(self, token):
        """Return whether a token is good."""
        body = self._tokens.get(token)
        is_hers = body is not None and body['user']['id'] == 'alice'
        return super().is_good(token) and (
            not is_hers or token in self.given)


@pytest.fixture(scope='module')
def keystone():
    """Return a Keystone."""
    own = Keystone()
    with http_cloud.listening(own) as port:
        own.urls['identity'] = f'http://127.0.0.1:{port}/v3'
        yield own


@pytest.fixture(scope='module')
def service(tmp_path_factory, keystone):
    """Return a service that asks Keystone who its users are."""
    url = keystone.urls['identity']
    own = conftest.Service(tmp_path_factory.mktemp('heat'), f"""
[paste_deploy]
flavor =
[keystone_authtoken]
www_authenticate_uri = {url}
auth_url = {url}
auth_type = password
username = heat
password = {http_cloud.SERVICE_PASSWORD}
project_name = service
user_domain_name = Default
project_domain_name = Default
token_cache_time = -1
""")
    own.start()
    yield own
    own.stop()


def log_in(page, password='right'):
    page.get_by_label('User').fill('alice')
    page.get_by_label('Password', exact=True).fill(password)
    page.get_by_label('Project', exact=True).fill('shop')
    page.get_by_role('button', name='Log in').click()


def test_nothing_is_shown_before_the_login(pages, check_access):
    page = pages.open('stacks')
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    expect(page.get_by_role('link', name='Stacks')).to_have_count(0)
    check_access(page)


def test_a_wrong_password_is_said_to_be_wrong(pages):
    page = pages.open('stacks')
    log_in(page, 'wrong')
    expect(page.get_by_role('alert')).to_contain_text('does not accept')


def test_alice_logs_in_and_out(pages, keystone):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_text('This project has no stacks yet')).to_be_visible()
    expect(page.get_by_text('alice · shop')).to_be_visible()
    [token] = keystone.given
    stored = page.evaluate(
        '() => document.cookie + JSON.stringify({...localStorage, '
        '...sessionStorage})')
    assert token not in stored
    assert 'heat-console' not in stored
    page.get_by_role('button', name='Log out').click()
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    assert keystone.given == set()


def test_a_session_that_ends_leads_back_to_the_login(pages, keystone):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_text('alice · shop')).to_be_visible()
    keystone.given.clear()
    page.get_by_role('button', name='Refresh').click()
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
