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
from heat.engine import status
from heat.engine.drivers import select as stack_driver
from heat.engine.plans import preview
from heat.engine.rpc import definition as service_definition
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.stacks import credentials as stack_credentials
from heat.engine.stacks import inherited_secrets
from heat.engine.stacks import redaction
from heat.engine.stacks import store as stack_store
from heat.engine.stacks import template_store
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)

_States = status.StackStatus


def _check_adoption(stack):
    """Raise NotSupported for one that adopts, where that is not allowed."""
    if stack.adopt_stack_data and not cfg.CONF.enable_stack_adopt:
        raise exception.NotSupported(feature=_('Stack Adopt'))


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
        _check_adoption(stack)
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
        _check_adoption(stack)
        self._begin_new(stack)
        return dict(stack.identifier())

    def _begin_new(self, stack):
        """Store and begin a new stack; if that fails, its trust goes later.
        """
        stack_id = str(uuid.uuid4())
        try:
            stack.store_and_create(stack_id)
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
        current = stack_store.load(cnxt, row)
        stack_driver.of(current).require_ready(current)
        updated = service_definition.updated_stack(
            cnxt, current, service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container), args, stored)
        stack_credentials.renew(current, updated)
        current.update(updated)
        return dict(current.identifier())

    @heat_context.request_context
    def preview_update_stack(self, cnxt, stack_identity, template, params,
                             files, args, environment_files=None,
                             files_container=None):
        """Return what an update would do to each resource."""
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Previewing update of stack %s', row.name)
        guards.stack_may_be_updated(row)
        current = stack_store.load(cnxt, row)
        updated = service_definition.updated_stack(
            cnxt, current, service_definition.of_request(
                cnxt, template, params, files, environment_files,
                files_container), args)
        changes = preview.of_update(
            current, updated, formats.format_stack_resource,
            show_nested=bool(args.get(rpc_api.PARAM_SHOW_NESTED)))
        return redaction.struck_out(
            changes, redaction.secrets_of(current) |
            redaction.secrets_of(updated))

    @heat_context.request_context
    def delete_stack(self, cnxt, stack_identity):
        """Begin to delete a stack; deleting one that is gone is an error."""
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Deleting stack %s', row.name)
        stack_store.load(cnxt, row).delete()

    @heat_context.request_context
    def abandon_stack(self, cnxt, stack_identity, abandon=True):
        """Forget a stack, keep its resources; return its description."""
        if not cfg.CONF.enable_stack_abandon:
            raise exception.NotSupported(feature=_('Stack Abandon'))
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('abandoning stack %s', row.name)
        stack = stack_store.load(cnxt, row)
        inherited_secrets.know_inherited(stack)
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
        stack = stack_store.load(cnxt, row)
        inherited_secrets.know_inherited(stack)
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
        stack_store.load(cnxt, row).cancel(
            with_rollback=cancel_with_rollback)

    def _begin(self, cnxt, stack_identity, verb):
        row = guards.find_stack(cnxt, stack_identity)
        LOG.info('Beginning to %s stack %s', verb, row.name)
        guards.stack_may(row, verb.upper())
        stack = stack_store.load(cnxt, row)
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
