"""What single requests cost: a page of a list, show, create.

The lists are those of projects with few and with many stacks. All but one
stack of a project are copies of its row: lists read nothing else.
"""
import argparse
from concurrent import futures
import dataclasses
import datetime
import http.client
import itertools
import json
import statistics
import time
import uuid

import sqlalchemy as sa

from tools.benchmarks import setups
from tools.benchmarks import tables

TOTALS = (10, 1000, 10000)
#: The smallest project has a full page behind its middle, too.
PAGE = TOTALS[0] // 2
REQUESTS = 200
CREATIONS = 60
#: So many clients at the same time find out what is possible in a second.
CLIENTS = 8
CHUNK = 500
TEMPLATE = {'heat_template_version': '2018-08-31', 'resources': {
    'a': {'type': 'OS::Heat::TestResource', 'properties': {'value': 'x'}}}}
#: Resources of a large stack; its reads: path, and milliseconds they may take.
LARGE = 5000
LARGE_READS = {'show': ('', 10), 'list of resources': ('/resources', 150),
               'template': ('/template', 40)}
LARGE_TIMES = 30
LARGE_HEADER = ['set-up', 'request', 'resources', 'p50 ms', 'goal', 'verdict',
                'CPU ms', 'SQL']
HEADER = ['set-up', 'request', 'stacks', 'p50 ms', 'p99 ms', 'per s',
          'CPU ms', 'SQL']

_numbers = itertools.count()


@dataclasses.dataclass
class Kind:
    """A request that is sent many times.

    :param make: returns method, path below the project, and body.
    """

    name: str
    total: int
    project: str
    make: object
    times: int = REQUESTS


class Connection:
    """A client that stays connected."""

    def __init__(self, port):
        self._http = http.client.HTTPConnection('127.0.0.1', port,
                                                timeout=60)

    def send(self, kind):
        """Send a request; return how long it took and the answer."""
        method, path, body = kind.make()
        began = time.perf_counter()
        self._http.request(
            method, f'/v1/{kind.project}{path}',
            None if body is None else json.dumps(body).encode(),
            {'Content-Type': 'application/json'})
        answer = self._http.getresponse()
        text = answer.read()
        took = time.perf_counter() - began
        if answer.status >= 400:
            raise SystemExit(f'{method} {path}: {answer.status} {text}')
        return took, json.loads(text) if text else None


def fill(engine, project, total):
    """Copy the only stack of a project until there are so many."""
    metadata = sa.MetaData()
    stack = sa.Table('stack', metadata, autoload_with=engine)
    with engine.begin() as connection:
        [row] = connection.execute(
            sa.select(stack).where(stack.c.tenant == project)).mappings()
        copies = [{**row, 'id': str(uuid.uuid4()), 'name': f'copy-{number}',
                   # Of live stacks it is unique; no list reads it.
                   'live_name_key': None, 'created_at': row['created_at'] +
                   datetime.timedelta(seconds=number)}
                  for number in range(1, total)]
        for start in range(0, len(copies), CHUNK):
            connection.execute(stack.insert(), copies[start:start + CHUNK])


def prepare(setup, engine, total, *, with_stack):
    """Return the kinds of requests to a new project of so many stacks."""
    project = f'of-{total}'
    connection = Connection(setup.port)
    create = Kind('create', total, project, lambda: ('POST', '/stacks', {
        'stack_name': f'new-{next(_numbers)}', 'template': TEMPLATE}),
        CREATIONS)
    _took, made = connection.send(create)
    link = made['stack']['links'][0]['href']
    path = link.partition(project)[2]
    _wait(connection, project)
    fill(engine, project, total)
    marker = _middle(engine, project, total)
    kinds = [
        Kind('first page', total, project,
             lambda: ('GET', f'/stacks?limit={PAGE}', None)),
        Kind('page in the middle', total, project,
             lambda: ('GET', f'/stacks?limit={PAGE}&marker={marker}',
                      None))]
    if with_stack:
        kinds += [Kind('show', total, project, lambda: ('GET', path, None)),
                  create]
    return kinds


def _wait(connection, project):
    busy = Kind('', 0, project, lambda: (
        'GET', '/stacks?status=IN_PROGRESS&limit=1', None))
    while connection.send(busy)[1]['stacks']:
        time.sleep(0.1)


def _middle(engine, project, total):
    with engine.connect() as connection:
        return connection.execute(sa.text(
            'SELECT id FROM stack WHERE tenant = :tenant '
            'ORDER BY created_at LIMIT 1 OFFSET :half'),
            {'tenant': project, 'half': total // 2}).scalar()


def measure(setup, kind):
    """Return a line of the table for a kind of request."""
    connection = Connection(setup.port)
    for _ in range(5):
        connection.send(kind)
    _wait(connection, kind.project)
    before = setup.counts()
    times = sorted(connection.send(kind)[0] for _ in range(kind.times))
    _wait(connection, kind.project)
    after = setup.counts()
    spent = {key: (after[key] - before.get(key, 0)) / kind.times
             for key in after}
    return [setup.name, kind.name, kind.total,
            f'{statistics.median(times) * 1000:.1f}',
            f'{times[int(len(times) * 0.99)] * 1000:.1f}',
            f'{_rate(setup, kind):.0f}', f'{spent["cpu"] * 1000:.1f}',
            f'{spent["statements"]:.1f}']


def _rate(setup, kind):
    """Return how many requests several clients get answered in a second."""
    def work(_number):
        connection = Connection(setup.port)
        for _ in range(kind.times // CLIENTS):
            connection.send(kind)

    began = time.perf_counter()
    with futures.ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(work, range(CLIENTS)))
    passed = time.perf_counter() - began
    _wait(Connection(setup.port), kind.project)
    return kind.times // CLIENTS * CLIENTS / passed


def rows(setup, totals=TOTALS):
    """Return the lines of the table."""
    engine = sa.create_engine(setup.database_url, poolclass=sa.NullPool)
    kinds = [kind for total in totals
             for kind in prepare(setup, engine, total,
                                 with_stack=total == totals[0])]
    return [measure(setup, kind) for kind in kinds]


def rows_of_large(setup, size=LARGE):
    """Return the lines of the table that shows reads of a large stack."""
    connection, project = Connection(setup.port), 'large'
    tmpl = {**TEMPLATE, 'resources': {
        f'r{number}': TEMPLATE['resources']['a'] for number in range(size)},
        'outputs': {f'o{number}': {'value': {'get_attr': [
            f'r{number}', 'output']}} for number in range(3)}}
    _took, made = connection.send(Kind('', size, project, lambda: (
        'POST', '/stacks', {'stack_name': 'large', 'template': tmpl})))
    path = made['stack']['links'][0]['href'].partition(project)[2]
    _wait(connection, project)
    lines = []
    for name, (below, goal) in LARGE_READS.items():
        *found, _rate, cpu, statements = measure(setup, Kind(
            name, size, project,
            lambda below=below: ('GET', path + below, None), LARGE_TIMES))
        milliseconds = found[3]
        lines.append([*found[:4], goal,
                      tables.verdict(float(milliseconds), goal), cpu,
                      statements])
    return lines


def main(arguments):
    """Measure in each set-up and print a table."""
    parser = argparse.ArgumentParser(prog='tools/bench api',
                                     description=__doc__)
    parser.add_argument('--setup', nargs='+', default=['embedded', 'mariadb'],
                        choices=['embedded', 'mariadb', 'postgresql'])
    parser.add_argument('--totals', nargs='+', type=int,
                        default=list(TOTALS))
    parser.add_argument('--large', type=int, default=LARGE,
                        help='resources of the large stack')
    parser.add_argument('--reads-in-api', action='store_true',
                        help='turn api_reads_database on')
    args = parser.parse_args(arguments)
    options = {'api_reads_database': 'true'} if args.reads_in_api else {}
    lines, of_large = [], []
    for name in args.setup:
        with setups.running(name, options=options) as setup:
            lines += rows(setup, args.totals)
            of_large += rows_of_large(setup, args.large)
    print('Single requests; CPU and SQL are per request')
    tables.show(HEADER, lines)
    print('\nReads of a large stack')
    tables.show(LARGE_HEADER, of_large)
    return 0
