"""Measure reads, recovery scans and purges in a database with many stacks.

    tools/bench filled                        a million stacks in MariaDB
    tools/bench filled --setup sqlite --stacks 100000

What a page of a list, a stack, a scan for work that engines have lost and a
batch of a purge take in it, beside the same in a database of a thousand
stacks, and whether a statement reads a whole table. The MariaDB server is one
of its own.
"""
import argparse
import contextlib
import dataclasses
import pathlib
import re
import statistics
import sys
import tempfile
import time
import types

import sqlalchemy as sa

from heat.common import config  # noqa: F401 (registers options)
from heat.db import migration
from heat.db import models
from heat.db import purge
from heat.db import session
from heat.objects import change_set
from heat.objects import drift
from heat.objects import event
from heat.objects import resource
from heat.objects import snapshot
from heat.objects import stack
from heat.objects import stack_lock
from tests.integration import own_servers
from tools.benchmarks import filling
from tools.benchmarks import tables

#: The small database, which the large one is compared with.
FEW = 1000
PAGE = 20
REPEAT = 20
#: A table of fewer rows may be read as a whole.
SMALL_TABLE = 1000
#: Seconds that a transaction of a purge may hold its locks.
LONGEST_LOCK = 1.0
#: The line of how long a purge holds locks.
TRANSACTION = 'purge: locks'
HEADER = ['database', 'stacks', 'what', 'median ms', 'longest ms', 'SQL',
          'whole tables']


class Server(own_servers.MariaDB):
    """A MariaDB server with room for the indexes of many stacks."""

    def _command(self):
        command, environment = super()._command()
        return [*(part for part in command if 'innodb' not in str(part)),
                '--innodb-buffer-pool-size=2G',
                '--innodb-log-file-size=1G'], environment


class Statements:
    """The statements of a block, and how long they took.

    :ivar longest: seconds, and the text of the statement
    :ivar longest_writes: seconds from the first change of a transaction to its
        commit, while which it holds locks
    """

    def __init__(self, engine):
        self._engine = engine
        self.seen = {}
        self.number = 0
        self.longest = 0.0, ''
        self.longest_writes = 0.0
        self._began = self._locked = None

    def __enter__(self):
        for name, function in self._listeners():
            sa.event.listen(self._engine, name, function)
        return self

    def __exit__(self, *_error):
        for name, function in self._listeners():
            sa.event.remove(self._engine, name, function)

    def _listeners(self):
        return (('before_cursor_execute', self._before),
                ('after_cursor_execute', self._after),
                ('commit', self._commit), ('rollback', self._commit))

    def _before(self, _conn, _cursor, statement, parameters, _context,
                many):
        if statement.startswith('BEGIN'):
            return
        self._began = time.perf_counter()
        if self._locked is None and not statement.startswith('SELECT'):
            self._locked = self._began
        if not many:
            self.seen.setdefault(statement, parameters)
        self.number += 1

    def _after(self, _conn, _cursor, statement, *_arguments):
        if statement.startswith('BEGIN'):
            return
        self.longest = max(self.longest, (
            time.perf_counter() - self._began, statement))

    def _commit(self, _conn):
        # Called before the database is asked to commit, which is one write
        # of its log.
        if self._locked is not None:
            self.longest_writes = max(self.longest_writes,
                                      time.perf_counter() - self._locked)
        self._locked = None


def whole_tables(engine, statements):
    """Return which tables the statements read from end to end.

    Tables of few rows are left out: to read them is the best way.
    """
    found = set()
    with engine.connect() as connection:
        for text, parameters in statements.items():
            if text.split(None, 1)[0].upper() in ('SELECT', 'DELETE',
                                                  'UPDATE'):
                found |= _scanned(connection, text, parameters)
        return sorted(name for name in found
                      if _rows(connection, name) >= SMALL_TABLE)


def _scanned(connection, text, parameters):
    if connection.dialect.name == 'sqlite':
        plan = connection.exec_driver_sql(
            f'EXPLAIN QUERY PLAN {text}', parameters).all()
        return {match.group(1) for row in plan if (match := re.match(
            r'SCAN (\w+)(?! USING (?:COVERING )?INDEX \w+ \()',
            row.detail))}
    plan = connection.exec_driver_sql(f'EXPLAIN {text}', parameters)
    return {row['table'] for row in plan.mappings()
            if row['type'] == 'ALL' or row['type'] == 'index' and
            int(row['rows'] or 0) > SMALL_TABLE}


def _rows(connection, name):
    table = models.METADATA.tables.get(name)
    if table is None:
        # Of a subquery; the tables in it have lines of their own.
        return 0
    some = sa.select(sa.literal(1)).select_from(table).limit(SMALL_TABLE)
    return connection.execute(sa.select(sa.func.count()).select_from(
        some.subquery())).scalar()


# -- what is measured -------------------------------------------------------

def _context(project, *, admin=False):
    return types.SimpleNamespace(project_id=project, is_admin=admin,
                                 tenant=project)


@dataclasses.dataclass
class Kind:
    """Something to measure."""

    name: str
    function: object
    times: int = REPEAT


def _some(engine, project):
    """Return ids of stacks of a project: a middle one, and any."""
    of_project = sa.select(models.STACK.c.id, models.STACK.c.name).where(
        models.STACK.c.tenant == project, models.STACK.c.owner_id.is_(None),
        models.STACK.c.deleted_at.is_(None))
    with engine.connect() as connection:
        number = connection.execute(sa.select(sa.func.count()).select_from(
            of_project.subquery())).scalar()
        return connection.execute(of_project.order_by(
            models.STACK.c.created_at, models.STACK.c.id).offset(
                number // 2).limit(1)).one()


def reads(engine):
    """Return what users read, of the largest and of a small project."""
    kinds = []
    for label, project in (('large', filling.LARGE),
                           ('small', 'project-1')):
        context, middle = _context(project), _some(engine, project)
        kinds += [
            Kind(f'first page, {label} project',
                 lambda c=context: stack.Stack.get_all(c, limit=PAGE)),
            Kind(f'page in the middle, {label} project',
                 lambda c=context, m=middle: stack.Stack.get_all(
                     c, limit=PAGE, marker=m.id)),
            Kind(f'show by name, {label} project',
                 lambda c=context, m=middle: _show(
                     c, stack.Stack.get_by_name(c, m.name).id)),
            Kind(f'events of a stack, {label} project',
                 lambda c=context, m=middle: event.Event.get_all_by_stack(
                     c, m.id, limit=PAGE)),
            Kind(f'number of stacks, {label} project',
                 lambda c=context: stack.Stack.count_all(c))]
    return kinds


def _show(context, stack_id):
    stack.Stack.get_by_id(context, stack_id, eager=True)
    resource.Resource.get_all_by_stack(context, stack_id)


def scan():
    """Read what each engine reads every few seconds."""
    context = _context(None, admin=True)
    resource.Resource.claims(context)
    stack.Stack.get_ids_in_progress(context, convergence=False)
    busy = stack.Stack.get_ids_in_progress(context, convergence=True)
    stack.Stack.get_many_in_progress(context, busy[:100])
    stack_lock.StackLock.get_all(context)
    snapshot.Snapshot.stacks_deleting(context)
    change_set.ChangeSet.in_progress(context)
    drift.DriftDetection.in_progress(context)


def _purge(engine):
    """Remove the deleted stacks; return a Statements and the seconds."""
    began = time.perf_counter()
    with Statements(engine) as statements:
        number = purge.purge_deleted(_context(None, admin=True), 0,
                                     'seconds')
    return statements, number, time.perf_counter() - began


def measure(engine, label, total):
    """Yield a line of the table for each kind."""
    for kind in [*reads(engine), Kind('recovery scan', scan)]:
        kind.function()
        with Statements(engine) as statements:
            kind.function()
        times = []
        for _time in range(kind.times):
            began = time.perf_counter()
            kind.function()
            times.append(time.perf_counter() - began)
        yield [label, total, kind.name,
               f'{statistics.median(times) * 1000:.1f}',
               f'{max(times) * 1000:.1f}', statements.number,
               ' '.join(whole_tables(engine, statements.seen)) or '-']


def measure_purge(engine, label, total):
    """Yield the lines of a purge: the transactions, and the whole."""
    statements, number, seconds = _purge(engine)
    scanned = ' '.join(whole_tables(engine, statements.seen)) or '-'
    yield [label, total, 'purge: statement', '-',
           f'{statements.longest[0] * 1000:.1f}', statements.number, scanned]
    print(statements.longest[1], file=sys.stderr, flush=True)
    yield [label, total, TRANSACTION, '-',
           f'{statements.longest_writes * 1000:.1f}', '-', '-']
    yield [label, total, f'purge: {number} stacks',
           f'{seconds * 1000:.1f}', '-', '-', '-']


# -- all together -----------------------------------------------------------

@contextlib.contextmanager
def _database(name, directory, label):
    if name == 'sqlite':
        yield f'sqlite:///{directory / label}.sqlite'
        return
    server = Server(directory / label)
    server.start()
    try:
        yield server.create()
    finally:
        server.kill()


def lines(name, directory, label, sizes):
    """Yield the lines of the table for a new database."""
    with _database(name, directory, label) as url:
        session.configure(url)
        try:
            migration.db_sync()
            engine = session.get_engine()
            began = time.monotonic()
            for number in filling.Filler(engine, sizes).chunks():
                if number % (10 * filling.CHUNK) == 0:
                    print(f'{number} stacks: '
                          f'{time.monotonic() - began:.0f} s',
                          file=sys.stderr, flush=True)
            _analyze(engine)
            yield from measure(engine, name, sizes.stacks)
            yield from measure_purge(engine, name, sizes.stacks)
        finally:
            session.configure()


def is_too_long(line):
    """Return whether a transaction of a purge lasts longer than allowed."""
    return (line[2] == TRANSACTION and
            float(line[4]) > LONGEST_LOCK * 1000)


def _analyze(engine):
    """Have the database count rows as it does on its own in time."""
    if engine.dialect.name == 'sqlite':
        # It never does.
        return
    with engine.begin() as connection:
        names = ', '.join(f'`{name}`' for name in models.METADATA.tables)
        connection.exec_driver_sql(f'ANALYZE TABLE {names}')


def main(arguments):
    """Fill, measure and print; return 1 if the locks last too long."""
    parser = argparse.ArgumentParser(
        prog='tools/bench filled', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--setup', nargs='+', default=['mariadb'],
                        choices=['mariadb', 'sqlite'])
    parser.add_argument('--stacks', type=int, default=1_000_000)
    parser.add_argument('--resources', type=int, default=2,
                        help='of each stack')
    parser.add_argument('--events', type=int, default=4,
                        help='of each stack')
    parser.add_argument('--largest', type=int, default=200_000,
                        help='events of one of the deleted stacks')
    args = parser.parse_args(arguments)
    found = []
    # As many stacks are in progress in both: scans read these.
    busy = -(-args.stacks // filling.CHUNK)
    with tempfile.TemporaryDirectory(prefix='heat-filled-') as directory:
        for name in args.setup:
            for label, total in (('few', min(FEW, args.stacks)),
                                 ('many', args.stacks)):
                for line in lines(name, pathlib.Path(directory),
                                  f'{name}-{label}', filling.Sizes(
                                      total, args.resources, args.events,
                                      busy if label == 'few' else 1,
                                      args.largest if label == 'many' else 0)):
                    found.append(line)
                    print(*line, file=sys.stderr, flush=True)
    tables.show(HEADER, found)
    return 1 if any(is_too_long(line) for line in found) else 0
