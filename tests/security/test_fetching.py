"""Nobody has the service connect into its own network.

Whatever a URL looks like, and wherever its server sends us on: connections
lead to the public internet and to what the operator allows, and no error
quotes what was there.
"""
import contextlib
import http.server
import json
import socket
import ssl
import subprocess
import types
from urllib import parse

from oslo_config import cfg
import pytest

from heat.common import address_filter
from heat.common import cloud_session
from heat.common import guarded_http
from heat.common import urlfetch
from heat.engine.software import deployments as software_deployments
from tests import serving
from tests.functional import conftest as fixtures
from tests.functional import templates

_no_account = fixtures._no_account
service = fixtures.service
api = fixtures.api
conf = fixtures.conf
cfn_url = fixtures.cfn_url

SECRET = 'what-only-the-inside-knows'
TEMPLATE = 'heat_template_version: 2018-08-31\n'


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        self.server.asked.append((self.headers['Host'], self.path))
        if self.path.startswith('/to/'):
            self.send_response(302)
            self.send_header('Location', parse.unquote(self.path[4:]))
        else:
            self.send_response(200)
        content = self.server.content.encode()
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_PUT = do_POST = do_GET  # noqa: N815

    def log_message(self, *_arguments):
        """Say nothing on the terminal."""


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def get_request(self):
        """Note each connection, also one that says nothing."""
        self.connections.append(1)
        return super().get_request()


@contextlib.contextmanager
def _serving(address, tls=None):
    server = _Server((address, 0), _Handler)
    server.asked, server.content, server.connections = [], TEMPLATE, []
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    with serving.serving(server):
        yield server


@pytest.fixture
def inside():
    """Return a server that only the host of the service can reach."""
    with _serving('127.0.0.1') as server:
        yield server


@pytest.fixture
def public(conf):
    """Return a server whose address, 127.0.0.2, is taken for a public one.
    """
    conf('allowed_fetch_networks', ['127.0.0.2/32'])
    with _serving('127.0.0.2') as server:
        server.url = f'http://127.0.0.2:{server.server_port}'
        yield server


#: Names by which 127.0.0.1 can be meant.
SPELLINGS = [
    '127.0.0.1', 'localhost', 'LOCALHOST', '2130706433', '0x7f000001',
    '0x7f.0.0.1', '0177.0.0.1', '017700000001', '127.1', '127.0.1',
    '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0', '0.0.0.0',
    'user@127.0.0.1', '127.0.0.1.', '①②⑦.0.0.1']


@pytest.fixture(params=SPELLINGS)
def denied_url(request, inside):
    """Return a URL that leads to the server inside."""
    return f'http://{request.param}:{inside.server_port}/x?token=t0ken'


def test_no_spelling_of_an_address_leads_inside(service, inside, denied_url):
    inside.content = SECRET
    with pytest.raises((urlfetch.URLFetchError, ValueError)) as caught:
        urlfetch.get(denied_url)
    assert inside.connections == []
    assert SECRET not in str(caught.value)
    assert 't0ken' not in str(caught.value)


def test_no_redirect_leads_inside(public, inside, denied_url):
    where = f'{public.url}/to/{parse.quote(denied_url)}'
    with pytest.raises((urlfetch.URLFetchError, ValueError)):
        urlfetch.get(where)
    assert inside.connections == []


@pytest.mark.parametrize('hops', [2, 4])
def test_every_hop_is_checked(public, inside, hops):
    where = f'http://127.0.0.1:{inside.server_port}/x'
    for _hop in range(hops):
        where = f'{public.url}/to/{parse.quote(where)}'
    with pytest.raises(urlfetch.URLFetchError, match='private address'):
        urlfetch.get(where)
    assert len(public.asked) == hops
    assert inside.connections == []


@pytest.mark.parametrize('location', [
    'file:///etc/passwd', 'gopher://127.0.0.1/', 'http://[', 'http://x:y/',
    'ftp://127.0.0.2/', 'http://:1/'])
def test_redirects_lead_to_web_pages_only(public, location):
    with pytest.raises(urlfetch.URLFetchError) as caught:
        urlfetch.get(f'{public.url}/to/{parse.quote(location, safe="")}')
    assert location not in str(caught.value).replace(
        parse.quote(location, safe=''), '')


def test_allowed_networks_are_fetched_from(conf, inside):
    url = f'http://localhost:{inside.server_port}/x'
    conf('allowed_fetch_networks', ['192.0.2.0/24', '127.0.0.0/8'])
    assert urlfetch.get(url) == TEMPLATE
    # The name is still what the server is asked by.
    assert inside.asked == [(f'localhost:{inside.server_port}', '/x')]


@pytest.mark.parametrize('wrong', ['nonsense', '10.0.0.0/33', 'a.b/8'])
def test_a_wrong_network_is_named(wrong):
    with pytest.raises(ValueError, match=wrong.partition('/')[0]):
        address_filter.NetworkType()(wrong)


# -- addresses ---------------------------------------------------------------

DENIED = [
    '0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200',
    '127.0.0.1', '127.255.255.254', '168.63.129.16', '169.254.169.254',
    '169.254.1.1', '172.16.0.1', '172.31.255.255', '192.0.0.192',
    '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1',
    '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1',
    '255.255.255.255',
    '::', '::1', '::7f00:1', '::8.8.8.8', '::ffff:127.0.0.1',
    '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::808:808',
    '64:ff9b:1::1', '100::1', '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:10::1',
    '2001:db8::1', '2002:7f00:1::', '2002:a00:1::1',
    '2002:808:808::1', '3fff::1', '5f00::1', 'fc00::1', 'fd00:ec2::254',
    'fe80::1', 'fe80::1%eth0', 'fe80::a9fe:a9fe', 'fec0::1', 'ff02::1']
PUBLIC = ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '192.0.3.1',
          '2001:4860:4860::8888', '2606:4700::1111']


@pytest.mark.parametrize('address', DENIED)
def test_denied_addresses(service, address):
    assert not address_filter.is_allowed(address)


@pytest.mark.parametrize('address', PUBLIC)
def test_public_addresses(service, address):
    assert address_filter.is_allowed(address)


def test_an_allowed_gateway_leads_nowhere_private(conf):
    conf('allowed_fetch_networks', ['64:ff9b::/96', '10.0.0.0/8', '2002::/16'])
    for address, allowed in (
            ('64:ff9b::8.8.8.8', True), ('64:ff9b::127.0.0.1', False),
            ('64:ff9b::169.254.169.254', False), ('64:ff9b::10.1.1.1', True),
            ('2002:7f00:1::1', False), ('2002:808:808::1', True),
            ('10.1.1.1', True), ('::ffff:10.1.1.1', False)):
        assert address_filter.is_allowed(address) is allowed, address


# -- names -------------------------------------------------------------------

@pytest.fixture
def names(monkeypatch):
    """Return {name: answers of the resolver, one list for each look-up}."""
    real, known = socket.getaddrinfo, {}

    def look_up(host, port, *args, **kwargs):
        answers = known.get(host)
        if answers is None:
            return real(host, port, *args, **kwargs)
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [entry for address in found
                for entry in real(address, port, *args, **kwargs)]

    monkeypatch.setattr(socket, 'getaddrinfo', look_up)
    return known


def test_a_name_that_changes_its_address(names, public, inside):
    """What was checked is what is connected to: there is no second look."""
    names['changes.test'] = [['127.0.0.2'], ['127.0.0.1']]
    assert urlfetch.get(
        f'http://changes.test:{public.server_port}/x') == TEMPLATE
    assert public.asked == [(f'changes.test:{public.server_port}', '/x')]
    names['changes.test'] = [['127.0.0.1'], ['127.0.0.2']]
    with pytest.raises(urlfetch.URLFetchError, match='private address'):
        urlfetch.get(f'http://changes.test:{inside.server_port}/x')
    assert inside.connections == []


def test_a_name_with_a_public_and_a_private_address(names, public, inside):
    names['both.test'] = [['127.0.0.1', '127.0.0.2']]
    with pytest.raises(urlfetch.URLFetchError):
        urlfetch.get(f'http://both.test:{inside.server_port}/x')
    assert inside.connections == []
    assert urlfetch.get(
        f'http://both.test:{public.server_port}/x') == TEMPLATE


def test_another_address_of_a_host_may_answer(conf, names, inside):
    conf('allowed_fetch_networks', ['127.0.0.0/8'])
    names['two.test'] = [['127.0.0.3', '127.0.0.1']]
    assert urlfetch.get(
        f'http://two.test:{inside.server_port}/x') == TEMPLATE


def _certificate(name, directory):
    """Return a context of a server with a certificate for a name."""
    cert, key = directory / 'cert.pem', directory / 'key.pem'
    subprocess.run(
        ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days',
         '2', '-subj', f'/CN={name}', '-addext', f'subjectAltName=DNS:{name}',
         '-keyout', key, '-out', cert], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, str(cert)


@pytest.mark.parametrize(('certified', 'is_right'), [
    ('tls.test', True), ('other.test', False)])
def test_tls_verifies_the_name(conf, names, tmp_path, monkeypatch, certified,
                               is_right):
    context, bundle = _certificate(certified, tmp_path)
    monkeypatch.setenv('REQUESTS_CA_BUNDLE', bundle)
    conf('allowed_fetch_networks', ['127.0.0.2'])
    names['tls.test'] = [['127.0.0.2']]
    with _serving('127.0.0.2', context) as server:
        url = f'https://tls.test:{server.server_port}/x'
        if is_right:
            assert urlfetch.get(url) == TEMPLATE
        else:
            with pytest.raises(urlfetch.URLFetchError):
                urlfetch.get(url)


def test_a_proxy_is_sent_nowhere_private(public, inside, monkeypatch, names):
    monkeypatch.setenv('http_proxy', public.url)
    monkeypatch.delenv('no_proxy', raising=False)
    names['inside.test'] = [['127.0.0.2', '10.0.0.1']]
    for host in ('127.0.0.1', '2130706433', 'inside.test',
                 '169.254.169.254', 'localhost'):
        with pytest.raises(urlfetch.URLFetchError, match='private address'):
            urlfetch.get(f'http://{host}/x')
    assert public.connections == []
    # The proxy itself may be where it likes, and know other names.
    names['elsewhere.test'] = [['8.8.8.8']]
    assert urlfetch.get('http://elsewhere.test/x') == TEMPLATE
    assert urlfetch.get('http://unknown.invalid/x') == TEMPLATE


def test_credentials_of_the_operator_stay_here(public, monkeypatch,
                                               tmp_path):
    netrc = tmp_path / 'netrc'
    netrc.write_text('machine 127.0.0.2 login operator password secret\n')
    monkeypatch.setenv('NETRC', str(netrc))
    sent = []
    monkeypatch.setattr(
        _Handler, 'parse_request', lambda handler, real=_Handler
        .parse_request: real(handler) and not sent.append(
            handler.headers['Authorization']))
    urlfetch.get(f'{public.url}/x')
    urlfetch.get(public.url.replace('//', '//mine:own@') + '/x')
    assert sent == [None, 'Basic bWluZTpvd24=']


# -- through the API ---------------------------------------------------------

def _ways(api, cfn_url, url):
    """Yield the answers to requests that have the service fetch a URL."""
    nested = templates.hot({'r': {'type': url}})
    mapped = {'resource_registry': {'My::Type': url}}
    aws = templates.hot({'r': {'type': 'AWS::CloudFormation::Stack',
                               'properties': {'TemplateURL': url}}})
    for path, body in (
            ('validate', {'template_url': url}),
            ('stacks', {'stack_name': 's', 'template_url': url}),
            ('stacks/preview', {'stack_name': 's', 'template_url': url}),
            ('stacks', {'stack_name': 's', 'template': nested}),
            ('validate', {'template': nested}),
            ('stacks', {'stack_name': 's', 'environment': mapped,
                        'template': templates.hot(
                            {'r': {'type': 'My::Type'}})}),
            ('stacks', {'stack_name': 's', 'template': aws})):
        yield api.request('POST', path, body)
    for action in 'ValidateTemplate', 'CreateStack':
        answer = fixtures_post(cfn_url, Action=action, TemplateURL=url,
                               StackName='s', AWSAccessKeyId=api.project)
        yield types.SimpleNamespace(status=answer.status_code,
                                    text=answer.text)


def fixtures_post(url, **parameters):
    """Return the answer of the CloudFormation API."""
    with guarded_http.requests.Session() as session:
        return session.post(f'{url}/v1/', data=parameters, timeout=60)


def test_no_request_leads_inside(api, cfn_url, inside):
    inside.content = TEMPLATE + f'description: {SECRET}\n'
    url = f'http://2130706433:{inside.server_port}/t.yaml'
    answers = list(_ways(api, cfn_url, url))
    assert inside.connections == []
    assert len(answers) == 9
    for answer in answers:
        assert 400 <= answer.status < 500, answer
        assert SECRET not in answer.text


#: What is no template, and how its text may get into an error.
NO_TEMPLATES = [
    SECRET, f'!{SECRET} x', f'a: *{SECRET}', f'"{SECRET}', f'- {SECRET}',
    f'{SECRET}: {{', f'a: !!int "{SECRET}"', f'a: !!binary {SECRET}é',
    f'a: !!timestamp {SECRET}', f'{SECRET}: 1\n{SECRET}: 2\n%',
    f'{{"token": "{SECRET}"', f'{{"token": {SECRET}}}',
    f'heat_template_version: 2018-08-31\nx: !{SECRET} 1',
    f'{{"token": "{SECRET}"}}', f'a: [{SECRET}', f'? [{SECRET}]\n: 1',
    f'<<: {SECRET}', f'a: "\\u0000{SECRET}"\nheat_template_version: x',
    f'{SECRET}: "\\u0000"']


@pytest.mark.parametrize('text', NO_TEMPLATES)
def test_errors_do_not_quote_what_was_fetched(api, cfn_url, public, text):
    public.content = text
    answers = list(_ways(api, cfn_url, f'{public.url}/t.yaml'))
    assert public.asked
    for answer in answers:
        assert 400 <= answer.status < 500, answer
        assert SECRET not in answer.text


def test_a_template_is_fetched(api, cfn_url, public):
    url = f'{public.url}/t.yaml'
    api.post('validate', {'template_url': url})
    assert fixtures_post(cfn_url, Action='ValidateTemplate', TemplateURL=url,
                         AWSAccessKeyId=api.project).status_code == 200
    api.created('s', templates.hot({'r': {'type': url}}))


# -- kin ---------------------------------------------------------------------

def test_a_cloud_that_a_user_names_is_outside(service, inside, conf):
    conf('client_retry_limit', 0)
    session = cloud_session.CloudSession(guarded=True)
    url = f'http://127.0.0.1:{inside.server_port}/v3'
    with pytest.raises(Exception, match='allowed_fetch_networks'):
        session.get(url, authenticated=False)
    assert inside.connections == []
    conf('allowed_fetch_networks', ['127.0.0.0/8'])
    assert session.get(url, authenticated=False).status_code == 200


def test_the_cloud_of_the_operator_may_be_inside(service, inside):
    session = cloud_session.CloudSession()
    url = f'http://127.0.0.1:{inside.server_port}/v3'
    assert session.get(url, authenticated=False).status_code == 200


class _Clients:
    """The client plugins of a context: at most one for the object store."""

    def __init__(self, plugin):
        self._plugin = plugin

    def client_plugin(self, _name):
        return self._plugin


def test_metadata_is_not_put_inside(service, inside):
    """The URL may come from a stack that somebody has adopted."""
    def put(plugin):
        software_deployments.publish(
            types.SimpleNamespace(clients=_Clients(plugin)), {'a': 1},
            types.SimpleNamespace(data={
                'metadata_put_url': f'http://127.0.0.1:{inside.server_port}'
                                    '/x?temp_url_sig=s'}))

    other = types.SimpleNamespace(is_own_url=lambda url: False)
    for plugin in (None, other):
        with pytest.raises(Exception, match='could not be stored') as caught:
            put(plugin)
        assert 'temp_url_sig' not in str(caught.value)
    assert inside.connections == []
    put(types.SimpleNamespace(is_own_url=lambda url: True))
    assert json.dumps(inside.asked).count('/x') == 1


def test_options_say_where_to(service):
    assert cfg.CONF.allowed_fetch_networks == []
