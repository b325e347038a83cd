"""Simulate how far engines, database and broker go.

    tools/bench capacity measure TIMES       measure this machine, 10 minutes
    tools/bench capacity simulate TIMES      throughput of 1 to 64 engines
    tools/bench capacity validate TIMES      beside real runs, 5 minutes
    tools/bench capacity failures TIMES      how long failures last
    tools/bench capacity outages TIMES       the same for real, 5 minutes

TIMES is a file of service times in JSON: measure writes it, the others read
it. measure, validate and outages start MariaDB and RabbitMQ servers of their
own. A simulation gives the same figures each time it runs with the same seed.
"""
import argparse
import dataclasses
import json
import pathlib
import sys

from tools.benchmarks import tables
from tools.benchmarks.capacity import curve
from tools.benchmarks.capacity import laws
from tools.benchmarks.capacity import model
from tools.benchmarks.capacity import outages
from tools.benchmarks.capacity import service_times
from tools.benchmarks.capacity import validation

ENGINES = (1, 2, 4, 8, 16, 32, 64)
#: API processes for each engine: enough not to wait for them.
APIS_PER_ENGINE = 0.5
HEADER = ['shape', 'engines', 'resources/s', 'by the laws', 's a stack',
          'engine %', 'database %', 'log %', 'API %', 'Galera %',
          'bottleneck']


def _site(args, engines):
    return model.Site(
        engines, apis=max(1, round(engines * APIS_PER_ENGINE)),
        database_cores=args.cores, nodes=args.nodes,
        round_trip=args.round_trip / 1000, appliers=args.appliers)


def _row(costs, args, shape, engines):
    """Return a line of the table, and the resources in a second."""
    site = _site(args, engines)
    load = model.Workload(shape, args.size, args.clients)
    found = model.simulate(costs, site, load, resources=max(
        args.resources, 10 * args.size * args.clients * engines),
        seed=args.seed)
    demands = model.demands(costs, site, shape, args.size)
    bound = min(laws.most(demands, engines).values())
    galera = [busy for name, busy in found.busy.items() if 'Galera' in name]
    shares = [found.busy['engine'], found.busy['database: processors'],
              found.busy['database: log'], found.busy['API'],
              max(galera) if galera else None]
    return [shape, engines, f'{found.rate:.0f}', f'{bound:.0f}',
            f'{found.seconds:.2f}',
            *('-' if share is None else f'{100 * share:.0f}'
              for share in shares), found.bottleneck], found.rate


def simulate(args):
    """Print throughput against engines, and the knee of each shape."""
    costs, rows, series = service_times.load(args.times), [], {}
    for shape in args.shapes:
        series[shape] = {}
        for engines in args.engines:
            row, rate = _row(costs, args, shape, engines)
            rows.append(row)
            series[shape][engines] = rate
            print(*row, file=sys.stderr, flush=True)
    print(f'Stacks of {args.size} resources, created and deleted; '
          f'{args.clients} at a time for each engine; a database of '
          f'{args.cores} processors, {args.nodes} node(s)')
    tables.show(HEADER, rows)
    print('\nKnee: engines that fill the first station that they share')
    tables.show(['shape', 'by the laws', 'simulated', 'station'], [
        _knee(costs, args, shape, series[shape]) for shape in args.shapes])
    if args.chart:
        pathlib.Path(args.chart).write_text(curve.draw(
            series, 'Throughput against engines (simulated)',
            'engine processes', 'resources created or deleted a second'))
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    return 0


def _knee(costs, args, shape, rates):
    # There is an API for each two engines.
    demands = {name: demand for name, demand in model.demands(
        costs, _site(args, max(rates)), shape, args.size).items()
        if name != 'API'}
    return [shape, f'{laws.knee(demands):.0f}', knee_of(rates),
            laws.first_shared(demands)]


def knee_of(rates):
    """Return from which number on engines bring less than half their share.

    :param rates: {engines: resources in a second}
    """
    numbers = sorted(rates)
    alone = rates[numbers[0]] / numbers[0]
    for before, after in zip(numbers, numbers[1:], strict=False):
        if (rates[after] - rates[before]) / (after - before) < alone / 2:
            return str(before)
    return f'> {numbers[-1]}'


def measure(args):
    """Measure the service times and write them to the file."""
    costs = service_times.measure(args.shapes, say=lambda text: print(
        text, file=sys.stderr, flush=True))
    service_times.save(costs, args.times)
    print(pathlib.Path(args.times).read_text())
    return 0


def validate(args):
    """Print real runs beside simulated ones; return 1 if they disagree."""
    costs, rows, worst = service_times.load(args.times), [], 0.0
    for engines in args.engines:
        for shape in args.shapes:
            load = model.Workload(shape, args.size, clients=args.clients,
                                  think=args.think, look=0.1)
            real, seen, stretch = validation.measured(engines, load,
                                                      args.seconds)
            more, error = validation.lines(
                engines, real, validation.simulated(costs, engines, load,
                                                    seen, stretch))
            rows += [[shape, *line] for line in more]
            worst = max(worst, error)
            print(f'{shape}, {engines} engines, stretch {stretch:.2f}, '
                  f'{seen}: {dataclasses.asdict(real)}', file=sys.stderr,
                  flush=True)
    tables.show(['shape', *validation.HEADER], rows)
    print(f'Largest error: {100 * worst:.0f} %')
    return 1 if worst > validation.LIMIT else 0


def failures(args):
    """Print how long failures last in the simulation."""
    costs = service_times.load(args.times)
    tables.show(outages.HEADER, outages.simulated(
        costs, _site(args, 32), args.size, args.seconds))
    return 0


def real_outages(args):
    """Print how long failures last in real processes."""
    del args
    tables.show(outages.HEADER, outages.measured())
    return 0


PARTS = {'measure': measure, 'simulate': simulate, 'validate': validate,
         'failures': failures, 'outages': real_outages}


def main(arguments):
    """Carry a part out and return its exit code."""
    parser = argparse.ArgumentParser(
        prog='tools/bench capacity', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('part', choices=list(PARTS))
    parser.add_argument('times', metavar='TIMES')
    parser.add_argument('--shapes', nargs='+',
                        choices=list(service_times.SHAPES))
    parser.add_argument('--engines', nargs='+', type=int)
    parser.add_argument('--size', type=int, default=100,
                        help='resources of a stack')
    parser.add_argument('--clients', type=int,
                        help='stacks at a time for each engine')
    parser.add_argument('--resources', type=int, default=1_000_000,
                        help='simulated for each line')
    parser.add_argument('--cores', type=int, default=8,
                        help='processors of the database')
    parser.add_argument('--nodes', type=int, default=3,
                        help='of the Galera cluster; 1 for a single server')
    parser.add_argument('--round-trip', type=float, default=0.5,
                        help='between the nodes, in ms')
    parser.add_argument('--appliers', type=int, default=4,
                        help='threads of each node that apply write sets')
    parser.add_argument('--think', type=float, default=3.0,
                        help='pause of a client of validate, in s')
    parser.add_argument('--seconds', type=float, default=45.0,
                        help='of a run of validate; of an outage')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--chart', help='draw the throughput as SVG')
    parser.add_argument('--json', help='also write the lines to this file')
    args = parser.parse_args(arguments)
    is_real = args.part == 'validate'
    args.shapes = args.shapes or (['flat'] if is_real else
                                  list(service_times.SHAPES))
    args.clients = args.clients or (1 if is_real else 4)
    args.engines = args.engines or ((1, 2, 4) if is_real else ENGINES)
    return PARTS[args.part](args)
