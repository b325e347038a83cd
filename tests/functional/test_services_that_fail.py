"""A custom constraint asks a service, which does not answer as it should."""
from keystoneauth1 import exceptions as ks_exceptions
from openstack import exceptions as sdk_exceptions
import pytest
import requests

from heat.common import cloud_error
from heat.engine import constraints
from heat.engine import environment


def answer(status):
    """Return the error of a service that answers with a status."""
    response = requests.Response()
    response.status_code = status
    response.url = 'http://10.9.8.7:8774/v2.1/os-keypairs/key'
    response.headers['X-OpenStack-Request-Id'] = 'req-1'
    response.request = requests.Request('GET', response.url).prepare()
    response.reason = 'Trouble'
    with pytest.raises(sdk_exceptions.HttpException) as caught:
        sdk_exceptions.raise_from_response(
            cloud_error.mark(response, 'compute'))
    return caught.value


TROUBLES = {
    'unreachable': (
        lambda: ks_exceptions.ConnectFailure(
            'No answer from the service compute to GET: it closed the '
            'connection (request req-1)'),
        'No answer from the service compute to GET: it closed the '
        'connection (request req-1)'),
    'error': (lambda: answer(503),
              'the service compute answered 503 to GET /v2.1/os-keypairs/key'
              ),
    'nowhere': (lambda: ks_exceptions.EndpointNotFound('compute'),
                'compute'),
}
TEMPLATE = {
    'heat_template_version': '2018-08-31',
    'parameters': {'thing': {
        'type': 'string', 'constraints': [{'custom_constraint': 'a.thing'}]}},
    'resources': {'value': {'type': 'OS::Heat::Value', 'properties': {
        'value': {'get_param': 'thing'}}}},
}


@pytest.fixture
def trouble(monkeypatch):
    """Return a list of what happens when the service is asked."""
    happens = []

    class Thing(constraints.BaseCustomConstraint):
        expected_exceptions = (sdk_exceptions.NotFoundException,)

        def validate_with_client(self, _clients, _value):
            if happens:
                raise happens[0]

    monkeypatch.setitem(environment.global_env().constraints, 'a.thing',
                        Thing)
    return happens


def asked(api, way, trouble):
    """Return the answer to a request while there is trouble.

    :param trouble: what begins it.
    """
    body = {'template': TEMPLATE, 'parameters': {'thing': 'key'}}
    if 'update' in way:
        stack = api.created('there', TEMPLATE, parameters={'thing': 'old'})
        trouble()
        return stack.request('PUT', 'preview' if 'preview' in way else '',
                             body)
    trouble()
    return api.request(
        'POST', 'stacks/preview' if way == 'preview' else 'stacks',
        {**body, 'stack_name': 'fails'})


@pytest.mark.parametrize('kind', TROUBLES)
@pytest.mark.parametrize('way', [
    'create', 'preview', 'update', 'preview_update'])
def test_trouble_of_a_service(api, trouble, kind, way):
    error, words = TROUBLES[kind]
    refused = asked(api, way, lambda: trouble.append(error()))
    assert (refused.status, refused.error) == (
        400, 'StackValidationFailed'), refused.text
    assert words in refused.message
    assert 'thing' in refused.message
    assert '10.9.8.7' not in refused.text


def test_template_whose_values_are_not_asked_for(api, trouble):
    trouble.append(TROUBLES['error'][0]())
    found = api.post('validate', {'template': TEMPLATE})
    assert found['Parameters']['thing']['CustomConstraint'] == 'a.thing'
