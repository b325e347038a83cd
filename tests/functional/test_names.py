"""Of all live stacks of a project, one has a name."""
from concurrent import futures
import json
import threading

import pytest

from heat.engine.rpc import guards
from tests.functional import rest
from tests.functional import templates
from tests.functional.templates import hot

AT_ONCE = 12


@pytest.fixture
def all_find_it_free(monkeypatch, conf):
    """Let no creation proceed before all have found the name free."""
    look = guards.name_is_free
    conf('project_requests_at_once', AT_ONCE)
    looked = threading.Barrier(AT_ONCE)

    def name_is_free(*args):
        look(*args)
        looked.wait(60)

    monkeypatch.setattr(guards, 'name_is_free', name_is_free)
    yield
    assert not looked.broken


def asked(api, **body):
    """Send a request to create a stack from many clients at once."""
    def ask(_number):
        return api.request('POST', 'stacks', {'stack_name': 'web', **body})

    with futures.ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(ask, range(AT_ONCE)))
    accepted = [one for one in answers if one.status == 201]
    refused = [one for one in answers if one.status != 201]
    assert {(one.status, one.error) for one in refused} == {
        (409, 'StackExists')}
    assert all('web' in one.message for one in refused)
    [made] = accepted
    return rest.Stack(api, 'web', made.json['stack']['id'])


def test_one_of_many_creations_wins(driver, api, all_find_it_free):
    stack = asked(api, template=hot({'a': templates.thing()}), tags='t')
    stack.wait('CREATE_COMPLETE')
    [listed] = api.get('stacks')['stacks']
    assert (listed['id'], listed['tags']) == (stack.id, ['t'])


def test_one_of_many_adoptions_wins(driver, api, conf, all_find_it_free):
    conf('enable_stack_adopt', True)
    stack = asked(api, adopt_stack_data=json.dumps({
        'template': hot({'a': templates.thing()}), 'resources': {
            'a': {'resource_id': 'there', 'resource_data': {},
                  'metadata': {}, 'name': 'a', 'status': 'COMPLETE',
                  'action': 'CREATE'}}}))
    stack.wait('ADOPT_COMPLETE')
    assert api.stacks() == ['web']
    assert stack.physical('a') == 'there'


def test_name_is_taken_until_its_stack_is_gone(driver, api, gate):
    template = hot({'a': templates.thing(gate=gate, gated=['DELETE'])})
    stack = api.created('web', template)
    stack.delete()
    answer = api.create('web', template, expect=409)
    assert answer.error == 'StackExists'
    gate.open()
    stack.wait_deleted()
    again = api.created('web', hot({'a': templates.thing()}))
    assert again.id != stack.id


def test_others_may_use_the_name(driver, api, service):
    template = hot({'a': templates.thing()})
    api.created('web', template)
    other = rest.Client(service.application, api.project + 'other')
    other.created('web', template).deleted()
    api.created('WEB', template)
