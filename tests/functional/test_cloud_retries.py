"""Services of a cloud that answer with errors for a while."""
import uuid

import pytest
import webob

from tests.fakes import identity
from tests.functional import rest
from tests.functional.templates import hot

CONTAINER = hot({'box': {'type': 'OS::Swift::Container',
                         'properties': {'name': 'box'}}})


class Moody(identity.Cloud):
    """A cloud whose object store answers what a test says, for a while.

    :ivar moods: [status] of answers to come, by method.
    :ivar asked: [method] of requests about containers.
    """

    def __init__(self, project):
        super().__init__('http://nowhere', {project: project})
        self.moods, self.asked = {}, []

    def _token(self, body):
        project = body['auth']['scope']['project']
        project.setdefault('name', project.get('id'))
        return super()._token(body)

    def _store(self, request, path):
        if path.endswith('/box'):
            self.asked.append(request.method)
            moods = self.moods.get(request.method)
            if moods:
                return webob.Response(status=moods.pop(0))
            if request.method == 'GET':
                # It is empty.
                return webob.Response(json=[])
        return super()._store(request, path)


class Known(rest.Client):
    """Asks in the name of a user that the cloud knows."""

    def __init__(self, application, project):
        super().__init__(application, project)
        self._headers = {'X-Auth-User': identity.USER,
                         'X-Auth-Key': identity.PASSWORD}

    def request(self, method, path, body=None, *, headers=None, **kwargs):
        return super().request(method, path, body, **kwargs, headers={
            **self._headers, **(headers or {})})


@pytest.fixture
def cloud():
    with Moody(uuid.uuid4().hex).served() as cloud:
        yield cloud


@pytest.fixture
def api(service, cloud, conf):
    conf('deferred_auth_method', 'password')
    conf('www_authenticate_uri', f'{cloud.url}/v3', 'keystone_authtoken')
    # A resource that failed is not made anew: what helps is the client.
    conf('action_retry_limit', 0)
    [project] = cloud._projects
    return Known(service.application, project)


@pytest.mark.parametrize('limit', [0, 2])
def test_requests_are_repeated_as_often_as_configured(driver, api, cloud,
                                                      conf, limit):
    conf('client_retry_limit', limit)
    cloud.moods['PUT'] = [503] * limit
    stack = api.created('s', CONTAINER)
    assert cloud.asked.count('PUT') == limit + 1
    events = [each['resource_status'] for each in
              stack.get('resources/box/events')['events']]
    assert sorted(events) == ['CREATE_COMPLETE', 'CREATE_IN_PROGRESS']
    cloud.moods['DELETE'] = [503] * limit
    stack.deleted()
    assert cloud.asked.count('DELETE') == limit + 1


@pytest.mark.parametrize('limit', [0, 1])
def test_user_is_told_what_the_last_answer_was(driver, api, cloud, conf,
                                               limit):
    conf('client_retry_limit', limit)
    cloud.moods['PUT'] = [503] * (limit + 1)
    stack = api.create('s', CONTAINER)
    shown = stack.wait('CREATE_FAILED')
    assert cloud.asked.count('PUT') == limit + 1
    assert '503' in shown['stack_status_reason']
    assert cloud.url not in shown['stack_status_reason']
    stack.deleted()


def test_what_is_wrong_with_a_request_is_told_at_once(driver, api, cloud):
    cloud.moods['PUT'] = [400]
    stack = api.create('s', CONTAINER)
    stack.wait('CREATE_FAILED')
    assert cloud.asked.count('PUT') == 1
    stack.deleted()
