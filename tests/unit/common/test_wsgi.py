"""WSGI building blocks: bodies in, results out, errors through."""
import datetime
import json

import pytest
import routes
import webob
import webob.exc

from heat.common import exception
from heat.common import wsgi


class Controller:
    """Actions as the APIs have them."""

    def show(self, request, name, body=None):
        return {'name': name, 'body': body}

    def nothing(self, request):
        return None

    def created(self, request):
        return webob.Response(status=201)

    def http_error(self, request):
        raise webob.exc.HTTPForbidden('no')

    def heat_error(self, request):
        raise exception.StackExists(stack_name='s')

    def default(self, request, **_arguments):
        raise webob.exc.HTTPNotFound()


@pytest.fixture
def app(conf):
    mapper = routes.Mapper()
    resource = wsgi.Resource(Controller(), wsgi.JSONRequestDeserializer())
    mapper.connect('/show/{name}', controller=resource, action='show')
    mapper.connect('/{action}', controller=resource)
    return wsgi.Router(mapper)


def ask(app, path, body=b'', **headers):
    request = wsgi.Request.blank(path)
    request.method = 'POST'
    request.body = body
    for name, value in headers.items():
        request.headers[name.replace('_', '-')] = value
    return request.get_response(app)


def test_action_gets_path_and_body(app):
    response = ask(app, '/show/x', b'{"a": 1}',
                   Content_Type='application/json')
    assert response.status_int == 200
    assert response.content_type == 'application/json'
    assert response.json == {'name': 'x', 'body': {'a': 1}}


@pytest.mark.parametrize(('content_type', 'body', 'expected'), [
    ('application/json', b'{"a": 1}', {'a': 1}),
    ('application/json; charset=utf-8', b'{"a": 1}', {'a': 1}),
    ('text/plain', b'{"a": 1}', {'a': 1}),
    ('JSON', b'{"a": 1}', {'a': 1}),
    ('', b'{"a": 1}', {'a': 1}),
    ('application/xml', b'{"a": 1}', None),
    ('application/json', b'[1]', None),
    ('application/json', b'', None),
])
def test_which_bodies_are_read(app, content_type, body, expected):
    response = ask(app, '/show/x', body, Content_Type=content_type)
    assert response.json['body'] == expected


def test_body_in_chunks_is_read(app):
    request = wsgi.Request.blank('/show/x', method='POST')
    request.environ['wsgi.input_terminated'] = True
    request.body_file = iter_file(b'{"a": 1}')
    request.content_length = None
    request.headers['Content-Type'] = 'application/json'
    assert request.get_response(app).json['body'] == {'a': 1}


def iter_file(data):
    class Body:
        """A file that can be read once."""

        left = data

        def read(self, size=-1):
            size = len(self.left) if size < 0 else size
            piece, self.left = self.left[:size], self.left[size:]
            return piece
    return Body()


@pytest.mark.parametrize('length', [None, 30])
def test_too_long_a_body(app, conf, length):
    conf.set(max_json_body_size=20)
    request = wsgi.Request.blank('/show/x', method='POST')
    request.environ['wsgi.input_terminated'] = True
    request.body_file = iter_file(b'{"a": "%s"}' % (b'x' * 22))
    request.content_length = length
    request.headers['Content-Type'] = 'application/json'
    with pytest.raises(exception.RequestLimitExceeded, match='20 bytes'):
        request.get_response(app)


@pytest.mark.parametrize(('body', 'where'), [
    (b'{"a": }', 'line 1, column 7'), (b'{"a":\n 1', 'line 2'),
    (b'{"a": "\xff"}', 'not valid UTF-8'),
    (b'{"a": ' + b'[' * 100000, 'not valid JSON'),
])
def test_broken_json(app, body, where):
    with pytest.raises(exception.HTTPExceptionDisguise) as caught:
        ask(app, '/show/x', body)
    assert isinstance(caught.value.exc, webob.exc.HTTPBadRequest)
    assert where in str(caught.value.exc)


def test_none_is_written_as_null(app):
    response = ask(app, '/nothing')
    assert response.status_int == 200
    assert response.body == b'null'


def test_response_of_an_action_is_sent_as_it_is(app):
    assert ask(app, '/created').status_int == 201


def test_http_errors_travel_in_disguise(app):
    with pytest.raises(exception.HTTPExceptionDisguise) as caught:
        ask(app, '/http_error')
    assert caught.value.exc.code == 403


def test_our_errors_pass(app):
    with pytest.raises(exception.StackExists):
        ask(app, '/heat_error')


def test_body_that_does_not_fit_is_a_bad_request(app):
    with pytest.raises(exception.HTTPExceptionDisguise) as caught:
        ask(app, '/nothing', b'{"a": 1}')
    assert caught.value.exc.code == 400


def test_unknown_path_and_action(app):
    assert ask(app, '/a/b/c').status_int == 404
    with pytest.raises(exception.HTTPExceptionDisguise):
        ask(app, '/unheard_of')


def test_actions_may_have_their_own_serializer():
    class Serializer(wsgi.JSONResponseSerializer):
        def show(self, response, result):
            response.status_int = 201
            self.default(response, result)

    resource = wsgi.Resource(Controller(), wsgi.JSONRequestDeserializer(),
                             Serializer())
    request = wsgi.Request.blank('/')
    request.environ['wsgiorg.routing_args'] = (
        (), {'controller': None, 'format': None, 'action': 'show',
             'name': 'x'})
    assert request.get_response(resource).status_int == 201


def test_serializer_writes_what_json_does_not_know():
    text = wsgi.JSONResponseSerializer().to_json(
        {'at': datetime.datetime(2026, 1, 2, 3, 4, 5), 's': 'ü'})
    assert json.loads(text) == {'at': '2026-01-02T03:04:05', 's': 'ü'}


def test_methods_that_a_path_lacks():
    controller = wsgi.DefaultMethodController()
    with pytest.raises(webob.exc.HTTPNoContent) as caught:
        controller.options(None, 'GET,POST')
    assert caught.value.headers['Allow'] == 'GET,POST'
    with pytest.raises(webob.exc.HTTPMethodNotAllowed) as caught:
        controller.reject(None, 'GET')
    assert caught.value.headers['Allow'] == 'GET'


def test_middleware_may_answer_or_change():
    class Closed(wsgi.Middleware):
        def process_request(self, request):
            return webob.Response(status=503) if request.GET else None

        def process_response(self, response):
            response.headers['X-Seen'] = 'yes'
            return response

    app = Closed(wsgi.debug_filter(webob.Response(status=204), {}))
    assert webob.Request.blank('/?a=b').get_response(app).status_int == 503
    response = webob.Request.blank('/').get_response(app)
    assert (response.status_int, response.headers['X-Seen']) == (204, 'yes')


def test_content_type_and_language_of_a_request():
    request = wsgi.Request.blank('/')
    assert request.best_match_content_type() == 'application/json'
    assert request.best_match_language() is None
    request.headers['Accept'] = 'application/json'
    request.headers['Accept-Language'] = 'de'
    request.headers['Content-Type'] = 'application/json; charset=x'
    assert request.best_match_content_type() == 'application/json'
    assert request.best_match_language() == 'de'
    assert request.get_content_type(('application/json',))
    with pytest.raises(exception.InvalidContentType):
        request.get_content_type(('text/html',))
