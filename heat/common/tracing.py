"""The trace that a request belongs to, if anybody traces it.

osprofiler is large. A process that has not loaded it is part of no trace.
"""
import contextlib
import sys

from heat.common import lazy

_PROFILER = 'osprofiler.profiler'
_profiler = lazy.module(_PROFILER)


def step(name, info):
    """Return a context manager: what is done in it is a step of the trace.

    :param info: what is told of it; plain values.
    """
    if _PROFILER not in sys.modules:
        return contextlib.nullcontext()
    return _profiler.Trace(name, info)


def current():
    """Return what resume() needs to go on with the trace, or None."""
    trace = _PROFILER in sys.modules and _profiler.get()
    if not trace:
        return None
    return {'hmac_key': trace.hmac_key, 'base_id': trace.get_base_id(),
            'parent_id': trace.get_id()}


def resume(info):
    """Make this thread go on with the trace that current() told of."""
    _profiler.init(**info)
