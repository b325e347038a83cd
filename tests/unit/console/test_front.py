import gzip

import pytest
import webob

from heat.console import front
from heat.console import session


def api(environ, start_response):
    start_response('200 OK', [('Content-Type', 'text/plain')])
    return [b'the API']


@pytest.fixture
def ask():
    """Return a function that asks a console in front of an API."""
    def make(path, *, is_open=True, method='GET', headers=None):
        request = webob.Request.blank(
            path, method=method, base_url='http://127.0.0.1:8004',
            headers=headers or {})
        return request.get_response(front.Console(
            api, None if is_open else session.Sessions(600)))
    return make


@pytest.mark.parametrize('path', [
    '/', '/v1/demo/stacks', '/consoles', '/healthcheck', '/v1/console/'])
def test_other_paths_reach_the_api(ask, path):
    assert ask(path).body == b'the API'
    assert 'Content-Security-Policy' not in ask(path).headers


def test_the_page_is_served_with_a_strict_policy(ask):
    answer = ask('/console/')
    assert answer.status_int == 200
    assert answer.content_type == 'text/html'
    policy = dict(part.split(' ', 1) for part in
                  answer.headers['Content-Security-Policy'].split('; '))
    assert policy['default-src'] == "'none'"
    assert policy['script-src'] == policy['style-src'] == "'self'"
    assert policy['frame-ancestors'] == policy['base-uri'] == "'none'"
    assert 'unsafe' not in answer.headers['Content-Security-Policy']
    assert answer.headers['X-Content-Type-Options'] == 'nosniff'


def test_the_path_without_slash_leads_to_the_page(ask):
    answer = ask('/console')
    assert answer.status_int == 308
    assert answer.headers['Location'].endswith('/console/')


def test_a_page_that_has_not_changed_is_not_sent_again(ask):
    tag = ask('/console/js/main.js').headers['ETag']
    again = ask('/console/js/main.js', headers={'If-None-Match': tag})
    assert again.status_int == 304
    assert again.body == b''


def test_files_are_compressed_for_those_who_take_it(ask):
    plain = ask('/console/js/main.js')
    small = ask('/console/js/main.js', headers={'Accept-Encoding': 'gzip'})
    assert 'Content-Encoding' not in plain.headers
    assert small.headers['Content-Encoding'] == 'gzip'
    assert gzip.decompress(small.body) == plain.body
    assert small.headers['ETag'] != plain.headers['ETag']


@pytest.mark.parametrize('path', [
    '/console/../../setup.cfg', '/console/..%2f..%2fetc/passwd',
    '/console//etc/passwd', '/console/js', '/console/js/', '/console/nothing',
    '/console/%2e%2e/front.py', '/console/js/main.js%00', '/console/./js/x'])
def test_no_other_file_is_reached(ask, path):
    answer = ask(path)
    assert answer.status_int == 404
    assert 'Content-Security-Policy' in answer.headers


@pytest.mark.parametrize('method', ['POST', 'PUT', 'DELETE', 'PATCH'])
def test_files_are_read_only(ask, method):
    answer = ask('/console/', method=method)
    assert answer.status_int == 405
    assert answer.headers['Allow'] == 'GET, HEAD'


def test_an_open_service_answers_its_own_name_only(ask):
    foreign = {'Host': 'evil.example'}
    assert ask('/console/', headers=foreign).status_int == 403
    assert ask('/console/', headers=foreign,
               is_open=False).status_int == 200


def test_the_pages_learn_that_nobody_logs_in(ask):
    answer = ask('/console/session')
    assert answer.json == {'authentication': 'none'}
    assert answer.headers['Cache-Control'] == 'no-store'
