"""RPC calls for operators and about the service itself."""
from concurrent import futures
from typing import Any

from oslo_config import cfg

from heat.common import context as heat_context
from heat.engine import stack as stack_module
from heat.engine.cluster import liveness
from heat.engine.drivers import migrate as stack_migrate
from heat.objects import service as service_objects

#: The number of engines that are asked for their load at the same time.
_ASKED_AT_ONCE = 16


class AdminOperations:
    """Revision, liveness of engines, credentials of a request."""

    # What the service has.
    listener_client: Any

    @heat_context.request_context
    def authenticated_to_backend(self, cnxt):
        """Return whether the request may act on the cloud behind us."""
        return bool(cnxt.user_creds_are_valid())

    @heat_context.request_context
    def get_revision(self, cnxt):
        """Return the revision the operator gave this installation."""
        return cfg.CONF.revision['heat_revision']

    @heat_context.request_context
    def migrate_convergence_1(self, cnxt, stack_id):
        """Make a legacy stack and its nested ones stacks of convergence."""
        stack_migrate.to_convergence(cnxt,
                                     stack_module.Stack.load(cnxt, stack_id))

    @heat_context.request_context
    def list_services(self, cnxt, with_load=False):
        """Return every engine with its last report and its status.

        :param with_load: ask each that is up how much it has to do as well;
            `load` is None for one that does not answer in due time
        """
        services = [liveness.format_service(row)
                    for row in service_objects.Service.get_all(cnxt)]
        if with_load:
            self._add_load(cnxt, services)
        return services

    def _add_load(self, cnxt, services):
        """Ask engines how much they have to do, many at once."""
        def ask(service):
            is_up = service['status'] == 'up'
            service['load'] = self.listener_client.load(
                cnxt, service['engine_id']) if is_up else None

        if services:
            with futures.ThreadPoolExecutor(
                    min(len(services), _ASKED_AT_ONCE)) as threads:
                list(threads.map(ask, services))
