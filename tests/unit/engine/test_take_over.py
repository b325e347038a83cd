"""An engine goes on with what another one has begun."""
import prometheus_client
import pytest

from heat.common import exception
from heat.common import timeutils
from heat.engine import resource
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.resources import wait_condition
from heat.engine.resources.openstack.heat import (
    wait_condition as heat_wait_condition,
)
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from tests.fakes import database
from tests.fakes import stack as fake_stack

_graveyard = []


class Remote(resource.Resource):
    """Something that takes as many looks as the test says."""

    properties_schema = {}
    log = []
    looks = []
    cookie = 'cookie'

    def handle_create(self):
        self.log.append('create')
        self.resource_id_set('phys')
        return self.cookie

    def check_create_complete(self, cookie):
        self.log.append(('look', cookie))
        answer = self.looks.pop(0) if self.looks else True
        if isinstance(answer, Exception):
            raise answer
        return answer

    def handle_delete(self):
        self.log.append(('delete', self.resource_id))

    def handle_suspend(self):
        self.log.append('suspend')
        return [1]

    def check_suspend_complete(self, cookie):
        return self.check_create_complete(cookie)


class Findable(Remote):
    """Something that can be found by its name."""

    there = None

    def find_created(self):
        self.log.append('find')
        return self.there


class Notes:
    """Keeps the note of one node, as a sync point does."""

    def __init__(self):
        self.kept = None

    def write(self, note):
        self.kept = note

    def arguments(self):
        return {'notes': resource_action.Notes(self.write, self.kept)}


@pytest.fixture
def clock(monkeypatch):
    return fake_stack.Clock(monkeypatch)


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path, clock):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    monkeypatch.setattr(Remote, 'log', [])
    monkeypatch.setattr(Remote, 'looks', [])


@pytest.fixture
def notes():
    return Notes()


def make_stack(resource_class=Remote):
    stack = fake_stack.FakeStack({'r': {'type': 'T::Remote'}},
                                 types={'T::Remote': resource_class})
    stack.stored('r')
    return stack


def begin(stack, notes, action='CREATE', writes=None):
    """Let an engine begin an action and die.

    :param writes: after so many writes; by default when it waits
    """
    task = resource_action.run(
        stack.resources['r'], action, resource_claim.RowClaim('dead'),
        **notes.arguments())
    result = None
    while writes != 0:
        signal = task.send(result)
        if not scheduler.is_write(signal):
            break
        result = scheduler.group_commit.commit([signal])[0].value
        writes = None if writes is None else writes - 1
    # Were it collected, it would get a last word.
    _graveyard.append(task)


def go_on(stack, notes, action='CREATE'):
    """Take the action over and bring it to its end."""
    before = stolen()
    scheduler.TaskRunner(
        resource_action.run, stack.reload('r'), action,
        resource_claim.RowClaim('me', held_by='dead'), take_over=True,
        **notes.arguments())(wait_time=1)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        action, 'COMPLETE', None)
    assert stolen() == before + 1


def stolen():
    """Return how often figures say that a resource was taken over."""
    return prometheus_client.REGISTRY.get_sample_value(
        'heat_claims_stolen_total', {'kind': 'resource'}) or 0


def test_what_was_begun_is_gone_on_with(notes):
    stack = make_stack()
    Remote.looks = [False]
    begin(stack, notes)
    go_on(stack, notes)
    assert Remote.log == ['create', ('look', 'cookie'), ('look', 'cookie')]
    assert stack.row('r').physical_resource_id == 'phys'
    # Users see one creation.
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'COMPLETE')]


def test_other_actions_are_gone_on_with(notes):
    stack = make_stack()
    scheduler.TaskRunner(stack.resources['r'].create)(wait_time=1)
    Remote.log.clear()
    Remote.looks = [False]
    begin(stack, notes, 'SUSPEND')
    go_on(stack, notes, 'SUSPEND')
    assert Remote.log == ['suspend', ('look', [1]), ('look', [1])]


def test_notes_are_no_plain_text(notes):
    Remote.looks = [False]
    begin(make_stack(), notes)
    assert 'cookie' not in notes.kept['cookie'][1]


@pytest.mark.parametrize('cookie', [object(), ('a', 'b'), {1: 2}])
def test_what_cannot_be_noted_is_begun_anew(monkeypatch, notes, cookie):
    monkeypatch.setattr(Remote, 'cookie', cookie)
    stack = make_stack()
    Remote.looks = [False]
    begin(stack, notes)
    assert notes.kept is None
    go_on(stack, notes)
    assert Remote.log == ['create', ('look', cookie), ('delete', 'phys'),
                          'create', ('look', cookie)]


def test_what_cannot_be_gone_on_with_is_begun_anew(notes):
    """A plugin may have kept for itself what it needs to look."""
    stack = make_stack()
    Remote.looks = [False, AttributeError('lost'), False, True]
    begin(stack, notes)
    go_on(stack, notes)
    assert Remote.log == [
        'create', ('look', 'cookie'), ('look', 'cookie'),
        ('delete', 'phys'), 'create', ('look', 'cookie'),
        ('look', 'cookie')]


def test_other_actions_are_begun_anew(notes):
    stack = make_stack()
    scheduler.TaskRunner(stack.resources['r'].create)(wait_time=1)
    Remote.log.clear()
    Remote.looks = [False, AttributeError('lost')]
    begin(stack, notes, 'SUSPEND')
    go_on(stack, notes, 'SUSPEND')
    assert [one for one in Remote.log if one == 'suspend'] == [
        'suspend', 'suspend']


def test_notes_of_another_resource_do_not_count(notes):
    stack = make_stack()
    Remote.looks = [False]
    begin(stack, notes)
    notes.kept['resource'] += 1
    go_on(stack, notes)
    assert ('delete', 'phys') in Remote.log


def test_notes_of_an_attempt_before_are_taken_back(notes):
    """The engine dies in the second attempt, after the first was noted."""
    stack = make_stack()
    Remote.looks = [False, AttributeError('lost')]
    begin(stack, notes)
    task = resource_action.run(
        stack.reload('r'), 'CREATE',
        resource_claim.RowClaim('me', held_by='dead'), take_over=True,
        **notes.arguments())
    result = None
    while notes.kept is not None:
        signal = task.send(result)
        result = scheduler.group_commit.commit([signal])[0].value
    _graveyard.append(task)
    assert stack.row('r').action == 'DELETE'


def test_a_process_that_was_stopped_asks_first(monkeypatch, notes):
    """Meanwhile it was taken for dead; it must not make another thing."""
    stack = make_stack()
    task = resource_action.run(stack.resources['r'], 'CREATE',
                               resource_claim.RowClaim('sleeper'),
                               **notes.arguments())
    claimed = scheduler.group_commit.commit([next(task)])[0].value
    timeutils.sleep(10)
    taken = stack.row('r')
    resource_objects.Resource.select_and_update(
        stack.context, taken.id, {'engine_id': 'other'}, 'sleeper',
        taken.atomic_key)
    with pytest.raises(resource_claim.ClaimLost):
        task.send(scheduler.group_commit.commit([task.send(claimed)])[0].value)
    assert Remote.log == []


def test_what_was_made_is_looked_for(monkeypatch, notes):
    """The engine died between the request and any record of it."""
    monkeypatch.setattr(Findable, 'there', 'lost id')
    stack = make_stack(Findable)
    begin(stack, notes, writes=1)
    go_on(stack, notes)
    assert Remote.log == ['find', ('look', 'lost id')]
    assert stack.row('r').physical_resource_id == 'lost id'


def test_what_is_not_found_is_made(notes):
    stack = make_stack(Findable)
    begin(stack, notes, writes=1)
    go_on(stack, notes)
    assert Remote.log == ['find', 'create', ('look', 'cookie')]


# -- what waits for a time --------------------------------------------------

class Local(Remote):
    """Something that happens in the engine alone, but takes its time."""

    handlers_are_local = True


def test_a_local_wait_is_gone_on_with(notes):
    stack = make_stack(Local)
    Remote.looks = [False]
    begin(stack, notes)
    Remote.looks = [False]
    go_on(stack, notes)
    assert Remote.log == ['create'] + 3 * [('look', 'cookie')]
    assert stack.events() == [('r', 'CREATE', 'IN_PROGRESS'),
                              ('r', 'CREATE', 'COMPLETE')]


class Handle(wait_condition.BaseWaitConditionHandle):
    """A handle without a user."""

    METADATA_KEYS = (DATA, REASON, STATUS, UNIQUE_ID) = (
        'data', 'reason', 'status', 'id')

    def handle_create(self):
        self.resource_id_set('handle')

    def get_reference_id(self):
        return 'handle'


def waiting_stack(count=2):
    stack = fake_stack.FakeStack(
        {'handle': {'type': 'T::Handle'},
         'r': {'type': 'T::Condition', 'properties': {
             'handle': 'handle', 'timeout': 60, 'count': count}}},
        types={'T::Handle': Handle,
               'T::Condition': heat_wait_condition.HeatWaitCondition})
    scheduler.TaskRunner(stack.stored('handle').create)()
    stack.stored('r')
    return stack


def signal(stack, number):
    stack['handle'].handle_signal({
        'data': None, 'reason': 'r', 'status': 'SUCCESS', 'id': str(number)})


def test_signals_before_the_death_of_an_engine_count(notes):
    stack = waiting_stack()
    begin(stack, notes)
    signal(stack, 1)
    signal(stack, 2)
    go_on(stack, notes)


def test_time_before_the_death_of_an_engine_counts(clock, notes):
    stack = waiting_stack()
    began = clock.now
    begin(stack, notes)
    clock.sleep(40)
    with pytest.raises(exception.ResourceFailure, match='0 of 2 received'):
        go_on(stack, notes)
    assert clock.now - began == pytest.approx(60, abs=1)


def test_time_of_an_update_counts_from_its_beginning(clock, notes):
    stack = waiting_stack()
    signal(stack, 1)
    signal(stack, 2)
    scheduler.TaskRunner(stack['r'].create)()
    began = clock.now
    changed = stack.definition('r', properties={
        'handle': 'handle', 'timeout': 60, 'count': 3})
    decision = resource_decision.Decision(resource_decision.Kind.UPDATE,
                                          prop_diff={'count': 3})
    target = resource_action.Target(changed)
    task = resource_action.execute(
        stack['r'], decision, resource_claim.RowClaim('dead'), target=target,
        **notes.arguments())
    _step(task)
    _graveyard.append(task)
    clock.sleep(40)
    task = resource_action.execute(
        stack.reload('r'), decision,
        resource_claim.RowClaim('me', held_by='dead'), target=target,
        take_over=True, **notes.arguments())
    with pytest.raises(exception.ResourceFailure, match='2 of 3 received'):
        scheduler.TaskRunner(lambda: task)(wait_time=1)
    assert clock.now - began == pytest.approx(60, abs=1)


def _step(task):
    """Run a task up to its first wait."""
    result = None
    while True:
        write = task.send(result)
        if not scheduler.is_write(write):
            return
        result = scheduler.group_commit.commit([write])[0].value
