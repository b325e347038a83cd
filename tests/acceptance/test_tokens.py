"""Who is let in, and how far."""
import pytest
import requests

from tests.acceptance import cloud

_NOTHING = {'heat_template_version': 'wallaby'}


def _get(stacks, token, path='/stacks'):
    headers = {'X-Auth-Token': token} if token else {}
    return requests.get(stacks.url + path, headers=headers, timeout=60)


def test_nobody_gets_in_without_a_token(stacks):
    answer = _get(stacks, None)
    assert answer.status_code == 401
    assert 'Keystone' in answer.headers['WWW-Authenticate']
    assert _get(stacks, 'nonsense').status_code == 401


def test_a_revoked_token_is_refused(deployment, tenant):
    session = tenant.session('member')
    stacks = deployment.stacks(session, tenant.project_id)
    token = session.get_token()
    tenant.admin.session.delete(
        '/v3/auth/tokens', endpoint_filter={'service_type': 'identity'},
        headers={'X-Subject-Token': token})
    assert _get(stacks, token).status_code == 401


def test_a_token_is_good_for_its_own_project_only(deployment, tenant):
    stranger = cloud.Tenant()
    try:
        theirs = deployment.stacks(tenant.session('member'),
                                   stranger.project_id)
        answer = theirs.ask('GET', '/stacks')
        assert answer.status_code == 403
        answer = theirs.ask('POST', '/stacks', {
            'stack_name': f'{tenant.tag}-foreign', 'template': _NOTHING})
        assert answer.status_code == 403
    finally:
        stranger.remove()


def test_a_token_without_a_project_is_refused(stacks, tenant):
    session = tenant.session_of(tenant.users['member'], tenant.password,
                                unscoped=True)
    assert _get(stacks, session.get_token()).status_code == 403


@pytest.mark.parametrize(('method', 'path', 'body'), [
    ('POST', '/stacks', {'stack_name': 'no', 'template': _NOTHING}),
    ('PUT', '{stack}', {'template': _NOTHING}),
    ('DELETE', '{stack}', None),
    ('POST', '{stack}/actions', {'suspend': None}),
])
def test_a_reader_changes_nothing(deployment, stacks, tenant, method, path,
                                  body):
    stack = stacks.create(f'{tenant.tag}-read', _NOTHING)
    reader = deployment.stacks(tenant.session('reader'), tenant.project_id)
    assert reader.show(stack)['stack_status'] == 'CREATE_COMPLETE'
    answer = reader.ask(method, path.format(stack=stack), body)
    assert answer.status_code == 403
    stacks.delete(stack)


def test_nobody_sees_the_stacks_of_all(stacks, admin_stacks):
    """Operators who want that change the policy."""
    for some in stacks, admin_stacks:
        answer = some.ask('GET', '/stacks?global_tenant=true')
        assert answer.status_code == 403
