"""Single values of a resource: data, metadata, stored properties."""
import pytest

from heat.common import exception
from heat.engine.lifecycle import claim
from heat.engine.lifecycle import values
from heat.engine.tasks import scheduler
from heat.objects import resource as resource_objects
from tests.unit.engine.lifecycle import things

pytestmark = pytest.mark.usefixtures('no_things')


def test_stored_attributes_can_be_cleared():
    stack = things.make_stack(outputs=things.OUTPUTS)
    res = things.created(stack)
    res.clear_stored_attributes()
    assert not stack.row('r').attributes
    assert stack.row('r').attr_data_id is None


def test_adopt_takes_id_data_and_metadata():
    stack = things.make_stack()
    res = stack.stored('r')
    scheduler.TaskRunner(res.adopt, {
        'resource_id': 'old', 'resource_data': {'k': 'v'},
        'metadata': {'m': 1}})()
    row = stack.row('r')
    assert (row.action, row.physical_resource_id) == ('ADOPT', 'old')
    again = stack.reload('r')
    assert again.data() == {'k': 'v'}
    assert again.metadata_get() == {'m': 1}
    abandoned = again.prepare_abandon()
    assert abandoned == {
        'name': 'r', 'resource_id': 'old', 'type': 'T::Thing',
        'action': 'ADOPT', 'status': 'COMPLETE', 'metadata': {'m': 1},
        'resource_data': {'k': 'v'}}


def test_adopt_needs_an_id():
    stack = things.make_stack()
    with pytest.raises(exception.ResourceFailure, match='ID'):
        scheduler.TaskRunner(stack.stored('r').adopt, {})()


def test_data():
    stack = things.make_stack()
    res = things.created(stack)
    res.data_set('open', 'a')
    res.data_set('secret', 'b', redact=True)
    res.data_set('open', 'c')
    assert stack.reload('r').data() == {'open': 'c', 'secret': 'b'}
    assert res.data_delete('open') is True
    assert res.data_delete('open') is False
    assert stack.reload('r').data() == {'secret': 'b'}


def test_data_of_a_resource_without_row():
    with pytest.raises(exception.ResourceNotAvailable):
        things.make_stack()['r'].data_set('k', 'v')


def test_metadata():
    stack = things.make_stack(metadata={'a': 1})
    with pytest.raises(exception.ResourceNotAvailable):
        stack['r'].metadata_set({})
    res = things.created(stack)
    other = stack.reload('r')
    other.metadata_set({'b': 2})
    assert res.metadata_get() == {'a': 1}
    assert res.metadata_get(refresh=True) == {'b': 2}
    res.metadata_set({'c': 3}, merge_metadata=lambda new, old: {**old, **new})
    assert stack.reload('r').metadata_get() == {'b': 2, 'c': 3}


def test_metadata_of_a_row_that_is_gone():
    stack = things.make_stack(metadata={'a': 1})
    res = things.created(stack)
    resource_objects.Resource.delete(stack.context, res.id)
    with pytest.raises(exception.NotFound, match=str(res.id)):
        res.metadata_get(refresh=True)
    with pytest.raises(exception.NotFound, match=str(res.id)):
        res.metadata_change(lambda stored: {'b': 2})
    assert res.metadata_get() == {'a': 1}


def test_metadata_are_changed_by_one_of_two():
    stack = things.make_stack(metadata={'turn': 0})
    res = things.created(stack)
    other = stack.reload('r')

    def count(stored):
        return {'turn': stored['turn'] + 1}

    def count_after_another(stored):
        assert values.metadata_change(other, count)
        return {'turn': -1}

    assert not values.metadata_change(res, count_after_another)
    assert values.metadata_change(res, count)
    assert res.metadata_get() == {'turn': 2}


def test_metadata_of_a_row_that_is_worked_on_stay():
    stack = things.make_stack(metadata={'a': 1})
    res = things.created(stack)
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'engine_id': 'other'})
    assert not values.metadata_change(res, lambda stored: {})
    assert stack.row('r').rsrc_metadata == {'a': 1}


def test_rows_that_replace_one_another():
    stack = things.make_stack({name: {'type': 'T::Thing'}
                               for name in 'abc'})
    rows = [things.created(stack, name) for name in 'abc']
    for old, new in zip(rows, rows[1:], strict=False):
        resource_objects.Resource.update_by_id(
            stack.context, old.id, {'replaced_by': new.id})
        resource_objects.Resource.update_by_id(
            stack.context, new.id, {'replaces': old.id})
    rows[1].data_set('k', 'v')
    a, c = stack.reload('a'), stack.reload('c')
    assert values.replacement_of(a) == ('phys', {'k': 'v'})
    assert values.replacement_of(c) == (None, {})
    assert [row.name for row in values.replacements(
        stack.context, a.replaced_by)] == ['b', 'c']
    replaced = list(values.replaced_rows(c))
    assert [row.name for row in replaced] == ['b', 'a']
    assert replaced[0].data == {'k': 'v'}
    # One in between is gone.
    resource_objects.Resource.delete(stack.context, rows[1].id)
    assert list(values.replaced_rows(c)) == []
    assert list(values.replacements(stack.context, rows[1].id)) == []


def test_stored_properties_are_others():
    stack = things.make_stack(props={'size': 1})
    res = things.created(stack)
    values.update_stored_properties(res, {'size': 2})
    assert stack.row('r').properties == {'size': 2}
    assert res.row_state.properties == {'size': 2}
    values.update_stored_properties(res, {})
    assert stack.row('r').properties is None
    unstored = stack.reload('r')
    unstored.id = None
    values.update_stored_properties(unstored, {'size': 3})
    assert stack.row('r').properties is None


def test_id_in_the_cloud_is_refused_when_the_row_is_not_ours():
    stack = things.make_stack()
    res = things.created(stack)
    res.row_state.hold(claim.RowClaim('me'))
    resource_objects.Resource.update_by_id(stack.context, res.id,
                                           {'engine_id': 'other'})
    with pytest.raises(claim.ClaimLost):
        values.physical_id_set(res, 'another')
    assert stack.row('r').physical_resource_id == 'phys'


def test_data_are_read_once_until_they_are_forgotten():
    stack = things.make_stack()
    res = things.created(stack)
    assert res.data() == {}
    stack.reload('r').data_set('k', 'v')
    assert res.data() == {}
    values.data_forget(res)
    assert res.data() == {'k': 'v'}


def test_data_of_what_has_no_row_can_be_removed():
    assert values.data_delete(things.make_stack()['r'], 'k') is False
