"""Errors of filters inside the CloudFormation API, as AWS clients read them.
"""
from botocore import parsers
from keystonemiddleware import auth_token
from oslo_middleware import request_id
import pytest
import webob

from heat.api.aws import error_form
from heat.api.middleware import version_negotiation
from tests import ports


def inside(filter_):
    """Return the pipeline of the CloudFormation API around a filter."""
    return version_negotiation.filter_factory(
        {}, service='cloudformation')(filter_)


def ask(application, path='/v1/?Action=ListStacks', **headers):
    request = webob.Request.blank(path, headers=headers)
    request.environ[request_id.ENV_REQUEST_ID] = 'req-1'
    return request.get_response(application)


def read(answer):
    """Return what Amazon's client library reads of an answer."""
    return parsers.create_parser('query').parse(
        {'status_code': answer.status_int, 'headers': dict(answer.headers),
         'body': answer.body}, None)


def answering(status, **attributes):
    """Return an application with a plain text answer."""
    return webob.Response(status=status, text='plain', charset='utf-8',
                          content_type='text/plain', **attributes)


def test_keystone_that_is_away_is_an_error_that_amazons_library_reads():
    filter_ = auth_token.AuthProtocol(answering(200), {
        'auth_type': 'none',
        'endpoint': f'http://127.0.0.1:{ports.free_port()}',
        'http_connect_timeout': '1', 'http_request_max_retries': '0'})
    plain = ask(filter_, '/', **{'X-Auth-Token': 'x' * 32})
    answer = ask(inside(filter_), **{'X-Auth-Token': 'x' * 32})
    assert (plain.status_int, plain.content_type) == (503, 'text/plain')
    assert answer.status_int == 503
    found = read(answer)
    assert found['Error']['Code'] == 'ServiceUnavailable'
    assert found['ResponseMetadata']['RequestId'] == 'req-1'
    assert int(answer.headers['Retry-After']) > 0


@pytest.mark.parametrize(('status', 'code'), [
    (401, 'AccessDenied'), (403, 'AccessDenied'),
    (404, 'InvalidParameterValue'), (405, 'InvalidQueryParameter'),
    (413, 'RequestLimitExceeded'), (429, 'Throttling'),
    (500, 'InternalFailure'), (502, 'InternalFailure'),
    (503, 'ServiceUnavailable'),
])
def test_plain_errors_keep_their_status(status, code):
    answer = ask(inside(answering(status)))
    assert (answer.status_int, answer.content_type) == (
        status, 'application/xml')
    assert read(answer)['Error']['Code'] == code
    assert 'plain' not in answer.text


def test_headers_of_an_error_are_kept():
    answer = ask(inside(answering(503, headers=[
        ('Retry-After', '77'), ('WWW-Authenticate', 'Keystone')])))
    assert answer.headers.getall('Retry-After') == ['77']
    assert answer.headers['WWW-Authenticate'] == 'Keystone'
    assert answer.content_length == len(answer.body)


def test_json_is_answered_to_a_query_that_asks_for_it():
    answer = ask(inside(answering(503)), '/v1/?ContentType=JSON')
    assert answer.json['ErrorResponse']['Error']['Code'] == (
        'ServiceUnavailable')
    assert answer.json['ErrorResponse']['RequestId'] == 'req-1'


def test_what_is_no_error_passes_and_so_does_what_is_in_form():
    assert ask(inside(answering(200))).text == 'plain'
    formed = webob.Response(status=503, body=b'<a/>',
                            content_type='application/xml')
    assert ask(inside(formed)).body == b'<a/>'


def test_a_filter_that_raises_says_nothing_about_itself():
    def broken(environ, start_response):
        raise KeyError('address')

    answer = ask(error_form.ErrorForm(broken))
    assert answer.status_int == 500
    assert read(answer)['Error']['Code'] == 'InternalFailure'
    assert 'address' not in answer.text


def test_the_other_api_is_left_alone():
    answer = ask(version_negotiation.filter_factory({})(answering(503)))
    assert answer.text == 'plain'
