"""Fetching texts: over HTTP from a server of ours, and from files."""
import pytest

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
    conf.set(allowed_fetch_networks=['127.0.0.0/8'])
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
    ('/to/file:///etc/passwd', 'another scheme'),
    ('/to//to//to//to//to//to//text', 'too many times')])
def test_redirects_end_somewhere(url, path, message):
    with pytest.raises(urlfetch.URLFetchError, match=message):
        urlfetch.get(url + path)


def test_slow_servers_are_given_up(conf, url):
    conf.set(template_fetch_timeout=0)
    with pytest.raises(urlfetch.URLFetchError, match='longer than'):
        urlfetch.get(url + '/text')
