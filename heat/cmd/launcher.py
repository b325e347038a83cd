"""Run the services as processes of their own, several of each if asked."""
from concurrent import futures
import fcntl
import mmap
import os
import signal
import sys
import tempfile

from oslo_config import cfg
from oslo_log import log as logging
from oslo_service import service

from heat.cmd import backend
from heat.cmd import counters
from heat.cmd import report
from heat.cmd import reporting
from heat.common import exception
from heat.common import logs
from heat.common import messaging
from heat.common import startup
from heat.db import api as db_api

CONF = cfg.CONF
LOG = logging.getLogger(__name__)


class _Beginning:
    """The state of the start of a service, in memory its processes share.

    The first byte is set once a process serves. The text behind it is the
    reason why a process could not start.
    """

    def __init__(self):
        self._main = os.getpid()
        self._file = tempfile.TemporaryFile()
        self._file.truncate(mmap.PAGESIZE)
        self._shared = mmap.mmap(self._file.fileno(), mmap.PAGESIZE)

    @property
    def is_worker(self):
        """Return whether this is not the process that the operator started."""
        return os.getpid() != self._main

    @property
    def failure(self):
        """Return the error that kept a process from starting, or None."""
        text = self._shared[1:].rstrip(b'\0')
        return text.decode(errors='replace') or None

    def succeed(self):
        """Note that a process serves."""
        self._shared[0] = 1

    def fail(self, error):
        """Have the whole service end, with what an error says."""
        if not isinstance(error, exception.HeatException):
            LOG.exception('Defect while starting')
        if self._shared[0]:
            LOG.error('A process could not start: %s', startup.cause(error))
        else:
            self._end_service(startup.cause(error))
        if self.is_worker:
            os._exit(1)
        raise SystemExit(1)

    def _end_service(self, cause):
        """Keep a text and end the service, for one process only.

        A second signal would end the main process before it could show the
        text. The lock ends with the process.
        """
        fcntl.lockf(self._file, fcntl.LOCK_EX)
        if self.failure is None:
            text = cause.encode()[:mmap.PAGESIZE - 1]
            self._shared[1:1 + len(text)] = text
            os.kill(self._main, signal.SIGTERM)


class Process(service.ServiceBase):
    """The work of the launcher in each process: connect, then start a part.

    Connections are made after the fork, never inherited.
    """

    def __init__(self, name, make_part, *, with_database=False):
        self._name = name
        self._beginning = _Beginning()
        self._is_starting = False
        self._make_part = make_part
        self._with_database = with_database
        self._part = None

    def start(self):
        """Connect to what is needed and start serving.

        What fails ends all processes of the service, unless it has served
        before.
        """
        self._is_starting = True
        try:
            self._start()
        except Exception as error:  # noqa: BLE001 (shown to the operator)
            self._beginning.fail(error)
        self._beginning.succeed()

    def _start(self):
        backend.prepare_connections(
            self._with_database and CONF.database.connection)
        if self._with_database:
            db_api.configure()
        messaging.setup()
        counters.publish()
        report.watch(self._name)
        part = self._make_part()
        part.start()
        self._part = part
        backend.spare_collections()

    def stop(self):
        """Serve no more, and close what was opened."""
        if self._part is not None:
            self._part.stop()
            messaging.cleanup()
        elif self._is_starting:
            # Nothing is served that would have to come to an end, and what
            # is waited for need not come.
            failure = None if self._beginning.is_worker else self.failure
            if failure is not None:
                reporting.complain(failure)
            os._exit(0 if failure is None else 1)

    @property
    def failure(self):
        """Return the error that kept the service from starting, or None."""
        return self._beginning.failure

    def wait(self):
        """Return when the part has ended."""
        if self._part is not None:
            self._part.wait()

    def reset(self):
        """Take over what can change while running (SIGHUP).

        The configuration files have been read anew by then.
        """
        LOG.info('%s takes over what has changed in its configuration',
                 self._name)
        logging.setup(CONF, 'heat')
        logs.contain_errors()


def default_workers(configured):
    """Return how many processes there are to be: one for each core."""
    return configured or max(1, os.cpu_count() or 1)


def _reload_in_place():
    """Have SIGHUP reset a worker process of the threading backend.

    What oslo.service wraps a service in leaves it at the default, by which
    the process ends and another one is made; and nobody reads the files anew
    in a worker. With the eventlet backend both is seen to.

    While the reload runs further signals are dropped, though the files may
    have changed again: so it only tells a thread, which does one by one.
    """
    # The thread is made in the worker, at the first signal.
    thread = futures.ThreadPoolExecutor(1, thread_name_prefix='reload')

    def reload(wrapper):
        thread.submit(take_over, wrapper.service_instance)

    def take_over(part):
        try:
            CONF.mutate_config_files()
            part.reset()
        except Exception:
            LOG.exception('The configuration stays as it was')

    threading_backend = sys.modules.get(
        'oslo_service.backend._threading.service')
    if threading_backend is not None:
        threading_backend.ServiceWrapper.reload = reload


def run(name, make_part, workers, **kwargs):
    """Run a part in a number of processes until told to stop."""
    process = Process(name, make_part, **kwargs)
    report.prepare(name)
    _reload_in_place()
    try:
        code = service.launch(CONF, process, workers=workers,
                              restart_method='mutate').wait() or 0
    except SystemExit as ending:
        # Some launchers end the process themselves.
        code = ending.code or 0
    if process.failure is None:
        return code
    reporting.complain(process.failure)
    # Parts that have started may have threads that nobody ends.
    os._exit(1)
