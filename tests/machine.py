"""How fast this machine is at the moment, and what processes take of it.

Limits of time that tests check are given for a reference machine, so that
they hold on machines of any speed, idle or busy.
"""
import os
import pathlib
import time

_ADDITIONS = 500_000
#: The CPU seconds of these additions on the reference machine.
_REFERENCE = 0.0125


def slowness():
    """Return how many times slower than the reference this machine is now.

    At least 1: a faster machine makes no limit stricter.
    """
    total = 0
    began = time.thread_time()
    for number in range(_ADDITIONS):
        total += number
    return max(1, (time.thread_time() - began) / _REFERENCE)


def cpu_seconds(pid):
    """Return the CPU time that a process has used; see proc(5).

    :raises OSError: there is no such process.
    """
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(
        ')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
