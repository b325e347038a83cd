"""Sending nodes of a traversal to the convergence workers."""
from collections.abc import Iterable, Sequence
from typing import Any

from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import messaging
from heat.rpc import worker_api

LOG = logging.getLogger(__name__)


class WorkerClient:
    """Casts to the workers; nobody waits for them.

    A message is a hint. What is to be done stands in the database, where
    each engine looks now and then; so a message that cannot be sent is
    dropped, and nobody is kept waiting for a broker.
    """

    BASE_RPC_API_VERSION = '1.0'

    def __init__(self) -> None:
        self._client = messaging.get_rpc_client(
            retry=0, topic=worker_api.TOPIC,
            version=self.BASE_RPC_API_VERSION)

    def _cast(self, ctxt: heat_context.RequestContext, method: str,
              version: str, server: str | None = None, fanout: bool = False,
              **kwargs: Any) -> None:
        options: dict[str, Any] = {'version': version}
        if server is not None:
            options['server'] = server
        if fanout:
            options['fanout'] = True
        try:
            self._client.prepare(**options).cast(ctxt, method, **kwargs)
        except Exception as exc:  # noqa: BLE001 - whatever the driver has
            LOG.warning('The message %s could not be sent; the work will be '
                        'found in the database: %s', method, exc)

    def check_resource(self, ctxt: heat_context.RequestContext,
                       resource_id: int, current_traversal: str,
                       data: dict[str, Any], is_update: bool,
                       adopt_stack_data: dict[str, Any],
                       converge: bool = False, skip_propagate: bool = False,
                       accumulated_failures: dict[str, Any] | None = None,
                       node_type: str = worker_api.NODE_RESOURCE,
                       abandon: bool = False) -> None:
        """Ask for one node to be processed, as Heat's engines do."""
        self._cast(ctxt, 'check_resource', '1.9', resource_id=resource_id,
                   current_traversal=current_traversal, data=data,
                   is_update=is_update, adopt_stack_data=adopt_stack_data,
                   converge=converge, skip_propagate=skip_propagate,
                   accumulated_failures=accumulated_failures,
                   node_type=node_type, abandon=abandon)

    def check_nodes(self, ctxt: heat_context.RequestContext, stack_id: str,
                    traversal_id: str, nodes: Iterable[tuple[int, bool]]
                    ) -> None:
        """Ask for several nodes of a traversal to be processed.

        :param nodes: pairs of resource row id and is_update.
        """
        self._cast(ctxt, 'check_nodes', '1.10', stack_id=stack_id,
                   traversal_id=traversal_id,
                   nodes=[list(node) for node in nodes])

    def wake(self, ctxt: heat_context.RequestContext, keys: Sequence[Any]
             ) -> None:
        """Tell all engines of events that somebody may wait for.

        :param keys: lists of texts and numbers.
        """
        self._cast(ctxt, 'wake', '1.11', fanout=True, keys=keys)

    def check_resource_delete_snapshot(self, ctxt: heat_context.RequestContext,
                                       snapshot_id: str, resource_name: str,
                                       start_time: str | None = None,
                                       is_stack_delete: bool = False,
                                       current_traversal: str | None = None
                                       ) -> None:
        """Ask for the snapshot of one resource to be deleted."""
        self._cast(ctxt, 'check_resource_delete_snapshot', '1.7',
                   snapshot_id=snapshot_id, resource_name=resource_name,
                   start_time=start_time, is_stack_delete=is_stack_delete,
                   current_traversal=current_traversal)

    def cancel_check_resource(self, ctxt: heat_context.RequestContext,
                              stack_id: str, engine_id: str) -> None:
        """Ask one engine to stop what it does for a stack."""
        self._cast(ctxt, 'cancel_check_resource', '1.3', server=engine_id,
                   stack_id=stack_id)
