import pytest

from heat.common import exception
from heat.engine import resource
from heat.engine.lifecycle import signal as resource_signal
from heat.engine.tasks import scheduler
from tests.fakes import database
from tests.fakes import stack as fake_stack


class Deaf(resource.Resource):
    properties_schema = {}
    updated = []

    def metadata_update(self, new_metadata=None):
        self.updated.append(self.name)


class Ear(Deaf):
    def handle_signal(self, details=None):
        if details == 'nothing':
            raise resource.NoActionRequired(self.name, 'told so')
        if details == 'bad':
            raise ValueError('bad signal')
        return details if details == 'answer' else None


@pytest.fixture
def stack(monkeypatch):
    database.emptied_sqlite()
    monkeypatch.setattr(Deaf, 'updated', [])
    stack = fake_stack.FakeStack(
        {'ear': {'type': 'T::Ear'}, 'deaf': {'type': 'T::Deaf'},
         'new': {'type': 'T::Deaf'}},
        types={'T::Ear': Ear, 'T::Deaf': Deaf})
    for name in ('ear', 'deaf'):
        scheduler.TaskRunner(stack.stored(name).create)()
    stack.stored('new')
    return stack


def reasons(stack):
    return [(row.resource_action, row.resource_status,
             row.resource_status_reason) for row in stack.event_rows()
            if row.resource_action == 'SIGNAL']


@pytest.mark.parametrize(('details', 'reason'), [
    ('answer', 'Signal: answer'),
    (None, 'No signal details provided'),
    ('text', 'text'),
    ({'previous': 'ok', 'current': 'alarm', 'reason': 'hot'},
     'alarm state changed from ok to alarm (hot)'),
    ({'a': 1}, 'Unknown'),
])
def test_signal_leaves_an_event(stack, details, reason):
    assert stack['ear'].signal(details) is False
    assert reasons(stack) == [('SIGNAL', 'COMPLETE', reason)]
    assert stack.row('ear').action == 'CREATE'


def test_signal_without_effect_leaves_none(stack):
    stack['ear'].signal('nothing')
    assert reasons(stack) == []


def test_failed_signal(stack):
    with pytest.raises(exception.ResourceFailure, match='bad signal'):
        stack['ear'].signal('bad')


def test_type_without_handler_refuses(stack):
    with pytest.raises(exception.ResourceActionNotSupported):
        stack['deaf'].signal()


@pytest.mark.parametrize('action', ['SUSPEND', 'DELETE'])
def test_signal_is_refused_during_some_actions(stack, action):
    stack['ear'].action = action
    with pytest.raises(exception.NotSupported):
        resource_signal.check(stack['ear'])
    assert stack['ear'].signal('x', need_check=False) is False


def test_the_others_follow_a_signal(stack):
    resource_signal.deliver(stack['ear'], 'x')
    assert Deaf.updated == ['deaf']


def test_the_others_follow_only_where_they_have_to(stack, monkeypatch):
    monkeypatch.setattr(Ear, 'signal_needs_metadata_updates', False)
    resource_signal.deliver(stack['ear'], 'x')
    assert Deaf.updated == []


def test_unknown_hook_cannot_be_cleared(stack):
    with pytest.raises(exception.InvalidBreakPointHook, match='pre-create'):
        stack['ear'].signal({'unset_hook': 'odd'})
