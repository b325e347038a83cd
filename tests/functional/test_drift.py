"""Drift: how a stack differs from what really exists."""
import json
import threading
import uuid

from heat.common import context
from heat.db import api as db_api
from heat.engine import notification
from heat.engine.drift import background
from heat.engine.process import drift_keeper
from heat.objects import drift as drift_objects
from heat.objects import stack as stack_objects
from tests.functional import rest
from tests.functional import templates
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
        'known_after_apply': False}]
    [cause] = changes['gone']['causes']
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


def test_new_stack_has_no_drift(api):
    answer = api.request('POST', 'change_sets', {
        'stack_name': 'new', 'template': hot({'t': rich()}),
        'revert_drift': True})
    assert (answer.status, answer.error) == (400, 'NotSupported')
