"""Measure what is promised of large stacks, each figure beside its limit.

    tools/bench scale                        all parts, about an hour
    tools/bench scale --parts limits reads   only these

limits  what a resource costs in a stack of 1000 of each shape, and how long
        1000 independent resources take
growth  what a resource costs in a stack of 5000, that in one of 100 = 1
groups  a group of 80 members that hold two nested stacks each
nested  1000 nested stacks of 22 resources with one engine, and its memory
plans   what a change set of a stack of 1000 resources costs beside an update
        that changes nothing, and how long one of 1000 nested stacks takes
reads   whether lists, and stacks without outputs, depend on the resources

The set-up is distributed: an API and two engines (one for `nested` and
`plans`).
Counts and CPU time are exact. Times of the clock, marked with a star, tell
something only where the machine has nothing else to do.
"""
import argparse
import contextlib
import copy
import dataclasses
import sys
import time

from tools.benchmarks import measuring
from tools.benchmarks import setups
from tools.benchmarks import shapes
from tools.benchmarks import tables

LARGE, HUGE, SMALL = 1000, 5000, 100
GROUP = 80
BRANCHES, LEAVES = 1000, 22
READS = 100
#: How often they are measured. The least counts: what engines do beside
#: them, like a heartbeat, is not theirs.
ROUNDS = 3
#: Seconds until an engine is idle: what it does now and then has been done.
IDLE = 15


@dataclasses.dataclass
class Line:
    """A figure, and what it may be."""

    part: str
    what: str
    value: float
    limit: float | None = None

    @property
    def verdict(self):
        return tables.verdict(self.value, self.limit)


# -- parts ------------------------------------------------------------------

#: Limits of SQL statements, commits and messages of a created resource.
CREATE = {'trivial': (4, 1, 0.5), 'flat': (6, 2, 0.5), 'mesh': (6, 2, 0.5)}
DELETE, UNCHANGED = 4, 1
HOP_MS, FLAT_S = 10, 5


def limits(setup):
    """Yield what a resource costs in a stack of 1000."""
    for shape in (shapes.trivial.__name__, *shapes.USUAL):
        rows = {row.operation: row for row in measuring.measure(
            setup, shape, LARGE)}
        per = LARGE / shapes.resources(shape, LARGE)
        made, same = rows['create'], rows['update 0 %']
        for name, limit in zip(('statements', 'commits', 'messages'),
                               CREATE.get(shape, (None,) * 3), strict=True):
            yield f'{shape} create: {name}', getattr(made, name) * per, limit
        yield f'{shape} create: CPU ms', made.cpu * per, None
        if shape == 'trivial':
            yield f'{shape} create: s *', made.wall, FLAT_S
        if shape == 'chain':
            yield 'chain create: ms a hop *', made.wall, HOP_MS
        yield (f'{shape} unchanged update: statements', same.statements * per,
               UNCHANGED)
        yield (f'{shape} delete: statements',
               rows['delete'].statements * per, DELETE)


def growth(setup):
    """Yield the cost of a resource at 5000 over that at 100."""
    for shape in shapes.USUAL:
        small, huge = (shapes.size_of(shape, number)
                       for number in (SMALL, HUGE))
        few = list(measuring.medians([
            list(measuring.measure(setup, shape, small))
            for _time in range(measuring.REPEATS[SMALL])]))
        for before, after in zip(
                few, measuring.measure(setup, shape, huge), strict=True):
            ratio = after.cpu / huge / (before.cpu / small)
            yield f'{shape} {after.operation}: CPU', ratio, 1.2
            if before.statements:
                yield (f'{shape} {after.operation}: statements',
                       after.statements / before.statements, 1.2)


def groups(setup):
    """Yield what a group costs whose members hold two stacks each."""
    for row in measuring.measure(setup, 'pairs', GROUP):
        yield (f'{GROUP} members {row.operation}: s *', row.wall,
               4 if row.operation == 'create' else None)
        yield f'{GROUP} members {row.operation}: CPU s', row.cpu, None


def nested(setup):
    """Yield whether one engine gets through a large tree, and forgets it."""
    time.sleep(IDLE)
    idle = setup.memory()
    yield 'idle engine: MiB', idle, None
    tree = shapes.branches(BRANCHES, LEAVES)
    for row in measuring.measure(setup, 'nested', BRANCHES, tree):
        if row.operation == 'create':
            yield 'events', setup.ask('SELECT COUNT(*) FROM event'), None
        count = BRANCHES * (LEAVES + 1)
        each = row.statements * BRANCHES / count
        yield f'{row.operation}: s *', row.wall, None
        yield f'{row.operation}: CPU ms a resource', (
            row.cpu * 1000 / count), None
        yield f'{row.operation}: statements a resource', each, None
        yield f'{row.operation}: peak MiB', row.peak, None
    time.sleep(IDLE)
    yield 'idle engine afterwards: MiB', setup.memory(), idle * 1.2


#: Of the CPU time of an update that changes nothing.
PLAN_CPU = 1.5
#: Statements a resource: a plan writes nothing but its own rows.
PLAN_STATEMENTS = 1
#: Seconds for 1000 nested stacks of 22 resources, and MiB of the engine.
PLAN_S, PLAN_MEMORY = 60, 350


def plans(setup):
    """Yield what plans cost, of many resources and of many stacks."""
    template, files = shapes.flat(LARGE, changed=False)
    with _stack_of(setup, 'plans', template, files) as (path, watch):
        new = copy.deepcopy(template)
        new['resources']['r0']['properties']['value'] = 'new'
        for _time in range(2):      # The first one has modules imported.
            same = _spent(setup, watch, lambda: (
                setup.request('PUT', path, {'template': template}),
                watch.wait('UPDATE')))
            plan = _spent(setup, watch, lambda: _plan(
                setup, watch, path, {'template': new}, 1))
    yield 'one change in 1000: CPU, unchanged update = 1', (
        plan['cpu'] / same['cpu']), PLAN_CPU
    yield 'one change in 1000: statements a resource', (
        plan['statements'] / LARGE), PLAN_STATEMENTS

    tree = shapes.branches(BRANCHES, LEAVES)
    template, files = tree(BRANCHES, changed=False)
    with _stack_of(setup, 'planned-tree', template, files) as (path, watch):
        setup.forget_peak()
        template, files = tree(BRANCHES, changed=True)
        begin = time.monotonic()
        # A nested stack in ten has another parameter, and all in it with it.
        _plan(setup, watch, path, {'template': template, 'files': files},
              BRANCHES // 10 * (LEAVES + 1))
        yield f'{BRANCHES} nested stacks: s *', (
            time.monotonic() - begin), PLAN_S
        yield f'{BRANCHES} nested stacks: peak MiB', (
            setup.peak()), PLAN_MEMORY


@contextlib.contextmanager
def _stack_of(setup, name, template, files):
    """Yield the path of a stack that is there, and its Watch."""
    watch = measuring.Watch(setup, name)
    watch.calibrate()
    stack = setup.request('POST', '/stacks', {
        'stack_name': name, 'template': template, 'files': files,
        'timeout_mins': 60})['stack']['id']
    watch.wait('CREATE')
    yield f'/stacks/{name}/{stack}', watch
    setup.request('DELETE', f'/stacks/{name}/{stack}')
    watch.wait('DELETE')


def _spent(setup, watch, operation):
    """Return what an operation counts without the looks at it."""
    before, watch.looks = setup.counts(), 0
    operation()
    after = setup.counts()
    return watch.without_looks(
        {key: after[key] - before[key] for key in after})


def _plan(setup, watch, path, wanted, changes):
    """Make a change set, and forget it when it is there.

    :param changes: how many resources it is to change
    :raises measuring.Failed: it does not.
    """
    made = f'{path}/change_sets/' + setup.request(
        'POST', f'{path}/change_sets', wanted)['change_set']['id']
    begin, found = time.monotonic(), {'status': 'CREATE_IN_PROGRESS'}
    while found['status'] == 'CREATE_IN_PROGRESS':
        passed = time.monotonic() - begin
        time.sleep(max(measuring.SHORTEST_PAUSE, measuring.PAUSE * passed))
        watch.looks += 1
        found = setup.request('GET', made)['change_set']
    counted = found['counts'].get('update', 0)
    if (found['status'], counted) != ('AVAILABLE', changes):
        raise measuring.Failed(
            f'the plan is {found["status"]} with {counted} updates for '
            f'{changes}: {found["status_reason"]}')
    setup.request('DELETE', made)


def reads(setup):
    """Yield what reading a stack costs at 1000 resources, at 10 = 1."""
    costs = {}
    for size in (10, LARGE):
        name = f'flat-{size}'
        template, files = shapes.flat(size, changed=False)
        with _stack_of(setup, name, template, files) as (path, _watch):
            costs['list', size] = _cost_of(setup, f'/stacks?name={name}')
            costs['show', size] = _cost_of(
                setup, f'{path}?resolve_outputs=False')
    for what in ('list', 'show'):
        few, many = costs[what, 10], costs[what, LARGE]
        yield (f'stack {what}: statements', many['statements'] / READS,
               few['statements'] / READS)
        yield f'stack {what}: CPU', many['cpu'] / few['cpu'], 1.2


def _cost_of(setup, path):
    setup.request('GET', path)
    rounds, before = [], setup.counts()
    for _round in range(ROUNDS):
        for _time in range(READS):
            setup.request('GET', path)
        after = setup.counts()
        rounds.append({key: after[key] - before[key] for key in after})
        before = after
    return {key: min(one[key] for one in rounds) for key in before}


PARTS = {each.__name__: each for each in (limits, growth, groups, nested,
                                          plans, reads)}
ENGINES = {'nested': 1, 'plans': 1}


# -- all together -----------------------------------------------------------

def run(part, server, *, keep=False):
    """Yield the Lines of a part, measured in a set-up of its own."""
    with setups.running(server, ENGINES.get(part, 2), keep=keep) as setup:
        if part not in ENGINES:
            measuring.warm_up(setup, shapes.USUAL)
        for what, value, limit in PARTS[part](setup):
            yield Line(part, what, value, limit)


def show(lines):
    """Print the table of what was measured."""
    tables.show(
        ['part', 'what', 'measured', 'limit', 'verdict'],
        [[line.part, line.what, f'{line.value:.2f}',
          '-' if line.limit is None else f'{line.limit:.2f}', line.verdict]
         for line in lines])


def main(arguments):
    """Measure, print a table, and return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(
        prog='tools/bench scale', description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--parts', nargs='+', default=list(PARTS),
                        choices=list(PARTS))
    parser.add_argument('--setup', default='mariadb',
                        choices=['mariadb', 'postgresql'])
    parser.add_argument('--keep', action='store_true',
                        help='keep logs and configuration')
    args = parser.parse_args(arguments)
    lines = []
    # What has been measured is shown even if a part comes to grief.
    with contextlib.ExitStack() as at_the_end:
        at_the_end.callback(show, lines)
        for part in args.parts:
            for line in run(part, args.setup, keep=args.keep):
                lines.append(line)
                print(f'{part} {line.what}: {line.value:.2f}',
                      file=sys.stderr, flush=True)
    return 1 if any(line.verdict == tables.MISSED for line in lines) else 0
