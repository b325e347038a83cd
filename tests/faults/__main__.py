"""Run episodes of faults, and print a table of them.

    python -m tests.faults                      all
    python -m tests.faults --database mysql --fault 'rows locked'
    python -m tests.faults --list

It ends with 1 if anything is wrong with any episode.
"""
import argparse
from concurrent import futures
import os
import pathlib
import random
import signal
import sys
import time
import traceback

from tests.faults import broker_faults
from tests.faults import catalogue
from tests.faults import cloud_faults
from tests.faults import database_faults
from tests.faults import databases
from tests.faults import process_faults
from tests.faults import rounds
from tests.faults import site as site_module
from tests.faults import storms
from tests.faults import table

#: Modules that the list of faults is made of.
MODULES = (database_faults, broker_faults, process_faults, cloud_faults)
_STORMS = {'rolling restart': storms.rolling_restart,
           'very many stacks': storms.many}


def _arguments():
    parser = argparse.ArgumentParser(
        prog='python -m tests.faults', description=__doc__.split('\n')[0])
    parser.add_argument('--database', action='append',
                        choices=list(site_module.DATABASES))
    parser.add_argument('--driver', action='append',
                        choices=site_module.DRIVERS)
    parser.add_argument('--fault', action='append', metavar='NAME')
    parser.add_argument('--seed', type=int, default=int(time.time()) % 10000)
    parser.add_argument('--repeat', type=int, default=1, metavar='TIMES')
    parser.add_argument('--everywhere', action='store_true',
                        help='each fault with each database it is for')
    parser.add_argument('--logs', type=pathlib.Path, metavar='DIRECTORY',
                        help='where to keep the logs of what goes wrong')
    parser.add_argument('--at-once', type=int, default=2, metavar='SITES',
                        help='how many databases to work with at a time')
    parser.add_argument('--list', action='store_true')
    return parser.parse_args()


def _plan(arguments):
    """Return {kind of database: names of faults, in their order}."""
    names = [*catalogue.FAULTS, *_STORMS]
    unknown = set(arguments.fault or ()) - set(names)
    if unknown:
        sys.exit(f'no such fault: {", ".join(sorted(unknown))}')
    plan = {kind: [] for kind in arguments.database or
            site_module.DATABASES}
    turn = arguments.seed
    for name in arguments.fault or names:
        fault = catalogue.FAULTS.get(name)
        kinds = [kind for kind in (fault.databases if fault else
                                   ('mysql', 'postgresql')) if kind in plan]
        everywhere = arguments.everywhere or (fault and fault.everywhere)
        if kinds and not everywhere:
            turn += 1
            kinds = [kinds[turn % len(kinds)]]
        for kind in kinds:
            plan[kind] += [name] * arguments.repeat
    return {kind: names for kind, names in plan.items() if names}


def _say(text):
    print(f'{time.strftime("%H:%M:%S")} {text}', flush=True)


class Run:
    """All episodes of one start of the command."""

    def __init__(self, arguments):
        self._arguments = arguments
        self.episodes = []
        self._number = self._total = 0
        self._sites = set()
        self._is_over = False

    def go(self):
        """Run everything that is planned."""
        plan = _plan(self._arguments)
        self._total = sum(map(len, plan.values()))
        if 'galera' in plan and not databases.Galera.is_available():
            _say('Galera is not installed')
            del plan['galera']
        with futures.ThreadPoolExecutor(self._arguments.at_once) as pool:
            for each in [pool.submit(self._at, kind, names)
                         for kind, names in plan.items()]:
                each.result()

    def abandon(self):
        """End all servers, whatever is going on."""
        self._is_over = True
        for site in list(self._sites):
            site.remove()

    def _at(self, kind, names):
        """Run faults at one site."""
        story = None
        for name in names:
            if self._is_over:
                break
            self._number += 1
            if story is None:
                story = self._start(kind)
            if story is not None and not self._try(story, name):
                # Nobody knows what the servers are up to.
                self._end(story.site)
                story = None
        if story is not None:
            self._end(story.site)

    def _start(self, kind):
        """Return the Story of a new site, None if it does not start."""
        _say(f'starting {kind}')
        site = None
        try:
            site = site_module.Site(
                kind, self._arguments.driver or site_module.DRIVERS,
                self._arguments.seed)
            self._sites.add(site)
            site.start()
        # The other sites may do better.
        except Exception as error:  # noqa: BLE001
            traceback.print_exc()
            print(getattr(error, 'stderr', ''))
            self.episodes.append(rounds.Episode(
                'start', 'both', kind, 'all', self._arguments.seed,
                'broken'))
            if site is not None:
                self._end(site)
            return None
        return rounds.Story(site, self._arguments.seed)

    def _end(self, site):
        self._sites.discard(site)
        site.remove()

    def _try(self, story, name):
        """Run one fault; return whether it could be brought about."""
        number, began = self._number, time.monotonic()
        site = story.site
        try:
            episodes = self._episodes(site, story, name)
        # A fault that cannot be brought about is no end of the run.
        except Exception:  # noqa: BLE001
            traceback.print_exc()
            episodes = [rounds.Episode(
                name, driver, site.kind, 'all', self._arguments.seed,
                'broken') for driver in site_module.DRIVERS]
        self._note(site, name, episodes)
        _say(f'{number}/{self._total} {name} ({site.kind}): '
             f'{sum(each.is_good for each in episodes)} of '
             f'{len(episodes)} well in {time.monotonic() - began:.0f} s')
        return all(each.outcome != 'broken' for each in episodes)

    def _episodes(self, site, story, name):
        if name in _STORMS:
            return [_STORMS[name](service, site.kind, self._arguments.seed)
                    for service in site.services]
        return story.round(catalogue.FAULTS[name])

    def _note(self, site, name, episodes):
        self.episodes += episodes
        bad = [each for each in episodes if not each.is_good]
        for episode in bad:
            _say('  ' + table.line(episode))
        if bad and self._arguments.logs:
            site.keep_logs(self._arguments.logs /
                           f'{site.kind}-{name.replace(" ", "-")}')


def main():
    """Return the exit code of the command."""
    arguments = _arguments()
    if arguments.list:
        for kind, names in _plan(arguments).items():
            print(kind, *names, sep='\n    ')
        return 0
    random.seed(arguments.seed)
    _say(f'seed {arguments.seed}')
    run = Run(arguments)

    def stop(_number, _frame):
        # Servers and file systems must not outlive the command. Threads that
        # wait for them do not end soon.
        run.abandon()
        _print_table(run.episodes)
        os._exit(1)

    for number in signal.SIGTERM, signal.SIGINT:
        signal.signal(number, stop)
    run.go()
    _print_table(run.episodes)
    return int(not all(each.is_good for each in run.episodes))


def _print_table(episodes):
    print('\n'.join(map(table.line, episodes)))
    print('\n'.join(table.summary(episodes)), flush=True)


if __name__ == '__main__':
    for name in [each for each in os.environ if each.startswith('OS_')]:
        del os.environ[name]
    sys.exit(main())
