"""Rows of resources, and what follows in memory."""
import pytest
import sqlalchemy as sa

from heat.common import exception
from heat.db import session
from heat.engine import status
from heat.engine.lifecycle import claim
from heat.engine.lifecycle import store
from heat.objects import resource as resource_objects
from heat.objects import transaction
from tests.unit.engine.lifecycle import things

pytestmark = pytest.mark.usefixtures('no_things')


def test_unstored_resource():
    res = things.make_stack()['r']
    assert res.state == ('INIT', 'COMPLETE')
    assert res.id is None
    assert res.physical_resource_name() is None
    assert res.FnGetRefId() == 'r'
    assert res.metadata_get() == {}
    assert res.data() == {}


def test_new_resource_of_a_stack_that_goes_away():
    stack = things.make_stack()
    stack.action = 'ROLLBACK'
    assert stack['r'].state == ('ROLLBACK', 'COMPLETE')


def test_stored_attributes_of_a_failed_resource_do_not_count():
    stack = things.make_stack(outputs=things.OUTPUTS)
    res = things.created(stack)
    res.state_set('CHECK', 'FAILED', 'ill')
    assert stack.reload('r').attributes.cached_attrs == {}


def test_state_set_writes_an_event():
    stack = things.make_stack()
    res = things.created(stack)
    res.state_set('CHECK', 'FAILED', 'marked')
    row = stack.row('r')
    assert (row.action, row.status, row.status_reason) == (
        'CHECK', 'FAILED', 'marked')
    assert stack.events()[-1] == ('r', 'CHECK', 'FAILED')


def test_missing_row_is_an_error():
    context = things.make_stack().context
    with pytest.raises(exception.NotFound, match='with id 99 not found'):
        store.get_row(context, 99)


def test_row_is_inserted_once_and_then_written():
    stack = things.make_stack(metadata={'m': 1})
    res = stack['r']
    store.store(res)
    row_id, row_uuid = res.id, res.uuid
    assert stack.row('r').rsrc_metadata is None
    res.requires = {3, 1}
    store.store(res, set_metadata=True)
    row = stack.row('r')
    assert (row.id, row.uuid) == (row_id, row_uuid)
    assert (row.requires, row.rsrc_metadata) == ([1, 3], {'m': 1})


def test_many_rows_are_inserted_together():
    stack = things.make_stack({name: {'type': 'T::Thing'}
                               for name in 'abc'})
    resources = list(stack.values())
    before = transaction.counters()['statements']
    ids = store.bulk_create(stack.context, resources)
    assert transaction.counters()['statements'] - before == 1
    # It may run again, so nothing is known of it yet.
    assert [res.id for res in resources] == [None] * 3
    store.adopt_ids(resources, ids)
    for res in resources:
        row = stack.row(res.name)
        assert (row.id, row.uuid) == (res.id, res.uuid)
        assert res.data() == {}
    with pytest.raises(ValueError):
        store.adopt_ids(resources, ids[:1])


def test_row_is_removed_with_what_belongs_to_it():
    stack = things.make_stack()
    store.delete_row(stack['r'])
    res = things.created(stack)
    res.data_set('k', 'v')
    store.delete_row(res)
    assert stack.row('r') is None
    with session.get_engine().connect() as connection:
        assert connection.execute(sa.text(
            'SELECT count(*) FROM resource_data')).scalar() == 0


def test_object_gets_the_row_of_another_one():
    stack = things.make_stack()
    res = things.created(stack)
    other = things.Thing('r', stack.definition('r'), stack)
    other.id = None
    store.copy_state(other, res)
    for name in ('id', 'uuid', 'state', 'resource_id', 'requires',
                 'created_time', 'atomic_key'):
        assert getattr(other, name) == getattr(res, name), name
    assert other.row_state is not res.row_state


def test_only_columns_that_differ_are_written():
    res = things.created(things.make_stack())
    res.requires = {2, 1}
    assert store.differing(res, {
        'requires': [1, 2], 'replaces': None, 'replaced_by': 4}) == {
            'replaced_by': 4}


@pytest.mark.parametrize(('action', 'new_status'), [
    ('ADOPT', 'COMPLETE'), ('DANCE', 'COMPLETE')])
def test_illegal_state_is_refused(action, new_status):
    stack = things.make_stack()
    res = things.created(stack)
    with pytest.raises(status.IllegalMove):
        store.state_set(res, action, new_status)
    assert stack.row('r').action == 'CREATE'


def test_row_that_another_engine_holds_is_left_alone():
    stack = things.make_stack()
    res = things.created(stack)
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'engine_id': 'other'})
    events = stack.events()
    with pytest.raises(claim.ClaimLost):
        store.transition_now(
            res, claim.RowClaim('me'), store.ResourceTransition(
                'UPDATE', 'COMPLETE', properties={'size': 7}), 'update_once')
    assert stack.row('r').action == 'CREATE'
    assert stack.events() == events
    assert res.state == ('CREATE', 'COMPLETE')
    # What was written before the loss was found is taken back.
    assert count_of_values() == 0


def count_of_values():
    with session.get_engine().connect() as connection:
        return connection.execute(sa.text(
            'SELECT count(*) FROM resource_properties_data')).scalar()


def test_changed_values_get_a_row_of_their_own():
    """Events of earlier changes go on showing what they were about."""
    stack = things.make_stack(props={'size': 1})
    res = things.created(stack)
    store.transition_now(res, claim.StackOwned(), store.ResourceTransition(
        'UPDATE', 'COMPLETE', properties={'size': 2}, mark_started=True))
    created, started, ended = stack.event_rows()[-3:]
    assert created.resource_properties == {'size': 1}
    assert started.resource_properties == {'size': 1}
    assert ended.resource_properties == {'size': 2}
    assert (started.resource_status, ended.resource_status) == (
        'IN_PROGRESS', 'COMPLETE')


def test_extra_write_belongs_to_the_transaction():
    stack = things.make_stack()
    res = things.created(stack)

    def fail():
        raise ZeroDivisionError

    assert store.transition_now(
        res, claim.StackOwned(), store.ResourceTransition(
            'CHECK', 'COMPLETE', extra=lambda: 'answer')) == 'answer'
    with pytest.raises(ZeroDivisionError):
        store.transition_now(
            res, claim.StackOwned(), store.ResourceTransition(
                'UPDATE', 'COMPLETE', extra=fail))
    assert stack.row('r').action == 'CHECK'
    assert res.action == 'CHECK'


def test_long_reasons_are_cut():
    stack = things.make_stack()
    res = things.created(stack)
    store.state_set(res, 'CHECK', 'FAILED', 'x' * 20000)
    assert stack.row('r').status_reason == 'x' * store.REASON_LIMIT
    assert len(stack.event_rows()[-1].resource_status_reason) == 255


def test_errors_of_the_database_are_not_shown():
    stack = things.make_stack()
    res = stack['r']
    error = sa.exc.OperationalError('SELECT password', {}, OSError('db:3306'))
    assert store.presentable(res, error, str(error)) == (
        'resources.r: An internal error occurred')
    assert store.presentable(res, OSError(), 'no answer') == 'no answer'
