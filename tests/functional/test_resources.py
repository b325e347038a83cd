"""Resources, their events, signals, health and breakpoints."""
import pytest

from tests.functional import rest
from tests.functional import templates
from tests.functional.conformance import stacks
from tests.functional.templates import hot


def of(**kwargs):
    return templates.thing(**kwargs)


def test_show(driver, api):
    stack = api.created('r', hot({
        'a': {**of(value='x', metadata={'k': 'v'}),
              'description': 'The first.'},
        'b': of(depends_on='a')}))
    shown = stack.resource('a')
    base = f'http://localhost/v1/{api.project}/stacks/r/{stack.id}'
    physical = shown.pop('physical_resource_id')
    for key in ('creation_time', 'updated_time'):
        assert shown.pop(key)
    assert shown == {
        'resource_name': 'a', 'logical_resource_id': 'a',
        'resource_status': 'CREATE_COMPLETE',
        'resource_status_reason': 'state changed',
        'resource_type': 'Test::Thing', 'required_by': ['b'],
        'description': 'The first.',
        'attributes': {'value': 'x', 'details': {
            'id': physical, 'value': 'x', 'list': ['a', 'b']}},
        'links': [{'href': f'{base}/resources/a', 'rel': 'self'},
                  {'href': base, 'rel': 'stack'}]}
    assert stack.get('resources/a/metadata') == {'metadata': {'k': 'v'}}
    assert stack.resource('a', with_attr='value')['attributes'][
        'value'] == 'x'


def test_filters(driver, api):
    # The others are through when one fails.
    stack = api.create('r', hot({
        'a': of(), 'b': of(fail=['CREATE'], depends_on=['a', 'd']),
        'd': {'type': 'Test::Deaf'}}))
    stack.wait('CREATE_FAILED')
    for query, expected in (
            ({'name': 'a'}, {'a'}), ({'type': 'Deaf'}, {'d'}),
            ({'status': 'FAILED'}, {'b'}),
            ({'status': 'COMPLETE'}, {'a', 'd'}),
            ({'action': 'CREATE'}, {'a', 'b', 'd'}),
            ({'name': 'x'}, set()),
            ({'physical_resource_id': stack.physical('a')}, {'a'})):
        assert set(stack.resources(**query)) == expected, query
    assert 'attributes' in stack.resources(with_detail='true')['a']
    answer = stack.request('GET', 'resources', colour='red')
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')
    answer = stack.request('GET', 'resources', nested_depth='x')
    assert answer.status == 400


@pytest.mark.parametrize('path', ['', '/metadata', '/events'])
def test_unknown_resource(api, path):
    stack = api.created('r', hot({'a': of()}))
    answer = stack.request('GET', f'resources/x{path}')
    assert answer.status == 404
    assert answer.error == (
        'HTTPNotFound' if path == '/events' else 'ResourceNotFound')


# -- signals ----------------------------------------------------------------

def signal(stack, details, expect=200, name='a'):
    return stack.request('POST', f'resources/{name}/signal', details,
                         expect=expect)


def test_signal(driver, api):
    stack = api.created('s', hot({'a': of()}))
    signal(stack, {'how': 'loud'})
    rest.wait_for(lambda: 'a SIGNAL_COMPLETE' in stack.events('a'),
                  'the event')
    [event] = [each for each in stack.get('events')['events']
               if each['resource_status'] == 'SIGNAL_COMPLETE']
    assert event['resource_status_reason'] == (
        "Signal: thanks for {'how': 'loud'}")
    assert stack.states() == {'a': 'CREATE_COMPLETE'}


def test_signal_that_changes_nothing(driver, api):
    stack = api.created('s', hot({'a': of()}))
    signal(stack, {'nothing': True})
    signal(stack, None)
    rest.wait_for(lambda: 'a SIGNAL_COMPLETE' in stack.events('a'),
                  'the event')
    assert stack.events('a').count('a SIGNAL_COMPLETE') == 1


def test_wrong_signals(driver, api):
    stack = api.created('s', hot({'a': of(), 'd': {'type': 'Test::Deaf'}}))
    assert signal(stack, {}, 400, 'd').error == 'ResourceActionNotSupported'
    assert signal(stack, {}, 404, 'x').error == 'ResourceNotFound'
    answer = signal(stack, {'unset_hook': 'pre-create'}, 400)
    assert answer.error == 'InvalidBreakPointHook'
    answer = signal(stack, {'unset_hook': 'nonsense'}, 400)
    assert answer.error == 'InvalidBreakPointHook'


# -- health -----------------------------------------------------------------

def mark(stack, body, name='a', expect=200):
    return stack.request('PATCH', f'resources/{name}', body, expect=expect)


def test_mark_unhealthy(driver, api):
    template = hot({'a': of(), 'b': of(depends_on='a')})
    stack = api.created('m', template)
    before = stack.physical('a')
    mark(stack, {'mark_unhealthy': True, 'resource_status_reason': 'ill'})
    shown = stack.resource('a')
    assert shown['resource_status'] == 'CHECK_FAILED'
    assert shown['resource_status_reason'] == 'ill'
    stack.updated(template)
    assert stack.states() == {'a': 'CREATE_COMPLETE',
                              'b': 'CREATE_COMPLETE'}
    assert stack.physical('a') != before


def test_mark_healthy_again(driver, api):
    template = hot({'a': of()})
    stack = api.created('m', template)
    before = stack.physical('a')
    mark(stack, {'mark_unhealthy': True})
    mark(stack, {'mark_unhealthy': 'false'})
    assert stack.states() == {'a': 'CHECK_COMPLETE'}
    stack.updated(template)
    assert stack.physical('a') == before


def test_mark_by_physical_id(driver, api):
    stack = api.created('m', hot({'a': of()}))
    mark(stack, {'mark_unhealthy': True}, stack.physical('a'))
    assert stack.states() == {'a': 'CHECK_FAILED'}


def test_an_ambiguous_physical_id_names_the_resources(api, conf):
    conf('enable_stack_adopt', True)
    stack = api.create('m', None, adopt_stack_data=stacks.exported(
        'twin', 'twin'))
    stack.wait('ADOPT_COMPLETE')
    first, second = stack.states()
    refused = mark(stack, {'mark_unhealthy': True}, 'twin', expect=400)
    assert refused.message == (
        'Several resources have the physical id twin. Give the name of one '
        f'of them: {first}, {second}.')


@pytest.mark.parametrize('body', [
    {}, {'mark_unhealthy': 'x'}, {'resource_status_reason': 'x'},
    {'mark_unhealthy': True, 'other': 1},
    {'mark_unhealthy': True, 'resource_status_reason': 1}])
def test_wrong_marks(api, body):
    stack = api.created('m', hot({'a': of()}))
    assert mark(stack, body, expect=400).error == 'HTTPBadRequest'
    assert stack.states() == {'a': 'CREATE_COMPLETE'}


def test_mark_of_unknown_resource(api):
    stack = api.created('m', hot({'a': of()}))
    answer = mark(stack, {'mark_unhealthy': True}, 'x', expect=404)
    assert answer.error == 'ResourceNotFound'


# -- breakpoints ------------------------------------------------------------

def hooked(*hooks, name='a'):
    return {'resource_registry': {'resources': {name: {
        'hooks': list(hooks)}}}}


def waits_at(stack, hook, name='a'):
    text = f'paused until Hook {hook} is cleared'
    rest.wait_for(
        # All events of the stack: a resource that has none yet is refused.
        lambda: any(text in each['resource_status_reason'] for each in
                    stack.get('events')['events']
                    if each['resource_name'] == name),
        lambda: (hook, stack.events(), stack.resources()))


def clear(stack, hook, name='a'):
    signal(stack, {'unset_hook': hook}, name=name)


def test_breakpoints_of_a_create(driver, api, thing):
    stack = api.create('h', hot({'a': of(), 'b': of(depends_on='a')}),
                       environment=hooked('pre-create', 'post-create'))
    rest.wait_for(lambda: 'a' in stack.resources(), 'the resource')
    waits_at(stack, 'pre-create')
    assert stack.state == 'CREATE_IN_PROGRESS'
    assert thing.log.get(api.project, []) == []
    clear(stack, 'pre-create')
    waits_at(stack, 'post-create')
    assert thing.log[api.project] == [('CREATE', 'a')]
    clear(stack, 'post-create')
    stack.wait('CREATE_COMPLETE')
    assert thing.log[api.project] == [('CREATE', 'a'), ('CREATE', 'b')]


def test_breakpoint_of_an_update(driver, api, thing):
    stack = api.created('h', hot({'a': of()}))
    stack.update(hot({'a': of(value='x')}), environment=hooked('pre-update'))
    waits_at(stack, 'pre-update')
    assert thing.log[api.project] == [('CREATE', 'a')]
    clear(stack, 'pre-update')
    stack.wait('UPDATE_COMPLETE')
    assert thing.log[api.project] == [('CREATE', 'a'), ('UPDATE', 'a')]


def test_breakpoint_of_a_delete(driver, api, thing):
    stack = api.created('h', hot({'a': of()}),
                        environment=hooked('pre-delete'))
    stack.delete()
    waits_at(stack, 'pre-delete')
    clear(stack, 'pre-delete')
    stack.wait('DELETE_COMPLETE')


def test_unknown_hook(api):
    answer = api.create('h', hot({'a': of()}),
                        environment=hooked('pre-lunch'), expect=400)
    assert answer.status == 400
    assert 'pre-lunch' in answer.message


# -- events -----------------------------------------------------------------

@pytest.fixture
def stack(api):
    """Return a stack with some events."""
    made = api.created('e', hot({'a': of(value='x'),
                                 'b': of(depends_on='a')}))
    made.updated(hot({'a': of(value='y'), 'b': of(depends_on='a')}))
    return made


ALL = ['e CREATE_IN_PROGRESS', 'a CREATE_IN_PROGRESS', 'a CREATE_COMPLETE',
       'b CREATE_IN_PROGRESS', 'b CREATE_COMPLETE', 'e CREATE_COMPLETE',
       'e UPDATE_IN_PROGRESS', 'a UPDATE_IN_PROGRESS', 'a UPDATE_COMPLETE',
       'e UPDATE_COMPLETE']


def test_events(stack):
    assert stack.events() == ALL
    assert stack.events('a') == [
        each for each in ALL if each.startswith('a ')]
    assert stack.events(sort_dir='desc') == ALL[::-1]
    # The newest come first unless told otherwise.
    assert stack.get('events')['events'][0]['resource_status'] == (
        'UPDATE_COMPLETE')


def test_event_as_it_is_listed(stack, api):
    event = stack.get('events', sort_dir='asc')['events'][2]
    base = f'http://localhost/v1/{api.project}/stacks/e/{stack.id}'
    assert event.pop('event_time')
    assert event == {
        'id': event['id'], 'resource_name': 'a', 'logical_resource_id': 'a',
        'physical_resource_id': stack.physical('a'),
        'resource_status': 'CREATE_COMPLETE',
        'resource_status_reason': 'state changed',
        'links': [
            {'href': f'{base}/resources/a/events/{event["id"]}',
             'rel': 'self'},
            {'href': f'{base}/resources/a', 'rel': 'resource'},
            {'href': base, 'rel': 'stack'}]}


def test_show_event(stack):
    event = stack.get('events', sort_dir='asc')['events'][2]
    shown = stack.get(f'resources/a/events/{event["id"]}')['event']
    assert shown['resource_type'] == 'Test::Thing'
    assert shown['resource_properties']['value'] == 'x'
    for path in (f'resources/b/events/{event["id"]}',
                 'resources/a/events/unknown'):
        answer = stack.request('GET', path)
        assert (answer.status, answer.error) == (404, 'HTTPNotFound')


@pytest.mark.parametrize(('query', 'expected'), [
    ({'resource_action': 'UPDATE'}, ALL[6:]),
    ({'resource_status': 'COMPLETE'}, [
        each for each in ALL if each.endswith('COMPLETE')]),
    ({'resource_name': ['a', 'b'], 'resource_action': 'CREATE'}, ALL[1:5]),
    ({'resource_type': 'Test::Thing', 'resource_action': 'UPDATE'},
     ALL[7:9]),
    ({'resource_name': 'x'}, []),
    ({'limit': 3}, ALL[:3]), ({'limit': 0}, []),
    ({'limit': 2, 'sort_dir': 'desc'}, ALL[:-3:-1])])
def test_event_filters(stack, query, expected):
    assert stack.events(**query) == expected


def test_event_paging(stack):
    seen, marker = [], {}
    while True:
        page = stack.get('events', limit=3, sort_dir='asc', **marker)['events']
        if not page:
            break
        seen += [f'{each["resource_name"]} {each["resource_status"]}'
                 for each in page]
        marker = {'marker': page[-1]['id']}
    assert seen == ALL


@pytest.mark.parametrize('query', [
    {'limit': 'x'}, {'sort_dir': 'up'}, {'nested_depth': 'x'}])
def test_wrong_event_query(stack, query):
    answer = stack.request('GET', 'events', **query)
    assert (answer.status, answer.error) == (400, 'HTTPBadRequest')


def test_live_attributes_see_what_properties_refer_to(driver, api):
    """The stack is loaded anew for each request."""
    stack = api.created('r', hot(
        {'a': of(value='x'),
         'ref': of(type='Test::Mirror', value={'get_resource': 'a'}),
         'att': of(type='Test::Mirror', value=templates.attr('a', 'value')),
         'far': of(type='Test::Mirror',
                   value=templates.attr('ref', 'value'))},
        outputs={'o': {'value': templates.attr('ref', 'value')}}))
    physical = stack.physical('a')
    shown = {name: stack.resource(name)['attributes']['value']
             for name in ('ref', 'att', 'far')}
    assert shown == {'ref': physical, 'att': 'x', 'far': physical}
    assert stack.outputs() == {'o': physical}
