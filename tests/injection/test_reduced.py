"""Some points of every life cycle, driver, layer and class of error.

All of them: python -m tests.injection --exhaustive.
"""
import pytest

from tests.injection import campaign
from tests.injection import cycles
from tests.injection import episode

#: Episodes of each class of error, in each life cycle, under each driver.
_EPISODES = 2
#: Tests that share those of a life cycle.
_PARTS = 6
_SEED = 18


@pytest.mark.parametrize('part', range(_PARTS))
@pytest.mark.parametrize('cycle', cycles.CYCLES)
@pytest.mark.parametrize('driver', campaign.DRIVERS)
def test_cycle_ends_well_whatever_fails(driver, cycle, part):
    points = campaign.sample_each(
        _EPISODES, _SEED, cycle_names=[cycle], drivers=[driver])
    failures = []
    for series, k in points[part::_PARTS]:
        _reached, _counts, wrong = series.play(k)
        if wrong is not None:
            failures.append('python -m tests.injection --episode %s %s %s\n%s'
                            % (driver, cycle, series.fault(k), wrong))
    assert not failures, '\n'.join(failures)


def test_each_class_of_error_has_its_turn():
    episode.prepare()
    everything = campaign.all_series(['nested-update'], ['convergence'])
    played = [(series, series.play(1)) for series in everything]
    # Not each cycle calls a cloud, or logs; each one uses the database.
    database = ('statement', 'commit')
    assert [series for series, (reached, _counts, _wrong) in played
            if reached and series.layer in database] == [
                series for series in everything if series.layer in database]
    assert not [wrong for _series, (*_more, wrong) in played
                if wrong is not None]
