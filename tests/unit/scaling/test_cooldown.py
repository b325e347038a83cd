import datetime

import pytest

from heat.common import timeutils
from heat.engine import background_work
from heat.engine import resource
from heat.scaling import cooldown


class Group(cooldown.CooldownMixin):
    name = 'group'
    context = None
    busy = False

    def __init__(self, **stored):
        self.stored = stored

    def is_scaling(self):
        return self.busy

    def metadata_get(self, refresh=False):
        return self.stored

    def metadata_set(self, metadata, merge_metadata=None):
        self.stored = (metadata if merge_metadata is None
                       else merge_metadata(metadata, self.stored))

    def metadata_change(self, change):
        self.stored = change(dict(self.stored))
        return True


@pytest.fixture
def now(monkeypatch):
    moment = [datetime.datetime(2026, 1, 1)]
    monkeypatch.setattr(timeutils, 'utcnow', lambda: moment[0])
    return moment


def pass_time(now, seconds):
    now[0] += datetime.timedelta(seconds=seconds)


def assert_refused(group, cooldown=60, why='due to'):
    with pytest.raises(resource.NoActionRequired, match=why):
        group._check_scaling_allowed(cooldown)


def is_scaling(group):
    return group.stored['scaling_in_progress']


def test_scaling_excludes_scaling(now):
    group = Group()
    group._check_scaling_allowed(60)
    assert_refused(group, why='scaling activity')
    group._finished_scaling(60, 'done', size_changed=False)
    group._check_scaling_allowed(60)


def test_pause_after_scaling(now):
    group = Group()
    group._check_scaling_allowed(60)
    group._finished_scaling(60, 'done')
    assert group.stored == {
        'scaling_in_progress': False,
        'cooldown_end': {'2026-01-01T00:01:00Z': 'done'}}
    assert_refused(group, why='cooldown')
    pass_time(now, 61)
    group._check_scaling_allowed(60)


def test_no_pause_wished(now):
    group = Group()
    group._check_scaling_allowed(0)
    group._finished_scaling(0, 'done')
    assert is_scaling(group) is False
    group._check_scaling_allowed(0)
    assert is_scaling(group) is True
    group._finished_scaling(None, 'done')
    group._check_scaling_allowed(None)
    assert is_scaling(group) is True


def test_longer_pause_of_another_policy_is_kept(now):
    group = Group()
    group._finished_scaling(600, 'long')
    group._finished_scaling(6, 'short')
    pass_time(now, 60)
    assert_refused(group, 6)


@pytest.mark.parametrize('stored', [
    {'cooldown': {'2026-01-01T00:00:00Z': 'x'}},
    {'cooldown': {'2026-01-01T00:00:00.000000': 'x'},
     'scaling_in_progress': False},
    {'2026-01-01T00:00:00Z': 'x'},
    {'2026-01-01T00:00:00Z': 'x', 'scaling_in_progress': False}])
def test_pauses_of_earlier_releases(now, stored):
    group = Group(**stored)
    pass_time(now, 30)
    assert_refused(group)
    pass_time(now, 31)
    group._check_scaling_allowed(60)


def test_metadata_of_the_template_is_no_pause(now):
    group = Group(color='red')
    group._check_scaling_allowed(60)
    assert is_scaling(group) is True


def test_interrupted_scaling_does_not_bar_the_next_for_ever(now):
    group = Group()
    group._check_scaling_allowed(0)
    group.busy = True
    pass_time(now, 3600)
    assert_refused(group, 0, 'scaling activity')
    group.busy = False
    group._check_scaling_allowed(0)


@pytest.fixture
def engines(monkeypatch):
    """Return the ids of engines that are there; the first one is ours."""
    there = ['mine']
    monkeypatch.setattr(background_work, 'engine_id', lambda: there[0])
    monkeypatch.setattr(background_work, 'is_attended',
                        lambda _context, engine_id: engine_id in there)
    return there


def test_scaling_of_an_engine_that_is_gone_does_not_bar_the_next(
        now, engines):
    group = Group()
    assert group._check_scaling_allowed(0, {'after': 2}) is None
    engines.insert(0, 'other')
    assert_refused(group, 0, 'scaling activity')
    engines.remove('mine')
    # What has not been told of is known to the next.
    assert group._check_scaling_allowed(0, {'after': 3}) == {'after': 2}
    assert_refused(group, 0, 'scaling activity')


def test_scaling_is_taken_over_from_an_engine_that_is_gone(now, engines):
    group = Group()
    group._check_scaling_allowed(0, {'after': 2})
    engines.insert(0, 'other')
    assert not group._take_over_scaling({'after': 2})
    engines.remove('mine')
    assert not group._take_over_scaling({'after': 3})
    pass_time(now, 30)
    assert group._take_over_scaling({'after': 2})
    assert not group._take_over_scaling({'after': 2})
    pass_time(now, 40)
    assert_refused(group, 0, 'scaling activity')
    assert group._finished_scaling(0, 'done', scaling={'after': 2})
    assert not group._take_over_scaling({'after': 2})


def test_marked_as_well_means_nothing_goes_on(now):
    group = Group()
    group._check_scaling_allowed(0)
    assert is_scaling(group) is True
    group.handle_metadata_reset()
    assert is_scaling(group) is False
    group._check_scaling_allowed(0)
    assert is_scaling(group) is True


def test_loser_of_a_race_does_nothing(now):
    group = Group()
    group.metadata_change = lambda change: False
    assert_refused(group)


def test_the_end_of_scaling_is_noted_once(now):
    group = Group()
    group._check_scaling_allowed(60, {'after': 2})
    assert group._finished_scaling(60, 'done', scaling={'after': 2})
    noted = group.stored
    pass_time(now, 1)
    assert not group._finished_scaling(60, 'again', scaling={'after': 2})
    assert group.stored == noted


def test_the_end_is_told_by_who_began_when_the_group_is_gone(now):
    group = Group()
    scaling = {'adjustment': 1}
    group._check_scaling_allowed(60, scaling)
    group.stored = {}
    assert not group._finished_scaling(60, 'done', False, scaling)
    group.stored = {}
    assert group._finished_scaling(60, 'done', False, scaling,
                                   began_here=True)
    # Somebody else has ended it since, which leaves a note.
    assert not group._finished_scaling(60, 'done', False, scaling,
                                       began_here=True)
