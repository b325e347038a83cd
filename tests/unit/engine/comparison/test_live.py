"""Many resources are read by few requests."""
import types

import pytest

from heat.engine.comparison import live


class Cloud:
    """Counts what is asked of it."""

    def __init__(self, number):
        self.things = {f't{index}': types.SimpleNamespace(id=f't{index}')
                       for index in range(number)}
        self.lists = self.shows = self.read = 0
        self.refuses = False

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
            resource_id=its_id, drift_data=show,
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
