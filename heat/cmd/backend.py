"""Choose how this process runs many things at once, before all else.

Every entry point calls :func:`select` as its first statement and imports
the rest of the service afterwards: eventlet must patch the standard library
before anybody has taken a reference to it.
"""
import _thread
import gc
import os
import select as os_select
import selectors
import socket
import time
import warnings

ENVIRONMENT_VARIABLE = 'HEAT_CONCURRENCY'
EVENTLET = 'eventlet'
THREADING = 'threading'

#: The thresholds of the garbage collector: see gc.set_threshold(). A task
#: keeps its objects until it ends, so most collections of all generations
#: free nothing. The young generations must stay small: a request that fails
#: may leave its body in a reference cycle.
_COLLECTIONS = 2000, 10, 100


def chosen():
    """Return the name of the backend the operator asked for.

    It comes from the environment, because it has to be known before the
    configuration can be parsed.

    :raises SystemExit: the name is neither `eventlet` nor `threading`.
    """
    name = os.environ.get(ENVIRONMENT_VARIABLE) or EVENTLET
    if name not in (EVENTLET, THREADING):
        raise SystemExit(f'{ENVIRONMENT_VARIABLE} is {name!r}; it must be '
                         f'{EVENTLET!r} or {THREADING!r}')
    return name


def select():
    """Patch the process for the chosen backend and tell oslo.service."""
    name = chosen()
    # The operator made the choice; a warning about it in every log is noise.
    warnings.filterwarnings('ignore', message='(?s).*eventlet.*')
    # The resolver of eventlet knows neither IPv6 nor nsswitch.conf, and
    # brings large libraries, also where others import eventlet; see
    # prepare_connections().
    os.environ.setdefault('EVENTLET_NO_GREENDNS', 'yes')
    if name == EVENTLET:
        _patch()
    from oslo_service import backend
    backend.init_backend(backend.BackendType(name))
    return name


def _patch():
    import eventlet
    epoll = getattr(selectors, 'EpollSelector', None)
    # It would load the client of PostgreSQL; see prepare_connections().
    eventlet.monkey_patch(psycopg=False)
    if epoll is not None:
        _make_selectors_scale(epoll)


def _make_selectors_scale(epoll):
    """Replace the selector of eventlet, which calls select().

    It asks for all descriptors anew at each call, so that many connections
    without traffic cost as much as many with. The descriptor of an epoll
    object can be waited for like any other.
    """
    class GreenEpollSelector(epoll):  # type: ignore[valid-type,misc]
        def select(self, timeout=None):
            if timeout is None or timeout > 0:
                os_select.select([self], [], [], timeout)
            return super().select(0)

    # The module is patched on purpose, as eventlet does.
    selectors.DefaultSelector = (  # type: ignore[misc]
        GreenEpollSelector)


def prepare_connections(database):
    """See that nothing holds up the whole process while it waits.

    To be called in the process that connects: threads survive no fork.

    :param database: the URL of the database, or None
    """
    if chosen() != EVENTLET:
        return
    _resolve_in_threads()
    if database and database.startswith('postgres'):
        _make_psycopg2_yield()


def native():
    """Return what starts a thread and pauses it beside everything else.

    That is (start_new_thread, sleep): with eventlet those that it has not
    patched, for what has to run when no green thread does.
    """
    if chosen() != EVENTLET:
        return _thread.start_new_thread, time.sleep
    from eventlet import patcher
    return (patcher.original('_thread').start_new_thread,
            patcher.original('time').sleep)


def begin_child():
    """Prepare a process that was just forked for work of its own."""
    if chosen() == EVENTLET:
        from eventlet import hubs
        # That of the parent shares its descriptor with the parent.
        hubs.use_hub()


def spare_collections():
    """Have the garbage collector spend less time on objects that stay.

    No collection looks at the objects that exist now, and those that collect
    all generations are rare. To be called once the process serves.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTIONS)


def _resolve_in_threads():
    """Let the system look names of hosts up beside everything else."""
    from eventlet import tpool
    resolve = socket.getaddrinfo
    if hasattr(resolve, 'without_thread'):
        return

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        try:
            # Of addresses nothing has to be looked up.
            return resolve(host, port, family, type, proto,
                           flags | socket.AI_NUMERICHOST)
        except socket.gaierror:
            return tpool.execute(resolve, host, port, family, type, proto,
                                 flags)

    vars(getaddrinfo)['without_thread'] = resolve
    socket.getaddrinfo = getaddrinfo


def _make_psycopg2_yield():
    """Let psycopg2, which waits in C, wait in the hub instead."""
    try:
        import psycopg2
        from psycopg2 import extensions
    except ImportError:
        return
    from eventlet import hubs

    def wait(connection):
        while True:
            state = connection.poll()
            if state == extensions.POLL_OK:
                return
            if state == extensions.POLL_READ:
                hubs.trampoline(connection.fileno(), read=True)
            elif state == extensions.POLL_WRITE:
                hubs.trampoline(connection.fileno(), write=True)
            else:
                raise psycopg2.OperationalError(
                    f'unexpected poll result {state}')

    extensions.set_wait_callback(wait)
