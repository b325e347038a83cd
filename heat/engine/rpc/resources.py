"""RPC calls about the resources of a stack."""
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.drivers import select as stack_driver
from heat.engine.lifecycle import breakpoints
from heat.engine.lifecycle import signal as resource_signal
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.rpc import resource_lists
from heat.objects import resource as resource_objects

LOG = logging.getLogger(__name__)


def _deliver_or_refuse(resource, details):
    """Give a signal; raise Invalid if it is not one for the resource."""
    try:
        resource_signal.deliver(resource, details)
    except exception.ResourceFailure as error:
        if isinstance(error.exc, ValueError):
            raise exception.Invalid(reason=str(error.exc)) from error
        raise


class ResourceOperations:
    """List, show, signal and mark resources."""

    # What the service has.
    thread_group_mgr: Any

    @staticmethod
    def _may_access(cnxt, stack, resource_name):
        """Raise Forbidden when a user made for one resource asks another.

        Such users have the role of the option heat_stack_user_role.
        """
        if (cfg.CONF.heat_stack_user_role in (cnxt.roles or ())
                and not stack.access_allowed(cnxt.user_id, resource_name)):
            raise exception.Forbidden()

    def _resource(self, cnxt, stack_identity, resource_name, *,
                  physical=False, deleted=False, as_owner=False):
        """Return a stack and its resource, which does not keep the stack.

        :param physical: the name may also be a physical id.
        :param deleted: it may also be one that has just been deleted.
        :param as_owner: a user of the stack may have it act for its owner.
        :raises ResourceNotFound: there is none, or nothing of it yet.
        """
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        stack = stack_module.Stack.load(cnxt, stack=row)
        # Of a large stack, most rows are of no interest.
        stack.rows.expect([resource_name])
        self._may_access(cnxt, stack, resource_name)
        if as_owner and cnxt.project_id != stack.tenant_id:
            # Who may signal sees nothing of what the signal is about.
            stack = stack_module.Stack.load(cnxt, stack=row,
                                            use_stored_context=True)
        resource = stack.resource_get(resource_name)
        if resource is None and physical:
            resource = self._by_physical_id(stack, resource_name)
        if deleted and (resource is None or resource.id is None):
            resource = self._deleted(stack, resource_name) or resource
        if resource is None or resource.id is None:
            raise exception.ResourceNotFound(resource_name=resource_name,
                                             stack_name=stack.name)
        return stack, resource

    def _to_signal(self, cnxt, stack_identity, resource_name, details):
        """Return a stack and its resource that a signal is for.

        :raises ResourceNotAvailable: the template has it, but there is
            nothing of it.
        """
        try:
            # One that is deleted may wait at the breakpoint behind that.
            return self._resource(
                cnxt, stack_identity, resource_name,
                deleted=breakpoints.is_clearing(details), as_owner=True)
        except exception.ResourceNotFound:
            row = guards.find_stack(cnxt, stack_identity,
                                    show_deleted=True)
            stack = stack_module.Stack.load(cnxt, stack=row)
            if resource_name not in stack:
                raise
            raise exception.ResourceNotAvailable(
                resource_name=resource_name) from None

    @staticmethod
    def _deleted(stack, name):
        """Return a resource whose row is still there, or None."""
        row = resource_objects.Resource.get_all_by_stack(
            stack.context, stack.id, {'name': name}).get(name)
        if row is None or name not in stack.defn.all_rsrc_names():
            return None
        return stack.resource_of(row, stack.defn.resource_definition(name))

    @staticmethod
    def _by_physical_id(stack, physical_id):
        found = [resource for resource in stack.values()
                 if resource.resource_id == physical_id]
        if len(found) > 1:
            names = ', '.join(sorted(resource.name for resource in found))
            raise exception.PhysicalResourceIDAmbiguity(
                phys_id=physical_id,
                hint=_(' Give the name of one of them: %s.') % names)
        return found[0] if found else None

    @staticmethod
    def _require_idle(stack, resource):
        """Raise ActionInProgress while an engine works on a resource."""
        stack_driver.of(stack).require_ready(stack)
        if resource.engine_id is not None:
            raise exception.ActionInProgress(stack_name=stack.name,
                                             action=stack.action)

    @heat_context.request_context
    def describe_stack_resource(self, cnxt, stack_identity, resource_name,
                                with_attr=None):
        """Return one resource with its metadata and attributes."""
        _stack, resource = self._resource(cnxt, stack_identity,
                                          resource_name)
        return formats.format_stack_resource(resource, with_attr=with_attr)

    @heat_context.request_context
    def describe_stack_resources(self, cnxt, stack_identity, resource_name):
        """Return the resources of a stack, or the one of that name."""
        row = guards.find_stack(cnxt, stack_identity)
        stack = stack_module.Stack.load(cnxt, stack=row)
        return [formats.format_stack_resource(resource)
                for name, resource in stack.items()
                if resource_name is None or name == resource_name]

    @heat_context.request_context
    def find_physical_resource(self, cnxt, physical_resource_id):
        """Return the identifier of the resource with a physical id."""
        # A resource of another project may name the same physical id; it
        # must not hide the caller's own.
        row = resource_objects.Resource.get_by_physical_resource_id(
            cnxt, physical_resource_id,
            project_id=None if cnxt.is_admin else (cnxt.project_id or ''))
        if row is not None:
            stack = stack_module.Stack.load(cnxt, row.stack_id)
            if cnxt.is_admin or stack.tenant_id == cnxt.project_id:
                return dict(identifier.ResourceIdentifier(
                    resource_name=row.name, **stack.identifier()))
        raise exception.EntityNotFound(entity='Resource',
                                       name=physical_resource_id)

    @heat_context.request_context
    def list_stack_resources(self, cnxt, stack_identity, nested_depth=0,
                             with_detail=False, filters=None):
        """Return resources of a stack and of stacks nested in it."""
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        return resource_lists.of_tree(
            cnxt, row, nested_depth=nested_depth, with_detail=with_detail,
            filters=filters or {})

    @heat_context.request_context
    def resource_signal(self, cnxt, stack_identity, resource_name, details,
                        sync_call=False):
        """Give a signal to a resource.

        :param sync_call: answer after the resource has handled it.
        :raises Invalid: it is not one that the resource takes.
        """
        stack, resource = self._to_signal(cnxt, stack_identity,
                                          resource_name, details)
        resource_signal.check(resource, details)

        if sync_call:
            _deliver_or_refuse(resource, details)
            return resource.metadata_get()

        def deliver(stack):
            # A task: the answer does not wait for what the signal does. It
            # holds the stack, to which a resource only refers.
            yield 0
            LOG.debug('Delivering a signal to %s of %s', resource, stack)
            try:
                resource_signal.deliver(resource, details)
            except exception.ResourceFailure as error:
                LOG.warning('A signal to %s of %s failed: %s',
                            resource_name, stack, error)

        self.thread_group_mgr.start(stack.id, deliver(stack))
        return None

    @heat_context.request_context
    def resource_mark_unhealthy(self, cnxt, stack_identity, resource_name,
                                mark_unhealthy,
                                resource_status_reason=None):
        """Say that a resource is broken (or is well), whatever it shows.

        An unhealthy resource is replaced by the next update.
        """
        if not isinstance(mark_unhealthy, bool):
            raise exception.Invalid(reason=_(
                'mark_unhealthy is not a boolean'))
        stack, resource = self._resource(cnxt, stack_identity,
                                         resource_name, physical=True)
        self._require_idle(stack, resource)
        reason = resource_status_reason or _('state changed by resource_'
                                             'mark_unhealthy api')
        states = status.ResourceStatus
        if mark_unhealthy:
            if resource.action != states.DELETE:
                resource.state_set(states.CHECK, states.FAILED, reason)
        elif resource.state == (states.CHECK, states.FAILED):
            resource.handle_metadata_reset()
            resource.state_set(states.CHECK, states.COMPLETE, reason)
