"""The RPC interface of the convergence worker for other engines.

Messages are hints: what they name is looked up in the database before
anything is done, so they may come twice, late, or not at all.
"""
from collections.abc import Iterable, Sequence
from typing import Any

from oslo_log import log as logging
import oslo_messaging

from heat.common import context as heat_context
from heat.common import messaging
from heat.engine import stack as stack_module
from heat.engine.cluster import event_wakeup
from heat.engine.cluster import interface as cluster_interface
from heat.engine.convergence import runner as traversal_runner
from heat.engine.stacks import snapshots
from heat.objects import resource as resource_objects
from heat.objects import snapshot as snapshot_objects
from heat.rpc import worker_api

LOG = logging.getLogger(__name__)


class WorkerService:
    """The RPC endpoint of the convergence worker of one engine."""

    RPC_API_VERSION = worker_api.RPC_API_VERSION

    target = oslo_messaging.Target(version=RPC_API_VERSION)

    def __init__(self, engine_context: cluster_interface.EngineContext,
                 runner: traversal_runner.TraversalRunner) -> None:
        self._engine = engine_context
        self._runner = runner
        self._server: Any = None

    def start(self) -> None:
        """Take messages from now on."""
        self._server = messaging.get_rpc_server(
            oslo_messaging.Target(topic=worker_api.TOPIC,
                                  server=self._engine.engine_id), self)
        self._server.start()

    def stop(self) -> None:
        """Take no more messages."""
        if self._server is not None:
            self._server.stop()
            self._server.wait()
            self._server = None

    @heat_context.request_context
    def check_nodes(self, ctxt: heat_context.RequestContext, stack_id: str,
                    traversal_id: str, nodes: Iterable[Sequence[Any]]) -> None:
        """Visit nodes of a traversal.

        :param nodes: pairs of resource row id and is_update.
        """
        self._runner.offer(ctxt, stack_id, traversal_id,
                           [(key, bool(is_update))
                            for key, is_update in nodes])

    @heat_context.request_context
    def check_resource(self, ctxt: heat_context.RequestContext,
                       resource_id: int, current_traversal: str, data: Any,
                       is_update: bool, adopt_stack_data: Any = None,
                       converge: bool = False, skip_propagate: bool = False,
                       accumulated_failures: Any = None,
                       node_type: str = worker_api.NODE_RESOURCE,
                       abandon: bool = False) -> None:
        """Visit one node, as the engines of the peer ask for it.

        Everything but the names of node and traversal is in the database.
        """
        row = resource_objects.Resource.get_obj(ctxt, resource_id)
        if row is None:
            LOG.debug('Resource %s of a message is gone', resource_id)
            return
        self._runner.offer(ctxt, row.stack_id, current_traversal,
                           [(row.id, bool(is_update))])

    @heat_context.request_context
    def wake(self, ctxt: heat_context.RequestContext, keys: Iterable[Any]
             ) -> None:
        """Wake who waits here for events that happened elsewhere."""
        for key in map(tuple, keys):
            if key == event_wakeup.LISTENED:
                event_wakeup.heard()
            else:
                self._engine.pool.wake(key)

    @heat_context.request_context
    def cancel_check_resource(self, ctxt: heat_context.RequestContext,
                              stack_id: str) -> None:
        """Stop what we do for operations of a stack that are over."""
        self._runner.drop_overtaken(ctxt, stack_id)

    @heat_context.request_context
    def check_resource_delete_snapshot(self, ctxt: heat_context.RequestContext,
                                       snapshot_id: str, resource_name: str,
                                       start_time: str | None = None,
                                       is_stack_delete: bool = False,
                                       current_traversal: str | None = None
                                       ) -> None:
        """Delete a snapshot of which the peer began to delete the parts."""
        snapshot = snapshot_objects.Snapshot.get_by_id(ctxt, snapshot_id)
        if snapshot is None:
            return
        stack = stack_module.Stack.load(ctxt, snapshot.stack_id)
        self._engine.pool.spawn(snapshots.delete_task(stack, snapshot),
                                'delete snapshot %s' % snapshot_id)
