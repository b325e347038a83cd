"""Claims of several resources that are taken in one commit."""
import pytest

from heat.engine import resource
from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import store as resource_store
from heat.engine.tasks import group_commit
from heat.objects import resource as resource_objects
from heat.objects import transaction
from tests.fakes import database
from tests.fakes import stack as fake_stack


class Plain(resource.Resource):
    """A resource without properties."""

    properties_schema = {}


@pytest.fixture
def stack():
    database.emptied_sqlite()
    made = fake_stack.FakeStack({name: {'type': 'T::Plain'}
                                 for name in 'abc'},
                                types={'T::Plain': Plain})
    for name in 'abc':
        made.stored(name)
    return made


def begin_all(stack):
    """Begin to create all resources in one commit; return {name: how}."""
    tasks = {name: resource_store.transition(
        stack.resources[name], resource_claim.RowClaim('me'),
        resource_store.ResourceTransition('CREATE', 'IN_PROGRESS'), 'acquire')
        for name in 'abc'}
    results = group_commit.commit([next(task) for task in tasks.values()])
    ends = {}
    for (name, task), result in zip(tasks.items(), results, strict=True):
        try:
            task.send(result.get())
        except (StopIteration, resource_claim.ClaimLost) as end:
            ends[name] = type(end)
    return ends


def row_of(stack, name):
    return resource_objects.Resource.get_obj(stack.context,
                                             stack.resources[name].id)


def test_rows_are_claimed_by_one_statement(stack):
    before = transaction.counters()['statements']
    assert set(begin_all(stack).values()) == {StopIteration}
    # The other one writes the events.
    assert transaction.counters()['statements'] - before == 2
    assert {row_of(stack, name).engine_id for name in 'abc'} == {'me'}


def test_row_of_another_engine_is_left_alone(stack):
    resource_objects.Resource.select_and_update(
        stack.context, stack.resources['b'].id, {
            'engine_id': 'other', 'action': 'CREATE', 'status': 'FAILED'},
        None, stack.resources['b'].atomic_key)
    ends = begin_all(stack)
    assert ends == {'a': StopIteration, 'b': resource_claim.ClaimLost,
                    'c': StopIteration}
    assert [(row.engine_id, row.status) for row in (
        row_of(stack, name) for name in 'abc')] == [
        ('me', 'IN_PROGRESS'), ('other', 'FAILED'), ('me', 'IN_PROGRESS')]
    assert sorted(row.resource_name for row in stack.event_rows()) == [
        'a', 'c']
    assert stack.resources['b'].state == ('INIT', 'COMPLETE')
