"""How fast this machine is at the moment.

Limits of time that tests check are given for a reference machine, so that
they hold on machines of any speed, idle or busy.
"""
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
