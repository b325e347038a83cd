"""The engine as a service: what it is made of, how it starts and stops."""
from concurrent import futures
import uuid

from oslo_config import cfg
from oslo_log import log as logging
import oslo_messaging

from heat.common import messaging as rpc_messaging
from heat.engine import idle_memory
from heat.engine import nested_watch
from heat.engine import recorder
from heat.engine import recovery
from heat.engine import resources
from heat.engine import service_admin
from heat.engine import service_events
from heat.engine import service_health
from heat.engine import service_heartbeat
from heat.engine import service_listener
from heat.engine import service_monitor
from heat.engine import service_queries
from heat.engine import service_resources
from heat.engine import service_snapshots
from heat.engine import service_software_config
from heat.engine import service_stacks
from heat.engine import service_templates
from heat.engine import stack_driver
from heat.engine import task_pool
from heat.engine import thread_groups
from heat.engine import worker
from heat.engine.hot.functions import yaql
from heat.rpc import api as rpc_api
from heat.rpc import listener_client
from heat.rpc import worker_client

LOG = logging.getLogger(__name__)

#: Seconds for which an engine that stops lets what runs come to its end,
#: within the minute that graceful_shutdown_timeout gives it by default.
GRACE = 40


class EngineService(service_stacks.StackOperations,
                    service_queries.StackQueries,
                    service_resources.ResourceOperations,
                    service_templates.TemplateOperations,
                    service_events.EventQueries,
                    service_snapshots.SnapshotOperations,
                    service_software_config.SoftwareConfigOperations,
                    service_admin.AdminOperations):
    """Everything an engine answers over RPC, and its life cycle.

    RPC is a flat namespace by protocol; hence the inheritance.
    """

    RPC_API_VERSION = '1.36'

    def __init__(self, host, topic=rpc_api.ENGINE_TOPIC, *, alone=False):
        """Make an engine; start() brings it to life.

        :param alone: whether no other engine can be alive, so that what
            others hold was held by processes that are gone.
        """
        resources.initialise()
        yaql.configure(cfg.CONF.yaql.limit_iterators,
                       cfg.CONF.yaql.memory_quota)
        self.host = host
        self._alone = alone
        self.topic = topic
        self.engine_id = None
        self.target = oslo_messaging.Target(
            version=self.RPC_API_VERSION, server=host, topic=topic)
        self.pool = None
        self.thread_group_mgr = None
        self._recorder = None
        self._doors = []
        self._signs = []

    def start(self):
        """Start everything; RPC comes last, when we are able to answer."""
        self.engine_id = str(uuid.uuid4())
        LOG.info('Starting engine %s on %s', self.engine_id, self.host)
        # Made first: it registers the options of servers.
        health = service_health.Health()
        answers = _RpcPart(self.topic, self.host, self, health)
        self._recorder = recorder.Recorder()
        self.pool = task_pool.TaskPool(cfg.CONF.executor_thread_pool_size,
                                       self._recorder)
        self._recorder.start()
        self.thread_group_mgr = thread_groups.ThreadGroupManager(self.pool)
        surroundings = stack_driver.Surroundings(
            self.engine_id, self.pool, self._recorder,
            self.thread_group_mgr, worker_client.WorkerClient(),
            listener_client.EngineListenerClient(self.engine_id))
        stack_driver.configure(surroundings)
        listener = _RpcPart(
            rpc_api.LISTENER_TOPIC, self.engine_id,
            service_listener.EngineListener(self.thread_group_mgr))
        # Signs of life come first and go last: what an engine holds is
        # taken from it as soon as it shows none.
        self._signs = [
            service_heartbeat.Heartbeat(self.engine_id, self.host,
                                        self.topic, self._alone),
            listener,
        ]
        self._doors = [
            worker.WorkerService(self.engine_id, surroundings),
            recovery.Recovery(surroundings, self._alone),
            nested_watch.NestedWatch(self.pool),
            idle_memory.IdleMemory(self.pool),
            answers,
            service_monitor.Monitor(self.engine_id, health,
                                    surroundings.listener_client,
                                    surroundings),
        ]
        for part in self._signs + self._doors:
            part.start()

    def stop(self, grace=GRACE):
        """Take no more work, let what runs come to its end, end.

        :param grace: seconds after which the rest is left to others.
        """
        LOG.info('Stopping engine %s', self.engine_id)
        _stop_together(self._doors)
        if self.pool is not None:
            stack_driver.convergence_driver().runner.hand_over()
            if not self.pool.join(grace):
                # Legacy operations end with us; nobody could go on.
                self.thread_group_mgr.stop_all(grace)
                LOG.warning('Engine %s leaves %d tasks to others',
                            self.engine_id, len(self.pool.active()))
            self.pool.stop()
            self._recorder.stop()
            self.pool = None
        _stop_together(self._signs)
        LOG.info('Engine %s has stopped', self.engine_id)

    def wait(self):
        """Nothing is left to wait for after stop()."""

    def reset(self):
        """Take over options that may change while we run (SIGHUP)."""
        cfg.CONF.mutate_config_files()
        logging.setup(cfg.CONF, 'heat')


def _stop_together(parts):
    """Stop parts at the same time: each may take seconds to notice."""
    def stop(part):
        try:
            part.stop()
        except Exception:
            LOG.exception('Stopping %s failed', type(part).__name__)

    if parts:
        with futures.ThreadPoolExecutor(len(parts)) as threads:
            list(threads.map(stop, parts))
    parts.clear()


class _RpcPart:
    """An RPC server as a part that starts and stops."""

    def __init__(self, topic, server, *endpoints):
        self._server = rpc_messaging.get_rpc_server(
            oslo_messaging.Target(topic=topic, server=server), *endpoints)

    def start(self):
        self._server.start()

    def stop(self):
        self._server.stop()
        self._server.wait()
