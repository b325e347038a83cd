"""OS::Heat::Stack in another region, or with other credentials."""
import json
from urllib import parse

from keystoneauth1 import exceptions as ks_exceptions
from keystoneauth1 import noauth
from keystoneauth1 import session
from openstack import connection
from openstack.orchestration.v1 import _proxy
import pytest
import requests

from heat.engine import clients
from heat.engine.clients.os import heat_plugin
from tests.functional import process
from tests.functional import rest
from tests.functional.templates import attr
from tests.functional.templates import hot

INNER = """
heat_template_version: 2018-08-31
parameters: {word: {type: string, default: none}, fail: {type: json,
  default: []}, gate: {type: string, default: ''}}
resources:
  t: {type: Test::Thing, properties: {value: {get_param: word},
      fail: {get_param: fail}, gate: {get_param: gate}}}
outputs: {said: {value: {get_attr: [t, value]}}}
"""
VALUE = """
heat_template_version: 2018-08-31
parameters: {word: {type: string, default: none}}
resources:
  t: {type: OS::Heat::Value, properties: {value: {get_param: word}}}
outputs: {said: {value: {get_attr: [t, value]}}}
"""


class Proxy:
    """What the SDK offers of an orchestration API, in this process."""

    def __init__(self, client):
        self.client = client
        self.lost = []

    def _send(self, method, path, json=None, params=None):
        answer = self.client.request(
            method, path.lstrip('/'), json, **(params or {}))
        if answer.status == 302:
            answer = self.client.request(
                method, parse.urlsplit(answer.headers['Location']).path)
        response = requests.Response()
        response.status_code = answer.status
        response.headers.update(answer.headers)
        response._content = answer.text.encode()
        response.request = requests.Request(
            method, 'http://far' + path).prepare()
        response.url = path
        if (method, path) in self.lost:
            self.lost.remove((method, path))
            raise requests.ConnectionError('the answer got lost')
        return response

    def get(self, path, **kwargs):
        return self._send('GET', path, **kwargs)

    def post(self, path, **kwargs):
        return self._send('POST', path, **kwargs)

    def put(self, path, **kwargs):
        return self._send('PUT', path, **kwargs)

    def delete(self, path, **kwargs):
        return self._send('DELETE', path, **kwargs)


@pytest.fixture
def far(service, api, monkeypatch):
    """Return the other region: another project of the same service."""
    client = rest.Client(service.application, 'far-' + api.project)
    proxy = Proxy(client)
    client.proxy, client.asked = proxy, []

    def elsewhere(self, region_name=None, credentials=None, verify=None):
        client.asked.append((region_name, credentials, verify))
        return proxy

    monkeypatch.setattr(heat_plugin.HeatClientPlugin, 'elsewhere', elsewhere)
    yield client
    rest.wait_for(lambda: client.stacks() == [], client.stacks)


def remote(template=INNER, context=None, **parameters):
    return hot({'n': {'type': 'OS::Heat::Stack', 'properties': {
        'template': template, 'parameters': parameters,
        'context': context or {'region_name': 'far'}}}}, outputs={
            'said': {'value': attr('n', 'outputs', 'said')},
            'name': {'value': attr('n', 'stack_name')},
            'status': {'value': attr('n', 'show', 'stack_status')}})


def there(far):
    [found] = far.get('stacks')['stacks']
    return rest.Stack(far, found['stack_name'], found['id'])


def test_life_elsewhere(driver, api, far):
    stack = api.created('s', remote(word='x'))
    other = there(far)
    assert stack.physical('n') == other.id
    assert stack.outputs() == {'said': 'x', 'name': other.name,
                               'status': 'CREATE_COMPLETE'}
    assert 'nested' not in {link['rel'] for link
                            in stack.resource('n')['links']}
    stack.updated(remote(word='y'))
    assert stack.outputs()['said'] == 'y'
    assert other.state == 'UPDATE_COMPLETE'
    for action in ('check', 'suspend', 'resume'):
        stack.act(action)
        stack.wait(f'{action.upper()}_COMPLETE')
        assert other.state == f'{action.upper()}_COMPLETE'
    # What has not changed is not updated elsewhere.
    stack.updated(remote(word='y'))
    assert other.state == 'RESUME_COMPLETE'
    stack.deleted()
    assert far.stacks() == []
    assert {asked[0] for asked in far.asked} == {'far'}


def test_outputs_of_a_stack_here_are_shown_as_a_list(driver, api):
    stack = api.created('s', hot({'n': {
        'type': 'OS::Heat::Stack', 'properties': {'template': VALUE}}}))
    assert stack.resource('n')['attributes']['outputs'] == [{
        'output_key': 'said', 'output_value': 'none',
        'description': 'No description given'}]


def test_snapshots_elsewhere(driver, api, far):
    stack = api.created('s', remote(word='x'))
    taken = stack.request('POST', 'snapshots', {}, expect=200).json
    stack.wait('SNAPSHOT_COMPLETE')
    other = there(far)
    assert other.state == 'SNAPSHOT_COMPLETE'
    assert len(other.get('snapshots')['snapshots']) == 1
    stack.updated(remote(word='y'))
    stack.request('POST', f'snapshots/{taken["id"]}/restore', expect=202)
    stack.wait('RESTORE_COMPLETE')
    assert stack.outputs()['said'] == 'x'
    stack.request('DELETE', f'snapshots/{taken["id"]}', expect=204)
    rest.wait_for(lambda: other.get('snapshots')['snapshots'] == [],
                  'the end of the snapshot')
    stack.deleted()


def test_failure_elsewhere(driver, api, far):
    stack = api.create('s', remote(word='x', fail=['CREATE']))
    shown = stack.wait('CREATE_FAILED')
    assert 'CREATE of t went wrong' in shown['stack_status_reason']
    other = there(far)
    stack.updated(remote(word='x'))
    # It is repaired, not replaced.
    assert there(far).id == other.id
    stack.deleted()


def test_template_is_validated_elsewhere(driver, api, far):
    answer = api.create('s', remote('heat_template_version: 2018-08-31\n'
                                    'resources: {t: {type: No::Such}}'),
                        expect=400)
    assert answer.error == 'StackValidationFailed'
    assert answer.message.startswith(
        'Failed validating stack template using Heat endpoint at region '
        '"far" due to "ERROR: resources.t.type: ')
    assert 'No::Such' in answer.message


def test_unknown_section_elsewhere_is_told_exactly(driver, api, far):
    """Clients match the whole text, wherever the template is."""
    inner = 'heat_template_version: 2018-08-31\nresource: {}\n'
    for template in remote(inner), json.dumps(remote(inner), indent=1):
        answer = api.create('s', template, expect=400)
        assert answer.message == (
            'Failed validating stack template using Heat endpoint at region '
            '"far" due to "ERROR: The template section is invalid: resource"')


def test_region_without_the_service(driver, api, far, monkeypatch):
    def elsewhere(self, *args, **kwargs):
        raise ks_exceptions.EndpointNotFound()

    monkeypatch.setattr(heat_plugin.HeatClientPlugin, 'elsewhere', elsewhere)
    answer = api.create('s', remote(), expect=400)
    assert answer.message == (
        'Cannot establish connection to Heat endpoint at region "far" due to '
        '"public endpoint for orchestration service in far region not found"')


def test_another_region_is_another_stack(driver, api, far):
    stack = api.created('s', remote(word='x'))
    other = there(far)
    stack.updated(remote(word='x', context={'region_name': 'farther'}))
    assert there(far).id != other.id
    stack.deleted()


def test_delete_while_it_is_made_elsewhere(driver, api, far, gate, conf):
    conf('error_wait_time', 1)
    stack = api.create('s', remote(gate=gate))
    rest.wait_for(far.stacks, 'the stack elsewhere')
    stack.delete()
    gate.open()
    stack.wait_deleted()
    assert far.stacks() == []


def test_lost_answer_does_not_make_a_second_stack(driver, api, far):
    far.proxy.lost.append(('POST', '/stacks'))
    stack = api.create('s', remote(word='x'))
    stack.wait('CREATE_FAILED')
    assert len(far.stacks()) == 1
    stack.deleted()


class Secrets:
    """A client plugin of the key manager."""

    SECRETS = {
        'secrets/good': json.dumps({
            'auth_type': 'v3applicationcredential', 'auth': {
                'auth_url': 'http://far.test/v3',
                'application_credential_id': 'a',
                'application_credential_secret': 'hush'}}),
        'secrets/bad': 'hush, hush',
    }

    def get_secret_payload_by_ref(self, secret_ref):
        return self.SECRETS[secret_ref]


@pytest.fixture
def secrets(monkeypatch):
    """Offer secrets."""
    original = clients.OpenStackClients.client_plugin

    def client_plugin(self, name):
        return Secrets() if name == 'barbican' else original(self, name)

    monkeypatch.setattr(clients.OpenStackClients, 'client_plugin',
                        client_plugin)


def test_other_credentials(driver, api, far, secrets):
    stack = api.created('s', remote(context={
        'credential_secret_id': 'good', 'ca_cert': 'PEM'}))
    region, credentials, verify = far.asked[-1]
    assert region is None
    assert credentials['auth']['application_credential_id'] == 'a'
    assert verify.endswith('.pem')
    stack.updated(remote(word='y', context={
        'credential_secret_id': 'good', 'insecure': True}))
    assert far.asked[-1][2] is False
    stack.deleted()


def test_secret_that_is_no_json_is_not_shown(driver, api, far, secrets):
    answer = api.create('s', remote(context={'credential_secret_id': 'bad'}),
                        expect=400)
    assert 'does not contain credentials' in answer.message
    assert 'hush' not in answer.text


def test_secrets_need_a_key_manager(driver, api, far):
    answer = api.create('s', remote(context={'credential_secret_id': 'x'}),
                        expect=400)
    assert 'barbican' in answer.message


# The SDK warns of what it passes to itself.
@pytest.mark.filterwarnings('ignore:The .service_type. parameter')
def test_another_service_for_real(driver, api, tmp_path, monkeypatch):
    process_far = process.HeatAll(tmp_path).start()
    try:
        def elsewhere(self, region_name=None, credentials=None, verify=None):
            sent = session.Session(auth=noauth.NoAuth())
            proxy = _proxy.Proxy(
                sent, endpoint_override=process_far.url + '/v1/demo')
            proxy.service_type = 'orchestration'
            proxy._connection = connection.Connection(session=sent)
            return proxy

        monkeypatch.setattr(heat_plugin.HeatClientPlugin, 'elsewhere',
                            elsewhere)
        far = process_far.client()
        stack = api.created('s', remote(VALUE, word='x'))
        assert stack.outputs()['said'] == 'x'
        taken = stack.request('POST', 'snapshots', {}, expect=200).json
        stack.wait('SNAPSHOT_COMPLETE')
        stack.updated(remote(VALUE, word='y'))
        assert stack.outputs()['said'] == 'y'
        for action in ('check', 'suspend', 'resume'):
            stack.act(action)
            stack.wait(f'{action.upper()}_COMPLETE')
        stack.request('POST', f'snapshots/{taken["id"]}/restore',
                      expect=202)
        stack.wait('RESTORE_COMPLETE')
        assert stack.outputs()['said'] == 'x'
        stack.deleted()
        assert far.stacks() == []
    finally:
        process_far.terminate()
