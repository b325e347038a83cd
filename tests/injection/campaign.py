"""Many episodes: every life cycle, every class of error, every call."""
import collections
import dataclasses
import functools
import logging
import multiprocessing
import random

from tests.injection import cycles
from tests.injection import episode
from tests.injection import errors
from tests.injection import points

DRIVERS = {'convergence': True, 'legacy': False}
#: Calls beyond those of a cycle that is not disturbed: it is done again.
_MORE = 400


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """The same error at the first, the second, the third ... call."""

    driver: str
    cycle: str
    layer: str
    moment: str
    name: str
    lasts: int

    def fault(self, k):
        """Return the fault at the k-th call."""
        return points.Fault(self.layer, self.moment, self.name, k,
                            self.lasts)

    def play(self, k):
        """Play an episode; return what episode.try_to_play() does."""
        # All that is drawn depends on the point alone.
        return episode.try_to_play(
            self.cycle, self.fault(k),
            convergence=DRIVERS[self.driver], seed=k)


@dataclasses.dataclass(slots=True)
class Outcome:
    """What has become of a series, or a part of it.

    :ivar failures: (number of the call, what is wrong)
    """

    series: Series
    episodes: int = 0
    failures: list = dataclasses.field(default_factory=list)

    def play(self, k):
        """Play an episode more; return whether the call was reached."""
        reached, _counts, wrong = self.series.play(k)
        self.episodes += bool(reached)
        if wrong is not None:
            self.failures.append((k, wrong))
        return reached


def all_series(cycle_names=None, drivers=None, layers=None, names=None):
    """Return all series there are, perhaps some of them only."""
    return [
        Series(driver, cycle, layer, moment, name, lasts)
        for driver in drivers or DRIVERS
        for cycle in cycle_names or cycles.CYCLES
        for (layer, moment), kinds in _errors_of(cycle)
        if not layers or layer in layers
        for name, kind in kinds.items() if not names or name in names
        for lasts in kind.lasts]


def _errors_of(cycle):
    """Return ((layer, moment), {name: Kind}) of what a cycle is tried with.
    """
    deaths = {}
    if cycle in cycles.DEADLY:
        deaths = (errors.DEATHS_ASIDE if cycles.CYCLES[cycle].is_aside
                  else errors.DEATHS)
    return [*errors.TABLE.items(), *deaths.items()]


def play_whole(series):
    """Play a series to its end: the call that is never made."""
    outcome = Outcome(series)
    for k in range(1, _MORE):
        if not outcome.play(k):
            break
    return outcome


def play_one(point):
    """Play one episode of a series; return the Outcome."""
    series, k = point
    outcome = Outcome(series)
    outcome.play(k)
    return outcome


def prepare():
    """Prepare a process to play many episodes, whose logs nobody reads."""
    logging.getLogger('heat').propagate = False
    episode.prepare()


def run(play, things, jobs):
    """Yield the outcomes of series or points, several at a time.

    :param play: play_whole or play_one
    """
    prepare()
    if jobs == 1:
        yield from map(play, things)
        return
    with multiprocessing.get_context('spawn').Pool(
            jobs, prepare, maxtasksperchild=400) as pool:
        yield from pool.imap_unordered(play, things)


@functools.cache
def counts(driver, cycle):
    """Return how many calls of each layer an undisturbed cycle makes."""
    _reached, found = episode.play(cycle, convergence=DRIVERS[driver])
    return found


def points_of(series):
    """Return (series, k) for each call of an undisturbed cycle."""
    key = ((series.layer, 'writes') if series.fault(1).kind.writes_only
           else series.layer)
    highest = counts(series.driver, series.cycle)[key]
    return [(series, k) for k in range(1, highest + 1)]


def sample(number, seed, part=0, parts=1, **some):
    """Return (series, k) pairs, drawn from all there are by a seed.

    :param number: how many there are in all parts
    :param some: see all_series()
    """
    episode.prepare()
    dice = random.Random(seed)
    everything = [point for series in all_series(**some)
                  for point in points_of(series)]
    chosen = dice.sample(everything, min(number, len(everything)))
    return chosen[part::parts]


def sample_each(number, seed, **some):
    """Return up to so many (series, k) pairs of each series.

    :param some: see all_series()
    """
    episode.prepare()
    chosen = []
    for series in all_series(**some):
        dice = random.Random('%d %r' % (seed, series))
        there = points_of(series)
        chosen += dice.sample(there, min(number, len(there)))
    return chosen


class Table:
    """Counts episodes and failures by driver and layer."""

    def __init__(self):
        self._rows = collections.Counter()

    def add(self, outcome):
        """Count an outcome."""
        series = outcome.series
        for key in ((series.driver, series.layer, series.moment),
                    (series.driver, 'all', '')):
            self._rows[(*key, 'points')] = max(
                self._rows[(*key, 'points')], 0)
            self._rows[(*key, 'series')] += 1
            self._rows[(*key, 'episodes')] += outcome.episodes
            self._rows[(*key, 'failures')] += len(outcome.failures)

    def __str__(self):
        keys = sorted({key[:3] for key in self._rows})
        lines = ['%-12s %-10s %-7s %8s %9s %9s' % (
            'driver', 'layer', 'moment', 'series', 'episodes', 'failures')]
        lines += ['%-12s %-10s %-7s %8d %9d %9d' % (*key, *(
            self._rows[(*key, what)] for what in (
                'series', 'episodes', 'failures'))) for key in keys]
        return '\n'.join(lines)
