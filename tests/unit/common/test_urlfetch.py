"""Fetching texts: over HTTP from a server of ours, and from files."""
import socket
import types

import pytest

from heat.common import guarded_http
from heat.common import urlfetch
from heat.common import wsgi_server
from tests.unit.common import test_wsgi_server


def app(environ, start_response):
    path = environ['PATH_INFO']
    if path.startswith('/to/'):
        start_response('302 Found', [('Location', path[len('/to/'):])])
        return []
    if path == '/missing':
        start_response('404 Not Found', [])
        return []
    start_response('200 OK', [])
    return {'/text': [b'gr\xc3\xbc\xc3\x9fe'], '/binary': [b'\xff\xfe'],
            '/long': iter([b'x' * 20000] * 10)}[path]


@pytest.fixture
def url(conf):
    server = wsgi_server.Server(test_wsgi_server.Options(), app)
    server.start()
    yield 'http://127.0.0.1:%d' % server.address[1]
    server.stop(timeout=5)


def test_text_is_fetched(url):
    assert urlfetch.get(url + '/text') == 'grüße'


@pytest.mark.parametrize(('path', 'message'), [
    ('/missing', 'Failed to retrieve'), ('/binary', 'UTF-8'),
    ('/long', '100000 bytes')])
def test_text_cannot_be_had(conf, url, path, message):
    conf.set(max_template_size=100000)
    with pytest.raises(urlfetch.URLFetchError, match=message):
        urlfetch.get(url + path)


def test_nobody_listens(conf):
    with pytest.raises(urlfetch.URLFetchError) as caught:
        urlfetch.get('http://127.0.0.1:1/x')
    assert 'refused' not in str(caught.value)


@pytest.mark.parametrize('where', ['file:///etc/passwd', 'ftp://x/y', 'x'])
def test_scheme_is_not_allowed(where):
    with pytest.raises(urlfetch.URLFetchError, match='Invalid URL scheme'):
        urlfetch.get(where)


def test_files_where_they_are_allowed(conf, tmp_path):
    path = tmp_path / 't.yaml'
    path.write_text('a: ü', encoding='utf-8')
    assert urlfetch.get(path.as_uri(), allowed_schemes=('file',)) == 'a: ü'
    conf.set(max_template_size=2)
    with pytest.raises(urlfetch.URLFetchError, match='2 bytes'):
        urlfetch.get(path.as_uri(), allowed_schemes=('file',))
    with pytest.raises(urlfetch.URLFetchError, match='no-such'):
        urlfetch.get('file:///no-such', allowed_schemes=('file',))


def test_error_is_an_io_error():
    assert issubclass(urlfetch.URLFetchError, IOError)


def test_redirects_are_followed(url):
    assert urlfetch.get(url + '/to//text') == 'grüße'


@pytest.mark.parametrize(('path', 'message'), [
    ('/to/file:///etc/passwd', 'another kind'),
    ('/to//to//to//to//to//to//text', 'on and on')])
def test_redirects_end_somewhere(url, path, message):
    with pytest.raises(urlfetch.URLFetchError, match=message):
        urlfetch.get(url + path)


@pytest.fixture
def inside(conf):
    """Return the address of a server that only we can reach."""
    class Options(test_wsgi_server.Options):
        bind_host = '127.0.0.2'

    asked = []

    def note(environ, start_response):
        asked.append(environ['PATH_INFO'])
        return app(environ, start_response)

    server = wsgi_server.Server(Options(), note)
    server.start()
    yield types.SimpleNamespace(
        url='http://127.0.0.2:%d' % server.address[1], asked=asked,
        port=server.address[1])
    server.stop(timeout=5)


@pytest.fixture
def outside(monkeypatch):
    """Take 127.0.0.1 for an address of the internet."""
    monkeypatch.setattr(guarded_http, 'is_private',
                        lambda address: address != '127.0.0.1')


def test_public_server_may_not_send_us_inside(conf, url, outside, inside):
    where = f'{url}/to/{inside.url}/text'
    with pytest.raises(urlfetch.URLFetchError, match='private address'):
        urlfetch.get(where)
    assert inside.asked == []
    conf.set(template_fetch_private_redirects=True)
    assert urlfetch.get(where) == 'grüße'


def test_what_is_inside_may_send_us_inside(outside, inside):
    assert urlfetch.get(f'{inside.url}/to/{inside.url}/text') == 'grüße'


def test_a_name_that_changes_its_address_leads_nowhere(
        url, outside, inside, monkeypatch):
    """What counts is where the connection leads in the end."""
    real, looked_up = socket.getaddrinfo, []

    def look_up(host, port, *args, **kwargs):
        if host == 'changes.test':
            looked_up.append(host)
            host = '127.0.0.1' if len(looked_up) == 1 else '127.0.0.2'
        return real(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, 'getaddrinfo', look_up)
    public = url.rpartition(':')[2]
    assert urlfetch.get(f'http://changes.test:{public}/text') == 'grüße'
    with pytest.raises(urlfetch.URLFetchError, match='private address'):
        urlfetch.get(f'{url}/to/http://changes.test:{inside.port}/text')
    assert inside.asked == []


def test_a_proxy_is_not_sent_inside_by_name(monkeypatch):
    monkeypatch.setenv('http_proxy', 'http://192.0.2.1:3128')
    monkeypatch.setattr(guarded_http, 'names_private',
                        lambda host: host == 'inside')
    check = urlfetch._check_for_proxy
    check('http://public/a', 'http://public/b')
    check('http://inside/a', 'http://inside/b')
    with pytest.raises(urlfetch.URLFetchError, match='private address'):
        check('http://public/a', 'http://inside/b')


@pytest.mark.parametrize(('address', 'private'), [
    ('8.8.8.8', False), ('10.0.0.1', True), ('127.0.0.1', True),
    ('169.254.169.254', True), ('100.64.0.1', True), ('0.0.0.0', True),
    ('224.0.0.1', True), ('2001:4860:4860::8888', False), ('::1', True),
    ('fe80::1%eth0', True), ('fd00::1', True),
    ('::ffff:8.8.8.8', False), ('::ffff:10.0.0.1', True),
    ('64:ff9b::a00:1', True), ('64:ff9b::808:808', False),
    ('2002:a00:1::1', True),
])
def test_addresses_of_the_internet(address, private):
    assert guarded_http.is_private(address) is private


def test_slow_servers_are_given_up(conf, url):
    conf.set(template_fetch_timeout=0)
    with pytest.raises(urlfetch.URLFetchError, match='longer than'):
        urlfetch.get(url + '/text')
