"""The trace that a request belongs to, if anybody traces it."""
import contextlib

from osprofiler import profiler


def step(name, info):
    """Return a context manager: what is done in it is a step of the trace.

    :param info: what is told of it; plain values.
    """
    if profiler.get() is None:
        return contextlib.nullcontext()
    return profiler.Trace(name, info)


def current():
    """Return what resume() needs to continue the trace, or None."""
    trace = profiler.get()
    if trace is None:
        return None
    return {'hmac_key': trace.hmac_key, 'base_id': trace.get_base_id(),
            'parent_id': trace.get_id()}


def resume(info):
    """Continue the trace that current() returned in this thread."""
    profiler.init(**info)
