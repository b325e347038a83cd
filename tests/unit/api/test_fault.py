import inspect
import json

import oslo_messaging
from oslo_messaging._drivers import common as driver_common
import pytest
import webob
import webob.exc

from heat.api.middleware import fault
from heat.common import exception
from tests.fakes import rest

FACTS = rest.load_facts('states')['exception_to_http']
# Where the facts say that the peer's 500 is a mistake.
MENDED = {
    'ConflictingMergeStrategyForParam': 400,
    'InvalidExternalResourceDependency': 400,
    'InvalidMergeStrategyForParam': 400,
    'InvalidRestrictedAction': 400,
}


def heat_exceptions():
    """Return every class of ours with a fact about its status."""
    return sorted((name, cls) for name, cls in vars(exception).items()
                  if inspect.isclass(cls)
                  and issubclass(cls, exception.HeatException))


def make(cls):
    """Return an instance without caring about its message."""
    error = cls.__new__(cls)
    Exception.__init__(error)
    error.message = 'what went wrong'
    error.kwargs = {}
    return error


def ask(error, environ=None):
    """Return the response of a fault wrapper around a failing app."""
    def failing(environ, start_response):
        raise error

    request = webob.Request.blank('/', environ=environ)
    return request.get_response(fault.FaultWrapper(failing))


@pytest.mark.parametrize(('name', 'cls'), heat_exceptions())
def test_every_heat_exception_has_its_status(name, cls):
    if name not in FACTS:
        # A class the facts do not know takes the status of a base they do.
        assert fault.status_of(make(cls)) in (
            400, 403, 404, 409, 500, 503)
        return
    expected = MENDED.get(name, FACTS[name]['status'])
    assert fault.status_of(make(cls)) == expected


@pytest.mark.parametrize('name', sorted(FACTS))
def test_status_of_error_known_by_name_only(name):
    error = oslo_messaging.RemoteError(name, 'text', 'trace')
    expected = MENDED.get(name, FACTS[name]['status'])
    assert fault.status_of(error) == expected


@pytest.mark.parametrize('name', sorted(FACTS))
def test_title_and_safety(name):
    error = oslo_messaging.RemoteError(name, 'text', 'trace')
    body = ask(error).json
    if name not in MENDED:
        assert body['title'] == FACTS[name]['title']
    in_body = FACTS[name]['message_in_body']
    assert (body['error']['message'] == 'text') == in_body
    assert body['error']['type'] == name


def test_shape():
    response = ask(exception.EntityNotFound(entity='Stack', name='s'))
    assert response.status_int == 404
    assert response.content_type == 'application/json'
    body = response.json
    assert set(body) == {'code', 'title', 'explanation', 'error'}
    assert set(body['error']) == {'type', 'message', 'traceback'}
    assert body['code'] == 404
    assert body['title'] == 'Not Found'
    assert body['error']['type'] == 'EntityNotFound'
    assert 's' in body['error']['message']
    assert body['error']['traceback'] is None


def test_error_rebuilt_from_rpc():
    try:
        raise exception.StackValidationFailed(message='first\nsecond')
    except exception.StackValidationFailed as exc:
        data = driver_common.serialize_remote_exception(
            (type(exc), exc, exc.__traceback__))
    remote = driver_common.deserialize_remote_exception(
        data, ['heat.common.exception'])
    assert type(remote).__name__ == 'StackValidationFailed_Remote'
    body = ask(remote).json
    assert body['code'] == 400
    assert body['error']['type'] == 'StackValidationFailed'
    assert body['error']['message'] == 'first\nsecond'
    assert body['error']['traceback'] is None


def test_foreign_error_text_is_not_shown():
    secret = 'mysql://heat:secret@10.0.0.1/heat'
    response = ask(oslo_messaging.RemoteError('DBConnectionError', secret),
                   {'openstack.request_id': 'req-1'})
    assert response.status_int == 500
    assert 'secret' not in response.text
    assert 'req-1' in response.json['error']['message']
    assert response.json['error']['type'] == 'DBConnectionError'


def test_local_error_is_500_without_text():
    response = ask(KeyError('/etc/heat/secret'))
    assert response.status_int == 500
    assert '/etc' not in response.text


def test_value_error_is_400():
    assert ask(ValueError('x')).status_int == 400
    assert ask(UnicodeDecodeError('utf-8', b'', 0, 1, 'x')).status_int == 400


def test_traceback_when_debugging(monkeypatch):
    monkeypatch.setattr(fault.cfg, 'CONF', type('C', (), {'debug': True}))
    body = ask(KeyError('x')).json
    assert 'Traceback' in body['error']['traceback']


def test_http_error_keeps_its_headers_and_detail():
    error = webob.exc.HTTPMethodNotAllowed('not so',
                                           headers={'Allow': 'GET'})
    response = ask(error)
    assert response.headers['Allow'] == 'GET'
    assert response.json['error'] == {
        'type': 'HTTPMethodNotAllowed', 'message': 'not so',
        'traceback': None}
    assert json.loads(response.body)['code'] == 405


def test_disguised_http_error():
    error = exception.HTTPExceptionDisguise(webob.exc.HTTPConflict('busy'))
    response = ask(error)
    assert response.status_int == 409
    assert response.json['error']['message'] == 'busy'


def test_redirect_is_left_alone():
    response = ask(webob.exc.HTTPFound(location='http://x/'))
    assert response.status_int == 302
    assert response.content_type != 'application/json'
