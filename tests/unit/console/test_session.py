import json

from oslo_config import cfg
import pytest
import webob

from heat.common import crypt
from heat.common import timeutils
from heat.console import front
from heat.console import session

IDLE = 600
RIGHT = {'user': 'bob', 'password': 'right', 'project': 'shop'}


class Api:
    """Answers with the status it is told, and remembers the requests."""

    def __init__(self):
        self.status = '200 OK'
        self.seen = []

    def __call__(self, environ, start_response):
        self.seen.append(webob.Request(dict(environ)))
        # As routers do.
        environ['SCRIPT_NAME'] = '/v1'
        start_response(self.status, [('Content-Type', 'text/plain')])
        return [b'the API']


class Browser:
    """Sends requests to a console, and keeps its cookies."""

    def __init__(self, api):
        self.console = front.Console(api, session.Sessions(IDLE))
        self.cookies = {}
        self.answers = []

    def ask(self, path, method='GET', body=None, **headers):
        own = {'X-Heat-Console': '1', **{
            name.replace('_', '-'): value for name, value in headers.items()
            if value is not None}}
        own = {name: value for name, value in own.items()
               if headers.get(name.replace('-', '_'), value) is not None}
        request = webob.Request.blank(path, method=method, headers=own)
        if body is not None:
            request.body = (body if isinstance(body, bytes)
                            else json.dumps(body).encode())
        for name, value in self.cookies.items():
            request.cookies[name] = value
        answer = request.get_response(self.console)
        self.answers.append(answer)
        for line in answer.headers.getall('Set-Cookie'):
            name, _equals, value = line.split(';')[0].partition('=')
            self.cookies[name] = value.strip('"')
        return answer

    def log_in(self, **more):
        return self.ask('/console/session', 'POST', {**RIGHT, **more})


@pytest.fixture
def api():
    return Api()


@pytest.fixture
def browser(api):
    return Browser(api)


@pytest.fixture
def clock(monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr(timeutils, 'wallclock', lambda: now[0])
    return now


def test_nobody_is_logged_in_at_first(browser):
    assert browser.ask('/console/session').json == {
        'authentication': 'keystone'}


def test_a_login_sends_the_token_with_later_requests(browser, api, keystone):
    answer = browser.log_in()
    assert answer.json == {'user': 'bob', 'project_id': 'p1',
                           'project_name': 'shop'}
    assert browser.ask('/console/session').json['user'] == 'bob'
    browser.ask('/v1/p1/stacks')
    assert api.seen[-1].headers['X-Auth-Token'] == 'the-secret-token'
    assert 'Cookie' not in api.seen[-1].headers


def test_no_answer_has_the_token_in_plain(browser, keystone):
    browser.log_in()
    browser.ask('/console/session')
    browser.ask('/v1/p1/stacks')
    for answer in browser.answers:
        assert 'the-secret-token' not in answer.text
        assert 'the-secret-token' not in str(answer.headers)


def test_scripts_and_other_sites_do_not_get_the_cookie(browser, keystone):
    [line] = browser.log_in().headers.getall('Set-Cookie')
    assert 'HttpOnly' in line
    assert 'SameSite=Strict' in line
    assert 'Secure' not in line


def test_over_tls_the_cookie_is_for_tls_only(api, keystone):
    request = webob.Request.blank(
        '/console/session', method='POST', base_url='https://heat.example',
        headers={'X-Heat-Console': '1'}, body=json.dumps(RIGHT).encode())
    answer = request.get_response(
        front.Console(api, session.Sessions(IDLE)))
    assert 'Secure' in answer.headers['Set-Cookie']


def test_an_application_credential_logs_in(browser, keystone):
    answer = browser.ask('/console/session', 'POST', {
        'application_credential_id': 'ac',
        'application_credential_secret': 'right'})
    assert answer.json['user'] == 'bob'
    assert 'scope' not in keystone.asked[-1]


def test_domains_default_to_that_of_the_user(browser, keystone):
    browser.log_in(user_domain='Sales')
    assert keystone.asked[-1]['identity']['password']['user']['domain'] == {
        'name': 'Sales'}
    assert keystone.asked[-1]['scope']['project']['domain'] == {
        'name': 'Sales'}


def test_a_wrong_password_is_refused(browser, keystone):
    answer = browser.log_in(password='wrong')
    assert answer.status_int == 401
    assert 'does not accept' in answer.json['error']['message']
    assert browser.cookies == {}


def test_without_keystone_the_service_is_unavailable(browser, keystone,
                                                     monkeypatch):
    monkeypatch.setattr(session.endpoint_utils, 'service_auth_uri',
                        lambda: 'http://127.0.0.1:9/v3')
    answer = browser.log_in()
    assert answer.status_int == 503
    assert '127.0.0.1' not in answer.text


@pytest.mark.parametrize('body', [
    b'', b'[]', b'nonsense', b'"x"', b'{"user": 1}', b'{"auth_url": "x"}',
    b'{"user": "bob"}', b'{"application_credential_id": "ac"}'])
def test_a_wrong_form_is_refused(browser, keystone, body):
    answer = browser.ask('/console/session', 'POST', body)
    assert answer.status_int == 400
    assert keystone.asked == []


def test_a_large_form_is_refused(browser, keystone):
    assert browser.ask('/console/session', 'POST',
                       b'x' * 20000).status_int == 413


def test_other_sites_neither_log_in_nor_out(browser, keystone):
    assert browser.ask('/console/session', 'POST', RIGHT,
                       X_Heat_Console=None).status_int == 403
    assert browser.ask('/console/session', 'POST', RIGHT,
                       Sec_Fetch_Site='cross-site').status_int == 403
    browser.log_in()
    assert browser.ask('/console/session', 'DELETE',
                       X_Heat_Console=None).status_int == 403
    assert keystone.revoked == []


def test_the_cookie_alone_is_not_enough(browser, api, keystone):
    browser.log_in()
    browser.ask('/v1/p1/stacks', 'DELETE', X_Heat_Console=None)
    assert 'X-Auth-Token' not in api.seen[-1].headers


def test_a_token_of_the_client_comes_first(browser, api, keystone):
    browser.log_in()
    browser.ask('/v1/p1/stacks', X_Auth_Token='own')
    assert api.seen[-1].headers['X-Auth-Token'] == 'own'


def test_logging_out_revokes_the_token(browser, api, keystone):
    browser.log_in()
    assert browser.ask('/console/session', 'DELETE').status_int == 204
    assert keystone.revoked == ['the-secret-token']
    browser.ask('/v1/p1/stacks')
    assert 'X-Auth-Token' not in api.seen[-1].headers


def test_a_session_ends_when_it_is_not_used(browser, api, keystone, clock):
    browser.log_in()
    clock[0] += IDLE + 1
    assert 'user' not in browser.ask('/console/session').json
    browser.ask('/v1/p1/stacks')
    assert 'X-Auth-Token' not in api.seen[-1].headers


def test_use_keeps_a_session(browser, api, keystone, clock):
    browser.log_in()
    for _ in range(5):
        clock[0] += IDLE - 10
        browser.ask('/v1/p1/stacks')
        assert api.seen[-1].headers['X-Auth-Token'] == 'the-secret-token'


def test_a_token_that_is_not_taken_ends_the_session(browser, api, keystone):
    browser.log_in()
    api.status = '401 Unauthorized'
    answer = browser.ask('/v1/p1/stacks')
    assert 'Path=/;' in answer.headers['Set-Cookie']
    assert 'user' not in browser.ask('/console/session').json


@pytest.mark.parametrize('value', [
    '', '.', 'x', 'cryptography_decrypt_v1.', 'cryptography_decrypt_v1.x',
    'unknown.gAAAA', '\u00e9'])
def test_nonsense_is_no_session(value):
    assert session.opened(value) is None


def test_other_secrets_are_no_session():
    method, data = crypt.encrypt('{"token": "t"}')
    assert session.opened(f'{method}.{data}') is None
    method, data = crypt.encrypt('[1]')
    assert session.opened(f'{method}.{data}') is None


def test_a_session_cannot_be_read_with_another_key():
    login = session.Login('t', 'u', 'p', 'n', 1.0)
    sealed = login.sealed()
    assert session.opened(sealed) == login
    cfg.CONF.set_override('auth_encryption_key', 'j' * 32)
    assert session.opened(sealed) is None
