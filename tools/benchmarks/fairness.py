"""How long small stacks take beside large ones.

A number of small stacks is created with nothing else going on, and again
right after two large stacks have begun. Fair means that they take longer
than alone, but do not wait for the large ones.
"""
import dataclasses
import statistics
import time

LARGE, LARGE_SIZE = 2, 500
SMALL, SMALL_SIZE = 200, 3
TIMEOUT = 600


@dataclasses.dataclass
class Times:
    """Seconds from the request to the end, of single stacks.

    :ivar small: those of the small stacks
    :ivar large: those of the large ones
    """

    small: list
    large: list


def _create(setup, name, template):
    began = time.monotonic()
    setup.request('POST', '/stacks', {
        'stack_name': name, 'template': template, 'timeout_mins': 60})
    return began


def _wait(setup, began):
    """Return {name: seconds it took} once all stacks are complete."""
    took, deadline = {}, time.monotonic() + TIMEOUT
    while len(took) < len(began):
        if time.monotonic() > deadline:
            raise SystemExit(f'stacks are not done after {TIMEOUT} s')
        stacks = setup.request('GET', '/stacks?limit=1000')['stacks']
        now = time.monotonic()
        for stack in stacks:
            name, status = stack['stack_name'], stack['stack_status']
            if name not in began or name in took:
                continue
            if status.endswith('FAILED'):
                raise SystemExit(f'stack {name} is {status}')
            if status == 'CREATE_COMPLETE':
                took[name] = now - began[name]
        time.sleep(0.1)
    return took


def _delete(setup, names):
    stacks = setup.request('GET', '/stacks?limit=1000')['stacks']
    for stack in stacks:
        if stack['stack_name'] in names:
            setup.request('DELETE',
                          f'/stacks/{stack["stack_name"]}/{stack["id"]}')
    while any(stack['stack_name'] in names for stack in
              setup.request('GET', '/stacks?limit=1000')['stacks']):
        time.sleep(0.2)


def measure(setup, shape, large):
    """Return the Times of small stacks beside so many large ones.

    :param shape: function of a size that returns (template, files)
    """
    began = {}
    for number in range(large):
        name = f'large-{number}'
        began[name] = _create(setup, name, shape(LARGE_SIZE, False)[0])
    for number in range(SMALL):
        name = f'small-{number}'
        began[name] = _create(setup, name, shape(SMALL_SIZE, False)[0])
    took = _wait(setup, began)
    _delete(setup, set(began))
    return Times([took[name] for name in began if name.startswith('small')],
                 [took[name] for name in began if name.startswith('large')])


def rows(name, setup, shape):
    """Return lines of a table: what was going on, and how long it took."""
    lines = []
    for large in (0, LARGE):
        times = measure(setup, shape, large)
        lines.append([
            name, f'{large} of {LARGE_SIZE}', f'{SMALL} of {SMALL_SIZE}',
            f'{statistics.median(times.small):.2f}',
            f'{max(times.small):.2f}',
            f'{max(times.large):.2f}' if times.large else '-'])
    return lines


HEADER = ['set-up', 'large stacks', 'small stacks', 'median s', 'slowest s',
          'large s']
