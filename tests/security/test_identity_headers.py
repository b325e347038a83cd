"""No header of a client says who it is, in no pipeline of no API."""
import pytest

from heat.common import identity_headers
from tests.security import fronts
from tests.security import identity_service
from tests.security import pipelines

attacker, front, keystone = fronts.attacker, fronts.front, fronts.keystone

FORGED = identity_service.OTHER_PROJECT
#: Every header by which any filter, or oslo.context, says who asks.
HEADERS = (
    'X-Auth-Url', 'X-Region-Name', 'X-Tenant', 'X-Tenant-Id',
    'X-Tenant-Name', 'X-User', 'X-User-Id', 'X-User-Name',
    'X-User-Domain-Id', 'X-User-Domain-Name', 'X-Project-Id',
    'X-Project-Name', 'X-Project-Domain-Id', 'X-Project-Domain-Name',
    'X-Domain-Id', 'X-Domain-Name', 'X-Role', 'X-Roles',
    'X-Identity-Status', 'X-Service-Identity-Status', 'X-Service-Catalog',
    'X-Service-User-Id', 'X-Service-User-Name',
    'X-Service-User-Domain-Id', 'X-Service-User-Domain-Name',
    'X-Service-Project-Id', 'X-Service-Project-Name',
    'X-Service-Project-Domain-Id', 'X-Service-Project-Domain-Name',
    'X-Service-Roles', 'X-Is-Admin', 'X-Is-Admin-Project',
    'X-System-Scope', 'OpenStack-System-Scope', 'X-Auth-EC2-Creds',
    'X-Auth-Token-Info', 'X-Auth-Plugin', 'X-Trust-Id',
    'X-Trustor-User-Id', 'Remote-User', 'X-Remote-User', 'X-Admin',
    # Some servers take both spellings for the same.
    'x_roles', 'X_Project_Id', 'x_tenant', 'X_AUTH_URL',
)
VALUES = {'roles': 'admin', 'role': 'admin', 'status': 'Confirmed',
          'admin': 'True', 'scope': 'all'}


def value_of(header, attacker):
    """Return the worst that a client could say in a header."""
    last = header.lower().replace('_', '-').rpartition('-')[2]
    if last in ('url', 'creds', 'info', 'plugin', 'catalog'):
        return attacker
    return VALUES.get(last, FORGED)


def facts(context):
    """Return what a context says, but for what differs in each request."""
    return {key: value for key, value in context.to_dict().items()
            if 'request_id' not in key}


@pytest.fixture(params=pipelines.ALL, ids=str, scope='module')
def chosen(request):
    return request.param


def test_no_header_adds_to_a_proof(front, chosen, attacker):
    for headers, query in chosen.proofs():
        path = chosen.path(query)
        response, contexts = front.ask(path, headers)
        assert response.status_int == 200, response.text
        honest = facts(contexts[-1])
        assert honest['project_id'] == identity_service.PROJECT
        for header in HEADERS:
            if header.lower() in headers:
                continue
            value = value_of(header, attacker.url)
            response, contexts = front.ask(path, {**headers, header: value})
            if response.status_int == 401:
                # The password is that of a user of another domain.
                assert header == 'X-User-Domain-Id'
                assert 'X-Auth-Key' in headers
                continue
            assert response.status_int == 200, header
            assert facts(contexts[-1]) == honest, header
    assert attacker.asked == []


def test_no_header_is_a_proof(front, chosen, attacker):
    if chosen.flavor == 'noauth' and not chosen.is_aws:
        # The project is that of the path, whatever headers say.
        _response, contexts = front.ask(
            chosen.path(), {'X-Project-Id': FORGED, 'X-User-Id': FORGED})
        assert contexts[-1].project_id == identity_service.PROJECT
        assert contexts[-1].user_id == 'admin'
        return
    everything = {header: value_of(header, attacker.url)
                  for header in HEADERS}
    mine = {**everything, **{
        name: identity_service.PROJECT for name in HEADERS
        if name.lower().replace('_', '-').startswith(
            ('x-tenant', 'x-project'))}}
    junk = {'X-Auth-Token': 'junk'}
    for headers in ({}, junk, {'X-Auth-User': identity_service.USER},
                    {**junk, 'X-Auth-User': identity_service.USER}):
        for claims in (everything, mine):
            response, contexts = front.ask(chosen.path(),
                                           {**headers, **claims})
            assert response.status_int in (401, 403), response.text
            assert all(context.project_id != identity_service.OTHER_PROJECT
                       for context in contexts)
            assert not {'list_stacks', 'list_metrics'} & {
                call for call, _, _ in front.engine.calls}
    assert attacker.asked == []


def test_credentials_stay():
    environ = dict.fromkeys(identity_headers.CREDENTIALS, 'x')
    environ.update(HTTP_ACCEPT='x', HTTP_X_FORWARDED_FOR='x',
                   HTTP_X_OPENSTACK_REQUEST_ID='x', HTTP_X_ROLES='x')
    before = set(environ)
    identity_headers.remove(environ)
    assert before - set(environ) == {'HTTP_X_ROLES'}
    assert identity_headers.claim(environ, 'X-Roles') == 'x'
    # What filters set later on stays.
    environ['HTTP_X_ROLES'] = 'member'
    identity_headers.remove(environ)
    assert environ['HTTP_X_ROLES'] == 'member'
