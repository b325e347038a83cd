"""How long it takes until what a failure meets is done all the same."""
import os
import signal
import time

from tools.benchmarks import measuring
from tools.benchmarks import shapes
from tools.benchmarks.capacity import model
from tools.benchmarks.capacity import real

HEADER = ['failure', 'engines', 'seconds away', 'until done']
#: Simulated failures, each with other chances.
TIMES = 5
#: The real stacks that a failure meets, and their resources.
STACKS, SIZE = 6, 200
#: Seconds for which a real server is away.
AWAY = 5.0


def simulated(costs, site, size, seconds):
    """Return the lines of simulated failures; seconds is an outage."""
    # Each engine has something to do, and most have room for more.
    load = model.Workload('flat', size, clients=2, think=0.1)

    def run(fail):
        times = sorted(model.until_recovered(
            model.Model(costs, site, load, seed), fail)
            for seed in range(TIMES))
        return times[len(times) // 2]

    lines = [['none', site.engines, '-', run(lambda _model: None)],
             ['an engine', site.engines, '-',
              run(lambda one: one.lose_engine(0))],
             ['database primary', site.engines, f'{seconds:.0f}',
              run(lambda one: one.lose_database(seconds))],
             ['broker', site.engines, f'{seconds:.0f}',
              run(lambda one: one.lose_broker(seconds))]]
    return [[*line[:3], f'{line[3]:.1f}'] for line in lines]


def measured():
    """Return the lines of real failures of two engines on this machine."""
    lines = []
    for name, fail in _FAILURES.items():
        with real.running(2) as site:
            measuring.warm_up(site, ('flat',))
            away = fail is not _nothing and fail is not _engine
            lines.append([name, 2, f'{AWAY:.0f}' if away else '-',
                          f'{_until_done(site, fail):.1f}'])
    return lines


def _until_done(site, fail):
    watches = []
    template, files = shapes.flat(SIZE, changed=False)
    for number in range(STACKS):
        name = f'met-{number}'
        site.request('POST', '/stacks', {
            'stack_name': name, 'template': template, 'files': files,
            'timeout_mins': 60})
        watches.append(measuring.Watch(site, name))
    began = time.monotonic()
    fail(site)
    for watch in watches:
        _wait(watch)
    return time.monotonic() - began


def _wait(watch):
    """Wait until a stack is created; the API may be out of order, too."""
    while True:
        try:
            watch.wait('CREATE')
            return
        except OSError:
            time.sleep(0.5)


def _nothing(_site):
    pass


def _engine(site):
    os.killpg(site.engines[0].pid, signal.SIGKILL)


def _database(site):
    site.server.kill()
    time.sleep(AWAY)
    site.server.start()


def _broker(site):
    site.broker.kill()
    time.sleep(AWAY)
    site.broker.start()


_FAILURES = {'none': _nothing, 'an engine': _engine,
             'database primary': _database, 'broker': _broker}
