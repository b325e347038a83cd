"""Events of stacks and resources: rows, purging, sinks."""
import collections
import datetime
import types

from hypothesis import given
from hypothesis import strategies as st
from oslo_config import cfg
import pytest

from heat.engine.stacks import events
from heat.objects import event as event_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack
from tests.fakes import strategies


@pytest.fixture(autouse=True)
def _no_counts(monkeypatch):
    monkeypatch.setattr(events, '_counts', collections.OrderedDict())


@pytest.fixture
def stack():
    database.emptied_sqlite()
    return fake_stack.FakeStack({})


@strategies.SETTINGS
@given(st.one_of(st.none(), st.text(max_size=300)))
def test_reasons_fit_the_column(reason):
    short = events.shortened(reason)
    assert len(short) <= events.REASON_LIMIT
    if len(reason or '') <= events.REASON_LIMIT:
        assert short == (reason or '')
    else:
        assert short.endswith('...')
        assert reason.startswith(short[:-3])


def test_event_of_a_stack_is_told_from_one_of_a_resource(stack):
    values = events.stack_values(stack, 'CREATE', 'COMPLETE', 'done')
    assert (values['resource_name'], values['physical_resource_id'],
            values['resource_type']) == (stack.name, stack.id,
                                         'OS::Heat::Stack')
    row = types.SimpleNamespace(**values)
    assert events.is_of_stack(row)
    # A nested stack has the type, too, but another id.
    row.physical_resource_id = 'that-of-a-nested-stack'
    assert not events.is_of_stack(row)


def test_types_fit_the_column(stack):
    row = types.SimpleNamespace(stack_id=stack.id, name='r',
                                physical_resource_id=None,
                                rsrc_prop_data_id=None)
    address = 'https://store/template.yaml?temp_url_sig=' + 'f' * 300
    values = events.row_values(row, address, 'CREATE', 'COMPLETE', 'done')
    assert values['resource_type'] == address[:255]


def test_secret_properties_are_not_told():
    told = events.tellable({'a': 1, 'b': 's', 'c': None}, {'b', 'c'})
    assert told == {'a': 1, 'b': '******', 'c': None}
    assert events.tellable(None, {'b'}) is None


def add(stack, number):
    for turn in range(number):
        events.add(stack.context, events.stack_values(
            stack, 'CHECK', 'COMPLETE', str(turn)))


def reasons(stack):
    return [row.resource_status_reason for row in
            event_objects.Event.get_all_by_stack(stack.context, stack.id)]


@pytest.fixture
def limits():
    def set_limits(most, batch):
        cfg.CONF.set_override('max_events_per_stack', most)
        cfg.CONF.set_override('event_purge_batch_size', batch)

    yield set_limits
    cfg.CONF.clear_override('max_events_per_stack')
    cfg.CONF.clear_override('event_purge_batch_size')


def test_a_stack_keeps_the_latest_events(stack, limits):
    limits(5, 2)
    add(stack, 12)
    kept = reasons(stack)
    assert 5 <= len(kept) <= 5 + 2
    assert kept == [str(turn) for turn in range(12)][-len(kept):]


@pytest.mark.parametrize('most', [0, -1])
def test_without_a_limit_all_events_are_kept(stack, limits, most):
    limits(most, 1)
    add(stack, 8)
    assert len(reasons(stack)) == 8


@strategies.SETTINGS
@given(st.lists(st.integers(1, 30), max_size=8), st.integers(1, 10))
def test_every_batch_that_was_written_is_due_once(written, batch):
    events._counts.clear()
    due = [stack_id for count in written
           for stack_id in events._due_for_purge({'s': count}, batch)]
    assert len(due) == sum(written) // batch


def test_stacks_are_counted_apart_and_forgotten(monkeypatch):
    monkeypatch.setattr(events, '_COUNTED_STACKS', 2)
    assert events._due_for_purge({'a': 3, 'b': 1}, 2) == ['a']
    assert events._due_for_purge({'b': 1, 'c': 1}, 2) == ['b']
    assert list(events._counts) == ['b', 'c']


class Sink:
    def __init__(self, error=None):
        self.seen = []
        self.error = error

    def consume(self, context, event):
        self.seen.append(event)
        if self.error:
            raise self.error


class Groups:
    """Runs what is started at once."""

    def start(self, stack_id, func, *args):
        func(*args)


def dispatched(stack, *sinks, **kwargs):
    stack.env.get_event_sinks = lambda: list(sinks)
    stack.thread_group_mgr = Groups()
    values = events.stack_values(stack, 'CREATE', 'COMPLETE', 'done')
    events.dispatch(stack, values, **kwargs)
    return values


def test_sinks_get_the_envelope(stack):
    sink = Sink()
    values = dispatched(stack, sink, resource_properties={'a': 1})
    event, = sink.seen
    assert set(event) == {'timestamp', 'version', 'type', 'id', 'payload'}
    assert (event['id'], event['type'], event['version']) == (
        values['uuid'], 'os.heat.event', '0.1')
    assert datetime.datetime.fromisoformat(event['timestamp'])
    assert event['payload'] == {
        'resource_name': stack.name, 'physical_resource_id': stack.id,
        'stack_id': stack.id, 'resource_action': 'CREATE',
        'resource_status': 'COMPLETE', 'resource_status_reason': 'done',
        'resource_type': 'OS::Heat::Stack',
        'resource_properties': {'a': 1}, 'version': '0.1'}


def test_a_sink_that_fails_fails_alone(stack):
    first, second = Sink(OSError('away')), Sink()
    dispatched(stack, first, second)
    assert len(first.seen) == 1
    assert second.seen == []


def test_outside_an_engine_no_sink_hears(stack):
    sink = Sink()
    stack.env.get_event_sinks = lambda: [sink]
    stack.thread_group_mgr = None
    events.dispatch(stack, events.stack_values(stack, 'CREATE', 'COMPLETE',
                                               ''))
    assert sink.seen == []
