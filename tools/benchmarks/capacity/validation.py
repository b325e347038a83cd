"""Run the real service at a low rate, beside the simulation of the same."""
import dataclasses
import threading
import time

from tools.benchmarks import measuring
from tools.benchmarks.capacity import model
from tools.benchmarks.capacity import real
from tools.benchmarks.capacity import service_times

#: What is compared: names, and how to write them.
HEADER = ['engines', 'what', 'measured', 'simulated', 'error %']
#: The largest error that counts as agreement.
LIMIT = 0.15
#: The machine that it runs on.
CORES = 2
#: How many resources are simulated: chance evens out.
RESOURCES = 60_000


@dataclasses.dataclass(frozen=True)
class Figures:
    """What a run showed; processors in seconds for each second.

    :ivar rate: resources in a second
    :ivar seconds: of an operation
    """

    rate: float
    seconds: float
    engine: float
    api: float
    database: float


class _Client(threading.Thread):
    """Creates and deletes stacks, with pauses."""

    def __init__(self, site, name, load, begin, end):
        super().__init__(name=name, daemon=True)
        self._site, self._load = site, load
        self._begin, self._end = begin, end
        #: (seconds, resources) of each operation.
        self.ended = []
        self.looks = self.done = 0
        self.error = None

    def run(self):
        try:
            time.sleep(max(0.0, self._begin - time.monotonic()))
            number = 0
            while time.monotonic() < self._end:
                self._cycle(f'{self.name}-{number}')
                number += 1
        except BaseException as error:  # noqa: BLE001 (raised in measured())
            self.error = error

    def _cycle(self, name):
        load, stack_id = self._load, None
        shape = service_times.SHAPES[load.shape]
        for operation in ('create', 'delete'):
            watch = _Watch(self._site, name, load.look)
            began = time.monotonic()
            stack_id = measuring.perform(
                self._site, watch, name, shape, load.size, operation,
                stack_id)
            ended = time.monotonic()
            self.looks += watch.looks
            self.done += load.size
            if ended < self._end:
                self.ended.append((ended - began, load.size))
            time.sleep(load.think)


class _Watch(measuring.Watch):
    """Looks at regular times, as the clients of the model do."""

    def __init__(self, site, name, pause):
        super().__init__(site, name)
        self._pause = pause

    def look(self):
        time.sleep(self._pause)
        return super().look()


def measured(engines, load, seconds):
    """Return the Figures of the real service, and what else was seen.

    That is what replaces service times, and the stretch of the machine.
    """
    with real.running(engines) as site:
        measuring.warm_up(site, ('flat',))
        # It is there all the time, so that the meter takes it off.
        with real.Probe(site) as probe:
            meter = service_times.Meter(site)
            before, now = meter.read(), time.monotonic()
            clients = _clients(site, engines, load, now, seconds)
            passed = time.monotonic() - now
            spent = meter.spent(before, passed,
                                sum(client.looks for client in clients))
        ended = [one for client in clients for one in client.ended]
    rate = sum(size for _took, size in ended) / seconds
    # Clients do not end together: what they spend is counted by resource.
    part = rate / sum(client.done for client in clients)
    seen = {**probe.found(), 'look': meter.look}
    return Figures(
        rate, sum(took for took, _size in ended) / len(ended),
        spent['engine'] * part / engines, spent['api'] * part,
        spent['database'] * part), seen, probe.stretch()


def _clients(site, engines, load, now, seconds):
    """Return the clients after they have worked for some seconds."""
    number = load.clients * engines
    # They do not all begin at once.
    clients = [_Client(site, f'c{one}', load,
                       now + one * load.think / number, now + seconds)
               for one in range(number)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
        if client.error is not None:
            raise client.error
    return clients


def simulated(costs, engines, load, seen, stretch):
    """Return the Figures of the simulation.

    :param seen: times of statements, commits, messages and looks in the real
        run; what operations consist of is taken from the Costs
    """
    costs = dataclasses.replace(costs, **seen)
    # Who else wants the processors, our own processes among them, is in the
    # stretch.
    site = model.Site(engines, database_cores=CORES, stretch=stretch)
    found = model.simulate(costs, site, load, resources=RESOURCES)
    spent = {part: sum(costs.of(load.shape, name, load.size)[part]
                       for name in ('create', 'delete')) / 2 / load.size
             for part in model.PARTS}
    return Figures(found.rate, found.seconds,
                   found.rate * spent['engine'] / engines,
                   found.rate * spent['api'], found.rate * spent['database'])


def lines(engines, real_one, simulated_one):
    """Return the lines of the table, and the largest error."""
    rows, worst = [], 0.0
    for field in dataclasses.fields(Figures):
        there, here = (getattr(one, field.name)
                       for one in (real_one, simulated_one))
        error = here / there - 1 if there else 0.0
        worst = max(worst, abs(error))
        rows.append([engines, _NAMES[field.name], f'{there:.3f}',
                     f'{here:.3f}', f'{100 * error:+.0f}'])
    return rows, worst


_NAMES = {'rate': 'resources a second', 'seconds': 'seconds of an operation',
          'engine': 'processor of an engine', 'api': 'processor of the API',
          'database': 'processors of the database'}
