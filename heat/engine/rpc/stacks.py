"""RPC calls that begin something with a stack.

Each loads, checks, begins one engine operation and returns the identifier
of the stack once the operation is durably under way.
"""
from typing import Any
import uuid

from oslo_config import cfg
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine import status
from heat.engine.drivers import select as stack_driver
from heat.engine.plans import moves as plan_moves
from heat.engine.plans import preview
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.rpc import protection
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

_States = status.StackStatus


class StackOperations:
    """Create, update, delete and the other verbs of a stack."""

    # What the service has.
    thread_group_mgr: Any

    @heat_context.request_context
    def preview_stack(self, cnxt, stack_name, template, params, files, args,
                      environment_files=None, files_container=None):
        """Return what create_stack would make, without making it."""
        LOG.info('previewing stack %s', stack_name)
        stack = service_definition.new_stack(
            cnxt, stack_name, service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container), args)
        guards.stack_may_be_adopted(stack)
        return redaction.struck_out(
            formats.format_stack_preview(stack),
            redaction.secrets_of(stack))

    @heat_context.request_context
    def create_stack(self, cnxt, stack_name, template, params, files, args,
                     environment_files=None, files_container=None,
                     owner_id=None, nested_depth=0, user_creds_id=None,
                     stack_user_project_id=None, parent_resource_name=None,
                     template_id=None):
        """Store a stack and begin to create (or adopt) its resources."""
        LOG.info('Creating stack %s', stack_name)
        stored = None
        if template_id is not None:
            stored = template_store.load(cnxt, template_id)
        stack = service_definition.new_stack(
            cnxt, stack_name,
            service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container),
            args,
            service_definition.Nesting(
                owner_id, nested_depth, user_creds_id,
                stack_user_project_id, parent_resource_name),
            stored)
        guards.stack_may_be_adopted(stack)
        self._begin_new_stack(stack)
        protection.protect_new(cnxt, stack.id, args)
        return dict(stack.identifier())

    def _begin_new_stack(self, stack):
        """Store and begin a new stack; if that fails, its trust goes later.
        """
        self._with_new_id(stack, stack.store_and_create)

    def _store_new_stack(self, stack):
        """Store a new stack; if that fails, its trust goes later."""
        self._with_new_id(stack,
                          lambda stack_id: stack.store(stack_id=stack_id))

    def _with_new_id(self, stack, store):
        stack_id = str(uuid.uuid4())
        try:
            store(stack_id)
        except Exception:
            self.thread_group_mgr.start(
                stack_id, stack_credentials.withdraw_task(stack, stack_id))
            raise

    @heat_context.request_context
    def update_stack(self, cnxt, stack_identity, template, params, files,
                     args, environment_files=None, files_container=None,
                     template_id=None):
        """Begin to make a stack what another definition says."""
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Updating stack %s', row.name)
        guards.stack_may_be_updated(row)
        stored = None
        if template_id is not None:
            stored = template_store.load(cnxt, template_id)
        request = service_definition.of_request(
            cnxt, template, params, files, environment_files,
            files_container)

        def goal():
            current = stack_module.Stack.load(cnxt, stack=row)
            stack_driver.of(current).require_ready(current)
            updated = service_definition.updated_stack(
                cnxt, current, request, args, stored)
            return current, updated, plan_moves.of_update(current, updated)

        current, updated, moved = goal()
        if not args.get(rpc_api.PARAM_OVERRIDE_POLICY):
            protection.require_permitted(cnxt, row, updated, goal)
        stack_credentials.renew(current, updated)
        plan_moves.update(current, updated, moved)
        return dict(current.identifier())

    @heat_context.request_context
    def preview_update_stack(self, cnxt, stack_identity, template, params,
                             files, args, environment_files=None,
                             files_container=None):
        """Return what an update would do to each resource."""
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Previewing update of stack %s', row.name)
        guards.stack_may_be_updated(row)
        current = stack_module.Stack.load(cnxt, stack=row)
        updated = service_definition.updated_stack(
            cnxt, current, service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container), args)
        plan_moves.of_update(current, updated)
        changes = preview.of_update(
            current, updated, formats.format_stack_resource,
            show_nested=bool(args.get(rpc_api.PARAM_SHOW_NESTED)))
        return redaction.struck_out(
            changes, redaction.secrets_of(current) |
            redaction.secrets_of(updated))

    @heat_context.request_context
    def delete_stack(self, cnxt, stack_identity, retain=None):
        """Begin to delete a stack; deleting one that is gone is an error.

        :param retain: paths of the resources that stay
        :raises StackProtected: it has termination protection.
        """
        row = guards.find_stack(cnxt, stack_identity)
        protection.require_deletable(cnxt, row)
        retained = protection.retained_paths(cnxt, row, retain)
        protection.note_retained(cnxt, row, retained)
        LOG.info('Deleting stack %s', row.name)
        stack_module.Stack.load(cnxt, stack=row).delete(retained)

    @heat_context.request_context
    def abandon_stack(self, cnxt, stack_identity, abandon=True):
        """Forget a stack, keep its resources; return its description."""
        if not cfg.CONF.enable_stack_abandon:
            raise exception.NotSupported(feature=_('Stack Abandon'))
        row = guards.find_stack(cnxt, stack_identity)
        if abandon:
            protection.require_deletable(cnxt, row)
        LOG.info('abandoning stack %s', row.name)
        stack = stack_module.Stack.load(cnxt, stack=row)
        redaction.know_inherited(stack)
        description = stack.prepare_abandon()
        if abandon:
            stack_driver.of(stack).abandon(stack)
        return redaction.redacted(description, stack)

    @heat_context.request_context
    def export_stack(self, cnxt, stack_identity):
        """Return a description from which the stack can be adopted."""
        if not cfg.CONF.enable_stack_abandon:
            raise exception.NotSupported(feature=_('Stack Abandon'))
        row = guards.find_stack(cnxt, stack_identity)
        stack = stack_module.Stack.load(cnxt, stack=row)
        redaction.know_inherited(stack)
        return redaction.redacted(stack.prepare_abandon(), stack)

    @heat_context.request_context
    def stack_cancel_update(self, cnxt, stack_identity,
                            cancel_with_rollback=True):
        """Stop a running update, going back to the old template or not."""
        row = guards.find_stack(cnxt, stack_identity)
        allowed = {(_States.UPDATE, _States.IN_PROGRESS)}
        if not cancel_with_rollback:
            allowed.add((_States.CREATE, _States.IN_PROGRESS))
        if (row.action, row.status) not in allowed:
            raise exception.NotSupported(feature=_(
                'Cancelling update when stack is %s_%s')
                % (row.action, row.status))
        stack_module.Stack.load(cnxt, stack=row).cancel(
            with_rollback=cancel_with_rollback)

    @heat_context.request_context
    def stack_retry(self, cnxt, stack_identity):
        """Begin a failed operation again; what is complete stays as it is.

        :raises NotSupported: the stack has not failed, or does not know any
            more what it was to become.
        """
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Retrying %s of stack %s', row.action, row.name)
        retried = {_States.CREATE: self._retry_update,
                   _States.UPDATE: self._retry_update,
                   _States.DELETE: self._retry_delete,
                   _States.ROLLBACK: self._retry_rollback}
        if row.status != _States.FAILED or row.action not in retried:
            raise exception.NotSupported(
                feature=_('Retrying when stack is %s_%s')
                % (row.action, row.status))
        retried[row.action](cnxt, row)
        return dict(stack_module.Stack.load(cnxt, stack=row).identifier())

    @staticmethod
    def _retry_update(cnxt, row):
        """Make a stack as it was to be: what a PATCH of nothing does."""
        current = stack_module.Stack.load(cnxt, stack=row)
        if row.action == _States.UPDATE and (
                not stack_store.is_convergent(current)):
            # Part of the new template has been merged into the old one.
            raise exception.NotSupported(feature=_(
                'Retrying the update of a stack without convergence, '
                'instead of updating it again,'))
        stack_driver.of(current).require_ready(current)

        def goal():
            current = stack_module.Stack.load(cnxt, stack=row)
            tmpl = current.t
            if not stack_store.is_convergent(current):
                # A creation that imported something has merged templates.
                tmpl = (tmpl if current.prev_raw_template_id is None else
                        service_definition.complete_template(current)).copy()
            return current, service_definition.updated_stack(
                cnxt, current, None, {rpc_api.PARAM_EXISTING: True}, tmpl)

        current, updated = goal()
        protection.require_permitted(cnxt, row, updated, goal)
        stack_credentials.renew(current, updated)
        current.update(updated)

    @staticmethod
    def _retry_delete(cnxt, row):
        protection.require_deletable(cnxt, row)
        stack_module.Stack.load(cnxt, stack=row).delete(
            protection.still_retained(cnxt, row))

    @staticmethod
    def _retry_rollback(cnxt, row, skipped=frozenset()):
        current = stack_module.Stack.load(cnxt, stack=row)
        stack_driver.of(current).rollback(current, skipped)

    @heat_context.request_context
    def stack_continue_rollback(self, cnxt, stack_identity, skip=None):
        """Continue a failed rollback.

        :param skip: paths of resources that are left as they are
        :raises ResourceNotFound: there is no such resource.
        """
        row = guards.find_stack(cnxt, stack_identity)
        if (row.action, row.status) != (_States.ROLLBACK, _States.FAILED):
            raise exception.NotSupported(
                feature=_('Continuing a rollback when stack is %s_%s')
                % (row.action, row.status))
        LOG.info('Continuing the rollback of stack %s', row.name)
        self._retry_rollback(cnxt, row, protection.existing_paths(
            cnxt, row, skip))
        return dict(stack_module.Stack.load(cnxt, stack=row).identifier())

    def _begin(self, cnxt, stack_identity, verb):
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Beginning to %s stack %s', verb, row.name)
        guards.stack_may(row, verb.upper())
        stack = stack_module.Stack.load(cnxt, stack=row)
        getattr(stack, verb)()
        return dict(stack.identifier())

    @heat_context.request_context
    def stack_suspend(self, cnxt, stack_identity):
        """Begin to suspend all resources of a stack."""
        return self._begin(cnxt, stack_identity, 'suspend')

    @heat_context.request_context
    def stack_resume(self, cnxt, stack_identity):
        """Begin to resume all resources of a stack."""
        return self._begin(cnxt, stack_identity, 'resume')

    @heat_context.request_context
    def stack_check(self, cnxt, stack_identity):
        """Begin to look whether all resources are as they should be."""
        return self._begin(cnxt, stack_identity, 'check')
