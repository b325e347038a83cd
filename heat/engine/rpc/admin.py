"""RPC calls for operators and about the service itself."""
from oslo_config import cfg

from heat.common import context as heat_context
from heat.engine import stack as stack_module
from heat.engine.cluster import liveness
from heat.engine.drivers import migrate as stack_migrate
from heat.objects import service as service_objects


class AdminOperations:
    """Revision, liveness of engines, credentials of a request."""

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
    def list_services(self, cnxt):
        """Return every engine with its last report and its status."""
        return [liveness.format_service(row)
                for row in service_objects.Service.get_all(cnxt)]
