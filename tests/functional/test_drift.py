"""Drift: how a stack differs from what really exists."""
import json
import threading
import uuid

import pytest

from heat.common import context
from heat.db import api as db_api
from heat.engine import notification
from heat.engine.drift import background
from heat.engine.process import drift_keeper
from heat.objects import drift as drift_objects
from heat.objects import stack as stack_objects
from tests.functional import rest
from tests.functional import templates
from tests.functional.takeover import cloud
from tests.functional.templates import hot


def rich(**kwargs):
    return {**templates.thing(**kwargs), 'type': 'Test::Rich'}


def detect(stack):
    """Detect the drift of a stack; return what is found."""
    begun = stack.request('POST', 'drift', expect=202).json['drift']
    return rest.wait_for(
        lambda: (lambda found: found['status'] != 'DETECTION_IN_PROGRESS' and
                 found)(stack.get('drift')['drift']), begun)


def by_path(found):
    return {'/'.join(each['path']): each for each in found['resources']}


def statuses(found):
    return {path: each['status'] for path, each in by_path(found).items()}


def physical(stack, name):
    return stack.get(f'resources/{name}')['resource']['physical_resource_id']


def test_detection_tells_what_differs(driver, api, thing):
    stack = api.created('d', hot({
        'same': rich(value='x'), 'changed': rich(value='x'),
        'gone': rich(), 'silent': templates.thing()}))
    before = stack.show()
    events = stack.get('events')
    thing.things[physical(stack, 'changed')] = 'y'
    del thing.things[physical(stack, 'gone')]
    found = detect(stack)
    assert (found['status'], found['drift']) == ('DETECTION_COMPLETE',
                                                 'DRIFTED')
    assert found['counts'] == {'IN_SYNC': 1, 'MODIFIED': 1, 'DELETED': 1,
                               'UNSUPPORTED': 1}
    assert statuses(found) == {'same': 'IN_SYNC', 'changed': 'MODIFIED',
                               'gone': 'DELETED', 'silent': 'UNSUPPORTED'}
    assert by_path(found)['changed']['differences'] == [
        {'property': 'value', 'expected': 'x', 'actual': 'y'}]
    assert by_path(found)['silent']['reason']
    # Nothing has happened to the stack.
    assert stack.show() == before
    assert stack.get('events') == events


def test_nested_stacks_are_compared(driver, api, thing):
    inner = hot({'t': rich(value='x')})
    stack = api.created('d', hot({
        'box': {'type': 'inner.yaml'}, 'other': rich()}),
        files={'inner.yaml': json.dumps(inner)})
    nested = stack.get('resources/box')['resource']
    box = rest.Stack(api, nested['physical_resource_id'].rpartition('/')[2],
                     nested['physical_resource_id'])
    row = context.get_admin_context()
    name = stack_objects.Stack.get_by_id(row, box.id).name
    box = rest.Stack(api, name, box.id)
    thing.things[physical(box, 't')] = 'y'
    found = detect(stack)
    assert statuses(found) == {'box': 'IN_SYNC', 'box/t': 'MODIFIED',
                               'other': 'IN_SYNC'}
    assert found['progress'] == {'examined': 3, 'total': 3}
    # A nested stack can be looked at by itself.
    assert statuses(detect(box)) == {'t': 'MODIFIED'}


def test_hidden_values_are_masked(driver, api, thing):
    stack = api.created('d', hot({
        't': rich(value=templates.param('secret')),
        'u': rich(value='open')},
        parameters={'secret': {'type': 'string', 'hidden': True}}),
        parameters={'secret': 'sesame-1234'})
    thing.things[physical(stack, 't')] = 'guess-5678'
    thing.things[physical(stack, 'u')] = 'it was sesame-1234'
    found = detect(stack)
    assert statuses(found) == {'t': 'MODIFIED', 'u': 'MODIFIED'}
    text = json.dumps(stack.get('drift'))
    assert 'sesame' not in text
    assert 'guess' not in text
    admin = context.get_admin_context()
    row = db_api.drift_get_latest(admin, stack.id)
    assert 'sesame' not in json.dumps(row.resources)


def test_detection_that_runs_is_not_begun_again(driver, api, monkeypatch):
    stack = api.created('d', hot({'t': rich()}))
    assert stack.get('drift', expect=404)['error'][
        'type'] == 'DriftDetectionNotFound'
    released = threading.Event()
    real = background.Detection.steps

    def steps(self):
        assert released.wait(rest.PATIENCE)
        yield from real(self)

    monkeypatch.setattr(background.Detection, 'steps', steps)
    first = stack.request('POST', 'drift', expect=202).json['drift']
    second = stack.request('POST', 'drift', expect=202).json['drift']
    assert first['id'] == second['id']
    assert first['status'] == 'DETECTION_IN_PROGRESS'
    assert first['drift'] is None
    released.set()
    rest.wait_for(lambda: stack.get('drift')['drift']['status'] ==
                  'DETECTION_COMPLETE', 'completion')
    third = stack.request('POST', 'drift', expect=202).json['drift']
    assert third['id'] != first['id']


def test_detection_holds_up_no_update(driver, api, monkeypatch):
    stack = api.created('d', hot({'t': rich(value='x')}))
    released = threading.Event()
    real = background.Detection.steps

    def steps(self):
        for _step in real(self):
            assert released.wait(rest.PATIENCE)
            yield

    monkeypatch.setattr(background.Detection, 'steps', steps)
    stack.request('POST', 'drift', expect=202)
    stack.update(hot({'t': rich(value='y')}))
    stack.wait('UPDATE_COMPLETE')
    released.set()
    rest.wait_for(lambda: stack.get('drift')['drift']['status'] ==
                  'DETECTION_COMPLETE', 'completion')


def test_start_of_drift_is_told_once(driver, api, thing, monkeypatch):
    told = []
    monkeypatch.setattr(
        notification, 'notify', lambda _context, kind, _level, body:
        kind == 'stack.drift.begin' and told.append(body()))
    stack = api.created('d', hot({'t': rich(value='x')}))
    detect(stack)
    assert told == []
    thing.things[physical(stack, 't')] = 'y'
    detect(stack)
    detect(stack)
    rest.wait_for(lambda: told, 'notification')
    [body] = told
    assert (body['stack_name'], body['drift']) == ('d', 'DRIFTED')
    assert body['counts']['MODIFIED'] == 1
    # It drifts anew when it has been in sync meanwhile.
    thing.things[physical(stack, 't')] = 'x'
    detect(stack)
    thing.things[physical(stack, 't')] = 'z'
    detect(stack)
    rest.wait_for(lambda: len(told) == 2, 'second notification')


def test_detection_of_a_dead_engine_is_carried_on(driver, api, service,
                                                  thing):
    stack = api.created('d', hot({'t': rich(value='x')}))
    thing.things[physical(stack, 't')] = 'y'
    admin = context.get_admin_context()
    drift_objects.DriftDetection.begin(admin, {
        'tenant': api.project, 'stack_id': stack.id, 'total': 1,
        'engine_id': str(uuid.uuid4())})
    found = rest.wait_for(lambda: (lambda each: each['status'] ==
                          'DETECTION_COMPLETE' and each)(
                              stack.get('drift')['drift']), 'take-over')
    assert statuses(found) == {'t': 'MODIFIED'}


def test_stacks_that_are_due_are_compared(driver, api, thing, conf,
                                          monkeypatch):
    monkeypatch.setattr(drift_keeper, '_LOOKS', 1e6)
    stack = api.created('d', hot({'t': rich(value='x')}))
    conf('interval', 3600, 'drift')
    found = rest.wait_for(lambda: (lambda answer: answer.status == 200 and
                          answer.json['drift']['status'] ==
                          'DETECTION_COMPLETE' and answer.json['drift'])(
                              stack.request('GET', 'drift')), 'detection')
    assert (found['creator'], found['drift']) == (None, 'IN_SYNC')


def test_stack_has_an_interval_of_its_own(driver, api, monkeypatch):
    monkeypatch.setattr(drift_keeper, '_PAUSE', 0)
    stack = api.created('d', hot({'box': {'type': 'inner.yaml'}}), files={
        'inner.yaml': json.dumps(hot({'t': rich(value='x')}))})
    set_to = stack.request('PUT', 'drift', {'interval': 3600}, expect=200)
    assert set_to.json == {'drift_schedule': {'interval': 3600}}
    found = rest.wait_for(lambda: (lambda answer: answer.status == 200 and
                          answer.json['drift']['status'] ==
                          'DETECTION_COMPLETE' and answer.json['drift'])(
                              stack.request('GET', 'drift')), 'detection')
    assert (found['creator'], found['interval']) == (None, 3600)
    # It is the stack's, whatever updates it.
    stack.updated(hot({'t': rich()}))
    assert stack.get('drift')['drift']['interval'] == 3600
    stack.request('PUT', 'drift', {'interval': None}, expect=200)
    assert stack.get('drift')['drift']['interval'] is None


@pytest.mark.parametrize('body', [
    {}, {'interval': 59}, {'interval': -1}, {'interval': 10 ** 12},
    {'interval': '60'}, {'interval': True}, {'interval': 60, 'more': 1}])
def test_interval_that_cannot_be(api, body):
    stack = api.created('d', hot({'t': rich()}))
    answer = stack.request('PUT', 'drift', body)
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


def test_nested_stacks_are_compared_with_their_root(driver, api):
    stack = api.created('d', hot({'box': {'type': 'inner.yaml'}}), files={
        'inner.yaml': json.dumps(hot({'t': rich()}))})
    nested = physical(stack, 'box').rpartition('/')[2]
    row = stack_objects.Stack.get_by_id(context.get_admin_context(), nested)
    answer = rest.Stack(api, row.name, nested).request(
        'PUT', 'drift', {'interval': 60})
    assert (answer.status, answer.error) == (400, 'NotSupported')


def test_drift_goes_with_its_stack(driver, api):
    stack = api.created('d', hot({'t': rich()}))
    detect(stack)
    stack.request('DELETE', expect=204)
    rest.wait_for(lambda: not api.stacks(), 'deletion')
    assert stack.request('GET', 'drift').status == 404
    assert stack.request('POST', 'drift').status == 404


def test_body_says_nothing(api):
    stack = api.created('d', hot({'t': rich()}))
    assert stack.request('POST', 'drift', {}, expect=202)
    answer = stack.request('POST', 'drift', {'force': True})
    assert answer.status == 400


def plan_to_revert(stack, **body):
    found = stack.request('POST', 'change_sets', {
        'existing': True, 'revert_drift': True, **body}, expect=201)
    return found.json['change_set']


def test_drift_is_reverted(driver, api, thing):
    stack = api.created('d', hot({
        'same': rich(value='x'), 'changed': rich(value='x'),
        'gone': rich(value='x')}))
    assert plan_to_revert(stack)['status'] == 'NO_CHANGES'
    gone = physical(stack, 'gone')
    thing.things[physical(stack, 'changed')] = 'y'
    del thing.things[gone]
    found = plan_to_revert(stack)
    assert found['status'] == 'AVAILABLE'
    changes = {each['path'][0]: each for each in found['changes']}
    assert {name: (each['action'], each['replacement'])
            for name, each in changes.items()} == {
        'same': ('keep', 'never'), 'changed': ('update', 'never'),
        'gone': ('replace', 'always')}
    assert changes['changed']['causes'] == [{
        'property': 'value', 'before': 'y', 'after': 'x',
        'source': {'drift': 'MODIFIED'}, 'forces_replacement': False,
        'known_after_apply': False, 'accept': {
            'template': ['resources', 'changed', 'properties', 'value'],
            'value': 'y'}}]
    [cause] = changes['gone']['causes']
    assert cause['accept'] == {'template': ['resources', 'gone'],
                               'remove': True}
    assert (cause['source'], cause['known_after_apply']) == (
        {'drift': 'DELETED'}, True)
    stack.request('POST', 'change_sets/%s/execute' % found['id'], expect=202)
    stack.wait('UPDATE_COMPLETE')
    assert thing.things[physical(stack, 'changed')] == 'x'
    assert physical(stack, 'gone') != gone
    assert thing.things[physical(stack, 'gone')] == 'x'
    assert detect(stack)['drift'] == 'IN_SYNC'


def test_drift_of_nested_stacks_is_reverted(driver, api, thing):
    stack = api.created('d', hot({'box': {'type': 'inner.yaml'}}), files={
        'inner.yaml': json.dumps(hot({'t': rich(value='x')}))})
    nested = stack.get('resources', nested_depth=2)['resources']
    [inner] = [each['physical_resource_id'] for each in nested
               if each['resource_name'] == 't']
    thing.things[inner] = 'y'
    found = plan_to_revert(stack)
    changes = {'/'.join(each['path']): each for each in found['changes']}
    assert changes['box/t']['action'] == 'update'
    assert changes['box/t']['causes'][0]['source'] == {'drift': 'MODIFIED'}
    stack.request('POST', 'change_sets/%s/execute' % found['id'], expect=202)
    stack.wait('UPDATE_COMPLETE')
    assert thing.things[inner] == 'x'


def execute(stack, found):
    stack.request('POST', 'change_sets/%s/execute' % found['id'], expect=202)
    stack.wait('UPDATE_COMPLETE')


@pytest.fixture
def services(monkeypatch):
    found = cloud.Cloud()
    found.use(monkeypatch)
    return found


@pytest.fixture
def served(driver, api, services):
    """Return a stack whose things have values that nobody asked for."""
    stack = api.created('d', hot(cloud.template()))
    ids = {name: stack.physical(name) for name in cloud.NAMES}
    services.network.things['port', ids['port']].update(
        description='chosen', port_security_enabled=True,
        dns_name='chosen', allowed_address_pairs=[{'ip_address': '10.9.9.9'}])
    services.compute.things['server', ids['server']].update(
        metadata={'chosen': 'x'}, tags=['chosen'])
    services.storage.things['volume', ids['volume']].update(
        description='chosen',
        metadata={'readonly': 'True', 'attached_mode': 'rw'})
    services.forget()
    yield stack, ids
    # As long as the services are there.
    stack.deleted()


def acting(found):
    return ['/'.join(each['path']) for each in found['changes']
            if each['action'] != 'keep']


def test_what_services_choose_is_no_change(served, services):
    stack, _ids = served
    assert detect(stack)['drift'] == 'IN_SYNC'
    assert plan_to_revert(stack)['status'] == 'NO_CHANGES'
    stack.patched(converge=True)
    assert services.changes() == []


@pytest.mark.parametrize(('name', 'kept_by', 'write'), [
    ('volume', 'storage', ('update', 'volume')),
    ('port', 'network', ('update', 'port'))])
def test_only_what_has_drifted_is_written(served, services, name, kept_by,
                                          write):
    stack, ids = served
    thing = getattr(services, kept_by).things[name, ids[name]]
    thing['name'] = 'renamed'
    found = plan_to_revert(stack)
    assert acting(found) == [name]
    assert services.changes() == []
    execute(stack, found)
    assert services.changes() == [write]
    assert thing['name'] == 'first'
    assert ids == {each: stack.physical(each) for each in cloud.NAMES}
    assert detect(stack)['drift'] == 'IN_SYNC'


def test_drift_is_accepted(driver, api, thing):
    """The template with the values of the change set has no drift."""
    def text(value):
        return json.dumps({'heat_template_version': '2021-04-16',
                           'parameters': {'v': {'type': 'string'}},
                           'resources': {
                               'a': rich(value=value),
                               'b': rich(value=templates.param('v'))}},
                          indent=1)

    stack = api.created('d', text('x'), parameters={'v': 'x'})
    for name in 'ab':
        thing.things[physical(stack, name)] = 'of ' + name
    found = plan_to_revert(stack, template=text('x'), existing=False,
                           parameters={'v': 'x'})
    accept = {each['path'][0]: each['causes'][0]['accept']
              for each in found['changes']}
    path = accept['a']['template']
    assert path == ['resources', 'a', 'properties', 'value']
    assert '"value": "x"' in text('x').splitlines()[accept['a']['line'] - 1]
    assert accept['b']['parameter'] == 'v'
    stack.updated(text(accept['a']['value']),
                  parameters={'v': accept['b']['value']})
    assert [thing.things[physical(stack, name)] for name in 'ab'] == [
        'of a', 'of b']
    assert detect(stack)['drift'] == 'IN_SYNC'


def test_what_to_accept_is_masked_if_it_is_hidden(driver, api, thing):
    stack = api.created('d', hot({'t': rich(value=templates.param('s'))},
                                 parameters={'s': {'type': 'string',
                                                   'hidden': True}}),
                        parameters={'s': 'sesame-1234'})
    thing.things[physical(stack, 't')] = 'guess-5678'
    found = plan_to_revert(stack)
    [cause] = found['changes'][0]['causes']
    assert cause['accept'] == {'parameter': 's', 'value': '******'}
    assert 'guess' not in json.dumps(found)


def test_drift_after_the_plan_stays(driver, api, thing):
    """An execution changes what its plan names, and nothing else."""
    inner = {'box.yaml': json.dumps(hot({'t': rich(value='x')}))}
    stack = api.created('d', hot({
        'changed': rich(value='x'), 'later': rich(value='x'),
        'box': {'type': 'box.yaml'}}), files=inner)
    [inside] = [each['physical_resource_id'] for each in stack.get(
        'resources', nested_depth=2)['resources']
        if each['resource_name'] == 't']
    thing.things[physical(stack, 'changed')] = 'y'
    found = plan_to_revert(stack)
    assert acting(found) == ['changed']
    for each in (physical(stack, 'later'), inside):
        thing.things[each] = 'y'
    execute(stack, found)
    assert thing.things[physical(stack, 'changed')] == 'x'
    assert {path for path, status in statuses(detect(stack)).items()
            if status == 'MODIFIED'} == {'later', 'box/t'}


def test_new_stack_has_no_drift(api):
    answer = api.request('POST', 'change_sets', {
        'stack_name': 'new', 'template': hot({'t': rich()}),
        'revert_drift': True})
    assert (answer.status, answer.error) == (400, 'NotSupported')
