"""The service as a network of queues.

An operation on a stack is the work of one engine: it reads and decides in its
processor, and its committer writes what has gathered in one transaction after
the other. API, broker, the processors of the database and its log are shared.
"""
import dataclasses

from tools.benchmarks.capacity import simulation

#: What the parts of an operation cost: seconds of processors, and numbers.
PARTS = ('api', 'engine', 'database', 'broker', 'statements', 'commits',
         'messages')
#: Shapes whose resources wait for each other.
SEQUENTIAL = ('chain',)
#: Longest part of a second that one job keeps a shared processor.
SLICE = 0.005
#: The station that is held while a transaction lasts.
COMMITS = 'engine: commits'
#: The station that serves all who wait together.
LOG = 'database: log'
#: A station that is busy for this part of the time is full.
FULL = 0.9
#: Seconds between two scans of an engine, and how they are spread.
SCAN, JITTER = 5.0, 0.2
#: The scans in which an engine that is gone does not answer, and the seconds
#: for which each waits for an answer.
SILENT_SCANS, ANSWER = 2, 2.0
#: Seconds between two attempts to connect.
RECONNECT = 2.0


@dataclasses.dataclass(frozen=True)
class Costs:
    """Service times in seconds, and the costs of operations.

    :ivar statement: a round trip to the database beside its processor
    :ivar commit: a write of the log
    :ivar message: the way of a message beside the processor of the broker
    :ivar operations: {shape: {operation: {part: (of a stack, of each
        resource)}}}
    :ivar scan: {part: (of a scan, of each stack in progress elsewhere)}
    :ivar look: {part: cost} of a look of a client at its stack
    """

    statement: float
    commit: float
    message: float
    operations: dict
    scan: dict
    look: dict = dataclasses.field(default_factory=dict)

    def of(self, shape, operation, size):
        """Return {part: cost} of an operation on a stack of a size."""
        return {part: fixed + each * size for part, (fixed, each)
                in self.operations[shape][operation].items()}


@dataclasses.dataclass(frozen=True)
class Site:
    """What there is, and how it is configured.

    :ivar shared_cores: all processes share so many; None if each has its own
    :ivar stretch: how much longer the processor takes than its own time
    :ivar nodes: of a Galera cluster; 1 for a single server
    :ivar round_trip: seconds to the farthest node and back
    :ivar certify: seconds that one node checks one write set for
    :ivar apply: part of the processor time of a transaction that it takes to
        apply it on another node
    """

    engines: int = 1
    apis: int = 1
    database_cores: int = 8
    broker_cores: int = 2
    shared_cores: int | None = None
    stretch: float = 1.0
    nodes: int = 1
    round_trip: float = 0.0005
    certify: float = 0.00005
    apply: float = 0.5
    appliers: int = 4
    #: Write sets that may wait to be applied before writers have to.
    flow_control: int = 100


@dataclasses.dataclass(frozen=True)
class Workload:
    """Clients that create stacks, and delete them.

    :ivar clients: for each engine
    :ivar think: seconds between two operations of a client
    :ivar look: seconds between two looks of a client at its stack
    """

    shape: str = 'flat'
    size: int = 100
    clients: int = 4
    think: float = 0.0
    look: float = 0.0


class Engine:
    """A process: one processor, and a thread that commits."""

    def __init__(self, run, number):
        self.number = number
        self.alive = True
        self.cpu = simulation.Station(run, 'engine')
        self.committer = simulation.Station(run, COMMITS)


class Model:
    """A site under a workload."""

    def __init__(self, costs, site, workload, seed=1):
        self.costs, self.site, self.workload = costs, site, workload
        self.run = run = simulation.Simulation(seed)
        self.api = simulation.Station(run, 'API', site.apis)
        self.broker = simulation.Station(run, 'broker', site.broker_cores)
        self.database = simulation.Station(run, 'database: processors',
                                           site.database_cores)
        self.log = simulation.Log(run, LOG, costs.commit)
        self.certification = simulation.Station(run, 'Galera: certification')
        self.appliers = simulation.Station(run, 'Galera: appliers',
                                           site.appliers)
        self.host = (None if site.shared_cores is None else
                     simulation.Station(run, 'host', site.shared_cores))
        self.engines = [Engine(run, number) for number in
                        range(site.engines)]
        self.stacks_in_progress = 0
        #: Those that have begun, by number.
        self.begun = set()
        #: Of operations that have ended: when, how long, how many resources.
        self.ended = []
        self._turn = self._operations = 0
        self._blocked = []

    # -- parts --------------------------------------------------------------

    def _compute(self, station, seconds):
        """A process that needs a processor of a station."""
        if self.host is None:
            yield station.serve(seconds * self.site.stretch)
            return
        yield station.hold()
        began, left = self.run.now, seconds * self.site.stretch
        while left > 0:
            yield self.host.serve(min(SLICE, left))
            left -= SLICE
        station.release(self.run.now - began)

    def _message(self, cost, number):
        yield self.costs.message * min(1, number)
        yield from self._compute(self.broker, cost)

    def _replicate(self, seconds):
        """A process that has a write set accepted by the other nodes."""
        if self.site.nodes == 1:
            return
        yield self.site.round_trip
        yield self.certification.serve(self.site.certify)
        if self.appliers.waiting >= self.site.flow_control:
            yield self._blocked.append
        self.run.start(self._apply(seconds * self.site.apply))

    def _apply(self, seconds):
        yield self.appliers.serve(seconds)
        if self._blocked and (self.appliers.waiting <
                              self.site.flow_control):
            self._blocked.pop(0)()

    def _transaction(self, engine, cost, number):
        """A process that is one of so many transactions of an operation."""
        yield from self._compute(engine.cpu, cost['engine'] / number)
        yield from self._message(cost['broker'] / number,
                                 cost['messages'] / number)
        yield engine.committer.hold()
        began = self.run.now
        yield cost['statements'] / number * self.costs.statement
        yield from self._compute(self.database, cost['database'] / number)
        yield self.log.commit()
        yield from self._replicate(cost['database'] / number)
        engine.committer.release(self.run.now - began)

    def operation(self, name, answered=None):
        """A process that is an operation on one stack.

        :param answered: is called when the request has its answer
        """
        load = self.workload
        cost = self.costs.of(load.shape, name, load.size)
        yield from self._compute(self.api, cost['api'])
        # The request to an engine and its answer.
        yield 2 * self.costs.message
        engine = self._next_engine()
        self.stacks_in_progress += 1
        self._operations += 1
        me = self._operations
        self.begun.add(me)
        # The request is answered when the stack is stored; its resources are
        # seen to afterwards.
        fixed = self.costs.operations[load.shape][name]['engine'][0]
        yield from self._compute(engine.cpu, fixed)
        cost['engine'] -= fixed
        if answered is not None:
            answered()
        number = max(1, round(cost['commits']))
        if load.shape in SEQUENTIAL:
            for _one in range(number):
                yield from self._transaction(engine, cost, number)
        else:
            yield from self._all(self._transaction(engine, cost, number)
                                 for _one in range(number))
        self.stacks_in_progress -= 1
        self.begun.discard(me)

    def _all(self, processes):
        """A process that is over when all others are."""
        processes = list(processes)
        left, waiting = [len(processes)], []

        def one_less():
            left[0] -= 1
            if not left[0] and waiting:
                waiting.pop()()

        for process in processes:
            self.run.start(process, one_less)
        yield waiting.append

    # -- failures -----------------------------------------------------------

    def lose_engine(self, number):
        """Stop an engine; return the seconds until others do its work.

        An engine counts as gone when it has not answered in two scans of
        another one; the next scan takes up what it had not begun.
        """
        engine, chance = self.engines[number], self.run.random
        engine.alive = False
        engine.cpu.close()
        engine.committer.close()
        found = min(chance.uniform(0, SCAN) + sum(
            SCAN * chance.uniform(1 - JITTER, 1) + ANSWER
            for _scan in range(SILENT_SCANS - 1)) + ANSWER
            for other in self.engines if other.alive)
        delay = found + SCAN * chance.uniform(1 - JITTER, 1)
        self.run.at(delay, engine.cpu.open)
        self.run.at(delay, engine.committer.open)
        return delay

    def lose_database(self, seconds):
        """Have no database for some seconds, and until it is noticed."""
        for station in (self.database, self.log):
            station.close()
            self.run.at(seconds + RECONNECT * self.run.random.random(),
                        station.open)

    def lose_broker(self, seconds):
        """Have no broker for some seconds, and until it is noticed."""
        self.broker.close()
        self.run.at(seconds + RECONNECT * self.run.random.random(),
                    self.broker.open)

    def _next_engine(self):
        """Return the next engine in turn, as the broker hands out work."""
        while True:
            self._turn += 1
            engine = self.engines[self._turn % len(self.engines)]
            if engine.alive:
                return engine

    def _client(self):
        load, chance = self.workload, self.run.random
        # They do not all begin at once.
        yield chance.uniform(0, load.think or 0.1)
        while True:
            for name in ('create', 'delete'):
                began = self.run.now
                yield from (self._watched(name) if load.look else
                            self.operation(name))
                self.ended.append((self.run.now, self.run.now - began,
                                   load.size))
                yield load.think

    def _watched(self, name):
        """A process that is an operation, and looks until it has ended."""
        over, seen = [], False
        yield lambda resume: self.run.start(
            self.operation(name, resume), lambda: over.append(True))
        while not seen:
            yield self.workload.look
            seen = bool(over)
            yield from self._look()

    def _look(self):
        cost = self.costs.look
        yield from self._compute(self.api, cost.get('api', 0))
        yield 2 * self.costs.message
        yield from self._compute(self._next_engine().cpu,
                                 cost.get('engine', 0))
        yield cost.get('statements', 0) * self.costs.statement
        yield from self._compute(self.database, cost.get('database', 0))

    def _scans(self, engine):
        chance = self.run.random
        yield chance.uniform(0, SCAN)
        while engine.alive:
            elsewhere = self.stacks_in_progress * (
                1 - 1 / len(self.engines))
            for part, station in (('engine', engine.cpu),
                                  ('database', self.database)):
                fixed, each = self.costs.scan[part]
                yield from self._compute(station, fixed + each * elsewhere)
            yield SCAN * chance.uniform(1 - JITTER, 1)

    # -- a run --------------------------------------------------------------

    def begin(self):
        """Have clients and scans begin."""
        for engine in self.engines:
            self.run.start(self._scans(engine))
        for _client in range(self.workload.clients * len(self.engines)):
            self.run.start(self._client())

    def stations(self):
        """Return {name: utilisation} since the mark; of engines the mean."""
        shared = [self.api, self.broker, self.database, self.log]
        if self.site.nodes > 1:
            shared += [self.certification, self.appliers]
        if self.host is not None:
            shared.append(self.host)
        number = len(self.engines)
        return {
            'engine': sum(one.cpu.utilisation()
                          for one in self.engines) / number,
            COMMITS: sum(one.committer.utilisation()
                                   for one in self.engines) / number,
            **{one.name: one.utilisation() for one in shared}}

    def mark(self):
        """Count from now on."""
        self.ended.clear()
        for engine in self.engines:
            engine.cpu.mark()
            engine.committer.mark()
        for station in (self.api, self.broker, self.database, self.log,
                        self.certification, self.appliers, self.host):
            if station is not None:
                station.mark()


@dataclasses.dataclass(frozen=True)
class Result:
    """What a run showed.

    :ivar rate: resources in a second, those created and those deleted
    :ivar seconds: of an operation, on average
    :ivar busy: {station: utilisation}
    """

    rate: float
    seconds: float
    busy: dict

    @property
    def bottleneck(self):
        """Return the station with the least to spare.

        A log that is always written takes all commits that wait along, so it
        is never it. Committers are held while they wait for others: they are
        it only if none of these is full.
        """
        served = {name: busy for name, busy in self.busy.items()
                  if name not in (COMMITS, LOG)}
        first = max(served, key=served.get)
        waits = served[first] < FULL <= self.busy[COMMITS]
        return COMMITS if waits else first


def simulate(costs, site, workload, *, resources=100_000, seed=1):
    """Return the Result of a run of about so many resources.

    A tenth of them goes before, until all stations are as busy as they stay.
    """
    model = Model(costs, site, workload, seed)
    model.begin()
    _run_for(model, resources / 10)
    model.mark()
    began = model.run.now
    _run_for(model, resources)
    passed = model.run.now - began
    return Result(
        sum(size for _when, _took, size in model.ended) / passed,
        sum(took for _when, took, _size in model.ended) / len(model.ended),
        model.stations())


def until_recovered(model, fail, *, after=3.0, step=0.05):
    """Return the seconds that those operations take that a failure meets.

    :param fail: is called with the model when it happens
    """
    model.begin()
    model.run.run(after)
    met = set(model.begun)
    fail(model)
    while met & model.begun:
        model.run.run(model.run.now + step)
    return model.run.now - after


def _run_for(model, resources):
    """Let time pass until about so many resources are done."""
    stacks = max(1, resources / model.workload.size)
    pause = 0.1 + model.workload.think
    while len(model.ended) < stacks:
        model.run.run(model.run.now + pause)


def demands(costs, site, shape, size):
    """Return {station: (seconds for a resource, servers)}, for the laws."""
    both = [costs.of(shape, name, size) for name in ('create', 'delete')]
    mean = {part: sum(cost[part] for cost in both) / 2 / size
            for part in PARTS}
    found = {'engine': (mean['engine'], 1), 'API': (mean['api'], site.apis),
             'broker': (mean['broker'], site.broker_cores),
             'database: processors': (mean['database'],
                                      site.database_cores)}
    if site.nodes > 1:
        found['Galera: certification'] = (
            site.certify * mean['commits'], 1)
        found['Galera: appliers'] = (site.apply * mean['database'],
                                     site.appliers)
    return found
