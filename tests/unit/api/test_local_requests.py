"""APIs without authentication, and what pages of other sites send them."""
import json
import pathlib

from oslo_config import cfg
from paste import deploy
import pytest
import webob

from heat.cmd import embedded
from heat.common import exception
from heat.common import http_protocol
from heat.common import local_requests
from heat.common import policy
from heat.rpc import client as rpc_client
from tests.fakes import engine_answers

PATH = pathlib.Path(__file__).resolve().parents[3] / 'etc/heat/api-paste.ini'
JSON = {'Content-Type': 'application/json'}
FORM = {'Content-Type': 'application/x-www-form-urlencoded'}
BODY = json.dumps({'stack_name': 's', 'template': {
    'heat_template_version': '2018-08-31'}}).encode()
ACTION = b'Action=DeleteStack&StackName=s&AWSAccessKeyId=demo'
STACKS = '/v1/demo/stacks'


@pytest.fixture
def load(monkeypatch, engine):
    """Return a function that loads a pipeline over the fake engine."""
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    policy.reset()
    engine.answers = dict(engine_answers.ANSWERS)
    monkeypatch.setattr(rpc_client, 'EngineClient',
                        lambda is_for_users=False: engine)
    yield lambda name: deploy.loadapp(f'config:{PATH}', name=name)
    cfg.CONF.clear_override('allowed_hosts', 'noauth')


def ask(application, path, headers, **kwargs):
    return webob.Request.blank(path, headers=headers, **kwargs).get_response(
        application)


class Peer:
    address = '127.0.0.1'
    scheme = 'http'


def environ_of(data):
    """Return what the HTTP server makes of a request."""
    reader = http_protocol.RequestReader(16384, 100000)
    reader.feed(data)
    return http_protocol.make_environ(reader.next_request(), Peer,
                                      '127.0.0.1', 8004)


OWN = [
    {}, {'Host': '127.0.0.1:8004'}, {'Host': '[::1]:8004'},
    {'Host': 'localhost:8004'}, {'Host': 'LOCALHOST.'},
    {'Host': 'heat.localhost'}, {'Host': '192.0.2.7:8004'},
    {'Host': '127.0.0.1:8004', 'Origin': 'http://127.0.0.1:8004'},
    {'Sec-Fetch-Site': 'none'}, {'Sec-Fetch-Site': 'same-origin'},
]
FOREIGN = [
    {'Host': 'evil.example'}, {'Host': 'evil.example:8004'},
    {'Host': '127.0.0.1.evil.example'}, {'Host': 'localhost.evil.example'},
    {'Host': 'notlocalhost'}, {'Host': '[5:1]:8004'}, {'Host': '[::1'},
    {'Origin': 'http://evil.example'}, {'Origin': 'null'}, {'Origin': ''},
    {'Host': '127.0.0.1:8004', 'Origin': 'http://127.0.0.1:8080'},
    {'Host': '127.0.0.1:8004', 'Origin': 'https://127.0.0.1:8004'},
    {'Sec-Fetch-Site': 'cross-site'}, {'Sec-Fetch-Site': 'same-site'},
]


@pytest.mark.parametrize('headers', OWN, ids=str)
def test_own_requests_are_served(load, headers):
    rest, cfn = load('heat-api-noauth'), load('heat-api-cfn-noauth')
    assert ask(rest, STACKS, headers).status_int == 200
    assert ask(rest, STACKS, {**headers, **JSON}, method='POST',
               body=BODY).status_int == 201
    assert ask(cfn, '/v1/', {**headers, **FORM}, method='POST',
               body=ACTION).status_int == 200


@pytest.mark.parametrize('headers', FOREIGN, ids=str)
def test_foreign_requests_are_refused(load, engine, headers):
    rest, cfn = load('heat-api-noauth'), load('heat-api-cfn-noauth')
    for method, body in (('GET', b''), ('POST', BODY)):
        answer = ask(rest, STACKS, {**headers, **JSON}, method=method,
                     body=body)
        assert answer.status_int == 403
        assert answer.json['error']['message']
    for method, path, body in (('POST', '/v1/', ACTION),
                               ('GET', '/v1/?' + ACTION.decode(), b'')):
        answer = ask(cfn, path, {**headers, **FORM}, method=method,
                     body=body)
        assert answer.status_int == 403
        assert b'AccessDenied' in answer.body
    assert engine.calls == []


@pytest.mark.parametrize('content_type', [
    None, '', 'text/plain', 'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a',
    'json', 'text/plain; application/json'])
def test_bodies_are_said_to_be_json(load, engine, content_type):
    headers = {} if content_type is None else {'Content-Type': content_type}
    request = webob.Request.blank(STACKS, method='POST', body=BODY)
    request.headers.pop('Content-Type', None)
    request.headers.update(headers)
    answer = request.get_response(load('heat-api-noauth'))
    assert answer.status_int == 415
    assert 'application/json' in answer.json['error']['message']
    assert engine.calls == []


@pytest.mark.parametrize('framing', ['', 'Content-Length: 0\r\n',
                                     'Transfer-Encoding: chunked\r\n'])
def test_requests_without_a_body_need_no_type(load, engine, framing):
    """Command line tools delete without a body and without its length."""
    end = '0\r\n\r\n' if framing.startswith('Transfer') else ''
    data = (f'DELETE {STACKS}/s/1 HTTP/1.1\r\nHost: localhost\r\n{framing}'
            f'\r\n{end}').encode()
    answer = webob.Request(environ_of(data)).get_response(
        load('heat-api-noauth'))
    assert answer.status_int == 204
    assert engine.calls


def test_a_body_in_chunks_needs_a_type(load, engine):
    body = b'{"suspend": null}'
    data = (f'POST {STACKS}/s/1/actions HTTP/1.1\r\nHost: localhost\r\n'
            'Transfer-Encoding: chunked\r\n\r\n'
            f'{len(body):x}\r\n{body.decode()}\r\n0\r\n\r\n').encode()
    answer = webob.Request(environ_of(data)).get_response(
        load('heat-api-noauth'))
    assert answer.status_int == 415
    assert engine.calls == []


def test_operators_allow_more_hosts_and_origins(load):
    application = load('heat-api-noauth')
    cfg.CONF.set_override('allowed_hosts', ['heat'], 'noauth')
    assert ask(application, STACKS, {'Host': 'heat:8004'}).status_int == 200
    assert ask(application, STACKS,
               {'Origin': 'https://ui.example'}).status_int == 403
    cfg.CONF.set_override('allowed_origin', ['https://ui.example'], 'cors')
    try:
        assert ask(application, STACKS,
                   {'Origin': 'https://ui.example',
                    'Sec-Fetch-Site': 'cross-site'}).status_int == 200
        assert ask(application, STACKS,
                   {'Origin': 'https://ui.example.org'}).status_int == 403
    finally:
        cfg.CONF.clear_override('allowed_origin', 'cors')


@pytest.mark.parametrize(('name', 'expected'), [
    ('127.0.0.1', True), ('127.9.9.9', True), ('::1', True),
    ('localhost', True), ('0.0.0.0', False), ('::', False),
    ('192.0.2.1', False), ('localhost.evil.example', False), ('', False)])
def test_addresses_of_this_machine_only(name, expected):
    assert local_requests.is_loopback(name) == expected


@pytest.fixture
def listening():
    """Return what checks where heat-all would listen."""
    overrides = []

    def check(host, flavor='noauth', group='heat_api', **more):
        values = [('bind_host', '127.0.0.1', 'heat_api'),
                  ('bind_host', '127.0.0.1', 'heat_api_cfn'),
                  ('bind_host', host, group),
                  ('flavor', flavor, 'paste_deploy'),
                  *((name, value, None) for name, value in more.items())]
        for name, value, in_group in values:
            cfg.CONF.set_override(name, value, in_group)
            overrides.append((name, in_group))
        embedded.check_addresses()

    cfg.CONF.register_opts(embedded.CLI_OPTIONS)
    yield check
    for name, in_group in overrides:
        cfg.CONF.clear_override(name, in_group)
    cfg.CONF.reset()
    cfg.CONF.unregister_opts(embedded.CLI_OPTIONS)


@pytest.mark.parametrize('group', ['heat_api', 'heat_api_cfn'])
@pytest.mark.parametrize('host', ['0.0.0.0', '::', '192.0.2.1', 'example'])
def test_remote_address_without_authentication_is_refused(
        listening, host, group):
    with pytest.raises(exception.Error, match='--allow-remote') as caught:
        listening(host, group=group)
    assert f'[{group}] bind_host' in str(caught.value)
    listening(host, group=group, allow_remote=True)
    listening(host, flavor=None, group=group)


@pytest.mark.parametrize('host', ['127.0.0.1', '::1', 'localhost'])
def test_address_of_the_cloudwatch_api_counts_if_it_is_served(listening, host):
    cfg.CONF.set_override('enabled', True, 'cloudwatch')
    try:
        with pytest.raises(exception.Error, match='heat_api_cloudwatch'):
            listening('0.0.0.0', group='heat_api_cloudwatch')
        listening(host, group='heat_api_cloudwatch')
    finally:
        cfg.CONF.clear_override('enabled', 'cloudwatch')
    listening('0.0.0.0', group='heat_api_cloudwatch')


@pytest.mark.parametrize('host', ['127.0.0.1', '::1', 'localhost'])
def test_address_of_this_machine_is_fine(listening, host):
    listening(host)


@pytest.mark.parametrize('key', ['a%0ab', 'a%1b%5b2J', '%c2%9b2J'])
def test_key_that_would_break_the_log(load, engine, key):
    """The key stands for the project, which each line of the log has."""
    response = ask(load('heat-api-cfn-noauth'),
                   f'/v1/?Action=ListStacks&AWSAccessKeyId={key}', {})
    assert response.status_int == 400
    assert not engine.calls
