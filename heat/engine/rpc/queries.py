"""RPC calls that only read stacks, and what they export to one another."""
from oslo_log import log as logging

from heat.common import context as heat_context
from heat.common import exception
from heat.common import identifier
from heat.common.i18n import _
from heat.engine import stack as stack_module
from heat.engine.rpc import formats
from heat.engine.rpc import guards
from heat.engine.stacks import redaction
from heat.objects import export as export_objects
from heat.objects import stack as stack_objects
from heat.objects import transaction
from heat.rpc import api as rpc_api

LOG = logging.getLogger(__name__)


def _scope(context, filters, tenant_safe):
    """Return the filters of a list, limited to a project if need be.

    An administrator's query covers all projects unless it is limited, or
    the administrator acts in a project and names no other one. What others
    ask for is limited to their project in any case, by the storage.
    """
    filters = formats.translate_filters(filters)
    if tenant_safe and context.project_id is not None:
        filters.setdefault('tenant', context.project_id)
    return filters


def masked(stack, env):
    """Return an environment of a stack with hidden values masked."""
    return redaction.masked_environment(
        env, redaction.hidden_parameters(stack),
        redaction.secrets_of(stack), stack.t.files,
        nested=redaction.is_made_above(stack))


def _with_tags(context, stack_identity):
    """Return the row of a stack with its tags, which are shown."""
    def read():
        row = guards.find_stack(context, stack_identity, show_deleted=True)
        row.tags = stack_objects.Stack.tags_for(
            context, [row.id]).get(row.id, [])
        return row

    return transaction.read(context, read)


def _loaded(context, row):
    """Return a stack that knows what it has to hide."""
    stack = stack_module.Stack.load(context, stack=row)
    redaction.know_inherited(stack)
    return stack


class StackQueries:
    """List and show stacks, their outputs and what they are made of."""

    @heat_context.request_context
    def identify_stack(self, cnxt, stack_name):
        """Return the full identifier of a stack known by name or id."""
        row = guards.find_by_name(cnxt, stack_name)
        if row is None:
            raise exception.EntityNotFound(entity='Stack', name=stack_name)
        return dict(identifier.HeatIdentifier(row.tenant, row.name, row.id))

    @heat_context.request_context
    def list_stacks(self, cnxt, limit=None, marker=None, sort_keys=None,
                    sort_dir=None, filters=None, tenant_safe=True,
                    show_deleted=False, show_nested=False,
                    show_hidden=False, tags=None, tags_any=None,
                    not_tags=None, not_tags_any=None):
        """Return the stacks of a project, from their rows alone."""
        rows = stack_objects.Stack.get_all(
            cnxt if tenant_safe else cnxt.elevated(),
            limit=limit, sort_keys=sort_keys, marker=marker,
            sort_dir=sort_dir, filters=_scope(cnxt, filters, tenant_safe),
            show_deleted=show_deleted, show_nested=show_nested,
            show_hidden=show_hidden, tags=tags, tags_any=tags_any,
            not_tags=not_tags, not_tags_any=not_tags_any, eager_load=True)
        return [formats.format_stack_db_object(row, list(row.tags or []))
                for row in rows]

    @heat_context.request_context
    def count_stacks(self, cnxt, filters=None, tenant_safe=True,
                     show_deleted=False, show_nested=False,
                     show_hidden=False, tags=None, tags_any=None,
                     not_tags=None, not_tags_any=None):
        """Return how many stacks list_stacks would give without a limit."""
        return stack_objects.Stack.count_all(
            cnxt if tenant_safe else cnxt.elevated(),
            filters=_scope(cnxt, filters, tenant_safe),
            show_deleted=show_deleted, show_nested=show_nested,
            show_hidden=show_hidden, tags=tags, tags_any=tags_any,
            not_tags=not_tags, not_tags_any=not_tags_any)

    @heat_context.request_context
    def show_stack(self, cnxt, stack_identity, resolve_outputs=True):
        """Return one stack, or all of the project without an identifier."""
        if stack_identity is not None:
            stacks = iter([_loaded(cnxt, _with_tags(cnxt, stack_identity))])
        else:
            stacks = stack_module.Stack.load_all(cnxt)
        return [formats.format_stack(cnxt, stack, resolve_outputs)
                for stack in stacks]

    @heat_context.request_context
    def get_template(self, cnxt, stack_identity):
        """Return the template of a stack; None when it has none."""
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        stack = _loaded(cnxt, row)
        return redaction.shown_template(stack, stack.t.source)

    @heat_context.request_context
    def get_environment(self, cnxt, stack_identity):
        """Return the environment of a stack, hidden values masked."""
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        stack = _loaded(cnxt, row)
        env = masked(stack, stack.env.env_as_dict())
        hidden = redaction.hidden_parameters(stack)
        env['encrypted_param_names'] = [
            name for name in env.get('encrypted_param_names', ())
            if name in hidden]
        return env

    @heat_context.request_context
    def get_files(self, cnxt, stack_identity):
        """Return the files a stack was made with, as {name: text}."""
        row = guards.find_stack(cnxt, stack_identity,
                                show_deleted=True)
        return dict(stack_module.Stack.load(cnxt, stack=row).t.files)

    @heat_context.request_context
    def list_outputs(self, cnxt, stack_identity):
        """Return the outputs of a stack without their values."""
        row = guards.find_stack(cnxt, stack_identity)
        stack = stack_module.Stack.load(cnxt, stack=row)
        definitions = {name: stack.defn.output_definition(name)
                       for name in stack.defn.enabled_output_names()}
        return formats.format_stack_outputs(definitions)

    @heat_context.request_context
    def show_output(self, cnxt, stack_identity, output_key):
        """Return one output with its value.

        :raises NotFound: the stack has no such output.
        """
        row = guards.find_stack(cnxt, stack_identity)
        stack = stack_module.Stack.load(cnxt, stack=row)
        if output_key not in stack.defn.enabled_output_names():
            raise exception.NotFound(
                _('Specified output key %s not found.') % output_key)
        return formats.format_stack_output(stack.output(output_key))


class ExportQueries:
    """List the exports of a project, and the stacks that import one."""

    @heat_context.request_context
    def list_exports(self, cnxt, marker=None):
        """Return the exports of the project, EXPORTS_PAGE of them at most.

        :param marker: the name of the last export of the page before
        """
        _require_text(marker)
        return [_format_export(export) for export in
                export_objects.Export.get_all(
                    cnxt, cnxt.project_id, rpc_api.EXPORTS_PAGE, marker)]

    @heat_context.request_context
    def list_imports(self, cnxt, export_name):
        """Return the names of the stacks that import an export.

        :raises Invalid: none does.
        """
        _require_text(export_name)
        stacks = export_objects.Import.stacks_of(cnxt, cnxt.project_id,
                                                 export_name)
        if not stacks:
            raise exception.Invalid(reason=_(
                "Export '%s' is not imported by any stack.") % export_name)
        return stacks


def _require_text(name):
    if name is not None and not isinstance(name, str):
        raise exception.Invalid(
            reason=_('The name of an export must be a text'))


def _format_export(export):
    return {
        rpc_api.EXPORT_NAME: export.name,
        rpc_api.EXPORT_VALUE: export.value,
        rpc_api.EXPORT_STACK_ID: dict(identifier.HeatIdentifier(
            export.tenant, export.stack_name, export.stack_id)),
    }
