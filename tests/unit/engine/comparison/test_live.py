"""Many resources are read by few requests."""
import types

import pytest

from heat.common import exception
from heat.engine.comparison import live


class Cloud:
    """Counts what is asked of it."""

    def __init__(self, number):
        self.things = {f't{index}': types.SimpleNamespace(id=f't{index}')
                       for index in range(number)}
        self.lists = self.shows = self.read = 0
        self.refuses, self.is_proof = False, True

    def list(self):
        self.lists += 1
        if self.refuses:
            raise ValueError('you may not')
        for thing in self.things.values():
            self.read += 1
            yield thing

    def resource(self, its_id):
        def show():
            self.shows += 1
            return self.things[its_id]

        return types.SimpleNamespace(
            resource_id=its_id, drift_data=show, type=lambda: 'Thing',
            name='r', drift_thing_id=lambda: its_id,
            drift_list_is_proof=lambda: self.is_proof,
            drift_listing=lambda: ('thing', self.list),
            drift_data_of=lambda thing, _live: thing)


def test_things_are_read_by_one_list():
    cloud = Cloud(100)
    state = live.LiveState(100)
    for its_id in cloud.things:
        assert state.of(cloud.resource(its_id)).id == its_id
    assert (cloud.lists, cloud.shows) == (1, 0)


def test_few_things_are_read_one_by_one():
    cloud = Cloud(100)
    state = live.LiveState(2)
    assert state.of(cloud.resource('t1')).id == 't1'
    assert (cloud.lists, cloud.shows) == (0, 1)


def test_list_is_read_no_further_than_needed():
    cloud = Cloud(100)
    live.LiveState(50).of(cloud.resource('t3'))
    assert cloud.read == 4


def test_what_is_in_no_list_is_asked_for():
    cloud = Cloud(30)
    with pytest.raises(KeyError):
        live.LiveState(30).of(cloud.resource('gone'))
    assert (cloud.lists, cloud.shows) == (1, 1)


def test_list_that_is_refused_is_asked_for_once():
    cloud = Cloud(30)
    cloud.refuses = True
    state = live.LiveState(30)
    for its_id in cloud.things:
        assert state.of(cloud.resource(its_id)).id == its_id
    assert (cloud.lists, cloud.shows) == (1, 30)
    assert state.all_of('thing', cloud.list) is None


def test_long_list_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(live, '_LONGEST', 10)
    cloud = Cloud(30)
    state = live.LiveState(30)
    assert state.of(cloud.resource('t20')).id == 't20'
    assert (cloud.read, cloud.shows) == (10, 1)
    assert state.all_of('thing', cloud.list) is None


def test_whole_list_is_given():
    cloud = Cloud(30)
    state = live.LiveState(30)
    state.of(cloud.resource('t3'))
    assert len(state.all_of('thing', cloud.list)) == 30
    assert cloud.lists == 1


def doubted(state, cloud, *ids):
    """Look at things, and find that they have drifted."""
    for its_id in ids:
        try:
            state.of(cloud.resource(its_id))
        except exception.EntityNotFound:
            pass
        if state.is_provisional:
            state.doubt()
    state.look_again()


@pytest.mark.parametrize('is_proof', [True, False])
def test_what_seems_to_have_drifted_is_looked_for_in_a_new_list(is_proof):
    cloud = Cloud(30)
    cloud.is_proof = is_proof
    state = live.LiveState(30, twice=True)
    doubted(state, cloud, 'late', 't3', 'gone')
    assert (cloud.lists, cloud.shows) == (1, 0)
    cloud.things['late'] = types.SimpleNamespace(id='late')
    assert state.of(cloud.resource('late')).id == 'late'
    assert state.of(cloud.resource('t3')).id == 't3'
    assert not state.is_provisional
    with pytest.raises(exception.EntityNotFound if is_proof else KeyError):
        state.of(cloud.resource('gone'))
    assert (cloud.lists, cloud.shows) == (2, not is_proof)


def test_one_thing_is_cheaper_than_a_new_list():
    cloud = Cloud(30)
    state = live.LiveState(30, twice=True)
    doubted(state, cloud, 'gone')
    with pytest.raises(KeyError):
        state.of(cloud.resource('gone'))
    assert (cloud.lists, cloud.shows) == (1, 1)


def test_answers_of_the_service_itself_are_not_asked_for_again():
    cloud = Cloud(30)
    cloud.refuses = True
    state = live.LiveState(30, twice=True)
    assert state.of(cloud.resource('t3')).id == 't3'
    assert not state.is_provisional
