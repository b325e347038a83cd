"""What a call costs the process: CPU time and memory.

CPU time is given in seconds of the reference machine of tests/machine.py.
"""
import dataclasses
import gc
import pathlib
import time

from tests import machine

_STATUS = pathlib.Path('/proc/self/status')
_RESET = pathlib.Path('/proc/self/clear_refs')


@dataclasses.dataclass(frozen=True)
class Cost:
    """CPU seconds of all threads, and bytes at the peak above the start.

    The seconds are those of the reference machine.
    """

    seconds: float
    room: int


def _field(name):
    for line in _STATUS.read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def settle():
    """Have garbage collections leave out what exists already.

    The processes of the service do so as well (heat.cmd.backend). The heap of
    a test process is many times theirs: to collect it once takes longer than
    what is measured.
    """
    gc.collect()
    gc.freeze()


def measure(function, *args):
    """Return (result of a call, its cost)."""
    settle()
    slow = machine.slowness()
    # Linux forgets the peak.
    _RESET.write_text('5')
    before = _field('VmRSS')
    started = time.process_time()
    result = function(*args)
    seconds = time.process_time() - started
    slow = max(slow, machine.slowness())
    return result, Cost(seconds / slow, max(_field('VmHWM') - before, 0))
