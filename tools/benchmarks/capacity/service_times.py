"""Measure the service times of this machine, and keep them in a file."""
import dataclasses
import json
import pathlib
import time

from heat.common import config  # noqa: F401 (registers options)
from heat.common import context as heat_context
from heat.db import session
from heat.engine.convergence import sync_point
from heat.objects import resource
from heat.objects import stack
from tools.benchmarks import measuring
from tools.benchmarks import shapes
from tools.benchmarks.capacity import model
from tools.benchmarks.capacity import real

#: Shapes that are measured, and the sizes of their stacks: two, which tell
#: what a stack costs and what each resource does.
SHAPES = {'flat': shapes.flat, 'chain': shapes.chain, 'group': shapes.group,
          'nested': shapes.tree}
SIZES, TIMES = (20, 200), (12, 6)
#: Seconds for which the smallest things are measured.
PROBE = 20
#: How often a scan is measured.
SCANS = 40
#: Stacks in progress while scans are measured.
BUSY = 40
#: Seconds of idleness: what is done then is not done for stacks.
IDLE = 15


# -- operations -------------------------------------------------------------

class Meter:
    """Reads what has been spent, and takes off what looks cost."""

    def __init__(self, site):
        self._site = site
        began, before = time.monotonic(), self.read()
        time.sleep(IDLE)
        self._idle = self._rate(before, time.monotonic() - began)
        #: What a look costs, {part: cost}.
        self.look = self._cost_of_looks()

    def read(self):
        """Return {part: spent since the start}."""
        counts = self._site.counts()
        return {**self._site.processor_seconds(),
                **{part: counts.get(part, 0) for part in
                   ('statements', 'commits', 'messages')}}

    def spent(self, before, seconds, looks):
        """Return what was spent, without looks and what is always done."""
        after = self.read()
        return {part: max(0.0, after[part] - before[part] -
                          self._idle[part] * seconds -
                          self.look[part] * looks)
                for part in model.PARTS}

    def _rate(self, before, seconds):
        after = self.read()
        return {part: (after[part] - before[part]) / seconds
                for part in after}

    def _cost_of_looks(self):
        watch = measuring.Watch(self._site, 'none')
        number = 100
        began, before = time.monotonic(), self.read()
        for _look in range(number):
            watch.look()
        passed = time.monotonic() - began
        rate = self._rate(before, 1)
        return {part: max(0.0, rate[part] - self._idle[part] * passed) /
                number for part in rate}


def operations(site, meter, shape):
    """Return {operation: {part: (of a stack, of each resource)}}."""
    found = {'create': [], 'delete': []}
    for size, times in zip(SIZES, TIMES, strict=True):
        ids = {}
        for operation, costs in found.items():
            spent, looks, began = meter.read(), 0, time.monotonic()
            for number in range(times):
                name = f'{shape}-{size}-{number}'
                watch = measuring.Watch(site, name)
                ids[name] = measuring.perform(
                    site, watch, name, SHAPES[shape], size, operation,
                    ids.get(name))
                looks += watch.looks
            passed = time.monotonic() - began
            costs.append({part: value / times for part, value in meter.spent(
                spent, passed, looks).items()})
    return {operation: {part: _line(*(cost[part] for cost in costs))
                        for part in model.PARTS}
            for operation, costs in found.items()}


def _line(small, large):
    """Return the cost of a stack and of each resource, from two sizes."""
    each = max(0.0, (large - small) / (SIZES[1] - SIZES[0]))
    return max(0.0, small - each * SIZES[0]), each


# -- scans ------------------------------------------------------------------

def scans(site):
    """Return what a scan costs by itself and for each stack in progress."""
    names = [f'busy-{number}' for number in range(BUSY)]
    slow = {'heat_template_version': '2018-08-31', 'resources': {
        'r': {'type': 'OS::Heat::TestResource', 'properties': {
            'value': 'x', 'action_wait_secs': {'create': 600}}}}}
    session.configure(site.database_url)
    try:
        fixed = _scan_cost(site)
        for name in names:
            site.request('POST', '/stacks', {
                'stack_name': name, 'template': slow, 'timeout_mins': 60})
        busy = _scan_cost(site)
    finally:
        session.configure()
    for name in names:
        stack_id = site.request('GET', f'/stacks?name={name}')[
            'stacks'][0]['id']
        site.request('DELETE', f'/stacks/{name}/{stack_id}')
    return {part: (fixed[part], max(0.0, busy[part] - fixed[part]) / BUSY)
            for part in fixed}


def _scan_cost(site):
    context = heat_context.get_admin_context()
    _scan(context)
    engine = time.process_time()
    database = site.processor_seconds()['database']
    for _time in range(SCANS):
        _scan(context)
    return {'engine': (time.process_time() - engine) / SCANS,
            'database': (site.processor_seconds()['database'] - database) /
            SCANS}


def _scan(context):
    """Read what a scan reads of stacks in progress."""
    resource.Resource.claims(context)
    ids = stack.Stack.get_ids_in_progress(context, convergence=True)
    rows = stack.Stack.get_many_in_progress(context, ids)
    points = sync_point.of_stacks(context, {
        row.id: row.current_traversal for row in rows
        if row.current_traversal})
    sync_point.ready_of_many(context, [
        point.traversal_id for point in points.values()])


# -- all together -----------------------------------------------------------

def measure(names=tuple(SHAPES), say=lambda _text: None):
    """Return the Costs of this machine."""
    with real.running(1) as site:
        measuring.warm_up(site, ('flat',))
        with real.Probe(site) as probe:
            time.sleep(PROBE)
        small = probe.found()
        say(f'{small}, stretch {probe.stretch():.2f}')
        meter = Meter(site)
        found = {}
        for shape in names:
            found[shape] = operations(site, meter, shape)
            say(f'{shape}: {found[shape]}')
        return model.Costs(**small, operations=found, scan=scans(site),
                           look=meter.look)


def save(costs, path):
    """Write Costs to a file."""
    pathlib.Path(path).write_text(
        json.dumps(dataclasses.asdict(costs), indent=1) + '\n')


def load(path):
    """Return the Costs of a file."""
    return model.Costs(**json.loads(pathlib.Path(path).read_text()))
