"""What plugins share with the replacement of a resource."""
import pytest

from heat.common import exception
from heat.engine import properties
from heat.engine import resource
from heat.engine.lifecycle import action as resource_action
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import decision as resource_decision
from heat.engine.tasks import scheduler
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack

LENDING = resource_decision.Decision(
    resource_decision.Kind.REPLACE, before_replacement='prepare_for_replace')


class Plain(resource.Resource):
    """A resource that shares nothing."""

    properties_schema = {'a': properties.Schema(properties.Schema.STRING)}

    def handle_create(self):
        self.resource_id_set('phys')


class Lender(Plain):
    """A resource that takes some looks to give up what it has."""

    looks = 2
    error = None
    seen = None
    calls = ()

    def _call(self, name):
        self.calls += (name,)
        self.data_set('lent', name)
        if self.error is not None:
            raise self.error

    def prepare_for_replace(self):
        self._call('prepare')

    def restore_prev_rsrc(self, convergence=False):
        self._call('restore %s' % convergence)

    def check_prepare_for_replace_complete(self, _token):
        self.looks -= 1
        self.seen = self.stack.row('r')
        return self.looks < 0

    check_restore_prev_rsrc_complete = check_prepare_for_replace_complete


@pytest.fixture(autouse=True)
def clock(monkeypatch, tmp_path):
    database.fresh_sqlite(tmp_path / 'heat.sqlite')
    return fake_stack.Clock(monkeypatch)


def created(type_name='T::Lender'):
    stack = fake_stack.FakeStack(
        {'r': {'type': type_name, 'properties': {'a': 'x'}}},
        types={'T::Plain': Plain, 'T::Lender': Lender})
    res = stack.stored('r')
    run(res.create())
    return stack, res


def run(task):
    """Run a task to its end; return what it returns."""
    results = []

    def outer():
        results.append((yield from task))

    scheduler.TaskRunner(outer)(wait_time=1)
    return results[0]


def execute(res, decision, claim=None, **kwargs):
    return run(resource_action.execute(
        res, decision, claim or resource_claim.RowClaim('me'), **kwargs))


def test_row_is_held_meanwhile(clock):
    stack, res = created()
    written = []
    result = execute(res, LENDING, also=written.append)
    assert result.kind == resource_action.Outcome.REPLACED
    assert written == [result]
    assert res.calls == ('prepare',)
    assert clock.slept == [1, 1]
    assert res.seen.engine_id == 'me'
    assert (res.seen.action, res.seen.status) == ('CREATE', 'COMPLETE')
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'CREATE', 'COMPLETE', None)
    # The replacement is all that users are told of.
    assert stack.events()[-1] == ('r', 'CREATE', 'COMPLETE')
    # It may be written again.
    res.data_set('lent', 'given back')


def test_plugin_is_not_asked_when_another_engine_is_at_it():
    stack, res = created()
    other = stack.reload('r')
    task = resource_action.execute(res, LENDING,
                                     resource_claim.RowClaim('me'))
    request = next(task)
    scheduler.group_commit.commit([request])
    with pytest.raises(resource_claim.ClaimLost):
        execute(other, LENDING, resource_claim.RowClaim('other'))
    assert other.calls == ()
    assert stack.row('r').engine_id == 'me'


def test_another_engine_takes_over_from_a_dead_one():
    stack, res = created()
    task = resource_action.execute(res, LENDING,
                                     resource_claim.RowClaim('dead'))
    scheduler.group_commit.commit([next(task)])
    again = stack.reload('r')
    execute(again, LENDING, resource_claim.RowClaim('me', held_by='dead'))
    assert again.calls == ('prepare',)
    assert stack.row('r').engine_id is None


def test_plugin_that_fails_fails_the_update():
    stack, res = created()
    res.error = ValueError('no')
    with pytest.raises(exception.ResourceFailure, match='ValueError'):
        execute(res, LENDING)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'UPDATE', 'FAILED', None)
    assert stack.events()[-2:] == [('r', 'UPDATE', 'IN_PROGRESS'),
                                   ('r', 'UPDATE', 'FAILED')]


def test_plugin_that_never_ends_runs_out_of_time():
    stack, res = created()
    res.looks = 1000
    with pytest.raises(scheduler.Timeout):
        execute(res, LENDING, timeout=5)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'UPDATE', 'FAILED', None)
    assert 'Timed out' in row.status_reason


@pytest.mark.parametrize(('kind', 'state'), [
    ('KEEP', ('CREATE', 'COMPLETE')), ('UPDATE', ('UPDATE', 'COMPLETE'))])
def test_rollback_takes_back_before_all_else(kind, state):
    stack, res = created()
    stack.action = 'ROLLBACK'
    res.replaced_by = 7
    execute(res, resource_decision.Decision(resource_decision.Kind(kind)),
              target=resource_action.Target(stack.definition('r')))
    assert res.calls == ('restore True',)
    assert res.seen.engine_id == 'me'
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (*state, None)


def test_rollback_that_may_not_be_still_lets_go():
    stack, res = created()
    stack.action = 'ROLLBACK'
    res.replaced_by = 7
    decision = resource_decision.Decision(
        resource_decision.Kind.UPDATE,
        error=exception.ResourceActionRestricted(action='update'))
    with pytest.raises(exception.ResourceFailure):
        execute(res, decision)
    row = stack.row('r')
    assert (row.action, row.status, row.engine_id) == (
        'UPDATE', 'FAILED', None)


def test_what_shares_nothing_costs_one_statement():
    _stack, res = created('T::Plain')
    before = transaction.counters()
    execute(res, LENDING)
    after = transaction.counters()
    assert {name: after[name] - before[name]
            for name in ('statements', 'commits')} == {
                'statements': 1, 'commits': 1}
