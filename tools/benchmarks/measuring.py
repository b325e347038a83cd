"""Carry operations on stacks out, and count what they cost."""
import dataclasses
import statistics
import time

from tools.benchmarks import shapes

OPERATIONS = ('create', 'update 0 %', 'update 10 %', 'delete')
TIMEOUT = 1800
#: Seconds between two looks at first, and the part of the time that has
#: passed which a later pause may be: the error of a time stays below it.
SHORTEST_PAUSE, PAUSE = 0.02, 0.03
#: So many looks tell what one costs.
LOOKS = 20
#: Stacks of this many resources are measured so often.
REPEATS = {10: 5, 100: 5}


@dataclasses.dataclass
class Row:
    setup: str
    shape: str
    size: int
    operation: str
    wall: float
    cpu: float
    peak: float
    statements: float
    commits: float
    messages: float


class Failed(SystemExit):
    """An operation did not end as it should."""


class Watch:
    """Looks whether an operation on a stack has ended."""

    def __init__(self, setup, name):
        self._setup = setup
        self._name = name
        self._cost = {}
        self.looks = 0

    def look(self):
        """Return the stack as lists show it; None when it is gone."""
        self.looks += 1
        stacks = self._setup.request(
            'GET', f'/stacks?name={self._name}')['stacks']
        return stacks[0] if stacks else None

    def calibrate(self):
        """Find out what a look costs, while nothing else happens."""
        before = self._setup.counts()
        for _ in range(LOOKS):
            self.look()
        after = self._setup.counts()
        self._cost = {key: (after[key] - before[key]) / LOOKS
                      for key in after}

    def without_looks(self, counts):
        """Return counts without what the looks at them have cost."""
        return {key: max(0, value - self.looks * self._cost.get(key, 0))
                for key, value in counts.items()}

    def wait(self, action):
        """Return when an action is complete."""
        start = time.monotonic()
        while (passed := time.monotonic() - start) < TIMEOUT:
            stack = self.look()
            if stack is None:
                if action == 'DELETE':
                    return
                raise Failed(f'stack {self._name} is gone')
            status = stack['stack_status']
            if status == f'{action}_COMPLETE':
                return
            if status.endswith('FAILED'):
                raise Failed(f'stack {self._name} is {status}: '
                             f'{stack["stack_status_reason"]}')
            time.sleep(max(SHORTEST_PAUSE, PAUSE * passed))
        raise Failed(f'stack {self._name} is not done after {TIMEOUT} s')


def perform(setup, watch, name, shape, size, operation, stack_id):
    """Carry an operation out; return the id of the stack."""
    tmpl, files = shape(size, operation == 'update 10 %')
    body = {'stack_name': name, 'template': tmpl, 'files': files,
            'timeout_mins': 60}
    if operation == 'create':
        stack_id = setup.request('POST', '/stacks', body)['stack']['id']
        watch.wait('CREATE')
    elif operation == 'delete':
        setup.request('DELETE', f'/stacks/{name}/{stack_id}')
        watch.wait('DELETE')
    else:
        setup.request('PUT', f'/stacks/{name}/{stack_id}', body)
        watch.wait('UPDATE')
    return stack_id


def measure(setup, shape, size, function=None):
    """Yield a Row for each operation on a stack of a shape and size.

    :param function: what makes the templates of a shape that has no name
    """
    name, function = f'{shape}-{size}', function or shapes.of(shape)
    watch = Watch(setup, name)
    watch.calibrate()
    stack_id = None
    for operation in OPERATIONS:
        before, watch.looks = setup.counts(), 0
        setup.forget_peak()
        start = time.monotonic()
        stack_id = perform(setup, watch, name, function, size,
                           operation, stack_id)
        wall = time.monotonic() - start
        after = setup.counts()
        spent = watch.without_looks({
            key: after[key] - before.get(key, 0) for key in after})
        yield Row(setup.name, shape, size, operation, wall, spent['cpu'],
                  setup.peak(), spent['statements'] / size,
                  spent['commits'] / size, spent['messages'] / size)


def medians(rounds):
    """Return one Row for each operation out of several measurements."""
    for rows in zip(*rounds, strict=True):
        yield dataclasses.replace(rows[0], **{
            field: statistics.median(getattr(row, field) for row in rows)
            for field in ('wall', 'cpu', 'peak', 'statements', 'commits',
                          'messages')})


def warm_up(setup, names):
    """Have everything imported and connected before it is measured."""
    for shape in names:
        for _row in measure(setup, shape, shapes.MEMBERS):
            pass
