"""The engine as a service: what it is made of, how it starts and stops."""
from concurrent import futures
import dataclasses
import functools
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging
import oslo_messaging

from heat.common import logs
from heat.common import messaging as rpc_messaging
from heat.engine import resources
from heat.engine import stack as stack_module
from heat.engine.cluster import heartbeat
from heat.engine.drivers import select as stack_driver
from heat.engine.process import drift_keeper
from heat.engine.process import figures
from heat.engine.process import health as service_health
from heat.engine.process import listener as service_listener
from heat.engine.process import load
from heat.engine.process import log_probe
from heat.engine.process import memory_trim
from heat.engine.process import monitor
from heat.engine.process import nested_poller
from heat.engine.process import planner
from heat.engine.process import recovery
from heat.engine.process import watchdog
from heat.engine.process import worker
from heat.engine.rpc import admin
from heat.engine.rpc import change_sets
from heat.engine.rpc import events as service_events
from heat.engine.rpc import protection as service_protection
from heat.engine.rpc import queries
from heat.engine.rpc import resources as service_resources
from heat.engine.rpc import snapshots as service_snapshots
from heat.engine.rpc import software_config as service_software_config
from heat.engine.rpc import stacks as service_stacks
from heat.engine.rpc import templates as service_templates
from heat.engine.rpc.drift import calls as drift_calls
from heat.engine.tasks import group_commit
from heat.engine.tasks import pool as task_pool
from heat.engine.tasks import stack_tasks
from heat.engine.watch import calls as watch_calls
from heat.engine.watch import delivery
from heat.engine.watch import evaluator
from heat.rpc import api as rpc_api
from heat.rpc import event_client
from heat.rpc import listener_client
from heat.rpc import worker_client

LOG = logging.getLogger(__name__)

#: Seconds for which an engine that stops lets what runs come to its end,
#: within the minute that graceful_shutdown_timeout gives it by default.
GRACE = 40


class EngineService(service_stacks.StackOperations,
                    queries.StackQueries,
                    queries.ExportQueries,
                    service_resources.ResourceOperations,
                    service_templates.TemplateOperations,
                    service_events.EventQueries,
                    service_snapshots.SnapshotOperations,
                    service_software_config.SoftwareConfigOperations,
                    change_sets.ChangeSetOperations,
                    service_protection.ProtectionOperations,
                    drift_calls.DriftOperations,
                    watch_calls.WatchOperations,
                    admin.AdminOperations):
    """Everything an engine answers over RPC, and its life cycle.

    RPC is a flat namespace by protocol; hence the inheritance.
    """

    RPC_API_VERSION = '1.46'

    def __init__(self, host, topic=rpc_api.ENGINE_TOPIC, *, alone=False,
                 native=None):
        """Make an engine; start() brings it to life.

        :param alone: whether no other engine can be alive, so that what
            others hold was held by processes that are gone.
        :param native: a watchdog.Native; without it nobody ends the process
            when it makes no progress.
        """
        resources.initialise()
        self.host = host
        self._alone = alone
        self._native = native
        self.topic = topic
        self.engine_id = None
        self.target = oslo_messaging.Target(
            version=self.RPC_API_VERSION, server=host, topic=topic)
        self.pool: task_pool.TaskPool | None = None
        self.thread_group_mgr: Any = None
        self.listener_client: Any = None
        self._group_commit: Any = None
        self._runner: Any = None
        self._doors = []
        self._signs = []

    def start(self):
        """Start everything; RPC comes last, when we are able to answer."""
        self.engine_id = str(uuid.uuid4())
        LOG.info('Starting engine %s on %s', self.engine_id, self.host)
        parts: dict[str, Any] = {}
        dog = watchdog.Watchdog(parts, native=self._native)
        # Made first: it registers the options of servers.
        health = service_health.Health(dog.trouble)
        answers = _RpcPart(self.topic, self.host, self, health)
        self._group_commit = group_commit.GroupCommit()
        self.pool = task_pool.TaskPool(cfg.CONF.executor_thread_pool_size,
                                       self._group_commit)
        self._group_commit.start()
        probe = log_probe.LogProbe()
        parts.update({
            'the task pool': self.pool, 'group commit': self._group_commit,
            'the RPC server': rpc_messaging.CALLS, 'logging': probe})
        self.thread_group_mgr = stack_tasks.ThreadGroupManager(self.pool)
        engine_context = stack_driver.EngineContext(
            self.engine_id, self.pool, self._group_commit,
            self.thread_group_mgr, worker_client.WorkerClient(),
            listener_client.EngineListenerClient(self.engine_id),
            event_client.EventClient(),
            stack_class=stack_module.Stack)
        engine = stack_driver.configure(engine_context)
        self._runner = engine.convergence_driver.runner
        self.listener_client = engine_context.listener_client
        # Signs of life come first and go last: what an engine holds is
        # taken from it as soon as it shows none.
        self._signs = [
            heartbeat.Heartbeat(self.engine_id, self.host, self.topic,
                                self._alone, dog.is_well),
            self._listener(engine_context, dog),
        ]
        self._doors = [
            dog,
            probe,
            worker.WorkerService(engine_context, self._runner),
            recovery.Recovery(engine_context, engine, self._alone),
            nested_poller.NestedWatch(self.pool),
            *self._keepers(engine_context),
            memory_trim.IdleMemory(self.pool),
            answers,
            *_of_alarms(self.engine_id),
            monitor.Monitor(engine_context, self._runner, health),
        ]
        for part in self._signs + self._doors:
            part.start()

    def _listener(self, engine_context, dog):
        """Return what answers questions about the work of this engine."""
        def current_load():
            return {**dataclasses.asdict(
                load.current(engine_context, self._runner)),
                'metrics': dataclasses.asdict(figures.current())}

        return _RpcPart(rpc_api.LISTENER_TOPIC, self.engine_id,
                        service_listener.EngineListener(
                            self.thread_group_mgr, dog.is_well,
                            current_load))

    def _keepers(self, engine_context):
        """Return what carries on the work of dead engines on plans, drift.
        """
        return [planner.Planner(engine_context, functools.partial(
                    change_sets.plan_again, self.pool), alone=self._alone),
                drift_keeper.DriftKeeper(engine_context, self,
                                         alone=self._alone)]

    def stop(self, grace=GRACE):
        """Take no more work, let what runs come to its end, end.

        :param grace: seconds after which the rest is left to others.
        """
        LOG.info('Stopping engine %s', self.engine_id)
        _stop_together(self._doors)
        if self.pool is not None:
            self._runner.hand_over()
            if not self.pool.join(grace):
                # Legacy operations end with us; nobody could go on.
                self.thread_group_mgr.stop_all(grace)
                LOG.warning('Engine %s leaves %d tasks to others',
                            self.engine_id, len(self.pool.active()))
            self.pool.stop()
            self._group_commit.stop()
            self.pool = None
        _stop_together(self._signs)
        LOG.info('Engine %s has stopped', self.engine_id)

    def wait(self):
        """Nothing is left to wait for after stop()."""

    def reset(self):
        """Take over options that may change while we run (SIGHUP)."""
        cfg.CONF.mutate_config_files()
        logging.setup(cfg.CONF, 'heat')
        logs.contain_errors()


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


def _of_alarms(engine_id):
    """Return the parts that evaluate alarms; they start if enabled."""
    return [evaluator.Evaluator(engine_id), evaluator.Upkeep(),
            delivery.Delivery()]


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
