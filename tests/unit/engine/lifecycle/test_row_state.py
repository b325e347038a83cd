"""What a process knows of a row, as reads and writes change it."""
import types

import pytest

from heat.engine.lifecycle import claim as resource_claim
from heat.engine.lifecycle import row_state

ROW = types.SimpleNamespace(
    action='CREATE', status='COMPLETE', engine_id='engine', atomic_key=3,
    data={'key': 'text'}, rsrc_metadata={'some': 'metadata'},
    properties={'a': 'x'}, rsrc_prop_data_id=4, attr_data_id=5)


@pytest.fixture
def known():
    return row_state.RowState(('INIT', 'COMPLETE'))


def unexpected():
    pytest.fail('The data are read a second time')


def test_row_that_is_read_is_known(known):
    known.load(ROW)
    assert known.state == ('CREATE', 'COMPLETE')
    assert (known.engine_id, known.atomic_key) == ('engine', 3)
    assert known.read_data(unexpected) == {'key': 'text'}
    assert (known.properties, known.properties_id) == ({'a': 'x'}, 4)
    assert known.attributes_id == 5
    assert known.metadata == {'some': 'metadata'}


@pytest.mark.parametrize(('claim', 'key'), [
    (resource_claim.RowClaim('me'), 4), (resource_claim.StackOwned(), 3)])
def test_counter_follows_the_kind_of_claim(known, claim, key):
    known.load(ROW)
    known.count_write(claim)
    assert known.atomic_key == key


def test_first_swap_of_a_row_counts_from_nothing(known):
    known.count_swap(None)
    assert known.atomic_key == 1


def test_values_are_kept_until_the_outcome_is_written(known):
    known.start_without_data()
    known.defer()
    assert known.put_datum('key', 'text', True)
    assert known.defer_physical_id()
    assert known.pending == row_state.Pending(
        physical_id=True, data={'key': ('text', True)}, first_data=True)
    known.end_deferral()
    assert not known.put_datum('key', 'other', True)
    assert not known.defer_physical_id()
    assert known.read_data(unexpected) == {'key': 'other'}


def test_data_that_are_read_include_those_not_yet_written(known):
    known.defer()
    assert known.put_datum('new', 'text', False)
    stored = {'old': 'text'}
    assert known.read_data(lambda: stored) == {'old': 'text', 'new': 'text'}
    assert stored == {'old': 'text'}


def test_removed_value_is_not_written_with_the_outcome(known):
    known.start_without_data()
    known.defer()
    known.put_datum('key', 'text', False)
    known.drop_datum('key')
    assert known.pending.data == {}
    assert known.read_data(unexpected) == {}


def test_forgotten_data_are_read_again(known):
    known.load(ROW)
    known.forget_data()
    assert known.read_data(lambda: {'key': 'later'}) == {'key': 'later'}


def test_copy_is_another_object(known):
    known.load(ROW)
    other = known.copy()
    other.publish(('UPDATE', 'COMPLETE'), 6, 7)
    assert known.state == ('CREATE', 'COMPLETE')
    assert (other.properties_id, other.attributes_id) == (6, 7)


class Beginning:
    """What begins with an action, and counts how often it is discarded."""

    discarded = 0

    def discard(self):
        self.discarded += 1


def test_what_does_not_begin_is_discarded_once():
    known = row_state.RowState(('INIT', 'COMPLETE'))
    known.discard_beginnings()
    known.defer()
    one = Beginning()
    known.pending.beginnings.append(one)
    known.discard_beginnings()
    known.discard_beginnings()
    assert known.pending.beginnings == []
    assert one.discarded == 1
