"""Logging in to the console with Keystone."""
import json

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
        #: The roles of alice from her next login on.
        self.roles = ('member',)
        self.project = http_cloud.PROJECT

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
        token, body = self._issue('alice', self.project)
        body['user']['name'], body['project']['name'] = 'alice', 'shop'
        body['roles'] = [{'id': name, 'name': name} for name in self.roles]
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
[DEFAULT]
deferred_auth_method = password
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


CREATE = """async ([project, name]) => {
    const answer = await fetch(`/v1/${project}/stacks`, {
        method: 'POST', headers: {'X-Heat-Console': '1',
                                  'Content-Type': 'application/json'},
        body: JSON.stringify({stack_name: name, template: {
            heat_template_version: '2021-04-16',
            resources: {a: {type: 'OS::Heat::None'}}}})});
    return [answer.status, await answer.text()];
}"""


def create(page, name):
    """Create a stack as the user of a page; return it."""
    status, text = page.evaluate(CREATE, [http_cloud.PROJECT, name])
    assert status == 201, text
    return json.loads(text)['stack']


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
    # It asks for the list now and then.
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    expect(page.get_by_text('The session has expired')).to_be_visible()


def test_text_survives_the_end_of_a_session(pages, keystone):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_role('link', name='Create stack')).to_be_visible()
    made = create(page, 'edited')
    page.goto(f'{page.url.split("#")[0]}#/{http_cloud.PROJECT}/editor?'
              f'stack=edited&id={made["id"]}')
    place = page.locator('.cm-content')
    expect(place).to_contain_text('OS::Heat::None')
    place.click()
    page.keyboard.press('Control+End')
    keystone.given.clear()
    page.keyboard.insert_text('# not sent yet')
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    log_in(page)
    expect(place).to_contain_text('# not sent yet')
    page.get_by_role('link', name='Stacks', exact=True).click()
    page.get_by_role('link', name='edited').click()
    page.get_by_role('link', name='Update', exact=True).click()
    expect(place).to_contain_text('OS::Heat::None')
    expect(place).not_to_contain_text('# not sent yet')


@pytest.mark.parametrize('end', ['Log out', 'another project'])
def test_texts_that_were_not_sent_are_not_shown_to_others(
        pages, keystone, end, monkeypatch):
    def text_of_a_new_editor():
        log_in(page)
        page.get_by_role('link', name='Template editor').click()
        expect(place).to_contain_text('heat_template_version')
        return place.text_content()

    page = pages.open('stacks')
    place = page.locator('.cm-content')
    assert 'a secret' not in text_of_a_new_editor()
    place.click()
    page.keyboard.press('Control+End')
    page.keyboard.insert_text('# a secret')
    expect(place).to_contain_text('# a secret')
    if end == 'Log out':
        page.get_by_role('button', name=end).click()
    else:
        keystone.given.clear()
        monkeypatch.setattr(keystone, 'project', 'f' * 32)
        page.reload()
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    assert 'a secret' not in text_of_a_new_editor()


def test_a_stream_that_is_refused_leads_back_to_the_login(pages, keystone):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_role('link', name='Create stack')).to_be_visible()
    made = create(page, 'streamed')

    def expire(route):
        keystone.given.clear()
        route.continue_()

    page.route('**/events/stream*', expire)
    # This part asks for nothing but the stream.
    page.goto(f'{page.url.split("#")[0]}#/{http_cloud.PROJECT}/stack/'
              f'streamed/{made["id"]}/events')
    expect(page.get_by_role('button', name='Log in')).to_be_visible()


def test_tabs_share_a_session(pages):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_text('alice · shop')).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text('alice · shop')).to_be_visible()
    page.get_by_role('button', name='Log out').click()
    expect(page.get_by_role('button', name='Log in')).to_be_visible()
    # It asks for the list now and then.
    expect(other.get_by_role('button', name='Log in')).to_be_visible()


@pytest.fixture
def as_reader(keystone):
    """Return a function that has later logins be those of a reader."""
    def begin():
        keystone.roles = ('reader',)
    yield begin
    keystone.roles = ('member',)


def test_a_reader_is_offered_only_what_a_reader_may_do(
        pages, keystone, as_reader, check_access):
    page = pages.open('stacks')
    log_in(page)
    expect(page.get_by_role('link', name='Create stack')).to_be_visible()
    create(page, 'read')
    page.get_by_role('button', name='Refresh').click()
    page.get_by_label('Select read').check()
    expect(page.get_by_role('button', name='Delete')).to_be_visible()

    as_reader()
    page = pages.open('stacks')
    log_in(page)
    page.get_by_label('Select read').check()
    expect(page.get_by_role('button', name='Check')).to_be_visible()
    for name in ('Delete', 'Suspend', 'Resume'):
        expect(page.get_by_role('button', name=name)).to_have_count(0)
    expect(page.get_by_role('link', name='Create stack')).to_have_count(0)
    sections = page.get_by_role('navigation', name='Sections')
    expect(sections.get_by_role('link', name='Stacks')).to_be_visible()
    expect(sections.get_by_role('link', name='Engines')).to_have_count(0)
    check_access(page)
    page.get_by_role('link', name='read').click()
    page.get_by_text('Actions', exact=True).click()
    expect(page.locator('.menu-items button')).to_have_text(['Check'])
    expect(page.get_by_role('link', name='Update')).to_have_count(0)
    page.get_by_role('link', name='Drift').click()
    expect(page.get_by_text('has not been compared')).to_be_visible()
    expect(page.get_by_role('button', name='Detect drift')).to_be_hidden()
    # The default policy has templates validated for members only.
    expect(sections.get_by_role('link', name='Template editor')
           ).to_have_count(0)
