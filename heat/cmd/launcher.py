"""Run the services as processes of their own, several of each if asked."""
from concurrent import futures
import functools
import os
import sys

from oslo_config import cfg
from oslo_log import log as logging
from oslo_service import service

from heat.cmd import backend
from heat.cmd import counters
from heat.cmd import report
from heat.common import exception
from heat.common import messaging
from heat.db import api as db_api

CONF = cfg.CONF
LOG = logging.getLogger(__name__)


class Process(service.ServiceBase):
    """What the launcher runs in each process: connect, then start a part.

    Connections are made after the fork, never inherited.
    """

    def __init__(self, name, make_part, *, with_database=False):
        self._name = name
        self._make_part = make_part
        self._with_database = with_database
        self._part = None

    def start(self):
        """Connect to what is needed and start serving."""
        backend.prepare_connections(
            self._with_database and CONF.database.connection)
        if self._with_database:
            db_api.configure()
        messaging.setup()
        counters.publish()
        report.watch(self._name)
        self._part = self._make_part()
        self._part.start()
        backend.spare_collections()

    def stop(self):
        """Serve no more, and close what was opened."""
        if self._part is not None:
            self._part.stop()
            messaging.cleanup()

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


def default_workers(configured):
    """Return how many processes there are to be: one for each core."""
    return configured or max(1, os.cpu_count() or 1)


def complains(main):
    """Turn a configuration that cannot work into a message and exit 1."""
    @functools.wraps(main)
    def wrapped(argv=None):
        try:
            return main(argv)
        except exception.Error as error:
            print(f'ERROR: {error}', file=sys.stderr)
            return 1
    return wrapped


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
    """Run a part in so many processes until told to stop."""
    process = Process(name, make_part, **kwargs)
    report.prepare(name)
    _reload_in_place()
    return service.launch(CONF, process, workers=workers,
                          restart_method='mutate').wait() or 0
