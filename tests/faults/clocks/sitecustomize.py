"""Let processes sleep whose clock libfaketime sets.

Python sleeps until a time of the monotonic clock, which libfaketime takes
for one of the clock that it has changed.
"""
import select
import sys
import time
import types

# Eventlet puts another function in its place.
_SELECT = select.select


def _sleep(seconds):
    """Wait without naming a time when to end."""
    _SELECT([], [], [], seconds)


time.sleep = _sleep
# Eventlet asks for the module as it was before it changes it.
_ORIGINAL = types.ModuleType('time')
_ORIGINAL.__dict__.update(time.__dict__)
sys.modules['__original_module_time'] = _ORIGINAL
