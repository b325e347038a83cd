"""Signals of the cfn API need a proof of who sends them, in every pipeline.
"""
from urllib import parse

import pytest

from tests.security import fronts
from tests.security import identity_service
from tests.security import pipelines

front, keystone = fronts.front, fronts.keystone

ARN = parse.quote(
    f'arn:openstack:heat::{identity_service.PROJECT}:stacks/s/'
    '5fecdcae-8e3f-4f4b-9a52-6d3b1f6e5d10/resources/r', safe='')
SIGNALS = [('PUT', f'/v1/waitcondition/{ARN}'), ('POST', f'/v1/signal/{ARN}')]
BODY = b'{"Status": "SUCCESS", "UniqueId": "1", "Data": "x", "Reason": "r"}'

#: Everything that a client may send without proving who it is.
NO_PROOFS = [
    {}, {'X-Auth-Token': 'junk'}, {'X-Auth-Token': ''},
    {'X-Auth-User': identity_service.USER},
    {'X-Auth-User': identity_service.USER, 'X-Auth-Key': 'wrong'},
    {'X-Auth-Token': 'junk', 'X-Tenant': identity_service.PROJECT},
    {'X-Auth-Token': 'junk', 'X-Project-Id': identity_service.PROJECT,
     'X-Roles': 'admin', 'X-Identity-Status': 'Confirmed'},
    {'X-Storage-Token': 'junk'}, {'X-Service-Token': 'junk'},
]


@pytest.fixture(scope='module', ids=str, params=[
    each for each in pipelines.ALL if each.is_cfn])
def chosen(request):
    return request.param


@pytest.mark.parametrize(('method', 'path'), SIGNALS)
def test_signal_with_a_proof(front, chosen, method, path):
    for headers, query in chosen.proofs():
        response, contexts = front.ask(f'{path}?{query}', headers,
                                       method=method, body=BODY)
        assert response.status_int == 200, response.text
        assert contexts[-1].project_id == identity_service.PROJECT
        assert front.engine.calls[-1][0] == 'resource_signal'


@pytest.mark.parametrize(('method', 'path'), SIGNALS)
def test_signal_without_a_proof(front, chosen, method, path):
    if chosen.flavor == 'noauth':
        # Nobody has to prove anything; the stack is the one of the path.
        _response, contexts = front.ask(path, NO_PROOFS[-1], method=method,
                                        body=BODY)
        assert contexts[-1].project_id == identity_service.PROJECT
        return
    for headers in NO_PROOFS:
        response, contexts = front.ask(path, headers, method=method,
                                       body=BODY)
        assert response.status_int in (401, 403), (headers, response.text)
        assert contexts == []


@pytest.mark.parametrize('query', [
    'AWSAccessKeyId=other&Signature=s&SignatureVersion=2',
    'AWSAccessKeyId=access-key&Signature=s&SignatureVersion=0',
    'AWSAccessKeyId=access-key&Signature=s',
    'AWSAccessKeyId=access-key&SignatureVersion=2', 'Signature=s'])
def test_url_that_is_not_signed_well(front, chosen, query):
    if chosen.flavor == 'noauth':
        return
    response, contexts = front.ask(f'{SIGNALS[0][1]}?{query}', {},
                                   method='PUT', body=BODY)
    assert response.status_int in (400, 403), response.text
    assert contexts == []
