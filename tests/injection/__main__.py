"""Inject every class of error at every call of every life cycle.

  python -m tests.injection --exhaustive
  python -m tests.injection --cycle update --driver legacy --layer commit
  python -m tests.injection --episode legacy update statement:before:lost:7:0
"""
import argparse
import contextlib
import logging
import os
import signal
import sys
import time

from tests.injection import campaign
from tests.injection import cycles
from tests.injection import episode
from tests.injection import errors
from tests.injection import points

#: Seconds between two lines that say how far it is.
EVERY = 60


def _parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--exhaustive', action='store_true',
                        help='all there is, whatever else is said')
    parser.add_argument('--cycle', action='append', choices=cycles.CYCLES)
    parser.add_argument('--driver', action='append',
                        choices=campaign.DRIVERS)
    parser.add_argument('--layer', action='append',
                        choices=sorted({key[0] for key in errors.TABLE}))
    parser.add_argument('--error', action='append')
    parser.add_argument('--sample', type=int,
                        help='draw so many points instead of taking all')
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--show', type=int, default=3,
                        help='of how many failures all is shown')
    parser.add_argument('--episode', nargs=3,
                        metavar=('DRIVER', 'CYCLE', 'FAULT'),
                        help='play one that has failed')
    return parser


def _play_one(driver, cycle, text):
    fault = points.Fault.from_text(text)
    logging.basicConfig(level=logging.DEBUG)
    episode.prepare()
    print(episode.play(cycle, fault, seed=fault.k,
                       convergence=campaign.DRIVERS[driver]))


def _run(options):
    table, shown, began = campaign.Table(), 0, time.monotonic()
    said, played = began, 0
    some = {} if options.exhaustive else {
        'cycle_names': options.cycle, 'drivers': options.driver,
        'layers': options.layer, 'names': options.error}
    failed = False
    if options.sample:
        plan = campaign.play_one, campaign.sample(
            options.sample, options.seed, **some)
    else:
        plan = campaign.play_whole, campaign.all_series(**some)
    with contextlib.suppress(KeyboardInterrupt):
        # What was played until then is counted.
        for outcome in campaign.run(*plan, options.jobs):
            table.add(outcome)
            played += outcome.episodes
            if time.monotonic() - said >= EVERY:
                said = time.monotonic()
                print('%d s: %d episodes' % (said - began, played),
                      file=sys.stderr, flush=True)
            series = outcome.series
            for k, wrong in outcome.failures:
                failed = True
                print('FAILED %s %s %s: %s' % (
                    series.driver, series.cycle, series.fault(k),
                    wrong.strip().splitlines()[-1][:200]), flush=True)
                if shown < options.show:
                    shown += 1
                    print(wrong)
    print(table)
    print('%d s' % (time.monotonic() - began))
    return int(failed)


def main():
    """Run what is asked for; return 1 if something is wrong."""
    options = _parser().parse_args()
    if options.episode:
        return _play_one(*options.episode)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _run(options)


if __name__ == '__main__':
    sys.exit(main())
