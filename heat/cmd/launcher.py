"""Run the services as processes of their own, several of each if asked."""
import functools
import os
import sys

from oslo_config import cfg
from oslo_log import log as logging
from oslo_service import service

from heat.cmd import counters
from heat.common import exception
from heat.common import messaging
from heat.db import api as db_api

CONF = cfg.CONF
LOG = logging.getLogger(__name__)


class Process(service.ServiceBase):
    """What the launcher runs in each process: connect, then start a part.

    Connections are made after the fork, never inherited.
    """

    def __init__(self, make_part, *, with_database=False):
        self._make_part = make_part
        self._with_database = with_database
        self._part = None

    def start(self):
        """Connect to what is needed and start serving."""
        if self._with_database:
            db_api.configure()
        messaging.setup()
        counters.publish()
        self._part = self._make_part()
        self._part.start()

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
        """Take over what can change while running (SIGHUP)."""
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


def run(make_part, workers, **kwargs):
    """Run a part in so many processes until told to stop."""
    process = Process(make_part, **kwargs)
    return service.launch(CONF, process, workers=workers,
                          restart_method='mutate').wait() or 0
