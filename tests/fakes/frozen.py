"""A process with the parts of an engine, one of which comes to rest.

Run as `python -m tests.fakes.frozen PART`, with HEAT_CONCURRENCY as the
environment variable that chooses the concurrency.
"""
import sys

from heat.cmd import backend

backend.select()

# ruff: noqa: E402 (the backend comes first)
import logging
import threading
import time

from oslo_config import cfg
import oslo_messaging

from heat.common import context as heat_context
from heat.common import messaging
from heat.db import session
from heat.engine.process import log_probe
from heat.engine.process import watchdog
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool

#: Seconds: of the lease, and after which a process that lives on is healthy.
LEASE, HEALTHY = 2.0, 8.0

LOG = logging.getLogger(__name__)


def never_set():
    """Wait for what does not come about."""
    threading.Event().wait()


def stuck_task():
    """A task that holds its thread for ever."""
    never_set()
    yield


def freeze_pool(pool, committer):
    """Have both threads of the pool wait, and one more task be ready."""
    for _number in range(3):
        pool.spawn(stuck_task())


def freeze_group_commit(pool, committer):
    """Have group commit wait inside a write."""
    committer.submit([group_commit.Write(never_set)], print)


def freeze_log(pool, committer):
    """Have two threads wait for each other, one for the log.

    The handler of the log is locked by who waits for a lock whose holder
    logs.
    """
    other, [handler] = threading.Lock(), logging.root.handlers

    def log_with_lock():
        with other:
            time.sleep(0.2)
            LOG.warning('This line is never written')

    def lock_with_log():
        handler.acquire()
        time.sleep(0.2)
        other.acquire()

    for function in (log_with_lock, lock_with_log):
        threading.Thread(target=function, daemon=True).start()


class Endpoint:
    """What holds up the RPC server."""

    def wait(self, ctxt):
        """Take a call, and never answer."""
        never_set()


def freeze_rpc(pool, committer):
    """Have the only thread of the RPC server wait, and a call be queued."""
    messaging.setup('fake://')
    target = oslo_messaging.Target(topic='t', server='s')
    server = messaging.get_rpc_server(target, Endpoint())
    cfg.CONF.set_override('executor_thread_pool_size', 1)
    server.start()
    client = messaging.get_rpc_client(topic='t')
    ctxt = heat_context.RequestContext(is_admin=False)
    for _number in range(3):
        client.cast(ctxt, 'wait')


def freeze_nothing(pool, committer):
    """Keep all parts at work."""
    def working():
        while True:
            yield 0.01
            yield group_commit.Write(lambda: None)

    for _number in range(3):
        pool.spawn(working())


def main(part):
    """Freeze a part; the watchdog is to end the process."""
    logging.basicConfig(stream=sys.stderr)
    cfg.CONF([], project='heat', default_config_files=[],
             default_config_dirs=[])
    session.configure('sqlite://')
    log_probe.INTERVAL = LEASE / 5
    committer = group_commit.GroupCommit()
    pool = task_pool.TaskPool(2, committer)
    probe = log_probe.LogProbe()
    dog = watchdog.Watchdog(
        {'the task pool': pool, 'group commit': committer,
         'the RPC server': messaging.CALLS, 'logging': probe},
        lease=LEASE, interval=LEASE / 10,
        native=watchdog.Native(*backend.native()))
    probe.start()
    dog.start()
    globals()['freeze_' + part](pool, committer)
    time.sleep(HEALTHY if part == 'nothing' else 60)


if __name__ == '__main__':
    main(sys.argv[1])
