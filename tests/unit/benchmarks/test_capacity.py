"""The simulation of tools/bench capacity, beside what theory says."""
import dataclasses
from xml.etree import ElementTree

import pytest

from tools.benchmarks.capacity import command
from tools.benchmarks.capacity import curve
from tools.benchmarks.capacity import laws
from tools.benchmarks.capacity import model
from tools.benchmarks.capacity import outages
from tools.benchmarks.capacity import service_times
from tools.benchmarks.capacity import simulation
from tools.benchmarks.capacity import validation

CUSTOMERS = 40_000
EACH = 0.001
OPERATION = {
    'api': (0.01, 0), 'engine': (0.002, EACH), 'database': (0.001, 0.0002),
    'broker': (0.0005, 0), 'statements': (10, 1), 'commits': (2, 0.04),
    'messages': (2, 0)}
COSTS = model.Costs(
    statement=0.0001, commit=0.001, message=0.0005,
    operations={shape: {'create': OPERATION, 'delete': OPERATION}
                for shape in ('flat', 'chain')},
    scan={'engine': (0.01, 0.0001), 'database': (0.005, 0.0001)})


def queue(rate, service, servers=1):
    """Return a station that customers have come to by chance."""
    run = simulation.Simulation(7)
    station = simulation.Station(run, 'x', servers)

    def customer():
        yield station.serve(service(run.random))

    def arrivals():
        for _number in range(CUSTOMERS):
            yield run.random.expovariate(rate)
            run.start(customer())

    run.start(arrivals())
    run.run()
    return station


@pytest.mark.parametrize(('rate', 'servers'), [
    (0.3, 1), (0.6, 1), (0.8, 1), (1.2, 2), (2.4, 4)])
def test_queue_with_service_by_chance(rate, servers):
    station = queue(rate, lambda chance: chance.expovariate(1.0), servers)
    assert station.served == CUSTOMERS
    assert station.utilisation() == pytest.approx(
        laws.utilisation(rate, 1.0, servers), rel=0.05)
    assert station.mean_wait() == pytest.approx(
        laws.wait_with_chance(rate, 1.0, servers), rel=0.1)


@pytest.mark.parametrize('rate', [0.3, 0.6, 0.8])
def test_queue_with_constant_service(rate):
    station = queue(rate, lambda _chance: 1.0)
    assert station.utilisation() == pytest.approx(rate, rel=0.05)
    assert station.mean_wait() == pytest.approx(
        laws.wait_without_chance(rate, 1.0), rel=0.1)


def test_formulas():
    # M/M/1: waiting is load / (1 - load) of the service.
    assert laws.wait_with_chance(0.5, 1.0) == pytest.approx(1.0)
    assert laws.wait_without_chance(0.5, 1.0) == pytest.approx(0.5)
    # Erlang C of two servers with half a load each is 1/3.
    assert laws.wait_with_chance(1.0, 1.0, 2) == pytest.approx(1 / 3)
    assert laws.wait_with_chance(2.0, 1.0, 2) == float('inf')
    assert laws.number_inside(3.0, 2.0) == 6.0


def test_who_waits_while_the_log_is_written_goes_out_together():
    run = simulation.Simulation()
    log = simulation.Log(run, 'log', 1.0)
    ends = []

    def writer(delay):
        yield delay
        yield log.commit()
        ends.append(run.now)

    for delay in (0.0, 0.2, 0.5, 3.0):
        run.start(writer(delay))
    run.run()
    assert ends == [1.0, 2.0, 2.0, 4.0]
    assert (log.written, log.commits) == (3, 4)


def test_closed_station_serves_nobody_new():
    run = simulation.Simulation()
    station = simulation.Station(run, 'x')
    ends = []

    def customer():
        yield station.serve(1.0)
        ends.append(run.now)

    run.start(customer())
    run.start(customer())
    run.at(0.5, station.close)
    run.at(5.0, station.open)
    run.run()
    assert ends == [1.0, 6.0]


def test_same_seed_same_run():
    load = model.Workload(think=0.5)
    one, same, other = (model.simulate(COSTS, model.Site(2), load,
                                       resources=5000, seed=seed)
                        for seed in (1, 1, 2))
    assert one == same != other


def test_few_engines_are_the_bottleneck_and_scale():
    results = [model.simulate(COSTS, model.Site(engines), model.Workload(),
                              resources=20_000) for engines in (1, 2, 4)]
    assert {result.bottleneck for result in results} == {'engine'}
    limit = laws.most(model.demands(COSTS, model.Site(), 'flat', 100))
    for engines, result in zip((1, 2, 4), results, strict=True):
        assert result.rate == pytest.approx(
            engines * limit['engine'], rel=0.1)


def test_many_engines_fill_what_they_share():
    site = model.Site(32, apis=64, database_cores=2)
    result = model.simulate(COSTS, site, model.Workload(),
                            resources=100_000)
    assert result.bottleneck == 'database: processors'
    demands = model.demands(COSTS, site, 'flat', 100)
    assert result.rate == pytest.approx(
        laws.most(demands)['database: processors'], rel=0.1)
    assert 2 < laws.knee(demands) < 32


def test_utilisation_law_holds_in_the_simulation():
    site = model.Site(2, apis=2)
    result = model.simulate(COSTS, site, model.Workload(think=1.0),
                            resources=40_000)
    for name, (seconds, servers) in model.demands(
            COSTS, site, 'flat', 100).items():
        if name not in ('engine', 'database: processors'):
            assert result.busy[name] == pytest.approx(laws.utilisation(
                result.rate, seconds, servers), rel=0.05)


def test_littles_law_holds_in_the_simulation():
    load = model.Workload(clients=3)
    result = model.simulate(COSTS, model.Site(2), load, resources=50_000)
    inside = laws.number_inside(result.rate / load.size, result.seconds)
    assert inside == pytest.approx(6, rel=0.02)


def test_chain_waits_for_each_commit():
    flat, chain = (model.simulate(
        COSTS, model.Site(), model.Workload(shape, clients=1),
        resources=10_000) for shape in ('flat', 'chain'))
    assert chain.seconds > flat.seconds


def test_replicas_that_apply_slowly_hold_writers_up():
    load, sites = model.Workload(clients=8), [
        model.Site(16, apis=32, nodes=3, appliers=appliers, apply=1.0)
        for appliers in (1, 16)]
    slow, fast = (model.simulate(COSTS, site, load, resources=60_000)
                  for site in sites)
    assert slow.bottleneck == 'Galera: appliers'
    assert slow.rate == pytest.approx(laws.most(model.demands(
        COSTS, sites[0], 'flat', 100))['Galera: appliers'], rel=0.1)
    assert fast.rate > 2 * slow.rate


def test_failure_of_one_engine_among_many():
    load, site = model.Workload(clients=4), model.Site(8, apis=8)

    def seconds(fail):
        return model.until_recovered(model.Model(COSTS, site, load), fail)

    alone = seconds(lambda _one: None)
    # Two silent scans and the next: others do not wait for the lease.
    assert alone + 4 < seconds(lambda one: one.lose_engine(0)) < 20
    for fail in ('lose_database', 'lose_broker'):
        assert alone + 10 < seconds(
            lambda one, fail=fail: getattr(one, fail)(10)) < 15


def test_work_goes_to_engines_that_are_alive():
    one = model.Model(COSTS, model.Site(2), model.Workload())
    one.begin()
    one.lose_engine(0)
    one.run.run(20)
    before = one.engines[0].cpu.busy
    one.run.run(40)
    assert one.engines[0].cpu.busy == before
    assert one.engines[1].cpu.busy > 20


def test_knee_is_where_more_engines_bring_little():
    assert command.knee_of({1: 10, 2: 20, 4: 40, 8: 50}) == '4'
    assert command.knee_of({1: 10, 2: 20}) == '> 2'


def test_simulation_prints_a_table_and_a_picture(tmp_path, capsys):
    times, picture = tmp_path / 'times.json', tmp_path / 'picture.svg'
    service_times.save(COSTS, times)
    assert service_times.load(times).of('flat', 'create', 100) == (
        COSTS.of('flat', 'create', 100))
    assert command.main([
        'simulate', str(times), '--shapes', 'flat', '--engines', '1', '4',
        '--resources', '3000', '--nodes', '1', '--chart', str(picture)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    one, four = (next(line for line in lines if line[:2] == ['flat', number])
                 for number in ('1', '4'))
    assert float(four[2]) > 3 * float(one[2])
    assert one[-2:] == ['-', 'engine']
    assert ElementTree.parse(picture).getroot().tag.endswith('svg')


def test_picture_shows_each_point_at_its_place():
    picture = curve.draw({'a': {1: 50, 4: 100}}, 'title', 'x', 'y')
    assert 'points="70.0,170.0 540.0,40.0"' in picture


def test_error_of_a_simulation_is_that_of_its_worst_figure():
    real = validation.Figures(100, 1.0, 0.5, 0.1, 0.2)
    rows, worst = validation.lines(
        2, real, dataclasses.replace(real, seconds=1.2, rate=95))
    assert worst == pytest.approx(0.2)
    assert rows[0] == [2, 'resources a second', '100.000', '95.000', '-5']


def test_simulation_beside_a_real_run_is_as_slow_as_the_machine():
    load = model.Workload(clients=1, think=3.0, look=0.1)
    seen = {'statement': 0.002, 'commit': 0.01, 'message': 0.005}
    found = validation.simulated(COSTS, 2, load, seen, 3.0)
    own = model.simulate(COSTS, model.Site(2), dataclasses.replace(
        load, look=0), resources=5000)
    # Three times as long for the processor, and slower statements.
    assert found.seconds > 3 * own.seconds
    # Processors are not counted while others have them.
    assert found.engine == pytest.approx(
        found.rate * (0.002 / 100 + EACH) / 2)


def test_outages_take_longer_than_nothing(monkeypatch):
    monkeypatch.setattr(outages, 'TIMES', 3)
    site = model.Site(8, apis=8)
    found = {line[0]: float(line[3])
             for line in outages.simulated(COSTS, site, 100, 20)}
    assert found['none'] < 2
    assert 4 < found['an engine'] < 20
    for name in ('database primary', 'broker'):
        assert 20 < found[name] < 25


def test_processes_that_share_processors_slow_each_other_down():
    own, shared = (model.simulate(
        COSTS, model.Site(4, apis=4, shared_cores=cores), model.Workload(),
        resources=10_000) for cores in (None, 2))
    assert shared.rate < own.rate / 1.5
    assert shared.busy['host'] == pytest.approx(1, rel=0.05)
